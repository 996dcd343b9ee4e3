"""Cameras for pictures: named directions to look from, relative to the way a clip travels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mograph.clip import Clip
from mograph.errors import MographError
from mograph.rotations import Array
from studio.stick_figure import facing

VIEWS = ("side", "front", "top", "three_quarter")

_STANDING_STILL = 0.8  # [m] a path shorter than this has no direction worth turning the camera to


@dataclass(frozen=True)
class Camera:
    """An orthonormal frame to look along: ``right`` and ``up`` on the picture, ``toward`` the viewer.

    A finite ``distance`` [m] to the target gives perspective, an infinite one parallel projection.
    """

    right: Array
    up: Array
    toward: Array
    distance: float = np.inf

    def project(self, points: Array, target: Array | None = None) -> tuple[Array, Array]:
        """Picture coordinates (..., 2) [m at the target's depth] and nearness to the viewer (...) [m].

        >>> camera = Camera(np.array([0.0, 0, 1]), np.array([0.0, 1, 0]), np.array([-1.0, 0, 0]))
        >>> flat, near = camera.project(np.array([5.0, 1.5, 2.0]))
        >>> flat.tolist(), float(near)
        ([2.0, 1.5], -5.0)
        """
        away = points if target is None else points - target
        flat = np.stack([away @ self.right, away @ self.up], axis=-1)
        near = away @ self.toward
        if np.isfinite(self.distance):
            flat = flat / np.maximum(1.0 - near / self.distance, 0.05)[..., None]
        return flat, near


def travel_direction(clip: Clip, points: Array) -> Array:
    """Unit vector on the ground (x, z) along which the clip mainly moves, or faces if it stays in place."""
    path = clip.root_position[:, [0, 2]]
    ahead = facing(clip, points)
    centred = path - path.mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0] if len(path) > 1 else ahead[0]
    along = centred @ axis
    if np.ptp(along) < _STANDING_STILL:
        mean = ahead.mean(axis=0)
        direction = mean if np.linalg.norm(mean) > 0.3 else ahead[0]
    else:
        net = along[-1] - along[0]
        if abs(net) < 0.25 * np.ptp(along):  # there and back again: take the way it sets out
            net = along[np.argmax(np.abs(along - along[0]))] - along[0]
        direction = axis if net >= 0 else -axis
    return direction / np.linalg.norm(direction)


def camera(view: str, direction: Array, *, tilt: float = 0.0, distance: float = np.inf) -> Camera:
    """The camera of a named view on motion that goes along ``direction`` (x, z).

    *side* sees it go from left to right, *front* sees it come, *top* looks down with the way ahead to the
    right, *three_quarter* stands ahead and to the side, raised. ``tilt`` [rad] raises side and front too.
    """
    check_view(view)
    ahead = np.array([direction[0], 0.0, direction[1]])
    up = np.array([0.0, 1.0, 0.0])
    if view == "top":
        return Camera(ahead, np.cross(up, ahead), up, distance)
    bearing = {"side": np.pi / 2, "front": 0.0, "three_quarter": np.radians(52)}[view]
    tilt = np.radians(18) if view == "three_quarter" else tilt
    level = np.cos(bearing) * ahead + np.sin(bearing) * np.cross(ahead, up)
    toward = np.cos(tilt) * level + np.sin(tilt) * up
    right = np.cross(up, level)
    return Camera(right, np.cross(toward, right), toward, distance)


def check_view(view: str) -> None:
    """Refuse a view nobody knows."""
    if view not in VIEWS:
        raise MographError(f"cannot look from '{view}'; the views are {', '.join(VIEWS)}")
