/* trace.h - records of a trace, the interface of its writers, and its file
 *
 *   events (observe/events.h) -> records (observe/trace/read.h) -> a writer, chosen by the ending of
 *   the file name:
 *   .json (observe/trace/json.h), .html (observe/trace/html.h)
 *
 * A writer gets self-contained records: times in nanoseconds since the trace began, tracks, and
 * texts by number (dfi_event_text_of: equal texts have equal numbers, below DFI_TEXT_MOST). One
 * thread at a time calls its functions; it holds dfi_events_reading, or the lock of the pool while
 * no other thread reads. The functions append bytes to the file by dfi_trace_put. Records have no
 * order of time. The slices of a track nest, and come when they end, so inner ones before outer
 * ones. An arrow comes after the slices that it joins. After `look` all records are in the file: a
 * killed program leaves the state of the last look, which should be readable. */
#ifndef DFI_OBSERVE_TRACE_TRACE_H
#define DFI_OBSERVE_TRACE_TRACE_H

#include "../../base/compiler.h"
#include "../output.h"

/* --- records --------------------------------------------------------------------------------------------- */

/* Tracks are numbers below DFI_TRACKS: workers by their index, then queues of devices. */
enum {
    DFI_TRACK_DEVICE = 1024, DFI_TRACK_QUEUES = 16,   /* track DFI_TRACK_DEVICE + 16 * device + queue */
    DFI_TRACKS = DFI_TRACK_DEVICE + 16 * DFI_TRACK_QUEUES
};

enum dfi_slice_kind {
    DFI_SLICE_TASK,     /* body of a task of df_submit, or of a node */
    DFI_SLICE_SPAWNED,  /* body of a function of df_spawn that another worker took */
    DFI_SLICE_LOOP,     /* part of a df_for: iterations first .. last - 1 */
    DFI_SLICE_STAGE,    /* of a df_pipe: stage `first` of item `last` */
    DFI_SLICE_INTERNAL, /* a task of df itself */
    /* a wait for tasks, with the tasks that it runs as nested slices; first: DFI_WAIT_.. */
    DFI_SLICE_WAIT,
    DFI_SLICE_PARK,     /* parked, because there is no work */
    DFI_SLICE_ATOMIC,   /* one attempt of an atomic block; first: DFI_TRACE_COMMITTED, .. */
    DFI_SLICE_KERNEL,   /* on a device */
    DFI_SLICE_COPY,     /* to, from or within a device; first: bytes */
    DFI_SLICE_COUNT
};

/* What DF_TRACE must be. */
#define DFI_TRACE_NAMES "the name of a file that ends in .json or .html"

/* A region that a task writes: rows rows of `row` bytes. The name of its parameter is word number
 * `index` of the text `access_names`. */
struct dfi_trace_write { uint64_t at, rows, row; uint32_t access_names, index; };
enum { DFI_TRACE_WRITES = 3 }; /* of a task; further ones are not shown */

enum { DFI_TRACE_COMMITTED, DFI_TRACE_ABORTED, DFI_TRACE_RETRIED }; /* attempts of atomic blocks */

struct dfi_trace_slice {
    uint64_t begin, end;       /* ns */
    uint64_t id, parent;       /* of the body, and of its submitter; 0: none */
    uint64_t submitted;        /* ns; 0: not known */
    long long first, last;
    uint32_t name, site;       /* texts; site: the source line of its submission, or 0 */
    unsigned track, kind, n;
    unsigned from_track;       /* of its submission */
    const struct dfi_trace_write *write; /* n */
};

enum dfi_arrow_kind {
    DFI_A_AFTER,    /* `to` comes after `from`, because of declarations */
    DFI_A_STEAL     /* `to` was submitted or spawned in `from`, and stolen */
};
/* An arrow from a time within a slice to a time within another one: usually from the end of the
 * first to the begin of the second. */
struct dfi_trace_arrow {
    uint64_t from, to;         /* ns */
    uint64_t from_id, to_id;   /* of the bodies; 0: none */
    unsigned from_track, to_track, kind;
};

enum dfi_counter { DFI_C_UNFINISHED, DFI_C_RUNNING, DFI_C_RENAMED, DFI_C_COUNT };
/* tasks submitted and not done; workers that run a body; bytes in private buffers (df_config.rename_bytes) */
static const char *const dfi_counter_name[] = { "unfinished tasks", "workers that run", "bytes renamed" };

struct dfi_trace;
struct dfi_trace_writer {
    const char *ending;                                        /* of the name of the file */
    int (*begin)(struct dfi_trace *t);                         /* an empty file; -1: no memory */
    void (*track)(struct dfi_trace *t, unsigned track, const char *name);   /* before any record of the track */
    /* a thread of the program begins, ends to use df: a slice around the others */
    void (*thread)(struct dfi_trace *t, unsigned track, uint64_t at, int begins);
    void (*slice)(struct dfi_trace *t, const struct dfi_trace_slice *s);
    void (*arrow)(struct dfi_trace *t, const struct dfi_trace_arrow *a);
    void (*counter)(struct dfi_trace *t, int counter, uint64_t at, uint64_t value);
    /* an event of a worker as it is, for tools: its kind, numbers and a text; or NULL */
    void (*event)(struct dfi_trace *t, unsigned track, const char *kind, const uint64_t *v, unsigned n, uint32_t text);
    void (*look)(struct dfi_trace *t);                         /* no more records for some time */
    void (*end)(struct dfi_trace *t, uint64_t at);             /* df stops: completes the file */
    void (*again)(struct dfi_trace *t);                        /* df starts again: the file is continued */
    void (*free)(struct dfi_trace *t);                         /* frees t->own */
};

/* --- the file -------------------------------------------------------------------------------------------- */

enum { DFI_TRACE_BUFFER = 64 * 1024 };

struct dfi_trace_tasks;
struct dfi_trace {
    const struct dfi_trace_writer *writer;
    void *own;                    /* of the writer */
    struct dfi_trace_tasks *tasks; /* observe/trace/read.h */
    struct dfi_report out;
    size_t at;                    /* bytes in the file */
    size_t n;                     /* bytes in the buffer */
    char buffer[DFI_TRACE_BUFFER];
};

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_trace *dfi_trace_now; /* under the lock of the pool, and that of reading */
DFI_EXTERN_C_END

DFI_SMALL_CODE_BEGIN

/* Writes the buffer to the file. */
static void dfi_trace_flush(struct dfi_trace *t)
{
    size_t n = t->n;
    t->n = 0;
    dfi_report_put(&t->out, t->buffer, n);
    if (!t->out.broken) t->at += n;
}

/* Makes room for n bytes, at most DFI_TRACE_BUFFER; the caller adds the bytes used to t->n. */
static char *dfi_trace_room(struct dfi_trace *t, size_t n)
{
    if (t->n + n > DFI_TRACE_BUFFER) dfi_trace_flush(t);
    return t->buffer + t->n;
}

static void dfi_trace_put(struct dfi_trace *t, const char *p, size_t n)
{
    while (n) {
        size_t part = n < DFI_TRACE_BUFFER ? n : (size_t)DFI_TRACE_BUFFER;
        memcpy(dfi_trace_room(t, part), p, part);
        t->n += part, p += part, n -= part;
    }
}

/* Moves to `at` bytes from the beginning of the file, so that the next bytes overwrite it. pre: the
 * buffer is empty */
static void dfi_trace_seek(struct dfi_trace *t, size_t at)
{
    dfi_report_seek(&t->out, at);
    if (!t->out.broken) t->at = at;
}

DFI_SMALL_CODE_END

#endif
