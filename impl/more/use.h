/* use.h - memory for what links a task to groups, semaphores and tokens */
#ifndef DFI_MORE_USE_H
#define DFI_MORE_USE_H

#include "../work/blocks.h"
#include "../work/types.h"
#include "types.h"

static struct dfi_use *dfi_use_new(struct dfi_worker *w, struct dfi_use **list)
{
    struct dfi_use *u = (struct dfi_use *)dfi_block_get(w, DFI_CLS_USE);
    if (!u) return NULL;
    u->group = NULL, u->semaphore = NULL, u->copy = NULL, u->token = NULL;
    u->own.p = NULL;
    u->next = *list, *list = u;
    return u;
}

/* The place of the lock at address p in a list of locks, which is sorted by address: the link to it, or to the next. */
static struct dfi_use **dfi_use_place(struct dfi_use **at, const void *p)
{
    while (*at && (uintptr_t)((*at)->group ? (void *)(*at)->group : (void *)(*at)->semaphore) < (uintptr_t)p)
        at = &(*at)->next;
    return at;
}

static void dfi_uses_free(struct dfi_worker *w, struct dfi_worker *home, struct dfi_use *u)
{
    while (u) {
        struct dfi_use *next = u->next;
        dfi_block_free(w, home, &u->head);
        u = next;
    }
}

#endif
