"""A leg as its foot, one angle on the knee circle and two twists: measured from a pose, and built again.

With hip and ankle given, a leg of two bones has one freedom left, the turn of the knee about the line from
hip to ankle (Safonova figure 5.6b; Korein and Badler). Turns about that line are counted from the pelvis'
left axis, which is never parallel to a leg; the knee of somebody standing is at a quarter turn. So that a
straight leg has an angle too, it is taken from the thigh's own front, carried from the bone to the line by
the smallest turn; where the knee lies against that front is told by its two offsets from the line. The
shank's front has an angle of its own; on a knee that is a hinge both are equal, and stay so when mixed.
"""

from __future__ import annotations

import math

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import (
    Quaternion,
    Vector,
    across,
    add,
    carried,
    cross,
    dot,
    from_axes,
    length,
    minus,
    rotate,
    times,
    unit,
)

FRONT = (0.0, 0.0, 1.0)  # where the front of thigh and shank looks at rest


@compiled
def front_of(bone: Vector) -> Vector:
    """Unit front of a bone in its joint's own frame, at right angles to the bone."""
    return unit(across(FRONT, unit(bone)))


@compiled
def circle(line: Vector, left: Vector) -> tuple[Vector, Vector]:
    """The two axes angles about ``line`` are counted by: leftwards and, for a hanging leg, forwards."""
    first = unit(across(left, line))
    return first, cross(line, first)


@compiled
def front_angle(world_bone: Vector, world_front: Vector, line: Vector, left: Vector) -> float:
    """Angle of a bone's front about the line from hip to ankle."""
    first, second = circle(line, left)
    front = carried(world_front, unit(world_bone), line)
    return math.atan2(dot(front, second), dot(front, first))


@compiled
def knee_offset(knee: Vector, line: Vector, left: Vector, angle: float) -> tuple[float, float]:
    """How far the knee, seen from the hip, is from the line: towards the thigh's front and beside it."""
    first, second = circle(line, left)
    front = add(times(math.cos(angle), first), times(math.sin(angle), second))
    return dot(knee, front), dot(knee, cross(line, front))


@compiled
def place_knee(
    hip: Vector,
    ankle: Vector,
    left: Vector,
    angle: float,
    offset: tuple[float, float],
    upper: float,
    lower: float,
) -> tuple[Vector, Vector, Vector]:
    """Knee (from the hip), ankle (from the hip) and line of a leg with bones ``upper`` and ``lower`` long.

    The knee lies in the direction of ``offset``; how far, the law of cosines tells. An ankle out of reach is
    approached along the line.
    """
    way = minus(ankle, hip)
    line = unit(way)
    distance = min(max(length(way), abs(upper - lower) + 1e-9), upper + lower)
    first, second = circle(line, left)
    front = add(times(math.cos(angle), first), times(math.sin(angle), second))
    size = max(math.sqrt(offset[0] ** 2 + offset[1] ** 2), 1e-15)
    along = (upper**2 - lower**2 + distance**2) / (2.0 * distance)
    aside = math.sqrt(max(upper**2 - along**2, 0.0)) / size
    side = add(times(offset[0] * aside, front), times(offset[1] * aside, cross(line, front)))
    return add(times(along, line), side), times(distance, line), line


@compiled
def bone_axes(world_bone: Vector, line: Vector, left: Vector, angle: float) -> tuple[Vector, Vector, Vector]:
    """World directions of a bone, its front and the third axis, for its angle about the line."""
    first, second = circle(line, left)
    front = add(times(math.cos(angle), first), times(math.sin(angle), second))
    along = unit(world_bone)
    front = carried(front, line, along)
    return along, front, cross(along, front)


@compiled
def in_axes(axes: tuple[Vector, Vector, Vector], bone: Vector, v: Vector) -> Vector:
    """World vector of ``v`` given in the frame of the joint whose bone has these world axes."""
    along, front = unit(bone), front_of(bone)
    third = cross(along, front)
    return add(
        add(times(dot(v, along), axes[0]), times(dot(v, front), axes[1])), times(dot(v, third), axes[2])
    )


@compiled
def bone_rotation(axes: tuple[Vector, Vector, Vector], bone: Vector) -> Quaternion:
    """World rotation of the joint whose bone has these world axes."""
    return from_axes(
        in_axes(axes, bone, (1.0, 0.0, 0.0)),
        in_axes(axes, bone, (0.0, 1.0, 0.0)),
        in_axes(axes, bone, (0.0, 0.0, 1.0)),
    )


@compiled
def unturned(q: Quaternion, v: Vector) -> Vector:
    """A world vector seen from the frame ``q``."""
    return rotate((q[0], -q[1], -q[2], -q[3]), v)
