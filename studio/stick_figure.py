"""What a picture shows of a clip: bones with sides and thickness, a head, and the marks contacts leave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph import kinematics
from mograph.clip import Clip
from mograph.contacts import Contact
from mograph.roles import side_and_word
from mograph.rotations import Array
from mograph.skeleton import Skeleton

TRUNK, LEFT, RIGHT = 0, 1, 2
SIDE_COLOURS = ("#333842", "#2a6fb8", "#d9622b")  # trunk, left, right: told apart by colour-blind eyes too
FLIGHT_COLOUR = "#ffe9a8"
_DOWN = 0.02  # [m] a touching joint is down while it is this near its lowest


@dataclass(frozen=True)
class Part:
    """A body part that can touch the world, and how its contact is drawn."""

    contact: Contact
    label: str
    colour: str
    roles: tuple[str, ...]  # the joint to follow is that of the first role the skeleton has
    back_roles: tuple[str, ...]  # joint at the other end of the print it leaves


PARTS = (
    Part(Contact.LEFT_FOOT, "left foot", SIDE_COLOURS[LEFT], ("left_toe", "left_ankle"), ("left_ankle",)),
    Part(
        Contact.RIGHT_FOOT, "right foot", SIDE_COLOURS[RIGHT], ("right_toe", "right_ankle"), ("right_ankle",)
    ),
    Part(Contact.LEFT_HAND, "left hand", "#79b4e3", ("left_wrist",), ("left_wrist",)),
    Part(Contact.RIGHT_HAND, "right hand", "#f0a67e", ("right_wrist",), ("right_wrist",)),
    Part(Contact.PELVIS, "pelvis", "#7d5fb0", ("hips",), ("hips",)),
)


@dataclass(frozen=True)
class Mark:
    """One touch of one part: frames ``start`` up to ``stop`` and where on the body to look for it."""

    part: int  # index into PARTS
    start: int
    stop: int
    joint: int  # point that should stay put while it is down
    back: int  # point at the back of the print (the ankle of a foot)
    down: int  # frames ``down`` up to ``up``: the joint itself is down, after the heel's strike
    up: int


@dataclass(frozen=True)
class StickFigure:
    """The drawable form of a clip. Points are the joints, then the tips of bones, then the head's centre."""

    points: Array  # (T, P, 3) [m]
    bones: NDArray[np.int64]  # (B, 2) points joined
    side: NDArray[np.int64]  # (B,) TRUNK, LEFT or RIGHT
    limb: NDArray[np.int64]  # (B,) bones of one number are drawn together: trunk, arms, legs
    radius: Array  # (B,) half thickness [m]
    head: int  # point at the middle of the head, -1 where the skeleton has none
    head_radius: float  # [m]
    marks: tuple[Mark, ...]
    parts: tuple[int, ...]  # indices of PARTS that ever touch; both feet at least, where contacts are known
    followed: tuple[int, ...]  # for each part the point that touches, -1 where the skeleton has none


def stick_figure(clip: Clip) -> StickFigure:
    """Bones, head and contact marks of a clip, in world coordinates."""
    skeleton = clip.skeleton
    poses = kinematics.poses(clip)
    joints = len(skeleton)
    points = np.concatenate([poses.position, poses.end_position], axis=1)
    scale = (skeleton.height or 1.7) / 1.7

    head = -1
    if "head" in skeleton.roles:
        points = np.concatenate([points, _head_centre(skeleton, points, scale)[:, None]], axis=1)
        head = points.shape[1] - 1

    child = np.concatenate([np.arange(1, joints), joints + np.arange(len(skeleton.end_parents))])
    parent = np.concatenate([skeleton.parents[1:], skeleton.end_parents])
    length = np.linalg.norm(np.concatenate([skeleton.offsets[1:], skeleton.end_offsets]), axis=1)
    owner = np.where(child < joints, child, parent)  # the joint whose name tells side and limb
    keep = length > 1e-4
    if head >= 0:
        keep &= parent != skeleton.roles["head"]  # inside the head's circle
    child, parent, owner = child[keep], parent[keep], owner[keep]
    side, limb = _sides_and_limbs(skeleton)
    marks, parts = _marks(clip, points)
    return StickFigure(
        points=points,
        bones=np.stack([parent, child], axis=1),
        side=side[owner],
        limb=limb[owner],
        radius=_thickness(skeleton)[owner] * scale,
        head=head,
        head_radius=0.098 * scale,
        marks=marks,
        parts=parts,
        followed=tuple(_role_joint(skeleton, part.roles) for part in PARTS),
    )


def facing(clip: Clip, points: Array) -> Array:
    """Unit vector on the ground (T, 2: x, z) across the hips and forward; +Z where the hips are unknown.

    The hips' own line is asked rather than the root's rotation, whose forward axis differs between files.
    """
    roles = clip.skeleton.roles
    forward = np.tile([0.0, 1.0], (len(clip), 1))
    if "left_hip" in roles and "right_hip" in roles:
        across = points[:, roles["left_hip"]] - points[:, roles["right_hip"]]
        length = np.hypot(across[:, 0], across[:, 2])
        sure = length > 1e-6
        forward[sure] = np.stack([-across[:, 2], across[:, 0]], axis=1)[sure] / length[sure, None]
    return forward


def _head_centre(skeleton: Skeleton, points: Array, scale: float) -> Array:
    head = skeleton.roles["head"]
    tips = np.flatnonzero(skeleton.end_parents == head)
    base = points[:, head]
    below, above = (head, len(skeleton) + int(tips[0])) if len(tips) else (int(skeleton.parents[head]), head)
    up = points[:, above] - points[:, below]
    length = np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-9)
    return base + up / length * (0.07 * scale)


def _sides_and_limbs(skeleton: Skeleton) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Side and limb of the bone that ends at each joint; those that start in the middle are trunk."""
    numbers = {"": TRUNK, "left": LEFT, "right": RIGHT}
    named = np.array([numbers[s] for s, _ in side_and_word(skeleton.names)], np.int64)
    for j in range(1, len(skeleton)):
        if named[j] == TRUNK:  # fingers, toes and other joints named without a side take their parent's
            named[j] = named[skeleton.parents[j]]
    in_leg = np.zeros(len(skeleton), bool)
    for role in ("left_hip", "right_hip"):
        if role in skeleton.roles:
            in_leg[skeleton.chain(skeleton.roles[role])] = True
    for j in range(1, len(skeleton)):
        in_leg[j] |= in_leg[skeleton.parents[j]] and named[skeleton.parents[j]] != TRUNK
    side = np.where(named[np.maximum(skeleton.parents, 0)] == TRUNK, TRUNK, named)
    return side, np.where(in_leg & (side != TRUNK), side + 2, side)


def _thickness(skeleton: Skeleton) -> Array:
    """Half thickness of the bone that ends at each joint [m], for a person of 1.7 m."""
    radius = np.full(len(skeleton), 0.030)
    by_role = {"knee": 0.034, "ankle": 0.029, "toe": 0.024, "elbow": 0.025, "wrist": 0.022, "collar": 0.027}
    for limb, value in by_role.items():
        for side in ("left", "right"):
            if f"{side}_{limb}" in skeleton.roles:
                radius[skeleton.roles[f"{side}_{limb}"]] = value
    wrists = {skeleton.roles[role] for role in ("left_wrist", "right_wrist") if role in skeleton.roles}
    for j in range(1, len(skeleton)):  # fingers are thin
        if wrists.intersection(skeleton.chain(j)[:-1]):
            radius[j] = 0.015
    return radius


def _role_joint(skeleton: Skeleton, roles: tuple[str, ...]) -> int:
    return next((skeleton.roles[role] for role in roles if role in skeleton.roles), -1)


def _marks(clip: Clip, points: Array) -> tuple[tuple[Mark, ...], tuple[int, ...]]:
    if clip.contact is None:
        return (), ()
    marks, parts = [], []
    for index, part in enumerate(PARTS):
        runs = contact_runs(clip.contact, int(part.contact))
        if len(runs) or index < 2:
            parts.append(index)
        joint, back = _role_joint(clip.skeleton, part.roles), _role_joint(clip.skeleton, part.back_roles)
        if joint < 0:
            continue
        for start, stop in runs:
            height = points[start:stop, joint, 1]
            low = start + np.flatnonzero(height < height.min() + _DOWN)
            back = back if back >= 0 else joint
            marks.append(Mark(index, start, stop, joint, back, int(low[0]), int(low[-1]) + 1))
    return tuple(marks), tuple(parts)


def contact_runs(contact: NDArray[np.uint8], bit: int) -> list[tuple[int, int]]:
    """Frame ranges ``(start, stop)`` in which a bit of the mask is set; bit 0 asks for flight.

    >>> contact_runs(np.array([0, 1, 3, 2, 0, 1], np.uint8), 1)
    [(1, 3), (5, 6)]
    >>> contact_runs(np.array([0, 1, 3, 2, 0, 1], np.uint8), 0)
    [(0, 1), (4, 5)]
    """
    on = (contact & bit) > 0 if bit else contact == 0
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
