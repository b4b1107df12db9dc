/* ring.h: windows of a producer and of readers come in any order, and their tasks end in any order. A window that may
 * be entered does not wait; what a reader sees was written, and no window is over elements that a reader still needs. */
#include "../../impl/more/stream/ring.h"
#include "../test.h"

static long waiting, streams;
static void wait_for(void *task, long windows) { (void)task, waiting += windows; }
static void skips(void *task) { (void)task; CHECK(!"no task is skipped"); }
static void change(int by) { streams += by; }
DFI_LATER_IS(dfi_up_windows_wait_fn, dfi_up_windows_wait, wait_for);
DFI_LATER_IS(dfi_up_window_skips_fn, dfi_up_window_skips, skips);
DFI_LATER_IS(dfi_up_streams_change_fn, dfi_up_streams_change, change);

enum { READERS = 3, ELEMENTS = 400, HORIZON = 4, ROUNDS = 300 };
static struct dfi_window *open_[ELEMENTS * (READERS + 1)]; /* of tasks that may run */
static int n_open;
static unsigned char written[ELEMENTS + HORIZON];

static void released(struct dfi_after *a)
{
    while (a->ready) {
        struct dfi_window *v = a->ready;
        a->ready = v->wait_next;
        CHECK(!v->waits);
        open_[n_open++] = v;
        waiting--;
    }
}

/* A window of n elements, of which `pass` are consumed, for a new task (as dfi_windows_take does). */
static void add(struct dfi_stream *c, struct df_stream *reader, size_t n, size_t pass)
{
    struct dfi_side *d = reader ? &reader->side : &c->push;
    struct dfi_window *v;
    v = c->free, c->free = v->next;
    memset((void *)v, 0, sizeof *v);
    v->stream = c, v->reader = reader, v->asked = v->count = n;
    v->begin = d->next, v->need = v->begin + n, v->pass = d->next += pass;
    if (d->last) d->last->next = v;
    else d->first = v;
    d->last = v;
    if (!reader) c->refs++;
    else if (v->need > c->covered) c->covered = v->need;
    if (dfi_window_open(v)) open_[n_open++] = v;
    else dfi_window_wait(v), dfi_up_windows_wait(NULL, 1);
}

/* Is the state of the stream as ring.h says? */
static void check(const struct dfi_stream *c)
{
    const struct df_stream *r;
    uint64_t least = c->push.done;
    for (r = c->readers; r; r = r->other) {
        if (r->side.done < least) least = r->side.done;
        CHECK(r->side.done <= r->side.next && r->side.done <= c->push.done);
        for (struct dfi_window *v = r->side.wait_first; v; v = v->wait_next) CHECK(!dfi_window_open(v));
    }
    for (struct dfi_window *v = c->push.wait_first; v; v = v->wait_next) CHECK(v->need - least > c->capacity);
    for (int i = 0; i < n_open; i++)
        if (!open_[i]->reader) CHECK(open_[i]->need - least <= c->capacity);
        else for (uint64_t p = open_[i]->begin; p < open_[i]->need; p++) CHECK(written[p]);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    long waited = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct dfi_stream *c = (struct dfi_stream *)calloc(1, sizeof *c);
        struct df_stream *reader[READERS];
        int readers = 1 + test_below(&seed, READERS), left[READERS + 1], tasks = 0, more = 1;
        CHECK(c);
        streams++;
        memset(written, 0, sizeof written);
        c->capacity = 4 * HORIZON + (size_t)test_below(&seed, 12), c->bytes = 1;
        for (int i = 0; i < readers; i++) {
            reader[i] = i ? (struct df_stream *)calloc(1, sizeof *reader[i]) : &c->self;
            reader[i]->stream = c, reader[i]->other = c->readers, c->readers = reader[i];
            c->refs++;
        }
        for (int i = 0; i <= readers; i++) left[i] = ELEMENTS;
        while (more || tasks) {
            struct dfi_after a = { NULL, NULL, NULL };
            int side = test_below(&seed, readers + 1);
            if (!c->free) CHECK(!dfi_stream_more(c));
            dfi_stream_lock(c);
            if (left[side] && test_below(&seed, 2)) { /* a task; readers look ahead, but not too far */
                size_t burst = 1 + (size_t)test_below(&seed, HORIZON - 1);
                if (burst > (size_t)left[side]) burst = (size_t)left[side];
                left[side] -= (int)burst;
                if (side == readers) {
                    if (!left[side]) burst += HORIZON;
                    add(c, NULL, burst, burst);
                } else add(c, reader[side], burst + (size_t)test_below(&seed, HORIZON), burst);
                tasks++;
            } else if (n_open) { /* one ends */
                int k = test_below(&seed, n_open);
                struct dfi_window *v = open_[k];
                open_[k] = open_[--n_open];
                for (uint64_t p = v->begin; !v->reader && p < v->need; p++) written[p] = 1;
                dfi_window_finish(v, 0, &a);
                tasks--;
            }
            released(&a);
            waited += waiting, more = 0;
            for (int i = 0; i <= readers; i++) more |= left[i];
            check(c);
            dfi_stream_unlock(c);
        }
        CHECK(!waiting && !n_open && c->refs == (size_t)readers);
        for (int i = 0; i < readers; i++) { /* the readers leave */
            struct dfi_after a = { NULL, NULL, NULL };
            reader[i]->freed = 1;
            dfi_reader_leave(reader[i], &a);
            if (!c->refs) a.dead = c;
            dfi_after_free(&a);
        }
        CHECK(!streams);
    }
    CHECK(waited > 1000);
    return 0;
}
