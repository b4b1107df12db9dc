/* limits.h - semaphores of tasks: how many may use a resource at a time, >>limits
 *
 *   static df_semaphore s = DF_SEMAPHORE(n);       a semaphore with n units, 1 or more; also with automatic storage
 *   df_semaphore_init(&s, n);                      the same for existing memory, at run time
 *   df_semaphore_resize(&s, n);                    changes the number of units to n, 1 or more, at any time. Tasks keep
 *             the units that they hold: if they hold more than n, the next ones wait until enough are back. Tasks that
 *             have asked for more than n, and wait, get all n.
 *   df_limit(s, k)                                 a parameter of DF_TASK: the task starts when k units of the
 *             semaphore are free, and holds them until it and its descendants are done. The body gets
 *             df_semaphore *s  as its argument. k: any expression over the other parameters. 0: no units.
 *   int df_semaphore_destroy(&s);                  checks that no task holds units, and ends the semaphore. Returns 1;
 *             0 if tasks hold units: that is reported, and the semaphore stays as it is. The call is optional.
 *
 *     At most two downloads at a time, and buffers of at most 64 MB in all tasks together:
 *
 *         static df_semaphore line = DF_SEMAPHORE(2), memory = DF_SEMAPHORE(64 << 20);
 *         DF_TASK(void, load, df_limit(line, 1), df_limit(memory, bytes), (int, i), (size_t, bytes));
 *         void load(df_semaphore *line, df_semaphore *memory, int i, size_t bytes) { ... }
 *         ...
 *         for (i = 0; i < n; i++) df_submit(load, &line, &memory, i, size[i]);
 *
 *     A task that waits for units occupies no thread and no stack. A task may have several limits, together with any
 *     other parameters; tasks with limits and df_commute never wait for each other in a circle. A limit of 1 unit of 1
 *     is df_commute for something that is no memory, also between tasks of different scopes. Units pass on memory: a
 *     task sees what the tasks did that returned its units.
 *     A task returns its units also if it fails, is cancelled, leaves by an exception or ends its thread.
 *     Units are granted in the order in which the tasks became ready for them, so a task that needs many is not
 *     overtaken by tasks that need few. Priorities do not change this order.
 *     The semaphore must live until all tasks that name it are done.
 *     df_spawn, df_sync and plain calls have no limits, as they have no accesses; neither have nodes, which is
 *     reported. In loops, kernels and tasks with weak accesses the word is a compilation error: a loop has
 *     DF_LOOP_OPTS(.workers = k), and the children of a weak task can have the limit. A run of a task graph with
 *     limits submits its tasks one by one.
 *     A task that holds units and waits, also for its children at its end, must not wait for a task that needs these
 *     units, by a token or through other semaphores: df does not notice the circle.
 *     Threads: any; tasks of several threads of the program may share a semaphore.
 *     Errors: a number of units below 1: reported; the semaphore has 1, or keeps those that it has. More units than
 *     the semaphore has, or a negative number: reported, and the task takes all. A child of a task that holds units of
 *     the same semaphore would wait for its parent: it is reported, and runs without units.
 *   Source: Taskflow's semaphores; TBB's limiter_node.
 *
 * The word is one more form for the generators of api/param.h. To df it is an access without a region: its order is
 * that of locks (more/lock.h). */
#ifndef DFI_API_LIMITS_H
#define DFI_API_LIMITS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/pp.h"
#include "access.h"
#include "declare.h"
#include "need.h"
#include "param.h"
#include "task.h"
#include "taskgraph_declare.h"

typedef struct df_semaphore {
    DFI_ATOMIC(uintptr_t) dfi_state;     /* more/semaphore.h */
    DFI_ATOMIC(intptr_t) dfi_units;
    const char *dfi_site;
    DFI_ATOMIC(intptr_t) dfi_returned;
    DFI_ATOMIC(int) dfi_busy;
    intptr_t dfi_free;                   /* this and the next two: the thread that has set dfi_busy */
    void *dfi_first, *dfi_last;
} df_semaphore;
#define DF_SEMAPHORE(n) { 2 * (uintptr_t)(n) + 1, (intptr_t)(n), DFI_SITE, 0, 0, 0, NULL, NULL }
#define df_semaphore_init(s, n)  DFI_NEEDING(more, dfi_semaphore_init((s), (n), DFI_SITE))
#define df_semaphore_resize(s, n) DFI_NEEDING(more, dfi_semaphore_resize((s), (n), DFI_SITE))
#define df_semaphore_destroy(s)  DFI_NEEDING(more, dfi_semaphore_destroy((s), DFI_SITE))
DFI_EXTERN_C_BEGIN
DFI_API void dfi_semaphore_init(df_semaphore *s, long long n, const char *site);
DFI_API void dfi_semaphore_resize(df_semaphore *s, long long n, const char *site);
DFI_API int dfi_semaphore_destroy(df_semaphore *s, const char *site);
DFI_EXTERN_C_END

#define df_limit(...) DFI_CAT(DFI_TUPLE_LIMIT_, DFI_ARITY(2, DFI_COUNT(__VA_ARGS__)))(__VA_ARGS__)
#define DFI_TUPLE_LIMIT_1(...) (dfi_f_limit, dfi_m_limit, df_semaphore, __VA_ARGS__)
#define DFI_TUPLE_LIMIT_0(...) DFI_TUPLE_WRONG("df_limit(" #__VA_ARGS__ ")")
#define DFI_FORM_dfi_f_limit ~, 1
#define DFI_CONST_dfi_m_limit

#define DFI_PROTO_dfi_f_limit     DFI_PROTO_dfi_f_array
#define DFI_MORE_dfi_f_limit      DFI_MORE_dfi_f_array
#define DFI_FIELD_dfi_f_limit     DFI_FIELD_dfi_f_array
#define DFI_NAME_dfi_f_limit      DFI_NAME_dfi_f_array
#define DFI_LOAD_dfi_f_limit      DFI_LOAD_dfi_f_array
#define DFI_ALSO_dfi_f_limit      DFI_ALSO_dfi_f_array
#define DFI_INIT_dfi_f_limit      DFI_INIT_dfi_f_array
#define DFI_PASS_dfi_f_limit      DFI_PASS_dfi_f_array
#define DFI_GIVEN_dfi_f_limit     DFI_GIVEN_dfi_f_array
#define DFI_TYPES_dfi_f_limit(f, T, p, n)
#define DFI_PART_dfi_f_limit(mode) dfi_needs_more();
#define DFI_USED_dfi_f_limit      DFI_USED_dfi_f_array
#define DFI_EMPTY_dfi_f_limit     DFI_INIT_dfi_f_array
#define DFI_SETTER_dfi_f_limit    DFI_SETTER_dfi_f_array
#define DFI_INPUT_dfi_f_limit     DFI_INPUT_dfi_f_array
#define DFI_WHERE_dfi_f_limit     DFI_WHERE_dfi_f_array
#define DFI_TITLE_dfi_f_limit     DFI_TITLE_dfi_f_array
#define DFI_SHAPE_dfi_f_limit     DFI_SHAPE_dfi_f_array
#define DFI_REDUCER_dfi_f_limit   DFI_REDUCER_dfi_f_array
#define DFI_ACCESS_dfi_f_limit(f, mode, T, p, n) \
    dfi_access_limit(&dfi_x[dfi_n++], DFI_AT(f, p), p, DFI_BYTES_OF(n, char));
#define DFI_ASK_dfi_f_limit(f, mode, T, p, n)
#define DFI_LABEL_dfi_f_limit     DFI_LABEL_dfi_f_array
#define DFI_MODES_dfi_f_limit(mode, ...) | DFI_LIMIT
#define DFI_ORDER_dfi_f_limit(T, p, n)
#define DFI_HAVE_dfi_f_limit      DFI_ALSO_dfi_f_array
#define DFI_HAND_dfi_f_limit      DFI_ALSO_dfi_f_array
#define DFI_SEEN_dfi_f_limit      DFI_MORE_dfi_f_array
#define DFI_BAD_dfi_f_limit
#define DFI_OF_STREAM_dfi_f_limit
#define DFI_TEXT_dfi_f_limit(mode, T, ...) "df_limit(" #__VA_ARGS__ ")"
#define DFI_SUBSCRIBE_dfi_f_limit(mode, T, p, n)
#define DFI_NOT_KERNEL_dfi_f_limit(mode) *

/* An access that is no region: n units of the semaphore s; DFI_NO_BYTES: an impossible number. */
DFI_INLINE void dfi_access_limit(struct dfi_access *x, unsigned arg, const void *s, size_t n)
{
    x->p = s, x->row = x->rows = x->ld = 0, x->mode = DFI_LIMIT, x->arg = arg, x->size = n;
}

#endif
