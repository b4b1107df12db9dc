/* placed.c - what df.h does for df_mpi.h: each submission outside of tasks asks whether its task runs in this process
 *
 * Here the answer is that of a program with several ranks, whose other ranks do not exist: a task runs if the first
 * element that it writes belongs to this rank. A value that it reads and that another rank has is made up by a task
 * that the answer submits, as a message would be. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 64, RANKS = 3 };
static int v[N], self, asked, made_up;
static char last_name[40];

static void receive(void *arg, void *const *p) { *(int *)p[0] = *(int *)arg, __atomic_fetch_add(&made_up, 1, __ATOMIC_RELAXED); }
static int owner(const void *p) { return (int)((const int *)p - v) % RANKS; }
static int here(const char *name, const struct dfi_access *x, unsigned n, ptrdiff_t rank)
{
    int where = rank ? (int)rank - 1 : -1;
    asked++;
    snprintf(last_name, sizeof last_name, "%s", name);
    for (unsigned i = 0; i < n; i++)
        if (x[i].mode & DFI_WRITES && where < 0) where = owner(x[i].p);
    for (unsigned i = 0; i < n && where == self; i++)
        if (!(x[i].mode & DFI_WRITES) && owner(x[i].p) != self) {
            df_region r = df_region_of((const int *)x[i].p, 1);
            int value = 1000 + (int)((const int *)x[i].p - v);
            r.mode = DF_OUT;
            CHECK(df_call(DF_OPTS(.name = "receive", .priority = 1), receive, &value, sizeof value, &r, 1) == DF_OK);
        }
    return where == self;
}
static const struct dfi_ranks hook = { here };

DF_TASK(void, set, df_out(int, x, 1), (int, value));
void set(int *x, int value) { *x = value; }
DF_TASK(void, sum, df_in(int, a, 1), df_inout(int, b, 1));
void sum(const int *a, int *b) { *b += *a; }
DF_TASK(void, nested, df_inout(int, x, 1));
void nested(int *x)
{
    int other = 5;
    df_submit(sum, &other, x);      /* children are where their parent is, whatever they access */
    df_submit(set, &other, 7);
    df_wait();
    DF_PARALLEL { df_submit(sum, &other, x); }
    *x += 1;
}
DF_TASK(void, nothing, (int, i));
static int nothings;
void nothing(int i) { __atomic_fetch_add(&nothings, i, __ATOMIC_RELAXED); }
DF_TASK(int, gives, df_in(int, x, 1), df_inout(int, y, 1));
int gives(const int *x, int *y) { return *y += *x; }
static void called(void *arg, void *const *p) { *(int *)p[0] += *(int *)arg; }

static void tasks(int rank)
{
    int i, k, before;
    df_region r;
    self = rank, asked = made_up = nothings = 0;
    for (i = 0; i < N; i++) df_submit(set, &v[i], i);
    CHECK(asked == N && !strcmp(last_name, "set"));
    df_wait();
    for (i = 0; i < N; i++) CHECK(v[i] == (i % RANKS == rank ? i : -1));

    /* values of other ranks, and of this one */
    df_submit(sum, &v[1 + rank], &v[rank]);             /* v[1 + rank] becomes 1001 + rank */
    df_submit(sum, &v[rank], &v[rank + RANKS]);
    df_submit(sum, &v[rank], &v[(rank + 1) % RANKS]);   /* runs elsewhere */
    df_wait();
    CHECK(made_up == 1);
    CHECK(v[rank] == 1001 + 2 * rank && v[rank + RANKS] == v[rank] + rank + RANKS);

    /* bodies, and blocks of the program */
    before = asked;
    for (i = 0; i < N; i++) df_submit(nested, &v[i]);
    CHECK(asked == before + N);
    df_wait();
    for (i = RANKS + 1; i < N; i++)
        if (i != rank + RANKS) CHECK(v[i] == (i % RANKS == rank ? i + 5 + 7 + 1 : -1));
    DF_PARALLEL {
        df_submit(nested, &v[rank + 9]);
        df_submit(nothing, 1);
        DF_PARALLEL { df_submit(set, &v[N - 1], 5); }
    }
    CHECK(asked == before + N + 2 && nothings == 1);    /* a task without accesses does not ask */
    CHECK(v[rank + 9] == rank + 9 + 2 * (5 + 7 + 1));
    CHECK(((N - 1) % RANKS == rank) == (v[N - 1] == 5));

    /* options: of a task that is elsewhere, the handle says so */
    for (k = 0; k < 2; k++) {
        df_handle h;
        int result = -7, at = k ? (rank + 1) % RANKS : rank;
        df_submit_with(DF_OPTS(.handle = &h, .name = "other name", .result = DF_RESULT(gives, &result)), gives, &v[at + RANKS],
                       &v[at]);
        CHECK(df_wait_task(&h) == (k ? DF_ERROR_CANCELLED : DF_OK));
        CHECK(k ? result == -7 : result == v[at]);
    }
    df_wait();

    /* a place that is given, also to tasks without accesses */
    for (k = 0; k < RANKS; k++) {
        df_handle h;
        i = nothings, before = asked;
        df_submit_with(DF_OPTS(.rank = 1 + k, .handle = &h), nothing, 10);
        CHECK(asked == before + 1 && df_wait_task(&h) == (k == rank ? DF_OK : DF_ERROR_CANCELLED));
        CHECK(nothings == i + (k == rank ? 10 : 0));
        df_submit(nothing, 1);
        v[k + 12] = -3;
        df_submit_with(DF_OPTS(.rank = 1 + k), set, &v[k + 12], 77);
        df_wait();
        CHECK(nothings == i + (k == rank ? 11 : 1) && v[k + 12] == (k == rank ? 77 : -3));
    }

    /* calls */
    r = df_region_of(&v[rank + 6], 1), r.mode = DF_INOUT;
    i = 100, before = v[rank + 6];
    CHECK(df_call(DF_OPTS(.name = "add"), called, &i, sizeof i, &r, 1) == DF_OK);
    CHECK(!strcmp(last_name, "add"));
    r.p = &v[(rank + 1) % RANKS + 6], k = v[(rank + 1) % RANKS + 6];
    CHECK(df_call(NULL, called, &i, sizeof i, &r, 1) == DF_OK);
    df_wait_on(&v[rank + 6], 1);
    CHECK(v[rank + 6] == before + 100 && v[(rank + 1) % RANKS + 6] == k);
    df_wait();
}

int main(void)
{
    for (int rank = 0; rank < RANKS; rank++)
        for (int defer = 0; defer < 2; defer++) {
            df_config c = { .defer = defer };
            for (int i = 0; i < N; i++) v[i] = -1;
            CHECK(df_start(&c) == DF_OK);
            CHECK(dfi_ranks_begin(&hook));
            tasks(rank);
            df_stop();
        }
    asked = 0;
    df_submit(set, &v[0], 3);       /* df_stop ends it */
    df_wait();
    CHECK(v[0] == 3 && !asked);
    return 0;
}
