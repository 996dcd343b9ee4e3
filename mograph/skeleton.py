"""The bones a motion moves: a tree of joints with offsets, roles, sides and degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mograph.errors import SkeletonError
from mograph.roles import find_roles, mirror_pairs
from mograph.rotations import Array


def _all_axes(count: int) -> Array:
    return np.broadcast_to(np.eye(3), (count, 3, 3)).copy()


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A tree of joints in metres, Y up, facing +Z at rest. Joint 0 is the root; parents come before children.

    >>> two = Skeleton(("Hips", "Spine"), [-1, 0], [[0, 0, 0], [0, 0.5, 0]])
    >>> two.height
    0.5
    """

    names: tuple[str, ...]
    parents: NDArray[np.int64]  # (J,) index of each joint's parent, -1 for the root
    offsets: Array  # (J, 3) from the parent joint, at rest [m]; the root's is zero
    end_parents: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # (E,)
    end_offsets: Array = field(default_factory=lambda: np.zeros((0, 3)))  # (E, 3) tips of bones [m]
    dof: NDArray[np.int64] = None  # type: ignore[assignment]  # (J,) free axes per joint, 0..3; 3 if not told
    axes: Array = None  # type: ignore[assignment]  # (J, 3, 3) row k of joint j: its k-th axis in the parent's frame at rest

    def __post_init__(self) -> None:
        count = len(self.names)
        given = {
            "names": tuple(self.names),
            "parents": np.asarray(self.parents, np.int64),
            "offsets": np.asarray(self.offsets, float).reshape(count, 3),
            "end_parents": np.asarray(self.end_parents, np.int64),
            "end_offsets": np.asarray(self.end_offsets, float).reshape(-1, 3),
            "dof": np.full(count, 3) if self.dof is None else np.asarray(self.dof, np.int64),
            "axes": _all_axes(count) if self.axes is None else np.asarray(self.axes, float),
        }
        for name, value in given.items():
            if isinstance(value, np.ndarray):
                value = value.copy()
                value.flags.writeable = False
            object.__setattr__(self, name, value)
        parents = self.parents
        if count == 0 or parents.shape != (count,) or parents[0] != -1:
            raise SkeletonError(
                f"a skeleton needs a root first and one parent per joint, got {parents.tolist()}"
            )
        if np.any(parents[1:] < 0) or np.any(parents[1:] >= np.arange(1, count)):
            raise SkeletonError("parents must come before their children and there may be one root only")
        if len(set(self.names)) != count:
            doubled = sorted({n for n in self.names if self.names.count(n) > 1})
            raise SkeletonError(f"joint names must be unique; given twice: {', '.join(doubled)}")
        if not (np.isfinite(self.offsets).all() and np.isfinite(self.end_offsets).all()):
            raise SkeletonError("bone offsets must be finite numbers")

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def roles(self) -> dict[str, int]:
        """Joint index of each role the names tell, such as ``"left_knee"``."""
        return find_roles(self.names, self.parents.tolist())

    @cached_property
    def mirror(self) -> NDArray[np.int64]:
        """For each joint the index of its counterpart on the other side (its own in the middle)."""
        return np.array(mirror_pairs(self.names), np.int64)

    def joint(self, role: str) -> int:
        """Index of the joint with a role; says which joints there are if none has it."""
        if role not in self.roles:
            raise SkeletonError(f"no joint for role '{role}'; joints are: {', '.join(self.names)}")
        return self.roles[role]

    def has(self, *roles: str) -> bool:
        """Whether every one of these roles has a joint."""
        return all(role in self.roles for role in roles)

    @cached_property
    def rest_positions(self) -> Array:
        """Joint positions (J, 3) with every rotation at rest and the root at the origin [m]."""
        positions = np.zeros((len(self), 3))
        for j in range(1, len(self)):
            positions[j] = positions[self.parents[j]] + self.offsets[j]
        return positions

    @cached_property
    def height(self) -> float:
        """Extent of the skeleton along Y at rest [m], tips of bones included."""
        tips = self.rest_positions[self.end_parents] + self.end_offsets
        y = np.concatenate([self.rest_positions[:, 1], tips[:, 1]])
        return float(np.ptp(y))

    @cached_property
    def leg_length(self) -> float:
        """Hip to ankle along the bones, mean of both legs [m]."""
        lengths = [
            np.linalg.norm(self.offsets[self.joint(f"{side}_{role}")])
            for side in ("left", "right")
            for role in ("knee", "ankle")
        ]
        return float(sum(lengths) / 2)

    def same_tree(self, other: Skeleton) -> bool:
        """Whether the other skeleton has the same joints in the same tree (bone lengths may differ)."""
        return self.names == other.names and bool(np.array_equal(self.parents, other.parents))

    def equals(self, other: Skeleton, tolerance: float = 1e-9) -> bool:
        """Whether tree and bones agree, offsets within ``tolerance`` [m]."""
        return (
            self.same_tree(other)
            and self.end_offsets.shape == other.end_offsets.shape
            and bool(np.allclose(self.offsets, other.offsets, rtol=0, atol=tolerance))
            and bool(np.allclose(self.end_offsets, other.end_offsets, rtol=0, atol=tolerance))
        )

    def scaled(self, factor: float) -> Skeleton:
        """The same skeleton with every bone ``factor`` times as long."""
        return replace(self, offsets=self.offsets * factor, end_offsets=self.end_offsets * factor)

    def symmetrised(self) -> Skeleton:
        """Left and right bones made mirror images of each other, the spine put in the middle plane."""
        flip = np.array([-1.0, 1.0, 1.0])
        offsets = (self.offsets + self.offsets[self.mirror] * flip) / 2
        ends = (self.end_offsets + self.end_offsets[self.mirror_ends] * flip) / 2
        return replace(self, offsets=offsets, end_offsets=ends)

    @cached_property
    def mirror_ends(self) -> NDArray[np.int64]:
        """For each end site the index of its counterpart on the other side."""
        first = {int(p): e for e, p in reversed(list(enumerate(self.end_parents)))}
        # the n-th end site of a joint pairs with the n-th of its counterpart
        rank = [int(np.sum(self.end_parents[:e] == p)) for e, p in enumerate(self.end_parents)]
        pairs = [
            first.get(int(self.mirror[p]), e) + r
            for (e, p), r in zip(enumerate(self.end_parents), rank, strict=True)
        ]
        return np.array(pairs, np.int64)

    def chain(self, tip: int) -> Sequence[int]:
        """Joints from the root down to ``tip``, both included."""
        joints = [tip]
        while self.parents[joints[-1]] >= 0:
            joints.append(int(self.parents[joints[-1]]))
        return joints[::-1]
