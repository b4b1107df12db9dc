// Writes the content of a page into an element `told`, a line each, as tests/page/read.c prints that of the file; then the time, and the painted parts.
// tests/page appends it to a page.
addEventListener('DOMContentLoaded', () => {
  const drawn = performance.now();
  setTimeout(() => {
    const ready = performance.now(), rows = Object.entries(names).map(([k, m]) => `${texts[k >> 4]}|${k & 15} ${m.count} ${m.total}`);
    const steals = task.thief.a.subarray(0, task.low.n).reduce((a, x) => a + (x >= 0), 0);
    draw();
    const d = pen.getImageData(0, 0, canvas.width, canvas.height).data, seen = new Map();
    for (let i = 0; i < d.length; i += 4) { const c = `${d[i]} ${d[i + 1]} ${d[i + 2]}`; seen.set(c, (seen.get(c) || 0) + 1); }
    const rgb = colours.slice(0, OTHER).map(c => c.match(/\w\w/g).map(x => parseInt(x, 16)).join(' '));
    const painted = rgb.reduce((a, c) => a + (seen.get(c) || 0), 0);
    document.body.append(element('pre', {id: 'told'}, ['', `lanes ${lanes.length} slices ${begin.length} edges ${edge.a.n} steals ${steals} ended ${+ended}`, ...rows, ''].join('\n')),
      element('pre', {id: 'took'}, `drawn after ${Math.round(drawn)} ms, ready after ${Math.round(ready)} ms`),
      element('pre', {id: 'rest'}, `painted ${painted} path ${Math.round(path.length)} time ${Math.round(t1 - t0)} table ${$('names').rows.length - 1} ${errors.join()}`));
  });
});
