/* Two jobs with keys, values and items of other types than those of words. */
#ifndef MAPREDUCE_TYPED_H
#define MAPREDUCE_TYPED_H

#include "../../df.h"

/* Prints their results; *right becomes 0 if they are not those of loops. Errors: DF_ERROR_MEMORY. */
df_result show_stations(int *right);
df_result show_lengths(int *right);

#endif
