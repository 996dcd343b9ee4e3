"""What of a phase is interpolated, frame by frame, in one table: measured by a compiled pass over the frames.

Columns: centre of mass (3), root position (3), heading (1), then for each leg the foot's world rotation (4),
heel (3), ball (3), slide (3), angle of thigh and shank (2), knee offset (2); then every joint's own rotation
(4 each), the root's without its heading. Angles and the signs of quaternions are continuous in time.

The slide of a foot is how far its pivot has moved since the first frame, the pivot being heel or ball,
whichever moves less from one frame to the next: zero for a foot that rolls without slipping.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import (
    add,
    forward,
    from_yaw,
    length,
    minus,
    multiply,
    quaternion,
    rotate,
    times,
    unit,
    vector,
)
from mograph.graph.leg_kernel import front_angle, front_of, knee_offset, unturned
from mograph.rotations import Array

COM, ROOT, HEADING, LEGS = 0, 3, 6, 7
FOOT, HEEL, BALL, SLIDE, THIGH, SHANK, KNEE, LEG_WIDTH = 0, 4, 7, 10, 13, 14, 15, 17
JOINTS = LEGS + 2 * LEG_WIDTH


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
def put_quaternion(table: Array, t: int, at: int, q: tuple[float, float, float, float]) -> None:
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
    left: tuple[float, float, float],
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
        row[at + SLIDE : at + SLIDE + 3] = 0.0
        return
    before = table[t - 1]
    step_heel = minus(vector(row, at + HEEL), vector(before, at + HEEL))
    step_ball = minus(vector(row, at + BALL), vector(before, at + BALL))
    step = step_ball if length(step_ball) <= length(step_heel) else step_heel
    for c in range(3):
        row[at + SLIDE + c] = before[at + SLIDE + c] + step[c]
