#!/usr/bin/env python3
"""Is FILE a trace in Chrome's format that can be trusted?  tests/trace.py FILE TASKS [CATEGORY=NAME,NAME...]... [open]

It parses as JSON; each record has what its phase needs, of the right type; slices of a track nest; both ends of each arrow are in
slices, and it does not go back in time; it has as many slices of tasks as the program counted, and slices of each CATEGORY with
exactly those names. open: the program was killed, so the last bracket may be missing. Prints what is wrong."""
import json
import sys
from collections import Counter, defaultdict

errors = []


def wrong(text):
    errors.append(text)


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def ns(record, field):
    return round(record[field] * 1000)


NEEDS = {"X": ("ts", "dur", "name", "cat"), "B": ("ts", "name", "cat"), "E": ("ts",), "C": ("ts", "name", "args"), "M": ("name", "args"),
         "s": ("ts", "id", "name", "cat"), "f": ("ts", "id", "name", "cat", "bp")}


def check_record(r):
    phase = r.get("ph")
    if phase not in NEEDS:
        return wrong("a phase that is none of %s: %s" % ("".join(NEEDS), r))
    for field in ("pid", "tid"):
        if type(r.get(field)) is not int or r[field] < 0:
            return wrong("%s is no number of a track: %s" % (field, r))
    for field in NEEDS[phase]:
        if field not in r:
            return wrong("%s is missing: %s" % (field, r))
    for field in ("ts", "dur"):
        if field in r and (not is_number(r[field]) or r[field] < 0):
            return wrong("%s is no time: %s" % (field, r))
    if "args" in r and type(r["args"]) is not dict:
        return wrong("args is no object: %s" % r)
    if phase == "C" and not all(is_number(v) for v in r["args"].values()):
        return wrong("a counter whose value is no number: %s" % r)
    for field in ("name", "cat"):
        if field in r and (type(r[field]) is not str or not r[field]):
            return wrong("%s is no text: %s" % (field, r))
    return True


def slices_of(records):
    """By track: (begin, end, name), those that are still open without an end."""
    tracks, begun = defaultdict(list), defaultdict(list)
    for r in records:
        track = (r["pid"], r["tid"])
        if r["ph"] == "X":
            tracks[track].append((ns(r, "ts"), ns(r, "ts") + ns(r, "dur"), r["name"]))
        elif r["ph"] == "B":
            begun[track].append(r)
        elif r["ph"] == "E":
            if not begun[track]:
                wrong("the end of nothing: %s" % r)
            else:
                b = begun[track].pop()
                tracks[track].append((ns(b, "ts"), ns(r, "ts"), b["name"]))
    for track, left in begun.items():
        tracks[track] += [(ns(b, "ts"), float("inf"), b["name"]) for b in left]
    return tracks


def check_nesting(track, slices):
    around = []
    for begin, end, name in sorted(slices, key=lambda s: (s[0], -s[1])):
        while around and around[-1][1] <= begin and not (around[-1][1] == begin == end):
            around.pop()
        if around and end > around[-1][1]:
            wrong("track %s: %s from %d to %d ns is neither inside nor behind %s" % (track, name, begin, end, around[-1]))
        around.append((begin, end, name))


def covered(slices):
    """The times at which there is a slice, as ranges in order."""
    ranges = []
    for begin, end, _ in sorted(slices):
        if ranges and begin <= ranges[-1][1]:
            ranges[-1][1] = max(end, ranges[-1][1])
        else:
            ranges.append([begin, end])
    return ranges


def is_covered(ranges, at):
    low, high = 0, len(ranges)
    while low < high:
        middle = (low + high) // 2
        if ranges[middle][1] < at:
            low = middle + 1
        else:
            high = middle
    return low < len(ranges) and ranges[low][0] <= at


def check_arrows(records, tracks):
    ranges = {track: covered(slices) for track, slices in tracks.items()}
    ends = defaultdict(dict)
    for r in records:
        if r["ph"] in "sf":
            if r["ph"] in ends[r["cat"], r["id"]]:
                wrong("the same end of an arrow twice: %s" % r)
            ends[r["cat"], r["id"]][r["ph"]] = r
            if not is_covered(ranges.get((r["pid"], r["tid"]), []), ns(r, "ts")):
                wrong("the end of an arrow is in no slice: %s" % r)
    for key, both in ends.items():
        if len(both) != 2:
            if "open" not in sys.argv:
                wrong("arrow %s has one end only: %s" % (key, both))
        elif ns(both["f"], "ts") < ns(both["s"], "ts"):
            wrong("arrow %s goes back in time: %s" % (key, both))


def main():
    name, tasks = sys.argv[1], sys.argv[2]
    text = open(name, "rb").read().decode("utf-8")
    if "open" in sys.argv and not text.rstrip().endswith("]"):
        text += "]"
    try:
        records = json.loads(text)
    except ValueError as e:
        return wrong("no JSON: %s" % e)
    if type(records) is not list or not records or not all(type(r) is dict for r in records):
        return wrong("no list of records")
    if not all([check_record(r) for r in records]):
        return None
    tracks = slices_of(records)
    for track, slices in tracks.items():
        check_nesting(track, slices)
    check_arrows(records, tracks)
    names = defaultdict(set)
    counts = Counter(r["cat"] for r in records if r["ph"] == "X")
    for r in records:
        if r["ph"] == "X":
            names[r["cat"]].add(r["name"])
    if tasks != "-" and counts["task"] != int(tasks):
        wrong("%d slices of tasks, but %s tasks" % (counts["task"], tasks))
    for expected in sys.argv[3:]:
        category, _, rest = expected.partition("=")
        if rest and names[category] != set(rest.split(",")):
            wrong("%s: names %s, not %s" % (category, sorted(names[category]), rest))
    named = {(r["pid"], r["tid"]) for r in records if r["ph"] == "M" and r["name"] == "thread_name"}
    for track in tracks:
        if track not in named:
            wrong("track %s has no name" % (track,))
    print("%d records, %s" % (len(records), ", ".join("%d %s" % (n, c) for c, n in sorted(counts.items()))))
    return None


main()
for e in errors[:20]:
    print(e)
sys.exit(bool(errors))
