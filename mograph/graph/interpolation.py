"""Contact phases mixed into new ones that keep the laws of physics (Safonova chapter 5).

The duration is T = sqrt(sum of w_i T_i^2) and time is scaled uniformly. The centre of mass is the mean of the
inputs', so in flight gravity stays exact and on the ground the force is the sum of w_i (T_i/T)^2 F_i, inside
the friction cone of the inputs. Feet are averaged as feet and the legs follow by inverse kinematics, so those
that touch do not slide; all other rotations are averaged on the group. Weights are constant through a phase.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mograph import rotations
from mograph.contacts import Contact
from mograph.errors import MographError
from mograph.graph.foot_kernel import BY_ROTATION, CARRIED, LEAVING, PLANTED
from mograph.graph.interpolation_kernel import blend, blend_all
from mograph.graph.phase_kernel import HEADING
from mograph.graph.phase_motion import PhaseMotion, contact_name
from mograph.rotations import Array

FreeLegs = Literal["feet", "rotations"]
_FREE = {"feet": CARRIED, "rotations": BY_ROTATION}


def duration(first: float, second: float, weight: float) -> float:
    """Duration of the interpolation of two contact phases [s] (Safonova 5.7).

    T = sqrt(w T1^2 + (1-w) T2^2) keeps gravity exact in flight; the arithmetic mean would not.

    >>> round(duration(0.4, 0.6, 0.5), 4)
    0.5099
    """
    return math.sqrt(weight * first**2 + (1.0 - weight) * second**2)


def interpolate(
    first: PhaseMotion,
    second: PhaseMotion,
    weight: float,
    samples: int | None = None,
    fps: float | None = None,
    free_legs: FreeLegs = "feet",
) -> PhaseMotion:
    """The phase between two of the same contacts: ``weight`` 1 is the first, 0 the second.

    :param samples: frames of the result, both ends included; or by ``fps``.
    :param fps: frames per second wanted; the nearest rate is taken at which a frame falls on the end. By
        default the mean of the inputs' rates.
    :param free_legs: legs that do not touch are interpolated by their ``"feet"``, as seen from centre of mass
        and heading, so that a foot lifts off and touches down without a jump (Safonova does so on the
        ground); or by their ``"rotations"`` (Safonova in flight).
    """
    return interpolate_many([first, second], [weight, 1.0 - weight], samples, fps, free_legs)


def interpolate_many(
    motions: Sequence[PhaseMotion],
    weights: ArrayLike,
    samples: int | None = None,
    fps: float | None = None,
    free_legs: FreeLegs = "feet",
) -> PhaseMotion:
    """The weighted mean of any number of phases with the same contacts; see :func:`interpolate`."""
    shares = np.ascontiguousarray(weights, float)
    _check(motions, shares)
    first = motions[0]
    lengths = np.array([len(m) for m in motions], np.int64)
    rates = np.array([m.fps for m in motions])
    seconds = math.sqrt(float(shares @ ((lengths - 1) / rates) ** 2))
    if samples is None:
        samples = max(round(seconds * (float(shares @ rates) if fps is None else fps)), 1) + 1
    if samples < 2:
        raise MographError(f"cannot interpolate phases with {samples} samples; two are the least")
    root, rotation = np.empty((samples, 3)), np.empty((samples, len(first.skeleton), 4))
    starts = np.cumsum(lengths) - lengths
    tables = np.concatenate([m.table for m in motions])
    feet = (Contact.LEFT_FOOT, Contact.RIGHT_FOOT)
    stays = [all(m.next_contact is None or m.next_contact & foot for m in motions) for foot in feet]
    ways = _way(np.array([first.contact & foot for foot in feet]), np.array(stays), free_legs)
    blend(first.body, tables, starts, lengths, shares, ways, root, rotation)
    return replace(first, root_position=root, rotation=rotation, fps=(samples - 1) / seconds)


@dataclass(frozen=True, eq=False)
class Mixtures:
    """Many interpolations at once, each with the same number of samples."""

    duration: Array  # (N,) [s]
    displacement: Array  # (N, 3) dx, dz, dyaw as in PhaseMotion.displacement [m, m, rad]
    missed: Array  # (N,) by how much legs too short keep the centre of mass from its place, at worst [m]
    root_position: Array  # (N, S, 3) [m]
    rotation: Array  # (N, S, J, 4)
    source: tuple[PhaseMotion, ...]  # (N,) one of the phases mixed, for all that they share

    def __len__(self) -> int:
        return len(self.duration)

    def __getitem__(self, index: int) -> PhaseMotion:
        rate = (self.root_position.shape[1] - 1) / float(self.duration[index])
        return replace(
            self.source[index],
            root_position=self.root_position[index],
            rotation=self.rotation[index],
            fps=rate,
        )


def interpolate_all(
    motions: Sequence[PhaseMotion],
    chosen: ArrayLike,
    weights: ArrayLike,
    samples: int = 16,
    free_legs: FreeLegs = "feet",
) -> Mixtures:
    """Many interpolations in one call, without Python in between.

    :param chosen: (N, k) which of ``motions`` to mix in each of N interpolations.
    :param weights: (N, k), every row with sum 1.
    :param samples: frames of every result, both ends included.
    """
    which = np.ascontiguousarray(chosen, np.int64)
    shares = np.ascontiguousarray(weights, float)
    if which.ndim != 2 or which.shape != shares.shape:
        raise MographError(f"phases chosen {which.shape} and weights {shares.shape} must both be (N, k)")
    if samples < 2:
        raise MographError(f"cannot interpolate phases with {samples} samples; two are the least")
    if not (np.all(shares >= 0.0) and np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-9)):
        raise MographError("weights must be 0 or more and add up to 1 in every row")
    contact = np.array([m.contact for m in motions])
    for row in which[np.any(contact[which] != contact[which[:, :1]], axis=1)]:
        _check_alike([motions[i] for i in row])
    first = motions[0]
    _check_skeletons(motions)
    counts = np.array([len(m) for m in motions], np.int64)
    starts = np.cumsum(counts) - counts
    tables = np.concatenate([m.table for m in motions])
    later = np.array([m.contact if m.next_contact is None else m.next_contact for m in motions])
    ways = np.stack(
        [
            _way(contact[which[:, 0]] & foot, np.all(later[which] & foot, axis=1), free_legs)
            for foot in (Contact.LEFT_FOOT, Contact.RIGHT_FOOT)
        ],
        axis=1,
    )
    root = np.empty((len(which), samples, 3))
    rotation = np.empty((len(which), samples, len(first.skeleton), 4))
    missed = np.empty(len(which))
    blend_all(first.body, tables, starts, counts, which, shares, ways, root, rotation, missed)
    seconds = np.array([m.duration for m in motions])
    turned = tables[starts + counts - 1, HEADING] - tables[starts, HEADING]
    yaw = rotations.yaw(rotation[:, -1, 0])
    yaw += 2.0 * np.pi * np.round((np.sum(shares * turned[which], axis=1) - yaw) / (2.0 * np.pi))
    displacement = np.stack([root[:, -1, 0], root[:, -1, 2], yaw], axis=1)
    source = tuple(motions[i] for i in which[:, 0])
    spans = np.sqrt(np.sum(shares * seconds[which] ** 2, axis=1))
    return Mixtures(spans, displacement, missed, root, rotation, source)


def _check(motions: Sequence[PhaseMotion], weights: Array) -> None:
    if weights.shape != (len(motions),) or len(motions) == 0:
        raise MographError(f"{len(motions)} phases need as many weights, got {weights.size}")
    if not (np.all(weights >= 0.0) and abs(weights.sum() - 1.0) < 1e-9):
        raise MographError(f"weights must be 0 or more and add up to 1, got {weights.tolist()}")
    _check_alike(motions)
    _check_skeletons(motions)


def _check_alike(motions: Sequence[PhaseMotion]) -> None:
    first = motions[0]
    for other in motions[1:]:
        if other.contact != first.contact:
            raise MographError(
                "phases to interpolate must touch alike, got "
                f"{contact_name(first.contact)} and {contact_name(other.contact)}"
            )


def _check_skeletons(motions: Sequence[PhaseMotion]) -> None:
    first = motions[0]
    for other in motions[1:]:
        if other.skeleton is not first.skeleton and not other.skeleton.equals(first.skeleton):
            raise MographError("phases to interpolate must have one skeleton; retarget the clips first")


def _way(touches: NDArray[Any], stays: NDArray[Any], free_legs: FreeLegs) -> NDArray[np.int64]:
    """How each leg is interpolated: planted through, planted until it leaves, or free."""
    if free_legs not in _FREE:
        raise MographError(f"unknown way '{free_legs}' for free legs; ways are: {', '.join(_FREE)}")
    held = np.where(stays, PLANTED, LEAVING)
    return np.where(np.asarray(touches, bool), held, _FREE[free_legs]).astype(np.int64)
