/* dfi_stream.h - what the code of a task with stream parameters touches, in both builds */
#ifndef DFI_STREAM_H
#define DFI_STREAM_H

#define DFI_STREAM 0x10000u /* in dfi_type.modes: has parameters that are windows of streams */

struct df_stream;
struct df_opts;

/* One stream parameter as f_submit was given it. */
struct dfi_ask {
    struct df_stream *const *streams; /* n of them; NULL: one, `stream` */
    struct df_stream *stream;
    long long horizon, burst, n;
    size_t size;                      /* of an element */
    unsigned arg;                     /* offset of the body's pointer in the argument record */
    int writes;
    const char *title;                /* the parameter's name */
};

DFI_INLINE void dfi_ask_one(struct dfi_ask *y, unsigned arg, const char *title, int writes, size_t size, struct df_stream *s,
                            long long horizon, long long burst)
{
    y->streams = NULL, y->stream = s, y->n = 1;
    y->horizon = horizon, y->burst = burst;
    y->size = size, y->arg = arg, y->writes = writes, y->title = title;
}

DFI_INLINE void dfi_ask_pop(struct dfi_ask *y, unsigned arg, const char *title, int writes, size_t size, struct df_stream *s,
                            long long burst)
{
    dfi_ask_one(y, arg, title, writes, size, s, burst, burst);
}

DFI_INLINE void dfi_ask_some(struct dfi_ask *y, unsigned arg, const char *title, int writes, size_t size,
                             struct df_stream *const *s, long long burst, long long n)
{
    dfi_ask_one(y, arg, title, writes, size, NULL, burst, burst);
    y->streams = s, y->n = n;
}

DFI_EXTERN_C_BEGIN
#if defined(DF_SERIAL)
DFI_API void dfi_stream_submit(const struct df_opts *opts, const char *site, const struct dfi_type *type, void *args,
                               struct dfi_access *x, unsigned n, struct dfi_ask *y, unsigned m);
#else
DFI_API void dfi_stream_submit(const struct dfi_type *type, void *args, struct dfi_access *x, unsigned n,
                               struct dfi_ask *y, unsigned m);
#endif
DFI_EXTERN_C_END

#endif
