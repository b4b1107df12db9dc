/* stm.cpp - transactions under a simulator of the C11 memory model: see explore.h
 *
 * The implementation is the one that programs use. Built once for each engine (-DDF_STM_ENGINE). Not simulated:
 * counters; the locks and waits of the operating system, which are given here; the system's barrier in all threads, so
 * blocks announce themselves as where there is none. */
#include "explore.h"

/* Memory: nothing is used again in an execution. */
static char model_memory[1 << 16];
static size_t model_used;
static const void *model_freed[8];
static size_t model_n_freed;
static void *model_malloc(size_t bytes)
{
    void *p = model_memory + model_used;
    model_used += (bytes + 63) / 64 * 64;
    return model_used <= sizeof model_memory ? p : NULL;
}
static void model_free(void *p)
{
    if (p) model_freed[model_n_freed++ % 8] = p;
}
#define DF_MALLOC(bytes) model_malloc(bytes)
#define DF_FREE(p)       model_free(p)

#include "impl/os/os.h"

/* --- the operating system ------------------------------------------------------------------------------ */

static int model_trylock(struct dfi_os_mutex *m)
{
    int free = 0;
    return EXPLORE_CAS((int *)(void *)m, &free, 1, acq_rel);
}
static void model_lock(struct dfi_os_mutex *m)
{
    while (!model_trylock(m)) explore::pause();
}
static void model_unlock(struct dfi_os_mutex *m) { EXPLORE_STORE((int *)(void *)m, 0, release); }
static int model_wait(int *word, int value)
{
    while (EXPLORE_LOAD(word, acquire) == value) explore::pause();
    return 0;
}
static unsigned model_pauses; /* since an access: a pause is a long loop of short ones */
static void model_pause(void)
{
    if (!model_pauses++ && explore::running && !rl::rand(8)) explore::pause(); /* others may have no processor */
}
#define dfi_os_lock(m)                 model_lock(m)
#define dfi_os_trylock(m)              model_trylock(m)
#define dfi_os_unlock(m)               model_unlock(m)
#define dfi_os_hold(m)                 model_lock(m)
#define dfi_os_try_hold(m)             model_trylock(m)
#define dfi_os_let_go(m)               model_unlock(m)
#define dfi_os_event_init(e)           ((void)(e), 0)
#define dfi_os_event_free(e)           ((void)(e))
#define dfi_os_event_wait_us(e, w, v, us) ((void)(e), model_wait((w), (v)))
#define dfi_os_event_wake(e)           ((void)(e))
#define dfi_os_pause()                 model_pause()
#define dfi_os_yield()                 explore::pause()
#define dfi_os_sleep_ms()              explore::pause()
#define dfi_os_fence_all()             (-1)

#define DF_STM_ORECS 64 /* the table in static memory */
#define DF_IMPLEMENTATION
#include "df_stm.h"

/* --- threads ------------------------------------------------------------------------------------------- */

struct of_thread { struct dfi_tm *self; void **block; };
static void explore_save(void *here)
{
    struct of_thread h = { dfi_tm_self, dfi_block_here };
    memcpy(here, &h, sizeof h);
}
static void explore_restore(const void *here)
{
    struct of_thread h;
    memcpy(&h, here, sizeof h);
    dfi_tm_self = h.self, dfi_block_here = h.block;
    model_pauses = 0;
}

enum { THREADS = 3 };
static struct dfi_tm_room *rooms[THREADS];

static bool explore_plain(const volatile void *p) /* counters and hooks */
{
    for (struct dfi_tm_room *r : rooms) {
        const volatile char *c = (const volatile char *)p, *counts = (const volatile char *)&r->tm.counts;
        if (p == &r->tm.site || (c >= counts && c < counts + sizeof r->tm.counts)) return true;
    }
    return p == &dfi_attempt_hook || p == &dfi_df_hooks || p == &dfi_block_hooks || p == &dfi_guest_hook ||
        p == &dfi_stm.loader;
}
static bool explore_freed(const volatile void *p)
{
    for (size_t i = 0; i < model_n_freed && i < 8; i++)
        if (p >= model_freed[i] && (const volatile char *)p < (const char *)model_freed[i] + 64) return true;
    return false;
}

/* Each execution begins with the state after the first block of each thread. */
static struct dfi_stm first_stm;
static dfi_orec first_orecs[DFI_TM_FEW_ORECS];
static char first_rooms[THREADS][sizeof(struct dfi_tm_room)], first_memory[sizeof model_memory];
static size_t first_used;

struct alignas(64) cell { uintptr_t x; };
static cell x, y, z, data[2];

static void prepare()
{
    for (struct dfi_tm_room *&r : rooms) {
        dfi_tm_be(&dfi_tm_nobody);
        DF_ATOMIC { df_tm_write(&x.x, (uintptr_t)0); }
        r = dfi_tm_room_of(dfi_tm_self);
    }
    dfi_tm_be(&dfi_tm_nobody);
    first_stm = dfi_stm;
    memcpy(first_orecs, dfi_tm_few_orecs, sizeof first_orecs);
    for (int i = 0; i < THREADS; i++) memcpy(first_rooms[i], (void *)rooms[i], sizeof *rooms[i]);
    memcpy(first_memory, model_memory, sizeof first_memory);
    first_used = model_used;
}
static void reset()
{
    dfi_stm = first_stm;
    memcpy(dfi_tm_few_orecs, first_orecs, sizeof first_orecs);
    for (int i = 0; i < THREADS; i++) memcpy((void *)rooms[i], first_rooms[i], sizeof *rooms[i]);
    memcpy(model_memory, first_memory, first_used);
    memset(model_memory + first_used, 0, model_used > first_used ? model_used - first_used : 0);
    model_used = first_used, model_n_freed = 0;
    x.x = y.x = z.x = data[0].x = data[1].x = 0;
}

/* --- scenarios ----------------------------------------------------------------------------------------- */

typedef uintptr_t word;
static word get(const cell &c) { return df_tm_read(&c.x); }
static void put(cell &c, word v) { df_tm_write(&c.x, v); }
/* Accesses outside of blocks, to memory that is the thread's own there. */
static word own(const cell &c) { return EXPLORE_LOAD(&c.x, relaxed); }
static void own_set(cell &c, word v) { EXPLORE_STORE(&c.x, v, relaxed); }
/* After a block that has made c private. With values another block may load it, and drop what it has loaded: the load
 * of n_sleepers orders the store on the machines for which df is written, but not in the model of C11 (stm-values.md,
 * "Privatisation" 2). */
static void private_set(cell &c, word v)
{
    if (DFI_TM_VALUES) EXPLORE_STORE(&c.x, v, release);
    else own_set(c, v);
}
template <int N> struct threads { /* a scenario of N threads: each runs thread(0 to N - 1), between begin() and end() */
    enum { THREADS = N };
    static void begin() {}
    static void end() {}
};
#define MUST(condition) ((condition) ? (void)0 : explore::fail(#condition))

/* Two threads add to a word. */
struct lost_update : threads<2> {
    static void thread(unsigned)
    {
        for (int i = 0; i < 2; i++) DF_ATOMIC { put(x, get(x) + 1); }
    }
    static void end() { MUST(x.x == 4); }
};

/* Each of three threads adds to two of three words. */
struct three_words : threads<3> {
    static void thread(unsigned k)
    {
        cell *c[] = { &x, &y, &z };
        DF_ATOMIC {
            put(*c[k], get(*c[k]) + 1);
            put(*c[(k + 1) % 3], get(*c[(k + 1) % 3]) + 1);
        }
    }
    static void end() { MUST(x.x == 2 && y.x == 2 && z.x == 2); }
};

/* Each thread sets its word if both are 0. */
struct write_skew : threads<2> {
    static void thread(unsigned k)
    {
        DF_ATOMIC {
            if (get(x) + get(y) == 0) put(k ? x : y, 1);
        }
    }
    static void end() { MUST(x.x + y.x == 1); }
};

/* Two words are always equal, also to a block that only reads, and to one that will run again. */
struct two_equal : threads<2> {
    static void thread(unsigned k)
    {
        for (int i = 0; i < 2; i++) {
            if (k == 0) {
                DF_ATOMIC { put(x, get(x) + 1), put(y, get(y) + 1); }
            } else {
                DF_ATOMIC {
                    word a = get(x), b = get(y);
                    MUST(a == b);
                    if (i) put(z, a);
                }
            }
        }
    }
    static void end() { MUST(x.x == 2 && y.x == 2); }
};

/* What a block has seen, a later block of another thread, which learns of it, sees, too. */
struct chain : threads<3> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC { put(x, 1); }
        } else if (k == 1) {
            DF_ATOMIC {
                if (get(x)) put(y, 1);
            }
        } else {
            DF_ATOMIC {
                if (get(y)) MUST(get(x) == 1);
            }
        }
    }
};

/* A word is published by a block. */
struct publication : threads<2> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            own_set(data[0], 1);
            DF_ATOMIC { put(x, 1); }
        } else {
            DF_ATOMIC {
                if (get(x)) MUST(get(data[0]) == 1);
            }
        }
    }
};

/* A block makes two words private; then the thread uses them as it likes. */
struct privatisation : threads<2> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            word a, b;
            DF_ATOMIC { put(x, 1); }
            a = own(data[0]), b = own(data[1]);
            MUST(a == b);
            private_set(data[0], 5);
            private_set(data[1], 6);
            MUST(own(data[0]) == 5 && own(data[1]) == 6);
        } else
            for (int i = 0; i < 2; i++)
                DF_ATOMIC {
                    if (!get(x)) {
                        word a = get(data[0]), b = get(data[1]);
                        MUST(a == b);
                        put(data[0], a + 1);
                        put(data[1], b + 1);
                    }
                }
    }
    static void end() { MUST(data[0].x == 5 && data[1].x == 6); }
};

/* The same, of one word, against a block that only reads. */
struct private_reader : threads<2> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC { put(x, 1); }
            private_set(data[0], 5);
        } else {
            DF_ATOMIC {
                if (!get(x)) MUST(get(data[0]) == 0);
            }
        }
    }
};

/* The same, against the first block of a thread. */
struct newcomer : private_reader {
    static void thread(unsigned k)
    {
        if (k == 1) dfi_tm_be(&dfi_tm_nobody);
        private_reader::thread(k);
    }
};

/* The same, against a block that runs again. */
struct private_again : threads<2> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC { put(y, 1); }
            DF_ATOMIC { put(x, 1); }
            private_set(data[0], 5);
        } else {
            DF_ATOMIC {
                (void)get(y);
                if (!get(x)) MUST(get(data[0]) == 0);
            }
        }
    }
};

/* The same by a thread that has learned from another one's block, and waits. */
struct quiesce : threads<3> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC { put(x, 1); }
        } else if (k == 1) {
            word is = 0;
            DF_ATOMIC { is = get(x); }
            if (!is) return;
            df_tm_quiesce();
            private_set(data[0], 5);
        } else private_reader::thread(1);
    }
};

/* In a block: the value of the cell to which x points. */
static word linked()
{
    cell *c = (cell *)get(x);
    return c ? get(*c) : 1;
}

/* Memory that a block has unlinked and freed is not accessed afterwards. */
struct freed : threads<2> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC {
                put(x, 0);
                df_tm_free(&data[0]);
            }
            df_tm_quiesce();
        } else
            for (int i = 0; i < 2; i++)
                DF_ATOMIC { (void)linked(); }
    }
    static void begin() { x.x = (uintptr_t)&data[0]; }
};

/* The same, against a block that begins once. */
struct freed_once : freed {
    static void thread(unsigned k)
    {
        if (k == 0) freed::thread(0);
        else {
            DF_ATOMIC { (void)linked(); }
        }
    }
};

/* The same, against the first block of a thread. */
struct freed_newcomer : freed {
    static void thread(unsigned k)
    {
        if (k == 1) dfi_tm_be(&dfi_tm_nobody);
        freed_once::thread(k);
    }
};

/* The same; the thread that has freed the memory ends. */
struct freed_at_end : freed {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC {
                put(x, 0);
                df_tm_free(&data[0]);
            }
            dfi_tm_detach(dfi_tm_self);
        } else freed_once::thread(1);
    }
};

/* The same, against a block that runs again. */
struct freed_again : freed {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC { put(y, 1); }
            freed_at_end::thread(0);
        } else {
            DF_ATOMIC {
                (void)get(y);
                (void)linked();
            }
        }
    }
};

/* A block waits for another one. */
struct retry : threads<2> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC {
                if (!get(x)) df_retry();
            }
        } else {
            DF_ATOMIC { put(x, 1); }
        }
    }
};

/* The same; the other one cannot be rolled back. */
struct retry_alone : retry {
    static void thread(unsigned k)
    {
        if (k == 0) retry::thread(0);
        else {
            DF_ATOMIC {
                df_irrevocable();
                put(x, 1);
            }
        }
    }
};

/* The same; what the block has read is freed meanwhile. */
struct retry_freed : freed {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC {
                if (!linked()) df_retry();
            }
        } else freed_at_end::thread(0);
    }
};

/* A commit that fails gives back the version of a record that it has locked. */
struct given_back : threads<3> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC { put(y, 1), put(z, 1); }
            DF_ATOMIC { put(x, 1); }
        } else if (k == 1) {
            DF_ATOMIC {
                word a = get(x);
                put(y, get(y));
                put(x, a);
            }
        } else {
            DF_ATOMIC {
                word a = get(y), b = get(z);
                MUST(a == b);
            }
        }
    }
};

/* A block that cannot be rolled back, beside one that can. */
struct irrevocable : threads<2> {
    static void thread(unsigned k)
    {
        DF_ATOMIC {
            word a = get(x), b = get(y);
            MUST(a == b);
            if (k == 0) df_irrevocable();
            put(x, a + 1);
            put(y, b + 1);
        }
    }
    static void end() { MUST(x.x == 2 && y.x == 2); }
};

/* The same, against a block that only reads. */
struct irrevocable_reader : threads<2> {
    static void thread(unsigned k)
    {
        if (k == 0) {
            DF_ATOMIC {
                df_irrevocable();
                put(x, 1);
                put(y, 1);
            }
        } else {
            DF_ATOMIC {
                word a = get(x), b = get(y);
                MUST(a == b);
            }
        }
    }
};

/* Blocks that are rolled back alone. */
struct nested : threads<2> {
    static void thread(unsigned k)
    {
        DF_ATOMIC {
            put(x, get(x) + 1);
            DF_ATOMIC_CLOSED { put(k ? y : z, get(y) + get(z) + 1); }
        }
    }
    static void end() { MUST(x.x == 2 && y.x + z.x == 3); }
};

/* --- exploration --------------------------------------------------------------------------------------- */

template <class S> struct simulation : rl::test_suite<simulation<S>, S::THREADS> {
    void before()
    {
        reset();
        S::begin();
        explore::running = true;
        explore::begin_objects();
    }
    void thread(unsigned k)
    {
        static cell idle[THREADS];
        dfi_tm_be(&rooms[k]->tm);
        if (rl::rand(2)) memset(dfi_tm_self->log_for, DFI_TM_PREDICT, sizeof dfi_tm_self->log_for); /* logs at once */
        for (unsigned n = rl::rand(4) ? rl::rand(40) : 0; n; n--) (void)own(idle[k]); /* others begin first */
        S::thread(k);
    }
    void after()
    {
        explore::running = false;
        S::end();
        explore::end_objects();
    }
};

struct scenario { const char *name; bool (*simulate)(rl::test_params &); };
#define SCENARIO(name) { #name, rl::simulate<simulation<name> > }
static const scenario scenarios[] = {
    SCENARIO(lost_update), SCENARIO(write_skew), SCENARIO(two_equal), SCENARIO(chain), SCENARIO(publication),
    SCENARIO(privatisation), SCENARIO(private_reader), SCENARIO(newcomer), SCENARIO(private_again), SCENARIO(quiesce),
    SCENARIO(freed), SCENARIO(freed_once), SCENARIO(freed_newcomer), SCENARIO(freed_at_end), SCENARIO(freed_again),
    SCENARIO(retry), SCENARIO(retry_alone), SCENARIO(retry_freed), SCENARIO(given_back),
    SCENARIO(irrevocable), SCENARIO(irrevocable_reader), SCENARIO(nested), SCENARIO(three_words)
};

#include "explore_main.h"
