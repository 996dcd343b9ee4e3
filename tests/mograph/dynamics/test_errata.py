"""Fang's recursion as printed is wrong, and in which places: guards against putting the misprints back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mograph import rotations
from mograph.dynamics import aggregate_force
from mograph.kinematics import forward


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def crossing(s: np.ndarray) -> np.ndarray:
    """Spatial cross product with a twist, as a matrix."""
    return np.block([[skew(s[:3]), np.zeros((3, 3))], [skew(s[3:]), skew(s[:3])]])


def recursion(body: Any, motion: Any, printed: bool, weigh: bool = True) -> np.ndarray:
    """Leaf-to-base recursion with full matrices in world axes about the world's origin, for frame 0.

    ``printed`` uses one rate of inertia, with the joint's own motion in it, everywhere (B.9, B.10); ``weigh``
    tells whether the weight is added at the end (missing in print).
    """
    skeleton, model = body.skeleton, body.model
    pose = forward(skeleton, motion.root_position, motion.rotation)
    joints = len(skeleton)
    inertia, rate = np.zeros((joints, 6, 6)), np.zeros((joints, 6, 6))
    p, f = np.zeros((joints, 6)), np.zeros((joints, 6))
    for j in range(joints):
        R = rotations.to_matrix(pose.rotation[0, j])
        c = skew(pose.position[0, j] + R @ model.centre[j])
        m, own = model.mass[j], R @ model.inertia[j] @ R.T
        inertia[j] = np.block([[-m * c, m * np.eye(3)], [own - m * c @ c, m * c]])

    def gather(j: int, s: np.ndarray, bend: np.ndarray) -> np.ndarray:
        turned = rate[j] + crossing(s) @ inertia[j] - inertia[j] @ crossing(s)
        p[j] += inertia[j] @ s
        f[j] += crossing(s) @ p[j] + inertia[j] @ bend + (turned if printed else rate[j]) @ s
        return turned

    for j in range(joints - 1, -1, -1):
        R, o = rotations.to_matrix(pose.rotation[0, j]), pose.position[0, j]
        w, a = R @ motion.velocity[0, j], R @ motion.acceleration[0, j]
        turned = gather(j, np.concatenate([w, np.cross(o, w)]), np.concatenate([a, np.cross(o, a)]))
        if j == 0:
            rate[0] = turned
            zero = np.zeros(3)
            moving = np.concatenate([zero, motion.root_velocity[0]])
            gather(0, moving, np.concatenate([zero, motion.root_acceleration[0]]))
        else:
            up = skeleton.parents[j]
            inertia[up] += inertia[j]
            rate[up] += turned
            p[up] += p[j]
            f[up] += f[j]
    gravity = np.array([0.0, 0.0, 0.0, 0.0, -9.81, 0.0])
    return f[0] - inertia[0] @ gravity if weigh else f[0]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_corrected_form_is_ours_and_the_printed_one_is_not(make_tree: Any, slow: Any, seed: int) -> None:
    body = make_tree(seed, joints=8)
    motion = body.states(1, seed)[3].motion
    want = slow(body, motion, 0).force
    size = np.abs(want).max()
    np.testing.assert_allclose(recursion(body, motion, printed=False), want, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(
        aggregate_force(body.skeleton, body.model, motion).force[0], want, rtol=0, atol=1e-12 * size
    )
    assert np.abs(recursion(body, motion, printed=True) - want).max() > 1e-3 * size  # erratum E1
    assert np.abs(recursion(body, motion, printed=False, weigh=False) - want).max() > 1e-3 * size  # E2
