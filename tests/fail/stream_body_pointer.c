/* The body of df_popv gets an array of pointers. */
#include "../../df.h"

DF_TASK(void, merge, df_popv(int, x, 1, n), (int, n));
void merge(const int *x, int n) { (void)x, (void)n; } /* expect: conflicting types */
