"""Left becomes right: every capture serves twice."""

from __future__ import annotations

import re

import numpy as np

from mograph import contacts
from mograph.clip import Clip

# Reflection in the plane x = 0 turns a rotation (w, x, y, z) into (w, x, -y, -z).
_REFLECT = np.array([1.0, 1.0, -1.0, -1.0])


def mirrored(clip: Clip) -> Clip:
    """The motion seen in a mirror (the plane x = 0), on the same skeleton.

    On a skeleton that is not symmetric the feet of the mirror image miss the floor by what left and right
    bones differ; make it symmetric first (:meth:`Skeleton.symmetrised`).
    """
    swap = clip.skeleton.mirror
    return clip.with_(
        root_position=clip.root_position * np.array([-1.0, 1.0, 1.0]),
        rotation=clip.rotation[:, swap] * _REFLECT,
        contact=None if clip.contact is None else contacts.mirrored(clip.contact),
        name=f"{clip.name}_mirrored",
        behaviour=_swap_words(clip.behaviour),
    )


def _swap_words(text: str) -> str:
    swap = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
    return re.sub(r"\b(left|right|Left|Right)\b", lambda match: swap[match[0]], text)
