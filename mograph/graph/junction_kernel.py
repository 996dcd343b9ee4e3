"""Jumps between two phases, compiled: from the last rows of one table and the first rows of the next."""

from __future__ import annotations

import math

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import (
    Vector,
    add,
    inverse,
    length,
    log,
    minus,
    multiply,
    quaternion,
    times,
    turned,
    vector,
)
from mograph.graph.phase_kernel import COM, HEADING, HEEL, JOINTS, LEG_WIDTH, LEGS, ROOT
from mograph.rotations import Array


@compiled
def jumps(before: Array, before_fps: float, after: Array, after_fps: float, out: Array) -> None:
    """Largest joint angle, farthest foot point, root height, velocity of the centre of mass, its level part
    and largest joint velocity, ``out`` (6,)."""
    out[:] = 0.0
    last, first = len(before) - 1, 0
    here, there = before[last], after[first]
    for at in range(JOINTS, len(here), 4):
        turn = log(_short(multiply(inverse(quaternion(here, at)), quaternion(there, at))))
        out[0] = max(out[0], length(turn))
        change = minus(_spin(after, first, 1, after_fps, at), _spin(before, last, -1, before_fps, at))
        out[5] = max(out[5], length(change))
    for leg in range(2):
        for k in range(2):
            at = LEGS + leg * LEG_WIDTH + HEEL + 3 * k
            out[1] = max(out[1], length(minus(_seen(there, at), _seen(here, at))))
    out[2] = abs(there[ROOT + 1] - here[ROOT + 1])
    change = minus(_speed(after, first, 1, after_fps), _speed(before, last, -1, before_fps))
    out[3] = length(change)
    out[4] = math.sqrt(change[0] ** 2 + change[2] ** 2)


@compiled
def _short(q: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    return q if q[0] >= 0.0 else (-q[0], -q[1], -q[2], -q[3])


@compiled
def _seen(row: Array, at: int) -> Vector:
    """A point seen from below the root, along the heading."""
    below = (row[ROOT], 0.0, row[ROOT + 2])
    return turned(-row[HEADING], minus(vector(row, at), below))


@compiled
def _weights(table: Array) -> tuple[float, float, float]:
    """How the end row and the next two inwards make a derivative: of their parabola if there are three."""
    return (-1.5, 2.0, -0.5) if len(table) > 2 else (-1.0, 1.0, 0.0)


@compiled
def _speed(table: Array, end: int, inwards: int, fps: float) -> Vector:
    """Velocity of the centre of mass at an end, along the heading there."""
    total, weights = (0.0, 0.0, 0.0), _weights(table)
    for k in range(min(len(table), 3)):
        total = add(total, times(weights[k], vector(table[end + inwards * k], COM)))
    return turned(-table[end, HEADING], times(inwards * fps, total))


@compiled
def _spin(table: Array, end: int, inwards: int, fps: float, at: int) -> Vector:
    """Angular velocity of a joint at an end, in its own frame."""
    total, weights = (0.0, 0.0, 0.0), _weights(table)
    for k in range(1, min(len(table), 3)):
        turn = multiply(inverse(quaternion(table[end], at)), quaternion(table[end + inwards * k], at))
        total = add(total, times(weights[k], log(_short(turn))))
    return times(inwards * fps, total)
