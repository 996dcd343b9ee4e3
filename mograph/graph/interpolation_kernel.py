"""Phases mixed frame by frame, compiled (Safonova 5.4 and 5.10): tables of phases in, one motion out.

Per frame: every phase is read at the same share of its duration, the numbers are averaged, rotations on the
group. The legs to be placed get their feet; then the root is moved until the whole body's centre of mass is
the averaged one (Safonova appendix C: Newton's method on three numbers), the knees following in closed form.
"""

from __future__ import annotations

import math

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import (
    Quaternion,
    Vector,
    add,
    exp,
    forward,
    from_yaw,
    inverse,
    length,
    log,
    minus,
    multiply,
    quaternion,
    rotate,
    slerp,
    times,
    turned,
    unit,
    vector,
)
from mograph.graph.leg_kernel import bone_axes, bone_rotation, in_axes, place_knee, unturned
from mograph.graph.phase_kernel import (
    BALL,
    COM,
    FOOT,
    HEADING,
    HEEL,
    JOINTS,
    KNEE,
    LEG_WIDTH,
    LEGS,
    ROOT,
    SHANK,
    SLIDE,
    THIGH,
    Body,
)
from mograph.rotations import Array

BY_ROTATION, CARRIED, PLANTED, LEAVING = 0, 1, 2, 3  # how a leg is interpolated
_EXACT = 1e-11  # the centre of mass is met to this [m]
_STEPS = 20  # of Newton's method at most; three to five are usual
_LONGEST = 0.03  # one step of the root at most [m]
_PROBE = 1e-6  # root moved by this for the derivative [m]
_LEAN = 0.004  # knees of mixed straight legs bend forwards: an offset of this size joins the mean [m]


@compiled
def read_at(table: Array, start: int, count: int, share: float, row: Array) -> None:
    """The row of a phase at a share of its duration, by a cubic that keeps parabolas (Catmull-Rom).

    Slides are read along straight lines, so that a foot at rest stays at rest next to one that leaves.
    """
    at = share * (count - 1)
    first = min(int(at), count - 2)
    u = at - first
    p1, p2 = table[start + first], table[start + first + 1]
    if u < 1e-9:
        row[:] = p1
    elif u > 1.0 - 1e-9:
        row[:] = p2
    else:
        a = 0.5 * u * (u * (2.0 - u) - 1.0)
        b = 0.5 * (u * u * (3.0 * u - 5.0) + 2.0)
        c = 0.5 * u * (u * (4.0 - 3.0 * u) + 1.0)
        d = 0.5 * u * u * (u - 1.0)
        for k in range(len(row)):
            # beyond its ends a phase goes on along the parabola of its last three rows
            if first > 0:
                p0 = table[start + first - 1, k]
            elif count > 2:
                p0 = 3.0 * (p1[k] - p2[k]) + table[start + first + 2, k]
            else:
                p0 = 2.0 * p1[k] - p2[k]
            if first + 2 < count:
                p3 = table[start + first + 2, k]
            elif count > 2:
                p3 = 3.0 * (p2[k] - p1[k]) + table[start + first - 1, k]
            else:
                p3 = 2.0 * p2[k] - p1[k]
            row[k] = a * p0 + b * p1[k] + c * p2[k] + d * p3
        for leg in range(2):
            begin = LEGS + leg * LEG_WIDTH + SLIDE
            for k in range(begin, begin + 3):
                row[k] = (1.0 - u) * p1[k] + u * p2[k]
            _normalise(row, LEGS + leg * LEG_WIDTH + FOOT)
        for k in range(JOINTS, len(row), 4):
            _normalise(row, k)


@compiled
def _normalise(row: Array, at: int) -> None:
    size = math.sqrt(row[at] ** 2 + row[at + 1] ** 2 + row[at + 2] ** 2 + row[at + 3] ** 2)
    for k in range(at, at + 4):
        row[k] /= size


@compiled
def mean_rotation(rows: Array, at: int, weights: Array, signs: Array) -> Quaternion:
    """Weighted mean of rotations on the group; of two, a point on the arc between them.

    Starts with means of two at a time; more than two then move to where the weighted rotation vectors to all
    of them cancel (the Karcher mean), so that their order does not matter.
    """
    count = len(weights)
    q = quaternion(rows[0], at)
    total = weights[0]
    for i in range(1, count):
        if weights[i] > 0.0:
            s = signs[i]
            other = (s * rows[i, at], s * rows[i, at + 1], s * rows[i, at + 2], s * rows[i, at + 3])
            total += weights[i]
            q = slerp(q, other, weights[i] / total)
    if count > 2:
        for _ in range(4):
            step = (0.0, 0.0, 0.0)
            for i in range(count):
                s = signs[i]
                other = (s * rows[i, at], s * rows[i, at + 1], s * rows[i, at + 2], s * rows[i, at + 3])
                step = add(step, times(weights[i], log(multiply(inverse(q), other))))
            q = multiply(q, exp(step))
    return q


@compiled
def align_signs(rows: Array, at: int, signs: Array) -> None:
    """Signs that put each phase's quaternion on the side of the first one's; kept through the phase."""
    signs[0] = 1.0
    for i in range(1, len(rows)):
        same = 0.0
        for c in range(4):
            same += rows[0, at + c] * rows[i, at + c]
        signs[i] = -1.0 if same < 0.0 else 1.0


@compiled
def foot_targets(
    body: Body, rows: Array, weights: Array, leg: int, way: int, lifting: float, ankle: Array, foot: Array
) -> None:
    """World ankle (S, 3) and foot rotation (S, 4) of a placed leg at every sample; ``rows`` (S, k, columns).

    A foot that is carried is averaged as seen from centre of mass and heading. A planted foot starts at the
    mean place of the point it pivots about first and then rolls. A leaving foot is planted until the share
    ``lifting`` of the phase before its end, and carried at the end.
    """
    at = LEGS + leg * LEG_WIDTH
    samples, count = rows.shape[0], rows.shape[1]
    signs, seen = np.ones(count), np.empty((count, 4))
    if way != CARRIED:
        for s in range(samples):
            if s == 0:
                align_signs(rows[0], at + FOOT, signs)
            q = mean_rotation(rows[s], at + FOOT, weights, signs)
            foot[s, 0], foot[s, 1], foot[s, 2], foot[s, 3] = q
        _roll(body, rows, weights, leg, ankle, foot)
    if way == PLANTED:
        return
    middle = times(0.5, add(vector(body.pivots[leg, 0], 0), vector(body.pivots[leg, 1], 0)))
    for s in range(samples):
        share = 1.0 if way == CARRIED else 1.0 - (1.0 - s / (samples - 1)) / lifting
        heading, place, com = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(count):
            own, own_com = rows[s, i, HEADING], vector(rows[s, i], COM)
            seen[i, 0], seen[i, 1], seen[i, 2], seen[i, 3] = multiply(
                from_yaw(-own), quaternion(rows[s, i], at + FOOT)
            )
            sole = times(0.5, add(vector(rows[s, i], at + HEEL), vector(rows[s, i], at + BALL)))
            place = add(place, times(weights[i], turned(-own, minus(sole, own_com))))
            com = add(com, times(weights[i], own_com))
            heading += weights[i] * own
        if s == 0:
            align_signs(seen, 0, signs)
        if share <= 0.0:
            continue
        q = multiply(from_yaw(heading), mean_rotation(seen, 0, weights, signs))
        place = minus(add(com, turned(heading, place)), rotate(q, middle))
        if share < 1.0:
            before = quaternion(foot[s], 0)
            place = add(times(share, place), times(1.0 - share, vector(ankle[s], 0)))
            same = before[0] * q[0] + before[1] * q[1] + before[2] * q[2] + before[3] * q[3]
            q = slerp(before, q if same >= 0.0 else (-q[0], -q[1], -q[2], -q[3]), share)
        foot[s, 0], foot[s, 1], foot[s, 2], foot[s, 3] = q
        ankle[s, 0], ankle[s, 1], ankle[s, 2] = place


@compiled
def _roll(body: Body, rows: Array, weights: Array, leg: int, ankle: Array, foot: Array) -> None:
    """Ankles of a foot that turns from sample to sample about heel or ball, whichever moves less in the phases.

    So a pivot that rests in all of them rests.
    """
    at = LEGS + leg * LEG_WIDTH
    samples, count = rows.shape[0], rows.shape[1]
    for s in range(samples - 1):
        moved_heel, moved_ball = 0.0, 0.0
        slide, start = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(count):
            now, then = rows[s, i], rows[s + 1, i]
            moved_heel += weights[i] * length(minus(vector(then, at + HEEL), vector(now, at + HEEL)))
            moved_ball += weights[i] * length(minus(vector(then, at + BALL), vector(now, at + BALL)))
            slid = minus(vector(then, at + SLIDE), vector(now, at + SLIDE))
            slide = add(slide, times(weights[i], slid))
        pivot = 1 if moved_ball <= moved_heel else 0
        arm = vector(body.pivots[leg, pivot], 0)
        here = rotate(quaternion(foot[s], 0), arm)
        if s == 0:
            for i in range(count):
                start = add(start, times(weights[i], vector(rows[0, i], at + HEEL + 3 * pivot)))
            ankle[0, 0], ankle[0, 1], ankle[0, 2] = minus(start, here)
        turn = minus(here, rotate(quaternion(foot[s + 1], 0), arm))
        ankle[s + 1, 0], ankle[s + 1, 1], ankle[s + 1, 2] = add(vector(ankle[s], 0), add(turn, slide))


@compiled
def load_of(leg: Array, hip: Vector, left: Vector) -> Vector:
    """Mass times place of thigh and shank, for the hip's place; ``leg`` is a row made by :func:`blend`."""
    ankle, bone, lower = vector(leg, 0), vector(leg, 3), vector(leg, 6)
    knee, tip, line = place_knee(hip, ankle, left, leg[20], (leg[22], leg[23]), length(bone), length(lower))
    thigh = in_axes(bone_axes(knee, line, left, leg[20]), bone, vector(leg, 10))
    shank = in_axes(bone_axes(minus(tip, knee), line, left, leg[21]), lower, vector(leg, 14))
    return add(add(times(leg[9], hip), thigh), add(times(leg[13], add(hip, knee)), shank))


@compiled
def blend(
    body: Body,
    tables: Array,  # (sum of frames, columns) tables of phases one below the other
    starts: np.ndarray,  # (k,) first row of each phase
    counts: np.ndarray,  # (k,) rows of each phase
    weights: Array,  # (k,) sum 1
    ways: np.ndarray,  # (2,) how the left and the right leg are interpolated
    root: Array,  # (S, 3) out
    rotation: Array,  # (S, J, 4) out
) -> float:
    """Mix phases; returns by how much the centre of mass is missed at worst, for legs too short [m]."""
    samples, joints, count = len(root), len(body.parents), len(weights)
    rows = np.empty((samples, count, tables.shape[1]))
    for s in range(samples):
        for i in range(count):
            read_at(tables, starts[i], counts[i], s / (samples - 1), rows[s, i])
    ankles, feet = np.empty((2, samples, 3)), np.empty((2, samples, 4))
    lifting = 0.0
    for i in range(count):
        lifting += weights[i] / (counts[i] - 1)
    for leg in range(2):
        if ways[leg] != BY_ROTATION:
            foot_targets(body, rows, weights, leg, ways[leg], lifting, ankles[leg], feet[leg])

    signs = np.ones((joints, count))
    for j in range(joints):
        align_signs(rows[0], JOINTS + 4 * j, signs[j])
    spread = 1.0
    for i in range(count):
        spread -= weights[i] * weights[i]
    position, world = np.empty((joints, 3)), np.empty((joints, 4))
    mean, limbs, missed = np.empty(JOINTS), np.zeros((2, 24)), 0.0
    for s in range(samples):
        mean[:] = 0.0
        for i in range(count):
            for c in range(JOINTS):
                mean[c] += weights[i] * rows[s, i, c]
        own = rotation[s]
        for j in range(joints):
            q = mean_rotation(rows[s], JOINTS + 4 * j, weights, signs[j])
            if j == 0:
                q = multiply(from_yaw(mean[HEADING]), q)
            own[j, 0], own[j, 1], own[j, 2], own[j, 3] = q
        forward(body.parents, body.offsets, (0.0, 0.0, 0.0), own, position, world)
        for leg in range(2):
            if ways[leg] != BY_ROTATION:
                _fill_limb(body, leg, position, world, mean, spread, ankles[leg, s], feet[leg, s], limbs[leg])
        place, error = _solve_root(body, ways, position, world, mean, limbs)
        missed = max(missed, error)
        root[s, 0], root[s, 1], root[s, 2] = place
        left = rotate(quaternion(own[0], 0), (1.0, 0.0, 0.0))
        for leg in range(2):
            if ways[leg] != BY_ROTATION:
                _turn_limb(body, leg, place, left, position, world, limbs[leg], feet[leg, s], own)
    _face(root, rotation)
    return missed


@compiled
def _fill_limb(
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
    """What the root solve needs of a leg: ankle (3), bones of thigh and shank in their frames (3, 3), mass and
    mass times centre of both in their frames (4, 4), the same of the foot for the world (3 sums at the end).
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
def _solve_root(
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
    place = vector(mean, ROOT)
    error = _excess(body, ways, position, limbs, left, moving, fixed, place)
    for _ in range(_STEPS):
        if length(error) < _EXACT:
            break
        a = _excess(body, ways, position, limbs, left, moving, fixed, add(place, (_PROBE, 0.0, 0.0)))
        b = _excess(body, ways, position, limbs, left, moving, fixed, add(place, (0.0, _PROBE, 0.0)))
        c = _excess(body, ways, position, limbs, left, moving, fixed, add(place, (0.0, 0.0, _PROBE)))
        step = _solve3(minus(a, error), minus(b, error), minus(c, error), times(-_PROBE, error))
        size = length(step)
        if size > _LONGEST:
            step = times(_LONGEST / size, step)
        for _half in range(8):
            trial = add(place, step)
            after = _excess(body, ways, position, limbs, left, moving, fixed, trial)
            if length(after) < length(error):
                break
            step = times(0.5, step)
        if length(after) >= length(error):
            break
        place, error = trial, after
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
    return place, length(_excess(body, ways, position, limbs, left, moving, fixed, place))


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
def _solve3(a: Vector, b: Vector, c: Vector, right: Vector) -> Vector:
    """x with x0 a + x1 b + x2 c = right (Cramer's rule)."""
    bc = (b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0])
    ca = (c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0])
    ab = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    whole = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2]
    if abs(whole) < 1e-30:
        return right
    x = (right[0] * bc[0] + right[1] * bc[1] + right[2] * bc[2]) / whole
    y = (right[0] * ca[0] + right[1] * ca[1] + right[2] * ca[2]) / whole
    z = (right[0] * ab[0] + right[1] * ab[1] + right[2] * ab[2]) / whole
    return x, y, z


@compiled
def _turn_limb(
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


@compiled
def _face(root: Array, rotation: Array) -> None:
    """Move the motion so that at the first frame its root stands above the origin and faces +Z."""
    front = rotate(quaternion(rotation[0, 0], 0), (0.0, 0.0, 1.0))
    yaw = -math.atan2(front[0], front[2])
    turn, x, z = from_yaw(yaw), root[0, 0], root[0, 2]
    for s in range(len(root)):
        place = turned(yaw, (root[s, 0] - x, root[s, 1], root[s, 2] - z))
        root[s, 0], root[s, 1], root[s, 2] = place
        q = multiply(turn, quaternion(rotation[s, 0], 0))
        rotation[s, 0, 0], rotation[s, 0, 1], rotation[s, 0, 2], rotation[s, 0, 3] = q
