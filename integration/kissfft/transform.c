/* Transforms numbers of the given lengths, four million in all for each, and prints a hash of the results. */
#include "kiss_fft.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    for (int a = 1; a < argc; a++) {
        int n = atoi(argv[a]), times = 4000000 / n;
        kiss_fft_cfg plan = kiss_fft_alloc(n, 0, NULL, NULL);
        kiss_fft_cpx *in = malloc((size_t)n * sizeof *in), *out = malloc((size_t)n * sizeof *out);
        unsigned state = 1, hash = 1;
        if (!plan || !in || !out) return 1;
        for (int i = 0; i < n; i++) {
            state = state * 1664525 + 1013904223;
            in[i].r = (float)(state >> 16) / 65536;
            in[i].i = (float)(state & 65535) / 65536;
        }
        for (int t = 0; t < times; t++) kiss_fft(plan, in, out);
        for (size_t i = 0; i < (size_t)n * sizeof *out; i++) hash = (hash ^ ((unsigned char *)out)[i]) * 16777619;
        printf("%d %08x\n", n, hash);
        free(in), free(out), free(plan);
    }
    return 0;
}
