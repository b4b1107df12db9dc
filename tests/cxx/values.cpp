/* Parameters that are objects: each task has its own, which is destroyed exactly once, behind the body or when the task
 * is not run. Counted in every construct; see run for the ways it is built and run. */
#include <cstdlib>

#if defined(WITH_IMPLEMENTATION)
static long failing; /* the allocation that fails, counted down; 0: none */
static void *allocate(size_t n) { return failing && --failing == 0 ? NULL : std::malloc(n); }
#define DF_MALLOC(n) allocate(n)
#define DF_FREE(p) std::free(p)
#define DF_IMPLEMENTATION
#endif
#include "../../df.h"
#include "check.h"
#include <atomic>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

static std::atomic<long> alive, copies, wrong, ran;

struct object {
    std::string text;
    const object *self; /* its bytes are not what it is */
    explicit object(const char *t) : text(t), self(this) { alive++; }
    object(const object &o) : text(o.text), self(this) { alive++, copies++, o.look(); }
    object(object &&o) : text(std::move(o.text)), self(this) { alive++, o.look(); }
    object &operator=(const object &o) { text = o.text; return *this; }
    ~object() { look(), alive--; }
    void look() const { if (self != this) wrong++; }
};
static const char *const words[] = { "a", "a text that is longer than the small buffer of a string", "" };

DF_TASK(void, keep, (object, o), (std::string, expected), df_inout(long, n, 1));
void keep(object o, std::string expected, long *n)
{
    o.look();
    if (o.text != expected) wrong++;
    ++*n, ran++;
    o.text = "changed by the body";
}
DF_TASK(void, give, (df_output(object) *, o), (df_output(std::string) *, expected), (df_output(long *) *, n), (long *, to));
void give(df_output(object) *o, df_output(std::string) *expected, df_output(long *) *n, long *to)
{
    df_give(n, to);
    df_give(o, object("given"));
    df_give(expected, "given");
}
DF_TASK(void, keep_shape, (std::vector<long>, v), df_out(long, to, v.size()));
void keep_shape(std::vector<long> v, long *to)
{
    for (size_t i = 0; i < v.size(); i++) to[i] = v[i];
}
DF_TASK(std::string, twice, (object, o), (const int, n));
std::string twice(object o, const int n)
{
    if (n > 0) {
        df_future(twice) f;
        df_spawn(twice, &f, o, n - 1);
        std::string a = df_sync(twice, &f);
        return a + o.text;
    }
    return o.text;
}
DF_TASK(void, consume, (std::unique_ptr<long>, p), (std::atomic<long> &, sum));
void consume(std::unique_ptr<long> p, std::atomic<long> &sum) { sum += *p; }
DF_TASK(void, wait_for, df_inout(long, n, 1));
void wait_for(long *n) { ++*n; }
DF_TASK(void, fail, df_inout(long, n, 1));
static_assert(std::is_same<std::underlying_type<df_result>::type, int>::value, "any code of df_fail is a df_result");
void fail(long *n) { ++*n; df_fail(7, "on purpose"); }
DF_TASK(void, decide, df_out(int, c, 1));
void decide(int *c) { *c = 0; }
DF_LOOP(each, (object, o), (std::string, expected), df_inout(long, n, 100));
void each(long lo, long hi, object o, std::string expected, long *n)
{
    o.look();
    if (o.text != expected) wrong++;
    for (long i = lo; i < hi; i++) n[i]++;
    o.text = "changed by the body";
}
DF_LOOP(refer, (const object &, o), (std::unique_ptr<long> &, own), (const std::string &, expected), df_inout(long, n, 100));
void refer(long lo, long hi, const object &o, std::unique_ptr<long> &own, const std::string &expected, long *n)
{
    o.look();
    if (o.text != expected || *own != 5) wrong++;
    for (long i = lo; i < hi; i++) n[i]++;
}
DF_TASK(void, produce, (object, o), (std::vector<int>, v), df_push(int, out, v.size()));
void produce(object o, std::vector<int> v, int *out)
{
    o.look();
    for (size_t i = 0; i < v.size(); i++) out[i] = v[i];
}
DF_TASK(void, take, df_pop(int, in, 2), df_inout(long, n, 1));
void take(const int *in, long *n) { *n += in[0] + in[1]; }

static void done(int line)
{
    if (alive || wrong)
        std::fprintf(stderr, "%s:%d: %ld objects are left, %ld are wrong\n", __FILE__, line, alive.load(),
                     wrong.load()), std::exit(1);
}
#define DONE() done(__LINE__)

static void submit()
{
    long n = 0, to[3] = { 0, 0, 0 };
    ran = 0;
    for (int i = 0; i < 300; i++) {
        object mine(words[i % 3]);
        if (i % 2) df_submit(keep, mine, words[i % 3], &n);
        else df_submit_with(DF_OPTS(.name = "keep", .priority = i % 5), keep, object(words[i % 3]), words[i % 3], &n);
        CHECK(mine.text == words[i % 3]); /* the task has a copy */
    }
    std::vector<long> v(3, 5);
    df_submit(keep_shape, v, to);
    v[0] = 1;
    df_wait();
    CHECK(n == 300 && ran == 300 && to[0] == 5 && to[2] == 5);
    DONE();
    n = 0;
    DF_PARALLEL for (int i = 0; i < 100; i++) df_submit(keep, object("a"), "a", &n);
    CHECK(n == 100);
    DONE();
}

static void move_only()
{
    std::atomic<long> sum(0);
    for (long i = 0; i < 100; i++) df_submit(consume, std::unique_ptr<long>(new long(i)), sum);
    df_wait();
    CHECK(sum == 4950);
    df_future(consume) f;
    df_spawn(consume, &f, std::unique_ptr<long>(new long(50)), sum);
    df_sync(consume, &f);
    CHECK(sum == 5000);
}

static void futures()
{
    for (int i = 0; i < 20; i++) CHECK(twice(object("ab"), 9) == "abababababababababab");
    DONE();
}

static void loops()
{
    long n[100] = { 0 };
    for (int i = 0; i < 3; i++) df_for(each, 0, 100, object(words[i]), words[i], n);
    df_wavefront(each, DF_VECTORS({ 1 }), 0, 100, object("w"), "w", n);
    df_for(each, 3, 3, object(""), "", n);
    for (int i = 0; i < 100; i++) CHECK(n[i] == 4);
    long before = copies; /* references are not copied, in a loop that its caller waits for */
    {
        std::unique_ptr<long> own(new long(5));
        const object kept("kept");
        df_for(refer, 0, 100, kept, own, "kept", n);
        df_for(refer, 0, 100, object("a temporary"), own, std::string("a temporary"), n);
    }
    for (int i = 0; i < 100; i++) CHECK(n[i] == 6);
    CHECK(copies == before);
    DONE();
}

static void nodes()
{
    long n = 0;
    for (int i = 0; i < 20; i++) {
        df_node(keep) *a = df_node_new(keep);
        df_node_set(keep, a, n, &n);
        df_node_set(keep, a, o, object("node"));
        df_node_set(keep, a, expected, "node");
        df_wait();
    }
    CHECK(n == 20);
    df_node(keep) *b = df_node_new(keep); /* given up: it has only one of its inputs */
    df_node_set(keep, b, o, object("never"));
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    DONE();
}

static void outputs()
{
    long n = 0;
    for (int i = 0; i < 20; i++) {
        df_node(keep) *a = df_node_new(keep);
        df_output(object) *o = df_node_output(keep, a, o);
        df_submit(give, o, df_node_output(keep, a, expected), df_node_output(keep, a, n), &n);
        df_wait();
    }
    CHECK(n == 20);
    df_output(object) *none = df_node_output(keep, nullptr, o);
    df_give(none, object("nowhere"));
    df_node(keep) *b = df_node_new(keep); /* given up: it has only one of its inputs */
    df_give(df_node_output(keep, b, o), object("never"));
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    DONE();
}

static void skipped()
{
    long n = 0;
    df_token t = DF_TOKEN(1);
    ran = 0;
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), fail, &n);
        for (int i = 0; i < 50; i++) df_submit(keep, object("skipped"), "skipped", &n);
        df_signal(&t);
        CHECK(df_wait_result() == 7);
    }
    CHECK(n == 1 && ran == 0);
    DONE();
    df_group g = DF_GROUP;
    df_group_cancel(&g);
    for (int i = 0; i < 50; i++) df_submit_with(DF_OPTS(.group = &g), keep, object("skipped"), "skipped", &n);
    (void)df_wait_result();
    CHECK(n == 1);
    DONE();
}

static void speculated()
{
    int c = 1;
    long n = 0;
    for (int i = 0; i < 20; i++) {
        c = 1;
        df_submit(decide, &c);
        df_speculate(&c, 1) {
            df_submit(keep, object("undone"), "undone", &n);
            df_submit(keep, object("undone"), "undone", &n);
        }
        df_submit(decide, &c);
        df_speculate(&c, 0) df_submit(keep, object("counts"), "counts", &n);
        df_wait();
        CHECK(n == i + 1);
    }
    DONE();
}

struct verdict { std::string text; double residual; };
static bool converged(const verdict *v) { return v->text == "done" && v->residual < 1e-3; }
DF_PREDICATE(converged, verdict, 1);
DF_STATIC_TASK(void, judge, df_inout(verdict, v, 1), (double, residual));
static void judge(verdict *v, double residual)
{
    v->text = "done";
    v->residual = residual;
}
enum class colour : short { red, green = 256 };
DF_STATIC_TASK(void, write_number, df_out(double, p, 1), (double, v));
static void write_number(double *p, double v) { *p = v; }
DF_STATIC_TASK(void, write_colour, df_out(colour, p, 1), (colour, v));
static void write_colour(colour *p, colour v) { *p = v; }
DF_STATIC_TASK(void, write_text, df_out(const char *, p, 1), (const char *, v));
static void write_text(const char **p, const char *v) { *p = v; }
struct verdict_of { long first; };
typedef long verdict_of::*member;

/* A condition whose type is a parameter, and that is a member. */
template <class T> struct conditional {
    T condition;
    long taken[2];
    template <class F> long run(F submit_write)
    {
        taken[0] = taken[1] = 0;
        submit_write(&condition);
        df_speculate(&condition, 1) df_submit(keep, object("true"), "true", &taken[0]);
        df_speculate(&this->condition, 0) df_submit(keep, object("false"), "false", &taken[1]);
        df_wait();
        return taken[0] - taken[1];
    }
};

static void conditions()
{
    conditional<double> number = { 1, { 0, 0 } };
    conditional<colour> hue = { colour::red, { 0, 0 } };
    conditional<const char *> text = { "", { 0, 0 } };
    conditional<member> offset = { nullptr, { 0, 0 } };
    CHECK(number.run([](double *p) { df_submit(write_number, p, -0.); }) == -1);
    CHECK(number.run([](double *p) { df_submit(write_number, p, 5e-324); }) == 1);
    CHECK(hue.run([](colour *p) { df_submit(write_colour, p, colour::green); }) == 1);
    CHECK(hue.run([](colour *p) { df_submit(write_colour, p, colour::red); }) == -1);
    CHECK(text.run([](const char **p) { df_submit(write_text, p, "text"); }) == 1);
    CHECK(text.run([](const char **p) { df_submit(write_text, p, nullptr); }) == -1);
    CHECK(offset.run([](member *) {}) == -1);
    offset.condition = &verdict_of::first;
    CHECK(offset.run([](member *) {}) == 1);
    for (int i = 0; i < 2; i++) {
        verdict v = { "a text that does not fit into the object itself", 1 };
        long n = 0;
        df_submit(judge, &v, i ? 1e-6 : 1);
        df_speculate_on(converged, &v, 1) df_submit(keep, object("yes"), "yes", &n);
        df_speculate_while_on(converged, &v, 0) {
            df_submit(keep, object("no"), "no", &n);
            df_submit(judge, &v, 0);
        }
        df_wait();
        CHECK(n == 1);
    }
    DONE();
}

static void streams()
{
    long n = 0;
    df_stream *s = df_stream_new(sizeof(int), 4);
    CHECK(s);
    for (int i = 0; i < 50; i++) {
        df_submit(produce, object("p"), std::vector<int>(2, i), s);
        df_submit(take, s, &n);
    }
    df_wait();
    CHECK(n == 2450);
    df_submit(produce, object("p"), std::vector<int>(9, 0), s); /* larger than the stream */
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    df_stream_free(s);
    DONE();
}

static void graphs()
{
    long n = 0;
    std::atomic<long> sum(0);
    df_taskgraph *g = df_taskgraph_new();
    ran = 0;
    DF_TASKGRAPH(g) {
        for (int i = 0; i < 6; i++) df_submit(keep, object("recorded"), "recorded", &n);
        df_submit_with(DF_OPTS(.name = "last"), keep, object("recorded"), "recorded", &n);
    }
    CHECK(n == 7 && alive == 7);
    for (int i = 0; i < 5; i++) CHECK(df_taskgraph_run(g) == DF_OK);
    CHECK(n == 42);
    df_taskgraph_set(g, keep, 3, o, object("another text"));
    df_taskgraph_set(g, keep, 3, expected, "another text");
    CHECK(alive == 7);
    for (int i = 0; i < 3; i++) CHECK(df_taskgraph_run(g) == DF_OK);
    CHECK(n == 63 && ran == 63);
    df_taskgraph_free(g);
    DONE();
    g = df_taskgraph_new();
    DF_TASKGRAPH(g) df_submit(consume, std::unique_ptr<long>(new long(1)), sum);
    CHECK(sum == 1 && df_taskgraph_run(g) == DF_ERROR_TASKGRAPH && sum == 1); /* it cannot be run again */
    df_taskgraph_free(g);
}

static void quiet(void *, int, const char *) {}

static void no_memory()
{
#if defined(WITH_IMPLEMENTATION)
    long last = 40;
    for (long k = 1; k <= last; k++) {
        long n = 0;
        df_stop();
        df_start(DF_CONFIG(.log = quiet));
        failing = k;
        for (int i = 0; i < 10; i++) df_submit(keep, object("m"), "m", &n);
        df_wait();
        if (failing > 0) k = last; /* no more to fail */
        failing = 0;
        CHECK(n == 10);
        DONE();
    }
#endif
}

int main()
{
    int workers = std::getenv("DF_WORKERS") ? std::atoi(std::getenv("DF_WORKERS")) : 2;
    for (int again = 0; again < 2; again++) {
        df_start(DF_CONFIG(.patience = 1, .log = quiet, .workers = workers, .defer = again));
        submit(), move_only(), futures(), loops(), nodes(), outputs(), skipped(), speculated(), conditions();
        streams(), graphs();
        df_stop();
    }
    no_memory();
    std::printf("ok\n");
}
