/* stm_program.c - a program of one or two files with blocks; -DDF_IMPLEMENTATION: with df_stm.h in this one
 *
 * Returns 0 when blocks of this file and, with -DTWO_FILES, of stm_part.c excluded, contained and woke each other. */
#include "../../df_stm.h"
#include "stm_part.h"
#include <pthread.h>

#ifndef TWO_FILES
#define part_move own_move
#define part_take own_take
#define part_commits own_commits
#endif

static void own_move(long *from, long *to, long n)
{
    DF_ATOMIC {
        df_tm_write(to, df_tm_read(to) + n);
        df_tm_write(from, df_tm_read(from) - n);
    }
}
static void own_take(long *from, long n)
{
    DF_ATOMIC {
        if (df_tm_read(from) < n) df_retry();
        df_tm_write(from, df_tm_read(from) - n);
    }
}
static unsigned long own_commits(void)
{
    df_stm_counters c;
    df_stm_stats(&c);
    return (unsigned long)c.commits;
}

enum { ROUNDS = 5000 };
static long account[2], bell[2];

static void *one_way(void *arg)
{
    int i;
    for (i = 0; i < ROUNDS; i++) own_move(&account[0], &account[1], 3);
    part_take(&bell[0], 1);
    own_move(&bell[1], &bell[1], 0);
    own_move(&account[0], &bell[1], 1);
    return arg;
}
static void *other_way(void *arg)
{
    int i;
    for (i = 0; i < ROUNDS; i++) part_move(&account[1], &account[0], 2);
    DF_ATOMIC df_tm_write(&bell[0], 1);
    own_take(&bell[1], 1);
    return arg;
}

int main(void)
{
    long n = 0;
#ifdef DF_SERIAL
    bell[0] = bell[1] = 1;
    one_way(NULL);
    other_way(NULL);
    bell[0] = bell[1] = 0;
#else
    pthread_t t;
    if (pthread_create(&t, NULL, one_way, NULL)) return 1;
    other_way(NULL);
    pthread_join(t, NULL);
#endif
    if (account[0] != -ROUNDS - 1 || account[1] != ROUNDS || bell[0] || bell[1]) return 2;
    DF_ATOMIC { /* an alternative of this file for df_retry in the other */
        own_move(&account[0], &account[1], 100);
        part_take(&bell[0], 1);
    } DF_OR_ELSE {
        part_move(&account[0], &account[1], 1);
        if (df_tm_read(&account[1]) != ROUNDS + 1) df_abort();
    }
    if (account[0] != -ROUNDS - 2 || account[1] != ROUNDS + 1) return 3;
    DF_ATOMIC {
        part_move(&account[0], &account[1], 1);
        if (df_tm_read(&account[1]) == ROUNDS + 2) df_abort();
        n = 1;
    }
    if (account[1] != ROUNDS + 1 || n) return 4;
    if (own_commits() != 2 * ROUNDS + 6 || part_commits() != own_commits()) return 5;
    return 0;
}
