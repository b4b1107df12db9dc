/* sized.h - structures of the public interface that grow, and whose first field is their size
 *
 * A program and libdf.so may be of different versions. Fields that the program does not know have their default, and
 * those that libdf.so does not know must have it, as in clone3 of Linux. New fields come last. There must be no padding
 * at the end, because a program does not set padding, and a new field could begin there. */
#ifndef DFI_BASE_SIZED_H
#define DFI_BASE_SIZED_H

#include "compiler.h"

#include <stddef.h>
#include <string.h>

enum { DFI_SIZED_MOST = 65536 }; /* a larger size is no size */

/* Copies *from, a structure of another version, to *to of `bytes` bytes; of_0_9: its size in 0.9. Nonzero: *from has a
 * field that is unknown here and not 0, or no size at all. */
DFI_UNUSED static int dfi_sized_copy(void *to, size_t bytes, const void *from, size_t of_0_9)
{
    size_t size = *(const size_t *)from, i;
    if (!size) size = of_0_9;
    if (size < of_0_9 || size > (size_t)DFI_SIZED_MOST) return -1;
    memset(to, 0, bytes);
    memcpy(to, from, size < bytes ? size : bytes);
    for (i = bytes; i < size; i++)
        if (((const char *)from)[i]) return -1;
    return 0;
}

#endif
