/* api.h - functions of df_stm.h: begin and end of a block, accesses, memory, handlers */
#ifndef DFI_STM_API_H
#define DFI_STM_API_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/result.h"
#include "../api/stm_checkpoint.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "events.h"
#include "left.h"
#if defined(DF_SERIAL)
#include "serial_state.h"
#include "serial.h"
#include "serial_undo.h"
#else
#include "../base/atomic.h"
#include "../base/memory.h"
#include "../os/system.h"
#include "block.h"
#include "commit.h"
#include "../api/hooks.h"
#include "log.h"
#include "retry.h"
#include "state.h"
#include "thread.h"
#endif
#include "../../df_stm.h"

#if !defined(DF_SERIAL)
/* --- begin and end of a block --------------------------------------------------------------------- */

/* Fills b, and returns it. pre: a block is open */
DFI_INLINE struct dfi_tm_block *dfi_tm_begin_inner(struct dfi_tm *t, struct dfi_tm_block *b, int kind,
                                                   dfi_tm_jump_fn *to_jump, const void *where)
{
    b->open = 1, b->left = 0, b->ran = 1, b->alternative = 0;
    b->kind = (unsigned)kind, b->to_jump = to_jump;
    return dfi_tm_nest(t, b, where);
}

/* The same. pre: no block is open. caller: the address of the call in the code */
DFI_INLINE struct dfi_tm_block *dfi_tm_begin_outermost(struct dfi_tm *t, struct dfi_tm_block *b, const char *site,
                                                       int kind, dfi_tm_jump_fn *to_jump, const void *where,
                                                       uintptr_t caller)
{
    uintptr_t key = (uintptr_t)site ^ caller; /* as a line may have several blocks, and a call run several functions */
    t->inner = t->outermost = b;
    b->outer = NULL, b->of = t, b->from = dfi_tm_return_of(where);
    b->open = 1, b->left = 0, b->ran = 1, b->alternative = 0;
    b->kind = (unsigned)kind, b->to_jump = to_jump;
    dfi_tm_set_place(t, site);
    t->prediction = &t->log_for[(key ^ key >> 6) % DFI_TM_PREDICTIONS];
    t->logs = *t->prediction;
    return DFI_UNLIKELY(dfi_attempted()) ? dfi_tm_begin_told(t, b) : dfi_tm_begin_reading(t, b);
}

DFI_SMALL_CODE_BEGIN
/* Begins the first block of a thread, or one in another block that may have been left. */
static DFI_COLD struct dfi_tm_block *dfi_tm_begin_first(struct dfi_tm_block *b, const char *site, int kind,
                                                        dfi_tm_jump_fn *to_jump, const void *where, uintptr_t caller)
{
    struct dfi_tm *t = dfi_tm_self;
    if (t->inner && dfi_tm_settle(t, b, site, caller, kind, where)) return dfi_tm_not_now(b, NULL);
    t = dfi_tm_self; /* a block that was left may have used the spare record */
    if (t == &dfi_tm_nobody && !(t = dfi_tm_attach())) return dfi_tm_not_now(b, site);
    return t->inner ? dfi_tm_begin_inner(t, b, kind, to_jump, where) : dfi_tm_enter(b, site, kind, to_jump, where);
}

DFI_SMALL_CODE_END

static DFI_TM_ANY_FRAME struct dfi_tm_block *dfi_tm_begin_nested(struct dfi_tm_block *b, const char *site, int kind,
                                                                 dfi_tm_jump_fn *to_jump, const void *where,
                                                                 uintptr_t caller)
{
    struct dfi_tm *t = dfi_tm_self;
    if (DFI_UNLIKELY(!t->inner || !dfi_tm_nests(t, caller, kind, where)))
        return dfi_tm_begin_first(b, site, kind, to_jump, where, caller);
    return dfi_tm_begin_inner(t, b, kind, to_jump, where);
}

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_tm_block *dfi_tm_enter(struct dfi_tm_block *b, const char *site, int kind, dfi_tm_jump_fn *to_jump,
                                          const void *where)
{
    struct dfi_tm *t = dfi_tm_self;
    if (DFI_UNLIKELY(t == &dfi_tm_nobody || t->inner))
        return dfi_tm_begin_nested(b, site, kind, to_jump, where, DFI_CALLER);
    return dfi_tm_begin_outermost(t, b, site, kind, to_jump, where, DFI_CALLER);
}

DFI_SMALL_CODE_BEGIN
/* b, which is nested in another block, ends after that one has. */
static DFI_NOINLINE DFI_COLD void dfi_tm_outlived(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_error("%s: the atomic block that begins here ended before a block inside of it: a coroutine gave up the thread "
              "in that one; its writes until then are part of this block, those behind are not atomic; do not switch "
              "stacks in an atomic block", dfi_tm_place(t));
    b->open = 0;
}

DFI_API DFI_COLD int dfi_tm_was_left(struct dfi_tm_block *b)
{
    struct dfi_tm *t = dfi_tm_self;
    b->open = 0;
    t->inner = b->outer;
    if (!b->outer) dfi_tm_spare_back(t);
    return 0;
}
DFI_SMALL_CODE_END

DFI_API void dfi_tm_end(struct dfi_tm_block *b)
{
    struct dfi_tm *t = dfi_tm_self;
    if (!b->open) return;
    if (DFI_UNLIKELY(b->outer && !t->inner)) {
        dfi_tm_outlived(t, b);
        return;
    }
    t->inner = b; /* nested blocks that were left by a jump end with it */
    if (DFI_UNLIKELY(!b->ran)) dfi_tm_no_alternative(t, b);
    if (b->outer) {
        t->inner = b->outer;
        b->open = 0;
        return;
    }
    DFI_TM_CHECK_COPIES(t);
    if (t->n_writes) dfi_tm_commit(t, b, DFI_TM_FRAME_END);
    else if (DFI_UNLIKELY(t->n_events | (size_t)t->odd)) dfi_tm_commit_odd(t, b);
    else {
        t->inner = NULL;
        dfi_tm_done(t, b, 0);
    }
}
DFI_EXTERN_C_END

/* --- accesses, memory, control -------------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API uint64_t dfi_tm_get(const volatile void *p, size_t bytes)
{
    struct dfi_tm *t = dfi_tm_self;
    uint64_t x = 0;
    if (DFI_LIKELY(t->inner && !t->direct && bytes <= DFI_TM_WORD && !((uintptr_t)p & (bytes - 1)))) {
        if (DFI_UNLIKELY(dfi_load_relaxed(&t->asked))) dfi_tm_asked(t);
        return dfi_tm_read_piece(t, p, bytes);
    }
    df_tm_read_bytes(dfi_tm_low_of(&x, sizeof x, bytes), p, bytes);
    return x;
}

DFI_SMALL_CODE_BEGIN
/* dfi_tm_put of a value that crosses a word. */
static DFI_COLD void dfi_tm_put_range(volatile void *p, uint64_t value, size_t bytes)
{
    df_tm_write_bytes(p, dfi_tm_low_of(&value, sizeof value, bytes), bytes);
}
DFI_SMALL_CODE_END

DFI_API void dfi_tm_put(volatile void *p, uint64_t value, size_t bytes)
{
    struct dfi_tm *t = dfi_tm_self;
    /* newest: in a block, and not in direct mode */
    if (DFI_LIKELY(bytes <= DFI_TM_WORD && !((uintptr_t)p & (bytes - 1)) && dfi_load_relaxed(&t->newest))) {
        if (DFI_LIKELY(t->n_writes < t->few)) { /* and the first to its word: no search */
            if (DFI_LIKELY(!(t->filter >> dfi_tm_bit(p) & 1))) {
                if (DFI_LIKELY(bytes == DFI_TM_WORD))
                    dfi_tm_append_write(t, (uintptr_t *)(uintptr_t)p, (uintptr_t)value, UINTPTR_MAX);
                else dfi_tm_append_part(t, p, (uintptr_t)value, bytes);
                return;
            }
        } else if (!t->few && bytes == DFI_TM_WORD) {
            dfi_tm_write_indexed(t, (uintptr_t *)(uintptr_t)p, (uintptr_t)value);
            return;
        }
    }
    if (DFI_LIKELY((uintptr_t)p % DFI_TM_WORD + bytes <= DFI_TM_WORD))
        dfi_tm_write_part(t, p, (uintptr_t)value, bytes);
    else dfi_tm_put_range(p, value, bytes);
}

DFI_SMALL_CODE_BEGIN
DFI_API DFI_COLD void dfi_tm_no_room(void)
{
    struct dfi_tm *t = dfi_tm_self;
    if (dfi_tm_grow_reads(t) == 0) return;
    if (!t->alone) dfi_tm_restart_alone(t, DFI_TM_GIVES_WAY);
    dfi_tm_forget_reads(t, 0); /* while it runs alone the read set cannot change */
    t->forgot = t->odd = 1;
}

DFI_API void *df_tm_malloc(size_t bytes)
{
    struct dfi_tm *t = dfi_tm_self;
    void *p = dfi_malloc(bytes);
    if (!p || !t->inner || t->direct || dfi_tm_add_event(t, DFI_TM_ALLOCATED, NULL, p, bytes) == 0) return p;
    dfi_mfree(p);
    return NULL;
}

/* Without a block: others may still load what this thread has made private, unless its blocks have waited. */
static void dfi_tm_free_outside(struct dfi_tm *t, void *p)
{
    if (!DFI_TM_WAITS && t == &dfi_tm_nobody && dfi_load_seq_cst(&dfi_stm.all)) t = dfi_tm_attach();
    if (DFI_TM_WAITS || !t || t == &dfi_tm_nobody) {
        dfi_mfree(p);
        return;
    }
    /* memory that was unlinked before this time cannot be reached at it; acquire: the unlinking commit comes first */
    t->time = dfi_tm_time_of(dfi_load_acquire(&dfi_stm.clock));
    dfi_tm_release_later(t, p);
    if (t->spare) dfi_tm_free_old(t, 1);
    dfi_tm_spare_back(t);
}

DFI_API void df_tm_free(void *p)
{
    struct dfi_tm *t = dfi_tm_self;
    if (!p) return;
    if (!t->inner) {
        dfi_tm_free_outside(t, p);
        return;
    }
    if (dfi_tm_add_event(t, DFI_TM_FREED, NULL, p, 0) == 0) return;
    if (!t->alone) dfi_tm_restart_alone(t, DFI_TM_GIVES_WAY);
    if (!t->direct) dfi_tm_go_direct(t, DFI_TM_FRAME_END); /* it cannot be rolled back */
    if (DFI_TM_VALUES) dfi_tm_release_later(t, p);
    else dfi_mfree(p); /* no other thread reads it */
}

DFI_API DFI_COLD void dfi_tm_abort(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    struct dfi_tm_block *b = t->inner;
    if (!dfi_tm_can_undo(t, site, "df_abort")) return;
    while (b->outer && !(b->kind & DFI_TM_CLOSED)) b = b->outer;
    dfi_tm_count(t, DFI_TM_BY_USER);
    b->left = 1;
    if (b->outer) dfi_tm_roll_back(t, b);
    else {
        dfi_tm_take_back(t, DFI_TM_BY_USER);
        dfi_tm_alone_end(t);
    }
    dfi_tm_again(t, b);
}

DFI_API DFI_COLD void dfi_tm_do_restart(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    struct dfi_tm_block *b;
    if (!dfi_tm_can_undo(t, site, "df_restart")) return;
    b = t->outermost;
    dfi_tm_count(t, DFI_TM_BY_USER);
    dfi_tm_take_back(t, DFI_TM_BY_USER);
    t->inner = b;
    dfi_tm_alone_end(t); /* the condition it waits for may be set by another block */
    dfi_os_yield();
    t->attempts = 0;
    dfi_tm_begin_again(t, b);
}

DFI_API DFI_COLD void dfi_tm_validate(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, "df_tm_validate");
    if (!t->inner || t->alone) return;
    if (t->resumed) dfi_tm_go_on(t);
    if (t->logs) dfi_tm_extend(t, DFI_TM_CHANGED);
    else if (dfi_tm_time_of(dfi_load_acquire(&dfi_stm.clock)) != t->time) dfi_tm_restart(t, DFI_TM_TO_LOG);
}

DFI_API DFI_COLD void dfi_tm_irrevocable(const char *site)
{
    struct dfi_tm *t = dfi_tm_self;
    uintptr_t now;
    int valid;
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, "df_irrevocable");
    if (!t->inner || t->direct) return;
    if (t->resumed) dfi_tm_go_on(t);
    if (!t->alone) {
        if (!dfi_os_try_hold(&dfi_stm.alone_lock)) /* the thread that holds it waits for us */
            dfi_tm_restart_alone(t, DFI_TM_GIVES_WAY);
        dfi_tm_run_alone(t);
        now = dfi_load_relaxed(&dfi_stm.clock);
        valid = t->logs ? dfi_tm_first_changed(t, now) == dfi_tm_n_reads(t) : dfi_tm_time_of(now) == t->time;
        if (!valid) dfi_tm_restart(t, DFI_TM_CHANGED); /* it runs alone from the beginning */
    }
    dfi_tm_go_direct(t, DFI_TM_FRAME_END);
}

DFI_API DFI_COLD void df_tm_quiesce(void)
{
    struct dfi_tm *t = dfi_tm_self;
    /* the end of the block waits; with values others may still load what a block has unlinked that runs alone */
    if (t->inner && !(DFI_TM_VALUES && t->direct)) return;
    dfi_tm_quiesce(t, dfi_tm_tick(t->alone)); /* alone: also in a handler of a block that is rolled back */
    if (t != &dfi_tm_nobody) dfi_tm_free_old(t, 1);
}
DFI_SMALL_CODE_END
DFI_EXTERN_C_END
#endif

/* --- the same in the serial and the parallel implementation --------------------------------------- */

DFI_SMALL_CODE_BEGIN
static DFI_NOINLINE df_result dfi_tm_on(int kind, void (*fn)(void *), void *arg, const char *name)
{
    struct dfi_tm *t = dfi_tm_here();
    if (!t->inner) {
        dfi_error(DFI_MESSAGE_TM_OUTSIDE, "df_stm", name);
        return DF_ERROR_MEMORY;
    }
    if (!dfi_tm_add_event(t, kind, fn, arg, 0)) return DF_OK;
    dfi_warn_once(DFI_MESSAGE_TM_MEMORY, name);
    return DF_ERROR_MEMORY;
}

DFI_EXTERN_C_BEGIN
#if defined(DFI_TM_SAVE_REGISTERS)
__attribute__((naked, noinline, weak, DFI_VISIBLE, returns_twice))
int dfi_tm_save_registers(void **jump __attribute__((unused)))
{
    __asm__("movq %rbx, (%rdi)\nmovq %rbp, 8(%rdi)\nmovq %r12, 16(%rdi)\nmovq %r13, 24(%rdi)\n"
            "movq %r14, 32(%rdi)\nmovq %r15, 40(%rdi)\nleaq 8(%rsp), %rdx\nmovq %rdx, 48(%rdi)\n"
            "movq (%rsp), %rdx\nmovq %rdx, 56(%rdi)\nxorl %eax, %eax\nret");
}
__attribute__((naked, noinline, weak, DFI_VISIBLE))
void dfi_tm_to_registers(void *jump __attribute__((unused)))
{
    __asm__("movq (%rdi), %rbx\nmovq 8(%rdi), %rbp\nmovq 16(%rdi), %r12\nmovq 24(%rdi), %r13\n"
            "movq 32(%rdi), %r14\nmovq 40(%rdi), %r15\nmovq 48(%rdi), %rsp\nmovl $1, %eax\njmpq *56(%rdi)");
}
#endif
DFI_API char DFI_STM_NEED[1] = { 0 };

DFI_API df_result df_tm_on_commit(void (*fn)(void *arg), void *arg)
{
    return dfi_tm_on(DFI_TM_AT_COMMIT, fn, arg, "df_tm_on_commit");
}

DFI_API df_result df_tm_on_abort(void (*fn)(void *arg), void *arg)
{
    return dfi_tm_on(DFI_TM_AT_ABORT, fn, arg, "df_tm_on_abort");
}

/* What df_tm_save_bytes has saved; its bytes follow. */
struct dfi_tm_saved { void *p; size_t bytes; };
static void dfi_tm_saved_back(void *saved)
{
    const struct dfi_tm_saved *s = (const struct dfi_tm_saved *)saved;
    memcpy(s->p, s + 1, s->bytes);
}

DFI_API df_result df_tm_save_bytes(void *p, size_t bytes)
{
    struct dfi_tm_saved *s;
    if (!dfi_tm_here()->inner) return DF_OK;
    s = (struct dfi_tm_saved *)df_tm_malloc(sizeof *s + bytes);
    if (!s) {
        dfi_warn_once(DFI_MESSAGE_TM_MEMORY, "df_tm_save");
        return DF_ERROR_MEMORY;
    }
    s->p = p, s->bytes = bytes;
    memcpy(s + 1, p, bytes);
    df_tm_free(s); /* at the commit; on a roll back the handler comes first */
    return dfi_tm_on(DFI_TM_AT_ABORT, dfi_tm_saved_back, s, "df_tm_save");
}

DFI_API void *df_tm_calloc(size_t n, size_t bytes)
{
    void *p = bytes && n > SIZE_MAX / bytes ? NULL : df_tm_malloc(n * bytes);
    return p ? memset(p, 0, n * bytes) : NULL;
}

DFI_API void df_tm_copy(volatile void *to, const volatile void *from, size_t bytes)
{
    unsigned char part[256];
    int back = (uintptr_t)to - (uintptr_t)from < bytes; /* they overlap: copies the end first */
    DFI_TM_NOTE_COPY(to, bytes);
    while (bytes) {
        size_t n = bytes < sizeof part ? bytes : sizeof part, at = back ? bytes - n : 0;
        df_tm_read_bytes(part, (const volatile char *)from + at, n);
        df_tm_write_bytes((volatile char *)to + at, part, n);
        if (!back) to = (volatile char *)to + n, from = (const volatile char *)from + n;
        bytes -= n;
    }
}

DFI_API struct dfi_tm_block *dfi_tm_inner(void) { return dfi_tm_here()->inner; }

DFI_API int dfi_tm_runs(void)
{
    struct dfi_tm_block *b = dfi_tm_here()->inner;
    if (!dfi_tm_go(b)) return 0;
    if (b->alternative) dfi_tm_end(b); /* of df_retry: there is none, so that it waits, and does not return */
    return 1;
}

DFI_API DFI_COLD void dfi_tm_broke(struct dfi_tm_block *b, const char *site)
{
    dfi_warn_once("%s: break ends the atomic block that begins here, not a loop around it: leave the loop by goto or "
                  "return, or end the block alone by continue", site);
    dfi_tm_end(b);
}

DFI_API df_result dfi_tm_atomically(void (*fn)(void *arg), void *arg, const char *site, int kind)
{
    struct dfi_tm_block b DFI_TM_AT_END;
    struct dfi_tm_block *p = DFI_TM_ENTER(&b, site, kind | DFI_TM_CALLED, dfi_tm_jump, DFI_TM_FRAME_END);
    if (!p->open) return DF_ERROR_ABORTED;
    (void)DFI_CHECKPOINT(p->jump);
    if (!dfi_tm_go(p)) return DF_ERROR_ABORTED;
    if (!p->alternative) fn(arg);
    dfi_tm_end(p);
    return DF_OK;
}
DFI_SMALL_CODE_END
DFI_EXTERN_C_END

#endif
