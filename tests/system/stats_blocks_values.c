/* stats_blocks_values.c - the same with values in the log of reads */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stats_blocks.c"
