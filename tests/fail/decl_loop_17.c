/* A loop with 17 parameters. */
#include "../../df.h"

DF_LOOP(many, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i), (int, j), (int, k), (int, l), (int, m), (int, n), (int, o), (int, p), (int, q)); /* expect: df.h: loop many has more than 16 parameters */
