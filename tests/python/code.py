"""Tasks of bindings/python whose functions are C code: code.py LIBRARY SEED"""
import ctypes
import gc
import os
import random
import sys
import weakref

import numpy as np

import df

library = ctypes.CDLL(sys.argv[1])
rng = random.Random(int(sys.argv[2]))
multiply = df.task(a=df.inout, rows=int, columns=int, row=int, column=int, k=int)(library.multiply)
axpy = df.task(x=df.in_, y=df.inout, n=int, f=float)(library.axpy)
late = df.task(a=df.out)(library.late)


@df.task(a=df.inout)
def square(a):
    a *= a
    a %= 97


def raises(error, says, call, *args, **kw):
    try:
        call(*args, **kw)
    except error as e:
        assert says in str(e), e
        return
    raise AssertionError(f"no {error}")


def views():
    """Views of any strides, written by C code and by Python, against the serial result."""
    c = np.zeros((9, 12), np.int64)
    serial = c.copy()
    for t in range(3000):
        at = tuple(slice(None, None, rng.choice([1, 2, 3, -1, -2])) if rng.random() < 0.5 else
                   slice(rng.randrange(n), n) for n in c.shape)
        a, b = c[at], serial[at]
        if rng.random() < 0.3:
            a, b = a.T, b.T
        if rng.random() < 0.2:
            square(a)
            square.__wrapped__(b)
        else:
            k = rng.randrange(7)
            multiply(a, *a.shape, k=k, column=a.strides[1] // 8, row=a.strides[0] // 8)
            b *= 3
            b += k
        if t % 10 == 9:
            square(c)
            square.__wrapped__(serial)
        if t % 500 == 499:
            df.wait()
            assert (c == serial).all()
    df.wait()
    assert (c == serial).all()


def values():
    x, y = np.arange(10.0), np.ones(10)
    for f in 0.5, -2, 1e300:
        axpy(x, y, 10, f)
    axpy(x, y, np.int32(10), -1e300)
    axpy(x[:0], y, 0, 1)  # no elements
    df.wait()
    assert (y[:1] == 1).all() and axpy.__name__ == "axpy"
    f = axpy.future(y=y, x=x, f=1.0, n=1)
    assert f.result() is None and f.done()


def wrong():
    x, y = np.zeros(4), np.zeros(4)
    raises(TypeError, "no argument for f", axpy, x, y, 4)
    raises(TypeError, "two arguments for n", axpy, x, y, 4, 1.0, n=4)
    raises(TypeError, "no parameter g", axpy, x, y, 4, g=1.0)
    raises(TypeError, "takes 4 arguments, not 5", axpy, x, y, 4, 1.0, 1.0)
    raises(TypeError, "", axpy, x, y, 4.5, 1.0)
    raises(TypeError, "", axpy, x, y, 4, "1")
    raises(TypeError, "", axpy, x, [1.0], 4, 1.0)
    raises(OverflowError, "", axpy, x, y, 1 << 64, 1.0)
    y.flags.writeable = False
    raises((BufferError, ValueError), "", axpy, x, y, 4, 1.0)
    axpy(y, x, 4, 1.0)
    raises(TypeError, "int or float", df.task(a=str), library.axpy)
    raises(TypeError, "df.concurrent", df.task(a=int), lambda a: None)
    df.wait()


def memory():
    """A task holds its arrays until it has ended, and no longer than until the next wait or submission."""
    b = bytearray(8)
    late(b)
    raises(BufferError, "", b.extend, b"12")
    df.wait()
    assert b[0] == 7
    b.extend(b"12")
    a = np.zeros(1000)
    gone = weakref.ref(a)
    late(a)
    del a
    assert gone() is not None
    df.wait()
    gc.collect()
    assert gone() is None
    f = late.future(b)
    f.result()
    b.extend(b"12")
    for _ in range(20000):  # more than are unfinished at a time
        axpy(np.ones(2), np.zeros(2), 2, 1.0)
    df.wait()


def skipped():
    @df.task(a=df.inout)
    def fails(a):
        raise ValueError("from a task")
    y = np.zeros(4)
    fails(y)
    f = axpy.future(y, y, 4, 1.0)
    raises(df.CancelledError, "skipped", f.result)
    raises(ValueError, "from a task", df.wait)
    axpy(np.ones(4), y, 4, 2.0)
    df.wait()
    assert (y == 2).all()


def callback():
    """A function of Python that ctypes made into C code takes the GIL by itself."""
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_void_p))
    def body(values, arrays):
        seen.append(values[0])
    f = df.task(a=df.inout, n=int)(body)
    x = np.zeros(1)
    for i in range(100):
        f(x, i)
    df.wait()
    assert seen == list(range(100))


def fork():
    x, y = np.ones(4), np.zeros(4)
    axpy(x, y, 4, 1.0)
    df.wait()
    child = os.fork()
    if not child:
        axpy(x, y, 4, 1.0)
        df.wait()
        os._exit(0 if (y == 2).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


views()
values()
wrong()
memory()
skipped()
callback()
fork()
late(np.zeros(1))  # ends after the program
