/* region.c - do two regions share a byte, does one contain the other: against counting bytes, for ranges
 * and blocks of equal and different leading dimension, overlapping rows included */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 400, PAIRS = 200000 };

struct shape { struct dfi_access x; unsigned char has[SPAN]; };

static char base[SPAN];

static struct shape shape_random(uint64_t *seed, int ld)
{
    struct shape s;
    int range = test_below(seed, 3) == 0, p = test_below(seed, 100);
    int row = test_below(seed, range ? 40 : 10), rows = test_below(seed, 8);
    memset(&s, 0, sizeof s);
    if (range) dfi_access_array(&s.x, DFI_IN, DFI_NO_ARG, base + p, (size_t)row);
    else dfi_access_block(&s.x, DFI_IN, DFI_NO_ARG, base + p, (size_t)rows, (size_t)row, (size_t)ld);
    for (int i = 0; i < (range ? 1 : rows); i++)
        for (int j = 0; j < row; j++) s.has[p + i * (range ? 0 : ld) + j] = 1;
    return s;
}

static void extremes(void)
{
    struct dfi_access x[6];
    static const size_t huge = SIZE_MAX;
    char *last = (char *)UINTPTR_MAX - 10; /* only compared, never used */
    dfi_access_array(&x[0], DFI_IN, DFI_NO_ARG, base, huge);
    dfi_access_block(&x[1], DFI_IN, DFI_NO_ARG, base, huge, huge, huge);
    dfi_access_block(&x[2], DFI_IN, DFI_NO_ARG, base, huge, 1, 2);
    dfi_access_block(&x[3], DFI_IN, DFI_NO_ARG, last, 5, 4, 8);
    dfi_access_array(&x[4], DFI_IN, DFI_NO_ARG, last, 100);
    dfi_access_block(&x[5], DFI_IN, DFI_NO_ARG, base, 2, 3, huge / 2);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            struct dfi_region a = dfi_region_of(&x[i]), b = dfi_region_of(&x[j]);
            CHECK(dfi_region_end(&a) >= a.p); /* no region wraps around the end of the address space */
            CHECK(dfi_region_overlap(&a, &b) == dfi_region_overlap(&b, &a));
            if (i == j) CHECK(dfi_region_overlap(&a, &b) && dfi_region_covers(&a, &b));
        }
}

int main(void)
{
    uint64_t seed = 2026;
    int meet = 0, contained = 0, found = 0, ranges = 0;
    for (int n = 0; n < PAIRS; n++) {
        int ld = test_below(&seed, 24), other = n % 2 ? ld : test_below(&seed, 24);
        struct shape s = shape_random(&seed, ld), t = shape_random(&seed, other);
        struct dfi_region a = dfi_region_of(&s.x), b = dfi_region_of(&t.x);
        int share = 0, inside = 1, covers = dfi_region_covers(&a, &b);
        for (int i = 0; i < SPAN; i++) {
            share |= s.has[i] & t.has[i];
            if (t.has[i] && !s.has[i]) inside = 0;
        }
        if (dfi_region_overlap(&a, &b) != share || (covers && !inside))
            fprintf(stderr, "p %ld, %zu x %zu, ld %zu and p %ld, %zu x %zu, ld %zu\n",
                    (long)((const char *)s.x.p - base), s.x.rows, s.x.row, s.x.ld, (long)((const char *)t.x.p - base),
                    t.x.rows, t.x.row, t.x.ld);
        CHECK(dfi_region_overlap(&a, &b) == share);
        CHECK(dfi_region_overlap(&b, &a) == share);
        CHECK(!covers || inside);
        if (a.rows == 1 && b.rows) CHECK(covers == inside), ranges++; /* exact if a is a range */
        meet += share, contained += inside, found += covers;
    }
    CHECK(meet > PAIRS / 4 && meet < 3 * (PAIRS / 4)); /* or the test tests nothing */
    CHECK(ranges > 1000 && found > contained / 2);
    extremes();
}
