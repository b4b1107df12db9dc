/* serial_state.h - the state of df_stm.h under DF_SERIAL */
#ifndef DFI_STM_SERIAL_STATE_H
#define DFI_STM_SERIAL_STATE_H

#include "../base/memory.h"
#include "../api/stm_frame.h"
#include "../../df_stm.h"

enum { DFI_TM_PREDICTIONS = 64 };
/* A block in df_retry. */
struct dfi_tm_sleep { struct dfi_tm_sleep *next; int own, *awake; };
struct dfi_tm_old { unsigned char *at; unsigned char bytes[8]; unsigned n; };

struct dfi_tm {
    struct dfi_tm_block *inner, *outermost;
    const char *site; /* where the outermost one begins */
    struct dfi_tm_old *old;
    struct dfi_tm_event *events; /* stm/events.h */
    size_t n_old, max_old, n_events, max_events, n_written;
    int direct;
    struct dfi_tm_sleep *sleepers;
    uintptr_t known[DFI_TM_PREDICTIONS]; /* ways from a block to one in a called function */
    df_stm_counters counts;
};
static struct dfi_tm dfi_tm_only;

static struct dfi_tm *dfi_tm_here(void) { return &dfi_tm_only; }
static const char *dfi_tm_place(const struct dfi_tm *t) { return t->site; }
static void dfi_tm_drop(struct dfi_tm *t, void *array) { (void)t, dfi_mfree(array); }

#endif
