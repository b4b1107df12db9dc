/* library.c - a program and a shared library (part.c) that both embed df: there is one pool
 *
 * Argument: the library to load with dlopen; a second argument: it uses df before the program does.
 * -DLINKED    it is linked instead.
 * -DOWN_POOL  the program does not export its symbols (no -rdynamic), so the library it loads has a
 *             pool of its own: both must work.
 * -DNO_DF     the program itself does not use df, and the pool has to end with the library.
 * Returns 0 or prints the mistake. Run with DF_WORKERS=3. */
#define _POSIX_C_SOURCE 200809L
#ifndef NO_DF
#define DF_IMPLEMENTATION
#include "../../df.h"
#endif
#include "part.h"
#include "load.h"

#include <dirent.h>

/* Threads of this process; 0 where that cannot be found out. */
static int threads(void)
{
    DIR *d = opendir("/proc/self/task");
    struct dirent *e;
    int n = 0;
    if (!d) return 0;
    while ((e = readdir(d))) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static int (*workers)(void);
static long (*fib)(long);
static void (*append)(int *, int);

static int open_library(const char *name)
{
    return load(name) || FIND(workers, part_workers) || FIND(fib, part_fib) || FIND(append, part_append);
}

#ifdef NO_DF

int main(int argc, char **argv)
{
    int i;
    for (i = 0; i < 3; i++) { /* loaded, used and unloaded, again and again */
        static int x;
        if (open_library(argv[argc - 1])) return 1;
        CHECK(fib(20) == 6765);
        CHECK(workers() == 3);
        CHECK(threads() == 3 || threads() == 0);
        append(&x, 1); /* not waited for: the end of the library must not hang or crash on it */
        close_library();
        CHECK(threads() <= 1);
    }
    return failed;
}

#else

DF_TASK(void, shift, df_inout(int, x, 1), (int, digit));
void shift(int *x, int digit) { *x = 10 * *x + digit; }

static void use(void)
{
    int x = 0;
    CHECK(df_workers() == 3);
    CHECK(workers() == 3);
    CHECK(fib(20) == 6765);
#ifndef OWN_POOL
    DF_PARALLEL { /* tasks of both are ordered together */
        df_submit(shift, &x, 1);
        append(&x, 2);
        df_submit(shift, &x, 3);
        append(&x, 4);
    }
    CHECK(x == 1234);
    CHECK(threads() == 3 || threads() == 0);
#else
    DF_PARALLEL df_submit(shift, &x, 1);
    CHECK(x == 1);
#endif
}

int main(int argc, char **argv)
{
    int x = 0, library_first = argc > 2;
    if (open_library(argv[1])) return 1;
    if (library_first) CHECK(fib(20) == 6765); /* the library is the first to use df */
    use();
    close_library();
    DF_PARALLEL df_submit(shift, &x, 5); /* and df is still there */
    CHECK(x == 5);
    if (open_library(argv[1])) return 1;
    use();
    return failed;
}

#endif
