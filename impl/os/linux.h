/* linux.h - Linux, by gcc, clang and their like
 *
 * Strict modes of C and POSIX do not declare functions of Linux. They are reached by their assembler names, so that the
 * user's translation unit needs no feature-test macro and no particular order of includes. */
#ifndef DFI_OS_LINUX_H
#define DFI_OS_LINUX_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "pthreads.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

enum { DFI_MAX_CPUS = 4096 };
struct dfi_os_affinity { unsigned long bits[DFI_MAX_CPUS / (8 * sizeof(unsigned long))]; };

DFI_EXTERN_C_BEGIN
/* 64-bit time_t on 32-bit systems: musl, glibc */
#if defined(_REDIR_TIME64) || (defined(__TIMESIZE) && __TIMESIZE == 32 && defined(__USE_TIME_BITS64))
extern int dfi_sys_clock_gettime(int clock, struct timespec *t) __asm__("__clock_gettime64");
#else
extern int dfi_sys_clock_gettime(int clock, struct timespec *t) __asm__("clock_gettime");
#endif
extern long dfi_sys_call(long number, ...) __asm__("syscall");
extern int dfi_sys_getaffinity(int pid, size_t bytes, unsigned long *mask) __asm__("sched_getaffinity");
extern int dfi_sys_setaffinity(int pid, size_t bytes, const unsigned long *mask) __asm__("sched_setaffinity");
extern int dfi_sys_prctl(int option, ...) __asm__("prctl");
extern int dfi_sys_getcpu(void) __asm__("sched_getcpu");
extern int dfi_sys_thread_attributes(pthread_t thread, pthread_attr_t *attributes) __asm__("pthread_getattr_np");
extern int dfi_sys_thread_stack(const pthread_attr_t *attributes, void **low,
                                size_t *bytes) __asm__("pthread_attr_getstack");
extern char **dfi_sys_environment __asm__("environ");
DFI_EXTERN_C_END

DFI_UNUSED static uint64_t dfi_os_ns(void)
{
    struct timespec t;
    enum { DFI_SYS_MONOTONIC = 1 }; /* setting the clock neither shortens nor prolongs a wait */
    dfi_sys_clock_gettime(DFI_SYS_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- events: futexes, because a signal handler may wake one, and must not signal a condition variable ------------ */

struct dfi_os_event { DFI_ATOMIC(int) wakes; };
#define DFI_OS_EVENT_INIT { 0 }

#if defined(SYS_futex)
enum { DFI_SYS_FUTEX = SYS_futex };
#if defined(__x86_64__) /* also where long has 32 bits */
struct dfi_futex_time { long long s, ns; };
#else
struct dfi_futex_time { long s, ns; };
#endif
#else
enum { DFI_SYS_FUTEX = SYS_futex_time64 };
struct dfi_futex_time { long long s, ns; };
#endif
enum { DFI_FUTEX_WAIT = 128, DFI_FUTEX_WAKE = 129 }; /* private to the process */

DFI_UNUSED static int dfi_os_event_init(struct dfi_os_event *e) { return dfi_store_relaxed(&e->wakes, 0), 0; }
DFI_UNUSED static void dfi_os_event_free(struct dfi_os_event *e) { (void)e; }
DFI_UNUSED static int dfi_os_event_wait_us(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, long us)
{
    /* ThreadSanitizer calls handlers of signals when the thread calls something that it knows, such as the clock */
    uint64_t now, left, end = us ? dfi_os_ns() + (uint64_t)us * 1000 : 0, most = DFI_TSAN ? 50000000u : end;
    struct dfi_futex_time t = { 0, 0 };
    int saved = errno, late = 0;
    for (;;) {
        /* acquire, and before the word is read: a thread that reads the number after a wake-up also reads the changed
         * word. A thread that reads the number before it does not sleep, because the kernel compares the numbers. */
        int seen = dfi_load_acquire(&e->wakes);
        if (dfi_load_acquire(word) != value) break;
        if (most) {
            now = dfi_os_ns();
            if ((late = us && now >= end) != 0) break;
            left = us && end - now < most ? end - now : most;
            t.s = (long)(left / 1000000000), t.ns = (long)(left % 1000000000);
        }
        dfi_sys_call((long)DFI_SYS_FUTEX, (void *)&e->wakes, (long)DFI_FUTEX_WAIT, (long)seen,
                     most ? (void *)&t : NULL, NULL, 0l);
    }
    errno = saved;
    return late;
}
static void dfi_os_event_wakes(struct dfi_os_event *e, int n)
{
    dfi_fetch_add_acq_rel(&e->wakes, 1);
    dfi_sys_call((long)DFI_SYS_FUTEX, (void *)&e->wakes, (long)DFI_FUTEX_WAKE, (long)n, NULL, NULL, 0l);
}
DFI_UNUSED static void dfi_os_event_wake(struct dfi_os_event *e) { dfi_os_event_wakes(e, 1); }
DFI_UNUSED static void dfi_os_event_wake_all(struct dfi_os_event *e) { dfi_os_event_wakes(e, INT_MAX); }

/* --- a barrier in all threads: membarrier ------------------------------------------------------------------------ */

#if defined(SYS_membarrier)
enum { DFI_EXPEDITED = 8, DFI_REGISTER = 16 }; /* MEMBARRIER_CMD_PRIVATE_EXPEDITED, .._REGISTER_.. */
DFI_UNUSED static int dfi_os_fence_all(void)
{
    int saved = errno, failed = dfi_sys_call((long)SYS_membarrier, (int)DFI_EXPEDITED, 0, 0) != 0;
    if (failed && !dfi_sys_call((long)SYS_membarrier, (int)DFI_REGISTER, 0, 0)) /* once for a process */
        failed = dfi_sys_call((long)SYS_membarrier, (int)DFI_EXPEDITED, 0, 0) != 0;
    errno = saved;
    return -failed;
}
/* Registers the process, unless it has threads already, because that takes 8 to 15 ms then, and the first barrier does
 * it, too. */
DFI_UNUSED static void dfi_os_fence_load(void)
{
    int saved = errno;
    struct stat threads;
    if (!stat("/proc/self/task", &threads) && threads.st_nlink == 3) /* one folder */
        (void)dfi_sys_call((long)SYS_membarrier, (int)DFI_REGISTER, 0, 0);
    errno = saved;
}
#define dfi_os_fence_compiler() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
DFI_UNUSED static int dfi_os_fence_all(void) { return -1; }
DFI_UNUSED static void dfi_os_fence_load(void) {}
#define dfi_os_fence_compiler() ((void)0)
#endif

/* --- threads --------------------------------------------------------------------------------------------------- */

DFI_UNUSED static int dfi_os_threads(void)
{
    struct stat s;
    return stat("/proc/self/task", &s) || s.st_nlink < 3 ? 0 : (int)s.st_nlink - 2;
}

#if defined(__GLIBC__)
enum { DFI_OS_STACK_GROWS = 0 }; /* the bounds are those of RLIMIT_STACK */
#else
enum { DFI_OS_STACK_GROWS = 1 }; /* of the main thread's stack, musl tells the part in use */
#endif
DFI_UNUSED static int dfi_os_on_stack(const void *p, const void *q)
{
    static DFI_TLS uintptr_t begin, end;
    if (!end || (DFI_OS_STACK_GROWS && (uintptr_t)p < begin)) {
        pthread_attr_t a;
        void *low = NULL;
        size_t bytes = 0;
        if (dfi_sys_thread_attributes(pthread_self(), &a)) return 0;
        dfi_sys_thread_stack(&a, &low, &bytes);
        pthread_attr_destroy(&a);
        begin = (uintptr_t)low, end = begin + bytes;
    }
    return begin <= (uintptr_t)p && (uintptr_t)p < end && begin <= (uintptr_t)q && (uintptr_t)q <= end;
}

DFI_SMALL_CODE_BEGIN

DFI_UNUSED static int dfi_os_cpu(void) { return dfi_sys_getcpu(); }
DFI_UNUSED static long dfi_os_thread_number(void) { return dfi_sys_call((long)SYS_gettid); }
DFI_UNUSED static int dfi_os_main_thread(void) { return dfi_os_thread_number() == (long)getpid(); }
DFI_UNUSED static void dfi_os_thread_name(const char *name)
{
    enum { DFI_SET_NAME = 15 }; /* PR_SET_NAME */
    dfi_sys_prctl(DFI_SET_NAME, name, 0ul, 0ul, 0ul);
}
DFI_UNUSED static int dfi_os_thread_runs(long number)
{
    char path[64], line[256], *state = NULL;
    FILE *f;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", number);
    if (!number || !(f = fopen(path, "r"))) return 0;
    if (fgets(line, sizeof line, f)) state = strrchr(line, ')'); /* "12 (name) R 1 ..." */
    fclose(f);
    return state && (!strncmp(state, ") R", 3) || !strncmp(state, ") D", 3));
}

/* glibc unwinds the stack before the destructors of a thread's keys run. During unwinding it calls cleanup handlers
 * of the old kind while the frames below still exist. This one is in thread-local memory rather than on the stack, so
 * it is called last, or first in the main thread. It is called once more if a body that it runs meanwhile ends the
 * thread, too: that call ends all bodies of the thread (dfi_exit_bodies goes by their scopes), and the first one does
 * not continue. */
#if defined(__GLIBC__)
DFI_EXTERN_C_BEGIN
extern void dfi_sys_cleanup_push(struct _pthread_cleanup_buffer *b, void (*fn)(void *),
                                 void *arg) __asm__("_pthread_cleanup_push") __attribute__((weak));
extern void dfi_sys_cleanup_pop(struct _pthread_cleanup_buffer *b,
                                int execute) __asm__("_pthread_cleanup_pop") __attribute__((weak));
extern void *dfi_sys_dlsym(void *library, const char *name) __asm__("dlsym") __attribute__((weak));
DFI_EXTERN_C_END
static DFI_TLS void (*dfi_os_unwound)(void);

static void dfi_os_unwind(void *none)
{
    (void)none;
    if (dfi_os_unwound) dfi_os_unwound();
    dfi_os_unwound = NULL;
}
DFI_UNUSED static void dfi_os_at_unwind(void (*fn)(void))
{
    static DFI_TLS struct _pthread_cleanup_buffer buffer;
    if (!dfi_sys_cleanup_push || !dfi_sys_cleanup_pop || !fn == !dfi_os_unwound) return;
    dfi_os_unwound = fn;
    if (fn) dfi_sys_cleanup_push(&buffer, dfi_os_unwind, NULL);
    else dfi_sys_cleanup_pop(&buffer, 0);
}

/* glibc notes the unwinding in a thread's descriptor, at a place that it tells debuggers only, by three numbers (bits,
 * elements, offset). */
DFI_UNUSED static int dfi_os_thread_exits(void)
{
    enum { DFI_SYS_EXITING = 0x10 };
    const uint32_t *place = NULL;
    if (dfi_sys_dlsym) place = (const uint32_t *)dfi_sys_dlsym(NULL, "_thread_db_pthread_cancelhandling");
    return place && place[0] == 32 && (*(volatile int *)((uintptr_t)pthread_self() + place[2]) & DFI_SYS_EXITING);
}
#else
DFI_UNUSED static int dfi_os_thread_exits(void) { return 0; }
DFI_UNUSED static void dfi_os_at_unwind(void (*fn)(void)) { (void)fn; }
#endif

/* --- CPUs -------------------------------------------------------------------------------------------------------- */

/* 0: of the calling thread, getpid(): of the main thread of the process. */
DFI_UNUSED static int dfi_os_affinity_of(int thread, struct dfi_os_affinity *a)
{
    memset(a, 0, sizeof *a);
    return dfi_sys_getaffinity(thread, sizeof a->bits, a->bits) < 0 ? -1 : 0;
}
DFI_UNUSED static int dfi_os_get_affinity(struct dfi_os_affinity *a) { return dfi_os_affinity_of(0, a); }
/* The CPUs of the main thread and of the calling one, either of which the program may have bound to a few. A new thread
 * has those of the thread that created it. */
DFI_UNUSED static int dfi_os_process_affinity(struct dfi_os_affinity *a)
{
    struct dfi_os_affinity own;
    size_t i;
    if (dfi_os_get_affinity(&own)) return -1;
    if (dfi_os_affinity_of((int)getpid(), a)) *a = own;
    for (i = 0; i < sizeof a->bits / sizeof *a->bits; i++) a->bits[i] |= own.bits[i];
    return 0;
}
DFI_UNUSED static int dfi_os_set_affinity(const struct dfi_os_affinity *a)
{
    return dfi_sys_setaffinity(0, sizeof a->bits, a->bits) < 0 ? -1 : 0;
}

/* --- files of the kernel ----------------------------------------------------------------------------------------- */

DFI_UNUSED static int dfi_os_first_line(const char *path, char *line, int bytes)
{
    FILE *f = fopen(path, "r");
    int r;
    if (!f) return -1;
    r = fgets(line, bytes, f) ? 0 : -1;
    fclose(f);
    if (!r) line[strcspn(line, "\n")] = 0;
    return r;
}

/* Reads up to two numbers from a file of a cgroup directory. Returns how many it has. */
DFI_UNUSED static int dfi_cgroup_read(const char *dir, const char *file, long *a, long *b)
{
    char path[1200];
    int n = 0;
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", dir, file);
    if (!(f = fopen(path, "r"))) return 0;
    n = fscanf(f, "%ld %ld", a, b);
    fclose(f);
    return n;
}

/* CPUs by quota/period of one cgroup directory, or 0 if it sets none. v2: cpu.max "QUOTA PERIOD" or "max PERIOD"; v1:
 * two files, quota -1 for none. */
DFI_UNUSED static int dfi_cgroup_quota(const char *dir, int v2)
{
    long quota = -1, period = 0, none;
    if (v2 ? dfi_cgroup_read(dir, "cpu.max", &quota, &period) != 2
           : dfi_cgroup_read(dir, "cpu.cfs_quota_us", &quota, &none) < 1 ||
                 dfi_cgroup_read(dir, "cpu.cfs_period_us", &period, &none) < 1)
        return 0;
    if (quota <= 0 || period <= 0) return 0;
    quota = (quota - 1) / period + 1;
    return quota > DFI_MAX_CPUS ? DFI_MAX_CPUS : (int)quota;
}

/* The smallest quota of the cgroup `path` and its ancestors below the mount point; 0: none. */
DFI_UNUSED static int dfi_cgroup_walk(const char *mount, const char *path, int v2)
{
    char dir[1024];
    int least = 0;
    size_t base = strlen(mount);
    if (snprintf(dir, sizeof dir, "%s%s", mount, path) >= (int)sizeof dir) return 0;
    for (;;) {
        int n = dfi_cgroup_quota(dir, v2);
        char *slash;
        if (n && (!least || n < least)) least = n;
        slash = strrchr(dir, '/');
        if (!slash || (size_t)(slash - dir) < base) break;
        *slash = 0;
    }
    return least;
}

DFI_UNUSED static int dfi_cgroup_cpus(const char *root)
{
    char path[300], line[1024], mount[300], list[1030];
    int least = 0;
    FILE *f;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!(f = fopen(path, "r"))) return 0;
    while (fgets(line, sizeof line, f)) { /* "0::/a/b" (v2) or "4:cpu,cpuacct:/a/b" (v1) */
        char *controllers = strchr(line, ':'), *group;
        int n, v2;
        line[strcspn(line, "\n")] = 0;
        if (!controllers || !(group = strchr(controllers + 1, ':'))) continue;
        controllers++, *group++ = 0;
        v2 = !*controllers;
        snprintf(list, sizeof list, ",%s,", controllers);
        if (!v2 && !strstr(list, ",cpu,")) continue;
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s%s", root, v2 ? "" : "/", controllers);
        n = dfi_cgroup_walk(mount, group, v2);
        if (!n && !v2) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/cpu", root);
            n = dfi_cgroup_walk(mount, group, 0);
        }
        if (n && (!least || n < least)) least = n;
    }
    fclose(f);
    return least;
}

DFI_UNUSED static char **dfi_os_environment(void) { return dfi_sys_environment; }

DFI_SMALL_CODE_END

#endif
