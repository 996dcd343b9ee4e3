"""One contact phase of a motion, in its own coordinates: what the interpolated graph mixes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import Contact
from mograph.dynamics.mass_model import MassModel, mass_model
from mograph.errors import MographError, SkeletonError
from mograph.feet import foot_joints
from mograph.foot_lock import heel_position
from mograph.graph.phase_kernel import COM, HEADING, JOINTS, Body, describe
from mograph.ik import leg
from mograph.kinematics import forward
from mograph.rotations import Array
from mograph.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class PhaseMotion:
    """A phase from its first frame to the first frame of the next phase, both included.

    At the first frame the root stands above the origin and faces +Z; heights are the world's. What touches
    is the same in all frames but the last, which belongs to the next phase.
    """

    skeleton: Skeleton
    root_position: Array  # (F, 3) [m]
    rotation: Array  # (F, J, 4)
    fps: float  # frames per second; whatever makes the last frame fall on the end of the phase
    contact: int  # mask of what touches, see mograph.contacts
    next_contact: int | None = None  # mask of the phase after, if known: feet not in it leave at the end
    model: MassModel | None = None  # masses of the body; the table's man if not given

    @classmethod
    def of(cls, clip: Clip, start: int, stop: int, model: MassModel | None = None) -> PhaseMotion:
        """Frames ``start`` to ``stop`` of a clip, where ``stop`` is the first frame of the next phase."""
        if clip.contact is None:
            raise MographError(f"clip '{clip.name}' has no contacts; detect them before cutting phases")
        if not 0 <= start < stop < len(clip):
            raise MographError(
                f"clip '{clip.name}' has no phase from frame {start} to {stop}; frames are 0..{len(clip) - 1}"
            )
        contact = clip.contact[start:stop]
        if np.any(contact != contact[0]):
            raise MographError(
                f"clip '{clip.name}': contacts change within frames {start}..{stop}; a phase has one mask"
            )
        cut = clip.cut(start, stop + 1).faced()
        masks = int(contact[0]), int(clip.contact[stop])
        return cls(clip.skeleton, cut.root_position, cut.rotation, clip.fps, *masks, model)

    def __len__(self) -> int:
        return len(self.root_position)

    @property
    def duration(self) -> float:
        """From the first frame to the last [s]."""
        return (len(self) - 1) / self.fps

    @property
    def displacement(self) -> tuple[float, float, float]:
        """(dx, dz, dyaw) of the root at the last frame seen from the first [m, m, rad]; turns add up."""
        start, end = (float(rotations.yaw(self.rotation[k, 0])) for k in (0, -1))
        turned = self.table[-1, HEADING] - self.table[0, HEADING]
        yaw = end - start + 2.0 * np.pi * np.round((turned - (end - start)) / (2.0 * np.pi))
        way = rotations.rotate(rotations.from_yaw(-start), self.root_position[-1] - self.root_position[0])
        return float(way[0]), float(way[2]), float(yaw)

    @property
    def centre_of_mass(self) -> Array:
        """(F, 3) [m]."""
        return self.table[:, COM : COM + 3]

    def to_clip(self, name: str = "", x: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> Clip:
        """The phase as a clip whose first frame has its root above (x, z) [m], facing ``yaw`` [rad]."""
        contact = np.full(len(self), self.contact, np.uint8)
        clip = Clip(self.skeleton, self.root_position, self.rotation, self.fps, name, contact=contact)
        return clip.faced().transformed(yaw, (x, 0.0, z))

    @cached_property
    def body(self) -> Body:
        """Skeleton and masses as the kernels want them."""
        return body_of(self.skeleton, self.model)

    @cached_property
    def table(self) -> Array:
        """What is interpolated, one row per frame (columns: :mod:`mograph.graph.phase_kernel`)."""
        table = np.empty((len(self), JOINTS + 4 * len(self.skeleton)))
        root, rotation = (np.ascontiguousarray(a) for a in (self.root_position, self.rotation))
        describe(self.body, root, rotation, table)
        return table


@lru_cache(maxsize=16)
def body_of(skeleton: Skeleton, model: MassModel | None = None) -> Body:
    """A skeleton and its masses (by default of a 70 kg man) as the kernels want them."""
    model = mass_model(skeleton) if model is None else model
    legs = [leg(skeleton, side) for side in ("left", "right")]
    part = np.zeros(len(skeleton), np.int64)
    for side, limb in enumerate(legs):
        heads = {limb.upper: 3 * side + 1, limb.middle: 3 * side + 2, limb.tip: 3 * side + 3}
        if limb.middle not in skeleton.chain(limb.tip) or limb.upper not in skeleton.chain(limb.middle):
            raise SkeletonError("hip, knee and ankle of a leg do not follow each other in the skeleton")
        for j in range(len(skeleton)):
            below = [k for k in skeleton.chain(j) if k in heads]
            part[j] = heads[below[-1]] if below else part[j]
    rest = forward(skeleton, np.zeros((1, 3)), rotations.identity(1, len(skeleton)))
    pivots = np.empty((2, 2, 3))
    for side, (ankle, toe) in enumerate(foot_joints(skeleton)):
        pivots[side, 0] = heel_position(skeleton, rest, ankle, toe)[0] - rest.position[0, ankle]
        pivots[side, 1] = rest.position[0, toe] - rest.position[0, ankle]
    joints = np.array([[limb.upper, limb.middle, limb.tip] for limb in legs], np.int64)
    parents, offsets = np.array(skeleton.parents), np.array(skeleton.offsets)
    return Body(parents, offsets, model.mass / model.total, np.array(model.centre), part, joints, pivots)


def contact_name(contact: int) -> str:
    """What touches, in words.

    >>> contact_name(3), contact_name(0)
    ('left_foot right_foot', 'flight')
    """
    return " ".join((part.name or "").lower() for part in Contact(contact)) or "flight"
