"""The sample database keeps its promises: one body, true contacts, the laws of falling and balance."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import Contact, mirrored, phases
from mograph.dynamics.mass_model import mass_model
from mograph.kinematics import Poses, centre_of_mass, poses
from mograph.sample import sample_clips, sample_grasps, sample_skeleton, write_sample
from mograph.sample.behaviours import walk_arc
from mograph.sample.body import make_clip
from mograph.sample.clips import plans
from mograph.sample.skeleton import HEEL, PALM

GRAVITY = 9.81
TAGS = {"walk", "run", "turn", "jump", "step_on", "pickup", "idle", "start_stop"}
SIDES = (("Left", Contact.LEFT_FOOT), ("Right", Contact.RIGHT_FOOT))


@pytest.fixture(scope="module")
def clips() -> dict[str, Clip]:
    return {clip.name: clip for clip in sample_clips()}


@pytest.fixture(scope="module")
def world(clips: dict[str, Clip]) -> dict[str, Poses]:
    return {name: poses(clip) for name, clip in clips.items()}


@pytest.fixture(scope="module")
def centres(world: dict[str, Poses]) -> dict[str, np.ndarray]:
    model = mass_model(sample_skeleton())
    return {name: centre_of_mass(pose, model.mass, model.centre) for name, pose in world.items()}


def joint(name: str) -> int:
    return sample_skeleton().names.index(name)


def heel(pose: Poses, side: str) -> np.ndarray:
    """World path of the point under the heel."""
    foot = joint(f"{side}Foot")
    return pose.position[:, foot] + rotations.rotate(pose.rotation[:, foot], np.array(HEEL))


def toe_tip(pose: Poses, side: str) -> np.ndarray:
    return pose.end_position[:, list(sample_skeleton().end_parents).index(joint(f"{side}ToeBase"))]


def floor(name: str, side: str, frame: int, clip: Clip) -> float:
    """Ground height under a standing foot, from the clip's name: platforms are what steps go on and off."""
    if not name.startswith("step_"):
        return 0.0
    bit = int(Contact.LEFT_FOOT if side == "Left" else Contact.RIGHT_FOOT)
    landed = np.any((clip.contact[:frame] & bit) == 0)
    on = name.startswith("step_on")
    return float(name.rsplit("_", 1)[1]) if landed == on else 0.0


def test_there_are_about_forty_clips_with_names_tags_and_words(clips: dict[str, Clip]) -> None:
    assert 38 <= len(clips) <= 46
    assert len(clips) == len(sample_clips())  # no name twice
    assert set().union(*(clip.tags for clip in clips.values())) == TAGS
    for clip in clips.values():
        assert clip.subject == "sample"
        assert clip.behaviour
        assert clip.fps == 30.0
        assert 2.0 <= clip.seconds <= 9.0


def test_one_skeleton_of_human_size(clips: dict[str, Clip]) -> None:
    skeleton = sample_skeleton()
    assert all(clip.skeleton is skeleton for clip in clips.values())
    assert skeleton.height == pytest.approx(1.75)
    flip = np.array([-1.0, 1.0, 1.0])
    np.testing.assert_array_equal(skeleton.offsets, skeleton.offsets[skeleton.mirror] * flip)
    np.testing.assert_array_equal(skeleton.end_offsets, skeleton.end_offsets[skeleton.mirror_ends] * flip)
    assert skeleton.has(
        *(f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "ankle", "toe", "wrist"))
    )


def test_numbers_are_finite_and_rotations_unit(clips: dict[str, Clip]) -> None:
    for clip in clips.values():
        assert np.isfinite(clip.root_position).all()
        np.testing.assert_allclose(np.linalg.norm(clip.rotation, axis=-1), 1.0, atol=1e-12)


def test_the_same_every_time(clips: dict[str, Clip]) -> None:
    for plan in plans()[::5]:
        again = make_clip(plan)
        np.testing.assert_array_equal(again.rotation, clips[plan.name].rotation)
        np.testing.assert_array_equal(again.root_position, clips[plan.name].root_position)


def test_standing_feet_pivot_about_points_that_stay(clips: dict[str, Clip], world: dict[str, Poses]) -> None:
    """While a foot touches, its heel or its ball joint moves less than a millimetre from frame to frame."""
    for name, clip in clips.items():
        for side, bit in SIDES:
            on = (clip.contact & int(bit)) > 0
            both = on[1:] & on[:-1]
            ball = np.linalg.norm(np.diff(world[name].position[:, joint(f"{side}ToeBase")], axis=0), axis=-1)
            back = np.linalg.norm(np.diff(heel(world[name], side), axis=0), axis=-1)
            assert np.minimum(ball, back)[both].max() < 1e-3, name


def test_feet_rest_on_the_floor_and_never_go_through_it(
    clips: dict[str, Clip], world: dict[str, Poses]
) -> None:
    for name, clip in clips.items():
        for side, bit in SIDES:
            on = (clip.contact & int(bit)) > 0
            lowest = np.minimum(heel(world[name], side)[:, 1], toe_tip(world[name], side)[:, 1])
            assert lowest.min() > -0.005, name
            ground = np.array([floor(name, side, t, clip) for t in range(len(clip))])
            assert np.abs(lowest - ground)[on].max() < 0.005, name


def test_feet_in_the_air_are_off_the_floor(clips: dict[str, Clip], world: dict[str, Poses]) -> None:
    """A swinging foot is up or moving: the contacts are the only rests."""
    for name, clip in clips.items():
        for side, bit in SIDES:
            off = (clip.contact & int(bit)) == 0
            ball = world[name].position[:, joint(f"{side}ToeBase")]
            speed = np.linalg.norm(np.gradient(ball, 1 / 30, axis=0), axis=-1)
            assert ((speed > 0.15) | (ball[:, 1] > 0.05))[off].all(), name


def test_flight_is_exactly_a_fall(clips: dict[str, Clip], centres: dict[str, np.ndarray]) -> None:
    flying = 0
    for name, clip in clips.items():
        second = np.diff(centres[name], n=2, axis=0) * clip.fps**2
        for phase in phases(clip.contact):
            if phase.contact == Contact.FLIGHT and phase.start > 0 and phase.stop < len(clip):
                inside = second[phase.start - 1 : phase.stop - 1]
                np.testing.assert_allclose(inside[:, 1], -GRAVITY, rtol=1e-6, err_msg=name)
                np.testing.assert_allclose(inside[:, [0, 2]], 0.0, atol=1e-6, err_msg=name)
                flying += len(phase)
    assert flying > 100


def test_flight_only_where_people_fly(clips: dict[str, Clip]) -> None:
    for name, clip in clips.items():
        flies = bool(np.any((clip.contact & 3) == 0))
        assert flies == bool({"run", "jump"} & set(clip.tags)), name


def test_ground_force_is_pushing_and_bearable(clips: dict[str, Clip], centres: dict[str, np.ndarray]) -> None:
    """Feet push, never pull, with less than four times the weight, and within the friction of a floor."""
    for name, clip in clips.items():
        force = np.diff(centres[name], n=2, axis=0) * clip.fps**2 + [0.0, GRAVITY, 0.0]
        force = force[clip.contact[1:-1] > 0]
        assert force[:, 1].min() > 0.2 * GRAVITY, name
        assert force[:, 1].max() < 3.6 * GRAVITY, name
        slope = np.linalg.norm(force[:, [0, 2]], axis=-1) / force[:, 1]
        assert slope.max() < (0.66 if "run" in clip.tags else 0.5), name


def test_legs_are_never_overstretched(world: dict[str, Poses]) -> None:
    straight = sample_skeleton().leg_length
    for name, pose in world.items():
        for side in ("Left", "Right"):
            line = pose.position[:, joint(f"{side}Foot")] - pose.position[:, joint(f"{side}UpLeg")]
            assert np.linalg.norm(line, axis=-1).max() < 0.997 * straight, name


@pytest.mark.parametrize(("part", "sign"), [("Leg", 1.0), ("ForeArm", -1.0)])
def test_knees_and_elbows_are_hinges_that_bend_one_way(
    clips: dict[str, Clip], part: str, sign: float
) -> None:
    for name, clip in clips.items():
        for side in ("Left", "Right"):
            vector = rotations.log(clip.rotation[:, joint(side + part)])
            assert np.abs(vector[:, 1:]).max() < 1e-6, name
            assert (sign * vector[:, 0]).min() > 0.0, name
            assert (sign * vector[:, 0]).max() < np.radians(155), name


def test_joints_turn_about_their_free_axes_only(clips: dict[str, Clip]) -> None:
    """A toe has one axis, an ankle two: no turn about the shank is left."""
    for name, clip in clips.items():
        for side in ("Left", "Right"):
            assert np.abs(rotations.log(clip.rotation[:, joint(side + "ToeBase")])[:, 1:]).max() < 1e-9, name
            ankle = rotations.to_euler("XZY", clip.rotation[:, joint(side + "Foot")])
            assert np.abs(ankle[:, 2]).max() < 1e-6, name


def test_nothing_snaps(clips: dict[str, Clip]) -> None:
    """Joint speeds stay below what sprinters reach, the root goes without jerks."""
    for name, clip in clips.items():
        turn = rotations.angle_between(clip.rotation[:-1], clip.rotation[1:]) * clip.fps
        assert turn.max() < 20.0, name
        assert turn[:, joint("Head")].max() < 3.0, name
        assert np.abs(np.diff(clip.root_position, n=2, axis=0) * clip.fps**2).max() < 60.0, name


def test_legs_do_not_cross(clips: dict[str, Clip], world: dict[str, Poses]) -> None:
    """Seen along the heading of the pelvis the left ankle stays left of the right one."""
    for name, clip in clips.items():
        pose = world[name]
        aside = rotations.rotate(rotations.from_yaw(rotations.yaw(clip.rotation[:, 0])), [1.0, 0.0, 0.0])
        gap = pose.position[:, joint("LeftFoot")] - pose.position[:, joint("RightFoot")]
        assert np.sum(gap * aside, axis=-1).min() > 0.02, name


@pytest.mark.parametrize("kind", ["walk", "run"])
def test_steady_gaits_have_the_speed_they_are_named_by(clips: dict[str, Clip], kind: str) -> None:
    steady = {n: c for n, c in clips.items() if re.fullmatch(rf"{kind}_\d\.\d", n)}
    assert len(steady) >= 3
    for name, clip in steady.items():
        way = clip.root_position[-1] - clip.root_position[0]
        assert way[2] / clip.seconds == pytest.approx(float(name.split("_")[1]), rel=0.01), name
        assert abs(way[0]) < 0.05


def test_steady_gaits_repeat_themselves(clips: dict[str, Clip]) -> None:
    """The last stride of a walk is the first one again, so cycles can be joined."""
    for name in ("walk_0.8", "walk_1.4", "run_3.2"):
        clip = clips[name]
        downs = [k for k in range(1, len(clip)) if clip.contact[k] & 1 and not clip.contact[k - 1] & 1]
        period = downs[1] - downs[0]
        away = rotations.angle_between(clip.rotation[:-period], clip.rotation[period:])
        assert away.max() < 0.06, name


def test_arcs_turn_by_their_angle(clips: dict[str, Clip]) -> None:
    for name, clip in clips.items():
        turn = re.fullmatch(r"(?:turn|spot)_(left|right)_(?:r[\d.]+_)?(\d+)", name)
        if turn:
            heading = np.unwrap(rotations.yaw(clip.rotation[:, 0]))
            sign = 1.0 if turn[1] == "left" else -1.0
            assert np.degrees(heading[-1] - heading[0]) == pytest.approx(sign * float(turn[2]), abs=8.0), name


def test_arcs_have_their_radius() -> None:
    """A full circle of footsteps is as wide as asked for."""
    clip = make_clip(walk_arc("circle", 1.5, 360.0, 1.1, 1.1))
    x = clip.root_position[:, 0]
    assert np.ptp(x) == pytest.approx(3.0, abs=0.15)


def test_jumps_have_their_length_and_height(
    clips: dict[str, Clip], world: dict[str, Poses], centres: dict[str, np.ndarray]
) -> None:
    for name, clip in clips.items():
        if re.fullmatch(r"jump_\d\.\d", name):
            toe = world[name].position[:, joint("LeftToeBase"), 2]
            assert toe[-1] - toe[0] == pytest.approx(float(name.split("_")[1]), abs=1e-6), name
        if name.startswith("run_jump"):
            leap = max((p for p in phases(clip.contact) if p.contact == Contact.FLIGHT), key=len)
            off = next(s for s, bit in SIDES if clip.contact[leap.start - 1] & int(bit))
            on = "Right" if off == "Left" else "Left"
            z = world[name].position[:, [joint(off + "ToeBase"), joint(on + "ToeBase")], 2]
            assert z[leap.stop + 3, 1] - z[leap.start - 1, 0] == pytest.approx(
                float(name.split("_")[2]), abs=0.06
            )
    up = centres["jump_up_0.3"][:, 1]
    flight = clips["jump_up_0.3"].contact == 0
    assert up.max() - up[np.flatnonzero(flight)[0] - 1] == pytest.approx(0.3, abs=0.03)


def test_platforms_have_their_height(clips: dict[str, Clip]) -> None:
    for name, clip in clips.items():
        if name.startswith("step_"):
            rise = clip.root_position[-1, 1] - clip.root_position[0, 1]
            sign = 1.0 if "_on_" in name else -1.0
            assert rise == pytest.approx(sign * float(name.rsplit("_", 1)[1]), abs=0.005), name


@pytest.mark.parametrize(("kind", "edge"), [("step_on", 0.35), ("step_off", 0.25)])
def test_feet_clear_the_edge_of_the_platform(
    clips: dict[str, Clip], world: dict[str, Poses], kind: str, edge: float
) -> None:
    """With the edge ahead of the standing ankles by this much, no foot goes through the platform."""
    for name in (f"{kind}_0.2", f"{kind}_0.4"):
        start = clips[name].root_position[0, 2] - 0.04  # the pelvis of a stand is ahead of the ankles
        assert world[name].position[0, joint("LeftFoot"), 2] == pytest.approx(start, abs=0.02)
        for side in ("Left", "Right"):
            for point in (heel(world[name], side), toe_tip(world[name], side)):
                ahead = point[:, 2] - world[name].position[0, joint("LeftFoot"), 2]
                above = ahead > edge if kind == "step_on" else ahead < edge
                assert point[above, 1].min() > float(name.rsplit("_", 1)[1]) - 0.005, name


def test_the_validity_report_finds_no_fault(clips: dict[str, Clip]) -> None:
    """Inverse dynamics as witness: forces, pressure, friction, torques and falls are those of people."""
    from mograph.dynamics.validity import check_motion

    reports = [check_motion(clip) for clip in clips.values()]
    rows = sum(len(report.rows) for report in reports)
    assert sum(len(report.failures) for report in reports) <= 0.002 * rows
    assert min(report.score for report in reports) > 0.7


def test_the_contact_detector_agrees_within_two_frames(clips: dict[str, Clip]) -> None:
    """Contacts are such that feet and hands show them by height and speed."""
    from mograph import kinematics
    from mograph.contact_detection import detect_contacts
    from mograph.feet import body_scale, foot_tracks, resting_heights

    tracks = [foot_tracks(clip, kinematics.poses(clip)) for clip in clips.values()]
    resting = resting_heights(tracks, body_scale(sample_skeleton()))
    for name, clip in clips.items():
        wrong = detect_contacts(clip, resting) ^ clip.contact
        assert np.mean(wrong > 0) < 0.12, name
        for bit in Contact:
            part = (wrong & int(bit)) > 0
            assert not (part[:-2] & part[1:-1] & part[2:]).any(), name


def test_left_and_right_are_mirror_images(clips: dict[str, Clip]) -> None:
    pairs = [
        (n, n.replace("left", "right")) for n in clips if "left" in n and n.replace("left", "right") in clips
    ]
    assert len(pairs) >= 8
    mirror = sample_skeleton().mirror
    for left, right in pairs:
        a, b = clips[left], clips[right]
        np.testing.assert_array_equal(mirrored(a.contact), b.contact)
        np.testing.assert_allclose(a.root_position * [-1, 1, 1], b.root_position, atol=1e-6)
        flipped = a.rotation[:, mirror] * [1, 1, -1, -1]
        assert rotations.angle_between(flipped, b.rotation).max() < 1e-5, left


def test_hands_are_at_their_target_and_stay(clips: dict[str, Clip], world: dict[str, Poses]) -> None:
    grasps = sample_grasps()
    assert len(grasps) >= 6
    for name, grasp in grasps.items():
        side = ("Left", "Right")[grasp.side]
        hand = joint(f"{side}Hand")
        palm = world[name].position[:, hand] + rotations.rotate(
            world[name].rotation[:, hand], np.array([0.0, -PALM, 0.0])
        )
        held = slice(grasp.frame, grasp.frame + 3)
        assert np.abs(palm[held] - grasp.target).max() < 1e-3, name
        bit = int(Contact.LEFT_HAND if side == "Left" else Contact.RIGHT_HAND)
        touching = np.flatnonzero(clips[name].contact & bit)
        assert touching.tolist() == list(range(grasp.frame, grasp.frame + 3))
        assert name.split("_")[1] == side.lower()
        if name.startswith("pickup"):
            assert grasp.target[1] == float(name.rsplit("_", 1)[1])


def test_clips_begin_and_end_at_rest_or_in_a_steady_gait(clips: dict[str, Clip]) -> None:
    """Standing ends are all the same pose; moving ends move at a speed that some steady gait has."""
    stand = clips["stand"].rotation[0, 1:]
    for name, clip in clips.items():
        speed = np.linalg.norm(np.diff(clip.root_position, axis=0)[:, [0, 2]], axis=-1) * clip.fps
        for end, pose in ((0, clip.rotation[0]), (-1, clip.rotation[-1])):
            if speed[end] < 0.1:
                assert rotations.angle_between(pose[1:], stand).max() < 0.08, name
            else:
                assert 0.6 < speed[end] < 4.6, name
                assert {"walk", "run"} & set(clip.tags), name


@pytest.mark.parametrize(
    ("name", "end", "steady"),
    [
        ("start_walk_left", -1, "walk_1.4"),
        ("start_walk_right", -1, "walk_1.4"),
        ("stop_walk_left", 0, "walk_1.4"),
        ("turn_left_r0.8_180", 0, "walk_1.1"),
        ("turn_right_r1.5_90", -1, "walk_1.1"),
        ("turn_left_r3.0_60", -1, "walk_1.4"),
        ("walk_to_run", 0, "walk_1.4"),
        ("walk_to_run", -1, "run_2.5"),
        ("run_to_walk", -1, "walk_1.4"),
        ("run_jump_2.0", 0, "run_3.2"),
    ],
)
def test_moving_ends_are_poses_of_a_steady_gait(
    clips: dict[str, Clip], name: str, end: int, steady: str
) -> None:
    """Some frame of the steady clip has the same pose within a few degrees and the same contact."""

    def facing(clip: Clip) -> np.ndarray:
        turned = clip.rotation.copy()
        back = rotations.inverse(rotations.from_yaw(rotations.yaw(clip.rotation[:, 0])))
        turned[:, 0] = rotations.multiply(back, turned[:, 0])
        return turned

    away = rotations.angle_between(facing(clips[name])[end], facing(clips[steady])).max(axis=1)
    assert np.degrees(away.min()) < 3.0
    assert clips[name].contact[end] == clips[steady].contact[away.argmin()]


def test_written_as_bvh_with_a_manifest(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from mograph.files import read_clip

    paths = write_sample(tmp_path / "sample")
    assert len(paths) == len(sample_clips())
    with (tmp_path / "sample" / "manifest.csv").open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["file"] for row in rows] == [path.name for path in paths]
    assert rows[0]["tags"] == "idle"
    first, back = sample_clips()[7], read_clip(paths[7])
    assert back.skeleton.names == first.skeleton.names
    np.testing.assert_allclose(poses(back).position, poses(first).position, atol=1e-4)
