#!/bin/sh
# Draws the cost of more and more parts in the group pregel, by dataflow alone and with shared
# state:
#
#   bench/run.sh pregel && bench/plot.sh build/bench/results > bench/pregel.svg
#
# Medians; both axes are logarithmic.
set -eu
awk "$(cat "$(dirname "$0")/median.awk")"'
function right(parts) { return 60 + 400 * log(parts / least) / log(most / least) }
function down(ns) { return 260 - 240 * (log(ns) - log(low)) / (log(high) - log(low)) }
function text(x, y, anchor, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what
}
function line(x1, y1, x2, y2) { printf "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#ccc\"/>\n", x1, y1, x2, y2 }
$2 ~ /^paths_parts_/ && ($3 == "df" || $3 == "df-flow") {
    parts = substr($2, 13)
    key = $3 " " $4
    if (!(parts in known)) { known[parts] = 1; order[++n] = parts }
    if (!(key in seen)) { seen[key] = 1; curve[++curves] = key }
    all[key, parts] = all[key, parts] " " $5 / $6 * 1e9
}
END {
    if (!n) { print "no results of the group pregel" > "/dev/stderr"; exit 1 }
    least = order[1]; most = order[n]
    for (i in all) {
        m = value[i] = median(all[i])
        if (low == "" || m < low) low = m
        if (m > high) high = m
    }
    low = exp(log(10) * int(log(low) / log(10)))
    high = exp(log(10) * int(log(high) / log(10) + 1))
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 310\" " \
          "font-family=\"sans-serif\" font-size=\"12\" fill=\"none\" stroke-width=\"2\">"
    print "<rect width=\"640\" height=\"310\" fill=\"#fff\"/>\n<g fill=\"#333\">"
    for (i = 1; i <= n; i++) text(right(order[i]), 278, "middle", order[i])
    text(260, 298, "middle", "parts: tasks in a superstep")
    for (t = low; t <= high * 1.01; t *= 10) text(54, down(t) + 4, "end", t)
    text(64, 14, "start", "ns per edge")
    print "</g>"
    for (t = low; t <= high * 1.01; t *= 10) line(60, down(t), 460, down(t))
    for (c = 1; c <= curves; c++) {
        split(curve[c], part, " ")
        colour = part[1] == "df" ? "#06c" : "#c30"
        printf "<path stroke=\"%s\"%s d=\"", colour, part[2] == 1 ? " stroke-dasharray=\"5 4\"" : ""
        for (i = 1; i <= n; i++)
            printf "%s%.1f %.1f", i == 1 ? "M" : "L", right(order[i]), down(value[curve[c], order[i]])
        print "\"/>"
        printf "<g fill=\"%s\">", colour
        text(466, down(value[curve[c], most]) + 4, "start",
             (part[1] == "df" ? "shared state" : "dataflow alone") ", " part[2] (part[2] == 1 ? " worker" : " workers"))
        print "</g>"
    }
    print "</svg>"
}' "$1"
