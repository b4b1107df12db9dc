/* limit.h - smallest and largest values of a type, with which df_min and df_max begin */
#ifndef DFI_MORE_LIMIT_H
#define DFI_MORE_LIMIT_H

#include "../base/compiler.h"
#include "../api/task.h"

#include <float.h>

#if DFI_WITH_MORE
DFI_SMALL_CODE_BEGIN
DFI_EXTERN_C_BEGIN
DFI_API void dfi_limit(void *x, size_t bytes, int kind, int largest)
{
    if (kind == 2) { /* infinity, without <math.h> */
        long double big = LDBL_MAX, inf = (largest ? big : -big) * 2;
        double d = (double)inf;
        float f = (float)inf;
        if (bytes == sizeof f) memcpy(x, &f, bytes);
        else if (bytes == sizeof d) memcpy(x, &d, bytes);
        else memcpy(x, &inf, bytes);
    } else if (kind == 3) *(unsigned char *)x = (unsigned char)largest;
    else { /* all bits equal: the largest or smallest unsigned value; with the sign bit inverted, the signed one */
        const unsigned one = 1;
        size_t top = *(const unsigned char *)&one ? bytes - 1 : 0; /* the byte with the sign bit */
        memset(x, largest ? 0xff : 0, bytes);
        if (kind == 1) ((unsigned char *)x)[top] ^= 0x80;
    }
}
DFI_EXTERN_C_END
DFI_SMALL_CODE_END
#endif

#endif
