/* thread_end.c - threads that end with work pending: it is done by the time they are joined; and many
 * threads, one after the other and at once, more than df has room for */
#include <pthread.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

enum { N = 50, MANY = 560 };
static uint64_t x[N], one = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here, messages;

static void *leave_pending(void *p)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++) df_submit(work_add, &one, &x[i], 1);
    return p;
}

static void *wait_for_all(void *p)
{
    CHECK(df_worker() >= 0);
    pthread_mutex_lock(&lock);
    if (++here == MANY) pthread_cond_broadcast(&all_here);
    while (here < MANY) pthread_cond_wait(&all_here, &lock);
    pthread_mutex_unlock(&lock);
    if ((uintptr_t)p % 40 == 0) CHECK(work_right());
    return p;
}

static void count_message(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    if (!strstr(text, "threads use df")) CHECK(!text);
    messages++;
}

int main(void)
{
    static pthread_t many[MANY];
    df_config c = { .workers = 3, .log = count_message };
    pthread_attr_t small;
    pthread_t t;
    CHECK(df_start(&c) == DF_OK);
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < N; i++) x[i] = 0;
        CHECK(!pthread_create(&t, NULL, leave_pending, NULL));
        CHECK(!pthread_join(t, NULL));
        for (int i = 0; i < N; i++) CHECK(x[i] == 13);
    }
    CHECK(messages == 0); /* the 300 threads shared one place */

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 * 1024);
    for (uintptr_t i = 0; i < MANY; i++) CHECK(!pthread_create(&many[i], &small, wait_for_all, (void *)i));
    for (int i = 0; i < MANY; i++) CHECK(!pthread_join(many[i], NULL));
    CHECK(messages == 1);
    CHECK(work_right());
    pthread_attr_destroy(&small);
}
