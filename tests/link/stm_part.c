/* stm_part.c - a second file or a shared library with blocks; -DDF_IMPLEMENTATION: embeds df_stm.h */
#include "../../df_stm.h"
#include "stm_part.h"

void part_move(long *from, long *to, long n)
{
    DF_ATOMIC {
        df_tm_write(from, df_tm_read(from) - n);
        df_tm_write(to, df_tm_read(to) + n);
    }
}

void part_take(long *from, long n)
{
    DF_ATOMIC {
        if (df_tm_read(from) < n) df_retry();
        df_tm_write(from, df_tm_read(from) - n);
    }
}

unsigned long part_commits(void)
{
    df_stm_counters c;
    df_stm_stats(&c);
    return (unsigned long)c.commits;
}
