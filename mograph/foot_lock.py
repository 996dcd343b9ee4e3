"""Planted feet stay planted: each foot held where it touches, the leg following by inverse kinematics."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from mograph import ik, kinematics, rotations
from mograph.clip import Clip
from mograph.contact_detection import Mask, drop_short, runs
from mograph.contacts import Contact
from mograph.errors import MographError
from mograph.feet import SOLE, body_scale, foot_joints
from mograph.rotations import Array
from mograph.skeleton import Skeleton

_FLOOR = 0.08  # a foot that stands within this of the floor stands on it [m]
_STRAIGHTEST = 0.998  # share of the leg's length beyond which the root is lowered instead


def lock_feet(clip: Clip, toe_height: float | None = None) -> Clip:
    """The clip with its feet held still while they touch; world rotations of the feet are kept.

    A touching foot rolls: it is held by one point at a time, the heel or the ball (the toe joint), whichever
    is the slower. Between contacts the correction eases from one to the next. With ``toe_height``, at
    which toe joints rest [m], feet that stand within 8 cm of the floor are put on it and swinging feet kept
    above it.
    """
    if clip.contact is None:
        raise MographError(f"clip '{clip.name}' has no contacts; detect them before locking its feet")
    poses = kinematics.poses(clip)
    targets = []
    for foot, (ankle, toe) in enumerate(foot_joints(clip.skeleton)):
        touches = (clip.contact & (Contact.LEFT_FOOT, Contact.RIGHT_FOOT)[foot]) > 0
        points = np.stack([heel_position(clip.skeleton, poses, ankle, toe), poses.position[:, toe]], axis=1)
        targets.append(poses.position[:, ankle] + _correction(points, touches, clip.fps, toe_height))

    legs = [ik.leg(clip.skeleton, side) for side in ("left", "right")]
    root = clip.root_position - np.array([0.0, 1.0, 0.0]) * _lowering(clip, poses, legs, targets)[:, None]
    rotation = clip.rotation
    for limb, target in zip(legs, targets, strict=True):
        moved = kinematics.forward(clip.skeleton, root, rotation)
        rotation = ik.reach(clip.skeleton, rotation, moved, limb, target, straightest=0.9995)
    return clip.with_(root_position=root, rotation=rotation)


def heel_position(skeleton: Skeleton, poses: kinematics.Poses, ankle: int, toe: int) -> Array:
    """Where the heel touches the ground, (T, 3): below the ankle and a quarter of the foot behind it."""
    forward = skeleton.rest_positions[toe] - skeleton.rest_positions[ankle]
    down = abs(forward[1]) + SOLE * body_scale(skeleton)
    heel = np.array([-0.25 * forward[0], -down, -0.25 * forward[2]])
    return poses.position[:, ankle] + rotations.rotate(poses.rotation[:, ankle], heel)


def planted_speed(clip: Clip) -> Array:
    """Ground speed [m/s] of every foot in every frame that it touches in and has touched before.

    Of heel and ball the slower counts, for a foot that rolls moves one of them.
    """
    if clip.contact is None:
        raise MographError(f"clip '{clip.name}' has no contacts; detect them before measuring its feet")
    poses = kinematics.poses(clip)
    points = [
        [heel_position(clip.skeleton, poses, ankle, toe), poses.position[:, toe]]
        for ankle, toe in foot_joints(clip.skeleton)
    ]
    level = np.moveaxis(np.array(points), 2, 0)[..., [0, 2]]
    step = np.linalg.norm(np.diff(level, axis=0), axis=-1).min(axis=-1) * clip.fps
    bits = np.array([Contact.LEFT_FOOT, Contact.RIGHT_FOOT], np.uint8)
    touches = (clip.contact[:, None] & bits) > 0
    return step[touches[1:] & touches[:-1]]


def _correction(points: Array, touches: Mask, fps: float, toe_height: float | None) -> Array:
    """What to add to a foot (T, 3) so that its held point (axis 1: heel, ball) stands still in contact."""
    frames = len(points)
    shift, by_toe = np.zeros((frames, 3)), np.zeros(frames, bool)
    contacts = runs(touches)
    for start, stop in contacts:
        speed = np.linalg.norm(kinematics.velocity(points[start:stop], fps), axis=-1)
        by_toe[start:stop] = drop_short(speed[:, 1] <= speed[:, 0], 1, value=True)
        edges = [start, *(np.flatnonzero(np.diff(by_toe[start:stop])) + 1 + start).tolist(), stop]
        for first, last in pairwise(edges):
            held = points[:, int(by_toe[first])]
            before = max(first - 1, start)  # the new point is held from where the last frame left it
            shift[first:last] = shift[before] + held[before] - held[first:last]
        offset = shift[start:stop].mean(axis=0)
        if toe_height is not None:
            lowest = float(np.min(points[start:stop, :, 1] + shift[start:stop, 1:2] - [0.0, toe_height]))
            if abs(lowest) < _FLOOR:
                offset[1] = lowest
        shift[start:stop] -= offset
    if not contacts:
        return shift
    shift[: contacts[0][0]] = shift[contacts[0][0]]
    shift[contacts[-1][1] :] = shift[contacts[-1][1] - 1]
    for (_, stop), (start, _) in pairwise(contacts):
        t = (np.arange(stop, start) - stop + 1) / (start - stop + 1)
        ease = (t * t * (3 - 2 * t))[:, None]
        shift[stop:start] = (1 - ease) * shift[stop - 1] + ease * shift[start]
    if toe_height is not None:  # a swinging foot stays above the floor
        height = points[..., 1] + shift[:, 1:2] - np.array([0.0, toe_height])
        shift[~touches, 1] += np.maximum(-height[~touches].min(axis=1), 0.0)
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
