# The comments of the public headers as data, for reference-pages.awk and reference-man.awk. tools/reference explains
# the convention.
#
#   sections       sec_n; sec_id[s], sec_title[s], sec_threads[s]
#   items          items, in the order of the headers; item_sec[i]; item_text[i]
#   entries        items with item_names[i], separated by blanks; item_sig[i]: lines; entry[NAME]: the item
#   members        fields and constants: mem_n[i]; mem_name[i, k], mem_decl[i, k], mem_text[i, k]
# A text is lines, each beginning with p (prose), c (code, a table) or b (a break between paragraphs).

function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }
function indent(s) { match(s, /^ */); return RLENGTH }
function words_of(s) { gsub(/[ \t\n]+/, " ", s); return trim(s) }

function section(id, title) {
    if (!(id in sec_of)) {
        sec_of[id] = ++sec_n
        sec_id[sec_n] = id
    }
    cur = sec_of[id]
    if (title != "" && sec_title[cur] == "") sec_title[cur] = title
}
function new_item(names, sig,   n, a, k) {
    in_threads = 0
    item_sec[++items] = cur
    item_names[items] = names
    item_sig[items] = sig
    item_text[items] = ""
    mem_n[items] = 0
    n = split(names, a, " ")
    for (k = 1; k <= n; k++) if (!(a[k] in entry)) entry[a[k]] = items
    return items
}

# One more line of a text: prose, unless it is a row of a table or a line of code.
function add(i, line,   n, s) {
    n = indent(line)
    s = trim(line)
    if (s ~ /^(Threads|Cost|Errors|Source|Returns|Example): /) {
        item_text[i] = item_text[i] "b\n"
        code_at = -1
        in_threads = !item_names[i] && s ~ /^Threads: /
    }
    if (in_threads) sec_threads[item_sec[i]] = sec_threads[item_sec[i]] " " s
    if (s ~ /[^ ]   +[^ ]/ && s !~ /^(Threads|Cost|Errors|Source|Returns|Example): / ||
        code_at >= 0 && n > code_at && n > base_at || n > base_at + 1 && last_was_b(i) && base_at >= 0) {
        if (s ~ /[^ ]   +[^ ]/) code_at = n
        else if (code_at < 0) code_at = n - 1
        item_text[i] = item_text[i] "c" substr(line, base_at >= 0 ? base_at + 1 : n + 1) "\n"
    } else {
        code_at = -1
        if (base_at < 0) base_at = n
        item_text[i] = item_text[i] "p" s "\n"
        if (s ~ /[.:)]$/ && length(line) < 96) item_text[i] = item_text[i] "b\n" # the author began a new line
    }
}
function last_was_b(i) { return item_text[i] ~ /(^|\n)b\n$/ }
function add_break(i) {
    if (item_text[i] != "" && !last_was_b(i)) item_text[i] = item_text[i] "b\n"
    code_at = -1
    in_threads = 0
}

# The public names that a synopsis shows: those outside of parentheses and braces that are not the type of a result, nor
# a structure whose field it shows.
function names_of(sig,   out, depth, c, word, k, n, names, at, rest) {
    out = ""
    depth = 0
    gsub(/\n/, " ; ", sig)
    while (sig != "") {
        c = substr(sig, 1, 1)
        if (c == "(" || c == "{") depth++
        else if (c == ")" || c == "}") depth--
        if (c ~ /[A-Za-z_]/) {
            match(sig, /^[A-Za-z_0-9]+/)
            word = substr(sig, 1, RLENGTH)
            rest = substr(sig, RLENGTH + 1)
            if (depth == 0 && word ~ /^(df|DF|NAME)_/ && rest !~ /^[.]/ && rest !~ /^ \**(df|DF)_[a-z]+[a-z_0-9]*[(]/ &&
                index(" " out " ", " " word " ") == 0)
                out = out (out == "" ? "" : " ") word
            sig = rest
        } else sig = substr(sig, 2)
    }
    return out
}

# --- comments -------------------------------------------------------------------------------------------

# c_line[1 .. c_n]: the comment without its borders.
function section_comment(from,   i, n, line, item, sig, text, at, names) {
    item = 0
    text = 0
    for (i = from; i <= c_n; i++) {
        line = c_line[i]
        n = indent(line)
        if (trim(line) == "") {
            if (text) add_break(text)
            item = 0
            continue
        }
        if (n == 3 && line !~ /^   (Threads|Cost|Errors|Source): / && line ~ /(df|DF)_|NAME/) {
            sig = substr(line, 4)
            at = match(sig, /[^ ]   +[^ ]/) ? RSTART : 0
            names = at ? substr(sig, 1, at) : sig
            if (item && item_text[item] == "") { # one entry with two lines of synopsis
                item_sig[item] = item_sig[item] "\n" names
                item_names[item] = words_of(item_names[item] " " names_of(names))
                register(item)
            } else item = new_item(names_of(names), names)
            text = 0
            base_at = code_at = -1
            if (at) add(item, sprintf("%40s%s", "", trim(substr(sig, at + 1))))
            if (at) base_at = -1
        } else if (item && n >= 7) add(item, line)
        else {
            item = 0
            if (!text) {
                text = new_item("", "")
                base_at = 5
                code_at = -1
            }
            if (n < 5) line = "     " trim(line)
            add(text, line)
        }
    }
}
function register(i,   n, a, k) {
    n = split(item_names[i], a, " ")
    for (k = 1; k <= n; k++) if (!(a[k] in entry)) entry[a[k]] = i
}

# The same macro may be an option of several headers.
function option_item(sig,   names, name, i) {
    names = names_of(sig)
    name = names
    sub(/ .*/, "", name)
    if (name in entry && item_sec[entry[name]] == cur) {
        i = entry[name]
        item_text[i] = item_text[i] "b\npIn " head ":\n"
        return i
    }
    i = new_item(names, sig)
    item_label[i] = label
    item_head[i] = head
    return i
}
# OPTIONS in the comment at the top: macros, and variables of the environment.
function options_comment(   i, n, line, on, item, sig, at) {
    on = item = 0
    for (i = 1; i <= c_n; i++) {
        line = c_line[i]
        n = indent(line)
        if (n == 1 && line ~ /^ [A-Z][A-Z]+/) {
            on = line ~ /^ OPTIONS/
            sub(/^ OPTIONS/, "        ", line)
        }
        if (!on || trim(line) == "") { item = 0; continue }
        if (line ~ /(files|only|file|Environment)[^:.]*: *$/) {
            section(line ~ /Environment/ ? "environment" : "macros")
            label = trim(line)
            sub(/:$/, "", label)
            item = 0
            continue
        }
        if (n == 7 && line ~ /^       DF_/) {
            sig = substr(line, 8)
            at = match(sig, /[^ ]   +[^ ]/) ? RSTART : 0
            item = option_item(at ? substr(sig, 1, at) : sig)
            base_at = code_at = -1
            if (at) add(item, sprintf("%40s%s", "", trim(substr(sig, at + 1))))
            if (at) base_at = -1
        } else if (item && n > 7) add(item, line)
    }
}

function comment_ends(   first, title) {
    first = c_line[1]
    in_threads = 0
    if (c_top) {
        options_comment()
        cur = 0
    }
    if (first ~ />>(implementation|licence)$/) cur = 0
    else if (first ~ />>[a-z]+$/) { # in the first line of a file: all of it belongs to that section
        sub(/.*>>/, "", first)
        title = c_n > 1 ? c_line[2] : ""
        if (indent(title) != 1) title = ""
        section(prefix first, trim(title))
        section_comment(title == "" ? 2 : 3)
    } else if (first ~ /^   [^ ]/) section_comment(1)
    else if (!c_top) {
        for (first = 1; first <= c_n; first++) pending = pending c_line[first] "\n"
        pending_at = NR
    }
}
function describe(i, comment,   n, a, k) {
    n = split(comment, a, "\n")
    base_at = 1
    code_at = -1
    for (k = 1; k < n; k++) {
        if (trim(a[k]) == "") add_break(i)
        else add(i, k == 1 && indent(a[k]) == 0 ? " " a[k] : a[k])
    }
}

# --- declarations -----------------------------------------------------------------------------------------

function declared(name, sig, trailing,   i) {
    if (name ~ /^(DF_H|DF_[A-Z]*_H)$/) return
    decl_n++
    decl_name[decl_n] = name
    decl_sig[decl_n] = sig
    decl_sec[decl_n] = cur
    decl_text[decl_n] = pending_at ? pending : ""
    if (trailing != "") decl_text[decl_n] = decl_text[decl_n] " " trailing "\n"
    pending = ""
    pending_at = 0
}
function member(i, decl, text,   a, n, k, name, list) {
    decl = words_of(decl)
    if (decl == "" || decl ~ /dfi_/) return 0
    list = ""
    if (match(decl, /\(\*[a-z_]+\)/)) list = substr(decl, RSTART + 2, RLENGTH - 3)
    else {
        n = split(decl, a, ",")
        for (k = 1; k <= n; k++) {
            name = a[k]
            sub(/ *=.*/, "", name)
            gsub(/\[[^]]*\]/, "", name)
            name = trim(name)
            sub(/.*[ *]/, "", name)
            list = list (list == "" ? "" : " ") name
        }
    }
    mem_n[i]++
    mem_name[i, mem_n[i]] = list
    mem_decl[i, mem_n[i]] = decl
    mem_text[i, mem_n[i]] = text
    return mem_n[i]
}
# The body of a structure or an enumeration, with its comments.
function members(i, body, is_enum,   c, decl, lead, depth, own, text, last) {
    decl = lead = ""
    depth = last = 0
    own = 1
    while (body != "") {
        c = substr(body, 1, 1)
        if (substr(body, 1, 2) == "/*") {
            text = substr(body, 3, index(body, "*/") - 3)
            body = substr(body, index(body, "*/") + 2)
            gsub(/\n[ \t]*\*? ?/, " ", text)
            text = words_of(text)
            if (own || !last && trim(decl) == "") lead = text
            else if (trim(decl) != "") held = text
            else mem_text[i, last] = words_of(mem_text[i, last] " " text)
            continue
        }
        body = substr(body, 2)
        if (c == "\n") own = trim(decl) == ""
        else if (c !~ /[ \t]/) own = 0
        if (c == "(" || c == "[") depth++
        if (c == ")" || c == "]") depth--
        if (depth == 0 && c == (is_enum ? "," : ";")) {
            last = member(i, decl, words_of(lead " " held))
            decl = lead = held = ""
        } else decl = decl c
    }
    if (trim(decl) != "") member(i, decl, words_of(lead " " held))
    held = ""
}

function statement(s,   name, body, sig, trailing, i, kind) {
    trailing = ""
    if (s ~ /^(typedef )?(struct|enum|union)( df_[a-z_]+)? \{/) {
        kind = s ~ /^(typedef )?enum/
        body = s
        sub(/^[^{]*\{/, "", body)
        sig = s
        sub(/ *\{.*/, "", sig)
        name = ""
        if (match(s, /\} *df_[a-z_]+;/)) {
            name = substr(s, RSTART + 1, RLENGTH - 2)
            name = trim(name)
        } else if (match(sig, /df_[a-z_]+/)) name = substr(sig, RSTART, RLENGTH)
        if (match(body, /\}[^}]*;[^}]*$/)) {
            trailing = substr(body, RSTART)
            body = substr(body, 1, RSTART - 1)
            sub(/^[^;]*;[ \t]*/, "", trailing)
            gsub(/\/\*|\*\//, "", trailing)
            trailing = words_of(trailing)
        }
        if (name == "" && body !~ /DF_/) return
        i = -(++hidden) # members wait for their entry
        mem_n[i] = 0
        members(i, body, kind)
        if (name == "" && !mem_n[i]) return
        declared(name == "" ? mem_name[i, 1] : name, sig, trailing)
        decl_members[decl_n] = i
        decl_enum[decl_n] = name == ""
        return
    }
    if (match(s, /\/\*.*\*\//)) {
        trailing = substr(s, RSTART + 2, RLENGTH - 4)
        s = substr(s, 1, RSTART - 1)
        gsub(/\n[ \t]*/, " ", trailing)
        trailing = words_of(trailing)
    }
    if (s ~ /^#[ \t]*define (df|DF)_[A-Za-z_0-9]+/) {
        sub(/^#[ \t]*define /, "", s)
        match(s, /^[A-Za-z_0-9]+(\([^)]*\))?/)
        sig = substr(s, 1, RLENGTH)
        name = sig
        sub(/\(.*/, "", name)
        declared(name, sig, trailing)
        decl_macro[decl_n] = 1
        decl_value[decl_n] = trim(substr(s, length(sig) + 1))
        return
    }
    if (s ~ /^(DFI_API|DFI_INLINE) / && match(s, /[ *]df_[a-z_0-9]+\(/)) {
        name = substr(s, RSTART + 1, RLENGTH - 2)
        sub(/^(DFI_API|DFI_INLINE) /, "", s)
        sub(/ *\{.*/, "", s)
        declared(name, words_of(s), trailing)
        return
    }
    if (s ~ /^typedef .*df_[a-z_]+(\[[0-9]*\])?;/ && s !~ /dfi_[a-z_]+;/ && match(s, /df_[a-z_]+(\[[0-9]*\])?; *$/)) {
        name = substr(s, RSTART, RLENGTH)
        sub(/[[;].*/, "", name)
        declared(name, words_of(s), trailing)
    }
}

FNR == 1 {
    in_comment = held_statement = 0
    pending = ""
    pending_at = 0
    c_top = 1
    head = FILENAME
    sub(/.*\//, "", head)
    prefix = FILENAME ~ /df_stm|\/stm_/ ? "stm." : FILENAME ~ /containers/ ? "containers." : FILENAME ~ /df_owm|\/owm_/ ? "owm." : FILENAME ~ /df_mpi|api\/shared/ ? "mpi." : \
        FILENAME ~ /df_gpu|\/(kernel|pick|dist|device)/ ? "gpu." : ""
    cur = 0
}
in_comment {
    line = $0
    done = sub(/ *\*\/.*$/, "", line)
    sub(/^ ?\*/, "", line)
    if (!done || trim(line) != "") c_line[++c_n] = line
    if (done) {
        in_comment = 0
        comment_ends()
        c_top = 0
    }
    next
}
held_statement {
    statement_text = statement_text "\n" $0
    held_statement = !complete(statement_text)
    if (!held_statement) statement(statement_text)
    next
}
/^\/\*/ {
    line = $0
    done = sub(/ *\*\/.*$/, "", line)
    sub(/^\/\*/, "", line)
    pending = ""
    pending_at = 0
    c_n = 0
    c_line[++c_n] = line
    if (done) {
        comment_ends()
        c_top = 0
    } else in_comment = 1
    next
}
/^[ \t]*$/ { pending = ""; pending_at = 0; next }
/^(typedef |enum |struct |DFI_API |DFI_INLINE |#[ \t]*define (df|DF)_)/ {
    sub(/ DFI_OF_INT \{/, " {")
    statement_text = $0
    holds = /^#/ ? "macro" : /^DFI_INLINE/ ? "inline" : /^(typedef )?(struct|enum|union) [a-z_ ]*\{/ ? "body" : "end"
    held_statement = !complete(statement_text)
    if (!held_statement) statement(statement_text)
    next
}
{ pending = ""; pending_at = 0 }

# Is this all of the statement that began?
function complete(s,   at, end) {
    while (at = index(s, "/*")) {
        end = index(substr(s, at), "*/")
        if (!end) return 0
        s = substr(s, 1, at - 1) substr(s, at + end + 1)
    }
    if (holds == "macro") return s !~ /\\$/
    if (holds == "inline") return s ~ /[{;]/
    if (holds == "body") return s ~ /\}[^{};]*;[^;]*$/
    return s ~ /;/
}
END {
    from_comments = items
    # A declaration completes the entry of its name, or is one.
    for (d = 1; d <= decl_n; d++) {
        cur = decl_sec[d]
        name = decl_name[d]
        if (!(name in entry)) {
            if (!decl_members[d] && decl_text[d] == "") {
                if (!(name in bare)) bare[name] = decl_sig[d]
                continue
            }
            if (!cur) continue
            i = new_item(name, decl_enum[d] ? "" : decl_sig[d])
            describe(i, decl_text[d])
        } else {
            i = entry[name]
            if (decl_text[d] != "" && (decl_members[d] && !decl_enum[d] || item_text[i] == "")) describe(i, decl_text[d])
            if (!decl_macro[d] && !decl_members[d] && decl_sig[d] ~ /\(/) {
                proto[name] = decl_sig[d]
            }
        }
        if (decl_members[d] && !(decl_enum[d] && i <= from_comments)) {
            for (k = 1; k <= mem_n[decl_members[d]]; k++) {
                mem_n[i]++
                mem_name[i, mem_n[i]] = mem_name[decl_members[d], k]
                mem_decl[i, mem_n[i]] = mem_decl[decl_members[d], k]
                mem_text[i, mem_n[i]] = mem_text[decl_members[d], k]
            }
            if (decl_sig[d] ~ /enum/) {
                item_enum[i] = 1
                for (k = 1; k <= mem_n[i]; k++) if (!(mem_name[i, k] in entry)) entry[mem_name[i, k]] = i
            } else item_struct[i] = name
        }
    }
}
