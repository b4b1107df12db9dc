/* Two tasks, and the dependence between them.
 *
 * Tasks run in any order that respects the memory they declare. Both greetings read and write
 * `line`, so the second one starts when the first is done, and the output is always that of the
 * sequential program. With (const char *, message) as their only parameter they would be
 * independent, and either could come first.
 * Source: X-Kaapi report RT-0418, section 3.1.2.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>

DF_TASK(void, say_hello, (const char *, message), df_inout(int, line, 1));
void say_hello(const char *message, int *line)
{
    printf("%d: %s\n", ++*line, message);
}

int main(void)
{
    int line = 0;
    DF_PARALLEL {
        df_submit(say_hello, "Hello, world!", &line);
        df_submit(say_hello, "Hello again!", &line);
    }
    return line == 2 ? 0 : 1;
}
