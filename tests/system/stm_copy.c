/* stm_copy.c - with DF_DEBUG, df_tm_copy to a local variable is reported if the block then uses that as a local; copies
 * to shared variables are not, wherever they lie */
#undef DF_DEBUG
#define DF_DEBUG 1
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "../test.h"
#include <pthread.h>
#include <string.h>

struct point { double x, y; char name[24]; };
static struct point shared = { 1, 2, "a" };
static int said;

static void hear(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    CHECK(strstr(text, "stm_copy.c:") && strstr(text, "copies into a local variable by df_tm_copy"));
    said++;
}

static void wrong(void)
{
    struct point p = { 0, 0, "" };
    DF_ATOMIC {
        df_tm_copy(&p, &shared, sizeof p);
        p.x += 1;
        df_tm_copy(&shared, &p, sizeof p);
    }
}

static void right(void)
{
    struct point p;
    DF_ATOMIC {
        df_tm_read_bytes(&p, &shared, sizeof p);
        p.x += 1;
        df_tm_write_bytes(&shared, &p, sizeof p);
    }
}

static void *others(void *p)
{
    struct point *to = (struct point *)p;
    for (int i = 0; i < 1000; i++) {
        DF_ATOMIC { df_tm_copy(to, &shared, sizeof *to); }
        DF_ATOMIC { df_tm_write(&to->y, df_tm_read(&to->y) + 1); }
        DF_ATOMIC_CLOSED { df_tm_copy(&shared, to, sizeof *to); }
    }
    return NULL;
}

int main(void)
{
    struct point on_stack = { 5, 0, "b" }; /* shared */
    pthread_t t[2];
    dfi_logger.log = hear;
    right();
    CHECK(shared.x == 2 && said == 0);
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&t[i], NULL, others, &on_stack));
    others(&on_stack);
    for (int i = 0; i < 2; i++) CHECK(!pthread_join(t[i], NULL));
    CHECK(said == 0);
    wrong();
    CHECK(said == 1);
    wrong();
    CHECK(said == 2);
}
