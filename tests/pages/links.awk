# links.awk - links of pages that lead nowhere:  awk -f links.awk PAGE...     exit status 1 if there are any
#
# A link to a page of the list may have an anchor: the heading in lower case, without punctuation, and - for a blank; or
# the id of an <a id="..."></a>.

function slug(s) {
    s = tolower(s)
    gsub(/\[|\]\([^)]*\)/, "", s)
    gsub(/[^a-z0-9 _-]/, "", s)
    gsub(/ /, "-", s)
    return s
}
function target(file, link,   n, parts, i, top, stack) { # the path of a link, without . and ..
    n = split(file, parts, "/")
    top = 0
    for (i = 1; i < n; i++) stack[++top] = parts[i]
    n = split(link, parts, "/")
    for (i = 1; i <= n; i++) {
        if (parts[i] == "" || parts[i] == ".") continue
        if (parts[i] == "..") { if (--top < 0) return "/outside"; continue }
        stack[++top] = parts[i]
    }
    file = ""
    for (i = 1; i <= top; i++) file = file (i > 1 ? "/" : "") stack[i]
    return file
}
function exists(path) { return system("test -e '" path "'") == 0 }

FNR == 1 { code = 0; page[FILENAME] = 1 }
/^```/ { code = !code; next }
code { next }
/<a id="/ {
    text = $0
    while (match(text, /<a id="[^"]*"><\/a>/)) {
        anchor[FILENAME "#" substr(text, RSTART + 7, RLENGTH - 13)] = 1
        text = substr(text, RSTART + RLENGTH)
    }
}
/^#+ / {
    heading = $0
    gsub(/<a id="[^"]*"><\/a>/, "", heading)
    sub(/^#+ /, "", heading)
    heading = slug(heading)
    anchor[FILENAME "#" heading (seen[FILENAME, heading]++ ? "-" seen[FILENAME, heading] - 1 : "")] = 1
}
{
    text = $0
    gsub(/`[^`]*`/, "", text)
    while (match(text, /\]\([^) ]+\)/)) {
        link[++n] = substr(text, RSTART + 2, RLENGTH - 3)
        from[n] = FILENAME
        at[n] = FNR
        text = substr(text, RSTART + RLENGTH)
    }
}
END {
    for (i = 1; i <= n; i++) {
        if (link[i] ~ /^(https?|mailto):/) continue
        path = link[i]
        sub(/#.*/, "", path)
        path = path == "" ? from[i] : target(from[i], path)
        hash = link[i] ~ /#/ ? link[i] : ""
        sub(/^[^#]*#/, "", hash)
        if (!(path in page) && !(path in known)) known[path] = exists(path)
        if (!(path in page) && !known[path]) { print from[i] ":" at[i] ": " link[i] " does not exist"; bad = 1 }
        else if (hash != "" && path in page && !((path "#" hash) in anchor)) {
            print from[i] ":" at[i] ": " link[i] ": no such heading"
            bad = 1
        }
    }
    if (!n) { print "no links"; bad = 1 }
    exit bad
}
