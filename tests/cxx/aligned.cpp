/* Parameters of types that are aligned to 32 and 64 bytes, plain ones and objects, as Eigen::Vector4d is: their addresses
 * in the body, in C++11 as in C++17; see run for the ways it is built and run. */
#if defined(WITH_IMPLEMENTATION)
#define DF_IMPLEMENTATION
#endif
#include "../../df.hpp"
#include "check.h"
#include <cstdint>

enum { N = 100 };

template <int A> struct plain { alignas(A) double v[A / sizeof(double)]; };
template <int A> struct object { /* not trivially copyable: it is kept on the heap */
    alignas(A) double v[A / sizeof(double)];
    explicit object(double x = 0) { v[1] = x; }
    object(const object &o) { v[1] = o.v[1]; }
    object &operator=(const object &o) { v[1] = o.v[1]; return *this; }
};
static bool is_aligned(const void *p, size_t to) { return reinterpret_cast<std::uintptr_t>(p) % to == 0; }
static plain<32> plain_of(double x) { plain<32> p = {}; p.v[1] = x; return p; }
static plain<64> wide_of(double x) { plain<64> p = {}; p.v[1] = x; return p; }

typedef object<32> object32;
typedef object<64> object64;
DF_TASK(void, adds, (char, c), (plain<32>, a), (plain<64>, b), (object32, x), (object64, y),
        df_reduce(df_sum, double, s, 1));
void adds(char c, plain<32> a, plain<64> b, object32 x, object64 y, double *s)
{
    CHECK(c == 'c' && is_aligned(&a, 32) && is_aligned(&b, 64) && is_aligned(&x, 32) && is_aligned(&y, 64));
    *s += a.v[1] + b.v[1] + x.v[1] + y.v[1];
}
DF_TASK(object64, gives, (plain<32>, a), (const object64, x));
object64 gives(plain<32> a, const object64 x) { return object64(a.v[1] + x.v[1]); }
DF_LOOP(loop, (plain<64>, a), (object32, x), (const object64 &, y), df_reduce(df_sum, double, s, 1));
void loop(long lo, long hi, plain<64> a, object32 x, const object64 &y, double *s)
{
    CHECK(is_aligned(&a, 64) && is_aligned(&x, 32) && is_aligned(&y, 64));
    for (; lo < hi; lo++) *s += a.v[1] + x.v[1] + y.v[1];
}

static void submit(double *s)
{
    for (int i = 0; i < N; i++)
        df_submit(adds, 'c', plain_of(1), wide_of(1), object32(1), object64(1), s);
}

int main()
{
    double s = 0;
    df_token open = DF_TOKEN(1);
    submit(&s);
    for (int i = 0; i < N; i++)
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&open)), adds, 'c', plain_of(1), wide_of(1), object32(1),
                       object64(1), &s);
    df_signal(&open);
    df_wait();
    CHECK(s == 8 * N);
    for (int i = 0; i < N; i++) {
        df_future(gives) f;
        df_spawn(gives, &f, plain_of(1), object64(2));
        CHECK(df_sync(gives, &f).v[1] == 3);
    }
    s = 0;
    object64 y(1);
    df_for(loop, 0, N, wide_of(1), object32(1), y, &s);
    CHECK(s == 3 * N);
    s = 0;
    df_taskgraph *g = df_taskgraph_new();
    DF_TASKGRAPH(g) submit(&s);
    for (int i = 0; i < 3; i++) df_taskgraph_run(g);
    df_taskgraph_free(g);
    CHECK(s == 4 * 4 * N); /* it ran once while it was recorded */
    std::puts("ok");
}
