"""Files that cannot be half-written or silently damaged: one container for databases and graphs.

Layout: a magic line, the length and digest of the header, the header (JSON: format, version, meta data, and
for each array its type, shape, place and the digest of all arrays), then the arrays, each aligned to 64
bytes so that they can be memory-mapped. No pickle: nothing in a file is ever run.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mograph.errors import MographError, StorageError

_MAGIC = b"mograph container\n"
_DIGEST_SIZE = 32
_FIXED = len(_MAGIC) + 8 + _DIGEST_SIZE
_ALIGN = 64
_HEADER_LIMIT = 64 << 20  # a header longer than this is not one of ours [bytes]


@contextmanager
def written_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place if the block ends well and vanishes if not."""
    path = Path(path)
    if not path.parent.is_dir():
        raise MographError(f"cannot write {path}: the folder {path.parent} does not exist")
    if path.is_dir():
        raise MographError(f"cannot write {path}: it is a folder; name a file")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise MographError(f"cannot write {path}: {error.strerror}") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp makes files private; a result is an ordinary file
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@dataclass(frozen=True)
class Stored:
    """What a container holds: its version, meta data and arrays (read-only, mapped from the file)."""

    version: int
    meta: dict[str, Any]
    arrays: dict[str, np.ndarray]


def write_container(
    path: str | os.PathLike[str],
    kind: str,
    version: int,
    meta: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
) -> None:
    """Write arrays and meta data under a format name and version, atomically and reproducibly."""
    table, offset, digest = {}, 0, hashlib.blake2b(digest_size=_DIGEST_SIZE)
    blocks: list[tuple[bytes, np.ndarray]] = []
    for name, value in arrays.items():
        array = np.ascontiguousarray(value)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        pad = bytes(-offset % _ALIGN)
        offset += len(pad)
        table[name] = {"dtype": array.dtype.str, "shape": list(array.shape), "offset": offset}
        offset += array.nbytes
        digest.update(pad)
        digest.update(array.reshape(-1).view(np.uint8).data if array.size else b"")
        blocks.append((pad, array))
    header = json.dumps(
        {
            "format": kind,
            "version": version,
            "meta": dict(meta),
            "arrays": table,
            "bytes": offset,
            "digest": digest.hexdigest(),
        },
        ensure_ascii=False,
        sort_keys=True,
    ).encode()
    header += b" " * (-(_FIXED + len(header)) % _ALIGN)
    with written_atomically(path) as temporary, open(temporary, "wb") as file:
        file.write(_MAGIC + len(header).to_bytes(8, "little"))
        file.write(hashlib.blake2b(header, digest_size=_DIGEST_SIZE).digest())
        file.write(header)
        for pad, array in blocks:
            file.write(pad)
            file.write(array.data)


def container_format(path: str | os.PathLike[str]) -> str | None:
    """Format name in a container's header, or ``None`` if the file is no container of ours."""
    try:
        with open(path, "rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
        return str(_read_header(Path(path))[0].get("format"))
    except OSError:
        return None


def _read_header(path: Path) -> tuple[dict[str, Any], int]:
    try:
        size = path.stat().st_size
        with open(path, "rb") as file:
            start = file.read(_FIXED)
            if not start.startswith(_MAGIC):
                raise StorageError(f"{path} is not a mograph file; build one with 'mograph import'")
            length = int.from_bytes(start[len(_MAGIC) : len(_MAGIC) + 8], "little")
            if len(start) < _FIXED or length > min(size, _HEADER_LIMIT):
                raise StorageError(
                    f"{path} is damaged: its header is cut off at {size} bytes; build it again"
                )
            header = file.read(length)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from error
    digest = hashlib.blake2b(header, digest_size=_DIGEST_SIZE).digest()
    if len(header) < length or digest != start[-_DIGEST_SIZE:]:
        raise StorageError(f"{path} is damaged: its header does not match its digest; build it again")
    return json.loads(header), _FIXED + length


def read_container(path: str | os.PathLike[str], kind: str, version: int) -> Stored:
    """Read a container of a given format and version; what is damaged or foreign is refused."""
    path = Path(path)
    header, start = _read_header(path)
    if header["format"] != kind:
        raise StorageError(f"{path} holds '{header['format']}', not '{kind}'")
    if header["version"] != version:
        raise StorageError(
            f"{path} has version {header['version']} of '{kind}' and this program reads version {version}; "
            "build it again"
        )
    size = path.stat().st_size - start
    if size != header["bytes"]:
        raise StorageError(
            f"{path} is damaged: {size} bytes of arrays where {header['bytes']} were written; build it again"
        )
    data = np.memmap(path, np.uint8, mode="r", offset=start) if size else np.zeros(0, np.uint8)
    if hashlib.blake2b(data.data, digest_size=_DIGEST_SIZE).hexdigest() != header["digest"]:
        raise StorageError(f"{path} is damaged: its arrays do not match their digest; build it again")
    arrays = {}
    for name, entry in header["arrays"].items():
        dtype = np.dtype(entry["dtype"])
        count = int(np.prod(entry["shape"], dtype=np.int64))
        block = data[entry["offset"] : entry["offset"] + count * dtype.itemsize]
        arrays[name] = block.view(dtype).reshape(entry["shape"])
    return Stored(header["version"], header["meta"], arrays)
