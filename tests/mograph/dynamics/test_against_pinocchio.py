"""Inverse dynamics, momentum and derivatives on 1,000 random states of each of three skeletons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mograph.dynamics import aggregate_derivatives, aggregate_force, inverse_dynamics
from mograph.dynamics.coordinates import on_free_axes
from mograph.rotations import to_matrix

STATES = 1000


def relative(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference, state by state, against the state's largest value."""
    ours, theirs = (np.reshape(a, (len(a), -1)) for a in (ours, theirs))
    return float(np.max(np.abs(ours - theirs).max(axis=1) / np.abs(theirs).max(axis=1)))


def test_joint_torques_and_root_wrench(body: Any, pinocchio: Any) -> None:
    x, rate, bend, path = body.states(STATES)
    witness = pinocchio(body)
    ours = inverse_dynamics(body.skeleton, body.model, path.motion)
    theirs = np.array(
        [
            witness.pin.rnea(witness.model, witness.data, *witness.state(t, x, rate, bend, path.motion))
            for t in range(STATES)
        ]
    )
    turned = np.einsum("tji,tj->ti", to_matrix(path.motion.rotation[:, 0]), ours.wrench[:, :3])
    torque = on_free_axes(body.skeleton, path.motion.rotation, ours.torque)
    ours_all = np.concatenate([turned, ours.torque[:, 0], torque], axis=1)
    assert relative(ours_all, theirs) < 1e-9
    assert relative(torque, theirs[:, 6:]) < 1e-9


def test_centre_of_mass_and_momentum(body: Any, pinocchio: Any) -> None:
    x, rate, bend, path = body.states(STATES, seed=1)
    witness = pinocchio(body)
    ours = aggregate_force(body.skeleton, body.model, path.motion)
    pin, model, data = witness.pin, witness.model, witness.data
    com, velocity, gain, momentum, change = [], [], [], [], []
    for t in range(STATES):
        q, v, a = witness.state(t, x, rate, bend, path.motion)
        pin.computeCentroidalMomentumTimeVariation(model, data, q, v, a)
        momentum.append(data.hg.vector.copy())
        change.append(data.dhg.vector.copy())
        pin.centerOfMass(model, data, q, v, a)
        com.append(data.com[0].copy())
        velocity.append(data.vcom[0].copy())
        gain.append(data.acom[0].copy())
    assert relative(ours.com, np.array(com)) < 1e-9
    assert relative(ours.com_velocity, np.array(velocity)) < 1e-9
    assert relative(ours.com_acceleration, np.array(gain)) < 1e-9
    about_com = np.concatenate([ours.momentum[:, :3], ours.angular_momentum], axis=1)
    assert relative(about_com, np.array(momentum)) < 1e-9
    assert relative(ours.com_moment, np.array(change)[:, 3:]) < 1e-9


def test_derivatives(body: Any, pinocchio: Any) -> None:
    x, rate, bend, path = body.states(STATES, seed=2)
    motion = path.motion
    witness = pinocchio(body)
    whole, raw = aggregate_derivatives(body.skeleton, body.model, motion)
    ours = [np.array(part) for part in path.to_coordinates(raw.force_q, raw.force_v, raw.force_a)]
    # pinocchio turns a ball by a small rotation in its own frame, not by a change of its rotation vector
    n = 3
    for j, dof in enumerate(witness.dof):
        if dof == 3:
            for mine, own in zip(ours, (raw.force_q, raw.force_v, raw.force_a), strict=True):
                mine[:, :, n : n + 3] = own[:, :, 3 + 3 * j : 6 + 3 * j]
        n += dof
    theirs = [np.empty_like(part) for part in ours]
    for t in range(STATES):
        for part, value in zip(theirs, _witness_derivatives(witness, t, x, rate, bend, motion), strict=True):
            part[t] = value
    for mine, other in zip(ours, theirs, strict=True):
        assert relative(mine, other) < 1e-9
    assert np.isfinite(whole.force).all()


def _witness_derivatives(
    witness: Any, t: int, x: Any, rate: Any, bend: Any, motion: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pinocchio's derivatives of the root's wrench, led over to the world's origin and our root."""
    q, v, a = witness.state(t, x, rate, bend, motion)
    by_q, by_v, by_a = witness.pin.computeRNEADerivatives(witness.model, witness.data, q, v, a)
    need = witness.data.tau[:6].copy()
    by_a = np.triu(by_a) + np.triu(by_a, 1).T
    by_q, by_v, by_a = (np.array(m[:6]) for m in (by_q, by_v, by_a))
    R, p = to_matrix(motion.rotation[t, 0]), motion.root_position[t]
    v0, w0 = v[:3], v[3:6]
    gain = R.T @ motion.root_acceleration[t]
    S = _skew
    # its root velocity is R^T v and its rate R^T a - w × R^T v: both change when our coordinates do
    pose = by_q.copy()
    pose[:, 3:6] += by_v[:, :3] @ S(v0) + by_a[:, :3] @ (S(gain) - S(w0) @ S(v0))
    speed = by_v.copy()
    speed[:, 3:6] += by_a[:, :3] @ S(v0)
    speed[:, :3] -= by_a[:, :3] @ S(w0)
    force_back = by_a.copy()
    for m in (pose, speed, force_back):
        m[:, :3] = m[:, :3] @ R.T
    # from the root's frame to world axes about the origin
    lift = np.block([[R, np.zeros((3, 3))], [S(p) @ R, R]])
    pose[:, 3:6] -= np.vstack([S(need[:3]), S(need[3:])])  # d(R f) = R (df - f × d)
    world = [lift @ m for m in (pose, speed, force_back)]
    world[0][3:, :3] -= S(R @ need[:3])  # the moment arm moves with the root
    return world[0], world[1], world[2]


def _skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@pytest.mark.parametrize("seed", [1, 2])
def test_far_from_the_origin(make_tree: Any, pinocchio: Any, seed: int) -> None:
    """A kilometre away the wrench still agrees: the recursion works about the root, not about the origin."""
    body = make_tree(seed)
    far = body.states(20, seed)[3].motion
    near = inverse_dynamics(body.skeleton, body.model, far)
    shifted = type(far)(
        far.root_position + np.array([1000.0, 0.0, 1000.0]),
        far.rotation,
        far.root_velocity,
        far.velocity,
        far.root_acceleration,
        far.acceleration,
    )
    moved = aggregate_force(body.skeleton, body.model, shifted)
    assert relative(moved.force[:, :3], near.wrench[:, :3]) < 1e-12
    back = moved.force[:, 3:] - np.cross([1000.0, 0.0, 1000.0], moved.force[:, :3])
    assert relative(back, near.wrench[:, 3:]) < 1e-9
