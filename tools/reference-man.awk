# Manual pages:  awk -v dir=DIR -v version=V -v date=DATE -f tools/reference-read.awk -f tools/reference-man.awk HEADERS
# -- see tools/reference. A page for each entry; the other names of an entry lead to it.

function roff(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    if (s ~ /^[.']/) s = "\\&" s
    return s
}
function out(line) {
    if (appends) print line >> file
    else print line > file
}
function paragraph(s,   label) {
    s = words_of(s)
    if (!appends && match(s, /^(Threads|Cost|Errors|Source|Example): /)) {
        label = toupper(substr(s, 1, RLENGTH - 2))
        s = substr(s, RLENGTH + 1)
        out(".SH " label)
    } else if (!appends && s ~ /^Returns /) out(".SH RETURN VALUE")
    else if (!fresh) out(".PP")
    fresh = 0
    out(roff(s))
}
function text(i,   a, n, k, kind, acc, code) {
    n = split(item_text[i] "b\n", a, "\n")
    acc = ""
    code = 0
    for (k = 1; k < n; k++) {
        kind = substr(a[k], 1, 1)
        if (kind != "c" && code) {
            out(".EE")
            out(".RE")
            code = 0
        }
        if (kind != "p" && acc != "") {
            paragraph(acc)
            acc = ""
        }
        if (kind == "p") acc = acc " " substr(a[k], 2)
        if (kind == "c") {
            if (!code) {
                if (!fresh) out(".PP")
                fresh = 0
                out(".RS 4")
                out(".EX")
            }
            code = 1
            out(roff(substr(a[k], 2)))
        }
    }
}
# The first words of a text, for the line that whatis shows.
function summary(i,   s, a) {
    s = item_text[i]
    gsub(/\n[pcb]/, " ", s)
    s = words_of(substr(s, 2))
    if (match(s, /[.:;] |[.] ?$/)) s = substr(s, 1, RSTART - 1)
    if (s == "") s = "public name of df"
    if (length(s) > 70) {
        s = substr(s, 1, 70)
        sub(/ [^ ]*$/, " ...", s)
    }
    return roff(s)
}
function header(i) {
    return sec_id[item_sec[i]] ~ /^stm\./ ? "df_stm.h" : sec_id[item_sec[i]] ~ /^gpu\./ ? "df_gpu.h" : \
        sec_id[item_sec[i]] ~ /^owm\./ ? "df_owm.h" : sec_id[item_sec[i]] ~ /^mpi\./ ? "df_mpi.h" : sec_id[item_sec[i]] ~ /^containers\./ ? "df_containers.h" : sec_id[item_sec[i]] == "observers" ? "df_observe.h" : item_head[i] != "" ? item_head[i] : "df.h"
}
# Names that differ in the case of letters only share a page, because man and some file systems do not tell them apart.
function write(name) {
    if (name !~ /^(df|DF)_/ || tolower(name) in written) return 0
    file = dir "/" name ".3"
    written[tolower(name)] = file
    return 1
}
function synopsis(i,   n, names, k, a, s) {
    n = split(item_names[i], names, " ")
    s = ""
    for (k = 1; k <= n; k++) if (names[k] in proto && entry[names[k]] == i) s = s proto[names[k]] "\n"
    if (s == "") s = mem_n[i] && item_sig[i] ~ /^(typedef )?(struct|enum)/ ? \
            item_sig[i] " { ... }" (item_sig[i] ~ /^typedef/ ? " " item_names[i] : "") ";\n" : item_sig[i] "\n"
    out(".nf")
    if (!appends && item_label[i] !~ /Environment/) {
        out("#include <" header(i) ">")
        out(".sp")
    }
    n = split(s, a, "\n")
    for (k = 1; k < n; k++) out(roff(a[k]))
    out(".fi")
}
function append(i, name) {
    file = written[tolower(name)]
    appends = 1
    out(".SH " name)
    synopsis(i)
    fresh = 0
    text(i)
    appends = 0
    close(file)
}
function page(i,   n, names, k, first, list, s) {
    n = split(item_names[i], names, " ")
    first = ""
    list = ""
    for (k = 1; k <= n; k++) {
        if (entry[names[k]] != i && item_struct[i] == "") continue
        list = list (list == "" ? "" : ", ") names[k]
        if (first == "" && write(names[k])) first = names[k]
        else if (first != "" && write(names[k])) {
            out(".so man3/" first ".3")
            close(file)
        }
    }
    if (first == "") {
        if (list != "" && n == 1 && entry[names[1]] == i && names[1] ~ /^(df|DF)_/) append(i, names[1])
        return
    }
    file = dir "/" first ".3"
    out(".\\\" Written by tools/reference from the comments of the headers.")
    out(".TH " toupper(first) " 3 \"" date "\" \"df " version "\" \"df\"")
    out(".SH NAME")
    out(list " \\- " summary(i))
    out(".SH SYNOPSIS")
    synopsis(i)
    out(".SH DESCRIPTION")
    fresh = 1
    text(i)
    if (mem_n[i]) {
        if (item_text[i] != "") out(".SH " (item_enum[i] ? "CONSTANTS" : "MEMBERS"))
        for (k = 1; k <= mem_n[i]; k++) {
            out(".TP")
            out(".B " roff(mem_decl[i, k]))
            out(roff(mem_text[i, k] == "" ? "see above" : mem_text[i, k]))
        }
    }
    if (item_text[i] !~ /pThreads: / && sec_threads[item_sec[i]] != "" && item_sig[i] ~ /\(|\{/ && !mem_n[i]) {
        out(".SH THREADS")
        s = words_of(sec_threads[item_sec[i]])
        sub(/^Threads: /, "", s)
        out(roff(s))
    }
    out(".SH SEE ALSO")
    out("the pages of df in docs/reference and docs/guide")
    close(file)
    if (item_enum[i]) for (k = 1; k <= mem_n[i]; k++) if (entry[mem_name[i, k]] == i && write(mem_name[i, k])) {
        out(".so man3/" first ".3")
        close(file)
    }
}
END {
    for (i = 1; i <= items; i++) if (item_names[i] ~ /(^| )df_/) page(i)
    for (i = 1; i <= items; i++) if (item_names[i] != "" && item_names[i] !~ /(^| )df_/) page(i)
}
