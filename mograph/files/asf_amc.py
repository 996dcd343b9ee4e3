"""Acclaim motion capture: a skeleton in an ASF file, its motions in AMC files beside it.

An ASF bone has a direction and a length in the rest pose and an ``axis`` C, the frame its motion is told
in. With M the product of the bone's ``dof`` turns, the first listed applied first, the bone turns by
C M C^-1 about its start, and its children start at its end. A joint of our :class:`Skeleton` therefore
carries the name of the bone that *starts* there, and the joint ``root`` stands before them all.

Field meanings follow the Acclaim Skeleton File definition 1.10 (M. Schafer, 1994) and the Vicon notes on
its ``root`` lines. Lengths need care: the files say ``length 0.45`` and mean 1/0.45 inch per unit, as the
CMU database's own notes put it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, compress, repeat
from os import PathLike
from pathlib import Path
from typing import NoReturn

import numpy as np

from mograph import rotations
from mograph.clip import Clip
from mograph.errors import MotionFileError
from mograph.rotations import Array
from mograph.skeleton import Skeleton

_INCH = 0.0254  # [m]
_ROOT = "root"
_WHITE = str.maketrans(",()", "   ")  # the definition counts these as white space
_Line = tuple[int, list[str]]  # line number and its words


@dataclass
class _Bone:
    """One entry of ``:bonedata`` as it stands in the file; the root is one of length zero."""

    line: int
    name: str = ""
    direction: Array = field(default_factory=lambda: np.zeros(3))
    length: float = 0.0
    axis: Array = field(default_factory=lambda: np.zeros(3))
    axis_order: str = "XYZ"
    dof: str = ""  # letters of the axes it turns about, in the order of its values: "XZ"
    limits: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class _Acclaim:
    """An ASF file: the skeleton and what reading its AMC files takes beyond it."""

    skeleton: Skeleton
    channels: list[list[str]]  # per joint the values its AMC line holds: TX … RZ
    frames: Array  # (J, 4) the bones' axis rotations C
    limits: list[Array]  # per joint (dof, 2) [rad]
    degrees: bool
    metres: float  # per file unit
    position: Array  # (3,) where the root stands at rest [file units]


def read_asf(path: str | PathLike[str], unit: float | None = None) -> Skeleton:
    """The skeleton of an ASF file, in metres, with each joint's free axes.

    ``unit`` is the length of one file unit [m]; by default the file's ``length`` entry L tells it as
    0.0254 / L (L = 0.45 gives 0.0564 m), and ``unit=1.0`` keeps the file's numbers. Bones that nothing
    hangs on give end sites. Joint limits are read by :func:`asf_limits`.
    """
    return _read_acclaim(Path(path), unit).skeleton


def asf_limits(path: str | PathLike[str]) -> dict[str, Array]:
    """Lowest and highest angle [rad] of every free axis, ``(dof, 2)`` by joint name; infinite if not given.

    The angles are those of the file's own dof turns (M above), in the order of ``Skeleton.axes``.
    """
    acclaim = _read_acclaim(Path(path), None)
    return dict(zip(acclaim.skeleton.names, acclaim.limits, strict=True))


def read_amc(
    path: str | PathLike[str],
    skeleton_path: str | PathLike[str] | None = None,
    fps: float = 120.0,
    unit: float | None = None,
) -> Clip:
    """The motion of an AMC file on the skeleton of an ASF file.

    Without ``skeleton_path`` the skeleton of ``16_05.amc`` is ``16.asf`` in the same folder, or else the only
    ASF file there. AMC files do not tell their frame rate: most of CMU's are 120 per second, some 60.
    ``unit`` as in :func:`read_asf`. Joints that no line of the file names stay at rest, unless the file says
    that it is fully specified.

    >>> import tempfile
    >>> temporary = tempfile.TemporaryDirectory()
    >>> folder = Path(temporary.name)
    >>> bone = "name arm\\ndirection 1 0 0\\nlength 2\\ndof rz"
    >>> text = f":root\\n:bonedata\\nbegin\\n{bone}\\nend\\n:hierarchy\\nbegin\\nroot arm\\nend"
    >>> _ = (folder / "a.asf").write_text(text)
    >>> _ = (folder / "a_1.amc").write_text(":DEGREES\\n1\\nroot 0 3 0 0 0 0\\narm 90")
    >>> clip = read_amc(folder / "a_1.amc", unit=1.0)
    >>> clip.skeleton.end_offsets.tolist(), rotations.log(clip.rotation[0, 1]).round(4).tolist()
    ([[2.0, 0.0, 0.0]], [0.0, 0.0, 1.5708])
    >>> temporary.cleanup()
    """
    path = Path(path)
    lines = _read_text(path).split("\n")
    asf = _skeleton_beside(path) if skeleton_path is None else Path(skeleton_path)
    acclaim = _read_acclaim(asf, unit)
    values, columns, degrees = _read_values(path, lines, acclaim, asf)
    skeleton = acclaim.skeleton
    position = np.tile(acclaim.position, (len(values), 1))
    for name, column in columns.get(0, {}).items():
        if name[0] == "T":
            position[:, "XYZ".index(name[1])] += values[:, column]
    turns: dict[str, list[tuple[int, list[int]]]] = {}  # joints that turn about the same axes go together
    for joint, places in columns.items():
        letters = [(name[1], column) for name, column in places.items() if name[0] == "R"]
        if letters:
            # the first turn is applied first, so it stands last in the product
            order = "".join(letter for letter, _ in reversed(letters))
            turns.setdefault(order, []).append((joint, [column for _, column in reversed(letters)]))
    scale = np.pi / 180 if degrees else 1.0
    rotation = rotations.identity(len(values), len(skeleton))
    for order, group in turns.items():
        joints = [joint for joint, _ in group]
        motion = rotations.from_euler(order, scale * values[:, [places for _, places in group]])
        frame = acclaim.frames[joints]
        rotation[:, joints] = rotations.multiply(frame, rotations.multiply(motion, rotations.inverse(frame)))
    return Clip(
        skeleton,
        acclaim.metres * position,
        rotations.normalise(rotation),
        fps,
        name=path.stem,
        subject=asf.stem,
    )


def _skeleton_beside(path: Path) -> Path:
    named = path.with_name(path.stem.partition("_")[0] + ".asf")
    if named.is_file():
        return named
    found = sorted(p for p in path.parent.glob("*") if p.suffix.lower() == ".asf")
    if len(found) == 1:
        return found[0]
    raise MotionFileError(
        f"{path} lacks a skeleton: {named.name} is not beside it and the folder has {len(found)} ASF files; "
        "give skeleton_path"
    )


# ---------------------------------------------------------------------------------------------- text


def _read_text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise MotionFileError(f"{path} cannot be read: {reason}") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"#[^\n]*", "", text) if "#" in text else text


def _fail(path: Path, line: int, sentence: str) -> NoReturn:
    raise MotionFileError(f"{path}, line {line}: {sentence}")


def _show(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:40] + "…")


def _number(path: Path, line: int, word: str, what: str, infinite: bool = False) -> float:
    try:
        value = float(word) if "_" not in word else math.nan
    except ValueError:
        value = math.nan
    if math.isnan(value) or (math.isinf(value) and not infinite):
        _fail(path, line, f"{what} is {_show(word)}; it must be a finite number")
    return value


def _vector(path: Path, line: int, words: list[str], what: str) -> Array:
    if len(words) != 3:
        _fail(path, line, f"{what} has {len(words)} numbers; it needs three")
    return np.array([_number(path, line, word, what) for word in words])


# ----------------------------------------------------------------------------------------------- ASF


def _read_acclaim(path: Path, unit: float | None) -> _Acclaim:
    if unit is not None and not (math.isfinite(unit) and unit > 0):
        raise MotionFileError(f"cannot read {path} with {unit} m per unit; it must be above 0")
    sections = _sections(path)
    length, degrees = _units(path, sections.get("units", []))
    root, channels, position = _root(path, sections["root"])
    bones = _bones(path, sections["bonedata"])
    order, parents = _tree(path, sections["hierarchy"], bones)
    joints = [root, *(bones[name] for name in order[1:])]
    metres = _INCH / length if unit is None else unit
    angle = np.pi / 180 if degrees else 1.0

    extents = np.array([bone.direction * bone.length for bone in joints]) * metres
    if not np.isfinite(extents).all():
        raise MotionFileError(f"{path} has bones too long to be measured; lengths must be finite in metres")
    is_leaf = np.ones(len(joints), bool)
    is_leaf[parents[1:]] = False
    is_leaf[0] = False
    frames = np.array([rotations.from_euler(b.axis_order[::-1], angle * b.axis[_places(b)]) for b in joints])
    skeleton = Skeleton(
        tuple(order),
        parents,
        np.vstack([np.zeros(3), extents[parents[1:]]]),
        np.flatnonzero(is_leaf),
        extents[is_leaf],
        dof=np.array([len(bone.dof) for bone in joints]),
        axes=np.array([_free_axes(b.dof, c) for b, c in zip(joints, frames, strict=True)]),
    )
    limits = [angle * np.array(b.limits or [-np.inf, np.inf] * len(b.dof)).reshape(-1, 2) for b in joints]
    names = [channels, *([f"R{letter}" for letter in bone.dof] for bone in joints[1:])]
    return _Acclaim(skeleton, names, frames, limits, degrees, metres, position)


def _places(bone: _Bone) -> list[int]:
    """Places of the axis angles, last applied first; they are listed x y z whatever the order."""
    return ["XYZ".index(letter) for letter in reversed(bone.axis_order)]


def _free_axes(dof: str, frame: Array) -> Array:
    """Rows: the dof axes as the rest pose has them, then what completes a right-handed set if less than 3."""
    rest = [letter for letter in "XYZ" if letter not in dof]
    unit = np.eye(3)[["XYZ".index(letter) for letter in [*dof, *rest]]]
    if rest and np.linalg.det(unit) < 0:
        unit[2] *= -1
    return rotations.rotate(frame, unit)


def _sections(path: Path) -> dict[str, list[_Line]]:
    """The lines of each ``:section``, keyed by its name in small letters."""
    sections: dict[str, list[_Line]] = {}
    current: list[_Line] | None = None
    for number, text in enumerate(_read_text(path).split("\n"), 1):
        words = text.translate(_WHITE).split()
        if not words:
            continue
        if words[0].startswith(":"):
            current = sections.setdefault(words[0][1:].lower(), [])
        elif current is None:
            _fail(
                path, number, f"{_show(words[0])} stands before any section; an ASF file begins with :version"
            )
        else:
            current.append((number, words))
    for name in ("root", "bonedata", "hierarchy"):
        if name not in sections:
            raise MotionFileError(f"{path} has no :{name} section; an ASF skeleton needs one")
    return sections


def _units(path: Path, lines: list[_Line]) -> tuple[float, bool]:
    """The length multiplier and whether angles are degrees; 1 and degrees where the file is silent."""
    length, degrees = 1.0, True
    for number, (key, *words) in lines:
        if key.lower() == "length":
            length = _number(path, number, " ".join(words), "the length unit")
            if not 1e-9 < length < 1e9:
                _fail(path, number, f"the length unit is {length:g}; it must be above 0, such as 0.45")
        elif key.lower() == "angle":
            kind = " ".join(words).lower()
            if kind not in ("deg", "rad"):
                _fail(path, number, f"the angle unit is {_show(kind)}; it must be deg or rad")
            degrees = kind == "deg"
    return length, degrees


def _root(path: Path, lines: list[_Line]) -> tuple[_Bone, list[str], Array]:
    channels, position = ["TX", "TY", "TZ", "RX", "RY", "RZ"], np.zeros(3)
    for number, (key, *words) in lines:
        if key.lower() == "order":
            channels = [word.upper() for word in words]
            if len(set(channels)) < len(channels) or not set(channels) <= {
                a + b for a in "TR" for b in "XYZ"
            }:
                _fail(
                    path,
                    number,
                    f"the root's order is {_show(' '.join(words))}; it may name TX … RZ once each",
                )
        elif key.lower() == "position":
            position = _vector(path, number, words, "the root's position")
        elif key.lower() == "orientation":
            # programs disagree on whether it turns about fixed or moving axes; every known file has zeros
            orientation = _vector(path, number, words, "the root's orientation")
            if np.any(orientation):
                _fail(path, number, f"the root's orientation is {' '.join(words)}; only 0 0 0 can be read")
    dof = "".join(name[1] for name in channels if name[0] == "R")
    return _Bone(0, _ROOT, dof=dof), channels, position


def _bones(path: Path, lines: list[_Line]) -> dict[str, _Bone]:
    bones: dict[str, _Bone] = {}
    bone: _Bone | None = None
    in_limits = False
    for number, words in lines:
        key = words[0].lower()
        if key == "begin":
            if bone is not None:
                _fail(path, number, f"a bone begins before the one of line {bone.line} has its end")
            bone = _Bone(number)
        elif bone is None:
            _fail(path, number, f"{_show(words[0])} stands outside begin … end")
        elif key == "end":
            _check_bone(path, bone, bones)
            bones[bone.name] = bone
            bone = None
        elif key == "limits" or (in_limits and not key.isalpha()) or (in_limits and key == "inf"):
            bounds = words[1:] if key == "limits" else words  # the pairs may go on over several lines
            bone.limits += [_number(path, number, word, "a limit", infinite=True) for word in bounds]
            in_limits = True
            continue
        else:
            _bone_entry(path, number, bone, key, words[1:])
        in_limits = False
    if bone is not None:
        _fail(path, bone.line, "the bone that begins here has no end; the file seems cut short")
    return bones


def _bone_entry(path: Path, number: int, bone: _Bone, key: str, words: list[str]) -> None:
    """One line of a bone; entries that motion does not need (id, masses, drawing) are passed over."""
    if key == "name":
        bone.name = " ".join(words)
    elif key == "direction":
        bone.direction = _vector(path, number, words, "the direction")
        # divided by the largest number first, so that huge or tiny ones keep their direction
        largest = np.abs(bone.direction).max()
        if largest > 0:
            bone.direction /= largest
            bone.direction /= np.linalg.norm(bone.direction)
    elif key == "length":
        bone.length = _number(path, number, " ".join(words), "the length")
        if bone.length < 0:
            _fail(path, number, f"the length is {bone.length:g}; it must be 0 or more")
    elif key == "axis":
        order = "".join(words[3:]).upper() or "XYZ"
        if sorted(order) != ["X", "Y", "Z"]:
            _fail(path, number, f"the axis order is {_show(order)}; it must be X, Y and Z in some order")
        bone.axis, bone.axis_order = _vector(path, number, words[:3], "the axis"), order
    elif key == "dof":
        for word in words:
            if word.lower() not in ("rx", "ry", "rz") or word[1].upper() in bone.dof:
                _fail(path, number, f"the dof entry has {_show(word)}; bones may have rx, ry, rz once each")
            bone.dof += word[1].upper()


def _check_bone(path: Path, bone: _Bone, bones: dict[str, _Bone]) -> None:
    if not bone.name or bone.name == _ROOT or bone.name in bones:
        _fail(
            path, bone.line, f"the bone that begins here is named {_show(bone.name)}; each needs its own name"
        )
    if len(bone.name.split()) > 1:
        _fail(path, bone.line, f"the bone name {_show(bone.name)} has spaces; AMC files could not name it")
    if bone.length > 0 and not np.any(bone.direction):
        _fail(path, bone.line, f"bone {_show(bone.name)} has a length but no direction")
    if bone.limits and len(bone.limits) != 2 * len(bone.dof):
        _fail(
            path,
            bone.line,
            f"{_show(bone.name)} has {len(bone.limits)} limits for {len(bone.dof)} dof; it needs two each",
        )


def _tree(path: Path, lines: list[_Line], bones: dict[str, _Bone]) -> tuple[list[str], np.ndarray]:
    """Bone names with parents before children, depth first in the file's order, and the parents."""
    children: dict[str, list[str]] = {}
    listed: set[str] = set()
    for number, (parent, *names) in lines:
        if parent.lower() in ("begin", "end") and not names:
            continue
        for name in (parent, *names):
            if name != _ROOT and name not in bones:
                _fail(path, number, f"the hierarchy names {_show(name)}, which :bonedata does not have")
        for name in names:
            if name == _ROOT or name in listed:
                _fail(path, number, f"{_show(name)} is given a second parent; every bone hangs on one")
            listed.add(name)
        children.setdefault(parent, []).extend(names)
    order: list[str] = []
    parents: list[int] = []
    waiting = [(_ROOT, -1)]
    while waiting:
        name, parent_index = waiting.pop()
        waiting += [(child, len(order)) for child in reversed(children.get(name, []))]
        order.append(name)
        parents.append(parent_index)
    loose = sorted(set(bones) - set(order))
    if loose:
        raise MotionFileError(f"{path}: bone {_show(loose[0])} does not hang on the root; see its :hierarchy")
    return order, np.array(parents)


# ----------------------------------------------------------------------------------------------- AMC

_Columns = dict[int, dict[str, int]]  # of each joint: where in a frame's numbers each of its channels stands


def _read_values(
    path: Path, lines: list[str], acclaim: _Acclaim, skeleton_path: Path
) -> tuple[Array, _Columns, bool]:
    """All numbers of an AMC file, a row per frame; where each joint has its columns; whether degrees.

    The first frame tells the layout. The rest is split once and converted in one go, and every frame's
    number and names are compared with the layout; only a file that fails is looked at line by line.
    """
    start, degrees, complete = _header(path, lines, acclaim.degrees)
    layout = _layout(path, lines, start, acclaim, skeleton_path, complete)
    names = acclaim.skeleton.names
    columns: _Columns = {}
    width, mask, name_places = 0, [0], {}
    for joint in layout:
        columns[joint] = {name: width + k for k, name in enumerate(acclaim.channels[joint])}
        name_places[len(mask)] = names[joint]
        mask += [0] + [1] * len(columns[joint])
        width += len(columns[joint])
    words = "\n".join(lines[start:]).split()
    count = len(words) // len(mask)
    first = int(words[0])
    try:
        numbers = np.fromiter(map(float, compress(words, chain.from_iterable(repeat(mask)))), float)
        good = (
            len(words) == count * len(mask)
            and list(map(int, words[:: len(mask)])) == list(range(first, first + count))
            and all(words[place :: len(mask)] == [name] * count for place, name in name_places.items())
            and bool(np.isfinite(numbers).all())
            and "_" not in " ".join(compress(words, chain.from_iterable(repeat(mask))))
        )
    except (ValueError, OverflowError):
        good = False
    if not good:
        _explain(path, lines, start, [(names[j], len(acclaim.channels[j])) for j in layout])
    return numbers.reshape(count, width), columns, degrees


def _is_frame_number(words: list[str]) -> bool:
    return len(words) == 1 and words[0].isascii() and words[0].isdigit() and len(words[0]) < 16


def _header(path: Path, lines: list[str], degrees: bool) -> tuple[int, bool, bool]:
    """Index of the first frame's line, whether angles are degrees, whether frames must name every bone."""
    complete = False
    for index, line in enumerate(lines):
        words = line.split()
        if _is_frame_number(words):
            return index, degrees, complete
        if words and words[0].startswith(":"):
            keyword = words[0].lower()
            degrees = keyword == ":degrees" if keyword in (":degrees", ":radians") else degrees
            complete = complete or keyword == ":fully-specified"
        elif words:
            _fail(path, index + 1, f"{_show(words[0])} stands where the first frame number was expected")
    raise MotionFileError(f"{path} has no frames; after its header an AMC file needs one at least")


def _layout(
    path: Path, lines: list[str], start: int, acclaim: _Acclaim, skeleton_path: Path, complete: bool
) -> list[int]:
    """Joints in the order in which the first frame names them."""
    index = {name: j for j, name in enumerate(acclaim.skeleton.names)}
    layout: list[int] = []
    last = start
    for at in range(start + 1, len(lines)):
        words = lines[at].split()
        if _is_frame_number(words):
            break
        if not words:
            continue
        last, name = at, words[0]
        if name not in index:
            _fail(
                path, at + 1, f"{_show(name)} is not a bone of {skeleton_path}; the wrong skeleton, perhaps"
            )
        if index[name] in layout:
            _fail(path, at + 1, f"{_show(name)} comes twice in one frame; once is right")
        _check_count(path, at + 1, words, len(acclaim.channels[index[name]]))
        layout.append(index[name])
    free = [j for j, channels in enumerate(acclaim.channels) if channels and j not in layout]
    if free and (complete or free[0] == 0):
        name = acclaim.skeleton.names[free[0]]
        _fail(
            path,
            last + 1,
            f"the first frame ends without {_show(name)}; a fully specified frame has all bones",
        )
    return layout


def _check_count(path: Path, number: int, words: list[str], need: int) -> None:
    if len(words) - 1 != need:
        _fail(path, number, f"{_show(words[0])} has {len(words) - 1} values; its skeleton gives it {need}")


def _explain(path: Path, lines: list[str], start: int, layout: list[tuple[str, int]]) -> NoReturn:
    """Say which line of a faulty file is wrong; slow, and only for files that are."""
    rows = _worded(lines, start)
    frame = int(lines[start]) - 1
    number = start + 1
    for number, words in rows:
        if not _is_frame_number(words):
            _fail(
                path, number, f"{_show(words[0])} stands where the number of frame {frame + 1} was expected"
            )
        if int(words[0]) != frame + 1:
            _fail(path, number, f"frame {words[0]} follows frame {frame}; frames must count up by one")
        frame += 1
        for name, need in layout:
            number, words = next(rows, (number, []))
            if not words:
                _fail(
                    path, number, f"the file ends within frame {frame}, before {_show(name)}; it is cut short"
                )
            if words[0] != name:
                _fail(
                    path,
                    number,
                    f"frame {frame} has {_show(words[0])} where the first frame has {_show(name)}",
                )
            _check_count(path, number, words, need)
            for word in words[1:]:
                _number(path, number, word, f"a value of {_show(name)}")
    _fail(path, number, "the frames do not all have the layout of the first")


def _worded(lines: list[str], start: int) -> Iterator[_Line]:
    for index in range(start, len(lines)):
        words = lines[index].split()
        if words:
            yield index + 1, words
