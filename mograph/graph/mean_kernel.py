"""Reading phases between their frames, and the mean of their rotations, compiled."""

from __future__ import annotations

import math

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import (
    Quaternion,
    add,
    exp,
    inverse,
    log,
    multiply,
    quaternion,
    slerp,
    times,
)
from mograph.graph.phase_kernel import FOOT, JOINTS, LEG_WIDTH, LEGS, PIVOT, SLIDE
from mograph.rotations import Array


@compiled
def read_at(table: Array, start: int, count: int, share: float, row: Array) -> None:
    """The row of a phase at a share of its duration, by a cubic that keeps parabolas (Catmull-Rom).

    Slides are read along straight lines, so that a foot at rest stays at rest next to one that leaves.
    """
    at = share * (count - 1)
    first = min(int(at), count - 2)
    u = at - first
    p1, p2 = table[start + first], table[start + first + 1]
    if u < 1e-9:
        row[:] = p1
    elif u > 1.0 - 1e-9:
        row[:] = p2
    else:
        a = 0.5 * u * (u * (2.0 - u) - 1.0)
        b = 0.5 * (u * u * (3.0 * u - 5.0) + 2.0)
        c = 0.5 * u * (u * (4.0 - 3.0 * u) + 1.0)
        d = 0.5 * u * u * (u - 1.0)
        for k in range(len(row)):
            # beyond its ends a phase goes on along the parabola of its last three rows
            if first > 0:
                p0 = table[start + first - 1, k]
            elif count > 2:
                p0 = 3.0 * (p1[k] - p2[k]) + table[start + first + 2, k]
            else:
                p0 = 2.0 * p1[k] - p2[k]
            if first + 2 < count:
                p3 = table[start + first + 2, k]
            elif count > 2:
                p3 = 3.0 * (p2[k] - p1[k]) + table[start + first - 1, k]
            else:
                p3 = 2.0 * p2[k] - p1[k]
            row[k] = a * p0 + b * p1[k] + c * p2[k] + d * p3
        for leg in range(2):
            begin = LEGS + leg * LEG_WIDTH + SLIDE
            for k in range(begin, begin + 3):
                row[k] = (1.0 - u) * p1[k] + u * p2[k]
            _normalise(row, LEGS + leg * LEG_WIDTH + FOOT)
        for k in range(JOINTS, len(row), 4):
            _normalise(row, k)


@compiled
def read_pivots(table: Array, start: int, count: int, share: float, row: Array) -> None:
    """Put into ``row`` the points both feet pivot about at a share of the phase."""
    ends = table[start + min(int(share * (count - 1)), count - 2) + 1]
    for leg in range(2):
        begin = LEGS + leg * LEG_WIDTH + PIVOT
        row[begin : begin + 3] = ends[begin : begin + 3]


@compiled
def _normalise(row: Array, at: int) -> None:
    size = math.sqrt(row[at] ** 2 + row[at + 1] ** 2 + row[at + 2] ** 2 + row[at + 3] ** 2)
    for k in range(at, at + 4):
        row[k] /= size


@compiled
def mean_rotation(rows: Array, at: int, weights: Array, signs: Array) -> Quaternion:
    """Weighted mean of rotations on the group; of two, a point on the arc between them.

    Starts with means of two at a time; more than two then move to where the weighted rotation vectors to all
    of them cancel (the Karcher mean), so that their order does not matter.
    """
    count = len(weights)
    q = quaternion(rows[0], at)
    total = weights[0]
    for i in range(1, count):
        if weights[i] > 0.0:
            s = signs[i]
            other = (s * rows[i, at], s * rows[i, at + 1], s * rows[i, at + 2], s * rows[i, at + 3])
            total += weights[i]
            q = slerp(q, other, weights[i] / total)
    if count > 2:
        for _ in range(4):
            step = (0.0, 0.0, 0.0)
            for i in range(count):
                s = signs[i]
                other = (s * rows[i, at], s * rows[i, at + 1], s * rows[i, at + 2], s * rows[i, at + 3])
                step = add(step, times(weights[i], log(multiply(inverse(q), other))))
            q = multiply(q, exp(step))
    return q


@compiled
def align_signs(rows: Array, at: int, signs: Array) -> None:
    """Signs that put each phase's quaternion on the side of the first one's; kept through the phase."""
    signs[0] = 1.0
    for i in range(1, len(rows)):
        same = 0.0
        for c in range(4):
            same += rows[0, at + c] * rows[i, at + c]
        signs[i] = -1.0 if same < 0.0 else 1.0
