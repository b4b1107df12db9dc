/* leaks.c - valgrind finds no memory lost at exit, neither definitely nor possibly: blocks of threads that have
 * ended or still use df are reachable by pointers to their start. Without valgrind nothing is tested. */
#define _DEFAULT_SOURCE /* fork, setenv */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "child.h"
#include "work.h"
#include <errno.h>
#include <pthread.h>

static long count;
DF_TASK(void, add);
void add(void) { DF_ATOMIC df_tm_write(&count, df_tm_read(&count) + 1); }

static void *thread(void *unused)
{
    for (int i = 0; i < 100; i++) df_submit(add);
    df_wait();
    return unused;
}

static int use_df(const char *how)
{
    pthread_t t[3];
    CHECK(work_right());
    for (int i = 0; i < 3; i++) CHECK(!pthread_create(&t[i], NULL, thread, NULL));
    thread(NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    CHECK(count == 400);
    if (*how == 's') df_stop();
    return 7;
}

static int under_valgrind(void *arg)
{
    char *const *self = (char *const *)arg;
    execlp("valgrind", "valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite,possible",
           "--errors-for-leak-kinds=definite,possible", "--error-exitcode=9", self[0], self[1], (char *)NULL);
    return errno == ENOENT ? 77 : 1;
}

int main(int argc, char **argv)
{
#if defined(__linux__) && !defined(__GLIBC__)
    return 0; /* valgrind does not know the memory of musl */
#endif
    static char ways[][5] = { "exit", "stop" };
    if (argc > 1) return use_df(argv[1]);
    if (TEST_SLOW) return 0; /* valgrind does not run what a sanitizer or an emulator runs */
    for (int i = 0; i < 2; i++) {
        char *self[] = { argv[0], ways[i] };
        static const char *const env[] = { "DF_WORKERS", "4", NULL };
        struct child c = child_run(under_valgrind, self, env, 110);
        if (c.status == 77) {
            fprintf(stderr, "valgrind is not installed\n");
            return 0;
        }
        CHECK_CHILD(c, c.status == 7 && c.lines == 0);
    }
    return 0;
}
