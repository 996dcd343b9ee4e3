"""The moments a motion takes: inverse dynamics of the whole body over all frames at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph.dynamics.body_motion import BodyMotion
from mograph.dynamics.mass_model import MassModel
from mograph.errors import SkeletonError
from mograph.rotations import Array
from mograph.skeleton import Skeleton

GRAVITY: Array = np.array([0.0, -9.81, 0.0])  # [m/s²]


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """What a motion needs if the world holds the body at the root and nowhere else.

    ``torque[t, j]`` is the moment joint ``j`` puts on its body, in the joint's own frame; the root's row and
    ``wrench`` are what the world has to supply.
    """

    torque: Array  # (T, J, 3) [N m]
    wrench: Array  # (T, 6) force [N] and moment about the world's origin [N m], gravity already taken off


def inverse_dynamics(
    skeleton: Skeleton, model: MassModel, motion: BodyMotion, gravity: Array = GRAVITY
) -> InverseDynamics:
    """Joint moments and the wrench the world must supply, by recursive Newton-Euler (Fang F10).

    >>> from mograph.rotations import identity
    >>> arm = Skeleton(("body", "arm"), [-1, 0], [[0, 0, 0], [0, 0, 0]])
    >>> lamp = MassModel(np.array([0.0, 2.0]), np.array([[0.0, 0, 0], [0, 0, 0.5]]), np.zeros((2, 3, 3)))
    >>> held = inverse_dynamics(arm, lamp, BodyMotion.at_rest(np.zeros((1, 3)), identity(1, 2)))
    >>> held.torque[0, 1].round(2).tolist(), held.wrench[0, :3].round(2).tolist()
    ([-9.81, 0.0, 0.0], [0.0, 19.62, 0.0])
    """
    from mograph.dynamics.newton_euler_kernel import newton_euler

    check(skeleton, model, motion)
    torque = np.zeros((*motion.rotation.shape[:2], 3))
    wrench = np.empty((len(motion), 6))
    newton_euler(
        carrying_joints(skeleton, model),
        skeleton.parents,
        skeleton.offsets,
        plain(model.mass),
        plain(model.centre),
        plain(model.inertia),
        plain(gravity),
        plain(motion.root_position),
        plain(motion.rotation),
        plain(motion.root_acceleration),
        plain(motion.velocity),
        plain(motion.acceleration),
        torque,
        wrench,
    )
    return InverseDynamics(torque, wrench)


def carrying_joints(skeleton: Skeleton, model: MassModel) -> NDArray[np.int64]:
    """Joints with mass in them or below them, parents first; the root is always one."""
    below = np.array(model.mass)
    for j in range(len(skeleton) - 1, 0, -1):
        below[skeleton.parents[j]] += below[j]
    return np.concatenate([[0], 1 + np.flatnonzero(below[1:] > 0)])


def plain(values: Array) -> Array:
    """A contiguous array of doubles that may be written: one compiled version of each kernel serves all."""
    return np.require(values, np.float64, ["C", "W"])


def check(skeleton: Skeleton, model: MassModel, motion: BodyMotion) -> None:
    """Refuse arrays that do not belong together before a kernel reads past their ends."""
    frames, joints = len(motion), len(skeleton)
    want: dict[str, tuple[int, ...]] = {}
    want |= {"root_position": (frames, 3), "root_velocity": (frames, 3), "root_acceleration": (frames, 3)}
    want |= {"rotation": (frames, joints, 4), "velocity": (frames, joints, 3)}
    want |= {"acceleration": (frames, joints, 3)}
    for name, shape in want.items():
        if np.shape(getattr(motion, name)) != shape:
            raise SkeletonError(
                f"motion's {name} is {np.shape(getattr(motion, name))}; this skeleton needs {shape}"
            )
    if model.mass.shape != (joints,) or model.centre.shape != (joints, 3):
        raise SkeletonError(f"mass model for {len(model.mass)} joints does not fit a skeleton of {joints}")
