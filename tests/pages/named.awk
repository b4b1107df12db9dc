# named.awk - pages, and their sections, that files name and that do not exist:  awk -f named.awk PAGE... FILE...
#
# `docs/x.md, "A" and "B"` names the headings A and B of a page, or `A: more`.

function look(text, file,   name, section) {
    gsub(/\n[ \t]*[*#]*[ \t]*/, " ", text)
    while (match(text, /(docs|bench|examples|impl)\/[A-Za-z0-9_\/-]*\.md/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        n_names++
        if (!(name in page)) { print file ": " name " does not exist"; bad = 1; continue }
        while (match(text, /^(,|,? and)? "[A-Z][^"]*"/)) {
            section = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            gsub(/^[^"]*"|"$/, "", section)
            if (!((name, section) in heading)) { print file ": " name " has no section \"" section "\""; bad = 1 }
        }
    }
}
FNR == 1 {
    if (file != "" && file !~ /\.md$/) look(text, file)
    text = ""
    file = FILENAME
    if (file ~ /\.md$/) page[file] = 1
}
FILENAME ~ /\.md$/ {
    if (sub(/^#+ /, "")) { heading[FILENAME, $0] = 1; sub(/:.*/, ""); heading[FILENAME, $0] = 1 }
    next
}
/\.md|"|^ *\*/ { text = text $0 "\n" }
END { if (file !~ /\.md$/) look(text, file); if (!n_names) { print "no file names a page"; bad = 1 } exit bad }
