/* per_worker.c - storage per worker: what all tasks add is there after the wait, whichever threads ran them */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 3000 };
struct count { long n, sum; char rest[90]; };

static df_per_worker(struct count) counts = DF_PER_WORKER;
static df_per_worker(long) sums;

DF_TASK(void, add, (long, k));
void add(long k)
{
    struct count *c = df_mine(&counts);
    CHECK(c && c == df_mine(&counts) && (uintptr_t)c % 64 == 0);
    c->n++, c->sum += k;
}
DF_TASK(long, tree, (int, n));
long tree(int n)
{
    df_future(tree) f;
    long *mine = df_mine(&sums), right;
    if (!n) return ++*mine, 1;
    df_spawn(tree, &f, n - 1);
    right = tree(n - 1);
    right += df_sync(tree, &f);
    CHECK(df_mine(&sums) == mine); /* after a wait as well: a task stays with its thread */
    ++*mine;
    return right + 1;
}
DF_LOOP(spread, (long, by));
void spread(long lo, long hi, long by)
{
    for (long i = lo; i < hi; i++) *df_mine(&sums) += i * by;
}

static void add_sum(void *into, const void *from) { *(long *)into += *(const long *)from; }
static long sum(void)
{
    long all = 0, again = 0;
    for (long *p = NULL; (p = df_per_worker_next(&sums, p)) != NULL;) all += *p;
    df_per_worker_combine(&sums, &again, add_sum);
    CHECK(all == again);
    return all;
}

/* least and greatest, from an identity that is not zero */
struct range { int least, most, made_by; };
static void empty(void *p, void *arg)
{
    struct range *r = (struct range *)p;
    CHECK(!r->least && !r->most);
    r->least = 1000, r->most = -1000, r->made_by = *(const int *)arg;
}
static int by = 7;
static df_per_worker(struct range) ranges = DF_PER_WORKER_INIT(empty, &by);
DF_LOOP(look, df_in(int, x, n), (long, n));
void look(long lo, long hi, const int *x, long n)
{
    struct range *r = df_mine(&ranges);
    (void)n;
    for (long i = lo; i < hi; i++) {
        if (x[i] < r->least) r->least = x[i];
        if (x[i] > r->most) r->most = x[i];
    }
}

int main(void)
{
    static int x[N];
    struct count all = { 0, 0, { 0 } };
    struct range found = { 1000, -1000, 0 };
    df_per_worker(char) few = DF_PER_WORKER;
    struct { df_per_worker(struct range) in; } heap;
    struct range *r;

    CHECK(df_per_worker_next(&counts, NULL) == NULL);
    for (long k = 0; k < N; k++) df_submit(add, k);
    df_wait();
    for (struct count *c = NULL; (c = df_per_worker_next(&counts, c)) != NULL;) all.n += c->n, all.sum += c->sum;
    printf("%ld tasks, %ld\n", all.n, all.sum);
    df_per_worker_free(&counts);
    CHECK(df_per_worker_next(&counts, NULL) == NULL);
    df_submit(add, 5); /* and again */
    df_wait();
    all.n = 0;
    for (struct count *c = NULL; (c = df_per_worker_next(&counts, c)) != NULL;) all.n += c->n;
    printf("%ld task\n", all.n);
    df_per_worker_free(&counts);

    printf("%ld nodes", tree(10));
    printf(", %ld\n", sum());
    df_for(spread, 0, N, 2);
    df_stop(); /* the elements stay */
    printf("%ld", sum());
    df_for(spread, 0, N, 1); /* in a new pool */
    printf(", %ld\n", sum());
    df_per_worker_free(&sums);

    for (int i = 0; i < N; i++) x[i] = (i * 271) % 997 - 300;
    df_for(look, 0, N, x, N);
    for (r = NULL; (r = df_per_worker_next(&ranges, r)) != NULL;) {
        CHECK(r->made_by == 7);
        if (r->least < found.least) found.least = r->least;
        if (r->most > found.most) found.most = r->most;
    }
    printf("%d to %d\n", found.least, found.most);
    df_per_worker_free(&ranges);

    df_per_worker_init(&heap.in, empty, &by); /* memory without an initialiser */
    r = df_mine(&heap.in);
    printf("%d to %d\n", r->least, r->most);
    CHECK(df_per_worker_next(&heap.in, NULL) == r && df_per_worker_next(&heap.in, r) == NULL);
    df_per_worker_free(&heap.in);
    r = df_mine(&heap.in); /* freed: as it was initialised */
    CHECK(r->least == 1000);
    df_per_worker_free(&heap.in);

    *df_mine(&few) = 'x';
    printf("%c\n", *df_mine(&few));
    df_per_worker_free(&few);
    return 0;
}
