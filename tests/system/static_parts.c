/* static_parts.c - in a DF_STATIC loop each worker takes the part with its own index first; df_first_touch makes the
 * system provide each page
 *
 * Each part waits until as many parts have begun as there are workers. So each worker runs exactly one, the first that it
 * claims, which is its own as nobody else needs another. */
#define _DEFAULT_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { LENGTH = 100000 };

static int begun, wrong;
DF_LOOP(part, (int, workers), (int, from), (long, length));
void part(long lo, long hi, int workers, int from, long length)
{
    long c = (length - 1) / workers + 1;
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < from + workers) sched_yield();
    if (lo != c * df_worker() || (hi != lo + c && hi != length)) __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
}
DF_TASK(void, in_task, (int, n), (int, from));
void in_task(int n, int from) { df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC), part, 0, LENGTH, n, from, LENGTH); }

/* The pages of memory that the system provided. */
static long resident(char *p, size_t bytes, long page)
{
    unsigned char in[256];
    long n = 0;
    CHECK(bytes / (size_t)page <= sizeof in && !mincore(p, bytes, (void *)in));
    for (size_t i = 0; i < bytes / (size_t)page; i++) n += in[i] & 1;
    return n;
}

static void touch(void)
{
    long page = sysconf(_SC_PAGESIZE), pages = 200;
    size_t bytes = (size_t)(pages * page);
    char *p = (char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    if (resident(p, bytes, page)) { /* an emulator, or a system that provides all at once */
        munmap(p, bytes);
        return;
    }
    df_first_touch(p + page + 10, bytes - 2 * (size_t)page - 10); /* not the first and not the last */
    CHECK(resident(p, bytes, page) >= pages - 2); /* more with larger pages */
    for (size_t i = 0; i < bytes; i++) CHECK(p[i] == 0);
    munmap(p, bytes);
}

int main(void)
{
    int n = df_workers(), from = 0;
    for (int k = 0; k < 100; k++, from += n)
        df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC), part, 0, LENGTH - k, n, from, LENGTH - k);
    CHECK(wrong == 0);
    for (int k = 1; k < n; k++, from += n) { /* called on another worker */
        df_submit_with(DF_OPTS(.worker = k), in_task, n, from);
        df_wait();
    }
    CHECK(wrong == 0 && begun == from);
    touch();
    return 0;
}
