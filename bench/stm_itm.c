/* The cost of gcc's transactional memory: -fgnu-tm, where the compiler finds the accesses itself. The environment
 * variable ITM_DEFAULT_METHOD chooses the method of libitm (ml_wt, gl_wt), and names the system here. */
#include "bench.h"

#define df_tm_read(p)        (*(p))
#define df_tm_write(p, v)    ((void)(*(p) = (v)))
#define df_tm_malloc(bytes)  malloc(bytes)
#define df_tm_free(p)        free(p)
#define BLOCK     __transaction_atomic {
#define BLOCK_END }
#define NO_EMPTY_BLOCK
#define PRIVATE_CALL __attribute__((transaction_pure))
#include "stm.h"
