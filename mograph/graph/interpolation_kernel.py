"""Phases mixed frame by frame, compiled (Safonova 5.4 and 5.10): tables of phases in, one motion out.

Per frame: every phase is read at the same share of its duration, the numbers are averaged, rotations on the
group. The legs to be placed get their feet; then the root is moved until the whole body's centre of mass is
the averaged one (Safonova appendix C: Newton's method on three numbers), the knees following in closed form.
"""

from __future__ import annotations

import math

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.graph.compiled_vectors import forward, from_yaw, multiply, quaternion, rotate, turned
from mograph.graph.foot_kernel import BY_ROTATION, foot_targets
from mograph.graph.mean_kernel import align_signs, mean_rotation, read_at, read_pivots
from mograph.graph.phase_kernel import HEADING, JOINTS, Body
from mograph.graph.root_solve_kernel import LIMB, fill_limb, solve_root, turn_limb
from mograph.rotations import Array


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
            if s < samples - 1:
                read_pivots(tables, starts[i], counts[i], (s + 0.5) / (samples - 1), rows[s, i])
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
    mean, limbs, missed = np.empty(JOINTS), np.zeros((2, LIMB)), 0.0
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
                fill_limb(body, leg, position, world, mean, spread, ankles[leg, s], feet[leg, s], limbs[leg])
        place, error = solve_root(body, ways, position, world, mean, limbs)
        missed = max(missed, error)
        root[s, 0], root[s, 1], root[s, 2] = place
        left = rotate(quaternion(own[0], 0), (1.0, 0.0, 0.0))
        for leg in range(2):
            if ways[leg] != BY_ROTATION:
                turn_limb(body, leg, place, left, position, world, limbs[leg], feet[leg, s], own)
    _face(root, rotation)
    return missed


@compiled
def blend_all(
    body: Body,
    tables: Array,
    starts: np.ndarray,  # (M,) first row of every phase in the tables
    counts: np.ndarray,  # (M,)
    chosen: np.ndarray,  # (N, k) which phases to mix
    weights: Array,  # (N, k)
    ways: np.ndarray,  # (N, 2)
    root: Array,  # (N, S, 3) out
    rotation: Array,  # (N, S, J, 4) out
    missed: Array,  # (N,) out
) -> None:
    """:func:`blend` for many mixtures of the same number of phases."""
    for n in range(len(chosen)):
        own = chosen[n]
        missed[n] = blend(body, tables, starts[own], counts[own], weights[n], ways[n], root[n], rotation[n])


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
