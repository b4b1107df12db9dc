/* copies.h - DF_OWM_COPIES: processes that share only the home of owner-writable memory
 *
 * The home and the directory (the segment of owm/state.h) lie in POSIX shared memory. Each process has a private copy
 * of the memory at the same addresses, its view: bytes that it did not acquire have the values they had when it last
 * owned them, and bytes that it writes without owning them are not seen by others. Acquire copies from the home to the
 * view, release copies back. For a cluster the two copies become messages, and the lock and the segment a server; no
 * other file knows about it. Each process holds a lock on its own byte of the file, which the system releases when the
 * process ends, however it ends. */
#ifndef DFI_OWM_COPIES_H
#define DFI_OWM_COPIES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../os/pages.h"
#include "../../df_owm.h"
#include "guard.h"
#include "state.h"
#include "tell.h"
#include "tree.h"

#include <errno.h>

#if DFI_OWM_CALLS && DF_OWM_COPIES

#if !DFI_UNIX
#error "df_owm.h: DF_OWM_COPIES needs POSIX"
#endif
#include <sys/stat.h>
#include <sys/wait.h>

enum {
    DFI_OWM_LOCK_BYTE = DFI_OWM_PROCESSES, /* of the file: the directory's; those before it are the processes' */
    DFI_OWM_PATIENCE = 30                  /* seconds for an event that no other process can count any more:
                                              tasks of this one may still be at it */
};
#define DFI_OWM_BYTES ((uintptr_t)1 << (sizeof(void *) > 4 ? 30 : 26))

static struct {
    int file;                /* of the shared memory; never closed, as that would give up its locks */
    unsigned char *home;
    pid_t self, child[DFI_OWM_PROCESSES];
    uint32_t told;           /* deaths that this process was told of */
    long patience;           /* ms */
} dfi_owm_shared = { -1, NULL, 0, { 0 }, 0, 0 };

/* Takes (F_WRLCK) or gives back (F_UNLCK) byte `at` of the file; waits for it. 0: done. */
static int dfi_owm_file_lock(int at, short kind)
{
    struct flock l;
    int r;
    memset((void *)&l, 0, sizeof l);
    l.l_type = kind, l.l_whence = SEEK_SET, l.l_start = at, l.l_len = 1;
    do r = fcntl(dfi_owm_shared.file, F_SETLKW, &l);
    while (r < 0 && errno == EINTR);
    return r;
}
/* Does another process hold it? */
static int dfi_owm_file_locked(int at)
{
    struct flock l;
    memset((void *)&l, 0, sizeof l);
    l.l_type = F_WRLCK, l.l_whence = SEEK_SET, l.l_start = at, l.l_len = 1;
    return fcntl(dfi_owm_shared.file, F_GETLK, &l) < 0 || l.l_type != F_UNLCK;
}

/* Locks of files are a process's: its threads need one of their own in addition. */
static void dfi_owm_lock_all(void)
{
    dfi_os_lock(&dfi_owm.lock);
    dfi_owm_file_lock(DFI_OWM_LOCK_BYTE, F_WRLCK);
}
static void dfi_owm_unlock_all(void)
{
    dfi_owm_file_lock(DFI_OWM_LOCK_BYTE, F_UNLCK);
    dfi_os_unlock(&dfi_owm.lock);
}
static unsigned char *dfi_owm_at_home(uintptr_t b) { return dfi_owm_shared.home + (b - dfi_owm.s->view); }
static void dfi_owm_fetch_home(uintptr_t b, uintptr_t e)
{
    dfi_owm_guard_write(dfi_owm_allocation(b), b, e, dfi_owm_at_home(b));
}
static void dfi_owm_publish_home(uintptr_t b, uintptr_t e) { memcpy(dfi_owm_at_home(b), (const void *)b, e - b); }
static const struct dfi_owm_home dfi_owm_all = { dfi_owm_lock_all, dfi_owm_unlock_all, dfi_owm_fetch_home,
    dfi_owm_publish_home };

/* --- allocation: the same calls in each process ----------------------------------------------------- */

static size_t dfi_owm_segment_bytes(void) { return dfi_os_page_up(sizeof(struct dfi_owm_segment)); }

/* Zeroes at home, so that the system has the room. 0: it has not. */
static int dfi_owm_zero_home(uintptr_t b, uintptr_t e)
{
    static const char zero[1 << 14] = { 0 };
    if (lseek(dfi_owm_shared.file, (off_t)(dfi_owm_segment_bytes() + (b - dfi_owm.s->view)), SEEK_SET) < 0) return 0;
    while (b < e) {
        ssize_t n = write(dfi_owm_shared.file, zero, e - b < sizeof zero ? e - b : sizeof zero);
        if (n <= 0) return 0;
        b += (uintptr_t)n;
    }
    return 1;
}

/* Zeroed pages at [b, e) of the view, in place of those that were there. */
static int dfi_owm_renew(uintptr_t b, uintptr_t e, int sealed)
{
    int zero = open("/dev/zero", O_RDWR);
    void *p = zero < 0 ? MAP_FAILED
                       : mmap((void *)b, e - b, sealed ? PROT_READ : PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_FIXED, zero, 0);
    if (zero >= 0) close(zero);
    return p != MAP_FAILED;
}

/* A record of an allocation that no process has made so far, faulty if there is no room, so that it is none for the
 * others either. 0: no record. */
static unsigned dfi_owm_place_new(size_t bytes, const struct dfi_owm_place *at)
{
    struct dfi_owm_segment *s = dfi_owm.s;
    struct dfi_owm_walk w;
    uintptr_t b = s->view, end = s->view + s->home_bytes;
    unsigned i;
    for (i = dfi_owm_first(s->allocated, &w, b, end); i; i = dfi_owm_next(s->allocated, &w)) {
        if (DFI_OWM_AT(i)->begin - b >= bytes) break;
        b = dfi_os_page_up(DFI_OWM_AT(i)->end);
    }
    if (bytes > end - b || !dfi_owm_zero_home(b, b + bytes)) b = 0;
    if (!(i = dfi_owm_record_new(b, b + bytes))) return 0;
    DFI_OWM_AT(i)->at = *at;
    if (!b) DFI_OWM_AT(i)->flags = DFI_OWM_FAULTY;
    while (b) { /* what was freed there stays in the list of the calls, but is not found any more */
        unsigned freed = dfi_owm_first(s->freed, &w, b, b + bytes);
        if (!freed) break;
        s->freed = dfi_owm_remove(s->freed, freed);
    }
    if (s->last) DFI_OWM_AT(s->last)->next = i;
    else s->first = i;
    s->last = i;
    if (b) s->allocated = dfi_owm_insert(s->allocated, i);
    return i;
}

static void *dfi_owm_alloc_all(size_t bytes, const struct dfi_owm_place *at, struct dfi_owm_place *why)
{
    unsigned i = dfi_owm.cursor ? DFI_OWM_AT(dfi_owm.cursor)->next : dfi_owm.s->first;
    struct dfi_owm_record *r;
    uintptr_t e;
    if (!i && !(i = dfi_owm_place_new(bytes, at))) return NULL;
    dfi_owm.cursor = i;
    r = DFI_OWM_AT(i);
    if (r->end - r->begin == bytes && r->flags & DFI_OWM_FAULTY) {
        dfi_owm_text(why->site, sizeof why->site, ": raise DF_OWM_BYTES, or the room for shared memory");
        return NULL;
    }
    if (r->end - r->begin != bytes) {
        char text[2 * sizeof why->site];
        snprintf(text, sizeof text, ", as %s has %lu in the same place", r->at.site,
                 (unsigned long)(r->end - r->begin));
        dfi_owm_text(why->site, sizeof why->site, text);
        return NULL;
    }
    e = dfi_os_page_up(r->end);
    if (!dfi_owm_renew(r->begin, e, DF_CHECK) || !dfi_owm_guard_new(i, r->begin, e)) return NULL;
    return (void *)r->begin;
}

/* This process has freed allocation a; when all have, it is free. */
static void dfi_owm_free_all(unsigned a, const struct dfi_owm_place *by)
{
    struct dfi_owm_record *r = DFI_OWM_AT(a);
    int i, left = 0;
    r->gone |= (uint32_t)1 << dfi_owm.process;
    dfi_owm_renew(r->begin, dfi_os_page_up(r->end), 0);
    for (i = 0; i < dfi_owm.processes; i++)
        left += !(r->gone >> i & 1) && dfi_load_relaxed(&dfi_owm.s->process[i].state) == DFI_OWM_HERE;
    if (left) r->then = *by;
    else dfi_owm_free_record(a, by);
}

/* --- processes that end ------------------------------------------------------------------------------ */

/* A record that process `who` owns; 0: none. */
static unsigned dfi_owm_owned_by(int who, struct dfi_owm_walk *w)
{
    unsigned i = w->last ? dfi_owm_next(dfi_owm.s->owned, w) : dfi_owm_first(dfi_owm.s->owned, w, 0, UINTPTR_MAX);
    for (; i; i = dfi_owm_next(dfi_owm.s->owned, w))
        if (DFI_OWM_AT(i)->process == who && DFI_OWM_AT(i)->mode != DFI_OWM_REJECTED) return i;
    return 0;
}

/* Says which processes have died since the last call. How many there are; `gone`: all others have ended, in
 * whatever way. */
static int dfi_owm_deaths(int *gone)
{
    int i, n = 0, here = 0;
    for (i = 0; i < dfi_owm.processes; i++) {
        DFI_ATOMIC(int) *state = &dfi_owm.s->process[i].state;
        struct dfi_owm_walk w;
        struct dfi_owm_place first;
        unsigned long bytes = 0;
        unsigned r;
        if (i == dfi_owm.process) continue;
        if (dfi_load_acquire(state) == DFI_OWM_HERE && !dfi_owm_file_locked(i)) {
            int was = DFI_OWM_HERE; /* it may be leaving in good order just now */
            dfi_cas_acq_rel(state, &was, DFI_OWM_DEAD);
        }
        here += dfi_load_relaxed(state) == DFI_OWM_HERE;
        if (dfi_load_relaxed(state) != DFI_OWM_DEAD || dfi_owm_shared.told >> i & 1) continue;
        memset((void *)&first, 0, sizeof first);
        dfi_owm.home->lock();
        for (w.last = 0; (r = dfi_owm_owned_by(i, &w)) != 0;) {
            if (!bytes) first = DFI_OWM_AT(r)->at;
            bytes += (unsigned long)(DFI_OWM_AT(r)->end - DFI_OWM_AT(r)->begin);
        }
        dfi_owm_shared.told |= (uint32_t)1 << i;
        dfi_owm.home->unlock();
        if (bytes) dfi_error("process %d died while it owned %lu bytes, acquired by %s at %s: its writes there are "
                             "lost", i, bytes, first.who, first.site);
        else dfi_warn("process %d died, and owned nothing: the other processes continue", i);
        n++;
    }
    *gone = !here;
    return n;
}

/* The end of the program: what it owns is released, and it has left. Process 0 ends last. */
static void dfi_owm_part(void)
{
    struct dfi_owm_notes notes;
    struct dfi_owm_walk w;
    unsigned i;
    int c;
    if (dfi_owm_shared.self != getpid()) return; /* a copy that the program made by fork is none of the processes */
    do {
        notes.n = 0;
        dfi_owm.home->lock();
        for (w.last = 0; !notes.n && (i = dfi_owm_owned_by(dfi_owm.process, &w)) != 0;) {
            struct dfi_owm_record *r = DFI_OWM_AT(i);
            struct dfi_owm_place by = r->at;
            if (r->mode & DF_OWM_W) dfi_owm_publish_home(r->begin, r->end);
            dfi_owm_text(by.site, sizeof by.site, "end of the program");
            if (!(r->flags & (DFI_OWM_PARAMETER | DFI_OWM_FAULTY)))
                dfi_owm_noted(&notes, DFI_OWM_SAYS_HELD, &by, &r->at)->n = (unsigned long)(r->end - r->begin);
            dfi_owm.s->owned = dfi_owm_remove(dfi_owm.s->owned, i);
        }
        dfi_owm.home->unlock();
        dfi_owm_tell(&notes);
    } while (notes.n);
    dfi_store_release(&dfi_owm.s->process[dfi_owm.process].state, (int)DFI_OWM_LEFT);
    for (c = 0; c < DFI_OWM_PROCESSES; c++)
        while (dfi_owm_shared.child[c] > 0 && waitpid(dfi_owm_shared.child[c], NULL, 0) < 0 && errno == EINTR) continue;
}

/* --- joining ----------------------------------------------------------------------------------------- */

/* DF_OWM_BYTES: 4096, 64K, 64M, 2G. */
static uintptr_t dfi_owm_bytes(void)
{
    const char *text = dfi_env("DF_OWM_BYTES"), *p = text;
    uintptr_t n = 0;
    if (!text || !*text) return DFI_OWM_BYTES;
    for (; *p >= '0' && *p <= '9' && n < UINTPTR_MAX / 20; p++) n = 10 * n + (uintptr_t)(*p - '0');
    if (*p == 'K' || *p == 'M' || *p == 'G') {
        unsigned shift = *p == 'K' ? 10 : *p == 'M' ? 20 : 30;
        n = n > (UINTPTR_MAX / 4) >> shift ? 0 : n << shift;
        p++;
    }
    if (!*p && p != text && n && n <= UINTPTR_MAX / 4) return dfi_os_page_up(n);
    dfi_warn(DFI_MESSAGE_BAD_ENV, "DF_OWM_BYTES", text, "a number of bytes such as 256M", "the default is used");
    return DFI_OWM_BYTES;
}

/* The shared memory is in the file: maps it. `fresh`: it is new and empty. 0: the system refused. */
static int dfi_owm_attach(int fresh, int processes)
{
    uintptr_t bytes = fresh ? dfi_owm_bytes() : 0, view;
    size_t head = dfi_owm_segment_bytes();
    struct dfi_owm_segment *s;
    int zero;
    if (fresh && (lseek(dfi_owm_shared.file, (off_t)(head + bytes - 1), SEEK_SET) < 0 ||
                  write(dfi_owm_shared.file, "", 1) != 1)) return 0;
    s = (struct dfi_owm_segment *)mmap(NULL, head, PROT_READ | PROT_WRITE, MAP_SHARED, dfi_owm_shared.file, 0);
    if ((void *)s == MAP_FAILED) return 0;
    if (!fresh) bytes = s->home_bytes;
    dfi_owm_shared.home = (unsigned char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                                dfi_owm_shared.file, (off_t)head);
    zero = open("/dev/zero", O_RDWR);
    view = (uintptr_t)mmap(fresh ? NULL : (void *)s->view, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
    if (zero >= 0) close(zero);
    if ((void *)dfi_owm_shared.home == MAP_FAILED || (void *)view == MAP_FAILED || (!fresh && view != s->view))
        return 0;
    if (fresh) s->view = view, s->home_bytes = bytes, s->processes = processes;
    dfi_owm.s = s;
    return 1;
}

/* Becomes process `who`, and waits until all are there. */
static void dfi_owm_arrive(int who)
{
    int i;
    dfi_owm.process = who;
    dfi_owm_shared.self = getpid();
    dfi_owm_file_lock(who, F_WRLCK);
    dfi_store_release(&dfi_owm.s->process[who].state, (int)DFI_OWM_HERE);
    /* acquire; pairs with the release of the last process that arrived */
    while (!dfi_load_acquire(&dfi_owm.s->complete)) dfi_os_sleep_ms();
    dfi_owm.processes = dfi_owm.s->processes;
    for (i = 0; i < dfi_owm.processes; i++)
        while (dfi_load_acquire(&dfi_owm.s->process[i].state) == DFI_OWM_ABSENT) dfi_os_sleep_ms();
    dfi_owm.home = &dfi_owm_all;
    dfi_owm_shared.patience = 1000 * dfi_env_number("DF_PATIENCE", 1, DFI_PATIENCE_MOST, DFI_OWM_PATIENCE,
                                                    "a number of seconds from 1 to 1000000");
    atexit(dfi_owm_part);
}

static const char *dfi_owm_fork(int processes)
{
    char name[64];
    int i, who = 0;
    for (i = 0; i < 100; i++) { /* another user may have taken some of these names */
        snprintf(name, sizeof name, "/df-owm-%ld-%d", (long)getpid(), i);
        dfi_owm_shared.file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (dfi_owm_shared.file >= 0 || errno != EEXIST) break;
    }
    if (dfi_owm_shared.file < 0) return strerror(errno);
    shm_unlink(name); /* what is open stays */
    if (!dfi_owm_attach(1, processes)) return strerror(errno);
    fflush(NULL); /* else each process prints what is still buffered */
    for (i = 1; i < processes; i++) {
        pid_t p = fork();
        if (p == 0) {
            who = i;
            memset((void *)dfi_owm_shared.child, 0, sizeof dfi_owm_shared.child);
            break;
        }
        if (p < 0) { /* fewer */
            dfi_warn("df_owm_join: the program runs with %d processes instead of %d: %s",
                     i, processes, strerror(errno));
            break;
        }
        dfi_owm_shared.child[i] = p;
    }
    if (!who) {
        dfi_owm.s->processes = i;
        dfi_store_release(&dfi_owm.s->complete, 1);
    }
    dfi_owm_arrive(who);
    return NULL;
}

/* Is it left over from processes that have all died? pre: the lock byte is held. */
static int dfi_owm_stale(const struct dfi_owm_segment *s)
{
    int i;
    for (i = 0; i < s->processes; i++)
        if (dfi_owm_file_locked(i)) return 0;
    return 1;
}

/* Every user can create a name before the program does, and the segment has addresses in it. */
static int dfi_owm_foreign(void)
{
    struct stat s;
    return fstat(dfi_owm_shared.file, &s) || s.st_uid != geteuid() || s.st_mode & 077;
}

static const char *dfi_owm_meet(const char *name, int processes)
{
    for (;;) {
        int who, fresh;
        dfi_owm_shared.file = shm_open(name, O_RDWR | O_CREAT, 0600);
        if (dfi_owm_shared.file < 0) return strerror(errno);
        if (dfi_owm_foreign()) return "the name is taken by another user";
        dfi_owm_file_lock(DFI_OWM_LOCK_BYTE, F_WRLCK);
        fresh = lseek(dfi_owm_shared.file, 0, SEEK_END) == 0;
        if (!dfi_owm_attach(fresh, processes)) return "its addresses are not free here, or there is no memory";
        /* another run's: again, with a file of our own. One that is complete has lost its name already; one whose
         * processes all died before it was complete loses it here */
        if (!fresh && !dfi_load_relaxed(&dfi_owm.s->complete) && dfi_owm_stale(dfi_owm.s)) {
            shm_unlink(name);
            dfi_store_release(&dfi_owm.s->complete, 1);
        }
        if (!fresh && dfi_load_relaxed(&dfi_owm.s->complete)) {
            dfi_owm_file_lock(DFI_OWM_LOCK_BYTE, F_UNLCK);
            continue;
        }
        if (dfi_owm.s->processes != processes) return "others join with another number of processes";
        who = dfi_fetch_add_acq_rel(&dfi_owm.s->joined, 1);
        dfi_owm_file_lock(who, F_WRLCK);
        if (who + 1 == processes) {
            shm_unlink(name); /* no other process will join */
            dfi_store_release(&dfi_owm.s->complete, 1);
        }
        dfi_owm_file_lock(DFI_OWM_LOCK_BYTE, F_UNLCK);
        dfi_owm_arrive(who);
        return NULL;
    }
}

DFI_EXTERN_C_BEGIN

DFI_API int df_owm_join(const char *name, int processes)
{
    const char *why = NULL;
    if (!processes)
        processes = (int)dfi_env_number("DF_OWM_PROCESSES", 1, DFI_OWM_PROCESSES, 1,
                                        "a number of processes from 1 to 32");
    if (processes == 1 && dfi_owm.processes == 1) return 0;
    if (dfi_owm.processes > 1 || dfi_owm.s->used) why = "call it once, before anything else of df_owm.h";
    else if (processes < 1 || processes > DFI_OWM_PROCESSES) why = "processes can be 1 to 32";
    else why = name ? dfi_owm_meet(name, processes) : dfi_owm_fork(processes);
    if (why) {
        dfi_warn("df_owm_join: %s: this process joins no others", why);
        if (dfi_owm.processes == 1) dfi_owm.s = &dfi_owm_segment, dfi_owm.process = 0;
    }
    return dfi_owm.process;
}

DFI_API int df_owm_processes(void) { return dfi_owm.processes; }

DFI_EXTERN_C_END

#endif

#endif
