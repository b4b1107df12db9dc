/* pause.h - tasks that wait in their bodies, under DF_SERIAL
 *
 * In a program that contains calls that may block (api/may_block.h) each body runs on a stack of its own. Where it waits in df_retry, in
 * df_wait_token or for children, and nothing is ready that could end that, the thread changes to the stack from which the body was run,
 * and so its submitter goes on. Paused bodies are resumed by the thread when it waits itself, each once for all that has happened since it
 * was paused (dfi_serial_events), in the order in which they were paused. When nothing has happened since all of them looked, and no
 * event from outside is expected, nothing ever will: the wait that comes first is given up.
 * Without fibres, or memory for one, a body runs on the stack of its submitter, and a wait in it that this keeps from ending is given up. */
#ifndef DFI_SERIAL_PAUSE_H
#define DFI_SERIAL_PAUSE_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/may_block.h"
#include "../api/result.h"
#include "../api/serial.h"
#include "../os/fibre.h"
#include "../os/fibre_swap.h"
#include "hook.h"
#include "impl.h"

#if DFI_BLOCKING_TABLE
struct dfi_pause {
    struct dfi_fibres *fibres;   /* of one */
    struct dfi_pause *next;      /* paused later; or unused */
    struct dfi_pause *outer;     /* the one that was running when it was run or resumed */
    struct dfi_held *held;
    struct dfi_frame *top;       /* while it is paused: its frame */
    size_t events;               /* so many had happened when it looked last */
    int over, stuck;
};
static DFI_TLS struct dfi_pause *dfi_paused, *dfi_pause_unused, *dfi_pause_here; /* here: whose stack this is */

/* Changes of stacks, called through variables: an optimiser that saw the functions would conclude that they leave the static
 * variables of this file as they are (gcc 12 at -O1: ipa-reference). */
static void (*volatile dfi_pause_jump)(struct dfi_fibre *from, struct dfi_fibre *to, int last) = dfi_fibre_jump;
static enum dfi_fibres_end (*volatile dfi_pause_start)(struct dfi_fibres *s, int n, void (*run)(void *arg, int i), void *arg) = dfi_fibres_run;

/* The body of the task, on its stack. */
static void dfi_pause_body(void *arg, int i)
{
    struct dfi_pause *p = (struct dfi_pause *)arg;
    (void)i;
    dfi_held_body(p->held);
    p->over = 1;
}

static struct dfi_pause *dfi_pause_new(void)
{
    struct dfi_pause *p = dfi_pause_unused;
    if (p) dfi_pause_unused = p->next;
    else if (!dfi_fibres_possible() || !(p = (struct dfi_pause *)DF_MALLOC(sizeof *p))) return NULL;
    else if (!(p->fibres = dfi_fibres_new(1))) {
        DF_FREE(p);
        dfi_warn_no_memory();
        return NULL;
    } else p->fibres->ordered = 1; /* one body at a time, which uses what the others have written */
    return p;
}

/* p has come back: ended, or paused again. Nonzero: paused. */
static int dfi_pause_back(struct dfi_pause *p)
{
    struct dfi_pause **at = &dfi_paused;
    dfi_pause_here = p->outer;
    if (!p->over) {
        while (*at) at = &(*at)->next;
        p->next = NULL;
        *at = p;
        return 1;
    }
    p->held->pause = NULL;
    if (p->fibres->end == DFI_FIBRES_DONE) p->next = dfi_pause_unused, dfi_pause_unused = p;
    else { /* it needed more than the stack is meant for, of what lies below */
        dfi_fibres_free(p->fibres);
        DF_FREE(p);
    }
    return 0;
}

/* Runs the body of h. Nonzero: it is paused. */
static int dfi_pause_run(struct dfi_held *h)
{
    struct dfi_pause *p = dfi_pause_new();
    if (!p) {
        dfi_held_body(h);
        return 0;
    }
    h->pause = p;
    p->held = h, p->over = p->stuck = 0;
    p->outer = dfi_pause_here;
    dfi_pause_here = p;
    dfi_pause_start(p->fibres, 1, dfi_pause_body, p);
    return dfi_pause_back(p);
}

/* pre: p is paused, and the code of dfi_serial_top is what runs. */
static void dfi_pause_resume(struct dfi_pause *p)
{
    struct dfi_pause **at = &dfi_paused;
    struct dfi_frame *top = dfi_serial_top;
    struct dfi_held *h = p->held;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    p->outer = dfi_pause_here;
    dfi_pause_here = p;
    dfi_serial_top = p->top;
    dfi_pause_jump(&p->fibres->main, &p->fibres->fibre[0], 0);
    dfi_serial_top = top;
    if (!dfi_pause_back(p)) dfi_held_end(dfi_scope_awake(dfi_scope_of(h->scope.frame.outer)), h);
}

/* The code that runs waits, and nothing is ready. Nonzero: look again. */
static int dfi_pause_wait(void)
{
    struct dfi_pause *p = dfi_pause_here;
    if (p) {
        p->top = dfi_serial_top;
        p->events = dfi_serial_events;
        dfi_pause_jump(&p->fibres->fibre[0], &p->fibres->main, 0);
        if (!p->stuck) return 1;
        p->stuck = 0;
        return 0;
    }
    for (p = dfi_paused; p; p = p->next)
        if (p->events != dfi_serial_events) {
            dfi_pause_resume(p);
            return 1;
        }
    return 0;
}

static void dfi_pause_give_up(struct dfi_held *h)
{
    h->pause->stuck = 1;
    dfi_pause_resume(h->pause);
}
#else
struct dfi_pause { int none; };
static int dfi_pause_run(struct dfi_held *h)
{
    dfi_held_body(h);
    return 0;
}
static int dfi_pause_wait(void) { return 0; }
static void dfi_pause_give_up(struct dfi_held *h) { (void)h; }
#endif

/* df_retry. Zero: nothing can change any more what the block has read. */
static int dfi_pause_retry(const char *site)
{
    size_t events = dfi_serial_events;
    struct dfi_frame *m;
    (void)site;
    while (events == dfi_serial_events) {
        m = dfi_frame_here();
        if (m->is_scope && (dfi_scope_of(m)->ready || dfi_scope_of(m)->fired)) dfi_scope_run_one(dfi_scope_of(m));
        else if (!dfi_serial_help()) {
            dfi_frame_error(m->is_task ? m->outer : m, DF_ERROR_STUCK, NULL);
            return 0;
        }
    }
    return 1;
}

static void dfi_pause_begin(void) { dfi_serial_retry_hook = dfi_pause_retry; }

#endif
