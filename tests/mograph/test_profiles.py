"""Sources put right: units, axes and facing guessed, CMU files repaired."""

from __future__ import annotations

import numpy as np
import pytest

from mograph import kinematics, rotations
from mograph.degrees_of_freedom import with_measured_dof
from mograph.errors import MographError
from mograph.files.bvh import write_bvh
from mograph.profiles import CMU_UNIT, load_clip
from mograph.sample import sample_clips


@pytest.fixture(scope="module")
def walk():
    return next(c for c in sample_clips() if c.name == "walk_1.4")


@pytest.mark.parametrize(
    ("unit", "words"),
    [(1.0, None), (0.01, "centimetres"), (0.001, "millimetres"), (0.0254, "inches"), (CMU_UNIT, "CMU")],
)
def test_units_are_guessed_and_told(walk, tmp_path, unit, words):
    write_bvh(walk, tmp_path / "walk.bvh", unit)
    loaded = load_clip(tmp_path / "walk.bvh")
    np.testing.assert_allclose(loaded.clip.root_position, walk.root_position, atol=1e-4)
    assert (words is None) == (loaded.notes == ())
    if words:
        assert words in loaded.notes[0]


@pytest.mark.parametrize(
    "change",
    [
        rotations.from_axis_angle([1.0, 0, 0], np.pi / 2),  # Z up
        rotations.from_axis_angle([0, 1.0, 0], np.pi),  # rest pose faces -Z
        rotations.exp([0, -np.pi / 2, 0]),  # faces -X
    ],
)
def test_axes_are_guessed_and_told(walk, tmp_path, change):
    """The whole file in other axes: world, offsets and rotations turned alike."""
    from dataclasses import replace

    skeleton = walk.skeleton
    turned = replace(
        skeleton,
        offsets=rotations.rotate(change, skeleton.offsets),
        end_offsets=rotations.rotate(change, skeleton.end_offsets),
    )
    rotation = rotations.multiply(rotations.multiply(change, walk.rotation), rotations.inverse(change))
    other = walk.with_(
        skeleton=turned, rotation=rotation, root_position=rotations.rotate(change, walk.root_position)
    )
    write_bvh(other, tmp_path / "turned.bvh")
    loaded = load_clip(tmp_path / "turned.bvh")
    assert loaded.notes
    np.testing.assert_allclose(loaded.clip.skeleton.offsets, skeleton.offsets, atol=1e-5)
    position = kinematics.poses(loaded.clip.faced()).position
    np.testing.assert_allclose(position, kinematics.poses(walk.faced()).position, atol=1e-4)


def test_unknown_profile_is_named(tmp_path):
    with pytest.raises(MographError, match="unknown profile 'vicon'; profiles are: auto, cmu"):
        load_clip(tmp_path / "a.bvh", "vicon")


@pytest.mark.realdata
def test_cmu_bvh_agrees_with_the_amc_originals(cmu):
    """Every joint that both have, all eight clips, after the chest bone is put back."""
    twins = {
        "LeftUpLeg": "lfemur", "LeftLeg": "ltibia", "LeftFoot": "lfoot", "LeftToeBase": "ltoes",
        "RightUpLeg": "rfemur", "RightLeg": "rtibia", "RightFoot": "rfoot", "RightToeBase": "rtoes",
        "Neck": "lowerneck", "Head": "head", "LeftArm": "lhumerus", "LeftForeArm": "lradius",
        "LeftHand": "lwrist", "RightArm": "rhumerus", "RightForeArm": "rradius", "RightHand": "rwrist",
    }  # fmt: skip
    files = sorted((cmu / "asfamc").glob("*.amc"))
    assert len(files) == 8
    for file in files:
        original = load_clip(file, "cmu").clip
        clip = load_clip(cmu / file.stem.split("_")[0] / f"{file.stem}.bvh", "cmu").clip
        frames = min(len(original), len(clip))
        a, b = kinematics.poses(clip).position, kinematics.poses(original).position
        for ours, theirs in twins.items():
            gap = (
                a[:frames, clip.skeleton.names.index(ours)]
                - b[:frames, original.skeleton.names.index(theirs)]
            )
            # single frames may differ where a spike was repaired in one of them
            assert np.percentile(np.linalg.norm(gap, axis=-1), 99) < 1e-4, (file.name, ours)


@pytest.mark.realdata
def test_cmu_rate_comes_from_the_table_and_the_pose_in_front_goes(cmu, tmp_path):
    text = (cmu / "143" / "143_01.bvh").read_text()
    wrong = "\n".join("Frame Time: .0083333" if "Frame Time" in line else line for line in text.splitlines())
    (tmp_path / "143_01.bvh").write_text(wrong)
    loaded = load_clip(tmp_path / "143_01.bvh", "cmu")
    assert loaded.clip.fps == 60.0
    assert loaded.dropped == 1
    assert any("frame rate 120 in the file is wrong" in note for note in loaded.notes)
    assert any("chest bone estimated" in note for note in loaded.notes)


@pytest.mark.realdata
def test_measured_freedom_agrees_with_the_asf_file(cmu):
    """Joints the ASF calls hinges are measured as hinges, and none is freer than it says."""
    original = load_clip(cmu / "asfamc" / "16_17.amc", "cmu").clip
    measured = with_measured_dof(original.skeleton, original.rotation)
    stated = original.skeleton.dof
    for name in ("ltibia", "rtibia", "lradius", "rradius"):
        joint = original.skeleton.names.index(name)
        assert measured.dof[joint] == stated[joint] == 1
        assert abs(measured.axes[joint, 0] @ original.skeleton.axes[joint, 0]) == pytest.approx(1, abs=1e-6)
    for name in ("lfemur", "rfemur", "lhumerus", "rhumerus", "lowerback"):
        joint = original.skeleton.names.index(name)
        assert measured.dof[joint] == stated[joint] == 3
