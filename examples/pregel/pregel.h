/* Computations on graphs, each written as a function of one vertex: a small Pregel.
 *
 * They consist of supersteps. In each of them a vertex receives the messages that were sent to it in the last one,
 * changes its own value, and sends messages. It may halt; a message wakes it. The computation ends when all vertices
 * have halted and no message is under way. In the first superstep all are awake.
 *
 * A file that includes this may hold several such programs. For each it defines
 *
 *     PREGEL_NAME             the names below begin with it, here NAME; if it is not defined, they begin with `pregel`
 *     PREGEL_VALUE            type of the value of a vertex
 *     PREGEL_MESSAGE          type of a message
 *     PREGEL_COMBINE(a, b)    one message for two to the same vertex. In any order and grouping: it must give exactly
 *                             the same, so for sums use integers
 *     PREGEL_NONE             a message that changes nothing when it is combined; a vertex receives it if there is no
 *                             other
 *     PREGEL_SUMS             number of sums over all vertices, of int64_t; 0 if it is not defined
 * includes this file, which undefines them, and defines
 *
 *     static void NAME_compute(NAME_vertex *v, PREGEL_MESSAGE m) { ... NAME_send(v, to, message); ... }
 *
 * and calls NAME_run. It may also define
 *
 *     PREGEL_LIST             instead of PREGEL_COMBINE and PREGEL_NONE: a vertex receives each message. The function
 *                             is NAME_compute(NAME_vertex *v, PREGEL_MESSAGE *m, long n), and m[0] .. m[n-1] are the
 *                             messages in no particular order. It may change and sort them: the order depends on how
 *                             tasks run, and a result that is always the same must not depend on it.
 *     PREGEL_TOTAL            a type: a total over all vertices, besides the sums. v->total is that of the last
 *                             superstep, *v->add_total is to be added to
 *     PREGEL_TOTAL_ADD        its operator, a function void add(PREGEL_TOTAL *into, const PREGEL_TOTAL *from):
 *                             associative and commutative
 *     PREGEL_TOTAL_NONE       its identity, an initialiser: { 0, INT32_MAX }
 *     PREGEL_CHANGES          the program changes the graph: see pregel/changes.h
 *
 * Vertices are divided into parts; one task computes all vertices of a part in a superstep, and puts its messages to
 * another part into a box. There are two ways to get the boxes to the tasks that read them.
 *
 * By dataflow: the boxes are a matrix. The task of a part reads a column, from all parts, and writes a row, to all, of
 * another matrix. That is all df has to know to order tasks of different supersteps: those of the next one are
 * submitted before it is known whether there has to be one. But every task has a box from every other, most of them
 * empty if there are many parts.
 *
 * By sharing: each part has a list of boxes with something in it. The writer of a box adds it in an atomic block, and
 * by that adds the part to the list of parts with work. No task reads an empty box, and parts that one worker visits
 * one after the other write to the same boxes.
 *
 * Source: Malewicz et al., Pregel: a system for large-scale graph processing, SIGMOD 2010; TERAFLUX D3.5, 2.3. */
#ifndef PREGEL_H
#define PREGEL_H

#include "../../df.h"
#include "../../df_stm.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct { int parts, by_sharing; } pregel_way;   /* parts: at least 1, at most PREGEL_PARTS; else by dataflow */
typedef struct { long supersteps; int64_t messages; } pregel_effort;   /* messages: and changes to the graph */
enum { PREGEL_PARTS = 1024 };
enum { PREGEL_SMALL = 2048 };   /* letters and vertices in a superstep, some 10 us; fewer are not divided */
enum { PREGEL_NO_VERTEX = 1 };  /* an error: a change or a message names a vertex that cannot exist */

enum { PREGEL_REMOVE_EDGES, PREGEL_REMOVE_VERTICES, PREGEL_ADD_VERTICES, PREGEL_ADD_EDGES };   /* in this order */

#define PREGEL_CAT(a, b)  PREGEL_CAT_(a, b)
#define PREGEL_CAT_(a, b) a##_##b

#endif

#ifdef PREGEL_VALUE   /* else a file that uses the programs of others */

#include "names.h"
#include "part.h"
#ifdef PREGEL_CHANGES
#include "changes.h"
#endif
#include "ways.h"
#include "run.h"
#include "names_end.h"

#endif
