/* sleep.h - threads that sleep in df_retry, for those that wake them
 *
 * Argument: docs/internals/stm.md, stm-values.md, "Retry". */
#ifndef DFI_STM_SLEEP_H
#define DFI_STM_SLEEP_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/system.h"
#include "../api/stm_core.h"
#include "log.h"
#include "state.h"

DFI_SMALL_CODE_BEGIN
struct dfi_tm_sleep {
    struct dfi_tm *tm;             /* its log of reads does not change meanwhile */
    struct dfi_tm_sleep *next;
    struct dfi_os_event event;
    DFI_ATOMIC(int) *awake, own;   /* *awake: a commit has changed the read set; own: for threads that are no workers */
    uint64_t words[8];             /* with values: a bit for each word of its log, which others cannot compare, */
};                                 /* because its memory may have been freed */

DFI_INLINE unsigned dfi_tm_sleep_bit(uintptr_t at) { return (uint32_t)(at / DFI_TM_WORD) * 0x9E3779B1u >> 23; }

/* Notes the words that t has read. */
static void dfi_tm_note_words(const struct dfi_tm *t, struct dfi_tm_sleep *s)
{
    const struct dfi_tm_read *r;
    memset(s->words, 0, sizeof s->words);
    for (r = t->reads; r < t->read_end; r++) {
        unsigned k = dfi_tm_sleep_bit(r->at);
        s->words[k / 64] |= (uint64_t)1 << k % 64;
    }
}

/* Nonzero: the n writes may change what s has read. n: SIZE_MAX: they are not known */
static int dfi_tm_wakes(const struct dfi_tm_sleep *s, const struct dfi_tm_write *w, size_t n)
{
    if (!DFI_TM_VALUES) return dfi_tm_first_changed(s->tm, 0) != dfi_tm_n_reads(s->tm);
    if (n == SIZE_MAX) return 1;
    while (n--) {
        unsigned k = dfi_tm_sleep_bit((uintptr_t)w[n].at);
        if (s->words[k / 64] >> k % 64 & 1) return 1;
    }
    return 0;
}

/* Wakes the threads whose read set may have been changed by n writes, as above; w is NULL: all. */
static DFI_COLD void dfi_tm_wake(const struct dfi_tm_write *w, size_t n)
{
    struct dfi_tm_sleep *s;
    dfi_os_lock(&dfi_stm.sleep_lock);
    for (s = dfi_stm.sleepers; s; s = s->next)
        if (!w || dfi_tm_wakes(s, w, n)) {
            dfi_store_release(s->awake, 1); /* release: pairs with the acquire in dfi_os_event_wait */
            dfi_os_event_wake(&s->event);
        }
    dfi_os_unlock(&dfi_stm.sleep_lock);
}

DFI_SMALL_CODE_END

#endif
