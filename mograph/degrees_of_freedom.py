"""How many ways a joint really turns, read off the motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mograph import rotations
from mograph.rotations import Array
from mograph.skeleton import Skeleton

# An axis is free if the joint's root-mean-square turn about it is above a degree and a half, or, for joints
# that move little, above half a degree and a share of the turn about the main axis. Two axes in a row (Euler
# angles) leave up to that much about the third; set against eight clips whose ASF states the freedom.
_CERTAIN_TURN = np.radians(1.5)
_LEAST_TURN = np.radians(0.5)
_LEAST_SHARE = 0.07


def with_measured_dof(skeleton: Skeleton, rotation: Array) -> Skeleton:
    """The skeleton with degrees of freedom and axes of its joints measured on rotations ``(T, J, 4)``.

    Rotation vectors of a hinge lie on a line, of a two-axis joint near a plane: the joint's free axes are
    the main directions of their scatter about zero, strongest first.
    """
    vectors = rotations.log(rotation)
    scatter = np.einsum("tji,tjk->jik", vectors, vectors) / len(vectors)
    power, axes = np.linalg.eigh(scatter)
    turn = np.sqrt(np.maximum(power[:, ::-1], 0.0))
    axes = np.swapaxes(axes[:, :, ::-1], 1, 2)
    # the sign of an axis is free: make its largest number positive, then keep the frame right-handed
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=2)[..., None], axis=2)
    axes = axes * np.where(largest < 0, -1.0, 1.0)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    free = (turn > _CERTAIN_TURN) | ((turn > _LEAST_TURN) & (turn > _LEAST_SHARE * turn[:, :1]))
    dof = free.sum(axis=1)
    dof[0] = 3
    axes[0] = np.eye(3)
    return replace(skeleton, dof=dof, axes=axes)
