"""Compiled spatial algebra: twists, wrenches and inertias as tuples of numbers.

A twist is (angular velocity; velocity of the point at the origin), a wrench (force; moment about the origin);
in this order both share one cross product (Fang F09). An inertia is mass m, first moment h and second moment
J about the origin, J as six numbers (xx, xy, xz, yy, yz, zz); a rate of inertia is (h', J').
"""

from __future__ import annotations

from mograph.dynamics.compiled import compiled
from mograph.rotations import Array

Vector = tuple[float, float, float]
Spatial = tuple[Vector, Vector]  # angular and linear, or force and moment
Symmetric = tuple[float, float, float, float, float, float]


@compiled
def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@compiled
def add(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@compiled
def sub(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@compiled
def triple(a: Array, k: int) -> Vector:
    return (a[k], a[k + 1], a[k + 2])


@compiled
def cross6(a: Spatial, b: Spatial) -> Spatial:
    """Spatial cross product of a twist with a twist or a wrench."""
    return (cross(a[0], b[0]), add(cross(a[1], b[0]), cross(a[0], b[1])))


@compiled
def add6(a: Spatial, b: Spatial) -> Spatial:
    return (add(a[0], b[0]), add(a[1], b[1]))


@compiled
def sub6(a: Spatial, b: Spatial) -> Spatial:
    return (sub(a[0], b[0]), sub(a[1], b[1]))


@compiled
def symmetric(J: Array, w: Vector) -> Vector:
    """Symmetric matrix (xx, xy, xz, yy, yz, zz) times a vector."""
    return (
        J[0] * w[0] + J[1] * w[1] + J[2] * w[2],
        J[1] * w[0] + J[3] * w[1] + J[4] * w[2],
        J[2] * w[0] + J[4] * w[1] + J[5] * w[2],
    )


@compiled
def inertia_times(m: float, h: Vector, J: Array, s: Spatial) -> Spatial:
    """Momentum of an inertia under a twist."""
    w, u = s
    f = cross(w, h)
    return ((m * u[0] + f[0], m * u[1] + f[1], m * u[2] + f[2]), add(symmetric(J, w), cross(h, u)))


@compiled
def rate_times(dh: Vector, dJ: Array, s: Spatial) -> Spatial:
    """Rate of inertia times a twist (no mass is gained)."""
    return (cross(s[0], dh), add(symmetric(dJ, s[0]), cross(dh, s[1])))


@compiled
def carried(m: float, h: Vector, J: Array, s: Spatial) -> tuple[Vector, Symmetric]:
    """Rate of an inertia that a twist carries along: s~ I - I s~."""
    w, u = s
    dh = cross(w, h)
    a00, a01, a02 = w[1] * J[2] - w[2] * J[1], w[1] * J[4] - w[2] * J[3], w[1] * J[5] - w[2] * J[4]
    a10, a11, a12 = w[2] * J[0] - w[0] * J[2], w[2] * J[1] - w[0] * J[4], w[2] * J[2] - w[0] * J[5]
    a20, a21, a22 = w[0] * J[1] - w[1] * J[0], w[0] * J[3] - w[1] * J[1], w[0] * J[4] - w[1] * J[2]
    d = 2.0 * (u[0] * h[0] + u[1] * h[1] + u[2] * h[2])
    dJ = (
        2.0 * (a00 - h[0] * u[0]) + d,
        a01 + a10 - h[0] * u[1] - u[0] * h[1],
        a02 + a20 - h[0] * u[2] - u[0] * h[2],
        2.0 * (a11 - h[1] * u[1]) + d,
        a12 + a21 - h[1] * u[2] - u[1] * h[2],
        2.0 * (a22 - h[2] * u[2]) + d,
    )
    return ((dh[0] + m * u[0], dh[1] + m * u[1], dh[2] + m * u[2]), dJ)


@compiled
def times(R: Array, v: Vector) -> Vector:
    """Matrix stored as nine numbers, row by row, times a vector."""
    return (
        R[0] * v[0] + R[1] * v[1] + R[2] * v[2],
        R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
        R[6] * v[0] + R[7] * v[1] + R[8] * v[2],
    )
