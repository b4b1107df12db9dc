/* Copies a file in blocks and sums them up: asynchronous reads and writes as tasks, ordered by the buffers they use.
 *
 * Block i goes through buffer i % BUFFERS: df_io_read fills it, `sum` reads it, df_io_write reads it. The next block
 * that uses the buffer is read after both. So reads run up to BUFFERS blocks ahead of the work, and nothing but the
 * declarations says so. No worker waits for the disk: io_uring executes the operations; where the system does not
 * permit it, threads do (io/df_io.h). The sum depends on the order of the blocks; `add` adds them in order. Then both
 * files are read and compared.
 *
 * A timer (io/df_timer.h) is the time limit: after LIMIT seconds it cancels what is left. It is cancelled before.
 *
 *     ./io [--time] [--threads]               a file made here
 *     ./io [--time] [--threads] FROM TO       --time: seconds, and how the operations are done; --threads: by threads
 */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "io/df_io.h"
#include "io/df_timer.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { BUFFERS = 16, BLOCK = 1 << 17, LIMIT = 1000 };

typedef struct { char bytes[BLOCK]; } block;
static block buffer[BUFFERS], other[BUFFERS];
static size_t got[BUFFERS], got_other[BUFFERS], put[BUFFERS];
static uint64_t sum_of[BUFFERS];

/* FNV-1a, eight bytes at a time. */
DF_TASK(void, sum, df_in(char, from, bytes), (size_t, bytes), df_in(size_t, read_bytes, 1), df_out(uint64_t, out, 1));
void sum(const char *from, size_t bytes, const size_t *read_bytes, uint64_t *out)
{
    uint64_t h = 14695981039346656037u, word;
    size_t i = 0;
    if (*read_bytes != bytes) df_fail(1, "the file became shorter while it was read");
    for (; i + 8 <= bytes; i += 8) {
        memcpy(&word, from + i, 8);
        h = (h ^ word) * 1099511628211u;
    }
    for (; i < bytes; i++) h = (h ^ (unsigned char)from[i]) * 1099511628211u;
    *out = h;
}
DF_TASK(void, add, df_in(uint64_t, s, 1), df_inout(uint64_t, total, 1));
void add(const uint64_t *s, uint64_t *total) { *total = *total * 31 + *s; }

DF_TASK(void, compare, df_in(char, a, bytes), df_in(char, b, bytes), (size_t, bytes), df_inout(long, differ, 1));
void compare(const char *a, const char *b, size_t bytes, long *differ) { *differ += memcmp(a, b, bytes) != 0; }

DF_TASK(void, too_late, (df_timer *, limit));
void too_late(df_timer *limit)
{
    if (!df_timer_cancelled(limit)) df_fail(2, "the time limit is over");
}
DF_TASK(void, in_time, (df_timers *, clock), (df_timer *, limit), df_in(uint64_t, total, 1));
void in_time(df_timers *clock, df_timer *limit, const uint64_t *total)
{
    (void)total;
    df_timer_cancel(clock, limit);
}

static size_t length_of(long long at, long long size) { return (size_t)(size - at < BLOCK ? size - at : BLOCK); }

static df_result copy(df_io *io, df_timers *clock, int from, int to, long long size, uint64_t *total)
{
    static df_token over = DF_TIMER_TOKEN;
    static df_timer limit;
    df_timer_in(clock, &limit, LIMIT * 1000L, &over);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&over)), too_late, &limit);
    for (long long at = 0; at < size; at += BLOCK) {
        int k = (int)(at / BLOCK % BUFFERS);
        size_t bytes = length_of(at, size);
        df_submit(df_io_read, io, from, at, buffer[k].bytes, bytes, &got[k]);
        df_submit(sum, buffer[k].bytes, bytes, &got[k], &sum_of[k]);
        df_submit(df_io_write, io, to, at, buffer[k].bytes, bytes, &put[k]);
        df_submit(add, &sum_of[k], total);
    }
    df_submit(in_time, clock, &limit, total);
    df_result r = df_wait_result();
    df_timer_cancel(clock, &limit); /* if in_time was skipped */
    return r;
}

static df_result same(df_io *io, int a, int b, long long size, long *differ)
{
    for (long long at = 0; at < size; at += BLOCK) {
        int k = (int)(at / BLOCK % BUFFERS);
        size_t bytes = length_of(at, size);
        df_submit(df_io_read, io, a, at, buffer[k].bytes, bytes, &got[k]);
        df_submit(df_io_read, io, b, at, other[k].bytes, bytes, &got_other[k]);
        df_submit(compare, buffer[k].bytes, other[k].bytes, bytes, differ);
    }
    return df_wait_result();
}

static int temporary(void)
{
    FILE *f = tmpfile();
    int file = f ? dup(fileno(f)) : -1;
    if (f) fclose(f);
    return file;
}
static int made(long long size) /* a file of that size */
{
    int file = temporary();
    uint64_t state = 1;
    for (long long at = 0; file >= 0 && at < size; at += BLOCK) {
        size_t bytes = length_of(at, size);
        for (size_t i = 0; i < bytes; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            buffer[0].bytes[i] = (char)(state >> 56);
        }
        if (pwrite(file, buffer[0].bytes, bytes, (off_t)at) != (ssize_t)bytes) return -1;
    }
    return file;
}

int main(int argc, char **argv)
{
    int timed = 0, threads = 0;
    for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
        if (!strcmp(argv[1], "--time")) timed = 1;
        else if (!strcmp(argv[1], "--threads")) threads = 1;
        else break;
    }
    if (argc != 1 && argc != 3) {
        fprintf(stderr, "usage: io [--time] [--threads] [FROM TO]\n");
        return 2;
    }
    struct stat about;
    int from = argc > 1 ? open(argv[1], O_RDONLY) : made(5000001);
    int to = argc > 1 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0666) : temporary();
    if (from < 0 || to < 0 || fstat(from, &about)) {
        perror(from < 0 && argc > 1 ? argv[1] : argc > 1 ? argv[2] : "a temporary file");
        return 1;
    }
    df_timers *clock = df_timers_new();
    if (!clock) {
        fprintf(stderr, "no thread for a clock\n");
        return 1;
    }
    df_io *io = df_io_new(0, threads ? DF_IO_THREADS : DF_IO_BEST);
    df_workers(); /* starts the pool: not part of the time */
    long long size = about.st_size, begin = df_timer_now();
    uint64_t total = 0;
    long differ = 0;
    df_result r = copy(io, clock, from, to, size, &total);
    double seconds = 1e-9 * (double)(df_timer_now() - begin);
    if (r == DF_OK) r = same(io, from, to, size, &differ);
    if (r != DF_OK) fprintf(stderr, "%s\n", df_error_text(r));
    else {
        printf("%lld bytes, sum %016llx, the copy is %s\n", size, (unsigned long long)total,
               differ ? "DIFFERENT" : "the same");
        if (timed) printf("%.4f s, %.0f MB/s, by %s\n", seconds, 1e-6 * (double)size / seconds, df_io_kind(io));
    }
    df_io_free(io);
    df_timers_free(clock);
    close(from), close(to);
    return r != DF_OK || differ != 0;
}
