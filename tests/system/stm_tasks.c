/* stm_tasks.c - blocks in tasks, see stm_tasks.h; df.h is included before df_stm.h */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "stm_tasks.h"

int main(void) { run_all(); }
