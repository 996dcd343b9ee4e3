"""Masses, centres and inertias by joint roles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mograph.dynamics import mass_model
from mograph.dynamics.anthropometry import FEMALE, MALE, PAIRED_SEGMENTS
from mograph.errors import SkeletonError
from mograph.files.bvh import read_bvh
from mograph.kinematics import centre_of_mass, forward
from mograph.rotations import identity
from mograph.sample import sample_skeleton
from mograph.skeleton import Skeleton

FLIP = np.array([-1.0, 1.0, 1.0])


def plain_person(*left_out: str) -> Skeleton:
    """A person of few joints; joints left out take those below them along."""
    rows = [
        ("Hips", None, (0, 0, 0)),
        ("Spine", "Hips", (0, 0.2, 0)),
        ("Chest", "Spine", (0, 0.2, 0)),
        ("Neck", "Chest", (0, 0.15, 0)),
        ("Head", "Neck", (0, 0.1, 0)),
    ]
    for side, sign in (("Left", 1), ("Right", -1)):
        rows += [
            (f"{side}Shoulder", "Chest", (0.05 * sign, 0.1, 0)),
            (f"{side}Arm", f"{side}Shoulder", (0.14 * sign, 0, 0)),
            (f"{side}ForeArm", f"{side}Arm", (0.3 * sign, 0, 0)),
            (f"{side}Hand", f"{side}ForeArm", (0.26 * sign, 0, 0)),
            (f"{side}UpLeg", "Hips", (0.1 * sign, -0.05, 0)),
            (f"{side}Leg", f"{side}UpLeg", (0, -0.42, 0)),
            (f"{side}Foot", f"{side}Leg", (0, -0.43, 0)),
            (f"{side}Toe", f"{side}Foot", (0, -0.06, 0.14)),
        ]
    names, parents, offsets = [], [], []
    up = {name: (parent, np.array(offset, float)) for name, parent, offset in rows}
    for name, parent, offset in rows:
        if name in left_out:
            continue
        place = np.array(offset, float)
        while parent in left_out:
            parent, more = up[parent]
            place = place + more
        names.append(name)
        parents.append(names.index(parent) if parent else -1)
        offsets.append(place)
    return Skeleton(tuple(names), parents, offsets)


@pytest.mark.parametrize("table", [MALE, FEMALE])
def test_the_tables_add_up_to_a_whole_body(table: dict) -> None:
    total = sum(row.mass * (2 if name in PAIRED_SEGMENTS else 1) for name, row in table.items())
    assert total == pytest.approx(1.0, abs=2e-4)
    trunk = sum(table[name].mass for name in ("upper_trunk", "middle_trunk", "lower_trunk"))
    assert trunk == pytest.approx({0.0694: 0.4346, 0.0668: 0.4257}[table["head"].mass], abs=1e-9)


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize(
    "skeleton",
    [
        sample_skeleton(),
        plain_person(),
        plain_person("Neck", "Head", "LeftToe", "RightToe", "LeftShoulder", "RightShoulder"),
        plain_person("Spine", "Chest"),
    ],
    ids=["sample", "plain", "few joints", "stiff trunk"],
)
def test_total_symmetry_and_true_inertias(skeleton: Skeleton, sex: str) -> None:
    model = mass_model(skeleton, mass=63.0, sex=sex)
    assert model.total == pytest.approx(63.0, abs=1e-12)
    np.testing.assert_allclose(model.mass[skeleton.mirror], model.mass, atol=1e-12)
    np.testing.assert_allclose(model.centre[skeleton.mirror] * FLIP, model.centre, atol=1e-12)
    np.testing.assert_allclose(
        model.inertia[skeleton.mirror] * np.outer(FLIP, FLIP), model.inertia, atol=1e-12
    )
    for j in np.flatnonzero(model.mass):
        principal = np.linalg.eigvalsh(model.inertia[j])
        assert principal[0] > 0
        assert (
            principal[2] <= principal[0] + principal[1] + 1e-12
        )  # no body turns heavier than its other two axes


def test_centre_of_mass_of_a_standing_person() -> None:
    """Standing adults have it at about 55 to 57 % of their stature (Winter), above the feet."""
    skeleton = sample_skeleton()
    model = mass_model(skeleton)
    pose = forward(skeleton, np.zeros((1, 3)), identity(1, len(skeleton)))
    com = centre_of_mass(pose, model.mass, model.centre)[0]
    floor = min(pose.position[0, :, 1].min(), pose.end_position[0, :, 1].min())
    assert 0.54 < (com[1] - floor) / skeleton.height < 0.59
    assert abs(com[0]) < 1e-12
    assert abs(com[2]) < 0.03


def test_limbs_weigh_what_the_table_says() -> None:
    skeleton = sample_skeleton()
    model = mass_model(skeleton, mass=100.0)
    thigh, shank = skeleton.joint("left_hip"), skeleton.joint("left_knee")
    assert model.mass[thigh] == pytest.approx(14.16, abs=0.01)
    assert model.centre[thigh] == pytest.approx([0, -0.4095 * 0.425, 0])
    length = 0.430
    np.testing.assert_allclose(
        np.diag(model.inertia[shank]),
        model.mass[shank] * (length * np.array([0.246, 0.102, 0.251])) ** 2,
        rtol=1e-12,
    )


def test_overrides_replace_rows_and_keep_the_total() -> None:
    skeleton = sample_skeleton()
    light = replace(MALE["shank"], mass=0.0)
    both = mass_model(skeleton, overrides={"shank": light})
    one = mass_model(skeleton, overrides={"left_shank": light})
    left, right = skeleton.joint("left_knee"), skeleton.joint("right_knee")
    assert both.mass[left] == both.mass[right] == 0.0
    assert one.mass[left] == 0.0 < one.mass[right]
    assert both.total == pytest.approx(70.0)
    with pytest.raises(SkeletonError, match="no body segment 'tail'; segments are"):
        mass_model(skeleton, overrides={"tail": light})


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(SkeletonError, match="no joint for role 'left_knee'"):
        mass_model(plain_person("LeftLeg"))
    with pytest.raises(SkeletonError, match="mass of -3 kg"):
        mass_model(sample_skeleton(), mass=-3)
    with pytest.raises(SkeletonError, match="there are: male, female"):
        mass_model(sample_skeleton(), sex="cat")


@pytest.mark.realdata
def test_captured_skeletons(cmu: Path) -> None:
    for file in ("16/16_01.bvh", "118/118_01.bvh", "69/69_01.bvh"):
        skeleton = read_bvh(cmu / file, unit=0.056444).skeleton
        model = mass_model(skeleton.symmetrised(), mass=75.0)
        assert model.total == pytest.approx(75.0, abs=1e-12)
        np.testing.assert_allclose(model.mass[skeleton.mirror], model.mass, atol=1e-12)
        np.testing.assert_allclose(model.centre[skeleton.mirror] * FLIP, model.centre, atol=1e-9)
