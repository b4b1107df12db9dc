/* start.c - starts and stops df with fields of df_config that need parts: logs what it says about them
 *
 * -DFIELDS: with fields; otherwise the environment decides. */
#define DF_IMPLEMENTATION
#include "../../df.h"
#include <stdio.h>
#include <string.h>

static void say(void *arg, int level, const char *text)
{
    (void)arg;
    printf("%d %s\n", level, text);
}

int main(void)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.workers = 1, c.log = say;
#ifdef FIELDS
    c.trace = "build/never.json", c.stats = "build/never.txt", c.graph = "build/never.dot", c.stall = 60;
    c.schedule = "seed:5", c.progress = "always";
#endif
    if (df_start(&c) != DF_OK || df_workers() != 1) return 1;
    df_stop();
    return 0;
}
