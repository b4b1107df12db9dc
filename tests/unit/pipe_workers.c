/* pipe_workers.c - df_pipe_opts.workers: never more than that number of workers are in the stages of the pipe, each
 * item passes each stage once, in order where it asks for that, and while stages submit tasks and wait for them */
#define _DEFAULT_SOURCE
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ITEMS = 150, MOST = 3 };

#if defined(DF_SERIAL) || !defined(__GNUC__)
static int change(int *n, int by) { return *n += by; }
#else
static int change(int *n, int by) { return __atomic_add_fetch(n, by, __ATOMIC_SEQ_CST); }
#endif

struct run { int limit, waits; int inside, too_many; long last; uint64_t log; int passed[ITEMS]; };

static void enter(struct run *r) /* a worker that naps lets others come, on few CPUs, too */
{
    if (change(&r->inside, 1) > r->limit) change(&r->too_many, 1);
#if !defined(DF_SERIAL)
    if (r->limit <= MOST) usleep(50);
#endif
}
static void leave(struct run *r) { change(&r->inside, -1); }

DF_TASK(void, add, df_inout(uint64_t, x, 1), (int, k));
void add(uint64_t *x, int k) { *x = test_mix(*x, (uint64_t)k); }

DF_PIPE(stages, uint64_t);
int stages(int stage, uint64_t *x, long i, void *ctx)
{
    struct run *r = ctx;
    if (stage == 0) {
        if (i == ITEMS) return DF_PIPE_END;
        enter(r);
        *x = (uint64_t)i;
        leave(r);
        return df_continue(1);
    }
    enter(r);
    if (stage == 1) {
        change(&r->passed[i], 1);
        if (r->waits) { /* it leaves its tasks to others, and waits for them */
            for (int k = 0; k < 3; k++) df_submit(add, x, k);
            df_wait();
        }
    } else {
        CHECK(i == r->last + 1);
        r->last = i;
        r->log = test_mix(r->log, *x);
    }
    leave(r);
    return stage == 1 ? df_in_order(2) : DF_PIPE_DONE;
}

static void check(const char *what, int limit, int waits)
{
    static const struct run none;
    struct run r = none;
    r.limit = limit, r.waits = waits, r.last = -1;
    CHECK(df_pipe(stages, DF_PIPE_OPTS(.workers = limit, .window = limit * 2), &r) == ITEMS);
    for (int i = 0; i < ITEMS; i++) CHECK(r.passed[i] == 1);
    CHECK(!r.inside);
    printf("%s, %d: %016llx, %d times too many\n", what, limit, (unsigned long long)r.log, r.too_many);
}

int main(void)
{
    for (int limit = 1; limit <= MOST; limit++) {
        check("stages", limit, 0);
        check("tasks", limit, 1);
    }
    check("more than there are", 1000, 0);
    return 0;
}
