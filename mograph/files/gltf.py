"""glTF 2.0 out: a clip as one ``.glb`` file that Blender, three.js and game engines play.

Written with ``struct`` and ``json`` alone: the file is a JSON table and one block of arrays, so a library
would save a page of code and cost every user a dependency. The tests read the files back with one. Our axes
and units (metres, Y up, right-handed, facing +Z) are glTF's own.

Section names below are those of the Khronos glTF 2.0 specification.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import phase_starts
from mograph.errors import MotionFileError
from mograph.files.capsules import Mesh, mannequin
from mograph.storage import written_atomically

_COMPONENT = {"u1": 5121, "u2": 5123, "u4": 5125, "f4": 5126}  # Accessor Data Types
_SHAPE = {(): "SCALAR", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}
_VERTICES, _INDICES = 34962, 34963  # buffer view targets
_STILL = 1e-7  # a joint turned by less than this all the time needs no channel [quaternion part]
_LIMIT = 2**32 - 1  # a GLB tells its length in 32 bits [bytes]


def write_glb(clip: Clip, path: str | PathLike[str]) -> None:
    """Write a clip as binary glTF: its skeleton as nodes, a capsule mannequin skinned to it, one animation.

    The rest pose, standing on the ground at the origin, is the bind pose. The animation moves the root and
    turns every joint that is ever out of rest, linear between frames. Frame rate, name and contact phases
    (start frame and mask of each, where known) are kept in the animation's ``extras``.

    >>> import tempfile
    >>> from mograph.skeleton import Skeleton
    >>> bone = Skeleton(("arm",), [-1], [[0, 0, 0]], [0], [[0, 0.3, 0]])
    >>> temporary = tempfile.TemporaryDirectory()
    >>> path = Path(temporary.name) / "still.glb"
    >>> write_glb(Clip(bone, np.zeros((2, 3)), rotations.identity(2, 1), 30.0), path)
    >>> path.read_bytes()[:4]
    b'glTF'
    >>> temporary.cleanup()
    """
    path = Path(path)
    # beyond the range of float32 a number would turn into infinity on writing
    numbers = np.concatenate([clip.root_position, clip.rotation.reshape(len(clip), -1)], axis=1)
    good = (np.abs(numbers) < np.finfo(np.float32).max).all(axis=1)
    if not good.all():
        frame = int(np.argmin(good))
        raise MotionFileError(
            f"cannot write {path}: frame {frame} of clip '{clip.name}' has a value that is not finite"
        )
    content = _glb(clip)
    if len(content) > _LIMIT:
        raise MotionFileError(
            f"cannot write {path}: {len(content)} bytes are more than a GLB file can hold (4 GiB)"
        )
    with written_atomically(path) as temporary:
        temporary.write_bytes(content)


@dataclass
class _Arrays:
    """The binary block in the making, and the tables that describe it."""

    blocks: list[bytes] = field(default_factory=list)
    size: int = 0
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, values: np.ndarray, dtype: str, target: int | None = None, bounds: bool = False) -> int:
        """Append an array as a view and an accessor of its own, aligned to four bytes; gives the accessor."""
        array = np.ascontiguousarray(values, np.dtype(dtype).newbyteorder("<"))
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.size, "byteLength": array.nbytes}
        if target is not None:
            view["target"] = target
        accessor: dict[str, Any] = {
            "bufferView": len(self.views),
            "componentType": _COMPONENT[dtype],
            "count": len(array),
            "type": _SHAPE[array.shape[1:]],
        }
        if bounds:  # told from the rounded numbers, as readers compare them bit for bit
            flat = array.reshape(len(array), -1)
            accessor["min"], accessor["max"] = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
        self.views.append(view)
        self.accessors.append(accessor)
        block = array.tobytes() + bytes(-array.nbytes % 4)
        self.blocks.append(block)
        self.size += len(block)
        return len(self.accessors) - 1


def _glb(clip: Clip) -> bytes:
    arrays = _Arrays()
    mesh = mannequin(clip.skeleton)
    lift = np.array([0.0, -mesh.position[:, 1].min(), 0.0])  # the rest pose stands on the ground
    joints = len(clip.skeleton)
    scene: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "mograph"},
        "scene": 0,
        "scenes": [{"name": clip.name or "scene", "nodes": [0, joints]}],
        "nodes": [*_joint_nodes(clip, lift), {"name": "mannequin", "mesh": 0, "skin": 0}],
        "meshes": [{"name": "mannequin", "primitives": [_primitive(arrays, mesh, lift, joints)]}],
        "materials": [
            {
                "name": "clay",
                "pbrMetallicRoughness": {
                    "baseColorFactor": [0.72, 0.66, 0.58, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.85,
                },
            }
        ],
        "skins": [_skin(arrays, clip, lift)],
        "animations": [_animation(arrays, clip)],
        "accessors": arrays.accessors,
        "bufferViews": arrays.views,
        "buffers": [{"byteLength": arrays.size}],
    }
    table = json.dumps(scene, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    table += b" " * (-len(table) % 4)
    total = 12 + 8 + len(table) + 8 + arrays.size
    return b"".join(  # GLB File Format: header, JSON chunk, binary chunk
        [
            struct.pack("<4sII", b"glTF", 2, min(total, _LIMIT)),
            struct.pack("<I4s", len(table), b"JSON"),
            table,
            struct.pack("<I4s", min(arrays.size, _LIMIT), b"BIN\0"),
            *arrays.blocks,
        ]
    )


def _joint_nodes(clip: Clip, lift: np.ndarray) -> list[dict[str, Any]]:
    skeleton = clip.skeleton
    nodes: list[dict[str, Any]] = []
    for joint, name in enumerate(skeleton.names):
        place = lift if joint == 0 else skeleton.offsets[joint]
        node: dict[str, Any] = {"name": name, "translation": place.tolist()}
        children = np.flatnonzero(skeleton.parents == joint).tolist()
        if children:
            node["children"] = children
        nodes.append(node)
    return nodes


def _primitive(arrays: _Arrays, mesh: Mesh, lift: np.ndarray, joints: int) -> dict[str, Any]:
    carried = np.zeros((len(mesh.joint), 4), np.int64)
    carried[:, 0] = mesh.joint
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(mesh.joint), 1))
    # the largest number of an index type is reserved (Primitive Restart)
    index_type = "u2" if len(mesh.position) < 65535 else "u4"
    return {
        "attributes": {
            "POSITION": arrays.add(mesh.position + lift, "f4", _VERTICES, bounds=True),
            "NORMAL": arrays.add(mesh.normal, "f4", _VERTICES),
            "JOINTS_0": arrays.add(carried, "u1" if joints <= 256 else "u2", _VERTICES),
            "WEIGHTS_0": arrays.add(weights, "f4", _VERTICES),
        },
        "indices": arrays.add(mesh.triangles.reshape(-1), index_type, _INDICES),
        "material": 0,
    }


def _skin(arrays: _Arrays, clip: Clip, lift: np.ndarray) -> dict[str, Any]:
    """At rest joints are shifted, not turned, so the inverse of a bind matrix is the shift back."""
    joints = len(clip.skeleton)
    inverse = np.tile(np.eye(4), (joints, 1, 1))
    inverse[:, 3, :3] = -(clip.skeleton.rest_positions + lift)  # columns lie one after the other in the file
    return {
        "name": "skeleton",
        "inverseBindMatrices": arrays.add(inverse, "f4"),
        "skeleton": 0,
        "joints": list(range(joints)),
    }


def _animation(arrays: _Arrays, clip: Clip) -> dict[str, Any]:
    times = arrays.add(np.arange(len(clip)) / clip.fps, "f4", bounds=True)
    turned = rotations.continuous(rotations.normalise(clip.rotation))[..., [1, 2, 3, 0]]  # glTF has w last
    moving = np.flatnonzero(np.abs(turned[..., :3]).max(axis=(0, 2)) > _STILL)
    samplers = [{"input": times, "output": arrays.add(clip.root_position, "f4")}]
    samplers += [{"input": times, "output": arrays.add(turned[:, joint], "f4")} for joint in moving]
    targets = [(0, "translation"), *((int(joint), "rotation") for joint in moving)]
    extras: dict[str, Any] = {"fps": clip.fps, "name": clip.name}
    if clip.contact is not None:
        starts = phase_starts(clip.contact)
        extras["contact"] = np.stack([starts, clip.contact[starts]], axis=1).tolist()
    return {
        "name": clip.name or "motion",
        "samplers": [sampler | {"interpolation": "LINEAR"} for sampler in samplers],
        "channels": [
            {"sampler": k, "target": {"node": node, "path": kind}} for k, (node, kind) in enumerate(targets)
        ],
        "extras": extras,
    }
