/* gain.h by invented times: loops are shared exactly while that takes less time, trials of the other way are few, the
 * choice follows when the times change, and places of call do not mix */
#include "../../impl/more/loop/gain.h"
#include "../test.h"

struct dfi_pool dfi_pool;
struct dfi_logger dfi_logger;
struct whole { struct dfi_worker w; struct dfi_alone alone; };
DFI_LATER_IS(size_t, dfi_alone_of_room, offsetof(struct whole, alone));

static struct whole whole = { .alone = { .random = 1 } };
static struct dfi_worker *w = &whole.w;
static uint64_t seed = 1;

static int unknown;

/* Runs the loop at a place so often. Times are for n iterations; now and then one is interrupted, for a short time or a
 * long one. Returns how often it was shared because it gains; unknown: how often nothing was asked. */
static int run(uintptr_t place, unsigned long n, int times, double alone, double shared)
{
    int n_shared = 0;
    unknown = 0;
    for (int i = 0; i < times; i++) {
        struct dfi_gain *g = dfi_gain_of(w, place, n);
        int asked = dfi_gain_knows(g), shares = asked && dfi_gain_shares(g);
        double noise = 1 + test_below(&seed, 10) / 100.0;
        if (test_below(&seed, 100) == 0) noise = 2;
        if (test_below(&seed, 2000) == 0) noise = 300;
        if (shares) dfi_gain_took(w, g, 1, dfi_gain_time(g, (uint64_t)(shared * noise), n));
        else dfi_gain_ran(w, g, (uint64_t)(alone * noise), n, asked);
        n_shared += shares, unknown += !asked;
    }
    return n_shared;
}

int main(int argc, char **argv)
{
    if (argc > 1) seed = strtoull(argv[1], NULL, 0);
    CHECK((int)dfi_high_bit(1) == 0 && (int)dfi_high_bit(2) == 1 && (int)dfi_high_bit(3) == 1 && (int)dfi_high_bit(1024) == 10);

    int n = run(100, 1000, 10000, 20e3, 50e3); /* sharing does not pay: tried ever more seldom */
    CHECK(n >= DFI_GAIN_TRIAL && n < 200);
    n = run(100, 1000, 10000, 20e3, 50e3);
    CHECK(n >= DFI_GAIN_TRIAL && n < 150);
    n = run(200, 1000, 10000, 20e3, 12e3); /* it does */
    CHECK(n > 9800);
    n = run(300, 1000, 10000, 20e3, 19e3); /* it does, but not enough to pay for data that move */
    CHECK(n < 300);
    n = run(400, 1000, 10000, 100e3, 8e3); /* there is no doubt: never run alone again */
    CHECK(n + unknown > 9980);

    run(100, 1000, 10000, 20e3, 10e3); /* the machine changes: so does the choice */
    n = run(100, 1000, 1000, 20e3, 10e3);
    CHECK(n > 900);
    run(200, 1000, 300, 20e3, 30e3);
    n = run(200, 1000, 1000, 20e3, 30e3);
    CHECK(n < 200);
    run(100, 1000, 2000, 9e3, 8e3); /* only a trial shows how long it takes alone */
    n = run(100, 1000, 1000, 9e3, 8e3);
    CHECK(n < 200);

    n = run(500, 1000, 2000, 20e3, 50e3); /* magnitudes of one place */
    CHECK(n < 150);
    n = run(500, 10000, 2000, 90e3, 50e3);
    CHECK(n > 1900);
    n = run(500, 1000, 2000, 20e3, 50e3);
    CHECK(n < 150);
    n = run(600, 1000, 1000, 20e3, 10e3) + run(600, 1900, 1000, 38e3, 19e3); /* the same one */
    CHECK(n > 1900);

    run(700, 1000, 200, 1e3, 1e3); /* too short */
    CHECK(unknown > 100);
    CHECK(run(800, 1000, 100, 1e6, 1e6) == 0 && unknown == 100); /* long enough */

    for (int i = 0; i < 100000; i++) { /* more places than entries */
        uintptr_t place = (uintptr_t)test_below(&seed, 10000) * 16;
        unsigned long count = 1ul << test_below(&seed, 30);
        struct dfi_gain *g = dfi_gain_of(w, place, count);
        CHECK(g && g == dfi_gain_of(w, place, count) && g->log == (int)dfi_high_bit(count));
        CHECK(g >= whole.alone.gain && g < whole.alone.gain + DFI_GAIN_SETS * DFI_GAIN_WAYS);
        dfi_gain_ran(w, g, (uint64_t)test_below(&seed, 1000000), count, test_below(&seed, 2));
        dfi_gain_took(w, g, dfi_gain_shares(g), (unsigned)test_below(&seed, 1000000));
    }
    CHECK(dfi_gain_time(dfi_gain_of(w, 1, 1), UINT64_MAX, 1) == 1000000000);
    dfi_mfree(whole.alone.gain);
    return 0;
}
