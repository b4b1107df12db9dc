"""Tiles of a Cholesky factorization by the BLAS and LAPACK of SciPy, as functions of Numba that release the GIL.

The functions of scipy.linalg keep the GIL; the C functions below, which SciPy exports, do not know it. They are those
of Fortran: each argument is a pointer, and a row-major tile is its transpose to them."""
import ctypes

import numpy as np
from numba import njit
from numba.extending import get_cython_function_address


def _function(module, name, arguments):
    address = get_cython_function_address(f"scipy.linalg.cython_{module}", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(address)


_potrf, _trsm = _function("lapack", "dpotrf", 5), _function("blas", "dtrsm", 11)
_syrk, _gemm = _function("blas", "dsyrk", 10), _function("blas", "dgemm", 13)
_L, _U, _T, _N = (np.array([ord(c)], np.int8) for c in "LUTN")
_one, _minus = np.array([1.0]), np.array([-1.0])


@njit(nogil=True)
def potrf(a):
    """The lower triangle of a becomes L with a = L L^T. Returns 0, or the column (from 1) with a bad pivot."""
    i = np.array([a.shape[0], a.strides[0] // 8, 0], np.int32)
    _potrf(_U.ctypes, i.ctypes, a.ctypes, i[1:].ctypes, i[2:].ctypes)
    return i[2]


@njit(nogil=True)
def trsm(l, b):
    """b = b L^-T"""
    i = np.array([b.shape[1], b.shape[0], l.strides[0] // 8, b.strides[0] // 8], np.int32)
    _trsm(_L.ctypes, _U.ctypes, _T.ctypes, _N.ctypes, i.ctypes, i[1:].ctypes, _one.ctypes, l.ctypes, i[2:].ctypes,
          b.ctypes, i[3:].ctypes)


@njit(nogil=True)
def syrk(a, c):
    """The lower triangle of c -= a a^T"""
    i = np.array([a.shape[0], a.shape[1], a.strides[0] // 8, c.strides[0] // 8], np.int32)
    _syrk(_U.ctypes, _T.ctypes, i.ctypes, i[1:].ctypes, _minus.ctypes, a.ctypes, i[2:].ctypes, _one.ctypes, c.ctypes,
          i[3:].ctypes)


@njit(nogil=True)
def gemm(a, b, c):
    """c -= a b^T"""
    i = np.array([c.shape[1], c.shape[0], a.shape[1], b.strides[0] // 8, a.strides[0] // 8, c.strides[0] // 8],
                 np.int32)
    _gemm(_T.ctypes, _N.ctypes, i.ctypes, i[1:].ctypes, i[2:].ctypes, _minus.ctypes, b.ctypes, i[3:].ctypes, a.ctypes,
          i[4:].ctypes, _one.ctypes, c.ctypes, i[5:].ctypes)
