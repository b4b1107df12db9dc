/* The cost of a mutex around every block: the same workloads, with plain accesses. */
#include "bench.h"
#include <pthread.h>

static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;

#define df_tm_read(p)        (*(p))
#define df_tm_write(p, v)    ((void)(*(p) = (v)))
#define df_tm_malloc(bytes)  malloc(bytes)
#define df_tm_free(p)        free(p)
#define BLOCK     { pthread_mutex_lock(&the_lock); {
#define BLOCK_END } pthread_mutex_unlock(&the_lock); }
#include "stm.h"
