/* Every parameter word, every kind of result, 0 and 16 parameters; valid C11 and C++11.
 *
 * Compiled by tests/compile/run in every language and at every level of optimisation; run once per
 * compiler: prints nothing and returns 0 when each task received what it was given. */
#define DF_IMPLEMENTATION
#include "../../df.h"

#include <string.h>

typedef struct { double re, im; } pair;
typedef int (*compare)(const void *, const void *);
typedef char name[8];
enum colour { RED, GREEN };
struct tree { struct tree *left, *right; long value; };

static int wrong; /* line of the first check that failed */
#define CHECK(c) do { if (!(c) && !wrong) wrong = __LINE__; } while (0)

/* --- results -------------------------------------------------------------------------------- */

DF_TASK(void, r_void, (int *, x));
DF_TASK(void *, r_pointer, (void *, x));
DF_TASK(const char *, r_const_pointer, (int, x));
DF_TASK(char, r_char, (char, x));
DF_TASK(unsigned long long, r_unsigned, (unsigned long long, x));
DF_TASK(float, r_float, (float, x));
DF_TASK(long double, r_long_double, (long double, x));
DF_TASK(enum colour, r_enum, (enum colour, x));
DF_TASK(pair, r_struct, (pair, x));
DF_TASK(struct tree *, r_tree, (struct tree *, x));
DF_TASK(compare, r_function, (compare, x));

void r_void(int *x) { *x = 7; }
void *r_pointer(void *x) { return x; }
const char *r_const_pointer(int x) { return x ? "yes" : "no"; }
char r_char(char x) { return x; }
unsigned long long r_unsigned(unsigned long long x) { return x + 1; }
float r_float(float x) { return x / 2; }
long double r_long_double(long double x) { return x / 2; }
enum colour r_enum(enum colour x) { return x == RED ? GREEN : RED; }
pair r_struct(pair x) { pair y; y.re = x.im, y.im = x.re; return y; }
struct tree *r_tree(struct tree *x) { return x->left; }
compare r_function(compare x) { return x; }

static int by_value(const void *a, const void *b) { return a == b; }

static void results(void)
{
    int i = 0;
    pair p = { 1, 2 };
    struct tree leaf = { NULL, NULL, 3 }, root = { NULL, NULL, 4 };
    df_future(r_void) a;
    df_future(r_pointer) b;
    df_future(r_const_pointer) c;
    df_future(r_char) d;
    df_future(r_unsigned) e;
    df_future(r_float) f;
    df_future(r_long_double) g;
    df_future(r_enum) h;
    df_future(r_struct) s;
    df_future(r_tree) t;
    df_future(r_function) u;
    root.left = &leaf;
    df_spawn(r_void, &a, &i);
    df_spawn(r_pointer, &b, &i);
    df_spawn(r_const_pointer, &c, 1);
    df_spawn(r_char, &d, 'x');
    df_spawn(r_unsigned, &e, ~0ull - 1);
    df_spawn(r_float, &f, 3.0f);
    df_spawn(r_long_double, &g, 3.0L);
    df_spawn(r_enum, &h, RED);
    df_spawn(r_struct, &s, p);
    df_spawn(r_tree, &t, &root);
    df_spawn(r_function, &u, by_value);
    CHECK(df_sync(r_function, &u) == by_value);
    CHECK(df_sync(r_tree, &t)->value == 3);
    p = df_sync(r_struct, &s);
    CHECK(p.re > 1.5 && p.im < 1.5);
    CHECK(df_sync(r_enum, &h) == GREEN);
    CHECK(df_sync(r_long_double, &g) > 1.4L);
    CHECK(df_sync(r_float, &f) > 1.4f);
    CHECK(df_sync(r_unsigned, &e) == ~0ull);
    CHECK(df_sync(r_char, &d) == 'x');
    CHECK(strcmp(df_sync(r_const_pointer, &c), "yes") == 0);
    CHECK(df_sync(r_pointer, &b) == &i);
    df_sync(r_void, &a);
    CHECK(i == 7);
    i = 0;
    DF_PARALLEL {
        df_submit(r_void, &i);
        df_submit(r_pointer, &i);
        df_submit(r_struct, p); /* the results of these are dropped */
        df_submit(r_float, 1.0f);
    }
    CHECK(i == 7);
}

/* --- numbers of parameters ------------------------------------------------------------------- */

static int counted;

DF_TASK(int, none);
DF_STATIC_TASK(void, none_static);
DF_TASK(long, all, (char, a), (signed char, b), (unsigned char, c), (short, d), (unsigned short, e), (int, f),
        (unsigned, g), (long, h), (unsigned long, i), (long long, j), (unsigned long long, k), (float, l),
        (double, m), (void *, n), (const char *, o), (pair, p));
DF_TASK(int, arrays, df_in(int, a, 1), df_in(int, b, 1), df_in(int, c, 1), df_in(int, d, 1), df_in(int, e, 1),
        df_in(int, f, 1), df_in(int, g, 1), df_in(int, h, 1), df_in(int, i, 1), df_in(int, j, 1), df_in(int, k, 1),
        df_in(int, l, 1), df_in(int, m, 1), df_in(int, n, 1), df_in(int, o, 1), df_out(int, sum, 1));

int none(void) { return 5; }
static void none_static(void) { counted++; }
long all(char a, signed char b, unsigned char c, short d, unsigned short e, int f, unsigned g, long h, unsigned long i,
         long long j, unsigned long long k, float l, double m, void *n, const char *o, pair p)
{
    return a + b + c + d + e + f + (long)g + h + (long)i + (long)j + (long)k + (long)l + (long)m + (n != NULL) + o[0] +
           (long)p.im;
}
int arrays(const int *a, const int *b, const int *c, const int *d, const int *e, const int *f, const int *g,
           const int *h, const int *i, const int *j, const int *k, const int *l, const int *m, const int *n,
           const int *o, int *sum)
{
    return *sum = *a + *b + *c + *d + *e + *f + *g + *h + *i + *j + *k + *l + *m + *n + *o;
}

static void numbers(void)
{
    int sum = 0, v[15], i;
    pair p = { 0, 16 };
    df_future(none) f;
    df_future(all) g;
    for (i = 0; i < 15; i++) v[i] = i;
    df_spawn(none, &f);
    CHECK(df_sync(none, &f) == 5);
    DF_PARALLEL {
        df_submit(none);
        df_submit(none_static);
    }
    CHECK(counted == 1);
    df_spawn(all, &g, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, &p, "\016", p);
    CHECK(df_sync(all, &g) == 13 * 14 / 2 + 1 + 14 + 16);
    DF_PARALLEL {
        df_submit(all, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, &p, "\016", p);
        df_submit(arrays, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10, v + 11, v + 12,
                  v + 13, v + 14, &sum);
    }
    CHECK(sum == 14 * 15 / 2);
}

/* --- parameter words ------------------------------------------------------------------------- */

DF_TASK(void, by_const, (const int, x), (const pair, p), (const char *const, s), df_out(int, y, 1));
DF_TASK(void, by_name, (name *, s), (enum colour, c), (struct tree, t), df_out(long, y, 1));
DF_TASK(void, arr, df_in(pair, a, n), df_out(pair, b, n), df_inout(double, c, 2 * n), df_commute(int, d, 1),
        df_concurrent(int, e, (size_t)n + 1), (int, n));
DF_TASK(void, red, df_reduce(df_sum, long, s, 1), df_reduce(df_prod, double, p, 1), df_reduce(df_band, int, a, 1),
        df_reduce(df_bor, int, o, 1), df_reduce(df_bxor, int, x, 1), df_reduce(df_land, int, la, 1),
        df_reduce(df_lor, int, lo, 1), df_reduce(df_min, float, mi, 1), df_reduce(df_max, float, ma, 1),
        (int, n));
DF_TASK(void, blk, (size_t, r), (size_t, c), (size_t, ld), df_in2(float, a, r, c, ld), df_out2(float, b, r, c, ld),
        df_inout2(float, d, r, c, ld), df_commute2(float, e, r, c, ld), df_reduce2(df_max, float, f, r, c, ld));
DF_TASK(void, rng, df_in_range(short, a, b), df_out_range(short, c, d), df_inout_range(short, e, f));

void by_const(const int x, const pair p, const char *const s, int *y) { *y = x + (int)p.re + s[0]; }
void by_name(name *s, enum colour c, struct tree t, long *y) { *y = (*s)[0] + (long)c + t.value; }
void arr(const pair *a, pair *b, double *c, int *d, int *e, int n)
{
    int i;
    for (i = 0; i < n; i++) b[i] = a[i], c[2 * i] += 1, e[i]++;
    *d += n;
}
void red(long *s, double *p, int *a, int *o, int *x, int *la, int *lo, float *mi, float *ma, int n)
{
    *s += 2, *p *= 2, *a &= 6, *o |= 1, *x ^= 1, *la = *la && n, *lo = *lo || !n;
    *mi = *mi < 1 ? *mi : 1, *ma = *ma > 1 ? *ma : 1;
}
void blk(size_t r, size_t c, size_t ld, const float *a, float *b, float *d, float *e, float *f)
{
    size_t i, j;
    for (i = 0; i < r; i++)
        for (j = 0; j < c; j++)
            b[i * ld + j] = a[i * ld + j], d[i * ld + j] += 1, e[i * ld + j] += 1, f[i * ld + j] = 9;
}
void rng(const short *a, const short *b, short *c, short *d, short *e, short *f)
{
    CHECK(b - a == d - c && f - e == 1);
    while (a < b) *c++ = *a++;
    *e = 1;
}

static void words(void)
{
    int y = 0, i, d = 0, e[4] = { 0, 0, 0, 0 }, a = 7, o = 0, x = 0, la = 1, lo = 0;
    long z = 0, s = 0;
    pair p = { 3, 4 }, q[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, r[3];
    double c[6] = { 0, 0, 0, 0, 0, 0 }, prod = 1;
    float mi = 5, ma = 0, m[5][6][4];
    short u[8] = { 1, 2, 3, 4, 0, 0, 0, 0 };
    struct tree t = { NULL, NULL, 100 };
    name n = "abc";
    memset(m, 0, sizeof m);
    m[0][1][2] = 8;
    DF_PARALLEL {
        df_submit(by_const, 1, p, "\004", &y);
        df_submit(by_name, &n, GREEN, t, &z);
        for (i = 0; i < 2; i++) {
            df_submit(arr, q, r, c, &d, e, 3);
            df_submit(red, &s, &prod, &a, &o, &x, &la, &lo, &mi, &ma, 1);
        }
        df_submit(blk, 3, 4, 4, &m[0][1][0], &m[1][1][0], &m[2][0][0], &m[3][0][0], &m[4][0][0]);
        df_submit(rng, u, u + 4, u + 4, u + 7 + 1, u, u + 1);
        df_submit(rng, u, u, u + 1, u + 1, u, u + 1);
    }
    df_wait_on(u, sizeof u);
    CHECK(df_wait_for(100000) == DF_OK);
    df_wait();
    CHECK(y == 8);
    CHECK(z == 'a' + 1 + 100);
    CHECK(d == 6 && e[2] == 2 && e[3] == 0 && c[4] > 1.5 && r[2].im > 5.5);
    CHECK(s == 4 && prod > 3.5 && a == 6 && o == 1 && x == 0 && la == 1 && lo == 0 && mi < 1.5f && ma > 0.5f);
    CHECK(m[1][1][2] > 7.5f && m[2][0][0] > 0.5f && m[3][2][3] > 0.5f && m[4][1][1] > 8.5f && m[4][3][0] < 0.5f);
    CHECK(u[7] == 4 && u[4] == 1 && u[0] == 1);
}

/* --- reductions: every operator, every scalar type, and an operator of one's own ---------------------- */

#if defined(__cplusplus)
typedef bool truth;
#else
typedef _Bool truth;
#endif

#define FLOATING(T, name)                                                                                     \
    DF_TASK(void, name, df_reduce(df_sum, T, s, 1), df_reduce(df_prod, T, p, 1), df_reduce(df_land, T, la, 1), \
            df_reduce(df_lor, T, lo, 1), df_reduce(df_min, T, mi, 1), df_reduce2(df_max, T, ma, 1, 1, 1));     \
    void name(T *s, T *p, T *la, T *lo, T *mi, T *ma)                                                         \
    {                                                                                                         \
        *s = (T)(*s + (T)2), *p = (T)(*p + *p);                                                               \
        *la = (T)(*la > (T)0), *lo = (T)(*lo > (T)0);                                                         \
        *mi = *mi < (T)1 ? *mi : (T)1, *ma = *ma > (T)1 ? *ma : (T)1;                                         \
    }                                                                                                         \
    static void try_##name(void)                                                                              \
    {                                                                                                         \
        T x[6] = { 1, 1, 1, 0, (T)5, 0 }, y[6] = { 1, 1, 1, 0, (T)5, 0 };                                     \
        int i;                                                                                                \
        DF_PARALLEL {                                                                                         \
            for (i = 0; i < 3; i++) df_submit(name, x, x + 1, x + 2, x + 3, x + 4, x + 5);                    \
        }                                                                                                     \
        for (i = 0; i < 3; i++) name(y, y + 1, y + 2, y + 3, y + 4, y + 5);                                   \
        for (i = 0; i < 6; i++) CHECK(!(x[i] < y[i]) && !(x[i] > y[i]));                                      \
    }
#define INTEGER(T, name)                                                                                      \
    FLOATING(T, name)                                                                                         \
    DF_TASK(void, name##_bits, df_reduce(df_band, T, a, 1), df_reduce(df_bor, T, o, 1), df_reduce2(df_bxor, T, x, 1, 1, 1)); \
    void name##_bits(T *a, T *o, T *x) { *a = (T)(*a & (T)6), *o = (T)(*o | (T)1), *x = (T)(*x ^ (T)1); }     \
    static void try_##name##_bits(void)                                                                       \
    {                                                                                                         \
        T x[3] = { (T)7, 0, 0 }, y[3] = { (T)7, 0, 0 };                                                       \
        int i;                                                                                                \
        DF_PARALLEL {                                                                                         \
            for (i = 0; i < 3; i++) df_submit(name##_bits, x, x + 1, x + 2);                                  \
        }                                                                                                     \
        for (i = 0; i < 3; i++) name##_bits(y, y + 1, y + 2);                                                 \
        for (i = 0; i < 3; i++) CHECK(x[i] == y[i]);                                                          \
    }
INTEGER(char, of_char)
INTEGER(signed char, of_schar)
INTEGER(unsigned char, of_uchar)
INTEGER(short, of_short)
INTEGER(unsigned short, of_ushort)
INTEGER(int, of_int)
INTEGER(unsigned, of_unsigned)
INTEGER(long, of_long)
INTEGER(unsigned long, of_ulong)
INTEGER(long long, of_llong)
INTEGER(unsigned long long, of_ullong)
INTEGER(truth, of_truth)
FLOATING(float, of_float)
FLOATING(double, of_double)
FLOATING(long double, of_ldouble)

static void pair_add(pair *into, const pair *from) { into->re += from->re, into->im += from->im; }
static void pair_zero(pair *x) { x->re = x->im = 0; }
DF_REDUCTION(pair_sum, pair, pair_add, pair_zero);
DF_REDUCTION(pair_sum_from, pair, pair_add, ({ 0, 0 }));
DF_REDUCTION(pair_sum_zero, pair, pair_add);
DF_TASK(void, of_pairs, df_reduce(pair_sum_from, pair, x, 1), df_reduce(pair_sum_zero, pair, y, 1));
void of_pairs(pair *x, pair *y) { x->re++, y->im++; }
DF_TASK(void, of_pair, df_reduce(pair_sum, pair, x, n), df_reduce2(pair_sum, pair, y, 1, n, n), (int, n));
void of_pair(pair *x, pair *y, int n)
{
    for (; n > 0; n--, x++, y++) x->re += 1, y->im += 2;
}
static void reductions(void)
{
    pair x[2] = { { 0, 0 }, { 5, 0 } }, y[2] = { { 0, 0 }, { 0, 5 } }, z[2] = { { 0, 0 }, { 0, 0 } };
    int i;
    try_of_char(), try_of_schar(), try_of_uchar(), try_of_short(), try_of_ushort(), try_of_int(), try_of_unsigned();
    try_of_long(), try_of_ulong(), try_of_llong(), try_of_ullong(), try_of_truth();
    try_of_char_bits(), try_of_schar_bits(), try_of_uchar_bits(), try_of_short_bits(), try_of_ushort_bits();
    try_of_int_bits(), try_of_unsigned_bits(), try_of_long_bits(), try_of_ulong_bits(), try_of_llong_bits();
    try_of_ullong_bits(), try_of_truth_bits();
    try_of_float(), try_of_double(), try_of_ldouble();
    DF_PARALLEL {
        for (i = 0; i < 4; i++) df_submit(of_pair, x, y, 2);
    }
    for (i = 0; i < 4; i++) df_submit(of_pairs, &z[0], &z[1]);
    df_wait();
    CHECK(z[0].re > 3.5 && z[1].im > 3.5 && z[0].im < 0.5);
    CHECK(x[0].re > 3.5 && x[1].re > 8.5 && x[0].im < 0.5 && y[0].im > 7.5 && y[1].im > 12.5 && y[1].re < 0.5);
}

/* --- weak accesses ------------------------------------------------------------------------------------ */

DF_TASK(void, add_one, df_in(int, a, 2), df_out(int, b, 2), df_inout(int, c, 2));
DF_TASK(void, weak, df_weak_in(int, a, n), df_weak_out(int, b, n), df_weak_inout(int, c, n), (int, n));
DF_TASK(void, weak2, (size_t, ld), df_weak_in2(int, a, 1, 2, ld), df_weak_out2(int, b, 1, 2, ld),
        df_weak_inout2(int, c, 1, 2, ld));
void add_one(const int *a, int *b, int *c) { b[0] = a[0] + 1, b[1] = a[1] + 1, c[0]++, c[1]++; }
void weak(const int *a, int *b, int *c, int n)
{
    int i;
    for (i = 0; i < n; i += 2) df_submit(add_one, a + i, b + i, c + i);
}
void weak2(size_t ld, const int *a, int *b, int *c)
{
    df_submit(add_one, a, b, c);
    (void)ld;
}
static void weak_words(void)
{
    int a[4] = { 1, 2, 3, 4 }, b[4], c[4] = { 0, 0, 0, 0 }, d[4];
    DF_PARALLEL {
        df_submit(weak, a, b, c, 4);
        df_submit(weak, b, d, c, 4);
        df_submit(weak2, 4, d, a, c);
        df_submit(weak2, 4, a, b + 2, c);
    }
    CHECK(d[3] == 6 && a[1] == 5 && b[3] == 6 && c[0] == 4 && c[3] == 2);
}

/* --- streams ------------------------------------------------------------------------------------------ */

DF_TASK(void, give, (const pair, x), df_push(pair, to, n), (short, n));
DF_TASK(int, take, df_pop(pair, from, (size_t)n + 0u), (unsigned char, n), df_inout(float, sum, 1));
DF_TASK(void, look, (long, n), df_peek(pair, from, n + 1, n - 1), df_push(float, to, 1),
        df_reduce(df_max, int, most, 1));
DF_TASK(float *, gather, df_popv(float, from, 1, n), (unsigned long, n), df_pushv(pair, to, 1 + 0, n - 1u));
DF_STATIC_TASK(void, lots, df_pop(char, a, 1), df_pop(char, b, 1), df_pop(char, c, 1), df_pop(char, d, 1),
               df_pop(char, e, 1), df_pop(char, f, 1), df_pop(char, g, 1), df_pop(char, h, 1), df_push(char, i, 1),
               df_push(char, j, 1),
               df_push(char, k, 1), df_push(char, l, 1), df_push(char, m, 1), df_push(char, n, 1), df_push(char, o, 1),
               df_push(char, p, 1));
void give(const pair x, pair *to, short n)
{
    for (; n > 0; n--) *to++ = x;
}
int take(const pair *from, unsigned char n, float *sum)
{
    for (; n > 0; n--, from++) *sum += (float)from->re;
    return 1;
}
void look(long n, const pair *from, float *to, int *most)
{
    *to = (float)from[n].im;
    if (*most < (int)df_stream_count(from)) *most = (int)df_stream_count(from);
}
float *gather(const float *const *from, unsigned long n, pair *const *to)
{
    unsigned long i;
    for (i = 0; i + 1 < n; i++) to[i]->re = *from[i], to[i]->im = *from[i + 1];
    return NULL;
}
static void lots(const char *a, const char *b, const char *c, const char *d, const char *e, const char *f,
                 const char *g, const char *h, char *i, char *j, char *k, char *l, char *m, char *n, char *o, char *p)
{
    *i = (char)(*a + 1), *j = (char)(*b + 1), *k = (char)(*c + 1), *l = (char)(*d + 1);
    *m = (char)(*e + 1), *n = (char)(*f + 1), *o = (char)(*g + 1), *p = (char)(*h + 1);
}
static void stream_words(void)
{
    df_stream *s = df_stream_new(sizeof(pair), 10), *t[2], *r = df_stream_reader(s), *c = df_stream_new(1, 8);
    df_future(take) f;
    pair x = { 1, 2 };
    float sum = 0;
    int most = 0;
    t[0] = df_stream_new(sizeof(float), 3), t[1] = df_stream_new(sizeof(float), 3);
    CHECK(s && r && c && t[0] && t[1]);
    DF_PARALLEL {
        df_submit(give, x, s, 5);
        df_submit(look, 3, s, t[0], &most);
        df_submit(look, 2, s, t[1], &most);
        df_submit(gather, t, 2, &s);
        df_submit_with(NULL, take, r, 6, &sum);
        df_submit(take, s, 3, &sum);
        df_stream_close(s);
    }
    CHECK(most == 4 && sum > 10.5f && sum < 11.5f);
    df_spawn(take, &f, &x, 1, &sum);
    CHECK(df_sync(take, &f) == 1 && sum > 11.5f);
    df_stream_free(s), df_stream_free(r), df_stream_free(t[0]), df_stream_free(t[1]);
    CHECK(df_stream_count(NULL) == 0);
    (void)lots;
    df_stream_free(c);
}
static void typed_streams(void)
{
    df_stream_of(pair) *s = df_stream_new_of(pair, 10), *r = df_stream_reader_of(pair, s);
    df_stream_of(float) *t[2];
    pair x = { 1, 2 };
    float sum = 0;
    int most = 0;
    t[0] = df_stream_new_of(float, 3), t[1] = df_stream_new_of(float, 3);
    CHECK(s && r && t[0] && t[1]);
    DF_PARALLEL {
        df_submit(give, x, s, 5);
        df_submit(look, 3, s, t[0], &most);
        df_submit_with(NULL, look, 2, s, t[1], &most);
        df_submit(gather, t, 2, &s);
        df_submit(take, r, 6, &sum);
        df_submit(take, s, 3, &sum);
        df_stream_close(s);
    }
    CHECK(most == 4 && sum > 10.5f && sum < 11.5f);
    df_stream_free(s), df_stream_free(r), df_stream_free(t[0]), df_stream_free(t[1]);
}

/* --- loops, wavefronts, pipes --------------------------------------------------------------------- */

static int loop_calls;

DF_LOOP(loop_none);
DF_STATIC_LOOP(loop_static);
DF_LOOP(loop_all, (char, a), (const short, b), (pair, c), (const char *, d), df_in(int, e, 1), df_out(int, f, n),
        df_inout(int, g, n), df_commute(int, h, 1), df_concurrent(int, i, 1), df_in2(int, j, 1, 2, 3),
        df_in_range(int, k, l), df_reduce(df_sum, long, m, 1),
        df_reduce2(df_max, float, o, 1, 1, 1), df_reduce(pair_sum, pair, p, 1), (long, n));
DF_LOOP2(loop_2, df_inout(int, x, 12), df_reduce(df_lor, int, y, 1));
DF_STATIC_LOOP2(loop_2_static, (name *, s));
DF_LOOP3(loop_3, (enum colour, c));
DF_STATIC_LOOP3(loop_3_static, (struct tree, t));
DF_LOOP4(loop_4, df_reduce(df_sum, int, y, 1));
DF_STATIC_LOOP4(loop_4_static);
DF_LOOP_OVER(const pair, loop_over, df_reduce(df_sum, long, x, 1));
DF_STATIC_LOOP_OVER(int, loop_over_static);
DF_PIPE(pipe_pair, pair);
DF_STATIC_PIPE(pipe_tree, struct tree);

void loop_none(long lo, long hi) { CHECK(lo < hi); }
static void loop_static(long lo, long hi) { CHECK(lo > hi); }
void loop_all(long lo, long hi, char a, const short b, pair c, const char *d, const int *e, int *f, int *g, int *h,
              int *i, const int *j, const int *k, const int *l, long *m, float *o, pair *p, long n)
{
    CHECK(a == 1 && b == 2 && c.re > 2.5 && d[0] == 'd' && e == j && l == k + 3 && h != i && n == 4);
    for (; lo < hi; lo++) {
        f[lo] = (int)lo, g[lo]++, *m += lo, p->re += 1;
        if (*o < (float)lo) *o = (float)lo;
    }
}
void loop_2(long lo, long hi, long lo1, long hi1, int *x, int *y)
{
    long i, j;
    for (i = lo; i < hi; i++)
        for (j = lo1; j < hi1; j++)
            x[i * 4 + j] = 1 + (i > 0 ? x[(i - 1) * 4 + j] : 0) + (j > 0 ? x[i * 4 + j - 1] : 0);
    *y = 1;
}
static void loop_2_static(long lo, long hi, long lo1, long hi1, name *s) { (*s)[0] = (char)((hi - lo) * (hi1 - lo1)); }
void loop_3(long lo, long hi, long lo1, long hi1, long lo2, long hi2, enum colour c)
{
    CHECK(c == GREEN && lo < hi && lo1 < hi1 && lo2 < hi2);
}
static void loop_3_static(long lo, long hi, long lo1, long hi1, long lo2, long hi2, struct tree t)
{
    CHECK(t.value == 100 && lo + lo1 + lo2 < hi + hi1 + hi2);
    loop_calls = 1;
}
void loop_4(long lo, long hi, long lo1, long hi1, long lo2, long hi2, long lo3, long hi3, int *y)
{
    *y += (int)((hi - lo) * (hi1 - lo1) * (hi2 - lo2) * (hi3 - lo3));
}
static void loop_4_static(long lo, long hi, long lo1, long hi1, long lo2, long hi2, long lo3, long hi3)
{
    CHECK(lo + lo1 + lo2 + lo3 < hi + hi1 + hi2 + hi3);
}
void loop_over(const pair *lo, const pair *hi, long *x)
{
    for (; lo != hi; lo++) *x += (long)lo->re;
}
static void loop_over_static(int *lo, int *hi)
{
    for (; lo != hi; lo -= 2) *lo = 77;
}
int pipe_pair(int stage, pair *x, long i, void *ctx)
{
    if (stage == 0) {
        x->re = (double)i;
        return i == 5 ? (int)DF_PIPE_END : i % 2 ? df_continue(1) : df_in_order(2);
    }
    if (stage == 1) return df_in_order(2);
    ((pair *)ctx)->re += x->re;
    return DF_PIPE_DONE;
}
static int pipe_tree(int stage, struct tree *x, long i, void *ctx)
{
    CHECK(stage == 0 && ctx == NULL && x->value <= i);
    x->value++;
    return i < 3 ? DF_PIPE_DONE : DF_PIPE_END;
}
static void loops(void)
{
    int e = 0, f[4], g[4] = { 0, 0, 0, 0 }, h = 0, i = 0, x[12], y = 0;
    long m = 0;
    float o = 0;
    pair c = { 3, 4 }, p = { 0, 0 }, sum = { 0, 0 };
    struct tree t = { NULL, NULL, 100 };
    name s = "abc";
    df_loop opts;
    df_pipe_opts window;
    static const df_vector vectors[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } };
    memset(&opts, 0, sizeof opts);
    memset(&window, 0, sizeof window);
    opts.schedule = DF_DYNAMIC, opts.grain = 1, window.window = 3;
    df_for(loop_none, 0, 3);
    opts.step = -2;
    df_for_with(&opts, loop_static, 3, 0);
    opts.step = 0;
    df_for_with(&opts, loop_all, 0, 4, 1, 2, c, "d", &e, f, g, &h, &i, &e, f, f + 3, &m, &o, &p, 4);
    CHECK(f[3] == 3 && g[0] == 1 && m == 6 && o > 2.5f && p.re > 3.5);
    df_for2(loop_2_static, 0, 1, 0, 1, &s);
    df_for2_with(&opts, loop_2_static, 0, 1, 0, 1, &s);
    CHECK(s[0] == 1);
    df_for3(loop_3, 0, 2, 0, 2, 0, 2, GREEN);
    df_for3_with(&opts, loop_3_static, 0, 2, 0, 2, 0, 2, t);
    CHECK(loop_calls == 1);
    y = 0;
    df_for4(loop_4, 0, 2, 0, 2, 0, 2, 1, 4, &y);
    CHECK(y == 24);
    df_for4_with(DF_LOOP_OPTS(.grain3 = 1, .step3 = 2), loop_4_static, 0, 2, 0, 2, 0, 2, 1, 4);
    m = 0;
    df_for(loop_over, &c, &c + 1, &m);
    df_for_with(DF_LOOP_OPTS(.step = -2, .exact = 1), loop_over_static, x + 11, x + 3);
    CHECK(m == 3 && x[11] == 77 && x[5] == 77);
    df_wavefront(loop_2, vectors, 0, 3, 0, 4, x, &y);
    CHECK(x[11] == 34 && y == 1);
    df_wavefront_with(&opts, loop_2, vectors, 0, 3, 0, 4, x, &y);
    CHECK(x[5] == 5 && x[11] == 34);
    df_for_with(DF_LOOP_OPTS(.grain = 2, .schedule = DF_GUIDED), loop_none, -3, 3);
    df_wavefront(loop_2, DF_VECTORS({ 1, 0 }, { 0, 1 }), 0, 3, 0, 4, x, &y);
    df_wavefront_with(DF_LOOP_OPTS(.grain = y), loop_2, DF_VECTORS({ y, 0 }), 0, 1, 0, 1, x, &y);
    CHECK(df_pipe(pipe_pair, DF_PIPE_OPTS(.window = window.window + 1), &sum) == 5);
    CHECK(df_pipe(pipe_pair, &window, &sum) == 5 && sum.re > 9.5);
    CHECK(df_pipe(pipe_tree, NULL, NULL) == 3);
}

/* --- speculation -------------------------------------------------------------------------------- */

DF_TASK(void, seven, df_out(int, p, 1));
void seven(int *p) { *p = 7; }

struct part { int n; double residual; };
static int has_part(const struct part *p) { return p->n > 0 && p->residual < 1; }
DF_PREDICATE(has_part, struct part, 1);
static int n_flags = 3;
static int no_flag(const char *p)
{
    int i;
    for (i = 0; i < n_flags; i++)
        if (p[i]) return 0;
    return 1;
}
DF_PREDICATE(no_flag, char, n_flags);

static void speculation_on_all(void)
{
    const float f = 2;
    double d = -0.0;
    long double l = 1;
    char flags[3] = { 0, 0, 0 };
    const char *text = "text";
    void *none = NULL;
    struct part part = { 0, 0.5 };
    int taken[7] = { 0, 0, 0, 0, 0, 0, 0 };
    df_submit(seven, &part.n);
    df_speculate_on(has_part, &part, 1) df_submit(seven, &taken[0]);
    df_speculate(&f, 1) df_submit(seven, &taken[1]);
    df_speculate(&d, 0) df_submit(seven, &taken[2]);
    df_speculate(&l, 0) df_submit(seven, &taken[3]);
    df_speculate(&text, 1) df_submit(seven, &taken[4]);
    df_speculate(&none, 1) df_submit(seven, &taken[5]);
    df_speculate_while_on(no_flag, flags, 1) {
        df_submit(seven, &taken[6]);
        break;
    }
    df_wait();
    CHECK(taken[0] == 7 && taken[1] == 7 && taken[2] == 7 && !taken[3] && taken[4] == 7 && !taken[5] && taken[6] == 7);
}

static void speculation(void)
{
    int x = 0, y = 0, go = 0;
    const unsigned char b = 1;
    unsigned long long big = 1ull << 63;
    enum colour c = GREEN;
    df_submit(seven, &x);
    df_speculate(&x, 1) {
        df_submit(seven, &y);
        df_speculate(&b, 0) df_submit(seven, &go);
    }
    df_speculate(&big, c == GREEN)
        df_speculate(&c, x < 8) df_submit(seven, &x);
    df_speculate_while(&go, 0) df_submit(seven, &go);
    df_wait();
    CHECK(x == 7 && y == 7 && go == 7);
    speculation_on_all();
}

/* --- options, written in the call ----------------------------------------------------------------- */

static int shows(const df_opts *o, const char *label, df_token *t, df_token *u)
{
    return o->priority == 2 && o->name == label && o->worker == 1 && o->after[0] == t && o->after[1] == u &&
        !o->after[2] &&
           o->signals[0] == u && !o->signals[1] && !o->group && !o->release && o->device == DF_HOST;
}

static void options(void)
{
    df_token t = DF_TOKEN(1), u = DF_TOKEN(2), kept = DF_TOKEN(0);
    df_group g = DF_GROUP;
    df_token *list[2];
    int x = 0, y = 0;
    static const char label[] = "x";
    list[0] = &kept, list[1] = NULL;
    CHECK(shows(DF_OPTS(.name = label, .priority = 1 + 1, .device = DF_HOST, .signals = DF_TOKENS(&u), .worker = 1,
                        .after = DF_TOKENS(&t, &u)), label, &t, &u));
    CHECK(DF_OPTS(.group = &g)->group == &g && DF_OPTS(.release = 1)->release && DF_OPTS(.after = list)->after == list);
    CHECK(DF_LOOP_OPTS(.step2 = -1, .step = 3)->step == 3 && DF_LOOP_OPTS(.step2 = -1, .step = 3)->step2 == -1);
    CHECK(DF_PIPE_OPTS(.window = x + 16)->window == 16 && DF_CONFIG(.workers = 2, .window = 9)->workers == 2);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .name = "second", .signals = DF_TOKENS(&u)), r_void, &x);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t, &u), .priority = 2, .name = (x ? "first" : "one, first"),
                           .group = &g), r_void, &y);
    df_submit_with(DF_OPTS(.after = list), r_void, &y);
    CHECK(df_wait_token(&u) == DF_OK);
    df_wait();
    CHECK(x == 7 && y == 7);
}

/* --- the rest of the API ------------------------------------------------------------------------ */

static df_per_worker(pair) pairs = DF_PER_WORKER;
static void one(void *p, void *arg) { ((pair *)p)->re = arg ? 2 : 1; }
static void add(void *into, const void *from) { *(double *)into += ((const pair *)from)->re; }
static void block(void *x) { df_submit(r_void, (int *)x); }

static void rest(void)
{
    int x = 0, *p = NULL;
    double sum = 0;
    df_counters c;
    df_config config;
    memset(&config, 0, sizeof config);
    df_stop();
    config.workers = 2;
    CHECK(df_start(&config) == DF_OK);
    CHECK(df_workers() >= 1 && df_worker() == 0);
    df_parallel(block, &x);
    CHECK(x == 7);
    DF_PARALLEL {
        p = df_local(int, 4);
        CHECK(p != NULL && p[3] == 0);
        df_submit(r_void, p);
    }
    CHECK(df_counters_get(&c) == DF_OK && c.tasks > 0);
    CHECK(strlen(df_error_text(DF_ERROR_MEMORY)) > 10);
    DF_PARALLEL x++;
    CHECK(x == 8);
    {
        pair *mine = df_mine(&pairs); /* not every compiler knows the type of df_mine */
        mine->re += 3;
    }
    CHECK(df_per_worker_next(&pairs, NULL) == df_mine(&pairs) && !df_per_worker_next(&pairs, df_mine(&pairs)));
    df_per_worker_free(&pairs);
    df_per_worker_init(&pairs, one, &x);
    CHECK(df_mine(&pairs) != NULL);
    df_per_worker_combine(&pairs, &sum, add);
    df_per_worker_free(&pairs);
    {
        df_per_worker(pair) local = DF_PER_WORKER_INIT(one, NULL);
        CHECK(df_mine(&local) != NULL);
        df_per_worker_combine(&local, &sum, add);
        df_per_worker_free(&local);
    }
    CHECK(sum >= 3 && sum < 3.5 && df_worker() < df_worker_bound());
    df_stop();
}

int main(void)
{
    results();
    numbers();
    words();
    reductions();
    weak_words();
    stream_words();
    typed_streams();
    loops();
    options();
    speculation();
    rest();
    return wrong ? (wrong > 255 ? 255 : wrong) : 0;
}
