/* text.h - from the text of DF_KERNEL to one that OpenCL C 1.2 or CUDA C++ (NVRTC) compiles
 *
 * The result is, in this order: what the kernel uses of the language (gpu/kernel/prelude.h); the text of DF_KERNEL_CODE;
 * the kernel function, named NAME_dfi as no word of a language ends like that, with the parameters of the kernel in
 * their order:
 *     value          by value; bool in OpenCL C as unsigned char
 *     array, block   a pointer to global memory, const if the kernel only reads
 *     df_reduce      T *NAME_dfi_partials, which takes n elements for each group: those of group (x, y, z) begin at
 *                    n * (x + groups_x * (y + groups_y * z)). To be combined by k->param[i].combine, in this order.
 * and, if there is any df_reduce, shared memory of dfi_kernel_shared bytes for the launch: one more argument in OpenCL C,
 * the dynamic shared memory in CUDA.
 *
 * Names are copied but those that a language of devices has and C has not, and those of the C library: dfi_NAME. `long` is
 * as long as on the host. Each statement has a line of its own with the number of the kernel's line, so that a compiler
 * names the user's file and line and shows the statement.
 *
 * CUDA: compile with --device-as-default-execution-space, and with DF_GPU_EXACT --fmad=false. What C++ refuses remains refused: conversion from
 * void * without a cast, from int to an enumeration, compound literals. */
#ifndef DFI_GPU_KERNEL_TEXT_H
#define DFI_GPU_KERNEL_TEXT_H

#include <limits.h>
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/kernel.h"
#include "../../api/task.h"
#include "prelude.h"
#include "scan.h"

enum { DFI_REDUCE_MOST = 16 }; /* elements of a df_reduce: they are copied for each work-item */

/* What becomes of one kernel: which names of the tables it uses, where its text goes. */
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
    static const char bases[] = " char uchar short ushort int uint long ulong longlong ulonglong float double half bool ";
    size_t base = n;
    while (base && dfi_is_digit(p[base - 1])) base--;
    return base < n && dfi_in_list(p, base, bases) && dfi_in_list(p + base, n - base, " 1 2 3 4 8 16 ");
}

/* Does the device's text call this name dfi_NAME? Notes what must be defined then. */
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
    return dfi_in_list(p, n, w->language == DFI_OPENCL_C ? dfi_words_opencl : dfi_words_cuda) || dfi_is_vector_type(p, n);
}

/* The words of an integer type from p on (long, unsigned, ...), all of them, as OpenCL C has that type: there is no long
 * long, a long has 64 bits, a char a sign. Returns the end of the last of them, or p. */
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

/* Copies text of the user, as the device is to have it. OpenCL C has tables in constant memory at the top of the file and
 * of a kernel; further inside each item has its own. */
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

/* --- reductions: each work-item has accumulators, and a tree in shared memory combines those of a group -------------- */

/* How an operator combines x and y; NULL: it is not of df. */
static const char *dfi_reduce_text(const struct dfi_param *p)
{
    static const struct { const char *op, *text; } ops[] = {
        { "df_sum", "x + y" }, { "df_prod", "x * y" }, { "df_band", "x & y" }, { "df_bor", "x | y" }, { "df_bxor", "x ^ y" },
        { "df_land", "x != 0 && y != 0" }, { "df_lor", "x != 0 || y != 0" }, { "df_min", "y < x ? y : x" },
        { "df_max", "x < y ? y : x" }
    };
    int i;
    for (i = 0; i < (int)(sizeof ops / sizeof *ops); i++)
        if (!strcmp(p->op, ops[i].op)) return i == 1 && p->bytes < sizeof(int) ? "(unsigned)x * (unsigned)y" : ops[i].text;
    return NULL;
}

/* The number of elements of a df_reduce if the text is a plain number, else 0. */
static long dfi_reduce_count(const struct dfi_param *p)
{
    char *end;
    long n = strtol(p->rows, &end, 0);
    return *end ? 0 : n;
}

/* Bytes of shared memory that the launch of a group must add, for its reductions: one element for each work-item. */
static size_t dfi_kernel_shared(const struct dfi_kernel *k, const int *group)
{
    size_t most = 0;
    int i;
    for (i = 0; i < k->n_params; i++)
        if (k->param[i].kind == DFI_P_REDUCE && k->param[i].bytes > most) most = k->param[i].bytes;
    return most * (size_t)group[0] * (size_t)group[1] * (size_t)group[2];
}

/* In front of the body: the accumulators. They begin as the identity, whose bits are those of the host. */
static void dfi_put_accumulators(struct dfi_writer *w, const struct dfi_param *p)
{
    static const char *const as[] = { "", "unsigned char", "unsigned short", "", "unsigned", "", "", "", "dfi_bits_8" };
    unsigned char identity[8] = { 0 };
    uint8_t u1; uint16_t u2; uint32_t u4;
    uint64_t bits;
    p->combine(identity, NULL, 1);
    memcpy(&bits, identity, sizeof bits);
    if (p->bytes == 1) memcpy(&u1, identity, 1), bits = u1;
    else if (p->bytes == 2) memcpy(&u2, identity, 2), bits = u2;
    else if (p->bytes == 4) memcpy(&u4, identity, 4), bits = u4;
    dfi_text_puts(&w->t, "const int dfi_n_", p->name, " = (int)(", (const char *)NULL);
    dfi_put_name(w, p->rows);
    dfi_text_puts(&w->t, ");\nunion { ", as[p->bytes], " bits; ", (const char *)NULL);
    dfi_put_name(w, p->type);
    dfi_text_puts(&w->t, " x; } dfi_identity_", p->name, ";\n", (const char *)NULL);
    dfi_put_name(w, p->type);
    dfi_text_puts(&w->t, " dfi_of_", p->name, "[", (const char *)NULL);
    dfi_text_number(&w->t, (unsigned long long)(dfi_reduce_count(p) ? dfi_reduce_count(p) : (long)DFI_REDUCE_MOST));
    dfi_text_put(&w->t, "], *");
    dfi_put_name(w, p->name);
    dfi_text_puts(&w->t, " = dfi_of_", p->name, ";\ndfi_identity_", p->name, ".bits = ", (const char *)NULL);
    dfi_text_number(&w->t, bits);
    dfi_text_puts(&w->t, "u", p->bytes == 8 ? "l" : "", ";\nfor (int dfi_j = 0; dfi_j < dfi_n_", p->name, "; dfi_j++) dfi_of_",
                  p->name, "[dfi_j] = dfi_identity_", p->name, ".x;\n", (const char *)NULL);
}

/* Behind it: for each element, the first half of the items takes over what the second half has, until one has it all.
 * The barrier at the end: the next element goes to the same memory.
 * Before the first one is another barrier. PoCL 3.1: if groups are one item wide and a loop with a barrier is not entered,
 * then what is between the loop and the barriers around it is done twice by one item of each group. So that must be
 * nothing of the body, and nothing here that could not be done twice. */
static void dfi_put_tree(struct dfi_writer *w, const struct dfi_param *p)
{
    dfi_text_put(&w->t, "{ df_on_shared ");
    dfi_put_name(w, p->type);
    dfi_text_put(&w->t, " *dfi_s = (df_on_shared ");
    dfi_put_name(w, p->type);
    dfi_text_puts(&w->t, " *)dfi_shared_memory;\n"
        "for (int dfi_j = 0; dfi_j < dfi_n_", p->name, "; dfi_j++) {\n"
        "    int dfi_some = dfi_items;\n"
        "    dfi_s[dfi_me] = dfi_of_", p->name, "[dfi_j];\n"
        "    while (dfi_some > 1) {\n"
        "        const int dfi_half = (dfi_some + 1) / 2;\n"
        "        df_barrier();\n"
        "        if (dfi_me < dfi_some - dfi_half) {\n"
        "            const ", (const char *)NULL);
    dfi_put_name(w, p->type);
    dfi_text_put(&w->t, " x = dfi_s[dfi_me], y = dfi_s[dfi_me + dfi_half];\n            dfi_s[dfi_me] = (");
    dfi_put_name(w, p->type);
    dfi_text_puts(&w->t, ")(", dfi_reduce_text(p), ");\n"
        "        }\n"
        "        dfi_some = dfi_half;\n"
        "    }\n"
        "    if (dfi_me == 0) ", p->name, "_dfi_partials[dfi_group * dfi_n_", p->name, " + dfi_j] = dfi_s[0];\n"
        "    df_barrier();\n"
        "} }\n", (const char *)NULL);
}

/* --- the kernel function ----------------------------------------------------------------------------------- */

static int dfi_is_bool(const struct dfi_param *p) { return !strcmp(p->type, "_Bool") || !strcmp(p->type, "bool"); }

/* May the type be a structure? All its words are of the language, or names that C has, if not. */
static int dfi_may_be_struct(const struct dfi_param *p)
{
    static const char words[] = " const volatile unsigned signed char short int long float double ";
    enum dfi_token kind;
    int types, all, i;
    const struct dfi_named *named = dfi_named_of_c(&types, &all);
    const char *s = p->type, *e;
    for (; *s; s = e) {
        e = dfi_token_end(s, &kind);
        if (kind != DFI_T_NAME || dfi_in_list(s, (size_t)(e - s), words)) continue;
        for (i = 0; i < types && !dfi_is_word(s, (size_t)(e - s), named[i].name); i++) { }
        if (i == types) return 1;
    }
    return 0;
}

/* Has the parameter another name in the head of a kernel in OpenCL C, so that the body's name is one of its own? bool is no
 * type for it there. Structures: in PoCL 3.1 all items of a group see one, and find what another has changed in it. */
static int dfi_is_renamed(const struct dfi_param *p)
{
    return p->kind != DFI_P_REDUCE && (dfi_is_bool(p) || (p->kind == DFI_P_VALUE && dfi_may_be_struct(p)));
}

static void dfi_put_parameter(struct dfi_writer *w, const struct dfi_param *p)
{
    const char *space = w->language == DFI_OPENCL_C ? "__global " : "";
    const int as_byte = w->language == DFI_OPENCL_C && dfi_is_bool(p);
    if (p->kind != DFI_P_VALUE) dfi_text_put(&w->t, space);
    if (p->kind != DFI_P_VALUE && p->mode == DFI_IN) dfi_text_put(&w->t, "const ");
    if (as_byte) dfi_text_put(&w->t, "unsigned char");
    else dfi_put_name(w, p->type);
    dfi_text_put(&w->t, p->kind == DFI_P_VALUE ? " " : " *");
    if (p->kind == DFI_P_REDUCE) dfi_text_puts(&w->t, p->name, "_dfi_partials", (const char *)NULL);
    else if (w->language == DFI_OPENCL_C && dfi_is_renamed(p)) dfi_text_puts(&w->t, p->name, "_dfi_given", (const char *)NULL);
    else dfi_put_name(w, p->name);
}

/* Such a parameter by its own name and type. */
static void dfi_put_renamed(struct dfi_writer *w, const struct dfi_param *p)
{
    const char *type = p->kind == DFI_P_VALUE ? "bool " : p->mode == DFI_IN ? "__global const bool *" : "__global bool *";
    if (dfi_is_bool(p)) dfi_text_put(&w->t, type);
    else dfi_put_name(w, p->type);
    dfi_text_put(&w->t, " ");
    dfi_put_name(w, p->name);
    dfi_text_put(&w->t, " = ");
    if (dfi_is_bool(p)) dfi_text_puts(&w->t, "(", type, ")", (const char *)NULL);
    dfi_text_puts(&w->t, p->name, "_dfi_given;\n", (const char *)NULL);
}

/* An array of negative size, whose name says why, if a type has not the host's size. */
static void dfi_put_size_check(struct dfi_writer *w, const struct dfi_param *p)
{
    dfi_text_puts(&w->t, "typedef char dfi_the_size_of_", p->name, "_differs_on_the_device[sizeof(", (const char *)NULL);
    dfi_put_name(w, p->type);
    dfi_text_put(&w->t, ") == ");
    dfi_text_number(&w->t, p->bytes);
    dfi_text_put(&w->t, " ? 1 : -1]; ");
}

/* The name of the kernel's function in the text. */
DFI_UNUSED static void dfi_kernel_symbol(const struct dfi_kernel *k, char *name, size_t bytes)
{
    snprintf(name, bytes, "%s_dfi", k->name);
}

static void dfi_put_kernel(struct dfi_writer *w, const struct dfi_kernel *k, const int *block)
{
    const int opencl = w->language == DFI_OPENCL_C;
    const char *body = dfi_kernel_body(k->text), *end = strrchr(body, '}');
    int i, reduces = 0;
    dfi_text_line(&w->t, k->file, k->line);
    for (i = 0; i < k->n_params; i++) {
        dfi_put_size_check(w, &k->param[i]);
        reduces += k->param[i].kind == DFI_P_REDUCE;
    }
    dfi_text_put(&w->t, opencl ? "__kernel " : "extern \"C\" __global__ ");
    if (block) {
        dfi_text_put(&w->t, opencl ? "__attribute__((reqd_work_group_size(" : "__launch_bounds__(");
        for (i = 0; i < 3; i++) {
            dfi_text_number(&w->t, (unsigned)block[i]);
            if (i < 2) dfi_text_put(&w->t, opencl ? ", " : " * ");
        }
        dfi_text_put(&w->t, opencl ? "))) " : ") ");
    }
    dfi_text_puts(&w->t, "void ", k->name, "_dfi(", (const char *)NULL);
    for (i = 0; i < k->n_params; i++) {
        if (i) dfi_text_put(&w->t, ", ");
        dfi_put_parameter(w, &k->param[i]);
    }
    if (opencl && reduces) dfi_text_put(&w->t, ", __local dfi_bits_8 *dfi_shared_memory");
    else if (!k->n_params) dfi_text_put(&w->t, "void");
    dfi_text_put(&w->t, ")\n{\n");
    for (i = 0; i < k->n_params; i++)
        if (opencl && dfi_is_renamed(&k->param[i])) dfi_put_renamed(w, &k->param[i]);
    for (i = 0; i < k->n_params; i++)
        if (k->param[i].kind == DFI_P_REDUCE) dfi_put_accumulators(w, &k->param[i]);
    /* OpenCL C has shared memory in the outermost scope of a kernel only; C++ has no goto over a definition in its scope */
    if (!opencl) dfi_text_put(&w->t, "{");
    dfi_text_line(&w->t, k->file, k->line);
    w->file = k->file, w->line = k->line, w->end_label = reduces;
    dfi_put_text(w, body + 1, end);
    w->file = NULL, w->end_label = 0;
    if (!opencl) dfi_text_put(&w->t, "}");
    dfi_text_line(&w->t, k->file, k->line);
    if (reduces) {
        dfi_text_put(&w->t, "dfi_end: df_barrier();\n{\n");
        if (!opencl) dfi_text_put(&w->t, "extern __shared__ dfi_bits_8 dfi_shared_memory[];\n");
        dfi_text_put(&w->t,
            "const int dfi_items = df_group_size(0) * df_group_size(1) * df_group_size(2);\n"
            "const int dfi_me = df_local_id(0) + df_group_size(0) * (df_local_id(1) + df_group_size(1) * df_local_id(2));\n"
            "const long dfi_group = df_group_id(0) + df_groups(0) * (df_group_id(1) + df_groups(1) * (long)df_group_id(2));\n");
        for (i = 0; i < k->n_params; i++)
            if (k->param[i].kind == DFI_P_REDUCE) dfi_put_tree(w, &k->param[i]);
        dfi_text_put(&w->t, "}\n");
    }
    dfi_text_put(&w->t, "}\n");
}

static void dfi_put_all(struct dfi_writer *w, const struct dfi_kernel *k, const int *block)
{
    if (k->code) {
        dfi_text_line(&w->t, k->code->file, k->code->line);
        w->file = k->code->file, w->line = k->code->line;
        dfi_put_name(w, k->code->text);
        w->file = NULL;
    }
    dfi_put_kernel(w, k, block);
}

/* Does the kernel use df_block, so that it is compiled for one size of group? */
static int dfi_kernel_wants_block(const struct dfi_kernel *k)
{
    return dfi_text_uses(k->text, "df_block") || (k->code && dfi_text_uses(k->code->text, "df_block"));
}

/* Why no device can have this kernel; 0: one can. `why` is a sentence about it. */
static int dfi_kernel_refused(const struct dfi_kernel *k, const int *block, char *why, size_t bytes)
{
    int i;
    if (!dfi_kernel_body(k->text)) {
        snprintf(why, bytes, "%s:%d: kernel %s has no body in braces", k->file, k->line, k->name);
        return 1;
    }
    if (!block && dfi_kernel_wants_block(k)) {
        snprintf(why, bytes, "%s:%d: kernel %s uses df_block, and the size of its groups is not known", k->file, k->line, k->name);
        return 1;
    }
    for (i = 0; i < k->n_params; i++) {
        const struct dfi_param *p = &k->param[i];
        const char *what = NULL;
        if (p->kind == DFI_P_VALUE) {
            if (strchr(p->type, '*')) what = "is a pointer: say with df_in, df_out or df_inout what it points to";
        } else if (p->kind != DFI_P_REDUCE) continue;
        else if (!dfi_reduce_text(p)) what = "has an operator of the program (DF_REDUCTION): only the host can run that";
        else if (p->bytes != 1 && p->bytes != 2 && p->bytes != 4 && p->bytes != 8) what = "has a type that devices do not have";
        else if (dfi_reduce_count(p) < 0 || dfi_reduce_count(p) > DFI_REDUCE_MOST) what = "has not 1 to 16 elements";
        if (!what) continue;
        snprintf(why, bytes, "%s:%d: kernel %s: parameter %s %s", k->file, k->line, k->name, p->name, what);
        return 1;
    }
    return 0;
}

/* The kernel's text for a device, to be freed by dfi_mfree; compiled for groups of `block` items, or for any if that is NULL.
 * pre: block is not NULL if dfi_kernel_wants_block.
 * Errors: NULL. Then `why` says what no device can do about this kernel; it is empty if there was no memory. */
DFI_UNUSED static char *dfi_kernel_text(const struct dfi_kernel *k, enum dfi_language language, const int *block, char *why, size_t why_bytes)
{
    struct dfi_writer w;
    int i;
    if (why_bytes) *why = 0;
    if (dfi_kernel_refused(k, block, why, why_bytes)) return NULL;
    memset(&w, 0, sizeof w);
    w.language = language;
    for (i = 0; i < 2; i++) { /* at first only to see which names there are */
        w.t.n = 0;
        if (i) dfi_put_prelude(&w, block);
        dfi_put_all(&w, k, block);
    }
    if (!w.t.failed) return w.t.p;
    dfi_mfree(w.t.p);
    return NULL;
}

#endif
