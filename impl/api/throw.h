/* throw.h - C++ exceptions that leave the body of a task
 *
 * The implementation may be C and stores an exception as two words. The C++ file that declares the task catches the
 * exception around the body, so that no exception propagates through the implementation, and passes it to the scope
 * like an error of df_fail, or to the future. The C++ file that waits takes it from there and rethrows it.
 * Unwinding that is not a C++ exception (pthread_exit, cancellation of a thread) is not caught. */
#ifndef DFI_API_THROW_H
#define DFI_API_THROW_H

#include "../base/compiler.h"
#include "value.h"

/* drop is NULL: no exception. Otherwise, object is NULL: there was no memory to store the exception. */
struct dfi_exception {
    void *object;
    void (*drop)(void *object);
};

struct dfi_future;
struct dfi_parallel_block;
DFI_EXTERN_C_BEGIN
/* df_fail(DF_ERROR_EXCEPTION, text) with the exception, which df then owns. Zero: there is no scope to store it. */
DFI_API int dfi_threw(const struct dfi_exception *x, const char *text);
/* Takes the exception of the caller's scope, after a wait for that scope. Zero: there is none. */
DFI_API int dfi_threw_take(struct dfi_exception *x);
/* dfi_scope_leave, but an exception of the tasks of the block is stored in *x. */
DFI_API void dfi_scope_leave_catching(struct dfi_parallel_block *b, struct dfi_exception *x);
#if !defined(DF_SERIAL)
/* dfi_sync of a future whose spawning function is left by an exception, or, if `forgotten`, in another way; the latter
 * is reported as a spawn without a sync. */
DFI_API int dfi_sync_left(struct dfi_future *f, int forgotten);
#endif
DFI_EXTERN_C_END

#if defined(__cplusplus) && (defined(__cpp_exceptions) || defined(__EXCEPTIONS)) && !DFI_LIBRARY
#define DFI_EXCEPTIONS 1
#include <exception>
#include <new>

DFI_CXX_BEGIN
inline DFI_COLD void dfi_exception_drop(void *object) { delete static_cast<std::exception_ptr *>(object); }

/* In a handler: takes the exception, and rethrows one that is not a C++ exception. */
inline DFI_COLD dfi_exception dfi_exception_here()
{
    dfi_exception x = { NULL, dfi_exception_drop };
    std::exception_ptr e = std::current_exception();
    if (!e) throw;
    x.object = new (std::nothrow) std::exception_ptr(e);
    return x;
}

[[noreturn]] inline DFI_COLD void dfi_exception_throw(const dfi_exception &x)
{
    std::exception_ptr e;
    if (!x.object) throw std::bad_alloc();
    e = *static_cast<std::exception_ptr *>(x.object);
    x.drop(x.object);
    std::rethrow_exception(e);
}

/* In a handler around a body: stores the exception in the future, if it is not NULL, or else in the scope. */
inline DFI_COLD void dfi_body_threw(dfi_exception *future)
{
    dfi_exception x = dfi_exception_here();
    int kept;
    if (future) {
        *future = x;
        return;
    }
    try {
        throw;
    } catch (const std::exception &e) {
        kept = dfi_threw(&x, e.what());
    } catch (...) {
        kept = dfi_threw(&x, "an exception that is no std::exception");
    }
    if (kept) return;
    x.drop(x.object);
    throw;
}

inline void dfi_wait_threw()
{
    dfi_exception x;
    if (dfi_threw_take(&x)) dfi_exception_throw(x);
}

/* The C++ part of a future: the exception of its body, valid if another worker has run it. A future is live, spawned
 * and not synced, while its type is set; df_sync resets it. */
struct dfi_future_rest { dfi_exception threw; };
/* The spawning function of f ends without df_sync, normally by an exception: removes f, or, if another worker runs it,
 * waits for it. Nonzero: f did not run. */
inline DFI_COLD int dfi_future_left(struct dfi_future *f, dfi_future_rest *r)
{
#if defined(DF_SERIAL)
    (void)f;
#else
#if __cplusplus >= 201703L
    if (dfi_sync_left(f, !std::uncaught_exceptions())) return 1;
#else
    if (dfi_sync_left(f, !std::uncaught_exception())) return 1;
#endif
#endif
    if (r->threw.drop) r->threw.drop(r->threw.object);
    return 0;
}
DFI_CXX_END
#define DFI_TRY try {
#define DFI_CATCH_TASK(name, at) \
    } catch (...) { dfi_body_threw(DFI_FUTURE_RUNS(name, at) ? &DFI_FUTURE_THREW(name) : NULL); }
#define DFI_CATCH_SPAWN } catch (...) { dfi_body_threw(&dfi_f->dfi_rest.threw); }
#define DFI_CATCH(statement) } catch (...) { dfi_body_threw(NULL); statement; }
#define DFI_FUTURE_MEMBERS(name)                  \
    dfi_future_rest dfi_rest;                     \
    DFI_MEMBER name##_dfi_future() { dfi_base.type = 0; } \
    DFI_MEMBER ~name##_dfi_future()               \
    {                                             \
        if (dfi_base.type && dfi_future_left(&dfi_base, &dfi_rest)) dfi_args.dfi_order(DFI_ORDER_DROP); \
    }
/* Does a future run? Its result lies in it, at `at`; that of a submitted task (df_opts.result) elsewhere. */
#define DFI_FUTURE_RUNS(name, at) \
    (dfi_r && (char *)dfi_r == (char *)dfi_p - offsetof(struct name##_dfi_future, dfi_args) + (at))
#define DFI_FUTURE_RUN(name, at) if (DFI_FUTURE_RUNS(name, at)) DFI_FUTURE_THREW(name).drop = NULL;
#define DFI_FUTURE_THREW(name) \
    ((name##_future *)(void *)((char *)dfi_p - offsetof(struct name##_dfi_future, dfi_args)))->dfi_rest.threw
#define DFI_FUTURE_SPAWNED(name, f) (f)->dfi_base.type = &name##_dfi_type, (f)->dfi_rest.threw.drop = NULL;
#define DFI_FUTURE_SYNCED(f)     (f)->dfi_base.type = 0;
#define DFI_FUTURE_RETHROW(f)    if ((f)->dfi_rest.threw.drop) dfi_exception_throw((f)->dfi_rest.threw);
#define DFI_FUTURE_VOID_AT(name) offsetof(struct name##_dfi_future, dfi_rest)
#define DFI_RETHROWS(call)                                      \
    do {                                                        \
        dfi_exception dfi_thrown = { NULL, NULL };              \
        call;                                                   \
        if (dfi_thrown.drop) dfi_exception_throw(dfi_thrown);   \
    } while (0)

#else
#define DFI_EXCEPTIONS 0
#define DFI_TRY
#define DFI_CATCH_TASK(name, at)
#define DFI_CATCH_SPAWN
#define DFI_CATCH(statement)
#define DFI_FUTURE_MEMBERS(name)
#define DFI_FUTURE_RUN(name, at)
#define DFI_FUTURE_SPAWNED(name, f)
#define DFI_FUTURE_SYNCED(f)
#define DFI_FUTURE_RETHROW(f)
#define DFI_FUTURE_VOID_AT(name) 0
#endif

#endif
