"""Roles, sides and shapes of skeletons in the naming schemes people use."""

from __future__ import annotations

import numpy as np
import pytest

from mograph import rotations
from mograph.degrees_of_freedom import with_measured_dof
from mograph.errors import SkeletonError
from mograph.roles import mirror_pairs
from mograph.skeleton import Skeleton

LEG_AND_ARM = ("hip", "knee", "ankle", "toe", "collar", "shoulder", "elbow", "wrist")


def tree(hips, spine, neck, head, left, right):
    """Names and parents of a person whose limbs are given as (leg of 4, arm of 4) for each side."""
    names, parents = [hips], [-1]

    def add(chain, parent):
        for name in chain:
            names.append(name)
            parents.append(parent)
            parent = len(names) - 1
        return parent

    for side in (left, right):
        add(side[:4], 0)
    chest = add(spine, 0)
    add([neck, head], chest)
    for side in (left, right):
        add(side[4:], chest)
    return names, parents


def sided(words, form):
    return [[form(side, word) for word in words] for side in ("left", "right")]


PLAIN = ("UpLeg", "Leg", "Foot", "ToeBase", "Shoulder", "Arm", "ForeArm", "Hand")
SCHEMES = {
    "cmu": tree("Hips", ["LowerBack", "Spine", "Spine1"], "Neck", "Head",
                *sided(PLAIN, lambda s, w: s.title() + w)),
    "mixamo": tree("mixamorig:Hips", [f"mixamorig:Spine{n}" for n in ("", "1", "2")], "mixamorig:Neck",
                   "mixamorig:Head", *sided(PLAIN, lambda s, w: f"mixamorig:{s.title()}{w}")),
    "humanik": tree("Character1_Hips", ["Character1_Spine", "Character1_Spine1"], "Character1_Neck",
                    "Character1_Head", *sided(PLAIN, lambda s, w: f"Character1_{s.title()}{w}")),
    "lafan1": tree("Hips", ["Spine", "Spine1", "Spine2"], "Neck", "Head",
                   *sided((*PLAIN[:3], "Toe", *PLAIN[4:]), lambda s, w: s.title() + w)),
    "biped": tree("Bip01 Pelvis", ["Bip01 Spine", "Bip01 Spine1"], "Bip01 Neck", "Bip01 Head",
                  *sided(("Thigh", "Calf", "Foot", "Toe0", "Clavicle", "UpperArm", "Forearm", "Hand"),
                         lambda s, w: f"Bip01 {s[0].upper()} {w}")),
    "asf": tree("root", ["lowerback", "upperback", "thorax"], "lowerneck", "head",
                *sided(("femur", "tibia", "foot", "toes", "clavicle", "humerus", "radius", "wrist"),
                       lambda s, w: s[0] + w)),
    "smpl": tree("Pelvis", ["Spine1", "Spine2", "Spine3"], "Neck", "Head",
                 *sided(("Hip", "Knee", "Ankle", "Foot", "Collar", "Shoulder", "Elbow", "Wrist"),
                        lambda s, w: f"{s[0].upper()}_{w}")),
    "blender": tree("hips", ["spine", "chest"], "neck", "head",
                    *sided(("thigh", "shin", "foot", "toe", "shoulder", "upper_arm", "forearm", "hand"),
                           lambda s, w: f"{w}.{s[0].upper()}")),
}  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_all_roles(scheme):
    names, parents = SCHEMES[scheme]
    offsets = np.vstack([[0, 0, 0], np.full((len(names) - 1, 3), 0.1)])
    skeleton = Skeleton(tuple(names), parents, offsets)
    for side, first in (("left", 1), ("right", 5)):
        for k, role in enumerate(LEG_AND_ARM[:4]):
            assert skeleton.joint(f"{side}_{role}") == first + k
    arms = len(names) - 8
    for side, first in (("left", arms), ("right", arms + 4)):
        for k, role in enumerate(LEG_AND_ARM[4:]):
            assert skeleton.joint(f"{side}_{role}") == first + k
    assert skeleton.joint("hips") == 0
    assert skeleton.joint("spine") == 9
    assert skeleton.joint("head") == arms - 1
    assert skeleton.joint("chest") == arms - 3
    expected = list(range(len(names)))
    for a, b in [(1, 5), (2, 6), (3, 7), (4, 8), *((arms + k, arms + 4 + k) for k in range(4))]:
        expected[a], expected[b] = b, a
    assert skeleton.mirror.tolist() == expected


def test_missing_role_names_the_joints():
    skeleton = Skeleton(("Hips", "Spine"), [-1, 0], np.zeros((2, 3)))
    with pytest.raises(SkeletonError, match="no joint for role 'left_knee'; joints are: Hips, Spine"):
        skeleton.joint("left_knee")


def test_words_that_only_look_sided_are_not():
    assert mirror_pairs(["root", "lowerback", "rib"]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("names", "parents", "message"),
    [
        (("a", "b"), [-1, -1], "one root only"),
        (("a", "b"), [-1, 1], "before their children"),
        (("a", "a"), [-1, 0], "given twice: a"),
        (("a",), [0], "root first"),
    ],
)
def test_bad_trees_are_refused(names, parents, message):
    with pytest.raises(SkeletonError, match=message):
        Skeleton(names, parents, np.zeros((len(names), 3)))


def test_not_finite_bones_are_refused():
    with pytest.raises(SkeletonError, match="finite"):
        Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, np.nan, 0]])


def test_symmetrised_is_symmetric_and_idempotent():
    names, parents = SCHEMES["cmu"]
    offsets = np.random.default_rng(1).normal(0, 0.2, (len(names), 3))
    once = Skeleton(tuple(names), parents, offsets).symmetrised()
    np.testing.assert_allclose(once.offsets[once.mirror], once.offsets * [-1, 1, 1])
    assert once.equals(once.symmetrised())


def test_measured_degrees_of_freedom():
    rng = np.random.default_rng(5)
    skeleton = Skeleton(("root", "hinge", "two", "ball", "stiff"), [-1, 0, 1, 2, 3], np.zeros((5, 3)))
    axis = np.array([0.6, 0.0, 0.8])
    vectors = np.zeros((500, 5, 3))
    vectors[:, 1] = axis * rng.uniform(0, 1.5, (500, 1))
    vectors[:, 2, :2] = rng.normal(0, 0.4, (500, 2))
    vectors[:, 3] = rng.normal(0, 0.3, (500, 3))
    measured = with_measured_dof(skeleton, rotations.exp(vectors))
    assert measured.dof.tolist() == [3, 1, 2, 3, 0]
    assert abs(measured.axes[1, 0] @ axis) == pytest.approx(1)
    assert abs(measured.axes[2, 2] @ [0, 0, 1]) == pytest.approx(1, abs=1e-3)
    np.testing.assert_allclose(np.linalg.det(measured.axes), 1)
