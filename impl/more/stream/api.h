/* api.h - functions of >>streams in df.h, in both builds */
#ifndef DFI_MORE_STREAM_API_H
#define DFI_MORE_STREAM_API_H

#include "../../base/compiler.h"
#include "../../work/probe.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "ring.h"
#include "type.h"
#include "../points.h"

DFI_SMALL_CODE_BEGIN

/* Releases windows that no longer wait. */
DFI_UPCALL(void, dfi_up_windows_ready, (struct dfi_window *v, int outside));

/* The number of elements of the window at address p, or -1 if p is none of these windows. */
static long long dfi_windows_find(const struct dfi_window *v, const void *p)
{
    long long most = -1;
    for (; v; v = v->of_task)
        if (v->p == p && (long long)v->count > most) most = (long long)v->count;
    return most;
}

static void dfi_reader_begin(struct df_stream *r, struct dfi_stream *c)
{
    memset((void *)r, 0, sizeof *r);
    r->stream = c;
    r->side.next = r->side.done = c->push.next;
    r->side.slot = c->push.slot;
    r->other = c->readers, c->readers = r;
    c->handles++, c->refs++;
}

/* A handle is the same address for every type. */
static struct df_stream *dfi_stream_handle(const volatile void *handle)
{
    return (struct df_stream *)(uintptr_t)handle;
}

DFI_EXTERN_C_BEGIN
DFI_API struct df_stream *dfi_stream_new(size_t bytes, size_t capacity, int code, const char *type, const char *site)
{
    size_t head = sizeof(struct dfi_stream) + DFI_STREAM_ALIGN;
    struct dfi_stream *c;
    int i;
    if (!bytes || !capacity) {
        dfi_error("%s: df_stream_new(%lu, %lu): the size of an element and the capacity must be at least 1: the call "
                  "returns NULL", site, (unsigned long)bytes, (unsigned long)capacity);
        return NULL;
    }
    if (capacity > (SIZE_MAX - head) / 2 / bytes ||
        !(c = (struct dfi_stream *)dfi_malloc(head + 2 * capacity * bytes))) {
        dfi_warn_once("out of memory: df_stream_new returns NULL; lower the capacity");
        return NULL;
    }
    memset((void *)c, 0, sizeof *c);
    c->bytes = bytes, c->capacity = capacity, c->site = site;
    if (*type) dfi_stream_set_type(c, code, type, NULL, site);
    c->ring = (char *)(c + 1);
    c->ring += (DFI_STREAM_ALIGN - (uintptr_t)c->ring % DFI_STREAM_ALIGN) % DFI_STREAM_ALIGN;
    for (i = 0; i < DFI_WINDOWS_FIRST; i++) {
        c->few[i].stream = c;
        c->few[i].next = c->free, c->free = &c->few[i];
    }
    dfi_reader_begin(&c->self, c);
    dfi_up_streams_change(1);
    dfi_at_stream(c);
    return &c->self;
}

DFI_API struct df_stream *df_stream_reader(const volatile void *handle)
{
    const struct df_stream *s = dfi_stream_handle(handle);
    struct df_stream *r = s ? (struct df_stream *)dfi_malloc(sizeof *r) : NULL;
    if (!r) {
        if (s) dfi_warn_once("out of memory: df_stream_reader returns NULL");
        return NULL;
    }
    dfi_stream_lock(s->stream);
    dfi_reader_begin(r, s->stream);
    dfi_stream_unlock(s->stream);
    return r;
}

DFI_API void df_stream_external(const volatile void *handle)
{
    const struct df_stream *s = dfi_stream_handle(handle);
    if (!s) return;
    dfi_stream_lock(s->stream);
    s->stream->external = 1;
    dfi_stream_unlock(s->stream);
}

DFI_API size_t df_stream_room(const volatile void *handle)
{
    const struct df_stream *s = dfi_stream_handle(handle);
    struct dfi_stream *c = s ? s->stream : NULL;
    size_t room = 0;
    if (!c) return 0;
    dfi_stream_lock(c);
    c->room = dfi_stream_room(c);
    if (!c->closed && c->push.next - c->room < c->capacity) room = (size_t)(c->capacity - (c->push.next - c->room));
    dfi_stream_unlock(c);
    return room;
}

DFI_API void dfi_stream_close(const volatile void *handle, const char *site)
{
    const struct df_stream *s = dfi_stream_handle(handle);
    struct dfi_after a = { NULL, NULL, NULL };
    struct dfi_stream *c = s ? s->stream : NULL;
    int twice;
    if (!c) return;
    dfi_stream_lock(c);
    twice = c->closed;
    c->closed = 1;
    if (dfi_stream_ended(c)) dfi_readers_release(c, &a);
    dfi_stream_unlock(c);
    if (twice) dfi_error("%s: df_stream_close of the stream of %s, which is closed already: no effect; close a stream "
                         "once", site, c->site);
    dfi_up_windows_ready(a.ready, 1);
}

DFI_API void df_stream_free(const volatile void *handle)
{
    struct df_stream *s = dfi_stream_handle(handle);
    struct dfi_after a = { NULL, NULL, NULL };
    struct dfi_stream *c = s ? s->stream : NULL;
    const struct dfi_window *k = NULL;
    const char *site = NULL, *name = "?";
    uint64_t left = 0;
    if (!c) return;
    dfi_stream_lock(c);
    s->freed = 1;
    if (--c->handles == 0 && c->push.next > c->covered) {
        left = c->push.next - c->covered;
        for (k = c->kept; k && k->pass <= c->covered;) k = k->next;
        if (!k)
            for (k = c->push.first; k && k->pass <= c->covered;) k = k->next;
        if (k) name = k->name;
        site = c->site;
    }
    if (!s->side.first) {
        dfi_reader_leave(s, &a);
        dfi_side_release(&c->push, &a);
        if (!c->refs) a.dead = c;
    }
    dfi_stream_unlock(c);
    dfi_after_free(&a);
    if (left) dfi_warn_once("df_stream_free drops %lu element%s of the stream of %s that no task was submitted to "
                            "read, the first pushed by task %s; submit tasks that read them, or do not push them",
                            (unsigned long)left, left == 1 ? "" : "s", site, name);
    dfi_up_windows_ready(a.ready, 1);
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
