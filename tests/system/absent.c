/* absent.c - variables and fields of df_config for what DF_SMALL lacks: a warning at start for each, which names the
 * macro; DF_MINIMAL is without them (tests/levels) */
#define _DEFAULT_SOURCE /* setenv */
#define DF_SMALL 1
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include <stdio.h>
#include <string.h>

static char said[20][200];
static int n;
static void say(void *arg, int level, const char *text)
{
    (void)arg;
    CHECK(level == 2 && n < 20);
    snprintf(said[n++], sizeof said[0], "%s", text);
}
/* Starts df with c and looks whether it warns of these names, and of nothing else. */
static void warns(df_config c, const char *const *names)
{
    int i = 0;
    n = 0;
    c.workers = 1, c.log = say;
    CHECK(df_start(&c) == DF_OK);
    df_stop();
    for (; names[i]; i++) {
        char text[200];
        snprintf(text, sizeof text, "df: %s is ignored: df was built without this part; leave DF_SMALL out where "
                 "DF_IMPLEMENTATION is defined", names[i]);
        CHECK(i < n && !strcmp(said[i], text));
    }
    CHECK(i == n);
}

int main(void)
{
    static const char *const fields[] = { "df_config.trace", "df_config.stats", "df_config.stall", "df_config.schedule",
        "df_config.graph", "df_config.progress", NULL };
    static const char *const variables[] = { "DF_TRACE", "DF_STATS", "DF_STALL", "DF_SCHEDULE", "DF_CHAOS", "DF_RECORD",
        "DF_REPLAY", "DF_GRAPH", "DF_PROGRESS", NULL };
    df_config c, none;
    memset(&none, 0, sizeof none);
    c = none;
    c.trace = "never.json", c.stats = "never.txt", c.graph = "never.dot", c.stall = 60;
    c.schedule = "seed:5", c.progress = "always";
    warns(none, variables + 9);
    warns(c, fields);
    for (int i = 0; variables[i]; i++) setenv(variables[i], "never", 1);
    warns(none, variables);
    setenv("DF_STATS", "0", 1), setenv("DF_TRACE", "", 1);
    for (int i = 2; variables[i]; i++) unsetenv(variables[i]);
    warns(none, variables + 9);
    return 0;
}
