/* dist_boxes.c - boxes in memory: made of few levels, copied, and declared as regions that have exactly their bytes
 *
 *     dist_boxes [SEED [CASES]] */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../test.h"

enum { DIMS = 3, ROOM = 4096, MOST = 40 };

struct plain { int64_t n[DIMS], from_step[DIMS], to_step[DIMS], from, to, element; }; /* in elements */

/* Dimensions of an array one inside of the other, some of them turned around, or an element several times. */
static struct plain random_plain(uint64_t *state)
{
    struct plain p;
    int64_t from_size = 1, to_size = 1;
    p.from = p.to = 0;
    p.element = 1 + test_below(state, 4);
    for (int i = DIMS - 1; i >= 0; i--) {
        int how = test_below(state, 8);
        int64_t from_gap = test_below(state, 2) ? 0 : test_below(state, 3),
            to_gap = test_below(state, 2) ? 0 : test_below(state, 3);
        p.n[i] = 1 + test_below(state, 4);
        p.from_step[i] = from_size * (1 + (test_below(state, 4) == 0)), p.to_step[i] = to_size;
        from_size = p.from_step[i] * (p.n[i] + from_gap), to_size *= p.n[i] + to_gap;
        if (how == 0) p.from += (p.n[i] - 1) * p.from_step[i], p.from_step[i] = -p.from_step[i];
        if (how == 1) p.from_step[i] = 0;
    }
    p.from += test_below(state, 5), p.to += test_below(state, 5);
    return p;
}

static struct dfi_nest nest_of(const struct plain *p, int64_t units)
{
    struct dfi_nest b;
    b.from = p->from, b.to = p->to, b.levels = 0;
    for (int i = 0; i < DIMS; i++) dfi_nest_level(&b, p->n[i], p->from_step[i], p->to_step[i]);
    dfi_nest_units(&b, units);
    return b;
}

/* What is copied, byte by byte; touched[0]: read from, touched[1]: written to. */
static void plain_copy(const struct plain *p, char *to, const char *from, char touched[2][ROOM])
{
    memset(touched, 0, 2 * ROOM);
    for (int64_t i = 0; i < p->n[0]; i++)
        for (int64_t j = 0; j < p->n[1]; j++)
            for (int64_t k = 0; k < p->n[2]; k++)
                for (int64_t e = 0; e < p->element; e++) {
                    int64_t f = (p->from + i * p->from_step[0] + j * p->from_step[1] +
                                 k * p->from_step[2]) * p->element + e;
                    int64_t t = (p->to + i * p->to_step[0] + j * p->to_step[1] + k * p->to_step[2]) * p->element + e;
                    CHECK(f >= 0 && f < ROOM && t >= 0 && t < ROOM);
                    to[t] = from[f];
                    touched[0][f] = touched[1][t] = 1;
                }
}

static void check_regions(const struct dfi_nest *b, const char *p, int is_to, const char *touched)
{
    static char declared[ROOM];
    struct dfi_access x[MOST];
    int64_t n = dfi_nest_regions(b, p, is_to, DFI_IN, x, MOST);
    if (n > MOST) return;
    CHECK(dfi_nest_regions(b, p, is_to, DFI_IN, x, n - 1) > n - 1);
    memset(declared, 0, sizeof declared);
    for (int64_t i = 0; i < n; i++)
        for (size_t row = 0; row < x[i].rows; row++)
            for (size_t k = 0; k < x[i].row; k++) {
                char *byte = declared + ((const char *)x[i].p - p) + row * x[i].ld + k;
                CHECK(byte >= declared && byte < declared + ROOM && !*byte); /* once */
                *byte = 1;
            }
    CHECK(!memcmp(declared, touched, ROOM));
}

int main(int argc, char **argv)
{
    static char from[ROOM], to[ROOM], expected[ROOM], touched[2][ROOM];
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, state = seed;
    int cases = argc > 2 ? atoi(argv[2]) : 3000;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < cases; i++) {
        struct plain p = random_plain(&state);
        struct dfi_nest b = nest_of(&p, p.element);
        for (int k = 0; k < ROOM; k++)
            from[k] = (char)test_random(&state), to[k] = expected[k] = (char)test_random(&state);
        plain_copy(&p, expected, from, touched);
        CHECK(dfi_nest_items(&b) == p.n[0] * p.n[1] * p.n[2] * p.element);
        dfi_nest_copy(&b, 0, to + b.to, from + b.from);
        CHECK(!memcmp(to, expected, ROOM));
        check_regions(&b, from, 0, touched[0]);
        check_regions(&b, to, 1, touched[1]);
    }
    printf("cases: %d\n", cases);
}
