/* kernel.h - the expansion of one DF_KERNEL line
 *
 * A kernel f with parameters P is a task of the host, f(df_ndrange, P), with all that DF_TASK declares, and
 *     f_dfi_item(dfi_w, P)                      the body for one work-item
 *     f_dfi_items(w, lo, hi, arguments)         for a box of the work-items of a group
 *     f_dfi_kernel                              its text, and how to call it from an argument record
 *     f_dfi_launch(options, site, grid, P)      the function that df_launch calls
 * DF_DEVICE_TASK generates the same for a function that puts its work into a queue of a device. */
#ifndef DFI_API_KERNEL_H
#define DFI_API_KERNEL_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/pp.h"
#include "access.h"
#include "declare.h"
#include "param.h"
#include "task.h"

/* One work-item's place, given to the body by value so that it lives in registers. */
struct dfi_work {
    int at[3];                  /* of all */
    int id[3], size[3];         /* in its group; work-items per group */
    int group[3], groups[3];    /* which group; how many */
    struct dfi_host_group *now; /* the group as it runs: its memory, its barrier (gpu/host/host.h) */
    unsigned shared;            /* arrays of df_shared so far */
};

enum dfi_param_kind { DFI_P_VALUE, DFI_P_ARRAY, DFI_P_BLOCK, DFI_P_REDUCE };

struct dfi_access;
struct df_queue;

/* One parameter of a kernel: texts as written, for the source text generated for the device. */
struct dfi_param {
    int kind;
    unsigned mode;                   /* DFI_IN .. DFI_REDUCE */
    const char *type, *name;         /* of the value, or of an element */
    const char *rows, *cols, *ld;    /* the shape as written; an array has rows only */
    unsigned at;                     /* offset in the argument record */
    unsigned bytes;                  /* of the value, or of an element */
    const char *op;                  /* DFI_P_REDUCE: the name of the operator; combine: its function */
    void (*combine)(void *into, const void *from, size_t n);
};

/* Text that kernels may use: helper functions, types, constants. */
struct dfi_code { const char *text, *file; int line; };

struct dfi_kernel {
    const char *name, *file;
    int line;
    const char *text;                /* the parameters and the body, as written, with commas in between */
    const struct dfi_code *code;     /* or NULL */
    const struct dfi_param *param;
    int n_params;                    /* without the grid, which the argument record begins with */
    size_t args_bytes;
    /* fills x with the accesses of these arguments, in the order of the parameters that are not values; returns their
     * number */
    unsigned (*accesses)(const void *args, struct dfi_access *x);
    void (*items)(const struct dfi_work *w, const int *lo, const int *hi, const void *args);
    void (*here)(const void *args);  /* the function that the host runs instead of the text (DF_KERNEL_OR); or NULL */
    /* a function for the device's queue, instead of a text; or NULL */
    void (*call)(struct df_queue *q, const void *args);
    /* for each device, made when first needed; under the engine's lock (gpu/launch/state.h) */
    struct dfi_built *built;
    unsigned opened;                 /* the opening of the devices that `built` belongs to; earlier ones are freed */
    /* without a device (gpu/kernel/try.h): 0 not yet, 1 yes, 2: a compiler refused it */
    DFI_ATOMIC(int) tried;
    /* 2: compiled for each size of group; 1: not; 0: not known. Under the engine's lock */
    int blocks;
};

struct df_opts;
struct df_pick_opts;
struct df_pick;
struct dfi_variants;
struct dfi_type;
DFI_EXTERN_C_BEGIN
DFI_API void dfi_kernel_here(const struct dfi_kernel *k, const void *args);
DFI_API void dfi_barrier(struct dfi_host_group *g);
DFI_API void *dfi_shared(struct dfi_host_group *g, unsigned which, size_t bytes);
#if !defined(DF_SERIAL)
DFI_API int dfi_gpu_ready(void);
DFI_API void dfi_launch(const struct df_opts *o, const char *site, const struct dfi_type *type,
                        const struct dfi_type *host, struct dfi_kernel *k, void *args);
DFI_API void dfi_launch_run(struct dfi_kernel *k, void *args);
#endif
DFI_EXTERN_C_END

/* --- from the arguments of DF_KERNEL to parameters and body ---------------------------------------
 * Parameters are in parentheses, once their words are expanded; the body is the rest. It may contain commas. */
#define DFI_FIRST(a, ...) a
#define DFI_KERNEL(c, name, text, ...)       DFI_KERNEL_BEGIN(DFI_KERNEL_MAKE, c, name, text, __VA_ARGS__)
#define DFI_KERNEL_OR(here, name, text, ...) DFI_KERNEL_BEGIN(DFI_KERNEL_OR_MAKE, here, name, text, __VA_ARGS__)
#define DFI_DEVICE_TASK(name, ...)           DFI_KERNEL_BEGIN(DFI_DEVICE_MAKE, NULL, name, "", __VA_ARGS__)
#define DFI_KERNEL_BEGIN(M, c, name, text, ...) \
    DFI_KERNEL_NEXT(1, __VA_ARGS__)(M, c, name, text, ((dfi_f_value, dfi_m_value, df_ndrange, dfi_grid)), __VA_ARGS__)
/* The next argument is parameter k, or begins the body. The grid and the parameters so far are in the list p. */
#define DFI_KERNEL_NEXT(k, ...) DFI_CAT(DFI_KERNEL_NEXT_, DFI_IS_PAREN(DFI_FIRST(__VA_ARGS__, ~)))(k)
#define DFI_KERNEL_NEXT_0(k) DFI_KERNEL_GO
#define DFI_KERNEL_NEXT_1(k) DFI_KERNEL_AT_##k
#define DFI_KERNEL_ADD(p, x) (DFI_OPEN p, DFI_NORM(x))
#define DFI_KERNEL_AT_1(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(2, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_2(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(3, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_3(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(4, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_4(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(5, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_5(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(6, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_6(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(7, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_7(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(8, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_8(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(9, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_9(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(10, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_10(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(11, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_11(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(12, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_12(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(13, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_13(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(14, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_14(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(15, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_15(M, c, name, text, p, x, ...) \
    DFI_KERNEL_NEXT(16, __VA_ARGS__)(M, c, name, text, DFI_KERNEL_ADD(p, x), __VA_ARGS__)
#define DFI_KERNEL_AT_16(M, c, name, text, ...) \
    DFI_STATIC_ASSERT(0, "df_gpu.h: kernel " #name " has more than 15 parameters; put some of them into a struct");

#define DFI_KERNEL_GO(M, c, name, text, params, ...) \
    DFI_KERNEL_GO_(M, c, name, text, DFI_COUNT params, (__VA_ARGS__), DFI_OPEN params)
#define DFI_KERNEL_GO_(...) DFI_KERNEL_KNOWN(__VA_ARGS__)
#define DFI_KERNEL_KNOWN(M, c, name, text, n, body, ...) \
    DFI_CAT(DFI_KERNEL_KNOWN_, DFI_IS_EMPTY(DFI_EACH_##n(DFI_NOT_KERNEL, __VA_ARGS__))) \
    (M, c, name, text, n, body, __VA_ARGS__)
#define DFI_KERNEL_KNOWN_1(M, c, name, text, n, body, ...) \
    DFI_KERNEL_VALUES(name, __VA_ARGS__, DFI_NO_1) M(c, name, text, n, body, __VA_ARGS__)
#define DFI_KERNEL_VALUES(name, grid, ...) DFI_ARGS_OK(kernel, name, __VA_ARGS__)
#define DFI_KERNEL_KNOWN_0(M, c, name, text, n, body, grid, ...) DFI_NUMBERED(DFI_KERNEL_TELL, name, __VA_ARGS__)
#define DFI_KERNEL_TELL(name, k, t) DFI_CAT(DFI_KERNEL_TELL_, DFI_IS_EMPTY(DFI_NOT_KERNEL(t)))(name, k, t)
#define DFI_KERNEL_TELL_1(name, k, t)
#define DFI_KERNEL_TELL_0(name, k, t)                                                                           \
    DFI_STATIC_ASSERT(0, "df_gpu.h: parameter " #k " of kernel " #name " is `" DFI_TEXT(t) "`: a kernel parameter is " \
                         "(type, name) or df_in/df_out/df_inout/df_commute/df_concurrent/df_reduce(...), "      \
                         "df_in2/df_out2/df_inout2/df_commute2(...); df_limit and df_owm_in/out/inout are for tasks");

/* a token for a parameter that a kernel cannot have */
#define DFI_NOT_KERNEL(t) DFI_NOT_KERNEL_ t
#define DFI_NOT_KERNEL_(form, mode, ...) DFI_NOT_KERNEL_##form(mode)
#define DFI_NOT_KERNEL_dfi_f_none(mode)
#define DFI_NOT_KERNEL_dfi_f_value(mode)
#define DFI_NOT_KERNEL_dfi_f_array(mode) DFI_CAT(DFI_NOT_KERNEL_, mode)
#define DFI_NOT_KERNEL_dfi_f_block(mode) DFI_CAT(DFI_NOT_KERNEL_, mode)
#define DFI_NOT_KERNEL_dfi_f_reduce(mode)
#define DFI_NOT_KERNEL_dfi_f_reduce2(mode) *
#define DFI_NOT_KERNEL_dfi_f_range(mode) *
#define DFI_NOT_KERNEL_dfi_f_pop(mode)   *
#define DFI_NOT_KERNEL_dfi_f_peek(mode)  *
#define DFI_NOT_KERNEL_dfi_f_popv(mode)  *
#define DFI_NOT_KERNEL_dfi_f_owm(mode)   *
#define DFI_NOT_KERNEL_dfi_f_wrong(mode) *
#define DFI_NOT_KERNEL_dfi_m_in
#define DFI_NOT_KERNEL_dfi_m_read       *
#define DFI_NOT_KERNEL_dfi_m_out
#define DFI_NOT_KERNEL_dfi_m_inout
#define DFI_NOT_KERNEL_dfi_m_commute
#define DFI_NOT_KERNEL_dfi_m_concurrent
#define DFI_NOT_KERNEL_dfi_m_weak_in    *
#define DFI_NOT_KERNEL_dfi_m_weak_out   *
#define DFI_NOT_KERNEL_dfi_m_weak_inout *

/* a row of the parameter table; the grid, always the first, is none */
#define DFI_PARAM(f, t) DFI_PARAM_(f, DFI_OPEN t)
#define DFI_PARAM_(...) DFI_PARAM_GO(__VA_ARGS__)
#define DFI_PARAM_GO(f, form, mode, ...) DFI_PARAM_##form(f, mode, __VA_ARGS__)
#define DFI_PARAM_dfi_f_value(f, mode, T, x) \
    { DFI_P_VALUE, 0, #T, #x, NULL, NULL, NULL, DFI_AT(f, x), (unsigned)sizeof(T), NULL, NULL },
#define DFI_PARAM_dfi_f_array(f, mode, T, p, n) \
    { DFI_P_ARRAY, DFI_MODE_##mode, #T, #p, #n, NULL, NULL, DFI_AT(f, p), (unsigned)sizeof(T), NULL, NULL },
#define DFI_PARAM_dfi_f_block(f, mode, T, p, rows, cols, ld) \
    { DFI_P_BLOCK, DFI_MODE_##mode, #T, #p, #rows, #cols, #ld, DFI_AT(f, p), (unsigned)sizeof(T), NULL, NULL },
#define DFI_PARAM_dfi_f_reduce(f, op_, T, p, n) \
    { DFI_P_REDUCE, DFI_REDUCE, #T, #p, #n, NULL, NULL, DFI_AT(f, p), (unsigned)sizeof(T), #op_, f##_dfi_op_##p },

/* marks a parameter as used */
#define DFI_TOUCH(t) (void)DFI_NAME(t);

/* The body for one item: `dfi_w` is its place, which df_global_id(0) and the others read. */
#define DFI_KERNEL_MAKE(c, name, text, n, body, ...)                                                            \
    DFI_TASK_GO(static, void, 1, name, n, __VA_ARGS__);                                                         \
    DFI_KERNEL_ITEMS(name, n, __VA_ARGS__)                                                                      \
    DFI_KERNEL_RECORD(c, name, #name, text, name##_dfi_items, NULL, NULL, n, __VA_ARGS__)                       \
    static void name(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                                                      \
    {                                                                                                           \
        const struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };                           \
        dfi_kernel_here(&name##_dfi_kernel, (const void *)&dfi_a);                                              \
    }                                                                                                           \
    DFI_KERNEL_LAUNCH(name, n, __VA_ARGS__)                                                                     \
    DFI_KERNEL_BODY(name, n, body, __VA_ARGS__)
#define DFI_KERNEL_BODY(name, n, body, ...)                                                                     \
    static void name##_dfi_item(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__), struct dfi_work dfi_w)                    \
    {                                                                                                           \
        DFI_EACH_##n(DFI_TOUCH, __VA_ARGS__)                                                                    \
        (void)dfi_w;                                                                                            \
        DFI_OPEN body                                                                                           \
    }                                                                                                           \
    DFI_STATIC_ASSERT(sizeof(name##_future) > 0, "df_gpu.h");
/* The same where a function of the user, with the grid in front of its parameters, takes the host's part: it comes
 * in the place of c. */
#define DFI_KERNEL_OR_MAKE(here, name, text, n, body, ...)                                                      \
    void here(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__));                                                            \
    DFI_TASK_GO(static, void, 1, name, n, __VA_ARGS__);                                                         \
    DFI_KERNEL_ITEMS(name, n, __VA_ARGS__)                                                                      \
    static void name##_dfi_here(const void *dfi_p)                                                              \
    {                                                                                                           \
        const struct name##_dfi_args *dfi_a = (const struct name##_dfi_args *)dfi_p;                            \
        here(DFI_LIST_##n(DFI_LOAD, __VA_ARGS__));                                                              \
    }                                                                                                           \
    DFI_KERNEL_RECORD(NULL, name, #name, text, name##_dfi_items, name##_dfi_here, NULL, n, __VA_ARGS__)         \
    static void name(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__)) { here(DFI_LIST_##n(DFI_NAME, __VA_ARGS__)); }       \
    DFI_KERNEL_LAUNCH(name, n, __VA_ARGS__)                                                                     \
    DFI_KERNEL_BODY(name, n, body, __VA_ARGS__)
#define DFI_KERNEL_ITEMS(name, n, ...)                                                                     \
    static void name##_dfi_item(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__), struct dfi_work dfi_w);              \
    static void name##_dfi_items(const struct dfi_work *dfi_o, const int *dfi_lo, const int *dfi_hi,       \
                                 const void *dfi_p)                                                        \
    {                                                                                                      \
        const struct name##_dfi_args dfi_l = *(const struct name##_dfi_args *)dfi_p, *dfi_a = &dfi_l;      \
        struct dfi_work dfi_w = *dfi_o;                                                                    \
        const int dfi_x = dfi_w.group[0] * dfi_w.size[0], dfi_y = dfi_w.group[1] * dfi_w.size[1];          \
        const int dfi_z = dfi_w.group[2] * dfi_w.size[2];                                                  \
        const int dfi_ex = dfi_x + dfi_hi[0], dfi_ey = dfi_y + dfi_hi[1], dfi_ez = dfi_z + dfi_hi[2];      \
        int dfi_i, dfi_j, dfi_k;                                                                           \
        for (dfi_k = dfi_z + dfi_lo[2]; dfi_k < dfi_ez; dfi_k++)                                           \
            for (dfi_j = dfi_y + dfi_lo[1]; dfi_j < dfi_ey; dfi_j++)                                       \
                for (dfi_i = dfi_x + dfi_lo[0]; dfi_i < dfi_ex; dfi_i++) {                                 \
                    dfi_w.at[0] = dfi_i, dfi_w.at[1] = dfi_j, dfi_w.at[2] = dfi_k;                         \
                    dfi_w.id[0] = dfi_i - dfi_x, dfi_w.id[1] = dfi_j - dfi_y, dfi_w.id[2] = dfi_k - dfi_z; \
                    name##_dfi_item(DFI_LIST_##n(DFI_LOAD, __VA_ARGS__), dfi_w);                           \
                }                                                                                          \
    }
#define DFI_KERNEL_RECORD(c, name, title, text, items, here, call, n, ...)                              \
    static unsigned name##_dfi_list(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__), struct dfi_access *dfi_x)     \
    {                                                                                                   \
        unsigned dfi_n = 0;                                                                             \
        DFI_EACH_##n(DFI_TOUCH, __VA_ARGS__)                                                            \
        (void)dfi_x;                                                                                    \
        DFI_WITH_##n(DFI_ACCESS, name, __VA_ARGS__)                                                     \
        return dfi_n;                                                                                   \
    }                                                                                                   \
    static unsigned name##_dfi_touched(const void *dfi_p, struct dfi_access *dfi_x)                     \
    {                                                                                                   \
        const struct name##_dfi_args *dfi_a = (const struct name##_dfi_args *)dfi_p;                    \
        return name##_dfi_list(DFI_LIST_##n(DFI_LOAD, __VA_ARGS__), dfi_x);                             \
    }                                                                                                   \
    static const struct dfi_param name##_dfi_params[] = { DFI_WITH_##n(DFI_PARAM, name, __VA_ARGS__) }; \
    DFI_UNUSED static struct dfi_kernel name##_dfi_kernel = { title, __FILE__, __LINE__, text, c,       \
        name##_dfi_params + 1, n - 1,                                                                   \
        sizeof(struct name##_dfi_args), name##_dfi_touched, items, here, call, NULL, 0, 0, 0 };
#if defined(DF_SERIAL)
#define DFI_KERNEL_LAUNCH(name, n, ...)                                                                        \
    DFI_UNUSED static void name##_dfi_launch(const struct df_opts *dfi_o, const char *dfi_site,                 \
                                             DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                              \
    {                                                                                                           \
        static struct df_opts dfi_none; /* with a line, for DF_GRAPH */                                         \
        name##_dfi_with(dfi_o ? dfi_o : &dfi_none, dfi_site DFI_EACH_##n(DFI_ALSO, __VA_ARGS__));               \
    }                                                                                                           \
    DFI_KERNEL_CHOOSE(name, n, __VA_ARGS__)
#else
#define DFI_KERNEL_LAUNCH(name, n, ...)                                                                        \
    static void name##_dfi_launch_run(void *dfi_p, void *dfi_r)                                                 \
    {                                                                                                           \
        (void)dfi_r;                                                                                            \
        dfi_launch_run(&name##_dfi_kernel, dfi_p);                                                              \
    }                                                                                                           \
    static const struct dfi_type name##_dfi_launch_type = {                                                     \
        name##_dfi_launch_run, #name, offsetof(struct name##_dfi_future, dfi_args), 0,                          \
        sizeof(struct name##_dfi_args), DFI_LAUNCH DFI_EACH_##n(DFI_MODES, __VA_ARGS__),                        \
        "" DFI_EACH_##n(DFI_LABEL, __VA_ARGS__) };                                                              \
    DFI_UNUSED static void name##_dfi_launch(const struct df_opts *dfi_o, const char *dfi_site,                 \
                                             DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                              \
    {                                                                                                           \
        struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };                                 \
        dfi_launch(dfi_o, dfi_site, &name##_dfi_launch_type, &name##_dfi_type, &name##_dfi_kernel, (void *)&dfi_a); \
    }                                                                                                           \
    DFI_KERNEL_CHOOSE(name, n, __VA_ARGS__)
#endif

/* A function for a device's queue is f(df_queue *, P), which the user defines; f_dfi_host, a task of the host, calls it
 * without a queue. Its launches have a grid of one item. */
#define DFI_DEVICE_MAKE(c, name, text, n, body, ...) \
    DFI_DEVICE_MAKE_(name, name##_dfi_host, n, DFI_CAT(DFI_DEC_, n), __VA_ARGS__)
#define DFI_DEVICE_MAKE_(...) DFI_DEVICE_MAKE_GO(__VA_ARGS__)
#define DFI_DEVICE_MAKE_GO(name, host, n, m, grid, ...)                                                         \
    void name(df_queue *dfi_q DFI_EACH_##m(DFI_MORE, __VA_ARGS__));                                             \
    DFI_TASK_GO(static, void, 1, host, n, grid, __VA_ARGS__);                                                   \
    static void host##_dfi_call(df_queue *dfi_q, const void *dfi_p)                                             \
    {                                                                                                           \
        const struct host##_dfi_args *dfi_a = (const struct host##_dfi_args *)dfi_p;                            \
        name(dfi_q, DFI_LIST_##m(DFI_LOAD, __VA_ARGS__));                                                       \
    }                                                                                                           \
    DFI_KERNEL_RECORD(NULL, host, #name, "", NULL, NULL, host##_dfi_call, n, grid, __VA_ARGS__)                       \
    static void host(DFI_LIST_##n(DFI_PROTO, grid, __VA_ARGS__))                                                \
    {                                                                                                           \
        df_queue dfi_q = { DF_HOST, "host", NULL };                                                             \
        (void)dfi_grid;                                                                                         \
        name(&dfi_q DFI_EACH_##m(DFI_ALSO, __VA_ARGS__));                                                       \
    }                                                                                                           \
    DFI_KERNEL_LAUNCH(host, n, grid, __VA_ARGS__)                                                               \
    DFI_UNUSED static void name##_dfi_launch(const struct df_opts *dfi_o, const char *dfi_site                  \
                                             DFI_EACH_##m(DFI_MORE, __VA_ARGS__))                               \
    {                                                                                                           \
        static const df_ndrange dfi_grid = { { 1, 1, 1 }, { 1, 1, 1 } };                                        \
        host##_dfi_launch(dfi_o, dfi_site, dfi_grid DFI_EACH_##m(DFI_ALSO, __VA_ARGS__));                       \
    }                                                                                                           \
    DFI_STATIC_ASSERT(sizeof(host##_future) > 0, "df_gpu.h")
#define DFI_DEC_2 1
#define DFI_DEC_3 2
#define DFI_DEC_4 3
#define DFI_DEC_5 4
#define DFI_DEC_6 5
#define DFI_DEC_7 6
#define DFI_DEC_8 7
#define DFI_DEC_9 8
#define DFI_DEC_10 9
#define DFI_DEC_11 10
#define DFI_DEC_12 11
#define DFI_DEC_13 12
#define DFI_DEC_14 13
#define DFI_DEC_15 14
#define DFI_DEC_16 15

#endif
