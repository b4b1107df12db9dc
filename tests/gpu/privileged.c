/* privileged.c - a program with privileges that its user lacks obeys no variable of df, and loads no library that
 * its user could choose
 *
 * The test copies itself, makes the copy set-group-ID or set-user-ID, and runs it as another user: that needs
 * root, or a second group. */
#define _DEFAULT_SOURCE /* fork, setenv, setgroups */
#define DF_IMPLEMENTATION
#if !defined(DF_SERIAL) /* both loaders */
#define DF_USE_OPENCL
#define DF_USE_CUDA
#endif
#include "df_gpu.h"
#include "../system/child.h"
#include "scratch.h"
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>

DF_KERNEL(add, df_inout(float, y, n), (int, n), { int i = df_global_id(0); if (i < n) y[i] += 1; })

enum { NOBODY = 65534 };
static char folder[SCRATCH], copy[SCRATCH + 20], open_folder[SCRATCH + 20];
static char value[12][SCRATCH + 60];
static const char *env[2 * 12 + 1];

/* The program proper: the content of y shows that it ran. */
static int use_df(void *unused)
{
    float y[64] = { 0 };
    (void)unused;
    df_launch(add, df_grid(64), y, 64);
    df_wait();
    df_stop();
    for (int i = 0; i < 64; i++)
        if (y[i] != 1) return 1;
    if (TEST_ASAN && dfi_privileged()) _exit(0); /* its search for leaks needs a process that can be traced */
    return 0;
}

static int files_in(const char *name)
{
    DIR *d = opendir(name);
    int n = -2; /* . and .. */
    CHECK(d != NULL);
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

/* Each names a file that df would create, or something that it would complain of. */
static void variables(void)
{
    static const char *const file[] = { "DF_TRACE", "t.json", "DF_GRAPH", "g.txt", "DF_STATS", "s.txt", "DF_SCHEDULE",
                                        "r" };
    int n = 0;
    for (int i = 0; i < 4; i++) {
        snprintf(value[i], sizeof value[i], "%s%s/%s", i == 3 ? "record:" : "", open_folder, file[2 * i + 1]);
        env[n++] = file[2 * i], env[n++] = value[i];
    }
    env[n++] = "DF_WORKERS", env[n++] = "garbage";
    env[n++] = "DF_CUDA_LIBRARY", env[n++] = "/nowhere/lib.so";
    env[n++] = "DF_GPU_SIM", env[n++] = "garbage";
    env[n] = NULL;
}

static int as_nobody(void *unused)
{
    if (!geteuid()) CHECK(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY));
    (void)unused;
    execl(copy, copy, "child", (char *)NULL);
    return 99;
}

static void copy_self(const char *self)
{
    char part[1 << 16];
    ssize_t n;
    int from = open(self, O_RDONLY), to = open(copy, O_WRONLY | O_CREAT | O_EXCL, 0755);
    CHECK(from >= 0 && to >= 0);
    while ((n = read(from, part, sizeof part)) > 0) CHECK(write(to, part, (size_t)n) == n);
    CHECK(n == 0 && !close(from) && !close(to));
}

/* A group of the user's that is not the first one. -1: none. */
static int second_group(void)
{
    gid_t g[64];
    int n = getgroups(64, g);
    for (int i = 0; i < n; i++)
        if (g[i] != getgid()) return (int)g[i];
    return -1;
}

/* Effective identities alone: not a new program. */
static int effective(void *unused)
{
    CHECK(!setegid(NOBODY) && !seteuid(NOBODY));
    return use_df(unused);
}

static void ignores(struct child c)
{
    CHECK_CHILD(c, c.status == 0 && strstr(c.err, "all other variables of df are ignored"));
    CHECK_CHILD(c, !strstr(c.err, "garbage") && !strstr(c.err, "/nowhere") && !strstr(c.err, "cannot be written"));
    CHECK(files_in(open_folder) == 0);
}

int main(int argc, char **argv)
{
    struct child c;
    if (argc > 1) { /* the copy */
        if (!dfi_privileged()) return 98;
        return use_df(NULL);
    }
    CHECK(mkdtemp(scratch(folder, "df_privileged")) != NULL && !chmod(folder, 0755));
    snprintf(copy, sizeof copy, "%s/program", folder);
    snprintf(open_folder, sizeof open_folder, "%s/open", folder);
    CHECK(!mkdir(open_folder, 0700) && !chmod(open_folder, 0777));
    variables();
    c = child_run(use_df, NULL, env, 60); /* without privileges they count */
    CHECK_CHILD(c, c.status == 0 && strstr(c.err, "DF_WORKERS='garbage'") && strstr(c.err, "DF_GPU_SIM='garbage'"));
    CHECK(files_in(open_folder) == 4);
    for (int i = 0; i < 4; i++) CHECK(!remove(value[i] + (i == 3 ? strlen("record:") : 0)));
    copy_self(argv[0]);
    if (geteuid()) CHECK(second_group() < 0 || (!chown(copy, (uid_t)-1, (gid_t)second_group()) && !chmod(copy, 02755)));
    else {
        c = child_run(effective, NULL, env, 60);
        ignores(c);
        CHECK(!chmod(copy, 04755));
    }
    c = child_run(as_nobody, NULL, env, 60);
    if (c.status != 98 && c.status != 99) {
        ignores(c);
        CHECK_CHILD(c, strstr(c.err, "OpenCL and CUDA are not loaded"));
    }
    CHECK(!remove(copy) && !rmdir(open_folder) && !rmdir(folder));
    if (c.status != 98 && c.status != 99) return 0;
    fprintf(stderr, "no set-user-ID program can be run here\n");
    return 77;
}
