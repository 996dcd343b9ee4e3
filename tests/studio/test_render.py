"""Pictures: every ending writes a file of its kind, whatever the clip, and failures leave nothing behind."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mograph import rotations
from mograph.clip import Clip
from mograph.errors import MographError
from mograph.kinematics import poses
from mograph.skeleton import Skeleton
from studio.camera import VIEWS, camera, travel_direction
from studio.render import SUFFIXES, contact_timeline, render
from studio.stick_figure import LEFT, RIGHT, TRUNK, facing, stick_figure
from studio.strip_layout import lay_out

NAMES = ("Hips", "Spine", "Neck", "Head")
LIMBS = ("UpLeg", "Leg", "Foot", "ToeBase", "Shoulder", "Arm", "ForeArm", "Hand")


def person() -> Skeleton:
    """A plain figure of 1.7 m with the joints every format has."""
    names = list(NAMES)
    parents = [-1, 0, 1, 2]
    offsets = [[0, 0, 0], [0, 0.25, 0], [0, 0.28, 0], [0, 0.1, 0]]
    for side, sign in (("Left", 1), ("Right", -1)):
        first = len(names)
        names += [side + limb for limb in LIMBS]
        parents += [0, first, first + 1, first + 2, 1, first + 4, first + 5, first + 6]
        offsets += [[0.09 * sign, 0, 0], [0, -0.42, 0], [0, -0.4, 0], [0, -0.07, 0.13]]
        offsets += [[0.05 * sign, 0.22, 0], [0.12 * sign, 0, 0], [0, -0.28, 0], [0, -0.25, 0]]
    toes = [names.index("LeftToeBase"), names.index("RightToeBase")]
    return Skeleton(tuple(names), parents, offsets, [3, *toes], [[0, 0.2, 0], [0, 0, 0.07], [0, 0, 0.07]])


def walking(frames: int = 45, speed: float = 1.3, fps: float = 30.0, contact: bool = True) -> Clip:
    """Legs swinging like scissors while the root glides along +X; contacts by turns with a short flight."""
    skeleton = person()
    time = np.arange(frames) / fps
    rotation = rotations.identity(frames, len(skeleton))
    rotation[:, 0] = rotations.from_yaw(np.pi / 2)
    swing = 0.5 * np.sin(2 * np.pi * time)
    rotation[:, skeleton.joint("left_hip")] = rotations.from_axis_angle([1.0, 0, 0], swing)
    rotation[:, skeleton.joint("right_hip")] = rotations.from_axis_angle([1.0, 0, 0], -swing)
    root = np.stack([speed * time, np.full(frames, 0.89), np.zeros(frames)], axis=1)
    mask = np.array([1, 1, 1, 3, 2, 2, 2, 0], np.uint8)[(8 * time).astype(int) % 8]
    return Clip(skeleton, root, rotation, fps, name="test walk", contact=mask if contact else None)


def embedded(page: str) -> dict:
    found = re.search(r'<script type="application/json" id="clip">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def embedded_positions(data: dict) -> np.ndarray:
    levels = np.frombuffer(base64.b64decode(data["positions"]), "<u2")
    points = levels.reshape(data["frames"], data["points"], 3)
    return np.array(data["low"]) + np.array(data["step"]) * points


@pytest.mark.parametrize("view", VIEWS)
def test_strip_is_a_png_of_the_size_asked_for(tmp_path: Path, view: str) -> None:
    path = render(walking(), tmp_path / "walk.png", view=view, size=(1200, 900))
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert image.size == (1200, 900)
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3).astype(int)
    blue, orange = pixels[:, 2] - pixels[:, 0], pixels[:, 0] - pixels[:, 2]
    assert (blue > 100).sum() > 500  # both sides of the body are in the picture
    assert (orange > 100).sum() > 500


def test_strip_puts_travelling_poses_in_their_real_places() -> None:
    clip = walking(frames=90)
    points = stick_figure(clip).points
    look = camera("side", travel_direction(clip, points))
    layout = lay_out(clip, look, points, "side", None)
    assert not layout.in_place
    assert np.all(layout.shift == 0)
    assert layout.high[0] - layout.low[0] > np.ptp(clip.root_position[:, 0])


def test_strip_spreads_poses_of_a_clip_in_place() -> None:
    clip = walking(frames=60, speed=0.0)
    points = stick_figure(clip).points
    look = camera("side", travel_direction(clip, points))
    layout = lay_out(clip, look, points, "side", 6)
    assert layout.in_place
    assert len(layout.frames) == 6
    assert layout.frames[0] == 0
    assert layout.frames[-1] == 59
    steps = np.diff(layout.shift[:, 0])
    widest = np.ptp(look.project(points)[0][..., 0])
    assert np.all(steps > 0.8 * widest)  # side by side, not on top of each other


def test_a_side_view_sees_travel_from_left_to_right() -> None:
    for turn in (0.0, 1.0, 2.5, -2.0):
        clip = walking().transformed(turn)
        points = stick_figure(clip).points
        direction = travel_direction(clip, points)
        np.testing.assert_allclose(direction, [np.cos(turn), -np.sin(turn)], atol=1e-6)
        flat, _ = camera("side", direction).project(clip.root_position)
        assert np.all(np.diff(flat[:, 0]) > 0)
        np.testing.assert_allclose(flat[:, 1], clip.root_position[:, 1], atol=1e-12)  # heights stay true
        np.testing.assert_allclose(facing(clip, points), np.tile(direction, (len(clip), 1)), atol=1e-6)


@pytest.mark.parametrize("view", VIEWS)
def test_cameras_are_right_handed_and_do_not_mirror(view: str) -> None:
    look = camera(view, np.array([0.6, 0.8]), tilt=0.1)
    np.testing.assert_allclose(np.cross(look.right, look.up), look.toward, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm([look.right, look.up], axis=1), 1.0)


def test_figure_knows_left_from_right() -> None:
    clip = walking()
    drawn = stick_figure(clip)
    names = np.array([*clip.skeleton.names, "tip", "tip", "tip"])
    child = names[drawn.bones[:, 1]]
    middle = {"Spine", "Neck", "Head"}  # and the bones that lead from the middle to a limb's first joint
    roots = {side + limb for side in ("Left", "Right") for limb in ("UpLeg", "Shoulder")}
    assert {str(n) for n in child[drawn.side == TRUNK]} == middle | roots
    for number, side in ((LEFT, "Left"), (RIGHT, "Right")):
        limbs = {str(n) for n in child[drawn.side == number] if n != "tip"}
        assert limbs == {side + limb for limb in LIMBS} - roots
    above_neck = drawn.points[:, drawn.head, 1] > drawn.points[:, clip.skeleton.joint("head"), 1]
    assert above_neck.all()


def test_the_heel_strike_is_kept_apart_from_sliding() -> None:
    clip = walking(frames=40, speed=0.0)
    rotation = rotations.identity(40, len(clip.skeleton))
    tilt = np.append(np.linspace(-0.8, 0.0, 10), np.zeros(30))  # toes up at first, then flat
    rotation[:, clip.skeleton.joint("left_ankle")] = rotations.from_axis_angle([1.0, 0, 0], tilt)
    (mark,) = stick_figure(clip.with_(rotation=rotation, contact=np.ones(40, np.uint8))).marks
    height = -0.07 * np.cos(tilt) - 0.13 * np.sin(tilt)  # of the toes over the ankle
    assert (mark.start, mark.stop, mark.up) == (0, 40, 40)
    assert mark.down == np.flatnonzero(height < height.min() + 0.02)[0] > 0


def test_gif_plays_in_real_time(tmp_path: Path) -> None:
    clip = walking(frames=61)  # two seconds
    path = render(clip, tmp_path / "walk.gif", size=(240, 200))
    with Image.open(path) as image:
        assert image.format == "GIF"
        assert image.size == (240, 200)
        total, first = 0, None
        for frame in range(image.n_frames):
            image.seek(frame)
            total += image.info["duration"]
            first = first or image.convert("RGB").tobytes()
        assert image.convert("RGB").tobytes() != first
        assert image.n_frames == 41  # 20 per second and the one at time 0
    assert total == pytest.approx(41 * 50)


def test_gif_of_five_seconds_stays_small(tmp_path: Path) -> None:
    path = render(walking(frames=151), tmp_path / "walk.gif")
    assert path.stat().st_size < 3_000_000


def test_page_holds_the_joint_positions_and_asks_nothing_of_the_net(tmp_path: Path) -> None:
    clip = walking()
    page = render(clip, tmp_path / "walk.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|//[a-z]+\.|@import|<link|src=|url\(|fetch\(|XMLHttpRequest", page)
    assert "{{" not in page
    data = embedded(page)
    assert data["frames"] == len(clip)
    assert data["fps"] == clip.fps
    decoded = embedded_positions(data)
    joints = len(clip.skeleton)
    np.testing.assert_allclose(decoded[:, :joints], poses(clip).position, atol=5e-5)
    np.testing.assert_allclose(decoded[:, joints : joints + 3], poses(clip).end_position, atol=5e-5)
    assert np.array_equal(np.frombuffer(base64.b64decode(data["contact"]), np.uint8), clip.contact)


def test_page_marks_are_the_runs_of_the_contact_mask(tmp_path: Path) -> None:
    clip = walking()
    data = embedded(render(clip, tmp_path / "walk.html").read_text(encoding="utf-8"))
    mask = np.zeros(len(clip), int)
    for part, start, stop, *_ in data["marks"]:
        assert np.all(mask[start:stop] & (1 << part) == 0)
        mask[start:stop] |= 1 << part
    assert np.array_equal(mask, clip.contact)


def test_a_name_with_markup_stays_text(tmp_path: Path) -> None:
    name = "</script><b>&{{clip}}"
    page = render(walking(3).with_(name=name), tmp_path / "x.html").read_text(encoding="utf-8")
    assert embedded(page)["name"] == name
    assert "<b>" not in page
    assert page.count('"positions"') == 1


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "clip",
    [
        walking(frames=1),
        walking(frames=2),
        walking(frames=1, contact=False),
        walking(contact=False),
        walking(10).with_(contact=np.full(10, 31, np.uint8)),
        walking(10).with_(contact=np.zeros(10, np.uint8)),
        Clip(
            Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]]),
            np.zeros((4, 3)),
            rotations.identity(4, 2),
            30,
        ),
    ],
    ids=[
        "one frame",
        "two frames",
        "one frame, no contacts",
        "no contacts",
        "all touch",
        "flight",
        "no roles",
    ],
)
def test_any_clip_can_be_drawn_and_twice_the_same(tmp_path: Path, suffix: str, clip: Clip) -> None:
    first = render(clip, tmp_path / f"one{suffix}").read_bytes()
    second = render(clip, tmp_path / f"two{suffix}").read_bytes()
    assert first == second
    assert len(first) > 500
    if suffix != ".html":
        with Image.open(tmp_path / f"one{suffix}") as image:
            image.load()


@pytest.mark.parametrize(
    ("path", "options", "words"),
    [
        ("walk.mp4", {}, ".png, .gif or .html"),
        ("walk", {}, ".png, .gif or .html"),
        ("missing/walk.png", {}, "no folder"),
        ("walk.png", {"view": "below"}, "side, front, top, three_quarter"),
        ("walk.html", {"view": "below"}, "side, front, top, three_quarter"),
        ("walk.png", {"poses": 0}, "one is the least"),
        ("walk.png", {"size": (300, 100)}, "does not fit 300 by 100 pixels"),
        ("walk.gif", {"size": (50, 50)}, "does not fit 50 by 50 pixels"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(
    tmp_path: Path, path: str, options: dict, words: str
) -> None:
    with pytest.raises(MographError) as caught:
        render(walking(5), tmp_path / path, **options)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_target_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "walk.html").mkdir()
    with pytest.raises(MographError, match=r"cannot write .*walk\.html"):
        render(walking(3), tmp_path / "walk.html")
    assert [p.name for p in tmp_path.iterdir()] == ["walk.html"]


@pytest.mark.parametrize("count", [1, 3, 63])
def test_contact_timeline_has_a_row_per_clip(tmp_path: Path, count: int) -> None:
    clips = [walking(20 + k).with_(name=f"clip {k}", tags=("walk",)) for k in range(count)]
    clips[-1] = clips[-1].with_(contact=None, tags=())
    path = contact_timeline(clips, tmp_path / "contacts.png", title="all of it")
    with Image.open(path) as image:
        height = image.size[1]
        pixels = np.asarray(image.convert("RGB")).astype(int)
    blue = (pixels[..., 2] - pixels[..., 0] > 120).any(axis=1)
    bands = int(np.sum(np.diff(blue.astype(int)) == 1))
    assert bands == min(count - 1, 60) + 1  # a row for each with contacts, of sixty at most, and the key
    assert height < 3000


def test_contact_timeline_refuses_other_endings(tmp_path: Path) -> None:
    with pytest.raises(MographError, match=r"must end in \.png"):
        contact_timeline([walking(5)], tmp_path / "contacts.gif")


def test_import_is_light() -> None:
    code = "import sys, studio.render; print([m for m in ('matplotlib', 'PIL', 'numba') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.realdata
def test_real_clips_have_knees_that_bend_forward_in_the_picture(cmu: Path, tmp_path: Path) -> None:
    from mograph.files import read_clip

    clip = read_clip(cmu / "16" / "16_11.bvh", unit=0.056444)
    clip = clip.cut(1, len(clip))  # the first frame is the rest pose
    drawn = stick_figure(clip)
    flat, _ = camera("side", travel_direction(clip, drawn.points)).project(drawn.points)
    for side in ("left", "right"):
        hip, knee, ankle = (flat[:, clip.skeleton.joint(f"{side}_{j}"), 0] for j in ("hip", "knee", "ankle"))
        assert np.mean(knee - (hip + ankle) / 2) > 0.01
    assert render(clip, tmp_path / "walk.png").stat().st_size > 10_000
