/* dist.h - the types and functions of df_gpu.h, >>distribution */
#ifndef DFI_API_DIST_H
#define DFI_API_DIST_H

#include "../base/compiler.h"
#include "options.h"
#include "result.h"
#include "split.h"

/* The contents of a halo at the ends of the distributed range, A[0] .. A[n-1]: df_dist_dim.edge. */
enum df_edge {
    DF_EDGE_NONE,       /* never written by df */
    DF_EDGE_PERIODIC,   /* left of A[0] is A[n-1], right of A[n-1] is A[0] */
    DF_EDGE_REFLECTING  /* left of A[0] is A[1], right of A[n-1] is A[n-2] */
};
enum { DF_LEFT = 7, DF_RIGHT = 7 << 3 };
#define DF_DIM(k) (9 << (k))

/* One dimension of an array. */
typedef struct df_dist_dim {
    long size;             /* elements of the array in memory */
    long offset, extent;   /* the distributed range: offset .. offset + extent - 1; extent 0: all from offset on */
    long long split;       /* DF_DUPLICATE, DF_BLOCK(n), DF_CYCLIC(n) */
    int along;             /* is divided along dimension 1, 2 or 3 of the arrangement; 0: the first one, the next
                              dimension that is divided along the next one, and so on */
    long halo[2];          /* DF_BLOCK only: further elements to the left, to the right */
    int edge[2];           /* enum df_edge, of the left halo, of the right one */
} df_dist_dim;

/* An array and its distribution. With only size, element and memory set, every device has the whole array. */
typedef struct df_dist_desc {
    void *memory;          /* the element with index 0 in all dimensions; NULL: there are only the parts */
    size_t element;        /* bytes; 0: no data, the parts are parts of a loop */
    int dims;              /* 1 to 3; 0: those before the first whose size is 0 */
    df_dist_dim dim[3];    /* the dimensions; the last one varies fastest, as in C */
    int parts[3];          /* the arrangement: number of parts in each of its dimensions; 0: chosen so that there
                              are as many parts as devices, if possible (df_dist_arrange), or 1 if nothing is
                              divided along it */
    const int *devices;    /* their numbers, DF_HOST among them if wanted; NULL: 1, 2, ... Part i is on device
                              i % n_devices of them */
    int n_devices;         /* 0: all of df_gpu_devices(). More than there are of NULL: all */
    int read_only;         /* 1: kernels only read the parts: those with the same elements share memory */
    int blocks;            /* 1: kernels declare parts as blocks of extent[0] rows (see df_part.data): then parts that
                              are blocks of the array lie in the array itself */
} df_dist_desc;
#if defined(__cplusplus)
#define DF_DIST(...) (dfi_options_at(df_dist_desc{ __VA_ARGS__ })) /* nested designators: C++20 */
#else
#define DF_DIST(...) (&(df_dist_desc){ __VA_ARGS__ })
#endif

/* A part. In dimensions the array does not have, lo is 0 and count and extent are 1. */
typedef struct df_part {
    int index;             /* 0 .. df_dist_parts(d) - 1, the last dimension of the arrangement fastest */
    int coord[3];          /* its place in the arrangement */
    int device;            /* for df_opts.device */
    void *data;            /* its elements, with halos; kernels declare all of them: df_in(T, p, elements), or,
                              equal unless .blocks is set, df_in2(T, p, rows, cols, ld) with extent[0],
                              extent[1] * extent[2], stride[0] */
    size_t elements;       /* extent[0] * extent[1] * extent[2] */
    long extent[3];        /* with halos */
    long stride[3];        /* from one element to the next, in elements */
    long first[3];         /* local index of the first element that is no halo */
    long count[3];         /* elements that are no halo */
    long lo[3];            /* array index of the first of them. Local index first + i is array index
                              lo + i / chunk * step + i % chunk, which is lo + i unless the dimension is DF_CYCLIC */
    long chunk[3], step[3]; /* see lo: elements that are neighbours in the array, and the distance to the next such */
} df_part;

typedef struct df_dist df_dist;
#define df_dist_new(...) dfi_dist_new(DFI_SITE, __VA_ARGS__)
#define df_dist_scatter(d)        dfi_dist_scatter((d), DFI_SITE)
#define df_dist_gather(d)         dfi_dist_gather((d), DFI_SITE)
#define df_halo_update(d, which)  dfi_halo_update((d), (which), DFI_SITE)
#define df_halo_exchange(d)       dfi_halo_update((d), DF_LEFT | DF_RIGHT, DFI_SITE)
#define DF_FOR_PARTS(p, d) for (const df_part *p = df_dist_next((d), NULL); p; p = df_dist_next((d), p))

DFI_EXTERN_C_BEGIN
DFI_API df_dist *dfi_dist_new(const char *site, const df_dist_desc *desc);
DFI_API df_result dfi_dist_scatter(df_dist *d, const char *site);
DFI_API df_result dfi_dist_gather(df_dist *d, const char *site);
DFI_API df_result dfi_halo_update(df_dist *d, int which, const char *site);
DFI_API void df_dist_free(df_dist *d);
DFI_API int df_dist_parts(const df_dist *d);
DFI_API const df_part *df_dist_part(const df_dist *d, int index);
DFI_API const df_part *df_dist_next(const df_dist *d, const df_part *p);
DFI_API long df_dist_range(const df_part *p, int dim, long lo, long hi, long *from, long *to);
DFI_API long df_dist_global(const df_part *p, int dim, long local);
DFI_API long df_dist_local(const df_part *p, int dim, long global);
DFI_API int df_dist_arrange(int n, int dims, int *parts);
DFI_EXTERN_C_END

#endif
