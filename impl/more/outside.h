/* outside.h - signals from outside the only thread of a DF_SERIAL build: interrupts, signal handlers, other threads
 *
 * df_signal of a DF_TOKEN_EXTERNAL adds 1 to a counter of the token there, and does nothing else: it allocates no
 * memory, touches no list and runs no task. The thread reads the counters when all its stacks wait (os/green.h),
 * and opens the tokens that its tasks wait for. The counter, dfi_promised, is written by one signaller at a time and
 * only read by the thread, and dfi_need is written by the thread only, so neither needs an atomic operation. */
#ifndef DFI_MORE_OUTSIDE_H
#define DFI_MORE_OUTSIDE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "idle.h"
#include "types.h"
#include "token.h"
#include "../api/token.h"

#if defined(DF_SERIAL)

/* Have enough signals come to t? */
static int dfi_token_came(const df_token *t)
{
    intptr_t came = *(const volatile intptr_t *)&t->dfi_promised;
    DFI_COMPILER_BARRIER(); /* reads what the signaller wrote before */
    return t->dfi_need > 0 && t->dfi_need <= came;
}

/* Opens the tokens to which enough signals have come. 1: there were some; -1: some are expected; 0: none are. */
static int dfi_look_outside(void)
{
    int i, expected = 0;
    if (dfi_idle_expects()) {
        long us = dfi_idle_call();
        if (!us) dfi_wake_parked(DFI_PARKED_WAITING, 1); /* a signal may have released something */
        if (us >= 0) expected = us ? -1 : 1;
    }
    for (i = 0; i < dfi_pool.n_slots; i++) {
        const struct dfi_on_hold *h;
        for (h = dfi_load_relaxed(&dfi_holds_of(dfi_pool.slot[i])->first); h; h = h->next) {
            const struct dfi_use *u;
            for (u = h->after; u; u = u->next) {
                df_token *t = u->token;
                struct dfi_edge *e;
                int skip;
                if (!(t->dfi_state & DFI_TOKEN_EXTERNAL)) continue;
                if (dfi_token_came(t)) {
                    t->dfi_need = 0;
                    dfi_happened(NULL);
                    e = dfi_token_close(t, &skip);
                    dfi_token_release(NULL, e, skip, 0); /* to the queue: the worker of the caller waits */
                    return 1;
                }
                if (t->dfi_need > 0) expected = -1;
            }
        }
    }
    return expected;
}
#define dfi_up_outside_by , dfi_look_outside

#endif

#endif
