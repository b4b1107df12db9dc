"""Branches of C that a build never takes: if and ?: whose condition is zero because of a name -- see tools/reduce/run

A name is zero if it is a macro of that value, an upcall that nothing defines (impl/base/upcall.h), or a function, with
one definition, that returns such a name. What is not understood stays as it is.
"""
import collections
import re

from conditions import Choice, number

PART = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[({\[]|[)}\]]|&&|\|\||[?:;,]')
IF = re.compile(r"\b(else\s+)?if\s*\(")
RETURNS = re.compile(r"(?:DFI_INLINE|static) (?:int|unsigned) (\w+)\([^{]*\)\s*{\s*return ([^;]*);\s*}\s*$")
BEFORE_EXPRESSION = re.compile(r"\breturn | = |, |\(")
PURE = re.compile(r"dfi_load_\w+|DFI_UNLIKELY|DFI_LIKELY")


def parts(text, i=0):
    """The tokens of PART at the level of brackets at i, until that ends, with their places"""
    depth = 0
    for m in PART.finditer(text, i):
        if m[0] in "({[":
            depth += 1
        elif m[0] in ")}]":
            depth -= 1
            if depth <= 0:
                yield m
            if depth < 0:
                return
        elif depth == 0:
            yield m


def closed(text, i):
    """The place behind the bracket that closes the one at i"""
    return next(parts(text, i)).end()


def split(text, operator):
    out, start = [], 0
    for m in parts(text):
        if m[0] == operator:
            out.append(text[start:m.start()])
            start = m.end()
    return out + [text[start:]]


def value(text, zeros):
    """0 or 1: the expression always is; None: it is not known"""
    text = text.strip()
    if len(split(text, "?")) > 1:
        return None
    for operator, decides in (("||", 1), ("&&", 0)):
        operands = split(text, operator)
        if len(operands) > 1:
            values = [value(o, zeros) for o in operands]
            for v, o in zip(values, operands):
                if v == decides:
                    return v
                calls = set(re.findall(r"(\w+)\s*\(", o)) - set(PURE.findall(o))
                if v is None and (calls or re.search(r"[^=!<>]=[^=]", o)):
                    return None  # it has an effect
            return None if None in values else 1 - decides
    text = re.sub(r" != (0|NULL)$", "", text)
    if text[:1] == "!":
        v = value(text[1:], zeros)
        return None if v is None else 1 - v
    call = re.match(r"(\w*)\(", text)
    if call and closed(text, call.end() - 1) == len(text):
        if call[1] in ("", "DFI_LIKELY", "DFI_UNLIKELY"):
            return value(text[call.end():-1], zeros)
        return 0 if call[1] in zeros else None
    return 0 if text in zeros or text == "0" else 1 if text == "1" else None


def statement(text, i):
    """The place behind the statement at i"""
    i += len(text[i:]) - len(text[i:].lstrip())
    if text[i] == "{":
        return closed(text, i)
    m = re.compile(r"(if|for|while|switch)\s*\(").match(text, i)
    if m:
        end = statement(text, closed(text, m.end() - 1))
        other = re.compile(r"\s*else\b").match(text, end) if m[1] == "if" else None
        return statement(text, other.end()) if other else end
    if re.compile(r"do\b").match(text, i):
        i = statement(text, i + 2)
    return next(m.end() for m in parts(text, i) if m[0] == ";")


def without_ifs(text, zeros):
    """The branch that is taken; if it returns, also without the rest of the block"""
    m = IF.search(text)
    while m:
        behind = closed(text, m.end() - 1)
        end = statement(text, behind)
        other = re.compile(r"\s*else\b").match(text, end)
        all_end = statement(text, other.end()) if other else end
        v = value(text[m.end():behind - 1], zeros)
        if v is None or re.search(r"\n\s*#", text[m.start():all_end]):
            m = IF.search(text, m.end())
            continue
        stays = (text[behind:end] if v else text[other.end():all_end] if other else "").strip()
        if v and stays.startswith("return") and re.search(r"[;{}]\s*$", text[:m.start()]):
            block_end = list(parts(text, all_end))[-1].start()
            if not re.search(r"\n\s*(#|\w+:|case )", text[all_end:block_end]):
                all_end = block_end
                stays += "\n"
        if m[1]:
            stays = stays and "else " + stays
        elif not stays and re.search(r"(\)|\belse|\bdo)\s*$", text[:m.start()]):
            stays = ";"
        text = text[:m.start()] + stays + text[all_end:]
        m = IF.search(text, m.start())
    return text


def without_operands(text, zeros):
    """Of  zero ? a : b  the b, and of  zero && a  the 0"""
    for m in reversed(list(BEFORE_EXPRESSION.finditer(text))):
        ends = list(parts(text, m.end()))
        ends = [p for p in ends if p is ends[-1] or p[0] in "?:;,"]
        expression = text[m.end():ends[0].start()]
        v = value(expression, zeros)
        if ends[0][0] != "?":
            if v == 0 and "&&" in expression:
                text = text[:m.end()] + "0" + text[ends[0].start():]
        elif v is not None and ends[1][0] == ":" and ends[2][0] != "?":
            chosen = text[ends[0].end():ends[1].start()] if v else text[ends[1].end():ends[2].start()]
            text = text[:m.end()] + chosen.strip() + text[ends[2].start():]
    return text


def fold(nodes, macros):
    """Changes the items"""
    code, count, macros_here = [], collections.Counter(), set()

    def collect(nodes):
        for node in nodes:
            if isinstance(node, Choice):
                for _, contents in node.branches:
                    collect(contents)
            elif node.is_code:
                code.append(node)
                count.update(node.names if "{" in node.text else ())
            else:
                macros_here.update(node.names)

    collect(nodes)
    text = "".join(item.text for item in code)
    zeros = {name for name in re.findall(r"DFI_UP\((\w+)\)", text) if name + "_by" not in macros_here}
    zeros |= {name for name, v in macros.items() if number(v, macros) == ("0",)}
    again = True
    while again:
        again = False
        for item in code:
            text = without_operands(without_ifs(item.text, zeros), zeros)
            text = re.sub(r"\s*\|\|\s*\(0\)", "", text)
            if text != item.text:
                item.change(re.sub(r"\n\s*\n", "\n", text))
                again = True
            m = RETURNS.match(item.text)
            if m and m[1] not in zeros and count[m[1]] == 1 and value(m[2], zeros) == 0:
                zeros.add(m[1])
                again = True
