/* copy.h - copies to, from, within and between devices of CUDA
 *
 * The driver transfers host memory asynchronously only if it is pinned. Pageable memory goes through a pinned staging
 * buffer in pieces: while one piece is transferred, the processor copies the next one; a block of a matrix lies packed
 * in a piece. A copy to a device waits only if all pieces are in use. A copy from a device waits for the data. */
#ifndef DFI_GPU_CUDA_COPY_H
#define DFI_GPU_CUDA_COPY_H

#include "../../base/atomic.h"
#include "../../api/result.h"
#include "api.h"
#include "queue.h"
#include "../driver.h"

#if defined(DF_USE_CUDA)

enum {
    /* 1 MiB travels in 20 to 80 us on PCIe 5 to 3; to put a copy into a stream and to record an event takes about 5.
     * Smaller pieces would not travel at the full rate, with larger ones the first and the last take longer, which
     * nothing overlaps, and do not stay in the processor's cache. */
    DFI_CUDA_PIECE = 1 << 20,
    DFI_CUDA_SMALL = 64 << 10,   /* up to this size cuMemcpyHtoDAsync takes the data along, says the CUDA manual */
    DFI_CUDA_ALIGN = 64          /* of what is put into a piece: a cache line */
};

/* --- one copy -------------------------------------------------------------------------------------- */

static struct dfi_cuda_end dfi_cuda_host(const void *p, size_t pitch)
{
    struct dfi_cuda_end e = { 0, 0, DFI_CUDA_MEMORY_HOST, NULL, 0, NULL, 0 };
    memcpy((void *)&e.host, (const void *)&p, sizeof p); /* the member of the source is const in cuda.h */
    e.pitch = pitch;
    return e;
}
static struct dfi_cuda_end dfi_cuda_memory(dfi_memory m, size_t pitch)
{
    struct dfi_cuda_end e = { 0, 0, DFI_CUDA_MEMORY_DEVICE, NULL, 0, NULL, 0 };
    e.device = m, e.pitch = pitch;
    return e;
}

/* A copy that is not strided. *call: the function, for the text of an error. */
static int dfi_cuda_line(const struct dfi_cuda_end *to, const struct dfi_cuda_end *from, size_t at_to,
                         size_t at_from, size_t bytes, void *stream, const char **call)
{
    if (to->type == DFI_CUDA_MEMORY_HOST) {
        *call = "cuMemcpyDtoHAsync";
        return dfi_cuda.cu.copy_out((void *)((char *)to->host + at_to), from->device + at_from, bytes, stream);
    }
    if (from->type == DFI_CUDA_MEMORY_HOST) {
        *call = "cuMemcpyHtoDAsync";
        return dfi_cuda.cu.copy_in(to->device + at_to, (const void *)((char *)from->host + at_from), bytes, stream);
    }
    *call = "cuMemcpyDtoDAsync";
    return dfi_cuda.cu.copy_on(to->device + at_to, from->device + at_from, bytes, stream);
}

/* Puts one copy into queue q and counts it. The driver's code; *call: the function. pre: entered. */
static int dfi_cuda_put(struct dfi_gpu *d, int q, void *stream, const struct dfi_cuda_end *to,
                        const struct dfi_cuda_end *from, size_t row, size_t rows, const char **call)
{
    size_t most = dfi_cuda_of(d)->max_pitch, i;
    int code = 0;
    if (rows == 1 || (to->pitch == row && from->pitch == row))
        code = dfi_cuda_line(to, from, 0, 0, row * rows, stream, call);
    else if (to->pitch <= most && from->pitch <= most) {
        struct dfi_cuda_box box;
        box.from = *from, box.to = *to, box.width = row, box.height = rows;
        *call = "cuMemcpy2DAsync";
        code = dfi_cuda.cu.copy_box(&box, stream);
    } else
        for (i = 0; i < rows && !code; i++)
            code = dfi_cuda_line(to, from, i * to->pitch, i * from->pitch, row, stream, call);
    dfi_cuda_counted(d, q); /* also if it failed: some of the rows may be under way */
    return code;
}

static df_result dfi_cuda_copy(struct dfi_gpu *d, int q, void *stream, struct dfi_cuda_end to,
                               struct dfi_cuda_end from, size_t row, size_t rows)
{
    const char *call = NULL;
    int code = dfi_cuda_put(d, q, stream, &to, &from, row, rows, &call);
    return dfi_cuda_check(d, call, code);
}

/* As one row, if the rows lie close together on both sides. 0: there is nothing to copy. */
static int dfi_cuda_normal(struct dfi_box *b)
{
    if (b->rows > 1 && b->ld == b->row && b->pitch == b->row) b->row *= b->rows, b->rows = 1;
    if (b->rows <= 1) b->ld = b->pitch = b->row;
    return b->row && b->rows;
}

/* Does the driver know the memory as pinned? Its first and last byte are looked at. pre: entered. */
static int dfi_cuda_is_pinned(const void *p, const struct dfi_box *b)
{
    uintptr_t end[2];
    int i, type;
    end[0] = (uintptr_t)p, end[1] = (uintptr_t)p + (b->rows - 1) * b->ld + b->row - 1;
    for (i = 0; i < 2; i++) {
        type = 0;
        if (dfi_cuda.cu.pointer_attribute((void *)&type, DFI_CUDA_POINTER_MEMORY_TYPE, end[i]) ||
            type != DFI_CUDA_MEMORY_HOST) return 0;
    }
    return 1;
}

/* --- through pinned memory --------------------------------------------------------------------------- */

/* The parts of a box that go through it: some rows, or a part of a row, each at most one piece. */
struct dfi_cuda_part { size_t row, rows, at_host, at_device; };
struct dfi_cuda_walk { struct dfi_box box; size_t y, x; };
static int dfi_cuda_next(struct dfi_cuda_walk *w, struct dfi_cuda_part *part)
{
    const struct dfi_box *b = &w->box;
    if (w->y == b->rows) return 0;
    part->at_host = w->y * b->ld + w->x, part->at_device = w->y * b->pitch + w->x;
    if (b->row > DFI_CUDA_PIECE) {
        part->rows = 1;
        part->row = b->row - w->x < DFI_CUDA_PIECE ? b->row - w->x : (size_t)DFI_CUDA_PIECE;
        if ((w->x += part->row) == b->row) w->x = 0, w->y++;
    } else {
        part->row = b->row;
        part->rows = DFI_CUDA_PIECE / b->row;
        if (part->rows > b->rows - w->y) part->rows = b->rows - w->y;
        w->y += part->rows;
    }
    return 1;
}

static void dfi_cuda_rows(char *to, const char *from, size_t row, size_t rows, size_t to_pitch, size_t from_pitch)
{
    if (to_pitch == row && from_pitch == row) row *= rows, rows = 1;
    for (; rows; rows--, to += to_pitch, from += from_pitch) memcpy((void *)to, (const void *)from, row);
}

/* Is there pinned memory for queue q? If not, the driver copies pageable memory in its own way. pre: entered. */
static int dfi_cuda_has_stage(struct dfi_gpu *d, int q)
{
    struct dfi_cuda_stage *s = &dfi_cuda_of(d)->queue[q].stage;
    void *p = NULL;
    if (s->memory || s->refused) return s->memory != NULL;
    if (dfi_cuda.cu.host_alloc(&p, (size_t)DFI_CUDA_PIECES * DFI_CUDA_PIECE, DFI_CUDA_HOST_PORTABLE)) s->refused = 1;
    s->memory = (char *)p;
    return p != NULL;
}

/* Room for `bytes` bytes: behind what the piece in use has already, or in the next one, when that has travelled.
 * pre: entered; bytes <= DFI_CUDA_PIECE. */
static df_result dfi_cuda_room(struct dfi_gpu *d, int q, size_t bytes, char **room)
{
    struct dfi_cuda_stage *s = &dfi_cuda_of(d)->queue[q].stage;
    df_result r = DF_OK;
    if (s->used + bytes > DFI_CUDA_PIECE) {
        r = dfi_cuda_mark(d, q); /* a later wait for this piece then does not wait for the next ones */
        s->now = (s->now + 1) % DFI_CUDA_PIECES, s->used = 0;
        if (!r) r = dfi_cuda_reach(d, q, s->last[s->now]);
    }
    *room = s->memory + (size_t)s->now * DFI_CUDA_PIECE + s->used;
    s->used += (bytes + DFI_CUDA_ALIGN - 1) / DFI_CUDA_ALIGN * DFI_CUDA_ALIGN;
    return r;
}

static df_result dfi_cuda_staged_in(struct dfi_gpu *d, int q, void *stream, dfi_memory to, const char *from,
                                    const struct dfi_box *b)
{
    struct dfi_cuda_stage *s = &dfi_cuda_of(d)->queue[q].stage;
    struct dfi_cuda_walk w = { *b, 0, 0 };
    struct dfi_cuda_part part;
    char *room;
    df_result r = DF_OK;
    while (!r && dfi_cuda_next(&w, &part)) {
        if ((r = dfi_cuda_room(d, q, part.row * part.rows, &room)) != DF_OK) break;
        dfi_cuda_rows(room, from + part.at_host, part.row, part.rows, part.row, b->ld);
        r = dfi_cuda_copy(d, q, stream, dfi_cuda_memory(to + part.at_device, b->pitch),
                          dfi_cuda_host((void *)room, part.row), part.row, part.rows);
        s->last[s->now] = dfi_load_relaxed(&d->issued[q]);
    }
    return r;
}

/* Some pieces are under way while the oldest of them is waited for and copied to where it belongs. */
static df_result dfi_cuda_staged_out(struct dfi_gpu *d, int q, void *stream, char *to, dfi_memory from,
                                     const struct dfi_box *b)
{
    struct dfi_cuda_stage *s = &dfi_cuda_of(d)->queue[q].stage;
    struct dfi_cuda_walk w = { *b, 0, 0 };
    struct { struct dfi_cuda_part part; char *room; uintptr_t point; } way[DFI_CUDA_PIECES];
    unsigned n = 0, first = 0, more = 1;
    df_result r = DF_OK;
    while (!r && (more || n)) {
        if (more && n < DFI_CUDA_PIECES) {
            unsigned i = (first + n) % DFI_CUDA_PIECES;
            struct dfi_cuda_part *part = &way[i].part;
            if (!dfi_cuda_next(&w, part)) { more = 0; continue; }
            s->used = DFI_CUDA_PIECE; /* a piece each: */
            if ((r = dfi_cuda_room(d, q, part->row * part->rows, &way[i].room)) != DF_OK) break;
            r = dfi_cuda_copy(d, q, stream, dfi_cuda_host((void *)way[i].room, part->row),
                              dfi_cuda_memory(from + part->at_device, b->pitch), part->row, part->rows);
            s->last[s->now] = way[i].point = dfi_load_relaxed(&d->issued[q]);
            n++;
        } else {
            struct dfi_cuda_part *part = &way[first].part;
            if ((r = dfi_cuda_reach(d, q, way[first].point)) != DF_OK) break;
            dfi_cuda_rows(to + part->at_host, way[first].room, part->row, part->rows, b->ld, part->row);
            first = (first + 1) % DFI_CUDA_PIECES, n--;
        }
    }
    return r;
}

/* --- functions of the driver ------------------------------------------------------------------------- */

/* `host` is copied to or from `memory`. */
static df_result dfi_cuda_copy_host(struct dfi_gpu *d, int q, int in, void *host, dfi_memory memory,
                                    const struct dfi_box *box)
{
    struct dfi_box b = *box;
    struct dfi_cuda_end here, there;
    const char *call = NULL;
    void *stream;
    df_result r;
    int direct, code = 0;
    if (!dfi_cuda_normal(&b)) return DF_OK;
    if ((r = dfi_cuda_enter_queue(d, q, &stream)) != DF_OK) return r;
    here = dfi_cuda_host(host, b.ld), there = dfi_cuda_memory(memory, b.pitch);
    direct = (in && b.rows == 1 && b.row <= DFI_CUDA_SMALL) || dfi_cuda_is_pinned(host, &b) ||
        !dfi_cuda_has_stage(d, q);
    if (direct) code = dfi_cuda_put(d, q, stream, in ? &there : &here, in ? &here : &there, b.row, b.rows, &call);
    /* an invalid value: the memory is pinned in several parts, or not everywhere between its ends */
    if (direct && (code != DFI_CUDA_INVALID_VALUE || !dfi_cuda_has_stage(d, q))) r = dfi_cuda_check(d, call, code);
    else if (in) r = dfi_cuda_staged_in(d, q, stream, memory, (const char *)host, &b);
    else r = dfi_cuda_staged_out(d, q, stream, (char *)host, memory, &b);
    dfi_cuda_leave();
    return r;
}

static df_result dfi_cuda_copy_in(struct dfi_gpu *d, int q, dfi_memory to, const void *from, const struct dfi_box *b)
{
    return dfi_cuda_copy_host(d, q, 1, dfi_cuda_host(from, 0).host, to, b);
}
static df_result dfi_cuda_copy_out(struct dfi_gpu *d, int q, void *to, dfi_memory from, const struct dfi_box *b)
{
    return dfi_cuda_copy_host(d, q, 0, to, from, b);
}

static df_result dfi_cuda_copy_on(struct dfi_gpu *d, int q, dfi_memory to, dfi_memory from, const struct dfi_box *box)
{
    struct dfi_box b = *box;
    void *stream;
    df_result r;
    if (!dfi_cuda_normal(&b)) return DF_OK;
    if ((r = dfi_cuda_enter_queue(d, q, &stream)) != DF_OK) return r;
    r = dfi_cuda_copy(d, q, stream, dfi_cuda_memory(to, b.pitch), dfi_cuda_memory(from, b.ld), b.row, b.rows);
    dfi_cuda_leave();
    return r;
}

/* From device e to device d. Where they cannot reach each other's memory the driver goes through the host by itself. */
static df_result dfi_cuda_copy_peer(struct dfi_gpu *d, int q, dfi_memory to, struct dfi_gpu *e, dfi_memory from,
                                    size_t bytes)
{
    struct dfi_cuda_device *u = dfi_cuda_of(d), *other = dfi_cuda_of(e);
    void *stream;
    df_result r;
    int can = 0;
    if (!bytes) return DF_OK;
    if (dfi_cuda_enter_queue(d, q, &stream) != DF_OK) return DF_ERROR_DEVICE;
    /* the word alone matters */
    if (e->index >= 0 && e->index < DFI_CUDA_KNOWN && !dfi_exchange_acq_rel(&u->peer[e->index], 1) &&
        !dfi_cuda.cu.can_access_peer(&can, u->device, other->device) && can)
        (void)dfi_cuda.cu.enable_peer(other->context, 0); /* others may have enabled it; without it, it is slower */
    r = dfi_cuda_check(d, "cuMemcpyPeerAsync",
                       dfi_cuda.cu.copy_peer(to, u->context, from, other->context, bytes, stream));
    dfi_cuda_counted(d, q);
    dfi_cuda_leave();
    return r ? DF_ERROR_DEVICE : DF_OK;
}

#endif

#endif
