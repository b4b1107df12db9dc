/* stm.c - df_stm.h and df_owm.h for the oracle: an atomic block holds the only lock and logs old values to roll back */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "oracle.h"
#include "df_stm.h"
#include "df_owm.h"

char DFI_STM_NEED[1];
static dfi_orec orec;
static struct dfi_tm nobody = { .orecs = &orec }; /* no inline read succeeds: newest is 0 */
DFI_TLS struct dfi_tm *dfi_tm_self = &nobody;

enum what { WRITTEN, ALLOCATED, FREED, ON_COMMIT, ON_ABORT };
struct entry {
    enum what what;
    void *p;                                 /* WRITTEN: the byte, with its `old` value */
    unsigned char old;
    void (*fn)(void *arg);
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held by the outermost block that runs */
static DFI_TLS struct entry *entry;
static DFI_TLS size_t entries, room;
static DFI_TLS struct dfi_tm_block *inner;   /* the innermost block that is open */
static DFI_TLS int irrevocable;
static unsigned long commits;                /* atomic */

static struct entry *note(enum what what, void *p)
{
    if (entries == room && !(entry = realloc(entry, (room = 2 * room + 64) * sizeof *entry))) abort();
    memset(&entry[entries], 0, sizeof *entry);
    entry[entries].what = what, entry[entries].p = p;
    return &entry[entries++];
}
static void back_to(size_t mark)
{
    size_t n = entries, i;
    struct entry *undone;
    for (i = n; i-- > mark;)
        if (entry[i].what == WRITTEN) *(unsigned char *)entry[i].p = entry[i].old;
    if (!(undone = malloc((n - mark + 1) * sizeof *undone))) abort();
    memcpy(undone, entry + mark, (n - mark) * sizeof *undone);
    entries = mark;
    for (i = n - mark; i-- > 0;) { /* handlers may have blocks of their own */
        if (undone[i].what == ALLOCATED) free(undone[i].p);
        if (undone[i].what == ON_ABORT) undone[i].fn(undone[i].p);
    }
    free(undone);
}
/* What df_abort leaves: the innermost closed block, or else the outermost one. */
static struct dfi_tm_block *unit(void)
{
    struct dfi_tm_block *b = inner;
    while (b->outer && !(b->kind & DFI_TM_CLOSED)) b = b->outer;
    return b;
}
static void jump(struct dfi_tm_block *b, unsigned alternative)
{
    inner = b;
    b->alternative = alternative, b->looked = 0, b->ran = 0;
    b->to_jump((void *)&b->jump);
}
#if defined(DFI_TM_SAVE_REGISTERS) /* the checkpoint of programs compiled by clang: rbx, rbp, r12 to r15, rsp, rip */
#define SAVE DFI_LINK_NAME(dfi_tm_save_registers)
#define LOAD DFI_LINK_NAME(dfi_tm_to_registers)
__asm__(".text\n.weak " SAVE ", " LOAD "\n"
        SAVE ": mov %rbx, (%rdi); mov %rbp, 8(%rdi); mov %r12, 16(%rdi); mov %r13, 24(%rdi)\n"
        "mov %r14, 32(%rdi); mov %r15, 40(%rdi); lea 8(%rsp), %rax; mov %rax, 48(%rdi)\n"
        "mov (%rsp), %rax; mov %rax, 56(%rdi); xor %eax, %eax; ret\n"
        LOAD ": mov (%rdi), %rbx; mov 8(%rdi), %rbp; mov 16(%rdi), %r12; mov 24(%rdi), %r13\n"
        "mov 32(%rdi), %r14; mov 40(%rdi), %r15; mov 48(%rdi), %rsp; mov $1, %eax; jmp *56(%rdi)\n");
#endif
static void close_block(struct dfi_tm_block *b)
{
    b->open = 0, inner = b->outer;
    if (!inner) irrevocable = 0, pthread_mutex_unlock(&lock);
}
struct dfi_tm_block *dfi_tm_enter(struct dfi_tm_block *b, const char *site, int kind, void (*to_jump)(void *),
                                  const void *where)
{
    (void)site, (void)where;
    memset(b, 0, offsetof(struct dfi_tm_block, jump));
    if (!inner) pthread_mutex_lock(&lock);
    b->outer = inner, b->to_jump = to_jump, b->kind = (unsigned char)kind, b->open = 1, b->writes = entries;
    return inner = b;
}
/* At the checkpoint again, after df_abort. Zero: the block is over. */
int dfi_tm_was_left(struct dfi_tm_block *b)
{
    close_block(b);
    return 0;
}
int dfi_tm_or_else(void)
{
    if (++inner->looked != inner->alternative) return 0;
    return inner->ran = 1;
}
static int has_committed(void *seen) { return __atomic_load_n(&commits, __ATOMIC_ACQUIRE) != *(unsigned long *)seen; }
static void leave_by_abort(struct dfi_tm_block *b)
{
    back_to(b->writes);
    b->left = 1;
    jump(b, 0);
}
void dfi_tm_retry(const char *site)
{
    (void)site;
    if (!inner || irrevocable) return;
    back_to(inner->writes);
    jump(inner, inner->alternative + 1);
}
void dfi_tm_end(struct dfi_tm_block *b)
{
    struct entry *done;
    size_t n, i;
    if (!b->open) return;
    if (b->alternative && !b->ran) { /* none was left: the same as df_retry in the block around it */
        unsigned long seen = __atomic_load_n(&commits, __ATOMIC_ACQUIRE);
        int some;
        back_to(b->writes);
        if (b->outer) {
            inner = b->outer;
            dfi_tm_retry("");
        }
        inner = NULL;
        pthread_mutex_unlock(&lock);
        some = oracle_wait(has_committed, &seen, 0);
        pthread_mutex_lock(&lock);
        inner = b;
        if (!some) oracle_stuck("df_retry: nothing is left that could change what it read"), leave_by_abort(b);
        jump(b, 0);
    }
    close_block(b);
    if (inner) return;
    __atomic_fetch_add(&commits, 1, __ATOMIC_RELEASE);
    oracle_event();
    done = entry, n = entries;
    entry = NULL, entries = room = 0;
    for (i = 0; i < n; i++) {
        if (done[i].what == FREED) free(done[i].p);
        if (done[i].what == ON_COMMIT) done[i].fn(done[i].p);
    }
    free(done);
}
struct dfi_tm_block *dfi_tm_inner(void) { return inner; }
int dfi_tm_runs(void)
{
    struct dfi_tm_block *b = inner;
    if (!dfi_tm_go(b)) return 0;
    if (b->alternative) dfi_tm_end(b);
    return 1;
}
void dfi_tm_broke(struct dfi_tm_block *b, const char *site) { (void)site, dfi_tm_end(b); }
int dfi_tm_leave(struct dfi_tm_block *b, int thrown) { (void)b, (void)thrown; return 1; }
void dfi_tm_abort(const char *site)
{
    (void)site;
    if (inner && !irrevocable) leave_by_abort(unit());
}
void dfi_tm_do_restart(const char *site)
{
    struct dfi_tm_block *b = inner;
    (void)site;
    if (!b || irrevocable) return;
    while (b->outer) b = b->outer;
    back_to(b->writes);
    jump(b, 0);
}
void dfi_tm_irrevocable(const char *site) { (void)site, irrevocable = inner != NULL; }
void dfi_tm_validate(const char *site) { (void)site; }
void df_tm_quiesce(void)
{
    if (!inner) pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);
}
df_result dfi_tm_atomically(void (*fn)(void *arg), void *arg, const char *site, int kind)
{
    volatile int done = 0;
    (void)site;
    DFI_TM_BLOCK(site, kind) {
        fn(arg);
        done = 1;
    }
    return done ? DF_OK : DF_ERROR_ABORTED;
}

void df_tm_read_bytes(void *to, const volatile void *from, size_t bytes)
{
    memmove(to, (const void *)(uintptr_t)from, bytes);
}
void df_tm_write_bytes(volatile void *to, const void *from, size_t bytes)
{
    size_t i;
    for (i = 0; inner && i < bytes; i++) {
        unsigned char *p = (unsigned char *)(uintptr_t)to + i;
        note(WRITTEN, p)->old = *p;
    }
    memmove((void *)(uintptr_t)to, from, bytes);
}
df_result df_tm_save_bytes(void *p, size_t bytes)
{
    size_t i;
    for (i = 0; inner && i < bytes; i++) note(WRITTEN, (unsigned char *)p + i)->old = ((unsigned char *)p)[i];
    return DF_OK;
}
void df_tm_copy(volatile void *to, const volatile void *from, size_t bytes)
{
    df_tm_write_bytes(to, (const void *)(uintptr_t)from, bytes);
}
uint64_t dfi_tm_get(const volatile void *p, size_t bytes)
{
    uint64_t x = 0;
    memcpy(&x, (const void *)(uintptr_t)p, bytes); /* little-endian */
    return x;
}
void dfi_tm_put(volatile void *p, uint64_t bits, size_t bytes) { df_tm_write_bytes(p, &bits, bytes); }
void dfi_tm_no_room(void) { abort(); }
void *df_tm_calloc(size_t n, size_t bytes)
{
    void *p = calloc(n, bytes);
    if (inner && p) note(ALLOCATED, p);
    return p;
}
void *df_tm_malloc(size_t bytes) { return df_tm_calloc(1, bytes); }
void df_tm_free(void *p)
{
    if (inner) note(FREED, p);
    else free(p);
}
df_result df_tm_on_commit(void (*fn)(void *arg), void *arg)
{
    if (inner) note(ON_COMMIT, arg)->fn = fn;
    else fn(arg);
    return DF_OK;
}
df_result df_tm_on_abort(void (*fn)(void *arg), void *arg)
{
    if (inner) note(ON_ABORT, arg)->fn = fn;
    return DF_OK;
}
df_result df_stm_sites(void (*fn)(void *arg, const char *site, const df_stm_counters *counters), void *arg)
{
    return (void)fn, (void)arg, DF_OK; /* as without DF_STM_SITES */
}

/* --- df_owm.h: one process, where the order of the tasks is that of the accesses ---------------------- */

#define OWM(x) char DFI_OF_VERSION(df_owm_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_owm_h ## x)[1];
OWM() OWM(__and_DF_CHECK_in_all) OWM(__and_DF_OWM_COPIES_in_all) OWM(__and_DF_OWM_COPIES_and_DF_CHECK_in_all)
void *dfi_owm_alloc(size_t bytes, const char *site)
{
    void *p = aligned_alloc(64, (bytes + 64) / 64 * 64);
    (void)site;
    return p ? memset(p, 0, bytes) : NULL;
}
void dfi_owm_free(void *p, const char *site) { (void)site, free(p); }
df_result df_owm_owner(const void *p, df_owm_ownership *o) { return (void)p, memset(o, 0, sizeof *o), DF_OK; }
struct dfi_owm_frame;
/* This file has no calls of these, others have. (gcc gives a name with the version to what is declared first.) */
void dfi_owm_enter(struct dfi_owm_frame *f, const char *name, const char *site);
void dfi_owm_leave(struct dfi_owm_frame *f);
void dfi_owm_subscribe(struct dfi_owm_frame *f, const void *p, size_t bytes, int mode);
df_result dfi_owm_acquire(const void *p, size_t bytes, int mode, const char *site);
df_result dfi_owm_release(const void *p, size_t bytes, const char *site);
df_result dfi_owm_freeze(const void *p, size_t bytes, const char *site);
void dfi_owm_enter(struct dfi_owm_frame *f, const char *name, const char *site) { (void)f, (void)name, (void)site; }
void dfi_owm_leave(struct dfi_owm_frame *f) { (void)f; }
void dfi_owm_subscribe(struct dfi_owm_frame *f, const void *p, size_t bytes, int mode)
{
    (void)f, (void)p, (void)bytes, (void)mode;
}
static df_result nothing(const void *p, size_t bytes, const char *site)
{
    return (void)p, (void)bytes, (void)site, DF_OK;
}
df_result dfi_owm_acquire(const void *p, size_t bytes, int mode, const char *site)
{
    return (void)mode, nothing(p, bytes, site);
}
df_result dfi_owm_release(const void *p, size_t bytes, const char *site) { return nothing(p, bytes, site); }
df_result dfi_owm_freeze(const void *p, size_t bytes, const char *site) { return nothing(p, bytes, site); }
int df_owm_join(const char *name, int processes) { return (void)name, (void)processes, 0; }
int df_owm_processes(void) { return 1; }
void dfi_owm_advance(int event, const char *site) { (void)event, (void)site; }
df_result dfi_owm_await(int event, long n, const char *site) { return (void)event, (void)n, (void)site, DF_OK; }
