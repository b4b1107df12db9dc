/* stm_opacity.c - the values that a block reads are at every moment those of one point in time: `stm_opacity [ROUNDS]`
 *
 * Opacity: Guerraoui, Kapalka, PPoPP 2008. Random blocks on a few variables note every value they read, also in
 * attempts that abort. Every value written is unique, and every block that writes counts up one more variable: its
 * number in the order of all of them. Afterwards, for each attempt, the times at which its values were there must
 * have a point in common: for a block that wrote, the one just before its own number; for any, not before what had
 * already been committed when it began. That the check can fail is shown with histories in which one value is wrong. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "stm_test.h"

enum { THREADS = 4, VARS = 7, ORDER = VARS, OPS = 12 };

/* Two neighbours, others apart: in the same stripe, the next, another line. */
static struct { uint64_t a, b; char x[16]; uint64_t c; char y[56]; uint64_t d; char z[200]; uint64_t e, f, g; } memory;
static uint64_t *const var[VARS] = { &memory.a, &memory.b, &memory.c, &memory.d, &memory.e, &memory.f, &memory.g };
static struct { char x[64]; unsigned n; char y[64]; } order;
static unsigned published; /* the latest number that some block is known to have ended with */

/* --- what happened ------------------------------------------------------------------------------------- */

struct value { int var; uint64_t value; };
struct attempt {
    size_t first, n;   /* values read */
    unsigned begun;    /* everything up to this number was committed before */
    unsigned number;   /* 0: did not write, or came to nothing */
    unsigned written;  /* set of variables */
    uint64_t wrote;    /* to all of them */
};
struct history {
    struct value *value;
    struct attempt *attempt;
    size_t values, max_values, attempts, max_attempts;
};

static void *room(void *array, size_t n, size_t *max, size_t bytes)
{
    if (n < *max) return array;
    *max = *max ? 2 * *max : 1024;
    array = realloc(array, *max * bytes);
    CHECK(array);
    return array;
}
static void begin_attempt(struct history *h)
{
    struct attempt *a;
    h->attempt = room(h->attempt, h->attempts, &h->max_attempts, sizeof *h->attempt);
    a = &h->attempt[h->attempts++];
    a->first = h->values, a->n = 0, a->number = a->written = 0, a->wrote = 0;
    a->begun = __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}
static void note(struct history *h, int v, uint64_t value)
{
    h->value = room(h->value, h->values, &h->max_values, sizeof *h->value);
    h->value[h->values++] = (struct value){ v, value };
    h->attempt[h->attempts - 1].n++;
}
/* Only a part of the block runs again: the first n values are also those of a new attempt. */
static void begin_part(struct history *h, size_t n)
{
    struct attempt was = h->attempt[h->attempts - 1];
    if (was.n == n) return;
    begin_attempt(h);
    h->attempt[h->attempts - 1].begun = was.begun;
    for (size_t i = 0; i < n; i++) note(h, h->value[was.first + i].var, h->value[was.first + i].value);
}

/* --- random blocks ---------------------------------------------------------------------------------------- */

enum kind { READ, WRITE, LULL, VALIDATE, IRREVOCABLE, LOOK /* at the order */ };
struct plan { enum kind kind[OPS]; int var[OPS], n, nested, nested_end, nested_fails, fails, restarts; };
struct thread {
    struct history h;
    struct plan plan;
    uint64_t seed, value;
    unsigned own, number; /* set of variables written in this attempt */
    int restarted, self;
    size_t blocks;
} thread[THREADS];

static void make_plan(struct plan *p, uint64_t *s)
{
    int writes = test_below(s, 3) != 0, rare = test_below(s, 200) == 0;
    p->n = 1 + test_below(s, OPS);
    for (int i = 0; i < p->n; i++) {
        int k = test_below(s, 16);
        p->var[i] = test_below(s, VARS);
        p->kind[i] = k < 4 && writes ? WRITE : k == 14 ? LULL : k == 15 ? (rare ? IRREVOCABLE : VALIDATE) : k == 13 &&
            !writes ? LOOK : READ;
    }
    p->nested = test_below(s, 3) == 0 ? test_below(s, p->n) : OPS;
    p->nested_end = p->nested + 1 + test_below(s, p->n);
    p->nested_fails = test_below(s, 4) == 0;
    p->fails = test_below(s, 16) == 0;
    p->restarts = test_below(s, 16) == 0;
}

static void op(struct thread *t, int i)
{
    int v = t->plan.var[i];
    uint64_t got;
    switch (t->plan.kind[i]) {
    case READ:
        got = df_tm_read(var[v]);
        if (t->own >> v & 1) CHECK(got == t->value);
        else note(&t->h, v, got);
        break;
    case WRITE:
        df_tm_write(var[v], t->value);
        t->own |= 1u << v;
        break;
    case LULL: sched_yield(); break;
    case VALIDATE: df_tm_validate(); break;
    case IRREVOCABLE: df_irrevocable(); break;
    case LOOK: note(&t->h, ORDER, df_tm_read(&order.n)); break;
    }
}

static void block(struct thread *t)
{
    struct plan *p = &t->plan;
    int irrevocable = 0;
    begin_attempt(&t->h);
    t->own = t->number = 0;
    for (int i = 0; i < p->n; i++) irrevocable |= p->kind[i] == IRREVOCABLE;
    for (int i = 0; i < p->n && i < p->nested; i++) op(t, i);
    if (p->nested < p->n) {
        size_t read = t->h.attempt[t->h.attempts - 1].n;
        unsigned own = t->own;
        DF_ATOMIC_CLOSED {
            begin_part(&t->h, read);
            t->own = own;
            for (int i = p->nested; i < p->n && i < p->nested_end; i++) op(t, i);
            if (p->nested_fails && !irrevocable) {
                t->own = own;
                df_abort();
            }
        }
        for (int i = p->nested_end; i < p->n; i++) op(t, i);
    }
    if (t->own) {
        unsigned n = df_tm_read(&order.n);
        note(&t->h, ORDER, n);
        df_tm_write(&order.n, n + 1);
        t->number = n + 1;
    }
    if (irrevocable) return;
    if (p->restarts && !t->restarted++) df_restart();
    if (p->fails) df_abort();
}

static void run(int self)
{
    struct thread *t = &thread[self];
    for (size_t i = 0; i < t->blocks; i++) {
        struct attempt *a;
        int effect = 0;
        make_plan(&t->plan, &t->seed);
        t->value = (uint64_t)(self + 1) << 40 | (i + 1);
        t->restarted = 0;
        DF_ATOMIC block(t);
        a = &t->h.attempt[t->h.attempts - 1];
        effect = !t->plan.fails;
        for (int k = 0; k < t->plan.n; k++) effect |= t->plan.kind[k] == IRREVOCABLE;
        if (!effect) continue;
        a->number = t->number, a->written = t->own, a->wrote = t->value;
        /* not the largest, if two meet here: also right */
        if (t->number > __atomic_load_n(&published, __ATOMIC_RELAXED))
            __atomic_store_n(&published, t->number, __ATOMIC_RELEASE);
    }
}

/* --- the check --------------------------------------------------------------------------------------------- */

static struct attempt **writer;       /* by number */
static unsigned writers;
static unsigned *version[VARS];       /* numbers of its writers, in order; the first is 0 */
static size_t versions[VARS];
static unsigned *number_of[THREADS];  /* by the value written; 0: never committed */

static void sort_history(void)
{
    for (int k = 0; k < THREADS; k++) {
        struct history *h = &thread[k].h;
        number_of[k] = calloc(thread[k].blocks + 1, sizeof(unsigned));
        for (size_t i = 0; i < h->attempts; i++) writers += h->attempt[i].number != 0;
    }
    writer = calloc(writers + 1, sizeof *writer);
    for (int v = 0; v < VARS; v++) {
        version[v] = calloc(writers + 1, sizeof(unsigned));
        versions[v] = 1;
    }
    for (int k = 0; k < THREADS; k++) {
        struct history *h = &thread[k].h;
        for (size_t i = 0; i < h->attempts; i++) {
            struct attempt *a = &h->attempt[i];
            if (!a->number) continue;
            CHECK(a->number <= writers && !writer[a->number]); /* each number once: no update of the order was lost */
            writer[a->number] = a;
            number_of[k][a->wrote & 0xffffffff] = a->number;
        }
    }
    for (unsigned n = 1; n <= writers; n++)
        for (int v = 0; v < VARS; v++)
            if (writer[n]->written >> v & 1) version[v][versions[v]++] = n;
    CHECK(order.n == writers);
    for (int v = 0; v < VARS; v++)
        CHECK(versions[v] == 1 ? !*var[v] : *var[v] == writer[version[v][versions[v] - 1]]->wrote);
}

/* When variable v had the value: from this number to before that one. 0: never. */
static int when(int v, uint64_t value, unsigned *from, unsigned *to)
{
    size_t low = 0, high;
    unsigned n = 0;
    *from = *to = 0;
    if (v == ORDER) {
        if (value > writers) return 0;
        *from = (unsigned)value, *to = *from + 1;
        return 1;
    }
    if (value) {
        size_t k = (size_t)(value >> 40) - 1, i = (size_t)(value & 0xffffffff);
        if (k >= THREADS || i > thread[k].blocks || !(n = number_of[k][i])) return 0;
        if (!(writer[n]->written >> v & 1)) return 0;
    }
    high = versions[v];
    while (high - low > 1) { /* the version n */
        size_t middle = (low + high) / 2;
        if (version[v][middle] <= n) low = middle;
        else high = middle;
    }
    *from = n;
    *to = high < versions[v] ? version[v][high] : writers + 1;
    return version[v][low] == n;
}

/* NULL, or what is wrong with it. */
static const char *wrong(const struct history *h, const struct attempt *a)
{
    unsigned from = 0, to = writers + 1, f, t;
    for (size_t i = 0; i < a->n; i++) {
        const struct value *x = &h->value[a->first + i];
        if (!when(x->var, x->value, &f, &t)) return "a value that was never committed";
        if (f > from) from = f;
        if (t < to) to = t;
    }
    if (from >= to) return "values of different times";
    if (a->begun >= to) return "values of a time before it began";
    if (a->number && !(from <= a->number - 1 && a->number - 1 < to)) return "committed though a value was old";
    return NULL;
}

static void check_history(void)
{
    size_t attempts = 0, values = 0;
    for (int k = 0; k < THREADS; k++) {
        struct history *h = &thread[k].h;
        for (size_t i = 0; i < h->attempts; i++) {
            const char *text = wrong(h, &h->attempt[i]);
            if (text) {
                fprintf(stderr, "thread %d, attempt %zu, number %u, begun %u: %s\n", k, i, h->attempt[i].number,
                        h->attempt[i].begun, text);
                for (size_t j = 0; j < h->attempt[i].n; j++) {
                    struct value *x = &h->value[h->attempt[i].first + j];
                    unsigned from, to;
                    when(x->var, x->value, &from, &to);
                    fprintf(stderr, "  variable %d: %llx, there from %u to %u\n", x->var, (unsigned long long)x->value,
                            from, to);
                }
            }
            CHECK(!text);
            attempts++, values += h->attempt[i].n;
        }
    }
    printf("%zu attempts, %zu values, %u blocks that wrote\n", attempts, values, writers);
}

/* One value replaced by another one of its variable, which was not there at the same time as the others. */
static void check_check(void)
{
    uint64_t s = 7;
    int old = 0, before = 0, dirty = 0;
    for (int i = 0; i < 100000 && (old < 100 || before < 10 || dirty < 10); i++) {
        struct thread *t = &thread[test_below(&s, THREADS)];
        struct attempt *a = &t->h.attempt[test_below(&s, (int)t->h.attempts)];
        struct value *x, was;
        unsigned from = 0, to = writers + 1, f, u;
        if (a->n < 2) continue;
        x = &t->h.value[a->first + (size_t)test_below(&s, (int)a->n)];
        if (x->var == ORDER || versions[x->var] < 3) continue;
        was = *x;
        for (size_t k = 0; k < a->n; k++) {
            struct value *y = &t->h.value[a->first + k];
            if (y == x) continue;
            CHECK(when(y->var, y->value, &f, &u));
            from = f > from ? f : from, to = u < to ? u : to;
        }
        x->value = writer[version[x->var][1 + test_below(&s, (int)versions[x->var] - 1)]]->wrote;
        CHECK(when(x->var, x->value, &f, &u));
        if (f >= to || u <= from) CHECK(wrong(&t->h, a)), old++;
        else if (u <= a->begun) CHECK(wrong(&t->h, a)), before++;
        x->value = (uint64_t)9 << 40 | 1;
        CHECK(wrong(&t->h, a)), dirty++;
        *x = was;
        CHECK(!wrong(&t->h, a));
    }
    CHECK(old >= 10 && dirty >= 10);
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    df_stm_counters c;
    stm_given = argc > 1 ? atoi(argv[1]) : 0;
    if (argc <= 1) stm_watch(100);
    printf("seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < THREADS; k++) {
        thread[k].self = k;
        thread[k].seed = seed + 1000 * (uint64_t)k;
        thread[k].blocks = (size_t)stm_rounds(25000);
    }
    stm_run(THREADS, run);
    sort_history();
    check_history();
    check_check();
    CHECK(df_stm_stats(&c) == DF_OK);
    printf("%llu too new, %llu changed, %llu locked, %llu extensions, %llu alone\n", (unsigned long long)c.too_new,
           (unsigned long long)c.changed, (unsigned long long)c.locked, (unsigned long long)c.extensions,
           (unsigned long long)c.alone);
    for (int k = 0; k < THREADS; k++) free(thread[k].h.value), free(thread[k].h.attempt), free(number_of[k]);
    for (int v = 0; v < VARS; v++) free(version[v]);
    free(writer);
}
