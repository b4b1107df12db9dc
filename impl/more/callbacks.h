/* callbacks.h - df_config.worker_start, worker_stop and thread_name: callbacks of threads, and their names */
#ifndef DFI_MORE_CALLBACKS_H
#define DFI_MORE_CALLBACKS_H

#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../api/config.h"
#include "../work/module.h"
#include "../work/types.h"

#include <stdio.h>

DFI_SMALL_CODE_BEGIN

enum { DFI_THREAD_NAME = 16 }; /* bytes of the name of a thread on Linux, with the zero at its end */

/* The settings of this run, written while the pool starts. */
static struct {
    void (*start)(void *arg, int worker);
    void (*stop)(void *arg, int worker);
    void *arg;
    char name[DFI_THREAD_NAME]; /* empty: threads have the name of the program */
} dfi_callbacks;

/* The worker_stop that the thread of a worker has to call, because it called worker_start. */
struct dfi_started {
    void (*stop)(void *arg, int worker);
    void *arg;
    int index;
    int called;
};
DFI_ROOM(dfi_started, dfi_started_of, dfi_worker);

static void dfi_callbacks_read(const df_config *c)
{
    const char *name = c && c->thread_name ? c->thread_name : "df";
    dfi_callbacks.start = c ? c->worker_start : NULL;
    dfi_callbacks.stop = c ? c->worker_stop : NULL;
    dfi_callbacks.arg = c ? c->worker_arg : NULL;
    snprintf(dfi_callbacks.name, sizeof dfi_callbacks.name, "%s", name);
}

#if !defined(DF_SERIAL)
/* The number of w stays complete; a long prefix is cut. */
static void dfi_thread_named(const struct dfi_worker *w)
{
    char name[DFI_THREAD_NAME + 16], number[16];
    int n = snprintf(number, sizeof number, " %d", dfi_load_relaxed(&w->index));
    if (!dfi_callbacks.name[0]) return;
    snprintf(name, sizeof name, "%.*s%s", DFI_THREAD_NAME - 1 - n, dfi_callbacks.name, number);
    dfi_os_thread_name(name);
}
#endif

static void dfi_thread_starts(const struct dfi_worker *w)
{
    struct dfi_started *s = dfi_started_of(w);
    if (s->called) return;
    s->called = 1, s->stop = dfi_callbacks.stop, s->arg = dfi_callbacks.arg, s->index = dfi_load_relaxed(&w->index);
    if (dfi_callbacks.start) (dfi_callbacks.start)(s->arg, s->index);
}

static void dfi_thread_stops(const struct dfi_worker *w)
{
    struct dfi_started *s = dfi_started_of(w);
    if (!s->called) return;
    s->called = 0;
    if (s->stop) (s->stop)(s->arg, s->index);
}

static void dfi_module_callbacks(const struct dfi_moment *m)
{
    switch (m->is) {
    case DFI_POOL_BEGINS: dfi_callbacks_read(m->config); break;
#if !defined(DF_SERIAL)
    case DFI_THREAD_HELPS: dfi_thread_named(m->w); break;
#endif
    case DFI_THREAD_READY: dfi_thread_starts(m->w); break;
    case DFI_THREAD_STOPS:
    case DFI_THREAD_LEAVES: dfi_thread_stops(m->w); break;
    case DFI_WORKER_IS_NEW: dfi_started_of(m->w)->called = 0; break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
