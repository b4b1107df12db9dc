/* stm_tasks_before.c - blocks in tasks, see stm_tasks.h; df_stm.h is included before df.h */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "df.h"
#include "stm_tasks.h"

int main(void) { run_all(); }
