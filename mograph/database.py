"""A motion database: many clips on one skeleton at one rate, as a few long arrays in one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mograph.clip import Clip
from mograph.contacts import Contact, ContactArray, phases
from mograph.errors import MographError
from mograph.rotations import Array
from mograph.skeleton import Skeleton
from mograph.storage import read_container, write_container

FORMAT, VERSION = "mograph.database", 1


@dataclass(frozen=True)
class ClipInfo:
    """What is known of a clip besides its frames."""

    name: str
    subject: str = ""
    behaviour: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""  # file it was read from
    mirrored: bool = False


@dataclass(frozen=True, eq=False)
class Database:
    """Clips one after another: frame ``f`` of clip ``c`` is row ``clip_starts[c] + f`` of every array."""

    skeleton: Skeleton
    fps: float
    root_position: Array  # (N, 3) [m]
    rotation: Array  # (N, J, 4)
    contact: ContactArray  # (N,)
    clip_starts: NDArray[np.int64]  # (C + 1,) the last entry is N
    info: tuple[ClipInfo, ...]  # (C,)

    @classmethod
    def from_clips(cls, clips: Sequence[Clip], info: Iterable[ClipInfo] | None = None) -> Database:
        """Join clips that share a skeleton and a rate and have their contacts."""
        if not clips:
            raise MographError("a database needs at least one clip")
        first = clips[0]
        for clip in clips:
            if not clip.skeleton.equals(first.skeleton):
                raise MographError(
                    f"clip '{clip.name}' has another skeleton than '{first.name}'; retarget it first"
                )
            if clip.fps != first.fps:
                raise MographError(
                    f"clip '{clip.name}' has {clip.fps:g} frames/s, not {first.fps:g}; resample it"
                )
            if clip.contact is None:
                raise MographError(f"clip '{clip.name}' has no contacts; detect them first")
        if info is None:
            info = [ClipInfo(c.name, c.subject, c.behaviour, c.tags) for c in clips]
        info = tuple(info)
        doubled = [name for name, count in Counter(i.name for i in info).items() if count > 1]
        if doubled:
            raise MographError(f"two clips are named '{doubled[0]}'; names must be unique")
        return cls(
            first.skeleton,
            first.fps,
            np.concatenate([c.root_position for c in clips]),
            np.concatenate([c.rotation for c in clips]),
            np.concatenate([c.contact for c in clips if c.contact is not None]),
            np.cumsum([0, *map(len, clips)]),
            info,
        )

    def __len__(self) -> int:
        return len(self.info)

    def __iter__(self) -> Iterator[Clip]:
        return (self.clip(k) for k in range(len(self)))

    @property
    def poses(self) -> int:
        """Frames of all clips together."""
        return len(self.root_position)

    @property
    def seconds(self) -> float:
        """Playing time of all clips together [s]."""
        return (self.poses - len(self)) / self.fps

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Clip names, in order."""
        return tuple(info.name for info in self.info)

    def clip(self, which: int | str) -> Clip:
        """A clip by place or name; its arrays are views into the database."""
        if isinstance(which, str):
            if which not in self.names:
                near = [n for n in self.names if which.lower() in n.lower()][:8] or list(self.names[:8])
                raise MographError(
                    f"no clip named '{which}'; there are {len(self)}, such as: {', '.join(near)}"
                )
            which = self.names.index(which)
        rows = slice(int(self.clip_starts[which]), int(self.clip_starts[which + 1]))
        info = self.info[which]
        return Clip(
            self.skeleton,
            self.root_position[rows],
            self.rotation[rows],
            self.fps,
            info.name,
            info.subject,
            info.behaviour,
            info.tags,
            self.contact[rows],
        )

    def summary(self) -> dict[str, Any]:
        """Figures about the database, ready for JSON."""
        all_phases = [p for a, b in pairwise(self.clip_starts) for p in phases(self.contact[a:b])]
        per_mask = Counter(p.contact for p in all_phases)
        frames = Counter(self.contact.tolist())
        tags = Counter(tag for info in self.info for tag in info.tags)
        return {
            "clips": len(self),
            "poses": self.poses,
            "seconds": round(self.seconds, 3),
            "fps": self.fps,
            "joints": len(self.skeleton),
            "degrees_of_freedom": int(self.skeleton.dof.sum()) + 3,
            "height": round(self.skeleton.height, 3),
            "leg_length": round(self.skeleton.leg_length, 3),
            "subjects": sorted({i.subject for i in self.info if i.subject}),
            "mirrored": sum(i.mirrored for i in self.info),
            "behaviours": dict(sorted(tags.items(), key=lambda item: (-item[1], item[0]))),
            "contacts": {
                _mask_name(mask): {
                    "phases": per_mask[Contact(mask)],
                    "poses": count,
                    "share": round(count / self.poses, 4),
                }
                for mask, count in sorted(frames.items(), key=lambda item: (-item[1], item[0]))
            },
        }

    def parts(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Meta data and arrays to be stored; the opposite of :meth:`from_parts`."""
        skeleton = self.skeleton
        meta = {
            "fps": self.fps,
            "names": list(skeleton.names),
            "clips": [{**asdict(info), "tags": list(info.tags)} for info in self.info],
        }
        arrays: dict[str, np.ndarray] = {
            "parents": skeleton.parents,
            "offsets": skeleton.offsets,
            "end_parents": skeleton.end_parents,
            "end_offsets": skeleton.end_offsets,
            "dof": skeleton.dof,
            "axes": skeleton.axes,
            "clip_starts": self.clip_starts,
            "contact": self.contact,
            "root_position": self.root_position,
            "rotation": self.rotation,
        }
        return meta, arrays

    @classmethod
    def from_parts(cls, meta: dict[str, Any], a: dict[str, np.ndarray]) -> Database:
        """A database from stored meta data and arrays."""
        bones = (a[name] for name in ("parents", "offsets", "end_parents", "end_offsets", "dof", "axes"))
        skeleton = Skeleton(tuple(meta["names"]), *bones)
        info = tuple(ClipInfo(**{**clip, "tags": tuple(clip["tags"])}) for clip in meta["clips"])
        frames = {name: a[name] for name in ("root_position", "rotation", "contact", "clip_starts")}
        return cls(skeleton, meta["fps"], **frames, info=info)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the database as one file, atomically."""
        write_container(path, FORMAT, VERSION, *self.parts())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Database:
        """Open a database file; frames are mapped from the file, not copied."""
        stored = read_container(path, FORMAT, VERSION)
        return cls.from_parts(stored.meta, stored.arrays)


def _mask_name(mask: int) -> str:
    names = [part.name.lower() for part in Contact if part.name and part.value and mask & part.value]
    return "+".join(names) or "flight"
