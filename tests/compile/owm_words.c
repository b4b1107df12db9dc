/* Every word of df_owm.h, with every other kind of parameter; valid C11 and C++11.
 *
 * Compiled by tests/compile/run in every language and at every level of optimisation; run once per compiler: prints
 * nothing and returns 0 when the memory was right. */
#define DF_IMPLEMENTATION
#include "../../df_owm.h"
#include "../../df_owm.h"

static int wrong;
#define CHECK(c) ((c) ? (void)0 : (void)(wrong = wrong ? wrong : __LINE__))

struct thing { int a; char b[3]; };
DF_TASK(void, one, df_owm_out(int, p, 1));
DF_TASK(struct thing, both, df_owm_in(struct thing, from, n), df_owm_inout(struct thing, to, n - 1 + 1), (size_t, n));
DF_TASK(const int *, mixed, (int, k), df_owm_in(int, a, k), df_in(int, b, k), df_inout2(int, c, k, k, k),
        df_reduce(df_sum, int, d, 1), df_in_range(int, e, f));
DF_STATIC_TASK(void, piped, df_owm_inout(int, p, 2), df_pop(int, x, 1), df_push(int, y, 1), df_popv(char, z, 1, 2));
DF_TASK(int, none);
DF_LOOP2(plane, (int *, p));
DF_PIPE(pipe_of, int);

void one(int *p) { *p = 1; }
struct thing both(const struct thing *from, struct thing *to, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) to[i] = from[i];
    return to[0];
}
const int *mixed(int k, const int *a, const int *b, int *c, int *d, const int *e, const int *f)
{
    c[0] = a[k - 1] + b[0] + (int)(f - e);
    *d += c[0];
    return a;
}
static void piped(int *p, const int *x, int *y, const char *const *z) { *y = p[0] + *x + (z ? z[0][0] : 0); }
int none(void) { return 7; }
void plane(long lo, long hi, long lo1, long hi1, int *p)
{
    CHECK(df_owm_acquire(p + lo, (size_t)(hi - lo) * sizeof(int), DF_OWM_RW) == DF_OK);
    for (; lo < hi; lo++) p[lo] += (int)(hi1 - lo1);
    CHECK(df_owm_release(p, 0) == DF_OK);
    CHECK(df_owm_release(p + hi - 1, sizeof(int)) == DF_OK);
}
int pipe_of(int stage, int *item, long i, void *ctx)
{
    *(long *)ctx += i;
    *item = stage;
    return i < 3 ? DF_PIPE_DONE : DF_PIPE_END;
}

int main(void)
{
    int *p = (int *)df_owm_alloc(16 * sizeof *p), sum = 0;
    struct thing *t = (struct thing *)df_owm_alloc(4 * sizeof *t), got;
    long items = 0;
    df_owm_ownership o;
    df_stream *s = df_stream_new(sizeof(int), 4), *u = df_stream_new(sizeof(int), 4);
    df_future(both) f;
    df_future(mixed) m;
    df_node(one) *n;
    int b[4] = { 1, 2, 3, 4 }, c[4] = { 0, 0, 0, 0 };
    CHECK(p && t && s && u);
    df_submit(one, p);
    df_wait();
    CHECK(df_owm_acquire(p, 4 * sizeof *p, DF_OWM_RW) == DF_OK && p[0] == 1);
    p[1] = 5;
    CHECK(df_owm_owner(p, &o) == DF_OK && (o.mode == DF_OWM_RW || !DFI_OWM_CALLS) && (o.site[0] != 0) == DFI_OWM_CALLS);
    CHECK(df_owm_release(p, 4 * sizeof *p) == DF_OK);
    df_spawn(both, &f, t, t + 2, (size_t)2);
    got = df_sync(both, &f);
    CHECK(got.a == 0);
    df_spawn(mixed, &m, 2, p, b, c, &sum, b, b + 4);
    CHECK(df_sync(mixed, &m) == p && c[0] == 5 + 1 + 4 && sum == 10);
    n = df_node_new(one);
    df_node_set(one, n, p, p + 8);
    df_for2(plane, 4, 7, 0, 1, p); /* rows: two parts must not own the same memory */
    df_wait();
    CHECK(df_pipe(pipe_of, NULL, &items) == 3 && items == 0 + 1 + 2 + 3);
    CHECK(df_owm_freeze(p, 16) == DF_OK && p[4] == 1 && p[6] == 1 && p[8] == 1);
    CHECK(df_owm_join(NULL, 1) == 0 && df_owm_processes() == 1);
    df_owm_advance(3);
    CHECK(df_owm_await(3, 1) == DF_OK);
    (void)none;
    df_stream_free(s);
    df_stream_free(u);
    df_owm_free(p);
    df_owm_free(t);
    return wrong ? wrong % 255 + 1 : 0;
}
