/* wait_regions.c - waiting for memory: ranges, blocks, lists of both; only the tasks that write there must be done */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { LD = 24, ROWS = 20, MANY = 40 };
static int a[ROWS * LD], x[MANY][8];

DF_TASK(void, fill, df_out2(int, p, h, w, LD), (int, h), (int, w), (int, value));
void fill(int *p, int h, int w, int value)
{
    int i, j;
    for (i = 0; i < h; i++) for (j = 0; j < w; j++) p[i * LD + j] = value;
}
DF_TASK(void, count_up, df_inout(int, p, 8));
void count_up(int *p)
{
    int i;
    for (i = 0; i < 8; i++) p[i]++;
}
/* Waits for a token: whoever waits for the memory of this task before giving the token would wait forever. */
DF_TASK(void, held, df_out2(int, p, 2, 4, LD));
void held(int *p) { p[0] = 77; }

DF_TASK(void, read_slowly, df_in(int, p, 8), (int, k));
static int read_by[MANY];
void read_slowly(const int *p, int k)
{
    test_spin(20000);
    __atomic_store_n(&read_by[k], p[0], __ATOMIC_RELAXED);
}
DF_TASK(void, shapes, (int, h), df_in2(int, p, h, 3, LD), df_weak_inout(int, q, 4), df_reduce(df_sum, long, r, 2),
        df_out_range(int, from, to));
void shapes(int h, const int *p, int *q, long *r, int *from, int *to)
{
    (void)h, (void)p, (void)q, (void)r, (void)from, (void)to;
}
DF_TASK(void, nothing);
void nothing(void) {}

/* Where a mode writes, the tasks that read must be done, too; df_accesses tells what a task would access. */
static void modes(void)
{
    df_region list[8];
    long r[2];
    int i, k;
    for (k = 0; k < 3; k++) {
        for (i = 0; i < MANY; i++) {
            x[i][0] = k + 1;
            df_submit(read_slowly, x[i], i);
            list[i % 2] = df_region_of(x[i], 8), list[i % 2].mode = i % 4 ? DF_INOUT : DF_OUT;
            if (i % 2 == 0) continue;
            df_wait_on_list(list, 2);
            CHECK(__atomic_load_n(&read_by[i], __ATOMIC_RELAXED) == k + 1 &&
                  __atomic_load_n(&read_by[i - 1], __ATOMIC_RELAXED) == k + 1);
        }
        df_wait();
    }
    for (i = 0; i < MANY; i++) x[i][0] = 3;
    CHECK(df_accesses(nothing, list, 8) == 0);
    memset(list, 0, sizeof list);
    CHECK(df_accesses(shapes, list, 3, 5, a, x[1], r, a, a + 7) == 4 && !list[3].p);
    CHECK(df_accesses(shapes, list, 8, 5, a, x[1], r, a, a + 7) == 4);
    CHECK(list[0].p == a && list[0].rows == 5 && list[0].bytes == 12 && list[0].distance == LD * 4);
    CHECK(list[0].mode == DF_IN);
    CHECK(list[1].p == x[1] && list[1].rows == 1 && list[1].bytes == 16 && list[1].mode == (DF_INOUT | DF_WEAK));
    CHECK(list[2].p == r && list[2].bytes == 2 * sizeof *r && list[2].mode == DF_REDUCE && !list[2].op);
    CHECK(list[3].p == a && list[3].bytes == 28 && list[3].mode == DF_OUT);
}

int main(void)
{
    df_region list[MANY];
    df_token go = DF_TOKEN_EXTERNAL(1);
    df_token *after[] = { &go, NULL };
    df_opts late = { 0 };
    int i, k, sum = 0, rows;
    late.after = after;
    df_submit_with(&late, held, &a[0]);               /* rows 0 and 1, columns 0 to 3 */
    df_submit(fill, &a[2 * LD], 5, 9, 3);
    df_submit(fill, &a[10], 2, 6, 4);                 /* the same rows as `held`, other columns */
    df_wait_on2(&a[10], 2, 6, LD);
    CHECK(a[10] == 4 && a[LD + 15] == 4);
    list[0] = df_region_of(&a[10], 6);
    list[1] = df_region2_of(&a[2 * LD], 5, 9, LD);
    df_wait_on_list(list, 2);
    CHECK(a[2 * LD] == 3 && a[6 * LD + 8] == 3 && a[6 * LD + 9] == 0);
    df_wait_on_list(list, 0);
    df_wait_on2(&a[8], 2, 0, LD);                     /* empty */
    df_signal(&go);
    df_wait_on2(&a[3], 1, 1, LD);
    CHECK(a[0] == 77);

    for (k = 0; k < 3; k++) {                         /* more regions than a task has parameters */
        for (i = 0; i < MANY; i++) df_submit(count_up, x[i]), list[i] = df_region_of(x[i], i % 9);
        df_wait_on_list(list, MANY);
        for (i = 0; i < MANY; i++) if (i % 9) CHECK(x[i][0] == k + 1);
    }
    i = 0, rows = 2;
    list[0] = df_region2_of(&x[i++][0], rows++, 3, 8);
    CHECK(i == 1 && rows == 3 && list[0].bytes == 3 * sizeof(int) && list[0].rows == 2 && list[0].distance == sizeof x[0]);
    df_wait();
    modes();
    for (i = 0; i < ROWS * LD; i++) sum += a[i];
    for (i = 0; i < MANY * 8; i++) sum += x[i / 8][i % 8];
    printf("%d\n", sum);
}
