/* region_sizes.c - sizes that cannot be, as a product that wrapped: reported with the name of the parameter, and
 * ordered like all memory
 *
 * Each is declared by a task that is slow to write one element; a task that reads that element must find it, whatever
 * its mode. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_gpu.h"
#include "hear.h"

enum { SLOW_US = 2000, AT = 5 };
static double before_x[17], *const x = before_x + 1;

static int writes = 1; /* not the tasks that declare nothing */
static void write_one(double *p)
{
    if (!writes) return;
    usleep(SLOW_US);
    p[AT] += 1;
}
DF_TASK(void, line, df_inout(double, data, n), (size_t, n));
void line(double *data, size_t n) { (void)n, write_one(data); }
DF_TASK(void, signed_line, df_out(double, data, n), (int, n));
void signed_line(double *data, int n) { (void)n, write_one(data); }
DF_TASK(void, block, df_inout2(double, data, r, c, ld), (size_t, r), (size_t, c), (size_t, ld));
void block(double *data, size_t r, size_t c, size_t ld) { (void)r, (void)c, (void)ld, write_one(data); }
DF_TASK(void, range, df_inout_range(double, data, end));
void range(double *data, double *end) { (void)end, write_one(data); }
DF_TASK(void, commuting, df_commute(double, data, n), (size_t, n));
void commuting(double *data, size_t n) { (void)n, write_one(data); }
DF_TASK(void, together, df_concurrent(double, data, n), (size_t, n));
void together(double *data, size_t n) { (void)n, write_one(data); }
DF_TASK(void, reducing, df_reduce(df_sum, double, data, n), (size_t, n));
void reducing(double *data, size_t n) { (void)n, write_one(data); }
DF_TASK(void, element, df_inout(double, p, 1));
void element(double *p) { usleep(SLOW_US), *p += 1; }
DF_TASK(void, weak, df_weak_inout(double, data, n), (size_t, n));
void weak(double *data, size_t n) { (void)n, df_submit(element, data + AT); }
DF_TASK(void, second, df_in(double, a, 1), df_inout(double, data, n), (long, n)); /* the name of the right one of two */
void second(const double *a, double *data, long n) { (void)a, (void)n, write_one(data); }
DF_TASK(void, get, df_in(double, p, 1), df_out(double, q, 1));
void get(const double *p, double *q) { *q = *p; }
DF_TASK(void, releases, df_inout(double, data, 16));
void releases(double *data)
{
    df_release(data, SIZE_MAX / 4);
    write_one(data);
}
DF_LOOP(adds, df_reduce(df_sum, double, data, n), (size_t, n));
void adds(long lo, long hi, double *data, size_t n) { (void)n, data[AT] += (double)(hi - lo); }
DF_KERNEL(sums, df_reduce(df_sum, double, data, n), (int, n),
{
    if (df_global_id(0) < n + 101) data[5] += 1;
})
DF_KERNEL(kernel, df_inout(double, data, n), (size_t, n),
{
    if (df_global_id(0) == 0) data[5] += 1;
})

/* How many messages name the parameter of that task. */
static int heard(const char *task)
{
    char what[100];
    int k = 0;
    snprintf(what, sizeof what, "%s: the size of parameter data ", task);
    for (int i = 0; i < n_said; i++) k += strstr(said[i], what) != NULL;
    return k;
}

#define TRY(task, ...)                                                                          \
    do {                                                                                   \
        df_token t_ = DF_TOKEN(1);                                                         \
        double q_ = -1;                                                                    \
        x[AT] = 0, n_said = 0;                                                             \
        DF_PARALLEL {                                                                      \
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&t_), .name = #task), task, __VA_ARGS__); \
            df_submit(get, &x[AT], &q_);                                                   \
            df_signal(&t_);                                                                \
        }                                                                                  \
        CHECK(q_ == 1 && x[AT] == 1);                                                      \
        CHECK(n_said == 1 && heard(#task) && strstr(said[0], __FILE__ ":"));               \
    } while (0)

static void all(void)
{
    static const size_t many[] = { SIZE_MAX / 8 + 1, SIZE_MAX / 8 + 2, SIZE_MAX / 2 + 1, SIZE_MAX / 8 + 1,
                                   SIZE_MAX - 1, SIZE_MAX };
    static const size_t shape[][3] = { { 1, SIZE_MAX / 8 + 1, 1 }, { 2, 8, SIZE_MAX / 8 + 1 }, { SIZE_MAX, 1, 1 },
                                       { SIZE_MAX, SIZE_MAX, SIZE_MAX },
                                       { SIZE_MAX / 8 + 1, 1, 8 }, { 3, 2, SIZE_MAX / 4 + 1 }, { SIZE_MAX, 1, 0 },
                                       { 4, SIZE_MAX / 8, SIZE_MAX / 8 } };
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        TRY(line, x, many[i]);
        TRY(commuting, x, many[i]);
        TRY(together, x, many[i]);
        TRY(reducing, x, many[i]);
        TRY(weak, x, many[i]);
    }
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) TRY(block, x, shape[i][0], shape[i][1], shape[i][2]);
    TRY(signed_line, x, -1);
    TRY(signed_line, x, INT32_MIN);
    TRY(range, x, x - 1);
    TRY(second, x, x, -7L);
    { /* what is empty, or just fits, is neither */
        n_said = 0, writes = 0;
        DF_PARALLEL {
            df_submit(signed_line, x, 0);
            df_submit(range, x, x);
            df_submit(block, x, (size_t)0, SIZE_MAX, SIZE_MAX);
            df_submit(line, x, (UINTPTR_MAX - (uintptr_t)x) / sizeof *x);
        }
        writes = 1;
        CHECK(!n_said);
    }
    { /* other words */
        double q = -1;
        x[AT] = 0, n_said = 0;
        DF_PARALLEL {
            df_submit(line, x, (size_t)8);
            df_wait_on(x, SIZE_MAX);
            CHECK(x[AT] == 1 && n_said == 1 && strstr(said[0], "df_wait_on"));
            df_submit(line, x, (size_t)8);
            df_for(adds, 0, 1000, x, SIZE_MAX / 8 + 2);
            CHECK(x[AT] == 1002 && n_said == 2 && strstr(said[1], "loop adds"));
            df_submit_with(DF_OPTS(.release = 1), releases, x);
            df_submit(get, &x[AT], &q);
        }
        CHECK(q == 1003 && n_said == 3 && strstr(said[2], "df_release"));
        n_said = 0;
        DF_PARALLEL {
            df_launch(kernel, df_grid(1), x, SIZE_MAX / 4);
            df_submit(get, &x[AT], &q);
        }
        sums(df_grid(100), x, -1);
        CHECK(x[AT] == 1104);
        x[AT] = 1004;
        CHECK(q == 1004 && heard("kernel") == 1);
    }
}

int main(void)
{
    for (int workers = 1; workers <= 8; workers += workers < 4 ? 1 : 4)
        for (int how = 0; how < 3; how++) {
            df_config c = { .workers = workers, .defer = 1, .deterministic = how == 1,
                            .rename_bytes = how == 2 ? 10000 : 0, .log = hear };
            CHECK(df_start(&c) == DF_OK);
            all();
            df_stop();
        }
    return 0;
}
