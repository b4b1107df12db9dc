/* access.h - what a task declares to access, as f_submit says it */
#ifndef DFI_API_ACCESS_H
#define DFI_API_ACCESS_H

#include "../base/compiler.h"

/* One declared access of a task: `rows` rows of `row` bytes each, `ld` bytes apart. */
struct dfi_access {
    const void *p;
    size_t row, rows, ld;
    unsigned mode;
    unsigned arg;                  /* offset of p in the argument record */
    /* DFI_REDUCE: n elements of `from` into `into`, from NULL: the identity; tasks with equal keys may meet */
    void (*combine)(void *into, const void *from, size_t n);
    size_t size;                   /* of an element */
    const void *key;
};
enum { DFI_PARAMETERS = 16 };             /* of a task */
#define DFI_NO_ARG (~0u)                 /* the address must be the one given: it is in no argument record */

#define DFI_NO_BYTES (~(size_t)0) /* a size that cannot be */

/* Bytes of n elements; DFI_NO_BYTES if that is more than can be. A compare with a constant. */
DFI_INLINE size_t dfi_bytes(unsigned long long n, size_t size) { return size && n > DFI_NO_BYTES / size ? DFI_NO_BYTES : (size_t)n * size; }

DFI_INLINE void dfi_access_array(struct dfi_access *x, unsigned mode, unsigned arg, const void *p, size_t bytes)
{
    x->p = p, x->row = bytes, x->rows = 1, x->ld = 0, x->mode = mode, x->arg = arg;
}

DFI_INLINE void dfi_access_block(struct dfi_access *x, unsigned mode, unsigned arg, const void *p, size_t rows, size_t row,
                                 size_t ld)
{
    x->p = p, x->row = row, x->rows = rows, x->ld = ld, x->mode = mode, x->arg = arg;
}

DFI_INLINE void dfi_access_reduce(struct dfi_access *x, const void *key, void (*combine)(void *, const void *, size_t), size_t size)
{
    x->key = key, x->combine = combine, x->size = size;
}

#endif
