"""Joint torques of a clip: who carries the body on the ground, and what every joint has to do for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import Contact, ContactArray
from mograph.dynamics.aggregate import Aggregate, aggregate_force
from mograph.dynamics.body_motion import BodyMotion, motion_of
from mograph.dynamics.coordinates import muscle_part
from mograph.dynamics.inverse import GRAVITY, inverse_dynamics
from mograph.dynamics.mass_model import MassModel, foot_line, mass_model
from mograph.errors import MographError
from mograph.kinematics import Poses, forward
from mograph.rotations import Array
from mograph.skeleton import Skeleton

# body parts that can carry, in the order of the contact bits, with the joint they belong to
SUPPORTS = ("left_ankle", "right_ankle", "left_wrist", "right_wrist", "hips")
FOOT_LENGTH = 0.3  # share of the leg's length, for a foot whose bones do not show its end (de Leva: 0.30)


@dataclass(frozen=True, eq=False)
class Torques:
    """Moments in the joints and forces from the ground over a clip."""

    torque: Array  # (T, J, 3) [N m] muscles on each joint's body, in its frame; the root's is the residual
    residual: Array  # (T, 6) force [N] and moment about the origin [N m] that nobody supplies
    ground_force: Array  # (T, 5, 3) [N] on left foot, right foot, left hand, right hand, pelvis
    ground_moment: Array  # (T, 5, 3) [N m] about the points below
    ground_point: Array  # (T, 5, 3) [m] middle of the sole, wrist, hips
    aggregate: Aggregate  # momentum and total force of the body

    @property
    def effort(self) -> Array:
        """Sum of squared joint torques (T,) [N² m²], the energy proxy of Safonova's objective."""
        return np.sum(self.torque[:, 1:] ** 2, axis=(1, 2))


def joint_torques(
    clip: Clip,
    contact: ContactArray | None = None,
    model: MassModel | None = None,
    motion: BodyMotion | None = None,
    gravity: Array = GRAVITY,
) -> Torques:
    """Joint torques of a clip with the ground's force at the parts that ``contact`` says are down.

    A single support gives the whole wrench the motion needs. Several share it after Ko and Badler (1996,
    *Animating human locomotion with inverse dynamics*): each force is a share of the whole, and the shares
    of two feet are inverse to the horizontal distances from the centre of mass to the middles of their
    soles, so that the left foot gets d_right / (d_left + d_right). With more than two supports the shares
    go with 1 / d in the same way; hands carry only where nothing else is down. What moment is then left over
    is given in the same shares as pure moments. In flight nobody gives anything and the need is the
    ``residual``. Moments about axes a joint is not free to turn about are carried by the bones and left out.
    """
    contact = clip.contact if contact is None else np.asarray(contact, np.uint8)
    if contact is None:
        raise MographError(f"clip '{clip.name}' has no contacts; find them first or give them")
    if len(contact) != len(clip):
        raise MographError(f"clip '{clip.name}': {len(contact)} contacts for {len(clip)} frames")
    skeleton = clip.skeleton
    model = mass_model(skeleton) if model is None else model
    motion = motion_of(clip) if motion is None else motion
    free = inverse_dynamics(skeleton, model, motion, gravity)
    whole = aggregate_force(skeleton, model, motion, gravity)
    poses = forward(skeleton, motion.root_position, motion.rotation)
    down = carriers(contact)

    points = support_points(skeleton, poses)
    share = support_shares(points, whole.com, down)
    force = share[..., None] * free.wrench[:, None, :3]
    given = np.sum(np.cross(points, force), axis=1)
    held = np.any(down, axis=1, keepdims=True)
    left_over = np.where(held, free.wrench[:, 3:] - given, 0.0)
    moment = share[..., None] * left_over[:, None]

    torque = free.torque.copy()
    for k, role in enumerate(SUPPORTS):
        if not down[:, k].any():
            continue
        for j in skeleton.chain(skeleton.joint(role)):
            about = moment[:, k] + np.cross(points[:, k] - poses.position[:, j], force[:, k])
            torque[:, j] -= rotations.rotate(rotations.inverse(poses.rotation[:, j]), about)
    residual = np.where(held, 0.0, free.wrench)
    torque[:, 1:] = muscle_part(skeleton, motion.rotation, torque)[:, 1:]
    return Torques(torque, residual, force, moment, points, whole)


def carriers(contact: ContactArray) -> NDArray[np.bool_]:
    """Which of the five parts carry weight (T, 5).

    A hand carries only where neither a foot nor the pelvis is down: what it touches otherwise is a thing it
    picks up or places.

    >>> carriers(np.array([7, 4], np.uint8)).astype(int).tolist()
    [[1, 1, 0, 0, 0], [0, 0, 1, 0, 0]]
    """
    bits = np.array([int(part) for part in Contact if part], np.uint8)
    down: NDArray[np.bool_] = (contact[:, None] & bits) > 0
    down[:, 2:4] &= ~np.any(down[:, [0, 1, 4]], axis=1, keepdims=True)
    return down


def support_points(skeleton: Skeleton, poses: Poses) -> Array:
    """Where each part that can carry does so (T, 5, 3) [m]: middles of the soles, wrists, hips."""
    points = np.empty((len(poses.position), len(SUPPORTS), 3))
    for k, role in enumerate(SUPPORTS):
        joint = skeleton.joint(role)
        place = np.zeros(3)
        if role.endswith("ankle"):
            side = role.removesuffix("_ankle")
            heel, tip = foot_line(skeleton, side, FOOT_LENGTH * skeleton.leg_length)
            place = (heel + tip) / 2 - skeleton.rest_positions[joint]
            place[1] = min(heel[1], tip[1]) - skeleton.rest_positions[joint, 1]
        points[:, k] = poses.position[:, joint] + rotations.rotate(poses.rotation[:, joint], place)
    return points


def support_shares(points: Array, com: Array, down: NDArray[np.bool_]) -> Array:
    """Share (T, 5) of the ground's force each part carries; rows of frames with a support add up to one.

    >>> feet = np.array([[[0.1, 0, 0], [-0.3, 0, 0]]])
    >>> support_shares(feet, np.zeros((1, 3)), np.array([[True, True]])).round(3).tolist()
    [[0.75, 0.25]]
    """
    away = (points - com[:, None])[..., [0, 2]]
    nearness = down / np.maximum(np.linalg.norm(away, axis=-1), 1e-3)
    total = nearness.sum(axis=1, keepdims=True)
    return nearness / np.where(total > 0, total, 1.0)
