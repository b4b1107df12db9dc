/* token.h - tokens under DF_SERIAL
 *
 * A token of DF_TOKEN is signalled by the thread that runs the tasks: df_signal then runs what it releases, where its scope goes on.
 * One of DF_TOKEN_EXTERNAL may be signalled by an interrupt, a signal handler or another thread. There df_signal adds 1 to a counter of the
 * token, and does nothing else: no memory is allocated, no list is touched, nothing runs. The thread whose tasks wait looks at the
 * counter in its own calls of df. `dfi_promised` is that counter: written by who signals from outside, one at a time, and only read
 * here; dfi_need is written here only. So neither needs an atomic read-modify-write. */
#ifndef DFI_SERIAL_TOKEN_H
#define DFI_SERIAL_TOKEN_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/result.h"
#include "../observe/graph/graph.h"
#include "hook.h"
#include "impl.h"
#include "../api/public.h"

/* What a wait does between two looks at the counters. The program may define it: on a microcontroller, to sleep until the next
 * interrupt. The default sleeps for a millisecond where there is POSIX, and else looks again. */
#if !defined(DF_IDLE) && (defined(__unix__) || defined(__APPLE__))
#include <poll.h>
#define DF_IDLE() ((void)poll(NULL, 0, 1))
#elif !defined(DF_IDLE)
#define DF_IDLE() ((void)0)
#endif

/* What the signaller wrote before is read after the counter: the compiler keeps that order. */
#if DFI_GNU
#define DFI_SERIAL_BARRIER() __asm__ __volatile__("" ::: "memory")
#else
#define DFI_SERIAL_BARRIER() ((void)0)
#endif

static intptr_t dfi_token_missing(const df_token *t)
{
    intptr_t came = *(const volatile intptr_t *)&t->dfi_promised;
    DFI_SERIAL_BARRIER();
    return t->dfi_need - (t->dfi_state & DFI_TOKEN_EXTERNAL ? came : 0);
}
static int dfi_token_is_open(const df_token *t) { return dfi_token_missing(t) <= 0; }

/* t has all its signals: what waits for it is ready, in the order in which it came. */
static void dfi_token_open(df_token *t)
{
    struct dfi_waiter *w, *next, *first = NULL;
    struct dfi_external **at, *e;
    int skip = t->dfi_state & DFI_TOKEN_SKIP;
    t->dfi_need = 0;
    dfi_serial_events++;
    if (DFI_GRAPH()) dfi_graph_token_opens(DFI_GRAPH(), t);
    for (at = &dfi_externals; t->dfi_state & DFI_TOKEN_EXTERNAL && (e = *at) != NULL;)
        if (e->token != t) at = &e->next;
        else {
            *at = e->next;
            DF_FREE(e);
        }
    for (w = (struct dfi_waiter *)t->dfi_list; w; w = next) /* newest first: turn them around */
        next = w->next, w->next = first, first = w;
    t->dfi_list = NULL;
    for (w = first; w; w = next) {
        next = w->next;
        if (skip) w->held->skip = 1;
        if (--w->held->wait == 0) dfi_held_ready(w->held);
        DF_FREE(w);
    }
}

/* A signal by the thread that runs the tasks. */
static void dfi_token_signal(df_token *t, const char *site, int skip)
{
    if (t->dfi_need <= 0) {
        if (!skip && !(t->dfi_state & DFI_TOKEN_SKIP)) dfi_error("%s: a signal too many for the token of %s, which "
                                                                 "is open already: no effect", site, t->dfi_site);
        return;
    }
    if (skip) t->dfi_state |= DFI_TOKEN_SKIP;
    t->dfi_need--;
    if (dfi_token_is_open(t)) dfi_token_open(t);
}

/* --- signals from outside ------------------------------------------------------------------------ */

/* A task of this thread is going to wait for t. 0, or -1 without memory. */
static int dfi_external_note(df_token *t)
{
    struct dfi_external *e;
    for (e = dfi_externals; e; e = e->next)
        if (e->token == t) return 0;
    if (!(e = (struct dfi_external *)DF_MALLOC(sizeof *e))) {
        dfi_warn_no_memory();
        return -1;
    }
    e->token = t, e->next = dfi_externals;
    dfi_externals = e;
    return 0;
}

/* Waits until t is open. */
static void dfi_external_now(df_token *t)
{
    while (!dfi_token_is_open(t))
        if (!dfi_serial_help()) DF_IDLE();
}

/* Have any come? Nonzero: some tokens are open now. */
static int dfi_external_look(void)
{
    struct dfi_external *e, *next;
    int some = 0;
    for (e = dfi_externals; e; e = next) {
        next = e->next; /* e goes with its token */
        if (!dfi_token_is_open(e->token)) continue;
        dfi_token_open(e->token);
        some = 1;
    }
    return some;
}

/* The thread has nothing to do. Zero: there is nothing to wait for, either. */
static int dfi_external_wait(void)
{
    if (!dfi_externals) return 0;
    if (!dfi_external_look()) DF_IDLE();
    return 1;
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_token_init(df_token *t, long k, const char *site)
{
    if (DFI_GRAPH()) dfi_graph_token_opens(DFI_GRAPH(), t);
    memset(t, 0, sizeof *t);
    t->dfi_need = (intptr_t)k, t->dfi_site = site;
}

DFI_API void dfi_signal(df_token *t, const char *site)
{
    struct dfi_g_item *i;
    if (t->dfi_state & DFI_TOKEN_EXTERNAL) {
        volatile intptr_t *came = &t->dfi_promised;
        DFI_SERIAL_BARRIER();
        *came = *came + 1;
        return;
    }
    i = DFI_GRAPH() ? dfi_graph_body() : NULL;
    if (i) dfi_graph_token(DFI_GRAPH(), i, t, DFI_G_SIGNALS, dfi_token_is_open(t));
    dfi_token_signal(t, site, 0);
    dfi_serial_now();
}

DFI_API df_result dfi_wait_token(df_token *t, const char *site)
{
    struct dfi_scope *s = dfi_scope_of(dfi_frame_here());
    dfi_taskgraph_cannot("df_wait_token", site);
    while (!dfi_token_is_open(t)) {
        if (s->frame.is_scope && (s->ready || s->fired)) dfi_scope_run_one(s);
        else if (!dfi_serial_help()) {
            if (t->dfi_state & DFI_TOKEN_EXTERNAL) {
                DF_IDLE();
                continue;
            }
            dfi_error("%s: df_wait_token waits for the token of %s, which nobody can signal any more: given up; "
                      "raise its signals, lower its count, or use DF_TOKEN_EXTERNAL", site, t->dfi_site);
            return DF_ERROR_STUCK;
        }
    }
    return t->dfi_state & DFI_TOKEN_SKIP ? DF_ERROR_CANCELLED : DF_OK;
}
DFI_EXTERN_C_END

#endif
