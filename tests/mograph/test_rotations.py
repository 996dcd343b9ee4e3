"""Rotations obey the laws of the group and agree with scipy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from mograph import rotations

angle = st.floats(-3.1, 3.1)
vector = st.tuples(angle, angle, angle).map(np.array).filter(lambda v: np.linalg.norm(v) < 3.1)


def scipy_of(q):
    return Rotation.from_quat(q, scalar_first=True)


def same(a, b, tolerance=1e-9):
    return np.all(rotations.angle_between(a, b) < tolerance)


@given(vector)
def test_log_undoes_exp(v):
    np.testing.assert_allclose(rotations.log(rotations.exp(v)), v, atol=1e-9)


@given(vector, vector, vector)
def test_composition_agrees_with_scipy(a, b, v):
    p, q = rotations.exp(a), rotations.exp(b)
    product = scipy_of(p) * scipy_of(q)
    assert same(rotations.multiply(p, q), product.as_quat(scalar_first=True), 1e-7)
    np.testing.assert_allclose(rotations.rotate(rotations.multiply(p, q), v), product.apply(v), atol=1e-12)
    np.testing.assert_allclose(rotations.to_matrix(p), scipy_of(p).as_matrix(), atol=1e-12)


@given(vector)
def test_inverse_and_matrix_round_trip(v):
    q = rotations.exp(v)
    assert same(rotations.multiply(q, rotations.inverse(q)), rotations.IDENTITY, 1e-7)
    np.testing.assert_allclose(
        rotations.to_matrix(rotations.from_matrix(rotations.to_matrix(q))), rotations.to_matrix(q), atol=1e-12
    )


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("XYZ")])
def test_euler_angles_agree_with_scipy(order):
    angles = np.random.default_rng(3).uniform(-1.5, 1.5, (200, 3))
    q = rotations.from_euler(order, angles)
    np.testing.assert_allclose(
        rotations.to_matrix(q), Rotation.from_euler(order, angles).as_matrix(), atol=1e-12
    )
    np.testing.assert_allclose(rotations.to_euler(order, q), angles, atol=1e-9)


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("XYZ")])
@pytest.mark.parametrize("sign", [1, -1])
def test_euler_angles_at_the_lock_give_the_rotation_back(order, sign):
    q = rotations.from_euler(order, [0.4, sign * np.pi / 2, -0.9])
    again = rotations.from_euler(order, rotations.to_euler(order, q))
    np.testing.assert_allclose(rotations.to_matrix(again), rotations.to_matrix(q), atol=1e-6)


@given(vector, vector, st.floats(0, 1))
def test_slerp_agrees_with_scipy(a, b, t):
    p, q = rotations.exp(a), rotations.exp(b)
    if rotations.angle_between(p, q) > 3.1:
        return  # almost opposite: the shorter way is a matter of rounding
    expected = Slerp([0, 1], Rotation.concatenate([scipy_of(p), scipy_of(q)]))(t)
    np.testing.assert_allclose(
        rotations.to_matrix(rotations.slerp(p, q, np.array(t))), expected.as_matrix(), atol=1e-7
    )


@given(vector, vector)
def test_between_turns_one_direction_into_the_other(u, v):
    if min(np.linalg.norm(u), np.linalg.norm(v)) < 1e-3:
        return
    turned = rotations.rotate(rotations.between(u, v), u / np.linalg.norm(u))
    np.testing.assert_allclose(turned, v / np.linalg.norm(v), atol=1e-6)


def test_between_opposite_directions():
    for axis in np.eye(3):
        np.testing.assert_allclose(rotations.rotate(rotations.between(axis, -axis), axis), -axis, atol=1e-12)


def test_yaw_is_the_heading_and_left_is_positive():
    assert rotations.yaw(rotations.IDENTITY) == 0
    left = rotations.rotate(rotations.from_yaw(np.pi / 2), rotations.FORWARD)
    np.testing.assert_allclose(left, [1, 0, 0], atol=1e-12)


def test_continuous_changes_signs_only():
    rng = np.random.default_rng(0)
    smooth = rotations.exp(np.cumsum(rng.normal(0, 0.05, (100, 4, 3)), axis=0))
    broken = smooth * rng.choice([-1.0, 1.0], (100, 4, 1))
    mended = rotations.continuous(broken)
    assert np.all(np.sum(mended[1:] * mended[:-1], axis=-1) > 0)
    np.testing.assert_allclose(np.abs(mended), np.abs(smooth))
