"""Faults of capture put right: single-frame spikes and the T-pose some programs put in front."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.clip import Clip
from mograph.rotations import Array

# No human joint or hip accelerates beyond these; a frame that needs more to be reached and left is a fault.
JOINT_ACCELERATION = 4000.0  # [rad/s²] fast kicks and throws stay below about 2000
ROOT_ACCELERATION = 400.0  # [m/s²] landings of jumps stay below about 100
_LEAST_ANGLE = np.radians(8.0)
_LEAST_SHIFT = 0.02


def repair_spikes(clip: Clip) -> tuple[Clip, int]:
    """The clip with every single-frame spike replaced by the middle of its neighbours, and their number.

    A spike is a frame that lies off the middle of its two neighbours by more than the distance a body could
    cover, while the neighbours themselves agree with each other.
    """
    if len(clip) < 3:
        return clip, 0
    half_step_squared = 0.5 / clip.fps**2
    before, after = clip.rotation[:-2], clip.rotation[2:]
    middle = rotations.slerp(before, after, np.array(0.5))
    off = rotations.angle_between(middle, clip.rotation[1:-1])
    gap = rotations.angle_between(before, after)
    joint = _lonely((off > max(_LEAST_ANGLE, JOINT_ACCELERATION * half_step_squared)) & (off > 2 * gap), off)

    place = (clip.root_position[:-2] + clip.root_position[2:]) / 2
    off = np.linalg.norm(clip.root_position[1:-1] - place, axis=-1)
    gap = np.linalg.norm(clip.root_position[2:] - clip.root_position[:-2], axis=-1)
    root = _lonely((off > max(_LEAST_SHIFT, ROOT_ACCELERATION * half_step_squared)) & (off > 2 * gap), off)

    count = int(joint.sum() + root.sum())
    if count == 0:
        return clip, 0
    rotation, position = clip.rotation.copy(), clip.root_position.copy()
    rotation[1:-1][joint] = middle[joint]
    position[1:-1][root] = place[root]
    return clip.with_(rotation=rotation, root_position=position), count


def _lonely(spike: NDArray[np.bool_], off: Array) -> NDArray[np.bool_]:
    """Of neighbouring frames that both look like spikes (one pulls the other's middle off), the larger."""
    padded = np.pad(np.where(spike, off, 0.0), [(1, 1)] + [(0, 0)] * (off.ndim - 1))
    return spike & (off >= padded[:-2]) & (off > padded[2:])


def has_leading_t_pose(clip: Clip) -> bool:
    """Whether the first frame is a pose put in front: many joints jump from it at once, and none after.

    A body takes time to move; ten joints turning 15 degrees within one frame do not belong to the motion.
    """
    if len(clip) < 3:
        return False
    first = rotations.angle_between(clip.rotation[0], clip.rotation[1])
    second = rotations.angle_between(clip.rotation[1], clip.rotation[2])
    limit = max(np.radians(15.0), 0.5 * JOINT_ACCELERATION / clip.fps**2 / 4)
    jumps = int(np.sum((first > limit) & (first > 4 * second)))
    return jumps >= max(4, len(clip.skeleton) // 6)


def drop_leading_t_pose(clip: Clip) -> tuple[Clip, int]:
    """The clip without a T-pose put in front of it, and how many frames were dropped (0 or 1)."""
    return (clip.cut(1, len(clip)), 1) if has_leading_t_pose(clip) else (clip, 0)
