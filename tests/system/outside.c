/* outside.c - DF_CHECK reports a child that accesses what its parent did not declare, each once, and nothing else */
#define DF_CHECK 1
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

static char said[8][300];
static int n_said;
static void keep(void *unused, int level, const char *text)
{
    (void)unused, (void)level;
    if (!strstr(text, "DF_CHECK")) return;
    if (n_said < 8) snprintf(said[n_said], sizeof said[0], "%s", text);
    n_said++;
}

enum { LD = 10 };
static int elsewhere[8];

DF_TASK(void, leaf, df_inout(int, p, n), (int, n));
void leaf(int *p, int n)
{
    for (int i = 0; i < n; i++) p[i]++;
}
DF_TASK(void, look, df_in2(int, p, rows, 2, LD), (int, rows));
void look(const int *p, int rows) { (void)p, (void)rows; }
DF_TASK(void, parent, df_inout(int, p, 10), df_in2(int, q, 3, 4, LD), df_out(int, r, 5), (int, wrong));
void parent(int *p, const int *q, int *r, int wrong)
{
    int mine[4] = { 0 }, *local = df_local(int, 100);
    df_submit(leaf, p, 10);
    df_submit(leaf, p + 3, 4);
    df_submit(leaf, mine, 4); /* on its own stack */
    df_submit(leaf, local, 100);
    df_submit(leaf, r, 5);
    df_submit(look, q + LD + 1, 2);
    switch (wrong) {
    case 1: df_submit(leaf, p + 5, 6); break;        /* one too many */
    case 2: df_submit(leaf, elsewhere, 3); break;    /* not declared at all */
    case 3: df_submit(look, q + LD + 1, 3); break;   /* a row too many */
    case 4: df_submit(look, q + 3, 1); break;        /* a column too many */
    default: break;
    }
    df_wait();
}
/* and does not: else it is also seen that the memory changed */
DF_TASK(void, may_write, df_inout(int, p, n), (int, n));
void may_write(int *p, int n) { (void)p, (void)n; }
DF_TASK(void, writes, df_in(int, p, 4));
void writes(const int *p) { df_submit(may_write, (int *)(uintptr_t)p, 2); } /* declared for reading only */

int main(void)
{
    static int a[20], b[6 * LD], c[5];
    for (int workers = 1; workers <= 4; workers *= 2) {
        df_config config = { .workers = workers, .log = keep };
        CHECK(df_start(&config) == DF_OK);
        for (int wrong = 0; wrong <= 4; wrong++) {
            n_said = 0;
            DF_PARALLEL df_submit(parent, a, b, c, wrong);
            for (int i = wrong != 0; i < n_said && i < 8; i++)
                fprintf(stderr, "%d workers, %d: %s\n", workers, wrong, said[i]);
            CHECK(n_said == (wrong != 0));
            if (wrong) CHECK(strstr(said[0], "parent") && strstr(said[0], wrong <= 2 ? "leaf" : "look"));
        }
        n_said = 0;
        DF_PARALLEL df_submit(writes, a);
        CHECK(n_said == 1 && strstr(said[0], "writes"));
        df_stop();
    }
}
