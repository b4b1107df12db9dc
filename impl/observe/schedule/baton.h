/* baton.h - recording and replay of a schedule: only the holder of the baton runs, and its changes
 * are written or read
 *
 * While a run is recorded or replayed, only the thread that holds the baton runs code of df and of
 * tasks. It may lose the baton at points: where df looks for idle workers, when a body ends, when it
 * submits, and when it waits or parks. One thread runs alone between two points. So all results of
 * races between workers (which worker steals what, which ready task runs, in which order bodies
 * begin and end, commuting tasks and transactions come, windows of streams and parts of loops are
 * handed out) follow from the sequence of holders and the number of points of each. That is all that
 * a record holds. Code that measures time reads a clock that counts (dfi_work_ns).
 *
 * A replay takes the number of points and the next holder from the log, and waits for that holder
 * to come. With every change the log has a check of the bodies that began since the last one. If
 * it differs, the log is not of this program, and the run continues freely.
 *
 * A thread that leaves df without unfinished tasks leaves the baton. A thread that holds it without
 * coming to a point, because its task may wait for another thread, loses it after a while; from
 * there to its next point it runs concurrently with others, and nothing of that is recorded.
 * Argument: docs/internals/observe.md, "The baton".
 * Source: LeBlanc, Mellor-Crummey, "Debugging parallel programs with Instant Replay", IEEE Trans.
 * Computers 1987; Musuvathi et al., "Finding and reproducing Heisenbugs in concurrent programs"
 * (CHESS), OSDI 2008. */
#ifndef DFI_OBSERVE_SCHEDULE_BATON_H
#define DFI_OBSERVE_SCHEDULE_BATON_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../more/state.h"
#include "chaos.h"
#include "../../work/director.h"
#include "log.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_BATON_MS = 20,          /* between two looks by a waiting thread */
    /* without a point, for a sleeping thread outside blocks and bodies with unfinished tasks: it may
     * wait for another thread of the program */
    DFI_BATON_OUTSIDE_NS = 100000000,
    DFI_BATON_TURN_NS = 20000,  /* a turn, without a seed: a change takes about 10 us */
    DFI_BATON_NOBODY = -1
};
enum { DFI_BATON_OFF, DFI_BATON_RECORDS, DFI_BATON_REPLAYS };

struct dfi_baton {
    struct dfi_os_mutex lock;
    DFI_ATOMIC(int) on;          /* DFI_BATON_OFF, ...; changed under the lock */
    DFI_ATOMIC(int) holder;      /* slot; written under the lock */
    /* under the lock */
    long thread;                 /* of the holder (dfi_os_thread_number) */
    struct dfi_worker *first;    /* the waiting workers, in the order in which they came */
    struct dfi_schedule_log *log; /* NULL: none; kept while df is stopped */
    uint32_t points;             /* of the holder, since the last step */
    DFI_ATOMIC(uint32_t) check;  /* of the bodies it began since then; written by the holder */
    uint64_t turns;              /* drawn so far, with a seed */
    unsigned ended;              /* no holder: how the last one lost it */
    /* replay, no holder: the next one, and whether for a look; or DFI_BATON_NOBODY: no further one */
    int expected, look;
    uint64_t since, seen;        /* when it was handed on, and when its holder was last at a point */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_baton dfi_baton = { DFI_OS_MUTEX_INIT, 0, DFI_BATON_NOBODY, 0, NULL, NULL, 0, 0, 0, 0,
                                       DFI_BATON_NOBODY, 0, 0, 0 };
DFI_EXTERN_C_END

DFI_FAST int dfi_baton_on(void) { return dfi_load_relaxed(&dfi_baton.on); }
DFI_FAST int dfi_baton_replays(void) { return dfi_baton_on() == DFI_BATON_REPLAYS; }
static int dfi_baton_mine(const struct dfi_worker *w)
{
    return dfi_load_relaxed(&dfi_baton.holder) == (int)dfi_slot_of(w);
}

/* --- holders; pre: the lock ------------------------------------------------------------------- */

static struct dfi_worker *dfi_baton_waiting(unsigned slot)
{
    struct dfi_worker *v = dfi_baton.first;
    while (v && dfi_slot_of(v) != slot) v = dfi_directed_of(v)->next;
    return v;
}

static void dfi_baton_new_step(void)
{
    dfi_baton.points = 0;
    dfi_store_relaxed(&dfi_baton.check, 0u);
}

static void dfi_baton_hold(const struct dfi_worker *w)
{
    dfi_store_relaxed(&dfi_baton.holder, (int)dfi_slot_of(w));
    dfi_baton.thread = dfi_directed_of(w)->thread_number;
    dfi_baton.expected = DFI_BATON_NOBODY;
    dfi_baton_new_step();
    dfi_baton.since = dfi_baton.seen = dfi_os_ns();
}

static void dfi_baton_wake(struct dfi_worker *v)
{
    struct dfi_worker **at = &dfi_baton.first;
    while (*at != v) at = &dfi_directed_of((*at))->next;
    *at = dfi_directed_of(v)->next;
    dfi_store_release(&dfi_directed_of(v)->asks, 0); /* pairs with the acquire in dfi_os_event_wait */
    dfi_os_event_wake(&v->event);
}

static void dfi_baton_free(void)
{
    dfi_store_relaxed(&dfi_baton.on, (int)DFI_BATON_OFF);
    dfi_store_relaxed(&dfi_directed, dfi_load_relaxed(&dfi_directed) & (unsigned)DFI_SEEDED);
    dfi_store_relaxed(&dfi_baton.holder, (int)DFI_BATON_NOBODY);
    while (dfi_baton.first) dfi_baton_wake(dfi_baton.first);
}

/* Gives up the log, for the reason in the message. After the reason: numbers for its text. */
static DFI_COLD void dfi_baton_give_up(const char *format, const char *why)
{
    struct dfi_schedule_log *r = dfi_baton.log;
    dfi_baton.log = NULL;
    dfi_baton_free();
    dfi_os_unlock(&dfi_baton.lock); /* the logger may belong to the program */
    DFI_QUIET_FORMAT
    if (why) dfi_say(DFI_LOG_WARNING, format, r->origin, r->file, why);
    else dfi_say(DFI_LOG_WARNING, format, r->origin, r->file, (unsigned long)r->position);
    DFI_LOUD
    dfi_schedule_log_free(r);
    dfi_os_lock(&dfi_baton.lock);
}
static int dfi_baton_misfit(void)
{
    dfi_baton_give_up("%s%s: step %lu differs from this run: the program runs freely from here on; replay with the "
                      "program, input and settings of the record", NULL);
    return -1;
}

static int dfi_baton_write(unsigned kind, unsigned who)
{
    if (!dfi_schedule_log_put(dfi_baton.log, dfi_baton.points, kind, who, dfi_load_relaxed(&dfi_baton.check))) return 0;
    dfi_baton_give_up(DFI_MESSAGE_RECORD_WRITE, strerror(errno));
    return -1;
}

/* --- recording ---------------------------------------------------------------------------------- */

static uint64_t dfi_baton_draw(void) { return dfi_mix(dfi_seed ^ 0x5bd1e995u, ++dfi_baton.turns); }

/* There is no holder: a waiting worker gets it. */
static void dfi_baton_hand(unsigned how)
{
    struct dfi_worker *v = dfi_baton.first;
    unsigned n = 0, k;
    dfi_store_relaxed(&dfi_baton.holder, (int)DFI_BATON_NOBODY);
    dfi_baton.ended = how;
    if (!v) return;
    if (dfi_chaotic()) {
        for (; v; v = dfi_directed_of(v)->next) n++;
        for (v = dfi_baton.first, k = (unsigned)(dfi_baton_draw() % n); k; k--) v = dfi_directed_of(v)->next;
    }
    if (dfi_baton_write(how, dfi_slot_of(v))) return;
    dfi_baton_hold(v);
    dfi_baton_wake(v);
}

/* True if the holder, which could continue, must hand it on. */
static int dfi_baton_turn_over(uint64_t now)
{
    static const unsigned turn[4] = { 2, 8, 32, 128 };
    if (!dfi_chaotic()) return now - dfi_baton.since >= DFI_BATON_TURN_NS;
    return dfi_baton_draw() % turn[dfi_chaos_habit(DFI_HABIT_TURN, 4)] == 0;
}

/* --- replaying ---------------------------------------------------------------------------------- */

/* The expected worker has come, but not to look: in the recorded run its sleep was over at the moment when it
 * was woken. Then its look found that it need not sleep, and it dropped the baton. Returns that step, or NULL:
 * it went on. */
static const struct dfi_schedule_step *dfi_baton_looked(void)
{
    const struct dfi_schedule_step *s = dfi_baton.look ? dfi_schedule_log_next(dfi_baton.log) : NULL;
    return s && dfi_step_kind(s) == DFI_STEP_DROP && !s->points && !s->check ? s : NULL;
}

/* There is no holder: the next one in the log gets it, now or when it comes. */
static void dfi_baton_follow(const struct dfi_schedule_step *s)
{
    struct dfi_worker *v = NULL;
    for (; s; s = v ? dfi_baton_looked() : NULL) {
        dfi_store_relaxed(&dfi_baton.holder, (int)DFI_BATON_NOBODY);
        dfi_baton.expected = (int)dfi_step_who(s), dfi_baton.look = dfi_step_kind(s) == DFI_STEP_LOOK;
        dfi_baton.seen = dfi_os_ns();
        dfi_schedule_log_used(dfi_baton.log);
        v = dfi_baton_waiting((unsigned)dfi_baton.expected);
    }
    if (!v) return;
    dfi_baton_hold(v);
    dfi_baton_wake(v);
}

static int dfi_baton_checks(const struct dfi_schedule_step *s)
{
    return s->check == (uint16_t)dfi_load_relaxed(&dfi_baton.check);
}

/* The log has no next holder. */
static int dfi_baton_nobody(void)
{
    dfi_store_relaxed(&dfi_baton.holder, (int)DFI_BATON_NOBODY);
    dfi_baton.expected = DFI_BATON_NOBODY;
    dfi_baton.seen = dfi_os_ns();
    return 1;
}

/* The holder is at a point and continues (kind DFI_STEP_PASS), or drops the baton. 1: another worker
 * has it, 0: the holder continues, -1: the log does not fit. */
static int dfi_baton_as_recorded(unsigned kind)
{
    const struct dfi_schedule_step *s = dfi_schedule_log_next(dfi_baton.log);
    unsigned next;
    if (!s) { /* cut off: a crash or a signal ended the recorded program here, without further changes */
        if (kind == DFI_STEP_PASS) return 0;
        return dfi_baton_nobody();
    }
    next = dfi_step_kind(s);
    if (next == DFI_STEP_END && !dfi_step_who(s)) /* then the holder still had the baton, at no particular point */
        return kind == DFI_STEP_PASS ? 0 : dfi_baton_nobody();
    if (next == DFI_STEP_STAY && s->points == dfi_baton.points) {
        if (!dfi_baton_checks(s)) return dfi_baton_misfit();
        dfi_schedule_log_used(dfi_baton.log);
        dfi_baton_new_step();
        return kind == DFI_STEP_PASS ? 0 : dfi_baton_as_recorded(kind);
    }
    if (next == DFI_STEP_AWAY && (kind == DFI_STEP_PASS ? dfi_baton.points == s->points + 1
                                  : dfi_baton.points == s->points)) {
        dfi_baton_follow(s); /* this time it was faster */
        return 1;
    }
    if (kind == DFI_STEP_PASS && dfi_baton.points < s->points) return 0;
    if (kind == DFI_STEP_PASS && dfi_baton.points == s->points && next != DFI_STEP_PASS) return 0;
    if (kind != DFI_STEP_PASS && next == DFI_STEP_END) return dfi_baton_nobody();
    if (dfi_baton.points != s->points || !dfi_baton_checks(s) ||
        (next != kind && !(next == DFI_STEP_LOOK && kind == DFI_STEP_DROP)))
        return dfi_baton_misfit();
    dfi_baton_follow(s);
    return 1;
}

/* --- workers ------------------------------------------------------------------------------------- */

/* w has waited for a while. pre: the lock; w still waits */
static void dfi_baton_late(void)
{
    int holder = dfi_load_relaxed(&dfi_baton.holder), outside = 0;
    uint64_t now = dfi_os_ns(), patience = (uint64_t)dfi_more.patience * 1000000000u,
        ns = now > dfi_baton.seen ? now - dfi_baton.seen : 0;
    const struct dfi_schedule_step *s;
    const struct dfi_worker *v;
    if (holder == DFI_BATON_NOBODY) { /* a replay whose next holder does not come */
        if (dfi_baton.expected == DFI_BATON_NOBODY && ns > DFI_BATON_OUTSIDE_NS &&
            !dfi_schedule_log_next(dfi_baton.log)) {
            dfi_baton_give_up("%s%s stops at step %lu, where the recorded program crashed or was killed: the program "
                              "runs freely from here on", NULL);
            return;
        }
        if (ns > 2 * patience) dfi_baton_misfit();
        return;
    }
    v = dfi_load_acquire(&dfi_pool.slot[holder]);
    outside = !v || dfi_load_relaxed(&v->level) == 0;
    if (ns < (outside ? (uint64_t)DFI_BATON_OUTSIDE_NS : patience)) return;
    if (ns < patience && dfi_os_thread_runs(dfi_baton.thread)) return; /* the holder lacks a CPU */
    if (!dfi_baton_replays()) {
        dfi_store_relaxed(&dfi_baton.check, 0u);
        dfi_baton_hand(DFI_STEP_AWAY);
        if (outside || !dfi_baton.log) return;
        dfi_os_unlock(&dfi_baton.lock);
        dfi_warn_once("a task ran for %d seconds without a call of df while others waited: the others now run "
                      "concurrently with it, which is not in the record; raise DF_PATIENCE if the task only takes long",
                      dfi_more.patience);
        dfi_os_lock(&dfi_baton.lock);
    } else if ((s = dfi_schedule_log_next(dfi_baton.log)) != NULL && dfi_step_kind(s) == DFI_STEP_AWAY &&
               s->points == dfi_baton.points)
        dfi_baton_follow(s);
    else if (ns > 2 * patience) dfi_baton_misfit();
}

/* Returns when w has the baton, or no worker needs it any more. pre: the lock; w does not have the
 * baton. post: the lock is released */
static void dfi_baton_wait(struct dfi_worker *w)
{
    struct dfi_worker **at = &dfi_baton.first;
    while (*at) at = &dfi_directed_of((*at))->next;
    *at = w, dfi_directed_of(w)->next = NULL;
    dfi_store_relaxed(&dfi_directed_of(w)->asks, 1);
    dfi_os_unlock(&dfi_baton.lock);
    while (dfi_os_event_wait(&w->event, &dfi_directed_of(w)->asks, 1, DFI_BATON_MS)) {
        dfi_os_lock(&dfi_baton.lock);
        if (dfi_load_relaxed(&dfi_directed_of(w)->asks)) dfi_baton_late();
        dfi_os_unlock(&dfi_baton.lock);
    }
}

/* pre: the lock; w does not have the baton. post: the lock is released */
static void dfi_baton_get(struct dfi_worker *w)
{
    if (!dfi_directed_of(w)->thread_number) dfi_directed_of(w)->thread_number = dfi_os_thread_number();
    if (dfi_load_relaxed(&dfi_baton.holder) == DFI_BATON_NOBODY) {
        const struct dfi_schedule_step *s;
        while (dfi_baton_replays() && dfi_baton.expected == (int)dfi_slot_of(w) && (s = dfi_baton_looked()) != NULL)
            dfi_baton_follow(s);
        if (dfi_baton_replays() ? dfi_baton.expected == (int)dfi_slot_of(w)
            : !dfi_baton_write(dfi_baton.ended, dfi_slot_of(w)))
            dfi_baton_hold(w);
        if (!dfi_baton_on() || dfi_baton_mine(w)) {
            dfi_os_unlock(&dfi_baton.lock);
            return;
        }
    }
    dfi_baton_wait(w);
}

/* w is at a point: it has the baton when this returns, and may have lost it meanwhile. */
static DFI_NOINLINE void dfi_baton_point(struct dfi_worker *w)
{
    uint64_t now;
    int lost;
    if (!dfi_baton_on()) return;
    now = dfi_os_ns();
    dfi_os_lock(&dfi_baton.lock);
    if (!dfi_baton_on()) {
        dfi_os_unlock(&dfi_baton.lock);
        return;
    }
    if (!dfi_baton_mine(w)) {
        dfi_baton_get(w);
        return;
    }
    dfi_baton.points++;
    if (dfi_baton_replays()) lost = dfi_baton_as_recorded(DFI_STEP_PASS) > 0;
    else {
        lost = dfi_baton.first && dfi_baton_turn_over(now);
        if (lost) dfi_baton_hand(DFI_STEP_PASS);
        else if (dfi_baton.points == DFI_STEP_STAY_POINTS && !dfi_baton_write(DFI_STEP_STAY, dfi_slot_of(w)))
            dfi_baton_new_step();
    }
    if (lost && dfi_baton_on()) {
        dfi_baton_wait(w);
        return;
    }
    dfi_baton.seen = now;
    dfi_os_unlock(&dfi_baton.lock);
}

/* w is about to park, or to leave df. */
static void dfi_baton_drop(struct dfi_worker *w)
{
    if (!dfi_baton_on()) return;
    dfi_os_lock(&dfi_baton.lock);
    if (dfi_baton_on() && dfi_baton_mine(w)) {
        if (dfi_baton_replays()) dfi_baton_as_recorded(DFI_STEP_DROP);
        else dfi_baton_hand(DFI_STEP_DROP);
    }
    dfi_os_unlock(&dfi_baton.lock);
}

/* w comes back. */
static void dfi_baton_take(struct dfi_worker *w)
{
    if (!dfi_baton_on()) return;
    dfi_os_lock(&dfi_baton.lock);
    if (dfi_baton_on() && !dfi_baton_mine(w)) dfi_baton_get(w);
    else dfi_os_unlock(&dfi_baton.lock);
}

/* A thread that is about to get a worker takes its turn first, because the order in which threads
 * come decides their slots. Returns the record that it waits with, for dfi_baton_become; NULL: not
 * needed, or no memory. */
static struct dfi_worker *dfi_baton_stranger(void)
{
    struct dfi_worker *w = dfi_baton_on() ? (struct dfi_worker *)dfi_malloc(dfi_worker_bytes) : NULL;
    if (!w) return NULL;
    memset((void *)w, 0, dfi_worker_bytes);
    w->next_id = DFI_MAX_WORKERS; /* the last slot */
    if (dfi_os_event_init(&w->event)) {
        dfi_mfree(w);
        return NULL;
    }
    dfi_baton_take(w);
    return w;
}

/* The thread has got w, or none. */
static void dfi_baton_become(struct dfi_worker *stranger, struct dfi_worker *w)
{
    if (!stranger) return;
    if (!w) dfi_baton_drop(stranger);
    else {
        dfi_os_lock(&dfi_baton.lock);
        if (dfi_baton_on() && dfi_baton_mine(stranger)) dfi_store_relaxed(&dfi_baton.holder, (int)dfi_slot_of(w));
        dfi_os_unlock(&dfi_baton.lock);
    }
    dfi_os_event_free(&stranger->event);
    dfi_mfree(stranger);
}

/* A parked worker wakes to check for deadlock (more/deadlock.h). Zero: not now. Nonzero: it has the baton. */
static int dfi_baton_look(struct dfi_worker *w)
{
    int may;
    if (!dfi_baton_on()) return 1;
    dfi_os_lock(&dfi_baton.lock);
    may = dfi_baton_on() && dfi_load_relaxed(&dfi_baton.holder) == DFI_BATON_NOBODY &&
          (dfi_baton_replays() ? dfi_baton.look && dfi_baton.expected == (int)dfi_slot_of(w)
           : !dfi_baton_write(DFI_STEP_LOOK, dfi_slot_of(w)));
    if (may) dfi_baton_hold(w);
    else may = !dfi_baton_on();
    dfi_os_unlock(&dfi_baton.lock);
    return may;
}

/* w begins a body: of a task t, or t is NULL. */
static DFI_COLD void dfi_direct_body(struct dfi_worker *w, const char *name, const struct dfi_flow *t)
{
    uint64_t h = t ? dfi_flow_path(t) : 0;
    if (!dfi_baton_on()) {
        if (dfi_chaotic()) dfi_chaos_hold_up(w);
    } else if (dfi_baton_mine(w)) {
        for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u; /* FNV-1a */
        dfi_store_relaxed(&dfi_baton.check, (uint32_t)dfi_mix(dfi_load_relaxed(&dfi_baton.check), h));
    }
}

/* w is outside bodies and blocks: without unfinished tasks and futures it does not need the baton. */
static DFI_COLD void dfi_baton_outside(struct dfi_worker *w)
{
    struct dfi_scope *s = w->scope;
    if (!w->task && !s->outer && !w->head && !w->hot.top &&
        (intptr_t)(s->submitted - s->done) + dfi_load_acquire(&s->pending) == 0) dfi_baton_drop(w);
}

/* A clock that counts: the same in every run of a schedule (dfi_work_ns). */
static DFI_COLD uint64_t dfi_direct_clock(struct dfi_worker *w)
{
    return dfi_directed_of(w)->clock += 200 + (dfi_chaotic() ? dfi_chaos_draw(w) % 16384 : 800);
}

/* --- start and stop; pre: the lock of the pool; observe/schedule/direct.h ----------------------------------------- */

/* w is new, or comes back. */
static void dfi_worker_directed(struct dfi_worker *w)
{
    w->outside = (unsigned)dfi_chaotic();
    w->victim = 0, w->random = dfi_slot_of(w) + 1; /* it may have searched without turns, after an earlier start */
    dfi_directed_of(w)->draws = dfi_directed_of(w)->clock = 0;
    dfi_directed_of(w)->thread_number = 0;
}

/* Ends recording. */
static void dfi_baton_forget(void)
{
    if (dfi_baton.log) dfi_schedule_log_free(dfi_baton.log);
    dfi_baton.log = NULL;
}

/* The child of a fork: the file belongs to the parent. */
static void dfi_baton_forked(void)
{
    struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_baton.lock = fresh;
    dfi_store_relaxed(&dfi_baton.on, (int)DFI_BATON_OFF);
    dfi_store_relaxed(&dfi_directed, dfi_load_relaxed(&dfi_directed) & (unsigned)DFI_SEEDED);
    dfi_baton.first = NULL;
}

DFI_SMALL_CODE_END

#endif
