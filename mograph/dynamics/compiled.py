"""One way to compile the kernels of this package, with types that checkers can follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable)


def compiled(function: Kernel) -> Kernel:
    """The function as machine code, kept on disk between runs; division by zero gives inf, as in numpy."""
    return njit(cache=True, error_model="numpy")(function)  # type: ignore[return-value]
