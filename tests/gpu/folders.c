/* folders.c - DF_TUNE, DF_HISTORY and DF_KERNEL_CACHE in folders that others can write to: not used, with one
 * message; a file keeps its mode; a full disk or the limit on the size of files costs what was measured and
 * nothing else */
#define _DEFAULT_SOURCE /* fork, mkfifo, setenv */
#define DF_IMPLEMENTATION
#if !defined(DF_SERIAL)
#define DF_USE_OPENCL /* has gpu/kernel/cache.h */
#endif
#include "df_gpu.h"
#include "../system/child.h"
#include "scratch.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[SCRATCH], name[SCRATCH + 300];
static int found;

static int take(void *arg, const char *value, const char *key)
{
    (void)arg, (void)key;
    found = atoi(value);
    return 0;
}
static int mine(void *arg, const char *key) { return (void)arg, !strcmp(key, "key"); }
static void put(void *arg, FILE *f) { fprintf(f, "%d\tkey\n", *(int *)arg); }
static struct dfi_file file = { "DF_HISTORY", "times of a test", 0, take, mine, put };

static int times(void *value)
{
    dfi_file_write(&file, value);
    dfi_file_read(&file, NULL);
    return found;
}
static int times_without_room(void *value)
{
    struct rlimit most = { 5, 5 };
    CHECK(!setrlimit(RLIMIT_FSIZE, &most));
    return times(value);
}

static int kernels(void *unused)
{
    struct dfi_cache_key k;
    size_t bytes;
    void *p;
    int same;
    (void)unused;
    dfi_cache_begin(&k);
    dfi_cache_add(&k, "a kernel");
    dfi_cache_put(&k, "compiled", 9);
    if (!(p = dfi_cache_get(&k, &bytes))) return 1;
    same = bytes == 9 && !memcmp(p, "compiled", 9);
    dfi_mfree(p);
    return same ? 7 : 2;
}
static int kernels_without_room(void *unused)
{
    struct rlimit most = { 5, 5 };
    CHECK(!setrlimit(RLIMIT_FSIZE, &most));
    return kernels(unused);
}

static int files(void)
{
    DIR *d = opendir(folder);
    int n = -2; /* . and .. */
    CHECK(d != NULL);
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

/* status: what fn returns; why: of one message, or NULL: none. */
static void check(int (*fn)(void *), int value, const char *variable, const char *text, int status, const char *why)
{
    const char *env[] = { variable, text, NULL };
    struct child c = child_run(fn, &value, env, 60);
    if (!why) CHECK_CHILD(c, c.status == status && c.lines == 0);
    else CHECK_CHILD(c, c.status == status && c.lines == 1 && strstr(c.err, variable) && strstr(c.err, why));
}

static unsigned mode_of(const char *path)
{
    struct stat s;
    return stat(path, &s) ? 0 : (unsigned)s.st_mode & 0777;
}

int main(void)
{
    static const int others[] = { 0777, 0770, 01777 };
    mode_t mask = umask(0);
    CHECK(mkdtemp(scratch(folder, "df_folders")) != NULL);
    snprintf(name, sizeof name, "%s/times", folder);
    check(times, 5, "DF_HISTORY", name, 5, NULL);
    CHECK(mode_of(name) == 0600 && files() == 1);
    CHECK(!chmod(name, 0644));
    check(times, 6, "DF_HISTORY", name, 6, NULL);
    CHECK(mode_of(name) == 0644 && files() == 1);
    check(times_without_room, 8, "DF_HISTORY", name, 6, "cannot be written: ");
    CHECK(files() == 1);
    for (int i = 0; i < 3; i++) { /* neither read nor written */
        CHECK(!chmod(folder, (mode_t)others[i]));
        check(times, 8, "DF_HISTORY", name, 0, "others can write to it");
    }
    CHECK(!chmod(folder, 0700));
    check(times, 9, "DF_HISTORY", name, 9, NULL);
    CHECK(!remove(name) && !mkfifo(name, 0600));
    check(times, 5, "DF_HISTORY", name, 0, "it is not a regular file");
    CHECK(!remove(name) && files() == 0);
    check(times, 5, "DF_HISTORY", "/nowhere/times", 0, "cannot be written: ");
    if (!geteuid()) { /* a folder of another user */
        CHECK(!chown(folder, 65534, (gid_t)-1));
        check(times, 5, "DF_HISTORY", name, 0, "does not belong to the user");
        check(kernels, 0, "DF_KERNEL_CACHE", folder, 1, "does not belong to the user");
        CHECK(!chown(folder, 0, (gid_t)-1));
    }
    for (int i = 0; i < 3; i++) {
        CHECK(!chmod(folder, (mode_t)others[i]));
        check(kernels, 0, "DF_KERNEL_CACHE", folder, 1, "others can write to it");
        CHECK(files() == 0);
    }
    CHECK(!chmod(folder, 0755));
    check(kernels_without_room, 0, "DF_KERNEL_CACHE", folder, 1, "File too large");
    CHECK(files() == 0);
    check(kernels, 0, "DF_KERNEL_CACHE", folder, 7, NULL);
    CHECK(files() == 1);
    CHECK(!chmod(folder, 0777)); /* what another user could have put there is not loaded */
    check(kernels, 0, "DF_KERNEL_CACHE", folder, 1, "others can write to it");
    CHECK(!chmod(folder, 0700));
    {
        DIR *d = opendir(folder);
        struct dirent *e;
        while ((e = readdir(d)) != NULL)
            if (*e->d_name != '.') {
                CHECK(snprintf(name, sizeof name, "%s/%s", folder, e->d_name) < (int)sizeof name);
                CHECK(mode_of(name) == 0600 && !remove(name));
            }
        closedir(d);
    }
    CHECK(!rmdir(folder));
    umask(mask);
    return 0;
}
