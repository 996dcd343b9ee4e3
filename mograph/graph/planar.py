"""Places on the ground: position and heading (x, z, yaw), composed like rigid motions of the plane."""

from __future__ import annotations

import numpy as np

from mograph import kinematics, rotations
from mograph.contacts import FEET
from mograph.database import Database
from mograph.feet import foot_joints
from mograph.foot_lock import heel_position
from mograph.rotations import Array


def compose(p: Array, q: Array) -> Array:
    """The place ``q`` seen from ``p``: first go to p, then by q in p's own frame.

    >>> compose(np.array([1.0, 0.0, np.pi / 2]), np.array([0.0, 2.0, 0.1])).round(6).tolist()
    [3.0, 0.0, 1.670796]
    """
    p, q = np.asarray(p, float), np.asarray(q, float)
    c, s = np.cos(p[..., 2]), np.sin(p[..., 2])
    x = p[..., 0] + c * q[..., 0] + s * q[..., 1]
    z = p[..., 1] - s * q[..., 0] + c * q[..., 1]
    return np.stack([x, z, p[..., 2] + q[..., 2]], axis=-1)


def inverse(p: Array) -> Array:
    """The motion that undoes ``p``.

    >>> p = np.array([1.0, 2.0, 0.7])
    >>> bool(np.allclose(compose(p, inverse(p)), 0))
    True
    """
    p = np.asarray(p, float)
    c, s = np.cos(p[..., 2]), np.sin(p[..., 2])
    x = -c * p[..., 0] + s * p[..., 1]
    z = -s * p[..., 0] - c * p[..., 1]
    return np.stack([x, z, -p[..., 2]], axis=-1)


def between(p: Array, q: Array) -> Array:
    """The motion that leads from ``p`` to ``q``: ``compose(p, between(p, q)) == q``."""
    return compose(inverse(p), q)


def wrapped(angle: Array) -> Array:
    """Angles brought into -pi..pi."""
    return (np.asarray(angle) + np.pi) % (2 * np.pi) - np.pi


def root_places(database: Database) -> Array:
    """Place of the root of every pose (N, 3)."""
    return np.column_stack([database.root_position[:, [0, 2]], rotations.yaw(database.rotation[:, 0])])


def support_points(database: Database) -> Array:
    """Heel and ball of both feet of every pose seen from above: (N, foot, point, xz) [m]."""
    skeleton = database.skeleton
    poses = kinematics.forward(skeleton, database.root_position, database.rotation)
    points = [
        [heel_position(skeleton, poses, ankle, toe), poses.position[:, toe]]
        for ankle, toe in foot_joints(skeleton)
    ]
    return np.moveaxis(np.array(points), 2, 0)[..., [0, 2]]


def alignments(database: Database, points: Array, places: Array, a: np.ndarray, b: np.ndarray) -> Array:
    """Motions (P, 3) that carry clip coordinates of pose ``b`` into those of ``a``, support held fixed.

    The one definition of where a motion goes on after a change from pose a to pose b: heels and balls of the
    feet that touch (the same in both) come to lie on each other as well as rigid motion allows (least
    squares). With no foot down the roots come to lie on each other.
    """
    touching = database.contact[a] & FEET
    weight = np.stack([(touching & 1) > 0, (touching & 2) > 0], axis=1).astype(float)
    weight = np.repeat(weight[:, :, None], 2, axis=2)  # (P, foot, point)
    total = weight.sum(axis=(1, 2))
    held = total > 0
    safe = np.where(held, total, 1.0)
    pa, pb = points[a], points[b]
    ca = np.einsum("pij,pijk->pk", weight, pa) / safe[:, None]
    cb = np.einsum("pij,pijk->pk", weight, pb) / safe[:, None]
    da, db = pa - ca[:, None, None], pb - cb[:, None, None]
    # the turn by which (x, z) of b best covers that of a, x' = x cos + z sin, z' = -x sin + z cos
    cosine = np.einsum("pij,pijk,pijk->p", weight, da, db)
    sine = np.einsum("pij,pij->p", weight, da[..., 0] * db[..., 1] - da[..., 1] * db[..., 0])
    turn = np.where(held, np.arctan2(sine, cosine), places[a, 2] - places[b, 2])
    ca = np.where(held[:, None], ca, places[a, :2])
    cb = np.where(held[:, None], cb, places[b, :2])
    c, s = np.cos(turn), np.sin(turn)
    x = ca[:, 0] - (c * cb[:, 0] + s * cb[:, 1])
    z = ca[:, 1] - (-s * cb[:, 0] + c * cb[:, 1])
    return np.column_stack([x, z, wrapped(turn)])
