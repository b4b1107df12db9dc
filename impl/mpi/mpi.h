/* mpi.h - df_mpi.h: start, waits, and values for all ranks */
#ifndef DFI_MPI_MPI_H
#define DFI_MPI_MPI_H

#include "../base/compiler.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/config.h"
#include "../api/error.h"
#include "../api/ranks.h"
#include "../api/shared.h"
#include "../api/wait.h"
#include "../flow/region.h"
#include "message.h"
#include "place.h"
#include "shared.h"
#include "state.h"

#include <stdlib.h>

DFI_SMALL_CODE_BEGIN

/* --- start and end ------------------------------------------------------------------------------------------- */

static void dfi_mpi_exit(void)
{
    int over;
    MPI_Finalized(&over);
    if (!over) MPI_Finalize();
}

/* MPI_Finalize deletes this attribute first: df ends before MPI. */
static int dfi_mpi_finalizes(MPI_Comm comm, int key, void *value, void *more)
{
    (void)comm, (void)key, (void)value, (void)more;
    df_stop();
    return MPI_SUCCESS;
}

static df_result dfi_mpi_wrong(df_result r, const char *what)
{
    dfi_error("df_mpi_start: %s", what);
    return r;
}

/* MPI is initialised as df needs it. */
static df_result dfi_mpi_initialise(void)
{
    int is, level, key;
    MPI_Finalized(&is);
    if (is) return dfi_mpi_wrong(DF_ERROR_MPI, "MPI_Finalize was called: MPI cannot be used any more");
    MPI_Initialized(&is);
    if (is) MPI_Query_thread(&level);
    else MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    if (level < MPI_THREAD_SERIALIZED)
        return dfi_mpi_wrong(DF_ERROR_MPI, is ? "MPI was initialised with less than MPI_THREAD_SERIALIZED: ask "
                                                "MPI_Init_thread for that, or leave it to df_mpi_start"
                                              : "this MPI has no MPI_THREAD_SERIALIZED: several threads cannot use it");
    if (!is) atexit(dfi_mpi_exit);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, dfi_mpi_finalizes, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    return DF_OK;
}

/* The communicator and the addresses, which stay the same. */
static df_result dfi_mpi_begin(MPI_Comm comm)
{
    int found, *tags;
    const df_result r = dfi_mpi_initialise();
    if (r != DF_OK) return r;
    MPI_Comm_dup(comm, &dfi_mpi.comm);
    MPI_Comm_rank(dfi_mpi.comm, &dfi_mpi.rank), MPI_Comm_size(dfi_mpi.comm, &dfi_mpi.ranks);
    dfi_mpi.fake = (int)dfi_env_number("DF_MPI_FAKE", 2, 1 << 20, 0, "a number of ranks from 2 to 1048576");
    if (dfi_mpi.fake) dfi_mpi.rank = dfi_mpi.fake / 2, dfi_mpi.ranks = dfi_mpi.fake;
    MPI_Comm_get_attr(dfi_mpi.comm, MPI_TAG_UB, (void *)&tags, &found);
    dfi_mpi.tags = found && *tags < INT_MAX ? *tags + 1 : 32768;
    dfi_mpi.bytes = (size_t *)dfi_zeroed((size_t)dfi_mpi.ranks * sizeof(size_t));
    dfi_mpi.sent = (unsigned *)dfi_zeroed((size_t)dfi_mpi.ranks * sizeof(unsigned));
    dfi_mpi.received = (unsigned *)dfi_zeroed((size_t)dfi_mpi.ranks * sizeof(unsigned));
    if (!dfi_mpi.bytes || !dfi_mpi.sent || !dfi_mpi.received) dfi_mpi_ends("memory for counts of messages is lacking");
    if (!dfi_room_reserve())
        return dfi_mpi_wrong(DF_ERROR_MEMORY, "the ranks have no large range of addresses in common: is there a limit "
                                              "of virtual memory (ulimit -v)?");
    return DF_OK;
}

DFI_EXTERN_C_BEGIN
DFI_API df_result df_mpi_start(MPI_Comm comm, const df_config *config)
{
    df_config c;
    df_result r;
    if (dfi_mpi.comm == MPI_COMM_NULL && (r = dfi_mpi_begin(comm)) != DF_OK) {
        dfi_mpi.comm = MPI_COMM_NULL; /* the next call begins again */
        return r;
    }
    if (config) memcpy((void *)&c, (const void *)config, sizeof c);
    else c = *DF_CONFIG(.workers = 0);
    if (dfi_mpi.ranks > 1 && !dfi_mpi.fake) {
        if (c.idle) return dfi_mpi_wrong(DF_ERROR_ARGUMENT, "df_config.idle is set, and df_mpi.h needs it");
        c.idle = dfi_mpi_idle;
    }
    if ((r = df_start(&c)) == DF_ERROR_STARTED)
        return dfi_mpi_wrong(r, "df runs already: it comes before every other construct");
    if (r == DF_OK && dfi_mpi.ranks > 1 && !dfi_ranks_begin(dfi_mpi.fake ? &dfi_mpi_hook_fake : &dfi_mpi_hook))
        r = DF_ERROR_MEMORY;
    return r;
}
DFI_API int df_rank(void) { return dfi_mpi.rank; }
DFI_API int df_ranks(void) { return dfi_mpi.ranks; }

/* --- places and values --------------------------------------------------------------------------------------- */

DFI_API int df_home(const void *p)
{
    const struct dfi_shared *a = dfi_shared_find((uintptr_t)p);
    const int home = a ? a->tile[dfi_tile_of(a, (uintptr_t)p, 1, 1, 0)].home : (int)DFI_EACH_RANK;
    return home == DFI_EACH_RANK ? dfi_mpi.rank : home;
}
DFI_EXTERN_C_END

/* A task that reads memory and writes nothing runs in each rank: the values come to it. */
static void dfi_mpi_fetched(void *arg, void *const *p) { (void)arg, (void)p; }

DFI_EXTERN_C_BEGIN
DFI_API void dfi_fetch(const void *p, size_t bytes, const char *site)
{
    df_region r;
    (void)site;
    r = df_region_of((const char *)p, bytes);
    if (dfi_mpi.ranks > 1 && dfi_shared_find((uintptr_t)p) &&
        df_call(DF_OPTS(.name = "df_fetch"), dfi_mpi_fetched, NULL, 0, &r, 1) != DF_OK)
        dfi_mpi_ends("memory for a call of df_fetch is lacking");
    df_wait_on(p, bytes);
}

DFI_API df_result dfi_mpi_wait(const char *site)
{
    int mine[2], all[2];
    (void)site;
    mine[0] = (int)df_wait_result();
    if (dfi_mpi.fake) dfi_mpi_report_fake();
    if (dfi_mpi.ranks == 1 || dfi_mpi.fake) return (df_result)mine[0];
    /* the first rank with an error that is not only that of another one */
    mine[1] = dfi_mpi.rank + (mine[0] == DF_OK ? 2 : mine[0] == DF_ERROR_CANCELLED) * dfi_mpi.ranks;
    dfi_os_hold(&dfi_requests.lock);
    MPI_Allreduce(&mine[1], &all[1], 1, MPI_INT, MPI_MIN, dfi_mpi.comm);
    all[0] = mine[0];
    if (all[1] < 2 * dfi_mpi.ranks) MPI_Bcast(all, 1, MPI_INT, all[1] % dfi_mpi.ranks, dfi_mpi.comm);
    dfi_os_let_go(&dfi_requests.lock);
    return (df_result)all[0];
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
