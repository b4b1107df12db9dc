/* stall_default.c - after how many seconds a stall is reported where nothing is said of it: never; and 2 with DF_CHECK,
 * which is stall_default_checked.c. DF_STALL and df_config.stall are heard in both. */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"

#define DEFAULT (DF_CHECK ? 2.0 : 0.0)

/* Exits with 0 if a report comes after `seconds`; 0: never. config: df_config.stall. */
static int is(double seconds, double config)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.workers = 2, c.stall = config;
    CHECK(df_start(&c) == DF_OK);
    int looks = dfi_load_relaxed(&dfi_reporter.runs) && dfi_reporter.of[dfi_observer_stall].ms;
    return !(looks == (seconds > 0) && (!looks || (dfi_stall.seconds >= seconds && dfi_stall.seconds <= seconds)));
}
static int as_it_is(void *unused) { return (void)unused, is(DEFAULT, 0); }
static int as_in_environment(void *seconds) { return is(*(double *)seconds, 0); }
static int as_in_config(void *unused) { return (void)unused, is(7, 7); }
static int off_in_config(void *unused) { return (void)unused, is(0, -1); }

int main(void)
{
    static const struct { const char *text; double seconds;
                          } set[] = { { "", DEFAULT }, { "x", DEFAULT }, { "0", 0 }, { "0.5", 0.5 }, { "3", 3 } };
    struct child c = child_run(as_it_is, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        const char *env[] = { "DF_STALL", set[i].text, NULL };
        double seconds = set[i].seconds;
        c = child_run(as_in_environment, &seconds, env, 60);
        CHECK_CHILD(c, c.status == 0 && c.lines == !strcmp(set[i].text, "x"));
        c = child_run(as_in_config, NULL, env, 60);
        CHECK_CHILD(c, c.status == 0);
        c = child_run(off_in_config, NULL, env, 60);
        CHECK_CHILD(c, c.status == 0);
    }
    return 0;
}
