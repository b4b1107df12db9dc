/* signals.c - the signals of a process are for the threads of the program: those of df block all but the ones that a
 * thread causes itself, and SIGPROF; a child that is forked in a task accepts those that the program accepts */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "before_fork.h"
#include "../test.h"

static int caused(int s)
{
    return s == SIGILL || s == SIGTRAP || s == SIGBUS || s == SIGFPE || s == SIGSEGV || s == SIGSYS || s == SIGPIPE ||
           s == SIGXFSZ || s == SIGPROF;
}
/* The signals that can be blocked: not SIGKILL, SIGSTOP, those of the C library; under emulators more are missing. */
static sigset_t blocked;
static void find_blocked(void)
{
    sigset_t all, before;
    sigfillset(&all);
    CHECK(!pthread_sigmask(SIG_SETMASK, &all, &before) && !pthread_sigmask(SIG_SETMASK, &before, &blocked));
    CHECK(sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGRTMIN) && !sigismember(&blocked, SIGKILL));
}

DF_TASK(void, look, (int, helper));
void look(int helper)
{
    sigset_t now;
    CHECK(!pthread_sigmask(SIG_BLOCK, NULL, &now));
    CHECK((df_worker() != 0) == helper);
    for (int s = 1; s <= SIGRTMAX; s++) /* worker 0 has the mask of the program: SIGUSR2 is blocked */
        if (sigismember(&blocked, s)) CHECK(sigismember(&now, s) == (helper ? !caused(s) : s == SIGUSR2));
}
DF_TASK(void, forks, (int, i));
void forks(int i)
{
    pid_t pid = fork();
    int status;
    (void)i;
    CHECK(pid >= 0);
    if (!pid) {
        sigset_t now;
        pthread_sigmask(SIG_BLOCK, NULL, &now);
        for (int s = 1; s <= SIGRTMAX; s++)
            if (sigismember(&blocked, s) && sigismember(&now, s) != (s == SIGUSR2)) _exit(s);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* All other threads of the process, also those that only report */
static void every_thread(void)
{
    DIR *threads = opendir("/proc/self/task");
    struct dirent *e;
    int n = 0;
    if (!threads) return;
    while ((e = readdir(threads)) != NULL) {
        char path[300], line[200];
        unsigned long long mask = 0;
        FILE *f;
        if (*e->d_name == '.' || atoi(e->d_name) == getpid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
        if (!(f = fopen(path, "r"))) continue;
        while (fgets(line, sizeof line, f)) sscanf(line, "SigBlk: %llx", &mask);
        fclose(f);
        n++;
        CHECK(mask >> (SIGTERM - 1) & 1 && mask >> (SIGCHLD - 1) & 1);
    }
    closedir(threads);
    CHECK(n >= 3);
}

static volatile sig_atomic_t here, elsewhere;
static pthread_t program;
static void on(int s) { (void)s; if (pthread_equal(pthread_self(), program)) here++; else elsewhere++; }

int main(void)
{
    struct itimerval soon = { { 0, 0 }, { 0, 20000 } };
    sigset_t one, before;
    int got = 0;
    alarm(60);
    program = pthread_self();
    find_blocked();
    sigemptyset(&one), sigaddset(&one, SIGUSR2);
    CHECK(!pthread_sigmask(SIG_BLOCK, &one, NULL));
    if (!TEST_TSAN && !TEST_ASAN) setenv("DF_STALL", "50", 1);
    CHECK(df_start(DF_CONFIG(.workers = 4)) == DF_OK);
    look(0);
    for (int w = 1; w < 4; w++) df_submit_with(DF_OPTS(.worker = w), look, 1);
    df_wait();
    if (!TEST_TSAN && !TEST_ASAN) { /* which have threads of their own */
        every_thread();
        forks(0);
        for (int w = 1; w < 4; w++) df_submit_with(DF_OPTS(.worker = w), forks, w);
        df_wait();
    }
    /* as a daemon that blocks, after a library has used df, what it waits for */
    sigaddset(&one, SIGTERM), sigaddset(&one, SIGVTALRM), sigaddset(&one, SIGUSR1);
    CHECK(!pthread_sigmask(SIG_BLOCK, &one, &before));
    kill(getpid(), SIGTERM);
    CHECK(!sigwait(&one, &got) && got == SIGTERM);
    signal(SIGUSR1, on);
    for (int i = 0; i < 20; i++) {
        kill(getpid(), SIGUSR1);
        usleep(1000);
        CHECK(here == i && elsewhere == 0);
        sigsuspend(&before);
        CHECK(here == i + 1 && elsewhere == 0);
    }
    signal(SIGPROF, on);
    CHECK(!setitimer(ITIMER_PROF, &soon, NULL)); /* it comes to a thread that runs */
    while (here + elsewhere == 20) test_spin(1000), usleep(0);
    return 0;
}
