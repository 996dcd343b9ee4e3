"""Contacts: the detector against the known truth of the sample clips, laws, and captured motion."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from mograph import feet, kinematics
from mograph.contact_detection import detect_contacts, drop_short, runs, without_short_phases
from mograph.contacts import FEET, HANDS, Contact, mirrored, phases
from mograph.errors import MotionFileError
from mograph.events import Events, read_events, sidecar_path, write_events
from mograph.importer import ImportSettings, find_sources, import_clips
from mograph.sample import sample_clips


@pytest.fixture(scope="module")
def resting():
    clips = sample_clips()
    return feet.resting_heights([feet.foot_tracks(c) for c in clips], feet.body_scale(clips[0].skeleton))


@pytest.mark.parametrize("clip", sample_clips(), ids=lambda clip: clip.name)
def test_every_sample_phase_is_within_one_frame_of_the_truth(clip, resting):
    found = phases(without_short_phases(detect_contacts(clip, resting)))
    truth = phases(clip.contact)
    assert [p.contact for p in found] == [p.contact for p in truth]
    assert max(abs(a.start - b.start) for a, b in zip(found, truth, strict=True)) <= 1


def test_detection_does_not_depend_on_size_place_or_heading(resting):
    clip = next(c for c in sample_clips() if c.name == "walk_1.4")
    contact = detect_contacts(clip, resting)
    moved = clip.transformed(turn=1.1, shift=(3.0, 0.4, -2.0))
    np.testing.assert_array_equal(detect_contacts(moved, resting + 0.4), contact)
    # a body s times as large moves alike if its time runs sqrt(s) slower
    large = clip.with_(
        skeleton=clip.skeleton.scaled(1.44), root_position=clip.root_position * 1.44, fps=clip.fps / 1.2
    )
    differing = np.mean(detect_contacts(large, resting * 1.44) != contact)
    assert differing < 0.05


def test_mirrored_motion_has_mirrored_contacts(resting):
    from mograph.mirror import mirrored as mirrored_clip

    for clip in sample_clips():
        found = detect_contacts(mirrored_clip(clip), resting[::-1])
        np.testing.assert_array_equal(found, mirrored(detect_contacts(clip, resting)))


def test_hands_are_looked_for_in_pick_ups_only(resting):
    clip = next(c for c in sample_clips() if "pickup" in c.tags)
    assert detect_contacts(clip, resting).max() & HANDS
    assert not np.any(detect_contacts(clip.with_(tags=()), resting) & HANDS)


def test_a_hop_that_does_not_fall_is_no_flight(resting):
    """A body slid up and down slowly with its feet off the floor hangs on a rope; it does not fly."""
    clip = next(c for c in sample_clips() if c.name == "stand")
    time = np.arange(len(clip)) / clip.fps
    lift = 0.5 * np.sin(np.pi * time / time[-1]) ** 2
    hung = clip.with_(root_position=clip.root_position + np.stack([0 * lift, lift, 1.5 * time], axis=1))
    assert not np.any(detect_contacts(hung, resting) == Contact.FLIGHT)


def test_runs_and_short_runs():
    mask = np.array([0, 0, 1, 1, 0, 1, 1, 1, 0], bool)
    assert runs(mask) == [(2, 4), (5, 8)]
    assert runs(drop_short(mask, 1, value=False)) == [(2, 8)]
    assert runs(drop_short(mask, 2, value=True)) == [(5, 8)]


def test_short_phases_go_and_flights_and_hands_stay():
    contact = np.array([3, 3, 3, 1, 3, 3, 3, 0, 1, 1, 1, 2, 2, 2, 9, 2, 2], np.uint8)
    tidy = without_short_phases(contact)
    assert tidy.tolist() == [3, 3, 3, 3, 3, 3, 3, 0, 1, 1, 1, 2, 2, 2, 9, 2, 2]


def test_sidecar_round_trip_and_override(tmp_path):
    clip = sample_clips()[5]
    path = sidecar_path(tmp_path / "walk.bvh")
    write_events(clip, path, dropped=1)
    events = read_events(path)
    blank = np.zeros(len(clip), np.uint8)
    np.testing.assert_array_equal(events.applied(blank, clip.fps, dropped=1), clip.contact)
    only_left = Events({"left_foot": ((0.0, 0.5),)}).applied(clip.contact, clip.fps)
    np.testing.assert_array_equal(only_left & 2, clip.contact & 2)
    assert np.flatnonzero(only_left & 1).tolist() == list(range(15))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", '"format": "mograph.events"'),
        ('{"format": "mograph.events", "version": 9}', '"version": 1'),
        ('{"format": "mograph.events", "version": 1, "contact": {}}', "unknown field 'contact'"),
        ('{"format": "mograph.events", "version": 1, "contacts": {"tail": []}}', "unknown body part 'tail'"),
        (
            '{"format": "mograph.events", "version": 1, "contacts": {"pelvis": [[2, 1]]}}',
            r"pelvis has the interval \[2, 1\]",
        ),
        ('{"format": "mograph.events", "version": 1, "contacts": {"pelvis": 3}}', "list of \\[start, end\\]"),
        ('{"format": "mograph.events", "version": 1, "tags": "walk"}', "tags must be a list"),
    ],
)
def test_bad_sidecars_get_one_sentence(tmp_path, text, message):
    path = tmp_path / "x.events.json"
    path.write_text(text)
    with pytest.raises(MotionFileError, match=message) as caught:
        read_events(path)
    assert "x.events.json" in str(caught.value)


# captured motion -----------------------------------------------------------------------------------------


def walk_cycles(contact):
    """Cycles from one left support to the next inside a clip: how many alternate as they should, of all."""
    found = phases(contact)
    masks = [int(p.contact) for p in found]
    inner = [k for k in range(1, len(found) - 4) if masks[k] == 1]
    good = [
        k for k in inner if masks[k : k + 4] == [1, 3, 2, 3] and all(len(p) >= 2 for p in found[k : k + 4])
    ]
    return len(good), len(inner)


@pytest.fixture(scope="module")
def captured(cmu):
    """The jumps of subject 118 and the straight walks of subjects 7, 8, 16 and 35, at 30/s."""
    with open(cmu / "manifest.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = [
        row
        for row in rows
        if row["subject"] == "118"
        or (
            row["subject"] in ("7", "8", "16", "35")
            and row["tags"] == "walk"
            and abs(float(row["net_turn_deg"])) < 30
        )
    ]
    subjects = {row["subject"] for row in wanted}  # floors are found from all clips of a subject
    sources = [s for s in find_sources([cmu]) if s.subject in subjects]
    database = import_clips(sources, ImportSettings("cmu")).database
    names = {row["file"].split("/")[1][:-4]: row["subject"] for row in wanted}
    return {name: (subject, database.clip(name)) for name, subject in names.items()}


@pytest.mark.realdata
def test_captured_jumps_have_exactly_one_flight(captured):
    jumps = [clip for subject, clip in captured.values() if subject == "118"]
    assert len(jumps) == 18
    for clip in jumps:
        flights = [p for p in phases(clip.contact) if p.contact == Contact.FLIGHT]
        assert len(flights) == 1, clip.name
        height = kinematics.poses(clip).position[:, 0, 1]
        assert flights[0].start - 1 <= np.argmax(height) <= flights[0].stop, clip.name


@pytest.mark.realdata
def test_captured_walks_alternate(captured):
    counts = np.array([walk_cycles(clip.contact) for subject, clip in captured.values() if subject != "118"])
    good, total = counts.sum(axis=0)
    assert total > 50
    assert good >= 0.95 * total
    for subject, clip in captured.values():
        if subject != "118":
            assert np.all(clip.contact & FEET), f"{clip.name} leaves the ground in a walk"
