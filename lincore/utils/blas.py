"""BLAS and LAPACK through SciPy's C interface, without the interpreter lock."""

from __future__ import annotations

import ctypes
from functools import cache
from types import ModuleType
from typing import Any

from numpy.typing import NDArray


def call(module: ModuleType, name: str, *arguments: NDArray[Any]) -> None:
    """Call a routine with the addresses of arrays, in Fortran's order of arguments.

    SciPy's and NumPy's own functions keep the interpreter to themselves meanwhile, or write a
    result that nobody needs.

    Parameters
    ----------
    module : ``scipy.linalg.cython_blas`` or ``scipy.linalg.cython_lapack``
    name : str
        Of the routine: "dsyevr".
    *arguments : ndarray
        Scalars too: arrays of a single entry of the routine's own type.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.linalg import cython_blas
    >>> x, one, two = np.array([3.0, 4.0]), np.array([1], np.intc), np.array([2], np.intc)
    >>> call(cython_blas, "dscal", two, np.array([10.0]), x, one)
    >>> x
    array([30., 40.])
    """
    _routine(module, name, len(arguments))(*(array.ctypes.data for array in arguments))


@cache
def _routine(module: ModuleType, name: str, n_arguments: int) -> Any:
    capsule = module.__pyx_capi__[name]
    name_of, address_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    # A CFUNCTYPE lets go of the interpreter's lock while it runs.
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)
    return signature(address_of(capsule, name_of(capsule)))
