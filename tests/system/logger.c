/* logger.c - df_config.log gets every message, with its level and log_arg, and nothing goes to stderr */
#define _DEFAULT_SOURCE /* fork, setenv, usleep */
#include <stdlib.h>
static int no_memory;
#define DF_MALLOC(bytes) (no_memory ? NULL : malloc(bytes))
#define DF_FREE(p) free(p)
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "work.h"

struct heard { int n, level; char text[400]; };

static void hear(void *arg, int level, const char *text)
{
    struct heard *h = arg;
    h->n++;
    h->level = level;
    CHECK(strlen(text) < sizeof h->text);
    strcpy(h->text, text);
}

static int with_logger(void *unused)
{
    struct heard a = { 0, 0, "" }, b = { 0, 0, "" };
    df_config c = { .workers = 2, .deque = 1, .log = hear, .log_arg = &a };
    (void)unused;
    CHECK(df_start(&c) == DF_OK);
    CHECK(a.n == 1 && a.level == 2 && strstr(a.text, "df_config.deque = 1"));
    DF_PARALLEL df_stop();
    CHECK(a.n == 2 && a.level == 1 && strstr(a.text, "df_stop"));
    df_stop();
    c.log_arg = &b; /* the next start has its own */
    CHECK(df_start(&c) == DF_OK);
    CHECK(a.n == 2 && b.n == 1);
    CHECK(work_right());
    df_stop();
    return 0;
}

static int without_logger(void *unused)
{
    df_config c = { .workers = 2, .deque = 1 };
    (void)unused;
    CHECK(df_start(&c) == DF_OK && work_right());
    return 0;
}

static int logger_then_none(void *unused)
{
    struct heard a = { 0, 0, "" };
    df_config c = { .workers = 2, .deque = 1, .log = hear, .log_arg = &a };
    (void)unused;
    CHECK(df_start(&c) == DF_OK);
    df_stop();
    c.log = NULL, c.log_arg = NULL; /* zero means the default again */
    CHECK(df_start(&c) == DF_OK);
    CHECK(a.n == 1);
    return 0;
}

/* Messages of any length arrive as a whole; without memory the text says that there was more. */
static void hear_long(void *arg, int level, const char *text)
{
    CHECK(level == 2);
    *(size_t *)arg = strlen(text);
    if (no_memory) CHECK(!strcmp(text + strlen(text) - 33, "(the rest is lost: out of memory)"));
    else CHECK(!strncmp(text, "df: aaa", 7) && text[strlen(text) - 1] == 'z');
}
static int long_texts(void *unused)
{
    static char text[100000];
    size_t heard;
    df_config c = { .workers = 1, .log = hear_long, .log_arg = &heard };
    (void)unused;
    CHECK(df_start(&c) == DF_OK);
    for (size_t n = 3; n < sizeof text; n += n < 500 ? 1 : n) {
        memset(text, 'a', n), text[n] = 'z', text[n + 1] = 0;
        dfi_warn("%s", text);
        CHECK(heard == n + 5);
    }
    no_memory = 1;
    dfi_warn("%s", text);
    CHECK(heard == 399);
    no_memory = 0;
    df_stop();
    return 0;
}

int main(void)
{
    struct child c = child_run(with_logger, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(without_logger, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "df_config.deque = 1"));
    c = child_run(logger_then_none, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1);
    c = child_run(long_texts, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
}
