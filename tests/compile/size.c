/* How much object code a declared task costs: compiled with and without the tasks, and subtracted.
 *
 * COUNT declarations of a task with three regions and a number, as in a blocked matrix product; with
 * USE_SUBMIT each is also submitted, with USE_SPAWN spawned and synced. The bodies are elsewhere. */
#include "../../df.h"

#define TASK(i) \
    DF_TASK(double, gemm##i, df_in(double, a, n), df_in(double, b, n), df_inout(double, c, n), (long, n)); \
    SUBMIT(i) \
    SPAWN(i)

#ifdef USE_SUBMIT
#define SUBMIT(i) \
    void submit##i(double *x); \
    void submit##i(double *x) { df_submit(gemm##i, x, x + 10, x + 20, 10); }
#else
#define SUBMIT(i)
#endif

#ifdef USE_SPAWN
#define SPAWN(i) \
    double spawn##i(double *x); \
    double spawn##i(double *x) \
    { \
        df_future(gemm##i) f; \
        df_spawn(gemm##i, &f, x, x + 10, x + 20, 10); \
        return df_sync(gemm##i, &f); \
    }
#else
#define SPAWN(i)
#endif

int there_is_something_in_this_file;
#ifdef COUNT
TASK(0) TASK(1) TASK(2) TASK(3) TASK(4) TASK(5) TASK(6) TASK(7)
#endif
