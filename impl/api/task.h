/* task.h - task types, access modes and the node interface of declared tasks, in both builds */
#ifndef DFI_API_TASK_H
#define DFI_API_TASK_H

#include "../base/compiler.h"

/* One per declared task: the function that runs it from its argument record, and the layout of its future. */
struct dfi_type {
    void (*run)(void *args, void *result); /* result may be NULL: it is discarded */
    const char *name;
    size_t args_at, result_at;             /* offsets inside name_future */
    size_t args_bytes;
    unsigned modes;                        /* union of the access modes of all parameters, and the flags of a task */
    const char *access_names;              /* names of the parameters that are accesses, in their order, each followed
                                              by a space */
};

/* The inputs of a node. */
struct dfi_inputs {
    int n;
    const char *names;                     /* each followed by a space */
    const size_t *at;                      /* their offsets in the argument record */
};

/* The access modes, in dfi_type.modes and dfi_access.mode. Tasks that access a region in the same shared mode need not
 * be ordered among themselves. */
enum {
    DFI_IN = 1, DFI_OUT = 2, DFI_INOUT = 3, DFI_WRITES = 2,
    DFI_COMMUTE = 4 | DFI_INOUT, DFI_CONCURRENT = 8 | DFI_INOUT, DFI_REDUCE = 16 | DFI_INOUT,
    DFI_CHILDREN = 32,     /* weak: declared for the children only */
    DFI_RANGE = 64,        /* given as two pointers, adjacent in the argument record */
    DFI_ORDERED = 128,     /* a reduction whose contributions are combined in the order of submission */
    DFI_LIMIT = 256,       /* units of a semaphore, and no region */
    DFI_WIDE = 512,        /* a reduction of elements that are aligned to more than 16 bytes */
    DFI_SHARED = 4 | 8 | 16,
    DFI_ONE_REGION = 4 | 16, /* shared modes whose tasks have something in common, for one region exactly */
    DFI_ASKING = DFI_SHARED | DFI_CHILDREN | DFI_LIMIT /* upper floors are told of the submission */
};
/* The flags of a task: the other bits of dfi_type.modes. */
#define DFI_LAUNCH    1024u       /* it goes to a device (df_gpu.h) */
#define DFI_UNLISTED  2048u       /* internal to df, not in the graph of DF_GRAPH */
#define DFI_ALWAYS    4096u       /* internal to df: it runs even if its predecessors were skipped */
#define DFI_UNCOUNTED 8192u       /* part of a wavefront, not counted in df_counters */
#define DFI_HELD      16384u      /* its record has a pointer to an object of C++ (value.h) */
#define DFI_HELD_ONCE 32768u      /* and the object cannot be copied */
#define DFI_INTERNAL  0x80000000u /* internal to df, neither counted nor cancelled */

/* Offsets of the built-in operators in dfi_keys. */
enum {
    dfi_key_df_sum = 0, dfi_key_df_prod = 64, dfi_key_df_band = 128, dfi_key_df_bor = 192, dfi_key_df_bxor = 256,
    dfi_key_df_land = 320, dfi_key_df_lor = 384, dfi_key_df_min = 448, dfi_key_df_max = 512, dfi_key_end = 576
};

struct df_opts;
struct df_region;
struct dfi_access;
struct dfi_task;
DFI_EXTERN_C_BEGIN
extern DFI_API char dfi_keys[dfi_key_end]; /* only its addresses are used */
/* Sets *x to the largest (or smallest) value of a scalar type: kind 0 unsigned, 1 signed, 2 floating, 3 bool. */
DFI_API void dfi_limit(void *x, size_t bytes, int kind, int largest);
DFI_API int dfi_regions(struct df_region *list, int n, const struct dfi_access *x, unsigned n_x); /* df_accesses */
/* Called before a task with a DFI_LIMIT is created. */
DFI_API void dfi_limits_begin(void);
DFI_API struct dfi_task *dfi_node_new(const struct dfi_type *type, const struct dfi_inputs *inputs, const char *site);
DFI_API void *dfi_node_external(void *n);
DFI_API void *dfi_node_input(struct dfi_task *t, int input, const char *site); /* argument record; NULL: do not set */
DFI_API void dfi_node_given(struct dfi_task *t);
DFI_EXTERN_C_END

#endif
