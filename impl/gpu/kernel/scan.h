/* scan.h - tokens of a kernel's text, and a text buffer that grows
 *
 * A kernel's text comes from the preprocessor: comments are gone, and white space between two tokens is one blank. */
#ifndef DFI_GPU_KERNEL_SCAN_H
#define DFI_GPU_KERNEL_SCAN_H

#include "../../base/memory.h"

#include <stdarg.h>
#include <stdio.h>

/* A text that grows. After a failed allocation it takes nothing more. */
struct dfi_written { char *p; size_t n, room; int failed; };

static void dfi_text_add(struct dfi_written *t, const char *s, size_t n)
{
    if (t->failed) return;
    if (dfi_array_room((void *)&t->p, NULL, t->n + n + 1, &t->room, 1)) { /* 1: the NUL */
        t->failed = 1;
        return;
    }
    memcpy(t->p + t->n, s, n);
    t->n += n;
    t->p[t->n] = 0;
}
static void dfi_text_put(struct dfi_written *t, const char *s) { dfi_text_add(t, s, strlen(s)); }

/* Puts the strings up to the first NULL. */
static void dfi_text_puts(struct dfi_written *t, const char *s, ...)
{
    va_list ap;
    va_start(ap, s);
    for (; s; s = va_arg(ap, const char *)) dfi_text_put(t, s);
    va_end(ap);
}
static void dfi_text_number(struct dfi_written *t, unsigned long long n)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", n);
    dfi_text_put(t, digits);
}

/* #line: the text that follows comes from this line of this file. */
static void dfi_text_line(struct dfi_written *t, const char *file, int line)
{
    dfi_text_put(t, "\n#line ");
    dfi_text_number(t, (unsigned)line);
    dfi_text_put(t, " \"");
    for (; *file; file++) {
        if (*file == '\\' || *file == '"') dfi_text_put(t, "\\");
        dfi_text_add(t, file, 1);
    }
    dfi_text_put(t, "\"\n");
}

enum dfi_token { DFI_T_NAME, DFI_T_NUMBER, DFI_T_LITERAL, DFI_T_OTHER };

static int dfi_is_digit(char c) { return c >= '0' && c <= '9'; }
static int dfi_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* The end of the token at p, which is not at its text's end. Numbers are those of the preprocessor (C11 6.4.8);
 * anything that is no name, number or literal is a token of one character, blanks included. */
static const char *dfi_token_end(const char *p, enum dfi_token *kind)
{
    char first = *p;
    if (dfi_is_letter(first)) {
        *kind = DFI_T_NAME;
        while (dfi_is_letter(*p) || dfi_is_digit(*p)) p++;
    } else if (dfi_is_digit(first) || (first == '.' && dfi_is_digit(p[1]))) {
        *kind = DFI_T_NUMBER;
        for (p++; dfi_is_letter(*p) || dfi_is_digit(*p) || *p == '.' ||
                  ((*p == '+' || *p == '-') && strchr("eEpP", p[-1])); p++) { }
    } else if (first == '"' || first == '\'') {
        *kind = DFI_T_LITERAL;
        for (p++; *p && *p != first; p++) if (*p == '\\' && p[1]) p++;
        if (*p) p++;
    } else {
        *kind = DFI_T_OTHER;
        p++;
    }
    return p;
}

static const char *dfi_skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n')) p++;
    return p;
}

/* Are the n characters at p the word w? */
static int dfi_is_word(const char *p, size_t n, const char *w) { return strlen(w) == n && !memcmp(p, w, n); }

/* Is the name in the list, whose names have a blank before and behind each? */
static int dfi_in_list(const char *p, size_t n, const char *list)
{
    const char *at = list;
    while ((at = strchr(at, ' ')) != NULL) {
        at++;
        if (!strncmp(at, p, n) && at[n] == ' ') return 1;
    }
    return 0;
}

/* Does the text use this name? */
static int dfi_text_uses(const char *p, const char *name)
{
    enum dfi_token kind;
    while (*p) {
        const char *end = dfi_token_end(p, &kind);
        if (kind == DFI_T_NAME && dfi_is_word(p, (size_t)(end - p), name)) return 1;
        p = end;
    }
    return 0;
}

/* The body in a text "parameters, { body }": from its first brace. NULL: there is none. */
static const char *dfi_kernel_body(const char *p)
{
    enum dfi_token kind;
    int depth = 0;
    for (; *p; p = dfi_token_end(p, &kind)) {
        if (*p == '(') depth++;
        else if (*p == ')') depth--;
        else if (*p == '{' && !depth) return p;
    }
    return NULL;
}

#endif
