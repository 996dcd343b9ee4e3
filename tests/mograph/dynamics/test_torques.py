"""Joint torques of clips: supports, shares, energy."""

from __future__ import annotations

import numpy as np
import pytest

from mograph import rotations
from mograph.clip import Clip
from mograph.dynamics import inverse_dynamics, joint_torques, mass_model, motion_of, world_motion
from mograph.errors import MographError
from mograph.sample import sample_skeleton
from mograph.skeleton import Skeleton


def swaying(frames: int = 60) -> Clip:
    """A person of ball joints who sways and swings the arms; not physical, but smooth."""
    old = sample_skeleton()
    skeleton = Skeleton(old.names, old.parents, old.offsets, old.end_parents, old.end_offsets)
    t = np.arange(frames) / 30.0
    root = np.stack([0.05 * np.sin(3 * t), 0.93 + 0.03 * np.cos(4 * t), 0.1 * t], axis=1)
    rng = np.random.default_rng(0)
    swing = rng.normal(size=(len(skeleton), 3)) * 0.3
    rotation = rotations.exp(np.sin(3.0 * t + 0.5)[:, None, None] * swing)
    return Clip(skeleton, root, rotation, 30.0, name="sway")


def test_ground_and_residual_give_what_the_motion_needs() -> None:
    clip = swaying()
    contact = np.repeat(np.array([3, 1, 2, 0, 19, 7], np.uint8), 10)
    result = joint_torques(clip, contact)
    need = inverse_dynamics(clip.skeleton, mass_model(clip.skeleton), motion_of(clip)).wrench
    force = result.ground_force.sum(axis=1) + result.residual[:, :3]
    moment = (result.ground_moment + np.cross(result.ground_point, result.ground_force)).sum(axis=1)
    np.testing.assert_allclose(force, need[:, :3], atol=1e-9)
    np.testing.assert_allclose(moment + result.residual[:, 3:], need[:, 3:], atol=1e-9)
    assert np.all(result.residual[contact > 0] == 0)
    assert np.all(result.ground_force[contact == 0] == 0)
    assert np.all(result.ground_force[10:20, 1:] == 0)
    # the root's joint has nothing left to do where the ground carries
    np.testing.assert_allclose(result.torque[contact > 0, 0], 0.0, atol=1e-8)


def test_shares_of_two_feet_are_inverse_to_their_distances() -> None:
    """Ko and Badler: the nearer foot carries more."""
    clip = swaying()
    result = joint_torques(clip, np.full(60, 3, np.uint8))
    away = result.ground_point[:, :2] - result.aggregate.com[:, None]
    left, right = np.linalg.norm(away[..., [0, 2]], axis=-1).T
    share = result.ground_force[:, 0, 1] / result.ground_force[:, :2, 1].sum(axis=1)
    np.testing.assert_allclose(share, right / (left + right), rtol=1e-9)


@pytest.mark.parametrize("contact", [1, 2, 3, 19])
def test_joints_and_ground_do_the_work(contact: int) -> None:
    """Power of joint torques and of ground forces together is that of the bare inverse dynamics."""
    clip = swaying()
    result = joint_torques(clip, np.full(60, contact, np.uint8))
    motion = motion_of(clip)
    world = world_motion(clip.skeleton, motion)
    bare = inverse_dynamics(clip.skeleton, mass_model(clip.skeleton), motion)
    want = np.sum(bare.torque * motion.velocity, axis=(1, 2))
    want += np.sum(bare.wrench[:, :3] * motion.root_velocity, axis=1)
    power = np.sum(result.torque[:, 1:] * motion.velocity[:, 1:], axis=(1, 2))
    for k, role in enumerate(("left_ankle", "right_ankle", "left_wrist", "right_wrist", "hips")):
        j = clip.skeleton.joint(role)
        arm = result.ground_point[:, k] - world.position[:, j]
        speed = world.velocity[:, j] + np.cross(world.angular_velocity[:, j], arm)
        power += np.sum(result.ground_force[:, k] * speed, axis=1)
        power += np.sum(result.ground_moment[:, k] * world.angular_velocity[:, j], axis=1)
    np.testing.assert_allclose(power, want, atol=1e-7)


def test_standing_on_one_leg_loads_that_leg() -> None:
    skeleton = sample_skeleton()
    still = Clip(skeleton, np.tile([0.0, 0.99, 0.0], (30, 1)), rotations.identity(30, len(skeleton)), 30.0)
    result = joint_torques(still, np.full(30, 1, np.uint8))
    left, right = (np.abs(result.torque[15, skeleton.joint(f"{s}_hip")]).max() for s in ("left", "right"))
    # the standing hip holds the rest of the body, whose weight passes about 0.09 m beside it
    rest = 70 * 9.81 * (1 - 0.1416 - 0.0433 - 0.0137)
    assert left == pytest.approx(rest * 0.1, rel=0.2)
    assert right < 0.1 * left


def test_hinges_leave_the_rest_to_the_bones() -> None:
    skeleton = sample_skeleton()
    base = swaying()
    result = joint_torques(base.with_(skeleton=skeleton), np.full(60, 3, np.uint8))
    knee = skeleton.joint("left_knee")
    assert np.all(result.torque[:, knee, 1:] == 0)
    assert np.abs(result.torque[:, knee, 0]).max() > 1.0
    assert np.all(result.effort > 0)


def test_contacts_are_needed() -> None:
    with pytest.raises(MographError, match="'sway' has no contacts"):
        joint_torques(swaying())
    with pytest.raises(MographError, match="5 contacts for 60 frames"):
        joint_torques(swaying(), np.zeros(5, np.uint8))
