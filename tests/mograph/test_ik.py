"""Limb inverse kinematics: targets met, hinges kept, nothing else moved."""

from __future__ import annotations

import numpy as np
import pytest

from mograph import ik, kinematics, rotations
from mograph.sample import sample_skeleton


@pytest.fixture
def state():
    rng = np.random.default_rng(7)
    skeleton = sample_skeleton()
    rotation = rotations.exp(rng.normal(0, 0.3, (60, len(skeleton), 3)))
    for side in ("left", "right"):
        for role, sign in (("knee", 1.0), ("elbow", -1.0)):
            joint = skeleton.joint(f"{side}_{role}")
            bend = sign * rng.uniform(0.2, 1.5, 60)
            axis = np.array([1.0, 0, 0]) if role == "knee" else skeleton.axes[joint, 0]
            rotation[:, joint] = rotations.from_axis_angle(axis, bend)
    root = rng.normal(0, 1, (60, 3))
    return skeleton, root, rotation, kinematics.forward(skeleton, root, rotation)


@pytest.mark.parametrize("limb", [ik.leg, ik.arm])
@pytest.mark.parametrize("side", ["left", "right"])
def test_target_is_met_and_the_tip_keeps_its_rotation(state, limb, side):
    skeleton, root, rotation, poses = state
    chain = limb(skeleton, side)
    length = sum(np.linalg.norm(skeleton.offsets[j]) for j in (chain.middle, chain.tip))
    rng = np.random.default_rng(1)
    direction = rng.normal(size=(60, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    target = poses.position[:, chain.upper] + direction * rng.uniform(0.3, 0.95, (60, 1)) * length
    out = ik.reach(skeleton, rotation, poses, chain, target)
    after = kinematics.forward(skeleton, root, out)
    np.testing.assert_allclose(after.position[:, chain.tip], target, atol=1e-9)
    assert rotations.angle_between(after.rotation[:, chain.tip], poses.rotation[:, chain.tip]).max() < 1e-7
    moved = np.abs(out - rotation).max(axis=(0, 2)) > 0
    assert set(np.flatnonzero(moved)) <= {chain.upper, chain.middle, chain.tip}


def test_a_limb_already_there_stays_and_a_hinge_stays_a_hinge(state):
    skeleton, _, rotation, poses = state
    chain = ik.leg(skeleton, "left")
    same = ik.reach(skeleton, rotation, poses, chain, poses.position[:, chain.tip])
    assert rotations.angle_between(same, rotation).max() < 1e-6
    bent = ik.reach(skeleton, rotation, poses, chain, poses.position[:, chain.tip] + [0.05, 0.08, -0.03])
    turn = rotations.log(bent[:, chain.middle])
    assert np.abs(turn[:, 1:]).max() < 1e-6
    assert turn[:, 0].min() > 0  # knees bend one way


def test_the_knee_turns_to_its_pole(state):
    skeleton, root, rotation, poses = state
    chain = ik.leg(skeleton, "right")
    target = poses.position[:, chain.upper] + [0.0, -0.6, 0.0]
    pole = np.broadcast_to([1.0, 0.0, 0.0], (60, 3))
    after = kinematics.forward(skeleton, root, ik.reach(skeleton, rotation, poses, chain, target, pole=pole))
    aside = after.position[:, chain.middle] - poses.position[:, chain.upper]
    assert aside[:, 0].min() > 0.1
    assert np.abs(aside[:, 2]).max() < 1e-9


def test_out_of_reach_goes_as_far_as_it_can(state):
    skeleton, root, rotation, poses = state
    chain = ik.leg(skeleton, "left")
    target = poses.position[:, chain.upper] + [0.0, -5.0, 0.0]
    after = kinematics.forward(skeleton, root, ik.reach(skeleton, rotation, poses, chain, target))
    line = after.position[:, chain.tip] - poses.position[:, chain.upper]
    np.testing.assert_allclose(line[:, [0, 2]], 0, atol=1e-6)
    assert np.all(np.isfinite(after.position))
