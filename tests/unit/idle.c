/* idle.c - df_config.idle: the events that it finds release tasks and waits, also in a serial build
 *
 * An event of the made-up device here comes after a number of looks. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { EVENTS = 6 };
static struct event { int looks; df_token *t; int code; } event[EVENTS]; /* looks 0: nothing is expected */
static long x[EVENTS];

static long look(void *unused)
{
    int expected = 0;
    (void)unused;
    for (int i = 0; i < EVENTS; i++) {
        int looks = __atomic_load_n(&event[i].looks, __ATOMIC_ACQUIRE);
        if (!looks) continue;
        df_token *t = event[i].t;
        int code = event[i].code;
        __atomic_store_n(&event[i].looks, looks - 1, __ATOMIC_RELEASE); /* before the signal: it is used again */
        if (looks > 1) expected = 1;
        else {
            df_signal_external(t, code, "the device is gone");
            return 0;
        }
    }
    return expected ? 20 : -1;
}
static void expect(int i, df_token *t, int looks, int code)
{
    event[i].t = t, event[i].code = code;
    __atomic_store_n(&event[i].looks, looks, __ATOMIC_RELEASE);
    df_idle_soon();
}

DF_TASK(void, add, df_inout(long, a, 1), (long, k));
void add(long *a, long k) { *a = *a * 10 + k; }
DF_TASK(void, expects, (int, i), (df_token *, t), (int, looks));
void expects(int i, df_token *t, int looks) { expect(i, t, looks, 0); }
DF_TASK(void, note, (int *, cancelled));
void note(int *cancelled) { *cancelled = df_cancelled(); }

int main(void)
{
    df_token t[EVENTS], late;
    int cancelled = -1;
    CHECK(df_start(DF_CONFIG(.idle = look, .workers = 0)) == DF_OK);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < EVENTS; i++) df_token_init_external(&t[i], 1);
        for (int i = EVENTS - 1; i >= 0; i--) { /* each event is expected when the one before it has come */
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&t[i])), add, &x[i], i);
            if (i) df_submit_with(DF_OPTS(.after = DF_TOKENS(&t[i - 1])), expects, i, &t[i], 1 + (i + round) % 4);
        }
        expect(0, &t[0], 3, 0);
        CHECK(df_wait_token(&t[2]) == DF_OK);
        CHECK(df_wait_result() == DF_OK);
        for (int i = 0; i < EVENTS; i++) x[i] %= 1000;
    }
    for (int i = 0; i < EVENTS; i++) printf("%ld ", x[i]);
    df_token_init(&late, 1); /* a token that is not said to be external: something is expected */
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&late)), add, &x[0], 7);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&late), .always = 1), note, &cancelled);
    expect(1, &late, 2, 99);
    int r = (int)df_wait_result();
    printf("%ld %d %d %s\n", x[0], cancelled, r, df_error_text((df_result)r));
    df_stop();
    return 0;
}
