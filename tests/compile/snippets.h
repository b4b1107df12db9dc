/* What the programs in the README are part of; SNIPPET is the number of the block. Compiled by tests/compile/snippets. */
#include "df.h"
#if SNIPPET == 2
double A[20000], sum;
#elif SNIPPET == 4
extern const char *path;
extern char *buffer;
DF_TASK(void, load, (const char *, path), df_out(char, buffer, 100));
DF_TASK(void, parse, df_in(char, buffer, 100));
#elif SNIPPET == 5
extern long n;
extern double *x, *y, sum;
#elif SNIPPET == 6
struct block { int bytes; };
struct job { int in, out; };
extern struct job job;
int read_block(int in, struct block *b), compress(struct block *b);
void store(struct block *b), write_block(int out, struct block *b);
#elif SNIPPET == 7
extern int blocks;
extern double energy;
#elif SNIPPET == 8
#include "df_stm.h"
struct account { long balance; };
extern struct account *from, *to;
extern long amount, refused;
#elif SNIPPET == 9
#include "df_owm.h"
extern int n;
extern df_stream *done;
#elif SNIPPET == 10
#include "df_gpu.h"
extern const char *path;
extern float *u, *v;
extern int rows, cols;
DF_TASK(void, load, (const char *, path), df_out(float, u, n), (int, n));
DF_TASK(void, store, (const char *, path), df_in(float, v, n), (int, n));
#elif SNIPPET == 11
extern double change, omega;
void sweep(struct df_taskgraph *g, double omega);
double next_omega(void);
extern df_taskgraph *grid;
DF_TASK(void, relax, df_inout(double, x, 9), (double, omega));
#endif
