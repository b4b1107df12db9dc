/* submits.c - a file that only submits a task with accesses; the implementation is elsewhere */
#include "../../df.h"

DF_STATIC_TASK(void, append, df_inout(int, x, 1), (int, digit));
static void append(int *x, int digit) { *x = 10 * *x + digit; }

int main(void)
{
    int x = 0;
    df_submit(append, &x, 4);
    df_submit(append, &x, 2);
    df_wait();
    return x != 42;
}
