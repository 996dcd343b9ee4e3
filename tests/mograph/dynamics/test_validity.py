"""The validity report: good motion passes, each kind of bad motion is caught by the right row."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import Contact, phases
from mograph.dynamics import ValidityLimits, check_motion
from mograph.errors import MographError
from mograph.feet import body_scale, foot_tracks, resting_heights
from mograph.importer import Source, detected, find_sources
from mograph.kinematics import poses
from mograph.profiles import load_clip
from mograph.sample import sample_clips
from mograph.skeleton import Skeleton
from studio.validity_timeline import draw_report


@pytest.fixture(scope="module")
def clips() -> dict[str, Clip]:
    return {clip.name: clip for clip in sample_clips()}


def failed(clip: Clip) -> set[str]:
    return {row.check for row in check_motion(clip).failures}


def leaning(clip: Clip, angle: float) -> Clip:
    """The whole body turned forward about the ankles, feet left flat on the floor."""
    skeleton = clip.skeleton
    ankles = [skeleton.joint(f"{side}_ankle") for side in ("left", "right")]
    pivot = poses(clip).position[:, ankles].mean(axis=1)
    turn = rotations.from_axis_angle([1.0, 0.0, 0.0], angle)
    rotation = clip.rotation.copy()
    rotation[:, 0] = rotations.multiply(turn, rotation[:, 0])
    root = pivot + rotations.rotate(turn, clip.root_position - pivot)
    leaned = poses(clip.with_(root_position=root, rotation=rotation))
    before = poses(clip)
    for ankle in ankles:
        up = leaned.rotation[:, skeleton.parents[ankle]]
        rotation[:, ankle] = rotations.multiply(rotations.inverse(up), before.rotation[:, ankle])
    return clip.with_(root_position=root, rotation=rotation)


def test_standing_and_walking_pass(clips: dict[str, Clip]) -> None:
    for name in ("stand", "walk_1.1", "walk_1.4", "pickup_right_0.3"):
        report = check_motion(clips[name])
        assert report.passed, [(row.check, row.phase, row.value) for row in report.failures]
        assert report.score == 1.0
        assert len(report.rows) > 10


def test_flights_of_generated_jumps_fall_like_real_ones(clips: dict[str, Clip]) -> None:
    rows = [r for name in ("jump_0.4", "jump_0.8", "jump_1.2") for r in check_motion(clips[name]).rows]
    gravity = [row for row in rows if row.check == "gravity"]
    assert len(gravity) == 3
    assert all(row.value == pytest.approx(9.81, abs=0.3) for row in gravity)


def test_sliding_feet(clips: dict[str, Clip]) -> None:
    clip = clips["stand"]
    drift = np.outer(np.arange(len(clip)) / clip.fps, [0.1, 0.0, 0.0])
    report = check_motion(clip.with_(root_position=clip.root_position + drift))
    assert {row.check for row in report.failures} == {"slide", "slide_length"}
    slide = next(row for row in report.failures if row.check == "slide")
    assert slide.value == pytest.approx(0.1, abs=0.005)


def test_gravity_half_as_strong_again(clips: dict[str, Clip]) -> None:
    clip = clips["jump_0.8"]
    assert clip.contact is not None
    flight = next(p for p in phases(clip.contact) if p.contact == Contact.FLIGHT)
    t = (np.arange(len(clip)) - flight.start) / clip.fps
    bump = 0.25 * 9.81 * np.maximum(t * ((len(flight) - 1) / clip.fps - t), 0.0)
    root = clip.root_position + np.outer(bump, [0.0, 1.0, 0.0])
    report = check_motion(clip.with_(root_position=root))
    gravity = next(row for row in report.rows if row.check == "gravity")
    assert gravity.value == pytest.approx(1.5 * 9.81, abs=0.4)
    assert not gravity.passed
    assert "gravity" not in failed(clip)


def test_leaning_at_rest(clips: dict[str, Clip]) -> None:
    still = clips["stand"]
    assert failed(leaning(still, np.radians(2.0))) == set()
    assert {"balance", "pressure"} <= failed(leaning(still, np.radians(40.0)))


def test_a_jump_of_the_root(clips: dict[str, Clip]) -> None:
    clip = clips["walk_1.4"]
    root = clip.root_position.copy()
    root[len(clip) // 2 :, 0] += 0.2
    assert "root_jump" in failed(clip.with_(root_position=root))


def test_feet_in_the_floor(clips: dict[str, Clip]) -> None:
    assert failed(clips["stand"].transformed(shift=(0.0, -0.05, 0.0))) == {"penetration"}


def test_an_overstretched_knee(clips: dict[str, Clip]) -> None:
    clip = clips["stand"]
    rotation = clip.rotation.copy()
    knee = clip.skeleton.joint("left_knee")
    rotation[:, knee] = rotations.from_axis_angle([1.0, 0.0, 0.0], -0.4)
    report = check_motion(clip.with_(rotation=rotation))
    caught = next(row for row in report.rows if row.check == "knee")
    assert caught.value == pytest.approx(-np.degrees(0.4), abs=1.0)
    assert not caught.passed


def test_a_jump_of_a_joint(clips: dict[str, Clip]) -> None:
    clip = clips["stand"]
    rotation = clip.rotation.copy()
    elbow = clip.skeleton.joint("right_elbow")
    rotation[60:, elbow] = rotations.multiply(
        rotation[60:, elbow], rotations.from_axis_angle([1.0, 0, 0], -1.0)
    )
    assert "joint_jump" in failed(clip.with_(rotation=rotation))


def test_too_much_friction(clips: dict[str, Clip]) -> None:
    """Swaying with 7 m/s² sideways cannot be done on ground that holds half the weight."""
    clip = clips["stand"]
    t = np.arange(len(clip)) / clip.fps
    sway = np.outer(0.28 * np.sin(5.0 * t), [1.0, 0.0, 0.0])
    assert "friction" in failed(clip.with_(root_position=clip.root_position + sway))


def test_report_as_json_and_picture(clips: dict[str, Clip], tmp_path: Path) -> None:
    report = check_motion(clips["jump_0.8"])
    data = json.loads(json.dumps(report.as_dict()))
    assert {"check", "phase", "value", "limit", "passed", "source"} <= set(data["rows"][0])
    assert len(data["rows"]) == len(report.rows)
    assert any("flight" in row["phase"] for row in data["rows"])
    assert draw_report(report, tmp_path / "jump.png").stat().st_size > 5000
    with pytest.raises(MographError, match=r"must end in \.png"):
        draw_report(report, tmp_path / "jump.jpg")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("frames", [1, 2, 3, 5, 8, 20])
def test_short_clips_are_judged_by_what_there_is(clips: dict[str, Clip], frames: int) -> None:
    for start in (0, 52):
        report = check_motion(clips["jump_0.8"].cut(start, start + frames))
        assert {row.check for row in report.rows} >= {"knee", "penetration"}
        assert 0.0 <= report.score <= 1.0


def test_a_body_without_toes_stands(clips: dict[str, Clip]) -> None:
    clip = clips["stand"]
    kept = [j for j, name in enumerate(clip.skeleton.names) if not name.endswith("ToeBase")]
    number = {j: k for k, j in enumerate(kept)}
    skeleton = Skeleton(
        tuple(clip.skeleton.names[j] for j in kept),
        [number.get(int(clip.skeleton.parents[j]), -1) for j in kept],
        clip.skeleton.offsets[kept],
    )
    bare = clip.with_(skeleton=skeleton, rotation=clip.rotation[:, kept])
    checks = {row.check: row.passed for row in check_motion(bare).rows}
    assert checks["balance"]
    assert checks["pressure"]


def test_limits_can_be_changed(clips: dict[str, Clip]) -> None:
    limits = ValidityLimits()
    strict = replace(limits, friction=replace(limits.friction, high=0.0))
    assert any(row.check == "friction" for row in check_motion(clips["walk_1.4"], limits=strict).failures)


def test_contacts_are_needed(clips: dict[str, Clip]) -> None:
    with pytest.raises(MographError, match="'stand' has no contacts"):
        check_motion(clips["stand"].with_(contact=None))


@pytest.fixture(scope="module")
def captured(cmu: Path) -> list[Clip]:
    """Every other captured clip and all jumps, contacts found with the floor of all clips of a subject."""
    subjects: dict[str, list[Source]] = {}
    for source in find_sources([cmu]):
        subjects.setdefault(source.subject, []).append(source)
    clips = []
    for sources in subjects.values():
        loaded = [load_clip(source.path, "cmu") for source in sources]
        scale = body_scale(loaded[0].clip.skeleton)
        resting = resting_heights([foot_tracks(one.clip) for one in loaded], scale)
        pairs = enumerate(zip(loaded, sources, strict=True))
        clips += [detected(*pair, resting) for k, pair in pairs if k % 2 == 0 or "jump" in pair[1].tags]
    return clips


@pytest.mark.realdata
def test_real_jumps_fall_with_gravity(captured: list[Clip]) -> None:
    jumps = [clip for clip in captured if "jump" in clip.tags]
    rows = [(clip.name, row) for clip in jumps for row in check_motion(clip).rows if row.check == "gravity"]
    fitted = np.array([row.value for _, row in rows])
    assert len(fitted) > 80
    assert fitted.min() > 8.5, rows[int(fitted.argmin())]
    assert fitted.max() < 12.5, rows[int(fitted.argmax())]
    assert np.mean((fitted >= 9.0) & (fitted <= 12.7)) >= 0.9


@pytest.mark.realdata
def test_real_motion_passes(captured: list[Clip]) -> None:
    """At least 95 % of the phases of real clips pass each check."""
    rows = [row for clip in captured for row in check_motion(clip).rows]
    for check in fields(ValidityLimits):
        passed = [row.passed for row in rows if row.check == check.name]
        assert len(passed) > 100
        assert np.mean(passed) >= 0.95, check.name
