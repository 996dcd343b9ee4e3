"""Coordinates of poses, their chain rule, and on to splines and subspaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mograph import rotations
from mograph.dynamics import SplineSamples, aggregate_derivatives, aggregate_force, in_subspace, trajectory
from mograph.dynamics.coordinates import free_axes, muscle_part, on_free_axes
from mograph.errors import MographError
from mograph.skeleton import Skeleton


def curve(x: Any, rate: Any, bend: Any, step: float) -> tuple[Any, Any, Any]:
    times = np.array([-step, 0.0, step])[:, None]
    return x + rate * times + bend * times**2 / 2, rate + bend * times, bend + 0.0 * times


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1.0, 3.0, 9.0])
def test_rates_belong_to_the_rotations(make_tree: Any, scale: float) -> None:
    """Angular velocity and acceleration, near rest and over a full turn, by differences in time."""
    body = make_tree(6, least_dof=0)
    x, rate, bend, _ = body.states(1, seed=4)
    x = x / np.abs(x).max() * scale
    step = 1e-4
    motion = trajectory(body.skeleton, *curve(x, rate, bend, step)).motion
    turn = rotations.log(rotations.multiply(rotations.inverse(motion.rotation[0]), motion.rotation[2]))
    np.testing.assert_allclose(turn / (2 * step), motion.velocity[1], atol=2e-4)
    gain = (motion.velocity[2] - motion.velocity[0]) / (2 * step)
    np.testing.assert_allclose(gain, motion.acceleration[1], rtol=1e-5, atol=2e-4)


def test_chain_rule_to_coordinates_against_central_differences(make_tree: Any) -> None:
    body = make_tree(7, joints=8, least_dof=0)
    x, rate, bend, path = body.states(4, seed=5)
    x[0] *= 1e-5  # near the rest pose, where closed forms lose their digits
    path = trajectory(body.skeleton, x, rate, bend)
    _, raw = aggregate_derivatives(body.skeleton, body.model, path.motion)
    ours = path.to_coordinates(raw.force_q, raw.force_v, raw.force_a)

    def force(*state: Any) -> Any:
        return aggregate_force(body.skeleton, body.model, trajectory(body.skeleton, *state).motion).force

    step = 1e-5
    for order in range(3):
        for n in range(path.size):
            ends = []
            for sign in (1.0, -1.0):
                state = [x.copy(), rate.copy(), bend.copy()]
                state[order][:, n] += sign * step
                ends.append(force(*state))
            by_step = (ends[0] - ends[1]) / (2 * step)
            assert np.abs(by_step - ours[order][:, :, n]).max() < 1e-6 * np.abs(ours[order]).max()


def test_two_axes_turn_one_after_the_other() -> None:
    axes = np.array([np.eye(3), np.eye(3)])
    skeleton = Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]], dof=[3, 2], axes=axes)
    x = np.array([[0, 0, 0, 0, 0, 0, 0.3, 0.5]])
    got = trajectory(skeleton, x, 0 * x, 0 * x).motion.rotation[0, 1]
    np.testing.assert_allclose(got, rotations.from_euler("XYZ", [0.3, 0.5, 0.0]), atol=1e-15)
    columns = free_axes(skeleton, got[None, None].repeat(2, axis=1))[0, 1]
    np.testing.assert_allclose(rotations.rotate(got, columns[:, 0]), [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(columns[:, 1], [0, 1, 0])


def test_bones_carry_what_the_axes_do_not(make_tree: Any) -> None:
    body = make_tree(9, least_dof=0)
    motion = body.states(3)[3].motion
    torque = np.random.default_rng(0).normal(size=motion.velocity.shape)
    part = muscle_part(body.skeleton, motion.rotation, torque)
    # what is left has no component along any free axis, and the part does the same work
    left = on_free_axes(body.skeleton, motion.rotation, torque - part)
    np.testing.assert_allclose(left, 0.0, atol=1e-12)
    np.testing.assert_allclose(
        np.sum(part[:, 1:] * motion.velocity[:, 1:]),
        np.sum(torque[:, 1:] * motion.velocity[:, 1:]),
        rtol=1e-10,
    )


def test_spline_samples_match_the_formulas_of_uniform_cubics() -> None:
    """Fang F04: the four polynomials on a segment of length h, and their derivatives."""
    h = 0.1
    knots = np.arange(14) * h
    times = 0.3 + np.array([0.0, 0.031, 0.25, 0.699])
    samples = SplineSamples.at(knots, times)
    u = (times - 0.3) / h % 1.0
    value = (
        np.stack([(1 - u) ** 3, 3 * u**3 - 6 * u**2 + 4, -3 * u**3 + 3 * u**2 + 3 * u + 1, u**3], axis=1) / 6
    )
    slope = np.stack([-((1 - u) ** 2), 3 * u**2 - 4 * u, -3 * u**2 + 2 * u + 1, u**2], axis=1) / (2 * h)
    bend = np.stack([1 - u, 3 * u - 2, 1 - 3 * u, u], axis=1) / h**2
    for mine, want in zip(samples.weights, (value, slope, bend), strict=True):
        np.testing.assert_allclose(mine, want, atol=1e-9 * np.abs(want).max())
    with pytest.raises(MographError, match="the knots cover"):
        SplineSamples.at(knots, np.array([0.2]))


def test_chain_to_control_points_and_to_a_subspace(make_tree: Any) -> None:
    body = make_tree(4, joints=5)
    rng = np.random.default_rng(0)
    knots = np.concatenate([[0.0] * 3, np.linspace(0, 1, 6), [1.0] * 3])
    samples = SplineSamples.at(knots, np.array([0.0, 0.13, 0.5, 0.77, 1.0]))
    size = body.states(1)[3].size
    points = rng.normal(size=(samples.count, size))
    basis = rng.normal(size=(size, 4))
    few = rng.normal(size=(samples.count, 4))

    def force(control: Any) -> Any:
        motion = trajectory(body.skeleton, *samples.curves(control)).motion
        return aggregate_force(body.skeleton, body.model, motion).force.ravel()

    def derivative(control: Any, basis: Any) -> Any:
        path = trajectory(body.skeleton, *samples.curves(control))
        _, raw = aggregate_derivatives(body.skeleton, body.model, path.motion)
        by = path.to_coordinates(raw.force_q, raw.force_v, raw.force_a)
        return samples.by_control_points(*(by if basis is None else in_subspace(basis, *by)))

    matrix = derivative(points, None)
    assert matrix.shape == (5 * 6, samples.count * size)
    assert np.diff(matrix.indptr).max() <= 4 * size
    direction, step = rng.normal(size=points.shape), 1e-5
    by_step = (force(points + step * direction) - force(points - step * direction)) / (2 * step)
    ours = matrix @ direction.ravel()
    assert np.abs(ours - by_step).max() < 1e-6 * np.abs(by_step).max()

    direction = rng.normal(size=few.shape)
    ends = [force((few + sign * step * direction) @ basis.T) for sign in (1.0, -1.0)]
    by_step = (ends[0] - ends[1]) / (2 * step)
    ours = derivative(few @ basis.T, basis) @ direction.ravel()
    assert np.abs(ours - by_step).max() < 1e-6 * np.abs(by_step).max()
