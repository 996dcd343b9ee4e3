"""Where the feet of a mixture are, compiled: planted and rolling, leaving, or carried through the air."""

from __future__ import annotations

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import (
    add,
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
    vector,
)
from mograph.graph.mean_kernel import align_signs, mean_rotation
from mograph.graph.phase_kernel import BALL, COM, FOOT, HEADING, HEEL, LEG_WIDTH, LEGS, PIVOT, SLIDE, Body
from mograph.rotations import Array

BY_ROTATION, CARRIED, PLANTED, LEAVING = 0, 1, 2, 3  # how a leg is interpolated


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
    """Ankles of a foot that turns from sample to sample about the pivot of the phase that turns it most.

    So a pivot that rests in all phases rests; and where one foot still rolls and the other stands, the point
    rests about which the one rolls.
    """
    at = LEGS + leg * LEG_WIDTH
    samples, count = rows.shape[0], rows.shape[1]
    for s in range(samples - 1):
        slide, most, arm = (0.0, 0.0, 0.0), -1.0, (0.0, 0.0, 0.0)
        for i in range(count):
            now, then = rows[s, i], rows[s + 1, i]
            slid = minus(vector(then, at + SLIDE), vector(now, at + SLIDE))
            slide = add(slide, times(weights[i], slid))
            turn = log(multiply(inverse(quaternion(now, at + FOOT)), quaternion(then, at + FOOT)))
            if weights[i] * (length(turn) + 1e-9) > most:
                most = weights[i] * (length(turn) + 1e-9)
                arm = vector(now, at + PIVOT)
        here = rotate(quaternion(foot[s], 0), arm)
        if s == 0:
            start = (0.0, 0.0, 0.0)
            for i in range(count):
                own = minus(arm, vector(body.pivots[leg, 0], 0))
                place = add(vector(rows[0, i], at + HEEL), rotate(quaternion(rows[0, i], at + FOOT), own))
                start = add(start, times(weights[i], place))
            ankle[0, 0], ankle[0, 1], ankle[0, 2] = minus(start, here)
        turn = minus(here, rotate(quaternion(foot[s + 1], 0), arm))
        ankle[s + 1, 0], ankle[s + 1, 1], ankle[s + 1, 2] = add(vector(ankle[s], 0), add(turn, slide))
