/* alignment_avx.c - unit/alignment.c with the instructions of AVX2, which trap where memory is not aligned */
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#elif defined(__x86_64__) && defined(__GNUC__)
#pragma GCC target("avx2")
#endif
#define MAIN alignment
int alignment(void);
#include "../unit/alignment.c"
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif

int main(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (!__builtin_cpu_supports("avx2")) return 0;
#endif
    return alignment();
}
