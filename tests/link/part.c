/* part.c - a second file or a shared library that uses df; -DDF_IMPLEMENTATION: embeds it */
#include "../../df.h"
#include "part.h"
#include "fib.h"

DF_STATIC_TASK(void, append, df_inout(int, x, 1), (int, digit));
static void append(int *x, int digit) { *x = 10 * *x + digit; }

int part_workers(void) { return df_workers(); }
long part_fib(long n) { return fib(n); }
void part_append(int *x, int digit) { df_submit(append, x, digit); }
