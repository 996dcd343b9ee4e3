"""A mannequin for any skeleton: a tapered capsule per bone, a skull, a pelvis and heels, to see motions on.

Thicknesses are round figures for an adult as shares of the stature, chosen by eye; no physics uses them.
A capsule is the hull of two balls of radii r0, r1 at a distance L. The cone between them touches both where
the surface normal n has n . u = (r0 - r1) / L, with u along the bone; below that line the surface belongs to
the first ball, above it to the second, and normals are exact everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph.rotations import Array
from mograph.skeleton import Skeleton

_LEG_SHARE = 0.491  # thigh and shank together as a share of the stature (Drillis and Contini 1966)
# radius at a joint as a share of the stature
_RADIUS = {
    "hip": 0.050,
    "knee": 0.033,
    "ankle": 0.024,
    "toe": 0.017,
    "collar": 0.036,
    "shoulder": 0.032,
    "elbow": 0.024,
    "wrist": 0.017,
    "neck": 0.032,
    "head": 0.030,
}
_HIPS, _WAIST, _CHEST, _CHEST_TOP = 0.059, 0.056, 0.063, 0.051
_PELVIS, _HEEL, _SKULL, _OTHER = 0.050, 0.018, 0.051, 0.02
_ROUND = (1.0, 1.0, 1.0)
_BROAD = (1.45, 1.0, 1.0)  # the trunk is broader than deep,
_SHOULDERS = (1.65, 1.0, 1.0)  # most of all at its top,
_SKULL_SHAPE = (0.82, 1.05, 1.0)  # and the head is higher than broad
# limbs that end in a joint without a tip still get a hand or a foot: its length as a share of the stature
_MISSING_TIP = {"wrist": 0.09, "ankle": 0.11, "toe": 0.03}


@dataclass(frozen=True)
class Mesh:
    """A triangle mesh around the rest pose, root at the origin, each vertex carried by one joint."""

    position: Array  # (V, 3) [m]
    normal: Array  # (V, 3) unit vectors, outward
    joint: NDArray[np.int64]  # (V,)
    triangles: NDArray[np.int64]  # (F, 3) counter-clockwise seen from outside


@dataclass(frozen=True)
class _Capsule:
    joint: int
    start: Array  # from the joint [m]
    stop: Array
    radii: tuple[float, float]  # at start and stop [m]
    shape: tuple[float, float, float] = _ROUND  # stretch along x, y, z of the rest pose


def mannequin(skeleton: Skeleton, sides: int = 16, rings: int = 4) -> Mesh:
    """Capsules around all bones of a skeleton; ``sides`` around each and ``rings`` over each of its caps.

    >>> bone = Skeleton(("a",), [-1], [[0, 0, 0]], [0], [[0, 1, 0]])
    >>> mesh = mannequin(bone, sides=8, rings=2)
    >>> mesh.position.shape, mesh.triangles.shape
    ((34, 3), (64, 3))
    """
    capsules = _capsules(skeleton)
    joint = np.array([c.joint for c in capsules])
    shape = np.array([c.shape for c in capsules])[:, None]  # (B, 1, 3)
    # a stretched capsule is an unstretched one between squeezed ends, stretched
    ends = np.array([[c.start, c.stop] for c in capsules]) / shape
    radii = np.array([c.radii for c in capsules])
    ball, normal = _hulls(ends, radii, sides, rings)
    position = ball * shape + skeleton.rest_positions[joint][:, None]
    normal = normal / shape
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    count = position.shape[1]
    triangles = _triangles(sides, 2 * rings) + count * np.arange(len(capsules))[:, None, None]
    return Mesh(
        position.reshape(-1, 3), normal.reshape(-1, 3), np.repeat(joint, count), triangles.reshape(-1, 3)
    )


def _stature(skeleton: Skeleton) -> float:
    """Height of the person a skeleton stands for [m]: from the legs where known, else its extent at rest."""
    legs = [f"{side}_{limb}" for side in ("left", "right") for limb in ("hip", "knee", "ankle")]
    if skeleton.has(*legs) and skeleton.leg_length > 0:
        return skeleton.leg_length / _LEG_SHARE
    tips = skeleton.rest_positions[skeleton.end_parents] + skeleton.end_offsets
    extent = float(np.ptp(np.vstack([skeleton.rest_positions, tips]), axis=0).max())
    return extent if extent > 0 else 1.0


def _capsules(skeleton: Skeleton) -> list[_Capsule]:
    tall = _stature(skeleton)
    limb = {joint: role.split("_")[-1] for role, joint in skeleton.roles.items()}
    radius = _radii(skeleton, limb)
    trunk = _trunk(skeleton)
    head = skeleton.roles.get("head")
    in_head = {j for j in range(len(skeleton)) if head is not None and head in skeleton.chain(j)}
    result: list[_Capsule] = []
    bare = set(range(len(skeleton))) - in_head  # joints nothing hangs on

    def add(joint: int, stop: Array, first: float, last: float, shape: tuple[float, float, float]) -> None:
        bare.discard(joint)
        same = any(c.joint == joint and np.allclose(c.stop, stop) for c in result)
        if np.linalg.norm(stop) > 1e-3 * tall and not same:
            result.append(_Capsule(joint, np.zeros(3), stop, (first * tall, last * tall), shape))

    for child in range(1, len(skeleton)):
        joint = int(skeleton.parents[child])
        first, last, shape = radius[joint], radius[child], _ROUND
        if joint in trunk and child in trunk:
            first, last, shape = trunk[joint], trunk[child], _BROAD
        elif joint in trunk and joint == skeleton.roles["chest"]:  # up to the neck and the collars
            shape = _SHOULDERS
            first, last = trunk[joint] * _BROAD[0] / _SHOULDERS[0], _CHEST_TOP  # as broad as the bone below
        if joint not in in_head:
            add(joint, skeleton.offsets[child], first, last, shape)
    for joint, tip in zip(skeleton.end_parents.tolist(), skeleton.end_offsets, strict=True):
        if joint not in in_head:
            add(joint, tip, radius[joint], 0.8 * radius[joint], _ROUND)
    for joint in sorted(bare):
        tip = _missing_tip(skeleton, joint, limb.get(joint, "")) * tall
        result.append(_Capsule(joint, np.zeros(3), tip, (radius[joint] * tall, 0.8 * radius[joint] * tall)))
    if head is not None:
        result.append(_skull(skeleton, head, tall))
    if not result:  # bones without any length
        result.append(_Capsule(0, np.zeros(3), np.zeros(3), (radius[0] * tall, radius[0] * tall)))
    return result + _pelvis(skeleton, tall) + _heels(skeleton, tall)


def _trunk(skeleton: Skeleton) -> dict[int, float]:
    """Joints from the hips to the chest, each with its radius: slimmest at the waist."""
    if not skeleton.has("hips", "chest"):
        return {}
    chain = list(skeleton.chain(skeleton.roles["chest"]))
    chain = chain[chain.index(skeleton.roles["hips"]) :]
    share = np.linspace(0.0, 1.0, len(chain))
    return dict(zip(chain, np.interp(share, [0.0, 0.4, 1.0], [_HIPS, _WAIST, _CHEST]).tolist(), strict=True))


def _pelvis(skeleton: Skeleton, tall: float) -> list[_Capsule]:
    if not skeleton.has("left_hip", "right_hip"):
        return []
    hips, rest = skeleton.roles["hips"], skeleton.rest_positions
    left, right = (rest[skeleton.roles[f"{side}_hip"]] - rest[hips] for side in ("left", "right"))
    return [_Capsule(hips, left, right, (_PELVIS * tall, _PELVIS * tall))]


def _heels(skeleton: Skeleton, tall: float) -> list[_Capsule]:
    """From each ankle down and a little back to the height of the toes, where the skeleton has no bone."""
    result = []
    for side in ("left", "right"):
        if skeleton.has(f"{side}_ankle", f"{side}_toe"):
            toe = skeleton.offsets[skeleton.roles[f"{side}_toe"]]
            forward = toe * np.array([1.0, 0.0, 1.0])
            back = -0.013 * tall * forward / max(float(np.linalg.norm(forward)), 1e-9)
            radii = (_RADIUS["ankle"] * tall, _HEEL * tall)
            heel = back + np.array([0.0, toe[1], 0.0])
            result.append(_Capsule(skeleton.roles[f"{side}_ankle"], np.zeros(3), heel, radii))
    return result


def _radii(skeleton: Skeleton, limb: dict[int, str]) -> list[float]:
    """Radius at every joint as a share of the stature; unnamed joints go by what they lead to or hang on."""
    leads_to: dict[int, str] = {}
    for goal in ("hip", "shoulder", "head"):
        for joint in (j for j, name in limb.items() if name == goal):
            leads_to.update({above: goal for above in skeleton.chain(joint)[:-1]})
    between = {"hip": _PELVIS, "shoulder": _RADIUS["collar"], "head": _RADIUS["neck"]}
    radius: list[float] = []
    for joint in range(len(skeleton)):
        if limb.get(joint) in _RADIUS:
            radius.append(_RADIUS[limb[joint]])
        elif joint in leads_to:
            radius.append(between[leads_to[joint]])
        elif joint == 0 or not limb:
            radius.append(_OTHER)
        else:
            radius.append(max(0.75 * radius[skeleton.parents[joint]], 0.004))
    return radius


def _missing_tip(skeleton: Skeleton, joint: int, limb: str) -> Array:
    """Where a hand or foot ends that the skeleton stops short of, as shares of the stature."""
    along = np.array([0.0, 0.0, 1.0])
    if limb == "wrist" and np.any(skeleton.offsets[joint]):
        along = skeleton.offsets[joint] / np.linalg.norm(skeleton.offsets[joint])
    return _MISSING_TIP.get(limb, 0.0) * along


def _skull(skeleton: Skeleton, head: int, tall: float) -> _Capsule:
    tips = skeleton.end_offsets[skeleton.end_parents == head]
    up = tips[0] if len(tips) and np.any(tips[0]) else np.array([0.0, 1.0, 0.0])
    up = up / np.linalg.norm(up) * tall
    return _Capsule(head, 0.022 * up, 0.055 * up, (0.92 * _SKULL * tall, _SKULL * tall), _SKULL_SHAPE)


def _hulls(ends: Array, radii: Array, sides: int, rings: int) -> tuple[Array, Array]:
    """Points and normals ``(B, V, 3)`` on the hulls of ball pairs: ``ends (B, 2, 3)``, ``radii (B, 2)``.

    Points run from the first pole over ``2 rings`` rings of ``sides`` points to the last pole.
    """
    bone = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(bone, axis=-1)
    largest = radii.max(axis=1)
    # balls in one place are set a little apart, and a ball inside the other grows until it shows
    apart = np.maximum(length, 0.05 * largest)
    along = np.where((length < 1e-9)[:, None], [0.0, 1.0, 0.0], bone / np.maximum(length, 1e-9)[:, None])
    ends = np.stack([ends[:, 0], ends[:, 0] + apart[:, None] * along], axis=1)
    radii = np.maximum(radii, (largest - 0.9 * apart)[:, None])
    split = np.arcsin((radii[:, 0] - radii[:, 1]) / apart)  # the latitude where the cone touches
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    other = np.cross(along, across)

    share = np.arange(rings + 1) / rings
    first = -np.pi / 2 + (split[:, None] + np.pi / 2) * share[1:]
    last = split[:, None] + (np.pi / 2 - split[:, None]) * share[:-1]
    latitude = np.concatenate([first, last], axis=1)  # (B, 2 rings)
    around = 2 * np.pi * np.arange(sides) / sides
    circle = np.cos(around)[:, None] * across[:, None] + np.sin(around)[:, None] * other[:, None]  # (B, S, 3)
    normal = (
        np.cos(latitude)[..., None, None] * circle[:, None]
        + np.sin(latitude)[..., None, None] * along[:, None, None]
    )
    normal = np.concatenate([-along[:, None], normal.reshape(len(ends), -1, 3), along[:, None]], axis=1)
    of_ball = np.repeat([0, 1], 1 + rings * sides)
    return ends[:, of_ball] + radii[:, of_ball, None] * normal, normal


def _triangles(sides: int, rings: int) -> NDArray[np.int64]:
    """Triangles of one capsule: a fan at each pole, two triangles for each patch between rings."""
    here = np.arange(sides)
    following = (here + 1) % sides
    ring = 1 + sides * np.arange(rings - 1)[:, None]
    a, b = ring + here, ring + following
    c, d = a + sides, b + sides
    patches = np.stack([np.stack([a, b, d], -1), np.stack([a, d, c], -1)], axis=2).reshape(-1, 3)
    last = 1 + sides * (rings - 1)
    bottom = np.stack([np.zeros_like(here), 1 + following, 1 + here], -1)
    top = np.stack([np.full_like(here, last + sides), last + here, last + following], -1)
    return np.concatenate([bottom, patches, top])
