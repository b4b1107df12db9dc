/* The sum of an array, by halves, into one variable.
 *
 * df_in_range declares the elements from one pointer up to, not including, another. df_reduce says
 * that a task only adds to *sum: tasks that do the same may run at the same time, each on *sum
 * itself or on a copy that began as 0, and df adds the copies up before any task reads the sum. So
 * a long range is divided into two halves that add to the same sum, and no task joins them.
 * Source: X-Kaapi report RT-0418, sections 4.4.1, 4.4.4 and 4.6.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 4000000, SHORT = 10000 };   /* SHORT of them take a few us: one task */

DF_TASK(void, accumulate, df_in_range(int, begin, end), df_reduce(df_sum, long, sum, 1));
void accumulate(const int *begin, const int *end, long *sum)
{
    if (end - begin > SHORT) {
        const int *middle = begin + (end - begin) / 2;
        df_submit(accumulate, begin, middle, sum);
        df_submit(accumulate, middle, end, sum);
        return;
    }
    for (const int *p = begin; p < end; p++)
        *sum += *p;
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
