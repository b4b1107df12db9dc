/* declare.h - expansion of a DF_TASK line
 *
 * For a task f with result R and parameters P:
 *     R f(P);                                   the user's function
 *     f_future                                  a record for df_spawn/df_sync, on the caller's stack
 *     void f_spawn(f_future *, P)  R f_sync(f_future *)  void f_submit(P)
 *     struct f_dfi_args, f_dfi_run, f_dfi_type, f_dfi_with, f_dfi_node_new, f_dfi_set_p ...  private
 * Every call of the user ends in one of these typed functions, so the compiler checks it. The contribution of each
 * parameter is in api/param.h. */
#ifndef DFI_API_DECLARE_H
#define DFI_API_DECLARE_H

#include "../base/compiler.h"
#include "../base/pp.h"
#include "access.h"
#include "param.h"
#include "stream.h"
#include "task.h"
#include "taskgraph_declare.h"
#include "throw.h"
#include "core.h"
#include "serial.h"

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
#define DFI_TASK_MAKE_0(linkage, R, v, name, n, ...) \
    DFI_NUMBERED(DFI_TASK_TELL, name, __VA_ARGS__) DFI_STATIC_ASSERT(1, "df.h")
#define DFI_TASK_TELL(name, k, t) DFI_CAT(DFI_TASK_TELL_, DFI_IS_EMPTY(DFI_BAD(t)))(name, k, t)
#define DFI_TASK_TELL_1(name, k, t)
#define DFI_TASK_TELL_0(name, k, t)                                                                           \
    DFI_STATIC_ASSERT(0, "df.h: parameter " #k " of task " #name " is `" DFI_TEXT(t) "`: a task parameter is " \
                         "(type, name) or df_in/df_out/df_inout/...(type, pointer, count), "                  \
                         "see the parameter words in df.h; df_owm_in/out/inout need df_owm.h");

/* --- the expansion --------------------------------------------------------------------------- */

/* DFI_IF_R(v)(text) is the text for a task with a result, and empty for a void task; DFI_IF_VOID the reverse. */
#define DFI_IF_R(v) DFI_CAT(DFI_IF_R_, v)
#define DFI_IF_R_0(...) __VA_ARGS__
#define DFI_IF_R_1(...)
#define DFI_IF_VOID(v) DFI_CAT(DFI_IF_VOID_, v)
#define DFI_IF_VOID_0(...)
#define DFI_IF_VOID_1(...) __VA_ARGS__

/* `body` is the function that the runtime calls: the user's function itself, or, where ownership is tracked (df_owm.h
 * defines DFI_OWNS), a wrapper around it. Bodies of loops and pipes are enclosed in DFI_BODY_BEGIN and DFI_BODY_END,
 * which df_owm.h redefines. */
#define DFI_BODY_BEGIN(name)
#define DFI_BODY_END
#define DFI_TASK_MAKE_1(...) DFI_CAT(DFI_TASK_BODY_, DFI_OWNS)(__VA_ARGS__)
#define DFI_TASK_BODY_DFI_OWNS(linkage, R, v, name, n, ...) DFI_TASK_OF(linkage, R, v, name, name, n, __VA_ARGS__)
#define DFI_TASK_OF(linkage, R, v, name, body, n, ...)                                             \
    DFI_CAT(DFI_TASK_STREAMS_, DFI_IS_EMPTY(DFI_EACH_##n(DFI_OF_STREAM, __VA_ARGS__)))             \
        (linkage, R, v, name, body, n, __VA_ARGS__)
#define DFI_TASK_STREAMS_1(linkage, R, v, name, body, n, ...)                                      \
    DFI_TASK_COMMON(linkage, R, v, name, body, n, __VA_ARGS__)                                     \
    DFI_TASK_NODE(name, n, __VA_ARGS__)                                                            \
    DFI_TASK_ACCESSES(name, n, __VA_ARGS__)                                                        \
    DFI_TASK_FORK(R, v, name, body, n, __VA_ARGS__)                                                \
    DFI_TASK_SUBMIT(R, v, name, n, __VA_ARGS__)                                                    \
    DFI_STATIC_ASSERT(sizeof(name##_future) > 0, "df.h")
#define DFI_TASK_STREAMS_0(linkage, R, v, name, body, n, ...)                                      \
    DFI_TASK_COMMON(linkage, R, v, name, body, n, __VA_ARGS__)                                     \
    DFI_TASK_FORK(R, v, name, body, n, __VA_ARGS__)                                                \
    DFI_WITH_##n(DFI_TYPES, name, __VA_ARGS__)                                                     \
    DFI_TASK_STREAM(name, n, __VA_ARGS__)                                                          \
    DFI_STATIC_ASSERT(sizeof(name##_future) > 0, "df.h")

/* The part that both builds share: prototype, argument record, the call from a record, the type, and the declarations
 * for nodes and df_submit_with. */
#define DFI_TASK_COMMON(linkage, R, v, name, body, n, ...)                                         \
    DFI_ARGS_OK(task, name, __VA_ARGS__)                                                           \
    linkage R name(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__));                                          \
    struct name##_dfi_args { DFI_EACH_##n(DFI_FIELD, __VA_ARGS__) DFI_ARGS_MEMBERS(n, __VA_ARGS__) }; \
    typedef struct name##_dfi_future {                                                             \
        struct dfi_future dfi_base;                                                                \
        struct name##_dfi_args dfi_args;                                                           \
        DFI_IF_R(v)(R dfi_result;)                                                                 \
        DFI_FUTURE_MEMBERS(name)                                                                   \
    } name##_future;                                                                               \
    DFI_UNUSED static void name##_dfi_run(void *dfi_p, void *dfi_r)                                \
    {                                                                                              \
        const struct name##_dfi_args *dfi_a = (const struct name##_dfi_args *)dfi_p;               \
        DFI_ARGS_ORDERED(0 DFI_EACH_##n(DFI_MODES, __VA_ARGS__))                                   \
        DFI_FUTURE_RUN(name)                                                                       \
        DFI_TRY                                                                                    \
        DFI_ARGS_END(name)                                                                         \
        DFI_IF_R(v)(R dfi_v =) body(DFI_LIST_##n(DFI_LOAD, __VA_ARGS__));                          \
        (void)dfi_a;                                                                               \
        DFI_IF_R(v)(if (dfi_r) *(R *)dfi_r = DFI_MOVED(dfi_v);)                                    \
        DFI_IF_VOID(v)((void)dfi_r;)                                                               \
        DFI_CATCH_TASK(name)                                                                       \
    }                                                                                              \
    DFI_UNUSED static const struct dfi_type name##_dfi_type = {                                    \
        name##_dfi_run, #name, offsetof(struct name##_dfi_future, dfi_args),                       \
        DFI_IF_R(v)(offsetof(struct name##_dfi_future, dfi_result)) DFI_IF_VOID(v)(DFI_FUTURE_VOID_AT(name)), \
        sizeof(struct name##_dfi_args), 0 DFI_EACH_##n(DFI_MODES, __VA_ARGS__),                    \
        "" DFI_EACH_##n(DFI_LABEL, __VA_ARGS__) };                                                 \
    DFI_WITH_##n(DFI_REDUCER, name, __VA_ARGS__)

/* The node functions. Tasks with stream parameters have none, because their windows are not known before they are
 * submitted. */
#define DFI_TASK_NODE(name, n, ...)                                                                \
    enum { DFI_WITH_##n(DFI_INPUT, name, __VA_ARGS__) name##_dfi_inputs };                         \
    struct name##_dfi_node { struct dfi_task dfi_base; };                                          \
    DFI_UNUSED static struct name##_dfi_node *name##_dfi_node_new(const char *dfi_site)            \
    {                                                                                              \
        return (struct name##_dfi_node *)(void *)dfi_node_new(                                     \
            &name##_dfi_type, name##_dfi_inputs, "" DFI_EACH_##n(DFI_TITLE, __VA_ARGS__), dfi_site); \
    }                                                                                              \
    DFI_WITH_##n(DFI_SETTER, name, __VA_ARGS__)

/* In C++ the construction of the argument record may throw, so it precedes the creation of the task. */
#if defined(__cplusplus)
#define DFI_BEFORE_TASK(...) __VA_ARGS__
#define DFI_BEHIND_TASK(...)
#if !defined(DF_SERIAL)
struct dfi_with_around {
    const struct df_opts *o;
    dfi_with_around(const struct df_opts *a, const char *site) : o(a) { dfi_with(o, site); }
    ~dfi_with_around() { dfi_with_end(o); }
};
#endif
#define DFI_WITH_BEGIN dfi_with_around dfi_w(dfi_o, dfi_site);
#define DFI_WITH_END
#define DFI_SERIAL_CALL(R, v, name, n, ...)                                                        \
    const unsigned dfi_n = name##_dfi_declared(dfi_x DFI_EACH_##n(DFI_ALSO, __VA_ARGS__));         \
    struct name##_dfi_args dfi_v = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };                        \
    name##_dfi_run((void *)&dfi_v, NULL);
#define DFI_SERIAL_DECLARED(n) dfi_n
#else
#define DFI_BEFORE_TASK(...)
#define DFI_BEHIND_TASK(...) __VA_ARGS__
#define DFI_WITH_BEGIN dfi_with(dfi_o, dfi_site);
#define DFI_WITH_END dfi_with_end(dfi_o);
#define DFI_SERIAL_CALL(R, v, name, n, ...) DFI_IF_R(v)((void)) name(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));
#define DFI_SERIAL_DECLARED(n) n
#endif

#if defined(DF_SERIAL)

#define DFI_TASK_FORK(R, v, name, body, n, ...)                                                    \
    DFI_UNUSED static void name##_spawn(name##_future *dfi_f DFI_EACH_##n(DFI_MORE, __VA_ARGS__))  \
    {                                                                                              \
        dfi_f->dfi_base.state = 1;                                                                 \
        DFI_FUTURE_SPAWNED(dfi_f)                                                                  \
        DFI_TRY                                                                                    \
        DFI_IF_R(v)(dfi_f->dfi_result =) body(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                \
        DFI_CATCH_SPAWN                                                                            \
    }                                                                                              \
    DFI_UNUSED static R name##_sync(name##_future *dfi_f)                                          \
    {                                                                                              \
        dfi_f->dfi_base.state = 0;                                                                 \
        DFI_FUTURE_SYNCED(dfi_f)                                                                   \
        DFI_FUTURE_RETHROW(dfi_f)                                                                  \
        DFI_IF_R(v)(return DFI_MOVED(dfi_f->dfi_result);)                                          \
    }

#define DFI_TASK_SUBMIT(R, v, name, n, ...)                                                        \
    DFI_UNUSED static void name##_dfi_with(const struct df_opts *dfi_o, const char *dfi_site       \
                                           DFI_EACH_##n(DFI_MORE, __VA_ARGS__))                    \
    {                                                                                              \
        struct dfi_access dfi_x[n];                                                                \
        unsigned dfi_n = name##_dfi_declared(dfi_x DFI_EACH_##n(DFI_ALSO, __VA_ARGS__));           \
        const struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };              \
        dfi_serial_with(dfi_o, dfi_site, &name##_dfi_type, (const void *)&dfi_a, dfi_x, dfi_n);    \
    }                                                                                              \
    DFI_UNUSED static void name##_submit(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                     \
    {                                                                                              \
        struct dfi_frame dfi_m;                                                                    \
        struct dfi_access dfi_x[n];                                                                \
        struct dfi_scope *dfi_s;                                                                   \
        int dfi_how = dfi_serial_enter(&dfi_m);                                                    \
        if (dfi_how == 2) name##_dfi_with(NULL, NULL DFI_EACH_##n(DFI_HAND, __VA_ARGS__));         \
        if (dfi_how != 1) return;                                                                  \
        DFI_SERIAL_CALL(R, v, name, n, __VA_ARGS__)                                                \
        if (!(dfi_s = dfi_serial_leave(&dfi_m))) return;                                           \
        dfi_serial_keep(dfi_s, dfi_x,                                                              \
                        DFI_SERIAL_DECLARED(name##_dfi_declared(dfi_x DFI_EACH_##n(DFI_ALSO, __VA_ARGS__)))); \
    }

#define DFI_TASK_STREAM(name, n, ...)                                                              \
    DFI_UNUSED static void name##_dfi_with(const struct df_opts *dfi_o, const char *dfi_site       \
                                           DFI_WITH_##n(DFI_GIVEN, name, __VA_ARGS__))             \
    {                                                                                              \
        struct dfi_access dfi_x[n];                                                                \
        struct dfi_ask dfi_y[n];                                                                   \
        unsigned dfi_n = 0, dfi_m = 0;                                                             \
        struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_EMPTY, __VA_ARGS__) };                   \
        DFI_WITH_##n(DFI_ACCESS, name, __VA_ARGS__)                                                \
        DFI_WITH_##n(DFI_ASK, name, __VA_ARGS__)                                                   \
        dfi_stream_submit(dfi_o, dfi_site, &name##_dfi_type, (void *)&dfi_a, dfi_x, dfi_n, dfi_y, dfi_m); \
    }                                                                                              \
    DFI_UNUSED static void name##_submit(DFI_TAIL(dfi_none DFI_WITH_##n(DFI_GIVEN, name, __VA_ARGS__))) \
    {                                                                                              \
        name##_dfi_with(NULL, NULL, DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                          \
    }

#else

#define DFI_TASK_FORK(R, v, name, body, n, ...)                                                    \
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
        if (dfi_sync(&dfi_f->dfi_base)) {                                                          \
            DFI_FUTURE_SYNCED(dfi_f)                                                               \
            DFI_ARGS_END(name)                                                                     \
            DFI_IF_R(v)(return) body(DFI_LIST_##n(DFI_LOAD, __VA_ARGS__));                         \
            DFI_IF_VOID(v)(return;)                                                                \
        }                                                                                          \
        DFI_FUTURE_SYNCED(dfi_f)                                                                   \
        DFI_FUTURE_RETHROW(dfi_f)                                                                  \
        DFI_IF_R(v)(return DFI_MOVED(dfi_f->dfi_result);)                                          \
    }

#define DFI_TASK_SUBMIT(R, v, name, n, ...)                                                        \
    DFI_UNUSED static void name##_submit(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                     \
    {                                                                                              \
        unsigned dfi_k;                                                                            \
        struct dfi_access dfi_x[n];                                                                \
        DFI_BEFORE_TASK(struct name##_dfi_args dfi_v = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };)   \
        struct dfi_task *dfi_t = dfi_task_new(&name##_dfi_type);                                   \
        DFI_BEHIND_TASK(struct name##_dfi_args dfi_v = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };)   \
        if (!dfi_t) {                                                                              \
            dfi_run_now(&name##_dfi_type, (void *)&dfi_v);                                         \
            return;                                                                                \
        }                                                                                          \
        dfi_k = name##_dfi_declared(dfi_x DFI_EACH_##n(DFI_HAVE, __VA_ARGS__));                    \
        if (name##_dfi_type.modes && DFI_UNLIKELY(dfi_t == DFI_BARE)) {                            \
            dfi_run_after(&name##_dfi_type, (void *)&dfi_v, dfi_x, dfi_k);                         \
            return;                                                                                \
        }                                                                                          \
        memcpy(dfi_t->args, (const void *)&dfi_v, sizeof dfi_v);                                   \
        dfi_submit(dfi_t, dfi_x, dfi_k);                                                           \
    }                                                                                              \
    DFI_UNUSED static void name##_dfi_with(const struct df_opts *dfi_o, const char *dfi_site       \
                                           DFI_EACH_##n(DFI_MORE, __VA_ARGS__))                    \
    {                                                                                              \
        DFI_WITH_BEGIN                                                                             \
        name##_submit(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                                        \
        DFI_WITH_END                                                                               \
    }

#define DFI_TASK_STREAM(name, n, ...)                                                              \
    DFI_UNUSED static void name##_submit(DFI_TAIL(dfi_none DFI_WITH_##n(DFI_GIVEN, name, __VA_ARGS__))) \
    {                                                                                              \
        struct dfi_access dfi_x[n];                                                                \
        struct dfi_ask dfi_y[n];                                                                   \
        unsigned dfi_n = 0, dfi_m = 0;                                                             \
        struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_EMPTY, __VA_ARGS__) };                   \
        DFI_WITH_##n(DFI_ACCESS, name, __VA_ARGS__)                                                \
        DFI_WITH_##n(DFI_ASK, name, __VA_ARGS__)                                                   \
        dfi_stream_submit(&name##_dfi_type, (void *)&dfi_a, dfi_x, dfi_n, dfi_y, dfi_m);           \
    }                                                                                              \
    DFI_UNUSED static void name##_dfi_with(const struct df_opts *dfi_o, const char *dfi_site       \
                                           DFI_WITH_##n(DFI_GIVEN, name, __VA_ARGS__))             \
    {                                                                                              \
        DFI_WITH_BEGIN                                                                             \
        name##_submit(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                                        \
        DFI_WITH_END                                                                               \
    }

#endif

/* A user's operator on type T, in the form that the macros above call. order: "o", in the order of submission, or "a",
 * in any order. */
#define DFI_REDUCTION(name, T, combine, identity, order)                                             \
    DFI_UNUSED static void name##_dfi_reduction(T *dfi_a, const T *dfi_b, size_t dfi_n)            \
    {                                                                                              \
        size_t dfi_i;                                                                              \
        if (!dfi_b) for (dfi_i = 0; dfi_i < dfi_n; dfi_i++) identity(&dfi_a[dfi_i]);               \
        else for (dfi_i = 0; dfi_i < dfi_n; dfi_i++) combine(&dfi_a[dfi_i], &dfi_b[dfi_i]);        \
    }                                                                                              \
    DFI_UNUSED static const char name##_dfi_key[] = order #name;                                   \
    DFI_STATIC_ASSERT(sizeof(T) > 0, "df.h")

#endif
