# docs/reference/*.md:  awk -v dir=DIR -f tools/reference-read.awk -f tools/reference-pages.awk HEADERS -- see
# tools/reference. With -v mode=names the public names that have an entry, one per line.

function page(file, title, sections,   a, n, k) {
    page_file[++pages] = file
    page_title[pages] = title
    n = split(sections, a, " ")
    for (k = 1; k <= n; k++) {
        page_of[a[k]] = pages
        page_sections[pages] = page_sections[pages] " " a[k]
    }
}
BEGIN {
    page("fork-join", "Fork and join", "forkjoin")
    page("tasks", "Tasks and accesses", "tasks dataflow")
    page("waiting", "Waiting for tasks", "waiting handles")
    page("options", "Options of a submitted task", "options")
    page("errors", "Errors and groups", "errors")
    page("tokens", "Tokens and nodes", "tokens nodes")
    page("loops", "Loops and wavefronts", "loops")
    page("pipes", "Pipelines", "pipelines")
    page("streams", "Streams", "streams")
    page("task-graphs", "Task graphs", "taskgraph")
    page("speculation", "Speculation", "speculation")
    page("locks", "Locks, blocking calls and limits", "blocking limits arenas")
    page("configuration", "Start and configuration", "life version")
    page("workers", "Workers and their storage", "workers storage")
    page("counters", "Counters", "counters stm.counters")
    page("observers", "Observers: df_observe.h", "observers")
    page("transactions", "Transactions: df_stm.h", "stm.blocks stm.accesses stm.memory")
    page("containers", "Transactional containers: df_containers.h", "containers.maps containers.sorted containers.queues")
    page("ranks", "Ranks: df_mpi.h", "mpi.start mpi.shared")
    page("owner-writable-memory", "Owner-writable memory: df_owm.h", "owm.memory owm.parameters owm.processes")
    page("kernels", "Kernels: df_gpu.h", "gpu.kernels gpu.launching")
    page("kernel-language", "The words of a kernel's body: df_gpu.h", "gpu.language")
    page("devices", "Devices and their data: df_gpu.h", "gpu.devices gpu.data")
    page("kernel-choice", "Variants of a kernel: df_gpu.h", "gpu.choice")
    page("distribution", "Arrays over several devices: df_gpu.h", "gpu.distribution")
    page("macros", "Macros of configuration", "macros")
    page("parts", "Parts of the implementation", "parts")
    page("environment", "Environment variables", "environment")
    limit = 118
}

function where(name) { return page_file[page_of[sec_id[item_sec[entry[name]]]]] ".md#" name }

# The word with a link, if it is a public name or a file.
function linked(word, here,   before, after, name) {
    if (match(word, /(df|DF)_[A-Za-z0-9_]+/)) {
        before = substr(word, 1, RSTART - 1)
        name = substr(word, RSTART, RLENGTH)
        after = substr(word, RSTART + RLENGTH)
        if (name in entry && before !~ /[A-Za-z0-9_.]$/ && after !~ /^\.h/ && !((entry[name], paragraph) in linked_in) &&
            entry[name] != here && before !~ /`/) {
            linked_in[entry[name], paragraph] = 1
            return plain(before) "[" name "](" where(name) ")" plain(after)
        }
    } else if (match(word, /(docs|examples|bench)\/[a-zA-Z0-9_\/.-]+[a-z]/)) {
        name = substr(word, RSTART, RLENGTH)
        before = substr(word, 1, RSTART - 1)
        after = substr(word, RSTART + RLENGTH)
        return plain(before) "[" name "](" (name ~ /^docs\// ? "../" substr(name, 6) : "../../" name) ")" plain(after)
    } else if (match(word, />>[a-z]+/) && substr(word, RSTART + 2, RLENGTH - 2) in sec_of) {
        name = substr(word, RSTART + 2, RLENGTH - 2)
        return plain(substr(word, 1, RSTART - 1)) "[" sec_title[sec_of[name]] "](" page_file[page_of[name]] ".md)" \
            plain(substr(word, RSTART + RLENGTH))
    }
    return plain(word)
}
function plain(s) {
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    gsub(/\*/, "\\*", s)
    gsub(/\[/, "\\[", s)
    gsub(/\|/, "\\|", s)
    return s
}
function out(line) {
    print line > file
    lines[file]++
}
# A paragraph, wrapped; FIRST begins its first line, and REST the others.
function prose(s, first, rest, here,   a, n, k, line, word) {
    paragraph++
    s = words_of(s)
    if (match(s, /^(Threads|Cost|Errors|Source|Returns|Example): /))
        s = "**" substr(s, 1, RLENGTH - 1) "** " substr(s, RLENGTH + 1)
    n = split(s, a, " ")
    line = first
    for (k = 1; k <= n; k++) {
        word = a[k] ~ /^\*\*[A-Z]|\]\(/ ? a[k] : linked(a[k], here)
        if (k > 1 && length(line) + length(word) + 1 > limit) {
            out(line)
            line = rest word
        } else line = line (k > 1 ? " " : "") word
    }
    out(line)
}
function text(i,   a, n, k, kind, acc, code) {
    n = split(item_text[i] "b\n", a, "\n")
    acc = ""
    code = 0
    for (k = 1; k <= n; k++) {
        kind = substr(a[k], 1, 1)
        if (kind != "c" && code) {
            out("```")
            out("")
            code = 0
        }
        if (kind != "p" && acc != "") {
            if (item_names[i] != "" || acc !~ /^ Threads: /) { # else each entry has it
                prose(acc, "", "", i)
                out("")
            }
            acc = ""
        }
        if (kind == "p") acc = acc " " substr(a[k], 2)
        if (kind == "c") {
            if (!code) out("```text")
            code = 1
            out(substr(a[k], 2))
        }
    }
}
function callable(i) {
    return item_sig[i] ~ /\(|\{/ && !item_struct[i] && (item_names[i] !~ /^DF_/ || item_sig[i] ~ /\{/)
}
function signature(i,   a, n, k, s, protos) {
    n = split(item_names[i], a, " ")
    protos = ""
    for (k = 1; k <= n; k++) if (a[k] in proto && entry[a[k]] == i) protos = protos proto[a[k]] "\n"
    if (protos != "" && n == split(protos, a, "\n") - 1) return substr(protos, 1, length(protos) - 1)
    s = item_sig[i]
    if (mem_n[i] && s ~ /^(typedef )?(struct|enum)/) s = s " { ... }" (s ~ /^typedef/ ? " " item_names[i] : "") ";"
    return s
}
function entry_page(i,   a, n, k, t, head) {
    n = split(item_names[i], a, " ")
    t = ""
    head = ""
    for (k = 1; k <= n; k++) {
        if (entry[a[k]] == i && !(item_enum[i] && a[k] !~ /^df_/)) t = t "<a id=\"" a[k] "\"></a>"
        head = head (k > 1 ? ", " : "") a[k]
    }
    if (length(t head) > 114) {
        out(t)
        out("")
        t = ""
    }
    out("### " t (head == "" ? "`" item_sig[i] "`" : head))
    out("")
    if (item_label[i] != "") {
        out("`" signature(i) "` (" item_head[i] (item_label[i] ~ /Environment/ ? "" : "; " tolower(item_label[i])) ")")
        out("")
    } else if ((t = signature(i)) != "" && t != item_names[i] && head != "") {
        if (split(t, a, "\n") > 1) {
            out("```text")
            out(t)
            out("```")
        } else out("`` " t " ``")
        out("")
    }
    text(i)
    if (mem_n[i]) {
        for (k = 1; k <= mem_n[i]; k++) {
            split(mem_name[i, k], a, " ")
            t = "- <a id=\"" (item_enum[i] ? "" : item_struct[i] ".") a[1] "\"></a>"
            prose(mem_text[i, k], t "`" mem_decl[i, k] "`: ", "  ", i)
        }
        out("")
    }
    t = item_text[i] !~ /pThreads: / && callable(i) ? sec_threads[item_sec[i]] : ""
    if (shown[i] != "") t = t (t == "" ? "" : " ") "Shown in " shown[i] "."
    if (t != "") {
        prose(t, "", "", i)
        out("")
    }
}
function page_write(p,   s, n, a, k, i) {
    file = dir "/" page_file[p] ".md"
    out("# " page_title[p])
    out("")
    out("<!-- Written by tools/reference from the comments of the headers: change those. -->")
    out("")
    n = split(page_sections[p], a, " ")
    for (k = 1; k <= n; k++) {
        if (!(a[k] in sec_of)) continue
        s = sec_of[a[k]]
        if (n > 1 && sec_title[s] != "") {
            out("## " sec_title[s])
            out("")
        }
        for (i = 1; i <= items; i++) {
            if (item_sec[i] != s) continue
            if (item_names[i] != "" || item_sig[i] != "") entry_page(i)
            else text(i)
        }
    }
    close(file)
}

# The first of the files `shows` that uses a name.
function examples(   files, f, a, n, line, word, i, k) {
    files = split(shows, file_list, " ")
    for (f = 1; f <= files; f++) {
        while ((getline line < file_list[f]) > 0) {
            if (line ~ /^ ?(\*|\/\*)/) continue
            while (match(line, /(df|DF)_[A-Za-z0-9_]+/)) {
                word = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                if (word in entry && !(word in shown_name)) shown_name[word] = file_list[f]
            }
        }
        close(file_list[f])
    }
    for (i = 1; i <= items; i++) {
        n = split(item_names[i], a, " ")
        for (k = 1; k <= n; k++) if (a[k] in shown_name && shown[i] == "" && entry[a[k]] == i)
            shown[i] = "[" shown_name[a[k]] "](../../" shown_name[a[k]] ")"
    }
}

function sorted(   name, list, cmd) { # public names into name_list
    cmd = "sort > " dir "/.names"
    for (name in entry) print name | cmd
    close(cmd)
    while ((getline name < (dir "/.names")) > 0) name_list[++name_n] = name
    close(dir "/.names")
    system("rm -f " dir "/.names")
}
function index_write(   p, k, name, letter, line, piece, key) {
    file = dir "/README.md"
    out("# Reference")
    out("")
    out("<!-- Written by tools/reference from the comments of the headers: change those. -->")
    out("")
    out("One entry for each public name of df. `make man` writes the same entries as manual pages, and `make site` a site with")
    out("a search.")
    out("")
    for (p = 1; p <= pages; p++) if (lines[dir "/" page_file[p] ".md"] > 4)
        out("- [" page_title[p] "](" page_file[p] ".md)")
    out("")
    out("## All names")
    out("")
    letter = line = ""
    for (k = 1; k <= name_n; k++) {
        name = name_list[k]
        if (name !~ /^(df|DF)_/) continue
        key = substr(name, 1, 4)
        if (key != letter) {
            if (line != "") out(line)
            if (letter != "") out("")
            letter = key
            line = ""
        }
        piece = "[" name "](" where(name) ")"
        if (line != "" && length(line) + length(piece) + 1 > limit) {
            out(line)
            line = piece
        } else line = line (line == "" ? "" : " ") piece
    }
    if (line != "") out(line)
    close(file)
}
END {
    if (mode == "sections") {
        for (name in entry) if (name !~ /^NAME_/) print name, sec_id[item_sec[entry[name]]]
        exit
    }
    if (mode == "names") {
        for (name in entry) if (name !~ /^NAME_/) print name, item_text[entry[name]] == "" && !mem_n[entry[name]] ? "empty" : ""
        for (i = 1; i <= items; i++) if (item_struct[i] != "") for (k = 1; k <= mem_n[i]; k++) {
            n = split(mem_name[i, k], a, " ")
            for (j = 1; j <= n; j++) print item_struct[i] "." a[j], mem_text[i, k] == "" ? "empty" : ""
        }
        exit
    }
    for (s = 1; s <= sec_n; s++)
        if (!(sec_id[s] in page_of) && sec_title[s] != "") page(sec_id[s], sec_title[s], sec_id[s])
    examples()
    for (p = 1; p <= pages; p++) page_write(p)
    sorted()
    index_write()
}
