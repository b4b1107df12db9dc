/* owm_processes.c - DF_OWM_COPIES: memory that was not acquired is stale, memory that was not released is not seen;
 * processes that meet by name; processes that die, leave while they own memory, or disagree are reported once by the
 * processes that are affected */
#define _DEFAULT_SOURCE
#define DF_OWM_COPIES 1
#define DF_IMPLEMENTATION
#include "df_owm.h"
#include "child.h"

enum { N = 3000 };
static int *a, me;

static void get(int from, int n, df_owm_mode mode)
{
    CHECK(df_owm_acquire(a + from, (size_t)n * sizeof *a, mode) == DF_OK);
}
static void put(int from, int n) { CHECK(df_owm_release(a + from, (size_t)n * sizeof *a) == DF_OK); }

static void begin(int processes)
{
    me = df_owm_join(NULL, processes);
    CHECK(df_owm_processes() == processes);
    CHECK((a = (int *)df_owm_alloc(N * sizeof *a)) != NULL);
}

/* --- copies ---------------------------------------------------------------------------------------- */

static int stale(void *arg)
{
    (void)arg;
    begin(2);
    if (me == 0) {
        get(10, 100, DF_OWM_W);
        for (int i = 10; i < 110; i++) a[i] = i;
        df_owm_advance(7);
        CHECK(df_owm_await(8, 1) == DF_OK);
        put(10, 50);
        df_owm_advance(7);
        CHECK(df_owm_await(8, 2) == DF_OK);
        CHECK(a[2000] == 0 && a[2001] == 0);
        get(2000, 1, DF_OWM_R);
        CHECK(a[2000] == 5 && a[2001] == 0);
        get(2001, 1, DF_OWM_RW); /* what was written without owning it was lost */
        CHECK(a[2001] == 0);
        a[2001] = 9;
        put(2000, 2);
        put(60, 50);
        int **self = (int **)(void *)a;
        get(0, 2, DF_OWM_W);
        *self = a;
        put(0, 2);
        df_owm_advance(7);
    } else {
        CHECK(df_owm_await(7, 1) == DF_OK);
        CHECK(a[10] == 0);
        df_owm_advance(8);
        CHECK(df_owm_await(7, 2) == DF_OK);
        CHECK(a[10] == 0 && a[59] == 0); /* released, and not acquired */
        get(20, 10, DF_OWM_R);
        CHECK(a[19] == 0 && a[20] == 20 && a[29] == 29 && a[30] == 0);
        put(20, 10);
        get(2000, 1, DF_OWM_W);
        a[2000] = 5;
        a[2001] = 6; /* not owned */
        put(2000, 1);
        df_owm_advance(8);
        CHECK(df_owm_await(7, 3) == DF_OK);
        CHECK(a[2001] == 6);
        get(0, N, DF_OWM_R);
        CHECK(a[109] == 109 && a[2000] == 5 && a[2001] == 9 && *(int **)(void *)a == a);
        put(0, N);
    }
    df_owm_free(a);
    return 0;
}

/* --- by name ----------------------------------------------------------------------------------------- */

static int by_name(void *arg)
{
    char name[64];
    pid_t other;
    int status;
    snprintf(name, sizeof name, "/df-owm-test-%ld", (long)getpid());
    for (int run = 0; run < 2; run++) { /* the name can be used again */
        fflush(NULL);
        pid_t child[3];
        for (int i = 0; i < 3; i++)
            if ((child[i] = fork()) == 0) {
                me = df_owm_join(name, 3);
                CHECK(df_owm_processes() == 3);
                CHECK((a = (int *)df_owm_alloc(N * sizeof *a)) != NULL);
                get(me, 1, DF_OWM_W);
                a[me] = me + 1;
                put(me, 1);
                df_owm_advance(0);
                CHECK(df_owm_await(0, 3) == DF_OK);
                get(0, 3, DF_OWM_R);
                CHECK(a[0] == 1 && a[1] == 2 && a[2] == 3);
                put(0, 3);
                exit(10 + me);
            }
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            CHECK((other = waitpid(child[i], &status, 0)) == child[i] && WIFEXITED(status));
            sum += WEXITSTATUS(status);
        }
        CHECK(sum == 10 + 11 + 12);
    }
    (void)arg;
    return 0;
}

/* --- what goes wrong --------------------------------------------------------------------------------------- */

static int dies(void *arg)
{
    int owns = *(int *)arg;
    begin(2);
    if (me == 1) {
        if (owns) get(5, 10, DF_OWM_RW), a[5] = 1;
        df_owm_advance(0);
        _exit(3);
    }
    CHECK(df_owm_await(0, 1) == DF_OK);
    CHECK(df_owm_await(1, 1) == DF_ERROR_STUCK);
    get(5, 10, DF_OWM_RW); /* no process owns it any more, and it is as it was */
    CHECK(a[5] == 0);
    put(5, 10);
    df_owm_free(a);
    return 0;
}
static int leaves(void *arg)
{
    df_owm_ownership o;
    int owns = *(int *)arg;
    begin(2);
    if (me == 1) {
        get(5, 10, DF_OWM_RW);
        a[5] = 1;
        if (!owns) put(5, 10);
        df_owm_advance(0);
        return 0;
    }
    CHECK(df_owm_await(0, 1) == DF_OK);
    if (owns) CHECK(df_owm_await(1, 1) == DF_ERROR_STUCK); /* no process is left to count it */
    else do df_owm_owner(a + 5, &o); while (o.mode);       /* it is about to leave */
    get(5, 10, DF_OWM_R);
    CHECK(a[5] == 1);
    put(5, 10);
    df_owm_free(a);
    return 0;
}
static int contested(void *arg)
{
    int wrong = *(int *)arg;
    begin(2);
    if (me == 1) {
        get(5, 10, DF_OWM_RW);
        df_owm_advance(0);
        CHECK(df_owm_await(1, 1) == DF_OK);
        put(5, 10);
        return 0;
    }
    CHECK(df_owm_await(0, 1) == DF_OK);
    df_owm_ownership o;
    CHECK(df_owm_owner(a + 5, &o) == DF_OK && o.process == 1 && o.mode == DF_OWM_RW);
    CHECK(df_owm_acquire(a + (wrong ? 14 : 15), 8, DF_OWM_R) == (wrong ? DF_ERROR_OWNER : DF_OK));
    df_owm_release(a + (wrong ? 14 : 15), 8);
    df_owm_advance(1);
    return 0;
}
static int disagree(void *arg)
{
    int wrong = *(int *)arg;
    begin(2);
    void *b = df_owm_alloc((size_t)(wrong ? 100 + me : 100));
    df_owm_advance(0);
    CHECK(df_owm_await(0, 2) == DF_OK);
    df_owm_free(b);
    df_owm_free(a);
    return 0;
}
static int settings(void *arg)
{
    (void)arg;
    CHECK(df_owm_join(NULL, 0) == 0 && df_owm_processes() == 1); /* DF_OWM_PROCESSES has garbage */
    CHECK(df_owm_join(NULL, 33) == 0 && df_owm_join(NULL, -1) == 0 && df_owm_processes() == 1);
    me = df_owm_join(NULL, 2);
    CHECK(df_owm_processes() == 2); /* and DF_OWM_BYTES */
    if (me) return 0;
    CHECK(df_owm_join(NULL, 2) == 0 && df_owm_processes() == 2);
    df_owm_advance(-1);
    CHECK(df_owm_await(DF_OWM_EVENTS, 1) == DF_ERROR_OWNER);
    return 0;
}
static int room(void *arg)
{
    (void)arg;
    begin(2);
    CHECK(df_owm_alloc(1 << 20) == NULL);
    char *b = (char *)df_owm_alloc(30000), *c;
    CHECK(b != NULL);
    if (me) {
        CHECK(df_owm_acquire(b, 30000, DF_OWM_W) == DF_OK);
        memset(b, 1, 30000);
        CHECK(df_owm_release(b, 30000) == DF_OK);
    }
    df_owm_free(b);
    df_owm_advance(0);
    CHECK(df_owm_await(0, 2) == DF_OK);
    CHECK((c = (char *)df_owm_alloc(30000)) == b && c[29999] == 0); /* room is used again, and zeroed */
    CHECK(df_owm_acquire(c, 30000, DF_OWM_R) == DF_OK && c[0] == 0 && c[29999] == 0 &&
          df_owm_release(c, 30000) == DF_OK);
    return 0;
}

int main(void)
{
    static const char *const bad[] = { "DF_OWM_PROCESSES", "many", "DF_OWM_BYTES", "12Q", NULL };
    static const char *const soon[] = { "DF_PATIENCE", "1", NULL };
    static const char *const little[] = { "DF_OWM_BYTES", "64K", NULL };
    struct child c;
    int yes = 1, no = 0;
    c = child_run(stale, NULL, NULL, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    if (!TEST_TSAN) { /* there the addresses of one process are seldom free in another one */
        c = child_run(by_name, NULL, NULL, 20);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    }
    c = child_run(dies, &yes, NULL, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 2);
    CHECK_CHILD(c, strstr(c.err, "process 1 died while it owned 40 bytes, acquired by a thread of process 1 at ") &&
                strstr(c.err, "event 1 "));
    c = child_run(dies, &no, NULL, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 2 && strstr(c.err, "process 1 died, and owned nothing"));
    c = child_run(leaves, &yes, soon, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 2 && strstr(c.err, "ends as owner of 40 bytes") &&
                strstr(c.err, "have ended: the call returns DF_ERROR_STUCK"));
    c = child_run(leaves, &no, NULL, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(contested, &yes, NULL, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1);
    CHECK_CHILD(c,
                strstr(c.err,
                       "a thread of process 0 acquires 4 bytes to read that a thread of process 1 has owned to read and write"));
    c = child_run(contested, &no, NULL, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(disagree, &yes, NULL, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "no memory for 10") &&
                strstr(c.err, " in the same place: the call returns NULL"));
    c = child_run(disagree, &no, NULL, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(settings, NULL, bad, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 7 && strstr(c.err, "DF_OWM_PROCESSES='many'") &&
                strstr(c.err, "DF_OWM_BYTES='12Q'"));
    CHECK_CHILD(c, strstr(c.err, "events have numbers from 0 to 255") && strstr(c.err, "call it once"));
    c = child_run(room, NULL, little, 20);
    CHECK_CHILD(c, c.status == 0 && c.lines == 2 && strstr(c.err, "raise DF_OWM_BYTES"));
    return 0;
}
