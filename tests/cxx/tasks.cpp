/* df.hpp: tasks of lambdas, ordered by what they access, and their futures; see run for how it is built and run. */
#if defined(WITH_IMPLEMENTATION)
#define DF_IMPLEMENTATION
#endif
#include "../../df.hpp"
#include "check.h"
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#endif
#endif

/* --- views, of the form of the standard library's ---------------------------------------------------------- */

template <class T> class row_view { /* std::span */
    T *p;
    size_t n;
public:
    row_view(T *at, size_t count) : p(at), n(count) {}
    T *data() const { return p; }
    size_t size() const { return n; }
    T &operator[](size_t i) const { return p[i]; }
};
template <class T> class matrix_view { /* std::mdspan */
public:
    struct mapping_type { size_t extent[2], stride[2]; };
    matrix_view(T *at, const mapping_type &map) : p(at), m(map) {}
    static constexpr size_t rank() { return 2; }
    T *data_handle() const { return p; }
    size_t extent(size_t r) const { return m.extent[r]; }
    size_t stride(size_t r) const { return m.stride[r]; }
    const mapping_type &mapping() const { return m; }
    T &operator()(size_t i, size_t j) const { return p[i * m.stride[0] + j * m.stride[1]]; }
private:
    T *p;
    mapping_type m;
};

/* --- a random program against the serial one ---------------------------------------------------------------- */

static unsigned long long random_state;
static size_t below(size_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((random_state >> 33) % n);
}
enum { SIDE = 12, CELLS = SIDE * SIDE };

static long change(long x, long by) { return (x * 3 + by) % 9973; }

template <class M> static void change_all(const M &m, long by)
{
    for (size_t i = 0; i < m.extent(0); i++)
        for (size_t j = 0; j < m.extent(1); j++) m(i, j) = change(m(i, j), by);
}

static void random_program(unsigned long long seed)
{
    std::vector<long> mine(CELLS), tasks(CELLS);
    random_state = seed;
    for (long t = 0; t < 400; t++) {
        const size_t b = below(CELLS), n = below(CELLS - b) + 1, c = below(CELLS), r = below(4);
        const size_t i = below(SIDE), j = below(SIDE), rows = below(SIDE - i) + 1, columns = below(SIDE - j) + 1;
        const bool turned = below(2);
        matrix_view<long>::mapping_type map = { { rows, columns }, { SIDE, 1 } };
        if (turned) std::swap(map.extent[0], map.extent[1]), std::swap(map.stride[0], map.stride[1]);
        const size_t at = i * SIDE + j;
        switch (r) {
        case 0: /* elements in a row, from another one */
            for (size_t k = b; k < b + n; k++)
                if (k != c) mine[k] = change(mine[k], mine[c] + t);
            if (c >= b && c < b + n)
                df::submit([=](long *x) {
                    for (size_t k = 0; k < n; k++)
                        if (b + k != c) x[k] = change(x[k], x[c - b] + t);
                }, df::inout(&tasks[b], n));
            else
                df::submit([=](const long &from, long *x) {
                    for (size_t k = 0; k < n; k++) x[k] = change(x[k], from + t);
                }, df::in(tasks[c]), df::inout(&tasks[b], n));
            break;
        case 1: { /* a view of two dimensions */
            change_all(matrix_view<long>(&mine[at], map), t);
            df::submit([=](const matrix_view<long> &m) { change_all(m, t); },
                       df::inout(matrix_view<long>(&tasks[at], map)));
            break;
        }
        case 2: /* written, and not read: a task may get other memory */
            for (size_t k = b; k < b + n; k++) mine[k] = static_cast<long>(k) + t;
            df::submit([=](const row_view<long> &v) {
                CHECK(v.size() == n);
                for (size_t k = 0; k < n; k++) v[k] = static_cast<long>(b + k) + t;
            }, df::out(row_view<long>(&tasks[b], n)));
            break;
        default: /* a block, by its captured address */
            for (size_t k = 0; k < rows; k++)
                for (size_t l = 0; l < columns; l++) mine[at + k * SIDE + l] = change(mine[at + k * SIDE + l], -t);
            df::submit([=, &tasks] {
                for (size_t k = 0; k < rows; k++)
                    for (size_t l = 0; l < columns; l++)
                        tasks[at + k * SIDE + l] = change(tasks[at + k * SIDE + l], -t);
            }, df::inout2(&tasks[at], rows, columns, SIDE));
        }
    }
    df_wait();
    CHECK(mine == tasks);
}

/* --- what a lambda gets ------------------------------------------------------------------------------------- */

static void doubles(int *p) { p[0] *= 2; }

static void forms()
{
    std::vector<int> v(10, 1);
    std::array<int, 3> a = { { 1, 2, 3 } };
    int c[4] = { 1, 2, 3, 4 }, one = 5;
    const std::vector<int> &constant = v;
    df::submit([](const int *x, const int *y, const int *z, int &sum) { sum = x[9] + y[2] + z[3]; },
               df::in(constant), df::in(a), df::in(c), df::out(one));
    df::submit(doubles, df::inout(&one, 1));
    df::submit(std::bind([](int k, int &x) { x += k; }, 3, std::placeholders::_1), df::inout(one));
    df::submit(std::function<void(int &)>([](int &x) { x += 4; }), df::inout(one));
    int count = 0;
    df::submit([count](int &x) mutable { x += ++count; }, df::inout(one)); /* its own copy */
    df_wait();
    CHECK(one == 24 && count == 0);
    df::submit([](int *) {}, df::inout(v.data(), 0));
    v[1] = 6, v[5] = 7;
    df::submit([](const int *x, int *y) { y[0] = x[1], y[2] = x[5]; }, df::in2(v.data(), 2, 2, 5),
               df::out2(c, 2, 1, 2));
    df_wait();
    CHECK(c[0] == 6 && c[1] == 2 && c[2] == 7 && c[3] == 4);
#if defined(__cpp_lib_span)
    std::vector<int> w(8);
    df::submit([](std::span<int> s) { for (int &x : s) x = static_cast<int>(s.size()); },
               df::out(std::span(w).subspan(2, 3)));
    df::submit([](std::span<const int> s, std::span<int, 2> t) { t[1] = s[4] + s[5]; }, df::in(std::span<const int>(w)),
               df::inout(std::span<int, 2>(w.data(), 2)));
    df_wait();
    CHECK((w == std::vector<int>{ 0, 3, 3, 3, 3, 0, 0, 0 }));
#endif
}

static void modes()
{
    std::atomic<int> inside(0);
    int sum = 0;
    long many = 0;
    for (int i = 0; i < 100; i++)
        df::submit([&](int &s) {
            CHECK(inside++ == 0);
            s += 1;
            inside--;
        }, df::commute(sum));
    df_wait();
    CHECK(sum == 100);
    std::atomic<long> &shared = *new std::atomic<long>(0);
    for (int i = 0; i < 100; i++) df::submit([&] { shared += 2; }, df::concurrent(many));
    df::submit([&](long &m) { m = shared; }, df::inout(many));
    df_wait();
    CHECK(many == 200);
    delete &shared;
    int x[4] = { 0, 0, 0, 0 }; /* children of weak tasks follow earlier ones */
    for (int t = 0; t < 50; t++)
        df::submit([&x, t] {
            for (int i = 0; i < 4; i++) df::submit([t](int &e) { CHECK(e == t), e++; }, df::inout(x[i]));
        }, df::weak_inout(x));
    df::submit([](const int *y) { for (int i = 0; i < 4; i++) CHECK(y[i] == 50); }, df::in(x));
    df_wait();
}

/* --- a task owns its lambda --------------------------------------------------------------------------------- */

struct counted {
    static std::atomic<long> alive;
    long value;
    explicit counted(long x) : value(x) { alive++; }
    counted(const counted &c) : value(c.value) { alive++; }
    counted(counted &&c) : value(c.value) { alive++; }
    ~counted() { alive--; }
};
std::atomic<long> counted::alive;

struct only_moves {
    std::unique_ptr<long> own;
    counted c;
    void operator()(long &x) { x += *own + c.value; }
};

static void owned()
{
    long x = 0;
    {
        counted c(3);
        std::string text(100, 'x');
        for (int i = 0; i < 100; i++)
            df::submit([c, text](long &y) { y += c.value + static_cast<long>(text.size()); }, df::inout(x));
        auto kept = [c](long &y) { y += c.value; };
        df::submit(kept, df::inout(x));
        df::submit(std::move(kept), df::inout(x));
        df::submit(only_moves{ std::unique_ptr<long>(new long(4)), counted(5) }, df::inout(x));
        df_wait();
    }
    CHECK(x == 100 * 103 + 6 + 9);
    CHECK(counted::alive == 0);
    for (int i = 0; i < 1000; i++) { /* no accesses */
        counted c(i);
        df::submit([c] { CHECK(c.value >= 0); });
    }
    df_wait();
    CHECK(counted::alive == 0);
    DF_PARALLEL { /* skipped */
        counted c(1);
        df::submit([](long &) { df_cancel(); }, df::inout(x));
        for (int i = 0; i < 10; i++) df::submit([c](long &) {}, df::inout(x));
    }
    CHECK(counted::alive == 0);
    struct alignas(64) wide { double d[8]; } w = { { 1, 2, 3, 4, 5, 6, 7, 8 } };
    double d = 0;
    df::submit([w](double &y) { y = w.d[7] + (reinterpret_cast<uintptr_t>(&w) % 64 ? 100 : 0); }, df::out(d));
    df_wait();
    CHECK(d == 8);
}

static void options()
{
    df_token open = DF_TOKEN(1);
    df_handle h = DF_HANDLE;
    int x = 0, y = 0;
    df::submit(DF_OPTS(.name = "waits", .after = DF_TOKENS(&open), .handle = &h), [&] { x = 1; });
    df::submit(DF_OPTS(.priority = 1, .signals = DF_TOKENS(&open)), [](int &z) { z = 2; }, df::out(y));
    CHECK(df_wait_task(&h) == DF_OK);
    df_wait();
    CHECK(x == 1 && y == 2);
}

/* A graph runs its tasks again, with what they captured, but none with a future. */
static void graphs()
{
    long x = 0, y = 0;
    df_taskgraph *g = df_taskgraph_new();
    {
        counted c(2);
        DF_TASKGRAPH(g)
        {
            for (int i = 0; i < 5; i++) df::submit([c](long &z) { z += c.value; }, df::inout(x));
        }
    }
    for (int i = 0; i < 3; i++) CHECK(df_taskgraph_run(g) == DF_OK);
    CHECK(x == 40);
    df_taskgraph_free(g);
    g = df_taskgraph_new();
    df::future<long> f;
    DF_TASKGRAPH(g) f = df::async([](long &z) { return ++z; }, df::inout(y));
    CHECK(f.get() == 1);
    CHECK(df_taskgraph_run(g) == DF_ERROR_TASKGRAPH && y == 1);
    df_taskgraph_free(g);
    CHECK(counted::alive == 0);
}

/* --- futures ------------------------------------------------------------------------------------------------ */

static long fib(long n)
{
    if (n < 2) return n;
    auto a = df::async([=] { return fib(n - 1); });
    long b = fib(n - 2);
    return a.get() + b;
}

static void futures()
{
    std::vector<long> x(100, 1);
    auto sum = [](const long *p) { return p[0] + p[99]; };
    df::future<long> f = df::async(sum, df::in(x));
    df::submit([](long *p) { p[0] = 10; }, df::inout(x));
    df::future<long> g = df::async(DF_OPTS(.name = "sum", .priority = 2), sum, df::in(x)), none;
    CHECK(f.get() == 2 && g.get() == 11);
    CHECK(!f.valid() && !none.valid());
    auto moved = df::async([] { return std::unique_ptr<std::string>(new std::string("text")); });
    auto there = std::move(moved);
    CHECK(!moved.valid() && *there.get() == "text");
    long z = 0;
    auto nothing = df::async([](long &y) { y = 5; }, df::out(z));
    nothing.wait();
    CHECK(z == 5 && nothing.done());
    nothing.get();
    auto reference = df::async([&z]() -> long & { return z; }); /* a copy */
    CHECK(reference.get() == 5);
    CHECK(fib(10) == 55);
    {
        long last = 0; /* a future that ends waits for its task */
        auto left = df::async([](long &y) { std::this_thread::yield(), y = 7; }, df::out(last));
        left = df::async([](long &y) { y++; }, df::inout(last));
        auto dropped = df::async([] { return counted(1); });
    }
    CHECK(counted::alive == 0);
    std::vector<df::future<counted>> many;
    for (int i = 0; i < 500; i++) many.push_back(df::async([i] { return counted(i); }));
    for (int i = 0; i < 500; i++) CHECK(many[static_cast<size_t>(i)].get().value == i);
    many.clear();
    df_wait();
    CHECK(counted::alive == 0);
}

/* --- exceptions --------------------------------------------------------------------------------------------- */

template <class E, class F> static void throws(const char *text, const F &f)
{
    bool arrived = false;
    try {
        f();
    } catch (const E &e) {
        arrived = !std::strcmp(e.what(), text);
    }
    CHECK(arrived);
}

static void exceptions()
{
    long x = 0;
    counted c(1);
    df::submit([c](long &) { throw std::runtime_error("task"); }, df::inout(x));
    df::submit([c](long &y) { y = 1; }, df::inout(x));
    throws<std::runtime_error>("task", [] { df_wait(); });
    CHECK(x == 0 && counted::alive == 1);
    {
        auto f = df::async([c](long &) -> counted { throw std::runtime_error("future"); }, df::inout(x));
        auto g = df::async([c](long &y) { y = 1; return c; }, df::inout(x));
        throws<std::runtime_error>("future", [&] { f.get(); });
        throws<df::error>((df_error_text)(DF_ERROR_CANCELLED), [&] { g.get(); });
        throws<std::runtime_error>("future", [] { df_wait(); });
        CHECK(x == 0 && !f.valid() && !g.valid());
    }
    CHECK(counted::alive == 1);
    auto fails = df::async([] { df_fail(17, "by a code"); });
    fails.wait();
    CHECK(df_wait_result() == 17);
    auto skipped = df::async([](long &) { df_cancel(); df_fail(18, "and none"); return 1; }, df::inout(x));
    auto after = df::async([](long &) { return 1; }, df::inout(x));
    try {
        after.get();
        CHECK(0);
    } catch (const df::error &e) {
        CHECK(e.code() != DF_OK);
    }
    skipped.wait();
    CHECK(df_wait_result() != DF_OK);
    CHECK(df_wait_result() == DF_OK);
}

int main()
{
    CHECK(df_start(DF_CONFIG(.rename_bytes = 1 << 20)) == DF_OK);
    for (unsigned long long seed = 1; seed <= 20; seed++) random_program(seed);
    forms();
    modes();
    owned();
    options();
    graphs();
    futures();
    exceptions();
    df_stop();
    std::puts("ok");
}
