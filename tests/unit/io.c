/* io.c - examples/io: reads, writes and timers as tasks: the results of a model in memory, with either way to execute
 * operations; the codes of errors, and the order of timers */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "../../examples/io/df_io.h"
#include "../../examples/io/df_timer.h"
#include "../test.h"

#include <fcntl.h>

enum { SIZE = 1 << 14, ROUNDS = 20, OPERATIONS = 40, MOST = 600 };

static int temporary(void)
{
    FILE *f = tmpfile();
    int file = f ? dup(fileno(f)) : -1;
    CHECK(file >= 0);
    fclose(f);
    return file;
}

/* --- reads and writes of random parts --------------------------------------------------------------- */

DF_TASK(void, fill, df_out(char, p, n), (size_t, n), (int, value));
void fill(char *p, size_t n, int value) { memset(p, value, n); }

/* Tasks that use the same bytes of the file use the same bytes of `order`. */
DF_TASK(void, write_part, (df_io *, io), (int, file), (size_t, at), df_in(char, from, n), (size_t, n),
        df_inout(char, order, n), df_out(size_t, put, 1));
void write_part(df_io *io, int file, size_t at, const char *from, size_t n, char *order, size_t *put)
{
    (void)order;
    df_submit(df_io_write, io, file, (long long)at, from, n, put);
}
DF_TASK(void, read_part, (df_io *, io), (int, file), (size_t, at), df_out(char, to, n), (size_t, n),
        df_in(char, order, n), df_out(size_t, got, 1));
void read_part(df_io *io, int file, size_t at, char *to, size_t n, const char *order, size_t *got)
{
    (void)order;
    df_submit(df_io_read, io, file, (long long)at, to, n, got);
}
DF_TASK(void, hash, df_in(char, p, n), (size_t, n), df_in(size_t, got, 1), df_inout(uint64_t, h, 1));
void hash(const char *p, size_t n, const size_t *got, uint64_t *h)
{
    *h = test_mix(*h, *got);
    for (size_t i = 0; i < n; i++) *h = test_mix(*h, (uint64_t)(unsigned char)p[i]);
}

static uint64_t parts(df_io *io, uint64_t seed)
{
    static char model[SIZE + MOST], memory[SIZE + MOST], buffer[OPERATIONS][MOST], order[SIZE + MOST];
    static size_t counts[OPERATIONS];
    uint64_t h = 0, expected = 0;
    int file = temporary();
    memset(model, 0, sizeof model);
    CHECK(ftruncate(file, SIZE) == 0);
    for (int k = 0; k < OPERATIONS; k++) {
        size_t n = (size_t)test_below(&seed, MOST), at = (size_t)test_below(&seed, SIZE - MOST);
        if (test_below(&seed, 2)) {
            int value = 1 + test_below(&seed, 100);
            memset(model + at, value, n);
            df_submit(fill, buffer[k], n, value);
            df_submit(write_part, io, file, at, buffer[k], n, order + at, &counts[k]);
        } else {
            size_t got = n;
            if (test_below(&seed, 8) == 0) { /* over the end: no bytes come from there */
                at = SIZE - n / 2;
                got = n / 2;
            }
            memset(buffer[k], 0, n);
            df_submit(read_part, io, file, at, buffer[k], n, order + at, &counts[k]);
            df_submit(hash, buffer[k], n, &counts[k], &h);
            hash(model + at, n, &got, &expected);
        }
    }
    CHECK(df_wait_result() == DF_OK);
    CHECK(h == expected);
    CHECK(pread(file, memory, sizeof memory, 0) == SIZE && memcmp(memory, model, SIZE) == 0);
    close(file);
    return h;
}

/* --- streams, errors --------------------------------------------------------------------------------------- */

static void streams(df_io *io)
{
    int ends[2], connection = -1;
    char sent[100], came[200];
    size_t put = 0, got[2] = { 7, 7 };
    memset(sent, 'x', sizeof sent);
    CHECK(pipe(ends) == 0);
    df_submit(df_io_write, io, ends[1], DF_IO_STREAM, sent, sizeof sent, &put);
    CHECK(df_wait_result() == DF_OK);
    df_submit(df_io_read, io, ends[0], DF_IO_STREAM, came, sizeof came, &got[0]); /* less than there is room for */
    CHECK(df_wait_result() == DF_OK && put == 100 && got[0] == 100 && memcmp(sent, came, 100) == 0);
    close(ends[1]);
    df_submit(df_io_read, io, ends[0], DF_IO_STREAM, came, sizeof came, &got[1]);
    CHECK(df_wait_result() == DF_OK);
    df_submit(df_io_accept, io, ends[0], &connection);
    df_result r = df_wait_result();
    printf("a pipe at its end: %zu bytes; accepts nothing: %d %d\n", got[1], (int)r == ENOTSOCK, connection);
    close(ends[0]);
}

DF_TASK(void, mark, df_in(char, p, 1), (int *, ran));
void mark(const char *p, int *ran)
{
    (void)p;
    *ran += 1;
}
static void errors(df_io *io)
{
    static char p[10];
    int full = open("/dev/full", O_WRONLY), folder = open("/", O_RDONLY), ran = 0;
    size_t n = 3;
    CHECK(full >= 0 && folder >= 0);
    df_submit(df_io_write, io, full, 5, p, sizeof p, &n);
    df_result r = df_wait_result();
    const char *text = df_error_text(r);
    CHECK(strncmp(text, "write of file ", 14) == 0 && strstr(text, " at byte 5: "));
    printf("%d,%s\n", (int)r == ENOSPC, strchr(text, ':') + 1);
    df_submit(df_io_read, io, folder, 0, p, sizeof p, &n);
    df_submit(mark, p, &ran);
    printf("%d\n", df_wait_result() == (df_result)EISDIR);
    CHECK(ran == 0);
    df_submit(df_io_read, io, -1, 0, p, sizeof p, &n);
    df_submit(mark, p, &ran);
    printf("%d\n", df_wait_result() == (df_result)EBADF);
    CHECK(ran == 0 && n == 3);
    close(full), close(folder);
}

/* --- timers -------------------------------------------------------------------------------------------------- */

enum { TIMERS = 30 };
static df_timer timers[TIMERS];
static df_token tokens[TIMERS];

DF_TASK(void, ring, (int, k), df_concurrent(int, order, TIMERS + 1));
void ring(int k, int *order) { order[1 + __atomic_fetch_add(&order[0], 1, __ATOMIC_RELAXED)] = k; }
DF_TASK(void, cancel, (df_timers *, clock), (int, k), df_inout(int, cancelled, 1));
void cancel(df_timers *clock, int k, int *cancelled) { *cancelled += df_timer_cancel(clock, &timers[k]); }

/* All times are over when the timers are set, but for those that are cancelled. */
static void times(df_timers *clock)
{
    static int order[TIMERS + 1];
    int cancelled = 0, seen = 0;
    char gate = 0;
    for (int k = 0; k < TIMERS; k++) {
        df_token closed = DF_TIMER_TOKEN;
        tokens[k] = closed;
        if (k % 3) df_timer_at(clock, &timers[k], df_timer_now() + (k * 7919 % TIMERS) * 10000LL, &tokens[k]);
        else df_timer_in(clock, &timers[k], 1000000 + k * 13 % TIMERS, &tokens[k]);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&tokens[k])), ring, k, order);
    }
    for (int k = 0; k < TIMERS; k += 3) df_submit(cancel, clock, k, &cancelled);
    df_submit(df_delay, clock, 2, &gate);
    df_submit(df_delay, NULL, 1, &gate);
    df_submit(mark, &gate, &seen);
    CHECK(df_wait_result() == DF_OK && seen == 1);
    int rang = 0;
    for (int k = 0; k < TIMERS; k++) rang += !df_timer_cancelled(&timers[order[1 + k]]);
    printf("%d timers, %d cancelled, %d rang\n", order[0], cancelled, rang);
}

int main(void)
{
    for (int how = DF_IO_BEST; how <= DF_IO_THREADS; how++)
        for (int most = 0; most < 4; most += 3) {
            df_io *io = df_io_new(most, (df_io_how)how);
            uint64_t h = 0;
            for (int round = 0; round < ROUNDS; round++) h = test_mix(h, parts(io, (uint64_t)round));
            printf("%016llx\n", (unsigned long long)h);
            streams(io);
            errors(io);
            df_io_free(io);
        }
    printf("%016llx\n", (unsigned long long)parts(NULL, 1));
    df_timers *clock = df_timers_new();
    CHECK(clock);
    times(clock);
    df_timers_free(clock);
    return 0;
}
