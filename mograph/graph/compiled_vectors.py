"""Vectors and unit quaternions as plain tuples, compiled: the small change of the interpolation kernels."""

from __future__ import annotations

import math

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.rotations import Array

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@compiled
def vector(values: Array, at: int) -> Vector:
    """Three numbers of a row, from column ``at`` on."""
    return values[at], values[at + 1], values[at + 2]


@compiled
def quaternion(values: Array, at: int) -> Quaternion:
    """Four numbers of a row, from column ``at`` on."""
    return values[at], values[at + 1], values[at + 2], values[at + 3]


@compiled
def add(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled
def minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def times(factor: float, a: Vector) -> Vector:
    return factor * a[0], factor * a[1], factor * a[2]


@compiled
def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def length(a: Vector) -> float:
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@compiled
def unit(a: Vector) -> Vector:
    return times(1.0 / max(length(a), 1e-12), a)


@compiled
def across(a: Vector, direction: Vector) -> Vector:
    """The part of ``a`` at right angles to a unit vector."""
    return minus(a, times(dot(a, direction), direction))


@compiled
def carried(v: Vector, start: Vector, end: Vector) -> Vector:
    """``v``, at right angles to ``start``, taken along by the smallest turn from ``start`` to ``end``."""
    middle = add(start, end)
    return minus(v, times(dot(v, end) / max(1.0 + dot(start, end), 1e-9), middle))


@compiled
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@compiled
def inverse(q: Quaternion) -> Quaternion:
    return q[0], -q[1], -q[2], -q[3]


@compiled
def rotate(q: Quaternion, v: Vector) -> Vector:
    u = (q[1], q[2], q[3])
    t = times(2.0, cross(u, v))
    return add(add(v, times(q[0], t)), cross(u, t))


@compiled
def from_yaw(angle: float) -> Quaternion:
    return math.cos(angle / 2.0), 0.0, math.sin(angle / 2.0), 0.0


@compiled
def turned(yaw: float, v: Vector) -> Vector:
    """``v`` turned about the vertical."""
    c, s = math.cos(yaw), math.sin(yaw)
    return c * v[0] + s * v[2], v[1], c * v[2] - s * v[0]


@compiled
def slerp(a: Quaternion, b: Quaternion, share: float) -> Quaternion:
    """A share of the way from ``a`` to ``b`` along the arc their signs tell, which may be the longer one."""
    c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    if c > 0.999999:
        p, q = 1.0 - share, share
    else:
        angle = math.acos(max(c, -0.99999))
        p, q = math.sin((1.0 - share) * angle) / math.sin(angle), math.sin(share * angle) / math.sin(angle)
    w, x, y, z = (p * a[0] + q * b[0], p * a[1] + q * b[1], p * a[2] + q * b[2], p * a[3] + q * b[3])
    size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return w * size, x * size, y * size, z * size


@compiled
def log(q: Quaternion) -> Vector:
    """Rotation vector, of length up to 2 pi: the sign of ``q`` tells which way round."""
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    scale = 2.0 * math.atan2(sine, q[0]) / sine if sine > 1e-12 else 2.0
    return scale * q[1], scale * q[2], scale * q[3]


@compiled
def exp(v: Vector) -> Quaternion:
    half = length(v) / 2.0
    scale = 0.5 * math.sin(half) / half if half > 1e-12 else 0.5
    return math.cos(half), scale * v[0], scale * v[1], scale * v[2]


@compiled
def from_axes(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """The rotation that turns the world's axes into ``x``, ``y``, ``z`` (Shepperd's rule)."""
    trace = x[0] + y[1] + z[2]
    if trace >= x[0] and trace >= y[1] and trace >= z[2]:
        q = (1.0 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0])
    elif x[0] >= y[1] and x[0] >= z[2]:
        q = (y[2] - z[1], 1.0 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2])
    elif y[1] >= z[2]:
        q = (z[0] - x[2], y[0] + x[1], 1.0 - x[0] + y[1] - z[2], z[1] + y[2])
    else:
        q = (x[1] - y[0], z[0] + x[2], z[1] + y[2], 1.0 - x[0] - y[1] + z[2])
    size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * size, q[1] * size, q[2] * size, q[3] * size


@compiled
def solve3(a: Vector, b: Vector, c: Vector, right: Vector) -> Vector:
    """x with x0 a + x1 b + x2 c = right (Cramer's rule)."""
    whole = dot(a, cross(b, c))
    if abs(whole) < 1e-30:
        return right
    return dot(right, cross(b, c)) / whole, dot(right, cross(c, a)) / whole, dot(right, cross(a, b)) / whole


@compiled
def forward(
    parents: np.ndarray, offsets: Array, root: Vector, rotation: Array, position: Array, world: Array
) -> None:
    """World position (J, 3) and rotation (J, 4) of every joint for one frame's rotations (J, 4)."""
    position[0, 0], position[0, 1], position[0, 2] = root
    world[0] = rotation[0]
    for j in range(1, len(parents)):
        up = parents[j]
        q = quaternion(world[up], 0)
        bone = rotate(q, vector(offsets[j], 0))
        position[j, 0], position[j, 1], position[j, 2] = add(vector(position[up], 0), bone)
        world[j, 0], world[j, 1], world[j, 2], world[j, 3] = multiply(q, quaternion(rotation[j], 0))
