"""Unit quaternions ``(w, x, y, z)`` on whole arrays; the last axis holds the four numbers.

Everything broadcasts, so ``(frames, joints, 4)`` times ``(4,)`` works. Written on numpy alone because
``scipy.spatial.transform`` orders quaternions the other way, takes longer to import than the rest of
the package, and is slower on arrays of this shape; the tests use it as the independent witness.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
UP: Array = np.array([0.0, 1.0, 0.0])
FORWARD: Array = np.array([0.0, 0.0, 1.0])


def identity(*shape: int) -> Array:
    """Identity rotations of the given shape.

    >>> identity(2).tolist()
    [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    """
    return np.broadcast_to(IDENTITY, (*shape, 4)).copy()


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Composition ``a b``: first rotate by ``b``, then by ``a``.

    >>> quarter = from_yaw(np.pi / 2)
    >>> np.allclose(multiply(quarter, quarter), from_yaw(np.pi))
    True
    """
    aw, ax, ay, az = np.moveaxis(np.asarray(a, float), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, float), -1, 0)
    out = np.empty((*np.broadcast_shapes(aw.shape, bw.shape), 4))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def inverse(q: ArrayLike) -> Array:
    """The opposite rotation (the conjugate, since all quaternions here have length one)."""
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Turn vectors ``v`` by rotations ``q``.

    >>> rotate(from_yaw(np.pi / 2), [0.0, 0.0, 1.0]).round(6).tolist()
    [1.0, 0.0, 0.0]
    """
    q, v = np.asarray(q, float), np.asarray(v, float)
    w, x, y, z = np.moveaxis(q, -1, 0)
    vx, vy, vz = np.moveaxis(v, -1, 0)
    # v + 2 w (u x v) + 2 u x (u x v), with u the vector part
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    out = np.empty((*np.broadcast_shapes(w.shape, vx.shape), 3))
    out[..., 0] = vx + w * tx + y * tz - z * ty
    out[..., 1] = vy + w * ty + z * tx - x * tz
    out[..., 2] = vz + w * tz + x * ty - y * tx
    return out


def normalise(q: ArrayLike) -> Array:
    """Quaternions scaled to length one."""
    q = np.asarray(q, float)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def continuous(q: ArrayLike) -> Array:
    """The same rotations with signs chosen so that each is nearest to the one before it along axis 0."""
    q = np.array(q, float)
    if len(q) > 1:
        flip = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0), axis=0)
        q[1:] *= flip[..., None]
    return q


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation by ``angle`` [rad] about unit vectors ``axis``."""
    axis, half = np.asarray(axis, float), np.asarray(angle, float)[..., None] / 2.0
    return _assemble(np.cos(half), np.sin(half) * axis)


def _assemble(w: Array, xyz: Array) -> Array:
    out = np.empty((*np.broadcast_shapes(w.shape[:-1], xyz.shape[:-1]), 4))
    out[..., :1] = w
    out[..., 1:] = xyz
    return out


def exp(vector: ArrayLike) -> Array:
    """Rotation of a rotation vector (axis times angle in radians)."""
    v = np.asarray(vector, float)
    half = np.linalg.norm(v, axis=-1, keepdims=True) / 2.0
    return _assemble(np.cos(half), 0.5 * np.sinc(half / np.pi) * v)


def log(q: ArrayLike) -> Array:
    """Rotation vector of a rotation, of length at most pi; the inverse of :func:`exp`.

    >>> log(exp([0.1, -0.2, 0.3])).round(9).tolist()
    [0.1, -0.2, 0.3]
    """
    q = np.asarray(q, float)
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    scale = np.where(sine > 1e-9, angle / np.where(sine > 1e-9, sine, 1.0), 2.0)
    return scale * q[..., 1:]


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Angle [rad, 0..pi] of the rotation that leads from ``a`` to ``b``."""
    return np.linalg.norm(log(multiply(inverse(a), b)), axis=-1)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Rotation a share ``t`` of the way along the shorter arc from ``a`` to ``b``.

    >>> np.allclose(slerp(IDENTITY, from_yaw(1.0), 0.25), from_yaw(0.25))
    True
    """
    a = np.asarray(a, float)
    step = log(multiply(inverse(a), b))
    return multiply(a, exp(np.asarray(t, float)[..., None] * step))


def from_matrix(m: ArrayLike) -> Array:
    """Quaternions of rotation matrices ``(..., 3, 3)`` (Shepperd's rule: divide by the largest of four)."""
    m = np.asarray(m, float)
    d = np.diagonal(m, axis1=-2, axis2=-1)
    trace = d.sum(-1)
    sizes = np.stack([trace, d[..., 0], d[..., 1], d[..., 2]], axis=-1)
    k = np.argmax(sizes, axis=-1)[..., None]
    a, b, c = m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]
    at, bt, ct = m[..., 1, 2], m[..., 2, 0], m[..., 0, 1]
    candidates = np.stack(
        [
            np.stack([1 + trace, a - at, b - bt, c - ct], -1),
            np.stack([a - at, 1 + 2 * d[..., 0] - trace, c + ct, b + bt], -1),
            np.stack([b - bt, c + ct, 1 + 2 * d[..., 1] - trace, a + at], -1),
            np.stack([c - ct, b + bt, a + at, 1 + 2 * d[..., 2] - trace], -1),
        ],
        axis=-2,
    )
    q = np.take_along_axis(candidates, k[..., None], axis=-2)[..., 0, :]
    return normalise(np.where(q[..., :1] < 0, -q, q))


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrices ``(..., 3, 3)``; columns are the turned axes."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    m = np.empty((*w.shape, 3, 3))
    m[..., 0, 0] = 1 - 2 * (y * y + z * z)
    m[..., 0, 1] = 2 * (x * y - w * z)
    m[..., 0, 2] = 2 * (x * z + w * y)
    m[..., 1, 0] = 2 * (x * y + w * z)
    m[..., 1, 1] = 1 - 2 * (x * x + z * z)
    m[..., 1, 2] = 2 * (y * z - w * x)
    m[..., 2, 0] = 2 * (x * z - w * y)
    m[..., 2, 1] = 2 * (y * z + w * x)
    m[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return m


_AXES = {"X": np.array([1.0, 0.0, 0.0]), "Y": UP, "Z": FORWARD}


def from_euler(order: str, angles: ArrayLike) -> Array:
    """Rotation ``R_first R_second R_third`` for intrinsic angles [rad] in the given order, as BVH has them.

    >>> np.allclose(from_euler("ZYX", [0.0, 0.5, 0.0]), from_yaw(0.5))
    True
    """
    angles = np.asarray(angles, float)
    q = from_axis_angle(_AXES[order[0]], angles[..., 0])
    for k in range(1, len(order)):
        q = multiply(q, from_axis_angle(_AXES[order[k]], angles[..., k]))
    return q


def to_euler(order: str, q: ArrayLike) -> Array:
    """Angles [rad] such that ``from_euler(order, angles)`` is ``q``; ``order`` names three distinct axes."""
    i, j, k = ("XYZ".index(axis) for axis in order)
    parity = 1.0 if (j - i) % 3 == 1 else -1.0
    m = to_matrix(q)
    middle = np.arcsin(np.clip(parity * m[..., i, k], -1.0, 1.0))
    first = np.arctan2(-parity * m[..., j, k], m[..., k, k])
    third = np.arctan2(-parity * m[..., i, j], m[..., i, i])
    locked = np.abs(m[..., i, k]) > 1.0 - 1e-12  # only first ± third is determined: put it all into the first
    first = np.where(locked, np.arctan2(parity * m[..., k, j], m[..., j, j]), first)
    return np.stack([first, middle, np.where(locked, 0.0, third)], axis=-1)


def from_yaw(angle: ArrayLike) -> Array:
    """Turn about the vertical; positive turns +Z towards +X (to the character's left)."""
    return from_axis_angle(UP, angle)


def yaw(q: ArrayLike) -> Array:
    """Heading [rad] of the turned +Z axis: 0 faces +Z, positive turns to the left (towards +X).

    >>> float(yaw(from_yaw(0.7)).round(9))
    0.7
    """
    forward = rotate(q, FORWARD)
    return np.arctan2(forward[..., 0], forward[..., 2])


def between(u: ArrayLike, v: ArrayLike) -> Array:
    """The smallest rotation that turns directions ``u`` into directions ``v``.

    >>> rotate(between([0.0, 2.0, 0.0], [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]).round(9).tolist()
    [1.0, 0.0, 0.0]
    """
    u = np.asarray(u, float) / np.linalg.norm(u, axis=-1, keepdims=True)
    v = np.asarray(v, float) / np.linalg.norm(v, axis=-1, keepdims=True)
    u, v = np.broadcast_arrays(u, v)
    w = 1.0 + np.sum(u * v, axis=-1, keepdims=True)
    # opposite directions leave the axis open: take any one perpendicular to u
    helper = np.where(np.abs(u[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    xyz = np.where(w > 1e-12, np.cross(u, v), np.cross(u, helper))
    return normalise(_assemble(np.where(w > 1e-12, w, 0.0), xyz))
