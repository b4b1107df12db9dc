/* stm_part.h - what stm_part.c offers: a second piece of a program that has blocks of its own */
#ifndef STM_PART_H
#define STM_PART_H

#ifdef __cplusplus
extern "C" {
#endif
void part_move(long *from, long *to, long n); /* in one block: a part of the caller's, if it is in one */
void part_take(long *from, long n);           /* the same; waits (df_retry) until there is enough */
unsigned long part_commits(void);             /* as counted by df_stm_stats there */
#ifdef __cplusplus
}
#endif

#endif
