/* oracle.h - what the files of the oracle share */
#include "df.h"

/* Something has happened that may end a wait. */
void oracle_event(void);
/* Lets tasks run until over(arg). Zero: it cannot come any more; external: it may always. */
int oracle_wait(int (*over)(void *arg), void *arg, int external);
/* Reports that, and df_wait_result will. */
void oracle_stuck(const char *text);
