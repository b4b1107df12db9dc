/* driver.h - the interface of a device driver: memory, queues, copies, kernels
 *
 * A device has memory and queues. Operations of one queue run in order; operations of different queues run
 * concurrently, unless one queue is told to wait for a point of another. No function waits for the device but
 * `sync`, and copies from or to host memory that the driver cannot transfer asynchronously.
 *
 * Threads: one at a time per queue, concurrently with other queues of the device (`wait` is an operation of the queue
 * that waits); alloc, free and build: one at a time per device. `sync` and `reached`: any thread, at any time.
 * DFI_Q_OUT is used only by the device's own thread.
 * Results: DF_OK or an error code; dfi_gpu_error of the calling thread then has the text.
 * An operation may also fail later, while it runs. The operations behind it in its queue then fail with it, and those
 * that were told to wait for it, on other devices too: so a copy to the host that succeeded contains nothing that comes
 * from a failure. */
#ifndef DFI_GPU_DRIVER_H
#define DFI_GPU_DRIVER_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "../api/device.h"
#include "../api/kernel.h"
#include "../api/result.h"

#include <stdio.h>
#include <stdlib.h>

DFI_UNUSED static const struct dfi_os_mutex dfi_mutex_free = DFI_OS_MUTEX_INIT;

enum { DFI_Q_IN, DFI_Q_OUT, DFI_Q_RUN, DFI_RUN_QUEUES = 4, DFI_QUEUES = DFI_Q_RUN + DFI_RUN_QUEUES };

/* Memory of a device: an address for CUDA and the simulation, a cl_mem for OpenCL. 0 is none. */
typedef uintptr_t dfi_memory;

/* `rows` rows of `row` bytes; the host's are ld bytes apart, the device's pitch. One row: ld and pitch mean nothing. */
struct dfi_box { size_t row, rows, ld, pitch; };

/* One argument of a launch, in the order of the parameters: where its value lies. A pointer's value is a dfi_memory. */
struct dfi_arg { const void *p; size_t bytes; int is_memory; };

/* A compiled kernel, or why there is none. */
struct dfi_built {
    struct dfi_built *next, *all; /* of the kernel; of all kernels (gpu/launch/launch.h) */
    int device;                  /* index in the table of devices */
    int block[3];                /* compiled for this size of group; 0: for any */
    df_result result;            /* DF_ERROR_KERNEL: the driver's log was said */
    void *handle;                /* the driver's, which frees it when the device is closed */
    /* limits of this kernel on this device, as the driver tells */
    int max_group, registers;    /* registers: per item; 0: not known */
    size_t shared, spilled;      /* bytes of shared memory per group; of registers in memory, per item */
};

struct dfi_gpu {
    df_gpu_device info;
    const struct dfi_gpu_driver *driver;
    int index;                   /* in the table of devices */
    void *own;                   /* the driver's record */
    /* operations put into each queue so far, a call may be several: the driver counts */
    DFI_ATOMIC(uintptr_t) issued[DFI_QUEUES];
};
/* the last error of this thread: the driver's function and the name of the error */
static DFI_TLS char dfi_gpu_error[240];

/* room for the output of a compiler: its first errors. What follows is left out, and the text says so. */
enum { DFI_COMPILER_LOG = 8192 };

/* Copies the output of a compiler into a log of `room` bytes. */
DFI_UNUSED static void dfi_compiler_log(char *log, size_t room, const char *text, size_t bytes)
{
    const char *end = (const char *)memchr(text, 0, bytes);
    if (end) bytes = (size_t)(end - text);
    if (bytes < room) snprintf(log, room, "%.*s", (int)bytes, text);
    else snprintf(log, room, "%.*s\n(%lu bytes in all; the rest is left out)", (int)(room - 80), text,
                  (unsigned long)bytes);
}

struct dfi_gpu_driver {
    const char *kind;            /* "CUDA" */
    /* Loads the library; the number of devices, 0 without. Called once. */
    int (*count)(void);
    /* Fills d->info and d->own. Device i of count. */
    df_result (*open)(struct dfi_gpu *d, int i);
    void (*close)(struct dfi_gpu *d); /* everything in the queues is done */
    /* Bytes of the device's memory that are free, to begin with. */
    dfi_memory (*alloc)(struct dfi_gpu *d, size_t bytes); /* 0: there is none */
    void (*free)(struct dfi_gpu *d, dfi_memory m);        /* all that uses it is done */
    /* Copies. The host's side of copy_in may be changed as soon as it returns only if `sync` says so for its point. */
    df_result (*copy_in)(struct dfi_gpu *d, int q, dfi_memory to, const void *from, const struct dfi_box *b);
    df_result (*copy_out)(struct dfi_gpu *d, int q, void *to, dfi_memory from, const struct dfi_box *b);
    /* Within the device; b->ld is the pitch of `from`. */
    df_result (*copy_on)(struct dfi_gpu *d, int q, dfi_memory to, dfi_memory from, const struct dfi_box *b);
    /* From another device of this driver, in queue q of d; NULL, or DF_ERROR_DEVICE: through the host. Same pitch. */
    df_result (*copy_peer)(struct dfi_gpu *d, int q, dfi_memory to, struct dfi_gpu *from_device, dfi_memory from,
                           size_t bytes);
    /* Later operations of queue q of d wait for operation number `point` of queue p of e (the same driver). */
    df_result (*wait)(struct dfi_gpu *d, int q, struct dfi_gpu *e, int p, uintptr_t point);
    /* Is that operation done? Yes if the device failed. */
    int (*reached)(struct dfi_gpu *d, int q, uintptr_t point);
    /* Until it is. An error if that operation failed, or anything of the device: now and whenever it is asked again. */
    df_result (*sync)(struct dfi_gpu *d, int q, uintptr_t point);
    /* Makes the queue start its operations. */
    void (*flush)(struct dfi_gpu *d, int q);
    /* b->device and b->block are set: fills the rest of *b. log: where the compiler's words go, NUL-terminated. */
    df_result (*build)(struct dfi_gpu *d, struct dfi_kernel *k, struct dfi_built *b, char *log, size_t log_bytes);
    /* groups[i] groups of group[i] items in dimension i; all within the limits. */
    df_result (*launch)(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b, const int *groups,
                        const int *group, const struct dfi_arg *args, int n_args);
    /* What a function of the host needs to put work into queue q by the driver's own interface: a CUstream, a
     * cl_command_queue; NULL: there is nothing of the kind. Then what it did is over, and counts as one operation.
     * Both are called by the thread that calls the function. */
    void *(*native)(struct dfi_gpu *d, int q);
    void (*native_end)(struct dfi_gpu *d, int q);
    /* Is p an address of a device's memory, which the host cannot read? NULL: the driver cannot tell. Any thread. */
    int (*is_device_memory)(struct dfi_gpu *d, const void *p);
};

/* A number with K, M or G behind it; *end is where it stops. 0: there is none, or it is less than 1 or more than 2
 * to the 63rd. */
DFI_UNUSED static double dfi_number_of(const char *text, const char **end)
{
    char *stop;
    double n = strtod(text, &stop);
    int shift = *stop == 'K' || *stop == 'k' ? 10 : *stop == 'M' || *stop == 'm' ? 20 : *stop == 'G' ||
        *stop == 'g' ? 30 : 0;
    *end = stop + (shift != 0);
    n *= (double)((uint32_t)1 << shift);
    return stop == text || !(n >= 1) || n > 9223372036854775808.0 ? 0 : n;
}

/* The same as a number of bytes that memory can have. */
DFI_UNUSED static size_t dfi_bytes_of(const char *text, const char **end)
{
    double n = dfi_number_of(text, end);
    return n > (double)(SIZE_MAX / 2) ? 0 : (size_t)n;
}

#endif
