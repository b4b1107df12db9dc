/* until.h - a task that is done when its body has ended and a token is open: a message of df_mpi.h
 *
 * The token keeps the task in its list, as one that it starts. When it opens, the task becomes ready again, and
 * completes in place of running. Argument: docs/internals/waiting.md, "Tokens and nodes" 12. */
#ifndef DFI_MORE_UNTIL_H
#define DFI_MORE_UNTIL_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/ranks.h"
#include "../api/token.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "../flow/moments.h"
#include "../flow/types.h"
#include "cancel.h"
#include "token.h"
#include "types.h"

DFI_EXTERN_C_BEGIN
DFI_API int dfi_done_later(struct dfi_until *u)
{
    struct dfi_flow *t = dfi_me() ? dfi_me()->task : NULL;
    if (!t || t->task.mem.special != DFI_HAS_EXTRA) return 0;
    dfi_tokens_of(t->extra)->held.until = &u->token;
    return 1;
}
DFI_EXTERN_C_END

/* The token of t, which has waited for it, is open. */
static void dfi_until_over(struct dfi_flow *t)
{
    struct dfi_on_hold *h = &dfi_tokens_of(t->extra)->held;
    const df_token *k = h->until;
    h->until = NULL;
    if (!(dfi_load_relaxed(&k->dfi_state) & DFI_TOKEN_SKIP)) return;
    dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    if (dfi_load_relaxed(&k->dfi_code)) dfi_flow_cancels(t->scope, t, dfi_load_relaxed(&k->dfi_code), k->dfi_text);
}

/* The body of t has ended. Nonzero: it is not done, and may be another thread's. */
static int dfi_until_waits(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_on_hold *h = &dfi_tokens_of(t->extra)->held;
    struct dfi_until *u = (struct dfi_until *)(void *)h->until;
    struct dfi_edge *e = (struct dfi_edge *)(void *)u->edge;
    e->task = t;
    dfi_store_relaxed(&t->wait, (intptr_t)1);
    dfi_hold_task(w, t->extra);
    if (dfi_token_push(&u->token, e)) return 1;
    dfi_unhold(h);
    dfi_until_over(t);
    return 0;
}

#endif
