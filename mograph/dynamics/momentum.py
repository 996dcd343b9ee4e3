"""How every bone moves in the world: velocities, accelerations, momentum of the parts, point Jacobians."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mograph import rotations
from mograph.dynamics.body_motion import BodyMotion
from mograph.dynamics.mass_model import MassModel
from mograph.kinematics import Poses, forward
from mograph.rotations import Array
from mograph.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class WorldMotion:
    """Pose, velocity and acceleration of every joint in world axes."""

    position: Array  # (T, J, 3) [m]
    rotation: Array  # (T, J, 4)
    velocity: Array  # (T, J, 3) [m/s]
    angular_velocity: Array  # (T, J, 3) [rad/s]
    acceleration: Array  # (T, J, 3) [m/s²]
    angular_acceleration: Array  # (T, J, 3) [rad/s²]

    def point(self, joint: int, place: Array) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration (T, 3) of a point at ``place`` (3,) in a joint's frame."""
        arm = rotations.rotate(self.rotation[:, joint], place)
        spin = self.angular_velocity[:, joint]
        turning = np.cross(spin, arm)
        bending = np.cross(self.angular_acceleration[:, joint], arm) + np.cross(spin, turning)
        return (
            self.position[:, joint] + arm,
            self.velocity[:, joint] + turning,
            self.acceleration[:, joint] + bending,
        )


def world_motion(skeleton: Skeleton, motion: BodyMotion) -> WorldMotion:
    """Velocity and acceleration of every joint, all frames at once, from the root outwards."""
    poses = forward(skeleton, motion.root_position, motion.rotation)
    own = rotations.rotate(poses.rotation, motion.velocity)  # relative to the parent, in world axes
    change = rotations.rotate(poses.rotation, motion.acceleration)
    spin, bend, speed, gain = (np.empty_like(poses.position) for _ in range(4))
    spin[:, 0], bend[:, 0] = own[:, 0], change[:, 0]
    speed[:, 0], gain[:, 0] = motion.root_velocity, motion.root_acceleration
    for j in range(1, len(skeleton)):
        p = skeleton.parents[j]
        bone = poses.position[:, j] - poses.position[:, p]
        spin[:, j] = spin[:, p] + own[:, j]
        bend[:, j] = bend[:, p] + change[:, j] + np.cross(spin[:, j], own[:, j])
        turning = np.cross(spin[:, p], bone)
        speed[:, j] = speed[:, p] + turning
        gain[:, j] = gain[:, p] + np.cross(bend[:, p], bone) + np.cross(spin[:, p], turning)
    return WorldMotion(poses.position, poses.rotation, speed, spin, gain, bend)


def segment_momenta(skeleton: Skeleton, model: MassModel, motion: BodyMotion) -> Array:
    """Momentum (T, J, 6) of each joint's body: linear, and angular about the world's origin.

    Their sum is the aggregate momentum.
    """
    world = world_motion(skeleton, motion)
    arm = rotations.rotate(world.rotation, model.centre)
    linear = model.mass[:, None] * (world.velocity + np.cross(world.angular_velocity, arm))
    spin = rotations.rotate(rotations.inverse(world.rotation), world.angular_velocity)
    own = rotations.rotate(world.rotation, np.einsum("jab,tjb->tja", model.inertia, spin))
    return np.concatenate([linear, own + np.cross(world.position + arm, linear)], axis=-1)


def point_jacobian(skeleton: Skeleton, poses: Poses, joint: int, place: Array) -> Array:
    """Derivative (T, 3, 3 + 3 J) of the world position of a point fixed at ``place`` (3,) in a joint's frame.

    Columns as in :class:`~mograph.dynamics.aggregate.AggregateDerivatives`, every joint taken as a ball: the
    root's place, then a small turn of each joint about its own axes (Fang F16: z × (p - o)). The same matrix
    leads from velocities to the point's velocity.

    >>> line = Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]])
    >>> rest = forward(line, np.zeros((1, 3)), rotations.identity(1, 2))
    >>> point_jacobian(line, rest, 1, np.array([0.0, 1.0, 0.0]))[0, :, 3:6].round(6).tolist()
    [[0.0, 0.0, -2.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
    """
    frames, joints = poses.position.shape[:2]
    point = poses.position[:, joint] + rotations.rotate(poses.rotation[:, joint], place)
    jacobian = np.zeros((frames, 3, 3 + 3 * joints))
    jacobian[:, :, :3] = np.eye(3)
    for j in skeleton.chain(joint):
        axes = np.swapaxes(rotations.to_matrix(poses.rotation[:, j]), 1, 2)  # rows: the joint's turned axes
        moved = np.cross(axes, (point - poses.position[:, j])[:, None])
        jacobian[:, :, 3 + 3 * j : 6 + 3 * j] = np.swapaxes(moved, 1, 2)
    return jacobian
