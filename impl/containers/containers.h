/* containers.h - list of the files that implement df_containers.h */
#ifndef DFI_CONTAINERS_CONTAINERS_H
#define DFI_CONTAINERS_CONTAINERS_H

#include "../base/compiler.h"
#include "../api/containers.h"
#include "cell.h" /* keys and values of an element */
#include "map.h"  /* hash maps and hash sets */
#include "sorted.h" /* sorted maps and heaps */
#include "queue.h" /* queues */

DFI_EXTERN_C_BEGIN
DFI_API char DFI_CONTAINERS_NEED[1] = { 0 };
DFI_EXTERN_C_END

#endif
