/* not_initialised.c - tokens, handles, semaphores and arenas that are zeros, as static variables are: each is reported
 * with the line of the call, which returns, and nothing hangs */
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"
#include "../test.h"

static int ran;
DF_TASK(void, runs, (int, k));
void runs(int k) { ran += k; }
DF_TASK(void, takes, df_limit(s, 1));
void takes(df_semaphore *s) { (void)s, ran++; }

static df_token zero[6];
static df_handle handle[3];
static df_semaphore semaphore;
static df_arena arena;

/* The call was reported once, with its line if df knows it. */
static void reported(const char *text)
{
    CHECK(n_said == 1 && strstr(said[0], text));
    CHECK(strstr(said[0], "not_initialised.c:") || strstr(text, "semaphore"));
    n_said = 0;
}

int main(void)
{
    for (int workers = 1; workers <= 3; workers++) {
        df_config c = { .workers = workers, .log = hear };
        df_token open = DF_TOKEN(1);
        memset((void *)zero, 0, sizeof zero), memset((void *)handle, 0, sizeof handle);
        memset((void *)&semaphore, 0, sizeof semaphore), memset((void *)&arena, 0, sizeof arena);
        n_said = 0, ran = 0;
        CHECK(df_start(&c) == DF_OK);
        CHECK(df_wait_token(&zero[0]) == DF_ERROR_STUCK);
        reported("this token was not initialised");
        CHECK(df_wait_token(&zero[0]) == DF_ERROR_STUCK); /* once for each */
        df_signal(&zero[0]);
        CHECK(n_said == 0);
        df_signal(&zero[1]);
        reported("this token was not initialised");
        CHECK(df_wait_token(&zero[1]) == DF_ERROR_STUCK && n_said == 0);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&zero[2])), runs, 1);
        CHECK(df_wait_result() == DF_ERROR_STUCK && ran == 0);
        reported("this token was not initialised");
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&zero[3], &open)), runs, 1);
        CHECK(df_wait_result() == DF_OK && ran == 1 && df_wait_token(&open) == DF_OK);
        reported("this token was not initialised");
        CHECK(df_wait_task(&handle[0]) == DF_ERROR_STUCK);
        reported("this handle was not initialised");
        CHECK(df_done(&handle[1]));
        reported("this handle was not initialised");
        CHECK(df_wait_task_for(&handle[2], 1) == DF_ERROR_STUCK);
        reported("this handle was not initialised");
        df_submit_with(DF_OPTS(.handle = &handle[0]), runs, 1);
        CHECK(df_wait_task(&handle[0]) == DF_OK && ran == 2 && n_said == 0);
        df_submit(takes, &semaphore);
        df_wait();
        CHECK(ran == 3);
        reported("its semaphore was not initialised");
        DF_IN_ARENA(&arena) df_submit(runs, 1);
        CHECK(ran == 4);
        reported("the arena is for 1 worker");
        df_stop();
    }
    return 0;
}
