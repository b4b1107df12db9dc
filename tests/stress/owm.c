/* owm.c - many threads hand parts on as fast as they can, with ownership checked: threads of the program through locks,
 * tasks through tokens, loops in between; nothing is reported and nothing is lost
 *
 * The argument is a number of seconds. */
#define _DEFAULT_SOURCE
#define DF_CHECK 1
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df_owm.h"
#include "stress.h"

enum { PARTS = 40, THREADS = 3, STEPS = 200 };
static struct part {
    pthread_mutex_t lock;
    unsigned char *p;
    size_t bytes;
    unsigned long count; /* the number of its updates, which is the value of each byte */
} parts[PARTS];
static DFI_ATOMIC(int) stop;

static void message(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    fprintf(stderr, "%s\n", text);
    CHECK(!"no message");
}

DF_TASK(void, update, df_owm_inout(unsigned char, p, bytes), (size_t, bytes), (unsigned long, count));
void update(unsigned char *p, size_t bytes, unsigned long count)
{
    for (size_t i = 0; i < bytes; i++) CHECK(p[i] == (unsigned char)count), p[i]++;
}
DF_TASK(void, look, df_owm_in(unsigned char, p, bytes), (size_t, bytes), (unsigned long, count));
void look(const unsigned char *p, size_t bytes, unsigned long count)
{
    for (size_t i = 0; i < bytes; i++) CHECK(p[i] == (unsigned char)count);
}

/* One part, which the caller has locked. */
static void use(struct part *q, uint64_t *s)
{
    df_owm_ownership o;
    size_t half = q->bytes / 2;
    CHECK(df_owm_owner(q->p, &o) == DF_OK && o.mode == 0);
    switch (test_below(s, 4)) {
    case 0: { /* several readers */
        df_future(look) f;
        df_spawn(look, &f, q->p, q->bytes, q->count);
        look(q->p, 0, 0);
        CHECK(df_owm_acquire(q->p, q->bytes, DF_OWM_R) == DF_OK);
        CHECK(q->p[half] == (unsigned char)q->count);
        df_sync(look, &f);
        CHECK(df_owm_release(q->p, q->bytes) == DF_OK);
        return;
    }
    case 1: { /* two owners of a half each */
        df_future(update) f;
        df_spawn(update, &f, q->p, half, q->count);
        CHECK(df_owm_acquire(q->p + half, q->bytes - half, DF_OWM_RW) == DF_OK);
        update(q->p + half, q->bytes - half, q->count);
        CHECK(df_owm_release(q->p + half, q->bytes - half) == DF_OK);
        df_sync(update, &f);
        break;
    }
    case 2: { /* one after the other */
        df_token t = DF_TOKEN(1);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), update, q->p, q->bytes, q->count);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), look, q->p, q->bytes, q->count + 1);
        df_wait();
        break;
    }
    default:
        CHECK(df_owm_acquire(q->p, q->bytes, DF_OWM_RW) == DF_OK);
        update(q->p, q->bytes, q->count);
        CHECK(df_owm_release(q->p, half) == DF_OK);
        CHECK(df_owm_release(q->p + half, q->bytes - half) == DF_OK);
    }
    q->count++;
}

static void *thread(void *arg)
{
    uint64_t s = *(const uint64_t *)arg;
    while (!dfi_load_acquire(&stop)) {
        struct part *q = &parts[test_below(&s, PARTS)];
        if (pthread_mutex_trylock(&q->lock)) continue;
        use(q, &s);
        pthread_mutex_unlock(&q->lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    df_config c = { .log = message, .workers = 3 };
    pthread_t t[THREADS];
    uint64_t seed[THREADS], s = 5;
    unsigned long done = 0;
    CHECK(df_start(&c) == DF_OK);
    stress_begin(argc, argv);
    while (stress_goes_on()) {
        unsigned char *memory = (unsigned char *)df_owm_alloc(PARTS * 3000), *at = memory;
        CHECK(memory != NULL);
        for (int i = 0; i < PARTS; i++) { /* of any length, without gaps: they meet inside of pages */
            pthread_mutex_init(&parts[i].lock, NULL);
            parts[i].p = at, parts[i].count = 0;
            at += parts[i].bytes = 2 + (size_t)test_below(&s, 2998);
        }
        dfi_store_release(&stop, 0);
        for (int i = 0; i < THREADS; i++) {
            seed[i] = test_random(&s);
            CHECK(pthread_create(&t[i], NULL, thread, &seed[i]) == 0);
        }
        for (int i = 0; i < STEPS; i++) {
            struct part *q = &parts[test_below(&s, PARTS)];
            pthread_mutex_lock(&q->lock);
            use(q, &s);
            pthread_mutex_unlock(&q->lock);
        }
        dfi_store_release(&stop, 1);
        for (int i = 0; i < THREADS; i++) CHECK(pthread_join(t[i], NULL) == 0);
        for (int i = 0; i < PARTS; i++) {
            look(parts[i].p, parts[i].bytes, parts[i].count);
            done += parts[i].count;
            pthread_mutex_destroy(&parts[i].lock);
        }
        df_owm_free(memory);
    }
    CHECK(done > 0);
    return 0;
}
