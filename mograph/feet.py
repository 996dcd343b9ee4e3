"""Feet over the ground: where ankles and toes are, how fast, and at what height they rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from mograph import kinematics
from mograph.clip import Clip
from mograph.rotations import Array
from mograph.skeleton import Skeleton

LEG = 0.85  # leg length the limits below are stated for [m]; others scale with the leg
SOLE = 0.03  # height at which the toe joint of a standing foot sits above the floor [m]
_SMOOTHING = 0.012  # standard deviation of the smoothing in time [s]
_SLOW = 0.15  # a point below this speed rests [m/s]


@dataclass(frozen=True)
class FootTracks:
    """Ankle and toe of both feet through a clip, smoothed a little: axes (T, foot, point, …).

    Foot 0 is left, 1 right; point 0 is the ankle, 1 the toe joint (the ankle again if there is no toe).
    """

    position: Array  # (T, 2, 2, 3) [m]
    speed: Array  # (T, 2, 2) [m/s]

    @property
    def height(self) -> Array:
        """Height above y = 0, (T, 2, 2) [m]."""
        return self.position[..., 1]


def foot_joints(skeleton: Skeleton) -> list[list[int]]:
    """Joint indices ``[[left ankle, left toe], [right ankle, right toe]]``."""
    sides = []
    for side in ("left", "right"):
        ankle = skeleton.joint(f"{side}_ankle")
        sides.append([ankle, skeleton.roles.get(f"{side}_toe", ankle)])
    return sides


def body_scale(skeleton: Skeleton) -> float:
    """How large the body is against the one the limits are stated for."""
    return skeleton.leg_length / LEG


def foot_tracks(clip: Clip, poses: kinematics.Poses | None = None) -> FootTracks:
    """Position and speed of ankles and toes through a clip."""
    poses = kinematics.poses(clip) if poses is None else poses
    position = poses.position[:, np.array(foot_joints(clip.skeleton))]
    sigma = _SMOOTHING * clip.fps
    if sigma > 0.5 and len(clip) > 1:
        position = gaussian_filter1d(position, sigma, axis=0, mode="nearest")
    speed = np.linalg.norm(kinematics.velocity(position, clip.fps), axis=-1)
    return FootTracks(position, speed)


def resting_heights(tracks: Sequence[FootTracks], scale: float = 1.0) -> Array:
    """Heights (foot, point) at which ankles and toes rest, from all clips of one subject together [m].

    The median over slow frames near the lowest heights; per clip it would be off by centimetres wherever
    a clip has no still stance. Where nothing ever rests, the 2nd percentile of the height stands in.
    """
    height = np.concatenate([t.height for t in tracks])
    speed = np.concatenate([t.speed for t in tracks])
    lowest = np.percentile(height, 2, axis=0)
    rest = np.empty((2, 2))
    for foot, point in np.ndindex(2, 2):
        h, v = height[:, foot, point], speed[:, foot, point]
        near = h < lowest[foot, point] + 0.05 * scale
        slow = h[near & (v < _SLOW * np.sqrt(scale))]
        rest[foot, point] = np.median(slow) if len(slow) >= 5 else lowest[foot, point]
    return rest


def floor_shift(resting: Array, scale: float = 1.0, keep_if_plausible: bool = False) -> float:
    """How far up a clip must go [m] so that its toes rest where a sole on the floor puts them.

    With ``keep_if_plausible`` a floor that fits within 2 cm is left alone.
    """
    shift = SOLE * scale - float(np.mean(resting[:, 1]))
    return 0.0 if keep_if_plausible and abs(shift) < 0.02 * scale else shift
