"""Clips cut where something changes: contacts, and the beginning and end of rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph import kinematics
from mograph.contact_detection import runs
from mograph.database import Database
from mograph.feet import body_scale
from mograph.graph.similarity import clip_of_frames, contact_changes

REST_SPEED = 0.25  # a body whose joints are all slower rests, for a leg of 0.85 m [m/s]
REST_SECONDS = 0.2  # ... for at least this long


@dataclass(frozen=True, eq=False)
class Segments:
    """Runs of frames with one contact mask; the first pose of each is a state of the compact graph."""

    start: NDArray[np.int64]  # (S,) first frame
    stop: NDArray[np.int64]  # (S,) frame after the last
    following: NDArray[np.int64]  # (S,) the segment that follows in the clip, -1 at its end
    of_frame: NDArray[np.int64]  # (N,) segment of each frame
    resting: NDArray[np.bool_]  # (S,) whether the first pose is one of rest

    @property
    def boundary(self) -> NDArray[np.bool_]:
        """Whether each frame starts a segment, (N,)."""
        mask = np.zeros(len(self.of_frame), bool)
        mask[self.start] = True
        return mask


def find_segments(database: Database) -> Segments:
    """Cut all clips at contact changes and where rest begins and ends, so that one can start and stop."""
    rest = _rest_boundaries(database)
    boundary = contact_changes(database) | rest
    start = np.flatnonzero(boundary)
    stop = np.append(start[1:], database.poses)
    clip = clip_of_frames(database)
    count = len(start)
    following = np.where(np.append(clip[start[1:]], -1) == clip[start], np.arange(1, count + 1), -1)
    return Segments(start, stop, following, np.cumsum(boundary) - 1, rest[start])


def _rest_boundaries(database: Database) -> NDArray[np.bool_]:
    """First and last frame of every rest, (N,)."""
    limit = REST_SPEED * np.sqrt(body_scale(database.skeleton))
    least = max(round(REST_SECONDS * database.fps), 2)
    mark = np.zeros(database.poses, bool)
    roles = [r for r in database.skeleton.roles if not r.endswith(("toe", "wrist"))]
    joints = [database.skeleton.roles[r] for r in roles]
    for k in range(len(database)):
        first = int(database.clip_starts[k])
        clip = database.clip(k)
        position = kinematics.poses(clip).position[:, joints]
        speed = np.linalg.norm(kinematics.velocity(position, clip.fps), axis=-1).max(axis=1)
        for start, stop in runs(speed < limit):
            if stop - start >= least:
                mark[first + start] = True
                mark[first + stop - 1] = True
    return mark
