/* condition.h - evaluation of the condition of a df_speculate block */
#ifndef DFI_MORE_SPECULATE_CONDITION_H
#define DFI_MORE_SPECULATE_CONDITION_H

#include "../../base/compiler.h"
#include "../../api/access.h"
#include "../../api/speculate.h"
#include "../../work/supervise.h"
#include "../../flow/region.h"

/* A function of the program reads the memory, which checks of declarations must permit: 1 or 0. */
static DFI_NOINLINE int dfi_condition_asks(const struct dfi_condition *c)
{
    struct dfi_access x;
    struct dfi_region r;
    struct dfi_extent e;
    int holds;
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, c->p, c->bytes);
    r = dfi_region_of(&x);
    dfi_own_begin(&e, &r, 1);
    holds = c->holds(c->p);
    dfi_own_end(&e);
    return holds;
}

/* 1 if c is true, else 0. pre: no task writes its memory */
DFI_FAST int dfi_condition_now(const struct dfi_condition *c)
{
    return DFI_UNLIKELY(c->holds != NULL) ? dfi_condition_asks(c) : dfi_condition_bits(c->p, c->bytes);
}

#endif
