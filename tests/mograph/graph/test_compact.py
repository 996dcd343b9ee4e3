"""The compact graph tells the truth: costs against Dijkstra, places against the frames played."""

from __future__ import annotations

from itertools import pairwise

import networkx
import numpy as np
import pytest
from scipy.spatial.distance import pdist

from mograph import kinematics, rotations
from mograph.contacts import HANDS
from mograph.database import Database
from mograph.dynamics.mass_model import mass_model
from mograph.errors import MographError
from mograph.feet import foot_joints
from mograph.graph.compact import CompactSettings, compress, merge_states
from mograph.graph.motion_graph import GraphSettings, MotionGraph
from mograph.graph.realise import realise, source_frames
from mograph.graph.similarity import features
from mograph.sample import sample_clips, sample_database

WALKING = ("walk_1.1", "walk_1.4", "start_walk_left", "stop_walk_right")
MIXED = (
    "stand",
    "walk_1.1",
    "stop_walk_left",
    "start_walk_right",
    "jump_0.4",
    "jump_0.8",
    "pickup_right_0.3",
)
UNMERGED = {"merge": 0.0, "parallel": 1, "most_frames": 10**6, "landing": 10.0}


def graph_of(names, threshold=0.4):
    clips = [clip for clip in sample_clips() if clip.name in names]
    return MotionGraph.build(Database.from_clips(clips), GraphSettings(threshold=threshold))


@pytest.fixture(scope="module", params=[WALKING, MIXED], ids=["walking", "mixed"])
def small(request):
    return graph_of(request.param)


@pytest.fixture(scope="module")
def whole():
    return MotionGraph.build(sample_database())


@pytest.fixture(scope="module")
def compact(whole):
    return whole.compact()


def layered(graph, most):
    """The full graph with change-overs counted: nodes (frame, used since the last state), states at zero."""
    states = set(graph.segments.start.tolist())
    layers = networkx.DiGraph()

    def add(frame, used, target, change, cost):
        node = (target, 0) if target in states else (target, used + change)
        if node[1] <= most and used + change <= most:
            old = layers.get_edge_data((frame, used), node)
            if old is None or old["cost"] > cost:
                layers.add_edge((frame, used), node, cost=cost)

    for i, j, cost in graph.to_networkx().edges(data="cost"):
        natural = j == i + 1 and cost == graph.frame_cost[i]
        for used in range(1 if i in states else most + 1):
            add(i, used, j, 0 if natural else 1, cost)
    return layers, states


def single_contact_costs(graph, most):
    """Least cost from every state to every state next on the way, by Dijkstra within one phase."""
    layers, states = layered(graph, most)
    costs = {}
    for state in states:
        inside = layers.subgraph([n for n in layers if n[0] not in states or n == (state, 0)])
        distance = networkx.single_source_dijkstra_path_length(inside, (state, 0), weight="cost")
        for node, so_far in distance.items():
            for _, end, cost in layers.out_edges(node, data="cost"):
                if end[0] in states:
                    pair = (state, end[0])
                    costs[pair] = min(costs.get(pair, np.inf), so_far + cost)
    return costs


def edge_costs(compact):
    """Cost of each edge by the frames of its states."""
    source, target = compact.frame[compact.source], compact.frame[compact.target]
    return dict(zip(zip(source.tolist(), target.tolist(), strict=True), compact.cost.tolist(), strict=True))


@pytest.mark.parametrize("transitions", [1, 2])
def test_edges_cost_what_dijkstra_finds(small, transitions):
    compact = small.compact(transitions=transitions, **UNMERGED)
    expected = single_contact_costs(small, transitions)
    inside = set(compact.frame.tolist())
    expected = {pair: cost for pair, cost in expected.items() if inside.issuperset(pair)}
    found = edge_costs(compact)
    assert len(found) == compact.transitions > 50
    assert found.keys() == expected.keys()
    for pair, cost in found.items():
        assert cost == pytest.approx(expected[pair], rel=1e-9), pair


@pytest.mark.parametrize("transitions", [1, 2])
def test_cheapest_paths_cost_the_same_in_both_graphs(small, transitions):
    compact = small.compact(transitions=transitions, **UNMERGED)
    layers, _ = layered(small, transitions)
    short = compact.to_networkx()
    for start in range(0, compact.states, 3):
        ours = networkx.single_source_dijkstra_path_length(short, start, weight="cost")
        frame = int(compact.frame[start])
        theirs = networkx.single_source_dijkstra_path_length(layers, (frame, 0), weight="cost")
        assert len(ours) == compact.states
        for end, cost in ours.items():
            assert cost == pytest.approx(theirs[(int(compact.frame[end]), 0)], rel=1e-9)


def test_more_change_overs_are_never_dearer(small):
    costs = []
    for transitions in (1, 2, 3):
        compact = small.compact(transitions=transitions, **UNMERGED)
        costs.append(edge_costs(compact))
    for fewer, more in pairwise(costs):
        assert fewer.keys() <= more.keys()
        assert all(more[pair] <= cost * (1 + 1e-9) for pair, cost in fewer.items())


def place_of(clip, frame):
    """Root on the ground and heading of a frame, by forward kinematics."""
    pose = kinematics.poses(clip)
    x, _, z = pose.position[frame, 0]
    return x, z, float(rotations.yaw(pose.rotation[frame, 0]))


def assert_displaced(clip, displacement, first=0):
    x, z, heading = place_of(clip, first)
    ends_x, ends_z, ends = place_of(clip, -1)
    away = np.array([ends_x - x, ends_z - z])
    c, s = np.cos(heading), np.sin(heading)
    local = [c * away[0] - s * away[1], s * away[0] + c * away[1]]
    turn = ends - heading - displacement[2]
    assert np.abs(local - displacement[:2]).max() < 0.001
    assert np.degrees(abs(np.arctan2(np.sin(turn), np.cos(turn)))) < 0.1


@pytest.mark.parametrize("transitions", [1, 2])
def test_displacement_is_that_of_the_frames_played(small, transitions):
    compact = small.compact(transitions=transitions, merge=0.0)
    assert np.sum(compact.changes[:, 0] >= 0) > 50
    for edge in range(0, compact.transitions, 3):
        clip = realise(compact, [edge], start=(2.0, -1.0, 2.5), smooth=False)
        assert_displaced(clip, compact.displacement[edge])
        assert len(clip) - 1 == round(compact.duration[edge] * clip.fps)
        np.testing.assert_array_equal(
            clip.rotation[0, 1:], compact.database.rotation[compact.first[edge], 1:]
        )


def test_displacement_between_merged_states(compact):
    """Edges end at the state's own pose: walking there and on, places add up."""
    ends = {}
    for edge in range(compact.transitions):
        ends.setdefault(int(compact.source[edge]), edge)
    for edge in range(0, compact.transitions, 2):
        onward = ends[int(compact.target[edge])]
        clip = realise(compact, [edge], start=(1.0, 2.0, -0.5), smooth=False)
        place = np.array([1.0, 2.0, -0.5])
        state = compact.frame[compact.source[edge]]
        stood = np.concatenate([compact.database.rotation[state : state + 1], clip.rotation])
        level = rotations.yaw(compact.database.rotation[state, 0])
        stood[0, 0] = rotations.multiply(rotations.from_yaw(place[2] - level), stood[0, 0])
        root = np.vstack([[place[0], 1.0, place[1]], clip.root_position])
        assert_displaced(
            clip.with_(root_position=root, rotation=stood, contact=None), compact.displacement[edge]
        )
        both = realise(compact, [edge, onward], start=(1.0, 2.0, -0.5), smooth=False)
        np.testing.assert_allclose(both.root_position[: len(clip) - 1], clip.root_position[:-1], atol=1e-9)


def test_support_stays_at_change_overs(small):
    """The standing foot moves no farther at a change-over than the two poses differ."""
    compact = small.compact(merge=0.0)
    joints = foot_joints(compact.database.skeleton)
    for edge in np.flatnonzero(compact.changes[:, 0] >= 0)[::3]:
        played = source_frames(compact, edge)
        clip = realise(compact, [edge], smooth=False)
        seam = int(np.flatnonzero(np.diff(np.append(played, compact.last[edge])) != 1)[0])
        if clip.contact[seam] != clip.contact[seam + 1]:
            continue  # the change-over is at the end of the phase
        position = kinematics.poses(clip).position
        own = np.linalg.norm(np.diff(position[:, [toe for _, toe in joints]][..., [0, 2]], axis=0), axis=-1)
        touching = [bit for bit in (0, 1) if clip.contact[seam] & (1 << bit)]
        limit = 0.02 if len(touching) == 1 else 0.1
        for foot in touching:
            assert own[seam, foot] < limit + max(own[max(seam - 1, 0), foot], 0.01)


def test_strongly_connected_without_dead_ends(compact, small):
    for graph in (compact, small.compact(), small.compact(transitions=2)):
        view = graph.to_networkx()
        assert networkx.is_strongly_connected(view)
        assert np.all(np.diff(graph.first_edge()) > 0)
        assert np.all(np.diff(graph.source) >= 0)
        assert view.number_of_edges() == graph.transitions


def test_parallel_edges_lead_elsewhere(compact):
    settings = compact.settings
    most = 0
    pairs = compact.source * compact.states + compact.target
    for pair in np.unique(pairs):
        edges = np.flatnonzero(pairs == pair)
        most = max(most, len(edges))
        assert np.all(np.diff(compact.cost[edges]) >= 0)  # the cheapest first
        for k, edge in enumerate(edges):
            gap = compact.displacement[edges[:k]] - compact.displacement[edge]
            turn = np.abs(np.arctan2(np.sin(gap[:, 2]), np.cos(gap[:, 2])))
            assert np.all((np.linalg.norm(gap[:, :2], axis=1) > 0.05) | (np.degrees(turn) > 5))
    assert 1 < most <= settings.parallel


def test_a_single_edge_is_the_cheapest_of_the_parallel_ones(whole, compact):
    single = whole.compact(parallel=1)
    assert np.unique(single.source * single.states + single.target).size == single.transitions
    least = {}
    for s, t, cost in zip(
        compact.source.tolist(), compact.target.tolist(), compact.cost.tolist(), strict=True
    ):
        least[s, t] = min(least.get((s, t), np.inf), cost)
    pairs = zip(single.source.tolist(), single.target.tolist(), strict=True)
    assert dict(zip(pairs, single.cost.tolist(), strict=True)) == least


def test_merging_is_complete_linkage_and_spares_picks(whole):
    settings = CompactSettings(merge=1.5)
    cluster, representative = merge_states(whole, settings)
    start, contact = whole.segments.start, whole.database.contact
    x = features(whole.database, whole.settings.similarity)[start]
    assert len(representative) < len(start) / 3
    for number, frame in enumerate(representative):
        members = np.flatnonzero(cluster == number)
        assert frame in start[members]
        assert len(set(contact[start[members]])) == 1
        assert len(set(whole.segments.resting[members])) == 1
        if contact[frame] & HANDS:
            assert len(members) == 1
        if len(members) > 1:
            assert pdist(x[members], "sqeuclidean").max() <= 1.5 * whole.threshold
    # nothing that could still be joined is left apart
    kinds = (
        contact[representative].astype(int) * 2
        + whole.segments.resting[np.searchsorted(start, representative)]
    )
    for kind in np.unique(kinds):
        if not (kind // 2) & HANDS:
            groups = [x[cluster == k] for k in np.flatnonzero(kinds == kind)]
            for i in range(len(groups)):
                for j in range(i):
                    far = np.sum((groups[i][:, None] - groups[j][None]) ** 2, axis=-1).max()
                    assert far > 1.5 * whole.threshold


def test_merged_poses_are_paid_for(whole, compact):
    """An edge that starts or ends at another pose than its states' costs at least the mismatch more."""
    x = features(whole.database, whole.settings.similarity)
    unlikely = whole.settings.cost.transition * whole.settings.sharpness / whole.threshold
    total = np.append(0.0, np.cumsum(whole.frame_cost))
    for edge in range(0, compact.transitions, 5):
        begin, end = compact.frame[compact.source[edge]], compact.frame[compact.target[edge]]
        mismatch = np.sum((x[begin] - x[compact.first[edge]]) ** 2)
        mismatch += np.sum((x[end] - x[compact.last[edge]]) ** 2)
        played = source_frames(compact, edge)
        way = np.sum(total[played + 1] - total[played])
        for change in compact.changes[edge]:
            if change >= 0:
                way += unlikely * whole.distance[change]
        assert compact.cost[edge] == pytest.approx(way + unlikely * mismatch, rel=1e-9)


def test_compressing_twice_gives_the_same(whole, compact):
    again = compress(whole)
    for name in ("frame", "source", "target", "cost", "duration", "displacement", "first", "last", "changes"):
        np.testing.assert_array_equal(getattr(again, name), getattr(compact, name))


def test_flights_land_where_they_fly(whole):
    """With a change-over in the air the centre of mass still lands on the curve it took off on."""
    compact = whole.compact(merge=0.0, parallel=1)
    database, model = whole.database, mass_model(whole.database.skeleton)
    flying = (compact.contact[compact.source] == 0) & (compact.changes[:, 0] >= 0)
    assert flying.sum() > 3
    for edge in np.flatnonzero(flying):
        clip = realise(compact, [edge], smooth=False)
        centre = kinematics.centre_of_mass(kinematics.poses(clip), model.mass, model.centre)
        frame = compact.first[edge]
        rise = kinematics.poses(database.clip(int(np.searchsorted(database.clip_starts, frame, "right")) - 1))
        source = kinematics.centre_of_mass(rise, model.mass, model.centre)
        local = frame - database.clip_starts[np.searchsorted(database.clip_starts, frame, "right") - 1]
        speed = np.linalg.norm((source[local + 1] - source[local])[[0, 2]]) * database.fps
        seconds = compact.duration[edge]
        flown = np.linalg.norm((centre[-1] - centre[0])[[0, 2]])
        assert flown == pytest.approx(speed * seconds, abs=1e-6)
        up = (source[local + 1, 1] - source[local, 1]) * database.fps + 0.5 * 9.81 / database.fps
        height = centre[0, 1] + up * seconds - 0.5 * 9.81 * seconds**2
        assert centre[-1, 1] == pytest.approx(height, abs=compact.settings.landing + 1e-6)


def test_rest_states_let_the_character_stop(compact):
    """Some states rest, and those are slow: the sample has standing poses."""
    assert compact.rest.any()
    assert not compact.rest.all()
    database = compact.database
    after = np.minimum(compact.frame + 1, database.poses - 1)
    moved = np.linalg.norm(database.root_position[after] - database.root_position[compact.frame], axis=1)
    clip = np.searchsorted(database.clip_starts, np.stack([compact.frame, after]), side="right")
    same = clip[0] == clip[1]
    assert moved[compact.rest & same].max() * database.fps < 0.4
    assert set(compact.contact[compact.rest].tolist()) == {3}


def test_stages_tell_how_it_shrank(whole, compact):
    stages = compact.stages
    assert stages["full"]["states"] == whole.states
    assert stages["full"]["transitions"] == whole.transitions
    assert stages["edges_culled"]["states"] == len(whole.segments.start)
    assert stages["compact"]["states"] == compact.states
    assert stages["compact"]["transitions"] == compact.transitions


@pytest.mark.parametrize("wrong", [{"transitions": 0}, {"transitions": 5}, {"parallel": 0}, {"merge": -1.0}])
def test_settings_are_checked(wrong):
    with pytest.raises(MographError):
        CompactSettings(**wrong)


@pytest.mark.realdata
def test_captured_walks_keep_cost_and_place(cmu):
    from mograph.importer import ImportSettings, find_sources, import_clips

    sources = find_sources([cmu], cmu / "manifest.csv", cmu / "sets" / "walk.txt")[:5]
    graph = MotionGraph.build(import_clips(sources, ImportSettings("cmu")).database)
    compact = graph.compact(**UNMERGED)
    expected = single_contact_costs(graph, 1)
    for edge in range(compact.transitions):
        pair = (int(compact.frame[compact.source[edge]]), int(compact.frame[compact.target[edge]]))
        assert compact.cost[edge] == pytest.approx(expected[pair], rel=1e-9)
        if edge % 7 == 0:
            assert_displaced(realise(compact, [edge], smooth=False), compact.displacement[edge])
