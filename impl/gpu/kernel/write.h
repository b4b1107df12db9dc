/* write.h - source text of the user, rewritten in the language of a device: names, types, numbers, tables */
#ifndef DFI_GPU_KERNEL_WRITE_H
#define DFI_GPU_KERNEL_WRITE_H

#include "../../base/compiler.h"
#include "prelude.h"
#include "scan.h"

#include <limits.h>

/* The translation of one kernel: the names of the tables it uses, and the text. */
enum { DFI_FUNCTIONS = sizeof dfi_functions / sizeof *dfi_functions, DFI_NAMED_MOST = 96 };
struct dfi_writer {
    struct dfi_written t;
    enum dfi_language language;
    int end_label;               /* `return` goes to the end of the kernel */
    const char *file;            /* of the statements; NULL: they stay on their line */
    int line;
    unsigned char function[DFI_FUNCTIONS], function_f[DFI_FUNCTIONS], named[DFI_NAMED_MOST], atomic;
};

/* The types and constants of C, as a table: `types` of the rows are types. */
static const struct dfi_named *dfi_named_of_c(int *types, int *all)
{
    static const struct dfi_named rows[] = { DFI_TYPES_OF_C(DFI_NAMED_ROW) DFI_CONSTANTS_OF_C(DFI_NAMED_ROW) };
#define DFI_COUNT_ROW(name, opencl, cuda) +1
    DFI_STATIC_ASSERT(sizeof rows / sizeof *rows <= DFI_NAMED_MOST, "df_gpu.h: DFI_NAMED_MOST");
    *types = 0 DFI_TYPES_OF_C(DFI_COUNT_ROW);
    *all = (int)(sizeof rows / sizeof *rows);
    return rows;
}

/* float4 and the like */
static int dfi_is_vector_type(const char *p, size_t n)
{
    static const char bases[] =
        " char uchar short ushort int uint long ulong longlong ulonglong float double half bool ";
    size_t base = n;
    while (base && dfi_is_digit(p[base - 1])) base--;
    return base < n && dfi_in_list(p, base, bases) && dfi_in_list(p + base, n - base, " 1 2 3 4 8 16 ");
}

/* Is this name dfi_NAME in the text for the device? Notes its definition as used. */
static int dfi_word_is_other(struct dfi_writer *w, const char *p, size_t n)
{
    static const char *const stems_opencl[] = { "convert_", "as_", "vload", "vstore", "native_", "half_", "read_image",
                                                "write_image", "get_image", "sub_group_", "work_group_", NULL };
    static const char *const stems_cuda[] = { "make_", "tex1D", "tex2D", "tex3D", "surf1D", "surf2D", "surf3D", NULL };
    const char *const *stem = w->language == DFI_OPENCL_C ? stems_opencl : stems_cuda;
    int i, types, all;
    const struct dfi_named *named = dfi_named_of_c(&types, &all);
    for (i = 0; i < all; i++)
        if (dfi_is_word(p, n, named[i].name)) {
            if (!(w->language == DFI_OPENCL_C ? named[i].opencl : named[i].cuda)) return 0;
            w->named[i] = 1;
            return 1;
        }
    for (i = 0; i < DFI_FUNCTIONS; i++) {
        size_t length = strlen(dfi_functions[i].name);
        if (n < length || n > length + 1 || memcmp(p, dfi_functions[i].name, length)) continue;
        if (n == length) { w->function[i] = 1; return 1; }
        if (p[length] == 'f' && dfi_functions[i].suffix) { w->function_f[i] = 1; return 1; }
    }
    if (n > 10 && !memcmp(p, "df_atomic_", 10)) w->atomic = 1;
    for (; *stem; stem++) {
        size_t length = strlen(*stem);
        if (n > length && !memcmp(p, *stem, length)) return 1;
    }
    return dfi_in_list(p, n, w->language == DFI_OPENCL_C ? dfi_words_opencl : dfi_words_cuda) ||
        dfi_is_vector_type(p, n);
}

/* The words of an integer type from p on (long, unsigned, ...), all of them, as OpenCL C has that type: there is no
 * long long, a long has 64 bits, a char a sign. Returns the end of the last of them, or p. */
static const char *dfi_integer_type(struct dfi_writer *w, const char *p, const char *end)
{
    static const char *const words[] = { "long", "unsigned", "char", "int", "short", "signed" };
    int n[6] = { 0, 0, 0, 0, 0, 0 }, i;
    const char *last = p, *q = p;
    for (;;) {
        enum dfi_token kind;
        const char *e;
        if (q >= end) break;
        e = dfi_token_end(q, &kind);
        for (i = 0; i < 6 && !dfi_is_word(q, (size_t)(e - q), words[i]); i++) { }
        if (i == 6) {
            if (n[0] && dfi_is_word(q, (size_t)(e - q), "double")) return p; /* long double: there is none */
            break;
        }
        n[i]++;
        last = e, q = dfi_skip_blanks(e, end);
    }
    if (last == p) return p;
    if (n[1] || (n[2] && !n[5] && CHAR_MIN == 0)) dfi_text_put(&w->t, "unsigned ");
    dfi_text_put(&w->t, n[2] ? "char" : n[4] ? "short" : n[0] > 1 || (n[0] && sizeof(long) == 8) ? "long" : "int");
    return last;
}

/* A number; in OpenCL C `ll` is `l`, and `l` is nothing where the host's long has 32 bits. */
static void dfi_put_number(struct dfi_writer *w, const char *p, size_t n)
{
    size_t tail = n;
    unsigned ells = 0, us = 0;
    const int hex = n > 1 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    if (w->language == DFI_OPENCL_C && !(n && memchr(p, '.', n)) && !memchr(p, hex ? 'p' : 'e', n) &&
        !memchr(p, hex ? 'P' : 'E', n)) {
        while (tail && strchr("uUlL", p[tail - 1])) {
            tail--;
            if (p[tail] == 'u' || p[tail] == 'U') us++;
            else ells++;
        }
        if (ells == 1 && sizeof(long) == 4) ells = 0;
    } else us = ells = 0;
    dfi_text_add(&w->t, p, tail);
    if (us) dfi_text_put(&w->t, "U");
    if (ells) dfi_text_put(&w->t, "L");
}

/* The end of `static const` at p, if a table begins there: its first bracket, = or ; is the =. NULL: none does. */
static const char *dfi_table_begins(const char *p, const char *end)
{
    enum dfi_token kind;
    const char *e = dfi_token_end(p, &kind), *q = dfi_skip_blanks(e, end), *f;
    int square = 0;
    if (!dfi_is_word(p, (size_t)(e - p), "static") || q >= end) return NULL;
    f = dfi_token_end(q, &kind);
    if (!dfi_is_word(q, (size_t)(f - q), "const")) return NULL;
    for (q = f; q < end; q = dfi_token_end(q, &kind)) {
        if (*q == '[') square++;
        else if (*q == ']') square--;
        else if (square) continue;
        else if (*q == '=') return f;
        else if (strchr("(){;", *q)) break;
    }
    return NULL;
}

/* Copies text of the user, as the device is to have it. OpenCL C has tables in constant memory at the top of the
 * file and of a kernel; further inside each item has its own. */
static void dfi_put_text(struct dfi_writer *w, const char *p, const char *end)
{
    int depth = 0, braces = 0;
    while (p < end) {
        enum dfi_token kind;
        const char *e = dfi_token_end(p, &kind), *other;
        size_t n = (size_t)(e - p);
        if (kind == DFI_T_NUMBER) dfi_put_number(w, p, n);
        else if (kind != DFI_T_NAME) {
            if (*p == '(' || *p == '[') depth++;
            else if (*p == ')' || *p == ']') depth--;
            else if (*p == '{') braces++;
            else if (*p == '}') braces--;
            dfi_text_add(&w->t, p, n);
            if (*p == ';' && !depth && w->file) dfi_text_line(&w->t, w->file, w->line);
        } else if (w->language == DFI_OPENCL_C && (other = dfi_integer_type(w, p, end)) != p) e = other;
        else if (w->language == DFI_OPENCL_C && (other = dfi_table_begins(p, end)) != NULL) {
            dfi_text_put(&w->t, braces ? "const" : "__constant");
            e = other;
        } else if (w->end_label && dfi_is_word(p, n, "return")) dfi_text_put(&w->t, "goto dfi_end");
        else if (!dfi_is_word(p, n, "register")) { /* neither OpenCL C 1.2 nor C++17 has that */
            if (dfi_word_is_other(w, p, n)) dfi_text_put(&w->t, "dfi_");
            dfi_text_add(&w->t, p, n);
        }
        p = e;
    }
}
static void dfi_put_name(struct dfi_writer *w, const char *s) { dfi_put_text(w, s, s + strlen(s)); }

/* The function of row i, for double or for float, by its shape. */
static void dfi_put_function(struct dfi_writer *w, int i, int is_float)
{
    const struct dfi_function *f = &dfi_functions[i];
    const char *s;
    dfi_text_put(&w->t, "DFI_FN ");
    for (s = f->shape; *s; s++)
        if (*s == '$') dfi_text_put(&w->t, is_float ? "float" : "dfi_real");
        else if (*s == '#') dfi_text_puts(&w->t, f->name, is_float ? "f" : "", (const char *)NULL);
        else if (*s != '@') dfi_text_add(&w->t, s, 1);
        else if (w->language == DFI_OPENCL_C) dfi_text_put(&w->t, f->opencl ? f->opencl : f->name);
        else dfi_text_puts(&w->t, f->name, is_float ? "f" : "", (const char *)NULL);
    dfi_text_put(&w->t, "\n");
}

static void dfi_put_prelude(struct dfi_writer *w, const int *block)
{
    const int opencl = w->language == DFI_OPENCL_C;
    int i, types, all;
    const struct dfi_named *named = dfi_named_of_c(&types, &all);
    if (opencl && DF_GPU_EXACT) dfi_text_put(&w->t, "#pragma OPENCL FP_CONTRACT OFF\n");
    dfi_text_put(&w->t, opencl ? dfi_prelude_opencl : dfi_prelude_cuda);
    dfi_text_put(&w->t, dfi_prelude_deprecated);
    dfi_text_puts(&w->t, "typedef ", opencl ? "long" : "long long", " dfi_long_long;\ntypedef unsigned ",
                  opencl ? "long" : "long long", " dfi_bits_8;\ntypedef ", opencl && sizeof(long) == 4 ? "int" : "long",
                  " dfi_long;\n", (const char *)NULL);
    if (block) {
        dfi_text_put(&w->t, "#define df_block(d) ((d) == 0 ? ");
        dfi_text_number(&w->t, (unsigned)block[0]);
        dfi_text_put(&w->t, " : (d) == 1 ? ");
        dfi_text_number(&w->t, (unsigned)block[1]);
        dfi_text_put(&w->t, " : ");
        dfi_text_number(&w->t, (unsigned)block[2]);
        dfi_text_put(&w->t, ")\n");
    }
    for (i = 0; i < all; i++) {
        const char *what = opencl ? named[i].opencl : named[i].cuda;
        if (!w->named[i]) continue;
        if (i < types) dfi_text_puts(&w->t, "typedef ", what, " dfi_", named[i].name, ";\n", (const char *)NULL);
        else dfi_text_puts(&w->t, "#define dfi_", named[i].name, " ", what, "\n", (const char *)NULL);
    }
    for (i = 0; i < DFI_FUNCTIONS; i++) {
        if (w->function[i]) dfi_put_function(w, i, 0);
        if (w->function_f[i]) dfi_put_function(w, i, 1);
    }
    if (w->atomic) dfi_text_put(&w->t, opencl ? dfi_prelude_atomic_opencl : dfi_prelude_atomic_cuda);
}

#endif
