"""How alike two poses are, for all pairs of a database at once: Lee's distance as a matrix product.

D(a, b) = sum over joints of the squared angle between them + the squared difference of root height
(weighted) + nu times the squared differences of joint and root velocities, everything seen from the
character's own heading (Lee et al. 2002; Safonova 1.3). Where both feet stand, the way from one to the other
counts too: joints may be alike while the feet are not, and feet that stand cannot be moved. Rotations enter
as matrices divided by sqrt 2: their Frobenius distance is the angle for small angles, and no sign of a
quaternion can go wrong. D is then |x_a - x_b|² of one feature vector per pose, so a block of all pairs is a
matrix product plus norms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.contacts import FEET, phase_starts
from mograph.database import Database
from mograph.graph import planar
from mograph.rotations import Array

Progress = Callable[[str, int, int], None]
_BLOCK_BYTES = 96 << 20  # memory for one block of distances


@dataclass(frozen=True)
class SimilaritySettings:
    """What counts in the likeness of two poses."""

    roles: tuple[str, ...] = (  # joints that matter; the others follow along
        "spine",
        "chest",
        "neck",
        *(f"{side}_{role}" for side in ("left", "right") for role in ("hip", "knee", "shoulder", "elbow")),
    )
    velocity: float = 0.02  # weight nu of squared velocities [s²]
    root_velocity: float = 0.1  # weight of the root's squared velocity [s²/m²]
    height: float = 10.0  # weight of the root's squared height difference [1/m²]
    stance: float = 10.0  # weight of the squared difference in how two standing feet are set [1/m²]
    most: float = 1.0  # distances from here on are not listed [rad²]
    least_gap: int = 6  # frames of one clip nearer than this are not compared


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of alike poses, locally the most alike, and how near each pose is to the next clip."""

    a: NDArray[np.int64]  # (P,) pose, ordered by (a, b)
    b: NDArray[np.int64]  # (P,) pose like it
    distance: Array  # (P,)
    nearest: Array  # (N,) least distance of each pose to one of another clip; inf if none is listed


def features(database: Database, settings: SimilaritySettings | None = None) -> Array:
    """Feature vectors (N, F) whose squared distance is the distance of poses."""
    settings = SimilaritySettings() if settings is None else settings
    skeleton, fps = database.skeleton, database.fps
    joints = [skeleton.roles[role] for role in settings.roles if role in skeleton.roles]
    root = database.rotation[:, 0]
    level = rotations.from_yaw(-rotations.yaw(root))
    turned = np.concatenate([rotations.multiply(level, root)[:, None], database.rotation[:, joints]], axis=1)
    shape = rotations.to_matrix(turned).reshape(len(turned), -1) / np.sqrt(2.0)

    before, after = _neighbours(database)
    span = np.maximum(after - before, 1)[:, None] / fps
    spin = rotations.log(
        rotations.multiply(rotations.inverse(database.rotation[before]), database.rotation[after])
    )
    spin = spin[:, joints].reshape(len(spin), -1) / span
    travel = rotations.rotate(level, (database.root_position[after] - database.root_position[before]) / span)
    turn = spin_about_up(root[before], root[after]) / span
    return np.hstack(
        [
            shape,
            np.sqrt(settings.height) * database.root_position[:, 1:2],
            np.sqrt(settings.velocity) * np.hstack([spin, turn]),
            np.sqrt(settings.root_velocity) * travel,
            np.sqrt(settings.stance) * _stance(database),
        ]
    )


def _stance(database: Database) -> Array:
    """Way from the left foot to the right (N, 2) seen from the heading, zero unless both stand [m]."""
    feet = planar.support_points(database).mean(axis=2)
    across = np.column_stack([feet[:, 1] - feet[:, 0], np.zeros(len(feet))])
    away = np.column_stack([np.zeros((len(feet), 2)), rotations.yaw(database.rotation[:, 0])])
    both = (database.contact & FEET) == FEET
    return planar.between(away, across)[:, :2] * both[:, None]


def spin_about_up(first: Array, second: Array) -> Array:
    """Change of heading (N, 1) from one root rotation to another [rad]."""
    change = rotations.yaw(second) - rotations.yaw(first)
    return ((change + np.pi) % (2 * np.pi) - np.pi)[:, None]


def _neighbours(database: Database) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Frames before and after each frame, within its clip."""
    frames = np.arange(database.poses)
    clip = clip_of_frames(database)
    return np.maximum(frames - 1, database.clip_starts[clip]), np.minimum(
        frames + 1, database.clip_starts[clip + 1] - 1
    )


def clip_of_frames(database: Database) -> NDArray[np.int64]:
    """Which clip each pose belongs to, (N,)."""
    return np.repeat(np.arange(len(database)), np.diff(database.clip_starts))


def contact_changes(database: Database) -> NDArray[np.bool_]:
    """Whether each pose starts a contact phase of its clip, (N,)."""
    starts = np.zeros(database.poses, bool)
    for first, last in zip(database.clip_starts[:-1], database.clip_starts[1:], strict=True):
        starts[first + phase_starts(database.contact[first:last])] = True
    return starts


def find_candidates(
    database: Database,
    boundary: NDArray[np.bool_],
    settings: SimilaritySettings | None = None,
    progress: Progress | None = None,
) -> Candidates:
    """Pairs of poses that one could change over between, in blocks of bounded memory.

    Two poses are compared if they have the same contacts, both or neither are at a ``boundary`` of a phase,
    and they are not neighbours in a clip; a pair is listed if it is below ``settings.most`` and no pair next
    to it (one frame on or back in either clip) is nearer. Ties go to the earlier pair.
    """
    from mograph.graph.similarity_kernel import local_minima

    settings = SimilaritySettings() if settings is None else settings
    x = features(database, settings)
    norms = np.einsum("nf,nf->n", x, x)
    clip = clip_of_frames(database)
    kind = database.contact.astype(np.int64) * 2 + boundary
    count = len(x)
    rows = int(np.clip(_BLOCK_BYTES // (8 * count), 16, max(count, 16)))
    found, nearest = [], np.full(count, np.inf)
    for start in range(0, count, rows):
        stop = min(start + rows, count)
        low, high = max(start - 1, 0), min(stop + 1, count)
        block = x[low:high] @ x.T
        block *= -2.0
        block += norms[low:high, None]
        block += norms
        found.append(
            local_minima(block, low, start, stop, clip, kind, settings.most, settings.least_gap, nearest)
        )
        if progress is not None:
            progress("comparing", stop, count)
    a, b, distance = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Candidates(a, b, np.maximum(distance, 0.0), nearest)
