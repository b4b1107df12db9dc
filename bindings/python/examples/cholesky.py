"""Cholesky factorization A = L L^T of a dense symmetric positive definite matrix, on all cores.

    python3 bindings/python/examples/cholesky.py [FILE.mtx | ORDER] [TILE]

The matrix stays where it is: a task works on tiles of it, which are views of NumPy. The tasks are C code that Numba
makes of the functions in kernels.py, so they run without the GIL. FILE.mtx is a matrix in Matrix Market format."""
import os
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a task is one thread

import numpy as np
from numba import carray, cfunc, float64, int64, njit, types
from scipy.io import mmread

import df
import kernels

code = types.void(types.CPointer(int64), types.CPointer(types.voidptr))


@njit
def tile(p, rows, columns, ld):
    return carray(p, (rows, ld), dtype=float64)[:, :columns]


@df.task(a=df.inout, bad_column=df.inout, n=int, ld=int, first=int)
@cfunc(code)
def potrf(values, arrays):
    n, ld, first = carray(values, 3)
    column = kernels.potrf(tile(arrays[0], n, n, ld))
    bad_column = carray(arrays[1], 1, dtype=int64)
    if column and not bad_column[0]:
        bad_column[0] = first + column


@df.task(l=df.in_, b=df.inout, m=int, n=int, ld=int)
@cfunc(code)
def trsm(values, arrays):
    m, n, ld = carray(values, 3)
    kernels.trsm(tile(arrays[0], n, n, ld), tile(arrays[1], m, n, ld))


@df.task(a=df.in_, c=df.inout, m=int, k=int, ld=int)
@cfunc(code)
def syrk(values, arrays):
    m, k, ld = carray(values, 3)
    kernels.syrk(tile(arrays[0], m, k, ld), tile(arrays[1], m, m, ld))


@df.task(a=df.in_, b=df.in_, c=df.inout, m=int, n=int, k=int, ld=int)
@cfunc(code)
def gemm(values, arrays):
    m, n, k, ld = carray(values, 4)
    kernels.gemm(tile(arrays[0], m, k, ld), tile(arrays[1], n, k, ld), tile(arrays[2], m, n, ld))


def factorize(a, size):
    """Puts L in place of the lower triangle of a. Raises LinAlgError if a is not positive definite."""
    n, ld = len(a), a.strides[0] // 8
    rows = [slice(i, min(i + size, n)) for i in range(0, n, size)]
    length = [r.stop - r.start for r in rows]
    t = [[a[r, c] for c in rows[:i + 1]] for i, r in enumerate(rows)]
    bad_column = np.zeros(1, np.int64)
    for k, width in enumerate(length):
        potrf(t[k][k], bad_column, width, ld, rows[k].start)
        for i in range(k + 1, len(t)):
            trsm(t[k][k], t[i][k], length[i], width, ld)
        for i in range(k + 1, len(t)):
            for j in range(k + 1, i):
                gemm(t[i][k], t[j][k], t[i][j], length[i], length[j], width, ld)
            syrk(t[i][k], t[i][i], length[i], width, ld)
    df.wait()
    if bad_column[0]:
        raise np.linalg.LinAlgError(f"the matrix is not positive definite: pivot {bad_column[0]}")


def read(source):
    """The matrix of a file, or a random one of an order. Rows begin an odd number of cache lines apart."""
    if source.isdigit():
        n = int(source)
        x = np.random.default_rng(1).uniform(-1, 1, (n, n))
        x = np.tril(x) + np.tril(x, -1).T + n * np.eye(n)
    else:
        x = mmread(source)
        x = x.toarray() if hasattr(x, "toarray") else x
    n = len(x)
    a = np.zeros((n, ((n + 7) // 8 | 1) * 8))[:, :n]
    a[:] = x
    return a


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else "2048"
    a = read(source)
    size = int(sys.argv[2]) if len(sys.argv) > 2 else max(64, min(256, len(a) // 8))
    seconds = []
    for _ in range(3):
        l = np.zeros((len(a), a.strides[0] // 8))[:, :len(a)]
        l[:] = a
        start = time.perf_counter()
        factorize(l, size)
        seconds.append(time.perf_counter() - start)
    l = np.tril(l)
    residual = np.linalg.norm(a - l @ l.T) / (len(a) * np.linalg.norm(a))
    print(f"{source}: order {len(a)}, tiles of {size}, {df.workers()} workers: {min(seconds):.3f} s, "
          f"{len(a) ** 3 / 3e9 / min(seconds):.1f} GFlop/s; |A - L L^T| / (n |A|) = {residual:.1e}")
    if not residual < 1e-15:
        sys.exit("the factor is wrong")


if __name__ == "__main__":
    main()
