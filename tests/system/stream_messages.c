/* stream_messages.c - wrong use of streams is reported once, with the task, the parameter and the lines of the calls,
 * the tasks concerned are skipped and nothing hangs; correct use, even if it takes long, is not reported
 *
 * Each part runs with 1 and 3 workers and df_config.patience = 1. (If one hangs: the alarm.) */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"
#include "work.h"

/* How many messages of this level begin with `site` and contain the texts. "" fits all. */
static int heard(int level, const char *site, const char *a, const char *b, const char *c)
{
    char begin[300];
    int n = 0;
    snprintf(begin, sizeof begin, "%d df: %s", level, site);
    for (int i = 0; i < n_said; i++)
        n += !strncmp(said[i], begin, strlen(begin)) && strstr(said[i], a) && strstr(said[i], b) && strstr(said[i], c);
    return n;
}
#define CHECK_SAID(c)                                                             \
    do {                                                                          \
        if (!(c)) for (int i_ = 0; i_ < n_said; i_++) fprintf(stderr, "%s\n", said[i_]); \
        CHECK(c);                                                                 \
    } while (0)
/* That, n times, and nothing else; then it is forgotten. */
#define HEARD(n, level, site, a, b, c)                                            \
    do {                                                                          \
        CHECK_SAID(heard(level, site, a, b, c) == (n) && n_said == (n));          \
        n_said = 0;                                                               \
    } while (0)

DF_TASK(void, put, (long, n), (int, k), df_push(int, to, n));
void put(long n, int k, int *to)
{
    for (long i = 0; i < n; i++) to[i] = k;
}
DF_TASK(void, get, df_peek(int, from, horizon, burst), (long, horizon), (int, burst), df_inout(int, sum, 1));
void get(const int *from, long horizon, int burst, int *sum)
{
    (void)burst;
    for (long i = 0; from && i < horizon; i++) *sum += from[i];
}
DF_TASK(void, get_all, df_popv(int, from, 1, n), (int, n), (int *, sum));
void get_all(const int *const *from, int n, int *sum)
{
    for (int i = 0; i < n; i++) *sum += *from[i];
}

/* The process has logged that a stream was freed with elements: it does so once. */
static int drop_said;

/* --- at the call ----------------------------------------------------------------------------------- */

static int no_room_said;
static void no_room(void)
{
    const char *here = HERE; CHECK(df_stream_new(0, 5) == NULL);
    HEARD(1, 1, here, "df_stream_new(0, 5)", "", "");
    here = HERE; CHECK(df_stream_new(5, 0) == NULL);
    HEARD(1, 1, here, "df_stream_new(5, 0)", "", "");
    /* the second is not said */
    for (int i = 0; i < 2; i++) CHECK(df_stream_new((size_t)-1 / 2, (size_t)-1 / 4) == NULL);
    CHECK_SAID(n_said == !no_room_said);
    if (!no_room_said) HEARD(1, 2, "out of memory: df_stream_new returns NULL; lower the capacity", "", "", "");
    no_room_said = 1;
    CHECK(df_stream_reader(NULL) == NULL && n_said == 0);
    df_stream_free(NULL), df_stream_close(NULL);
    CHECK_SAID(n_said == 0);
}
static void wrong_sizes(void)
{
    int sum = 0;
    const char *made = HERE; df_stream *s = df_stream_new(sizeof(short), 4);
    df_submit(put, 1, 1, s);
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    HEARD(1, 1, "task put", "an element of parameter to is 4", made, "2");
    const char *here = HERE; df_submit_with(DF_OPTS(.name = "mine"), get, s, 1, 1, &sum);
    CHECK(df_wait_result() == DF_ERROR_STREAM && strstr(df_error_text(DF_ERROR_STREAM), "stream"));
    HEARD(1, 1, here, "task mine", "parameter from", made);
    CHECK(sum == 0);
    df_stream_free(s);
    CHECK_SAID(n_said == 0);
}
/* Elements of equal size and another type: int against float, and one name of a structure against another. */
typedef struct pair { short a, b; } pair;
typedef struct { short x, y; } point;
typedef unsigned char byte;
typedef int number;
static const char *declared_put_float = HERE; DF_TASK(void, put_float, df_push(float, to, 1));
void put_float(float *to) { *to = 1; }
DF_TASK(void, get_number, df_pop(number, from, 1), (int *, sum));
void get_number(const number *from, int *sum) { *sum += *from; }
DF_TASK(void, put_pair, df_push(struct pair, to, 1));
void put_pair(struct pair *to) { to->a = 1, to->b = 2; }
DF_TASK(void, get_pair, df_pop(pair, from, 1), (int *, sum));
void get_pair(const pair *from, int *sum) { *sum += from->a; }
DF_TASK(void, get_point, df_pop(point, from, 1), (int *, sum));
void get_point(const point *from, int *sum) { *sum += from->x; }
DF_TASK(void, put_byte, df_push(byte, to, 1));
void put_byte(byte *to) { *to = 200; }
DF_TASK(void, get_char, df_pop(char, from, 1), (int *, sum));
void get_char(const char *from, int *sum) { *sum += (byte)*from; }

static void wrong_types(void)
{
    int sum = 0;
    char by[200];
    const char *made = HERE; df_stream *s = df_stream_new(4, 4);
    df_submit(put_float, s);
    df_submit(get, s, 1, 1, &sum);
    CHECK(df_wait_result() == DF_ERROR_STREAM && sum == 0);
    snprintf(by, sizeof by, "of type float by task put_float, declared at %s", declared_put_float);
    HEARD(1, 1, "task get, declared at ", "parameter from are of type int", made, by);
    df_submit(put, 1, 1, s);
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    HEARD(1, 1, "task put, declared at ", "parameter to are of type int", made, by);
    df_stream_free(s);
    HEARD(!drop_said, 2, "df_stream_free drops 1 element of the stream of", made, "put_float", "");
    drop_said = 1;

    s = df_stream_new(4, 4); /* all names of int are one type, and so are those of the character types */
    df_submit(put, 2, 1, s), df_submit(get, s, 1, 1, &sum);
    df_wait(); /* both add to sum */
    df_submit(get_number, s, &sum);
    CHECK(df_wait_result() == DF_OK && sum == 2);
    df_stream_free(s);
    s = df_stream_new(1, 4);
    df_submit(put_byte, s), df_submit(get_char, s, &sum);
    CHECK(df_wait_result() == DF_OK && sum == 202);
    df_stream_free(s);
    CHECK_SAID(n_said == 0);

    s = df_stream_new(4, 4); /* struct pair and pair are taken for one; of pair and point only the compiler knows */
    df_submit(put_pair, s), df_submit(put_pair, s), df_submit(get_pair, s, &sum);
    CHECK(df_wait_result() == DF_OK && sum == 203);
    CHECK_SAID(n_said == 0);
    df_submit(get_point, s, &sum);
    CHECK(df_wait_result() == DF_OK && sum == 204);
    static int once; /* in a process */
    if (!once++) HEARD(1, 2, "task get_point, declared at ", "of type point", "pair", "the same name");
    CHECK_SAID(n_said == 0);
    df_stream_free(s);

    made = HERE; df_stream_of(float) *t = df_stream_new_of(float, 4); /* through an untyped handle, so that it compiles */
    df_submit(get, (df_stream *)(void *)t, 1, 1, &sum);
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    HEARD(1, 1, "task get, declared at ", "of type int", "of type float by df_stream_new_of at ", made);
    df_stream_free(t);
}
static void too_large(void)
{
    int sum = 0, more = 0;
    const char *made = HERE; df_stream *s = df_stream_new(sizeof(int), 4);
    df_submit(put, 5, 1, s);
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    HEARD(1, 1, "task put", "parameter to", "5 elements", made);
    df_submit(put, 4, 1, s);
    df_submit(get, s, 5, 1, &sum);
    df_submit(get, s, 2, 3, &sum);
    CHECK(df_wait_result() == DF_ERROR_STREAM && n_said == 2);
    CHECK_SAID(heard(1, "task get", "5 elements", "room for 4", made) == 1 &&
               heard(1, "task get", "consumes 3 of 2 elements", "from", "") == 1);
    n_said = 0;
    df_submit(put, -3, 1, s);
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    HEARD(1, 1, "task put", "to", "consumes -3 of -3 elements", "");
    df_submit(get, s, 4, 4, &more); /* none of that moved anything */
    CHECK(df_wait_result() == DF_OK && more == 4 && sum == 0);
    df_stream_free(s);
    CHECK_SAID(n_said == 0);
}
static void null_streams(void)
{
    int sum = 0;
    df_stream *s = df_stream_new(sizeof(int), 4), *two[2] = { s, NULL };
    df_submit(put, 1, 1, NULL);
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    HEARD(1, 1, "task put", "parameter to is NULL", "", "");
    df_submit(put, 1, 3, s);
    df_submit(get_all, two, 2, &sum);
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    HEARD(1, 1, "task get_all", "parameter from is NULL", "", "");
    df_submit(get_all, two, -1, &sum);
    CHECK(df_wait_result() == DF_ERROR_STREAM);
    HEARD(1, 1, "task get_all", "parameter from is an array of -1 streams", "", "");
    df_submit(get_all, two, 1, &sum);
    CHECK(df_wait_result() == DF_OK && sum == 3);
    df_stream_free(s);
    CHECK_SAID(n_said == 0);
}
static void closed(void)
{
    int sum = 0;
    const char *made = HERE; df_stream *s = df_stream_new(sizeof(int), 4);
    df_submit(put, 1, 7, s);
    df_stream_close(s);
    const char *here = HERE; df_stream_close(s);
    HEARD(1, 1, here, "df_stream_close", made, "");
    here = HERE; df_submit_with(DF_OPTS(.name = "late"), put, 3, 100, s); /* runs, and is dropped */
    CHECK(df_wait_result() == DF_OK);
    HEARD(1, 1, here, "task late pushes 3", made, "");
    df_submit(get, s, 4, 4, &sum);
    df_submit(get, s, 4, 4, &sum);
    CHECK(df_wait_result() == DF_OK && sum == 7);
    df_stream_free(s);
    CHECK_SAID(n_said == 0);
}
static void left_over(void)
{
    int sum = 0;
    const char *made = HERE; df_stream *s = df_stream_new(sizeof(int), 10);
    df_stream *r = df_stream_reader(s);
    df_submit(put, 2, 1, s);
    df_submit_with(DF_OPTS(.name = "second"), put, 3, 1, s);
    df_submit(put, 4, 1, s);
    df_submit(get, s, 3, 1, &sum);
    df_stream_free(s);
    CHECK_SAID(n_said == 0); /* r may still read them */
    df_stream_free(r);       /* with the tasks pending, perhaps */
    HEARD(!drop_said, 2, "df_stream_free drops ", made, "6 elements", "task second");
    drop_said = 1;
    CHECK(df_wait_result() == DF_OK && sum == 3);
    s = df_stream_new(sizeof(int), 10);
    df_submit(put, 5, 1, s);
    df_submit(get, s, 5, 0, &sum); /* read, though not consumed */
    df_stream_free(s);
    CHECK(df_wait_result() == DF_OK && sum == 8);
    CHECK_SAID(n_said == 0);
}

/* --- what can no longer come ------------------------------------------------------------------------- */

static void nobody_pushes(void)
{
    int x = 0, y = 0;
    const char *made = HERE; df_stream *s = df_stream_new(sizeof(int), 8), *t = df_stream_new(sizeof(int), 2);
    df_submit(put, 2, 1, s);
    const char *here = HERE; df_submit_with(DF_OPTS(.name = "reader"), get, s, 6, 6, &x);
    df_submit(get, t, 1, 1, &x); /* after it by memory as well */
    df_submit(put, 1, 5, t);
    df_submit(put, 1, 5, t);
    df_submit(put, 1, 5, t);     /* no room before the reader is skipped */
    df_submit(get, t, 2, 2, &y); /* and so an element is missing here */
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    CHECK_SAID(heard(1, here, "task reader", "4 more elements in the stream", made) == 1);
    CHECK_SAID(n_said == 3 && heard(1, "task put", "1 more free places in the stream", made, "") == 1);
    CHECK_SAID(heard(1, "task get", "1 more elements in the stream", made, "") == 1);
    CHECK(x == 0 && y == 0);
    n_said = 0;
    df_stream_free(s), df_stream_free(t);
    CHECK_SAID(n_said == 0);
}
static void nobody_pops(void)
{
    int x = 0;
    const char *made = HERE; df_stream *s = df_stream_new(sizeof(int), 5);
    for (int i = 0; i < 4; i++) df_submit(put, 2, i, s); /* 8 elements */
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    CHECK_SAID(n_said == 2 && heard(1, "task put", "1 more free places in", made, "") == 1 &&
               heard(1, "task put", "3 more free places in", made, "") == 1);
    n_said = 0;
    df_submit(get, s, 3, 3, &x); /* elements that were not written cannot be read, others can */
    df_submit(get, s, 2, 2, &x);
    CHECK(df_wait_result() == DF_OK && x == 0 + 0 + 1);
    df_submit(get, s, 3, 3, &x);
    CHECK(df_wait_result() == DF_OK && x == 1);
    df_submit(put, 5, 10, s);
    df_submit(get, s, 5, 5, &x);
    CHECK(df_wait_result() == DF_OK && x == 51);
    df_stream_free(s);
    CHECK_SAID(n_said == 0);
}
DF_TASK(void, both, df_pop(int, a, 1), df_push(int, b, 1));
void both(const int *a, int *b) { *b = *a + 1; }
static void a_circle(void)
{
    int x = 0;
    const char *made = HERE; df_stream *s = df_stream_new(sizeof(int), 2), *t = df_stream_new(sizeof(int), 2);
    df_submit(both, s, t);
    df_submit(both, t, s);
    df_submit(get, s, 1, 1, &x);
    CHECK(df_wait_result() == DF_ERROR_STUCK);
    /* one of them is given up; its consequences may come before the others are examined */
    int circle = heard(1, "task both", "1 more elements in", made, ""), end = heard(1, "task get", "more elements in", made, "");
    CHECK_SAID(circle >= 1 && circle <= 2 && end <= 1 && n_said == circle + end);
    n_said = 0;
    df_stream_free(s), df_stream_free(t);
    CHECK(x == 0 && n_said == 0);
}
DF_TASK(void, deep, (df_stream *, s), (int *, x), (int, depth));
void deep(df_stream *s, int *x, int depth)
{
    if (depth) df_submit(deep, s, x, depth - 1);
    else df_submit(get, s, 1, 1, x);
}
static void below(void)
{
    int x = 0;
    df_stream *s = df_stream_new(sizeof(int), 1);
    df_submit(deep, s, &x, 5);
    CHECK(df_wait_result() == DF_ERROR_STUCK); /* went all the way up */
    HEARD(1, 1, "task get", "1 more elements in", "", "");
    df_stream_free(s);
    CHECK_SAID(n_said == 0 && x == 0);
}

/* --- what is right --------------------------------------------------------------------------------------- */

static df_stream *shared;
static void *pushes_later(void *p)
{
    for (int i = 0; i < 4; i++) {
        usleep(400 * 1000); /* each within the patience */
        df_submit(put, 1, i + 1, shared);
    }
    df_wait();
    return p;
}
static void from_outside(void)
{
    pthread_t p;
    int x = 0;
    shared = df_stream_new(sizeof(int), 2);
    for (int i = 0; i < 4; i++) df_submit(get, shared, 1, 1, &x);
    CHECK(!pthread_create(&p, NULL, pushes_later, NULL));
    CHECK(df_wait_result() == DF_OK && x == 10);
    CHECK(!pthread_join(p, NULL));
    df_stream_free(shared);
    CHECK_SAID(n_said == 0);
}
static void *closes_later(void *p)
{
    usleep(500 * 1000);
    df_stream_close(shared);
    return p;
}
static void closed_from_outside(void)
{
    pthread_t p;
    int x = 0;
    shared = df_stream_new(sizeof(int), 4);
    df_submit(put, 2, 3, shared);
    df_submit(get, shared, 4, 4, &x);
    CHECK(!pthread_create(&p, NULL, closes_later, NULL));
    CHECK(df_wait_result() == DF_OK && x == 6);
    CHECK(!pthread_join(p, NULL));
    df_stream_free(shared);
    CHECK_SAID(n_said == 0);
}
DF_TASK(void, slow, df_push(int, to, 1));
void slow(int *to)
{
    usleep(1500 * 1000);
    *to = 9;
}
static void slow_producer(void)
{
    int x = 0;
    df_stream *s = df_stream_new(sizeof(int), 1);
    df_submit(get, s, 1, 1, &x);
    df_submit(slow, s);
    CHECK(df_wait_result() == DF_OK && x == 9);
    df_stream_free(s);
    CHECK_SAID(n_said == 0);
}
DF_TASK(void, fails, df_pop(int, a, 1));
void fails(const int *a)
{
    if (*a == 3) df_fail(33, "three");
}
static void cancelled(void)
{
    int x = 0;
    df_stream *s = df_stream_new(sizeof(int), 100);
    df_submit(get, s, 1, 0, &x);
    for (int i = 0; i < 60; i++) {
        df_submit(put, 1, i, s);
        df_submit(fails, s);
    }
    CHECK(df_wait_result() == 33);
    df_submit(put, 1, 77, s); /* and goes on */
    df_submit(get, s, 1, 1, &x);
    CHECK(df_wait_result() == DF_OK && x == 77);
    df_submit(get, s, 1, 1, &x);
    df_cancel(); /* waits for elements that will not come, but no thread waits for it */
    CHECK(df_wait_result() == DF_ERROR_CANCELLED && x == 77);
    df_stream_free(s);
    CHECK_SAID(n_said == 0);
}

static void never_without_elements(void)
{
    df_stream *s = df_stream_new(sizeof(int), 4);
    df_group g = DF_GROUP;
    int sum = 0;
    const char *here = HERE; df_submit_with(DF_OPTS(.always = 1), put, 2, 5, s);
    HEARD(1, 1, here, "task put has streams", "", ".always");
    df_submit(get, s, 2, 2, &sum);
    df_wait();
    CHECK(sum == 10);
    df_group_cancel(&g);
    here = HERE; df_submit_with(DF_OPTS(.always = 1, .group = &g), get, s, 2, 2, &sum);
    HEARD(1, 1, here, "task get has streams", "", ".always");
    df_stream_close(s);
    df_wait();
    CHECK(sum == 10);
    df_stream_free(s);
    n_said = 0;
}

int main(void)
{
    static void (*const part[])(void) = { no_room, left_over, wrong_sizes, wrong_types, too_large, null_streams,
                                          closed, nobody_pushes, nobody_pops, a_circle, below, from_outside,
                                          closed_from_outside, slow_producer, cancelled,
                                          never_without_elements };
    static const int workers[] = { 1, 3 };
    for (int w = 0; w < 2; w++) {
        df_config c = { .workers = workers[w], .log = hear, .patience = 1, .defer = w };
        for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
            alarm(60);
            n_said = 0;
            CHECK(df_start(&c) == DF_OK);
            part[i]();
            CHECK_SAID(work_right()); /* all goes on */
            df_stop();
        }
    }
}
