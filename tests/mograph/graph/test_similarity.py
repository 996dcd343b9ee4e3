"""Likeness of poses: the matrix product against a slow twin, and the laws a distance must obey."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mograph import kinematics
from mograph.database import Database
from mograph.feet import foot_joints
from mograph.foot_lock import heel_position
from mograph.graph import similarity
from mograph.graph.segments import find_segments
from mograph.graph.similarity import SimilaritySettings, features, find_candidates
from mograph.sample import sample_clips, sample_database

NAMES = ("walk_1.1", "stop_walk_left", "jump_0.4", "pickup_right_0.3")


@pytest.fixture(scope="module")
def clips():
    return {clip.name: clip for clip in sample_clips()}


@pytest.fixture(scope="module")
def database(clips):
    return Database.from_clips([clips[name] for name in NAMES])


def scipy_rotation(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def heading(q):
    x, _, z = scipy_rotation(q).apply([0.0, 0.0, 1.0])
    return np.arctan2(x, z)


def slow_distance(database, a, b, settings):
    """The distance of two poses, term by term as it is written down, with scipy's rotations."""
    skeleton, fps = database.skeleton, database.fps
    joints = [skeleton.roles[role] for role in settings.roles if role in skeleton.roles]
    clip_of = np.searchsorted(database.clip_starts, np.arange(database.poses), side="right") - 1

    def described(i):
        low, high = database.clip_starts[clip_of[i]], database.clip_starts[clip_of[i] + 1]
        before, after = max(i - 1, low), min(i + 1, high - 1)
        seconds = (after - before) / fps
        level = Rotation.from_euler("y", -heading(database.rotation[i, 0]))
        root = level * scipy_rotation(database.rotation[i, 0])
        turned = [root, *(scipy_rotation(database.rotation[i, j]) for j in joints)]
        spins = [
            (
                scipy_rotation(database.rotation[before, j]).inv()
                * scipy_rotation(database.rotation[after, j])
            ).as_rotvec()
            / seconds
            for j in joints
        ]
        turn = heading(database.rotation[after, 0]) - heading(database.rotation[before, 0])
        turn = np.arctan2(np.sin(turn), np.cos(turn)) / seconds
        travel = level.apply((database.root_position[after] - database.root_position[before]) / seconds)
        stance = np.zeros(3)
        if database.contact[i] & 3 == 3:
            pose = kinematics.forward(
                skeleton, database.root_position[i : i + 1], database.rotation[i : i + 1]
            )
            left, right = (
                0.5 * (heel_position(skeleton, pose, ankle, toe)[0] + pose.position[0, toe])
                for ankle, toe in foot_joints(skeleton)
            )
            stance = level.apply(right - left) * [1.0, 0.0, 1.0]
        return turned, spins, turn, travel, stance, database.root_position[i, 1]

    p, q = described(a), described(b)
    # the chord 2 sqrt 2 sin(angle / 2) between rotation matrices, divided by sqrt 2
    total = sum((2 * np.sin((r.inv() * s).magnitude() / 2)) ** 2 for r, s in zip(p[0], q[0], strict=True))
    total += settings.velocity * sum(np.sum((r - s) ** 2) for r, s in zip(p[1], q[1], strict=True))
    total += settings.velocity * (p[2] - q[2]) ** 2
    total += settings.root_velocity * np.sum((p[3] - q[3]) ** 2)
    total += settings.stance * np.sum((p[4] - q[4]) ** 2)
    return total + settings.height * (p[5] - q[5]) ** 2


def test_distance_equals_the_slow_twin(database):
    rng = np.random.default_rng(3)
    settings = SimilaritySettings()
    x = features(database, settings)
    edges = [0, 1, database.poses - 1, *database.clip_starts[1:-1], *(database.clip_starts[1:-1] - 1)]
    for a, b in [*rng.integers(0, database.poses, (60, 2)), *pairwise(edges)]:
        assert np.sum((x[a] - x[b]) ** 2) == pytest.approx(slow_distance(database, a, b, settings), abs=1e-9)


def test_small_distances_are_squared_angles(clips):
    """For poses that differ in one joint only, D is the squared angle to third order."""
    stand = clips["stand"].cut(0, 30)
    knee = stand.skeleton.joint("left_knee")
    bent = stand.rotation.copy()
    turn = Rotation.from_rotvec([0.1, 0.0, 0.0])
    bent[:, knee] = np.roll((scipy_rotation(bent[:, knee]) * turn).as_quat(), 1, axis=-1)
    flying = np.zeros(30, np.uint8)  # feet that do not stand do not count
    both = Database.from_clips(
        [stand.with_(contact=flying), stand.with_(rotation=bent, name="bent", contact=flying)]
    )
    x = features(both, SimilaritySettings(velocity=0.0))
    np.testing.assert_allclose(np.sum((x[:30] - x[30:]) ** 2, axis=1), 0.01, rtol=1e-3)


def test_placing_and_turning_clips_changes_nothing(clips, database):
    moved = Database.from_clips(
        [clips[name].transformed(turn=0.7 * k, shift=(3.0 * k, 0.0, -2.0)) for k, name in enumerate(NAMES)]
    )
    np.testing.assert_allclose(features(moved), features(database), atol=1e-9)


def brute_force(database, boundary, settings):
    """Locally nearest pairs by looking at every pair, and the nearest pose of another clip."""
    x = features(database, settings)
    d = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    clip = np.searchsorted(database.clip_starts, np.arange(database.poses), side="right") - 1
    frame = np.arange(database.poses)
    allowed = (database.contact[:, None] == database.contact[None]) & (boundary[:, None] == boundary[None])
    allowed &= (clip[:, None] != clip[None]) | (np.abs(frame[:, None] - frame[None]) >= settings.least_gap)
    d[~allowed] = np.inf
    pairs = []
    for a, b in np.argwhere(d < settings.most):
        around = [
            (a + i, b + j)
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if (i or j)
            and 0 <= a + i < len(d)
            and 0 <= b + j < len(d)
            and clip[a + i] == clip[a]
            and clip[b + j] == clip[b]
        ]
        if all(d[a, b] < d[p] or (d[a, b] == d[p] and (a, b) < p) for p in around):
            pairs.append((a, b))
    other = np.where(clip[:, None] != clip[None], d, np.inf).min(axis=1)
    return pairs, d, np.where(other < settings.most, other, np.inf)


def test_candidates_equal_brute_force(clips):
    small = Database.from_clips([clips[name].cut(20, 80) for name in NAMES])
    boundary = find_segments(small).boundary
    settings = SimilaritySettings(most=0.8)
    found = find_candidates(small, boundary, settings)
    pairs, d, nearest = brute_force(small, boundary, settings)
    assert len(pairs) > 50
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == pairs
    np.testing.assert_allclose(found.distance, d[found.a, found.b], atol=1e-9)
    np.testing.assert_allclose(found.nearest, nearest, atol=1e-9)


def test_size_of_blocks_does_not_matter(database, monkeypatch):
    boundary = find_segments(database).boundary
    whole = find_candidates(database, boundary)
    for rows in (16, 37, 200):
        monkeypatch.setattr(similarity, "_BLOCK_BYTES", rows * 8 * database.poses)
        parts = find_candidates(database, boundary)
        np.testing.assert_array_equal(parts.a, whole.a)
        np.testing.assert_array_equal(parts.b, whole.b)
        np.testing.assert_allclose(parts.distance, whole.distance, atol=1e-11)
        np.testing.assert_allclose(parts.nearest, whole.nearest, atol=1e-11)


def test_candidates_are_symmetric(database):
    found = find_candidates(database, find_segments(database).boundary)
    there = dict(zip(zip(found.a.tolist(), found.b.tolist(), strict=True), found.distance, strict=True))
    back = {(b, a): d for (a, b), d in there.items()}
    assert there.keys() == back.keys()
    assert max(abs(there[pair] - back[pair]) for pair in there) < 1e-11


def test_memory_is_bounded_by_the_block(monkeypatch):
    """All pairs of the sample would need 240 MB at once."""
    database = sample_database()
    boundary = find_segments(database).boundary
    find_candidates(database, boundary)  # compiled and imported before memory is counted
    monkeypatch.setattr(similarity, "_BLOCK_BYTES", 4 << 20)
    tracemalloc.start()
    try:
        features(database)
        own = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        find_candidates(database, boundary)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < own + 4 * similarity._BLOCK_BYTES
    assert peak < 8 * database.poses**2 / 3
