/* foreign_threads.c - any thread may use every construct: 8 at once, besides the pool's own */
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

enum { THREADS = 8, ROUNDS = 60 };
static int index_of[THREADS];

static void *run(void *p)
{
    int *index = p;
    *index = df_worker();
    CHECK(*index >= df_workers());
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(work_right());
        df_future(work_fib) f;
        df_spawn(work_fib, &f, 12);
        uint64_t x = 0, one = 1;
        for (int k = 0; k < 20; k++) df_submit(work_add, &one, &x, 1); /* without a block */
        df_wait_on(&x, sizeof x);
        CHECK(x == 1743392200); /* (3^20 - 1) / 2 */
        df_wait();
        CHECK(df_sync(work_fib, &f) == 144);
        CHECK(df_worker() == *index);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    CHECK(df_worker() == 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&t[i], NULL, run, &index_of[i]));
        if (round) CHECK(work_right());
        for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(t[i], NULL));
    }
}
