/* records.c - replays of records that are almost right: a run is recorded, the record is damaged, and the program does
 * its work with it: right, and to its end */
#define _DEFAULT_SOURCE /* mkdtemp */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include "work.h"
#include "../gpu/scratch.h"
#include <unistd.h>

enum { MOST = 1 << 20, HEAD = 40, STEP = 8 };
static char folder[SCRATCH], record[SCRATCH + 20], damaged[SCRATCH + 20];
static unsigned char bytes[MOST], copy[MOST];
static size_t n;

static void quiet(void *arg, int level, const char *text) { (void)arg, (void)level, (void)text; }

static void run(const char *to, const char *from)
{
    char schedule[sizeof record + 10];
    df_config c;
    memset(&c, 0, sizeof c);
    snprintf(schedule, sizeof schedule, "%s:%s", to ? "record" : "replay", to ? to : from);
    c.schedule = schedule, c.log = quiet, c.patience = 1, c.workers = 2;
    CHECK(df_start(&c) == DF_OK);
    CHECK(work_right());
    df_stop();
}

static void damage(uint64_t seed)
{
    size_t m = n, at, step, steps = (n - HEAD) / STEP;
    FILE *f = fopen(damaged, "wb");
    memcpy(copy, bytes, n);
    for (int i = test_below(&seed, 4); i >= 0; i--) {
        at = (size_t)test_below(&seed, (int)n);
        /* not the first step: it has the number of workers */
        step = HEAD + STEP * (1 + (size_t)test_below(&seed, (int)steps - 2));
        switch (test_below(&seed, 6)) {
        case 0: m = at < m ? at : m; break; /* cut */
        case 1: memset(copy + step, 0, STEP); break;
        case 2: memset(copy + step, 0xff, STEP); break;
        case 3: memmove(copy + step, copy + step + STEP, n - step - STEP); break;
        case 4: copy[step + (size_t)test_below(&seed, STEP)] ^= (unsigned char)(1 << test_below(&seed, 8)); break;
        default: copy[test_below(&seed, 5) ? step : at % HEAD] = (unsigned char)test_random(&seed);
        }
    }
    CHECK(f && fwrite(copy, 1, m, f) == m && !fclose(f));
}

int main(void)
{
    FILE *f;
    CHECK(mkdtemp(scratch(folder, "df_records")) != NULL);
    snprintf(record, sizeof record, "%s/record", folder);
    snprintf(damaged, sizeof damaged, "%s/damaged", folder);
    /* on a busy machine one worker may do nearly all, and a record is short */
    for (int i = 0; n <= HEAD + 10 * STEP; i++) {
        CHECK(i < 1000);
        run(record, NULL);
        CHECK((f = fopen(record, "rb")) && (n = fread(bytes, 1, MOST, f)) >= HEAD && !fclose(f));
    }
    for (uint64_t k = 1; k <= (TEST_SLOW ? 10 : 40); k++) {
        damage(k);
        run(NULL, damaged);
    }
    remove(record);
    CHECK(!remove(damaged) && !rmdir(folder));
    return 0;
}
