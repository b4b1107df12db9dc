/* stream_room.c - df_stream_room: elements without room are dropped and not queued; the slowest reader counts; 0 after
 * the close */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ROOM = 5 };

DF_TASK(void, put, df_push(int, to, n), (int, n), (int, k));
void put(int *to, int n, int k)
{
    for (int i = 0; i < n; i++) to[i] = k + i;
}
DF_TASK(void, get, df_pop(int, from, n), (int, n), df_inout(uint64_t, sum, 1));
void get(const int *from, int n, uint64_t *sum)
{
    for (int i = 0; i < n; i++) *sum = test_mix(*sum, (uint64_t)from[i]);
}

int main(void)
{
    uint64_t sum = 0, other = 0;
    int dropped = 0;
    df_stream *s = df_stream_new(sizeof(int), ROOM), *late;
    df_stream_external(s); /* changes nothing here */
    CHECK(s && df_stream_room(s) == ROOM && df_stream_room(NULL) == 0);
    for (int i = 0; i < 40; i++) { /* bursts of 1 to 3, of which some find no room, and a reader that is too slow */
        int n = 1 + i % 3;
        if (df_stream_room(s) < (size_t)n) dropped++;
        else df_submit(put, s, n, 10 * i);
        if (i % 4 == 3) df_submit(get, s, 3, &sum);
        df_wait();
        CHECK(df_stream_room(s) <= ROOM);
        sum = test_mix(sum, df_stream_room(s));
    }
    printf("dropped %d, sum %016llx\n", dropped, (unsigned long long)sum);

    df_submit(get, s, ROOM - (int)df_stream_room(s), &sum);
    df_wait();
    CHECK(df_stream_room(s) == ROOM);
    late = df_stream_reader(s);
    CHECK(late && df_stream_room(late) == ROOM);
    df_submit(put, s, 4, 1);
    df_submit(get, s, 4, &sum);
    df_wait();
    CHECK(df_stream_room(s) == 1 && df_stream_room(late) == 1); /* a reader has passed nothing */
    df_submit(get, late, 2, &other);
    df_wait();
    CHECK(df_stream_room(s) == 3);
    df_submit(get, late, 2, &other);
    df_stream_free(late);
    df_wait();
    CHECK(df_stream_room(s) == ROOM); /* no longer */
    df_stream_close(s);
    CHECK(df_stream_room(s) == 0);
    df_stream_free(s);
    printf("sums %016llx %016llx\n", (unsigned long long)sum, (unsigned long long)other);
}
