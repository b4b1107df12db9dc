"""The conditions of a C text: what is left of it if some macros are known -- see tools/reduce/run

A text is a list of lines (a macro with its continuation lines is one) and of Choices: #if with its branches. Conditions
are evaluated in the order of the text, as a preprocessor does, with three values: true, false, and unknown for what the
program or the compiler decides.
"""
import re

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|##|&&|\|\||[=!<>]=|<<|>>|\S')
LINES = re.compile(r"(?:.*\\\n)*.*\n")
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b\s*((?:.|\n)*)")
DEFINITION = re.compile(r"\s*#\s*(define|undef)\s+(\w+)(\(?)\s*((?:.|\n)*)")


class Choice:
    """The branches are lists: a condition, or None for #else, and the text of the branch"""

    def __init__(self, branches):
        self.branches = branches


def without_comments(text):
    piece = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
    text = piece.sub(lambda m: " " if m[0][0] == "/" else m[0], text)
    text = re.sub(r"[ \t]+(\\?)$", lambda m: " \\" if m[1] else "", text, flags=re.M)
    return re.sub(r"\n\n+", "\n", text)


def read(text):
    top = []
    places = [top]  # the lists in which the next line may stand, the innermost last
    choices = []
    for line in LINES.findall(text):
        m = CONDITION.match(line)
        if not m:
            if line.strip():
                places[-1].append(line)
            continue
        kind, rest = m[1], re.sub(r"\\\n", " ", m[2]).strip()
        if kind in ("if", "ifdef", "ifndef"):
            if kind != "if":
                rest = ("!" if kind == "ifndef" else "") + "defined(%s)" % rest
            choices.append(Choice([[expression(rest), []]]))
            places[-1].append(choices[-1])
            places.append(choices[-1].branches[0][1])
        elif kind == "endif":
            choices.pop()
            places.pop()
        else:
            choices[-1].branches.append([expression(rest) if kind == "elif" else None, []])
            places[-1] = choices[-1].branches[-1][1]
    assert not choices, "#if without #endif"
    return top


def write(nodes):
    out = []
    for node in nodes:
        if isinstance(node, Choice):
            for n, (condition, contents) in enumerate(node.branches):
                out.append(directive(n, condition) + "\n" + write(contents))
            out.append("#endif\n")
        else:
            out.append(str(node))
    return "".join(out)


def directive(n, condition):
    if condition is None:
        return "#else"
    if n == 0 and condition[0] == "defined":
        return "#ifdef " + condition[1]
    if n == 0 and condition[0] == "!" and condition[1][0] == "defined":
        return "#ifndef " + condition[1][1]
    return ("#elif " if n else "#if ") + written(condition)


# --- expressions: (operator, operands...), ("defined", name), ("word", name), ("number", n), ("text", text) ------

LEVELS = [["||"], ["&&"], ["|"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
NUMBERS = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b,
    "%": lambda a, b: a % b, "|": lambda a, b: a | b,
}


def expression(text):
    """The tree of an expression; ("text", text) where it has what is not in LEVELS"""
    try:
        tokens = TOKEN.findall(text)
        e = level(tokens, 0)
        return e if not tokens else ("text", text)
    except (ValueError, IndexError):
        return ("text", text)


def level(tokens, n):
    if n == len(LEVELS):
        return unary(tokens)
    left = level(tokens, n + 1)
    while tokens and tokens[0] in LEVELS[n]:
        left = (tokens.pop(0), left, level(tokens, n + 1))
    return left


def unary(tokens):
    t = tokens.pop(0)
    if t == "!":
        return ("!", unary(tokens))
    if t == "(":
        e = level(tokens, 0)
        if tokens.pop(0) != ")":
            raise ValueError
        return e
    if t == "defined":
        name = tokens.pop(0)
        if name == "(":
            name = tokens.pop(0)
            tokens.pop(0)
        return ("defined", name)
    if t[0].isdigit():
        return ("number", int(t.rstrip("uUlL"), 0))
    if not re.match(r"[A-Za-z_]", t) or tokens[:1] == ["("]:  # the latter: a macro with arguments
        raise ValueError
    return ("word", t)


def written(e, around=-1):
    if e[0] == "defined":
        return "defined(%s)" % e[1]
    if e[0] in ("word", "number"):
        return str(e[1])
    if e[0] == "text":
        return e[1] if around < 0 else "(%s)" % e[1]
    if e[0] == "!":
        return "!" + written(e[1], len(LEVELS))
    n = next(n for n, operators in enumerate(LEVELS) if e[0] in operators)
    text = "%s %s %s" % (written(e[1], n), e[0], written(e[2], n + 1))
    return "(%s)" % text if n < around or around == 0 and e[0] == "&&" else text


# --- evaluation ------------------------------------------------------------------------------------------------

UNDEFINED, SOME, UNKNOWN = "not defined", "defined, as something", "defined or not"


class Macros(dict):
    """What is known of macros: their text, in a tuple, or UNDEFINED, SOME, UNKNOWN

    no: a pattern of the names that the program does not define; nobody else does before the text defines them."""

    def __init__(self, known, no):
        super().__init__(known)
        self.no = no

    def __missing__(self, name):
        return UNDEFINED if re.fullmatch(self.no, name) else UNKNOWN

    def and_also(self, more):
        return Macros({**self, **more}, self.no)


def simple(e, macros):
    """The expression without what is known"""
    if e[0] == "defined":
        value = macros[e[1]]
        return e if value == UNKNOWN else ("number", int(value != UNDEFINED))
    if e[0] == "word":
        value = macros[e[1]]
        if value == UNDEFINED:
            return ("number", 0)
        inner = simple(expression(value[0]), macros) if isinstance(value, tuple) else e
        return inner if inner[0] == "number" else e
    if e[0] in ("number", "text"):
        return e
    if e[0] == "!":
        a = simple(e[1], macros)
        return ("number", int(not a[1])) if a[0] == "number" else a[1] if a[0] == "!" else ("!", a)
    a, b = simple(e[1], macros), simple(e[2], macros)
    if e[0] in ("&&", "||"):
        for one, other in ((a, b), (b, a)):
            if one[0] == "number":
                return ("number", int(e[0] == "||")) if bool(one[1]) == (e[0] == "||") else other
    elif a[0] == b[0] == "number":
        return ("number", int(NUMBERS[e[0]](a[1], b[1])))
    return (e[0], a, b)


def number(value, macros):
    """The value of a macro as a number, if it has one"""
    e = simple(expression(value[0]), macros) if isinstance(value, tuple) else value
    return (str(e[1]),) if e[0] == "number" else value


def shorter(node, name, value, macros):
    """A definition by other macros, as a number if these are"""
    words = re.findall(r"\b[A-Za-z_]\w*", value)
    if not words or not all(isinstance(number(macros[w], macros), tuple) for w in words):
        return node
    value = number((value,), macros)[0]
    return "#define %s %s\n" % (name, value) if value.isdigit() else node


def facts(e, holds):
    """What is known of macros where the expression holds, or where it does not"""
    if e[0] == "!":
        return facts(e[1], not holds)
    if e[0] == "defined":
        return {e[1]: SOME if holds else UNDEFINED}
    if e[0] == ("&&" if holds else "||"):
        return {**facts(e[1], holds), **facts(e[2], holds)}
    return {}


def evaluate(nodes, macros, guard):
    """The text without branches that are never taken; macros gets what is known behind it. guard: a condition that holds
    where the text is read for the first time."""
    out = []
    for node in nodes:
        if isinstance(node, Choice):
            out += evaluate_choice(node, macros, guard)
            continue
        m = DEFINITION.match(node)
        if m:
            value = re.sub(r"\s*\\\n\s*", " ", m[4]).strip()
            macros[m[2]] = UNKNOWN if m[1] == "undef" else SOME if m[3] else (value,)
            if macros[m[2]] == (value,):
                node = shorter(node, m[2], value, macros)
        out.append(node)
    return out


def evaluate_choice(choice, macros, guard):
    branches, ends = [], []  # ends: what each branch has learned of macros
    before = macros.and_also({})  # what is known where the next condition is read
    for condition, contents in choice.branches:
        e = simple(condition, before) if condition else ("number", 1)
        if e == ("number", 0):
            continue
        inside = before.and_also(facts(e, True))
        known = dict(inside)
        branches.append([None if e[0] == "number" else e, evaluate(contents, inside, guard)])
        ends.append({n: number(v, inside) for n, v in inside.items() if known.get(n) != v})
        if e[0] == "number" or e == guard:
            break
        before.update(facts(e, False))
    else:
        ends.append({})
    if len(ends) == 1 and branches:
        macros.update(ends[0])
        return branches[0][1] if branches[0][0] is None else [Choice(branches)]
    for name in {n for end in ends for n in end}:
        values = {end[name] if name in end else macros[name] for end in ends}
        macros[name] = values.pop() if len(values) == 1 else UNKNOWN if values & {UNDEFINED, UNKNOWN} else SOME
    return [Choice(branches)] if branches else []
