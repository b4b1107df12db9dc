/* stream.h - requests of a task to its streams, in both builds */
#ifndef DFI_API_STREAM_H
#define DFI_API_STREAM_H

#include "../base/compiler.h"
#include "access.h"
#include "task.h"

#include "element.h"

#define DFI_WINDOWED 0x10000u /* in dfi_type.modes: the task has parameters that are windows of streams */

struct df_opts;

/* The request of one stream parameter, made of the arguments of f_submit. */
struct dfi_ask {
    const struct dfi_element *element; /* the constant properties of the parameter */
    const void *streams;              /* an array of n streams; NULL: one stream, `stream` */
    struct df_stream *stream;
    long long horizon, burst, n;      /* elements, elements, streams */
};

DFI_INLINE void dfi_ask_one(struct dfi_ask *y, const struct dfi_element *e, struct df_stream *s, long long horizon,
                            long long burst)
{
    y->element = e;
    y->streams = NULL, y->stream = s, y->n = 1;
    y->horizon = horizon, y->burst = burst;
}

DFI_INLINE void dfi_ask_some(struct dfi_ask *y, const struct dfi_element *e, const void *s, long long burst,
                             long long n)
{
    dfi_ask_one(y, e, NULL, burst, burst);
    y->streams = s, y->n = n;
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_stream_submit(const struct dfi_type *type, void *args, struct dfi_access *x, unsigned n,
                               struct dfi_ask *y, unsigned m);
DFI_EXTERN_C_END

#endif
