"""BVH files in and out, through the ``pybvh`` library.

``pybvh`` wants six channels on the root and three rotations on every other joint. Many programs write
positions on every joint, or fewer rotations for a hinge; such files are first put into the plain form here.
It also reads a hierarchy of any length into memory and accepts numbers that are not finite: both are
checked here, in one place.
"""

from __future__ import annotations

import re
import tempfile
import warnings
from os import PathLike
from pathlib import Path

import numpy as np
import pybvh
from pybvh.bvhnode import BvhEndSite, BvhJoint, BvhRoot

from mograph import rotations
from mograph.clip import Clip
from mograph.errors import MotionFileError, SkeletonError
from mograph.skeleton import Skeleton
from mograph.storage import written_atomically

HIERARCHY_LIMIT = 4 << 20  # longest hierarchy read [bytes]; real ones have a few kilobytes
_PLAIN = ["xposition", "yposition", "zposition"]
_CHANNELS = re.compile(r"CHANNELS[ \t]+(\d+)([^\n\r{}]*)", re.IGNORECASE)


def read_bvh(path: str | PathLike[str], unit: float = 1.0) -> Clip:
    """The motion in a BVH file, as it stands there, with lengths multiplied by ``unit`` [m per file unit].

    Use :func:`mograph.load_clip` to have units, axes and known faults of a source put right as well.
    """
    path = Path(path)
    channels = _channels(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if _is_plain(channels):
                motion = pybvh.read_bvh_file(path, world_up="+y")
            else:
                with tempfile.TemporaryDirectory() as folder:
                    plain = _plain_form(path, channels, Path(folder))
                    motion = pybvh.read_bvh_file(plain, world_up="+y")
    except MotionFileError:
        raise
    except (ValueError, IndexError, TypeError, AttributeError, StopIteration, RecursionError) as error:
        reason = " ".join(str(error).split()).replace(f" in file {path}", "").replace(f" in {path}", "")
        raise MotionFileError(f"{path} is not a readable BVH file: {reason[:300]}") from error
    values = np.concatenate([motion.root_pos, motion.joint_angles.reshape(len(motion.root_pos), -1)], axis=1)
    if not np.isfinite(values).all():
        frame, column = np.argwhere(~np.isfinite(values))[0]
        raise MotionFileError(
            f"{path}: frame {frame}, value {column + 1} is {values[frame, column]}, not a number"
        )
    joints = [node for node in motion.nodes if not node.is_end_site()]
    ends = [node for node in motion.nodes if node.is_end_site()]
    index = {id(node): j for j, node in enumerate(joints)}
    offsets = np.array([node.offset for node in joints], float) * unit
    offsets[0] = 0.0  # the root's place is in its position channels
    turns = [[name[0] for name in names if name.endswith("rotation")] for names in channels]
    try:
        skeleton = Skeleton(
            tuple(node.name for node in joints),
            np.array([-1 if node.parent is None else index[id(node.parent)] for node in joints]),
            offsets,
            np.array([index[id(node.parent)] for node in ends], np.int64),
            np.array([node.offset for node in ends], float).reshape(-1, 3) * unit,
            dof=np.array([min(len(names), 3) for names in turns]),
            axes=np.array([_axes(names) for names in turns]),
        )
    except SkeletonError as error:
        raise MotionFileError(f"{path}: {error}") from error
    rotation = np.empty((len(values), len(joints), 4))
    orders = ["".join(node.rot_channels) for node in joints]
    for order in set(orders):
        same = [j for j, o in enumerate(orders) if o == order]
        rotation[:, same] = rotations.from_euler(order, motion.joint_angles[:, same])
    fps = 1.0 / motion.frame_time
    fps = float(round(fps)) if abs(fps - round(fps)) < 1e-3 * fps else fps
    return Clip(skeleton, motion.root_pos * unit, rotations.continuous(rotation), fps, name=path.stem)


def _axes(turns: list[str]) -> np.ndarray:
    """The three axes of a joint, those it has channels for first."""
    order = [*dict.fromkeys(turns), *(axis for axis in "xyz" if axis not in turns)]
    frame = np.eye(3)[["xyz".index(axis) for axis in order]]
    frame[2] = np.cross(frame[0], frame[1])
    return frame if len(set(turns)) < 3 else np.eye(3)


def _channels(path: Path) -> list[list[str]]:
    """Channel names of each joint in file order, read without trusting the file's size or shape."""
    try:
        with open(path, "rb") as file:
            head = file.read(HIERARCHY_LIMIT)
    except OSError as error:
        raise MotionFileError(f"cannot read {path}: {error.strerror}") from error
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").upper().startswith(b"HIERARCHY"):
        raise MotionFileError(f"{path} is not a BVH file: it must begin with the word HIERARCHY")
    end = re.search(rb"(^|[\s}])MOTION\s", head)
    if end is None:
        size = path.stat().st_size
        limit = f"in its first {HIERARCHY_LIMIT >> 20} MB" if size > HIERARCHY_LIMIT else "anywhere"
        raise MotionFileError(f"{path} is not a readable BVH file: there is no MOTION section {limit}")
    text = head[: end.start()].decode("utf-8", "replace")
    found = [(int(count[:9]), names.lower().split()) for count, names in _CHANNELS.findall(text)]
    for count, names in found:
        if count != len(names):
            raise MotionFileError(
                f"{path}: a CHANNELS line announces {count} channels and names {len(names)}"
            )
    if not found:
        raise MotionFileError(f"{path} is not a readable BVH file: no joint has a CHANNELS line")
    return [names for _, names in found]


def _is_plain(channels: list[list[str]]) -> bool:
    root, *others = channels
    rotations_only = all(len(c) == 3 and all(n.endswith("rotation") for n in c) for c in others)
    return rotations_only and len(root) == 6 and [n for n in root if n.endswith("position")] == _PLAIN


def _plain_form(path: Path, channels: list[list[str]], folder: Path) -> Path:
    """The file rewritten with x, y, z positions on the root alone and three rotations on every joint.

    A missing rotation becomes a column of zeros; positions of other joints (bones that stretch) are left out.
    """
    text = path.read_text(errors="replace")
    # the head ends where the numbers begin: after the Frame Time line
    timed = re.search(r"Frame\s+Time:[ \t]*\S+", text)
    if timed is None:
        raise MotionFileError(f"{path}: there is no 'Frame Time:' line after MOTION")
    head, width = text[: timed.end()], sum(map(len, channels))
    try:
        numbers = np.array(text[timed.end() :].split(), float)
    except ValueError as error:
        raise MotionFileError(f"{path}: the motion holds a value that is no number ({error})") from error
    if numbers.size == 0 or numbers.size % width:
        raise MotionFileError(
            f"{path}: {numbers.size} motion values do not divide into frames of {width} channels"
        )
    source = np.hstack([numbers.reshape(-1, width), np.zeros((len(numbers) // width, 1))])
    columns, lines, start = [], [], 0
    for joint, names in enumerate(channels):
        place = {name: start + k for k, name in enumerate(names)}
        turns = [n for n in names if n.endswith("rotation")]
        turns += [n for n in ("zrotation", "yrotation", "xrotation") if n not in turns]
        wanted = (_PLAIN if joint == 0 else []) + turns[:3]
        columns += [place.get(name, width) for name in wanted]
        lines.append(f"CHANNELS {len(wanted)} " + " ".join(n[0].upper() + n[1:] for n in wanted))
        start += len(names)
    rewritten = iter(lines)
    plain = folder / path.with_suffix(".bvh").name
    with open(plain, "w") as file:
        file.write(_CHANNELS.sub(lambda _: next(rewritten), head) + "\n")
        np.savetxt(file, source[:, columns], fmt="%.9g")
    return plain


def write_bvh(clip: Clip, path: str | PathLike[str], unit: float = 1.0) -> None:
    """Write a clip as BVH, one file unit being ``unit`` metres (0.01 for programs that count centimetres)."""
    skeleton = clip.skeleton
    nodes: list[BvhJoint] = [BvhRoot(skeleton.names[0], [0.0, 0.0, 0.0], "XYZ", "ZYX", [], None)]
    for j in range(1, len(skeleton)):
        up = nodes[skeleton.parents[j]]
        nodes.append(BvhJoint(skeleton.names[j].replace(" ", "_"), skeleton.offsets[j] / unit, "ZYX", [], up))
        up.children = [*up.children, nodes[-1]]
    for parent, offset in zip(skeleton.end_parents, skeleton.end_offsets, strict=True):
        up = nodes[parent]
        up.children = [*up.children, BvhEndSite(f"{up.name}_end", offset / unit, up)]
    order: list[int] = []  # pybvh wants nodes depth first, and the columns in that order
    listed: list[BvhJoint | BvhEndSite] = []
    place = {id(node): j for j, node in enumerate(nodes)}
    stack: list[BvhJoint | BvhEndSite] = [nodes[0]]
    while stack:
        node = stack.pop()
        listed.append(node)
        if not node.is_end_site():
            order.append(place[id(node)])
            if not node.children:  # a leaf without a tip: BVH wants one
                node.children = [BvhEndSite(f"{node.name}_end", [0.0, 0.0, 0.0], node)]
            stack.extend(reversed(node.children))
    angles = np.unwrap(rotations.to_euler("ZYX", clip.rotation), axis=0)
    motion = pybvh.Bvh(
        listed,
        root_pos=clip.root_position / unit,
        joint_angles=angles[:, order],
        frame_time=1.0 / clip.fps,
        world_up="+y",
    )
    with written_atomically(path) as temporary:
        if temporary.suffix != ".bvh":
            raise MotionFileError(f"cannot write {path} as BVH: the name must end in .bvh")
        pybvh.write_bvh_file(motion, temporary)
