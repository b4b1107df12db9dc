"""Tasks of df: calls of Python functions that run in parallel, ordered by the arrays that they read and write.

    import df

    @df.task(a=df.in_, c=df.inout)
    def scale(a, c, f):
        c += f * a

    scale(x[0:8, 0:8], y, 2.0)      # submitted; y is what a serial program would make of it
    df.wait()                       # raises what a task raised
"""
import atexit
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


def task(*, gil=False, **modes):
    """A decorator: calls of the function are tasks. For each parameter that is an array (any object with a buffer, such
    as a view of NumPy with any strides): in_, out, inout, commute or concurrent.

    gil=True: the function hardly ever releases the GIL, so df runs only one of such tasks at a time."""
    def decorate(fn):
        names = tuple(inspect.signature(fn).parameters)
        for name, mode in modes.items():
            if name not in names:
                raise TypeError(f"{fn.__name__} has no parameter {name}")
            if mode not in (in_, inout, commute, concurrent):
                raise TypeError(f"{fn.__name__}: {name} is declared as {mode!r}: use df.in_, df.out, df.inout, "
                                "df.commute or df.concurrent")
        made = Function(fn, fn.__name__, names, bytes(modes.get(name, 0) for name in names), gil)
        return functools.update_wrapper(made, fn)
    return decorate


atexit.register(stop)
os.register_at_fork(after_in_child=_df._forked)
