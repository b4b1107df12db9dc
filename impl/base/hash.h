/* hash.h - a hash of bytes, a pseudo-random sequence, the magnitude of a number */
#ifndef DFI_BASE_HASH_H
#define DFI_BASE_HASH_H

#include "compiler.h"

#define DFI_HASH_BEGIN 0xCBF29CE484222325u
/* FNV-1a of n more bytes. */
DFI_UNUSED static uint64_t dfi_hash(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t i;
    for (i = 0; i < n; i++) h = (h ^ b[i]) * 0x100000001B3u;
    return h;
}

/* The next number of a linear congruential sequence (Numerical Recipes): its upper bits look random, its lower ones do
 * not. */
DFI_INLINE uint32_t dfi_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

/* The number of the highest bit of x. pre: x > 0 */
DFI_INLINE unsigned dfi_high_bit(size_t x)
{
#if DFI_GNU
    return 63u - (unsigned)__builtin_clzll(x);
#else
    unsigned bit = 0;
    while (x >>= 1) bit++;
    return bit;
#endif
}

#endif
