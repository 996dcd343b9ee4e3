"""GLB files read back by another library and played by a small evaluator that knows nothing of ours."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pygltflib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from mograph import kinematics
from mograph.clip import Clip
from mograph.errors import MographError, MotionFileError
from mograph.files.capsules import mannequin
from mograph.files.gltf import _Arrays, write_glb
from mograph.skeleton import Skeleton

PERSON = {  # name: (parent, offset [m])
    "Hips": (None, (0, 0, 0)),
    "LeftUpLeg": ("Hips", (0.09, -0.05, 0)),
    "LeftLeg": ("LeftUpLeg", (0, -0.43, 0)),
    "LeftFoot": ("LeftLeg", (0, -0.42, 0)),
    "LeftToeBase": ("LeftFoot", (0, -0.06, 0.13)),
    "RightUpLeg": ("Hips", (-0.09, -0.05, 0)),
    "RightLeg": ("RightUpLeg", (0, -0.43, 0)),
    "RightFoot": ("RightLeg", (0, -0.42, 0)),
    "RightToeBase": ("RightFoot", (0, -0.06, 0.13)),
    "Spine": ("Hips", (0, 0.12, 0)),
    "Chest": ("Spine", (0, 0.14, 0)),
    "Neck": ("Chest", (0, 0.24, 0)),
    "Head": ("Neck", (0, 0.1, 0)),
    "LeftShoulder": ("Chest", (0.03, 0.2, 0)),
    "LeftArm": ("LeftShoulder", (0.14, 0, 0)),
    "LeftForeArm": ("LeftArm", (0.29, 0, 0)),
    "LeftHand": ("LeftForeArm", (0.26, 0, 0)),
    "RightShoulder": ("Chest", (-0.03, 0.2, 0)),
    "RightArm": ("RightShoulder", (-0.14, 0, 0)),
    "RightForeArm": ("RightArm", (-0.29, 0, 0)),
    "RightHand": ("RightForeArm", (-0.26, 0, 0)),
}


def person() -> Skeleton:
    names = tuple(PERSON)
    parents = [-1 if parent is None else names.index(parent) for parent, _ in PERSON.values()]
    ends = [names.index(n) for n in ("LeftToeBase", "RightToeBase", "Head", "LeftHand", "RightHand")]
    tips = [(0, 0, 0.06), (0, 0, 0.06), (0, 0.18, 0), (0.17, 0, 0), (-0.17, 0, 0)]
    return Skeleton(names, np.array(parents), np.array([o for _, o in PERSON.values()]), np.array(ends), tips)


def wandering(skeleton: Skeleton, frames: int = 40, fps: float = 30.0, seed: int = 3) -> Clip:
    """Every joint but two turns smoothly and a long way, through more than a full turn at the root."""
    rng = np.random.default_rng(seed)
    time = np.arange(frames)[:, None, None] / fps
    angles = rng.uniform(-2, 2, (1, len(skeleton), 3)) * np.sin(
        4 * time + rng.uniform(0, 6, (1, len(skeleton), 3))
    )
    angles[:, 0, 1] += 6 * time[:, 0, 0]
    rotation = Rotation.from_euler("yxz", angles.reshape(-1, 3)).as_quat(scalar_first=True)
    rotation = rotation.reshape(frames, len(skeleton), 4)
    rotation *= rng.choice([-1.0, 1.0], (frames, len(skeleton), 1))  # both signs are the same rotation
    if len(skeleton) > 3:
        rotation[:, 2] = [1, 0, 0, 0]  # never moves
        rotation[:, 3] = [np.cos(0.4), np.sin(0.4), 0, 0]  # bent and stays so
    root = np.array([0.3, 0.95, -0.2]) + np.cumsum(rng.normal(0, 0.02, (frames, 3)), axis=0)
    contact = np.repeat([3, 1, 0, 2], [10, 10, 5, frames - 25]).astype(np.uint8) if frames > 25 else None
    return Clip(skeleton, root, rotation, fps, name="wandering", contact=contact)


class Player:
    """What a viewer does with a file: decode accessors, pose the nodes at a time, skin the mesh."""

    def __init__(self, path: Path) -> None:
        self.file = pygltflib.GLTF2().load_binary(str(path))
        self.blob = self.file.binary_blob()

    def array(self, index: int) -> np.ndarray:
        accessor = self.file.accessors[index]
        view = self.file.bufferViews[accessor.bufferView]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor.type]
        dtype = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[accessor.componentType]
        start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        flat = np.frombuffer(self.blob, dtype, accessor.count * width, start)
        return flat if width == 1 else flat.reshape(accessor.count, width)

    def local(self, seconds: float | None) -> tuple[np.ndarray, list[Rotation]]:
        """Translation and rotation of every node: its own, or the animation's at a time."""
        shift = np.array([node.translation or [0, 0, 0] for node in self.file.nodes], float)
        turn = [Rotation.from_quat(node.rotation or [0, 0, 0, 1]) for node in self.file.nodes]
        for channel in self.file.animations[0].channels if seconds is not None else []:
            sampler = self.file.animations[0].samplers[channel.sampler]
            assert sampler.interpolation == "LINEAR"
            times = self.array(sampler.input).astype(float)
            values = self.array(sampler.output).astype(float)
            at = np.clip(seconds, times[0], times[-1])
            if channel.target.path == "translation":
                shift[channel.target.node] = [np.interp(at, times, column) for column in values.T]
            elif len(times) == 1:
                turn[channel.target.node] = Rotation.from_quat(values[0])
            else:
                turn[channel.target.node] = Slerp(times, Rotation.from_quat(values))([at])[0]
        return shift, turn

    def world(self, seconds: float | None = None) -> np.ndarray:
        """Matrices (N, 4, 4) of all nodes."""
        shift, turn = self.local(seconds)
        result = np.zeros((len(self.file.nodes), 4, 4))
        waiting = [(node, np.eye(4)) for node in self.file.scenes[self.file.scene].nodes]
        while waiting:
            node, above = waiting.pop()
            own = np.eye(4)
            own[:3, :3], own[:3, 3] = turn[node].as_matrix(), shift[node]
            result[node] = above @ own
            waiting += [(child, result[node]) for child in self.file.nodes[node].children or []]
        return result

    def skinned(self, seconds: float | None = None) -> np.ndarray:
        """Vertices (V, 3) in the world."""
        skin = self.file.skins[0]
        attributes = self.file.meshes[0].primitives[0].attributes
        # glTF stores matrices column by column
        inverse = self.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1).astype(float)
        moved = self.world(seconds)[skin.joints] @ inverse
        vertices = np.c_[
            self.array(attributes.POSITION), np.ones(self.file.accessors[attributes.POSITION].count)
        ]
        mixed = np.einsum(
            "vk,vkij->vij", self.array(attributes.WEIGHTS_0), moved[self.array(attributes.JOINTS_0)]
        )
        return np.einsum("vij,vj->vi", mixed, vertices)[:, :3]


@pytest.fixture
def written(tmp_path: Path) -> tuple[Clip, Player]:
    clip = wandering(person())
    write_glb(clip, tmp_path / "clip.glb")
    return clip, Player(tmp_path / "clip.glb")


def test_played_joints_are_where_forward_kinematics_puts_them(written: tuple[Clip, Player]) -> None:
    clip, player = written
    expected = kinematics.poses(clip).position
    for frame in (0, 1, 13, 27, 39):
        world = player.world(frame / clip.fps)[player.file.skins[0].joints]
        np.testing.assert_allclose(world[:, :3, 3], expected[frame], atol=1e-5)


def test_between_frames_the_short_way_is_taken(written: tuple[Clip, Player]) -> None:
    """Halfway between two frames a viewer sees what resampling at twice the rate gives."""
    clip, player = written
    expected = kinematics.poses(clip.resampled(60.0)).position
    for frame in (1, 25, 61):
        world = player.world(frame / 60.0)[player.file.skins[0].joints]
        np.testing.assert_allclose(world[:, :3, 3], expected[frame], atol=1e-5)


def test_skin_leaves_the_mesh_alone_at_bind_and_carries_it_rigidly_after(
    written: tuple[Clip, Player],
) -> None:
    clip, player = written
    attributes = player.file.meshes[0].primitives[0].attributes
    rest = player.array(attributes.POSITION).astype(float)
    np.testing.assert_allclose(player.skinned(), rest, atol=1e-6)
    assert rest[:, 1].min() == pytest.approx(0.0, abs=1e-6)  # stands on the ground
    joint = player.array(attributes.JOINTS_0)[:, 0]
    poses = kinematics.poses(clip)
    lift = player.world()[0, :3, 3]
    own = rest - lift - clip.skeleton.rest_positions[joint]
    turn = Rotation.from_quat(poses.rotation[17][joint], scalar_first=True)
    np.testing.assert_allclose(
        player.skinned(17 / clip.fps), poses.position[17][joint] + turn.apply(own), atol=1e-5
    )


def test_quaternions_are_unit_and_turn_the_short_way(written: tuple[Clip, Player]) -> None:
    clip, player = written
    animation = player.file.animations[0]
    turned = [c for c in animation.channels if c.target.path == "rotation"]
    assert {c.target.node for c in turned} == set(range(len(clip.skeleton))) - {2}
    assert [c.target.node for c in animation.channels if c.target.path == "translation"] == [0]
    for channel in turned:
        q = player.array(animation.samplers[channel.sampler].output).astype(float)
        np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-6)
        assert (np.sum(q[1:] * q[:-1], axis=1) >= 0).all()
    times = player.array(animation.samplers[0].input)
    assert times.dtype == np.float32
    np.testing.assert_allclose(times, np.arange(40) / 30.0, rtol=1e-6)
    assert animation.extras == {
        "fps": 30.0,
        "name": "wandering",
        "contact": [[0, 3], [10, 1], [20, 0], [25, 2]],
    }


def test_container_and_tables_hold_together(written: tuple[Clip, Player], tmp_path: Path) -> None:
    data = (tmp_path / "clip.glb").read_bytes()
    magic, version, total = struct.unpack("<4sII", data[:12])
    assert (magic, version, total) == (b"glTF", 2, len(data))
    size, kind = struct.unpack("<I4s", data[12:20])
    assert (kind, size % 4) == (b"JSON", 0)
    table = json.loads(data[20 : 20 + size])
    binary, kind = struct.unpack("<I4s", data[20 + size : 28 + size])
    assert (kind, binary % 4) == (b"BIN\0", 0)
    assert 28 + size + binary == len(data)
    assert table["asset"] == {"version": "2.0", "generator": "mograph"}
    assert table["buffers"] == [{"byteLength": binary}]

    end = 0
    for view in table["bufferViews"]:
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] >= end
        end = view["byteOffset"] + view["byteLength"]
    assert end <= binary
    _, player = written
    widths = {5121: 1, 5123: 2, 5125: 4, 5126: 4}
    counts = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
    for index, accessor in enumerate(table["accessors"]):
        view = table["bufferViews"][accessor["bufferView"]]
        element = widths[accessor["componentType"]] * counts[accessor["type"]]
        assert view["byteLength"] == accessor["count"] * element
        values = player.array(index)
        assert np.isfinite(values).all()
        if "min" in accessor:
            np.testing.assert_array_equal(np.float32(accessor["min"]), np.atleast_1d(values.min(axis=0)))
            np.testing.assert_array_equal(np.float32(accessor["max"]), np.atleast_1d(values.max(axis=0)))
    primitive = table["meshes"][0]["primitives"][0]
    bounded = {k for k, accessor in enumerate(table["accessors"]) if "min" in accessor}
    assert {primitive["attributes"]["POSITION"], table["animations"][0]["samplers"][0]["input"]} <= bounded
    targets = {
        name: table["bufferViews"][table["accessors"][k]["bufferView"]].get("target")
        for name, k in {**primitive["attributes"], "indices": primitive["indices"]}.items()
    }
    assert targets.pop("indices") == 34963
    assert set(targets.values()) == {34962}


def test_mesh_is_sound(written: tuple[Clip, Player]) -> None:
    clip, player = written
    primitive = player.file.meshes[0].primitives[0]
    position = player.array(primitive.attributes.POSITION).astype(float)
    normal = player.array(primitive.attributes.NORMAL).astype(float)
    weights = player.array(primitive.attributes.WEIGHTS_0)
    joints = player.array(primitive.attributes.JOINTS_0)
    corners = player.array(primitive.indices).reshape(-1, 3)
    np.testing.assert_array_equal(weights.sum(axis=1), 1.0)
    assert joints.max() < len(clip.skeleton)
    assert set(corners.ravel().tolist()) == set(range(len(position)))
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-6)
    assert_closed_and_outward(position, normal, corners)


def assert_closed_and_outward(position: np.ndarray, normal: np.ndarray, corners: np.ndarray) -> None:
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    there = {tuple(edge) for edge in edges.tolist()}
    assert len(there) == len(edges)  # each edge once in each direction: closed, and wound one way
    assert {(b, a) for a, b in there} == there
    a, b, c = (position[corners[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    assert (np.linalg.norm(face, axis=1) > 0).all()
    # flat triangles of a round surface: they face the way their corners' normals do
    facing = np.einsum("fi,fi->f", face, normal[corners].sum(axis=1))
    assert (facing > 0).all()
    assert np.einsum("fi,fi->", a, np.cross(b, c)) > 0  # encloses a positive volume


@settings(max_examples=60, deadline=None)
@given(
    offsets=st.lists(st.tuples(*[st.floats(-1, 1).map(lambda x: round(x, 3))] * 3), min_size=1, max_size=6),
    seed=st.integers(0, 99),
)
def test_any_tree_of_bones_gets_a_sound_mesh(offsets: list[tuple[float, float, float]], seed: int) -> None:
    """Bones of no length, bones shorter than thick, one joint alone: closed and outward all the same."""
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(0, j)) for j in range(1, len(offsets)))]
    skeleton = Skeleton(tuple(f"bone{j}" for j in range(len(offsets))), parents, [(0, 0, 0), *offsets[1:]])
    mesh = mannequin(skeleton)
    assert np.isfinite(mesh.position).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normal, axis=1), 1.0, atol=1e-9)
    assert_closed_and_outward(mesh.position, mesh.normal, mesh.triangles)


def test_a_person_has_the_build_of_one() -> None:
    """Every joint that leads a bone has a capsule; left and right agree; it is as tall as a person."""
    skeleton = person()
    mesh = mannequin(skeleton)
    heights = mesh.position[:, 1]
    assert 1.6 < np.ptp(heights) < 1.95
    assert set(mesh.joint.tolist()) >= {
        skeleton.joint(f"{s}_{r}") for s in ("left", "right") for r in ("hip", "wrist")
    }
    np.testing.assert_allclose(mesh.position[:, 0].min(), -mesh.position[:, 0].max(), atol=1e-6)
    thigh = mesh.position[mesh.joint == skeleton.joint("left_hip")]
    shin = mesh.position[mesh.joint == skeleton.joint("left_knee")]
    assert np.ptp(thigh[:, 0]) > np.ptp(shin[:, 0])


@pytest.mark.parametrize(
    ("joint", "child"),
    [
        ("LeftUpLeg", "LeftLeg"),
        ("RightLeg", "RightFoot"),
        ("LeftArm", "LeftForeArm"),
        ("RightForeArm", "RightHand"),
    ],
)
def test_a_limb_is_carried_by_the_joint_it_starts_at(joint: str, child: str) -> None:
    """All its vertices are within a hand's breadth of the bone, and it reaches both ends."""
    skeleton = person()
    mesh = mannequin(skeleton)
    a, b = (skeleton.rest_positions[skeleton.names.index(name)] for name in (joint, child))
    own = mesh.position[mesh.joint == skeleton.names.index(joint)]
    along = (own - a) @ (b - a) / np.sum((b - a) ** 2)
    nearest = a + np.clip(along, 0, 1)[:, None] * (b - a)
    assert np.linalg.norm(own - nearest, axis=1).max() < 0.1
    assert along.min() < 0
    assert along.max() > 1


def test_normals_stand_on_the_surface_stretched_or_not() -> None:
    """On a fine mesh the mean of the triangles around a vertex faces where its normal does."""
    mesh = mannequin(person(), sides=96, rings=32)
    a, b, c = (mesh.position[mesh.triangles[:, k]] for k in range(3))
    mean = np.zeros_like(mesh.position)
    for k in range(3):
        np.add.at(mean, mesh.triangles[:, k], np.cross(b - a, c - a))
    mean /= np.linalg.norm(mean, axis=1, keepdims=True)
    assert np.sum(mean * mesh.normal, axis=1).min() > np.cos(np.deg2rad(4))


def test_arrays_of_odd_length_leave_the_next_one_aligned() -> None:
    arrays = _Arrays()
    arrays.add(np.arange(3), "u2")
    arrays.add(np.arange(5.0), "f4", bounds=True)
    assert [(view["byteOffset"], view["byteLength"]) for view in arrays.views] == [(0, 6), (8, 20)]
    assert b"".join(arrays.blocks) == struct.pack("<3H2x5f", 0, 1, 2, 0, 1, 2, 3, 4)


@pytest.mark.parametrize("frames", [1, 2])
def test_the_shortest_clips_and_smallest_skeletons(tmp_path: Path, frames: int) -> None:
    nowhere = Skeleton(("one", "two"), [-1, 0], np.zeros((2, 3)), [1], [[0, 0, 0]])  # bones without length
    for skeleton in (Skeleton(("one",), [-1], [[0, 0, 0]]), nowhere, person()):
        clip = wandering(skeleton, frames)
        write_glb(clip, tmp_path / "clip.glb")
        player = Player(tmp_path / "clip.glb")
        world = player.world((frames - 1) / clip.fps)[player.file.skins[0].joints]
        np.testing.assert_allclose(world[:, :3, 3], kinematics.poses(clip).position[-1], atol=1e-5)


def test_more_than_256_joints_take_wider_numbers(tmp_path: Path) -> None:
    count = 300
    skeleton = Skeleton(
        tuple(f"link{k}" for k in range(count)), np.arange(-1, count - 1), np.tile([0, 0.01, 0], (count, 1))
    )
    clip = wandering(skeleton, 2)
    write_glb(clip, tmp_path / "chain.glb")
    player = Player(tmp_path / "chain.glb")
    assert player.array(player.file.meshes[0].primitives[0].attributes.JOINTS_0).max() == count - 1
    np.testing.assert_allclose(
        player.world(0.0)[:count, :3, 3], kinematics.poses(clip).position[0], atol=1e-4
    )


def test_names_of_any_script_survive(tmp_path: Path) -> None:
    clip = wandering(Skeleton(("Hüfte", 'a "b" \\c'), [-1, 0], [[0, 0, 0], [0, 1, 0]])).with_(name="走る")
    write_glb(clip, tmp_path / "clip.glb")
    player = Player(tmp_path / "clip.glb")
    assert tuple(node.name for node in player.file.nodes[:2]) == clip.skeleton.names
    assert player.file.animations[0].name == "走る"


def test_same_clip_same_bytes_and_nothing_left_behind(tmp_path: Path) -> None:
    clip = wandering(person())
    write_glb(clip, tmp_path / "a.glb")
    write_glb(clip, tmp_path / "b.glb")
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.glb", "b.glb"]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
def test_what_cannot_be_written_is_refused_and_the_old_file_kept(tmp_path: Path, value: float) -> None:
    clip = wandering(person())
    (tmp_path / "clip.glb").write_text("kept")
    root = clip.root_position.copy()
    root[7, 1] = value
    with pytest.raises(
        MotionFileError, match=r"clip\.glb: frame 7 of clip 'wandering' has a value that is not"
    ):
        write_glb(clip.with_(root_position=root), tmp_path / "clip.glb")
    assert (tmp_path / "clip.glb").read_text() == "kept"
    with pytest.raises(MographError, match="does not exist"):
        write_glb(clip, tmp_path / "nowhere" / "clip.glb")


@pytest.mark.realdata
def test_a_captured_motion_plays_as_captured(cmu: Path, tmp_path: Path) -> None:
    from mograph.files.asf_amc import read_amc

    clip = read_amc(cmu / "asfamc" / "16_05.amc")
    write_glb(clip, tmp_path / "jump.glb")
    player = Player(tmp_path / "jump.glb")
    expected = kinematics.poses(clip).position
    for frame in (0, 100, 294):
        world = player.world(frame / clip.fps)[player.file.skins[0].joints]
        np.testing.assert_allclose(world[:, :3, 3], expected[frame], atol=1e-5)
