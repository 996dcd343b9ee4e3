"""What the world must supply: aggregate momentum and force of a body, and their derivatives in linear time.

The aggregate force is the net force and moment that anything outside the body, gravity apart, has to give for
the motion to happen (Fang, chapters 4 and 5). A motion is physically possible if the ground can give it:
nothing in flight, what friction and the sole allow in contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mograph.dynamics.body_motion import BodyMotion
from mograph.dynamics.coordinates import degrees_of_freedom
from mograph.dynamics.inverse import GRAVITY, carrying_joints, check, plain
from mograph.dynamics.mass_model import MassModel
from mograph.errors import SkeletonError
from mograph.rotations import Array
from mograph.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Aggregate:
    """Momentum and force of the whole body, about the world's origin, in world axes."""

    com: Array  # (T, 3) centre of mass [m]
    momentum: Array  # (T, 6) linear [kg m/s] and angular [kg m²/s]
    force: Array  # (T, 6) force [N] and moment [N m] from the world, gravity not counted
    mass: float  # [kg]
    gravity: Array  # (3,) [m/s²]

    @property
    def com_velocity(self) -> Array:
        """Velocity of the centre of mass (T, 3) [m/s]."""
        return self.momentum[:, :3] / self.mass

    @property
    def com_acceleration(self) -> Array:
        """Acceleration of the centre of mass (T, 3) [m/s²]."""
        return self.force[:, :3] / self.mass + self.gravity

    @property
    def angular_momentum(self) -> Array:
        """Angular momentum about the centre of mass (T, 3) [kg m²/s]."""
        return self.momentum[:, 3:] - np.cross(self.com, self.momentum[:, :3])

    @property
    def com_moment(self) -> Array:
        """Moment about the centre of mass (T, 3) [N m]: the rate of the angular momentum."""
        return self.force[:, 3:] - np.cross(self.com, self.force[:, :3])


@dataclass(frozen=True, eq=False)
class AggregateDerivatives:
    """Derivatives of momentum and force, each (T, 6, 3 + 3 J).

    Columns: the root's place along the world's axes, then three per joint for a small turn about the joint's
    own axes (``_q``), or a change of its angular velocity (``_v``) or acceleration (``_a``) in them. A hinge
    uses the first of its three columns, for its axis; columns of directions that are not free are zero.
    The momentum's derivative by velocity equals ``force_a``.
    """

    momentum_q: Array
    force_q: Array
    force_v: Array
    force_a: Array


def aggregate_force(
    skeleton: Skeleton, model: MassModel, motion: BodyMotion, gravity: Array = GRAVITY
) -> Aggregate:
    """Aggregate momentum and force by Fang's leaf-to-base recursion (F11 with errata E1 and E2).

    >>> from mograph.rotations import identity
    >>> ball = MassModel(np.array([2.0]), np.zeros((1, 3)), np.eye(3)[None])
    >>> one = Skeleton(("ball",), [-1], [[0, 0, 0]])
    >>> still = BodyMotion.at_rest(np.array([[1.0, 0, 0]]), identity(1, 1))
    >>> aggregate_force(one, ball, still).force[0].tolist()
    [0.0, 19.62, 0.0, 0.0, 0.0, 19.62]
    """
    return _run(skeleton, model, motion, gravity, [np.empty((0, 0, 6))] * 4)


def aggregate_derivatives(
    skeleton: Skeleton,
    model: MassModel,
    motion: BodyMotion,
    gravity: Array = GRAVITY,
    again: AggregateDerivatives | None = None,
) -> tuple[Aggregate, AggregateDerivatives]:
    """The aggregate with its derivatives by pose, velocity and acceleration, in linear time (Fang F12).

    ``again`` may be an earlier result for the same body and number of frames, whose arrays are then
    overwritten: for long motions fresh memory costs as much as the arithmetic.
    """
    shape = (len(motion), 3 + 3 * len(skeleton), 6)
    tables = [np.zeros(shape) for _ in range(4)]
    if again is not None:
        parts = (again.momentum_q, again.force_q, again.force_v, again.force_a)
        tables = [np.swapaxes(part, 1, 2) for part in parts]
        if tables[0].shape != shape:
            raise SkeletonError(f"derivatives given to fill are {tables[0].shape}; this motion needs {shape}")
    whole = _run(skeleton, model, motion, gravity, tables)
    return whole, AggregateDerivatives(*(np.swapaxes(table, 1, 2) for table in tables))


def _run(
    skeleton: Skeleton, model: MassModel, motion: BodyMotion, gravity: Array, tables: Sequence[Array]
) -> Aggregate:
    from mograph.dynamics.aggregate_kernel import aggregate_recursion

    check(skeleton, model, motion)
    frames = len(motion)
    com, momentum, force = np.empty((frames, 3)), np.empty((frames, 6)), np.empty((frames, 6))
    dof, axes = degrees_of_freedom(skeleton)
    ball = dof > 1  # two free axes move with the joint: give all three directions and project later
    axes[ball] = np.eye(3)
    aggregate_recursion(
        carrying_joints(skeleton, model),
        skeleton.parents,
        skeleton.offsets,
        plain(model.mass),
        plain(model.centre),
        plain(model.inertia),
        plain(gravity),
        np.where(ball, 3, dof),
        axes,
        plain(motion.root_position),
        plain(motion.rotation),
        plain(motion.root_velocity),
        plain(motion.velocity),
        plain(motion.root_acceleration),
        plain(motion.acceleration),
        com,
        momentum,
        force,
        len(tables[0]) > 0,
        tables[0],
        tables[1],
        tables[2],
        tables[3],
    )
    return Aggregate(com, momentum, force, model.total, np.asarray(gravity, float))
