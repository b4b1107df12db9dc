/* What transactional memory costs, with df. */
#include "bench.h"
#define DF_IMPLEMENTATION
#include "../df_stm.h"

#define BLOCK     DF_ATOMIC {
#define BLOCK_END }
#include "stm.h"
