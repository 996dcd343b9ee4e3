"""What touches the world, frame by frame: the contact mask and its phases."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

ContactArray = NDArray[np.uint8]


class Contact(IntFlag):
    """One bit per body part that can touch the world; nothing set is flight.

    >>> Contact.LEFT_FOOT | Contact.RIGHT_FOOT
    <Contact.LEFT_FOOT|RIGHT_FOOT: 3>
    """

    FLIGHT = 0
    LEFT_FOOT = 1
    RIGHT_FOOT = 2
    LEFT_HAND = 4
    RIGHT_HAND = 8
    PELVIS = 16


FEET = int(Contact.LEFT_FOOT | Contact.RIGHT_FOOT)
HANDS = int(Contact.LEFT_HAND | Contact.RIGHT_HAND)


@dataclass(frozen=True)
class Phase:
    """A run of frames ``start`` up to but not including ``stop`` that share one contact mask."""

    start: int
    stop: int
    contact: Contact

    def __len__(self) -> int:
        return self.stop - self.start


def phase_starts(contact: ContactArray) -> NDArray[np.int64]:
    """Frames at which a phase begins; frame 0 always does.

    >>> phase_starts(np.array([3, 3, 1, 1, 0], np.uint8)).tolist()
    [0, 2, 4]
    """
    return np.concatenate([[0], np.flatnonzero(np.diff(contact.astype(int))) + 1])


def phases(contact: ContactArray) -> list[Phase]:
    """The contact phases of a clip, in order.

    >>> [(p.start, p.stop, p.contact.name) for p in phases(np.array([1, 1, 0], np.uint8))]
    [(0, 2, 'LEFT_FOOT'), (2, 3, 'FLIGHT')]
    """
    starts = phase_starts(contact)
    stops = np.append(starts[1:], len(contact))
    return [Phase(int(a), int(b), Contact(int(contact[a]))) for a, b in zip(starts, stops, strict=True)]


def mirrored(contact: ContactArray) -> ContactArray:
    """The mask with left and right exchanged.

    >>> mirrored(np.array([1, 2, 4, 19], np.uint8)).tolist()
    [2, 1, 8, 19]
    """
    left, right, rest = contact & 0b00101, contact & 0b01010, contact & 0b10000
    return (left << 1 | right >> 1 | rest).astype(np.uint8)
