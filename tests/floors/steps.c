/* How many functions a plain df_submit, without an option or an optional feature, calls before it looks up its region.
 * Compiled with -finstrument-functions, without optimisation, so that inlined ones count. */
#define DF_IMPLEMENTATION
#include "../../df.h"
#include "../test.h"
#include <sched.h>

enum { MOST = 20 };
static __thread int calls, until; /* of the submitter alone */
static int submitted;             /* while none has ended, none is known to be short and runs in its submission */

#define QUIET __attribute__((no_instrument_function))
QUIET void __cyg_profile_func_enter(void *function, void *caller);
QUIET void __cyg_profile_func_exit(void *function, void *caller);
QUIET void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (function == (void *)&dfi_submit) calls = 0;
    calls++;
    if (function == (void *)&dfi_table_find && !until) until = calls;
}
QUIET void __cyg_profile_func_exit(void *function, void *caller) { (void)function, (void)caller; }

DF_TASK(void, increment, df_inout(int, x, 1));
void increment(int *x)
{
    while (!__atomic_load_n(&submitted, __ATOMIC_ACQUIRE)) sched_yield();
    ++*x;
}

int main(void)
{
    static int x[3];
    df_start(DF_CONFIG(.workers = 2));
    for (int k = 0; k < 3; k++) {
        until = 0;
        df_submit(increment, &x[k]);
    }
    printf("%d calls\n", until);
    CHECK(until > 0 && until <= MOST);
    __atomic_store_n(&submitted, 1, __ATOMIC_RELEASE);
    df_wait();
    return 0;
}
