"""How heavy each part of a body is: segment masses, centres and inertias for any skeleton with the roles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mograph import rotations
from mograph.dynamics.anthropometry import PAIRED_SEGMENTS, TABLES, Segment
from mograph.errors import SkeletonError
from mograph.rotations import Array
from mograph.skeleton import Skeleton

SIDES = ("left", "right")

NEEDED = tuple(
    f"{side}_{role}" for side in SIDES for role in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
)
ANKLE_SHARE = 0.23  # the ankle stands above this share of the foot's length, seen from the heel


@dataclass(frozen=True, eq=False)
class MassModel:
    """Mass, centre and inertia of the rigid body that each joint of a skeleton carries.

    Vectors are in the joint's own frame, whose axes are the world's at rest. A joint that carries nothing has
    mass zero. ``inertia`` is about the body's own centre.
    """

    mass: Array  # (J,) [kg]
    centre: Array  # (J, 3) [m] from the joint
    inertia: Array  # (J, 3, 3) [kg m²] about the centre

    @property
    def total(self) -> float:
        """Mass of the whole body [kg]."""
        return float(self.mass.sum())


def mass_model(
    skeleton: Skeleton,
    mass: float = 70.0,
    sex: str = "male",
    height: float | None = None,
    overrides: Mapping[str, Segment] | None = None,
) -> MassModel:
    """The mass model of a person with this skeleton, after de Leva (1996), by joint roles.

    ``mass`` is the whole body's [kg]. ``sex`` is ``"male"`` or ``"female"``. ``height`` [m] is used only for
    segments whose end the skeleton does not show (a head without a tip, a foot without toes); if not given it
    follows from the length of the legs. ``overrides`` replaces rows of the table, for both sides
    (``"thigh"``) or one (``"left_thigh"``); the shares of mass are then scaled to add up to the whole.

    Limbs run between their joints. The line from the middle of the hips to the neck is cut into lower,
    middle and upper trunk in de Leva's proportion (27.4 : 40.5 : 32.1 % for men): the lower part goes to the
    hips, the upper to the chest, the middle in equal shares to the joints between them. Joints without a
    role, toes and collars carry nothing.
    """
    if not (np.isfinite(mass) and mass > 0):
        raise SkeletonError(f"a body mass of {mass} kg is not possible; it must be above 0")
    if sex not in TABLES:
        raise SkeletonError(f"no mass table for sex '{sex}'; there are: {', '.join(TABLES)}")
    for role in NEEDED:
        skeleton.joint(role)
    rows = _rows(TABLES[sex], overrides or {})
    if height is None:
        height = skeleton.leg_length / (TABLES[sex]["thigh"].length + TABLES[sex]["shank"].length)
    parts = _Parts(skeleton, height)
    _add_trunk(parts, rows)
    _add_head(parts, rows["head"])
    for side in SIDES:
        _add_arm(parts, side, rows)
        _add_leg(parts, side, rows)
    return parts.combined(mass)


def _rows(table: Mapping[str, Segment], overrides: Mapping[str, Segment]) -> dict[str, Segment]:
    """The table with one row per side of the body, overrides put in."""
    rows = {name: row for name, row in table.items() if name not in PAIRED_SEGMENTS}
    rows |= {f"{side}_{name}": table[name] for side in SIDES for name in PAIRED_SEGMENTS}
    for name, row in overrides.items():
        names = [f"{side}_{name}" for side in SIDES] if name in PAIRED_SEGMENTS else [name]
        for one in names:
            if one not in rows:
                raise SkeletonError(f"no body segment '{name}'; segments are: {', '.join(rows)}")
            rows[one] = row
    return rows


class _Parts:
    """Rigid pieces collected joint by joint, in rest coordinates with the root at the origin."""

    def __init__(self, skeleton: Skeleton, height: float) -> None:
        self.skeleton = skeleton
        self.height = height
        self.at = skeleton.rest_positions
        self.pieces: list[
            tuple[int, float, Array, Array]
        ] = []  # joint, share of mass, place, inertia per mass

    def role(self, name: str) -> Array:
        return self.at[self.skeleton.joint(name)]

    def add(self, joint: int, row: Segment, start: Array, end: Array, share: float = 1.0) -> None:
        """A segment from ``start`` to ``end``, its radii turned from the hanging body to this line."""
        line = end - start
        length = float(np.linalg.norm(line))
        axes = np.eye(3)
        if length > 1e-9:
            # the segment hangs down in the table; turn its axes the shortest way to where it points at rest
            axes = rotations.to_matrix(rotations.between([0.0, -1.0, 0.0], line))
        sagittal, transverse, longitudinal = row.radii
        # columns of axes: transverse (X), longitudinal (Y), sagittal (Z) at rest
        about = (np.array([transverse, longitudinal, sagittal]) * length) ** 2
        inertia = axes @ np.diag(about) @ axes.T
        self.pieces.append((joint, row.mass * share, start + row.centre * line, inertia))

    def tip(self, joint: int, origin: Array, expected: float, fallback: Array) -> Array:
        """The farthest end below ``joint`` if its distance from ``origin`` is likely for a segment of length
        ``expected``, else the point that far along ``fallback``."""
        below = [joint]
        for j in range(joint + 1, len(self.skeleton)):
            if self.skeleton.parents[j] in below:
                below.append(j)
        sites = np.isin(self.skeleton.end_parents, below)
        ends = self.at[self.skeleton.end_parents[sites]] + self.skeleton.end_offsets[sites]
        points = np.concatenate([self.at[below[1:]], ends])
        reach = np.linalg.norm(points - origin, axis=1)
        if len(points) and 0.6 * expected < reach.max() < 1.6 * expected:
            return points[int(np.argmax(reach))]
        return origin + expected * _unit(fallback)

    def combined(self, mass: float) -> MassModel:
        """All pieces of one joint as one rigid body; masses scaled to ``mass``."""
        joints = len(self.skeleton)
        masses, centre, inertia = np.zeros(joints), np.zeros((joints, 3)), np.zeros((joints, 3, 3))
        scale = mass / sum(share for _, share, _, _ in self.pieces)
        for joint in sorted({piece[0] for piece in self.pieces}):
            own = [piece for piece in self.pieces if piece[0] == joint]
            weights = np.array([share for _, share, _, _ in own]) * scale
            places = np.array([place for _, _, place, _ in own]) - self.at[joint]
            masses[joint] = weights.sum()
            if masses[joint] > 0:
                centre[joint] = weights @ places / masses[joint]
            for weight, place, (_, _, _, about) in zip(weights, places, own, strict=True):
                d = place - centre[joint]
                inertia[joint] += weight * (about + (d @ d) * np.eye(3) - np.outer(d, d))
        return MassModel(masses, centre, inertia)


def _unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def _add_trunk(parts: _Parts, rows: Mapping[str, Segment]) -> None:
    skeleton = parts.skeleton
    hips = skeleton.joint("hips")
    chest = skeleton.roles.get("chest", hips)
    bottom = (parts.role("left_hip") + parts.role("right_hip")) / 2
    top = (parts.role("left_shoulder") + parts.role("right_shoulder")) / 2
    if skeleton.has("neck"):
        # some skeletons put the neck's joint inside the chest: the shoulders then show the top of the trunk
        top = max(top, parts.role("neck"), key=lambda p: float(np.linalg.norm(p - bottom)))
    names = ("lower_trunk", "middle_trunk", "upper_trunk")
    lengths = np.array([rows[name].length for name in names])
    cuts = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
    points = bottom + cuts[:, None] * (top - bottom)
    between = [j for j in skeleton.chain(chest) if j not in skeleton.chain(hips) and j != chest]
    carriers = {"lower_trunk": [hips], "middle_trunk": between or [hips, chest], "upper_trunk": [chest]}
    for k, name in enumerate(names):
        for joint in carriers[name]:  # table rows run downwards, from the upper end to the lower
            parts.add(joint, rows[name], points[k + 1], points[k], 1.0 / len(carriers[name]))


def _add_head(parts: _Parts, row: Segment) -> None:
    skeleton = parts.skeleton
    length, up = row.length * parts.height, np.array([0.0, 1.0, 0.0])
    chest = skeleton.roles.get("chest", skeleton.joint("hips"))
    joint = skeleton.roles.get("head", skeleton.roles.get("neck", chest))
    if skeleton.has("neck"):
        base = parts.role("neck")
    elif skeleton.has("head"):  # the head's own joint lies about a sixth of the segment above its lower end
        base = parts.role("head") - length / 6 * up
    else:
        base = (parts.role("left_shoulder") + parts.role("right_shoulder")) / 2
    tip = base + length * up if joint == chest else parts.tip(joint, base, length, up)
    parts.add(joint, row, tip, base)


def _add_arm(parts: _Parts, side: str, rows: Mapping[str, Segment]) -> None:
    joint = parts.skeleton.joint
    shoulder, elbow, wrist = (parts.role(f"{side}_{role}") for role in ("shoulder", "elbow", "wrist"))
    hand = rows[f"{side}_hand"]
    tip = parts.tip(joint(f"{side}_wrist"), wrist, hand.length * parts.height, wrist - elbow)
    parts.add(joint(f"{side}_shoulder"), rows[f"{side}_upper_arm"], shoulder, elbow)
    parts.add(joint(f"{side}_elbow"), rows[f"{side}_forearm"], elbow, wrist)
    parts.add(joint(f"{side}_wrist"), hand, wrist, tip)


def _add_leg(parts: _Parts, side: str, rows: Mapping[str, Segment]) -> None:
    joint = parts.skeleton.joint
    hip, knee, ankle = (parts.role(f"{side}_{role}") for role in ("hip", "knee", "ankle"))
    parts.add(joint(f"{side}_hip"), rows[f"{side}_thigh"], hip, knee)
    parts.add(joint(f"{side}_knee"), rows[f"{side}_shank"], knee, ankle)
    heel, tip = foot_line(parts.skeleton, side, rows[f"{side}_foot"].length * parts.height)
    parts.add(joint(f"{side}_ankle"), rows[f"{side}_foot"], heel, tip)


def foot_line(skeleton: Skeleton, side: str, length: float) -> tuple[Array, Array]:
    """Heel and tip of the toes at rest [m, root at the origin] for a foot about ``length`` long.

    The tip is where the bones below the ankle end. The heel lies behind the ankle, so that the ankle stands
    above 23 % of the foot, and half as high above the tip as the ankle does.
    """
    joint = skeleton.joint(f"{side}_ankle")
    ankle = skeleton.rest_positions[joint]
    drop = 0.25 * length  # an ankle is about a quarter of the foot's length above the sole
    ahead = np.array([0.0, -drop, (1.0 - ANKLE_SHARE) * length])
    tip = _Parts(skeleton, 0.0).tip(joint, ankle, float(np.linalg.norm(ahead)), ahead)
    flat = (tip - ankle) * np.array([1.0, 0.0, 1.0])
    if np.linalg.norm(flat) < 0.3 * length:  # the bones do not tell: take a foot that points ahead
        tip = ankle + ahead
        flat = ahead * np.array([1.0, 0.0, 1.0])
    heel = ankle - flat * ANKLE_SHARE / (1.0 - ANKLE_SHARE)
    heel[1] = (ankle[1] + tip[1]) / 2
    return heel, tip
