/* The cost of transactional memory with df. */
#include "bench.h"
#define DF_IMPLEMENTATION
#include "../df_stm.h"

#define BLOCK     DF_ATOMIC {
#define BLOCK_END }
#include "stm.h"
