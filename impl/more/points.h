/* points.h - points, kinds of bodies and kinds of waits of optional features of tasks (work/probe.h, work/types.h) */
#ifndef DFI_MORE_POINTS_H
#define DFI_MORE_POINTS_H

#include "../work/probe.h"
#include "../work/types.h"

enum {
    DFI_AT_TILE = DFI_AT_UPPER,      /* on: a tile of a wavefront, which is being submitted */
    DFI_AT_TOKEN,     /* on: a token that is made or opens */
    DFI_AT_SIGNAL,    /* on: a token that code of the program signals; w may be NULL */
    DFI_AT_NODE,      /* on: a node that is being made */
    DFI_AT_INPUT,     /* on: a node that gets its input a; w may be NULL */
    DFI_AT_STREAM,    /* on: a stream that is being made */
    DFI_AT_STUCK      /* a: milliseconds without progress, after which waiting tasks are about to be given up */
};

/* Without a task. LOOP: part of a loop, ORDERED: with its iterations in order; STAGE: a stage of a pipe. */
enum { DFI_RAN_LOOP = DFI_RAN_UPPER, DFI_RAN_STAGE = 2 * DFI_RAN_UPPER, DFI_RAN_ORDERED = 4 * DFI_RAN_UPPER };

enum {
    DFI_WAIT_TOKEN = DFI_WAIT_UPPER, /* on: a token */
    DFI_WAIT_CONDITION               /* for the condition of a block that has begun before it is known */
};

#endif
