/* A task that writes a buffer and a task that reads it.
 *
 * write_message declares that it writes `size` characters, print_message declares that it reads as
 * many: the second waits for the first. The size of a region may be any expression over the other
 * parameters of the task.
 * Source: X-Kaapi report RT-0418, section 3.2.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <string.h>

DF_TASK(void, write_message, (size_t, size), df_out(char, buffer, size), (const char *, message));
void write_message(size_t size, char *buffer, const char *message)
{
    snprintf(buffer, size, "%s", message);
}

DF_TASK(void, print_message, (size_t, size), df_in(char, message, size));
void print_message(size_t size, const char *message)
{
    printf("%.*s\n", (int)size, message);
}

int main(void)
{
    const char *text = "This went through the buffer.";
    char buffer[64];
    DF_PARALLEL {
        df_submit(write_message, sizeof buffer, buffer, text);
        df_submit(print_message, sizeof buffer, buffer);
    }
    return strcmp(buffer, text) == 0 ? 0 : 1;
}
