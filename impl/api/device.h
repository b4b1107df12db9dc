/* device.h - the shape of a launch, and the properties of a device, >>devices */
#ifndef DFI_API_DEVICE_H
#define DFI_API_DEVICE_H

#include "../base/compiler.h"

/* The work-items of a launch: made by df_grid, df_grid1, df_grid2, df_grid3. */
typedef struct df_ndrange {
    long n[3];    /* work-items in each dimension; 1 in those that are not used */
    int group[3]; /* work-items of a group in each dimension; 0: df decides */
} df_ndrange;

/* Properties of a device; filled by df_gpu_info. */
typedef struct df_gpu_device {
    char name[128];             /* as the driver tells it */
    char kind[16];              /* "CUDA", "OpenCL", "simulated", "host" */
    size_t memory;              /* bytes df uses of it at most; 0: no limit of its own (the host) */
    int units;                  /* multiprocessors, compute units, workers */
    int max_group;              /* work-items per group */
    int max_group_dim[3];       /* work-items per group in each dimension */
    long max_groups[3];         /* groups in each dimension */
    size_t max_shared;          /* bytes of df_shared per group */
    int registers;              /* 32-bit registers per group; 0: not known */
    int warp;                   /* items that run in step; 1: not known */
    int has_double;             /* 1: kernels may compute with double */
} df_gpu_device;

#endif
