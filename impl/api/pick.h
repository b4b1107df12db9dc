/* pick.h - the types and macros of df_gpu.h, >>choice
 *
 * For each kernel f there are, in addition to the functions that api/kernel.h generates,
 *     f_dfi_launch_fn                  the type of f_dfi_launch
 *     f_dfi_choose(..., grid, P)       launches variants of a list whose kernels all have the parameters P
 * and for a list l of variants the record l_dfi_variants and l_dfi_choose, which is f_dfi_choose of its first
 * kernel: so a launch of a list ends in a typed function like any other. */
#ifndef DFI_API_PICK_H
#define DFI_API_PICK_H

#include "../base/compiler.h"
#include "../base/pp.h"
#include "device.h"
#include "kernel.h"
#include "options.h"
#include "param.h"
#include "../../df.h"
#include "result.h"

/* Resources that a compiled kernel needs on a device. */
typedef struct df_kernel_needs {
    int registers;                 /* 32-bit, per work-item; 0: not known */
    size_t shared;                 /* bytes of df_shared per group; 0: none, or not known */
    size_t spilled;                /* bytes of memory per work-item, for values that do not fit into registers */
    int max_group;                 /* work-items per group, at most */
} df_kernel_needs;

/* A candidate: one variant with one size of group, on one device. df checks whether it fits. */
typedef struct df_candidate {
    const struct df_variant *variant; /* the variant */
    const char *name;              /* of the variant's kernel */
    const df_gpu_device *device;   /* the device */
    /* of the compiled kernel. Not compiled yet, or on the host: zeros, and max_group is that of the device */
    df_kernel_needs needs;
    long n[3];                     /* results, as the grid of the launch says: the first one of its size class */
    int group[3];                  /* work-items of a group in each dimension */
    int per_item[3];               /* results per work-item, at least 1 */
    size_t shared;                 /* bytes, as variant->shared says */
    char why[160];                 /* why it does not fit: df_at_most and df_candidate.fits may write here */
} df_candidate;

enum { DF_VARIANT_GROUPS = 8 }; /* the largest number of sizes in df_variant.groups */

/* A row of DF_VARIANTS. All zero: no limits but the device's, and df decides the size of groups. */
typedef struct df_variant {
    /* sizes of groups, best first, up to the first that is 0; { 256 } is { 256, 1, 1 } */
    int groups[DF_VARIANT_GROUPS][3];
    int per_item[3];               /* results that a work-item computes in each dimension; 0: 1 */
    int registers;                 /* registers that a work-item needs at least; counts as long as the compiler of the
                                      device does not tell */
    size_t (*shared)(const df_candidate *c); /* bytes of df_shared that a group of c->group[0] .. items needs */
    /* further limits: 1 if all are kept, as in return df_at_most(c, c->needs.spilled, 0) &&
       df_at_most(c, c->group[0], c->device->warp). Also called before the kernel is compiled, and by any thread */
    int (*fits)(df_candidate *c);
} df_variant;

#define df_at_most(c, a, most) dfi_at_most((c), #a, (double)(a), #most, (double)(most))

/* Options of a choice. Zero in a field means its default. */
typedef struct df_pick_opts {
    /* 1, 2, .., DF_HOST; 0, DF_ANY_GPU: candidates that all devices can run; DF_ANY_DEVICE: the host, too */
    int device;
    int again;                     /* 1: ignores the earlier choice for this size class */
    int repeat;                    /* df_tune: measurements of each candidate, of which the median counts; 0: 5 */
    const df_gpu_device *limits;   /* choose as if the device were this one; no compiler is called */
    /* called instead of the compiler; returns 0 if the kernel does not compile */
    int (*needs)(const df_candidate *c, df_kernel_needs *needs);
} df_pick_opts;
#define DF_PICK_OPTS(...) DFI_OPTIONS(df_pick_opts, df_pick_opts, __VA_ARGS__)

#define DF_VARIANTS(list, ...) DFI_QUIET DFI_VARIANTS(list, __VA_ARGS__) DFI_LOUD_END
#define df_launch_best(list, ...)                                                                                 \
    ((void)DFI_CAT(list, _dfi_choose)(DFI_CHOOSE_BEST, &DFI_CAT(list, _dfi_variants), NULL, NULL, NULL, DFI_SITE, \
                                      __VA_ARGS__))
#define df_launch_best_with(opts, list, ...)                                                                        \
    ((void)DFI_CAT(list, _dfi_choose)(DFI_CHOOSE_BEST, &DFI_CAT(list, _dfi_variants), NULL, (opts), NULL, DFI_SITE, \
                                      __VA_ARGS__))
#define df_kernel_pick(list, grid, opts) dfi_kernel_pick(&DFI_CAT(list, _dfi_variants), (grid), (opts))
#define df_launch_picked(list, pick, ...)                                                                   \
    ((void)DFI_CAT(list, _dfi_choose)(DFI_CHOOSE_PICKED, &DFI_CAT(list, _dfi_variants), (pick), NULL, NULL, DFI_SITE, \
                                      df_grid(0), __VA_ARGS__))
#define df_kernel_explain(list, grid, opts, text, bytes) \
    dfi_kernel_explain(&DFI_CAT(list, _dfi_variants), (grid), (opts), (text), (bytes))
#define df_tune(list, opts, ...)                                                                             \
    DFI_CAT(list, _dfi_choose)(DFI_CHOOSE_TUNE, &DFI_CAT(list, _dfi_variants), NULL, NULL, (opts), DFI_SITE, \
                               __VA_ARGS__)
#define df_tune_by(list, opts, grid, fn, arg) \
    dfi_tune_by(&DFI_CAT(list, _dfi_variants), (opts), DFI_SITE, (grid), (fn), (arg))
#define df_kernel_ask(name, device, bx, by, bz, needs) \
    dfi_kernel_needs(&DFI_CAT(name, _dfi_kernel), (device), (bx), (by), (bz), (needs))

/* A choice: the variant, and its launch. Of df_kernel_pick, for df_launch_picked. */
typedef struct df_pick {
    const df_variant *variant;     /* the variant */
    const char *name;              /* of its kernel */
    int index;                     /* of the variant in its list */
    df_ndrange grid;               /* for its launch: work-items, and their groups */
    df_opts opts;                  /* for its launch: .device is set; the others may be set before df_launch_picked */
    void (*dfi_launch)(void);
} df_pick;

/* --- a list ----------------------------------------------------------------------------------------- */

enum { DFI_CHOICES = 64, DFI_QUICK = 4 };
enum { DFI_CHOICE_NONE, DFI_CHOICE_PICKED, DFI_CHOICE_READ, DFI_CHOICE_MEASURED }; /* READ: measured by another run */
/* The choice for a device and a size class. */
struct dfi_choice {
    uint64_t device;               /* hash of the properties of the device, or of all devices */
    uint32_t size;                 /* size class */
    signed char how, variant, group; /* -1: df decides */
    float seconds;                 /* measured time */
};
/* The same for the given df_opts.device, so that a launch need not look up the properties of the device. */
struct dfi_quick { int valid, device, generation; uint32_t size; struct dfi_choice choice; };
struct dfi_choices {
    struct dfi_choice choice[DFI_CHOICES];
    struct dfi_quick quick[DFI_QUICK];
    int next, next_quick;          /* the entries to be replaced next */
    int read;                      /* 1: the file of DF_TUNE has been read */
};
struct dfi_variant_of { const char *name; struct dfi_kernel *kernel; void (*launch)(void); };
struct dfi_variants {
    const char *name, *file;
    int n;
    const df_variant *variant;
    const struct dfi_variant_of *of;
    struct dfi_choices *choices;   /* under the lock of gpu/pick/devices.h */
};

/* The state of a launch of a list, or of its measurement. */
enum dfi_choosing_how { DFI_CHOOSE_BEST, DFI_CHOOSE_PICKED, DFI_CHOOSE_TUNE };
struct dfi_tuning;
struct dfi_choosing {
    df_pick pick;                  /* to be launched next */
    struct dfi_tuning *tuning;
    int left;                      /* launches of a list that is not measured */
    df_result result;
};

DFI_EXTERN_C_BEGIN
DFI_API int dfi_at_most(df_candidate *c, const char *what, double a, const char *name, double most);
DFI_API df_pick dfi_kernel_pick(struct dfi_variants *v, df_ndrange n, const df_pick_opts *o);
DFI_API size_t dfi_kernel_explain(struct dfi_variants *v, df_ndrange n, const df_pick_opts *o, char *text,
                                  size_t bytes);
DFI_API df_result dfi_kernel_needs(struct dfi_kernel *k, int device, int bx, int by, int bz, df_kernel_needs *needs);
DFI_API void dfi_choose_begin(struct dfi_choosing *c, enum dfi_choosing_how how, struct dfi_variants *v,
                              const df_pick *p, const df_opts *o, const df_pick_opts *t, const char *site,
                              df_ndrange n, const struct dfi_kernel *k, const void *args);
DFI_API int dfi_choose_next(struct dfi_choosing *c);
DFI_API df_result dfi_tune_by(struct dfi_variants *v, const df_pick_opts *o, const char *site, df_ndrange n,
                              void (*fn)(const df_pick *p, void *arg), void *arg);
DFI_EXTERN_C_END

/* --- declarations for a kernel ------------------------------------------------------------------------ */

#define DFI_KERNEL_CHOOSE(name, n, ...)                                                                          \
    typedef void name##_dfi_launch_fn(const struct df_opts *dfi_o, const char *dfi_site,                         \
                                      DFI_LIST_##n(DFI_PROTO, __VA_ARGS__));                                     \
    typedef df_result name##_dfi_choose_fn(enum dfi_choosing_how dfi_how, struct dfi_variants *dfi_v,            \
                                           const struct df_pick *dfi_k,                                          \
                                           const struct df_opts *dfi_o, const struct df_pick_opts *dfi_t,        \
                                           const char *dfi_site, DFI_LIST_##n(DFI_PROTO, __VA_ARGS__));          \
    DFI_UNUSED static df_result name##_dfi_choose(enum dfi_choosing_how dfi_how, struct dfi_variants *dfi_v,     \
                                                  const struct df_pick *dfi_k,                                   \
                                                  const struct df_opts *dfi_o, const struct df_pick_opts *dfi_t, \
                                                  const char *dfi_site, DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))    \
    {                                                                                                            \
        const struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };                            \
        struct dfi_choosing dfi_c;                                                                               \
        dfi_choose_begin(&dfi_c, dfi_how, dfi_v, dfi_k, dfi_o, dfi_t, dfi_site, dfi_grid, &name##_dfi_kernel,    \
                         (const void *)&dfi_a);                                                                  \
        while (dfi_choose_next(&dfi_c)) {                                                                        \
            dfi_grid = dfi_c.pick.grid;                                                                          \
            ((name##_dfi_launch_fn *)dfi_c.pick.dfi_launch)(&dfi_c.pick.opts,                                    \
                                                            dfi_site DFI_EACH_##n(DFI_ALSO, __VA_ARGS__));       \
        }                                                                                                        \
        return dfi_c.result;                                                                                     \
    }

/* --- expansion of DF_VARIANTS ----------------------------------------------------------------------------- */

#define DFI_VARIANTS(list, ...) DFI_CAT(DFI_VARIANTS_, DFI_COUNT_8(__VA_ARGS__))(list, __VA_ARGS__)
/* The number of arguments, 1 to 8. For 9 to 32 arguments: MANY. */
#define DFI_COUNT_8(...) DFI_COUNT_(__VA_ARGS__, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, \
    MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define DFI_VARIANTS_1(list, ...) DFI_VARIANTS_GO(list, 1, DFI_LIST_1(DFI_VARIANT_TUPLE, __VA_ARGS__))
#define DFI_VARIANTS_2(list, ...) DFI_VARIANTS_GO(list, 2, DFI_LIST_2(DFI_VARIANT_TUPLE, __VA_ARGS__))
#define DFI_VARIANTS_3(list, ...) DFI_VARIANTS_GO(list, 3, DFI_LIST_3(DFI_VARIANT_TUPLE, __VA_ARGS__))
#define DFI_VARIANTS_4(list, ...) DFI_VARIANTS_GO(list, 4, DFI_LIST_4(DFI_VARIANT_TUPLE, __VA_ARGS__))
#define DFI_VARIANTS_5(list, ...) DFI_VARIANTS_GO(list, 5, DFI_LIST_5(DFI_VARIANT_TUPLE, __VA_ARGS__))
#define DFI_VARIANTS_6(list, ...) DFI_VARIANTS_GO(list, 6, DFI_LIST_6(DFI_VARIANT_TUPLE, __VA_ARGS__))
#define DFI_VARIANTS_7(list, ...) DFI_VARIANTS_GO(list, 7, DFI_LIST_7(DFI_VARIANT_TUPLE, __VA_ARGS__))
#define DFI_VARIANTS_8(list, ...) DFI_VARIANTS_GO(list, 8, DFI_LIST_8(DFI_VARIANT_TUPLE, __VA_ARGS__))
#define DFI_VARIANTS_MANY(list, ...) \
    DFI_STATIC_ASSERT(0, "df_gpu.h: DF_VARIANTS(" #list ", ...) has more than 8 variants")

/* a variant as written: (kernel, fields), or only the kernel */
#define DFI_VARIANT_TUPLE(t) DFI_CAT(DFI_VARIANT_TUPLE_, DFI_IS_PAREN(t))(t)
#define DFI_VARIANT_TUPLE_1(t) t
#define DFI_VARIANT_TUPLE_0(t) (t)
#define DFI_VARIANT_FIRST(...) DFI_FIRST(__VA_ARGS__, ~)
#define DFI_VARIANT_SECOND(...) DFI_SECOND(__VA_ARGS__, ~)

#define DFI_VARIANTS_GO(...) DFI_VARIANTS_GO_(__VA_ARGS__)
#define DFI_VARIANTS_GO_(list, n, ...) \
    DFI_VARIANTS_MAKE(list, n, DFI_VARIANT_FIRST(DFI_VARIANT_KERNELS(n, __VA_ARGS__)), __VA_ARGS__)
#define DFI_VARIANT_KERNELS(n, ...) DFI_LIST_##n(DFI_VARIANT_KERNEL, __VA_ARGS__)
#define DFI_VARIANT_KERNEL(t) DFI_VARIANT_FIRST t

#define DFI_VARIANTS_MAKE(...) DFI_VARIANTS_MAKE_(__VA_ARGS__)
#define DFI_VARIANTS_MAKE_(list, n, first, ...)                                                           \
    DFI_WITH_##n(DFI_VARIANT_SAME, (list, first), __VA_ARGS__)                                            \
    DFI_UNUSED static first##_dfi_choose_fn *const list##_dfi_choose = first##_dfi_choose;                \
    static const df_variant list##_dfi_variant[] = { DFI_LIST_##n(DFI_VARIANT_ROW, __VA_ARGS__) };        \
    static const struct dfi_variant_of list##_dfi_of[] = { DFI_LIST_##n(DFI_VARIANT_OF, __VA_ARGS__) };   \
    static struct dfi_choices list##_dfi_choices;                                                         \
    DFI_UNUSED static struct dfi_variants list##_dfi_variants = { #list, __FILE__, n, list##_dfi_variant, \
        list##_dfi_of, &list##_dfi_choices }

/* the fields of a row; a row without any is zero */
#define DFI_VARIANT_ROW(t) DFI_CAT(DFI_VARIANT_ROW_, DFI_IS_EMPTY(DFI_VARIANT_SECOND(DFI_OPEN t, , ~))) t
#define DFI_VARIANT_ROW_0(k, ...) { __VA_ARGS__ }
#define DFI_VARIANT_ROW_1(k) { { { 0 } }, { 0 }, 0, NULL, NULL }
#define DFI_VARIANT_OF(t) DFI_VARIANT_OF_(DFI_VARIANT_FIRST t)
#define DFI_VARIANT_OF_(k) DFI_VARIANT_OF_GO(k)
#define DFI_VARIANT_OF_GO(k) { #k, &k##_dfi_kernel, (void (*)(void))k##_dfi_launch }

/* All kernels of a list have the same parameters. In C++ the conversion to the type of the first is refused. */
#define DFI_VARIANT_SAME(c, t) DFI_VARIANT_SAME_GO(DFI_OPEN c, DFI_VARIANT_FIRST t)
#define DFI_VARIANT_SAME_GO(...) DFI_VARIANT_SAME_(__VA_ARGS__)
#if defined(__cplusplus)
#define DFI_VARIANT_SAME_(list, first, k)                                             \
    DFI_STATIC_ASSERT((dfi_same_type<first##_dfi_launch_fn, k##_dfi_launch_fn>::yes), \
                      DFI_VARIANT_NOT_SAME(list, first, k));
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define DFI_VARIANT_SAME_(list, first, k)                                               \
    DFI_STATIC_ASSERT(_Generic(k##_dfi_launch, first##_dfi_launch_fn *: 1, default: 0), \
                      DFI_VARIANT_NOT_SAME(list, first, k));
#else
#define DFI_VARIANT_SAME_(list, first, k)
#endif
#define DFI_VARIANT_NOT_SAME(list, first, k) \
    "df_gpu.h: DF_VARIANTS(" #list ", ...): kernel " #k " must have the same parameters as kernel " #first

#endif
