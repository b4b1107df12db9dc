/* gpu_variants.c - eight kernels in three variants each, of which df chooses one for the device
 *
 *   1. tiles in df_shared, and several results per work-item     2. tiles in df_shared     3. neither
 *
 * after MetaFork (X. Chen's thesis, 4.5 and 7.4), where the best size of groups made programs up to 6.4 times as fast
 * as the worst.
 *
 *   gpu_variants [-v] [-t]     -v: prints the choice for each device, and the reason; -t: measures first (df_tune)
 *   DF_GPU_SIM=1:64M gpu_variants -v        on a simulated device
 *   DF_TUNE=times gpu_variants -t           and the next run knows the fastest variant */
#define DF_USE_OPENCL
#define DF_USE_CUDA
#define DF_IMPLEMENTATION
#include "gpu_variants/variants.h"
#include <string.h>

struct settings settings;

int *numbers(int n, int range, unsigned seed)
{
    int *a = malloc((size_t)n * sizeof *a), i;
    if (!a) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    for (i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        a[i] = range ? (int)(seed >> 16) % (2 * range + 1) - range : 0;
    }
    return a;
}

int same(const char *what, int *a, int *b, int n)
{
    int i = 0;
    while (i < n && a[i] == b[i]) i++;
    if (i < n) fprintf(stderr, "%s: element %d is %d instead of %d\n", what, i, a[i], b[i]);
    free(a);
    free(b);
    return i == n;
}

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*run)(void); } all[] = {
        { "array reversal", array_reversal }, { "Jacobi, 1-D", jacobi_1d }, { "Jacobi, 2-D", jacobi_2d },
        { "transposition", transposition }, { "matrix addition", matrix_addition },
        { "matrix-vector product", matrix_vector },
        { "matrix-matrix product", matrix_matrix }, { "LU factorisation", lu_factorisation },
    };
    int i, right, wrong = 0;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v")) settings.verbose = 1;
        else if (!strcmp(argv[i], "-t")) settings.tune = 1;
        else return fprintf(stderr, "usage: %s [-v] [-t]\n", argv[0]), 2;
    }
    for (i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        right = all[i].run();
        wrong += !right;
        printf("%-22s %s\n", all[i].name, right ? "correct" : "WRONG");
    }
    return wrong != 0;
}
