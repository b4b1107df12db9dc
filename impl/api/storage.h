/* storage.h - storage per worker: each thread that runs tasks has an element of its own, >>storage
 *
 *   static df_per_worker(T) x = DF_PER_WORKER;     a variable with one T for each thread; zeroed memory is one as well
 *   ... x = DF_PER_WORKER_INIT(fn, arg);           fn(element, arg) initialises a new element, which is zeroed before
 *   df_per_worker_init(&x, fn, arg);               as DF_PER_WORKER_INIT, at run time; fn may be NULL
 *   T *df_mine(&x);                                the element of the calling thread; NULL without memory
 *   T *df_per_worker_next(&x, p);                  the element after p, NULL after the last one; p NULL: the first one
 *   df_per_worker_combine(&x, &into, fn);          calls fn(&into, element) for each element
 *   df_per_worker_free(&x);                        frees all elements; x is then as it was initialised
 *
 *     Occurrences of a character, counted without atomics:
 *
 *         static df_per_worker(long) hits = DF_PER_WORKER;
 *         void search(long lo, long hi, const char *text, char c)     a df_for, or any task
 *         {
 *             long *n = df_mine(&hits);
 *             for (long i = lo; i < hi; i++) *n += text[i] == c;
 *         }
 *         ...                                            after the wait:
 *         for (long *p = NULL; (p = df_per_worker_next(&hits, p)) != NULL;) total += *p;
 *
 *     The first df_mine of a thread makes its element: zeroed memory, to which fn is applied on that thread. No two
 *     elements share a cache line of 64 bytes, and each is aligned to 64 bytes. In C++, df calls no constructor and no
 *     destructor.
 *     Any thread that runs tasks has its own element: workers, threads of the program, and threads that run tasks while
 *     a worker blocks. So there may be more elements than df_workers(), and threads that never called df_mine have
 *     none.
 *     Guarantees: a pointer that df_mine returned in a task stays that of the task's thread until the task ends. Only
 *     the code of that thread uses the element, and between two constructs of df this is the task alone. In a
 *     construct (df_sync, df_wait, df_submit ...) the thread may run other tasks, which find the same element: do not
 *     keep it half changed across one. Which tasks of a program share an element differs from run to run; the set of
 *     all contributions does not.
 *     Elements stay, with their values, when their thread ends and over df_stop and df_start; a later thread may
 *     continue with one. In a forked child they have the values of the moment of the fork.
 *     The order of df_per_worker_next and df_per_worker_combine is unspecified.
 *     DF_SERIAL: there is one element.
 *     Threads: df_mine, any; it may start the pool. df_per_worker_next and df_per_worker_combine: while no other
 *     thread uses the elements, as after the wait for all tasks that do. df_per_worker_init, df_per_worker_free: while
 *     no other thread uses x.
 *     Errors: without memory df_mine returns NULL, which is logged once. fn may not use df.
 *     Cost: df_mine about 2 ns; the first one of a thread allocates sizeof(T) + 128 bytes, the first one of x 4 KB.
 *     A compiler without __typeof__: df_mine and df_per_worker_next are void *, so assign them to a T *.
 *   Source: combinable and enumerable_thread_specific of oneTBB; threadprivate of OpenMP. */
#ifndef DFI_API_STORAGE_H
#define DFI_API_STORAGE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "need.h"

struct dfi_storage {
    DFI_ATOMIC(void *) places;                /* a struct dfi_places, or NULL (more/storage.h) */
    void (*init)(void *element, void *arg);
    void *arg;
};
#define df_per_worker(T) struct { struct dfi_storage dfi_all; T *dfi_type; DFI_ALIGN_MEMBER(T, "df_per_worker") }
#define DF_PER_WORKER    { { NULL, 0, NULL }, NULL }
#define DF_PER_WORKER_INIT(fn, arg) { { NULL, (fn), (arg) }, NULL }

DFI_EXTERN_C_BEGIN
DFI_API void *dfi_mine(struct dfi_storage *x, size_t bytes);
DFI_API void *dfi_storage_next(struct dfi_storage *x, const void *p);
DFI_API void dfi_storage_combine(struct dfi_storage *x, void *into, void (*fn)(void *into, const void *from));
DFI_API void dfi_storage_init(struct dfi_storage *x, void (*fn)(void *element, void *arg), void *arg);
DFI_API void dfi_storage_free(struct dfi_storage *x);
DFI_EXTERN_C_END

#if defined(__cplusplus)
#define DFI_ELEMENT_OF(x, p) static_cast<decltype((x)->dfi_type)>(p)
#elif DFI_GNU || defined(__TINYC__)
#define DFI_ELEMENT_OF(x, p) ((__typeof__((x)->dfi_type))(p))
#else
#define DFI_ELEMENT_OF(x, p) (p)
#endif
#define df_mine(x) DFI_ELEMENT_OF(x, DFI_NEEDING(more, dfi_mine(&(x)->dfi_all, sizeof *(x)->dfi_type)))
#define df_per_worker_next(x, p) DFI_ELEMENT_OF(x, DFI_NEEDING(more, dfi_storage_next(&(x)->dfi_all, (p))))
#define df_per_worker_combine(x, into, fn) DFI_NEEDING(more, dfi_storage_combine(&(x)->dfi_all, (into), (fn)))
#define df_per_worker_init(x, fn, arg)     DFI_NEEDING(more, dfi_storage_init(&(x)->dfi_all, (fn), (arg)))
#define df_per_worker_free(x)              DFI_NEEDING(more, dfi_storage_free(&(x)->dfi_all))

#endif
