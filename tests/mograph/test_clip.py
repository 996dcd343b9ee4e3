"""Cutting, resampling, mirroring and placing clips."""

from __future__ import annotations

import numpy as np
import pytest

from mograph import kinematics, rotations
from mograph.clip import Clip
from mograph.errors import MographError
from mograph.mirror import mirrored
from mograph.repair import drop_leading_t_pose, repair_spikes
from mograph.sample import sample_skeleton


@pytest.fixture
def clip():
    """A smooth random motion of the sample skeleton at 120/s, with contacts."""
    rng = np.random.default_rng(2)
    skeleton = sample_skeleton()
    time = np.arange(241) / 120
    wave = np.sin(
        time[:, None, None] * rng.uniform(1, 6, (len(skeleton), 3)) + rng.uniform(0, 6, (len(skeleton), 3))
    )
    root = np.stack([np.sin(time), 0.9 + 0.02 * np.cos(5 * time), 1.3 * time], axis=1)
    contact = np.where(np.arange(241) % 60 < 30, 1, 2).astype(np.uint8)
    return Clip(skeleton, root, rotations.exp(0.4 * wave), 120.0, "wave", tags=("walk",), contact=contact)


def test_resampling_picks_frames_where_rates_divide(clip):
    slower = clip.resampled(30)
    assert len(slower) == 61
    np.testing.assert_array_equal(slower.rotation, clip.rotation[::4])
    np.testing.assert_array_equal(slower.contact, clip.contact[::4])


@pytest.mark.parametrize("fps", [25.0, 29.97, 47.3, 240.0])
def test_resampling_keeps_time_and_motion(clip, fps):
    other = clip.resampled(fps)
    assert clip.seconds - 1 / fps < other.seconds <= clip.seconds + 1e-9
    back = np.interp(np.arange(len(other)) / fps, np.arange(len(clip)) / 120, clip.root_position[:, 0])
    np.testing.assert_allclose(other.root_position[:, 0], back, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(other.rotation, axis=-1), 1, atol=1e-12)


def test_cut_and_bad_cut(clip):
    part = clip.cut(10, 20)
    np.testing.assert_array_equal(part.root_position, clip.root_position[10:20])
    with pytest.raises(MographError, match=r"cannot cut frames 5..500 of clip 'wave'; it has frames 0..241"):
        clip.cut(5, 500)


def test_mirroring_reflects_every_joint_and_twice_is_nothing(clip):
    image = mirrored(clip)
    there, seen = kinematics.poses(clip).position, kinematics.poses(image).position
    np.testing.assert_allclose(seen, there[:, clip.skeleton.mirror] * [-1, 1, 1], atol=1e-12)
    np.testing.assert_array_equal(image.contact, np.where(clip.contact == 1, 2, 1))
    twice = mirrored(image)
    np.testing.assert_array_equal(twice.rotation, clip.rotation)


def test_mirroring_swaps_words(clip):
    assert mirrored(clip.with_(behaviour="turn left, right foot")).behaviour == "turn right, left foot"


def test_faced_stands_at_the_origin_facing_forward_and_moves_rigidly(clip):
    placed = clip.faced(40)
    assert abs(rotations.yaw(placed.rotation[40, 0])) < 1e-9
    np.testing.assert_allclose(placed.root_position[40, [0, 2]], 0, atol=1e-12)
    a, b = kinematics.poses(clip).position, kinematics.poses(placed).position
    np.testing.assert_allclose(
        np.linalg.norm(a - a[:, :1], axis=-1), np.linalg.norm(b - b[:, :1], axis=-1), atol=1e-12
    )
    np.testing.assert_allclose(a[..., 1], b[..., 1], atol=1e-12)


def test_single_frame_spikes_are_repaired_and_nothing_else(clip):
    rotation, root = clip.rotation.copy(), clip.root_position.copy()
    rotation[50, 3] = rotations.multiply(rotation[50, 3], rotations.exp([0.9, 0, 0]))
    rotation[51, 8] = rotations.multiply(rotation[51, 8], rotations.exp([0, 0.7, 0]))
    root[120] += [0.3, 0, 0]
    mended, count = repair_spikes(clip.with_(rotation=rotation, root_position=root))
    assert count == 3
    assert rotations.angle_between(mended.rotation, clip.rotation).max() < np.radians(1)
    assert np.abs(mended.root_position - clip.root_position).max() < 0.005
    assert repair_spikes(clip)[1] == 0


def test_a_lasting_jump_is_not_a_spike(clip):
    rotation = clip.rotation.copy()
    rotation[100:, 3] = rotations.multiply(rotation[100:, 3], rotations.exp([0.9, 0, 0]))
    assert repair_spikes(clip.with_(rotation=rotation))[1] == 0


def test_leading_t_pose_is_dropped_once(clip):
    rotation = np.concatenate([rotations.identity(1, len(clip.skeleton)), clip.rotation])
    root = np.concatenate([clip.root_position[:1], clip.root_position])
    with_pose = Clip(clip.skeleton, root, rotation, 120.0)
    dropped, count = drop_leading_t_pose(with_pose)
    assert count == 1
    np.testing.assert_array_equal(dropped.rotation, clip.rotation)
    assert drop_leading_t_pose(dropped)[1] == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fps": 0.0}, "0.0 frames per second; it must be above 0"),
        ({"root_position": np.zeros((3, 3))}, "do not fit a skeleton"),
        ({"contact": np.zeros(7, np.uint8)}, "contacts for 241 frames"),
    ],
)
def test_clips_that_do_not_fit_are_refused(clip, changes, message):
    with pytest.raises(MographError, match=message):
        clip.with_(**changes)
