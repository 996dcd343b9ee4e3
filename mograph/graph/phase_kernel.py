"""What of a phase is interpolated, frame by frame, in one table: measured by a compiled pass over the frames.

Columns: centre of mass (3), root position (3), heading (1), then for each leg the foot's world rotation (4),
heel (3), ball (3), pivot (3), slide (3), angle of thigh and shank (2), knee offset (2); then each joint's own
rotation (4), the root's without its heading. Angles and signs of quaternions are continuous in time.

The pivot is the point of the foot, in its own frame, that rests from the frame before to this one: found
where the foot turns enough to tell, else heel or ball, whichever moves less. The slide is how far pivots have
moved since the first frame: zero for a foot that rolls over its points without slipping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import (
    Quaternion,
    Vector,
    add,
    dot,
    forward,
    from_yaw,
    length,
    minus,
    multiply,
    quaternion,
    rotate,
    solve3,
    times,
    unit,
    vector,
)
from mograph.graph.leg_kernel import front_angle, front_of, knee_offset, unturned
from mograph.rotations import Array

COM, ROOT, HEADING, LEGS = 0, 3, 6, 7
FOOT, HEEL, BALL, PIVOT, SLIDE, THIGH, SHANK, KNEE, LEG_WIDTH = 0, 4, 7, 10, 13, 16, 17, 18, 20
JOINTS = LEGS + 2 * LEG_WIDTH
_STILL = 1e-5  # square of the turn from frame to frame below which a foot does not tell its pivot [rad²]
_SOLE = 0.05  # a pivot farther than this from the line from heel to ball is not one [m]


class Body(NamedTuple):
    """A skeleton as the kernels want it; legs and feet are in the order left, right."""

    parents: np.ndarray  # (J,)
    offsets: Array  # (J, 3) [m]
    mass: Array  # (J,) shares of the whole
    centre: Array  # (J, 3) [m] in the joint's frame
    part: (
        np.ndarray
    )  # (J,) 0 trunk and arms; thigh, shank, foot of the left leg 1, 2, 3, of the right 4, 5, 6
    legs: np.ndarray  # (2, 3) joints: hip, knee, ankle
    pivots: Array  # (2, 2, 3) [m] heel and ball in the ankle's frame


@compiled
def nearest_turn(angle: float, reference: float) -> float:
    """The angle plus full turns, nearest to the reference."""
    return angle + 2.0 * math.pi * round((reference - angle) / (2.0 * math.pi))


@compiled
def put_quaternion(table: Array, t: int, at: int, q: Quaternion) -> None:
    """Write ``q`` with the sign nearest to the row before; in the first row with w >= 0."""
    before = quaternion(table[t - 1], at) if t > 0 else (1.0, 0.0, 0.0, 0.0)
    same = q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3]
    sign = -1.0 if same < 0 else 1.0
    for c in range(4):
        table[t, at + c] = sign * q[c]


@compiled
def describe(body: Body, root_position: Array, rotation: Array, table: Array) -> None:
    """Fill the table (F, JOINTS + 4 J) of a phase."""
    joints = len(body.parents)
    position, world = np.empty((joints, 3)), np.empty((joints, 4))
    for t in range(len(rotation)):
        row = table[t]
        forward(body.parents, body.offsets, vector(root_position[t], 0), rotation[t], position, world)
        com = (0.0, 0.0, 0.0)
        for j in range(joints):
            place = add(vector(position[j], 0), rotate(quaternion(world[j], 0), vector(body.centre[j], 0)))
            com = add(com, times(body.mass[j], place))
        row[COM], row[COM + 1], row[COM + 2] = com
        row[ROOT : ROOT + 3] = root_position[t]
        # turn about the vertical (swing-twist): unlike the heading of the front it survives a deep bend
        turn = quaternion(rotation[t, 0], 0)
        row[HEADING] = nearest_turn(
            2.0 * math.atan2(turn[2], turn[0]), table[t - 1, HEADING] if t > 0 else 0.0
        )
        put_quaternion(table, t, JOINTS, multiply(from_yaw(-row[HEADING]), turn))
        for j in range(1, joints):
            put_quaternion(table, t, JOINTS + 4 * j, quaternion(rotation[t, j], 0))
        left = rotate(turn, (1.0, 0.0, 0.0))
        for leg in range(2):
            _describe_leg(body, leg, left, position, world, table, t)


@compiled
def _describe_leg(
    body: Body,
    leg: int,
    left: Vector,
    position: Array,
    world: Array,
    table: Array,
    t: int,
) -> None:
    at = LEGS + leg * LEG_WIDTH
    row = table[t]
    hip = vector(position[body.legs[leg, 0]], 0)
    knee = vector(position[body.legs[leg, 1]], 0)
    ankle = vector(position[body.legs[leg, 2]], 0)
    line = unit(minus(ankle, hip))
    for k in range(2):
        q = quaternion(world[body.legs[leg, k]], 0)
        bone = minus(knee, hip) if k == 0 else minus(ankle, knee)
        front = rotate(q, front_of(unturned(q, bone)))
        reference = table[t - 1, at + THIGH + k] if t > 0 else 0.5 * math.pi
        row[at + THIGH + k] = nearest_turn(front_angle(bone, front, line, left), reference)
    row[at + KNEE], row[at + KNEE + 1] = knee_offset(minus(knee, hip), line, left, row[at + THIGH])
    foot = quaternion(world[body.legs[leg, 2]], 0)
    put_quaternion(table, t, at + FOOT, foot)
    for k in range(2):
        pivot = add(ankle, rotate(foot, vector(body.pivots[leg, k], 0)))
        for c in range(3):
            row[at + HEEL + 3 * k + c] = pivot[c]
    if t == 0:
        row[at + PIVOT : at + SLIDE] = body.pivots[leg, 1]
        row[at + SLIDE : at + SLIDE + 3] = 0.0
        return
    before = table[t - 1]
    turn = quaternion(before, at + FOOT)
    pivot = resting_point(body, leg, turn, vector(before, at + HEEL), foot, vector(row, at + HEEL))
    arm = minus(pivot, vector(body.pivots[leg, 0], 0))
    step = add(
        minus(vector(row, at + HEEL), vector(before, at + HEEL)), minus(rotate(foot, arm), rotate(turn, arm))
    )
    for c in range(3):
        row[at + PIVOT + c] = pivot[c]
        row[at + SLIDE + c] = before[at + SLIDE + c] + step[c]
    if t == 1:
        before[at + PIVOT : at + SLIDE] = row[at + PIVOT : at + SLIDE]


@compiled
def resting_point(
    body: Body,
    leg: int,
    turn: Quaternion,
    heel: Vector,
    next_turn: Quaternion,
    next_heel: Vector,
) -> Vector:
    """The point of a foot, in its frame, that moves least while the foot goes from one pose to the next.

    Minimises |heel' - heel + (R' - R)(q - h)|^2 + E |q - q0|^2, where q0 is the one of heel h and ball that
    moves less; E keeps q there where the foot hardly turns. A point off the foot is not believed.
    """
    start, ball = vector(body.pivots[leg, 0], 0), vector(body.pivots[leg, 1], 0)
    shift = minus(next_heel, heel)
    sole = minus(ball, start)
    moved = add(shift, minus(rotate(next_turn, sole), rotate(turn, sole)))
    nearest = ball if length(moved) <= length(shift) else start
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    x = minus(rotate(next_turn, axes[0]), rotate(turn, axes[0]))
    y = minus(rotate(next_turn, axes[1]), rotate(turn, axes[1]))
    z = minus(rotate(next_turn, axes[2]), rotate(turn, axes[2]))
    arm = minus(nearest, start)
    off = add(shift, add(times(arm[0], x), add(times(arm[1], y), times(arm[2], z))))
    first = (dot(x, x) + _STILL, dot(x, y), dot(x, z))
    second = (dot(x, y), dot(y, y) + _STILL, dot(y, z))
    third = (dot(x, z), dot(y, z), dot(z, z) + _STILL)
    correction = solve3(first, second, third, (-dot(x, off), -dot(y, off), -dot(z, off)))
    point = add(nearest, correction)
    share = min(max(dot(minus(point, start), sole) / max(dot(sole, sole), 1e-12), 0.0), 1.0)
    return point if length(minus(point, add(start, times(share, sole)))) < _SOLE else nearest
