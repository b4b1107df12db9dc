/* One task.
 *
 * DF_TASK declares a function and makes it a task. df_submit creates the task and returns
 * immediately; the closing brace of DF_PARALLEL waits for it. A task returns its results through
 * memory that it has declared to write.
 * Source: X-Kaapi report RT-0418, section 3.1.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>

DF_TASK(void, say_hello, (const char *, message), df_out(int, printed, 1));
void say_hello(const char *message, int *printed)
{
    *printed = printf("%s\n", message);
}

int main(void)
{
    int printed = 0;
    DF_PARALLEL {
        df_submit(say_hello, "Hello, world!", &printed);
    }
    return printed == 14 ? 0 : 1;
}
