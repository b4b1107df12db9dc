/* taskgraph_declare.h - declared accesses of a task as a function of its parameters, and of its argument record */
#ifndef DFI_API_TASKGRAPH_DECLARE_H
#define DFI_API_TASKGRAPH_DECLARE_H

#include "../base/compiler.h"
#include "access.h"
#include "need.h"

/* a parameter as the field of the record dfi_a in a call, with a comma in front */
#define DFI_PASS(t) DFI_PASS_ t
#define DFI_PASS_(form, mode, ...) DFI_PASS_##form(__VA_ARGS__)
#define DFI_PASS_dfi_f_none(T, x)
#define DFI_PASS_dfi_f_value(T, x)                     , DFI_LOOK_AT(T, dfi_a->x)
#define DFI_PASS_dfi_f_array(T, p, n)                  , dfi_a->p
#define DFI_PASS_dfi_f_block(T, p, rows, cols, ld)     , dfi_a->p
#define DFI_PASS_dfi_f_reduce(T, p, n)                 , dfi_a->p
#define DFI_PASS_dfi_f_reduce2(T, p, rows, cols, ld)   , dfi_a->p
#define DFI_PASS_dfi_f_range(T, b, e)                  , dfi_a->b, dfi_a->e

/* a parameter in a statement that uses it, against warnings about unused parameters */
#define DFI_USED(t) DFI_USED_ t
#define DFI_USED_(form, mode, ...) DFI_USED_##form(__VA_ARGS__)
#define DFI_USED_dfi_f_none(T, x)
#define DFI_USED_dfi_f_value(T, x)                     (void)x;
#define DFI_USED_dfi_f_array(T, p, n)                  (void)p;
#define DFI_USED_dfi_f_block(T, p, rows, cols, ld)     (void)p;
#define DFI_USED_dfi_f_reduce(T, p, n)                 (void)p;
#define DFI_USED_dfi_f_reduce2(T, p, rows, cols, ld)   (void)p;
#define DFI_USED_dfi_f_range(T, b, e)                  (void)b, (void)e;

/* in a submission, as a reference to the part of df that the access mode needs (api/need.h) */
#define DFI_PART(t) DFI_PART_ t
#define DFI_PART_(form, mode, ...) DFI_PART_##form(mode)
#define DFI_PART_dfi_f_none(mode)
#define DFI_PART_dfi_f_value(mode)
#define DFI_PART_dfi_f_array(mode) DFI_PART_##mode
#define DFI_PART_dfi_f_block(mode) DFI_PART_##mode
#define DFI_PART_dfi_f_range(mode) DFI_PART_##mode
#define DFI_PART_dfi_f_reduce(op)  dfi_needs_more();
#define DFI_PART_dfi_f_reduce2(op) dfi_needs_more();
#define DFI_PART_dfi_f_pop(mode)
#define DFI_PART_dfi_f_peek(mode)
#define DFI_PART_dfi_f_popv(mode)
#define DFI_PART_dfi_m_in
#define DFI_PART_dfi_m_read
#define DFI_PART_dfi_m_out
#define DFI_PART_dfi_m_inout
#define DFI_PART_dfi_m_commute    dfi_needs_more();
#define DFI_PART_dfi_m_concurrent
#define DFI_PART_dfi_m_weak_in    dfi_needs_more();
#define DFI_PART_dfi_m_weak_out   dfi_needs_more();
#define DFI_PART_dfi_m_weak_inout dfi_needs_more();

/* unsigned name_dfi_declared(x, parameters): fills x and returns the number of accesses. The parameters are in scope
 * under their own names, because shapes are expressions over them. name_dfi_regions(list, n, parameters): that of
 * df_accesses. name_dfi_accesses(args, x): the same from an argument record. */
#define DFI_TASK_ACCESSES(name, n, ...)                                                                          \
    DFI_INLINE unsigned name##_dfi_declared(struct dfi_access *dfi_x DFI_EACH_##n(DFI_SEEN, __VA_ARGS__))        \
    {                                                                                                            \
        unsigned dfi_n = 0;                                                                                      \
        DFI_EACH_##n(DFI_USED, __VA_ARGS__)                                                                      \
        DFI_EACH_##n(DFI_PART, __VA_ARGS__)                                                                      \
        (void)dfi_x;                                                                                             \
        DFI_WITH_##n(DFI_ACCESS, name, __VA_ARGS__)                                                              \
        return dfi_n;                                                                                            \
    }                                                                                                            \
    DFI_INLINE int name##_dfi_regions(struct df_region *dfi_l, int dfi_m DFI_EACH_##n(DFI_SEEN, __VA_ARGS__))    \
    {                                                                                                            \
        struct dfi_access dfi_x[n];                                                                              \
        unsigned dfi_n = name##_dfi_declared(dfi_x DFI_EACH_##n(DFI_ALSO, __VA_ARGS__));                         \
        return dfi_regions(dfi_l, dfi_m, dfi_x, dfi_n);                                                          \
    }                                                                                                            \
    DFI_GENERATED unsigned name##_dfi_accesses(const void *dfi_p, struct dfi_access *dfi_x)                      \
    {                                                                                                            \
        const struct name##_dfi_args *dfi_a = (const struct name##_dfi_args *)dfi_p;                             \
        (void)dfi_a;                                                                                             \
        return name##_dfi_declared(dfi_x DFI_EACH_##n(DFI_PASS, __VA_ARGS__));                                   \
    }

#endif
