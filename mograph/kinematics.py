"""Where every joint is: forward kinematics over all frames at once, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mograph import rotations
from mograph.clip import Clip
from mograph.rotations import Array
from mograph.skeleton import Skeleton


@dataclass(frozen=True)
class Poses:
    """World positions and rotations of all joints of a clip."""

    position: Array  # (T, J, 3) [m]
    rotation: Array  # (T, J, 4)
    end_position: Array  # (T, E, 3) tips of bones [m]


def forward(skeleton: Skeleton, root_position: Array, rotation: Array) -> Poses:
    """World position and rotation of every joint for every frame.

    >>> line = Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]])
    >>> quarter = rotations.from_axis_angle([1.0, 0.0, 0.0], np.pi / 2)
    >>> pose = forward(line, np.zeros((1, 3)), np.stack([[quarter, rotations.IDENTITY]]))
    >>> pose.position[0, 1].round(6).tolist()
    [0.0, 0.0, 1.0]
    """
    frames, joints = rotation.shape[:2]
    position = np.empty((frames, joints, 3))
    world = np.empty((frames, joints, 4))
    position[:, 0], world[:, 0] = root_position, rotation[:, 0]
    for level in _levels(skeleton):  # all joints of one depth together: fewer, larger array operations
        up = skeleton.parents[level]
        world[:, level] = rotations.multiply(world[:, up], rotation[:, level])
        position[:, level] = position[:, up] + rotations.rotate(world[:, up], skeleton.offsets[level])
    tips = skeleton.end_parents
    end = position[:, tips] + rotations.rotate(world[:, tips], skeleton.end_offsets)
    return Poses(position, world, end)


def _levels(skeleton: Skeleton) -> list[np.ndarray]:
    depth = np.zeros(len(skeleton), int)
    for j in range(1, len(skeleton)):
        depth[j] = depth[skeleton.parents[j]] + 1
    return [np.flatnonzero(depth == d) for d in range(1, depth.max() + 1)]


def poses(clip: Clip) -> Poses:
    """Forward kinematics of a clip."""
    return forward(clip.skeleton, clip.root_position, clip.rotation)


def local_rotations(skeleton: Skeleton, world: Array) -> Array:
    """Joint rotations relative to their parents from world rotations ``(T, J, 4)``."""
    local = world.copy()
    local[:, 1:] = rotations.multiply(rotations.inverse(world[:, skeleton.parents[1:]]), world[:, 1:])
    return local


def velocity(values: Array, fps: float) -> Array:
    """First derivative along axis 0 by central differences (one-sided at the ends)."""
    if len(values) < 2:
        return np.zeros_like(values)
    return np.gradient(values, 1.0 / fps, axis=0)


def centre_of_mass(poses: Poses, mass: Array, centre: Array) -> Array:
    """Centre of mass (T, 3) of joints that carry ``mass`` (J,) at ``centre`` (J, 3) in their own frames."""
    world = poses.position + rotations.rotate(poses.rotation, centre)
    return np.einsum("j,tjk->tk", mass / mass.sum(), world)
