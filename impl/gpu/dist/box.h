/* box.h - copies of boxes of arrays, as tasks on the host or on a device
 *
 * A box is a set of elements in nested loops of fixed steps; it has an offset and steps in the source and in the
 * destination. */
#ifndef DFI_GPU_DIST_BOX_H
#define DFI_GPU_DIST_BOX_H

#include "../../base/atomic.h"
#include "../../base/pp.h"
#include "../../api/access.h"
#include "../../api/core.h"
#include "../../api/kernel_words.h"
#include "../../api/submit_options.h"
#include "../../api/task.h"
#include "../../../df_gpu.h"
#include "../../more/devices.h"

/* All 64 bits wide, so that it is the same on every device. The first level is the outermost one; a step may be 0
 * (an element several times) or negative. */
DF_KERNEL_CODE(dfi_nest_code,
enum { DFI_NEST_LEVELS = 7 };
struct dfi_nest {
    int64_t from, to;   /* offsets of the first one */
    int64_t n[DFI_NEST_LEVELS], from_step[DFI_NEST_LEVELS], to_step[DFI_NEST_LEVELS];
    int64_t levels;
};)

static int64_t dfi_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Levels with nothing to repeat are left out. */
static void dfi_nest_level(struct dfi_nest *b, int64_t n, int64_t from_step, int64_t to_step)
{
    if (n == 1) return;
    b->n[b->levels] = n, b->from_step[b->levels] = from_step, b->to_step[b->levels] = to_step;
    b->levels++;
}

/* A box of elements becomes one of units, `units` of which are an element, in as few levels as possible, at least
 * one. */
static void dfi_nest_units(struct dfi_nest *b, int64_t units)
{
    int64_t i, k = 0;
    b->from *= units, b->to *= units;
    for (i = 0; i < b->levels; i++) b->from_step[i] *= units, b->to_step[i] *= units;
    dfi_nest_level(b, units, 1, 1);
    for (i = 1; i < b->levels; i++)
        if (b->from_step[k] == b->n[i] * b->from_step[i] && b->to_step[k] == b->n[i] * b->to_step[i]) {
            b->n[k] *= b->n[i], b->from_step[k] = b->from_step[i], b->to_step[k] = b->to_step[i];
        } else {
            k++;
            b->n[k] = b->n[i], b->from_step[k] = b->from_step[i], b->to_step[k] = b->to_step[i];
        }
    b->levels = b->levels ? k + 1 : 0;
    if (b->levels) return;
    b->n[0] = b->from_step[0] = b->to_step[0] = 1;
    b->levels = 1;
}

static int64_t dfi_nest_items(const struct dfi_nest *b)
{
    int64_t i, all = 1;
    for (i = 0; i < b->levels; i++) all *= b->n[i];
    return all;
}

/* --- on the host ------------------------------------------------------------------------------------- */

/* The levels of a box of bytes from `level` on. */
static void dfi_nest_copy(const struct dfi_nest *b, int64_t level, char *to, const char *from)
{
    int64_t i, n = b->n[level], f = b->from_step[level], t = b->to_step[level];
    if (level == b->levels - 1) {
        if (f == 1 && t == 1) memcpy(to, from, (size_t)n);
        else for (i = 0; i < n; i++) to[i * t] = from[i * f];
    } else if (level == b->levels - 2 && b->from_step[level + 1] == 1 && b->to_step[level + 1] == 1 &&
               b->n[level + 1] == 8)
        for (i = 0; i < n; i++) memcpy(to + i * t, from + i * f, 8); /* elements: a copy of a known length is no call */
    else if (level == b->levels - 2 && b->from_step[level + 1] == 1 && b->to_step[level + 1] == 1 &&
             b->n[level + 1] == 4)
        for (i = 0; i < n; i++) memcpy(to + i * t, from + i * f, 4);
    else
        for (i = 0; i < n; i++) dfi_nest_copy(b, level + 1, to + i * t, from + i * f);
}

/* The regions of a box of bytes at one end, with this mode. Returns their number; if that is more than `most`, x is
 * not filled. */
static int64_t dfi_nest_regions(const struct dfi_nest *b, const char *p, int is_to, unsigned mode,
                                struct dfi_access *x, int64_t most)
{
    int64_t n[DFI_NEST_LEVELS], step[DFI_NEST_LEVELS], row = 1, rows = 1, ld = 0, all = 1, i, k,
        at = is_to ? b->to : b->from;
    int64_t levels = 0, longest = -1;
    for (i = 0; i < b->levels; i++) {
        int64_t s = is_to ? b->to_step[i] : b->from_step[i];
        if (s < 0) at += (b->n[i] - 1) * s, s = -s;
        if (!s) continue;
        if (levels && step[levels - 1] == b->n[i] * s) n[levels - 1] *= b->n[i], step[levels - 1] = s;
        else n[levels] = b->n[i], step[levels++] = s;
    }
    if (levels && step[levels - 1] == 1) row = n[--levels];
    for (i = 0; i < levels; i++)
        if (longest < 0 || n[i] > n[longest]) longest = i;
    if (longest >= 0) rows = n[longest], ld = step[longest], n[longest] = 1;
    for (i = 0; i < levels; i++)
        if ((all *= n[i]) > most) return all;
    for (k = 0; k < all && k < most; k++) {
        int64_t rest = k, offset = at;
        for (i = levels - 1; i >= 0; i--) offset += rest % n[i] * step[i], rest /= n[i];
        dfi_access_block(&x[k], mode, DFI_NO_ARG, p + offset, (size_t)rows, (size_t)row, (size_t)ld);
    }
    return all;
}

/* A task of the host with any accesses, all of DFI_NO_ARG. */
static void dfi_dist_submit(const struct dfi_type *type, const void *args, struct dfi_access *x, unsigned n)
{
    struct dfi_task *t = dfi_task_new(type);
    if (!t || t == DFI_BARE) {
        if (dfi_load_relaxed(&dfi_more.devices)) dfi_gpu_hook->host(x, n);
        if (t) dfi_run_after(type, (void *)(uintptr_t)args, x, n);
        else dfi_run_now(type, (void *)(uintptr_t)args);
        return;
    }
    memcpy(t->args, args, type->args_bytes);
    dfi_submit(t, x, n);
}

struct dfi_nest_args { struct dfi_nest box; char *to; const char *from; };

static void dfi_nest_run(void *args, void *result)
{
    const struct dfi_nest_args *a = (const struct dfi_nest_args *)args;
    (void)result;
    dfi_nest_copy(&a->box, 0, a->to + a->box.to, a->from + a->box.from);
}

/* The most regions of one buffer that a task declares: two buffers fill the accesses of a task. Tests take fewer. */
#ifndef DFI_NEST_REGIONS
#define DFI_NEST_REGIONS 7
#endif

/* The accesses of a task to a buffer: the box if that is few regions, else the whole buffer. Returns their number. */
static unsigned dfi_nest_declare(const struct dfi_nest *b, const char *p, size_t bytes, int is_to, struct dfi_access *x)
{
    int64_t n = dfi_nest_regions(b, p, is_to, is_to ? DFI_OUT : DFI_IN, x, DFI_NEST_REGIONS);
    if (n <= DFI_NEST_REGIONS) return (unsigned)n;
    dfi_access_array(x, is_to ? DFI_INOUT : DFI_IN, DFI_NO_ARG, p, bytes);
    return 1;
}

/* The host copies a box of bytes. whole: 0, or all of both buffers is declared, as kernels do, `to` with this mode. */
static void dfi_nest_move(const struct dfi_nest *b, const char *from, size_t from_bytes, char *to, size_t to_bytes,
                          unsigned whole)
{
    static const struct dfi_type type = { dfi_nest_run, "df_halo_update", 0, 0, sizeof(struct dfi_nest_args),
        DFI_INOUT, NULL };
    struct dfi_access x[2 * DFI_NEST_REGIONS];
    struct dfi_nest_args a;
    unsigned n = 0;
    a.box = *b, a.from = from, a.to = to;
    if (whole) {
        dfi_access_array(&x[n++], DFI_IN, DFI_NO_ARG, from, from_bytes);
        dfi_access_array(&x[n++], whole, DFI_NO_ARG, to, to_bytes);
    } else {
        n += dfi_nest_declare(b, from, from_bytes, 0, x);
        n += dfi_nest_declare(b, to, to_bytes, 1, x + n);
    }
    dfi_dist_submit(&type, &a, x, n);
}

/* --- on a device ----------------------------------------------------------------------------------------- */

#if !defined(DF_SERIAL)

/* A box of units is copied out of one buffer into another: which is all new (pack), or keeps what is not in the box
 * (copy). */
#define DFI_NEST_KERNEL(name, T, dfi_word)                                                                 \
    DF_KERNEL_USING(dfi_nest_code, name, df_in(T, from, n_from), dfi_word(T, to, n_to), (int64_t, n_from), \
                    (int64_t, n_to),                                                                       \
                    (struct dfi_nest, box), (int64_t, items),                                              \
    {                                                                                                      \
        int64_t i = df_global_id(0), all = df_global_size(0);                                              \
        for (; i < items; i += all) {                                                                      \
            int64_t rest = i, f = box.from, t = box.to, k = box.levels - 1;                                \
            for (; k > 0; k--) {                                                                           \
                int64_t q = rest / box.n[k];                                                               \
                f += (rest - q * box.n[k]) * box.from_step[k];                                             \
                t += (rest - q * box.n[k]) * box.to_step[k];                                               \
                rest = q;                                                                                  \
            }                                                                                              \
            to[t + rest * box.to_step[0]] = from[f + rest * box.from_step[0]];                             \
        }                                                                                                  \
    })
DFI_NEST_KERNEL(dfi_pack_1, uint8_t, df_out)
DFI_NEST_KERNEL(dfi_pack_2, uint16_t, df_out)
DFI_NEST_KERNEL(dfi_pack_4, uint32_t, df_out)
DFI_NEST_KERNEL(dfi_pack_8, uint64_t, df_out)
DFI_NEST_KERNEL(dfi_copy_1, uint8_t, df_inout)
DFI_NEST_KERNEL(dfi_copy_2, uint16_t, df_inout)
DFI_NEST_KERNEL(dfi_copy_4, uint32_t, df_inout)
DFI_NEST_KERNEL(dfi_copy_8, uint64_t, df_inout)

/* A device copies a box of units of 1, 2, 4 or 8 bytes. pack: all that was in `to` may be lost. */
static void dfi_nest_launch(const struct dfi_nest *b, int pack, int device, const char *site, const void *from,
                            size_t from_bytes, void *to, size_t to_bytes, int unit)
{
    enum { DFI_NEST_ITEMS = 1 << 20 }; /* more than fit into any device at a time; each then copies several */
    int64_t n = dfi_nest_items(b), nf = (int64_t)from_bytes / unit, nt = (int64_t)to_bytes / unit;
    df_ndrange grid = df_grid((long)dfi_least(n, DFI_NEST_ITEMS));
    df_opts o;
    memset((void *)&o, 0, sizeof o);
    o.name = "df_halo_update", o.device = device;
#define DFI_NEST_CALL(kernel, T) kernel##_dfi_launch(&o, site, grid, (const T *)from, (T *)to, nf, nt, *b, n)
    switch (unit) {
    case 8: pack ? DFI_NEST_CALL(dfi_pack_8, uint64_t) : DFI_NEST_CALL(dfi_copy_8, uint64_t); break;
    case 4: pack ? DFI_NEST_CALL(dfi_pack_4, uint32_t) : DFI_NEST_CALL(dfi_copy_4, uint32_t); break;
    case 2: pack ? DFI_NEST_CALL(dfi_pack_2, uint16_t) : DFI_NEST_CALL(dfi_copy_2, uint16_t); break;
    default: pack ? DFI_NEST_CALL(dfi_pack_1, uint8_t) : DFI_NEST_CALL(dfi_copy_1, uint8_t);
    }
#undef DFI_NEST_CALL
}

#endif

#endif
