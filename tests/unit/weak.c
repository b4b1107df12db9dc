/* weak.c - tasks that leave their memory to their children, and tasks that give memory back early, keep the order: a
 * task reads the values of tasks submitted before it, at any depth */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 512, LEAF = 16, SIDE = 24 };

/* --- passes over an array, each a tree of weak tasks, one behind the other without a wait ----------- */

DF_TASK(void, leaf, df_in(uint64_t, from, n), df_out(uint64_t, to, n), (int, n), (int, k));
void leaf(const uint64_t *from, uint64_t *to, int n, int k)
{
    if (k % 16 == 0) test_spin(2000);
    for (int i = 0; i < n; i++) to[i] = test_mix(from[i], (uint64_t)(k + i));
}
DF_TASK(void, pass, df_weak_in(uint64_t, from, n), df_weak_out(uint64_t, to, n), (int, n), (int, k));
void pass(const uint64_t *from, uint64_t *to, int n, int k)
{
    if (n <= LEAF) df_submit(leaf, from, to, n, k);
    else {
        df_submit(pass, from, to, n / 2, k + 1);
        df_submit(pass, from + n / 2, to + n / 2, n - n / 2, k + 2);
    }
}
DF_TASK(void, update, df_inout(uint64_t, x, n), (int, n), (int, k));
void update(uint64_t *x, int n, int k)
{
    for (int i = 0; i < n; i++) x[i] = test_mix(x[i], (uint64_t)(k * i));
}
DF_TASK(void, updates, df_weak_inout(uint64_t, x, n), (int, n), (int, k), (int, waits));
void updates(uint64_t *x, int n, int k, int waits)
{
    if (n > LEAF) {
        df_submit(updates, x, n / 3, k, !waits);
        df_submit(updates, x + n / 3, n - n / 3, k + 1, waits);
        if (waits) df_wait();
    }
    df_submit(update, x, n < LEAF ? n : LEAF, k); /* overlaps what the children did */
    if (waits) df_wait_on(x, sizeof *x);
}
DF_TASK(void, look, df_in(uint64_t, x, n), (int, n), df_inout(uint64_t, seen, 1));
void look(const uint64_t *x, int n, uint64_t *seen)
{
    for (int i = 0; i < n; i++) *seen = test_mix(*seen, x[i]);
}
DF_TASK(void, looks, df_weak_in(uint64_t, x, n), (int, n), df_weak_inout(uint64_t, seen, 1));
void looks(const uint64_t *x, int n, uint64_t *seen)
{
    df_submit(look, x, n / 2, seen);
    df_submit(look, x + n / 2, n - n / 2, seen);
}
/* strong on one array, weak on another */
DF_TASK(void, half, df_in(uint64_t, key, 1), df_weak_inout(uint64_t, x, n), (int, n));
void half(const uint64_t *key, uint64_t *x, int n)
{
    int k = (int)(*key % 100);
    for (int i = 0; i + LEAF <= n; i += LEAF) df_submit(update, x + i, LEAF, k + i);
}
DF_TASK(void, idle, df_weak_out(uint64_t, x, n), (int, n)); /* declares, and does nothing */
void idle(uint64_t *x, int n) { (void)x, (void)n; }

static void arrays(void)
{
    static uint64_t x[2][N];
    uint64_t seen[2] = { 0, 0 }, h = 0;
    DF_PARALLEL {
        for (int i = 0; i < 40; i++) {
            uint64_t *from = x[i % 2], *to = x[1 - i % 2];
            df_submit(pass, from, to, N, i);
            if (i % 3 == 0) df_submit(updates, to, N, i, i % 2);
            if (i % 4 == 0) df_submit(look, to, N, &seen[0]);
            if (i % 4 == 1) df_submit(looks, to, N, &seen[1]);
            if (i % 5 == 2) df_submit(half, &seen[i % 2], from, N);
            if (i % 7 == 3) df_submit(idle, to, N);
            if (i % 7 == 4) df_submit(update, from + i, 300, i); /* across the leaves */
            if (i % 11 == 5) {
                df_wait_on(&to[N / 2], sizeof *to);
                h = test_mix(h, to[N / 2]);
            }
        }
    }
    for (int i = 0; i < N; i++) h = test_mix(h, x[0][i] ^ x[1][i]);
    printf("arrays %016llx %016llx %016llx\n", (unsigned long long)h, (unsigned long long)seen[0],
           (unsigned long long)seen[1]);
}

/* --- blocks: quarters of quarters; children in all modes --------------------------------------------- */

DF_TASK(void, turn, df_inout2(uint64_t, x, n, n, SIDE), (int, n), (int, k));
void turn(uint64_t *x, int n, int k)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x[i * SIDE + j] = x[i * SIDE + j] * 3 + (uint64_t)(k + i - j);
}
DF_TASK(void, add, df_commute2(uint64_t, x, n, n, SIDE), (int, n), (int, k));
void add(uint64_t *x, int n, int k)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x[i * SIDE + j] += (uint64_t)k;
}
DF_TASK(void, sum, df_reduce2(df_sum, uint64_t, x, n, n, SIDE), (int, n), (int, k));
void sum(uint64_t *x, int n, int k) { add(x, n, k); }
DF_TASK(void, transpose, df_in2(uint64_t, x, n, n, SIDE), df_out2(uint64_t, y, n, n, SIDE), (int, n));
void transpose(const uint64_t *x, uint64_t *y, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) y[j * SIDE + i] = x[i * SIDE + j];
}
DF_TASK(void, quarters, df_weak_inout2(uint64_t, x, n, n, SIDE), (int, n), (int, k));
void quarters(uint64_t *x, int n, int k)
{
    int m = n / 2;
    if (n <= 3) {
        for (int i = 0; i < 3; i++) df_submit(sum, x, n, k + i), df_submit(add, x, n, k * i);
        df_submit(turn, x, n, k);
        return;
    }
    for (int i = 0; i < 4; i++) df_submit(quarters, x + i / 2 * m * SIDE + i % 2 * m, m, k + i);
    if (k % 3 == 0) df_submit(turn, x + SIDE + 1, n - 2, k);
}
DF_TASK(void, transposes, df_weak_in2(uint64_t, x, n, n, SIDE), df_weak_out2(uint64_t, y, n, n, SIDE), (int, n));
void transposes(const uint64_t *x, uint64_t *y, int n)
{
    int m = n / 2;
    if (n <= 6) df_submit(transpose, x, y, n);
    else
        for (int i = 0; i < 4; i++)
            df_submit(transposes, x + i / 2 * m * SIDE + i % 2 * m, y + i % 2 * m * SIDE + i / 2 * m, m);
}
static void squares(void)
{
    static uint64_t x[2][SIDE * SIDE];
    uint64_t h = 0;
    for (int i = 0; i < SIDE * SIDE; i++) x[0][i] = (uint64_t)i;
    DF_PARALLEL {
        for (int i = 0; i < 12; i++) {
            df_submit(quarters, x[i % 2], SIDE, i);
            df_submit(transposes, x[i % 2], x[1 - i % 2], SIDE);
        }
    }
    for (int i = 0; i < SIDE * SIDE; i++) h = test_mix(h, x[0][i] ^ x[1][i]);
    printf("squares %016llx\n", (unsigned long long)h);
}

/* --- df_release ------------------------------------------------------------------------------------ */

DF_TASK(void, in_parts, df_inout(uint64_t, x, N), (int, k));
void in_parts(uint64_t *x, int k)
{
    for (int i = 0; i < N; i += N / 4) {
        if (i == N / 4) df_submit(update, x + i, N / 4, k);
        else update(x + i, N / 4, k);
        if (k % 3) df_release(x + i, N / 4); /* with its children so far */
        test_spin(500);
    }
    if (k % 3 == 0) df_release(x + N / 8, N / 2); /* parts of the parts */
}
static void released(void)
{
    static uint64_t x[N];
    uint64_t seen[4] = { 0, 0, 0, 0 }, all = 0, h = 0;
    DF_PARALLEL {
        for (int i = 0; i < 60; i++) {
            df_submit_with(DF_OPTS(.release = 1), in_parts, x, i);
            for (int k = 0; k < 4; k++) df_submit(look, x + k * (N / 4), N / 4, &seen[k]);
            if (i % 4 == 0) df_submit(update, x + N / 8 * (i % 7), N / 8, i);
            if (i % 9 == 0) df_submit(look, x, N, &all);
            if (i % 10 == 0) {
                df_wait_on(x, sizeof *x);
                h = test_mix(h, x[0]);
            }
        }
    }
    look(x, N, &h);
    printf("released %016llx %016llx", (unsigned long long)h, (unsigned long long)all);
    for (int k = 0; k < 4; k++) printf(" %016llx", (unsigned long long)seen[k]);
    printf("\n");
}

/* --- loops, pipes and waits in a body without children follow earlier tasks ------------------------- */

enum { LOOP, LOOPS, PIPE, WAIT_ON, IN_SPAWNED, IN_BLOCK, WAYS };
DF_TASK(void, begin, df_out(int, x, N));
void begin(int *x)
{
    test_spin(300000);
    for (int i = 0; i < N; i++) x[i] = 1;
}
DF_LOOP(add_each, df_inout(int, x, N));
void add_each(long lo, long hi, int *x) { for (; lo < hi; lo++) x[lo]++; }
DF_LOOP2(add_two, df_inout(int, x, N));
void add_two(long lo, long hi, long lo2, long hi2, int *x)
{
    for (; lo < hi; lo++)
        for (long k = lo2; k < hi2; k++) x[2 * lo + k]++;
}
DF_PIPE(add_items, int);
int add_items(int stage, int *item, long i, void *x)
{
    (void)item;
    if (stage == 0) return i == N ? DF_PIPE_END : df_continue(1);
    ((int *)x)[i]++;
    return DF_PIPE_DONE;
}
DF_TASK(void, adds, df_weak_inout(int, x, N), (int, way));
DF_TASK(void, adds_spawned, (int *, x));
void adds_spawned(int *x) { df_for(add_each, 0, N, x); }
void adds(int *x, int way)
{
    df_future(adds_spawned) f;
    switch (way) {
    case LOOP: df_for(add_each, 0, N, x); break;
    case LOOPS: df_for2(add_two, 0, N / 2, 0, 2, x); break;
    case PIPE: df_pipe(add_items, NULL, x); break;
    case WAIT_ON:
        df_wait_on(x, N * sizeof *x);
        add_each(0, N, x);
        break;
    case IN_SPAWNED:
        df_spawn(adds_spawned, &f, x);
        test_spin(10000);
        df_sync(adds_spawned, &f);
        break;
    default:
        DF_PARALLEL { df_pipe(add_items, NULL, x); }
    }
}
static void after_earlier(void)
{
    static int x[N];
    for (int way = 0; way < WAYS; way++) {
        int wrong = 0;
        for (int round = 0; round < 5; round++) {
            df_submit(begin, x);
            df_submit(adds, x, way);
            df_submit(adds, x, (way + round) % WAYS);
            df_wait();
            for (int i = 0; i < N; i++) wrong += x[i] != 3;
        }
        printf("way %d: %d\n", way, wrong);
    }
}

/* --- a task that commutes, and whose children follow an earlier one that commutes with it ------------------------ */

DF_TASK(void, set_first, df_out(int, x, 1));
void set_first(int *x) { *x = 5; }
DF_TASK(void, add_both, df_inout(int, x, 1), df_commute(int, total, 1));
void add_both(int *x, int *total) { *total += *x += 1; }
DF_TASK(void, update_one, df_inout(int, x, 1));
void update_one(int *x) { *x *= 2; }
DF_TASK(void, add_below, df_weak_inout(int, x, 1), df_commute(int, total, 1));
void add_below(int *x, int *total)
{
    *total *= 3;
    df_submit(update_one, x);
}
static void commuting(void)
{
    static int x, total;
    df_token opens = DF_TOKEN_EXTERNAL(1);
    df_token *after[] = { &opens, NULL };
    df_opts late = { 0 };
    late.after = after;
    df_submit_with(&late, set_first, &x);
    df_submit(add_both, &x, &total);
    df_submit(add_below, &x, &total); /* ready before add_both: must not keep `total` until its child is done */
    df_signal(&opens);
    df_wait();
    printf("commuting: %d %d\n", x, total);
}

int main(void)
{
    arrays();
    after_earlier();
    commuting();
    squares();
    released();
}
