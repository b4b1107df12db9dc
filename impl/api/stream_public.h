/* stream_public.h - streams: bounded buffers that pass data from task to task, in order, >>streams
 *
 *   df_stream *s = df_stream_new(bytes, capacity);   a stream with room for `capacity` elements of `bytes` bytes
 *             each. NULL without memory.
 *   df_stream *r = df_stream_reader(s);       adds a reader: it sees all elements that tasks submitted from now on
 *             push, regardless of what s, the first reader, consumes. NULL without memory.
 *   df_stream_external(s);                    elements come from outside of df: from threads that do not use df
 *             otherwise, and submit the tasks that push them at any time. Until s is closed, tasks that wait for its
 *             elements are not given up.
 *   size_t df_stream_room(s);                 the number of elements that a task submitted now could push without
 *             waiting for readers; 0 after the close. A program that must not queue without end, or wait, asks first,
 *             and drops what finds no room. Another thread that submits tasks may take the room between the two calls.
 *   df_stream_close(s);                       tasks submitted after this push nothing, and those that pop reach the
 *             end after the last element.
 *             Errors: a second call is reported and has no effect.
 *   df_stream_free(s);                        frees a stream or a reader: in any order, also while tasks use it. df
 *             frees the memory after the last of them. Elements that no task was submitted to read are reported when
 *             the last reader is freed.
 *   df_stream_of(T) *s = df_stream_new_of(T, capacity);   a stream whose element type the compiler knows: df_submit
 *             with a task of other elements does not compile. df_stream_of(T) is a type without objects, for
 *             pointers; all functions take both kinds of pointers.
 *   df_stream_of(T) *r = df_stream_reader_of(T, s);   adds a reader to such a stream
 *   size_t df_stream_count(p);                in a body: the number of elements of the window at p that came from the
 *             stream; fewer than requested only at the end of a closed stream. (If several windows of the task begin
 *             at p, of the largest.)
 *
 *     Parameters of DF_TASK. The argument of df_submit is the stream; the body receives a window of its elements:
 *
 *         DF_TASK(void, mean, df_peek(float, x, 3, 1), df_push(float, y, 1));
 *         void mean(const float *x, float *y) { *y = (x[0] + x[1] + x[2]) / 3; }
 *         ...
 *         df_submit(mean, in, out);
 *
 *   df_pop(T, p, burst)              reads and consumes `burst` elements; argument df_stream *, body  const T *p
 *   df_peek(T, p, horizon, burst)    reads `horizon` elements, and consumes the first `burst` of them, which may be
 *             0; argument df_stream *, body  const T *p
 *   df_push(T, p, burst)             writes `burst` elements; argument df_stream *, body  T *p
 *   df_popv(T, p, burst, n)          reads and consumes `burst` elements of each of n streams; argument an array of
 *             df_stream *, read during the call; body  const T *const *p, an array of n windows
 *   df_pushv(T, p, burst, n)         writes `burst` elements of each of n streams; body  T *const *p
 *
 *     burst, horizon, n: any expressions over the parameters by value of the same task.
 *     Windows follow each other in the order in which their tasks are submitted: the k-th task that pushes writes the
 *     elements after those of the (k-1)-th, and for each reader likewise. (When several threads submit at the same
 *     time: in some order, which is the same on all streams that two tasks share.) Tasks that read may be submitted
 *     before the tasks that write their elements. A task starts when its input has been written by tasks that are
 *     done, when every reader has passed its output window, by tasks that are done, and when its other parameters and
 *     options permit. A task that waits for room occupies no worker, and its submitter continues.
 *     A window that is cut by the end of the buffer is copied; all others are the buffer itself.
 *     After df_stream_close, a read window that begins at the end or beyond it is NULL; one that ends beyond it is
 *     padded with zeros. A task that is skipped passes the elements that it should have read; the tasks that read
 *     elements it should have written are skipped.
 *     The elements of a stream have one type: that of df_stream_new_of, or else that of the first task that is
 *     submitted with it. All scalar types are distinguished, except that char, signed char and unsigned char count as
 *     one. Only the compiler knows whether two names of structures denote the same type, so two names cause a
 *     warning: use df_stream_of.
 *     A task with such parameters cannot be a node. df_spawn and calls pass the pointers of the body.
 *     Threads: any, for all of this.
 *     Cost: about 50 ns a task with one window, of any size. Short bodies run in the thread that submits them.
 *   Errors: a window larger than the stream, elements of another type, a negative burst, and NULL for a stream are
 *     reported; the task is skipped and df_wait_result returns DF_ERROR_STREAM. Pushing after the close is reported,
 *     and the elements are dropped. A task that waits for elements that can no longer come is reported and skipped,
 *     and df_wait_result returns DF_ERROR_STUCK; see >>tokens for when that is.
 *   Source: OpenStream (Pop and Cohen, TACO 9(4), 2013). How it works: docs/internals/streams.md. */
#ifndef DFI_API_STREAM_PUBLIC_H
#define DFI_API_STREAM_PUBLIC_H

#include "../base/compiler.h"
#include "element.h"
#include "need.h"

typedef struct df_stream df_stream;

DFI_EXTERN_C_BEGIN
DFI_API df_stream *dfi_stream_new(size_t bytes, size_t capacity, int code, const char *type, const char *site);
DFI_API void dfi_stream_close(const volatile void *s, const char *site);
DFI_API df_stream *df_stream_reader(const volatile void *s); /* s: a handle of any type */
DFI_API void df_stream_free(const volatile void *s);
DFI_API void df_stream_external(const volatile void *s);
DFI_API size_t df_stream_room(const volatile void *s);
DFI_API size_t df_stream_count(const void *p);
DFI_EXTERN_C_END

#define df_stream_new(bytes, capacity)  DFI_NEEDING(more, dfi_stream_new((bytes), (capacity), 0, "", DFI_SITE))
#define df_stream_close(s)              dfi_stream_close((s), DFI_SITE)
#define df_stream_new_of(T, capacity) \
    DFI_NEEDING(more, (df_stream_of(T) *)(void *)dfi_stream_new(sizeof(T), (capacity), DFI_TYPE_CODE(T), #T, \
                                                                   DFI_SITE))
#define df_stream_reader_of(T, s) \
    ((df_stream_of(T) *)(void *)df_stream_reader(DFI_STREAM_CHECKED(T, s)))

#endif
