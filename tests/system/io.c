/* io.c - examples/io: connections, cancellation while operations wait, restarts of the pool, systems that lack rings,
 * descriptors and threads, and many timers from many tasks */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "../../examples/io/df_io.h"
#include "../../examples/io/df_timer.h"
#include "../test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#if defined(__GLIBC__) && defined(__x86_64__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#endif

/* --- a server and its clients: each sends a number, and gets its double back ---------------------------------- */

enum { CLIENTS = 30 };

static int listener(struct sockaddr_un *to)
{
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t bytes = sizeof *to;
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX; /* without a name: the system finds one, which is no file */
    CHECK(s >= 0 && bind(s, (struct sockaddr *)to, sizeof(sa_family_t)) == 0 && listen(s, CLIENTS) == 0);
    CHECK(getsockname(s, (struct sockaddr *)to, &bytes) == 0);
    return s;
}
static int connected(const struct sockaddr_un *to)
{
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 6); /* the length of such names */
    CHECK(s >= 0 && connect(s, (const struct sockaddr *)to, bytes) == 0);
    return s;
}

DF_TASK(void, twice, df_inout(int, n, 1), df_in(size_t, got, 1));
void twice(int *n, const size_t *got)
{
    CHECK(*got == sizeof *n);
    *n *= 2;
}
DF_TASK(void, finish, (int, file), df_in(size_t, put, 1));
void finish(int file, const size_t *put)
{
    CHECK(*put == sizeof(int));
    close(file);
}
DF_TASK(void, serve, (df_io *, io), df_in(int, connection, 1));
void serve(df_io *io, const int *connection)
{
    int *n = df_local(int, 1);
    size_t *moved = df_local(size_t, 2);
    df_submit(df_io_read, io, *connection, DF_IO_STREAM, (char *)n, sizeof *n, &moved[0]);
    df_submit(twice, n, &moved[0]);
    df_submit(df_io_write, io, *connection, DF_IO_STREAM, (char *)n, sizeof *n, &moved[1]);
    df_submit(finish, *connection, &moved[1]);
}
static void server(df_io *io)
{
    struct sockaddr_un address;
    int s = listener(&address), connection[CLIENTS], client[CLIENTS], n[CLIENTS];
    size_t moved[CLIENTS][2];
    for (int i = 0; i < CLIENTS; i++) {
        df_submit(df_io_accept, io, s, &connection[i]);
        df_submit(serve, io, &connection[i]);
    }
    for (int i = 0; i < CLIENTS; i++) client[i] = connected(&address);
    for (int i = CLIENTS - 1; i >= 0; i--) {
        n[i] = i;
        df_submit(df_io_write, io, client[i], DF_IO_STREAM, (char *)&n[i], sizeof n[i], &moved[i][0]);
        df_submit(df_io_read, io, client[i], DF_IO_STREAM, (char *)&n[i], sizeof n[i], &moved[i][1]);
    }
    CHECK(df_wait_result() == DF_OK);
    for (int i = 0; i < CLIENTS; i++) {
        CHECK(n[i] == 2 * i && moved[i][1] == sizeof(int));
        close(client[i]);
    }
    close(s);
}

/* --- operations that would wait forever are cancelled ---------------------------------------------------------- */

DF_TASK(void, must_not, df_in(char, p, 1));
void must_not(const char *p)
{
    (void)p;
    CHECK(!"a task ran whose input was never read");
}
DF_TASK(void, stop_all, (df_io *, io));
void stop_all(df_io *io) { df_io_cancel(io); }

static void cancelled(df_io *io, df_timers *clock, int more)
{
    static char p[8];
    static df_timer t;
    df_token time = DF_TIMER_TOKEN;
    struct sockaddr_un address;
    int ends[2], s = listener(&address), connection = -1;
    size_t got[8];
    CHECK(pipe(ends) == 0);
    for (int i = 0; i < more; i++) {
        df_submit(df_io_read, io, ends[0], DF_IO_STREAM, &p[i], 1, &got[i]);
        df_submit(must_not, &p[i]);
    }
    df_submit(df_io_accept, io, s, &connection);
    df_timer_in(clock, &t, 3, &time);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&time)), stop_all, io);
    while (df_wait_for(10) == DF_ERROR_TIMEOUT) df_io_cancel(io); /* operations that begin after stop_all */
    CHECK(connection == -1);
    CHECK(write(ends[1], "a", 1) == 1); /* the next ones run */
    df_submit(df_io_read, io, ends[0], DF_IO_STREAM, p, 8, &got[0]);
    CHECK(df_wait_result() == DF_OK && got[0] == 1 && p[0] == 'a');
    close(ends[0]), close(ends[1]), close(s);
}

/* --- timers ----------------------------------------------------------------------------------------------------- */

enum { TIMERS = TEST_SLOW ? 200 : 1000 };
static df_timer timer[TIMERS];
static df_token token[TIMERS];
static long long due[TIMERS];
static int rang, stopped;

DF_TASK(void, rings, (int, k));
void rings(int k)
{
    if (df_timer_cancelled(&timer[k])) __atomic_fetch_add(&stopped, 1, __ATOMIC_RELAXED);
    else {
        CHECK(df_timer_now() >= due[k]);
        __atomic_fetch_add(&rang, 1, __ATOMIC_RELAXED);
    }
}
DF_TASK(void, set, (df_timers *, clock), (int, k), (int, us), (df_token *, all_set));
void set(df_timers *clock, int k, int us, df_token *all_set) /* is done when the timer rings */
{
    df_token closed = DF_TIMER_TOKEN;
    token[k] = closed;
    due[k] = df_timer_now() + us * 1000LL;
    df_timer_at(clock, &timer[k], due[k], &token[k]);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&token[k])), rings, k);
    df_signal(all_set);
}
DF_TASK(void, unset, (df_timers *, clock), (int, k), (int *, cancels));
void unset(df_timers *clock, int k, int *cancels)
{
    if (df_timer_cancel(clock, &timer[k])) __atomic_fetch_add(cancels, 1, __ATOMIC_RELAXED);
}
static void timers(df_timers *clock, uint64_t seed)
{
    df_token all_set = DF_TOKEN(TIMERS);
    int cancels = 0;
    rang = stopped = 0;
    for (int k = 0; k < TIMERS; k++) df_submit(set, clock, k, test_below(&seed, 20000), &all_set);
    CHECK(df_wait_token(&all_set) == DF_OK);
    for (int k = 0; k < TIMERS; k += 3) df_submit(unset, clock, k, &cancels); /* some have rung */
    df_wait();
    CHECK(rang + stopped == TIMERS && stopped == cancels);
    rang = stopped = cancels = 0;
    df_token_init(&all_set, TIMERS);
    for (int k = 0; k < TIMERS; k++) df_submit(set, clock, k, k % 4 ? 1000000000 : 10, &all_set);
    CHECK(df_wait_token(&all_set) == DF_OK);
    DF_PARALLEL {
        for (int k = 1; k < TIMERS; k += 4) df_submit(unset, clock, k, &cancels);
    }
    CHECK(cancels == TIMERS / 4);
    df_timers_free(clock); /* cancels the others, while tasks wait */
    df_wait();
    CHECK(rang <= TIMERS / 4 && rang + stopped == TIMERS);
}

/* --- systems that lack something ------------------------------------------------------------------------------- */

static void works(df_io *io, const char *kind)
{
    static char p[16];
    size_t got = 0;
    int file = open("README.md", O_RDONLY);
    CHECK(!strcmp(df_io_kind(io), kind));
    if (file < 0) file = dup(0);
    df_submit(df_io_read, io, file, 0, p, sizeof p, &got);
    df_result r = df_wait_result();
    CHECK(r != DF_OK || got <= sizeof p);
    if (file >= 0) close(file);
}
static void in_child(void (*test)(void))
{
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        test();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}
static void no_descriptors(void) /* for a ring and for the pipes of threads */
{
    struct rlimit most;
    int next = dup(0);
    CHECK(getrlimit(RLIMIT_NOFILE, &most) == 0);
    if (next >= 0) close(next);
    most.rlim_cur = next >= 0 ? (rlim_t)next : 3;
    CHECK(setrlimit(RLIMIT_NOFILE, &most) == 0);
    df_io *io = df_io_new(4, DF_IO_BEST);
    char p[4];
    size_t got;
    CHECK(io && !io->rings);
    df_submit(df_io_read, io, 77, 0, p, sizeof p, &got);
    CHECK(df_wait_result() == (df_result)EBADF && io->n_threads == 0);
    df_io_free(io);
}
static void no_ring(void) /* as in a container */
{
#if defined(__GLIBC__) && defined(__x86_64__)
    struct sock_filter refuse[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* the number of the call */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 425, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof refuse / sizeof *refuse, refuse };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return;
    df_io *io = df_io_new(4, DF_IO_BEST);
    works(io, "threads");
    df_io_free(io);
#endif
}

int main(void)
{
    alarm(100);
    in_child(no_descriptors);
    in_child(no_ring);
    for (int workers = 1; workers <= 4; workers++) {
        for (int how = DF_IO_BEST; how <= DF_IO_THREADS; how++) {
            df_io *io = df_io_new(3 * CLIENTS, (df_io_how)how), *few = df_io_new(3, (df_io_how)how);
            df_timers *clock = df_timers_new();
            CHECK(io && few && clock);
            for (int restart = 0; restart < 2; restart++) {
                CHECK(df_start(DF_CONFIG(.workers = workers)) == DF_OK);
                for (int round = 0; round < 5; round++) server(io);
                for (int round = 0; round < 5; round++) {
                    cancelled(io, clock, round);
                    cancelled(few, clock, 8); /* some have no turn yet */
                }
                df_stop();
            }
            CHECK(df_start(DF_CONFIG(.workers = workers)) == DF_OK);
            timers(clock, (uint64_t)workers);
            df_stop();
            df_io_free(io), df_io_free(few);
        }
    }
    return 0;
}
