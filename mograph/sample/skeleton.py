"""The one body of the sample database: a symmetric person of 1.75 m with arms hanging at rest.

Segment lengths follow the share-of-stature figures of Drillis and Contini as tabulated by Winter
(*Biomechanics and Motor Control of Human Movement*, fig. 4.1): thigh 0.245 H, shank 0.246 H, ankle height
0.039 H, foot 0.152 H, hip height 0.530 H, upper arm 0.186 H, forearm 0.146 H, hand 0.108 H.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mograph.rotations import Array
from mograph.skeleton import Skeleton

ANKLE_HEIGHT = 0.075  # ankle joint above the sole [m]
BALL_HEIGHT = 0.025  # ball joint (LeftToeBase) above the floor [m]
TIP_HEIGHT = 0.0  # tip of the toes above the floor [m]
HEEL = (
    0.0,
    -ANKLE_HEIGHT,
    -0.055,
)  # where the heel touches the floor, from the ankle in the foot's frame [m]
BALL = (0.0, BALL_HEIGHT - ANKLE_HEIGHT, 0.135)  # the ball joint from the ankle [m]
TIP = (0.0, TIP_HEIGHT - BALL_HEIGHT, 0.070)  # tip of the toes from the ball joint [m]
HAND = 0.18  # wrist to finger tips [m]
PALM = HAND / 2  # wrist to the middle of the hand, the point that grips [m]

# name, parent, offset of the left or middle joint from its parent [m], free axes
_MIDDLE = (
    ("Spine", "Hips", (0.0, 0.090, -0.010), "XYZ"),
    ("Spine1", "Spine", (0.0, 0.130, -0.010), "XYZ"),
    ("Spine2", "Spine1", (0.0, 0.130, 0.000), "XYZ"),
    ("Neck", "Spine2", (0.0, 0.150, 0.010), "XYZ"),
    ("Head", "Neck", (0.0, 0.090, 0.020), "XYZ"),
)
_LEG = (
    ("UpLeg", "Hips", (0.090, -0.060, 0.000), "XYZ"),
    ("Leg", "UpLeg", (0.0, -0.425, 0.0), "X"),
    ("Foot", "Leg", (0.0, -0.430, 0.0), "XZ"),
    ("ToeBase", "Foot", BALL, "X"),
)
_ARM = (
    ("Shoulder", "Spine2", (0.030, 0.095, 0.010), "YZ"),
    ("Arm", "Shoulder", (0.150, -0.005, -0.010), "XYZ"),
    ("ForeArm", "Arm", (0.0, -0.305, 0.0), "X"),
    ("Hand", "ForeArm", (0.0, -0.260, 0.0), "XYZ"),  # the forearm's own turn is counted to the wrist
)
_ENDS = {"ToeBase": TIP, "Hand": (0.0, -HAND, 0.0), "Head": (0.0, 0.170, 0.0)}
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@lru_cache(maxsize=1)
def sample_skeleton() -> Skeleton:
    """The skeleton all sample clips move.

    Rest pose: upright, feet flat, facing +Z, arms hanging. Knees, elbows and toes are hinges about X, ankles
    turn about X and Z.

    >>> round(sample_skeleton().height, 3), len(sample_skeleton())
    (1.75, 22)
    """
    joints: list[tuple[str, str, tuple[float, float, float], str]] = [("Hips", "", (0.0, 0.0, 0.0), "XYZ")]
    joints += [_sided(row, side) for side in ("Left", "Right") for row in _LEG]
    joints += _MIDDLE
    joints += [_sided(row, side) for side in ("Left", "Right") for row in _ARM]
    index = {name: i for i, (name, *_) in enumerate(joints)}
    ends = [(i, word) for i, (name, *_) in enumerate(joints) for word in _ENDS if name.endswith(word)]
    return Skeleton(
        names=tuple(name for name, *_ in joints),
        parents=np.array([index.get(parent, -1) for _, parent, _, _ in joints]),
        offsets=np.array([offset for _, _, offset, _ in joints]),
        end_parents=np.array([i for i, _ in ends]),
        end_offsets=np.array([_ENDS[word] for _, word in ends]),
        dof=np.array([len(free) for *_, free in joints]),
        axes=np.stack([_axes(free) for *_, free in joints]),
    )


def _sided(
    row: tuple[str, str, tuple[float, float, float], str], side: str
) -> tuple[str, str, tuple[float, float, float], str]:
    name, parent, (x, y, z), free = row
    parent = parent if parent in ("Hips", "Spine2") else side + parent
    return side + name, parent, (x if side == "Left" else -x, y, z), free


def _axes(free: str) -> Array:
    """The free axes first, then the blocked ones."""
    return np.array([_AXES[a] for a in free + "".join(a for a in "XYZ" if a not in free)])
