/* points.h - points, kinds of bodies and kinds of waits of optional features of tasks (work/probe.h, work/types.h) */
#ifndef DFI_MORE_POINTS_H
#define DFI_MORE_POINTS_H

#include "../work/probe.h"
#include "../work/types.h"
#include "../api/token.h"

struct dfi_stream;

enum {
    DFI_AT_TILE = DFI_AT_UPPER, DFI_AT_TOKEN, DFI_AT_SIGNAL, DFI_AT_NODE, DFI_AT_INPUT, DFI_AT_STREAM, DFI_AT_STUCK
};

/* t, a tile of a wavefront, is being submitted. */
DFI_FAST void dfi_at_tile(struct dfi_worker *w, const struct dfi_flow *t) { dfi_at(w, DFI_AT_TILE, t, NULL, 0); }
/* A token is made, or opens; code of the program signals it. w may be NULL, as in all that follow. */
DFI_FAST void dfi_at_token(struct dfi_worker *w, const df_token *t) { dfi_at(w, DFI_AT_TOKEN, t, NULL, 0); }
DFI_FAST void dfi_at_signal(struct dfi_worker *w, const df_token *t) { dfi_at(w, DFI_AT_SIGNAL, t, NULL, 0); }
/* A node is being made; it gets an input. */
DFI_FAST void dfi_at_node(struct dfi_worker *w, const struct dfi_flow *t) { dfi_at(w, DFI_AT_NODE, t, NULL, 0); }
DFI_FAST void dfi_at_input(struct dfi_worker *w, const struct dfi_flow *t, unsigned input)
{
    dfi_at(w, DFI_AT_INPUT, t, NULL, input);
}
/* A stream is being made. */
DFI_FAST void dfi_at_stream(const struct dfi_stream *s) { dfi_at(NULL, DFI_AT_STREAM, s, NULL, 0); }
/* There was no progress for so many milliseconds: waiting tasks are about to be given up. */
DFI_FAST void dfi_at_stuck(struct dfi_worker *w, uint64_t ms) { dfi_at(w, DFI_AT_STUCK, NULL, NULL, ms); }

/* Without a task. LOOP: part of a loop, ORDERED: with its iterations in order; STAGE: a stage of a pipe. */
enum { DFI_RAN_LOOP = DFI_RAN_UPPER, DFI_RAN_STAGE = 2 * DFI_RAN_UPPER, DFI_RAN_ORDERED = 4 * DFI_RAN_UPPER };

enum {
    DFI_WAIT_TOKEN = DFI_WAIT_UPPER, /* on: a token */
    DFI_WAIT_CONDITION               /* for the condition of a block that has begun before it is known */
};

#endif
