"""BVH in and out: against pybvh, through every oddity of real files, and damaged in every way."""

from __future__ import annotations

import numpy as np
import pybvh
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mograph import kinematics, rotations
from mograph.clip import Clip
from mograph.errors import MographError, MotionFileError
from mograph.files import read_clip, write_clip
from mograph.files.bvh import HIERARCHY_LIMIT, read_bvh, write_bvh
from mograph.sample import sample_skeleton

GOOD = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Chest
  {
    OFFSET 0 0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.3 0.1
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 1 0 0 0 0 0 0 0
0.5 1 2 10 20 30 -40 50 60
"""


@pytest.fixture
def moving():
    rng = np.random.default_rng(4)
    skeleton = sample_skeleton()
    steps = rng.normal(0, 0.1, (50, len(skeleton), 3))
    return Clip(skeleton, rng.normal(0, 1, (50, 3)), rotations.exp(np.cumsum(steps, axis=0)), 30.0, "moving")


def write(tmp_path, text, name="a.bvh"):
    path = tmp_path / name
    path.write_text(text)
    return path


def pybvh_positions(path):
    motion = pybvh.read_bvh_file(path, world_up="+y")
    joints = [k for k, node in enumerate(motion.nodes) if not node.is_end_site()]
    ends = [k for k, node in enumerate(motion.nodes) if node.is_end_site()]
    position = motion.node_positions()
    return position[:, joints], position[:, ends]


def test_kinematics_agree_with_pybvh(tmp_path):
    path = write(tmp_path, GOOD)
    poses = kinematics.poses(read_bvh(path))
    joints, ends = pybvh_positions(path)
    np.testing.assert_allclose(poses.position, joints, atol=1e-12)
    np.testing.assert_allclose(poses.end_position, ends, atol=1e-12)


def test_written_motion_reads_back(moving, tmp_path):
    write_clip(moving, tmp_path / "m.bvh")
    back = read_clip(tmp_path / "m.bvh")
    assert back.skeleton.names == moving.skeleton.names
    assert back.fps == 30.0
    np.testing.assert_allclose(
        kinematics.poses(back).position, kinematics.poses(moving).position, atol=1e-5
    )  # six decimals are written
    write_clip(moving, tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_bytes() == (tmp_path / "m.bvh").read_bytes()


def test_units(moving, tmp_path):
    write_bvh(moving, tmp_path / "cm.bvh", unit=0.01)
    assert read_bvh(tmp_path / "cm.bvh", unit=0.01).skeleton.equals(moving.skeleton, 1e-6)


def test_carriage_returns_and_missing_last_newline(tmp_path):
    path = tmp_path / "dos.bvh"
    path.write_bytes(GOOD.rstrip().replace("\n", "\r\n").encode())
    assert len(read_bvh(path)) == 2


def test_positions_on_every_joint_are_read(tmp_path):
    text = GOOD.replace(
        "3 Zrotation Xrotation Yrotation", "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    )
    text = text.replace("0 1 0 0 0 0 0 0 0", "0 1 0 0 0 0 0 0.5 0 0 0 0").replace(
        "-40 50 60", "0 0.5 0 -40 50 60"
    )
    plain = read_bvh(write(tmp_path, GOOD))
    odd = read_bvh(write(tmp_path, text, "odd.bvh"))
    np.testing.assert_allclose(odd.rotation, plain.rotation, atol=1e-9)


def test_a_hinge_with_one_channel_is_read_and_counted(tmp_path):
    text = GOOD.replace("3 Zrotation Xrotation Yrotation", "1 Zrotation")
    text = text.replace("0 1 0 0 0 0 0 0 0", "0 1 0 0 0 0 0").replace("-40 50 60", "50")
    clip = read_bvh(write(tmp_path, text))
    assert clip.skeleton.dof.tolist() == [3, 1]
    np.testing.assert_allclose(rotations.log(clip.rotation[1, 1]), [0, 0, np.radians(50)], atol=1e-9)
    np.testing.assert_allclose(clip.skeleton.axes[1, 0], [0, 0, 1])


def test_root_channels_in_another_order(tmp_path):
    text = GOOD.replace(
        "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation",
        "6 Zrotation Yrotation Xrotation Zposition Xposition Yposition",
    ).replace("0.5 1 2 10 20 30", "10 20 30 2 0.5 1")
    clip = read_bvh(write(tmp_path, text))
    np.testing.assert_allclose(clip.root_position[1], [0.5, 1, 2])
    np.testing.assert_allclose(clip.rotation[1], read_bvh(write(tmp_path, GOOD)).rotation[1], atol=1e-9)


DAMAGED = {
    "empty": ("", "must begin with the word HIERARCHY"),
    "a letter": ("Dear Sir,\nhere is my motion.\n", "must begin with the word HIERARCHY"),
    "truncated in the hierarchy": (GOOD[:200], "no MOTION section anywhere"),
    "truncated in the numbers": (GOOD[:-20], "not a readable BVH file"),
    "a frame too few": (GOOD.replace("Frames: 2", "Frames: 3"), "declares 3 frames"),
    "wrong channel count": (GOOD.replace("CHANNELS 3 Z", "CHANNELS 4 Z"), "announces 4 channels and names 3"),
    "values do not fit": (GOOD.replace("0 1 0 0 0 0 0 0 0", "0 1 0 0 0 0 0 0"), "not a readable BVH file"),
    "not a number": (GOOD.replace("-40 50", "nan 50"), "frame 1, value 7 is nan, not a number"),
    "infinite": (GOOD.replace("0.5 1 2", "inf 1 2"), "frame 1, value 1 is inf, not a number"),
    "a word among the numbers": (GOOD.replace("-40", "forty"), "not a readable BVH file"),
    "zero frames": (GOOD[: GOOD.index("Frames")] + "Frames: 0\nFrame Time: 0.03\n", r"Frame count \(0\)"),
    "no frame time": (GOOD.replace("0.0333333", "0"), r"frame time \(0.0\)"),
    "negative frame time": (GOOD.replace("0.0333333", "-0.03"), "damaged.bvh"),
    "offset not finite": (GOOD.replace("OFFSET 0 0.5 0", "OFFSET 0 nan 0"), "finite"),
    "two joints of a name": (GOOD.replace("Chest", "Hips"), "given twice: Hips"),
    "no channels": (GOOD.replace("CHANNELS", "CANALS"), "no joint has a CHANNELS line"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_files_get_one_sentence(tmp_path, case):
    text, message = DAMAGED[case]
    path = write(tmp_path, text, "damaged.bvh")
    with pytest.raises(MographError, match=message) as caught:
        read_clip(path)
    assert "damaged.bvh" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_gigabyte_of_hierarchy_is_not_read(tmp_path):
    path = tmp_path / "huge.bvh"
    with open(path, "wb") as file:
        file.write(b"HIERARCHY\nROOT Hips ")
        file.truncate(1 << 30)  # a sparse file: one line of a gigabyte
    with pytest.raises(MotionFileError, match=f"no MOTION section in its first {HIERARCHY_LIMIT >> 20} MB"):
        read_bvh(path)


def test_missing_file_folder_and_suffix(tmp_path, moving):
    with pytest.raises(MotionFileError, match=r"cannot read .*none\.bvh: No such file"):
        read_clip(tmp_path / "none.bvh")
    with pytest.raises(MotionFileError, match=r"cannot read .*: Is a directory"):
        (tmp_path / "folder.bvh").mkdir()
        read_clip(tmp_path / "folder.bvh")
    with pytest.raises(MotionFileError, match=r"'\.fbx' is not one of \.bvh, \.amc"):
        read_clip(tmp_path / "a.fbx")
    with pytest.raises(MotionFileError, match=r"'\.mp4' is not one of \.bvh, \.glb"):
        write_clip(moving, tmp_path / "a.mp4")
    with pytest.raises(MographError, match="does not exist"):
        write_clip(moving, tmp_path / "nowhere" / "a.bvh")
    assert [p.name for p in tmp_path.iterdir()] == ["folder.bvh"]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_mutilated_files_are_read_or_refused_never_worse(tmp_path, data):
    text = GOOD.encode()
    for _ in range(data.draw(st.integers(1, 4))):
        a = data.draw(st.integers(0, len(text)))
        b = data.draw(st.integers(a, min(len(text), a + 40)))
        text = text[:a] + data.draw(st.binary(max_size=12)) + text[b:]
    path = tmp_path / "fuzz.bvh"
    path.write_bytes(text)
    try:
        clip = read_clip(path)
    except MographError as error:
        assert "\n" not in str(error)
        assert "fuzz.bvh" in str(error)
    else:
        assert np.isfinite(kinematics.poses(clip).position).all()


@pytest.mark.realdata
def test_real_clips_agree_with_pybvh(cmu):
    for file in ("16/16_11.bvh", "118/118_01.bvh", "107/107_08.bvh"):
        clip = read_bvh(cmu / file)
        np.testing.assert_allclose(kinematics.poses(clip).position, pybvh_positions(cmu / file)[0], atol=1e-9)
