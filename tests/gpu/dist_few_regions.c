/* dist_few_regions.c - dist.c where most copies have too many regions to declare one by one (gpu/dist/box.h) */
#define DFI_NEST_REGIONS 1
#include "dist.c"
