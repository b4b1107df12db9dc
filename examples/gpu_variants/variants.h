/* variants.h - options, results and memory of the kernels of gpu_variants */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <stdio.h>
#include <stdlib.h>
#include "../../df_gpu.h"

/* Options of the program. */
struct settings {
    int verbose; /* -v: prints the choice for each device, and which variants do not fit there, and why */
    int tune;    /* -t: measures which variant is fastest, first */
};
extern struct settings settings;

/* Does the work of -t and -v for a list and the arguments of its launch. */
#define PREPARE(list, grid, ...)                                                                                \
    do {                                                                                                        \
        if (settings.tune) df_tune(list, NULL, grid, __VA_ARGS__);                                              \
        for (int device = 1; settings.verbose && device <= df_gpu_devices(); device++) {                        \
            char text[4000];                                                                                    \
            df_kernel_explain(list, grid, DF_PICK_OPTS(.device = device), text, sizeof text);                   \
            printf("%s", text);                                                                                 \
        }                                                                                                       \
    } while (0)

/* Each computes with the variant that fits best, compares with plain C, and returns 1 if the results are equal. */
int array_reversal(void);
int jacobi_1d(void);
int jacobi_2d(void);
int transposition(void);
int matrix_addition(void);
int matrix_vector(void);
int matrix_matrix(void);
int lu_factorisation(void);

/* n integers from -range to range; NULL never: the program ends without memory. */
int *numbers(int n, int range, unsigned seed);

/* Frees them, and prints the first difference. 1: there is none. */
int same(const char *what, int *a, int *b, int n);

#endif
