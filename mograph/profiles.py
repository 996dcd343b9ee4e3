"""Where a file comes from decides what must be put right: units, axes, known faults.

``cmu`` knows the CMU database in its cgspeed conversion. ``auto`` guesses scale and axes from the skeleton
and says what it guessed.
"""

from __future__ import annotations

import csv
import itertools
from dataclasses import dataclass, replace
from functools import lru_cache
from os import PathLike
from pathlib import Path

import numpy as np

from mograph import kinematics, repair, rotations
from mograph.clip import Clip
from mograph.errors import MographError, MotionFileError
from mograph.files import read_clip
from mograph.rotations import Array
from mograph.skeleton import Skeleton

PROFILES = ("auto", "cmu")

CMU_UNIT = 0.0254 / 0.45  # metres per unit of the CMU files: 1/0.45 inch
_CMU_SLOW = {"75", "80", "107", "115", "139", "141", "143"}  # subjects captured at 60 frames/s
_CHEST_JOINTS = ("Neck", "LeftShoulder", "RightShoulder")

_UNITS = {  # metres per unit -> its name
    1.0: "metres",
    0.01: "centimetres",
    0.001: "millimetres",
    0.0254: "inches",
    0.1: "decimetres",
    CMU_UNIT: "CMU units (1/0.45 inch)",
}
_TYPICAL_LEG = 0.85  # [m]


@dataclass(frozen=True)
class Loaded:
    """A clip put right for its source, with notes on what was guessed or repaired."""

    clip: Clip
    notes: tuple[str, ...] = ()
    dropped: int = 0  # frames dropped from the front of the file
    keep_floor: bool = False  # whether a plausible floor of the file is to be trusted


def load_clip(path: str | PathLike[str], profile: str = "auto") -> Loaded:
    """Read a motion file and put right what its source is known to get wrong."""
    path = Path(path)
    if profile not in PROFILES:
        raise MographError(f"unknown profile '{profile}'; profiles are: {', '.join(PROFILES)}")
    loaded = _load_cmu(path) if profile == "cmu" else _load_auto(path)
    clip, dropped = repair.drop_leading_t_pose(loaded.clip)
    notes = list(loaded.notes)
    if dropped:
        notes.append("dropped the T-pose in front")
    clip, spikes = repair.repair_spikes(clip)
    if spikes:
        notes.append(f"repaired {spikes} single-frame spike{'s' if spikes > 1 else ''}")
    return replace(loaded, clip=clip, notes=tuple(notes), dropped=dropped)


# CMU -----------------------------------------------------------------------------------------------------


def _load_cmu(path: Path) -> Loaded:
    subject = path.stem.split("_")[0].lstrip("0")
    known = _cmu_subjects(str(path.parent)).get(subject, {})
    try:
        fps = float(known["fps"]) if known else (60.0 if subject in _CMU_SLOW else 120.0)
        if path.suffix.lower() == ".amc":  # the originals have all their bones and no pose in front
            return Loaded(read_clip(path).with_(fps=fps, subject=subject))
        clip = read_clip(path, CMU_UNIT)
        notes: tuple[str, ...] = ()
        if clip.skeleton.names.count("Spine1") and all(n in clip.skeleton.names for n in _CHEST_JOINTS):
            thorax = clip.skeleton.offsets[clip.skeleton.names.index("Spine1")]
            if known:
                thorax = np.array([float(known[f"thorax_{axis}"]) for axis in "xyz"]) * CMU_UNIT
            else:
                notes = ("chest bone estimated from the spine (no subjects.csv near the file)",)
            clip = clip.with_(skeleton=_with_chest(clip.skeleton, thorax))
    except (KeyError, ValueError) as error:
        if isinstance(error, MographError):
            raise
        raise MotionFileError(
            f"subjects.csv near {path}: bad entry for subject {subject} ({error})"
        ) from error
    if abs(clip.fps - fps) > 0.5:
        notes += (f"frame rate {clip.fps:g} in the file is wrong for subject {subject}; {fps:g} used",)
    return Loaded(clip.with_(fps=fps, subject=subject), notes)


def _with_chest(skeleton: Skeleton, thorax: Array) -> Skeleton:
    """Neck and collars put at the upper end of the chest bone, which the conversion to BVH lost."""
    offsets = skeleton.offsets.copy()
    for name in _CHEST_JOINTS:
        offsets[skeleton.names.index(name)] = thorax
    return replace(skeleton, offsets=offsets)


@lru_cache(maxsize=64)
def _cmu_subjects(folder: str) -> dict[str, dict[str, str]]:
    """Rows of the nearest ``subjects.csv`` in the folder or the two above it, by subject."""
    for place in [Path(folder), *Path(folder).resolve().parents[:2]]:
        table = place / "subjects.csv"
        if table.is_file():
            with open(table, newline="", encoding="utf-8") as file:
                return {row.get("subject", "").lstrip("0"): row for row in csv.DictReader(file)}
    return {}


# auto ----------------------------------------------------------------------------------------------------


def _load_auto(path: Path) -> Loaded:
    clip = read_clip(path)
    notes = []
    if not clip.skeleton.has("left_hip", "right_hip", "left_knee", "left_ankle", "right_ankle", "right_knee"):
        return Loaded(clip, ("no legs found by name: units and axes taken as metres, Y up",), keep_floor=True)
    unit = _guess_unit(clip.skeleton.leg_length)
    if path.suffix.lower() == ".amc":
        unit = 1.0  # the ASF file states its unit
    if unit != 1.0:
        clip = clip.with_(skeleton=clip.skeleton.scaled(unit), root_position=clip.root_position * unit)
        notes.append(f"unit guessed as {_UNITS[unit]} from a leg of {clip.skeleton.leg_length:.2f} m")
    clip, turned = _upright(clip)
    if turned:
        notes.append(turned)
    return Loaded(clip, tuple(notes), keep_floor=True)


def _guess_unit(leg: float) -> float:
    """Metres per file unit that make the leg come nearest to a person's."""
    return min(_UNITS, key=lambda unit: abs(np.log(max(leg, 1e-12) * unit / _TYPICAL_LEG)))


def _upright(clip: Clip) -> tuple[Clip, str]:
    """The clip with Y up in the world, and a skeleton that at rest stands along Y and faces +Z."""
    skeleton = clip.skeleton
    rest = skeleton.rest_positions
    top = skeleton.roles.get("head", skeleton.roles.get("neck", skeleton.roles.get("chest")))
    ankles = [skeleton.joint("left_ankle"), skeleton.joint("right_ankle")]
    if top is None:
        return clip, ""
    upward = rest[top] - rest[ankles].mean(axis=0)
    leftward = rest[skeleton.joint("left_hip")] - rest[skeleton.joint("right_hip")]
    if min(np.linalg.norm(upward), np.linalg.norm(leftward)) < 1e-6:
        return clip, ""
    to_rest = _axis_turn(leftward, upward)

    position = kinematics.poses(clip).position
    posed = np.median(position[:, top] - position[:, ankles].mean(axis=1), axis=0)
    axis = int(np.argmax(np.abs(posed)))
    world_up = np.sign(posed[axis]) * np.eye(3)[axis]
    to_world = rotations.between(world_up, rotations.UP)

    changed = []
    if axis != 1 or posed[axis] < 0:
        changed.append(f"{'+' if posed[axis] > 0 else '-'}{'XYZ'[axis]} taken as up")
    if rotations.angle_between(to_rest, rotations.IDENTITY) > 1e-6:
        changed.append("rest pose turned to stand along Y and face +Z")
    if not changed:
        return clip, ""
    back = rotations.inverse(to_rest)
    rotation = rotations.multiply(rotations.multiply(to_rest, clip.rotation), back)
    rotation[:, 0] = rotations.multiply(rotations.multiply(to_world, clip.rotation[:, 0]), back)
    turned = replace(
        skeleton,
        offsets=rotations.rotate(to_rest, skeleton.offsets),
        end_offsets=rotations.rotate(to_rest, skeleton.end_offsets),
        axes=rotations.rotate(to_rest, skeleton.axes),
    )
    root = rotations.rotate(to_world, clip.root_position)
    return clip.with_(skeleton=turned, rotation=rotation, root_position=root), ", ".join(changed)


def _axis_turn(left: Array, up: Array) -> Array:
    """The turn onto the axes, out of the 24 there are, that best brings ``left`` to +X and ``up`` to +Y."""
    left, up = left / np.linalg.norm(left), up / np.linalg.norm(up)
    best, turn = -np.inf, np.eye(3)
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            m = np.zeros((3, 3))
            m[range(3), order] = signs
            fit = (m @ left)[0] + (m @ up)[1]
            if np.linalg.det(m) > 0 and fit > best:
                best, turn = fit, m
    return rotations.from_matrix(turn)
