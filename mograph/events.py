"""The sidecar of a motion file, ``NAME.events.json``: what a person says overrides what the detector finds.

>>> example = {
...     "format": "mograph.events", "version": 1,
...     "contacts": {"left_foot": [[0.0, 0.55], [1.1, 1.7]], "right_hand": [[1.3, 1.4]]},
...     "tags": ["walk", "pickup"],
... }

Times are seconds from the first frame of the file; a contact lasts from its start up to, not including, its
end. Parts that are named replace the detector's finding for that part; parts left out stay as detected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mograph.clip import Clip
from mograph.contact_detection import runs
from mograph.contacts import Contact, ContactArray
from mograph.errors import MotionFileError
from mograph.storage import written_atomically

FORMAT, VERSION = "mograph.events", 1
PARTS = {part.name.lower(): part for part in Contact if part.name}


@dataclass(frozen=True)
class Events:
    """Contacts per body part as intervals [s], and labels, that a sidecar states."""

    contacts: Mapping[str, tuple[tuple[float, float], ...]]
    tags: tuple[str, ...] | None = None
    behaviour: str | None = None

    def applied(self, contact: ContactArray, fps: float, dropped: int = 0) -> ContactArray:
        """A detected mask with the stated parts put in; ``dropped`` frames of the file came before it."""
        contact = contact.copy()
        time = (np.arange(len(contact)) + dropped) / fps
        for part, intervals in self.contacts.items():
            bit = np.uint8(PARTS[part])
            contact &= ~bit
            for start, end in intervals:
                contact[(time >= start - 1e-6) & (time < end - 1e-6)] |= bit
        return contact


def sidecar_path(path: str | PathLike[str]) -> Path:
    """Where the sidecar of a motion file lies.

    >>> sidecar_path("walks/fast.bvh").name
    'fast.events.json'
    """
    return Path(path).with_suffix(".events.json")


def read_events(path: str | PathLike[str]) -> Events:
    """Read a sidecar; what is wrong in it is told with its place."""
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MotionFileError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise MotionFileError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise MotionFileError(f'{path} must state "format": "{FORMAT}" and "version": {VERSION}')
    unknown = sorted(set(data) - {"format", "version", "contacts", "tags", "behaviour"})
    if unknown:
        raise MotionFileError(f"{path}: unknown field '{unknown[0]}'; fields are contacts, tags, behaviour")
    contacts = data.get("contacts", {})
    if not isinstance(contacts, dict):
        raise MotionFileError(f"{path}: contacts must map body parts to intervals")
    for part, intervals in contacts.items():
        if part not in PARTS:
            raise MotionFileError(f"{path}: unknown body part '{part}'; parts are: {', '.join(PARTS)}")
        _check_intervals(path, part, intervals)
    tags, behaviour = data.get("tags"), data.get("behaviour")
    if tags is not None and not (isinstance(tags, list) and all(isinstance(t, str) for t in tags)):
        raise MotionFileError(f"{path}: tags must be a list of words, got {tags!r}")
    if behaviour is not None and not isinstance(behaviour, str):
        raise MotionFileError(f"{path}: behaviour must be a text, got {behaviour!r}")
    intervals_of = {p: tuple((float(a), float(b)) for a, b in i) for p, i in contacts.items()}
    return Events(intervals_of, None if tags is None else tuple(tags), behaviour)


def _check_intervals(path: Path, part: str, intervals: Any) -> None:
    if not isinstance(intervals, list):
        raise MotionFileError(f"{path}: {part} must be a list of [start, end] in seconds, got {intervals!r}")
    for interval in intervals:
        numbers = isinstance(interval, list) and len(interval) == 2
        numbers = numbers and all(isinstance(v, int | float) and not isinstance(v, bool) for v in interval)
        if not numbers or not 0 <= interval[0] < interval[1] < float("inf"):
            raise MotionFileError(
                f"{path}: {part} has the interval {interval!r}; it must be [start, end] with 0 <= start < end"
            )


def write_events(clip: Clip, path: str | PathLike[str], dropped: int = 0) -> None:
    """Write a clip's contacts as a sidecar to be corrected by hand."""
    contact = np.zeros(len(clip), np.uint8) if clip.contact is None else clip.contact
    contacts = {
        part: [
            [round((a + dropped) / clip.fps, 4), round((b + dropped) / clip.fps, 4)]
            for a, b in runs(touching)
        ]
        for part, bit in PARTS.items()
        if (touching := (contact & np.uint8(bit)) > 0).any()
    }
    data: dict[str, Any] = {"format": FORMAT, "version": VERSION, "contacts": contacts}
    if clip.tags:
        data["tags"] = list(clip.tags)
    if clip.behaviour:
        data["behaviour"] = clip.behaviour
    with written_atomically(path) as temporary:
        temporary.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
