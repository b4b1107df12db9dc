"""Tasks of libdf.so from Python's ctypes: call.py LIBRARY"""
import ctypes as c
import sys

df = c.CDLL(sys.argv[1])


class Region(c.Structure):
    _fields_ = [("p", c.c_void_p), ("bytes", c.c_size_t), ("rows", c.c_size_t), ("distance", c.c_size_t),
                ("mode", c.c_uint), ("op", c.c_void_p)]


IN, INOUT = 1, 3
BODY = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(c.c_void_p))
df.df_call.argtypes = [c.c_void_p, BODY, c.c_void_p, c.c_size_t, c.POINTER(Region), c.c_int]


@BODY
def add(arg, p):
    c.c_long.from_address(p[1]).value += c.c_long.from_address(p[0]).value + c.c_long.from_address(arg).value


def region(x, mode):
    return Region(c.addressof(x), c.sizeof(x), 1, 0, mode, None)


x = (c.c_long * 3)(1, 0, 0)
cells = [c.c_long.from_buffer(x, 8 * i) for i in range(3)]
a = b = 0
for i in range(50):
    arg = c.c_long(i)
    for source, to in (0, 1), (1, 2):
        assert df.df_call(None, add, c.addressof(arg), c.sizeof(arg), (Region * 2)(
            region(cells[source], IN), region(cells[to], INOUT)), 2) == 0
    a += 1 + i
    b += a + i
df.df_wait()
assert list(x) == [1, a, b], list(x)
assert df.df_call(None, BODY(), None, 0, None, 0) != 0  # a message on stderr
df.df_stop()
