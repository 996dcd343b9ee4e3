"""What ground can do: limits on the force and moment it gives, with gradients (Fang's C1 to C5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mograph.rotations import Array


@dataclass(frozen=True, eq=False)
class Support:
    """A patch of ground that carries the body, frame by frame; vectors in world axes.

    ``side`` and ``front`` reach from the centre to the middles of the patch's edges and stand at right
    angles to each other and to the normal. Of captured motion (30/s, 8 Hz) 95 % of the frames need friction
    under 0.5 and twist under 0.03 m; the limits here leave room above that.
    """

    centre: Array  # (T, 3) [m]
    normal: Array  # (T, 3) unit vectors out of the ground
    side: Array  # (T, 3) [m]
    front: Array  # (T, 3) [m]
    friction: float = 0.8  # tangential over normal force [1, 0.3..1]
    twist: float = 0.05  # moment about the normal over normal force [m, 0.02..0.1]
    most: float = 5.0 * 9.81 * 70.0  # greatest normal force [N]; 5 body weights of a 70 kg person


# one-sided forms of C1 to C5, each is to be at least zero; the upper bound of C1 always holds and is left out
ROWS = (
    "friction",
    "tip_side_low",
    "tip_side_high",
    "tip_front_low",
    "tip_front_high",
    "twist_low",
    "twist_high",
    "push",
    "strongest",
)


def contact_constraints(wrench: Array, support: Support, smooth: float = 1e-3) -> tuple[Array, Array]:
    """Values (T, 9) that must not be negative and their gradients (T, 9, 6) by the wrench.

    ``wrench`` (T, 6) is force and moment about the world's origin. About the patch's centre c the moment is
    n = moment - c × force (erratum E3). With the normal force fn and the tangential ft:

    - C1 friction: mu fn - |ft|, with |ft| rounded off within ``smooth`` [N] so that zero has a gradient;
    - C2, C3 tipping: fn |side| -+ front^ . n and fn |front| -+ side^ . n, the same as a centre of pressure
      inside the rectangle, but without dividing by fn;
    - C4 twist: fn K -+ N . n;
    - C5 normal force: fn and most - fn.
    """
    force, moment = wrench[:, :3], wrench[:, 3:] - np.cross(support.centre, wrench[:, :3])
    normal = support.normal
    fn = _dot(normal, force)
    tangential = force - fn[:, None] * normal
    size = np.sqrt(_dot(tangential, tangential) + smooth**2)

    values = np.empty((len(wrench), len(ROWS)))
    gradient = np.zeros((len(wrench), len(ROWS), 6))
    values[:, 0] = support.friction * fn - (size - smooth)
    gradient[:, 0, :3] = support.friction * normal - tangential / size[:, None]

    side, front = (np.linalg.norm(v, axis=1) for v in (support.side, support.front))
    levers = (
        (side, support.front / front[:, None]),
        (front, support.side / side[:, None]),
        (np.full(len(wrench), support.twist), normal),
    )
    for k, (lever, axis) in enumerate(levers):
        along = _dot(axis, moment)
        moved = np.cross(axis, support.centre)  # d(axis . n) / d force = -(axis × c)
        for low, sign in ((1 + 2 * k, 1.0), (2 + 2 * k, -1.0)):
            values[:, low] = fn * lever + sign * along
            gradient[:, low, :3] = lever[:, None] * normal - sign * moved
            gradient[:, low, 3:] = sign * axis
    values[:, 7] = fn
    values[:, 8] = support.most - fn
    gradient[:, 7, :3], gradient[:, 8, :3] = normal, -normal
    return values, gradient


def polygon_constraints(wrench: Array, corners: Array, normal: Array) -> tuple[Array, Array]:
    """Tipping over the edges of a convex polygon: values (T, V) not to be negative, gradients (T, V, 6).

    ``corners`` (T, V, 3) go counter-clockwise seen against ``normal`` (T, 3), from the side it points to.
    For the edge from p to p' with inward direction m = N × (p' - p)^ the value is the normal force times
    m . (centre of pressure - p), which is m . (N × n) with the moment n about p; a doubled corner gives zero.
    """
    along = np.roll(corners, -1, axis=1) - corners
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    edge = along / np.where(length > 0, length, 1.0)
    # m . (N × n) = n . (m × N) = n . edge, because m = N × edge and edge is at right angles to N
    moment = wrench[:, None, 3:] - np.cross(corners, wrench[:, None, :3])
    edge = edge - np.sum(edge * normal[:, None], axis=-1, keepdims=True) * normal[:, None]
    values = np.sum(edge * moment, axis=-1)
    gradient = np.concatenate([-np.cross(edge, corners), edge], axis=-1)
    return values, gradient


def flight_constraints(wrench: Array) -> tuple[Array, Array]:
    """In flight nobody gives anything: the wrench itself (T, 6) must be zero; its gradient is one."""
    return wrench, np.broadcast_to(np.eye(6), (len(wrench), 6, 6))


def centre_of_pressure(wrench: Array, height: float = 0.0) -> Array:
    """Where the ground's force acts (T, 3) on the level plane at ``height`` [m]; NaN where nothing pushes.

    >>> centre_of_pressure(np.array([[0.0, 700, 0, -140, 0, 70]])).round(3).tolist()
    [[0.1, 0.0, 0.2]]
    """
    force, moment = wrench[:, :3], wrench[:, 3:]
    about = moment - np.cross(np.array([0.0, height, 0.0]), force)
    push = np.where(np.abs(force[:, 1]) > 1e-9, force[:, 1], np.nan)
    return np.stack(
        [about[:, 2] / push, np.where(np.isnan(push), np.nan, height), -about[:, 0] / push], axis=1
    )


def _dot(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=-1)
