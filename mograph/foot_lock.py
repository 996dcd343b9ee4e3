"""Planted feet stay planted: each foot held where it touches, the leg following by inverse kinematics."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from mograph import ik, kinematics
from mograph.clip import Clip
from mograph.contact_detection import Mask, drop_short, runs
from mograph.contacts import Contact
from mograph.errors import MographError
from mograph.feet import foot_joints
from mograph.rotations import Array

_STRAIGHTEST = 0.998  # share of the leg's length beyond which the root is lowered instead


def lock_feet(clip: Clip, toe_height: float | None = None) -> Clip:
    """The clip with its feet held still while they touch; world rotations of the feet are kept.

    A touching foot is held by one point at a time: the ankle while the foot comes down on its heel, the toe
    joint otherwise, whichever is the slower. Between contacts the correction eases from one to the next.
    ``toe_height`` [m] puts held toes at that height above the floor, where they are within 5 cm of it.
    """
    if clip.contact is None:
        raise MographError(f"clip '{clip.name}' has no contacts; detect them before locking its feet")
    poses = kinematics.poses(clip)
    targets = []
    for foot, (ankle, toe) in enumerate(foot_joints(clip.skeleton)):
        touches = (clip.contact & (Contact.LEFT_FOOT, Contact.RIGHT_FOOT)[foot]) > 0
        points = np.stack([poses.position[:, ankle], poses.position[:, toe]], axis=1)
        targets.append(points[:, 0] + _correction(points, touches, clip.fps, toe_height))

    legs = [ik.leg(clip.skeleton, side) for side in ("left", "right")]
    root = clip.root_position - np.array([0.0, 1.0, 0.0]) * _lowering(clip, poses, legs, targets)[:, None]
    rotation = clip.rotation
    for limb, target in zip(legs, targets, strict=True):
        moved = kinematics.forward(clip.skeleton, root, rotation)
        rotation = ik.reach(clip.skeleton, rotation, moved, limb, target, straightest=0.9995)
    return clip.with_(root_position=root, rotation=rotation)


def _correction(points: Array, touches: Mask, fps: float, toe_height: float | None) -> Array:
    """What to add to a foot (T, 3) so that its held point (axis 1: ankle, toe) stands still in contact."""
    frames = len(points)
    speed = np.linalg.norm(kinematics.velocity(points, fps), axis=-1)
    by_toe = drop_short(drop_short(speed[:, 1] <= speed[:, 0], 2, value=True), 2, value=False)
    shift = np.zeros((frames, 3))
    contacts = runs(touches)
    for start, stop in contacts:
        edges = [start, *(np.flatnonzero(np.diff(by_toe[start:stop])) + 1 + start).tolist(), stop]
        carried = np.zeros(3)
        for first, last in pairwise(edges):
            held = points[first:last, int(by_toe[first])]
            shift[first:last] = carried + held[0] - held
            carried = shift[last - 1]
        offset = shift[start:stop].mean(axis=0)
        toes = [f for f in range(start, stop) if by_toe[f]]
        if toe_height is not None and toes:
            level = np.mean(points[toes, 1, 1] + shift[toes, 1])
            if abs(level - toe_height) < 0.05:
                offset[1] = level - toe_height
        shift[start:stop] -= offset
    if not contacts:
        return shift
    shift[: contacts[0][0]] = shift[contacts[0][0]]
    shift[contacts[-1][1] :] = shift[contacts[-1][1] - 1]
    for (_, stop), (start, _) in pairwise(contacts):
        t = (np.arange(stop, start) - stop + 1) / (start - stop + 1)
        ease = (t * t * (3 - 2 * t))[:, None]
        shift[stop:start] = (1 - ease) * shift[stop - 1] + ease * shift[start]
    return shift


def _lowering(clip: Clip, poses: kinematics.Poses, legs: list[ik.Limb], targets: list[Array]) -> Array:
    """How far the root must come down (T,) for the legs to reach their targets, smooth in time [m]."""
    need = np.zeros(len(clip))
    for limb, target in zip(legs, targets, strict=True):
        length = sum(np.linalg.norm(clip.skeleton.offsets[j]) for j in (limb.middle, limb.tip))
        line = poses.position[:, limb.upper] - target
        level = np.linalg.norm(line[:, [0, 2]], axis=-1)
        highest = np.sqrt(np.maximum((_STRAIGHTEST * length) ** 2 - level**2, 0.0))
        need = np.maximum(need, line[:, 1] - highest)
    if not need.any():
        return need
    width = max(round(0.1 * clip.fps), 1)
    return gaussian_filter1d(maximum_filter1d(need, 2 * width + 1), width / 2, mode="nearest")
