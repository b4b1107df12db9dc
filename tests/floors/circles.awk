# Include circles among FILES: prints the files of each, one line for each circle. The implementation that a public
# header includes at its end is none of its parts.
/^[ \t]*#[ \t]*include "/ {
    to = $0; sub(/^[^"]*"/, "", to); sub(/".*/, "", to)
    from = FILENAME; if (!sub(/[^\/]*$/, "", from)) from = ""
    to = from to
    while (sub(/[^\/.][^\/]*\/[.][.]\//, "", to)) continue
    if (FILENAME !~ /\// && to ~ /^impl\/(modules|[a-z]+\/(gpu|stm|owm))\.h$/) next
    next_of[FILENAME, ++n[FILENAME]] = to
}
function visit(f,   k, g, i, line) { # depth first; the stack is path[1..depth]
    state[f] = 1; path[++depth] = f
    for (k = 1; k <= n[f]; k++) {
        g = next_of[f, k]
        if (state[g] == 1) {
            line = ""
            for (i = depth; path[i] != g; i--) line = " " path[i] line
            print "circle " g line
        } else if (!state[g]) visit(g)
    }
    depth--; state[f] = 2
}
END { for (f in n) if (!state[f]) visit(f) }
