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
#include "need.h"
#include "serial.h"

/* linkage: `extern` or `static`; the variadic part: name, then 0 to 16 parameters. */
#define DFI_TASK(linkage, R, ...) DFI_PARAMS(DFI_TASK_GO, (linkage, R, DFI_IS_VOID(R)), __VA_ARGS__)
#define DFI_TASK_GO_TOO_MANY(name) \
    DFI_STATIC_ASSERT(0, "df.h: task " #name " has more than 16 parameters; put some of them into a struct")
#define DFI_TASK_GO(...) DFI_TASK_GO_(__VA_ARGS__)
#define DFI_TASK_GO_(linkage, R, v, name, n, ...) \
    DFI_CAT(DFI_TASK_MAKE_,                                                                                     \
            DFI_IS_EMPTY(DFI_CAT(DFI_BAD_NAME_, DFI_IS_PAREN(name)) DFI_EACH_##n(DFI_BAD, __VA_ARGS__)))          \
    (linkage, R, v, name, n, __VA_ARGS__)
#define DFI_BAD_NAME_0
#define DFI_BAD_NAME_1 dfi_wrong
#define DFI_TASK_MAKE_0(linkage, R, v, name, n, ...) \
    DFI_CAT(DFI_TASK_NAME_, DFI_IS_PAREN(name))(R)   \
    DFI_NUMBERED(DFI_TASK_TELL, name, __VA_ARGS__) DFI_STATIC_ASSERT(1, "df.h")
#define DFI_TASK_NAME_0(R)
#define DFI_TASK_NAME_1(R)                                                                                       \
    DFI_STATIC_ASSERT(0, "df.h: DF_TASK(" #R ", ...) has no name: it begins with the type of the result and the " \
                         "name of the task, as in DF_TASK(void, f, (int, n))");
#define DFI_TASK_TELL(name, k, t) DFI_CAT(DFI_TASK_TELL_, DFI_IS_EMPTY(DFI_BAD(t)))(name, k, t)
#define DFI_TASK_TELL_1(name, k, t)
#define DFI_TASK_TELL_0(name, k, t)                                                                           \
    DFI_STATIC_ASSERT(0, "df.h: parameter " #k " of task " #name " is `" DFI_TEXT(t) "`: a task parameter is " \
                         "(type, name), df_in/df_out/df_inout/...(type, pointer, count) or "                  \
                         "df_in2/...(type, pointer, rows, columns, leading dimension), "                      \
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
#define DFI_BODY_BEGIN(name, site)
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

#define DFI_RESULT_AT(v, name) \
    DFI_IF_R(v)(offsetof(struct name##_dfi_future, dfi_result)) DFI_IF_VOID(v)(DFI_FUTURE_VOID_AT(name))

/* The part that both builds share: prototype, argument record, the call from a record, the type, and the declarations
 * for nodes and df_submit_with. */
#define DFI_TASK_COMMON(linkage, R, v, name, body, n, ...)                                         \
    DFI_ARGS_OK(task, name, __VA_ARGS__)                                                           \
    linkage R name(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__));                                          \
    DFI_PACK_BEGIN                                                                                 \
    struct name##_dfi_args { DFI_EACH_##n(DFI_FIELD, __VA_ARGS__) DFI_ARGS_MEMBERS(n, __VA_ARGS__) }; \
    DFI_PACK_END                                                                                   \
    typedef struct name##_dfi_future {                                                             \
        struct dfi_future dfi_base;                                                                \
        struct name##_dfi_args dfi_args;                                                           \
        DFI_IF_R(v)(R dfi_result;)                                                                 \
        DFI_FUTURE_MEMBERS(name)                                                                   \
    } DFI_ALIGNED(__alignof__(struct dfi_future)) name##_future; /* also where the program packs its structures */ \
    DFI_UNUSED static void name##_dfi_run(void *dfi_p, void *dfi_r)                                \
    {                                                                                              \
        const struct name##_dfi_args *dfi_a = (const struct name##_dfi_args *)dfi_p;               \
        DFI_ARGS_ORDERED(0 DFI_EACH_##n(DFI_MODES, __VA_ARGS__))                                   \
        DFI_FUTURE_RUN(name, DFI_RESULT_AT(v, name))                                               \
        DFI_TRY                                                                                    \
        DFI_ARGS_END(name)                                                                         \
        DFI_IF_R(v)(R dfi_v =) body(DFI_LIST_##n(DFI_LOAD, __VA_ARGS__));                          \
        (void)dfi_a;                                                                               \
        DFI_IF_R(v)(if (dfi_r) *(R *)dfi_r = DFI_MOVED(dfi_v);)                                    \
        DFI_IF_VOID(v)((void)dfi_r;)                                                               \
        DFI_CATCH_TASK(name, DFI_RESULT_AT(v, name))                                               \
    }                                                                                              \
    DFI_UNUSED static const struct dfi_type name##_dfi_type = {                                    \
        name##_dfi_run, #name, offsetof(struct name##_dfi_future, dfi_args),                       \
        DFI_RESULT_AT(v, name),                                                                    \
        sizeof(struct name##_dfi_args), 0 DFI_EACH_##n(DFI_MODES, __VA_ARGS__),                    \
        "" DFI_EACH_##n(DFI_LABEL, __VA_ARGS__) };                                                 \
    DFI_WITH_##n(DFI_REDUCER, name, __VA_ARGS__)                                                   \
    DFI_STATIC_ASSERT(((unsigned)(0 DFI_EACH_##n(DFI_MODES, __VA_ARGS__)) & DFI_WEAK_LIMIT) != DFI_WEAK_LIMIT, \
        "df.h: task " #name " has weak accesses and df_limit: its children may follow tasks that wait for its units; " \
        "move the limit to the children");
#define DFI_WEAK_LIMIT ((unsigned)DFI_CHILDREN | (unsigned)DFI_LIMIT)

/* The node functions. Tasks with stream parameters have none, because their windows are not known before they are
 * submitted. */
#define DFI_TASK_NODE(name, n, ...)                                                                \
    enum { DFI_WITH_##n(DFI_INPUT, name, __VA_ARGS__) name##_dfi_inputs };                         \
    struct name##_dfi_node { struct dfi_task dfi_base; };                                          \
    DFI_GENERATED struct name##_dfi_node *name##_dfi_node_new(const char *dfi_site)                \
    {                                                                                              \
        static const size_t dfi_at[] = { DFI_WITH_##n(DFI_WHERE, name, __VA_ARGS__) 0 };           \
        static const struct dfi_inputs dfi_i = {                                                   \
            name##_dfi_inputs, "" DFI_EACH_##n(DFI_TITLE, __VA_ARGS__), dfi_at };                  \
        dfi_needs_more();                                                                          \
        return (struct name##_dfi_node *)(void *)dfi_node_new(&name##_dfi_type, &dfi_i, dfi_site); \
    }                                                                                              \
    DFI_WITH_##n(DFI_SETTER, name, __VA_ARGS__)

/* In C++ the construction of the argument record may throw, so it precedes the creation of the task. */
#if defined(__cplusplus)
#define DFI_BEFORE_TASK(...) __VA_ARGS__
#define DFI_BEHIND_TASK(...)
struct dfi_with_around {
    const struct df_opts *o;
    dfi_with_around(const struct df_opts *a, const char *site) : o(a) { dfi_with(o, site); }
    ~dfi_with_around() { dfi_with_end(o); }
};
#define DFI_WITH_BEGIN dfi_with_around dfi_w(dfi_o, dfi_site);
#define DFI_WITH_END
#else
#define DFI_BEFORE_TASK(...)
#define DFI_BEHIND_TASK(...) __VA_ARGS__
#define DFI_WITH_BEGIN dfi_with(dfi_o, dfi_site);
#define DFI_WITH_END dfi_with_end(dfi_o);
#endif

#if !defined(DF_SERIAL) /* api/serial.h */
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
#endif

/* The modes are constants: only the submission of a task with a limit calls dfi_limits_begin. */
#define DFI_TASK_NEW(name) \
    (name##_dfi_type.modes & DFI_LIMIT ? dfi_limits_begin() : (void)0, dfi_task_new(&name##_dfi_type))
#define DFI_TASK_SUBMIT(R, v, name, n, ...)                                                        \
    DFI_GENERATED void DFI_SUBMIT(name)(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                      \
    {                                                                                              \
        unsigned dfi_k;                                                                            \
        struct dfi_access dfi_x[n];                                                                \
        DFI_BEFORE_TASK(struct name##_dfi_args dfi_v = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };)   \
        struct dfi_task *dfi_t = DFI_TASK_NEW(name);                                               \
        DFI_BEHIND_TASK(struct name##_dfi_args dfi_v = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };)   \
        dfi_needs_dataflow();                                                                      \
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
    DFI_TASK_SUBMIT_LAZY(name, n, __VA_ARGS__)                                                     \
    DFI_GENERATED void name##_dfi_with(const struct df_opts *dfi_o, const char *dfi_site           \
                                           DFI_EACH_##n(DFI_MORE, __VA_ARGS__))                    \
    {                                                                                              \
        DFI_WITH_BEGIN                                                                             \
        DFI_SUBMIT(name)(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                                     \
        DFI_WITH_END                                                                               \
    }

/* A submission of a type without accesses tries to be lazy first (flow/lazy.h). */
#if defined(DF_SERIAL) || DFI_FOR_SIZE
#define DFI_SUBMIT(name) name##_submit
#define DFI_TASK_SUBMIT_LAZY(name, n, ...)
#else
#define DFI_SUBMIT(name) name##_dfi_submit
#define DFI_TASK_SUBMIT_LAZY(name, n, ...)                                                         \
    DFI_INLINE void name##_submit(DFI_LIST_##n(DFI_PROTO, __VA_ARGS__))                            \
    {                                                                                              \
        struct dfi_lazy *dfi_l = dfi_lazy_new(&name##_dfi_type, name##_dfi_type.modes,             \
                                              sizeof(struct name##_dfi_args));                     \
        if (DFI_LIKELY(dfi_l != NULL)) {                                                           \
            const struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_INIT, __VA_ARGS__) };          \
            memcpy(dfi_lazy_args(dfi_l), (const void *)&dfi_a, sizeof dfi_a);                      \
        } else name##_dfi_submit(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                             \
    }
#endif

#define DFI_TASK_STREAM(name, n, ...)                                                              \
    DFI_GENERATED void name##_submit(DFI_TAIL(dfi_none DFI_WITH_##n(DFI_GIVEN, name, __VA_ARGS__))) \
    {                                                                                              \
        struct dfi_access dfi_x[n];                                                                \
        struct dfi_ask dfi_y[n];                                                                   \
        unsigned dfi_n = 0, dfi_m = 0;                                                             \
        struct name##_dfi_args dfi_a = { DFI_LIST_##n(DFI_EMPTY, __VA_ARGS__) };                   \
        dfi_needs_more();                                                                          \
        DFI_EACH_##n(DFI_PART, __VA_ARGS__)                                                        \
        DFI_WITH_##n(DFI_ACCESS, name, __VA_ARGS__)                                                \
        DFI_WITH_##n(DFI_ASK, name, __VA_ARGS__)                                                   \
        dfi_stream_submit(&name##_dfi_type, (void *)&dfi_a, dfi_x, dfi_n, dfi_y, dfi_m);           \
    }                                                                                              \
    DFI_GENERATED void name##_dfi_with(const struct df_opts *dfi_o, const char *dfi_site           \
                                           DFI_WITH_##n(DFI_GIVEN, name, __VA_ARGS__))             \
    {                                                                                              \
        DFI_WITH_BEGIN                                                                             \
        name##_submit(DFI_LIST_##n(DFI_NAME, __VA_ARGS__));                                        \
        DFI_WITH_END                                                                               \
    }

/* Is an operator ordered? Then its key has one character more than its name; one of df is not. */
#define DFI_ORDERED_0(op) (sizeof(op##_dfi_key) > sizeof(#op))
#define DFI_ORDERED_1(op) 0

/* A user's operator on type T, in the form that the macros above call. order: "o", in the order of submission, or "",
 * in any order. The last argument is combine, or combine and identity: a function, or an initialiser in parentheses. */
#define DFI_REDUCTION(name, T, order, ...) \
    DFI_CAT(DFI_REDUCTION_, DFI_COUNT(__VA_ARGS__))(name, T, order, __VA_ARGS__)
#define DFI_REDUCTION_1(name, T, order, combine)                                                   \
    DFI_UNUSED static T name##_dfi_zero; /* the value of any static object */                      \
    DFI_REDUCTION_MAKE(name, T, order, combine, dfi_a[dfi_i] = name##_dfi_zero)
#define DFI_REDUCTION_2(name, T, order, combine, identity) \
    DFI_CAT(DFI_REDUCTION_2_, DFI_IS_PAREN(identity))(name, T, order, combine, identity)
#define DFI_REDUCTION_2_0(name, T, order, combine, identity) \
    DFI_REDUCTION_MAKE(name, T, order, combine, identity(&dfi_a[dfi_i]))
#define DFI_REDUCTION_2_1(name, T, order, combine, identity)                                       \
    DFI_UNUSED static const T name##_dfi_identity = DFI_OPEN identity;                             \
    DFI_REDUCTION_MAKE(name, T, order, combine, dfi_a[dfi_i] = name##_dfi_identity)
#define DFI_REDUCTION_MAKE(name, T, order, combine, set)                                           \
    DFI_UNUSED static void name##_dfi_reduction(T *dfi_a, const T *dfi_b, size_t dfi_n)            \
    {                                                                                              \
        size_t dfi_i;                                                                              \
        if (!dfi_b) for (dfi_i = 0; dfi_i < dfi_n; dfi_i++) set;                                   \
        else for (dfi_i = 0; dfi_i < dfi_n; dfi_i++) combine(&dfi_a[dfi_i], &dfi_b[dfi_i]);        \
    }                                                                                              \
    DFI_UNUSED static const char name##_dfi_key[] = order #name;                                   \
    DFI_ALIGN_CHECK(T, "reduction " #name)

#endif
