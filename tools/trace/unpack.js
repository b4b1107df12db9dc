// Puts a page into the document that is being read: gzip's form of it in base64, as tools/trace/pack makes it, with Huffman tables in each block.
// Not DecompressionStream, which hands the page over later: scripts with records follow this one, and the page is to be there for them.
// Source: RFC 1951; the ten bytes of the header are those of RFC 1952 without options.
const unpack = text => {
  const u = Uint8Array.from(atob(text), c => c.charCodeAt()), out = [];
  let p = 80, last, s;
  const bits = n => { let v = 0; for (let i = 0; i < n; i++, p++) v |= (u[p >> 3] >> (p & 7) & 1) << i; return v; };
  const table = lengths => {                                             // from codes with a 1 before them to symbols
    const t = {};
    for (let n = 1, code = 0; n < 16; n++, code *= 2) lengths.forEach((l, i) => { if (l == n) t[1 << n | code++] = i; });
    return t;
  };
  const symbol = t => { let c = 1; do c = c << 1 | bits(1); while (!(c in t)); return t[c]; };
  do {
    last = bits(3) & 1;
    const n = bits(5) + 257, all = n + bits(5) + 1, few = bits(4) + 4, l = Array(19).fill(0), a = [];
    for (let i = 0; i < few; i++) l[[16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15][i]] = bits(3);
    for (const t = table(l); a.length < all;) {
      s = symbol(t);
      const v = s < 16 ? s : s < 17 ? a[a.length - 1] : 0;
      for (let k = s < 16 ? 1 : s < 17 ? 3 + bits(2) : s < 18 ? 3 + bits(3) : 11 + bits(7); k--;) a.push(v);
    }
    const x = table(a.slice(0, n)), y = table(a.slice(n)), value = (s, k) => { const e = (s >> k) - 1; return e < 1 ? s : ((1 << k | s & (1 << k) - 1) << e) + bits(e); };
    while ((s = symbol(x)) != 256)
      if (s < 256) out.push(String.fromCharCode(s));
      else for (let n = s < 285 ? 3 + value(s - 257, 2) : 258, back = 1 + value(symbol(y), 1); n--;) out.push(out[out.length - back]);
  } while (!last);
  document.write(out.join(''));
};
