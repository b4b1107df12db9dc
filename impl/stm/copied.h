/* copied.h - DF_DEBUG: df_tm_copy to a local variable, which then has its old value until the block ends
 *
 * Whether a variable on the stack is shared cannot be known. What is known is that nobody else has written it since the block began, by its orec; so
 * if it changed after the copy the block itself used it as a local, by a plain access, and its end would overwrite that. */
#ifndef DFI_STM_COPIED_H
#define DFI_STM_COPIED_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/stack.h"
#include "../api/stm_core.h"
#include "log.h"
#include "state.h"

#if DF_DEBUG
enum { DFI_TM_COPIED = 8, DFI_TM_COPIED_BYTES = 64 }; /* so many copies of a block are looked at, and the beginning of each */
struct dfi_tm_copied { const unsigned char *at; size_t bytes; uintptr_t time; unsigned char before[DFI_TM_COPIED_BYTES]; };
static DFI_TLS struct dfi_tm_copied dfi_tm_copied[DFI_TM_COPIED];
static DFI_TLS unsigned dfi_tm_n_copied;


/* The calling thread's block copies to `to`. */
static void dfi_tm_note_copy(const volatile void *to, size_t bytes)
{
    struct dfi_tm_copied *c = &dfi_tm_copied[dfi_tm_n_copied];
    const void *p = (const void *)(uintptr_t)to;
    size_t i;
    if (!dfi_tm_self->inner || dfi_tm_self->direct || dfi_tm_n_copied == DFI_TM_COPIED || !dfi_os_on_stack(p, p)) return;
    c->at = (const unsigned char *)p, c->bytes = bytes < DFI_TM_COPIED_BYTES ? bytes : (size_t)DFI_TM_COPIED_BYTES;
    for (i = 0; i < c->bytes; i++) /* acquire: no commit of a time before ours is still writing there */
        if (dfi_load_acquire(dfi_tm_orec((const unsigned char *)p + i)) > dfi_tm_self->time) return;
    c->time = dfi_tm_self->time; /* one that was extended since may cover commits of others */
    dfi_tm_load(c->before, p, c->bytes);
    dfi_tm_n_copied++;
}

/* At the end of the outermost block, before it is committed. */
static DFI_TM_ANY_FRAME void dfi_tm_check_copies(struct dfi_tm *t)
{
    size_t i;
    unsigned n;
    for (n = 0; n < dfi_tm_n_copied; n++) {
        const struct dfi_tm_copied *c = &dfi_tm_copied[n];
        for (i = 0; i < c->bytes; i++) {
            const unsigned char *p = c->at + i;
            uintptr_t *word = (uintptr_t *)((uintptr_t)p - (uintptr_t)p % DFI_TM_WORD);
            unsigned char now;
            dfi_tm_load_piece(&now, p, 1);
            if (now == c->before[i] || !dfi_tm_find(t, word) ||
                t->time != c->time || dfi_load_relaxed(dfi_tm_orec(p)) > t->time) continue;
            dfi_error("%s: the atomic block that begins here uses df_tm_copy for a local variable, which has its "
                      "old value until the block ends: read into it by df_tm_read_bytes", t->site);
            break;
        }
    }
    dfi_tm_n_copied = 0;
}
#define DFI_TM_NOTE_COPY(to, bytes) dfi_tm_note_copy((to), (bytes))
#define DFI_TM_CHECK_COPIES(t)      (dfi_tm_n_copied ? dfi_tm_check_copies(t) : (void)0)
#define DFI_TM_FORGET_COPIES()      (dfi_tm_n_copied = 0)
#else
#define DFI_TM_NOTE_COPY(to, bytes) ((void)0)
#define DFI_TM_CHECK_COPIES(t)      ((void)0)
#define DFI_TM_FORGET_COPIES()      ((void)0)
#endif

#endif
