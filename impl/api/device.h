/* device.h - the shape of a launch, and the properties of a device */
#ifndef DFI_API_DEVICE_H
#define DFI_API_DEVICE_H

#include "../base/compiler.h"

/* The work-items of a launch: how many in each dimension, and how many of them form a group. */
typedef struct df_ndrange {
    long n[3];
    int group[3]; /* 0: df decides */
} df_ndrange;

/* Properties of a device. */
typedef struct df_gpu_device {
    char name[128];
    char kind[16];              /* "CUDA", "OpenCL", "simulated", "host" */
    size_t memory;              /* bytes df uses of it at most; 0: no limit of its own (the host) */
    int units;                  /* multiprocessors, compute units, workers */
    int max_group;              /* work-items per group */
    int max_group_dim[3];
    long max_groups[3];
    size_t max_shared;          /* bytes of df_shared per group */
    int registers;              /* 32-bit registers per group; 0: not known */
    int warp;                   /* items that run in step; 1: not known */
    int has_double;
} df_gpu_device;

#endif
