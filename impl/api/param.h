/* param.h - generators: the contribution of each form of parameter to the expansion of a DF_TASK line
 *
 * A parameter is a tuple (form, mode, ...), which base/pp.h makes from the words df_in, df_out .... Each generator
 * here, DFI_PROTO, DFI_FIELD, DFI_ACCESS ..., turns a parameter into a piece of text. api/declare.h assembles the
 * pieces, and so do api/loop.h, more/loop/pipe.h and api/kernel.h. A new form of parameter is one more row in each
 * generator; for a new mode see impl/README.md, "A task". The comments name the place of the piece in the expansion. */
#ifndef DFI_API_PARAM_H
#define DFI_API_PARAM_H

#include "../base/compiler.h"
#include "../base/pp.h"
#include "access.h"
#include "stream.h"
#include "task.h"
#include "value.h"
#include "core.h"

/* in the prototype: T x | T const *p | T *p */
#define DFI_PROTO(t) DFI_PROTO_ t
#define DFI_PROTO_(form, mode, ...) DFI_PROTO_##form(mode, __VA_ARGS__)
#define DFI_PROTO_dfi_f_none(mode, T, x)               void
#define DFI_PROTO_dfi_f_value(mode, T, x)              T x
#define DFI_PROTO_dfi_f_array(mode, T, p, n)           T DFI_CONST_##mode *p
#define DFI_PROTO_dfi_f_block(mode, T, p, rows, cols, ld) T DFI_CONST_##mode *p
#define DFI_PROTO_dfi_f_reduce(op, T, p, n)          T *p
#define DFI_PROTO_dfi_f_reduce2(op, T, p, rows, cols, ld) T *p
#define DFI_PROTO_dfi_f_range(mode, T, b, e)           T DFI_CONST_##mode *b, T DFI_CONST_##mode *e
#define DFI_PROTO_dfi_f_pop(mode, T, p, burst)         T DFI_CONST_##mode *p
#define DFI_PROTO_dfi_f_peek(mode, T, p, horizon, burst) T DFI_CONST_##mode *p
#define DFI_PROTO_dfi_f_popv(mode, T, p, burst, n)     T DFI_CONST_##mode *const *p
#define DFI_CONST_dfi_m_in const
#define DFI_CONST_dfi_m_read
#define DFI_CONST_dfi_m_out
#define DFI_CONST_dfi_m_inout
#define DFI_CONST_dfi_m_commute
#define DFI_CONST_dfi_m_concurrent
#define DFI_CONST_dfi_m_weak_in const
#define DFI_CONST_dfi_m_weak_out
#define DFI_CONST_dfi_m_weak_inout
#define DFI_CONST_dfi_m_pop const
#define DFI_CONST_dfi_m_push

/* in the prototype after a first parameter: with a comma in front; empty for a task without parameters */
#define DFI_MORE(t) DFI_MORE_ t
#define DFI_MORE_(form, mode, ...) DFI_MORE_##form(mode, __VA_ARGS__)
#define DFI_MORE_dfi_f_none(mode, T, x)
#define DFI_MORE_dfi_f_value(mode, T, x)               , T x
#define DFI_MORE_dfi_f_array(mode, T, p, n)            , T DFI_CONST_##mode *p
#define DFI_MORE_dfi_f_block(mode, T, p, rows, cols, ld) , T DFI_CONST_##mode *p
#define DFI_MORE_dfi_f_reduce(op, T, p, n)           , T *p
#define DFI_MORE_dfi_f_reduce2(op, T, p, rows, cols, ld) , T *p
#define DFI_MORE_dfi_f_range(mode, T, b, e)            , T DFI_CONST_##mode *b, T DFI_CONST_##mode *e
#define DFI_MORE_dfi_f_pop(mode, T, p, burst)          , T DFI_CONST_##mode *p
#define DFI_MORE_dfi_f_peek(mode, T, p, horizon, burst) , T DFI_CONST_##mode *p
#define DFI_MORE_dfi_f_popv(mode, T, p, burst, n)      , T DFI_CONST_##mode *const *p

/* as a field of the argument record */
#define DFI_FIELD(t) DFI_FIELD_ t
#define DFI_FIELD_(form, mode, ...) DFI_FIELD_##form(mode, __VA_ARGS__)
#define DFI_FIELD_dfi_f_none(mode, T, x)               T x;
#define DFI_FIELD_dfi_f_value(mode, T, x)              DFI_FIELD_OF(T) x;
#define DFI_FIELD_dfi_f_array(mode, T, p, n)           T DFI_CONST_##mode *p;
#define DFI_FIELD_dfi_f_block(mode, T, p, rows, cols, ld) T DFI_CONST_##mode *p;
#define DFI_FIELD_dfi_f_reduce(op, T, p, n)          T *p;
#define DFI_FIELD_dfi_f_reduce2(op, T, p, rows, cols, ld) T *p;
#define DFI_FIELD_dfi_f_range(mode, T, b, e)           T DFI_CONST_##mode *b; T DFI_CONST_##mode *e;
#define DFI_FIELD_dfi_f_pop(mode, T, p, burst)         T DFI_CONST_##mode *p;
#define DFI_FIELD_dfi_f_peek(mode, T, p, horizon, burst) T DFI_CONST_##mode *p;
#define DFI_FIELD_dfi_f_popv(mode, T, p, burst, n)     T DFI_CONST_##mode *const *p;

/* as the name of the parameter in a call, and as the field of the record dfi_a in a call */
#define DFI_NAME(t) DFI_NAME_ t
#define DFI_NAME_(form, mode, ...) DFI_NAME_##form(__VA_ARGS__)
#define DFI_NAME_dfi_f_none(T, x)
#define DFI_NAME_dfi_f_value(T, x)                     DFI_FORWARD(T, x)
#define DFI_NAME_dfi_f_array(T, p, n)                  p
#define DFI_NAME_dfi_f_block(T, p, rows, cols, ld)     p
#define DFI_NAME_dfi_f_reduce(T, p, n)               p
#define DFI_NAME_dfi_f_reduce2(T, p, rows, cols, ld) p
#define DFI_NAME_dfi_f_range(T, b, e)                  b, e
#define DFI_NAME_dfi_f_pop(T, p, burst)                     p
#define DFI_NAME_dfi_f_peek(T, p, horizon, burst)           p
#define DFI_NAME_dfi_f_popv(T, p, burst, n)                 p
#define DFI_LOAD(t) DFI_LOAD_ t
#define DFI_LOAD_(form, mode, ...) DFI_LOAD_##form(__VA_ARGS__)
#define DFI_LOAD_dfi_f_none(T, x)
#define DFI_LOAD_dfi_f_value(T, x)                     DFI_TAKE_FROM(T, dfi_a->x)
#define DFI_LOAD_dfi_f_array(T, p, n)                  dfi_a->p
#define DFI_LOAD_dfi_f_block(T, p, rows, cols, ld)     dfi_a->p
#define DFI_LOAD_dfi_f_reduce(T, p, n)               dfi_a->p
#define DFI_LOAD_dfi_f_reduce2(T, p, rows, cols, ld) dfi_a->p
#define DFI_LOAD_dfi_f_range(T, b, e)                  dfi_a->b, dfi_a->e
#define DFI_LOAD_dfi_f_pop(T, p, burst)                     dfi_a->p
#define DFI_LOAD_dfi_f_peek(T, p, horizon, burst)           dfi_a->p
#define DFI_LOAD_dfi_f_popv(T, p, burst, n)                 dfi_a->p

/* as the name in a call, with a comma in front */
#define DFI_ALSO(t) DFI_ALSO_ t
#define DFI_ALSO_(form, mode, ...) DFI_ALSO_##form(__VA_ARGS__)
#define DFI_ALSO_dfi_f_none(T, x)
#define DFI_ALSO_dfi_f_value(T, x)                     , x
#define DFI_ALSO_dfi_f_array(T, p, n)                  , p
#define DFI_ALSO_dfi_f_block(T, p, rows, cols, ld)     , p
#define DFI_ALSO_dfi_f_reduce(T, p, n)                 , p
#define DFI_ALSO_dfi_f_reduce2(T, p, rows, cols, ld)   , p
#define DFI_ALSO_dfi_f_range(T, b, e)                  , b, e

/* as the initialiser of the argument record */
#define DFI_INIT(t) DFI_INIT_ t
#define DFI_INIT_(form, mode, ...) DFI_INIT_##form(__VA_ARGS__)
#define DFI_INIT_dfi_f_none(T, x)                      0
#define DFI_INIT_dfi_f_value(T, x)                     DFI_HOLD(T, x)
#define DFI_INIT_dfi_f_array(T, p, n)                  p
#define DFI_INIT_dfi_f_block(T, p, rows, cols, ld)     p
#define DFI_INIT_dfi_f_reduce(T, p, n)               p
#define DFI_INIT_dfi_f_reduce2(T, p, rows, cols, ld) p
#define DFI_INIT_dfi_f_range(T, b, e)                  b, e
#define DFI_INIT_dfi_f_pop(T, p, burst)                     p
#define DFI_INIT_dfi_f_peek(T, p, horizon, burst)           p
#define DFI_INIT_dfi_f_popv(T, p, burst, n)                 p

/* as an access of task f, in its f_submit. The parameters are in scope under their own names, so the shape may be any
 * expression over them. An impossible count, negative or more bytes than there are, becomes SIZE_MAX bytes, which
 * dfi_region_of recognises. */
#define DFI_ACCESS(f, t) DFI_ACCESS_(f, DFI_OPEN t)
#define DFI_ACCESS_(...) DFI_ACCESS_GO(__VA_ARGS__)
#define DFI_ACCESS_GO(f, form, mode, ...) DFI_ACCESS_##form(f, mode, __VA_ARGS__)
#define DFI_ACCESS_dfi_f_none(f, mode, T, x)
#define DFI_ACCESS_dfi_f_value(f, mode, T, x)
#define DFI_ACCESS_dfi_f_array(f, mode, T, p, n) \
    dfi_access_array(&dfi_x[dfi_n++], DFI_MODE_##mode, DFI_AT(f, p), p, DFI_BYTES_OF(n, T));
#define DFI_ACCESS_dfi_f_block(f, mode, T, p, rows, cols, ld) \
    dfi_access_block(&dfi_x[dfi_n++], DFI_MODE_##mode, DFI_AT(f, p), p, DFI_BYTES_OF(rows, char), \
                     DFI_BYTES_OF(cols, T), DFI_BYTES_OF(ld, T));
#define DFI_ACCESS_dfi_f_range(f, mode, T, b, e) \
    dfi_access_array(&dfi_x[dfi_n++], DFI_MODE_##mode | DFI_RANGE, DFI_AT(f, b), b, DFI_RANGE_OF(b, e, T));
#define DFI_ACCESS_dfi_f_reduce(f, op, T, p, n) \
    dfi_access_reduce(&dfi_x[dfi_n], DFI_CAT(DFI_KEY_, DFI_IS_BUILTIN(op))(op, T), f##_dfi_op_##p, sizeof(T)); \
    dfi_access_array(&dfi_x[dfi_n++], DFI_REDUCES(op, T), DFI_AT(f, p), p, DFI_BYTES_OF(n, T));
#define DFI_ACCESS_dfi_f_reduce2(f, op, T, p, rows, cols, ld) \
    dfi_access_reduce(&dfi_x[dfi_n], DFI_CAT(DFI_KEY_, DFI_IS_BUILTIN(op))(op, T), f##_dfi_op_##p, sizeof(T)); \
    dfi_access_block(&dfi_x[dfi_n++], DFI_REDUCES(op, T), DFI_AT(f, p), p, DFI_BYTES_OF(rows, char), \
                     DFI_BYTES_OF(cols, T), DFI_BYTES_OF(ld, T));
#define DFI_ACCESS_dfi_f_pop(f, mode, T, p, burst)
#define DFI_ACCESS_dfi_f_peek(f, mode, T, p, horizon, burst)
#define DFI_ACCESS_dfi_f_popv(f, mode, T, p, burst, n)
#define DFI_BYTES_OF(n, T) \
    ((n) > 0 ? dfi_bytes((unsigned long long)(n), sizeof(T)) : (n) == 0 ? (size_t)0 : DFI_NO_BYTES)
#define DFI_RANGE_OF(b, e, T) ((e) > (b) ? (size_t)((e) - (b)) * sizeof(T) : (e) == (b) ? (size_t)0 : DFI_NO_BYTES)
#define DFI_AT(f, p) (unsigned)offsetof(struct f##_dfi_args, p)
#define DFI_MODE_dfi_m_in         DFI_IN
#define DFI_MODE_dfi_m_read       DFI_IN
#define DFI_MODE_dfi_m_out        DFI_OUT
#define DFI_MODE_dfi_m_inout      DFI_INOUT
#define DFI_MODE_dfi_m_commute    DFI_COMMUTE
#define DFI_MODE_dfi_m_concurrent DFI_CONCURRENT
#define DFI_MODE_dfi_m_weak_in    (DFI_CHILDREN | DFI_IN)
#define DFI_MODE_dfi_m_weak_out   (DFI_CHILDREN | DFI_OUT)
#define DFI_MODE_dfi_m_weak_inout (DFI_CHILDREN | DFI_INOUT)

/* as a part of the union of the task's modes */
#define DFI_MODES(t) DFI_MODES_ t
#define DFI_MODES_(form, mode, ...) DFI_MODES_##form(mode, __VA_ARGS__)
#define DFI_MODES_dfi_f_none(mode, ...)
#define DFI_MODES_dfi_f_value(mode, T, x) DFI_MODES_OF(T)
#define DFI_MODES_dfi_f_array(mode, ...) | DFI_MODE_##mode
#define DFI_MODES_dfi_f_block(mode, ...) | DFI_MODE_##mode
#define DFI_MODES_dfi_f_range(mode, ...) | DFI_MODE_##mode
#define DFI_MODES_dfi_f_reduce(op, ...)  | DFI_REDUCE
#define DFI_MODES_dfi_f_reduce2(op, ...) | DFI_REDUCE
#define DFI_MODES_dfi_f_pop(mode, ...)   | DFI_WINDOWED
#define DFI_MODES_dfi_f_peek(mode, ...)  | DFI_WINDOWED
#define DFI_MODES_dfi_f_popv(mode, ...)  | DFI_WINDOWED

/* as the operator of a reduction: a function that combines n elements, or sets them to the identity if there is no
 * second operand (dfi_from is NULL) */
#define DFI_REDUCER(f, t) DFI_REDUCER_(f, DFI_OPEN t)
#define DFI_REDUCER_(...) DFI_REDUCER_GO(__VA_ARGS__)
#define DFI_REDUCER_GO(f, form, mode, ...) DFI_REDUCER_##form(f, mode, __VA_ARGS__)
#define DFI_REDUCER_dfi_f_none(f, mode, T, x)
#define DFI_REDUCER_dfi_f_value(f, mode, T, x)
#define DFI_REDUCER_dfi_f_array(f, mode, T, p, n)
#define DFI_REDUCER_dfi_f_block(f, mode, T, p, rows, cols, ld)
#define DFI_REDUCER_dfi_f_range(f, mode, T, b, e)
#define DFI_REDUCER_dfi_f_pop(f, mode, T, p, burst)
#define DFI_REDUCER_dfi_f_peek(f, mode, T, p, horizon, burst)
#define DFI_REDUCER_dfi_f_popv(f, mode, T, p, burst, n)
#define DFI_REDUCER_dfi_f_reduce(f, op, T, p, n) DFI_CAT(DFI_REDUCER_, DFI_IS_BUILTIN(op))(f, op, T, p)
#define DFI_REDUCER_dfi_f_reduce2(f, op, T, p, rows, cols, ld) DFI_CAT(DFI_REDUCER_, DFI_IS_BUILTIN(op))(f, op, T, p)
#define DFI_REDUCER_0(f, op, T, p)                                                                 \
    DFI_UNUSED static void f##_dfi_op_##p(void *dfi_into, const void *dfi_from, size_t dfi_n)      \
    {                                                                                              \
        T *dfi_a = (T *)dfi_into;                                                                  \
        const T *dfi_b = (const T *)dfi_from;                                                      \
        op##_dfi_reduction(dfi_a, dfi_b, dfi_n);                                                   \
    }
#define DFI_REDUCER_1(f, op, T, p)                                                                 \
    DFI_UNUSED static void f##_dfi_op_##p(void *dfi_into, const void *dfi_from, size_t dfi_n)      \
    {                                                                                              \
        T *dfi_a = (T *)dfi_into;                                                                  \
        const T *dfi_b = (const T *)dfi_from;                                                      \
        size_t dfi_i;                                                                              \
        DFI_STATIC_ASSERT(DFI_IS_SCALAR(*dfi_a), "df.h: " #op " in parameter " #p " of " #f        \
                          " is an operator on numbers; declare one on " #T " with DF_REDUCTION");  \
        if (!dfi_b) for (dfi_i = 0; dfi_i < dfi_n; dfi_i++) { DFI_IDENTITY_##op(T, dfi_a[dfi_i]) } \
        else for (dfi_i = 0; dfi_i < dfi_n; dfi_i++) { DFI_COMBINE_##op(T, dfi_a[dfi_i], dfi_b[dfi_i]) } \
    }
#define DFI_IS_BUILTIN(op) DFI_PROBED(DFI_BUILTIN_##op, 0, ~)
#define DFI_BUILTIN_df_sum  ~, 1
#define DFI_BUILTIN_df_prod ~, 1
#define DFI_BUILTIN_df_band ~, 1
#define DFI_BUILTIN_df_bor  ~, 1
#define DFI_BUILTIN_df_bxor ~, 1
#define DFI_BUILTIN_df_land ~, 1
#define DFI_BUILTIN_df_lor  ~, 1
#define DFI_BUILTIN_df_min  ~, 1
#define DFI_BUILTIN_df_max  ~, 1
#define DFI_COMBINE_df_sum(T, a, b)  a = (T)(a + b);
/* a product of unsigned shorts that wraps must not overflow the int in which it is computed */
#define DFI_COMBINE_df_prod(T, a, b) \
    a = sizeof(T) < sizeof(int) && (T)1 / 2 == 0 ? (T)((unsigned)a * (unsigned)b - 0u) : (T)(a * b - (T)0);
#define DFI_COMBINE_df_band(T, a, b) a = (T)(a & b);
#define DFI_COMBINE_df_bor(T, a, b)  a = (T)(a | b);
#define DFI_COMBINE_df_bxor(T, a, b) a = (T)(a ^ b);
#define DFI_COMBINE_df_land(T, a, b) a = (T)(a != (T)0 && b != (T)0);
#define DFI_COMBINE_df_lor(T, a, b)  a = (T)(a != (T)0 || b != (T)0);
#define DFI_COMBINE_df_min(T, a, b)  if (b < a) a = b;
#define DFI_COMBINE_df_max(T, a, b)  if (a < b) a = b;
#define DFI_IDENTITY_df_sum(T, a)  a = (T)(-(T)0); /* -0.0, because -0.0 + 0.0 is 0.0 */
#define DFI_IDENTITY_df_prod(T, a) a = (T)1;
#define DFI_IDENTITY_df_band(T, a) a = (T)-1;
#define DFI_IDENTITY_df_bor(T, a)  a = (T)0;
#define DFI_IDENTITY_df_bxor(T, a) a = (T)0;
#define DFI_IDENTITY_df_land(T, a) a = (T)1;
#define DFI_IDENTITY_df_lor(T, a)  a = (T)0;
#define DFI_IDENTITY_df_min(T, a)  dfi_limit(&a, sizeof(T), DFI_KIND(T), 1);
#define DFI_IDENTITY_df_max(T, a)  dfi_limit(&a, sizeof(T), DFI_KIND(T), 0);
#define DFI_KIND(T) (1 / (T)2 > 0 ? ((T)1 / 2 > 0 ? 2 : 3) : (T)-1 < (T)1)
/* The access mode of a reduction. */
#define DFI_REDUCES(op, T)   DFI_CAT(DFI_REDUCES_, DFI_IS_BUILTIN(op))(op, T)
#define DFI_REDUCES_1(op, T) DFI_REDUCE
#define DFI_REDUCES_0(op, T)                                                  \
    (DFI_REDUCE | (DFI_ORDERED_0(op) ? (unsigned)DFI_ORDERED : 0u) |          \
     (DFI_ALIGN_OF(T) > (size_t)DFI_RECORD_ALIGN ? (unsigned)DFI_WIDE : 0u))
/* The key of a reduction: reductions with the same key may run concurrently on the same data. */
#define DFI_KEY_1(op, T) (const void *)(dfi_keys + dfi_key_##op + sizeof(T))
#define DFI_KEY_0(op, T) (const void *)op##_dfi_key

/* as the setter of an input of a node, an enumeration constant for it, its offset in the record, and its name */
#define DFI_SETTER(f, t) DFI_SETTER_(f, DFI_OPEN t)
#define DFI_SETTER_(...) DFI_SETTER_GO(__VA_ARGS__)
#define DFI_SETTER_GO(f, form, mode, ...) DFI_SETTER_##form(f, mode, __VA_ARGS__)
#define DFI_SETTER_dfi_f_none(f, mode, T, x)
#define DFI_SETTER_dfi_f_value(f, mode, T, x) DFI_SETTER_MAKE(f, T, x)
#define DFI_SETTER_dfi_f_array(f, mode, T, p, n) DFI_SETTER_MAKE(f, T DFI_CONST_##mode *, p)
#define DFI_SETTER_dfi_f_block(f, mode, T, p, rows, cols, ld) DFI_SETTER_MAKE(f, T DFI_CONST_##mode *, p)
#define DFI_SETTER_dfi_f_reduce(f, op, T, p, n) DFI_SETTER_MAKE(f, T *, p)
#define DFI_SETTER_dfi_f_reduce2(f, op, T, p, rows, cols, ld) DFI_SETTER_MAKE(f, T *, p)
#define DFI_SETTER_dfi_f_range(f, mode, T, b, e) \
    DFI_SETTER_MAKE(f, T DFI_CONST_##mode *, b) DFI_SETTER_MAKE(f, T DFI_CONST_##mode *, e)
#define DFI_SETTER_MAKE(f, T, x)                                                                        \
    DFI_UNUSED static void f##_dfi_set_##x(struct f##_dfi_node *dfi_p, T x, const char *dfi_site)       \
    {                                                                                                   \
        void *dfi_to = dfi_node_input((struct dfi_task *)(void *)dfi_p, f##_dfi_at_##x, dfi_site);      \
        if (!dfi_to) return;                                                                            \
        DFI_PUT(T, (char *)dfi_to + offsetof(struct f##_dfi_args, x), x);                               \
        dfi_node_given((struct dfi_task *)(void *)dfi_p);                                               \
    }
#define DFI_INPUT(f, t) DFI_INPUT_(f, DFI_OPEN t)
#define DFI_INPUT_(...) DFI_INPUT_GO(__VA_ARGS__)
#define DFI_INPUT_GO(f, form, mode, ...) DFI_INPUT_##form(f, __VA_ARGS__)
#define DFI_INPUT_dfi_f_none(f, T, x)
#define DFI_INPUT_dfi_f_value(f, T, x) f##_dfi_at_##x,
#define DFI_INPUT_dfi_f_array(f, T, p, n) f##_dfi_at_##p,
#define DFI_INPUT_dfi_f_block(f, T, p, rows, cols, ld) f##_dfi_at_##p,
#define DFI_INPUT_dfi_f_reduce(f, T, p, n) f##_dfi_at_##p,
#define DFI_INPUT_dfi_f_reduce2(f, T, p, rows, cols, ld) f##_dfi_at_##p,
#define DFI_INPUT_dfi_f_range(f, T, b, e) f##_dfi_at_##b, f##_dfi_at_##e,
#define DFI_WHERE(f, t) DFI_WHERE_(f, DFI_OPEN t)
#define DFI_WHERE_(...) DFI_WHERE_GO(__VA_ARGS__)
#define DFI_WHERE_GO(f, form, mode, ...) DFI_WHERE_##form(f, __VA_ARGS__)
#define DFI_WHERE_dfi_f_none(f, T, x)
#define DFI_WHERE_dfi_f_value(f, T, x) offsetof(struct f##_dfi_args, x),
#define DFI_WHERE_dfi_f_array(f, T, p, n) DFI_WHERE_dfi_f_value(f, T, p)
#define DFI_WHERE_dfi_f_block(f, T, p, rows, cols, ld) DFI_WHERE_dfi_f_value(f, T, p)
#define DFI_WHERE_dfi_f_reduce(f, T, p, n) DFI_WHERE_dfi_f_value(f, T, p)
#define DFI_WHERE_dfi_f_reduce2(f, T, p, rows, cols, ld) DFI_WHERE_dfi_f_value(f, T, p)
#define DFI_WHERE_dfi_f_range(f, T, b, e) DFI_WHERE_dfi_f_value(f, T, b) DFI_WHERE_dfi_f_value(f, T, e)
#define DFI_TITLE(t) DFI_TITLE_ t
#define DFI_TITLE_(form, mode, ...) DFI_TITLE_##form(__VA_ARGS__)
#define DFI_TITLE_dfi_f_none(T, x)
#define DFI_TITLE_dfi_f_value(T, x) #x " "
#define DFI_TITLE_dfi_f_array(T, p, n) #p " "
#define DFI_TITLE_dfi_f_block(T, p, rows, cols, ld) #p " "
#define DFI_TITLE_dfi_f_reduce(T, p, n) #p " "
#define DFI_TITLE_dfi_f_reduce2(T, p, rows, cols, ld) #p " "
#define DFI_TITLE_dfi_f_range(T, b, e) #b " " #e " "

/* as the name of an access */
#define DFI_LABEL(t) DFI_LABEL_ t
#define DFI_LABEL_(form, mode, ...) DFI_LABEL_##form(__VA_ARGS__)
#define DFI_LABEL_dfi_f_none(T, x)
#define DFI_LABEL_dfi_f_value(T, x)
#define DFI_LABEL_dfi_f_array(T, p, n) #p " "
#define DFI_LABEL_dfi_f_block(T, p, rows, cols, ld) #p " "
#define DFI_LABEL_dfi_f_reduce(T, p, n) #p " "
#define DFI_LABEL_dfi_f_reduce2(T, p, rows, cols, ld) #p " "
#define DFI_LABEL_dfi_f_range(T, b, e) #b " "
#define DFI_LABEL_dfi_f_pop(T, p, burst)
#define DFI_LABEL_dfi_f_peek(T, p, horizon, burst)
#define DFI_LABEL_dfi_f_popv(T, p, burst, n)

/* as a check: empty for a valid parameter, a token for an invalid one */
#define DFI_BAD(t) DFI_BAD_ t
#define DFI_BAD_(form, ...) DFI_BAD_##form
#define DFI_BAD_dfi_f_none
#define DFI_BAD_dfi_f_value
#define DFI_BAD_dfi_f_array
#define DFI_BAD_dfi_f_block
#define DFI_BAD_dfi_f_range
#define DFI_BAD_dfi_f_reduce
#define DFI_BAD_dfi_f_reduce2
#define DFI_BAD_dfi_f_pop
#define DFI_BAD_dfi_f_peek
#define DFI_BAD_dfi_f_popv
#define DFI_BAD_dfi_f_wrong *

/* as the text of a misplaced parameter, for the error message */
#define DFI_TEXT(t) DFI_TEXT_ t
#define DFI_TEXT_(form, mode, ...) DFI_TEXT_##form(mode, __VA_ARGS__)
#define DFI_TEXT_dfi_f_wrong(mode, text, x) text
#define DFI_TEXT_dfi_f_value(mode, ...) "(" #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_f_array(mode, ...) DFI_TEXT_##mode "(" #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_f_block(mode, ...) DFI_TEXT_##mode "2(" #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_f_range(mode, ...) DFI_TEXT_##mode "_range(" #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_f_reduce(op, ...)  "df_reduce(" #op ", " #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_f_reduce2(op, ...) "df_reduce2(" #op ", " #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_f_pop(mode, ...)   DFI_TEXT_##mode "(" #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_f_peek(mode, ...)  "df_peek(" #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_f_popv(mode, ...)  DFI_TEXT_##mode "v(" #__VA_ARGS__ ")"
#define DFI_TEXT_dfi_m_in         "df_in"
#define DFI_TEXT_dfi_m_read       "df_read"
#define DFI_TEXT_dfi_m_out        "df_out"
#define DFI_TEXT_dfi_m_inout      "df_inout"
#define DFI_TEXT_dfi_m_commute    "df_commute"
#define DFI_TEXT_dfi_m_concurrent "df_concurrent"
#define DFI_TEXT_dfi_m_weak_in    "df_weak_in"
#define DFI_TEXT_dfi_m_weak_out   "df_weak_out"
#define DFI_TEXT_dfi_m_weak_inout "df_weak_inout"
#define DFI_TEXT_dfi_m_pop        "df_pop"
#define DFI_TEXT_dfi_m_push       "df_push"

/* as a token for a parameter that is a window of a stream, because tasks with such parameters have another f_submit */
#define DFI_OF_STREAM(t) DFI_OF_STREAM_ t
#define DFI_OF_STREAM_(form, ...) DFI_OF_STREAM_##form
#define DFI_OF_STREAM_dfi_f_none
#define DFI_OF_STREAM_dfi_f_value
#define DFI_OF_STREAM_dfi_f_array
#define DFI_OF_STREAM_dfi_f_block
#define DFI_OF_STREAM_dfi_f_range
#define DFI_OF_STREAM_dfi_f_reduce
#define DFI_OF_STREAM_dfi_f_reduce2
#define DFI_OF_STREAM_dfi_f_pop  *
#define DFI_OF_STREAM_dfi_f_peek *
#define DFI_OF_STREAM_dfi_f_popv *

/* as the order (DFI_ORDER_*) to the object that the record holds, in a member function */
#define DFI_ORDER(t) DFI_ORDER_ t
#define DFI_ORDER_(form, mode, ...) DFI_ORDER_##form(__VA_ARGS__)
#define DFI_ORDER_dfi_f_none(T, x)
#define DFI_ORDER_dfi_f_value(T, x) dfi_value<T>::order(x, dfi_what);
#define DFI_ORDER_dfi_f_array(T, p, n)
#define DFI_ORDER_dfi_f_block(T, p, rows, cols, ld)
#define DFI_ORDER_dfi_f_reduce(T, p, n)
#define DFI_ORDER_dfi_f_reduce2(T, p, rows, cols, ld)
#define DFI_ORDER_dfi_f_range(T, b, e)
#define DFI_ORDER_dfi_f_pop(T, p, burst)
#define DFI_ORDER_dfi_f_peek(T, p, horizon, burst)
#define DFI_ORDER_dfi_f_popv(T, p, burst, n)

/* DFI_HAVE: as an argument from the record dfi_v, with a comma in front, to functions that only read it; DFI_HAND: the
 * parameter itself as an argument, at its last use */
#define DFI_HAVE(t) DFI_HAVE_ t
#define DFI_HAVE_(form, mode, ...) DFI_HAVE_##form(__VA_ARGS__)
#define DFI_HAND(t) DFI_HAND_ t
#define DFI_HAND_(form, mode, ...) DFI_HAND_##form(__VA_ARGS__)
#if defined(__cplusplus)
#define DFI_HAVE_dfi_f_value(T, x) , DFI_LOOK_AT(T, dfi_v.x)
#define DFI_HAND_dfi_f_value(T, x) , DFI_FORWARD(T, x)
#else
#define DFI_HAVE_dfi_f_value DFI_ALSO_dfi_f_value
#define DFI_HAND_dfi_f_value DFI_ALSO_dfi_f_value
#endif
#define DFI_HAVE_dfi_f_none    DFI_ALSO_dfi_f_none
#define DFI_HAVE_dfi_f_array   DFI_ALSO_dfi_f_array
#define DFI_HAVE_dfi_f_block   DFI_ALSO_dfi_f_block
#define DFI_HAVE_dfi_f_reduce  DFI_ALSO_dfi_f_reduce
#define DFI_HAVE_dfi_f_reduce2 DFI_ALSO_dfi_f_reduce2
#define DFI_HAVE_dfi_f_range   DFI_ALSO_dfi_f_range
#define DFI_HAND_dfi_f_none    DFI_ALSO_dfi_f_none
#define DFI_HAND_dfi_f_array   DFI_ALSO_dfi_f_array
#define DFI_HAND_dfi_f_block   DFI_ALSO_dfi_f_block
#define DFI_HAND_dfi_f_reduce  DFI_ALSO_dfi_f_reduce
#define DFI_HAND_dfi_f_reduce2 DFI_ALSO_dfi_f_reduce2
#define DFI_HAND_dfi_f_range   DFI_ALSO_dfi_f_range

/* as a parameter of functions that only read it, with a comma in front */
#define DFI_SEEN(t) DFI_SEEN_ t
#define DFI_SEEN_(form, mode, ...) DFI_SEEN_##form(mode, __VA_ARGS__)
#define DFI_SEEN_dfi_f_none    DFI_MORE_dfi_f_none
#define DFI_SEEN_dfi_f_value(mode, T, x) , DFI_SEEN_OF(T) x
#define DFI_SEEN_dfi_f_array   DFI_MORE_dfi_f_array
#define DFI_SEEN_dfi_f_block   DFI_MORE_dfi_f_block
#define DFI_SEEN_dfi_f_reduce  DFI_MORE_dfi_f_reduce
#define DFI_SEEN_dfi_f_reduce2 DFI_MORE_dfi_f_reduce2
#define DFI_SEEN_dfi_f_range   DFI_MORE_dfi_f_range

/* for the f_submit of tasks with windows of streams. DFI_TYPES: the types of its arguments, in front of it; DFI_GIVEN:
 * its prototype, with a comma in front; DFI_EMPTY: the initialiser of the argument record, in which the pointers of the
 * body into the streams are still NULL */
#define DFI_TYPES(f, t) DFI_TYPES_(f, DFI_OPEN t)
#define DFI_TYPES_(...) DFI_TYPES_GO(__VA_ARGS__)
#define DFI_TYPES_GO(f, form, mode, ...) DFI_TYPES_##form(f, __VA_ARGS__)
#define DFI_TYPES_dfi_f_value(f, T, x)
#define DFI_TYPES_dfi_f_array(f, T, p, n)
#define DFI_TYPES_dfi_f_block(f, T, p, rows, cols, ld)
#define DFI_TYPES_dfi_f_range(f, T, b, e)
#define DFI_TYPES_dfi_f_reduce(f, T, p, n)
#define DFI_TYPES_dfi_f_reduce2(f, T, p, rows, cols, ld)
#define DFI_TYPES_dfi_f_pop(f, T, p, burst)           DFI_TYPES_STREAM(f, T, p)
#define DFI_TYPES_dfi_f_peek(f, T, p, horizon, burst) DFI_TYPES_STREAM(f, T, p)
#define DFI_TYPES_dfi_f_popv(f, T, p, burst, n)       DFI_TYPES_STREAM(f, T, p)
#define DFI_TYPES_STREAM(f, T, p) DFI_STREAM_TYPES(f, T, p) DFI_ALIGN_CHECK(T, "stream " #p " of task " #f);
#define DFI_GIVEN(f, t) DFI_GIVEN_(f, DFI_OPEN t)
#define DFI_GIVEN_(...) DFI_GIVEN_GO(__VA_ARGS__)
#define DFI_GIVEN_GO(f, form, mode, ...) DFI_GIVEN_##form(f, mode, __VA_ARGS__)
#define DFI_GIVEN_dfi_f_value(f, mode, T, x)                        DFI_MORE_dfi_f_value(mode, T, x)
#define DFI_GIVEN_dfi_f_array(f, mode, T, p, n)                     DFI_MORE_dfi_f_array(mode, T, p, n)
#define DFI_GIVEN_dfi_f_block(f, mode, T, p, rows, cols, ld)        DFI_MORE_dfi_f_block(mode, T, p, rows, cols, ld)
#define DFI_GIVEN_dfi_f_range(f, mode, T, b, e)                     DFI_MORE_dfi_f_range(mode, T, b, e)
#define DFI_GIVEN_dfi_f_reduce(f, op, T, p, n)                      DFI_MORE_dfi_f_reduce(op, T, p, n)
#define DFI_GIVEN_dfi_f_reduce2(f, op, T, p, rows, cols, ld)        DFI_MORE_dfi_f_reduce2(op, T, p, rows, cols, ld)
#define DFI_GIVEN_dfi_f_pop(f, mode, T, p, burst)                   , DFI_STREAM_GIVEN(f, T, p)
#define DFI_GIVEN_dfi_f_peek(f, mode, T, p, horizon, burst)         , DFI_STREAM_GIVEN(f, T, p)
#define DFI_GIVEN_dfi_f_popv(f, mode, T, p, burst, n)               , DFI_STREAMS_GIVEN(f, T, p)
#define DFI_EMPTY(t) DFI_EMPTY_ t
#define DFI_EMPTY_(form, mode, ...) DFI_EMPTY_##form(__VA_ARGS__)
#define DFI_EMPTY_dfi_f_value(T, x) DFI_HOLD_COPY(T, x)
#define DFI_EMPTY_dfi_f_array   DFI_INIT_dfi_f_array
#define DFI_EMPTY_dfi_f_block   DFI_INIT_dfi_f_block
#define DFI_EMPTY_dfi_f_range   DFI_INIT_dfi_f_range
#define DFI_EMPTY_dfi_f_reduce  DFI_INIT_dfi_f_reduce
#define DFI_EMPTY_dfi_f_reduce2 DFI_INIT_dfi_f_reduce2
#define DFI_EMPTY_dfi_f_pop(T, p, burst)           NULL
#define DFI_EMPTY_dfi_f_peek(T, p, horizon, burst) NULL
#define DFI_EMPTY_dfi_f_popv(T, p, burst, n)       NULL

/* in that f_submit, as the request to a stream */
#define DFI_ASK(f, t) DFI_ASK_(f, DFI_OPEN t)
#define DFI_ASK_(...) DFI_ASK_GO(__VA_ARGS__)
#define DFI_ASK_GO(f, form, mode, ...) DFI_ASK_##form(f, mode, __VA_ARGS__)
#define DFI_ASK_dfi_f_value(f, mode, T, x)
#define DFI_ASK_dfi_f_array(f, mode, T, p, n)
#define DFI_ASK_dfi_f_block(f, mode, T, p, rows, cols, ld)
#define DFI_ASK_dfi_f_range(f, mode, T, b, e)
#define DFI_ASK_dfi_f_reduce(f, op, T, p, n)
#define DFI_ASK_dfi_f_reduce2(f, op, T, p, rows, cols, ld)
#define DFI_ASK_dfi_f_pop(f, mode, T, p, burst) \
    DFI_ASK_ELEMENT(f, mode, T, p) \
        dfi_ask_one(&dfi_y[dfi_m++], &dfi_e, DFI_STREAM_ANY(p), (long long)(burst), (long long)(burst)); }
#define DFI_ASK_dfi_f_peek(f, mode, T, p, horizon, burst) \
    DFI_ASK_ELEMENT(f, mode, T, p) \
        dfi_ask_one(&dfi_y[dfi_m++], &dfi_e, DFI_STREAM_ANY(p), (long long)(horizon), (long long)(burst)); }
#define DFI_ASK_dfi_f_popv(f, mode, T, p, burst, n) \
    DFI_ASK_ELEMENT(f, mode, T, p) \
        dfi_ask_some(&dfi_y[dfi_m++], &dfi_e, DFI_STREAMS_ANY(p), (long long)(burst), (long long)(n)); }
#define DFI_ASK_ELEMENT(f, mode, T, p)                                                                          \
    {                                                                                                           \
        static const struct dfi_element dfi_e = { #T, #p, #f, DFI_SITE, sizeof(T), DFI_TYPE_CODE(T),            \
                                                  DFI_PUSHES_##mode, DFI_AT(f, p) };
#define DFI_PUSHES_dfi_m_pop  0
#define DFI_PUSHES_dfi_m_push 1

/* as an expression that only has to compile, where the shape is not needed */
#define DFI_SHAPE(t) DFI_SHAPE_ t
#define DFI_SHAPE_(form, mode, ...) DFI_SHAPE_##form(__VA_ARGS__)
#define DFI_SHAPE_dfi_f_none(T, x)
#define DFI_SHAPE_dfi_f_value(T, x)
#define DFI_SHAPE_dfi_f_array(T, p, n)              (void)sizeof(n);
#define DFI_SHAPE_dfi_f_block(T, p, rows, cols, ld) (void)sizeof(rows), (void)sizeof(cols), (void)sizeof(ld);
#define DFI_SHAPE_dfi_f_reduce(T, p, n)             (void)sizeof(n);
#define DFI_SHAPE_dfi_f_reduce2(T, p, rows, cols, ld) (void)sizeof(rows), (void)sizeof(cols), (void)sizeof(ld);
#define DFI_SHAPE_dfi_f_range(T, b, e)
#define DFI_SHAPE_dfi_f_pop(T, p, burst)
#define DFI_SHAPE_dfi_f_peek(T, p, horizon, burst)
#define DFI_SHAPE_dfi_f_popv(T, p, burst, n)

#endif
