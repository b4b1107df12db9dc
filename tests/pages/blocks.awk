# blocks.awk - the blocks of C in pages:  awk -v out=FOLDER -f blocks.awk PAGE...     (see tests/pages/run)
#
# Writes each block to FOLDER, and prints KIND <tab> PLACE <tab> FILE <tab> LANGUAGE <tab> ARGUMENT.

function place() { return FILENAME ":" FNR }
function forget() { kind = ""; argument = ""; context = "" }
function error(text) { print "error\t" place() "\t" text }
function finish_block(   lead) {
    if (kind == "" || kind == "not run") {
        if (!has_main) { print "unmarked\t" where "\t" file; last = ""; return }
        printf "%s%s", at, block > file
        print "program\t" where "\t" file "\t" language "\t" (kind == "" ? "run" : "compile")
        last = kind == "" ? file : ""
    } else if (kind == "quote") {
        printf "%s", block > file
        print "quote\t" where "\t" file "\t" language "\t" argument
        last = file
    } else if (kind == "snippet") {
        if (sub(/ of C$/, "", argument)) language = "only_c"
        if (argument !~ /^(body|declarations)$/) error("a snippet is `body` or `declarations`, not `" argument "`")
        lead = "#include \"df.h\"\n" context
        if (argument == "body") body = 1
        printf "%s%s%s%s", lead, argument == "body" ? begin_body() : "", at, block > file
        if (body) print "}" > file
        print "fragment\t" where "\t" file "\t" language "\t"
        last = ""
    } else last = ""
    close(file)
    forget()
}
function begin_body() { return "void dfi_snippet(void);\nvoid dfi_snippet(void)\n{\n" }

FNR == 1 {
    if (in_block || in_mark) error("the file before ends in a block or comment")
    in_block = in_mark = 0
    last = ""
    forget()
}

# the inside of a comment: declarations for the fragment
in_mark {
    if (/-->/) { in_mark = 0; next }
    context = context $0 "\n"
    next
}
!in_block && /^<!-- (snippet|quote|not compiled|not run):/ {
    forget()
    text = $0
    sub(/^<!-- /, "", text)
    kind = text
    sub(/:.*/, "", kind)
    argument = text
    sub(/^[^:]*: */, "", argument)
    in_mark = !sub(/ *-->.*/, "", argument)
    next
}
!in_block && /^```(c|c\+\+)$/ {
    language = substr($0, 4)
    if (language == "c++") language = "cxx"
    in_block = 1; has_main = 0; body = 0; block = ""
    where = place()
    at = "#line " FNR + 1 " \"" FILENAME "\"\n" # errors of the compiler name the page
    file = FILENAME
    gsub(/[\/.]/, "_", file)
    file = out "/" file "_" FNR ".c"
    next
}
!in_block && /^```output$/ {
    if (last == "") error("```output does not follow a program or a quote")
    in_block = 2
    expected = last ".expected"
    printf "" > expected
    next
}
!in_block && /^```/ { in_block = 3; next }
in_block && /^```$/ {
    if (in_block == 1) finish_block()
    if (in_block == 2) { close(expected); last = "" }
    in_block = 0
    next
}
in_block == 1 {
    if (/^int main\(/) has_main = 1
    if (kind == "snippet" && argument == "declarations" && $0 == "...") {
        body = 1
        block = block begin_body() "#line " FNR + 1 "\n"
        next
    }
    block = block $0 "\n"
}
in_block == 2 { print > expected }
# a mark belongs to the block right behind it
!in_block && NF && kind != "" { error("<!-- " kind ": .. --> is not followed by a block of C"); forget() }
