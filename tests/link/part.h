/* part.h - what part.c offers: a second piece of a program that uses df on its own */
#ifndef PART_H
#define PART_H

#ifdef __cplusplus
extern "C" {
#endif
int part_workers(void);            /* df_workers() as seen from there */
long part_fib(long n);             /* forks and joins */
void part_append(int *x, int digit); /* submits to the caller's scope: *x = 10 * *x + digit */
#ifdef __cplusplus
}
#endif

#endif
