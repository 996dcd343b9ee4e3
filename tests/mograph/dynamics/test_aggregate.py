"""The kernels against their slow twin, and the laws of mechanics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mograph import rotations
from mograph.clip import Clip
from mograph.dynamics import (
    BodyMotion,
    MassModel,
    aggregate_derivatives,
    aggregate_force,
    inverse_dynamics,
    motion_of,
    point_jacobian,
    segment_momenta,
    world_motion,
)
from mograph.errors import SkeletonError
from mograph.kinematics import centre_of_mass, forward
from mograph.skeleton import Skeleton


@pytest.fixture(params=[3, 4])
def tree(request: pytest.FixtureRequest, make_tree: Any) -> Any:
    """Trees with joints of 0 to 3 axes and a joint without mass."""
    return make_tree(request.param, joints=9, least_dof=0)


def test_kernels_agree_with_the_slow_twin(tree: Any, slow: Any) -> None:
    motion = tree.states(6)[3].motion
    newton = inverse_dynamics(tree.skeleton, tree.model, motion)
    fang = aggregate_force(tree.skeleton, tree.model, motion)
    for t in range(6):
        want = slow(tree, motion, t)
        size = np.abs(want.force).max()
        np.testing.assert_allclose(newton.torque[t], want.torque, rtol=0, atol=1e-12 * size)
        np.testing.assert_allclose(newton.wrench[t], want.force, rtol=0, atol=1e-12 * size)
        np.testing.assert_allclose(fang.force[t], want.force, rtol=0, atol=1e-12 * size)
        np.testing.assert_allclose(fang.momentum[t], want.momentum, rtol=0, atol=1e-12 * size)
        np.testing.assert_allclose(fang.com[t], want.com, rtol=0, atol=1e-12)


def test_derivatives_agree_with_complex_step(tree: Any, complex_step: Any) -> None:
    motion = tree.states(3, seed=7)[3].motion
    # every joint a ball, so that every column of the derivatives is filled
    skeleton = Skeleton(tree.skeleton.names, tree.skeleton.parents, tree.skeleton.offsets)
    _, ours = aggregate_derivatives(skeleton, tree.model, motion)
    for t in range(3):
        for name, want in complex_step(tree, motion, t).items():
            mine = getattr(ours, name)[t]
            assert np.abs(mine - want).max() < 1e-12 * np.abs(want).max(), name


def test_identities_of_the_derivatives_along_a_motion(make_tree: Any) -> None:
    """Without gravity df/dx' = dp/dx + d/dt(dp/dx') and df/dx = d/dt(dp/dx) (Fang F12)."""
    body = make_tree(8, joints=5)
    x, rate, bend, _ = body.states(1, seed=3)
    from mograph.dynamics import trajectory

    step = 1e-5
    times = np.array([-step, 0.0, step])[:, None]
    path = trajectory(
        body.skeleton, x + rate * times + bend * times**2 / 2, rate + bend * times, bend + 0 * times
    )
    _, d = aggregate_derivatives(body.skeleton, body.model, path.motion, np.zeros(3))
    zero = np.zeros_like(d.force_q)
    p_x, p_rate, _ = path.to_coordinates(d.momentum_q, d.force_a, zero)
    f_x, f_rate, f_bend = path.to_coordinates(d.force_q, d.force_v, d.force_a)
    np.testing.assert_allclose(p_rate, f_bend, atol=1e-9)
    by_time = (p_rate[2] - p_rate[0]) / (2 * step)
    assert np.abs(f_rate[1] - p_x[1] - by_time).max() < 1e-6 * np.abs(f_rate[1]).max()
    by_time = (p_x[2] - p_x[0]) / (2 * step)
    assert np.abs(f_x[1] - by_time).max() < 1e-6 * np.abs(f_x[1]).max()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), spin=st.floats(-5, 5), drop=st.floats(-10, 10))
def test_a_falling_pose_needs_no_force(seed: int, spin: float, drop: float) -> None:
    """A rigid pose in free fall, turning freely about a principal axis of the whole body."""
    rng = np.random.default_rng(seed)
    offsets = np.vstack([np.zeros(3), rng.normal(size=(3, 3))])
    skeleton = Skeleton(("a", "b", "c", "d"), [-1, 0, 1, 1], offsets)
    model = MassModel(rng.uniform(1, 5, 4), rng.normal(size=(4, 3)), np.zeros((4, 3, 3)))
    rotation = rotations.normalise(rng.normal(size=(1, 4, 4)))
    pose = forward(skeleton, np.zeros((1, 3)), rotation)
    points = (pose.position + rotations.rotate(pose.rotation, model.centre))[0]
    com = centre_of_mass(pose, model.mass, model.centre)[0]
    arms = points - com
    _, principal = np.linalg.eigh(np.einsum("j,ja,jb->ab", model.mass, arms, arms))
    omega = spin * principal[:, int(rng.integers(3))]
    velocity, still = np.zeros((1, 4, 3)), np.zeros((1, 4, 3))
    velocity[0, 0] = rotations.rotate(rotations.inverse(rotation[0, 0]), omega)
    fall = np.array([0.0, -9.81, 0.0])
    # the root circles about the falling centre of mass
    root = np.cross(omega, -com) + np.array([0.3, drop, 0.0])
    gain = fall + np.cross(omega, np.cross(omega, -com))
    motion = BodyMotion(np.zeros((1, 3)), rotation, root[None], velocity, gain[None], still)
    force = aggregate_force(skeleton, model, motion).force
    assert np.abs(force).max() < 1e-11 * model.total * (9.81 + spin**2 * np.abs(arms).max() ** 2 * 10)


@settings(max_examples=25, deadline=None)
@given(factor=st.floats(0.1, 10.0), seed=st.integers(0, 1000))
def test_stretching_time_scales_inertial_forces_by_its_square(factor: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = Skeleton(("a", "b", "c"), [-1, 0, 1], rng.normal(size=(3, 3)))
    model = MassModel(rng.uniform(1, 2, 3), rng.normal(size=(3, 3)), np.broadcast_to(np.eye(3), (3, 3, 3)))
    rotation = rotations.normalise(rng.normal(size=(2, 3, 4)))
    v, a = rng.normal(size=(2, 2, 3))
    motion = BodyMotion(v, rotation, v, rng.normal(size=(2, 3, 3)), a, rng.normal(size=(2, 3, 3)))
    weightless = np.zeros(3)
    now = inverse_dynamics(skeleton, model, motion, weightless)
    slower = inverse_dynamics(skeleton, model, motion.sped_up(1.0 / factor), weightless)
    np.testing.assert_allclose(slower.torque * factor**2, now.torque, rtol=1e-9, atol=1e-9)
    fang = aggregate_force(skeleton, model, motion.sped_up(1.0 / factor), weightless)
    np.testing.assert_allclose(fang.force * factor**2, now.wrench, rtol=1e-9, atol=1e-9)


def test_momentum_is_the_sum_of_the_parts(body: Any) -> None:
    motion = body.states(20)[3].motion
    parts = segment_momenta(body.skeleton, body.model, motion)
    whole = aggregate_force(body.skeleton, body.model, motion)
    np.testing.assert_allclose(parts.sum(axis=1), whole.momentum, rtol=0, atol=1e-10 * np.abs(parts).max())


def test_power_of_the_joints_is_the_rate_of_energy(tree: Any, slow: Any) -> None:
    """Torques times joint velocities plus the root's wrench times its velocity raise the body's energy."""
    motion = tree.states(4, seed=9)[3].motion
    newton = inverse_dynamics(tree.skeleton, tree.model, motion)
    for t in range(4):
        at_root = newton.wrench[t, :3] @ motion.root_velocity[t]
        power = np.sum(newton.torque[t] * motion.velocity[t]) + at_root
        np.testing.assert_allclose(power, slow(tree, motion, t).energy_rate, rtol=1e-10)


def test_point_jacobian_leads_from_joint_velocities_to_the_points(body: Any) -> None:
    motion = body.states(5)[3].motion
    world = world_motion(body.skeleton, motion)
    poses = forward(body.skeleton, motion.root_position, motion.rotation)
    joint, place = len(body.skeleton) - 1, np.array([0.1, -0.2, 0.3])
    jacobian = point_jacobian(body.skeleton, poses, joint, place)
    rates = np.concatenate([motion.root_velocity, motion.velocity.reshape(5, -1)], axis=1)
    position, velocity, _ = world.point(joint, place)
    np.testing.assert_allclose(np.einsum("tin,tn->ti", jacobian, rates), velocity, atol=1e-10)
    np.testing.assert_allclose(
        position, poses.position[:, joint] + rotations.rotate(poses.rotation[:, joint], place)
    )


def test_world_accelerations_are_rates_of_world_velocities(make_tree: Any) -> None:
    from mograph.dynamics import trajectory

    body = make_tree(2)
    x, rate, bend, _ = body.states(1)
    step = 1e-6
    times = np.array([-step, 0.0, step])[:, None]
    path = trajectory(
        body.skeleton, x + rate * times + bend * times**2 / 2, rate + bend * times, bend + 0 * times
    )
    world = world_motion(body.skeleton, path.motion)
    for value, change in (
        (world.position, world.velocity),
        (world.velocity, world.acceleration),
        (world.angular_velocity, world.angular_acceleration),
    ):
        by_time = (value[2] - value[0]) / (2 * step)
        assert np.abs(by_time - change[1]).max() < 1e-6 * np.abs(change[1]).max()


def test_spinning_top_from_frames() -> None:
    """A body thrown and turning about one axis, seen at 30 frames a second: gravity comes back, no moment."""
    t = np.arange(60) / 30.0
    flight = np.stack([1.5 * t, 3.0 * t - 4.905 * t**2, 0.2 * t], axis=1)
    turn = rotations.from_axis_angle([1.0, 0.0, 0.0], 4.0 * t)[:, None]
    clip = Clip(Skeleton(("top",), [-1], [[0, 0, 0]]), flight, turn, 30.0)
    model = MassModel(np.array([3.0]), np.zeros((1, 3)), np.diag([0.1, 0.2, 0.3])[None])
    for cutoff in (None, 8.0):
        whole = aggregate_force(clip.skeleton, model, motion_of(clip, cutoff))
        middle = slice(15, 45)
        assert np.abs(whole.force[middle, :3]).max() < 0.02 * 3.0 * 9.81
        assert np.abs(whole.com_moment[middle]).max() < 0.01
        np.testing.assert_allclose(whole.angular_momentum[middle, 0], 0.4, rtol=0.005)


def test_arrays_that_do_not_fit_are_refused(body: Any, make_tree: Any) -> None:
    motion = make_tree(1, joints=6).states(2)[3].motion
    with pytest.raises(SkeletonError, match="rotation is"):
        inverse_dynamics(body.skeleton, body.model, motion)
