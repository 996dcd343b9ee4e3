"""ASF/AMC against the BVH twins of the same captures, against scipy on a small figure, and against damage."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pybvh
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mograph import kinematics
from mograph.errors import MotionFileError
from mograph.files.asf_amc import asf_limits, read_amc, read_asf

ASF = """# a figure of five bones
:version 1.10
:name small
:units
  mass 1.0
  length 0.5
  angle deg
:documentation
  begin with a note: nothing here is data
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name stem
     direction 0 1 0
     length 4
     axis 10 -20 30  XYZ
    dof rx ry rz
    limits (-20.0 45.0)
           (-30.0 30.0)
           (-inf inf)
  end
  begin
     id 2
     name arm
     direction 0.6 0.8 0
     length 2.5
     axis 0 40 0 XYZ
    dof rx rz
    limits (-45.0 90.0)
           (-70.0, 20.0)
  end
  begin
     id 3
     name finger
     direction 1 0 0
     length 0.5
     axis -90 0 20 ZYX
    dof ry
  end
  begin
     id 4
     name hip
     direction 0 -1 0
     length 1
  end
  begin
     id 5
     name leg
     direction 0 -1 0.2
     length 3
     axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
:hierarchy
  begin
    root hip stem
    stem arm
    arm finger
    hip leg
  end
"""

AMC = """#!OML:ASF small.ASF
:FULLY-SPECIFIED
:DEGREES
1
root 0.5 10 -2 5 10 15
stem 1 2 3
arm 20 -30
finger 40
leg 25
2
root 0.6 10.5 -2.5 6 12 18
stem -10 20 -30
arm 1e1 -3E+1
finger 4.0e-3
leg -5
3
root 0.7 11 -3 -170 80 100
stem 0 0 0
arm 0 0
finger 0
leg 90   # bent
"""

# direction times length, axis angles and their order, turned axes: the figure above, as numbers
FIGURE = {
    "stem": (None, [0, 4, 0], "xyz", [10, -20, 30], "xyz"),
    "arm": ("stem", [1.5, 2, 0], "xyz", [0, 40, 0], "xz"),
    "finger": ("arm", [0.5, 0, 0], "zyx", [20, 0, -90], "y"),
    "hip": (None, [0, -1, 0], "xyz", [0, 0, 0], ""),
    "leg": ("hip", 3 * np.array([0, -1, 0.2]) / np.sqrt(1.04), "xyz", [0, 0, 20], "x"),
}
FRAMES = [
    {
        "root": [0.5, 10, -2, 5, 10, 15],
        "stem": [1, 2, 3],
        "arm": [20, -30],
        "finger": [40],
        "leg": [25],
    },
    {
        "root": [0.6, 10.5, -2.5, 6, 12, 18],
        "stem": [-10, 20, -30],
        "arm": [10, -30],
        "finger": [0.004],
        "leg": [-5],
    },
    {"root": [0.7, 11, -3, -170, 80, 100], "stem": [0, 0, 0], "arm": [0, 0], "finger": [0], "leg": [90]},
]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "small.asf").write_text(ASF)
    (tmp_path / "small_01.amc").write_text(AMC)
    return tmp_path


def matrix(order: str, degrees: list[float]) -> np.ndarray:
    """Turns about fixed axes, the first first: scipy's small letters."""
    return Rotation.from_euler(order, degrees, degrees=True).as_matrix() if order else np.eye(3)


def figure_at(frame: dict[str, list[float]]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Start and end of every bone of the figure by the definition of the format, in file units."""
    root = np.array(frame["root"][:3])
    turned = {None: matrix("xyz", frame["root"][3:])}
    start, end = {}, {None: root}
    for name, (parent, extent, order, angles, dof) in FIGURE.items():
        axis = matrix(order, angles)
        turned[name] = turned[parent] @ axis @ matrix(dof, frame.get(name, [])) @ axis.T
        start[name] = end[parent]
        end[name] = start[name] + turned[name] @ np.asarray(extent, float)
    return start, end


def test_a_small_figure_stands_where_the_definition_puts_it(small: Path) -> None:
    clip = read_amc(small / "small_01.amc", unit=1.0)
    assert clip.skeleton.names == ("root", "hip", "leg", "stem", "arm", "finger")
    assert (clip.name, clip.subject, clip.fps, len(clip)) == ("small_01", "small", 120.0, 3)
    poses = kinematics.poses(clip)
    tips = [clip.skeleton.names[j] for j in clip.skeleton.end_parents]
    assert tips == ["leg", "finger"]
    for t, frame in enumerate(FRAMES):
        start, end = figure_at(frame)
        for name, point in start.items():
            joint = clip.skeleton.names.index(name)
            np.testing.assert_allclose(poses.position[t, joint], point, atol=1e-12)
        np.testing.assert_allclose(poses.end_position[t], [end[name] for name in tips], atol=1e-12)


def test_one_unit_is_an_inch_over_the_length_entry(small: Path) -> None:
    metres, units = read_asf(small / "small.asf"), read_asf(small / "small.asf", unit=1.0)
    np.testing.assert_allclose(metres.offsets, units.offsets * 0.0254 / 0.5)
    clip = read_amc(small / "small_01.amc")
    np.testing.assert_allclose(clip.root_position[0], np.array([0.5, 10, -2]) * 0.0508)
    with pytest.raises(MotionFileError, match="above 0"):
        read_asf(small / "small.asf", unit=0.0)


def test_free_axes_are_those_a_joint_turns_about(small: Path) -> None:
    """Turning one dof alone leaves its axis where it is: the rotation's own axis must be that row."""
    skeleton = read_asf(small / "small.asf")
    assert dict(zip(skeleton.names, skeleton.dof.tolist(), strict=True)) == {
        "root": 3,
        "hip": 0,
        "leg": 1,
        "stem": 3,
        "arm": 2,
        "finger": 1,
    }
    identity = np.broadcast_to(np.eye(3), (6, 3, 3))
    np.testing.assert_allclose(skeleton.axes @ skeleton.axes.transpose(0, 2, 1), identity, atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(skeleton.axes), 1.0)  # right-handed
    rest = "\n1\nroot 0 0 0 0 0 0\n"
    for name, count in (("arm", 2), ("finger", 1), ("leg", 1), ("stem", 3)):
        for k in range(count):
            values = " ".join("30" if i == k else "0" for i in range(count))
            (small / "small_02.amc").write_text(f":DEGREES{rest}{name} {values}\n")
            clip = read_amc(small / "small_02.amc")
            joint = skeleton.names.index(name)
            turn = Rotation.from_quat(clip.rotation[0, joint], scalar_first=True).as_rotvec()
            np.testing.assert_allclose(turn, np.deg2rad(30) * skeleton.axes[joint, k], atol=1e-12)


def test_limits_are_radians_by_name(small: Path) -> None:
    limits = asf_limits(small / "small.asf")
    np.testing.assert_allclose(limits["arm"], np.deg2rad([[-45, 90], [-70, 20]]))
    np.testing.assert_allclose(limits["stem"][:2], np.deg2rad([[-20, 45], [-30, 30]]))
    assert limits["stem"][2].tolist() == [-np.inf, np.inf]
    assert limits["finger"].tolist() == [[-np.inf, np.inf]]
    assert limits["hip"].shape == (0, 2)


def test_radians_line_ends_and_other_channel_orders(small: Path) -> None:
    expected = read_amc(small / "small_01.amc")
    (small / "small_02.amc").write_bytes(b"\xef\xbb\xbf" + AMC.replace("\n", "\r\n").encode())
    windows = read_amc(small / "small_02.amc")
    np.testing.assert_array_equal(windows.rotation, expected.rotation)

    radians = [":RADIANS"]
    for number, frame in enumerate(FRAMES, 7):  # the first frame may have any number
        radians.append(str(number))
        for name, values in frame.items():
            fixed = 3 if name == "root" else 0
            turned = np.deg2rad(values[fixed:]).tolist()
            if name == "root":  # the other order of the root's channels, z first in the line but last applied
                turned, values = turned[:], [values[2], values[0], values[1]]
            radians.append(" ".join([name, *map(repr, [*values[:fixed], *turned])]))
    (small / "other.asf").write_text(
        ASF.replace("order TX TY TZ RX RY RZ", "order tz tx ty rx ry rz").replace("# a", "# ")
    )
    (small / "other_01.amc").write_text("\n".join(radians))
    other = read_amc(small / "other_01.amc")
    np.testing.assert_allclose(other.rotation, expected.rotation, atol=1e-12)
    np.testing.assert_allclose(other.root_position, expected.root_position, atol=1e-12)


def test_the_skeleton_is_found_beside_or_asked_for(small: Path) -> None:
    (small / "lone.amc").write_text(AMC)
    assert read_amc(small / "lone.amc").subject == "small"  # the only one in the folder
    (small / "second.asf").write_text(ASF)
    with pytest.raises(MotionFileError, match=r"lone\.asf is not beside it and the folder has 2 ASF files"):
        read_amc(small / "lone.amc")
    assert read_amc(small / "lone.amc", small / "second.asf").subject == "second"
    with pytest.raises(MotionFileError, match=r"nowhere_01\.amc cannot be read: No such file"):
        read_amc(small / "nowhere_01.amc")
    with pytest.raises(MotionFileError, match="cannot be read: Is a directory"):
        read_asf(small)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("arm 1e1 -3E+1", "arm 1e1", r"line 13: 'arm' has 1 values; its skeleton gives it 2"),
        ("arm 1e1 -3E+1", "arm 1e1 2 3", r"line 13: 'arm' has 3 values"),
        ("arm 1e1 -3E+1", "arm 1e1 nan", r"line 13: a value of 'arm' is 'nan'; it must be a finite number"),
        ("arm 1e1 -3E+1", "arm 1e1 1e999", r"line 13: a value of 'arm' is '1e999'"),
        ("arm 1e1 -3E+1", "arm 1e1 1_0", r"line 13: a value of 'arm' is '1_0'"),
        ("arm 1e1 -3E+1", "arm 1e1 1,5", r"line 13: a value of 'arm' is '1,5'"),
        ("arm 1e1 -3E+1\n", "", r"line 13: frame 2 has 'finger' where the first frame has 'arm'"),
        ("arm 1e1 -3E+1", "wing 1 2", r"line 13: frame 2 has 'wing' where the first frame has 'arm'"),
        ("arm 20 -30", "wing 20 -30", r"line 7: 'wing' is not a bone of .*small.asf"),
        ("arm 20 -30", "arm 20", r"line 7: 'arm' has 1 values; its skeleton gives it 2"),
        ("arm 20 -30", "stem 1 2 3", r"line 7: 'stem' comes twice in one frame"),
        ("arm 20 -30\n", "", r"line 8: the first frame ends without 'arm'"),
        ("root 0.5 10 -2 5 10 15\n", "", r"line 8: the first frame ends without 'root'"),
        ("\n3\n", "\n5\n", r"line 16: frame 5 follows frame 2; frames must count up by one"),
        ("\n3\n", "\n2\n", r"line 16: frame 2 follows frame 2"),
        ("\n3\n", "\n", r"line 16: 'root' stands where the number of frame 3 was expected"),
        ("finger 0\nleg 90", "", r"line 19: the file ends within frame 3, before 'finger'; it is cut short"),
        ("leg 90", "leg", r"line 21: 'leg' has 0 values"),
        (":DEGREES", "DEGREES", r"line 3: 'DEGREES' stands where the first frame number was expected"),
        (AMC[AMC.index("1\nroot") :], "", "has no frames"),
        (AMC, "", "has no frames"),
        (AMC, "\x00\xff\x01PNG" * 99, r"line 1: .{40,400}…' stands where"),
        ("arm 20 -30", "arm" + " 1" * 100_000, r"line 7: 'arm' has 100000 values"),
        ("arm 1e1 -3E+1", "arm 1 " + "x" * 100_000, r"line 13: a value of 'arm' is 'x{40}…'"),
    ],
)
def test_a_faulty_motion_is_refused_in_one_sentence(small: Path, old: str, new: str, sentence: str) -> None:
    assert old in AMC
    (small / "small_01.amc").write_text(AMC.replace(old, new, 1))
    with pytest.raises(MotionFileError, match=sentence) as caught:
        read_amc(small / "small_01.amc")
    assert "small_01.amc" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("length 2.5", "length two", r"line 31: the length is 'two'; it must be a finite number"),
        ("length 2.5", "length -2.5", r"line 31: the length is -2.5; it must be 0 or more"),
        ("length 2.5", "length", r"line 31: the length is ''"),
        ("direction 0.6 0.8 0", "direction 0.6 0.8", r"line 30: the direction has 2 numbers; it needs three"),
        ("direction 0.6 0.8 0", "direction 0 0 0", r"line 27: bone 'arm' has a length but no direction"),
        ("axis 0 40 0 XYZ", "axis 0 40 0 XXZ", r"line 32: the axis order is 'XXZ'"),
        ("dof rx rz", "dof rx tz", r"line 33: the dof entry has 'tz'; bones may have rx, ry, rz once each"),
        ("dof rx rz", "dof rx rx", r"line 33: the dof entry has 'rx'"),
        ("dof rx rz", "dof rx", r"line 27: 'arm' has 4 limits for 1 dof; it needs two each"),
        ("name arm", "name stem", r"line 27: the bone that begins here is named 'stem'"),
        ("name arm", "name", r"line 27: the bone that begins here is named ''"),
        ("name arm", "name my arm", r"the bone name 'my arm' has spaces"),
        ("    stem arm\n", "", r"bone 'arm' does not hang on the root"),
        ("    stem arm\n", "    stem wing\n", r"the hierarchy names 'wing', which :bonedata does not have"),
        ("    hip leg\n", "    hip leg arm\n", r"'arm' is given a second parent"),
        ("    root hip stem\n", "    root hip\n    finger stem\n", r"does not hang on the root"),
        ("length 0.5\n  angle", "length 0\n  angle", r"line 6: the length unit is 0; it must be above 0"),
        ("angle deg", "angle grad", r"line 7: the angle unit is 'grad'; it must be deg or rad"),
        ("order TX TY TZ RX RY RZ", "order TX TY TX", r"line 11: the root's order is 'TX TY TX'"),
        ("orientation 0 0 0", "orientation 0 90 0", r"line 14: the root's orientation is 0 90 0"),
        (":bonedata", ":bones", r"has no :bonedata section"),
        (ASF[ASF.index(":hierarchy") :], "", r"has no :hierarchy section"),
        (ASF[ASF.index("    dof rx rz") : ASF.index(":hierarchy")], "", r"line 27: the bone .* has no end"),
        (ASF, "", r"has no :root section"),
        (ASF, "\x89PNG\r\n\x1a\n\x00\x00", r"line 1: .* stands before any section"),
    ],
)
def test_a_faulty_skeleton_is_refused_in_one_sentence(small: Path, old: str, new: str, sentence: str) -> None:
    assert old in ASF
    (small / "small.asf").write_text(ASF.replace(old, new, 1))
    with pytest.raises(MotionFileError, match=sentence) as caught:
        read_amc(small / "small_01.amc")
    assert "small.asf" in str(caught.value)
    assert "\n" not in str(caught.value)


_PIECES = st.sampled_from(
    ["nan", "-", "1e400", "\n", "2\n", ":root", "begin", "end", "arm", "#", "(", "é", "\x00"]
)


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """A text cut short, or with some places cut out, doubled, or overwritten."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 60)))
        match draw(st.sampled_from(["cut", "remove", "double", "overwrite", "insert"])):
            case "cut":
                text = text[:start]
            case "remove":
                text = text[:start] + text[stop:]
            case "double":
                text = text[:stop] + text[start:]
            case "overwrite":
                text = text[:start] + draw(st.text(max_size=8)) + text[start + 1 :]
            case "insert":
                text = text[:start] + f" {draw(_PIECES)} " + text[start:]
    return text


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(skeleton=st.one_of(st.just(ASF), damaged(ASF)), motion=st.one_of(st.just(AMC), damaged(AMC)))
def test_damaged_files_give_a_sound_clip_or_a_file_error(tmp_path: Path, skeleton: str, motion: str) -> None:
    (tmp_path / "f.asf").write_text(skeleton, encoding="utf-8", errors="replace", newline="")
    (tmp_path / "f_1.amc").write_text(motion, encoding="utf-8", errors="replace", newline="")
    try:
        clip = read_amc(tmp_path / "f_1.amc")
    except MotionFileError as error:
        message = str(error)
    else:
        message = str(tmp_path)
        assert np.isfinite(clip.root_position).all()
        np.testing.assert_allclose(np.linalg.norm(clip.rotation, axis=-1), 1.0, atol=1e-9)
    assert "\n" not in message
    assert str(tmp_path) in message


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noise=st.binary(max_size=200))
def test_bytes_of_no_format_are_refused(tmp_path: Path, noise: bytes) -> None:
    (tmp_path / "f.asf").write_bytes(noise)
    with pytest.raises(MotionFileError):
        read_asf(tmp_path / "f.asf")


TWINS = {
    "Hips": "root",
    "LeftUpLeg": "lfemur",
    "LeftLeg": "ltibia",
    "LeftFoot": "lfoot",
    "LeftToeBase": "ltoes",
    "RightUpLeg": "rfemur",
    "RightLeg": "rtibia",
    "RightFoot": "rfoot",
    "RightToeBase": "rtoes",
    "LowerBack": "lowerback",
    "Spine": "upperback",
    "Spine1": "thorax",
    "Neck": "lowerneck",
    "Neck1": "upperneck",
    "Head": "head",
    "LeftShoulder": "lclavicle",
    "LeftArm": "lhumerus",
    "LeftForeArm": "lradius",
    "LeftHand": "lwrist",
    "RightShoulder": "rclavicle",
    "RightArm": "rhumerus",
    "RightForeArm": "rradius",
    "RightHand": "rwrist",
}
CLIPS = ["02_01", "09_01", "127_25", "127_29", "16_05", "16_17", "16_35", "49_04"]


@pytest.mark.realdata
@pytest.mark.parametrize("name", CLIPS)
def test_the_bvh_twin_has_its_joints_in_the_same_places(cmu: Path, name: str) -> None:
    """Within 0.1 mm; frame 0 of the BVH is an added T-pose and its chest bone has to be put back."""
    clip = read_amc(cmu / "asfamc" / f"{name}.amc")
    twin = pybvh.read_bvh_file(cmu / name.split("_")[0] / f"{name}.bvh")
    with open(cmu / "subjects.csv", newline="") as table:
        subjects = {row["subject"]: row for row in csv.DictReader(table)}
    row = subjects[str(int(clip.subject))]
    for node in twin.nodes:
        if node.name in ("Neck", "LeftShoulder", "RightShoulder"):
            node.offset = np.array([float(row[f"thorax_{axis}"]) for axis in "xyz"])
    expected = pybvh.frames_to_node_positions(twin, centered="world")[1:] * 0.0254 / 0.45
    assert len(clip) == len(expected)
    places = {node.name: k for k, node in enumerate(twin.nodes)}
    ours = kinematics.poses(clip).position[:, [clip.skeleton.names.index(bone) for bone in TWINS.values()]]
    theirs = expected[:, [places[joint] for joint in TWINS]]
    assert np.abs(ours - theirs).max() < 1e-4
    tip = list(clip.skeleton.end_parents).index(clip.skeleton.names.index("ltoes"))
    error = kinematics.poses(clip).end_position[:, tip] - expected[:, places["EndSiteLeftToeBase"]]
    assert np.abs(error).max() < 1e-4


@pytest.mark.realdata
def test_real_skeletons_have_every_role_and_plausible_limits(cmu: Path) -> None:
    for path in sorted((cmu / "asfamc").glob("*.asf")):
        skeleton = read_asf(path)
        assert skeleton.has("hips", "spine", "chest", "neck", "head", "left_wrist", "right_toe")
        assert 1.4 < skeleton.height < 2.0
        limits = asf_limits(path)
        assert all(limits[n].shape == (d, 2) for n, d in zip(skeleton.names, skeleton.dof, strict=True))
        assert all(np.all(limit[:, 0] <= limit[:, 1]) for limit in limits.values())
