"""Putting a picture on disk: the right ending, an existing folder, and never half a file."""

from __future__ import annotations

import os
from pathlib import Path

from mograph.errors import MographError
from mograph.storage import written_atomically


def check_target(path: str | os.PathLike[str], suffixes: tuple[str, ...]) -> Path:
    """The path to write to, refused before any work is done if its ending or folder is wrong.

    >>> check_target("walk.mp4", (".png", ".gif"))
    Traceback (most recent call last):
    mograph.errors.MographError: cannot draw to 'walk.mp4'; the name must end in .png or .gif
    """
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        endings = " or ".join(filter(None, [", ".join(suffixes[:-1]), suffixes[-1]]))
        raise MographError(f"cannot draw to '{path}'; the name must end in {endings}")
    if not path.parent.is_dir():
        raise MographError(f"cannot write '{path}'; there is no folder '{path.parent}', make it first")
    return path


def save(path: Path, content: bytes) -> Path:
    """Write the picture whole or not at all."""
    with written_atomically(path) as temporary:
        temporary.write_bytes(content)
    return path
