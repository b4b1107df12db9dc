/* ranks.h - the interface between df.h and df_mpi.h: a program whose tasks run in several processes, its ranks
 *
 * Each rank submits all tasks, and asks for each of them whether it runs in this rank. Children of a task belong to the
 * rank of the task. */
#ifndef DFI_API_RANKS_H
#define DFI_API_RANKS_H

#include "../base/compiler.h"
#include "token.h"

#include <stddef.h>

struct dfi_access;
struct dfi_ranks {
    /* Code outside of tasks submits a task of that name with these accesses, and that df_opts.rank. Nonzero: it runs in
     * this rank. May submit tasks that precede it. */
    int (*here)(const char *name, const struct dfi_access *x, unsigned n, ptrdiff_t rank);
};
/* A token, and the place of a task in its list. In memory that exists as long as the task. */
struct dfi_until {
    df_token token;
    void *edge[2];
};
DFI_EXTERN_C_BEGIN
/* From now on the code of the calling thread asks, if it is in no task; until df_stop. Zero: it is in a task or a
 * block, or memory is lacking. */
DFI_API int dfi_ranks_begin(const struct dfi_ranks *r);
/* The running task, whose body is about to end, is done when u->token is open. Zero: it has no record, and the body
 * has to wait for the token. pre: it was submitted with a priority */
DFI_API int dfi_done_later(struct dfi_until *u);
DFI_EXTERN_C_END

#endif
