/* speculate.h - records of df_speculate and df_speculate_while on the stack, in both builds */
#ifndef DFI_API_SPECULATE_H
#define DFI_API_SPECULATE_H

#include "../base/compiler.h"

struct dfi_guess;
struct dfi_scope;

struct dfi_speculation {
    const void *p;                 /* the condition: an integer of `bytes` bytes */
    size_t bytes;
    int guess, loop;               /* 0 or 1 */
    int begun, open;
    const char *site;
    /* parallel build: */
    struct dfi_scope *scope;       /* NULL: no memory for a scope, so tasks run immediately on the calling thread */
    struct dfi_guess *outer;       /* the predicate that was open when the block began, or NULL */
    struct dfi_guess *first, *last; /* the predicates of this block, oldest first; the earlier ones are resolved */
    struct dfi_guess *unknown;     /* the oldest predicate that may be unresolved */
    int count;                     /* number of predicates from `unknown` on */
};

DFI_INLINE struct dfi_speculation dfi_speculation_of(const void *p, size_t bytes, int guess, int loop, const char *site)
{
    struct dfi_speculation b;
    memset((void *)&b, 0, sizeof b);
    b.p = p, b.bytes = bytes, b.guess = guess, b.loop = loop, b.open = 1;
    b.site = site;
    return b;
}

DFI_EXTERN_C_BEGIN
/* Nonzero: execute the block, or its next turn. Zero: the block has ended. */
DFI_API int dfi_speculate_next(struct dfi_speculation *b);
/* Ends the block, however it was left. */
DFI_API void dfi_speculate_end(struct dfi_speculation *b);
DFI_EXTERN_C_END

/* 1 if the integer of `bytes` bytes at p is not 0, else 0. */
DFI_UNUSED DFI_UNCHECKED static int dfi_condition(const void *p, size_t bytes)
{
    const unsigned char *byte = (const unsigned char *)p;
    while (bytes--)
        if (*byte++) return 1;
    return 0;
}

/* `% 2` compiles for integers only; the operand of sizeof is not evaluated */
#define DFI_CONDITION(p) ((p) + 0 * sizeof(*(p) % 2))
#if DFI_GNU
#define DFI_AT_END_OF_SPECULATION __attribute__((cleanup(dfi_speculate_end)))
#else
#define DFI_AT_END_OF_SPECULATION
#endif
#define DFI_SPECULATE(cond, guess, loop)                                                                      \
    for (DFI_AT_END_OF_SPECULATION struct dfi_speculation DFI_CAT(dfi_b_, __LINE__) =                         \
             dfi_speculation_of(DFI_CONDITION(cond), sizeof *(cond), (guess) != 0, (loop), DFI_SITE);         \
         dfi_speculate_next(&DFI_CAT(dfi_b_, __LINE__));)

#endif
