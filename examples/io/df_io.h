/* df_io.h - asynchronous input and output as tasks: no worker is blocked while the system reads and writes
 *
 *   df_io *io = df_io_new(most, how);   most: operations that the system executes at a time, 0: 64; others wait for
 *       their turn. how: DF_IO_BEST: io_uring, or up to `most` threads where the system does not permit it, as in
 *       many containers; DF_IO_THREADS: threads. NULL without memory: accepted below, operations then block in
 *       df_yield_blocking
 *   const char *df_io_kind(io);   "io_uring", "threads", or "calls": the operations are system calls of their tasks
 *   void df_io_cancel(io);        the operations that have not begun to move data end with the error ECANCELED. Those
 *       that are submitted later run
 *   void df_io_free(io);          df_io_cancel, then waits for the rest. Wait for the tasks first. NULL is ignored
 *
 * The operations are tasks for df_submit. Each is done when its operation is: tasks that use the same memory and are
 * submitted later start then.
 *   df_io_read:   (df_io *, io), (int, file), (long long, at), df_out(char, to, bytes), (size_t, bytes),
 *                 df_out(size_t, got, 1)
 *       reads `bytes` bytes from position `at`; *got is less only at the end of the file. at = DF_IO_STREAM: of a
 *       socket, a pipe or a terminal; done when some bytes have come, and *got is 0 at its end
 *   df_io_write:  (df_io *, io), (int, file), (long long, at), df_in(char, from, bytes), (size_t, bytes),
 *                 df_out(size_t, put, 1)
 *       writes all of them, and then *put is bytes
 *   df_io_accept: (df_io *, io), (int, listener), df_out(int, connection, 1)
 *       waits for a connection to the socket `listener`
 *
 *         df_submit(df_io_read, io, in, 0, buffer, sizeof buffer, &got);
 *         df_submit(work, buffer, &got);                                  // starts when the buffer is full
 *
 *   Descriptors are in blocking mode (without O_NONBLOCK). Files have no regions: two tasks that use the same bytes of
 *   a file are ordered only if they use the same memory. Ignore SIGPIPE if the other end of a socket may go away.
 *   Threads:    any, also inside tasks; not in df_speculate, because what was read and written cannot be rolled back.
 *   Errors:     an operation that fails calls df_fail(errno, text), for example code EIO and
 *               "read of file 5 at byte 8192: Input/output error"; *got, *put, *connection are then unchanged.
 *   DF_SERIAL:  each task is the system call. DF_CHECK, too.
 *   Source:     Schmuck et al., the task-aware I/O of OmpSs-2 (TASIO); io_uring(7). */
#ifndef DF_IO_H
#define DF_IO_H

#include "df_uring.h"

#include "../../df.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#if defined(DF_SERIAL) || DF_CHECK + 0 /* df.h defines it */
#define DF_IO_CALLS 1
#else
#define DF_IO_CALLS 0
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#endif

#define DF_IO_STREAM (-1LL)
typedef enum { DF_IO_BEST, DF_IO_THREADS } df_io_how;

typedef enum { DF_IO_IS_READ, DF_IO_IS_WRITE, DF_IO_IS_ACCEPT } df_io_operation;
typedef struct df_io df_io;
typedef struct df_io_op {
    df_token over;              /* signalled when `result` is there */
    df_io *io;
    df_io_operation is;
    int file, cancelled;
    long long at;
    char *memory;
    size_t bytes, moved;        /* moved: of `bytes`, by the parts of the operation that are done */
    size_t *count;              /* of the user */
    int *connection;            /* of the user */
    long result;                /* of the part; negative: the number of an error */
    struct df_io_op *next, *before;
    struct df_io_thread *thread;
} df_io_op;

enum { DF_IO_PART = 1 << 30 };  /* bytes: systems move less than 2 GiB at once */
static inline size_t df_io_part(const df_io_op *o)
{
    size_t left = o->bytes - o->moved;
    return left < (size_t)DF_IO_PART ? left : (size_t)DF_IO_PART;
}

/* One system call. */
static inline long df_io_call(const df_io_op *o)
{
    char *memory = o->memory ? o->memory + o->moved : NULL;
    size_t bytes = df_io_part(o);
    long long at = o->at < 0 ? o->at : o->at + (long long)o->moved;
    ssize_t n = 0;
    if ((long long)(off_t)at != at) return -EOVERFLOW;
    do {
        switch (o->is) {
        case DF_IO_IS_READ:
            n = at < 0 ? read(o->file, memory, bytes) : pread(o->file, memory, bytes, (off_t)at);
            break;
        case DF_IO_IS_WRITE:
            n = at < 0 ? write(o->file, memory, bytes) : pwrite(o->file, memory, bytes, (off_t)at);
            break;
        case DF_IO_IS_ACCEPT: n = accept(o->file, NULL, NULL); break;
        }
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : (long)n;
}

/* A part is done: is another one needed? Else gives the user the results, or fails. */
static inline int df_io_continues(df_io_op *o)
{
    static const char *const names[] = { "read", "write", "accept" };
    long n = o->result;
    if (n == -EINTR) return 1;
    if (n >= 0 && o->is != DF_IO_IS_ACCEPT) {
        o->moved += (size_t)n;
        if (n > 0 && o->moved < o->bytes && (o->is == DF_IO_IS_WRITE || o->at >= 0)) return 1;
        if (o->is == DF_IO_IS_WRITE && o->moved < o->bytes) n = -EIO; /* the system writes nothing, and says no error */
    }
    if (n < 0) {
        char text[100], where[40] = "";
        int used;
        if (o->at >= 0) snprintf(where, sizeof where, " at byte %lld", o->at + (long long)o->moved);
        used = snprintf(text, sizeof text, "%s of file %d%s: ", names[o->is], o->file, where);
        snprintf(text + used, sizeof text - (size_t)used, "%s", strerror((int)-n));
        df_fail((int)-n, text);
    } else if (o->is == DF_IO_IS_ACCEPT) *o->connection = (int)n;
    else *o->count = o->moved;
    return 0;
}

/* The operation as calls of this thread. */
static inline void df_io_call_once(void *op) { ((df_io_op *)op)->result = df_io_call((const df_io_op *)op); }
static inline void df_io_blocks(df_io_op *o)
{
    do df_yield_blocking(df_io_call_once, o);
    while (df_io_continues(o));
}

#if DF_IO_CALLS
struct df_io { int most; };
static inline df_io *df_io_new(int most, df_io_how how)
{
    df_io *io = (df_io *)malloc(sizeof *io);
    if (io) io->most = most;
    (void)how;
    return io;
}
static inline const char *df_io_kind(const df_io *io) { return (void)io, "calls"; }
static inline void df_io_cancel(df_io *io) { (void)io; }
static inline void df_io_free(df_io *io) { free(io); }
static inline void df_io_begin(df_io_op *o) { df_io_blocks(o); }
#else
#include "df_io_engine.h"

/* A part of the operation o has ended: the next one, or the results. */
DF_STATIC_TASK(void, df_io_next, (df_io_op *, o));

static inline void df_io_step(df_io_op *o)
{
    df_token closed = DF_TOKEN_EXTERNAL(1);
    o->over = closed;
    if (df_io_start(o)) df_submit_with(DF_OPTS(.after = DF_TOKENS(&o->over)), df_io_next, o);
    else df_io_blocks(o);
}
static inline void df_io_next(df_io_op *o)
{
    if (df_io_continues(o)) df_io_step(o);
}

/* The task that calls it is done when df_io_next is, its child. So its successors start when the memory is there. */
static inline void df_io_begin(df_io_op *from)
{
    df_io_op *o = from->io ? df_local(df_io_op, 1) : NULL;
    if (!o) {
        df_io_blocks(from);
        return;
    }
    *o = *from;
    df_io_step(o);
}
#endif

/* --- the tasks -------------------------------------------------------------------------------------------------- */

DF_STATIC_TASK(void, df_io_read, (df_io *, io), (int, file), (long long, at), df_out(char, to, bytes),
               (size_t, bytes), df_out(size_t, got, 1));
static inline void df_io_read(df_io *io, int file, long long at, char *to, size_t bytes, size_t *got)
{
    df_io_op o;
    memset((void *)&o, 0, sizeof o);
    o.io = io, o.is = DF_IO_IS_READ, o.file = file, o.at = at, o.memory = to, o.bytes = bytes, o.count = got;
    df_io_begin(&o);
}

DF_STATIC_TASK(void, df_io_write, (df_io *, io), (int, file), (long long, at), df_in(char, from, bytes),
               (size_t, bytes), df_out(size_t, put, 1));
static inline void df_io_write(df_io *io, int file, long long at, const char *from, size_t bytes, size_t *put)
{
    df_io_op o;
    memset((void *)&o, 0, sizeof o);
    o.io = io, o.is = DF_IO_IS_WRITE, o.file = file, o.at = at, o.bytes = bytes, o.count = put;
    memcpy(&o.memory, &from, sizeof from); /* it is only read */
    df_io_begin(&o);
}

DF_STATIC_TASK(void, df_io_accept, (df_io *, io), (int, listener), df_out(int, connection, 1));
static inline void df_io_accept(df_io *io, int listener, int *connection)
{
    df_io_op o;
    memset((void *)&o, 0, sizeof o);
    o.io = io, o.is = DF_IO_IS_ACCEPT, o.file = listener, o.at = DF_IO_STREAM, o.connection = connection;
    df_io_begin(&o);
}

#endif
