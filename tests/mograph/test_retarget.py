"""The same motion on another skeleton: feet that stood still stand still, poses stay alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mograph import kinematics, rotations
from mograph.errors import MographError
from mograph.foot_lock import lock_feet, planted_speed
from mograph.retarget import reference_rotations, retargeted
from mograph.sample import sample_clips, sample_skeleton


@pytest.fixture(scope="module")
def walk():
    return next(c for c in sample_clips() if c.name == "walk_1.4")


@pytest.fixture(scope="module")
def longer_shins():
    """The sample skeleton with shins 12 % longer, thighs 6 % shorter and a 10 % longer trunk."""
    skeleton = sample_skeleton()
    offsets = skeleton.offsets.copy()
    for side in ("left", "right"):
        offsets[skeleton.joint(f"{side}_ankle")] *= 1.12
        offsets[skeleton.joint(f"{side}_knee")] *= 0.94
    offsets[skeleton.joint("chest")] *= 1.1
    return replace(skeleton, offsets=offsets)


def test_same_skeleton_changes_nothing(walk):
    same = retargeted(walk, sample_skeleton())
    np.testing.assert_array_equal(same.rotation, walk.rotation)


def test_feet_stay_planted_on_other_proportions(walk, longer_shins):
    careless = walk.with_(
        skeleton=longer_shins,
        root_position=walk.root_position * longer_shins.leg_length / walk.skeleton.leg_length,
    )
    locked = retargeted(walk, longer_shins)
    assert np.percentile(planted_speed(careless), 95) > 0.05
    assert np.percentile(planted_speed(locked), 95) < 0.01
    assert np.degrees(rotations.angle_between(locked.rotation, walk.rotation)).mean() < 4


def test_twice_the_size_is_twice_the_motion(walk):
    large = retargeted(walk, walk.skeleton.scaled(2.0), toe_height=0.05)
    gap = kinematics.poses(large).position - 2 * kinematics.poses(walk).position
    knees = [walk.skeleton.joint(f"{side}_knee") for side in ("left", "right")]
    assert np.abs(np.delete(gap, knees, axis=1)).max() < 0.02
    assert np.abs(gap[:, knees]).max() < 0.05  # knees of almost straight legs move most


def test_another_rest_pose_is_matched_by_roles(walk):
    """Arms hanging at rest instead of spread, joints renamed: the motion must look the same."""
    source = walk.skeleton
    turn = rotations.identity(len(source))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        turn[source.joint(f"{side}_shoulder")] = rotations.from_axis_angle([0.0, 0.0, 1.0], sign * 1.2)
    world = turn.copy()
    for j in range(1, len(source)):
        world[j] = rotations.multiply(world[source.parents[j]], turn[j])
    offsets = source.offsets.copy()
    offsets[1:] = rotations.rotate(world[source.parents[1:]], source.offsets[1:])
    names = tuple(f"mixamorig:{name}" for name in source.names)
    ends = rotations.rotate(world[source.end_parents], source.end_offsets)
    other = replace(source, names=names, offsets=offsets, end_offsets=ends)
    moved = retargeted(walk, other)
    gap = np.linalg.norm(kinematics.poses(moved).position - kinematics.poses(walk).position, axis=-1)
    assert gap.max() < 0.03


def test_reference_pose_is_a_t_pose():
    skeleton = sample_skeleton()
    world = reference_rotations(skeleton)
    rest = kinematics.forward(
        skeleton, np.zeros((1, 3)), kinematics.local_rotations(skeleton, world[None])
    ).position[0]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = rest[skeleton.joint(f"{side}_wrist")] - rest[skeleton.joint(f"{side}_shoulder")]
        np.testing.assert_allclose(arm / np.linalg.norm(arm), [sign, 0, 0], atol=1e-9)
        leg = rest[skeleton.joint(f"{side}_ankle")] - rest[skeleton.joint(f"{side}_hip")]
        np.testing.assert_allclose(leg / np.linalg.norm(leg), [0, -1, 0], atol=1e-9)


def test_locking_needs_contacts(walk):
    with pytest.raises(MographError, match="has no contacts"):
        lock_feet(walk.with_(contact=None))


def test_locking_mends_a_slide(walk):
    drift = np.arange(len(walk))[:, None] / walk.fps * np.array([0.0, 0.0, 0.1])  # 10 cm/s
    sliding = walk.with_(root_position=walk.root_position + drift)
    assert np.median(planted_speed(sliding)) > 0.05
    mended = lock_feet(sliding)
    assert np.percentile(planted_speed(mended), 99) < 0.01
    assert np.abs(mended.root_position - sliding.root_position).max() < 0.05


def test_a_still_foot_is_left_alone(walk):
    ankles = [walk.skeleton.joint(f"{side}_ankle") for side in ("left", "right")]
    moved = kinematics.poses(lock_feet(walk)).position - kinematics.poses(walk).position
    assert np.linalg.norm(moved[:, ankles], axis=-1).max() < 0.01
