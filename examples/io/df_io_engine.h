/* df_io_engine.h - the two ways in which df_io.h executes operations: io_uring, and threads
 *
 * An operation is in the list `queue` until its turn comes, and in the list `active` while the system executes it. One
 * thread receives the results of the ring; without a ring, each operation has a thread. That thread takes the operation
 * out of the list, starts the next one, and then signals the token: it is the last access to the operation, because the
 * task that the signal releases may end it. All lists are under one lock. A thread that holds it waits for nothing but,
 * when the kernel has no memory for an operation, some milliseconds for that. */
#ifndef DF_IO_ENGINE_H
#define DF_IO_ENGINE_H

typedef struct df_io_thread {
    df_io *io;
    pthread_t thread;
    int wake[2];                /* a pipe: a byte for each operation of the thread that is cancelled */
    struct df_io_thread *next;
} df_io_thread;

struct df_io {
    pthread_mutex_t lock;       /* of all fields below, of the ring's operations, and of the operations in the lists */
    pthread_cond_t work, done;  /* for threads: an operation is in the queue, or `ends`; no operation is active */
    int most, rings, n_active, n_queue, n_threads, idle, ends;
    df_uring ring;
    pthread_t receiver;
    df_io_op *active;           /* linked in both directions */
    df_io_op *queue, **queue_end;
    df_io_thread *threads;
};

static inline void df_io_append(df_io *io, df_io_op *o)
{
    o->next = NULL;
    *io->queue_end = o;
    io->queue_end = &o->next;
    io->n_queue++;
}
static inline df_io_op *df_io_take(df_io *io)
{
    df_io_op *o = io->queue;
    if (!o) return NULL;
    io->queue = o->next;
    if (!io->queue) io->queue_end = &io->queue;
    io->n_queue--;
    return o;
}
static inline void df_io_activate(df_io *io, df_io_op *o)
{
    o->before = NULL;
    o->next = io->active;
    if (o->next) o->next->before = o;
    io->active = o;
    io->n_active++;
}
static inline void df_io_deactivate(df_io *io, df_io_op *o)
{
    if (o->before) o->before->next = o->next;
    else io->active = o->next;
    if (o->next) o->next->before = o->before;
    io->n_active--;
}
static inline void df_io_signal_all(df_io_op *list)
{
    while (list) {
        df_io_op *o = list;
        list = o->next;
        df_signal(&o->over); /* from here on, o may be gone */
    }
}

/* --- io_uring --------------------------------------------------------------------------------------------------- */

enum { DF_IO_TAG_CANCEL, DF_IO_TAG_END }; /* of operations of the engine; others have their address */

/* pre: the lock */
static inline int df_io_send(df_io *io, df_io_op *o)
{
    static const uint8_t codes[] = { DF_URING_READ, DF_URING_WRITE, DF_URING_ACCEPT };
    df_uring_operation u;
    memset(&u, 0, sizeof u);
    u.opcode = codes[o->is];
    u.file = o->file;
    u.tag = (uint64_t)(uintptr_t)o;
    if (o->is != DF_IO_IS_ACCEPT) {
        u.memory = (uint64_t)(uintptr_t)(o->memory + o->moved);
        u.bytes = (uint32_t)df_io_part(o);
        u.at = o->at < 0 ? UINT64_MAX : (uint64_t)o->at + o->moved;
    }
    return df_uring_send(&io->ring, &u);
}
static inline int df_io_send_other(df_io *io, uint8_t code, const df_io_op *of, uint64_t tag)
{
    df_uring_operation u;
    memset(&u, 0, sizeof u);
    u.opcode = code;
    u.file = -1;
    u.memory = (uint64_t)(uintptr_t)of;
    u.tag = tag;
    return df_uring_send(&io->ring, &u);
}

/* Starts operations of the queue while there is room; those that the kernel refuses are put before `over`. pre: the
 * lock */
static inline df_io_op *df_io_send_queue(df_io *io, df_io_op *over)
{
    df_io_op *o;
    while (io->n_active < io->most && (o = df_io_take(io)) != NULL) {
        df_io_activate(io, o);
        if ((o->result = df_io_send(io, o)) == 0) continue;
        df_io_deactivate(io, o);
        o->next = over;
        over = o;
    }
    return over;
}

static inline void *df_io_receive(void *p)
{
    df_io *io = (df_io *)p;
    for (;;) {
        df_uring_result got = df_uring_receive(&io->ring);
        df_io_op *o = (df_io_op *)(uintptr_t)got.tag;
        if (got.tag == DF_IO_TAG_CANCEL) continue;
        if (got.tag == DF_IO_TAG_END) return NULL;
        pthread_mutex_lock(&io->lock);
        o->result = o->cancelled && got.result == -EINTR ? -ECANCELED : got.result;
        df_io_deactivate(io, o);
        o->next = NULL;
        o = df_io_send_queue(io, o);
        if (!io->n_active) pthread_cond_broadcast(&io->done);
        pthread_mutex_unlock(&io->lock);
        df_io_signal_all(o);
    }
}

/* --- threads ---------------------------------------------------------------------------------------------------- */

/* One system call, or -ECANCELED if the thread is woken before there is something to read or room to write. */
static inline long df_io_call_or_wake(const df_io_op *o, int wake)
{
    if (o->at < 0) {
        struct pollfd p[2];
        p[0].fd = o->file, p[0].events = o->is == DF_IO_IS_WRITE ? POLLOUT : POLLIN, p[0].revents = 0;
        p[1].fd = wake, p[1].events = POLLIN, p[1].revents = 0;
        while (poll(p, 2, -1) < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (p[1].revents) return -ECANCELED;
    }
    return df_io_call(o);
}

static inline void *df_io_thread_run(void *p)
{
    df_io_thread *t = (df_io_thread *)p;
    df_io *io = t->io;
    df_io_op *o;
    pthread_mutex_lock(&io->lock);
    for (;;) {
        while (!io->queue && !io->ends) {
            io->idle++;
            pthread_cond_wait(&io->work, &io->lock);
            io->idle--;
        }
        if ((o = df_io_take(io)) == NULL) break;
        o->thread = t;
        df_io_activate(io, o);
        pthread_mutex_unlock(&io->lock);
        long result = df_io_call_or_wake(o, t->wake[0]);
        pthread_mutex_lock(&io->lock);
        char byte;
        if (o->cancelled && read(t->wake[0], &byte, 1) < 0) result = -errno;
        o->result = result;
        df_io_deactivate(io, o);
        if (!io->n_active) pthread_cond_broadcast(&io->done);
        pthread_mutex_unlock(&io->lock);
        df_signal(&o->over);
        pthread_mutex_lock(&io->lock);
    }
    pthread_mutex_unlock(&io->lock);
    return NULL;
}

/* Signals of the program are for its own threads. 0 if there is a new thread. */
static inline int df_io_thread_start(pthread_t *thread, void *(*run)(void *), void *p)
{
    sigset_t all, old;
    int failed;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    failed = pthread_create(thread, NULL, run, p);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return failed;
}

/* pre: the lock */
static inline void df_io_thread_new(df_io *io)
{
    df_io_thread *t = (df_io_thread *)calloc(1, sizeof *t);
    if (!t) return;
    t->io = io;
    if (pipe(t->wake)) {
        free(t);
        return;
    }
    if (df_io_thread_start(&t->thread, df_io_thread_run, t)) {
        close(t->wake[0]), close(t->wake[1]);
        free(t);
        return;
    }
    t->next = io->threads;
    io->threads = t;
    io->n_threads++;
}

/* --- both ------------------------------------------------------------------------------------------------------- */

/* Begins a part of o; o->over is signalled when it has ended. 0: there is no thread for it, and nothing was begun. */
static inline int df_io_start(df_io_op *o)
{
    df_io *io = o->io;
    df_io_op *over = NULL;
    int started = 1;
    o->cancelled = 0, o->thread = NULL;
    pthread_mutex_lock(&io->lock);
    if (io->rings) {
        df_io_append(io, o);
        over = df_io_send_queue(io, NULL);
    } else {
        if (io->n_queue >= io->idle && io->n_threads < io->most) df_io_thread_new(io);
        started = io->n_threads > 0;
        if (started) {
            df_io_append(io, o);
            pthread_cond_signal(&io->work);
        }
    }
    pthread_mutex_unlock(&io->lock);
    df_io_signal_all(over);
    return started;
}

static inline const char *df_io_kind(const df_io *io) { return !io ? "calls" : io->rings ? "io_uring" : "threads"; }

static inline df_io *df_io_new(int most, df_io_how how)
{
    enum { MOST = 64, LIMIT = 4096 };
    df_io *io = (df_io *)calloc(1, sizeof *io);
    if (!io) return NULL;
    io->most = most < 1 ? MOST : most < LIMIT ? most : LIMIT;
    io->queue_end = &io->queue;
    pthread_mutex_init(&io->lock, NULL);
    pthread_cond_init(&io->work, NULL);
    pthread_cond_init(&io->done, NULL);
    if (how == DF_IO_THREADS || df_uring_open(&io->ring, (unsigned)io->most)) return io;
    io->rings = !df_io_thread_start(&io->receiver, df_io_receive, io);
    if (!io->rings) df_uring_close(&io->ring);
    return io;
}

static inline void df_io_cancel(df_io *io)
{
    df_io_op *o, *over = NULL;
    if (!io) return;
    pthread_mutex_lock(&io->lock);
    while ((o = df_io_take(io)) != NULL) {
        o->result = -ECANCELED;
        o->next = over;
        over = o;
    }
    for (o = io->active; o; o = o->next) {
        if (o->cancelled) continue;
        o->cancelled = 1;
        if (io->rings) (void)df_io_send_other(io, DF_URING_CANCEL, o, DF_IO_TAG_CANCEL);
        else if (write(o->thread->wake[1], "", 1) < 0) o->cancelled = 0;
    }
    pthread_mutex_unlock(&io->lock);
    df_io_signal_all(over);
}

static inline void df_io_free(df_io *io)
{
    df_io_thread *t;
    if (!io) return;
    df_io_cancel(io);
    pthread_mutex_lock(&io->lock);
    while (io->n_active) pthread_cond_wait(&io->done, &io->lock);
    io->ends = 1;
    pthread_cond_broadcast(&io->work);
    if (io->rings)
        while (df_io_send_other(io, DF_URING_NOP, NULL, DF_IO_TAG_END)) continue;
    pthread_mutex_unlock(&io->lock);
    if (io->rings) {
        pthread_join(io->receiver, NULL);
        df_uring_close(&io->ring);
    }
    while ((t = io->threads) != NULL) {
        io->threads = t->next;
        pthread_join(t->thread, NULL);
        close(t->wake[0]), close(t->wake[1]);
        free(t);
    }
    pthread_cond_destroy(&io->done);
    pthread_cond_destroy(&io->work);
    pthread_mutex_destroy(&io->lock);
    free(io);
}

#endif
