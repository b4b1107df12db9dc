/* threads.h - operating system layer: threads, time, CPUs */
#ifndef DFI_OS_THREADS_H
#define DFI_OS_THREADS_H

#include "../base/compiler.h"
#include "../base/memory.h"
#include "os.h"

DFI_SMALL_CODE_BEGIN

enum { DFI_STACK_LEAST = 1 << 20 }; /* musl's default of 128 KB is too small for recursion and numeric kernels */

#if DFI_POSIX

static int dfi_os_thread_start(struct dfi_os_thread *t, void *(*fn)(void *), void *arg, size_t stack_bytes)
{
    pthread_attr_t attr;
    int failed;
    if (pthread_attr_init(&attr)) return -1;
    if (!stack_bytes && (pthread_attr_getstacksize(&attr, &stack_bytes) || stack_bytes < DFI_STACK_LEAST))
        stack_bytes = DFI_STACK_LEAST;
    pthread_attr_setstacksize(&attr, stack_bytes); /* below the system's minimum, this fails and the default remains */
    failed = pthread_create(&t->t, &attr, fn, arg);
    pthread_attr_destroy(&attr);
    return failed ? -1 : 0;
}
static void dfi_os_thread_join(struct dfi_os_thread *t) { pthread_join(t->t, NULL); }
static void dfi_os_thread_forget(struct dfi_os_thread *t) { pthread_detach(t->t); }

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

#endif

/* A time stamp in nanoseconds. With C11 threads it may jump when the clock is set. */
static uint64_t dfi_os_ns(void)
{
    struct timespec t;
#if DFI_POSIX
    dfi_sys_clock_gettime(DFI_OS_CLOCK, &t);
#else
    timespec_get(&t, TIME_UTC);
#endif
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- CPUs -------------------------------------------------------------------------------------- */

#if defined(__linux__) && DFI_GNU
extern int dfi_sys_getaffinity(int pid, size_t bytes, unsigned long *mask) __asm__("sched_getaffinity");
extern int dfi_sys_setaffinity(int pid, size_t bytes, const unsigned long *mask) __asm__("sched_setaffinity");
static int dfi_os_get_affinity(struct dfi_os_affinity *a)
{
    memset(a, 0, sizeof *a);
    return dfi_sys_getaffinity(0, sizeof a->bits, a->bits) < 0 ? -1 : 0;
}
static int dfi_os_set_affinity(const struct dfi_os_affinity *a)
{
    return dfi_sys_setaffinity(0, sizeof a->bits, a->bits) < 0 ? -1 : 0;
}
#else
static int dfi_os_get_affinity(struct dfi_os_affinity *a) { (void)a; return -1; }
static int dfi_os_set_affinity(const struct dfi_os_affinity *a) { (void)a; return -1; }
#endif

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

/* CPUs by quota/period of one cgroup directory, or 0 if it sets none. v2: cpu.max "QUOTA PERIOD" or "max PERIOD"; v1:
 * two files, quota -1 for none. */
static int dfi_cgroup_quota(const char *dir, int v2)
{
    char path[1200];
    long quota = -1, period = 0;
    FILE *f;
    if (v2) {
        snprintf(path, sizeof path, "%s/cpu.max", dir);
        if (!(f = fopen(path, "r"))) return 0;
        if (fscanf(f, "%ld %ld", &quota, &period) != 2) quota = -1;
        fclose(f);
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", dir);
        if (!(f = fopen(path, "r"))) return 0;
        if (fscanf(f, "%ld", &quota) != 1) quota = -1;
        fclose(f);
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir);
        if (!(f = fopen(path, "r"))) return 0;
        if (fscanf(f, "%ld", &period) != 1) period = 0;
        fclose(f);
    }
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
#include <sys/syscall.h>
extern long dfi_sys_call(long number, ...) __asm__("syscall");
static long dfi_os_thread_number(void) { return dfi_sys_call((long)SYS_gettid); }
static int dfi_os_main_thread(void) { return dfi_os_thread_number() == (long)getpid(); }
#else
static long dfi_os_thread_number(void) { return 0; }
static int dfi_os_main_thread(void) { return 0; }
#endif

/* Is the thread with that ID running or runnable? 0: it sleeps, or its state is unknown. */
static int dfi_os_thread_runs(long number)
{
    char path[64], line[256], *state = NULL;
    FILE *f;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", number);
    if (!number || !(f = fopen(path, "r"))) return 0;
    if (fgets(line, sizeof line, f)) state = strrchr(line, ')'); /* "12 (name) R 1 ..." */
    fclose(f);
    return state && !strncmp(state, ") R", 3);
}

/* CPUs that the cgroups of this process allow it to use on average, 0 if unlimited. root: "" except in tests. */
static int dfi_cgroup_cpus(const char *root)
{
    char path[300], line[1024], mount[300];
    int least = 0;
    FILE *f;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!(f = fopen(path, "r"))) return 0;
    while (fgets(line, sizeof line, f)) { /* "0::/a/b" (v2) or "4:cpu,cpuacct:/a/b" (v1) */
        char *controllers = strchr(line, ':'), *group;
        int n = 0;
        line[strcspn(line, "\n")] = 0;
        if (!controllers || !(group = strchr(controllers + 1, ':'))) continue;
        controllers++, *group++ = 0;
        if (!*controllers) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
            n = dfi_cgroup_walk(mount, group, 1);
        } else if (!strcmp(controllers, "cpu") || !strncmp(controllers, "cpu,", 4) || strstr(controllers, ",cpu,") ||
                   (strlen(controllers) > 4 && !strcmp(controllers + strlen(controllers) - 4, ",cpu"))) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/%s", root, controllers);
            n = dfi_cgroup_walk(mount, group, 0);
            if (!n) {
                snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/cpu", root);
                n = dfi_cgroup_walk(mount, group, 0);
            }
        }
        if (n && (!least || n < least)) least = n;
    }
    fclose(f);
    return least;
}

/* The number of threads in this process, 0 if unknown. */
#if defined(__linux__)
#include <sys/stat.h>
static int dfi_os_threads(void)
{
    struct stat s;
    return stat("/proc/self/task", &s) || s.st_nlink < 3 ? 0 : (int)s.st_nlink - 2;
}
#else
static int dfi_os_threads(void) { return 0; }
#endif

/* The number of CPUs that this process may use: its affinity mask, limited by the cgroup quota. At least 1. */
static int dfi_os_cpus(void)
{
    struct dfi_os_affinity a;
    int n = 0, quota = dfi_cgroup_cpus("");
    if (dfi_os_get_affinity(&a) == 0) n = dfi_affinity_count(&a);
#if DFI_POSIX && defined(_SC_NPROCESSORS_ONLN)
    if (n <= 0) n = (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
    if (n <= 0) n = 1;
    return quota && quota < n ? quota : n;
}

DFI_SMALL_CODE_END

#endif
