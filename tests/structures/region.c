/* region.h against sets of bytes: canonical form, overlap, containment. */
#include "../../impl/flow/region.h"
#include "../test.h"

enum { BYTES = 96, BASE = 4096 };
typedef struct { unsigned char in[BYTES]; } set;

static struct dfi_access any(uint64_t *seed)
{
    struct dfi_access x;
    memset(&x, 0, sizeof x);
    x.p = (const void *)(BASE + (uintptr_t)test_below(seed, 20));
    x.row = (size_t)test_below(seed, 9), x.rows = (size_t)test_below(seed, 5);
    x.ld = x.rows > 1 ? x.row + (size_t)test_below(seed, 8) : 0;
    return x;
}
static set bytes_of(const struct dfi_access *x)
{
    set s = { { 0 } };
    for (size_t i = 0; i < x->rows; i++)
        for (size_t k = 0; k < x->row; k++) s.in[(uintptr_t)x->p - BASE + i * x->ld + k] = 1;
    return s;
}
static set bytes_of_region(const struct dfi_region *r)
{
    struct dfi_access x;
    memset(&x, 0, sizeof x);
    x.p = (const void *)r->p, x.row = r->row, x.rows = r->rows, x.ld = r->ld;
    return bytes_of(&x);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int overlaps = 0, contained = 0;
    for (int round = 0; round < 200000; round++) {
        struct dfi_access x = any(&seed), y = any(&seed);
        struct dfi_region a = dfi_region_of(&x), b = dfi_region_of(&y);
        set s = bytes_of(&x), t = bytes_of(&y), same = bytes_of_region(&a);
        int meet = 0, inside = 1, n = 0;
        CHECK(!memcmp(&s, &same, sizeof s));
        CHECK(a.rows != 1 || a.ld == 0); /* one form for each set of this kind: the hash depends on it */
        for (int i = 0; i < BYTES; i++) n += s.in[i], meet |= s.in[i] & t.in[i], inside &= s.in[i] | !t.in[i];
        CHECK((n == 0) == (a.rows == 0));
        if (!a.rows || !b.rows) continue;
        CHECK(dfi_region_overlap(&a, &b) == meet && dfi_region_overlap(&b, &a) == meet);
        CHECK(dfi_region_covers(&a, &b) == inside);
        CHECK(!dfi_region_same(&a, &b) || (!memcmp(&s, &t, sizeof s) && dfi_region_hash(&a) == dfi_region_hash(&b)));
        overlaps += meet, contained += inside;
    }
    CHECK(overlaps > 1000 && contained > 1000);
    { /* what reaches beyond the end of memory is all memory */
        struct dfi_access x;
        struct dfi_region r;
        memset(&x, 0, sizeof x);
        x.p = (const void *)(UINTPTR_MAX - 10), x.row = 11, x.rows = 1;
        r = dfi_region_of(&x);
        CHECK(dfi_region_is_all(&r));
        x.row = 9;
        r = dfi_region_of(&x);
        CHECK(!dfi_region_is_all(&r) && dfi_region_end(&r) == UINTPTR_MAX - 1);
    }
    return 0;
}
