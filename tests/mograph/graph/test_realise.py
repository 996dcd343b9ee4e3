"""Paths become motions: feet stay, velocities do not jump, and without change-overs nothing is changed."""

from __future__ import annotations

import numpy as np
import pytest

from mograph import feet, kinematics, rotations
from mograph.contacts import Contact
from mograph.errors import MographError
from mograph.foot_lock import heel_position
from mograph.graph import planar
from mograph.graph.blend import BLEND_SECONDS, decay, smooth_seams
from mograph.graph.motion_graph import MotionGraph
from mograph.graph.realise import place_edge, play, random_walk, realise, source_frames
from mograph.sample import sample_database


@pytest.fixture(scope="module")
def motion_graph():
    return MotionGraph.build(sample_database())


@pytest.fixture(scope="module")
def graph(motion_graph):
    return motion_graph.compact()


@pytest.fixture(scope="module")
def unmerged(motion_graph):
    return motion_graph.compact(merge=0.0)


def planted_speed(clip):
    """Ground speed of the slower of heel and ball of each touching foot [m/s]."""
    poses = kinematics.poses(clip)
    points = [
        [heel_position(clip.skeleton, poses, ankle, toe), poses.position[:, toe]]
        for ankle, toe in feet.foot_joints(clip.skeleton)
    ]
    position = np.moveaxis(np.array(points), 2, 0)
    step = np.linalg.norm(np.diff(position[..., [0, 2]], axis=0), axis=-1).min(axis=-1) * clip.fps
    touches = np.stack([(clip.contact & bit) > 0 for bit in (Contact.LEFT_FOOT, Contact.RIGHT_FOOT)], axis=1)
    return step[touches[1:] & touches[:-1]]


def velocity_jumps(clip):
    """Change of joint angular velocity from frame to frame, (T - 2, J) [rad/s]."""
    spin = rotations.log(rotations.multiply(rotations.inverse(clip.rotation[:-1]), clip.rotation[1:]))
    return np.linalg.norm(np.diff(spin, axis=0), axis=-1) * clip.fps


def played(graph, walk):
    """Frames of a walk and where they are carried, as :func:`realise` puts them together."""
    place, frames, carries = np.zeros(3), [], []
    for edge in walk:
        own, carried = place_edge(graph, edge, place)
        np.testing.assert_array_equal(own, source_frames(graph, edge))
        frames.append(own)
        carries.append(carried)
        place = planar.compose(place, graph.displacement[edge])
    return np.concatenate(frames), np.concatenate(carries)


@pytest.mark.parametrize("seed", range(6))
def test_planted_feet_do_not_slide(graph, seed):
    clip = realise(graph, random_walk(graph, 15.0, seed))
    assert clip.seconds >= 15.0
    assert planted_speed(clip).max() < 0.01


@pytest.fixture(scope="module")
def cmu_graph(cmu):
    from mograph.importer import ImportSettings, find_sources, import_clips

    sources = find_sources([cmu], cmu / "manifest.csv", cmu / "sets" / "walk.txt")[:8]
    return MotionGraph.build(import_clips(sources, ImportSettings("cmu")).database).compact()


@pytest.mark.realdata
def test_captured_feet_do_not_slide_either(cmu_graph):
    for seed in range(3):
        assert planted_speed(realise(cmu_graph, random_walk(cmu_graph, 15.0, seed))).max() < 0.01


@pytest.mark.parametrize("seed", range(4))
def test_velocity_does_not_jump_at_seams(graph, seed):
    """Pieces put side by side jump; smoothed, they change no faster than captured motion does anyway."""
    frames, carries = played(graph, random_walk(graph, 20.0, seed))
    seams = np.flatnonzero(np.diff(frames) != 1) + 1
    seams = seams[seams < len(frames) - 1]
    assert len(seams) > 10
    raw = velocity_jumps(play(graph.database, frames, carries, smooth=False))[seams - 1].max(axis=1)
    smooth = velocity_jumps(play(graph.database, frames, carries))[seams - 1].max(axis=1)
    captured = max(velocity_jumps(clip).max() for clip in graph.database)
    assert raw.max() > 10
    assert smooth.max() < 0.5 * captured
    assert np.median(smooth) < 0.5 * np.median(raw)


@pytest.mark.parametrize("seed", range(4))
def test_realised_motion_is_as_smooth_as_captured(graph, seed):
    clip = realise(graph, random_walk(graph, 20.0, seed))
    captured = max(velocity_jumps(clip).max() for clip in graph.database)
    assert velocity_jumps(clip).max() < 1.5 * captured
    step = np.linalg.norm(np.diff(clip.root_position, axis=0), axis=1) * clip.fps
    fastest = max(
        np.linalg.norm(np.diff(c.root_position, axis=0), axis=1).max() * c.fps for c in graph.database
    )
    assert step.max() < 1.3 * fastest


def test_pieces_of_one_frame_are_smooth_too():
    """A steady turn cut into one-frame pieces of three clips that stand elsewhere stays a steady turn."""
    fps, rate = 30.0, 0.9
    time = np.arange(40) / fps
    steady = np.column_stack([rate * time, np.zeros(40), np.zeros(40)])
    other = np.array([0.3, 0.1, 0.0])
    jumped = steady.copy()
    jumped[10] += other  # one frame of another piece, which stands aside and moves as fast
    jumped[11:] -= other
    rotation = rotations.identity(40, 1)
    seams = np.array([10, 11])
    expected = np.stack([steady[10], steady[11] + other])
    onward = np.stack([steady[11] + other, steady[12] - other])
    still = rotations.identity(2, 1)
    position, _ = smooth_seams(jumped, rotation, seams, expected, still, fps, (onward, still))
    speed = np.diff(position, axis=0) * fps
    assert np.abs(np.diff(speed, axis=0)[8:11]).max() < 0.5  # without: 0.3 m in a frame are 9 m/s
    np.testing.assert_allclose(position[10], steady[10], atol=1e-12)


def test_path_must_hang_together(graph):
    edge = 0
    wrong = int(np.flatnonzero(graph.source != graph.target[edge])[0])
    with pytest.raises(MographError, match=f"edge {edge} ends in state .* edge {wrong} starts in"):
        realise(graph, [edge, wrong])
    with pytest.raises(MographError, match="at least one edge"):
        realise(graph, [])


def natural_path(graph, name):
    """The longest run of edges that play a clip as it was captured.

    Where a change-over made a way cheaper, the captured one is not in the graph and the run ends.
    """
    number = graph.database.names.index(name)
    first, last = graph.database.clip_starts[number : number + 2]
    natural = np.flatnonzero((graph.changes[:, 0] < 0) & (graph.first >= first) & (graph.last < last))
    runs = [[]]
    for edge in natural[np.argsort(graph.first[natural])].tolist():
        if runs[-1] and graph.last[runs[-1][-1]] != graph.first[edge]:
            runs.append([])
        runs[-1].append(edge)
    return max(runs, key=len)


@pytest.mark.parametrize("name", ["walk_1.4", "run_jump_1.8", "pickup_right_0.3", "turn_left_r0.8_180"])
def test_without_change_overs_the_source_is_played(unmerged, name):
    path = natural_path(unmerged, name)
    assert len(path) >= 2
    source = unmerged.database.clip(name)
    begin = int(unmerged.first[path[0]] - unmerged.database.clip_starts[unmerged.database.names.index(name)])
    clip = realise(unmerged, path, smooth=False)
    same = source.cut(begin, begin + len(clip)).faced()
    np.testing.assert_allclose(clip.root_position, same.root_position, atol=1e-9)
    assert rotations.angle_between(clip.rotation, same.rotation).max() < 1e-7
    np.testing.assert_array_equal(clip.contact, same.contact)
    held = realise(unmerged, path)  # feet that stand still already are hardly touched
    away = np.linalg.norm(kinematics.poses(held).position - kinematics.poses(same).position, axis=-1)
    assert np.median(away) < 0.01


def test_start_moves_and_turns_the_motion(graph):
    walk = random_walk(graph, 6.0, 1)
    clip = realise(graph, walk)
    moved = realise(graph, walk, start=(3.0, -2.0, 1.2))
    expected = clip.transformed(1.2, (3.0, 0.0, -2.0))
    np.testing.assert_allclose(moved.root_position, expected.root_position, atol=1e-6)
    gap = kinematics.poses(moved).position - kinematics.poses(expected).position
    assert np.abs(gap).max() < 1e-5


def test_path_ends_where_its_displacements_lead(graph):
    walk = random_walk(graph, 10.0, 2)
    place = np.zeros(3)
    for edge in walk:
        x, z, turn = graph.displacement[edge]
        c, s = np.cos(place[2]), np.sin(place[2])
        place = place + np.array([c * x + s * z, -s * x + c * z, turn])
    clip = realise(graph, walk, smooth=False)
    np.testing.assert_allclose(clip.root_position[-1, [0, 2]], place[:2], atol=1e-9)
    assert np.cos(rotations.yaw(clip.rotation[-1, 0]) - place[2]) > 1 - 1e-12
    assert clip.seconds == pytest.approx(graph.duration[walk].sum())


def test_same_seed_same_walk(graph):
    assert random_walk(graph, 20.0, 5) == random_walk(graph, 20.0, 5)
    assert random_walk(graph, 20.0, 5) != random_walk(graph, 20.0, 6)
    assert graph.source[random_walk(graph, 3.0, 5, start=7)[0]] == 7


def test_decay_meets_its_ends():
    """Value and slope at the start are those asked for; at the end all is over, without a kink."""
    step = 1e-6
    time = np.array([0.0, step, BLEND_SECONDS - step, BLEND_SECONDS, 2 * BLEND_SECONDS])
    curve = decay(np.array([0.3, -0.2]), np.array([1.5, 0.4]), time)
    np.testing.assert_allclose(curve[0], [0.3, -0.2])
    np.testing.assert_allclose((curve[1] - curve[0]) / step, [1.5, 0.4], rtol=1e-4)
    np.testing.assert_allclose((curve[3] - curve[2]) / step, 0, atol=1e-4)
    np.testing.assert_array_equal(curve[3:], 0)


def test_extents_and_footprints_are_those_of_the_played_motion():
    compact = MotionGraph.build(sample_database()).compact()
    for edge in range(0, compact.transitions, 37):
        clip = realise(compact, [edge], smooth=False).cut(0, len(source_frames(compact, edge)))
        position = kinematics.poses(clip).position
        reach = np.linalg.norm((position - position[:, :1])[..., [0, 2]], axis=-1).max()
        wanted = [reach, position[..., 1].min(), position[..., 1].max()]
        np.testing.assert_allclose(compact.extents[edge], wanted, atol=1e-9)
    touching = (compact.contact & Contact.LEFT_FOOT) > 0
    assert np.array_equal(np.isfinite(compact.footprints[:, 0]).all(axis=(1, 2)), touching)
    assert np.nanmax(np.abs(compact.footprints)) < 1.2
