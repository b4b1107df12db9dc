/* files.c - programs that write one file of times at the same time: it is complete at every moment, and has the keys of
 * the last writer
 *
 * Each of the children writes its times again and again, while the parent reads. */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"
#include "scratch.h"
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 4, TIMES = 60, KEYS = 50 };
static int seen[CHILDREN][KEYS], wrong;

/* "child 3, key 20": its value is the same number of times the child has written */
static int take(void *arg, const char *value, const char *key)
{
    int child, k, end = 0;
    (void)arg;
    if (sscanf(key, "child %d, key %d%n", &child, &k, &end) != 2 || key[end] || child < 0 || child >= CHILDREN ||
        k < 0 || k >= KEYS) return 1;
    seen[child][k] = atoi(value);
    return 0;
}
static int mine(void *arg, const char *key)
{
    int child, k;
    return sscanf(key, "child %d, key %d", &child, &k) == 2 && child == ((int *)arg)[0];
}
static void put(void *arg, FILE *f)
{
    for (int k = 0; k < KEYS; k++) fprintf(f, "%d\tchild %d, key %d\n", ((int *)arg)[1], ((int *)arg)[0], k);
}

static struct dfi_file file = { "DF_HISTORY", "times of a test", 0, take, mine, put };

/* The values of a child are all of one time. */
static void look(void)
{
    memset(seen, 0, sizeof seen);
    dfi_file_read(&file, NULL);
    for (int c = 0; c < CHILDREN; c++)
        for (int k = 1; k < KEYS; k++) wrong += seen[c][k] != seen[c][0];
}

int main(void)
{
    char folder[SCRATCH], name[SCRATCH + 20];
    pid_t child[CHILDREN];
    int running = CHILDREN, whole = 0, status;
    CHECK(mkdtemp(scratch(folder, "df_files")) != NULL);
    snprintf(name, sizeof name, "%s/history", folder);
    setenv("DF_HISTORY", name, 1);
    dfi_logger.log = hear;
    for (int c = 0; c < CHILDREN; c++)
        if (!(child[c] = fork())) {
            int me[2] = { c, 0 };
            for (int i = 1; i <= TIMES; i++) me[1] = i, dfi_file_write(&file, me);
            _exit(*heard() != 0);
        } else CHECK(child[c] > 0);
    while (running) {
        look();
        whole += seen[0][0] || seen[1][0] || seen[2][0] || seen[3][0];
        while (running && waitpid(-1, &status, WNOHANG) > 0) {
            CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
            running--;
        }
    }
    CHECK(!wrong && whole);
    look();
    for (int c = whole = 0; c < CHILDREN; c++) whole += seen[c][0] == TIMES;
    CHECK(whole >= 1); /* the last writer; of the others the latest times may be lost */
    CHECK(!*heard());
    CHECK(!remove(name) && !rmdir(folder)); /* nothing else was left there */
    return 0;
}
