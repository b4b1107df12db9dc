/* streams.c - random graphs of tasks that are connected by streams: `streams FIRST_SEED COUNT` prints, per seed, a hash
 * of what all tasks computed; an interpreter inside says what that has to be, and the serial build prints the same
 *
 * A graph is made up by playing it: as long as some task could run now, with the elements that are there and the room
 * that is left, it is appended, and played. The order that comes out shows that nothing has to get stuck. What is
 * submitted is another one, in which only tasks that share a side of a stream, or memory, keep their order: so tasks
 * often wait for others that come much later. There are one to four submitters, the block and tasks inside of it, each
 * with sides of its own; some hand over to a further task in the middle. Bodies read and write their windows
 * themselves, or let tasks of their own do that and do not wait for them. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { STREAMS = 5, READERS = 12, SUBMITTERS = 4, TASKS = 150, OPS = 400, ELEMENTS = 3000, WINDOWS = 4, CELLS = 3 };
typedef uint64_t cell;

enum kind { RUN, READER, CLOSE };
struct window { int side, horizon, burst; };
struct op {
    enum kind kind;
    int id, submitter, shape;
    int n_reads, n_writes;          /* READER: reads[0] is the new one; it and CLOSE: writes[0] the stream */
    struct window reads[WINDOWS], writes[WINDOWS];
    int cell;                       /* of the memory it updates, or -1 */
    uint64_t seed;
    int children, spin, priority;
};
struct stream {
    int capacity, owner, closed;    /* owner: which submitter's tasks push */
    long pushed;
    cell value[ELEMENTS];
};
struct reader { int stream, owner, exists; long next; };

static struct stream streams[STREAMS];
static struct reader readers[READERS];
static df_stream *handle[READERS];
static struct op op[OPS];                  /* in the order that was played */
static int n_ops, n_streams, n_readers, n_submitters;
static int order[SUBMITTERS][OPS], n_order[SUBMITTERS], hands_over[SUBMITTERS];
static cell memory[SUBMITTERS][CELLS], played[SUBMITTERS][CELLS];
static cell result[OPS], expected[OPS];

/* --- what tasks do ------------------------------------------------------------------------------- */

static cell value_of(cell h, int window, int i) { return test_mix(h, (cell)(window * 1000 + i)); }

static cell read_window(cell h, const cell *p, int n, size_t count)
{
    h = test_mix(h, (cell)count + (p ? 100 : 0));
    for (int i = 0; p && i < n; i++) h = test_mix(h, p[i]);
    return h;
}

/* (A window may begin where another one of the task does.) */
static size_t count_of(const cell *p, int n) { return df_stream_count(p) < (size_t)n ? df_stream_count(p) : (size_t)n; }

DF_STATIC_TASK(void, fill, (cell *, p), (int, n), (cell, h), (int, window));
static void fill(cell *p, int n, cell h, int window)
{
    for (int i = 0; i < n; i++) p[i] = value_of(h, window, i);
}
DF_STATIC_TASK(void, check, (const cell *, p), (int, n), (cell, h), (size_t, count), (cell *, to));
static void check(const cell *p, int n, cell h, size_t count, cell *to)
{
    CHECK(count_of(p, n) == count);
    *to = read_window(h, p, n, count);
}

static void body(const struct op *o, const cell *const *x, cell *const *y, cell *m)
{
    cell h = o->seed;
    test_spin((unsigned)o->spin);
    for (int i = 0; i < o->n_reads; i++) h = read_window(h, x[i], o->reads[i].horizon, count_of(x[i], o->reads[i].horizon));
    if (m) *m = h = test_mix(h, *m);
    for (int i = 0; i < o->n_writes; i++)
        if (o->children && i % 2 == 0) df_submit(fill, y[i], o->writes[i].burst, h, i);
        else fill(y[i], o->writes[i].burst, h, i);
    if (o->children && o->n_reads) df_submit(check, x[0], o->reads[0].horizon, h, count_of(x[0], o->reads[0].horizon), &result[o->id]);
    else result[o->id] = h;
}

#define R(i) o->reads[i].horizon, o->reads[i].burst
#define W(i) o->writes[i].burst
DF_STATIC_TASK(void, source, (const struct op *, o), df_push(cell, a, W(0)));
DF_STATIC_TASK(void, sink, (const struct op *, o), df_peek(cell, a, R(0)));
DF_STATIC_TASK(void, filter, df_peek(cell, a, R(0)), (const struct op *, o), df_push(cell, b, W(0)));
DF_STATIC_TASK(int, wide, (const struct op *, o), df_peek(cell, a, R(0)), df_pop(cell, b, o->reads[1].burst), df_push(cell, c, W(0)),
               df_push(cell, d, W(1)));
DF_STATIC_TASK(void, many, df_popv(cell, x, o->reads[0].burst, o->n_reads), (const struct op *, o), df_pushv(cell, y, W(0), o->n_writes));
DF_STATIC_TASK(void, update, (const struct op *, o), df_peek(cell, a, R(0)), df_inout(cell, m, 1), df_push(cell, b, W(0)));
static void source(const struct op *o, cell *a) { body(o, NULL, &a, NULL); }
static void sink(const struct op *o, const cell *a) { body(o, &a, NULL, NULL); }
static void filter(const cell *a, const struct op *o, cell *b) { body(o, &a, &b, NULL); }
static int wide(const struct op *o, const cell *a, const cell *b, cell *c, cell *d)
{
    const cell *x[] = { a, b };
    cell *y[] = { c, d };
    body(o, x, y, NULL);
    return 1;
}
static void many(const cell *const *x, const struct op *o, cell *const *y) { body(o, x, y, NULL); }
static void update(const struct op *o, const cell *a, cell *m, cell *b) { body(o, &a, &b, m); }
enum { SOURCE, SINK, FILTER, WIDE, MANY, UPDATE, SHAPES };

static void submit(const struct op *o)
{
    df_stream *x[WINDOWS] = { NULL }, *y[WINDOWS] = { NULL };
    cell *m = o->cell >= 0 ? &memory[o->submitter][o->cell] : NULL;
    if (o->kind == READER) {
        CHECK((handle[o->reads[0].side] = df_stream_reader(handle[o->writes[0].side])) != NULL);
        return;
    }
    if (o->kind == CLOSE) {
        df_stream_close(handle[o->writes[0].side]);
        return;
    }
    for (int i = 0; i < o->n_reads; i++) x[i] = handle[o->reads[i].side];
    for (int i = 0; i < o->n_writes; i++) y[i] = handle[o->writes[i].side];
#define SUBMIT(...) if (o->priority) df_submit_with(DF_OPTS(.priority = o->priority), __VA_ARGS__); else df_submit(__VA_ARGS__); break
    switch (o->shape) {
    case SOURCE: SUBMIT(source, o, y[0]);
    case SINK: SUBMIT(sink, o, x[0]);
    case FILTER: SUBMIT(filter, x[0], o, y[0]);
    case WIDE: SUBMIT(wide, o, x[0], x[1], y[0], y[1]);
    case MANY: SUBMIT(many, x, o, y);
    default: SUBMIT(update, o, x[0], m, y[0]);
    }
}

DF_STATIC_TASK(void, submitter, (int, k), (int, from));
static void submitter(int k, int from)
{
    int to = hands_over[k] && n_order[k] - from > 20 ? from + 20 : n_order[k];
    for (int i = from; i < to; i++) submit(&op[order[k][i]]);
    if (to < n_order[k]) df_submit(submitter, k, to);
}

/* --- making up a graph ------------------------------------------------------------------------------ */

static long room_from(const struct stream *s) /* all before this was consumed by every reader */
{
    long least = s->pushed;
    for (int r = 0; r < n_readers; r++)
        if (readers[r].exists && &streams[readers[r].stream] == s && readers[r].next < least) least = readers[r].next;
    return least;
}

/* Plays o if it could run now. */
static int play(struct op *o)
{
    long next[READERS], pushed[STREAMS];
    cell h = o->seed;
    for (int r = 0; r < n_readers; r++) next[r] = readers[r].next;
    for (int s = 0; s < n_streams; s++) pushed[s] = streams[s].pushed;
    for (int i = 0; i < o->n_reads; i++) {
        const struct window *w = &o->reads[i];
        const struct stream *s = &streams[readers[w->side].stream];
        if (!s->closed && next[w->side] + w->horizon > s->pushed) return 0;
        next[w->side] += w->burst;
    }
    for (int i = 0; i < o->n_writes; i++) {
        const struct window *w = &o->writes[i];
        const struct stream *s = &streams[w->side];
        pushed[w->side] += w->burst;
        if (s->closed || pushed[w->side] - room_from(s) > s->capacity || pushed[w->side] > ELEMENTS) return 0;
    }
    for (int i = 0; i < o->n_reads; i++) {
        const struct window *w = &o->reads[i];
        struct reader *r = &readers[w->side];
        const struct stream *s = &streams[r->stream];
        cell window[100] = { 0 };
        long there = s->pushed - r->next;
        int count = there >= w->horizon ? w->horizon : there > 0 ? (int)there : 0;
        if (count) memcpy(window, &s->value[r->next], (size_t)count * sizeof *window);
        h = read_window(h, count || !w->horizon ? window : NULL, w->horizon, (size_t)count);
        r->next += w->burst;
    }
    if (o->cell >= 0) played[o->submitter][o->cell] = h = test_mix(h, played[o->submitter][o->cell]);
    for (int i = 0; i < o->n_writes; i++) {
        struct stream *s = &streams[o->writes[i].side];
        for (int k = 0; k < o->writes[i].burst; k++) s->value[s->pushed++] = value_of(h, i, k);
    }
    if (o->children && o->n_reads) { /* what the child adds */
        const struct window *w = &o->reads[0];
        const struct reader *r = &readers[w->side];
        const struct stream *s = &streams[r->stream];
        cell window[100] = { 0 };
        long begin = r->next, there;
        for (int i = 0; i < o->n_reads; i++)
            if (o->reads[i].side == w->side) begin -= o->reads[i].burst;
        there = pushed[r->stream] - begin;
        for (int i = 0; i < o->n_writes; i++)
            if (o->writes[i].side == r->stream) there -= o->writes[i].burst;
        int count = there >= w->horizon ? w->horizon : there > 0 ? (int)there : 0;
        if (count) memcpy(window, &s->value[begin], (size_t)count * sizeof *window);
        h = read_window(h, count || !w->horizon ? window : NULL, w->horizon, (size_t)count);
    }
    expected[o->id] = h;
    return 1;
}

static struct op *op_new(uint64_t *seed, enum kind kind, int submitter_of)
{
    struct op *o = &op[n_ops];
    CHECK(n_ops < OPS);
    memset(o, 0, sizeof *o);
    o->kind = kind, o->id = n_ops, o->submitter = submitter_of, o->cell = -1;
    o->seed = test_random(seed);
    return o;
}

static int some_reader(uint64_t *seed, int owner)
{
    int r = test_below(seed, n_readers);
    for (int i = 0; i < n_readers; i++, r = (r + 1) % n_readers)
        if (readers[r].owner == owner && readers[r].exists) return r;
    return -1;
}
static int some_stream(uint64_t *seed, int owner)
{
    int s = test_below(seed, n_streams);
    for (int i = 0; i < n_streams; i++, s = (s + 1) % n_streams)
        if (streams[s].owner == owner) return s;
    return -1;
}

/* A random task of submitter k, if it can be played. */
static void try_task(uint64_t *seed, int k)
{
    static const int reads[SHAPES] = { 0, 1, 1, 2, 0, 1 }, writes[SHAPES] = { 1, 0, 1, 2, 0, 1 };
    struct op *o = op_new(seed, RUN, k);
    int same_read = test_below(seed, 4), same_write = 1 + test_below(seed, 4);
    o->shape = test_below(seed, SHAPES);
    o->n_reads = o->shape == MANY ? test_below(seed, WINDOWS + 1) : reads[o->shape];
    o->n_writes = o->shape == MANY ? test_below(seed, WINDOWS + 1) : writes[o->shape];
    for (int i = 0; i < o->n_reads; i++) {
        struct window *w = &o->reads[i];
        int r = some_reader(seed, k), most;
        if (r < 0) return;
        most = streams[readers[r].stream].capacity;
        w->side = r;
        w->horizon = test_below(seed, 3) ? 1 + test_below(seed, most < 6 ? most : 6) : test_below(seed, most + 1);
        w->burst = test_below(seed, 2) ? w->horizon : test_below(seed, w->horizon + 1);
        if (o->shape == WIDE && i == 1) w->burst = w->horizon;
        if (o->shape == MANY) w->horizon = w->burst = same_read <= most ? same_read : 1, same_read = w->burst;
    }
    for (int i = 0; i < o->n_writes; i++) {
        struct window *w = &o->writes[i];
        int s = some_stream(seed, k), most;
        if (s < 0) return;
        most = streams[s].capacity;
        w->side = s;
        w->burst = test_below(seed, 3) ? 1 + test_below(seed, most < 6 ? most : 6) : test_below(seed, most + 1);
        if (o->shape == MANY) w->burst = same_write <= most ? same_write : 1, same_write = w->burst;
    }
    if (o->shape == MANY) { /* the smallest for all */
        for (int i = 0; i < o->n_reads; i++) o->reads[i].horizon = o->reads[i].burst = same_read;
        for (int i = 0; i < o->n_writes; i++) o->writes[i].burst = same_write;
    }
    if (o->shape == UPDATE) {
        if (hands_over[k]) return;
        o->cell = test_below(seed, CELLS);
    }
    o->children = test_below(seed, 5) == 0;
    o->spin = test_below(seed, 8) ? 0 : test_below(seed, 4000);
    o->priority = test_below(seed, 12) ? 0 : test_below(seed, 3) - 1;
    if (play(o)) n_ops++;
}

static void reader_new(int stream, int owner, int exists)
{
    struct reader *r = &readers[n_readers++];
    r->stream = stream, r->owner = owner, r->exists = exists;
    r->next = streams[stream].pushed;
}

static void read_more(uint64_t *seed, int r, int burst)
{
    struct op *o = op_new(seed, RUN, readers[r].owner);
    o->shape = SINK, o->n_reads = 1;
    o->reads[0].side = r, o->reads[0].horizon = o->reads[0].burst = burst;
    CHECK(play(o));
    n_ops++;
}

static void make_up(uint64_t *seed)
{
    n_ops = n_readers = 0;
    n_submitters = test_below(seed, 2) ? 1 : 1 + test_below(seed, SUBMITTERS);
    n_streams = 1 + test_below(seed, STREAMS);
    for (int k = 0; k < SUBMITTERS; k++) hands_over[k] = k && test_below(seed, 2);
    memset(played, 0, sizeof played);
    for (int s = 0; s < n_streams; s++) {
        struct stream *c = &streams[s];
        c->capacity = test_below(seed, 3) ? 1 + test_below(seed, 12) : 1 + test_below(seed, 60);
        c->owner = test_below(seed, n_submitters);
        c->pushed = c->closed = 0;
        reader_new(s, test_below(seed, n_submitters), 1); /* reader s is the stream itself */
    }
    for (int i = test_below(seed, 4); i > 0; i--) {
        int stream = test_below(seed, n_streams);
        reader_new(stream, test_below(seed, n_submitters), 1);
    }
    for (int i = 0; i < 5 * TASKS && n_ops < TASKS; i++) {
        try_task(seed, test_below(seed, n_submitters));
        if (test_below(seed, 60) == 0 && n_readers < READERS) { /* a reader that begins in the middle */
            int s = test_below(seed, n_streams);
            struct op *o = op_new(seed, READER, streams[s].owner);
            o->n_reads = o->n_writes = 1;
            o->reads[0].side = n_readers, o->writes[0].side = s;
            reader_new(s, streams[s].owner, 1);
            n_ops++;
        }
    }
    for (int s = 0; s < n_streams; s++) /* the end: all is read, and of closed streams more than that */
        if (test_below(seed, 2)) {
            struct op *o = op_new(seed, CLOSE, streams[s].owner);
            o->n_writes = 1, o->writes[0].side = s;
            streams[s].closed = 1;
            n_ops++;
        }
    for (int r = 0; r < n_readers; r++) {
        const struct stream *s = &streams[readers[r].stream];
        while (readers[r].next < s->pushed) {
            long left = s->pushed - readers[r].next;
            int burst = 1 + test_below(seed, s->capacity);
            read_more(seed, r, burst > left && !s->closed ? (int)left : burst);
        }
        if (s->closed && test_below(seed, 2)) read_more(seed, r, 1 + test_below(seed, s->capacity));
    }
}

/* --- another order ----------------------------------------------------------------------------------- */

/* What an operation has in common with others: a bit for each side and each cell. */
static uint64_t touches(const struct op *o)
{
    uint64_t t = 0;
    for (int i = 0; i < o->n_reads; i++) t |= (uint64_t)1 << o->reads[i].side;
    for (int i = 0; i < o->n_writes; i++) t |= (uint64_t)1 << (READERS + o->writes[i].side);
    if (o->cell >= 0) t |= (uint64_t)1 << (READERS + STREAMS + o->cell);
    return t;
}

static void reorder(uint64_t *seed, int k)
{
    int left[OPS], n = 0, far = test_below(seed, 3) ? 1 + test_below(seed, 40) : OPS; /* how far ahead */
    n_order[k] = 0;
    for (int i = 0; i < n_ops; i++)
        if (op[i].submitter == k) left[n++] = i;
    while (n > 0) {
        int want = test_below(seed, n < far ? n : far), at;
        uint64_t before = 0;
        for (at = 0; at < want; at++) before |= touches(&op[left[at]]);
        while (touches(&op[left[at]]) & before) { /* not before those: one of them, then */
            at = test_below(seed, at);
            before = 0;
            for (int i = 0; i < at; i++) before |= touches(&op[left[i]]);
        }
        order[k][n_order[k]++] = left[at];
        memmove(&left[at], &left[at + 1], (size_t)(n - at - 1) * sizeof *left);
        n--;
    }
}

static uint64_t run(uint64_t seed)
{
    uint64_t h = 0, first = seed;
    int early;
    make_up(&seed);
    for (int k = 0; k < n_submitters; k++) reorder(&seed, k);
    memset(memory, 0, sizeof memory);
    memset(result, 0, sizeof result);
    for (int r = 0; r < n_readers; r++) handle[r] = NULL;
    for (int s = 0; s < n_streams; s++) CHECK((handle[s] = df_stream_new(sizeof(cell), (size_t)streams[s].capacity)) != NULL);
    for (int r = n_streams; r < n_readers; r++) { /* those that begin in the middle come later */
        int later = 0;
        for (int i = 0; i < n_ops; i++) later |= op[i].kind == READER && op[i].reads[0].side == r;
        if (!later) CHECK((handle[r] = df_stream_reader(handle[readers[r].stream])) != NULL);
    }
    early = n_submitters == 1 && test_below(&seed, 2);
    DF_PARALLEL {
        for (int k = 1; k < n_submitters; k++) df_submit(submitter, k, 0);
        for (int i = 0; i < n_order[0]; i++) submit(&op[order[0][i]]);
        for (int r = 0; r < n_readers && early; r++) df_stream_free(handle[r]); /* with tasks pending */
        CHECK(df_wait_result() == DF_OK);
    }
    for (int r = 0; r < n_readers && !early; r++) df_stream_free(handle[r]);
    for (int i = 0; i < n_ops; i++) {
        if (op[i].kind != RUN) continue;
        if (result[i] != expected[i]) fprintf(stderr, "seed %llu: task %d, shape %d\n", (unsigned long long)first, i, op[i].shape);
        CHECK(result[i] == expected[i]);
        h = test_mix(h, result[i]);
    }
    for (int k = 0; k < n_submitters; k++)
        for (int i = 0; i < CELLS; i++) CHECK(memory[k][i] == played[k][i]);
    return h;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, end = seed + (argc > 2 ? strtoull(argv[2], NULL, 0) : 20);
    for (; seed < end; seed++) printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)run(seed));
}
