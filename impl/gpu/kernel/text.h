/* text.h - translation of a DF_KERNEL into OpenCL C 1.2 or CUDA C++ (NVRTC)
 *
 * The result has, in this order: the definitions that the kernel uses (gpu/kernel/prelude.h); the text of
 * DF_KERNEL_CODE; the kernel function, named NAME_dfi because no word of either language ends like that, with the
 * parameters of the kernel in order:
 *     value          by value; bool in OpenCL C as unsigned char
 *     array, block   a pointer to global memory, const if the kernel only reads
 *     df_reduce      T *NAME_dfi_partials, which takes n elements for each group: those of group (x, y, z) begin at
 *                    n * (x + groups_x * (y + groups_y * z)). To be combined by k->param[i].combine, in this order.
 * With any df_reduce the launch adds dfi_kernel_shared bytes of shared memory: one more argument in OpenCL C, the
 * dynamic shared memory in CUDA.
 *
 * Names are copied, except those that a device language has and C has not, and those of the C library: they become
 * dfi_NAME. `long` has the host's size. Each statement has a line of its own with the number of the kernel's line, so
 * that a compiler names the user's file and line and shows the statement.
 *
 * CUDA: compile with --device-as-default-execution-space, and with DF_GPU_EXACT --fmad=false. Constructs that C++
 * rejects are rejected: conversion from void * without a cast, from int to an enumeration, compound literals. */
#ifndef DFI_GPU_KERNEL_TEXT_H
#define DFI_GPU_KERNEL_TEXT_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/kernel.h"
#include "../../api/task.h"
#include "prelude.h"
#include "reduce.h"
#include "scan.h"
#include "write.h"

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

/* Has the parameter another name in the head of a kernel in OpenCL C, so that the body's name is one of its own?
 * bool is no type for it there. Structures: in PoCL 3.1 all items of a group see one, and find what another has
 * changed in it. */
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
    else if (w->language == DFI_OPENCL_C && dfi_is_renamed(p))
        dfi_text_puts(&w->t, p->name, "_dfi_given", (const char *)NULL);
    else dfi_put_name(w, p->name);
}

/* Such a parameter by its own name and type. */
static void dfi_put_renamed(struct dfi_writer *w, const struct dfi_param *p)
{
    const char *type = p->kind == DFI_P_VALUE ? "bool " : p->mode == DFI_IN ? "__global const bool *"
        : "__global bool *";
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
    dfi_text_puts(&w->t, "typedef char dfi_the_size_of_", p->name, "_differs_on_the_device[sizeof(",
                  (const char *)NULL);
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
    /* OpenCL C has shared memory in the outermost scope of a kernel only; C++ has no goto over a definition in its
     * scope */
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
            "const int dfi_items = df_workgroup_size(0) * df_workgroup_size(1) * df_workgroup_size(2);\n"
            "const int dfi_me = df_local_id(0) + df_workgroup_size(0) * (df_local_id(1) + df_workgroup_size(1) * "
            "df_local_id(2));\n"
            "const long dfi_group = df_workgroup_id(0) + df_workgroups(0) * (df_workgroup_id(1) + df_workgroups(1) * "
            "(long)df_workgroup_id(2));\n");
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
        snprintf(why, bytes, "%s:%d: kernel %s uses df_block, and the size of its groups is not known", k->file,
                 k->line, k->name);
        return 1;
    }
    for (i = 0; i < k->n_params; i++) {
        const struct dfi_param *p = &k->param[i];
        const char *what = NULL;
        if (p->kind == DFI_P_VALUE) {
            if (strchr(p->type, '*')) what = "is a pointer: say with df_in, df_out or df_inout what it points to";
        } else if (p->kind != DFI_P_REDUCE) continue;
        else if (!dfi_reduce_text(p))
            what = "has an operator of the program (DF_REDUCTION): only the host can run that";
        else if (p->bytes != 1 && p->bytes != 2 && p->bytes != 4 && p->bytes != 8)
            what = "has a type that devices do not have";
        else if (dfi_reduce_count(p) < 0 || dfi_reduce_count(p) > DFI_REDUCE_MOST) what = "has not 1 to 16 elements";
        if (!what) continue;
        snprintf(why, bytes, "%s:%d: kernel %s: parameter %s %s", k->file, k->line, k->name, p->name, what);
        return 1;
    }
    return 0;
}

/* The kernel's text for a device, to be freed by dfi_mfree; compiled for groups of `block` items, or for any if that
 * is NULL. pre: block is not NULL if dfi_kernel_wants_block.
 * Errors: NULL. Then `why` says what no device can do about this kernel; it is empty if there was no memory. */
DFI_UNUSED static char *dfi_kernel_text(const struct dfi_kernel *k, enum dfi_language language, const int *block,
                                        char *why, size_t why_bytes)
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
