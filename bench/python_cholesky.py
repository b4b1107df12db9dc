"""Cholesky factorization by tiles from Python:  python_cholesky.py SYSTEM WORKERS ORDER TILE REPETITIONS

All systems run the functions of bindings/python/examples/kernels.py, which release the GIL: the BLAS of SciPy, one
thread each.

df        tasks of C code (examples/cholesky.py)
calls     tasks of df that are functions of Python
futures   concurrent.futures: threads; each task waits for those before it
joblib    threads; a call of Parallel for each column of tiles, and one for the rest
dask      threads; a graph of tasks, as its collections make them

Prints the least and the median of the seconds."""
import os
import statistics
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
system, workers, order, size, repetitions = sys.argv[1], *map(int, sys.argv[2:6])
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "bindings", "python", "examples"))

import numpy as np

import kernels
from kernels import gemm, potrf, syrk, trsm


def tiles(a):
    rows = [slice(i, i + size) for i in range(0, len(a), size)]
    return [[a[r, c] for c in rows[:i + 1]] for i, r in enumerate(rows)]


def submit_all(n, submit):
    """Calls submit(function, tiles...) for each task in serial order; a tile is (row, column)."""
    for k in range(n):
        submit(potrf, (k, k))
        for i in range(k + 1, n):
            submit(trsm, (k, k), (i, k))
        for i in range(k + 1, n):
            for j in range(k + 1, i):
                submit(gemm, (i, k), (j, k), (i, j))
            submit(syrk, (i, k), (i, i))


def serial(a):
    t = tiles(a)
    submit_all(len(t), lambda fn, *at: fn(*[t[i][j] for i, j in at]))


if system == "df":
    import df
    import cholesky
    df.start(workers)

    def run(a):
        cholesky.factorize(a, size)
elif system == "calls":
    import df
    df.start(workers)
    task = {potrf: df.task(a=df.inout)(potrf), trsm: df.task(l=df.in_, b=df.inout)(trsm),
            syrk: df.task(a=df.in_, c=df.inout)(syrk), gemm: df.task(a=df.in_, b=df.in_, c=df.inout)(gemm)}

    def run(a):
        t = tiles(a)
        submit_all(len(t), lambda fn, *at: task[fn](*[t[i][j] for i, j in at]))
        df.wait()
elif system == "futures":
    from concurrent.futures import ThreadPoolExecutor
    pool = ThreadPoolExecutor(workers)

    def after(before, fn, *args):
        for f in before:
            f.result()
        fn(*args)

    def run(a):  # each task waits for earlier ones only, and the pool begins them in their order
        t, last = tiles(a), {}

        def submit(fn, *at):
            last[at[-1]] = pool.submit(after, [last[x] for x in at if x in last], fn, *(t[i][j] for i, j in at))
        submit_all(len(t), submit)
        for f in last.values():
            f.result()
elif system == "joblib":
    from joblib import Parallel, delayed

    def run(a):
        t = tiles(a)
        with Parallel(n_jobs=workers, backend="threading") as parallel:
            for k in range(len(t)):
                potrf(t[k][k])
                parallel(delayed(trsm)(t[k][k], t[i][k]) for i in range(k + 1, len(t)))
                parallel(delayed(gemm)(t[i][k], t[j][k], t[i][j]) if i != j else delayed(syrk)(t[i][k], t[i][i])
                         for i in range(k + 1, len(t)) for j in range(k + 1, i + 1))
elif system == "dask":
    from concurrent.futures import ThreadPoolExecutor
    import dask
    import dask.threaded
    pool = ThreadPoolExecutor(workers)

    def update(fn, *t):
        fn(*t)
        return t[-1]

    def run(a):
        t, graph, last = tiles(a), {}, {}

        def submit(fn, *at):
            key = (fn.__name__, *at)
            graph[key] = (update, fn, *(last.get(x, t[x[0]][x[1]]) for x in at))
            last[at[-1]] = key
        submit_all(len(t), submit)
        dask.threaded.get(graph, list(last.values()), pool=pool, num_workers=workers)
elif system == "serial":
    run = serial

rng = np.random.default_rng(1)
ld = ((order + 7) // 8 | 1) * 8
source = np.zeros((order, ld))[:, :order]
source[:] = rng.uniform(-1, 1, (order, order))
source[:] = np.tril(source) + np.tril(source, -1).T + order * np.eye(order)
right = np.zeros((order, ld))[:, :order]
right[:] = source
serial(right)
seconds = []
for _ in range(repetitions + 1):
    a = np.zeros((order, ld))[:, :order]
    a[:] = source
    start = time.perf_counter()
    run(a)
    seconds.append(time.perf_counter() - start)
    if not (np.tril(a) == np.tril(right)).all():
        sys.exit(f"{system}: the factor is wrong")
print(f"{system} {workers} {order} {size} {min(seconds[1:]):.4f} {statistics.median(seconds[1:]):.4f}")
