"""The definitions of a C text: those that are reached, by name, from some of them -- see tools/reduce/run

An Item is a line of the preprocessor or a definition or declaration at file scope, in the style of this repository: it
begins at the start of a line and ends with ";" or "}" at the end of one. Of its words any may mean another item. That
keeps too much where a variable has the name of a function, but never too little: words that ## makes are those that
begin with its left side.
"""
import re

from conditions import DEFINITION, TOKEN, Choice, write

WORD = re.compile(r"[A-Za-z_]\w*$")
OURS = re.compile(r"(?:dfi?|DFI?)_")
KEYWORDS = set(
    "alignas alignof auto bool char const decltype double extern float if int long noexcept operator return short "
    "signed sizeof static struct class enum union typedef typeof unsigned void volatile while".split())
TAGS = ("struct", "class", "union", "enum")
NO_FUNCTION = re.compile(r"__attribute__$|__declspec$|__asm__$|DFI?_[A-Z_0-9]+$")
# Lines that stay, and end as if they were definitions: DFI_EXTERN_C_BEGIN, extern "C++" {
ALONE = re.compile(r'\s*(\w+|}|extern "C(\+\+)?" {)\s*$')


class Item:
    """names: what it defines. stays: also if nothing that stays has its name: a line that defines no name, and what the
    linker or the compiler sees. An assertion has no name either: it stays if all that it is about does."""

    def __init__(self, nodes, appended):
        self.text = write(nodes)
        self.assertion = re.match(r"\s*DFI_STATIC_ASSERT\b", self.text)
        self.stays = False
        self.declares = False  # a static function that is defined elsewhere
        self.names = set()
        self.made = set()  # names that a macro makes of its arguments
        self.is_code = len(nodes) > 1 or not re.match(r"\s*#", self.text)
        definition = DEFINITION.match(self.text) if not self.is_code else None
        if definition:
            self.names = {definition[2]}
        elif not self.is_code or ALONE.match(self.text):
            self.stays = True
        elif not self.assertion:
            self.define(tokens_of(self.text), appended)
        self.change(self.text)

    def __str__(self):
        return self.text

    def change(self, text):
        self.text = text
        self.words = set()
        for t in TOKEN.findall(self.text):
            if t[0] == '"':
                self.words.update(re.findall(r"\bdfi_\w+", t))  # in assembler
            elif WORD.match(t):
                self.words.add(t)
        self.words |= self.made
        self.beginnings = {w for w in re.findall(r"\b(\w+?)\s*##", self.text) if OURS.match(w)}
        self.beginnings |= {w for w in self.words if w[-1] == "_" and OURS.match(w)}  # DFI_CAT(DFI_LIST_, n)

    def define(self, tokens, appended):
        tokens = without_template(tokens)
        if re.fullmatch("DFI_[A-Z_]+", tokens[0]) and tokens[1] == "(":  # DFI_UPCALL(int, dfi_up_see, (..));
            self.names = {t for a, t, b in zip(tokens[1:], tokens[2:], tokens[3:])
                          if a in ("(", ",") and b in (",", ")") and OURS.match(t)}
            self.made = {name + end for name in self.names for end in appended.get(tokens[0], ())}
            self.names |= self.made
            return
        function, depth = None, 0
        kind = next((t for t in tokens if t == "typedef" or t in TAGS), "")
        for n, (t, after) in enumerate(zip(tokens, tokens[1:] + [""])):
            last = tokens[n - 1] if n else ""
            if t == "=" and depth == 0:
                break
            depth += (t in "({[") - (t in ")}]")
            if not WORD.match(t) or t in KEYWORDS:
                continue
            if last in TAGS and depth == 0:
                if after in ("{", ";", ":", "<"):
                    self.names.add(t)
            elif after == "(" and not function and not NO_FUNCTION.match(t) and (depth == 0 or last == "*"):
                function = t
            elif last == "(" and tokens[n + 1:n + 3] == [")", "("] and depth == 1 and not function:
                function = t  # a function that also is a macro
            elif after in (";", ",", "=", "[", "__asm__") and depth == 0:
                self.names.add(t)
            elif kind == "typedef" and last == "*" and after == ")" and depth == 1:
                self.names.add(t)
            elif kind == "enum" and last in ("{", ",") and after in ("=", ",", "}") and depth == 1:
                self.names.add(t)
        if function and not self.names:
            self.names = {function}
        is_defined = "{" in tokens or "=" in tokens or not function
        self.declares = not is_defined and "static" in tokens
        seen = {"used", "constructor", "destructor"} & set(tokens)
        linked = {"DFI_API", "DFI_STRONG"} & set(tokens) and is_defined and "extern" not in tokens
        self.stays = not self.names or bool(seen or linked)


def without_template(tokens):
    if tokens[0] != "template":
        return tokens
    depth = 0
    for n, t in enumerate(tokens[1:], 2):
        depth += (t == "<") - (t == ">") - 2 * (t == ">>")
        if depth <= 0:
            return tokens[n:]
    raise ValueError(tokens)


def tokens_of(text):
    """Without those of the preprocessor's lines"""
    return TOKEN.findall(re.sub(r"^\s*#.*(\\\n.*)*", "", text, flags=re.M))


def depth_of(text):
    return sum((t in "({[") - (t in ")}]") for t in tokens_of(text))


def appended(text):
    """Of macros that make definitions: what they append to their arguments"""
    macros = re.finditer(r"^\s*#\s*define\s+(\w+)\(((?:.*\\\n)*.*)", text, re.M)
    return {m[1]: set(re.findall(r"\w##(\w+)", m[2])) for m in macros}


def items(nodes, ends):
    """The text with Items in place of the lines, and whether the last one is complete"""
    out, part, depth = [], [], 0
    for node in nodes:
        if isinstance(node, Choice):
            if not part:
                inner = [items(contents, ends) for _, contents in node.branches]
                if all(complete for _, complete in inner):
                    out.append(Choice([[c, i] for (c, _), (i, _) in zip(node.branches, inner)]))
                    continue
            part.append(node)
            depth += depth_of(write(node.branches[0][1]))
        elif not part and re.match(r"\s*#", node):
            out.append(Item([node], ends))
        elif not part and re.fullmatch(r"\s*(DFI_(OWN|UP|ABI|ABI_AS)\(\w+(, \w+)?\)\s*)+", node):
            out += [Item([name + "\n"], ends) for name in re.findall(r"DFI_\w+\([^)]+\)", node)]
        else:
            part.append(node)
            depth += depth_of(node)
            alone = len(part) == 1 and ALONE.match(node)
            if alone or depth == 0 and node.rstrip()[-1] in ";}":
                out.append(Item(part, ends))
                part, depth = [], 0
    return out + ([Item(part, ends)] if part else []), not part


def reach(nodes, public, unpasted):
    """Finds what stays: the items with a name that matches the pattern public, and all that these need. Names that
    match unpasted are not made by ##."""
    by_name, everything = {}, []

    def collect(nodes, around):
        for node in nodes:
            if isinstance(node, Choice):
                for _, contents in node.branches:
                    collect(contents, around + [node])
            else:
                everything.append((node, around))
                for name in node.names:
                    by_name.setdefault(name, []).append((node, around))

    collect(nodes, [])
    names = set()  # whose items stay
    done = set()  # the items and beginnings that were looked at
    waiting = []

    def need(name):
        if name in by_name and name not in names:
            names.add(name)
            waiting.extend(by_name[name])

    waiting += [entry for entry in everything if entry[0].stays]
    for name in [name for name in by_name if re.fullmatch(public, name)]:
        need(name)
    while waiting:
        item, around = waiting.pop()
        item.stays = True
        for thing in [item] + around + sorted(item.beginnings):
            if thing in done:
                continue
            done.add(thing)
            if isinstance(thing, Choice):
                words = {w for c, _ in thing.branches if c for w in TOKEN.findall(write([Choice([[c, []]])]))}
            elif isinstance(thing, Item):
                words = thing.words
            else:
                words = [n for n in by_name if n.startswith(thing) and not re.fullmatch(unpasted, n)]
            for word in words:
                need(word)
    for item, _ in everything:
        if item.assertion:
            item.stays = item.words & by_name.keys() <= names
    without_lists([item for item, _ in everything if item.stays])


def without_lists(items):
    """A list of functions that are all defined before they are used, for the reader, is left out."""
    used, defined = {}, {}  # the first and the last place
    for place, item in enumerate(items):
        if item.declares:
            continue
        for word in item.words:
            if word in item.names:
                defined[word] = place
            else:
                used.setdefault(word, place)
    for item in items:
        if item.declares and all(name in defined and defined[name] < used.get(name, len(items)) for name in item.names):
            item.stays = False


def kept(nodes):
    out = []
    for node in nodes:
        if isinstance(node, Item):
            out += [node] if node.stays else []
            continue
        branches = [[condition, kept(contents)] for condition, contents in node.branches]
        while branches and not branches[-1][1]:
            branches.pop()
        if branches:
            out.append(Choice(branches))
    return out
