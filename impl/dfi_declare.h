/* dfi_declare.h - what one DF_TASK line expands to
 *
 * For a task f with result R and parameters P:
 *     R f(P);                                   the user's function
 *     f_future                                  a record for df_spawn/df_sync, on the caller's stack
 *     void f_spawn(f_future *, P)  R f_sync(f_future *)  void f_submit(P)
 *     struct f_dfi_args, f_dfi_run, f_dfi_type  private
 * Every call of the user ends in one of these typed functions, so the compiler checks it. */
#ifndef DFI_DECLARE_H
#define DFI_DECLARE_H

/* linkage: `extern` or `static`; the variadic part: name, then 0 to 16 parameters. */
#define DFI_TASK(linkage, R, ...) \
    DFI_CAT(DFI_TASK_N_, DFI_COUNT(__VA_ARGS__))(linkage, R, DFI_IS_VOID(R), __VA_ARGS__)

#define DFI_TASK_N_TOO_MANY(linkage, R, v, name, ...) \
    DFI_STATIC_ASSERT(0, "df.h: task " #name " has more than 16 parameters; put some of them into a struct")
#define DFI_TASK_N_1(linkage, R, v, name) \
    DFI_TASK_GO(linkage, R, v, name, 1, (dfi_f_none, dfi_m_value, char, dfi_none))
#define DFI_TASK_N_2(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 1, DFI_LIST_1(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_3(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 2, DFI_LIST_2(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_4(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 3, DFI_LIST_3(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_5(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 4, DFI_LIST_4(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_6(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 5, DFI_LIST_5(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_7(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 6, DFI_LIST_6(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_8(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 7, DFI_LIST_7(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_9(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 8, DFI_LIST_8(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_10(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 9, DFI_LIST_9(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_11(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 10, DFI_LIST_10(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_12(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 11, DFI_LIST_11(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_13(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 12, DFI_LIST_12(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_14(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 13, DFI_LIST_13(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_15(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 14, DFI_LIST_14(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_16(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 15, DFI_LIST_15(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_N_17(linkage, R, v, name, ...) \
    DFI_TASK_GO(linkage, R, v, name, 16, DFI_LIST_16(DFI_NORM, __VA_ARGS__))
#define DFI_TASK_GO(linkage, R, v, name, n, ...) DFI_TASK_GO_(linkage, R, v, name, n, __VA_ARGS__)
#define DFI_TASK_GO_(linkage, R, v, name, n, ...) \
    DFI_CAT(DFI_TASK_MAKE_, DFI_IS_EMPTY(DFI_EACH_##n(DFI_BAD, __VA_ARGS__)))(linkage, R, v, name, n, __VA_ARGS__)
#define DFI_TASK_MAKE_0(...)                                                                                 \
    DFI_STATIC_ASSERT(0, "df.h: a task parameter is (type, name) or df_in/df_out/df_inout/...(type, pointer, count), " \
                         "see the parameter words in df.h")

/* The operators of df_reduce. */
enum {
    dfi_op_df_sum = 1 << 8, dfi_op_df_prod = 2 << 8, dfi_op_df_band = 3 << 8, dfi_op_df_bor = 4 << 8,
    dfi_op_df_bxor = 5 << 8, dfi_op_df_land = 6 << 8, dfi_op_df_lor = 7 << 8, dfi_op_df_min = 8 << 8,
    dfi_op_df_max = 9 << 8
};

/* --- what each form of parameter contributes ------------------------------------------------ */

/* in the prototype: T x | T const *p | T *p */
#define DFI_PROTO(t) DFI_PROTO_ t
#define DFI_PROTO_(form, mode, ...) DFI_PROTO_##form(mode, __VA_ARGS__)
#define DFI_PROTO_dfi_f_none(mode, T, x)               void
#define DFI_PROTO_dfi_f_value(mode, T, x)              T x
#define DFI_PROTO_dfi_f_array(mode, T, p, n)           T DFI_CONST_##mode *p
#define DFI_PROTO_dfi_f_block(mode, T, p, rows, cols, ld) T DFI_CONST_##mode *p
#define DFI_PROTO_dfi_f_range(mode, T, b, e)           T DFI_CONST_##mode *b, T DFI_CONST_##mode *e
#define DFI_CONST_dfi_m_in const
#define DFI_CONST_dfi_m_out
#define DFI_CONST_dfi_m_inout
#define DFI_CONST_dfi_m_commute
#define DFI_CONST_dfi_m_concurrent
#define DFI_CONST_dfi_m_reduce(op)

/* in the prototype after a first parameter: with a comma in front, nothing for a task without */
#define DFI_MORE(t) DFI_MORE_ t
#define DFI_MORE_(form, mode, ...) DFI_MORE_##form(mode, __VA_ARGS__)
#define DFI_MORE_dfi_f_none(mode, T, x)
#define DFI_MORE_dfi_f_value(mode, T, x)               , T x
#define DFI_MORE_dfi_f_array(mode, T, p, n)            , T DFI_CONST_##mode *p
#define DFI_MORE_dfi_f_block(mode, T, p, rows, cols, ld) , T DFI_CONST_##mode *p
#define DFI_MORE_dfi_f_range(mode, T, b, e)            , T DFI_CONST_##mode *b, T DFI_CONST_##mode *e

/* as a field of the argument record */
#define DFI_FIELD(t) DFI_FIELD_ t
#define DFI_FIELD_(form, mode, ...) DFI_FIELD_##form(mode, __VA_ARGS__)
#define DFI_FIELD_dfi_f_none(mode, T, x)               T x;
#define DFI_FIELD_dfi_f_value(mode, T, x)              T x;
#define DFI_FIELD_dfi_f_array(mode, T, p, n)           T DFI_CONST_##mode *p;
#define DFI_FIELD_dfi_f_block(mode, T, p, rows, cols, ld) T DFI_CONST_##mode *p;
#define DFI_FIELD_dfi_f_range(mode, T, b, e)           T DFI_CONST_##mode *b; T DFI_CONST_##mode *e;

/* as the name of the parameter in a call, and as the field of the record dfi_a in a call */
#define DFI_NAME(t) DFI_NAME_ t
#define DFI_NAME_(form, mode, ...) DFI_NAME_##form(__VA_ARGS__)
#define DFI_NAME_dfi_f_none(T, x)
#define DFI_NAME_dfi_f_value(T, x)                     x
#define DFI_NAME_dfi_f_array(T, p, n)                  p
#define DFI_NAME_dfi_f_block(T, p, rows, cols, ld)     p
#define DFI_NAME_dfi_f_range(T, b, e)                  b, e
#define DFI_LOAD(t) DFI_LOAD_ t
#define DFI_LOAD_(form, mode, ...) DFI_LOAD_##form(__VA_ARGS__)
#define DFI_LOAD_dfi_f_none(T, x)
#define DFI_LOAD_dfi_f_value(T, x)                     dfi_a->x
#define DFI_LOAD_dfi_f_array(T, p, n)                  dfi_a->p
#define DFI_LOAD_dfi_f_block(T, p, rows, cols, ld)     dfi_a->p
#define DFI_LOAD_dfi_f_range(T, b, e)                  dfi_a->b, dfi_a->e

/* as the initialiser of the argument record */
#define DFI_INIT(t) DFI_INIT_ t
#define DFI_INIT_(form, mode, ...) DFI_INIT_##form(__VA_ARGS__)
#define DFI_INIT_dfi_f_none(T, x)                      0
#define DFI_INIT_dfi_f_value(T, x)                     x
#define DFI_INIT_dfi_f_array(T, p, n)                  p
#define DFI_INIT_dfi_f_block(T, p, rows, cols, ld)     p
#define DFI_INIT_dfi_f_range(T, b, e)                  b, e

/* as an access, in a function where the parameters are in scope under their own names: the shape
 * may be any expression over them. A negative count is an empty region. */
#define DFI_ACCESS(t) DFI_ACCESS_ t
#define DFI_ACCESS_(form, mode, ...) DFI_ACCESS_##form(mode, __VA_ARGS__)
#define DFI_ACCESS_dfi_f_none(mode, T, x)
#define DFI_ACCESS_dfi_f_value(mode, T, x)
#define DFI_ACCESS_dfi_f_array(mode, T, p, n) \
    dfi_access_array(&dfi_x[dfi_n++], DFI_MODE_##mode, p, DFI_COUNT_OF(n) * sizeof(T));
#define DFI_ACCESS_dfi_f_block(mode, T, p, rows, cols, ld) \
    dfi_access_block(&dfi_x[dfi_n++], DFI_MODE_##mode, p, DFI_COUNT_OF(rows), \
                     DFI_COUNT_OF(cols) * sizeof(T), DFI_COUNT_OF(ld) * sizeof(T));
#define DFI_ACCESS_dfi_f_range(mode, T, b, e) \
    dfi_access_array(&dfi_x[dfi_n++], DFI_MODE_##mode, b, (e) > (b) ? (size_t)((e) - (b)) * sizeof(T) : 0);
#define DFI_COUNT_OF(n) ((n) > 0 ? (size_t)(n) : (size_t)0)
#define DFI_MODE_dfi_m_in         DFI_IN
#define DFI_MODE_dfi_m_out        DFI_OUT
#define DFI_MODE_dfi_m_inout      DFI_INOUT
#define DFI_MODE_dfi_m_commute    DFI_COMMUTE
#define DFI_MODE_dfi_m_concurrent DFI_CONCURRENT
#define DFI_MODE_dfi_m_reduce(op) (DFI_REDUCE | (unsigned)dfi_op_##op)

/* as a check: a token for a parameter that is not one */
#define DFI_BAD(t) DFI_BAD_ t
#define DFI_BAD_(form, ...) DFI_BAD_##form
#define DFI_BAD_dfi_f_none
#define DFI_BAD_dfi_f_value
#define DFI_BAD_dfi_f_array
#define DFI_BAD_dfi_f_block
#define DFI_BAD_dfi_f_range
#define DFI_BAD_dfi_f_wrong *

/* as an expression that only has to compile, where the shape is not needed */
#define DFI_SHAPE(t) DFI_SHAPE_ t
#define DFI_SHAPE_(form, mode, ...) DFI_SHAPE_##form(__VA_ARGS__) DFI_OP_##mode
#define DFI_OP_dfi_m_value
#define DFI_OP_dfi_m_in
#define DFI_OP_dfi_m_out
#define DFI_OP_dfi_m_inout
#define DFI_OP_dfi_m_commute
#define DFI_OP_dfi_m_concurrent
#define DFI_OP_dfi_m_reduce(op) (void)dfi_op_##op;
#define DFI_SHAPE_dfi_f_none(T, x)
#define DFI_SHAPE_dfi_f_value(T, x)
#define DFI_SHAPE_dfi_f_array(T, p, n)              (void)sizeof(n);
#define DFI_SHAPE_dfi_f_block(T, p, rows, cols, ld) (void)sizeof(rows), (void)sizeof(cols), (void)sizeof(ld);
#define DFI_SHAPE_dfi_f_range(T, b, e)

/* --- the expansion --------------------------------------------------------------------------- */

/* R only where the task has one: DFI_IF_R(v)(text) is empty for a void task. */
#define DFI_IF_R(v) DFI_CAT(DFI_IF_R_, v)
#define DFI_IF_R_0(...) __VA_ARGS__
#define DFI_IF_R_1(...)
#define DFI_IF_VOID(v) DFI_CAT(DFI_IF_VOID_, v)
#define DFI_IF_VOID_0(...)
#define DFI_IF_VOID_1(...) __VA_ARGS__

#if defined(DF_SERIAL)

#define DFI_TASK_MAKE_1(linkage, R, v, name, n, ...)                                               \
    linkage R name(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__));                                          \
    typedef struct name##_dfi_future { DFI_IF_R(v)(R dfi_result;) char dfi_state; } name##_future; \
    DFI_UNUSED static void name##_spawn(name##_future *dfi_f DFI_EACH_##n(DFI_MORE, __VA_ARGS__))  \
    {                                                                                              \
        dfi_f->dfi_state = 1;                                                                      \
        DFI_IF_R(v)(dfi_f->dfi_result =) name(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                \
    }                                                                                              \
    DFI_UNUSED static R name##_sync(name##_future *dfi_f)                                          \
    {                                                                                              \
        dfi_f->dfi_state = 0;                                                                      \
        DFI_IF_R(v)(return dfi_f->dfi_result;)                                                     \
    }                                                                                              \
    DFI_UNUSED static void name##_submit(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                     \
    {                                                                                              \
        struct dfi_local *dfi_m = dfi_serial_enter();                                              \
        DFI_EACH_##n(DFI_SHAPE, __VA_ARGS__)                                                       \
        DFI_IF_R(v)((void)) name(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                             \
        dfi_serial_leave(dfi_m);                                                                   \
    }                                                                                              \
    DFI_STATIC_ASSERT(sizeof(name##_future) > 0, "df.h")

#else

#define DFI_TASK_MAKE_1(linkage, R, v, name, n, ...)                                               \
    linkage R name(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__));                                          \
    struct name##_dfi_args { DFI_EACH_##n(DFI_FIELD, __VA_ARGS__) };                               \
    typedef struct name##_dfi_future {                                                             \
        struct dfi_future dfi_base;                                                                \
        struct name##_dfi_args dfi_args;                                                           \
        DFI_IF_R(v)(R dfi_result;)                                                                 \
    } name##_future;                                                                               \
    DFI_UNUSED static void name##_dfi_run(void *dfi_p, void *dfi_r)                                \
    {                                                                                              \
        const struct name##_dfi_args *dfi_a = (const struct name##_dfi_args *)dfi_p;               \
        (void)dfi_a;                                                                               \
        DFI_IF_R(v)(R dfi_v =) name(DFI_LIST_##n(DFI_LOAD, __VA_ARGS__));                          \
        DFI_IF_R(v)(if (dfi_r) *(R *)dfi_r = dfi_v;)                                               \
        DFI_IF_VOID(v)((void)dfi_r;)                                                               \
    }                                                                                              \
    DFI_UNUSED static const struct dfi_type name##_dfi_type = {                                    \
        name##_dfi_run, #name, offsetof(struct name##_dfi_future, dfi_args),                       \
        DFI_IF_R(v)(offsetof(struct name##_dfi_future, dfi_result)) DFI_IF_VOID(v)(0),             \
        sizeof(struct name##_dfi_args) };                                                          \
    DFI_INLINE void name##_spawn(name##_future *dfi_f DFI_EACH_##n(DFI_MORE, __VA_ARGS__))         \
    {                                                                                              \
        const struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };              \
        memcpy((void *)&dfi_f->dfi_args, (const void *)&dfi_a, sizeof dfi_a);                      \
        dfi_f->dfi_base.type = &name##_dfi_type;                                                   \
        dfi_spawn(&dfi_f->dfi_base);                                                               \
    }                                                                                              \
    DFI_INLINE R name##_sync(name##_future *dfi_f)                                                 \
    {                                                                                              \
        const struct name##_dfi_args *dfi_a = &dfi_f->dfi_args;                                    \
        (void)dfi_a;                                                                               \
        if (dfi_sync(&dfi_f->dfi_base))                                                            \
            DFI_IF_R(v)(return) name(DFI_LIST_##n(DFI_LOAD, __VA_ARGS__));                         \
        DFI_IF_R(v)(return dfi_f->dfi_result;)                                                     \
    }                                                                                              \
    DFI_UNUSED static void name##_submit(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                     \
    {                                                                                              \
        struct dfi_access dfi_x[n];                                                                \
        unsigned dfi_n = 0;                                                                        \
        struct dfi_task *dfi_t = dfi_task_new(&name##_dfi_type);                                   \
        struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };                    \
        if (!dfi_t) {                                                                              \
            dfi_run_now(&name##_dfi_type, (void *)&dfi_a);                                         \
            return;                                                                                \
        }                                                                                          \
        memcpy(dfi_t->args, (const void *)&dfi_a, sizeof dfi_a);                                   \
        DFI_EACH_##n(DFI_ACCESS, __VA_ARGS__)                                                      \
        dfi_submit(dfi_t, dfi_x, dfi_n);                                                           \
    }                                                                                              \
    DFI_STATIC_ASSERT(sizeof(name##_future) > 0, "df.h")

#endif

#endif
