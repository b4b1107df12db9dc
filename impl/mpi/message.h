/* message.h - messages between ranks, as tasks
 *
 * A message is a task in both ranks, which declares its region, so tasks of the program are ordered with messages as
 * with each other. Its body starts a request. The task is done when the request is complete: then
 * the idle function signals a token (more/until.h). The two ranks of a message submit it at the same place of the
 * program, and count the messages between them: the tag is that number. */
#ifndef DFI_MPI_MESSAGE_H
#define DFI_MPI_MESSAGE_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/call.h"
#include "../api/cancel.h"
#include "../api/error.h"
#include "../api/idle.h"
#include "../api/ranks.h"
#include "../api/submit_options.h"
#include "../api/token.h"
#include "../flow/region.h"
#include "state.h"

enum {
    DFI_MPI_BYTES = 1 << 30,     /* of a message at most: MPI counts in int */
    DFI_MPI_US = 50,             /* requests are tested so often while the rank has nothing to do, .. */
    DFI_MPI_QUIET_US = 1000,     /* .. or so often .. */
    DFI_MPI_QUIET_MS = 100       /* .. after so much time without a message */
};

/* The argument of the task, which has a copy of its own. */
struct dfi_request {
    struct dfi_request *next;
    struct dfi_until until;      /* it is complete */
    struct dfi_region r;
    MPI_Datatype type;
    int peer, tag, sends;
    int empty;                   /* the value does not exist, because a task failed */
};

/* The requests in progress, and the lock of all calls of MPI, which is held while code of MPI runs. */
static struct {
    struct dfi_os_mutex lock;
    size_t n, room;
    MPI_Request *request;        /* [room] each */
    struct dfi_request **of;
    int *index;
    MPI_Status *status;
    uint64_t last;               /* ns: when the last one was complete */
} dfi_requests = { DFI_OS_MUTEX_INIT, 0, 0, NULL, NULL, NULL, NULL, 0 };

DFI_SMALL_CODE_BEGIN

/* Nothing can go on, because other ranks wait for what this one cannot do. */
static DFI_NOINLINE void dfi_mpi_ends(const char *what)
{
    dfi_error("df_mpi: rank %d: %s", dfi_mpi.rank, what);
    MPI_Abort(dfi_mpi.comm, 1);
}

/* --- requests ------------------------------------------------------------------------------------------------ */

/* Place for one more. pre: lock */
static void dfi_requests_room(void)
{
    size_t room = dfi_requests.room, more = room, n = dfi_requests.n;
    int failed;
    if (n < room) return;
    failed = dfi_array_enlarge((void *)&dfi_requests.request, NULL, n + 1, &more, sizeof(MPI_Request)), more = room;
    failed |= dfi_array_enlarge((void *)&dfi_requests.of, NULL, n + 1, &more, sizeof(void *)), more = room;
    failed |= dfi_array_enlarge((void *)&dfi_requests.index, NULL, n + 1, &more, sizeof(int)), more = room;
    failed |= dfi_array_enlarge((void *)&dfi_requests.status, NULL, n + 1, &more, sizeof(MPI_Status));
    if (failed) dfi_mpi_ends("memory for messages is lacking");
    dfi_requests.room = more;
}

/* Not tested at once: a test takes in messages whose requests are not started yet, which costs more. */
static void dfi_request_start(struct dfi_request *q)
{
    int n = 1;
    MPI_Request *at;
    dfi_os_hold(&dfi_requests.lock);
    dfi_requests_room();
    q->type = MPI_BYTE;
    if (q->r.rows == 1) n = (int)q->r.row;
    else {
        MPI_Type_create_hvector((int)q->r.rows, (int)q->r.row, (MPI_Aint)q->r.ld, MPI_BYTE, &q->type);
        MPI_Type_commit(&q->type);
    }
    at = &dfi_requests.request[dfi_requests.n], dfi_requests.of[dfi_requests.n++] = q;
    if (q->sends) MPI_Isend((void *)q->r.p, q->empty ? 0 : n, q->type, q->peer, q->tag, dfi_mpi.comm, at);
    else MPI_Irecv((void *)q->r.p, n, q->type, q->peer, q->tag, dfi_mpi.comm, at);
    dfi_os_let_go(&dfi_requests.lock);
    df_idle_soon();
}

/* df_config.idle: signals the tokens of requests that are complete. */
static long dfi_mpi_idle(void *unused)
{
    struct dfi_request *done = NULL, **end = &done, *q;
    size_t i, left = 0;
    uint64_t now;
    int k = 0, n;
    (void)unused;
    if (!dfi_os_try_hold(&dfi_requests.lock)) return 1;
    if (dfi_requests.n) {
        MPI_Testsome((int)dfi_requests.n, dfi_requests.request, &k, dfi_requests.index, dfi_requests.status);
        if (k == MPI_UNDEFINED) k = 0;
    }
    for (n = 0; n < k; n++) {
        struct dfi_request **of = &dfi_requests.of[dfi_requests.index[n]];
        int bytes = 1;
        q = *of, *of = NULL;
        if (!q->sends) MPI_Get_count(&dfi_requests.status[n], MPI_BYTE, &bytes), q->empty = !bytes;
        if (q->type != MPI_BYTE) MPI_Type_free(&q->type);
        q->next = NULL, *end = q, end = &q->next;
    }
    for (i = 0; i < dfi_requests.n; i++)
        if (dfi_requests.of[i])
            dfi_requests.request[left] = dfi_requests.request[i], dfi_requests.of[left++] = dfi_requests.of[i];
    dfi_requests.n = left;
    now = dfi_os_ns();
    if (k) dfi_requests.last = now;
    dfi_os_let_go(&dfi_requests.lock);
    while ((q = done) != NULL) {
        done = q->next; /* q may be gone after the signal */
        if (q->empty && !q->sends)
            df_signal_external(&q->until.token, DF_ERROR_CANCELLED, "a task of another rank failed or was skipped");
        else df_signal_external(&q->until.token, 0, NULL);
    }
    if (k) return 0;
    if (!left) return -1;
    return now - dfi_requests.last < (uint64_t)DFI_MPI_QUIET_MS * 1000000u ? DFI_MPI_US : DFI_MPI_QUIET_US;
}

/* --- messages ------------------------------------------------------------------------------------------------ */

static void dfi_message_runs(void *arg, void *const *p)
{
    struct dfi_request *q = (struct dfi_request *)arg;
    q->r.p = (uintptr_t)p[0];
    q->empty = q->sends && df_cancelled();
    df_token_init_external(&q->until.token, 1);
    df_token_name(&q->until.token, q->sends ? "a message to another rank" : "a message from another rank");
    dfi_request_start(q);
    if (!dfi_done_later(&q->until)) df_wait_token(&q->until.token); /* memory for its record is lacking */
}

/* r goes to a rank, or comes from it. */
static void dfi_message(int sends, int peer, const struct dfi_region *r)
{
    struct dfi_request q;
    df_region x;
    const unsigned n = sends ? dfi_mpi.sent[peer]++ : dfi_mpi.received[peer]++;
    if (dfi_mpi.fake) return;
    if (r->row > DFI_MPI_BYTES) { /* in pieces */
        struct dfi_region part = *r;
        size_t i, k;
        part.rows = 1, part.ld = 0;
        for (i = 0; i < r->rows; i++)
            for (k = 0; k < r->row; k += DFI_MPI_BYTES) {
                part.p = r->p + i * r->ld + k;
                part.row = dfi_size_least(r->row - k, DFI_MPI_BYTES);
                dfi_message(sends, peer, &part);
            }
        return;
    }
    memset((void *)&q, 0, sizeof q);
    q.sends = sends, q.peer = peer, q.tag = (int)(n % (unsigned)dfi_mpi.tags), q.r = *r;
    x.p = (const void *)r->p, x.bytes = r->row, x.rows = r->rows, x.distance = r->ld, x.op = NULL;
    x.mode = sends ? (unsigned)DF_IN : (unsigned)DF_INOUT;
    if (df_call(DF_OPTS(.priority = 1, .always = 1, .name = sends ? "df_mpi_send" : "df_mpi_receive"),
                dfi_message_runs, &q, sizeof q, &x, 1) != DF_OK)
        dfi_mpi_ends("memory for a message is lacking");
}

DFI_SMALL_CODE_END

#endif
