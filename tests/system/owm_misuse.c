/* owm_misuse.c - DF_CHECK reports each breach of the rules of owner-writable memory once, with both places; a program
 * that is the same but for the mistake is silent
 *
 * Each part is a pair of functions with the same calls: wrong 1 makes the mistake. With OWM_COPIES defined it is the
 * build for several processes, with one (owm_misuse_copies.c). */
#define _DEFAULT_SOURCE
#ifndef DF_CHECK
#define DF_CHECK 1
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df_owm.h"
#include "hear.h"

enum { N = 1 << 14, HALF = N / 2 }; /* elements: 16 pages */
static int *a;
static const char *first, *second; /* places that the message must have */

#define AT_FIRST  (first = HERE)
#define AT_SECOND (second = HERE)

/* Nothing, or exactly one message with the text and both places. */
static void heard(int wrong, const char *text)
{
    int right = n_said == (wrong != 0);
    if (right && wrong)
        right = strstr(said[0], text) && (!first || strstr(said[0], first)) && (!second || strstr(said[0], second));
    if (!right) {
        fprintf(stderr, "expected %s: %s (%s, %s), got:\n", wrong ? "this" : "nothing", text, first ? first : "",
                second ? second : "");
        for (int i = 0; i < n_said; i++) fprintf(stderr, "%s\n", said[i]);
    }
    CHECK(right);
    n_said = 0, first = second = NULL;
}

/* --- a task that runs in another thread, while this one acts ----------------------------------------------------- */

static int begun, ended;
static void pause_until(int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) sched_yield();
}

DF_TASK(void, hold, df_owm_inout(int, p, n), (int, n)); static const char *const hold_at = HERE;
void hold(int *p, int n)
{
    p[0] += n;
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    pause_until(&ended);
    p[n - 1]++;
}
DF_TASK(void, look, df_owm_in(int, p, n), (int, n)); static const char *const look_at = HERE;
void look(const int *p, int n)
{
    CHECK(p[0] + p[n - 1] >= 0);
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    pause_until(&ended);
}
static int part_of_task;
static void *run_hold(void *p)
{
    df_future(hold) f;
    df_spawn(hold, &f, (int *)p, part_of_task);
    df_sync(hold, &f);
    return NULL;
}
static void *run_look(void *p)
{
    df_future(look) f;
    df_spawn(look, &f, (int *)p, part_of_task);
    df_sync(look, &f);
    return NULL;
}
static void meanwhile(int looks, int *p, int n, void (*act)(int wrong), int wrong)
{
    pthread_t t;
    begun = ended = 0, part_of_task = n;
    CHECK(pthread_create(&t, NULL, looks ? run_look : run_hold, p) == 0);
    pause_until(&begun);
    act(wrong);
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
    CHECK(pthread_join(t, NULL) == 0);
}

static void act_write(int wrong)
{
    AT_FIRST; CHECK(df_owm_acquire(a + (wrong ? HALF - 5 : HALF), 10 * sizeof *a, DF_OWM_W) == (wrong ? DF_ERROR_OWNER : DF_OK));
    CHECK(df_owm_release(a + (wrong ? HALF - 5 : HALF), 10 * sizeof *a) == DF_OK);
    second = hold_at;
}
static void act_write_read(int wrong)
{
    act_write(wrong);
    second = look_at;
}
static void act_read(int wrong)
{
    AT_FIRST; CHECK(df_owm_acquire(a + (wrong ? 0 : HALF), sizeof *a, DF_OWM_R) == (wrong ? DF_ERROR_OWNER : DF_OK));
    CHECK(df_owm_release(a + (wrong ? 0 : HALF), sizeof *a) == DF_OK);
    second = hold_at;
}
static void act_free(int wrong)
{
    int *b = (int *)df_owm_alloc(100);
    AT_FIRST; df_owm_free(wrong ? a : b);
    if (wrong) df_owm_free(b), a = NULL;
    second = hold_at;
}
static void act_freeze(int wrong)
{
    int *b = (int *)df_owm_alloc(100);
    AT_FIRST; CHECK(df_owm_freeze(wrong ? a : b, 100) == (wrong ? DF_ERROR_OWNER : DF_OK));
    df_owm_free(b);
    second = hold_at;
}
static void two_owners(int wrong)
{
    meanwhile(0, a, HALF, act_write, wrong); heard(wrong, "acquires 20 bytes to write that task hold");
}
static void written_while_read(int wrong)
{
    meanwhile(1, a, HALF, act_write_read, wrong); heard(wrong, "that task look");
}
static void read_while_written(int wrong)
{
    meanwhile(0, a, HALF, act_read, wrong); heard(wrong, "acquires 4 bytes to read that task hold");
}
static void freeze_owned(int wrong) { meanwhile(0, a, HALF, act_freeze, wrong); heard(wrong, "freezes 100 bytes"); }
static void both_read(int wrong)
{
    (void)wrong;
    meanwhile(1, a, N, act_read, 0);
    heard(0, "");
}

/* --- one task, or none -------------------------------------------------------------------------------- */

static void not_acquired(int wrong)
{
    CHECK(df_owm_acquire(a, 100, DF_OWM_RW) == DF_OK);
    AT_FIRST; CHECK(df_owm_release(a, wrong ? 104 : 100) == (wrong ? DF_ERROR_OWNER : DF_OK));
    heard(wrong, "that it has not acquired");
    CHECK(df_owm_acquire(a, 100, DF_OWM_RW) == DF_OK);
    CHECK(df_owm_release(a + 5, 40) == DF_OK); /* the middle, then the rest */
    CHECK(df_owm_release(a, 20) == DF_OK);
    if (wrong) { AT_FIRST; df_owm_release(a + 5, 40); }
    CHECK(df_owm_release(a + 15, 40) == DF_OK);
    heard(wrong, "releases 40 bytes");
    CHECK(df_owm_acquire(a, 100, DF_OWM_RW) == DF_OK && df_owm_acquire(a + 25, 100, DF_OWM_R) == DF_OK);
    CHECK(df_owm_release(a, 200) == DF_OK); /* two at once */
    heard(0, "");
}
static void twice(int wrong)
{
    static const df_owm_mode mode[] = { DF_OWM_R, DF_OWM_W, DF_OWM_RW };
    for (int i = 0; i < 9; i++) {
        AT_SECOND; CHECK(df_owm_acquire(a + 8, 100, mode[i % 3]) == DF_OK);
        AT_FIRST; CHECK(df_owm_acquire(a + (wrong ? 10 : 33), 100, mode[i / 3]) == (wrong ? DF_ERROR_OWNER : DF_OK));
        CHECK(df_owm_release(a + 8, 100) == DF_OK && df_owm_release(a + (wrong ? 10 : 33), 100) == DF_OK);
        heard(wrong, "92 bytes that it has owned since");
    }
}
DF_TASK(void, forgetful, (int, forgets)); static const char *const forgetful_at = HERE;
void forgetful(int forgets)
{
    AT_SECOND; df_owm_acquire(a, 40, DF_OWM_W);
    a[9] = forgets;
    if (!forgets) df_owm_release(a, 40);
}
static void ends_holding(int wrong)
{
    df_submit(forgetful, wrong);
    df_wait();
    first = forgetful_at;
    heard(wrong, "ends as owner of 40 bytes");
    df_future(forgetful) f;
    df_spawn(forgetful, &f, wrong);
    df_sync(forgetful, &f);
    first = forgetful_at;
    heard(wrong, "ends as owner of 40 bytes");
    CHECK(df_owm_acquire(a, 40, DF_OWM_R) == DF_OK && a[9] == wrong && df_owm_release(a, 40) == DF_OK);
    df_owm_ownership o;
    CHECK(df_owm_owner(a, &o) == DF_OK && o.mode == 0);
    heard(0, "");
}
static void outside(int wrong)
{
    AT_FIRST; CHECK(df_owm_acquire(a + N - 1, wrong ? 8 : 4, DF_OWM_R) == (wrong ? DF_ERROR_OWNER : DF_OK));
    CHECK(df_owm_release(a + N - 1, wrong ? 8 : 4) == DF_OK);
    heard(wrong, "asks for 8 bytes that are not all inside");
    AT_FIRST; CHECK(df_owm_acquire(wrong ? &n_said : a, 4, DF_OWM_W) == (wrong ? DF_ERROR_OWNER : DF_OK));
    CHECK(df_owm_release(wrong ? &n_said : a, 4) == DF_OK);
    heard(wrong, "are in no memory of df_owm_alloc");
    AT_FIRST; CHECK(df_owm_acquire(a, wrong ? SIZE_MAX : 0, DF_OWM_W) == (wrong ? DF_ERROR_OWNER : DF_OK));
    heard(wrong, "bytes");
    if (wrong) {
        AT_FIRST; CHECK(df_owm_release(a - 1, 4) == DF_ERROR_OWNER);
        heard(1, "are in no memory");
    }
}
static void modes(int wrong)
{
    AT_FIRST; CHECK(df_owm_acquire(a, 40, wrong ? 0 : DF_OWM_RW) == (wrong ? DF_ERROR_OWNER : DF_OK));
    CHECK(df_owm_release(a, 40) == DF_OK);
    heard(wrong, "mode 0 is none");
    AT_FIRST; CHECK(df_owm_acquire(a, 40, wrong ? 8 : DF_OWM_RW) == (wrong ? DF_ERROR_OWNER : DF_OK));
    CHECK(df_owm_release(a, 40) == DF_OK);
    heard(wrong, "mode 8 is none");
}
static void freed(int wrong)
{
    char *b = (char *)df_owm_alloc(5000), *c = (char *)df_owm_alloc(1);
    CHECK(b && c && b[4999] == 0);
    AT_SECOND; df_owm_free(b);
    AT_FIRST; df_owm_free(wrong ? b : c);
    heard(wrong, "freed at");
    AT_FIRST; df_owm_free(wrong ? (void *)&n_said : NULL);
    heard(wrong, "not the beginning");
    if (wrong) {
        AT_FIRST; df_owm_free(a + 1);
        heard(1, "not the beginning");
        df_owm_free(c);
    }
    heard(0, "");
}
static void frozen(int wrong)
{
    int *b = (int *)df_owm_alloc(1000 * sizeof *b);
    CHECK(df_owm_acquire(b, 1000, DF_OWM_W) == DF_OK);
    b[0] = 7;
    AT_SECOND; CHECK(df_owm_freeze(b, 500) == DF_OK);
    CHECK(df_owm_release(b, 1000) == DF_OK);
    AT_FIRST; CHECK(df_owm_acquire(b + (wrong ? 124 : 125), 100, wrong ? DF_OWM_RW : DF_OWM_W) == (wrong ? DF_ERROR_OWNER : DF_OK));
    df_owm_release(b + (wrong ? 124 : 125), 100);
    heard(wrong, "acquires 4 bytes to write that were frozen");
    CHECK(df_owm_acquire(b, 500, DF_OWM_R) == DF_OK && b[0] == 7 && df_owm_release(b, 500) == DF_OK);
    df_owm_free(b);
    heard(0, "");
}

/* --- writes without ownership ----------------------------------------------------------------------------- */

DF_TASK(void, scribble, (int *, p), (int, n)); static const char *const scribble_at = HERE;
void scribble(int *p, int n)
{
    for (int i = 0; i < n; i++) p[i] = i + 1;
}
DF_TASK(void, reader_writes, df_owm_in(int, p, n), (int, n), (int *, q)); static const char *const reader_at = HERE;
void reader_writes(const int *p, int n, int *q)
{
    if (q) q[n - 1] = p[0];
}
/* whole pages: found when it happens */
static void unowned_pages(int wrong)
{
    if (!wrong) CHECK(df_owm_acquire(a, N * sizeof *a, DF_OWM_W) == DF_OK);
    df_submit(scribble, a, N);
    df_wait();
    first = scribble_at;
    heard(wrong, "task scribble writes to byte 0 of the memory");
    if (!wrong) CHECK(df_owm_release(a, N * sizeof *a) == DF_OK);
    if (wrong) a[100] = 1, first = NULL, heard(1, "a thread writes"); /* sealed again after the task */
    df_submit(reader_writes, a, N, wrong ? a : NULL);
    df_wait();
    first = reader_at;
    heard(wrong, "task reader_writes");
    CHECK(df_owm_acquire(a, N * sizeof *a, DF_OWM_R) == DF_OK && a[1] == 2);
    CHECK(df_owm_release(a, N * sizeof *a) == DF_OK);
    heard(0, "");
}
/* next to owned memory, in its page: found at its release, or when it is acquired */
static void unowned_bytes(int wrong)
{
    AT_SECOND; CHECK(df_owm_acquire(a, 40, DF_OWM_W) == DF_OK);
    a[9] = 1;
    if (wrong) a[10] = -7;
    AT_FIRST; second = NULL; CHECK(df_owm_release(a, 40) == (wrong ? DF_ERROR_OWNER : DF_OK));
    heard(wrong, "finds byte 40 of the memory");
    CHECK(df_owm_acquire(a, 40, DF_OWM_W) == DF_OK);
    if (wrong) a[20] = -7;
    AT_FIRST; CHECK(df_owm_acquire(a + 20, 40, DF_OWM_R) == (wrong ? DF_ERROR_OWNER : DF_OK));
    CHECK(df_owm_release(a + 20, 40) == DF_OK && df_owm_release(a, 40) == DF_OK);
    heard(wrong, "finds byte 80 of the memory");
    CHECK(df_owm_acquire(a, 40, DF_OWM_W) == DF_OK);
    CHECK(df_owm_acquire(a + 20, 40, DF_OWM_W) == DF_OK);
    a[20] = a[9];
    CHECK(df_owm_release(a, 40) == DF_OK);
    if (wrong) a[0]--;
    a[29] = 5;
    AT_FIRST; CHECK(df_owm_release(a + 20, 40) == (wrong ? DF_ERROR_OWNER : DF_OK));
    heard(wrong, "finds byte 0 of the memory");
}
static void unowned_at_free(int wrong)
{
    int *b = (int *)df_owm_alloc(100), *c = (int *)df_owm_alloc(100);
    CHECK(df_owm_acquire(b, 4, DF_OWM_W) == DF_OK && df_owm_acquire(c, 4, DF_OWM_W) == DF_OK);
    *b = *c = 1;
    CHECK(df_owm_freeze(b, 4) == DF_OK && df_owm_release(b, 4) == DF_OK && df_owm_release(c, 4) == DF_OK);
    AT_FIRST;
    if (wrong) *b = 2;
    second = NULL, first = NULL;
    heard(wrong, "frozen at");
    df_owm_free(b), df_owm_free(c);
    heard(0, "");
}
static void free_owned(int wrong)
{
    a = (int *)df_owm_alloc(N * sizeof *a);
    meanwhile(1, a, 100, act_free, 0);
    heard(0, "");
    df_owm_free(a);
    a = (int *)df_owm_alloc(N * sizeof *a);
    AT_SECOND; CHECK(df_owm_acquire(a, 60, DF_OWM_R) == DF_OK);
    if (!wrong) CHECK(df_owm_release(a, 60) == DF_OK);
    AT_FIRST; df_owm_free(a);
    if (wrong) CHECK(df_owm_release(a, 60) == DF_OK); /* no second mistake */
    heard(wrong, "of which a thread has owned 60 bytes since");
}

/* --- owners in all forms ----------------------------------------------------------------------------------- */

DF_LOOP(parts, (int *, p));
void parts(long lo, long hi, int *p)
{
    CHECK(df_owm_acquire(p + lo, (size_t)(hi - lo) * sizeof *p, DF_OWM_RW) == DF_OK);
    for (long i = lo; i < hi; i++) p[i]++;
    CHECK(df_owm_release(p + lo, (size_t)(hi - lo) * sizeof *p) == DF_OK);
}
DF_PIPE(stages, int);
int stages(int stage, int *item, long i, void *ctx)
{
    int *p = (int *)ctx + 100 * i;
    if (stage == 0) return *item = 0, i < 20 ? df_continue(1) : DF_PIPE_END;
    CHECK(df_owm_acquire(p, 400, DF_OWM_W) == DF_OK);
    p[99] = stage;
    CHECK(df_owm_release(p, 400) == DF_OK);
    return stage < 3 ? df_in_order(stage + 1) : DF_PIPE_DONE;
}
DF_TASK(void, same, df_owm_in(int, p, n), df_owm_inout(int, q, n), (int, n));
void same(const int *p, int *q, int n)
{
    for (int i = 0; i < n; i++) q[i] += p[i];
    df_owm_release(q, 40); /* early */
}
static void forms(int wrong)
{
    df_for(parts, 0, N, a);
    df_pipe(stages, NULL, a);
    df_submit(same, a, a, 100);
    df_wait();
    df_node(same) *n = df_node_new(same);
    df_node_set(same, n, p, a);
    df_node_set(same, n, q, a + 50);
    df_node_set(same, n, n, 10);
    df_wait();
    heard(0, "");
    CHECK(df_owm_acquire(a, 40, DF_OWM_RW) == DF_OK);
    df_owm_ownership o;
    CHECK(df_owm_owner(a + 9, &o) == DF_OK && o.mode == DF_OWM_RW && o.process == 0 && !strcmp(o.who, "a thread"));
    CHECK(strstr(o.site, "owm_misuse.c:") && df_owm_owner(a + 10, &o) == DF_OK && o.mode == 0);
    CHECK(df_owm_release(a, 40) == DF_OK);
    heard(0, "");
    (void)wrong;
}

/* --- limits, and the signal handler that was there before ------------------------------------------------------ */

enum { PIECES = 70000 };
static void limits(int wrong)
{
    char *b = (char *)df_owm_alloc(PIECES);
    CHECK(b != NULL);
    if (!wrong) return df_owm_free(b);
    for (int i = 0; i < PIECES; i++) {
        df_result r = df_owm_acquire(b + i, 1, DF_OWM_R);
        CHECK(r == (i < 65000 ? DF_OK : i < 66000 ? r : DF_ERROR_MEMORY));
    }
    heard(1, "more than 65536 parts");
    for (int i = 0; i < PIECES; i++) CHECK(df_owm_release(b + i, 1) == DF_OK);
    CHECK(df_owm_acquire(b, PIECES, DF_OWM_RW) == DF_OK && df_owm_release(b, PIECES) == DF_OK);
    df_owm_free(b);
    heard(0, "");
    AT_FIRST; CHECK(df_owm_alloc(SIZE_MAX) == NULL);
    heard(1, "no memory for");
}
static char *theirs;
static int faults;
static void handler(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_addr != theirs + 5 || mprotect(theirs, 4096, PROT_READ | PROT_WRITE)) _Exit(number);
    faults++;
}
static void before(int wrong)
{
    CHECK((theirs = (char *)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED);
    theirs[5] = 1;
    if (wrong) a[0] = 1;
    CHECK(faults == 1 && theirs[5] == 1);
    munmap(theirs, 4096);
    heard(wrong, "a thread writes");
    faults = 0;
}

int main(void)
{
    static void (*const part[])(int) = { two_owners, written_while_read, read_while_written, freeze_owned, both_read,
                                         not_acquired, twice, ends_holding, outside, modes, freed, frozen,
                                         unowned_pages, unowned_bytes, unowned_at_free, forms, before };
    struct sigaction mine;
    memset(&mine, 0, sizeof mine);
    mine.sa_sigaction = handler, mine.sa_flags = SA_SIGINFO;
    CHECK(sigaction(SIGSEGV, &mine, NULL) == 0);
    df_config c = { .workers = 3, .log = hear };
    CHECK(df_start(&c) == DF_OK);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        for (int wrong = 0; wrong < 2; wrong++) {
            CHECK((a = (int *)df_owm_alloc(N * sizeof *a)) != NULL);
            part[i](wrong);
            df_owm_free(a);
            heard(0, "");
        }
    free_owned(0);
    free_owned(1);
    a = NULL;
    limits(0);
    limits(1); /* the last: not all is known from then on */
    CHECK(!strcmp(df_error_text(DF_ERROR_OWNER),
                  "a call for owner-writable memory against its rules: the log says what"));
    return 0;
}
