# A page of the site:  awk -v file=PAGE.md -v out=PAGE.html -v title=TITLE -v dir=DIR -f site.awk NAVIGATION HTML
#
# Headings get the anchors that GitHub gives them. Links to pages, folders and source become links to their HTML;
# DIR/.files gets the files that these need, DIR/.index what the search finds.

function slug(s) {
    gsub(/<[^>]*>/, "", s)
    gsub(/&[a-z]+;/, "", s)
    s = tolower(s)
    gsub(/[^a-z0-9 _-]/, "", s)
    gsub(/ /, "-", s)
    return s
}
function target(link,   n, parts, i, top, stack, s) { # the path of a link from the top of the repository
    n = split(file, parts, "/")
    top = 0
    for (i = 1; i < n; i++) stack[++top] = parts[i]
    n = split(link, parts, "/")
    for (i = 1; i <= n; i++) {
        if (parts[i] == "" || parts[i] == ".") continue
        if (parts[i] == "..") top--
        else stack[++top] = parts[i]
    }
    s = ""
    for (i = 1; i <= top; i++) s = s (i > 1 ? "/" : "") stack[i]
    return s
}
function is(test, path) {
    if (!((test, path) in known)) known[test, path] = system("test " test " '" path "'") == 0
    return known[test, path]
}
function html(link,   path, hash) {
    if (link ~ /^[a-z]+:/ || link ~ /^#/) return link
    hash = ""
    if (match(link, /#.*/)) {
        hash = substr(link, RSTART)
        link = substr(link, 1, RSTART - 1)
    }
    path = target(link)
    if (path == "README.md") path = "index.html"
    else if (path ~ /\.md$/) sub(/\.md$/, ".html", path)
    else if (path == "" || is("-d", path)) {
        if (is("-f", path "/README.md")) path = path "/README.html"
        else {
            print "folder", path >> (dir "/.files")
            path = path "/index.html"
        }
    } else if (path ~ /\.(png|svg|jpg|gif|html|css|js)$/) print "copy", path >> (dir "/.files")
    else if (is("-f", path)) {
        print "source", path >> (dir "/.files")
        path = path ".html"
    }
    return root path hash
}
function json(s, most) {
    gsub(/<[^>]*>/, "", s)
    gsub(/&quot;/, "\"", s)
    gsub(/&lt;/, "<", s)
    gsub(/&gt;/, ">", s)
    gsub(/&amp;/, "\\&", s)
    if (most) s = substr(s, 1, most)
    gsub(/[\\"]/, "\\\\&", s)
    gsub(/[\t\r]/, " ", s)
    return "\"" s "\""
}
function found(anchor, name) { # a section of the page, for the search
    if (indexed) print "[" json(out indexed) "," json(indexed_title) "," json(words, 300) "]," >> (dir "/.index")
    indexed = anchor
    indexed_title = name
    words = ""
}
BEGIN {
    n = split(out, parts, "/")
    root = ""
    for (i = 1; i < n; i++) root = root "../"
    part = out ~ /tutorial/ ? "Tutorial" : out ~ /guide\// ? "Guides" : out ~ /reference\// ? "Reference" : \
        out ~ /internals|impl|bench/ ? "Internals" : out ~ /^docs/ ? "Pages" : ""
    shown = title
    gsub(/&/, "\\&amp;", shown)
    gsub(/</, "\\&lt;", shown)
    print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
    print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    print "<title>" shown "</title>\n<link rel=\"stylesheet\" href=\"" root "site.css\">\n</head>\n<body>\n<nav>"
    print "<input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\" data-root=\"" root "\">"
    print "<ul id=\"found\"></ul>"
}
FILENAME != "-" {
    gsub(/@ROOT@/, root)
    if (match($0, /@OPEN@[A-Za-z]*@/))
        $0 = substr($0, 1, RSTART - 1) (substr($0, RSTART + 6, RLENGTH - 7) == part ? " open" : "") substr($0, RSTART + RLENGTH)
    print
    next
}
!begun { print "</nav>\n<main>"; begun = 1 }
{
    if (match($0, /^<h[1-6]>.*<\/h[1-6]>$/)) {
        text = substr($0, 5, length($0) - 9)
        anchor = slug(text)
        if (seen[anchor]++) anchor = anchor "-" seen[anchor] - 1
        $0 = substr($0, 1, 3) " id=\"" anchor "\"" substr($0, 4)
        name = anchor
        if (match(text, /<a id="[^"]*"/)) name = substr(text, RSTART + 7, RLENGTH - 8) # an entry of the reference
        gsub(/<[^>]*>/, "", text)
        found("#" name, text)
    } else if (length(words) < 300) {
        text = $0
        gsub(/<[^>]*>/, "", text)
        words = words " " text
    }
    done = ""
    while (match($0, /(href|src)="[^"]*"/)) {
        link = substr($0, RSTART, RLENGTH)
        before = substr($0, 1, RSTART - 1)
        $0 = substr($0, RSTART + RLENGTH)
        at = index(link, "\"")
        done = done before substr(link, 1, at) html(substr(link, at + 1, length(link) - at - 1)) "\""
    }
    print done $0
}
END {
    found("", "")
    print "</main>\n<script src=\"" root "search.js\"></script>\n</body>\n</html>"
}
