/* A reader of int for a stream of float. */
#include "../../df.h"

df_stream_of(int) *f(df_stream_of(float) *s)
{
    return df_stream_reader_of(int, s); /* gcc: not compatible with any association */ /* clang: not compatible with any generic association */
}
