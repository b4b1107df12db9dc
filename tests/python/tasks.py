"""Tasks of bindings/python: tasks.py SEED"""
import array
import gc
import os
import random
import subprocess
import sys
import threading
import weakref

import numpy as np

import df


@df.task(a=df.in_, c=df.inout)
def scale(a, c, f):
    """c += f * a"""
    c += f * a


@df.task(a=df.inout)
def multiply(a, k):
    a *= 3
    a += k


@df.task(a=df.inout)
def increment(a):
    a += 1


@df.task(a=df.inout)
def fails(a):
    raise ValueError("from a task")


@df.task(a=df.in_)
def total(a, *, k=1):
    return float(a.sum()) * k


def raises(error, call, *args, **kw):
    try:
        call(*args, **kw)
    except error as e:
        return e
    raise AssertionError(f"no {error}")


def order():
    x, y = np.arange(64.0).reshape(8, 8), np.zeros((8, 8))
    for i in range(100):
        scale(x, y, float(i))
    df.wait()
    assert (y == 4950 * x).all()
    assert scale.__name__ == "scale" and scale.__doc__ == "c += f * a"
    scale.__wrapped__(x, y, 1.0)
    assert (y == 4951 * x).all()
    b, a = bytearray(4), array.array("d", [1, 2])

    @df.task(b=df.out, a=df.in_)
    def store(b, a):
        b[0] = int(a[1])
    store(b, a)
    df.wait()
    assert b[0] == 2


def futures():
    x = np.arange(10.0)
    assert total.future(x).result() == 45 and total.future(a=x, k=2).result() == 90
    assert increment.future(x).result() is None
    many = [total.future(x) for _ in range(5000)]
    del many[::2]
    assert all(f.result() == 55 for f in many) and all(f.done() for f in many)
    for _ in range(100):
        total.future(x)  # which nothing waits for
    df.wait()


def errors():
    z = np.zeros(4)
    fails(z)
    increment(z)
    e = raises(ValueError, df.wait)
    assert str(e) == "from a task" and e.__traceback__ is not None and not z.any()
    increment(z)
    df.wait()
    assert (z == 1).all()
    f, g = fails.future(z), increment.future(z)
    raises(ValueError, f.result), raises(df.CancelledError, g.result), raises(ValueError, df.wait)
    raises(TypeError, scale, [1], z, 2.0)
    z.flags.writeable = False
    raises((BufferError, ValueError), increment, z)
    raises(TypeError, df.task(b=df.in_), lambda a: None)
    raises(TypeError, df.task(a=5), lambda a: None)
    increment()  # as of a function that lacks an argument: an error of the task
    raises(TypeError, df.wait)

    @df.task()
    def cancels():
        df.cancel()
        assert df.cancelled()
    cancels()
    raises(df.CancelledError, df.wait)


def views(rng):
    def some(n):
        low, high = sorted(rng.sample(range(n + 1), 2))
        step = rng.choice([1, 1, 2, 3, -1, -2])
        return slice(low, high, step) if step > 0 else slice(high - 1, low - 1 if low else None, step)
    c = np.zeros((8, 5, 6, 3), np.int64)
    serial = c.copy()
    for t in range(1500):
        at = tuple(rng.choice([some(n), rng.randrange(n)]) for n in c.shape)
        if isinstance(c[at], np.generic):
            continue
        a, b = c[at], serial[at]
        if rng.random() < 0.3:
            a, b = a.T, b.T
        multiply(a, t % 7)
        multiply.__wrapped__(b, t % 7)
        if t % 100 == 99:
            df.wait()
            assert (c == serial).all()
            c %= 97
            serial %= 97
    df.wait()
    assert (c == serial).all()
    # the regions of a view are the bytes of its elements
    bytes_of = np.arange(c.nbytes, dtype=np.int64).reshape(c.shape + (8,))
    for _ in range(300):
        at = tuple(rng.choice([some(n), slice(None)]) for n in c.shape)
        a = c[at].transpose(rng.sample(range(4), 4))
        if not a.size:
            assert df._df._regions(a) == []
            continue
        origin = a.__array_interface__["data"][0] - c.__array_interface__["data"][0]
        found = {origin + p + row * distance + i for p, n, rows, distance in df._df._regions(a)
                 for row in range(rows) for i in range(n)}
        assert found == set(bytes_of[at].ravel().tolist())
    wide = np.zeros((20, 20, 4, 4))[:, :, ::2, ::2]
    assert len(df._df._regions(wide)) == 1 and df._df._regions(np.zeros((4, 6)).T) == [(0, 192, 1, 0)]


def nested():
    @df.task(a=df.inout)
    def parent(a):
        for i in range(4):
            increment(a[i:i + 1])
        df.wait()
        a %= 97
        a *= 2
    w, one = np.zeros(4), 0
    for _ in range(50):
        parent(w)
        one = (one + 1) % 97 * 2
    df.wait()
    assert (w == one).all()


def gil():
    inside = [0]

    @df.task(gil=True)
    def alone(n):
        inside[0] += 1
        assert inside[0] == 1
        s = sum(range(n))
        inside[0] -= 1
        return s
    for _ in range(3000):
        alone(50)
    df.wait()


def many():
    """More tasks than are unfinished at a time, also of a task that others wait for."""
    x, y = np.zeros(1), np.zeros(3)

    @df.task(a=df.inout, b=df.inout)
    def submits(a, b):
        for i in range(3000):
            increment(b[i % 3:i % 3 + 1])
        df.wait()
        assert (b == 1000).all()
        a += 1
    submits(x, y)
    for _ in range(4000):
        increment(x)
    for i in range(4000):
        increment(y[i % 3:i % 3 + 1])
    df.wait()
    assert x[0] == 4001 and y.sum() == 7000


def first():
    """What comes before the first task starts df as the package needs it: with a window of its own, for example."""
    settings = dict(os.environ, DF_WINDOW="4")
    settings.pop("DF_TRACE", None)  # the file is that of this process
    script = ("import df, numpy as np; {}; x = np.zeros(1); f = df.task(a=df.inout)(lambda a: a.__iadd__(1));"
              "[f(x) for _ in range(1000)]; df.wait(); assert x[0] == 1000")
    for call in "df.wait()", "df.cancel()", "df.workers()", "df.stop()":
        done = subprocess.run([sys.executable, "-c", script.format(call)], capture_output=True, text=True,
                              env=settings)
        assert done.returncode == 0 and not done.stderr, done.stderr


def references():
    class Kept:
        pass
    kept = Kept()
    gone = weakref.ref(kept)

    @df.task()
    def uses(k):
        return k
    f = uses.future(kept)
    assert f.result() is kept
    del kept, f
    df.wait()
    gc.collect()
    assert gone() is None


def threads():
    sums = []

    def works():
        x = np.zeros(100)
        for _ in range(200):
            increment(x)
        df.wait()
        sums.append(x.sum())
    started = [threading.Thread(target=works) for _ in range(3)]
    for t in started:
        t.start()
    for t in started:
        t.join()
    assert sums == [20000.0] * 3


def fork():
    child = os.fork()
    if not child:
        x = np.zeros(3)
        for _ in range(10):
            increment(x)
        df.wait()
        os._exit(0 if (x == 10).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


order()
futures()
errors()
views(random.Random(int(sys.argv[1])))
nested()
gil()
many()
references()
threads()
fork()
first()
df.stop()
df.start(2)
raises(RuntimeError, df.start, 3)
order()
