/* schedule.c - the forms of DF_SCHEDULE and df_config.schedule, the messages for bad ones, and the names of version
 * 0.1 */
#define _DEFAULT_SOURCE /* fork, setenv, mkdtemp */
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "../gpu/scratch.h"

static char folder[SCRATCH], record[SCRATCH + 20], other[SCRATCH + 40];

DF_TASK(void, step, (int, k));
static uint64_t order;
void step(int k) { order = test_mix(order, (uint64_t)k); }

/* Prints in which order one worker runs independent tasks: it depends on the seed. */
static int works(void *config)
{
    static df_config none;
    df_config c = config ? *(df_config *)config : none;
    c.workers = c.workers ? c.workers : 1;
    CHECK(df_start(&c) == DF_OK);
    for (int i = 0; i < 20; i++) df_submit(step, i);
    df_wait();
    fprintf(stderr, "order %016llx\n", (unsigned long long)order);
    df_stop();
    return 0;
}

static struct child with(const char *name, const char *value, df_config *c)
{
    const char *env[] = { name, value, NULL };
    struct child k = child_run(works, c, env, 60);
    CHECK_CHILD(k, k.status == 0 && strstr(k.err, "order "));
    return k;
}
static uint64_t order_in(const struct child *c) { return strtoull(strstr(c->err, "order ") + 6, NULL, 16); }

/* The order under a schedule, which needs no message. */
static uint64_t under(const char *schedule)
{
    struct child c = with("DF_SCHEDULE", schedule, NULL);
    CHECK_CHILD(c, c.lines == 1);
    return order_in(&c);
}
static uint64_t under_field(df_config c)
{
    struct child k = with("DF_SCHEDULE", "seed:9", &c); /* a field wins over the variable */
    CHECK_CHILD(k, k.lines == 1);
    return order_in(&k);
}
static void old(const char *const *env, uint64_t expected, const char *hint)
{
    struct child c = child_run(works, NULL, env, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 2 && strstr(c.err, hint) && order_in(&c) == expected);
}
static const char *form(const char *first, const char *file)
{
    snprintf(other, sizeof other, "%s%s", first, file);
    return other;
}

int main(void)
{
    static const char *const bad[][2] = {
        { "abc", "write seed:" }, { "seed:1,", "write seed:" }, { "seed:1,x:y", "write seed:" },
            { "Seed:1", "write seed:" },
        { "17", "write seed:" }, { ",seed:1", "write seed:" }, { "seed:1,seed:2", "write seed:" },
        { "seed:", "a number" }, { "seed:abc", "a number" }, { "seed:-1", "a number" }, { "seed:0", "a number" },
        { "seed:1x", "a number" }, { "seed: 1", "a number" }, { "seed:1 ", "a number" },
        { "seed:1000000001", "a number" },
        { "seed:99999999999999999999", "a number" }, { "seed:\xff", "a number" },
        { "seed:,record:/nowhere/x", "a number" },
        { "record:", "the name of a file" }, { "seed:3,record:", "the name of a file" },
        { "replay:", "the name of a file" },
        { "record:/nowhere/x,seed:3", "seed: comes first" }, { "record:/nowhere/x,record:y", "one file" },
        { "record:/nowhere/x,replay:y", "one file" }, { "seed:3,replay:/nowhere/x", "leave out seed:" },
    };
    uint64_t plain = under(""), seed3 = under("seed:3"), seed4 = under("seed:4"), recorded;
    char text[SCRATCH + 60];
    CHECK(mkdtemp(scratch(folder, "df_schedule")) != NULL);
    CHECK(plain != seed3 && seed3 != seed4 && under("seed:3") == seed3 && under("seed:1000000000") != seed3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        df_config field = { .schedule = bad[i][0] };
        struct child c = with("DF_SCHEDULE", bad[i][0], NULL);
        CHECK_CHILD(c, c.lines == 2 && strstr(c.err, "DF_SCHEDULE='") && strstr(c.err, bad[i][1]) &&
                    order_in(&c) == plain);
        c = with("DF_SCHEDULE", "", &field);
        CHECK_CHILD(c, c.lines == 2 && strstr(c.err, "df_config.schedule='") && strstr(c.err, bad[i][1]) &&
                    order_in(&c) == plain);
    }

    /* a name with commas and colons */
    snprintf(record, sizeof record, "%s/a,b:c,seed", folder);
    recorded = under(form("record:", record)); /* tasks are queued then */
    CHECK(!access(record, R_OK) && under(form("replay:", record)) == recorded);
    CHECK(under(form("seed:3,record:", record)) == seed3);
    CHECK(under(form("replay:", record)) == seed3);

    /* fields */
    CHECK(under_field((df_config){ .schedule = "seed:3" }) == seed3);
    CHECK(under_field((df_config){ .schedule = form("replay:", record) }) == seed3);
    CHECK(under_field((df_config){ .schedule = form("seed:4,record:", record) }) == seed4);
    CHECK(under_field((df_config){ .schedule = form("replay:", record) }) == seed4);

    /* the variables and fields of version 0.1 */
    snprintf(text, sizeof text, "write DF_SCHEDULE=seed:3,record:%s\n", record);
    old((const char *[]){ "DF_CHAOS", "3", NULL }, seed3, "write DF_SCHEDULE=seed:3\n");
    old((const char *[]){ "DF_CHAOS", "3", "DF_RECORD", record, NULL }, seed3, text);
    snprintf(text, sizeof text, "write DF_SCHEDULE=replay:%s\n", record);
    old((const char *[]){ "DF_REPLAY", record, NULL }, seed3, text);
    snprintf(text, sizeof text, "write DF_SCHEDULE=record:%s\n", record);
    old((const char *[]){ "DF_RECORD", record, NULL }, recorded, text);
    old((const char *[]){ "DF_CHAOS", "abc", NULL }, plain, "DF_CHAOS='abc' is not a seed");
    CHECK(under_field((df_config){ .chaos = 3 }) == seed3);
    CHECK(under_field((df_config){ .chaos = 4, .record = record }) == seed4);
    CHECK(under_field((df_config){ .replay = record }) == seed4);
    {
        const char *env[] = { "DF_SCHEDULE", "seed:4", "DF_CHAOS", "3", NULL };
        struct child c = child_run(works, NULL, env, 60);
        CHECK_CHILD(c, c.status == 0 && c.lines == 1 && order_in(&c) == seed4);
    }
    CHECK(!remove(record) && !rmdir(folder));
}
