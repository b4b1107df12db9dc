/* shared.h - the types and functions of df_mpi.h, >>start and >>shared */
#ifndef DFI_API_SHARED_H
#define DFI_API_SHARED_H

#include "config.h"
#include "options.h"
#include "result.h"
#include "split.h"
#include "../base/compiler.h"

/* One dimension of an array. */
typedef struct df_shared_dim {
    long size;             /* elements */
    long tile;             /* elements of a tile; default: those of .split, or all */
    long long split;       /* which ranks are the homes of the tiles: DF_BLOCK(n), DF_CYCLIC(n), or DF_DUPLICATE, the
                              default: the dimension is not divided among ranks */
} df_shared_dim;

/* An array and its division into tiles, each of which has a home, a rank. */
typedef struct df_shared_desc {
    df_shared_dim dim[3];  /* the dimensions, up to the first of size 0; the last one varies fastest, as in C */
    int parts[3];          /* the arrangement of the ranks: how many lie along each dimension, as far as it is divided;
                              0: chosen, as equal as can be */
    int (*home)(const long *tile, void *home_arg); /* the home of tile tile[0], tile[1], tile[2], in place of the
                              arrangement: 0 .. df_ranks() - 1, in each rank the same */
    void *home_arg;        /* its last argument */
} df_shared_desc;

#if defined(__cplusplus)
#define DFI_SHARED_DESC(...) (dfi_options_at(df_shared_desc{ __VA_ARGS__ })) /* nested designators: C++20 */
#else
#define DFI_SHARED_DESC(...) (&(df_shared_desc){ __VA_ARGS__ })
#endif
#define df_shared_alloc(T, ...) ((T *)dfi_shared_alloc(sizeof(T), DFI_SITE, DFI_SHARED_DESC(__VA_ARGS__)))
#define df_fetch(p, bytes)      dfi_fetch((p), (bytes), DFI_SITE)
#define df_mpi_wait()           dfi_mpi_wait(DFI_SITE)

/* df_opts.rank. DF_RANK(r) is negative, so that a number without it is found. */
#define DF_RANK(r) (-1 - (r))
enum { DF_EACH_RANK = -0x7fffffff };

DFI_EXTERN_C_BEGIN
DFI_API int df_rank(void);
DFI_API int df_ranks(void);
DFI_API int df_home(const void *p);
DFI_API void *dfi_shared_alloc(size_t element, const char *site, const df_shared_desc *desc);
DFI_API void dfi_fetch(const void *p, size_t bytes, const char *site);
DFI_API df_result dfi_mpi_wait(const char *site);
DFI_EXTERN_C_END

#endif
