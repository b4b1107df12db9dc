/* gain.h - whether it pays to share a short loop: measured, for each place of call
 *
 * A loop of some microseconds is often done sooner by one worker, because its data have to cross to the caches of the
 * others, and come back for the code after it. How long that takes differs between machines, and between the states of
 * one machine, by a factor of ten. So the owner of such a loop measures both: it runs it alone, tries now and then
 * what sharing gains, and shares it while that gains enough; then it tries now and then to run it alone. Wavefronts are
 * loops, too.
 * A place of call is the source line, and the address to which the call returns: either may serve many loops. Another
 * magnitude of the number of iterations is another place.
 * The table belongs to one worker. A wrong decision costs time only. */
#ifndef DFI_MORE_LOOP_GAIN_H
#define DFI_MORE_LOOP_GAIN_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/hash.h"
#include "../../base/memory.h"
#include "../../work/types.h"
#include "alone.h"

enum {
    DFI_GAIN_SETS = 64, DFI_GAIN_WAYS = 4, /* of the table: 8 KiB */
    DFI_GAIN_LEAST_NS = 3000,   /* what is left of a loop runs alone if it is shorter: others need 0.5 us to join */
    DFI_GAIN_SURE_NS = 250000,  /* longer ones are shared */
    DFI_GAIN_FIRST = 3,         /* so many loops of a new place run alone; the first one brings its data here */
    DFI_GAIN_TRIAL = 4,         /* loops of a trial: the first one moves data, or wakes a worker */
    DFI_GAIN_WAKE = 2,          /* loops after a trial that wake workers, who have gone to sleep meanwhile */
    DFI_GAIN_PAUSE = 16,        /* loops between two trials, twice as many after each that changes nothing, .. */
    DFI_GAIN_PAUSE_MOST = 1024, /* .. and at most so many */
    DFI_GAIN_PART = 16,         /* a new time has this part in the mean, */
    DFI_GAIN_MOST = 4,          /* and counts as so many times the mean at most: the thread may have been interrupted */
    DFI_GAIN_FORGET = 8         /* after one loop with iterations of 8 ms, 40 short ones are shared, at 3 us each */
};

/* The next loop is shared, or not; this is a trial. */
enum { DFI_GAIN_ALONE, DFI_GAIN_SHARED, DFI_GAIN_TRIES, DFI_GAIN_TRIES_ALONE = DFI_GAIN_TRIES,
       DFI_GAIN_TRIES_SHARED = DFI_GAIN_TRIES | DFI_GAIN_SHARED };

/* Times are ns for 2^k iterations, of 2^k to 2^(k+1) - 1; 0: unknown. */
struct dfi_gain {
    uintptr_t key;
    unsigned longest;           /* of the last loops, by the iterations that the owner ran; each forgets one 8th */
    unsigned alone, shared;
    unsigned short wait, pause; /* loops until the next trial */
    unsigned char state, log;
    unsigned char left;         /* loops of the trial, or loops whose times do not count */
};

/* The time of 2^k iterations, if n took ns. */
static unsigned dfi_gain_time(const struct dfi_gain *g, uint64_t ns, unsigned long n)
{
    double t = (double)ns * (double)((uint64_t)1 << g->log) / (double)n;
    return t < 1 ? 1u : t < 1e9 ? (unsigned)t : 1000000000u;
}

/* The record of a worker is used anew, perhaps in the child of a fork: there loops that hold entries continue, and
 * another thread may have been writing to them. */
static void dfi_gain_forget(struct dfi_alone *own)
{
    if (own->gain) memset((void *)own->gain, 0, DFI_GAIN_SETS * DFI_GAIN_WAYS * sizeof *own->gain);
}

/* The entry of a place, perhaps a new one; NULL without memory. */
static struct dfi_gain *dfi_gain_of(struct dfi_worker *w, uintptr_t place, unsigned long n)
{
    unsigned log = dfi_high_bit(n);
    uintptr_t key = (place << 6) + log + 1;
    struct dfi_alone *own = dfi_alone_of(w);
    struct dfi_gain *g = own->gain;
    int i;
    if (DFI_UNLIKELY(!g)) {
        if (!(g = (struct dfi_gain *)dfi_malloc(DFI_GAIN_SETS * DFI_GAIN_WAYS * sizeof *g))) return NULL;
        own->gain = (struct dfi_gain *)memset((void *)g, 0, DFI_GAIN_SETS * DFI_GAIN_WAYS * sizeof *g);
    }
    g += (uint64_t)key * 0x9E3779B97F4A7C15u >> 58 << 2;
    for (i = 0; i < DFI_GAIN_WAYS; i++)
        if (g[i].key == key) return g + i;
    for (i = 0; i < DFI_GAIN_WAYS && g[i].key;) i++;
    g += i < DFI_GAIN_WAYS ? (uint32_t)i : dfi_random(&own->random) >> 30;
    memset((void *)g, 0, sizeof *g);
    g->key = key, g->log = (unsigned char)log;
    g->pause = DFI_GAIN_PAUSE, g->wait = DFI_GAIN_FIRST, g->left = 1;
    return g;
}

/* Is it a loop of which that is measured? */
static int dfi_gain_knows(const struct dfi_gain *g)
{
    return g->longest >= DFI_GAIN_LEAST_NS && g->longest < DFI_GAIN_SURE_NS;
}

/* Sharing gains a quarter or more: what it costs to fetch data from here, the code after the loop may pay once more to
 * fetch them back. */
static int dfi_gain_enough(const struct dfi_gain *g) { return g->shared && g->shared < g->alone - g->alone / 4; }

/* The state after a trial, or after sharing has ceased to pay. */
static void dfi_gain_becomes(struct dfi_worker *w, struct dfi_gain *g, int state)
{
    int same = state == DFI_GAIN_SHARED ? g->state == DFI_GAIN_TRIES_ALONE : g->state == DFI_GAIN_TRIES_SHARED;
    if (!same) g->pause = DFI_GAIN_PAUSE;
    else if (g->pause < DFI_GAIN_PAUSE_MOST) g->pause = (unsigned short)(2 * g->pause);
    /* at random, because else trials of several loops would coincide */
    g->wait = (unsigned short)(g->pause / 2u + (dfi_random(&dfi_alone_of(w)->random) >> 16) % g->pause);
    g->left = state == DFI_GAIN_SHARED && same ? DFI_GAIN_WAKE : 0;
    g->state = (unsigned char)state;
}

/* Shall the next loop be shared? */
static int dfi_gain_shares(struct dfi_gain *g)
{
    if (!(g->state & DFI_GAIN_TRIES)) {
        if (g->wait) g->wait--;
        else if (g->state == DFI_GAIN_SHARED && g->shared < g->alone / DFI_GAIN_MOST) { /* there is no doubt yet */
            g->wait = DFI_GAIN_PAUSE_MOST;
            g->alone -= g->alone / DFI_GAIN_FORGET;
        } else {
            if (g->state == DFI_GAIN_ALONE) g->state = DFI_GAIN_TRIES_SHARED, g->shared = 0;
            else g->state = DFI_GAIN_TRIES_ALONE, g->alone = 0;
            g->left = DFI_GAIN_TRIAL;
        }
    }
    return g->state & DFI_GAIN_SHARED;
}

/* A loop took that time. */
static void dfi_gain_took(struct dfi_worker *w, struct dfi_gain *g, int shared, unsigned t)
{
    unsigned *mean = shared ? &g->shared : &g->alone;
    if (shared != (g->state & DFI_GAIN_SHARED)) return;
    if (g->state & DFI_GAIN_TRIES) {
        if (!*mean || t < *mean) *mean = t;
        if (!--g->left) dfi_gain_becomes(w, g, dfi_gain_enough(g) ? DFI_GAIN_SHARED : DFI_GAIN_ALONE);
        return;
    }
    if (g->left) {
        g->left--;
        return;
    }
    if (!*mean) *mean = t;
    if (t / DFI_GAIN_MOST > *mean) t = *mean * DFI_GAIN_MOST;
    *mean = *mean - *mean / DFI_GAIN_PART + t / DFI_GAIN_PART;
    if (shared && g->shared > g->alone - g->alone / 8) dfi_gain_becomes(w, g, DFI_GAIN_ALONE);
}

/* The owner ran n iterations in ns, all: of the whole loop. */
static void dfi_gain_ran(struct dfi_worker *w, struct dfi_gain *g, uint64_t ns, unsigned long n, int all)
{
    unsigned t = dfi_gain_time(g, ns, n);
    if (all && dfi_gain_knows(g)) dfi_gain_took(w, g, 0, t);
    g->longest -= g->longest / DFI_GAIN_FORGET;
    if (t > g->longest) g->longest = t;
}

#endif
