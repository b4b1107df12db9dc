/* results.c - every kind of result and of parameter, 0 to 16 of them, spawned and submitted */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

typedef struct { double x, y; char name[24]; } point;
typedef int (*function)(int);
typedef enum { RED, GREEN } colour;

static int calls;
static char letters[] = "abc";
static int twice(int x) { return 2 * x; }

DF_TASK(void, none);
void none(void) { calls++; }
DF_TASK(void, store, (int *, at), (int, value));
void store(int *at, int value) { *at = value; }
DF_TASK(void *, pointer, (void *, p));
void *pointer(void *p) { return p; }
DF_TASK(const char *, text);
const char *text(void) { return letters + 1; }
DF_TASK(point, mirror, (point, p));
point mirror(point p)
{
    p.x = -p.x;
    strcat(p.name, " mirrored");
    return p;
}
DF_TASK(char, narrow, (char, c), (signed char, s), (unsigned short, u));
char narrow(char c, signed char s, unsigned short u) { return (char)(c + s + u); }
DF_TASK(long double, wide, (long double, a), (float, b));
long double wide(long double a, float b) { return a * (long double)b; }
DF_TASK(function, choose, (function, f), (colour, c));
function choose(function f, colour c) { return c == GREEN ? f : NULL; }
DF_TASK(uint64_t, sixteen, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (char, i),
        (short, j), (long, k), (float, l), (double, m), (unsigned, n), (const char *, o), df_in(int, p, 2));
uint64_t sixteen(int a, int b, int c, int d, int e, int f, int g, int h, char i, short j, long k, float l, double m,
                 unsigned n, const char *o, const int *p)
{
    int v[] = { a, b, c, d, e, f, g, h, i, j, (int)k, (int)l, (int)m, (int)n, *o, p[0], p[1] };
    uint64_t x = 0;
    for (unsigned q = 0; q < sizeof v / sizeof *v; q++) x = test_mix(x, (uint64_t)v[q]);
    return x;
}
DF_TASK(void, sixteen_to, df_out(uint64_t, to, 1), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h),
        (int, i), (int, j), (int, k), (int, l), (int, m), (int, n), (int, o), (int, p));
void sixteen_to(uint64_t *to, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m,
                int n, int o, int p)
{
    int v[] = { b, c, d, e, f, g, h, i, j, k, l, m, n, o, p };
    uint64_t x = 0;
    for (unsigned q = 0; q < sizeof v / sizeof *v; q++) x = test_mix(x, (uint64_t)v[q]);
    *to = x;
}

int main(void)
{
    const int two[2] = { 16, 17 };
    for (int round = 0; round < 50; round++) {
        int a = 0, b = 0;
        uint64_t c = 0;
        df_future(none) f0, f1;
        df_future(store) f2;
        df_future(pointer) f3;
        df_future(text) f4;
        df_future(mirror) f5;
        df_future(narrow) f6;
        df_future(wide) f7;
        df_future(choose) f8;
        df_future(sixteen) f9;
        df_spawn(none, &f0);
        df_sync(none, &f0);
        df_spawn(none, &f1);
        df_sync(none, &f1);
        df_spawn(store, &f2, &a, round);
        df_spawn(pointer, &f3, &b);
        df_spawn(text, &f4);
        df_spawn(mirror, &f5, (point){ 1.5, 2.5, "point" });
        df_spawn(narrow, &f6, 'a', -1, 2);
        df_spawn(wide, &f7, 3.0L, 0.5f);
        df_spawn(choose, &f8, twice, GREEN);
        df_spawn(sixteen, &f9, 1, 2, 3, 4, 5, 6, 7, 8, 'i', 10, 11L, 12.5f, 13.5, 14u, "o", two);
        uint64_t x = df_sync(sixteen, &f9);
        CHECK(df_sync(choose, &f8)(4) == 8);
        CHECK(df_sync(wide, &f7) == 1.5L);
        CHECK(df_sync(narrow, &f6) == 'b');
        point p = df_sync(mirror, &f5);
        CHECK(p.x == -1.5 && p.y == 2.5 && !strcmp(p.name, "point mirrored"));
        CHECK(df_sync(text, &f4) == letters + 1);
        CHECK(df_sync(pointer, &f3) == &b);
        df_sync(store, &f2);
        CHECK(a == round);
        DF_PARALLEL { /* results of submitted tasks are dropped */
            df_submit(none);
            df_wait();
            df_submit(store, &b, 7);
            df_submit(pointer, &b);
            df_submit(mirror, (point){ 1, 2, "dropped" });
            df_submit(wide, 1.0L, 2.0f);
            df_submit(sixteen, 1, 2, 3, 4, 5, 6, 7, 8, 'i', 10, 11L, 12.5f, 13.5, 14u, "o", two);
            df_submit(sixteen_to, &c, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        }
        CHECK(b == 7);
        if (round == 0) printf("%016llx %016llx\n", (unsigned long long)x, (unsigned long long)c);
    }
    printf("none ran %d times\n", calls);
}
