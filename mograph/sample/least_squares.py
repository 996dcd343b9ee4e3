"""Curves over frames: the best by a sum of squared differences, some of them as good as fixed."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solveh_banded

from mograph.rotations import Array
from mograph.sample.footsteps import FPS

DIFFERENCES = (
    np.array([1.0]),
    np.array([-1.0, 1.0]) * FPS,
    np.array([1.0, -2.0, 1.0]) * FPS**2,
    np.array([-1.0, 3.0, -3.0, 1.0]) * FPS**3,
)  # the curve itself and its first, second and third derivative


class Curve:
    """A curve over ``count`` frames: wishes for its derivatives are added up, then it is solved for."""

    def __init__(self, count: int) -> None:
        self.bands = np.zeros((4, count))  # row k: entries (i, i + k) of the normal matrix
        self.right = np.zeros(count)

    def copy(self) -> Curve:
        """Another curve with the same wishes so far."""
        other = Curve(len(self.right))
        other.bands, other.right = self.bands.copy(), self.right.copy()
        return other

    def wish(self, order: int, weight: Array | float, value: Array | float) -> None:
        """Add the squared miss of the derivative of this order from ``value``, times ``weight``, per frame.

        Second derivatives belong to frames 1 … count - 2; the others to the first frame of their difference.
        """
        stencil = DIFFERENCES[order]
        rows = len(self.right) - order
        weight = np.broadcast_to(weight, rows)
        value = np.broadcast_to(value, rows)
        for i, a in enumerate(stencil):
            self.right[i : i + rows] += weight * value * a
            for k, b in enumerate(stencil[i:]):
                self.bands[k, i : i + rows] += weight * a * b

    def solve(self) -> Array:
        """The curve with the least sum of squares.

        >>> line = Curve(4)
        >>> line.wish(0, [1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 4.0])
        >>> line.wish(2, 1.0, 0.0)
        >>> line.solve().round(6).tolist()
        [1.0, 2.0, 3.0, 4.0]
        """
        return solveh_banded(self.bands, self.right, lower=True)
