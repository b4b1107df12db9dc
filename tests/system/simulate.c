/* simulate.c - tools/df-simulate: work, span and predictions of graphs for which they can be worked out by hand
 *
 * The programs run as they are, with any number of workers, and are traced; then each body is said to have taken a
 * whole number of units, by its name, and the rest is computed from the trace. So every edge and every wait counts, and
 * no clock does. The report is that of a trace written by hand. */
#define _DEFAULT_SOURCE /* mkstemp */
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#define main df_simulate
#include "../../tools/df-simulate.c"
#undef main
#include "../gpu/scratch.h"
#include "../test.h"

/* --- programs ----------------------------------------------------------------------------------------------------- */

DF_TASK(void, chain, df_inout(int, x, 1));
void chain(int *x) { ++*x; }
DF_TASK(void, reads, df_in(int, x, 1));
void reads(const int *x) { (void)x; }
DF_TASK(void, rests, df_in(int, x, 1));
void rests(const int *x)
{
    volatile int k = *x + 1000;
    while (k > 0) k--;
}

DF_TASK(void, binary, (int, deep), (int, waits));
void binary(int deep, int waits)
{
    if (!deep) return;
    df_submit(binary, deep - 1, waits);
    df_submit(binary, deep - 1, waits);
    if (waits) df_wait();
}

enum { TILES = 8 };
DF_TASK(void, potrf, df_inout(int, a, 1));
void potrf(int *a) { ++*a; }
DF_TASK(void, trsm, df_in(int, a, 1), df_inout(int, b, 1));
void trsm(const int *a, int *b) { *b += *a; }
DF_TASK(void, syrk, df_in(int, a, 1), df_inout(int, b, 1));
void syrk(const int *a, int *b) { *b += *a; }
DF_TASK(void, gemm, df_in(int, a, 1), df_in(int, b, 1), df_inout(int, c, 1));
void gemm(const int *a, const int *b, int *c) { *c += *a ^ *b; }

static int tile[TILES][TILES];
static void cholesky(void)
{
    for (int k = 0; k < TILES; k++) {
        df_submit(potrf, &tile[k][k]);
        for (int i = k + 1; i < TILES; i++) df_submit(trsm, &tile[k][k], &tile[i][k]);
        for (int i = k + 1; i < TILES; i++) {
            df_submit(syrk, &tile[i][k], &tile[i][i]);
            for (int j = k + 1; j < i; j++) df_submit(gemm, &tile[i][k], &tile[j][k], &tile[i][j]);
        }
    }
    df_wait();
}

enum { ROWS = 20, COLS = 30 };
static int cell[ROWS + 1][COLS + 1];
DF_TASK(void, relax, df_in(int, up, 1), df_in(int, left, 1), df_inout(int, x, 1));
void relax(const int *up, const int *left, int *x) { *x += *up + *left; }
static void wavefront(void)
{
    for (int i = 1; i <= ROWS; i++)
        for (int j = 1; j <= COLS; j++) df_submit(relax, &cell[i - 1][j], &cell[i][j - 1], &cell[i][j]);
    df_wait();
}

enum { TURNS = 64 };
static uint64_t turns; /* of the loops named turn */
DF_STATIC_LOOP(turn, df_inout(int, x, 1));
static void turn(long from, long to, int *x)
{
    for (long i = from; i < to; i++) __atomic_fetch_add(x, 1, __ATOMIC_RELAXED);
}
DF_STATIC_LOOP(again, (int, k));
static void again(long from, long to, int k) { (void)from, (void)to, (void)k; }
DF_TASK(void, looping, df_inout(int, x, 1));
void looping(int *x) { df_for(turn, 0, TURNS, x); }
static void loops(void) /* between tasks, and two in a row */
{
    static int x;
    turns = TURNS;
    df_submit(chain, &x);
    df_wait();
    df_for(turn, 0, TURNS, &x);
    df_for(again, 0, TURNS / 2, 1);
    df_submit(chain, &x);
    df_wait();
}
static void loops_in_tasks(void)
{
    static int x[4];
    turns = 4 * TURNS;
    for (int i = 0; i < 4; i++) df_submit(looping, &x[i]), df_submit(chain, &x[i]);
    df_wait();
}

DF_TASK(void, fill, df_push(int, p, 1));
void fill(int *p) { *p = 1; }
DF_TASK(void, pass, df_pop(int, p, 1), df_push(int, q, 1));
void pass(const int *p, int *q) { *q = *p; }
DF_TASK(void, take, df_pop(int, p, 1));
void take(const int *p) { CHECK(*p == 1); }
DF_TASK(void, start, (int, k));
void start(int k) { (void)k; }
DF_TASK(void, ring, (df_token *, t));
void ring(df_token *t) { df_signal(t); }
/* no element is there when a task begins to wait for it: so the writer that released it is known */
static void streams(void)
{
    df_stream *s[8], *r[8];
    df_token t = DF_TOKEN(1);
    for (int i = 0; i < 8; i++) {
        s[i] = df_stream_new(sizeof(int), 1), r[i] = df_stream_new(sizeof(int), 1);
        df_submit(take, r[i]);
        df_submit(pass, s[i], r[i]);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), fill, s[i]);
    }
    df_submit(ring, &t);
    df_wait();
    for (int i = 0; i < 8; i++) df_stream_free(s[i]), df_stream_free(r[i]);
}
static void narrow_stream(void) /* with room for one element: a writer waits for the reader before it */
{
    df_stream *s = df_stream_new(sizeof(int), 1);
    df_token t = DF_TOKEN(1);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), fill, s);
    for (int i = 0; i < 10; i++) df_submit(fill, s), df_submit(take, s);
    df_submit(take, s);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), start, 1);
    df_wait();
    df_stream_free(s);
}

static int one;
static void chain_of_100(void)
{
    for (int i = 0; i < 100; i++) df_submit(chain, &one);
    df_wait();
}
static void wide(void) /* without a wait: df_stop has it */
{
    static int x[100];
    for (int i = 0; i < 100; i++) df_submit(chain, &x[i]);
}
static void tree(void)
{
    df_submit(binary, 5, 0);
    df_wait();
}
static void waiting_tree(void) { DF_PARALLEL { df_submit(binary, 5, 1); } }
static void readers(void) /* many of them done, or not, when the writer comes */
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 200; i++) df_submit(rests, &one);
        df_submit(chain, &one);
    }
    df_wait();
}
static void sharers(void) /* two modes that share: a product of edges, or a task of df itself */
{
    static int sum[2];
    for (int i = 0; i < 40; i++) df_submit(reads, &sum[0]);
    for (int i = 0; i < 40; i++) df_submit(reads, &sum[1]);
    df_submit(syrk, &sum[0], &sum[1]);
    df_wait();
}
static void steps(void) /* a block waits for its own children only */
{
    static int x[3];
    df_submit(gemm, &x[0], &x[0], &x[1]);
    DF_PARALLEL { df_submit(chain, &x[2]); }
    df_submit(chain, &x[2]);
    df_wait_on(&x[2], sizeof x[2]);
    df_submit(chain, &x[2]);
    df_wait();
}
static void phases(void)
{
    static int x[4];
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 4; i++) df_submit(chain, &x[i]);
        df_wait();
    }
}
static void streams_alone(void) /* one worker still hands over what is in streams */
{
    df_stream *a = df_stream_new(sizeof(int), 16), *b = df_stream_new(sizeof(int), 16);
    for (int k = 0; k < 10; k++) df_submit(fill, a), df_submit(pass, a, b), df_submit(take, b);
    df_wait();
    df_stream_free(a), df_stream_free(b);
}

/* --- what they take ----------------------------------------------------------------------------------------------- */

static double units(const char *name)
{
    return !strcmp(name, "trsm") || !strcmp(name, "syrk") ? 3 : !strcmp(name, "gemm") ? 6 : 1;
}

static void quiet(void *arg, int level, const char *text) { (void)arg, CHECK(level == 3 && *text); }

/* Each loop is divided into as many pieces as it has iterations, on any worker. (A part has an upper bound of their
 * number.) */
static void with_pieces(struct run *r)
{
    double shortest = ticks_of(r, PIECE_US);
    for (uint32_t i = 0; i < r->parts; i++) r->part[i].own = 0;
    for (uint32_t i = 0; i < r->parts; i++) {
        struct part *p = &r->part[i];
        int looping = !strcmp(names.text[p->name], "turn");
        uint64_t left = looping ? turns : TURNS / 2, n = p->n;
        for (uint32_t k = 0; k < i; k++)
            if (r->part[k].name == p->name) left -= (uint64_t)(r->part[k].own / shortest + 0.5);
        p->own = (double)(n < left ? n : left) * shortest * (1 + 1e-9);
    }
    divide(r);
}

/* before: in units, of a body before its first step; after: the rest. */
static void with_units(struct run *r, double before, double after)
{
    for (uint32_t i = 0; i < r->bodies; i++) {
        struct body *b = &r->body[i];
        double all = !b->is || b->is & PROGRAM ? 0 : units(names.text[b->name]);
        if (b->is & PIECE) all = b->rest > 0;
        b->rest = b->first == NONE ? all : all * after;
        for (uint32_t k = b->first; k != NONE; k = r->step[k].next) r->step[k].own = k == b->first ? all * before : 0;
    }
}

static char name[SCRATCH + 8];
struct expected { double work, span, two, four; };

static void check(int workers, void (*program)(void), double before, double after, struct expected e)
{
    struct run r;
    struct plan p;
    df_config c;
    int starved;
    uint32_t left;
    FILE *file;
    memset(&c, 0, sizeof c);
    memset(&r, 0, sizeof r);
    c.workers = workers, c.stats = "1", c.trace = name, c.log = quiet;
    CHECK(df_start(&c) == DF_OK);
    program();
    df_wait();
    df_stop();
    CHECK((file = fopen(name, "r")) != NULL);
    while (read_run(&r, file)) {} /* each run is appended to the trace: the last one */
    fclose(file);
    with_pieces(&r);
    with_units(&r, before, after);
    plan_new(&p, &r);
    double span = simulate(&p, ALL, &starved, &left);
    fprintf(stderr, "%d workers: work %g, span %g, on two %g, four %g\n", workers, work_of(&r, 0), span,
            simulate(&p, 2, &starved, &left), simulate(&p, 4, &starved, &left));
    CHECK(r.workers == (unsigned)workers && work_of(&r, 0) == e.work && work_of(&r, 1) == 0);
    CHECK(span == e.span && left == 0);
    CHECK(simulate(&p, 1, &starved, &left) == e.work && left == 0);
    if (e.two) CHECK(simulate(&p, 2, &starved, &left) == e.two && left == 0);
    if (e.four) CHECK(simulate(&p, 4, &starved, &left) == e.four && left == 0);
    for (uint32_t n = 1; n <= 64; n *= 2) { /* no more than greedy scheduling may take (Brent, Graham) */
        double t = simulate(&p, n, &starved, &left);
        CHECK(t >= e.span && t >= e.work / n && left == 0);
        CHECK(t <= e.work / n + e.span);
    }
    plan_free(&p);
    run_free(&r);
}

/* --- a trace written by hand -------------------------------------------------------------------------------------- */

/* Worker 0, a thread of the program, submits two chains of two tasks of 1 ms, and a fifth after both; a tick is 1 ns.
 * It needs 10 us for each submission, and worker 1 takes two of the tasks. */
static void write_trace(FILE *f)
{
    static const char *const lines[] = {
        "0,\"name\":\"process_name\",\"args\":{\"name\":\"df\"",
        "0,\"name\":\"df\",\"args\":{\"begin\":[2,1000000000,0,0,0,0,\"\"]",
        "0,\"name\":\"df\",\"args\":{\"thread\":[0,0,1,0,\"\"]",
        "0,\"name\":\"df\",\"args\":{\"submit\":[1000,1,0,1,\"a \\\"quoted\\\" name\"]",
        "0,\"name\":\"df\",\"args\":{\"submit\":[11000,2,0,1,\"b\"]",
        "0,\"name\":\"df\",\"args\":{\"edge\":[0,1,2,0,\"\"]",
        "0,\"name\":\"df\",\"args\":{\"submit\":[21000,3,0,1,\"c\"]",
        "0,\"name\":\"df\",\"args\":{\"submit\":[31000,4,0,1,\"d\"]",
        "0,\"name\":\"df\",\"args\":{\"edge\":[0,3,4,0,\"\"]",
        "0,\"name\":\"df\",\"args\":{\"submit\":[41000,5,0,1,\"e\"]",
        "0,\"name\":\"df\",\"args\":{\"edge\":[0,2,5,0,\"\"]",
        "0,\"name\":\"df\",\"args\":{\"edge\":[0,4,5,0,\"\"]",
        "1,\"name\":\"df\",\"args\":{\"run\":[60000,1,1000000,0,\"a \\\"quoted\\\" name\"]",
        "1,\"name\":\"df\",\"args\":{\"run\":[1062000,2,1000000,0,\"b\"]", /* the scheduler took 2 us */
        "0,\"name\":\"df\",\"args\":{\"run\":[60000,3,1000000,0,\"c\"]",
        "0,\"name\":\"df\",\"args\":{\"run\":[1062000,4,1000000,0,\"d\"]",
        "0,\"name\":\"df\",\"args\":{\"run\":[2064000,5,1000000,0,\"e\"]",
        "0,\"name\":\"df\",\"args\":{\"own\":[0,0,20000,0,\"\"]",
        "0,\"name\":\"df\",\"args\":{\"wait\":[41000,0,3040000,0,\"\"]",
    };
    fprintf(f, "[");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        fprintf(f, "%s{\"ph\":\"M\",\"pid\":1,\"tid\":%s}}", i ? i == 5 ? "     ,\n" : ",\n" : "", lines[i]);
    fprintf(f, "\n]\n");
}

/* The span is the submissions before c, then c, d and e; each queued task takes the scheduler 2 us, as between a and
 * b. */
static const char report_wanted[] =
    "work 5.04 ms, 40.0 us of it in the program outside of tasks; span 3.02 ms\n"
    "parallelism 1.67: no number of workers makes it more than 1.67 times as fast as one\n"
    "this run took 3.08 ms with 2 workers; predicted from its tasks: 3.05 ms\n"
    "workers     predicted   speed-up\n"
    "1             5.05 ms       1.00\n"
    "2             3.05 ms       1.66\n"
    "4             3.03 ms       1.67\n";

static void by_hand(void)
{
    FILE *f = fopen(name, "w+"), *out = tmpfile();
    char text[4000];
    size_t n;
    CHECK(f && out);
    CHECK(report_file(f, out) == 0); /* a file without events */
    write_trace(f);
    rewind(f);
    CHECK(report_file(f, out) == 1);
    rewind(out);
    n = fread(text, 1, sizeof text - 1, out);
    text[n] = 0;
    fprintf(stderr, "%s", text);
    CHECK(!strncmp(text, report_wanted, strlen(report_wanted)));
    fclose(f), fclose(out);
}

int main(void)
{
    const int t = TILES;
    int fd = mkstemp(scratch(name, "df_simulate"));
    CHECK(fd >= 0 && close(fd) == 0 && remove(name) == 0);
    strcat(name, ".json");
    by_hand();
    check(1, streams_alone, 0, 1, (struct expected){ 30, 3, 15, 0 }); /* while there was no other worker */
    for (int w = 1; w <= 4; w *= 2) {
        check(w, chain_of_100, 0, 1, (struct expected){ 100, 100, 100, 100 });
        check(w, wide, 0, 1, (struct expected){ 100, 1, 50, 25 });
        check(w, tree, 1, 0, (struct expected){ 63, 6, 0, 0 });
        check(w, waiting_tree, 1, 1, (struct expected){ 31 * 2 + 32, 2 * 5 + 1, 0, 0 });
        check(w, cholesky, 0, 1, (struct expected){ t * t * t, 9 * t - 10, 0, 0 });
        check(w, wavefront, 0, 1, (struct expected){ ROWS * COLS, ROWS + COLS - 1, 0, 0 });
        check(w, readers, 0, 1, (struct expected){ 603, 6, 0, 0 });
        check(w, sharers, 0, 1, (struct expected){ 83, 4, 0, 0 });
        check(w, steps, 0, 1, (struct expected){ 9, 6, 6, 6 });
        check(w, phases, 0, 1, (struct expected){ 20, 5, 10, 5 });
        check(w, loops, 0, 1, (struct expected){ TURNS * 3 / 2 + 2, 4, 50, 26 });
        check(w, loops_in_tasks, 0, 1, (struct expected){ 4 * (TURNS + 2), 3, 0, 0 });
        check(w, streams, 1, 0, (struct expected){ 25, 4, 13, 7 });
        check(w, narrow_stream, 1, 0, (struct expected){ 23, 23, 23, 23 });
    }
    CHECK(remove(name) == 0);
    return 0;
}
