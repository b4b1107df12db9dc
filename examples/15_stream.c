/* A moving average, by streams.
 *
 * A stream is a queue between tasks. A task that declares df_push writes to the next elements of it, one that declares
 * df_pop reads and removes the next ones; df_peek reads some more than it removes. The order of submission determines
 * these elements, as if each task ran when it is submitted. So a task starts when the elements that it reads have been
 * written, and tasks of the same kind run at the same time, each on elements of its own. A stream has room for a fixed
 * number of elements, 64 here: a writer that is further ahead waits. An order between tasks is declared, too: the tasks
 * that print share `last`.
 * Source: OpenStream (Pop and Cohen, TACO 2013); StreamIt's peek.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>

enum { NUMBERS = 40, BURST = 8, WIDTH = 4 };   /* an average is that of WIDTH numbers */

static int number(int i) { return i < 0 ? 0 : i * i % 100; }

DF_TASK(void, produce, (int, first), (int, n), df_push(int, to, n));
void produce(int first, int n, int *to)
{
    for (int i = 0; i < n; i++)
        to[i] = number(first + i);
}

DF_TASK(void, average, df_peek(int, from, BURST + WIDTH - 1, BURST), df_push(double, to, BURST));
void average(const int *from, double *to)
{
    for (int i = 0; i < BURST; i++) {
        int sum = 0;
        for (int k = 0; k < WIDTH; k++)
            sum += from[i + k];
        to[i] = (double)sum / WIDTH;
    }
}

DF_TASK(void, consume, df_pop(double, from, BURST), df_inout(int, last, 1), df_inout(int, wrong, 1));
void consume(const double *from, int *last, int *wrong)
{
    for (int i = 0; i < BURST; i++) {
        int sum = 0, end = ++*last;
        for (int k = end - WIDTH + 1; k <= end; k++)
            sum += number(k);
        *wrong += from[i] != (double)sum / WIDTH;
        printf("%6.2f%s", from[i], i < BURST - 1 ? "" : "\n");
    }
}

int main(void)
{
    int last = -1, wrong = 0;
    df_stream *numbers = df_stream_new(sizeof(int), 64);
    df_stream *averages = df_stream_new(sizeof(double), 64);
    if (!numbers || !averages)
        return 1;
    DF_PARALLEL {
        df_submit(produce, 1 - WIDTH, WIDTH - 1, numbers);   /* zeros, before the first number */
        for (int i = 0; i < NUMBERS; i += BURST) {
            df_submit(produce, i, BURST, numbers);
            df_submit(average, numbers, averages);
            df_submit(consume, averages, &last, &wrong);
        }
    }
    df_stream_free(averages);
    df_stream_free(numbers);
    return last == NUMBERS - 1 && !wrong ? 0 : 1;
}
