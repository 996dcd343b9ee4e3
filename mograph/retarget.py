"""One motion on another skeleton."""

from __future__ import annotations

import numpy as np

from mograph import kinematics, rotations
from mograph.clip import Clip
from mograph.feet import SOLE, body_scale
from mograph.foot_lock import lock_feet
from mograph.rotations import Array
from mograph.skeleton import Skeleton

# Bone that tells a joint's direction, and where that bone points in the reference pose (a T-pose).
_REFERENCE = {
    "spine": ("chest", (0.0, 1.0, 0.0)),
    "chest": ("neck", (0.0, 1.0, 0.0)),
    "neck": ("head", (0.0, 1.0, 0.0)),
    **{f"{side}_hip": (f"{side}_knee", (0.0, -1.0, 0.0)) for side in ("left", "right")},
    **{f"{side}_knee": (f"{side}_ankle", (0.0, -1.0, 0.0)) for side in ("left", "right")},
    "left_shoulder": ("left_elbow", (1.0, 0.0, 0.0)),
    "left_elbow": ("left_wrist", (1.0, 0.0, 0.0)),
    "right_shoulder": ("right_elbow", (-1.0, 0.0, 0.0)),
    "right_elbow": ("right_wrist", (-1.0, 0.0, 0.0)),
}
_SAME_REST = np.radians(15.0)  # rest poses this close are taken as one and the same convention


def retargeted(clip: Clip, skeleton: Skeleton, toe_height: float | None = None) -> Clip:
    """The clip on another skeleton, as large a motion as its legs are long.

    Same joints in the same rest pose: joint rotations are kept. Otherwise joints are matched by role and
    turned as far from a common reference pose as they were. Root movement is scaled by the leg lengths.
    Proportions differ, so feet would slide by centimetres: where contacts are known the feet are locked,
    toes resting at ``toe_height`` (default: where a sole on the floor puts them).
    """
    if clip.skeleton.equals(skeleton):
        return clip.with_(skeleton=skeleton)
    ratio = skeleton.leg_length / clip.skeleton.leg_length
    if clip.skeleton.same_tree(skeleton) and _same_rest(clip.skeleton, skeleton):
        moved = clip.with_(skeleton=skeleton, root_position=clip.root_position * ratio)
    else:
        moved = _by_roles(clip, skeleton, ratio)
    if moved.contact is None:
        return moved
    return lock_feet(moved, SOLE * body_scale(skeleton) if toe_height is None else toe_height)


def _same_rest(a: Skeleton, b: Skeleton) -> bool:
    long = (np.linalg.norm(a.offsets, axis=1) > 0.02) & (np.linalg.norm(b.offsets, axis=1) > 0.02)
    turn = rotations.between(a.offsets[long], b.offsets[long])
    angle = rotations.angle_between(turn, rotations.IDENTITY)
    return bool(np.median(angle) < _SAME_REST and np.mean(angle < 2 * _SAME_REST) > 0.9)


def reference_rotations(skeleton: Skeleton) -> Array:
    """World rotations (J, 4) that turn the rest pose into the reference T-pose, limb by limb."""
    by_joint = {skeleton.roles[role]: aim for role, aim in _REFERENCE.items() if role in skeleton.roles}
    rest = skeleton.rest_positions
    world = rotations.identity(len(skeleton))
    for j in range(1, len(skeleton)):
        world[j] = world[skeleton.parents[j]]
        if j in by_joint and by_joint[j][0] in skeleton.roles:
            bone = rest[skeleton.roles[by_joint[j][0]]] - rest[j]
            if np.linalg.norm(bone) > 1e-6:
                turn = rotations.between(rotations.rotate(world[j], bone), np.array(by_joint[j][1]))
                world[j] = rotations.multiply(turn, world[j])
    return world


def _by_roles(clip: Clip, skeleton: Skeleton, ratio: float) -> Clip:
    source = kinematics.poses(clip)
    from_reference, to_reference = reference_rotations(clip.skeleton), reference_rotations(skeleton)
    role_of = {j: role for role, j in skeleton.roles.items()}
    world = np.empty((len(clip), len(skeleton), 4))
    for j in range(len(skeleton)):
        role = role_of.get(j, "hips" if j == 0 else "")
        if role in clip.skeleton.roles:
            s = clip.skeleton.roles[role]
            turn = rotations.multiply(rotations.inverse(from_reference[s]), to_reference[j])
            world[:, j] = rotations.multiply(source.rotation[:, s], turn)
        else:  # rides along with its parent
            world[:, j] = world[:, skeleton.parents[j]]
    rotation = kinematics.local_rotations(skeleton, world)
    hips = skeleton.joint("hips")
    at_origin = kinematics.forward(skeleton, np.zeros((len(clip), 3)), rotation).position[:, hips]
    root = source.position[:, clip.skeleton.joint("hips")] * ratio - at_origin
    return clip.with_(skeleton=skeleton, root_position=root, rotation=rotations.continuous(rotation))
