"""Plain numbers for a pose: coordinates of a skeleton, and how derivatives follow from joints to them.

A pose is D numbers: the root's place (3), then for every joint a rotation vector (3 degrees of freedom), two
angles about its first axis and then its second, one angle, or nothing.

The rotation R(x) of a joint with coordinates x turns at w = E(x) x' in its own frame. A variation dx turns it
by d = E dx, and since dw = d' + w × d, everything the chain rule needs is E and its rates along the motion:

    dw/dx' = E                 dw/dx = E' + [w] E
    da/dx'' = E    da/dx' = 2 E' + [w] E    da/dx = E'' + [a] E + [w] E'        (a = w')
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.dynamics.body_motion import BodyMotion
from mograph.rotations import Array
from mograph.skeleton import Skeleton


def degrees_of_freedom(skeleton: Skeleton) -> tuple[NDArray[np.int64], Array]:
    """How many axes each joint is free to turn about (J,), the root always three, and unit axes (J, 3, 3)."""
    assert skeleton.dof is not None  # the skeleton fills both in
    assert skeleton.axes is not None
    dof = np.array(skeleton.dof)
    dof[0] = 3
    length = np.linalg.norm(skeleton.axes, axis=-1, keepdims=True)
    return dof, skeleton.axes / np.where(length > 0, length, 1.0)


def free_axes(skeleton: Skeleton, rotation: Array) -> Array:
    """Axes (T, J, 3, 3) each joint is free to turn about, as columns in its own frame; zero where it is not.

    A joint with three degrees of freedom is a ball: its axes are its own. With one, the axis is fixed. With
    two, it turns about its first axis, fixed in the parent, and then about its second, fixed in itself, so
    that the columns are R^T a1 and a2.
    """
    dof, fixed = degrees_of_freedom(skeleton)
    axes = np.zeros((*rotation.shape[:2], 3, 3))
    axes[:, dof == 3] = np.eye(3)
    axes[..., 0][:, dof == 1] = fixed[dof == 1, 0]
    two = dof == 2
    axes[..., 0][:, two] = rotations.rotate(rotations.inverse(rotation[:, two]), fixed[two, 0])
    axes[..., 1][:, two] = fixed[two, 1]
    return axes


def on_free_axes(skeleton: Skeleton, rotation: Array, torque: Array) -> Array:
    """Generalised torques (T, D - 6): the joints' moments (T, J, 3) along their free axes, root left out."""
    along = np.einsum("tjik,tji->tjk", free_axes(skeleton, rotation), torque)
    return along[:, _chosen(degrees_of_freedom(skeleton)[0])][:, 3:]


def muscle_part(skeleton: Skeleton, rotation: Array, torque: Array) -> Array:
    """The part (T, J, 3) of the joints' moments about their free axes; bones carry the rest."""
    axes = free_axes(skeleton, rotation)
    dof, _ = degrees_of_freedom(skeleton)
    out = np.where((dof == 3)[:, None], torque, 0.0)
    first = axes[..., 0][:, dof == 1]
    out[:, dof == 1] = first * np.sum(first * torque[:, dof == 1], axis=-1, keepdims=True)
    two = dof == 2
    across = np.cross(axes[..., 0][:, two], axes[..., 1][:, two])
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    out[:, two] = torque[:, two] - across * np.sum(across * torque[:, two], axis=-1, keepdims=True)
    return out


def _chosen(dof: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.arange(3) < dof[:, None]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion given by coordinates and their rates, with what the chain rule to those coordinates needs."""

    motion: BodyMotion
    dof: NDArray[np.int64]  # (J,)
    basis: Array  # (T, J, 3, 3) E, in the columns of AggregateDerivatives
    basis_rate: Array  # E'
    basis_bend: Array  # E''

    @property
    def size(self) -> int:
        """Number D of coordinates of one pose."""
        return 3 + int(self.dof.sum())

    def to_coordinates(self, by_pose: Array, by_velocity: Array, by_acceleration: Array) -> tuple[Array, ...]:
        """Derivatives (T, m, 3 + 3 J) by small turns and rates as derivatives (T, m, D) by x, x' and x''."""
        frames, rows = by_pose.shape[:2]
        joints = len(self.dof)
        q, v, a = (
            np.moveaxis(d[..., 3:].reshape(frames, rows, joints, 3), 1, 2)
            for d in (by_pose, by_velocity, by_acceleration)
        )
        spin, bend = _skew(self.motion.velocity), _skew(self.motion.acceleration)
        E, dE, ddE = self.basis, self.basis_rate, self.basis_bend
        turning = spin @ E
        hinge = self.dof == 1  # its one column is the axis itself: nothing turns it
        turning[:, hinge] = 0.0
        bending = bend @ E + spin @ dE
        bending[:, hinge] = 0.0
        chained = (
            q @ E + v @ (dE + turning) + a @ (ddE + bending),
            v @ E + a @ (2.0 * dE + turning),
            a @ E,
        )
        chosen = _chosen(self.dof)
        return tuple(
            np.concatenate([d[..., :3], np.moveaxis(c, 2, 1)[:, :, chosen]], axis=-1)
            for d, c in zip((by_pose, by_velocity, by_acceleration), chained, strict=True)
        )


def trajectory(skeleton: Skeleton, x: Array, rate: Array, bend: Array) -> Trajectory:
    """The motion with coordinates ``x`` (T, D) and their first and second time derivatives.

    >>> turn = Skeleton(("root",), [-1], [[0, 0, 0]])
    >>> x, rate = np.array([[0, 0, 0, 0, 0.5, 0]]), np.array([[0, 0, 0, 0, 2.0, 0]])
    >>> one = trajectory(turn, x, rate, np.zeros((1, 6)))
    >>> one.motion.velocity.tolist()
    [[[0.0, 2.0, 0.0]]]
    """
    dof, axes = degrees_of_freedom(skeleton)
    chosen = _chosen(dof)
    frames, joints = len(x), len(skeleton)
    own = np.zeros((3, frames, joints, 3))
    for k, values in enumerate((x, rate, bend)):
        own[k][:, chosen] = values[:, 3:]
    rotation = rotations.identity(frames, joints)
    E, dE, ddE = (np.zeros((frames, joints, 3, 3)) for _ in range(3))

    ball = dof == 3
    rotation[:, ball] = rotations.exp(own[0][:, ball])
    E[:, ball], dE[:, ball], ddE[:, ball] = rotation_vector_rates(*own[:, :, ball])

    hinge = dof == 1
    rotation[:, hinge] = rotations.from_axis_angle(axes[hinge, 0], own[0][:, hinge, 0])
    E[..., 0][:, hinge] = axes[hinge, 0]

    two = dof == 2
    first, second = axes[two, 0], axes[two, 1]
    back = rotations.from_axis_angle(second, own[0][:, two, 1])
    rotation[:, two] = rotations.multiply(rotations.from_axis_angle(first, own[0][:, two, 0]), back)
    moved = rotations.rotate(rotations.inverse(back), first)  # the first axis seen from the joint
    across = np.cross(moved, second)
    speed, gain = own[1][:, two, 1, None], own[2][:, two, 1, None]
    E[..., 0][:, two], E[..., 1][:, two] = moved, second
    dE[..., 0][:, two] = across * speed
    ddE[..., 0][:, two] = np.cross(across, second) * speed**2 + across * gain

    velocity = np.einsum("tjik,tjk->tji", E, own[1])
    acceleration = np.einsum("tjik,tjk->tji", E, own[2]) + np.einsum("tjik,tjk->tji", dE, own[1])
    motion = BodyMotion(x[:, :3], rotation, rate[:, :3], velocity, bend[:, :3], acceleration)
    E[:, hinge] = 0.0
    E[..., 0, 0][:, hinge] = 1.0  # in the columns of the derivatives a hinge's axis is the first direction
    return Trajectory(motion, dof, E, dE, ddE)


def rotation_vector_rates(x: Array, rate: Array, bend: Array) -> tuple[Array, Array, Array]:
    """E with w = E(x) x' for rotation vectors x (..., 3), and its first and second time derivative.

    E = 1 - a [x] + b [x]^2 with a = (1 - cos r)/r^2, b = (r - sin r)/r^3, r = |x|; a and b are smooth
    functions of s = r^2, whose derivatives follow from a_s = (sin r / r - 2a)/(2s), b_s = (a - 3b)/(2s).
    """
    s = np.sum(x * x, axis=-1)
    ds = 2.0 * np.sum(x * rate, axis=-1)
    dds = 2.0 * (np.sum(rate * rate, axis=-1) + np.sum(x * bend, axis=-1))
    a, b = _smooth(s, 2), _smooth(s, 3)
    X, dX, ddX = _skew(x), _skew(rate), _skew(bend)
    XX, dXX = X @ X, dX @ X + X @ dX
    ddXX = ddX @ X + 2.0 * (dX @ dX) + X @ ddX

    def along(f: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        value, first, second = f
        rates = (value, first * ds, second * ds**2 + first * dds)
        return rates[0][..., None, None], rates[1][..., None, None], rates[2][..., None, None]

    (a0, a1, a2), (b0, b1, b2) = along(a), along(b)
    E = np.eye(3) - a0 * X + b0 * XX
    dE = -a1 * X - a0 * dX + b1 * XX + b0 * dXX
    ddE = -a2 * X - 2.0 * a1 * dX - a0 * ddX + b2 * XX + 2.0 * b1 * dXX + b0 * ddXX
    return E, dE, ddE


def _smooth(s: Array, n: int) -> tuple[Array, Array, Array]:
    """Sum over k of (-s)^k / (2k + n)! and its first two derivatives by s (n = 2: a, n = 3: b).

    By the series for small s, where the closed forms lose their digits, and by those forms beyond.
    """
    terms = np.cumprod([1.0, *(-1.0 / ((2 * k + n) * (2 * k + n - 1)) for k in range(1, 14))])
    terms /= np.prod(np.arange(1, n + 1))
    series = np.polynomial.Polynomial(terms)
    small = np.minimum(s, 1.0)
    near = (series(small), series.deriv()(small), series.deriv(2)(small))
    big = np.maximum(s, 1.0)
    r = np.sqrt(big)
    sinc, cosine = np.sin(r) / r, np.cos(r)
    a = (1.0 - cosine) / big
    b = (1.0 - sinc) / big
    sinc_s = (cosine - sinc) / (2 * big)
    a_s, b_s = (sinc - 2 * a) / (2 * big), (a - 3 * b) / (2 * big)
    a_ss, b_ss = (sinc_s - 4 * a_s) / (2 * big), (a_s - 5 * b_s) / (2 * big)
    far = (a, a_s, a_ss) if n == 2 else (b, b_s, b_ss)
    return tuple(np.where(s < 1.0, x, y) for x, y in zip(near, far, strict=True))  # type: ignore[return-value]


def _skew(v: Array) -> Array:
    out = np.zeros((*v.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out
