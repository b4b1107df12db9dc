"""Tasks of df: calls of Python functions that run in parallel, ordered by the arrays that they read and write.

    import df

    @df.task(a=df.in_, c=df.inout)
    def scale(a, c, f):
        c += f * a

    scale(x[0:8, 0:8], y, 2.0)      # submitted; y is what a serial program would make of it
    df.wait()                       # raises what a task raised
"""
import atexit
import ctypes
import functools
import inspect
import os

from . import _df
from ._df import CancelledError, Function, Future, cancel, cancelled, start, stop, wait, worker, workers

__all__ = ["CancelledError", "Function", "Future", "cancel", "cancelled", "commute", "concurrent", "in_", "inout",
           "out", "start", "stop", "task", "wait", "worker", "workers"]

in_, inout, commute, concurrent = _df.IN, _df.INOUT, _df.COMMUTE, _df.CONCURRENT
# A body has the array itself, so df must not give it other memory, as it may do for DF_OUT (df_config.rename_bytes).
out = _df.INOUT


_modes = (in_, inout, commute, concurrent)
_values = {int: _df.INT, float: _df.FLOAT}


def task(*, gil=False, **modes):
    """A decorator: calls of the function are tasks. For each parameter that is an array (any object with a buffer,
    such as a view of NumPy with any strides): in_, out, inout, commute or concurrent.

    gil=True: the function hardly ever releases the GIL, so df runs only one of such tasks at a time.

    The function may be C code, void f(void *values, void *const *arrays): a function of ctypes or a cfunc of Numba.
    Then all its parameters are declared, in their order: arrays as above, others as int (int64_t) or float (double)."""
    def decorate(fn):
        name = getattr(fn, "__name__", "task")
        code = ctypes.cast(fn, ctypes.c_void_p).value if isinstance(fn, ctypes._CFuncPtr) else getattr(fn, "address", 0)
        names = tuple(modes) if code else tuple(inspect.signature(fn).parameters)
        for parameter, mode in modes.items():
            if parameter not in names:
                raise TypeError(f"{name} has no parameter {parameter}")
            if mode not in _modes and not (code and mode in tuple(_values)):
                raise TypeError(f"{name}: {parameter} is declared as {mode!r}: use df.in_, df.out, df.inout, "
                                f"df.commute or df.concurrent{', int or float' if code else ''}")
        made = Function(fn, name, names, bytes(_values.get(m, m) for m in (modes.get(n, 0) for n in names)), gil, code)
        return functools.update_wrapper(made, fn)
    return decorate


atexit.register(stop)
os.register_at_fork(after_in_child=_df._forked)
