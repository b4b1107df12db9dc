/* stm_no_table.c - stm_no_memory.c in a process that never has memory for the table of ownership records
 *
 * The first block falls back to the static table of 64 records, and reports it. */
#define STM_NO_TABLE
#include "stm_no_memory.c"
