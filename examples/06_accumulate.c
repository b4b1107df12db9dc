/* The sum of an array, by halves.
 *
 * df_in_range declares the elements from one pointer up to, not including, another. A long range is
 * submitted as two halves and a task that adds their sums. The halves only read the array, so the
 * tasks of all levels may run at the same time.
 * Source: X-Kaapi report RT-0418, sections 4.4.1 and 4.6.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 4000000, SHORT = 10000 };   /* SHORT of them take a few us: one task */

DF_TASK(void, add, df_in(long, a, 1), df_in(long, b, 1), df_out(long, sum, 1));
void add(const long *a, const long *b, long *sum)
{
    *sum = *a + *b;
}

DF_TASK(void, accumulate, df_in_range(int, begin, end), df_out(long, sum, 1));
void accumulate(const int *begin, const int *end, long *sum)
{
    if (end - begin <= SHORT) {
        long total = 0;
        for (const int *p = begin; p < end; p++)
            total += *p;
        *sum = total;
        return;
    }
    const int *middle = begin + (end - begin) / 2;
    long *half = df_local(long, 2);
    df_submit(accumulate, begin, middle, &half[0]);
    df_submit(accumulate, middle, end, &half[1]);
    df_submit(add, &half[0], &half[1], sum);
}

int main(void)
{
    int *array = malloc(LENGTH * sizeof *array);
    long sum = 0, expected = 0;
    if (!array)
        return 1;
    for (int i = 0; i < LENGTH; i++) {
        array[i] = i % 1000 - 250;
        expected += array[i];
    }
    DF_PARALLEL {
        df_submit(accumulate, array, array + LENGTH, &sum);
    }
    free(array);
    printf("the sum of %d numbers is %ld\n", LENGTH, sum);
    return sum == expected ? 0 : 1;
}
