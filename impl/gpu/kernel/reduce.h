/* reduce.h - df_reduce on a device: accumulators of each work-item, and a tree in shared memory that combines those
 * of a group */
#ifndef DFI_GPU_KERNEL_REDUCE_H
#define DFI_GPU_KERNEL_REDUCE_H

#include "../../api/kernel.h"
#include "scan.h"
#include "write.h"

#include <stdlib.h>

enum { DFI_REDUCE_MOST = 16 }; /* elements of a df_reduce: they are copied for each work-item */

/* How an operator combines x and y; NULL: it is not of df. */
static const char *dfi_reduce_text(const struct dfi_param *p)
{
    static const struct { const char *op, *text; } ops[] = {
        { "df_sum", "x + y" }, { "df_prod", "x * y" }, { "df_band", "x & y" }, { "df_bor", "x | y" },
        { "df_bxor", "x ^ y" },
        { "df_land", "x != 0 && y != 0" }, { "df_lor", "x != 0 || y != 0" }, { "df_min", "y < x ? y : x" },
        { "df_max", "x < y ? y : x" }
    };
    int i;
    for (i = 0; i < (int)(sizeof ops / sizeof *ops); i++)
        if (!strcmp(p->op, ops[i].op))
            return i == 1 && p->bytes < sizeof(int) ? "(unsigned)x * (unsigned)y" : ops[i].text;
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
    dfi_text_puts(&w->t, "u", p->bytes == 8 ? "l" : "", ";\nfor (int dfi_j = 0; dfi_j == 0 || dfi_j < dfi_n_", p->name,
                  "; dfi_j++) dfi_of_", p->name, "[dfi_j] = dfi_identity_", p->name, ".x;\n", (const char *)NULL);
}

/* Behind it: for each element, the first half of the items takes over what the second half has, until one has it all.
 * The barrier at the end: the next element goes to the same memory.
 * Before the first one is another barrier. PoCL 3.1 and 5.0: if groups are one item wide and a loop with a barrier is
 * not entered, then what is between the loop and the barriers around it is done twice by one item of each group. So
 * that must be nothing of the body; and the loop is entered also for no element (5.0 repeats the body in spite of the
 * barrier). */
static void dfi_put_tree(struct dfi_writer *w, const struct dfi_param *p)
{
    dfi_text_put(&w->t, "{ df_on_shared ");
    dfi_put_name(w, p->type);
    dfi_text_put(&w->t, " *dfi_s = (df_on_shared ");
    dfi_put_name(w, p->type);
    dfi_text_puts(&w->t, " *)dfi_shared_memory;\n"
        "for (int dfi_j = 0; dfi_j == 0 || dfi_j < dfi_n_", p->name, "; dfi_j++) {\n"
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
        "    if (dfi_me == 0 && dfi_j < dfi_n_", p->name, ")\n        ", p->name, "_dfi_partials[dfi_group * dfi_n_",
        p->name, " + dfi_j] = dfi_s[0];\n"
        "    df_barrier();\n"
        "} }\n", (const char *)NULL);
}

#endif
