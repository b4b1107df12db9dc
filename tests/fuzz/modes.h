/* modes.h - random tasks with every access mode: their plans, their parts of boxes, and the tokens that order them
 *
 * Before it includes this file, a program includes boxes.h, and defines TOKENS, SIGNALS, the styles READ, UPDATE, SUM,
 * ATOMIC and KEY, accumulate(), and numbers for the boxes of a scope, which end with FROM. After it, it defines struct
 * scope and box_of(). */
#ifndef TESTS_FUZZ_MODES_H
#define TESTS_FUZZ_MODES_H

#include "boxes.h"

enum mode { INOUT, OUT, COMMUTE, CONCURRENT, REDUCE };

struct plan {
    uint64_t seed;
    int kind, depth, children;  /* children: below it, in all */
    struct box a, b, c;
    const cell *notes;          /* of the token it waits for */
    cell *note;                 /* for the token it signals */
    df_token *signal;           /* by itself */
};

/* An operator whose order is not that of the numbers. */
static void key_combine(cell *into, const cell *from) { *into = accumulate(KEY, *into, *from); }
static void key_identity(cell *x) { *x = 0; }
DF_REDUCTION(largest_key, cell, key_combine, key_identity);

/* --- boxes of children -------------------------------------------------------------------------------------------- */

struct scope;
static struct box box_of(const struct scope *m, int i);

/* One of the boxes of m that is not empty, number `first` or later. */
static int pick(uint64_t *seed, const struct scope *m, int first)
{
    int i = first + test_below(seed, FROM - first), k;
    for (k = first; k < FROM && box_of(m, i).rows == 0; k++) i = i == FROM - 1 ? first : i + 1;
    return i;
}

/* y, part of a box with the style `parent`, for a child that accesses it with `mode`, and with `style` if it is free to
 * choose; or nothing. */
static struct box with_style(struct box y, int parent, enum mode mode, int style, int is_flat)
{
    if (is_flat && y.rows > 1) y.rows = 1;
    if (parent == UPDATE) y.style = style;
    else if (mode == INOUT || mode == COMMUTE) y.style = parent;
    else if (mode == CONCURRENT && (parent == SUM || parent == ATOMIC)) y.style = ATOMIC;
    else if (mode == REDUCE && parent == style) y.style = parent;
    else return nothing;
    return parent == READ ? nothing : y;
}

/* --- tokens ------------------------------------------------------------------------------------------------------- */

/* The tokens of a scope. A task that waits for one reads the notes of the tasks that signal it. */
struct promises {
    struct tokens { df_token token[TOKENS]; cell note[TOKENS][SIGNALS]; } *tokens; /* NULL: none */
    int needs[TOKENS], promised[TOKENS]; /* signals; those of tasks submitted so far */
};

/* Closes all tokens. */
static void tokens_begin(struct promises *p, uint64_t *seed)
{
    int i;
    for (i = 0; i < TOKENS; i++) {
        p->needs[i] = 1 + test_below(seed, SIGNALS), p->promised[i] = 0;
        if (!p->tokens) continue;
        df_token_init(&p->tokens->token[i], p->needs[i]);
        memset(p->tokens->note[i], 0, sizeof p->tokens->note[i]);
    }
}

/* True if all signals of token i come from tasks that have been submitted. */
static int promised(const struct promises *p, int i) { return p->tokens && p->promised[i] == p->needs[i]; }

/* Lets the task t, if p is not NULL, wait for the token `after` and signal the token `signals`, as far as it can.
 * itself: its body calls df_signal. The lists in o are those of l. */
struct links { df_token *after[2], *signals[2]; };
static void link_tokens(struct links *l, struct promises *p, struct plan *t, df_opts *o, int after, int signals,
                        int itself)
{
    memset(l, 0, sizeof *l);
    t->notes = NULL, t->note = NULL, t->signal = NULL;
    if (p && promised(p, after)) {
        l->after[0] = &p->tokens->token[after];
        t->notes = p->tokens->note[after];
        o->after = l->after;
    }
    if (p && p->tokens && p->promised[signals] < p->needs[signals]) {
        t->note = &p->tokens->note[signals][p->promised[signals]++];
        if (itself) t->signal = &p->tokens->token[signals];
        else l->signals[0] = &p->tokens->token[signals], o->signals = l->signals;
    }
}

#endif
