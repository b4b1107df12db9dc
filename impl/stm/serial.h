/* serial.h - df_stm.h under DF_SERIAL: one thread, and an undo log
 *
 * There are no conflicts, so memory changes immediately, and the log has what it held before. */
#ifndef DFI_STM_SERIAL_H
#define DFI_STM_SERIAL_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/result.h"
#include "../api/stm_frame.h"
#include "events.h"
#include "left.h"
#include "serial_state.h"
#include "serial_undo.h"
#include "../../df_stm.h"

DFI_EXTERN_C_BEGIN
DFI_API DFI_TM_ANY_FRAME struct dfi_tm_block *dfi_tm_enter(struct dfi_tm_block *b, const char *site, int kind,
                                                           void (*to_jump)(void *), const void *where)
{
    struct dfi_tm *t = &dfi_tm_only;
    if (t->inner && !dfi_tm_nests(t, DFI_CALLER, kind, where) && dfi_tm_settle(t, b, site, DFI_CALLER, kind, where))
        return dfi_tm_not_now(b, NULL);
    b->to_jump = to_jump, b->bottom = DFI_TM_FRAME_END;
    b->alternative = 0;
    b->ran = b->open = 1, b->kind = (unsigned char)kind, b->left = 0;
    if (t->inner) return dfi_tm_nest(t, b, where);
    b->outer = NULL, b->from = dfi_tm_return_of(where);
    t->inner = t->outermost = b;
    t->site = site;
    t->n_written = 0;
    return b;
}

DFI_API struct dfi_tm_block *dfi_tm_enter_unwound(struct dfi_tm_block *b, const char *site, int kind,
                                                  void (*to_jump)(void *), const void *where)
{
    b->thrown = *dfi_tm_uncaught();
    return dfi_tm_enter(b, site, kind, to_jump, where);
}

DFI_API int dfi_tm_was_left(struct dfi_tm_block *b)
{
    b->open = 0;
    dfi_tm_only.inner = b->outer;
    return 0;
}

DFI_API void dfi_tm_end(struct dfi_tm_block *b)
{
    struct dfi_tm *t = &dfi_tm_only;
    if (!b->open) return;
    t->inner = b;
    if (!b->ran) dfi_tm_no_alternative(t, b);
    t->inner = b->outer;
    b->open = 0;
    if (!b->outer) dfi_tm_finish(t);
}

DFI_API int dfi_tm_or_else(void)
{
    struct dfi_tm_block *b = dfi_tm_only.inner;
    if (++b->looked != b->alternative) return 0;
    return b->ran = 1;
}

DFI_API void df_tm_write_bytes(volatile void *to, const void *from, size_t bytes)
{
    struct dfi_tm *t = &dfi_tm_only;
    unsigned char *p = (unsigned char *)(uintptr_t)to;
    const unsigned char *q = (const unsigned char *)from;
    t->n_written += bytes;
    if (!t->inner) dfi_tm_wake(t);
    while (bytes) {
        size_t n = bytes < sizeof t->old->bytes ? bytes : sizeof t->old->bytes;
        if (t->inner && !t->direct && t->n_old == t->max_old &&
            dfi_tm_grow(t, (void *)&t->old, &t->max_old, sizeof *t->old)) t->direct = 1;
        if (t->inner && !t->direct) {
            struct dfi_tm_old *o = &t->old[t->n_old++];
            o->at = p, o->n = (unsigned)n;
            memcpy(o->bytes, p, n);
        }
        memmove(p, q, n);
        p += n, q += n, bytes -= n;
    }
}

DFI_API void dfi_tm_put(volatile void *p, uint64_t value, size_t bytes)
{
    union { uint64_t u64; uint32_t u32; uint16_t u16; uint8_t u8; } x;
    if (bytes == 8) x.u64 = value;
    else if (bytes == 4) x.u32 = (uint32_t)value;
    else if (bytes == 2) x.u16 = (uint16_t)value;
    else x.u8 = (uint8_t)value;
    df_tm_write_bytes(p, &x, bytes);
}

DFI_API void df_tm_read_bytes(void *to, const volatile void *from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
}

DFI_API void *df_tm_malloc(size_t bytes)
{
    struct dfi_tm *t = &dfi_tm_only;
    void *p = dfi_malloc(bytes);
    if (!p || !t->inner || t->direct || dfi_tm_add_event(t, DFI_TM_ALLOCATED, NULL, p, bytes) == 0) return p;
    dfi_mfree(p);
    return NULL;
}

DFI_API void df_tm_free(void *p)
{
    struct dfi_tm *t = &dfi_tm_only;
    if (p && t->inner && dfi_tm_add_event(t, DFI_TM_FREED, NULL, p, 0) == 0) return;
    if (p && t->inner) t->direct = 1; /* there is no way back */
    dfi_mfree(p);
}

DFI_API void dfi_tm_retry(const char *site)
{
    if (dfi_tm_can_undo(&dfi_tm_only, site, "df_retry")) dfi_tm_next_alternative(&dfi_tm_only, dfi_tm_only.inner);
}

DFI_API void dfi_tm_abort(const char *site)
{
    struct dfi_tm *t = &dfi_tm_only;
    struct dfi_tm_block *b = t->inner;
    if (!dfi_tm_can_undo(t, site, "df_abort")) return;
    while (b->outer && !(b->kind & DFI_TM_CLOSED)) b = b->outer;
    if (b->outer) dfi_tm_roll_back(t, b);
    else dfi_tm_take_back(t, b);
    t->counts.by_user++;
    b->left = 1;
    dfi_tm_again(t, b);
}

DFI_API void dfi_tm_do_restart(const char *site)
{
    struct dfi_tm *t = &dfi_tm_only;
    struct dfi_tm_block *b = t->inner;
    if (!dfi_tm_can_undo(t, site, "df_restart")) return;
    while (b->outer) b = b->outer;
    dfi_tm_take_back(t, b);
    t->counts.by_user++;
    b->alternative = 0, b->ran = 1;
    dfi_tm_again(t, b);
}

DFI_API void dfi_tm_irrevocable(const char *site)
{
    struct dfi_tm *t = &dfi_tm_only;
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, "df_irrevocable");
    else t->counts.alone += (uint64_t)!t->direct, t->direct = 1;
}

DFI_API void dfi_tm_validate(const char *site)
{
    if (!dfi_tm_only.inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, "df_tm_validate");
}

DFI_API void df_tm_quiesce(void) { }

DFI_API df_result df_stm_sites(void (*fn)(void *arg, const char *site, const df_stm_counters *counters), void *arg)
{
    (void)fn, (void)arg;
    return DF_OK;
}

DFI_API df_result df_stm_stats(df_stm_counters *c)
{
    *c = dfi_tm_only.counts;
    return DF_OK;
}
DFI_EXTERN_C_END

#endif
