/* split.h - the division of a dimension of an array: over devices (dist.h), over ranks (shared.h) */
#ifndef DFI_API_SPLIT_H
#define DFI_API_SPLIT_H

#include "../base/compiler.h"

/* The division of a dimension among the parts that lie along it. The last two bits are the kind. */
enum { DFI_SPLIT_DUPLICATE, DFI_SPLIT_BLOCK, DFI_SPLIT_CYCLIC, DFI_SPLITS = 4 };
enum { DF_DUPLICATE = DFI_SPLIT_DUPLICATE };
#define DF_BLOCK(n)  ((long long)(n) * DFI_SPLITS + DFI_SPLIT_BLOCK)
#define DF_CYCLIC(n) ((long long)(n) * DFI_SPLITS + DFI_SPLIT_CYCLIC)

#endif
