"""Motion files, one module per format; the suffix of a file name says which.

Reading: ``.bvh``, ``.amc`` (with its ``.asf``). Writing: ``.bvh``, ``.glb``.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from mograph.clip import Clip
from mograph.errors import MotionFileError

READABLE = (".bvh", ".amc")
WRITABLE = (".bvh", ".glb")


def read_clip(path: str | PathLike[str], unit: float | None = None) -> Clip:
    """Read a motion file as it stands; ``unit`` is metres per file unit (default: the format's own)."""
    path = Path(path)
    match path.suffix.lower():
        case ".bvh":
            from mograph.files.bvh import read_bvh

            return read_bvh(path, 1.0 if unit is None else unit)
        case ".amc":
            from mograph.files.asf_amc import read_amc

            return read_amc(path, unit=unit)
    raise MotionFileError(f"cannot read {path}: '{path.suffix}' is not one of {', '.join(READABLE)}")


def write_clip(clip: Clip, path: str | PathLike[str]) -> None:
    """Write a clip in the format its suffix names."""
    path = Path(path)
    match path.suffix.lower():
        case ".bvh":
            from mograph.files.bvh import write_bvh

            return write_bvh(clip, path)
        case ".glb":
            from mograph.files.gltf import write_glb

            return write_glb(clip, path)
    raise MotionFileError(f"cannot write {path}: '{path.suffix}' is not one of {', '.join(WRITABLE)}")
