/* 16 parameters. */
#include "../../df_gpu.h"

DF_KERNEL(many, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i), (int, j), (int, k), (int, l), (int, m), (int, n), (int, o), (int, p), { }) /* expect: df_gpu.h: kernel many has more than 15 parameters */
