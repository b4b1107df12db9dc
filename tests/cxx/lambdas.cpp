/* df.hpp: loops, reductions and spawns of lambdas give what the serial loop gives, at every number of workers; values
 * are destroyed exactly once, exceptions arrive; see run for the ways it is built and run. */
#if defined(WITH_IMPLEMENTATION)
#define DF_IMPLEMENTATION
#endif
#include "../../df.hpp"
#include "../../df_observe.h"
#include "check.h"
#include <atomic>
#include <climits>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

enum { N = 20000 };

/* A value that is counted, and cannot be copied. */
struct counted {
    static std::atomic<long> alive;
    long sum;
    std::unique_ptr<long> own;
    explicit counted(long x) : sum(x), own(new long(x)) { alive++; }
    counted(counted &&c) : sum(c.sum), own(std::move(c.own)) { alive++; }
    counted &operator=(counted &&c)
    {
        sum = c.sum, own = std::move(c.own);
        return *this;
    }
    ~counted() { alive--; }
};
std::atomic<long> counted::alive;

static counted add(counted a, counted b)
{
    CHECK(a.own && b.own && *a.own == a.sum && *b.own == b.sum);
    return counted(a.sum + b.sum);
}

/* --- loops ---------------------------------------------------------------------------------------------- */

static std::vector<std::atomic<int>> seen(N);
static void all_seen(int times, long from = 0, long by = 1)
{
    for (long i = 0; i < N; i++) {
        CHECK(seen[(size_t)i] == (i >= from && (i - from) % by == 0 ? times : 0));
        seen[(size_t)i] = 0;
    }
}

static void loops()
{
    df::for_each(0, N, [](long i) { seen[(size_t)i]++; });
    all_seen(1);
    df::for_each(0L, (size_t)N, [](long i) { seen[(size_t)i]++; });
    df::for_each(0, 0, [](long) { CHECK(0); });
    df::for_each(5, -5, [](long) { CHECK(0); });
    df::for_each_range(0, N, [](long lo, long hi) {
        CHECK(lo < hi);
        for (long i = lo; i < hi; i++) seen[(size_t)i]++;
    });
    all_seen(2);
    df::for_each(DF_LOOP_OPTS(.grain = 7, .schedule = DF_DYNAMIC, .step = 3), 1, N, [](long i) { seen[(size_t)i]++; });
    all_seen(1, 1, 3);
    df::for_each(DF_LOOP_OPTS(.step = -5), N - 5, -1, [](long i) { seen[(size_t)i]++; });
    all_seen(1, 0, 5);
    df::for_each_range(DF_LOOP_OPTS(.schedule = DF_STATIC), 0, N, [](long lo, long hi) {
        for (long i = lo; i < hi; i++) seen[(size_t)i]++;
    });
    all_seen(1);
    const unsigned long middle = (unsigned long)LONG_MAX;
    df::for_each(DF_LOOP_OPTS(.unsigned_range = 1), (long)(middle - N / 2), (long)(middle + N / 2), [=](long i) {
        seen[(size_t)((unsigned long)i - (middle - N / 2))]++;
    });
    all_seen(1);
    df::for_each(0, 10, [](long i) { /* nested */
        df::for_each(i * (N / 10), (i + 1) * (N / 10), [](long k) { seen[(size_t)k]++; });
    });
    all_seen(1);
}

static void iterators()
{
    std::vector<long> v(N, 3);
    std::deque<int> d(1000, 1);
    const long *p = v.data();
    std::atomic<long> sum(0);
    df::for_each(v.begin(), v.end(), [](long &x) { x *= 2; });
    df::for_each(v.cbegin(), v.cend(), [&](const long &x) { sum += x; });
    df::for_each(p, p + 10, [&](const long &x) { sum += x; });
    df::for_each(d.rbegin(), d.rend(), [&](int &x) { sum += x++; });
    df::for_each(DF_LOOP_OPTS(.grain = 100), d.begin(), d.end(), [&](int x) { sum += x; });
    CHECK(sum == 6L * N + 60 + 1000 + 2000);
}

/* --- reductions ----------------------------------------------------------------------------------------- */

static void reductions()
{
    long n = df::reduce(0, N, 5L, [](long i) { return i; });
    CHECK(n == 5 + (long)N * (N - 1) / 2);
    double least = df::reduce(0, N, 1e9, [](long i) { return (double)((i - 777) * (i - 777)); },
                              [](double a, double b) { return a < b ? a : b; });
    CHECK(!(least > 0) && !(least < 0));
    CHECK(df::reduce(3, 3, 8, [](long) { return 1; }) == 8);
    CHECK(df::reduce(3, 4, 8, [](long) { return 1; }, std::minus<int>()) == 7);
    n = df::reduce(DF_LOOP_OPTS(.step = 7), 0, N, 0L, [](long i) { return i; });
    CHECK(n == 7L * (N / 7) * (N / 7 + 1) / 2);

    /* in the order of the iterations, and the same bits, at any number of workers */
    auto letter = [](long i) { return std::string(1, (char)('a' + i % 26)); };
    std::string text = df::reduce(DF_LOOP_OPTS(.deterministic = 1), 0, 2000, std::string(">"), letter);
    CHECK(text.size() == 2001 && text[0] == '>');
    for (size_t i = 1; i < text.size(); i++) CHECK(text[i] == (char)('a' + (i - 1) % 26));
    auto inverse = [](long i) { return 1.0 / (double)(i + 1); };
    double first = df::reduce(DF_LOOP_OPTS(.deterministic = 1), 0, N, 0.0, inverse);
    for (int k = 0; k < 5; k++) {
        double again = df::reduce(DF_LOOP_OPTS(.deterministic = 1), 0, N, 0.0, inverse);
        CHECK(!std::memcmp(&first, &again, sizeof first));
    }

    /* any type */
    CHECK(df::reduce(0, N, counted(1), [](long i) { return counted(i); }, add).sum == 1 + (long)N * (N - 1) / 2);
    CHECK(counted::alive == 0);
    typedef std::map<long, long> table;
    table counts = df::reduce(0, N, table(), [](long i) { return table{ { i % 10, 1 } }; }, [](table a, const table &b) {
        for (auto &e : b) a[e.first] += e.second;
        return a;
    });
    CHECK(counts.size() == 10);
    for (auto &e : counts) CHECK(e.second == N / 10);
}

/* --- fork and join -------------------------------------------------------------------------------------- */

static long fib(long n)
{
    if (n < 2) return n;
    auto a = df::spawn([=] { return fib(n - 1); });
    long b = fib(n - 2);
    return a.sync() + b;
}

struct node { std::unique_ptr<node> left, right; };
static std::unique_ptr<node> tree(int depth) /* results that can only be moved */
{
    std::unique_ptr<node> t(new node);
    if (!depth) return t;
    auto l = df::spawn([=] { return tree(depth - 1); });
    t->right = tree(depth - 1);
    t->left = l.sync();
    return t;
}
static int size_of(const node *t) { return t ? 1 + size_of(t->left.get()) + size_of(t->right.get()) : 0; }

static void spawns()
{
    int x = 0;
    CHECK(fib(18) == 2584);
    CHECK(size_of(tree(10).get()) == 2047);
    for (int k = 0; k < 1000; k++) {
        auto a = df::spawn([&x] { x++; });                 /* no result */
        auto b = df::spawn([&k]() -> int & { return k; }); /* a copy of what it refers to */
        CHECK(b.sync() == k);
        a.sync();
        CHECK(x == k + 1);
        counted c(k);
        auto sum = [&c](long y) { return counted(c.sum + y); };
        auto d = df::spawn(std::bind(sum, 5L));
        CHECK(d.sync().sum == k + 5);
    }
    CHECK(counted::alive == 0);
}

/* --- exceptions ----------------------------------------------------------------------------------------- */

#define THROWS(text, ...)                                                                           \
    do {                                                                                            \
        bool arrived = false;                                                                       \
        try {                                                                                       \
            __VA_ARGS__;                                                                            \
        } catch (const std::runtime_error &e) {                                                     \
            arrived = !std::strcmp(e.what(), text);                                                 \
        }                                                                                           \
        CHECK(arrived);                                                                             \
        CHECK(counted::alive == 0);                                                                 \
        CHECK(df_wait_result() == DF_OK);                                                           \
    } while (0)

static long bad(long n, long at) /* fib; fib(at) throws */
{
    if (n == at) throw std::runtime_error("spawn");
    if (n < 2) return n;
    auto a = df::spawn([=] { return bad(n - 1, at); });
    long b = bad(n - 2, at);
    return a.sync() + b;
}

static void exceptions()
{
    for (int k = 0; k < 10; k++) {
        THROWS("loop", df::for_each(0, N, [](long i) { if (i == 12345) throw std::runtime_error("loop"); }));
        for (int deterministic = 0; deterministic < 2; deterministic++) {
            df_loop o = df_loop();
            o.deterministic = deterministic;
            const df_loop *opts = &o;
            THROWS("term", df::reduce(opts, 0, N, counted(0), [](long i) {
                if (i == 7777) throw std::runtime_error("term");
                return counted(i);
            }, add));
            THROWS("sum", df::reduce(opts, 0, N, counted(0), [](long i) { return counted(i); }, [](counted a, counted b) {
                if (a.sum == 7777 || b.sum == 7777) throw std::runtime_error("sum"); /* a: a part may begin with it */
                return add(std::move(a), std::move(b));
            }));
        }
        THROWS("spawn", bad(15, k));
        CHECK(fib(12) == 144);
    }
}

/* --- names ---------------------------------------------------------------------------------------------- */

static std::atomic<int> parts_seen[2];
static void begins(void *, int, const df_observed *t)
{
    char name[64];
    for (int k = 0; k < 2; k++) {
        std::snprintf(name, sizeof name, "names:%d", __LINE__ + 9 + k);
        if (t->kind == DF_OBSERVED_LOOP && !std::strcmp(t->name, name)) parts_seen[k]++;
    }
}
static void names()
{
    df_observer o = df_observer();
    o.task_begin = begins;
    CHECK(df_observe(&o) == DF_OK);
    df::for_each(0, N, [](long i) { seen[(size_t)i]++; });
    df::for_each(0, N, [](long i) { seen[(size_t)i]++; });
    CHECK(df_unobserve(&o) == DF_OK);
    all_seen(2);
    CHECK(parts_seen[0] && parts_seen[1]);
    parts_seen[0] = parts_seen[1] = 0;
}

int main()
{
    for (int again = 0; again < 2; again++) {
        loops(), iterators(), reductions(), spawns(), exceptions(), names();
        df_stop();
    }
    std::printf("ok\n");
}
