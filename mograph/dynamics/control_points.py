"""From frames to splines: sparse derivatives by control points, and on to subspace coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mograph.errors import MographError
from mograph.rotations import Array

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class SplineSamples:
    """Values, first and second derivatives of the few B-splines that are not zero at each sample time."""

    count: int  # number K of control points of a curve
    first: NDArray[np.int64]  # (T,) index of the first B-spline that counts
    weights: Array  # (3, T, degree + 1)

    @classmethod
    def at(cls, knots: Array, times: Array, degree: int = 3) -> SplineSamples:
        """The B-splines on ``knots`` (K + degree + 1,) sampled at ``times`` (T,) within them.

        >>> SplineSamples.at(np.arange(8.0), np.array([3.0])).weights[0].round(4).tolist()
        [[0.1667, 0.6667, 0.1667, 0.0]]
        """
        from scipy.interpolate import BSpline

        knots, times = np.asarray(knots, float), np.asarray(times, float)
        count = len(knots) - degree - 1
        low, high = knots[degree], knots[count]
        slack = 1e-9 * (high - low)
        if times.size and (times.min() < low - slack or times.max() > high + slack):
            raise MographError(
                f"spline samples at {times.min()}..{times.max()} s; the knots cover {low}..{high} s"
            )
        times = np.clip(times, low, high)
        span = np.clip(np.searchsorted(knots, times, side="right") - 1, degree, count - 1)
        first = span - degree
        columns = first[:, None] + np.arange(degree + 1)
        unit = BSpline(knots, np.eye(count), degree)
        weights = np.stack([np.take_along_axis(unit(times, nu=order), columns, axis=1) for order in range(3)])
        return cls(count, first, weights)

    def curves(self, points: Array) -> tuple[Array, Array, Array]:
        """Coordinates (T, D) and their two derivatives from control points (K, D)."""
        around = points[self.first[:, None] + np.arange(self.weights.shape[2])]
        x, rate, bend = (np.einsum("tk,tkd->td", w, around) for w in self.weights)
        return x, rate, bend

    def by_control_points(self, by_x: Array, by_rate: Array, by_bend: Array) -> csr_array:
        """Sparse derivative (T m, K D) of values (T, m) by control points (K, D), both flattened row by row.

        d f / d c_ki = f_x,i B_k + f_x',i B'_k + f_x'',i B''_k (Fang F13): at most degree + 1 blocks of D
        entries in each row.
        """
        from scipy.sparse import csr_array

        frames, rows, size = by_x.shape
        width = self.weights.shape[2]
        data = (
            self.weights[0][:, None, :, None] * by_x[:, :, None]
            + self.weights[1][:, None, :, None] * by_rate[:, :, None]
            + self.weights[2][:, None, :, None] * by_bend[:, :, None]
        )
        start = (self.first * size)[:, None, None] + np.arange(width * size)
        columns = np.broadcast_to(start, (frames, rows, width * size))
        ends = np.arange(frames * rows + 1) * (width * size)
        return csr_array(
            (data.reshape(-1), columns.reshape(-1), ends), shape=(frames * rows, self.count * size)
        )


def in_subspace(basis: Array, *derivatives: Array) -> tuple[Array, ...]:
    """Derivatives (T, m, D) by coordinates x = mean + basis y as derivatives (T, m, d) by y; basis is (D, d).

    Coordinates outside the subspace, such as the root's place, get columns of their own in ``basis``.
    """
    return tuple(d @ basis for d in derivatives)
