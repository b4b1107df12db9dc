/* shared.h - arrays over ranks: their memory, which has the same addresses in each rank */
#ifndef DFI_MPI_SHARED_H
#define DFI_MPI_SHARED_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/pages.h"
#include "../api/shared.h"
#include "shape.h"
#include "state.h"

DFI_SMALL_CODE_BEGIN

/* --- addresses --------------------------------------------------------------------------------------------- */

/* An array has the same address in each rank. So all ranks reserve the same addresses, once. */
static const struct { uint64_t at, bytes; } dfi_rooms[] = {
#if DFI_TSAN
    { 0x7e9000000000u, (uint64_t)256 << 30 }, /* what ThreadSanitizer takes for memory of the program */
#endif
    { 0x200000000000u, (uint64_t)16 << 40 }, { 0x300000000000u, (uint64_t)1 << 40 },
    { 0x100000000000u, (uint64_t)1 << 40 },  { 0x6000000000u, (uint64_t)64 << 30 }, /* pointers of 39 bits */
    { 0x2000000000u, (uint64_t)64 << 30 },   { 0x50000000u, (uint64_t)256 << 20 }   /* pointers of 32 bits */
};

/* All ranks call this. Zero: they found no addresses. */
static int dfi_room_reserve(void)
{
    unsigned i;
    for (i = 0; i < sizeof dfi_rooms / sizeof *dfi_rooms; i++) {
        int mine, all;
        char *at = (char *)(uintptr_t)dfi_rooms[i].at;
        size_t bytes = (size_t)dfi_rooms[i].bytes;
        mine = (uintptr_t)at == dfi_rooms[i].at && bytes == dfi_rooms[i].bytes && dfi_os_reserve(at, bytes);
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, dfi_mpi.comm);
        if (all) {
            dfi_mpi.room = at, dfi_mpi.room_end = at + bytes;
            return 1;
        }
        if (mine) dfi_os_pages_free(at, bytes);
    }
    return 0;
}

/* Zeroed memory at an address that is the same in each rank. NULL: none is left. */
static char *dfi_room_take(size_t bytes)
{
    char *at = dfi_mpi.room;
    const size_t left = (size_t)(dfi_mpi.room_end - at), pages = 2 * (size_t)dfi_os_page();
    if (left < pages || bytes > left - pages) return NULL;
    bytes = (size_t)dfi_os_page_up(bytes);
    if (!dfi_os_pages_at(at, bytes)) return NULL;
    dfi_mpi.room = at + bytes + dfi_os_page(); /* a page that faults */
    return at;
}

/* --- arrays ------------------------------------------------------------------------------------------------ */

DFI_FAST struct dfi_shared *dfi_shared_find(uintptr_t p)
{
    struct dfi_shared *a = dfi_mpi.hit;
    if (DFI_LIKELY(a && p - a->base < a->end - a->base)) return a;
    for (a = dfi_mpi.arrays; a; a = a->next)
        if (p - a->base < a->end - a->base) return dfi_mpi.hit = a;
    return NULL;
}

DFI_EXTERN_C_BEGIN
DFI_API void *dfi_shared_alloc(size_t element, const char *site, const df_shared_desc *d)
{
    struct dfi_shared *a = (struct dfi_shared *)dfi_zeroed(sizeof *a);
    const char *wrong = dfi_mpi.comm == MPI_COMM_NULL ? "df_mpi_start comes first"
                        : a ? dfi_shared_make(a, element, d, dfi_mpi.ranks) : "memory is lacking";
    if (!wrong && !(a->base = (uintptr_t)dfi_room_take(dfi_shared_size(a))))
        wrong = "memory is lacking, or addresses that all ranks have";
    if (!wrong) {
        a->end = a->base + dfi_shared_size(a);
        a->next = dfi_mpi.arrays, dfi_mpi.arrays = a;
        return (void *)a->base;
    }
    dfi_error(DFI_MESSAGE_SHARED, site, wrong);
    if (a) dfi_mfree((void *)a->tile);
    dfi_mfree((void *)a);
    return NULL;
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
