/* DF_TRACE=file.html: a page that is continued when df starts again; tests/page examines pages */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "../gpu/scratch.h"
#include "../test.h"
#include <unistd.h>

enum { TASKS = 1000, STARTS = 3, LOOP = 4096 };

DF_TASK(void, add, df_inout(long, x, 1), (long, n));
DF_TASK(void, tree, (int, levels), df_inout(long, x, 1));
DF_LOOP(rise, df_inout(long, x, n), (long, n));

static long sum;

void add(long *x, long n)
{
    *x += n;
    DF_ATOMIC df_tm_write(&sum, df_tm_read(&sum) + n);
}
void tree(int levels, long *x)
{
    long y[3] = { 0, 0, 0 };
    int i;
    for (i = 0; i < 3 && levels; i++) df_submit(tree, levels - 1, &y[i]);
    df_wait();
    *x = 1 + y[0] + y[1] + y[2];
}
void rise(long lo, long hi, long *x, long n)
{
    (void)n;
    for (; lo < hi; lo++) x[lo]++;
}

/* How often a text is in the file. */
static int count(const char *name, const char *text)
{
    FILE *f = fopen(name, "rb");
    size_t n = strlen(text), at = 0;
    int c, found = 0;
    if (!f) return -1;
    while ((c = getc(f)) != EOF) { /* no beginning of `text` comes again in it */
        at = c == text[at] ? at + 1 : c == text[0];
        if (at == n) found++, at = 0;
    }
    fclose(f);
    return found;
}

int main(void)
{
    static long x[LOOP];
    char folder[SCRATCH], name[SCRATCH + 16];
    df_config c = { 0 };
    int k;
    long i, nodes = 0;
    CHECK(mkdtemp(scratch(folder, "df_page")) != NULL);
    snprintf(name, sizeof name, "%s/run.html", folder);
    c.trace = name;
    c.workers = 4;
    for (k = 0; k < STARTS; k++) {
        CHECK(df_start(&c) == DF_OK);
        DF_PARALLEL {
            for (i = 0; i < TASKS; i++) df_submit(add, &x[i % 16], i);
            df_submit(tree, 4, &nodes);
        }
        CHECK(nodes == 121);
        df_for(rise, 0, LOOP, x, (long)LOOP);
        df_stop();
        CHECK(count(name, "<!doctype html>") == 1);
        CHECK(count(name, "<script>part('") > k);
        CHECK(count(name, "')</script>") == count(name, "<script>part('"));
    }
    CHECK(sum == (long)STARTS * TASKS * (TASKS - 1) / 2);
    CHECK(remove(name) == 0 && rmdir(folder) == 0);
    return 0;
}
