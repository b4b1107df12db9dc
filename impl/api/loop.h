/* loop.h - expansion of a DF_LOOP or DF_PIPE line
 *
 * For a loop f with parameters P:
 *     void f(long lo, long hi, P)               the user's function
 *     struct f_dfi_args, f_dfi_range            its arguments, and the call from them
 *     f_dfi_for(options, vectors, site, lo, hi, P)   the function that df_for and df_wavefront call
 * A loop over pointers runs over their distances from the first one, which is in its arguments.
 * For a pipe f over items of type T: int f(int, T *, long, void *), f_dfi_stage, f_dfi_pipe. */
#ifndef DFI_API_LOOP_H
#define DFI_API_LOOP_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/pp.h"
#include "access.h"
#include "declare.h"
#include "need.h"
#include "param.h"
#include "throw.h"

/* One per declared loop. bounds: lo and hi of each dimension, as long values. */
struct dfi_loop_type {
    void (*run)(const long *bounds, void *args);
    const char *name;
    size_t args_bytes;
    int dims;
    unsigned modes; /* access modes of all parameters together */
};
enum { DFI_LOOP_DIMS = 4, DFI_WAVE_DIMS = 3 }; /* dimensions of a loop and of a wavefront, at most */

/* One per declared pipe. */
struct dfi_pipe_type {
    int (*run)(int stage, void *item, long i, void *ctx);
    const char *name;
    size_t item_bytes;
};

/* The result of a stage is the next stage, with this bit if items enter it in order, or one of the negative codes. */
enum { DFI_STAGE_IN_ORDER = 1 << 29, DFI_STAGE_WRONG = -3 };

struct df_loop;
struct df_pipe_opts;
struct dfi_access;
DFI_EXTERN_C_BEGIN
/* Runs a loop; vectors: those of df_wavefront, or NULL. The exception of its work is stored in *threw, unless NULL. */
DFI_API void dfi_for(const struct dfi_loop_type *type, const struct df_loop *o, const long (*vectors)[3],
                     const char *site, const long *bounds, void *args, struct dfi_access *x, unsigned n,
                     struct dfi_exception *threw);
DFI_API void dfi_first_touch(void *p, size_t bytes, const char *site);
DFI_API long dfi_pipe(const struct dfi_pipe_type *type, const struct df_pipe_opts *o, const char *site, void *ctx,
                      struct dfi_exception *threw);
DFI_EXTERN_C_END

/* The last statement of df_for, df_wavefront and df_pipe. */
#if DFI_EXCEPTIONS
#define DFI_CALL_FOR(...) DFI_RETHROWS(dfi_for(__VA_ARGS__, &dfi_thrown))
#define DFI_CALL_PIPE(...) long dfi_n; DFI_RETHROWS(dfi_n = dfi_pipe(__VA_ARGS__, &dfi_thrown)); return dfi_n;
#else
#define DFI_CALL_FOR(...) dfi_for(__VA_ARGS__, NULL)
#define DFI_CALL_PIPE(...) return dfi_pipe(__VA_ARGS__, NULL);
#endif

/* --- loops -------------------------------------------------------------------------------------- */

/* linkage: `extern` or `static`; d: dimensions, of T long, or dfi_pointer, for a loop over pointers to T; the variadic
 * part: name, then 0 to 16 parameters. */
#define DFI_LOOP(linkage, d, T, ...) DFI_PARAMS(DFI_LOOP_GO, (linkage, d, T), __VA_ARGS__)
#define DFI_LOOP_GO_TOO_MANY(name) \
    DFI_STATIC_ASSERT(0, "df.h: loop " #name " has more than 16 parameters; put some of them into a struct")
#define DFI_LOOP_GO(...) DFI_LOOP_GO_(__VA_ARGS__)
#define DFI_LOOP_GO_(linkage, d, T, name, n, ...) \
    DFI_CAT(DFI_LOOP_MAKE_, DFI_IS_EMPTY(DFI_EACH_##n(DFI_LOOP_BAD, __VA_ARGS__)))(linkage, d, T, name, n, __VA_ARGS__)
#define DFI_LOOP_MAKE_0(linkage, d, T, name, n, ...) \
    DFI_NUMBERED(DFI_LOOP_TELL, name, __VA_ARGS__) DFI_STATIC_ASSERT(1, "df.h")
#define DFI_LOOP_TELL(name, k, t) DFI_CAT(DFI_LOOP_TELL_, DFI_IS_EMPTY(DFI_LOOP_BAD(t)))(name, k, t)
#define DFI_LOOP_TELL_1(name, k, t)
#define DFI_LOOP_TELL_0(name, k, t)                                                                           \
    DFI_STATIC_ASSERT(0, "df.h: parameter " #k " of loop " #name " is `" DFI_TEXT(t) "`: a loop parameter is " \
                         "(type, name) or df_in/df_out/df_inout/df_reduce/...(type, pointer, count); "        \
                         "df_limit and df_owm_in/out/inout are for tasks: acquire before the loop, or in its body");

/* as a check: empty for the forms that a loop may have; streams are for tasks only */
#define DFI_LOOP_BAD(t) DFI_LOOP_BAD_ t
#define DFI_LOOP_BAD_(form, ...) DFI_LOOP_BAD_##form
#define DFI_LOOP_BAD_dfi_f_none
#define DFI_LOOP_BAD_dfi_f_value
#define DFI_LOOP_BAD_dfi_f_array
#define DFI_LOOP_BAD_dfi_f_block
#define DFI_LOOP_BAD_dfi_f_range
#define DFI_LOOP_BAD_dfi_f_reduce
#define DFI_LOOP_BAD_dfi_f_reduce2

/* as the arguments after the bounds in the call of the function, from the record dfi_a */
#define DFI_AND(t) DFI_AND_ t
#define DFI_AND_(form, mode, ...) DFI_AND_##form(__VA_ARGS__)
#define DFI_AND_dfi_f_none(T, x)
#define DFI_AND_dfi_f_value(T, x)                     , DFI_LOOK_AT(T, dfi_a->x)
#define DFI_AND_dfi_f_array(T, p, n)                  , dfi_a->p
#define DFI_AND_dfi_f_block(T, p, rows, cols, ld)     , dfi_a->p
#define DFI_AND_dfi_f_reduce(T, p, n)                 , dfi_a->p
#define DFI_AND_dfi_f_reduce2(T, p, rows, cols, ld)   , dfi_a->p
#define DFI_AND_dfi_f_range(T, b, e)                  , dfi_a->b, dfi_a->e

/* as the initialiser of the record. The record does not outlive the call of df_for, so an object is not moved. */
#define DFI_LEND(t) DFI_LEND_ t
#define DFI_LEND_(form, mode, ...) DFI_LEND_##form(__VA_ARGS__)
#define DFI_LEND_dfi_f_none    DFI_INIT_dfi_f_none
#define DFI_LEND_dfi_f_value(T, x) DFI_LEND_TO(T, x)
#define DFI_LEND_dfi_f_array   DFI_INIT_dfi_f_array
#define DFI_LEND_dfi_f_block   DFI_INIT_dfi_f_block
#define DFI_LEND_dfi_f_reduce  DFI_INIT_dfi_f_reduce
#define DFI_LEND_dfi_f_reduce2 DFI_INIT_dfi_f_reduce2
#define DFI_LEND_dfi_f_range   DFI_INIT_dfi_f_range

/* the bounds as parameters, as arguments from dfi_b, and as the initialiser of an array */
#define DFI_LOOP_BOUNDS_1(T) T dfi_lo, T dfi_hi
#define DFI_LOOP_BOUNDS_2(T) DFI_LOOP_BOUNDS_1(T), T dfi_lo1, T dfi_hi1
#define DFI_LOOP_BOUNDS_3(T) DFI_LOOP_BOUNDS_2(T), T dfi_lo2, T dfi_hi2
#define DFI_LOOP_BOUNDS_4(T) DFI_LOOP_BOUNDS_3(T), T dfi_lo3, T dfi_hi3
#define DFI_LOOP_BOUNDS_dfi_pointer(T) T *dfi_lo, T *dfi_hi
#define DFI_LOOP_CALL_1 dfi_b[0], dfi_b[1]
#define DFI_LOOP_CALL_2 dfi_b[0], dfi_b[1], dfi_b[2], dfi_b[3]
#define DFI_LOOP_CALL_3 dfi_b[0], dfi_b[1], dfi_b[2], dfi_b[3], dfi_b[4], dfi_b[5]
#define DFI_LOOP_CALL_4 DFI_LOOP_CALL_3, dfi_b[6], dfi_b[7]
#define DFI_LOOP_CALL_dfi_pointer dfi_a->dfi_lo + dfi_b[0], dfi_a->dfi_lo + dfi_b[1]
#define DFI_LOOP_NAMES_1 dfi_lo, dfi_hi
#define DFI_LOOP_NAMES_2 dfi_lo, dfi_hi, dfi_lo1, dfi_hi1
#define DFI_LOOP_NAMES_3 dfi_lo, dfi_hi, dfi_lo1, dfi_hi1, dfi_lo2, dfi_hi2
#define DFI_LOOP_NAMES_4 DFI_LOOP_NAMES_3, dfi_lo3, dfi_hi3
#define DFI_LOOP_NAMES_dfi_pointer 0, (long)(dfi_hi - dfi_lo)

/* the number of dimensions; what the record begins with, and its initialiser */
#define DFI_LOOP_DIMS_1 1
#define DFI_LOOP_DIMS_2 2
#define DFI_LOOP_DIMS_3 3
#define DFI_LOOP_DIMS_4 4
#define DFI_LOOP_DIMS_dfi_pointer 1
#define DFI_LOOP_FIELD_1(T)
#define DFI_LOOP_FIELD_2(T)
#define DFI_LOOP_FIELD_3(T)
#define DFI_LOOP_FIELD_4(T)
#define DFI_LOOP_FIELD_dfi_pointer(T) T *dfi_lo;
#define DFI_LOOP_LEND_1
#define DFI_LOOP_LEND_2
#define DFI_LOOP_LEND_3
#define DFI_LOOP_LEND_4
#define DFI_LOOP_LEND_dfi_pointer dfi_lo,

#define DFI_LOOP_MAKE_1(linkage, d, T, name, n, ...)                                               \
    DFI_ARGS_OK(loop, name, __VA_ARGS__)                                                           \
    linkage void name(DFI_LOOP_BOUNDS_##d(T) DFI_EACH_##n(DFI_MORE, __VA_ARGS__));                 \
    DFI_PACK_BEGIN                                                                                 \
    struct name##_dfi_args { DFI_LOOP_FIELD_##d(T) DFI_EACH_##n(DFI_FIELD, __VA_ARGS__) };         \
    DFI_PACK_END                                                                                   \
    DFI_UNUSED static void name##_dfi_range(const long *dfi_b, void *dfi_p)                        \
    {                                                                                              \
        const struct name##_dfi_args *dfi_a = (const struct name##_dfi_args *)dfi_p;               \
        (void)dfi_a;                                                                               \
        DFI_TRY                                                                                    \
        DFI_BODY_BEGIN(#name, DFI_SITE)                                                            \
        name(DFI_LOOP_CALL_##d DFI_EACH_##n(DFI_AND, __VA_ARGS__));                                \
        DFI_BODY_END                                                                               \
        DFI_CATCH(return)                                                                          \
    }                                                                                              \
    DFI_UNUSED static const struct dfi_loop_type name##_dfi_type = {                               \
        name##_dfi_range, #name, sizeof(struct name##_dfi_args), DFI_LOOP_DIMS_##d,                \
        0 DFI_EACH_##n(DFI_MODES, __VA_ARGS__) };                                                  \
    DFI_WITH_##n(DFI_REDUCER, name, __VA_ARGS__)                                                   \
    DFI_GENERATED void name##_dfi_for(const struct df_loop *dfi_o, const long (*dfi_v)[3],         \
        const char *dfi_site, DFI_LOOP_BOUNDS_##d(T) DFI_EACH_##n(DFI_MORE, __VA_ARGS__))          \
    {                                                                                              \
        struct name##_dfi_args dfi_a = { DFI_LOOP_LEND_##d DFI_LIST_##n(DFI_LEND, __VA_ARGS__) };  \
        const long dfi_b[] = { DFI_LOOP_NAMES_##d };                                               \
        struct dfi_access dfi_x[n];                                                                \
        unsigned dfi_n = 0;                                                                        \
        DFI_WITH_##n(DFI_ACCESS, name, __VA_ARGS__)                                                \
        dfi_needs_more();                                                                          \
        DFI_CALL_FOR(&name##_dfi_type, dfi_o, dfi_v, dfi_site, dfi_b, (void *)&dfi_a, dfi_x, dfi_n); \
    }                                                                                              \
    DFI_STATIC_ASSERT(sizeof(struct name##_dfi_args) > 0, "df.h")

/* --- pipes -------------------------------------------------------------------------------------- */

#define DFI_PIPE(linkage, name, T)                                                                 \
    linkage int name(int stage, T *item, long i, void *ctx);                                       \
    DFI_UNUSED static int name##_dfi_stage(int dfi_s, void *dfi_p, long dfi_i, void *dfi_c)        \
    {                                                                                              \
        int dfi_next;                                                                              \
        DFI_TRY                                                                                    \
        DFI_BODY_BEGIN(#name, DFI_SITE)                                                            \
        dfi_next = name(dfi_s, (T *)dfi_p, dfi_i, dfi_c);                                          \
        DFI_BODY_END                                                                               \
        DFI_CATCH(dfi_next = -1)                                                                   \
        return dfi_next;                                                                           \
    }                                                                                              \
    DFI_UNUSED static const struct dfi_pipe_type name##_dfi_type = { name##_dfi_stage, #name, sizeof(T) }; \
    DFI_ALIGN_CHECK(T, "pipe " #name);                                                             \
    DFI_GENERATED long name##_dfi_pipe(const char *dfi_site, const struct df_pipe_opts *dfi_o, void *dfi_c) \
    {                                                                                              \
        dfi_needs_more();                                                                          \
        DFI_CALL_PIPE(&name##_dfi_type, dfi_o, dfi_site, dfi_c)                                    \
    }                                                                                              \
    DFI_STATIC_ASSERT(sizeof(T) > 0, "df.h")

#endif
