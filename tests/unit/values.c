/* values.c - value parameters are copied when the task is created, arguments are evaluated once, there
 * and then; records of any size, 5 KB included */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

typedef struct { int n; unsigned char bytes[5000]; } big;

DF_TASK(void, put, (int, i), df_out(int, to, 1));
void put(int i, int *to)
{
    test_spin(500);
    *to = i;
}
DF_TASK(void, put_big, (big, b), df_out(unsigned, to, 1));
void put_big(big b, unsigned *to)
{
    *to = 0;
    for (int i = 0; i < b.n; i++) *to = *to * 31 + b.bytes[i];
}
DF_TASK(unsigned, sum_big, (big, b));
unsigned sum_big(big b)
{
    unsigned to;
    put_big(b, &to);
    return to;
}
/* argument records from 16 to 4096 bytes and beyond */
#define SIZE(n)                                                              \
    typedef struct { unsigned char at[n]; } bytes_##n;                       \
    DF_STATIC_TASK(void, copy_##n, (bytes_##n, from), df_out(bytes_##n, to, 1)); \
    static void copy_##n(bytes_##n from, bytes_##n *to) { *to = from; }      \
    static unsigned try_##n(void)                                            \
    {                                                                        \
        bytes_##n from, to[4];                                               \
        unsigned h = 0;                                                      \
        DF_PARALLEL {                                                        \
            for (int i = 0; i < 4; i++) {                                    \
                memset(&from, i + 1, sizeof from);                           \
                df_submit(copy_##n, from, &to[i]);                           \
            }                                                                \
        }                                                                    \
        for (int i = 0; i < 4; i++)                                          \
            for (int j = 0; j < (n); j++) h = h * 31 + to[i].at[j];          \
        return h;                                                            \
    }
SIZE(1) SIZE(7) SIZE(8) SIZE(24) SIZE(56) SIZE(120) SIZE(1000) SIZE(2039) SIZE(2040) SIZE(2041) SIZE(4096) SIZE(20000)

enum { N = 200 };

int main(void)
{
    int to[N], i = 0;
    unsigned h[N];
    static big b;
    DF_PARALLEL {
        while (i < N) { /* i changes before the task runs */
            df_submit(put, i, &to[i]);
            i++;
        }
        for (i = 0; i < N; i++) {
            b.n = i;
            memset(b.bytes, i, sizeof b.bytes);
            df_submit(put_big, b, &h[i]);
        }
    }
    for (i = 0; i < N; i++) CHECK(to[i] == i);
    printf("%u %u %u\n", h[1], h[100], h[N - 1]);

    int count = 0; /* of evaluations */
    df_future(sum_big) f[4];
    b.n = 100;
    for (i = 0; i < 4; i++) {
        b.bytes[0] = (unsigned char)i;
        df_spawn(sum_big, &f[count++], b);
    }
    CHECK(count == 4);
    for (i = 3; i >= 0; i--) printf("%u\n", df_sync(sum_big, &f[--count]));
    CHECK(count == 0);
    DF_PARALLEL {
        for (i = 0; i < N; i++) df_submit(put, count++, &to[i]);
    }
    CHECK(count == N && to[0] == 0 && to[N - 1] == N - 1);

    printf("%u %u %u %u %u %u\n", try_1(), try_7(), try_8(), try_24(), try_56(), try_120());
    printf("%u %u %u %u %u %u\n", try_1000(), try_2039(), try_2040(), try_2041(), try_4096(), try_20000());
}
