/* reduce.h - DF_CHECK: commutativity of the operators of DF_REDUCTION
 *
 * When two contributions are combined, copies of them are combined in both orders. The results must
 * be the same, except for rounding, and for bytes that identity() does not set, such as padding. */
#ifndef DFI_OBSERVE_CHECK_REDUCE_H
#define DFI_OBSERVE_CHECK_REDUCE_H

#include "../../base/atomic.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/task.h"
#include "../../work/tables.h"

#if DF_CHECK
/* elements compared each time; operators remembered as reported */
enum { DFI_CHECK_ELEMENTS = 16, DFI_CHECK_OPERATORS = 32 };

/* True if two words of n bytes differ by more than the rounding of a floating-point sum. */
static int dfi_words_differ(const unsigned char *a, const unsigned char *b, size_t n)
{
    double x[2], least = 1e-100, most = 1e100, part = 1e-6;
    float y[2];
    int i;
    if (!memcmp(a, b, n)) return 0;
    if (n == sizeof *y) {
        memcpy(&y[0], a, n), memcpy(&y[1], b, n);
        x[0] = (double)y[0], x[1] = (double)y[1];
        least = 1e-30, most = 1e30, part = 1e-3;
    } else if (n == sizeof *x) memcpy(&x[0], a, n), memcpy(&x[1], b, n);
    else return 1;
    for (i = 0; i < 2; i++) {
        double size = x[i] < 0 ? -x[i] : x[i];
        if (!(size > least && size < most)) return 1; /* not such a number, but an integer, a pointer, or text */
    }
    return !((x[0] < x[1] ? x[1] - x[0] : x[0] - x[1]) < part * (x[0] < 0 ? -x[0] : x[0]));
}

/* True if a and b, the results of both orders, differ in bytes that an identity sets. */
static int dfi_results_differ(unsigned char *a, unsigned char *b, const unsigned char *zero,
                              const unsigned char *one, size_t size)
{
    size_t i, n;
    for (i = 0; i < size; i++)
        if (zero[i] != one[i]) a[i] = b[i] = 0;
    for (i = 0; i < size; i += n) {
        n = size - i >= 8 && i % 8 == 0 ? 8 : size - i >= 4 && i % 4 == 0 ? 4 : 1;
        if (!dfi_words_differ(a + i, b + i, n)) continue;
        if (n == 8 && (!dfi_words_differ(a + i, b + i, 4) || !memcmp(a + i, b + i, 4)) &&
            !dfi_words_differ(a + i + 4, b + i + 4, 4)) continue;
        return 1;
    }
    return 0;
}

/* key of an operator that is not ordered: its name (api/declare.h), or of df_call its function (api/call.h) */
static void dfi_check_commutes_say(const void *key, int of_call)
{
    static DFI_ATOMIC(const void *) said[DFI_CHECK_OPERATORS];
    const void *none;
    int i;
    for (i = 0; i < DFI_CHECK_OPERATORS; i++) {
        none = NULL;
        if (dfi_cas_acq_rel(&said[i], &none, key)) {
            dfi_finding("operator %s is not commutative: combine(a, b) and combine(b, a) differ by more than rounding "
                        "(DF_CHECK): %s", of_call ? "df_region.op of df_call" : (const char *)key,
                        of_call ? "set .ordered of the df_operator" : "declare it by DF_ORDERED_REDUCTION");
            return;
        }
        if (none == key) return;
    }
}

static int dfi_check_operator(const void *key) { return (uintptr_t)key - (uintptr_t)dfi_keys >= dfi_key_end; }

/* Checks the operator with that key before it combines n elements at `from` into those at `into`. */
static void dfi_check_commutes(void (*combine)(void *, const void *, size_t), const void *key, size_t size,
                               const char *into, const char *from, size_t n)
{
    char *memory = dfi_check_operator(key) && n ? dfi_wide_malloc(4 * size) : NULL;
    unsigned char *m = (unsigned char *)memory;
    size_t i;
    int differ = 0;
    if (!m) return;
    memset(m, 0, size), memset(m + size, 0xff, size);
    combine(m, NULL, 1), combine(m + size, NULL, 1);
    for (i = 0; i < n && i < DFI_CHECK_ELEMENTS && !differ; i++, into += size, from += size) {
        memcpy(m + 2 * size, into, size), memcpy(m + 3 * size, from, size);
        combine(m + 2 * size, from, 1), combine(m + 3 * size, into, 1);
        differ = dfi_results_differ(m + 2 * size, m + 3 * size, m, m + size, size);
    }
    dfi_wide_free(memory);
    if (differ) dfi_check_commutes_say(key, key == (const void *)(uintptr_t)combine);
}
#endif

#endif
