/* stm_library.c - a program and a shared library (stm_part.c) that both embed df_stm.h: there is one STM
 *
 * Argument: the library to load with dlopen; a second argument: its blocks run before those of the program.
 * -DLINKED   it is linked instead.
 * -DOWN_STM  the program does not export its symbols (no -rdynamic), so the library it loads has records of its own:
 *            both must work, each with its own memory.
 * -DNO_STM   the program itself has no blocks, and the state of the library has to end with it.
 * The same two threads live through all of it, and end when the library is gone. Returns 0 or prints the mistake. */
#define _POSIX_C_SOURCE 200809L
#ifndef NO_STM
#define DF_IMPLEMENTATION
#include "../../df_stm.h"
#endif
#include "stm_part.h"
#include "load.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void (*move)(long *, long *, long);
static void (*take)(long *, long);
static unsigned long (*commits)(void);

static int open_library(const char *name)
{
    return load(name) || FIND(move, part_move) || FIND(take, part_take) || FIND(commits, part_commits);
}

/* --- two threads that run jobs ------------------------------------------------------------------------- */

typedef void (*job)(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static job todo[2];
static int over;

static void *obey(void *arg)
{
    job *mine = (job *)arg;
    pthread_mutex_lock(&lock);
    while (!over) {
        if (*mine) {
            pthread_mutex_unlock(&lock);
            (*mine)();
            pthread_mutex_lock(&lock);
            *mine = NULL;
            pthread_cond_broadcast(&changed);
        } else pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}
static void both(job first, job second)
{
    pthread_mutex_lock(&lock);
    todo[0] = first, todo[1] = second;
    pthread_cond_broadcast(&changed);
    while (todo[0] || todo[1]) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* --- what they do -------------------------------------------------------------------------------------- */

enum { ROUNDS = 5000 };
static long account[2], bell;

static void moves(void)
{
    int i;
    for (i = 0; i < ROUNDS; i++) move(&account[0], &account[1], 1);
}
static void waits(void) { take(&bell, 1); }
static void rings(void)
{
    long from = 1;
    move(&from, &bell, 1);
}
static void use_library(void)
{
    unsigned long before = commits();
    account[0] = account[1] = bell = 0;
    both(moves, moves);
    CHECK(account[0] == -2 * ROUNDS && account[1] == 2 * ROUNDS);
    both(waits, rings);
    CHECK(bell == 0);
    CHECK(commits() - before == 2 * ROUNDS + 2);
}

#ifdef NO_STM
static void use(void) { use_library(); }
static void use_program(void) { }
#else
static void own_moves(void)
{
    int i;
    for (i = 0; i < ROUNDS; i++)
        DF_ATOMIC {
            df_tm_write(&account[1], df_tm_read(&account[1]) + 2);
            df_tm_write(&account[0], df_tm_read(&account[0]) - 2);
        }
}
static void own_rings(void)
{
    DF_ATOMIC df_tm_write(&bell, df_tm_read(&bell) + 1);
}
static unsigned long own_commits(void)
{
    df_stm_counters c;
    df_stm_stats(&c);
    return (unsigned long)c.commits;
}
static void use_program(void)
{
    account[0] = account[1] = 0;
    both(own_moves, own_moves);
    CHECK(account[0] == -4 * ROUNDS && account[1] == 4 * ROUNDS);
}
static void use(void)
{
    use_library();
    use_program();
#ifndef OWN_STM
    account[0] = account[1] = 0;
    both(moves, own_moves); /* blocks of the one and the other exclude each other */
    CHECK(account[0] == -3 * ROUNDS && account[1] == 3 * ROUNDS);
    both(waits, own_rings); /* and wake each other */
    CHECK(bell == 0);
    DF_ATOMIC { /* and are one block */
        move(&account[0], &account[1], 1);
        take(&bell, 1);
    } DF_OR_ELSE move(&account[0], &account[1], 2);
    CHECK(account[0] == -3 * ROUNDS - 2 && account[1] == 3 * ROUNDS + 2);
    CHECK(commits() == own_commits());
#endif
}
#endif

int main(int argc, char **argv)
{
    int i, status;
    pthread_t t[2];
    pid_t child;
    for (i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, obey, &todo[i])) return 1;
    if (argc < 3) use_program();
    for (i = 0; i < 3; i++) { /* loaded, used and unloaded, again and again */
        if (open_library(argv[1])) return 1;
        use();
        close_library();
        use_program(); /* is still there */
    }
    child = fork();
    if (!child) _exit(0);
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return failed;
}
