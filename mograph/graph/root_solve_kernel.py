"""The root that puts the centre of mass where it is wanted, compiled (Safonova appendix C).

With root orientation, upper body, feet and knee angles given, the centre of mass depends on three numbers,
the root's position; Newton's method finds them, the knees following in closed form.
"""

from __future__ import annotations

import math

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import (
    Vector,
    add,
    inverse,
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
from mograph.graph.foot_kernel import BY_ROTATION, PLANTED
from mograph.graph.leg_kernel import bone_axes, bone_rotation, in_axes, place_knee, unturned
from mograph.graph.phase_kernel import COM, KNEE, LEG_WIDTH, LEGS, ROOT, SHANK, THIGH, Body
from mograph.rotations import Array

_EXACT = 1e-11  # the centre of mass is met to this [m]
_STEPS = 40  # of Newton's method at most, steps cut in half included; three to five are usual
_LONGEST = 0.03  # one step of the root at most [m]
_PROBE = 1e-6  # root moved by this for the derivative [m]
_LEAN = 0.004  # knees of mixed straight legs bend forwards: an offset of this size joins the mean [m]
LIMB = 24  # numbers the solve needs of a leg


@compiled
def fill_limb(
    body: Body,
    leg: int,
    position: Array,
    world: Array,
    mean: Array,
    spread: float,
    ankle: Array,
    foot: Array,
    limb: Array,
) -> None:
    """Write what the root solve needs of a leg.

    Columns: ankle (3); bones of thigh and shank in their own frames (3, 3); mass and mass times centre of
    both in their own frames (4, 4); mass times place of the foot (3); angles of thigh and shank (2); knee
    offset (2).
    """
    at = LEGS + leg * LEG_WIDTH
    limb[0:3] = ankle
    for k in range(2):
        joint, tip = body.legs[leg, k], body.legs[leg, k + 1]
        q, here = quaternion(world[joint], 0), vector(position[joint], 0)
        bone = unturned(q, minus(vector(position[tip], 0), here))
        limb[3 + 3 * k], limb[4 + 3 * k], limb[5 + 3 * k] = bone
        mass, load = _part_load(body, 3 * leg + 1 + k, position, world, here)
        limb[9 + 4 * k] = mass
        limb[10 + 4 * k], limb[11 + 4 * k], limb[12 + 4 * k] = unturned(q, load)
    joint = body.legs[leg, 2]
    here = vector(position[joint], 0)
    mass, load = _part_load(body, 3 * leg + 3, position, world, here)
    load = rotate(quaternion(foot, 0), unturned(quaternion(world[joint], 0), load))
    for c in range(3):
        limb[17 + c] = mass * ankle[c] + load[c]
    limb[20], limb[21] = mean[at + THIGH], mean[at + SHANK]
    limb[22], limb[23] = mean[at + KNEE] + spread * _LEAN, mean[at + KNEE + 1]


@compiled
def _part_load(body: Body, part: int, position: Array, world: Array, origin: Vector) -> tuple[float, Vector]:
    """Mass of a part of the body, and its mass times centre seen from ``origin``."""
    mass, load = 0.0, (0.0, 0.0, 0.0)
    for j in range(len(body.parents)):
        if body.part[j] == part and body.mass[j] > 0.0:
            place = add(vector(position[j], 0), rotate(quaternion(world[j], 0), vector(body.centre[j], 0)))
            mass += body.mass[j]
            load = add(load, times(body.mass[j], minus(place, origin)))
    return mass, load


@compiled
def solve_root(
    body: Body, ways: np.ndarray, position: Array, world: Array, mean: Array, limbs: Array
) -> tuple[Vector, float]:
    """Root position that puts the centre of mass where the mean has it, and the distance left over [m].

    A planted foot comes first: a root from which it cannot be reached is moved until it can.
    """
    moving, fixed = 0.0, times(-1.0, vector(mean, COM))
    for part in range(7):
        placed = part > 0 and ways[(part - 1) // 3] != BY_ROTATION
        if not placed:
            mass, load = _part_load(body, part, position, world, (0.0, 0.0, 0.0))
            moving += mass
            fixed = add(fixed, load)
    for leg in range(2):
        if ways[leg] != BY_ROTATION:
            fixed = add(fixed, vector(limbs[leg], 17))
    if ways[0] == BY_ROTATION and ways[1] == BY_ROTATION:
        return times(-1.0 / moving, fixed), 0.0

    left = rotate(quaternion(world[0], 0), (1.0, 0.0, 0.0))
    place, error = vector(mean, ROOT), (math.inf, 0.0, 0.0)
    trial, step = place, (0.0, 0.0, 0.0)
    near = np.empty((4, 3))  # excess at the trial and beside it along each axis
    for _ in range(_STEPS):
        for k in range(4):
            beside = add(trial, (_PROBE * (k == 1), _PROBE * (k == 2), _PROBE * (k == 3)))
            excess = _excess(body, ways, position, limbs, left, moving, fixed, beside)
            near[k, 0], near[k, 1], near[k, 2] = excess
            if k == 0 and length(excess) < _EXACT:
                break
        after = vector(near[0], 0)
        if length(after) < length(error):
            place, error = trial, after
            if length(error) < _EXACT:
                break
            step = solve3(
                minus(vector(near[1], 0), error),
                minus(vector(near[2], 0), error),
                minus(vector(near[3], 0), error),
                times(-_PROBE, error),
            )
            step = times(min(1.0, _LONGEST / max(length(step), 1e-12)), step)
        else:
            step = times(0.5, step)
        trial = add(place, step)
    moved = _within_reach(body, ways, position, limbs, place)
    if moved[0] != place[0] or moved[1] != place[1] or moved[2] != place[2]:
        error = _excess(body, ways, position, limbs, left, moving, fixed, moved)
    return moved, length(error)


@compiled
def _within_reach(body: Body, ways: np.ndarray, position: Array, limbs: Array, place: Vector) -> Vector:
    """The root moved towards planted feet that its legs are too short for."""
    for _ in range(8):
        short = False
        for leg in range(2):
            if ways[leg] >= PLANTED:
                hip = add(place, vector(position[body.legs[leg, 0]], 0))
                way = minus(vector(limbs[leg], 0), hip)
                over = length(way) - length(vector(limbs[leg], 3)) - length(vector(limbs[leg], 6))
                if over > 1e-12:
                    place = add(place, times(over + 1e-9, unit(way)))
                    short = True
        if not short:
            break
    return place


@compiled
def _excess(
    body: Body,
    ways: np.ndarray,
    position: Array,
    limbs: Array,
    left: Vector,
    moving: float,
    fixed: Vector,
    place: Vector,
) -> Vector:
    """Centre of mass with the root at ``place``, less the wanted one."""
    out = add(fixed, times(moving, place))
    for leg in range(2):
        if ways[leg] != BY_ROTATION:
            hip = add(place, vector(position[body.legs[leg, 0]], 0))
            out = add(out, load_of(limbs[leg], hip, left))
    return out


@compiled
def load_of(leg: Array, hip: Vector, left: Vector) -> Vector:
    """Mass times place of thigh and shank, for the hip's place; ``leg`` is filled by ``fill_limb``."""
    ankle, bone, lower = vector(leg, 0), vector(leg, 3), vector(leg, 6)
    knee, tip, line = place_knee(hip, ankle, left, leg[20], (leg[22], leg[23]), length(bone), length(lower))
    thigh = in_axes(bone_axes(knee, line, left, leg[20]), bone, vector(leg, 10))
    shank = in_axes(bone_axes(minus(tip, knee), line, left, leg[21]), lower, vector(leg, 14))
    return add(add(times(leg[9], hip), thigh), add(times(leg[13], add(hip, knee)), shank))


@compiled
def turn_limb(
    body: Body,
    leg: int,
    place: Vector,
    left: Vector,
    position: Array,
    world: Array,
    limb: Array,
    foot: Array,
    own: Array,
) -> None:
    """Write the rotations of hip, knee and ankle; joints between them ride along."""
    upper, middle, tip = body.legs[leg, 0], body.legs[leg, 1], body.legs[leg, 2]
    hip = add(place, vector(position[upper], 0))
    bone, lower = vector(limb, 3), vector(limb, 6)
    knee, ankle, line = place_knee(
        hip, vector(limb, 0), left, limb[20], (limb[22], limb[23]), length(bone), length(lower)
    )
    thigh = bone_rotation(bone_axes(knee, line, left, limb[20]), bone)
    shank = bone_rotation(bone_axes(minus(ankle, knee), line, left, limb[21]), lower)
    over_knee = multiply(
        thigh, multiply(inverse(quaternion(world[upper], 0)), quaternion(world[body.parents[middle]], 0))
    )
    over_ankle = multiply(
        shank, multiply(inverse(quaternion(world[middle], 0)), quaternion(world[body.parents[tip]], 0))
    )
    new_upper = multiply(inverse(quaternion(world[body.parents[upper]], 0)), thigh)
    new_middle = multiply(inverse(over_knee), shank)
    new_tip = multiply(inverse(over_ankle), quaternion(foot, 0))
    own[upper, 0], own[upper, 1], own[upper, 2], own[upper, 3] = new_upper
    own[middle, 0], own[middle, 1], own[middle, 2], own[middle, 3] = new_middle
    own[tip, 0], own[tip, 1], own[tip, 2], own[tip, 3] = new_tip
