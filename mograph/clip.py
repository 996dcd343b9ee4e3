"""A clip: one character moving. Everything that edits motion takes a clip and returns another."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.errors import MographError
from mograph.rotations import Array
from mograph.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Clip:
    """Motion of one skeleton: where the root is and how every joint is turned, frame by frame.

    Metres, Y up, facing +Z at yaw 0. ``rotation[t, j]`` turns joint ``j`` relative to its parent.
    ``contact``, where known, has a bit per body part that touches (see :class:`mograph.contacts.Contact`).
    """

    skeleton: Skeleton
    root_position: Array  # (T, 3) [m]
    rotation: Array  # (T, J, 4) unit quaternions (w, x, y, z)
    fps: float  # frames per second
    name: str = ""
    subject: str = ""
    behaviour: str = ""  # what the clip shows, in words
    tags: tuple[str, ...] = ()  # what it shows, for programs: walk, run, jump, pickup …
    contact: NDArray[np.uint8] | None = None  # (T,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "root_position", np.asarray(self.root_position, float))
        object.__setattr__(self, "rotation", np.asarray(self.rotation, float))
        frames, joints = len(self.root_position), len(self.skeleton)
        if self.root_position.shape != (frames, 3) or self.rotation.shape != (frames, joints, 4):
            raise MographError(
                f"clip '{self.name}': root positions {self.root_position.shape} and rotations "
                f"{self.rotation.shape} do not fit a skeleton of {joints} joints"
            )
        if frames == 0:
            raise MographError(f"clip '{self.name}' has no frames; one is the least")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise MographError(f"clip '{self.name}': {self.fps} frames per second; it must be above 0")
        if self.contact is not None:
            contact = np.asarray(self.contact, np.uint8)
            if contact.shape != (frames,):
                raise MographError(f"clip '{self.name}': {contact.shape} contacts for {frames} frames")
            object.__setattr__(self, "contact", contact)

    def __len__(self) -> int:
        return len(self.root_position)

    @property
    def seconds(self) -> float:
        """Time from the first frame to the last [s]."""
        return (len(self) - 1) / self.fps

    def with_(self, **changes: object) -> Clip:
        """A copy with some fields replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def cut(self, start: int, stop: int) -> Clip:
        """Frames ``start`` up to but not including ``stop``."""
        if not 0 <= start < stop <= len(self):
            raise MographError(
                f"cannot cut frames {start}..{stop} of clip '{self.name}'; it has frames 0..{len(self)}"
            )
        contact = None if self.contact is None else self.contact[start:stop]
        return self.with_(
            root_position=self.root_position[start:stop], rotation=self.rotation[start:stop], contact=contact
        )

    def resampled(self, fps: float) -> Clip:
        """The same motion at another frame rate: positions along straight lines, rotations by slerp.

        The first frame is kept and time does not stretch; a contact is taken from the nearest frame. Where
        the rates divide evenly, frames are picked out exactly.
        """
        if not (np.isfinite(fps) and fps > 0):
            raise MographError(f"cannot resample to {fps} frames per second; it must be above 0")
        if fps == self.fps:
            return self
        count = int(np.floor(self.seconds * fps + 1e-6)) + 1
        source = np.arange(count) * (self.fps / fps)
        low = np.minimum(np.floor(source + 1e-9).astype(int), len(self) - 1)
        high = np.minimum(low + 1, len(self) - 1)
        share = np.clip(source - low, 0.0, 1.0)
        contact = None
        if self.contact is not None:
            contact = self.contact[np.minimum(np.floor(source + 0.5).astype(int), len(self) - 1)]
        if np.all(share < 1e-9):
            return self.with_(
                root_position=self.root_position[low], rotation=self.rotation[low], fps=fps, contact=contact
            )
        root = self.root_position[low] * (1 - share[:, None]) + self.root_position[high] * share[:, None]
        rotation = rotations.slerp(self.rotation[low], self.rotation[high], share[:, None])
        return self.with_(root_position=root, rotation=rotation, fps=fps, contact=contact)

    def transformed(
        self, turn: float = 0.0, shift: tuple[float, float, float] | Array = (0.0, 0.0, 0.0)
    ) -> Clip:
        """The clip turned by ``turn`` [rad] about the vertical through the origin, then shifted [m]."""
        q = rotations.from_yaw(turn)
        rotation = self.rotation.copy()
        rotation[:, 0] = rotations.multiply(q, rotation[:, 0])
        return self.with_(
            root_position=rotations.rotate(q, self.root_position) + np.asarray(shift), rotation=rotation
        )

    def faced(self, frame: int = 0) -> Clip:
        """The clip moved so that at ``frame`` the root stands above the origin and faces +Z."""
        turn = -float(rotations.yaw(self.rotation[frame, 0]))
        turned = self.transformed(turn)
        x, _, z = turned.root_position[frame]
        return turned.transformed(shift=(-x, 0.0, -z))
