/* start_errors.c - results of df_start, and messages for wrong fields of df_config */
#include <stdlib.h>
#include <string.h>
static int no_memory;
void *test_malloc(size_t n) { return no_memory ? NULL : malloc(n); }
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) free(p)
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

static char said[2000];

static void remember(void *arg, int level, const char *text)
{
    CHECK(arg == &no_memory && (level == 1 || level == 2));
    CHECK(strlen(said) + strlen(text) + 2 < sizeof said);
    strcat(strcat(said, text), "\n");
}
/* The pool starts and works with c; one message that contains `word`, none for NULL. */
static void start_with(df_config c, const char *word)
{
    const char *end;
    said[0] = 0;
    c.log = remember, c.log_arg = &no_memory;
    CHECK(df_start(&c) == DF_OK);
    CHECK(df_workers() >= 1 && work_right());
    df_stop();
    end = strchr(said, '\n');
    CHECK(word ? end && !end[1] && strstr(said, word) : !end);
}

int main(void)
{
    df_counters n;
    CHECK(df_start(NULL) == DF_OK);
    CHECK(df_start(NULL) == DF_ERROR_STARTED); /* twice */
    CHECK(work_right());
    CHECK(df_start(NULL) == DF_ERROR_STARTED);
    CHECK(df_counters_get(&n) == DF_OK && n.tasks > 0);
    df_stop();
    CHECK(work_right());
    CHECK(df_start(NULL) == DF_ERROR_STARTED); /* the first construct started it */
    df_stop();

    df_config first = { .workers = 1, .log = remember, .log_arg = &no_memory }, late = { .workers = 2 };
    CHECK(df_start(&first) == DF_OK && df_start(NULL) == DF_ERROR_STARTED);
    CHECK(!*said);
    CHECK(df_start(&late) == DF_ERROR_STARTED); /* it might expect two */
    CHECK(strstr(said, "df runs already, with 1 worker: these settings have no effect") && df_workers() == 1);
    *said = 0;
    df_stop();

    no_memory = 1;
    df_config c = { .deque = 100, .log = remember, .log_arg = &no_memory };
    CHECK(df_start(&c) == DF_ERROR_MEMORY);
    CHECK(strstr(said, "out of memory"));
    no_memory = 0;

    start_with((df_config){ 0 }, NULL);
    start_with((df_config){ .workers = 3, .deque = 2, .window = 1 }, NULL);
    start_with((df_config){ .workers = -5 }, "workers");
    start_with((df_config){ .workers = 100000 }, "100000");
    start_with((df_config){ .deque = 1 }, "deque");
    start_with((df_config){ .deque = SIZE_MAX }, "deque");
    start_with((df_config){ .window = SIZE_MAX }, "window");
    start_with((df_config){ .cpuset = "nonsense" }, "cpuset");
    start_with((df_config){ .cpuset = "" }, NULL);
    start_with((df_config){ .workers = 2, .stack_bytes = 1 }, NULL); /* less than a thread can have */

    for (int r = -4; r <= 1; r++) {
        const char *text = df_error_text((df_result)r);
        CHECK(text && *text);
    }
    CHECK(strstr(df_error_text(DF_ERROR_STARTED), "df_start"));
}
