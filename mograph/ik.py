"""Limbs brought to a point: analytic two-bone inverse kinematics over all frames at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mograph import rotations
from mograph.kinematics import Poses
from mograph.rotations import Array
from mograph.skeleton import Skeleton


@dataclass(frozen=True)
class Limb:
    """A chain of two bones: upper joint (hip, shoulder), middle (knee, elbow), tip (ankle, wrist)."""

    upper: int
    middle: int
    tip: int
    bends: tuple[float, float, float]  # where the middle joint points at rest: knees forward, elbows back
    least_bend: (
        float  # a middle joint less far off the limb's line [m] is taken to bend that way: knees never
    )
    # bend backwards, and even a straight leg knows where forward is; elbows point in all directions


def leg(skeleton: Skeleton, side: str) -> Limb:
    """The leg of a side (``"left"`` or ``"right"``)."""
    hip, knee, ankle = (skeleton.joint(f"{side}_{role}") for role in ("hip", "knee", "ankle"))
    return Limb(hip, knee, ankle, bends=(0.0, 0.0, 1.0), least_bend=0.02)


def arm(skeleton: Skeleton, side: str) -> Limb:
    """The arm of a side (``"left"`` or ``"right"``)."""
    shoulder, elbow, wrist = (skeleton.joint(f"{side}_{role}") for role in ("shoulder", "elbow", "wrist"))
    return Limb(shoulder, elbow, wrist, bends=(0.0, 0.0, -1.0), least_bend=1e-3)


def reach(
    skeleton: Skeleton,
    rotation: Array,
    poses: Poses,
    limb: Limb,
    target: Array,
    tip_rotation: Array | None = None,
    pole: Array | None = None,
    straightest: float = 0.9995,
) -> Array:
    """Joint rotations ``(T, J, 4)`` with the limb's tip at ``target`` ``(T, 3)``, in closed form.

    ``poses`` are the world poses of ``rotation``. The middle joint bends in its present plane, or towards
    ``pole`` ``(T, 3)``, a world direction the knee or elbow is to point to; a limb that reaches its target
    already stays as it is. The tip keeps its world rotation, or takes ``tip_rotation`` ``(T, 4)``.
    A target farther than ``straightest`` times the limb's length is approached along the line to it.
    """
    top, middle, tip = (poses.position[:, j] for j in (limb.upper, limb.middle, limb.tip))
    upper_length = np.linalg.norm(middle - top, axis=-1)
    lower_length = np.linalg.norm(tip - middle, axis=-1)

    # plane the limb bends in now; a limb almost straight takes the way the joint bends at rest
    resting = rotations.rotate(poses.rotation[:, limb.upper], np.array(limb.bends))
    line = tip - top
    present, way = _across(middle - top, line), _unit(_across(resting, line))
    bent = np.sum(present * way, axis=-1, keepdims=True)
    present = present + np.maximum(limb.least_bend - bent, 0.0) * way
    normal = _unit(np.cross(line, present))

    line = target - top
    distance = np.linalg.norm(line, axis=-1)
    direction = line / np.maximum(distance, 1e-9)[:, None]
    shortest = np.abs(upper_length - lower_length) + 1e-6
    distance = np.clip(distance, shortest, straightest * (upper_length + lower_length))
    if pole is None:  # carry the present plane along the smallest turn of the limb's line
        pole = rotations.rotate(rotations.between(tip - top, line), present)
    bend = _unit(_across(pole, direction))
    new_normal = np.cross(direction, bend)

    along = (upper_length**2 - lower_length**2 + distance**2) / (2 * distance)  # law of cosines
    aside = np.sqrt(np.maximum(upper_length**2 - along**2, 0.0))
    new_middle = along[:, None] * direction + aside[:, None] * bend
    new_tip = distance[:, None] * direction

    # both bones turn within the plane, so a hinge stays a hinge
    turn_upper = _turn(middle - top, normal, new_middle, new_normal)
    turn_middle = _turn(tip - middle, normal, new_tip - new_middle, new_normal)
    world = poses.rotation
    new_tip_rotation = world[:, limb.tip] if tip_rotation is None else tip_rotation

    out = rotation.copy()
    up, mid, end = (int(skeleton.parents[j]) for j in (limb.upper, limb.middle, limb.tip))
    new_upper = rotations.multiply(turn_upper, world[:, limb.upper])
    new_mid = rotations.multiply(turn_middle, world[:, limb.middle])
    out[:, limb.upper] = rotations.multiply(rotations.inverse(world[:, up]), new_upper)
    # joints between upper and middle, or middle and tip, ride along rigidly
    out[:, limb.middle] = rotations.multiply(
        rotations.inverse(rotations.multiply(turn_upper, world[:, mid])), new_mid
    )
    out[:, limb.tip] = rotations.multiply(
        rotations.inverse(rotations.multiply(turn_middle, world[:, end])), new_tip_rotation
    )
    return out


def _unit(v: Array) -> Array:
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


def _across(v: Array, line: Array) -> Array:
    """The part of ``v`` at right angles to ``line``."""
    return v - np.sum(v * line, axis=-1, keepdims=True) / np.sum(line * line, axis=-1, keepdims=True) * line


def _turn(bone: Array, normal: Array, new_bone: Array, new_normal: Array) -> Array:
    """Rotation that takes a bone and the normal of its plane to their new directions."""

    def frame(b: Array, n: Array) -> Array:
        b = _unit(b)
        return np.stack([b, n, np.cross(b, n)], axis=-1)

    return rotations.from_matrix(frame(new_bone, new_normal) @ np.swapaxes(frame(bone, normal), -1, -2))
