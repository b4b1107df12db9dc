/* The cost of the work itself: one thread, plain accesses, no synchronisation. A block only keeps the compiler from
 * merging it with the next one. */
#include "bench.h"

#define df_tm_read(p)        (*(p))
#define df_tm_write(p, v)    ((void)(*(p) = (v)))
#define df_tm_malloc(bytes)  malloc(bytes)
#define df_tm_free(p)        free(p)
#define BLOCK     { __asm__ volatile("" : : : "memory"); {
#define BLOCK_END } __asm__ volatile("" : : : "memory"); }
#define THREADS   1
#include "stm.h"
