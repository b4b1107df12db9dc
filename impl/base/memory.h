/* memory.h - memory allocation */
#ifndef DFI_BASE_MEMORY_H
#define DFI_BASE_MEMORY_H

#include "compiler.h"
#include "held.h"

#include <stdlib.h>

/* A program may replace these in the implementation file. */
#ifndef DF_MALLOC
#define DF_MALLOC(bytes) malloc(bytes)
#define DF_FREE(p) free(p)
#define DFI_ZEROED(bytes) calloc(1, bytes) /* pages that are never written stay unmapped */
#define DFI_MALLOC_GUEST(begins) ((void)0)
#else
#define DFI_MALLOC_GUEST(begins) dfi_guest(begins)
#endif

DFI_UNUSED static void *dfi_malloc(size_t bytes)
{
    void *p;
    DFI_MALLOC_GUEST(1);
    p = DF_MALLOC(bytes);
    DFI_MALLOC_GUEST(0);
    return p;
}
DFI_UNUSED static void dfi_mfree(void *p)
{
    DFI_MALLOC_GUEST(1);
    DF_FREE(p);
    DFI_MALLOC_GUEST(0);
}
DFI_UNUSED static void *dfi_zeroed(size_t bytes)
{
#if defined(DFI_ZEROED)
    return DFI_ZEROED(bytes);
#else
    void *p = dfi_malloc(bytes);
    return p ? memset(p, 0, bytes) : NULL;
#endif
}

DFI_SMALL_CODE_BEGIN
/* dfi_array_room of an array that is too small. */
DFI_UNUSED static int dfi_array_enlarge(void *array, const void *few, size_t n, size_t *room, size_t bytes)
{
    size_t more = *room ? *room : 4;
    void *old, *p;
    if (n > SIZE_MAX / 2 / bytes) return -1;
    while (more < n) more *= 2;
    if (!(p = dfi_malloc(more * bytes))) return -1;
    memcpy((void *)&old, array, sizeof old);
    if (*room) memcpy(p, old, *room * bytes);
    if (old != few) dfi_mfree(old);
    memcpy(array, (void *)&p, sizeof p);
    *room = more;
    return 0;
}
DFI_SMALL_CODE_END

/* Makes room for n elements in an array in malloced memory. array: the address of its pointer; few: where the array is
 * at first, in other memory, or NULL; *room: the number of elements that fit. 0, or -1 without memory: nothing
 * changed. */
DFI_INLINE int dfi_array_room(void *array, const void *few, size_t n, size_t *room, size_t bytes)
{
    return n > *room ? dfi_array_enlarge(array, few, n, room, bytes) : 0;
}

/* The same; new elements are zero. */
DFI_UNUSED static int dfi_array_room_zeroed(void *array, size_t n, size_t *room, size_t bytes)
{
    size_t before = *room;
    void *p;
    if (dfi_array_room(array, NULL, n, room, bytes)) return -1;
    memcpy((void *)&p, array, sizeof p);
    if (*room > before) memset((char *)p + before * bytes, 0, (*room - before) * bytes);
    return 0;
}

/* Rounds p up to a multiple of 64, which suits any type, vectors included. */
DFI_UNUSED static char *dfi_align(void *p) { return (char *)p + (0 - (uintptr_t)p) % DFI_ELEMENT_ALIGN; }

/* Memory at a multiple of 64, or NULL. The address of the whole is in front of it. */
DFI_UNUSED static char *dfi_wide_malloc(size_t bytes)
{
    void *whole = bytes < SIZE_MAX / 2 ? dfi_malloc(bytes + sizeof whole + DFI_ELEMENT_ALIGN) : NULL;
    char *p = whole ? dfi_align((char *)whole + sizeof whole) : NULL;
    if (p) memcpy(p - sizeof whole, (void *)&whole, sizeof whole);
    return p;
}
DFI_UNUSED static void dfi_wide_free(char *p)
{
    void *whole;
    memcpy((void *)&whole, p - sizeof whole, sizeof whole);
    dfi_mfree(whole);
}

#endif
