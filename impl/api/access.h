/* access.h - declared accesses of a task, as f_submit passes them to the runtime */
#ifndef DFI_API_ACCESS_H
#define DFI_API_ACCESS_H

#include "../base/compiler.h"

/* One declared access of a task: its mode, and a region of `rows` rows of `row` bytes each, `ld` bytes apart. */
struct dfi_access {
    const void *p;
    size_t row, rows, ld;
    unsigned mode;
    unsigned arg;                  /* offset of p in the argument record */
    /* DFI_REDUCE: combines n elements of `from` into `into`; if from is NULL, sets `into` to the identity */
    void (*combine)(void *into, const void *from, size_t n);
    size_t size;                   /* bytes of an element */
    const void *key;               /* reductions with equal keys may run concurrently on the same region */
};
enum { DFI_PARAMETERS = 16 };             /* largest number of parameters of a task */
#define DFI_NO_ARG (~0u)                 /* the address is in no argument record, so it cannot be replaced */

#define DFI_NO_BYTES (~(size_t)0) /* an impossible size */

/* Bytes of n elements; DFI_NO_BYTES on overflow. Cost: a compare with a constant. */
DFI_INLINE size_t dfi_bytes(unsigned long long n, size_t size)
{
    return size && n > DFI_NO_BYTES / size ? DFI_NO_BYTES : (size_t)n * size;
}

/* The same for a count that may be negative, which gives DFI_NO_BYTES. */
DFI_INLINE size_t dfi_count_bytes(long long n, size_t size)
{
    return n < 0 ? DFI_NO_BYTES : dfi_bytes((unsigned long long)n, size);
}

DFI_INLINE void dfi_access_array(struct dfi_access *x, unsigned mode, unsigned arg, const void *p, size_t bytes)
{
    x->p = p, x->row = bytes, x->rows = 1, x->ld = 0, x->mode = mode, x->arg = arg;
}

DFI_INLINE void dfi_access_block(struct dfi_access *x, unsigned mode, unsigned arg, const void *p, size_t rows,
                                 size_t row, size_t ld)
{
    x->p = p, x->row = row, x->rows = rows, x->ld = ld, x->mode = mode, x->arg = arg;
}

DFI_INLINE void dfi_access_reduce(struct dfi_access *x, const void *key,
                                  void (*combine)(void *, const void *, size_t), size_t size)
{
    x->key = key, x->combine = combine, x->size = size;
}

#endif
