/* api.h - the rest of the functions of df_stm.h */
#ifndef DFI_STM_API_H
#define DFI_STM_API_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/wait.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "block.h"
#include "commit.h"
#include "counts.h"
#include "events.h"
#include "hook.h"
#include "log.h"
#include "state.h"

DFI_EXTERN_C_BEGIN
DFI_API uint64_t dfi_tm_get(const volatile void *p, size_t bytes)
{
    union { uint64_t u64; uint32_t u32; uint16_t u16; uint8_t u8; } x;
    struct dfi_tm *t = dfi_tm_self;
    if (DFI_LIKELY(bytes == DFI_TM_WORD && (uintptr_t)p % DFI_TM_WORD == 0 && t->buffers)) {
        struct dfi_tm_write *w;
        uintptr_t word;
        if (DFI_UNLIKELY(dfi_load_relaxed(&t->asked))) dfi_tm_asked(t);
        w = dfi_tm_find(t, (uintptr_t *)(uintptr_t)p);
        if (w && w->mask == UINTPTR_MAX) return w->bits;
        if (!w) {
            dfi_tm_read_memory(t, &word, p, DFI_TM_WORD);
            return word;
        }
    }
    dfi_tm_read_range(t, &x, p, bytes);
    return bytes == 8 ? x.u64 : bytes == 4 ? x.u32 : bytes == 2 ? x.u16 : x.u8;
}

DFI_API void dfi_tm_put(volatile void *p, uint64_t value, size_t bytes)
{
    union { uint64_t u64; uint32_t u32; uint16_t u16; uint8_t u8; } x;
    struct dfi_tm *t = dfi_tm_self;
    if (DFI_LIKELY(bytes == DFI_TM_WORD && (uintptr_t)p % DFI_TM_WORD == 0 && t->buffers)) {
        dfi_tm_write_word(t, (uintptr_t *)(uintptr_t)p, (uintptr_t)value, UINTPTR_MAX);
        return;
    }
    if (bytes == 8) x.u64 = value;
    else if (bytes == 4) x.u32 = (uint32_t)value;
    else if (bytes == 2) x.u16 = (uint16_t)value;
    else x.u8 = (uint8_t)value;
    dfi_tm_write_range(t, p, &x, bytes);
}

DFI_API void dfi_tm_no_room(void)
{
    struct dfi_tm *t = dfi_tm_self;
    if (dfi_tm_grow_reads(t) == 0) return;
    if (!t->alone) dfi_tm_restart_alone(t, DFI_TM_GIVES_WAY);
    dfi_tm_forget_reads(t, 0); /* alone nothing that was read can change */
    t->forgot = t->odd = 1;
}

DFI_API void df_tm_read_bytes(void *to, const volatile void *from, size_t bytes) { dfi_tm_read_range(dfi_tm_self, to, from, bytes); }
DFI_API void df_tm_write_bytes(volatile void *to, const void *from, size_t bytes) { dfi_tm_write_range(dfi_tm_self, to, from, bytes); }

DFI_API void *df_tm_malloc(size_t bytes)
{
    struct dfi_tm *t = dfi_tm_self;
    void *p = dfi_malloc(bytes);
    if (!p || !t->inner || t->direct || dfi_tm_add_event(t, DFI_TM_ALLOCATED, NULL, p) == 0) return p;
    dfi_mfree(p);
    return NULL;
}

DFI_API void df_tm_free(void *p)
{
    struct dfi_tm *t = dfi_tm_self;
    if (!p) return;
    if (!t->inner) {
        dfi_mfree(p);
        return;
    }
    if (dfi_tm_add_event(t, DFI_TM_FREED, NULL, p) == 0) return;
    if (!t->alone) dfi_tm_restart_alone(t, DFI_TM_GIVES_WAY);
    if (!t->direct) dfi_tm_go_direct(t); /* nobody else reads it, and there is no way back */
    dfi_mfree(p);
}

DFI_API void dfi_tm_abort(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    struct dfi_tm_block *b = t->inner;
    if (!dfi_tm_can_undo(t, site, "df_abort")) return;
    while (b->outer && !(b->kind & DFI_TM_CLOSED)) b = b->outer;
    dfi_tm_count(t, DFI_TM_BY_USER);
    b->left = 1;
    if (b->outer) dfi_tm_roll_back(t, b);
    else {
        dfi_tm_take_back(t);
        dfi_tm_alone_end(t);
    }
    dfi_tm_again(t, b);
}

DFI_API void dfi_tm_do_restart(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    struct dfi_tm_block *b;
    if (!dfi_tm_can_undo(t, site, "df_restart")) return;
    b = t->outermost;
    dfi_tm_count(t, DFI_TM_BY_USER);
    dfi_tm_take_back(t);
    t->inner = b;
    dfi_tm_alone_end(t); /* what it waits for may be another block */
    dfi_os_yield();
    t->attempts = 0;
    t->logs = t->buffers = 1;
    b->alternative = 0, b->ran = 1;
    dfi_attempt(t->site, DFI_ATOMIC_BEGINS);
    dfi_tm_begin_reading(t);
    dfi_tm_again(t, b);
}

DFI_API void dfi_tm_validate(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, "df_tm_validate");
    if (!t->inner || t->alone) return;
    if (t->resumed) dfi_tm_go_on(t);
    if (t->logs) dfi_tm_extend(t, DFI_TM_CHANGED);
    else if (dfi_tm_time_of(dfi_load_acquire(&dfi_stm.clock)) != t->time) dfi_tm_restart(t, DFI_TM_TO_LOG);
}

DFI_API void dfi_tm_irrevocable(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    int valid;
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, "df_irrevocable");
    if (!t->inner || t->direct) return;
    if (t->resumed) dfi_tm_go_on(t);
    if (!t->alone) {
        if (!dfi_os_trylock(&dfi_stm.alone_lock)) dfi_tm_restart_alone(t, DFI_TM_GIVES_WAY); /* who holds it waits for us */
        dfi_tm_keep_out(t);
        t->alone = t->odd = 1;
        dfi_tm_count(t, DFI_TM_RAN_ALONE);
        valid = t->logs ? dfi_tm_first_changed(t) == dfi_tm_n_reads(t)
                        : dfi_tm_time_of(dfi_load_relaxed(&dfi_stm.clock)) == t->time;
        if (!valid) dfi_tm_restart(t, DFI_TM_CHANGED); /* and alone from the beginning */
    }
    dfi_tm_go_direct(t);
}

DFI_API void df_tm_quiesce(void)
{
    struct dfi_tm *t = dfi_tm_self;
    if (t->inner) return; /* the end of the block does it */
    dfi_tm_quiesce(t, dfi_tm_tick());
    if (t != &dfi_tm_nobody) dfi_tm_free_old(t, 1);
}
DFI_EXTERN_C_END

#endif
