/* addresses.c - without df_config.rename_bytes, the body of a task gets the address that was passed to df_submit
 *
 * So these programs are right, also where a writer has to wait for readers: they keep the address, write part of a
 * df_out region, name their memory in the body, need memory of a certain alignment, or have undeclared accesses that are
 * ordered by the task between them. With renaming (DF_RENAME_BYTES) each part fails at several workers. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 512, ROUNDS = 60, READERS = 3 };
static uint64_t seen[READERS];

/* --- a struct that points to itself -------------------------------------------------------------------- */

struct list { struct list *last; int n; };
static struct list head;
DF_TASK(void, empty_list, df_out(struct list, l, 1), (int, n));
void empty_list(struct list *l, int n) { l->last = l, l->n = n; }
DF_TASK(void, look_list, df_in(struct list, l, 1), df_inout(uint64_t, s, 1));
void look_list(const struct list *l, uint64_t *s)
{
    test_spin(5000);
    CHECK(l == &head && l->last == &head);
    *s = test_mix(*s, (uint64_t)l->last->n);
}

/* --- df_out elements that the body leaves as they are ---------------------------------------------------- */

static uint64_t part[N];
DF_TASK(void, write_part, df_out(uint64_t, x, N), (int, i));
void write_part(uint64_t *x, int i) { x[i % N] = (uint64_t)i; }
DF_TASK(void, look_part, df_in(uint64_t, x, N), df_inout(uint64_t, s, 1));
void look_part(const uint64_t *x, uint64_t *s)
{
    test_spin(5000);
    for (int i = 0; i < N; i++) *s = test_mix(*s, x[i]);
}

/* --- bodies that name their memory ---------------------------------------------------------------------- */

static uint64_t named[N];
DF_TASK(void, write_named, df_out(uint64_t, x, N), (int, i));
void write_named(uint64_t *x, int i)
{
    (void)x;
    for (int k = 0; k < N; k++) named[k] = (uint64_t)(i * k);
}
DF_TASK(void, look_named, df_in(uint64_t, x, N), df_inout(uint64_t, s, 1));
void look_named(const uint64_t *x, uint64_t *s)
{
    (void)x;
    test_spin(5000);
    for (int i = 0; i < N; i++) *s = test_mix(*s, named[i]);
}

/* --- memory with a property that other memory lacks: here alignment ----------------------------------------- */

enum { PAGE = 4096 };
static char pages[3 * PAGE];
DF_TASK(void, write_page, df_out(char, p, PAGE), (int, i));
void write_page(char *p, int i)
{
    CHECK((uintptr_t)p % PAGE == 0);
    for (int k = 0; k < PAGE; k++) p[k] = (char)(i + k);
}
DF_TASK(void, look_page, df_in(char, p, PAGE), df_inout(uint64_t, s, 1));
void look_page(const char *p, uint64_t *s)
{
    test_spin(5000);
    for (int i = 0; i < PAGE; i += 64) *s = test_mix(*s, (uint64_t)(unsigned char)p[i]);
}

/* --- order of undeclared accesses by the tasks between them --------------------------------------------------- */

static uint64_t token, undeclared;
DF_TASK(void, next_turn, df_out(uint64_t, x, 1), (int, i));
void next_turn(uint64_t *x, int i) { *x = (uint64_t)i; }
DF_TASK(void, take_turn, df_in(uint64_t, x, 1));
void take_turn(const uint64_t *x)
{
    test_spin(5000);
    undeclared = test_mix(undeclared, *x); /* the next task that does so comes after a writer that waits for this one */
}

static void show(const char *text)
{
    printf("%s", text);
    for (int k = 0; k < READERS; k++) printf(" %016llx", (unsigned long long)seen[k]), seen[k] = 0;
    printf("\n");
}

int main(void)
{
    char *page = pages + (PAGE - (uintptr_t)pages % PAGE) % PAGE;
    DF_PARALLEL for (int i = 0; i < ROUNDS; i++) {
        df_submit(empty_list, &head, i);
        for (int k = 0; k < READERS; k++) df_submit(look_list, &head, &seen[k]);
    }
    show("list");
    DF_PARALLEL for (int i = 0; i < ROUNDS; i++) {
        df_submit(write_part, part, 7 * i);
        for (int k = 0; k < READERS; k++) df_submit(look_part, part, &seen[k]);
    }
    show("part");
    DF_PARALLEL for (int i = 0; i < ROUNDS; i++) {
        df_submit(write_named, named, i);
        for (int k = 0; k < READERS; k++) df_submit(look_named, named, &seen[k]);
    }
    show("named");
    DF_PARALLEL for (int i = 0; i < ROUNDS; i++) {
        df_submit(write_page, page, i);
        for (int k = 0; k < READERS; k++) df_submit(look_page, page, &seen[k]);
    }
    show("page");
    DF_PARALLEL for (int i = 0; i < ROUNDS; i++) {
        df_submit(next_turn, &token, i);
        df_submit(take_turn, &token);
    }
    printf("turns %016llx\n", (unsigned long long)undeclared);
}
