/* threads.h - operating system layer: threads, time, CPUs */
#ifndef DFI_OS_THREADS_H
#define DFI_OS_THREADS_H

#include "../base/compiler.h"
#include "../base/memory.h"
#include "../base/signals.h"
#include "os.h"

#if !defined(DF_SERIAL) /* os/none.h has the same functions */
#include <stdio.h>

DFI_SMALL_CODE_BEGIN

/* Stacks of threads for which no size was chosen. musl's default of 128 KB is too small for recursion and numeric
 * kernels: they get what the main thread has, as with glibc. So is glibc's of 2 MB for a program whose main thread has
 * no limit. */
enum { DFI_STACK_LEAST = 1 << 20, DFI_STACK_UNLIMITED = 8 << 20 };

#if DFI_POSIX
#include <sys/resource.h>

static size_t dfi_os_stack_bytes(const pthread_attr_t *attr)
{
    struct rlimit most;
    size_t bytes = 0, least = DFI_STACK_LEAST;
    if (pthread_attr_getstacksize(attr, &bytes)) bytes = 0;
    if (!getrlimit(RLIMIT_STACK, &most)) {
        if (most.rlim_cur == RLIM_INFINITY) least = DFI_STACK_UNLIMITED;
        else if (bytes < least && most.rlim_cur > least) least = (size_t)most.rlim_cur;
    }
    return bytes < least ? least : bytes;
}
static int dfi_os_thread_start(struct dfi_os_thread *t, void *(*fn)(void *), void *arg, size_t stack_bytes)
{
    pthread_attr_t attr;
    struct dfi_signals before;
    int failed;
    if (pthread_attr_init(&attr)) return -1;
    if (!stack_bytes) stack_bytes = dfi_os_stack_bytes(&attr);
    pthread_attr_setstacksize(&attr, stack_bytes); /* below the system's minimum, this fails and the default remains */
    dfi_signals_block(&before);
    failed = pthread_create(&t->t, &attr, fn, arg);
    dfi_signals_set(&before);
    pthread_attr_destroy(&attr);
    return failed ? -1 : 0;
}
static void dfi_os_thread_join(struct dfi_os_thread *t) { pthread_join(t->t, NULL); }
static void dfi_os_thread_forget(struct dfi_os_thread *t) { pthread_detach(t->t); }
static int dfi_os_thread_is_self(const struct dfi_os_thread *t) { return pthread_equal(t->t, pthread_self()) != 0; }

#else

struct dfi_os_start { void *(*fn)(void *); void *arg; };
static int dfi_os_thread_main(void *p)
{
    struct dfi_os_start s = *(struct dfi_os_start *)p;
    dfi_mfree(p);
    s.fn(s.arg);
    return 0;
}
static int dfi_os_thread_start(struct dfi_os_thread *t, void *(*fn)(void *), void *arg, size_t stack_bytes)
{
    struct dfi_os_start *s = (struct dfi_os_start *)dfi_malloc(sizeof *s);
    (void)stack_bytes; /* C11 threads cannot choose it */
    if (!s) return -1;
    s->fn = fn, s->arg = arg;
    if (thrd_create(&t->t, dfi_os_thread_main, s) == thrd_success) return 0;
    dfi_mfree(s);
    return -1;
}
static void dfi_os_thread_join(struct dfi_os_thread *t) { thrd_join(t->t, NULL); }
static void dfi_os_thread_forget(struct dfi_os_thread *t) { thrd_detach(t->t); }
static int dfi_os_thread_is_self(const struct dfi_os_thread *t) { return thrd_equal(t->t, thrd_current()) != 0; }

#endif

/* --- CPUs -------------------------------------------------------------------------------------- */

#if defined(__linux__) && DFI_GNU
extern int dfi_sys_getaffinity(int pid, size_t bytes, unsigned long *mask) __asm__("sched_getaffinity");
extern int dfi_sys_setaffinity(int pid, size_t bytes, const unsigned long *mask) __asm__("sched_setaffinity");
/* The CPUs that a thread may use; 0: the calling one, getpid(): the main thread of the process. */
static int dfi_os_affinity_of(int thread, struct dfi_os_affinity *a)
{
    memset(a, 0, sizeof *a);
    return dfi_sys_getaffinity(thread, sizeof a->bits, a->bits) < 0 ? -1 : 0;
}
static int dfi_os_get_affinity(struct dfi_os_affinity *a) { return dfi_os_affinity_of(0, a); }
/* The CPUs that this process may use: those of its main thread and of the calling one, either of which the program may
 * have bound to a few. A new thread has those of the thread that created it. */
static int dfi_os_process_affinity(struct dfi_os_affinity *a)
{
    struct dfi_os_affinity own;
    size_t i;
    if (dfi_os_get_affinity(&own)) return -1;
    if (dfi_os_affinity_of((int)getpid(), a)) *a = own;
    for (i = 0; i < sizeof a->bits / sizeof *a->bits; i++) a->bits[i] |= own.bits[i];
    return 0;
}
static int dfi_os_set_affinity(const struct dfi_os_affinity *a)
{
    return dfi_sys_setaffinity(0, sizeof a->bits, a->bits) < 0 ? -1 : 0;
}
#else
static int dfi_os_get_affinity(struct dfi_os_affinity *a) { (void)a; return -1; }
static int dfi_os_process_affinity(struct dfi_os_affinity *a) { (void)a; return -1; }
static int dfi_os_set_affinity(const struct dfi_os_affinity *a) { (void)a; return -1; }
#endif

/* The calling thread, which is new, may use all of them. */
static void dfi_os_use_all_cpus(void)
{
    struct dfi_os_affinity a;
    if (!dfi_os_process_affinity(&a)) dfi_os_set_affinity(&a);
}

enum { DFI_LONG_BITS = 8 * sizeof(unsigned long) };
static int dfi_affinity_has(const struct dfi_os_affinity *a, int cpu)
{
    return (int)(a->bits[cpu / DFI_LONG_BITS] >> (cpu % DFI_LONG_BITS) & 1);
}
static void dfi_affinity_add(struct dfi_os_affinity *a, int cpu)
{
    a->bits[cpu / DFI_LONG_BITS] |= 1ul << (cpu % DFI_LONG_BITS);
}
static int dfi_affinity_count(const struct dfi_os_affinity *a)
{
    int cpu, n = 0;
    for (cpu = 0; cpu < DFI_MAX_CPUS; cpu++) n += dfi_affinity_has(a, cpu);
    return n;
}

/* Reads the first line of a file, without its end. -1: there is none. */
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
static int dfi_cgroup_read(const char *dir, const char *file, long *a, long *b)
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
static int dfi_cgroup_quota(const char *dir, int v2)
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
static int dfi_cgroup_walk(const char *mount, const char *path, int v2)
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

/* The system's ID of the calling thread; is it the main thread of the process? Both are 0 if unknown. (glibc has no
 * gettid before 2.30.) */
#if defined(__linux__) && DFI_GNU
static long dfi_os_thread_number(void) { return dfi_sys_call((long)SYS_gettid); }
static int dfi_os_main_thread(void) { return dfi_os_thread_number() == (long)getpid(); }
#else
static long dfi_os_thread_number(void) { return 0; }
static int dfi_os_main_thread(void) { return 0; }
#endif

/* Names the calling thread, for debuggers and profilers: at most 15 bytes. */
#if defined(__linux__) && DFI_GNU
extern int dfi_sys_prctl(int option, ...) __asm__("prctl");
DFI_UNUSED static void dfi_os_thread_name(const char *name)
{
    enum { DFI_SET_NAME = 15 }; /* PR_SET_NAME */
    dfi_sys_prctl(DFI_SET_NAME, name, 0ul, 0ul, 0ul);
}
#else
DFI_UNUSED static void dfi_os_thread_name(const char *name) { (void)name; }
#endif

/* The CPU that the calling thread runs on; negative if unknown. */
#if defined(__linux__) && DFI_GNU
extern int dfi_sys_getcpu(void) __asm__("sched_getcpu");
DFI_UNUSED static int dfi_os_cpu(void) { return dfi_sys_getcpu(); }
#else
DFI_UNUSED static int dfi_os_cpu(void) { return -1; }
#endif

/* Is the thread with that ID running, runnable, or waiting for a disk? 0: it sleeps, or its state is unknown. */
static int dfi_os_thread_runs(long number)
{
    char path[64], line[256], *state = NULL;
    FILE *f;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", number);
    if (!number || !(f = fopen(path, "r"))) return 0;
    if (fgets(line, sizeof line, f)) state = strrchr(line, ')'); /* "12 (name) R 1 ..." */
    fclose(f);
    return state && (!strncmp(state, ") R", 3) || !strncmp(state, ") D", 3));
}

/* CPUs that the cgroups of this process allow it to use on average, 0 if unlimited. root: "" except in tests. */
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

/* The number of CPUs that this process may use: at least 1. */
static int dfi_os_cpus(void)
{
    struct dfi_os_affinity a;
    int n = 0;
    if (dfi_os_process_affinity(&a) == 0) n = dfi_affinity_count(&a);
#if DFI_POSIX && defined(_SC_NPROCESSORS_ONLN)
    if (n <= 0) n = (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return n <= 0 ? 1 : n;
}

DFI_SMALL_CODE_END

#endif

#endif
