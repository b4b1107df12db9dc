/* Symmetric matrices from files in the Matrix Market exchange format (Boisvert, Pozo and
 * Remington, NISTIR 5935, 1996): coordinate and array, real and integer, symmetric and general. */
#ifndef CHOLESKY_MTX_H
#define CHOLESKY_MTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
    size_t n;          /* the matrix is n x n */
    char error[400];   /* after a failure: one line, FILE:LINE: and the mistake */

    size_t entries;    /* numbers that the file says it has */
    bool array;        /* all elements are listed, column by column, without their row and column */
    bool general;      /* elements above the diagonal are listed, too */
    bool integer;
    FILE *stream;
    const char *path;
    size_t line;       /* number of the line in text; 0: not about a line */
    char text[1030];   /* the format allows 1024 characters */
} mtx_file;

/* Opens a file and reads its head, after which n is known. Keeps path. If it succeeds, mtx_read or
 * mtx_close must follow; if it fails, f->error says why, as for mtx_read. */
bool mtx_open(mtx_file *f, const char *path);

/* Fills a, n x n, rows ld elements apart, both triangles, and closes the file. Elements that are
 * listed twice are added up.
 * Errors: any mistake in the numbers, and a general matrix that is not symmetric within a
 * relative 1e-12, which allows for rounding. */
bool mtx_read(mtx_file *f, double *a, size_t ld);

void mtx_close(mtx_file *f);

#endif
