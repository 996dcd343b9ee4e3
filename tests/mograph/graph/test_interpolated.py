"""The interpolated graph: its edges are what they say, lead on, and become motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mograph.clip import Clip
from mograph.contacts import HANDS, Contact
from mograph.dynamics.torques import joint_torques
from mograph.errors import MographError, StorageError
from mograph.foot_lock import planted_speed
from mograph.graph import MotionGraph, load_graph, planar, save_graph
from mograph.graph.interpolated import mixed_cost, mixed_displacement, mixed_duration, reaches_event
from mograph.graph.interpolation import interpolate
from mograph.graph.realise_mixed import edge_phase, node_edge_phase
from mograph.graph.similarity import features
from mograph.sample import sample_database


@pytest.fixture(scope="module")
def graph():
    return MotionGraph.build(sample_database()).compact().interpolate(k=2)


def ends_of(graph, nodes):
    """Pairs of states (n, 2) and weight of the first, for nodes."""
    inner = graph.settings.weights - 2
    plain = nodes < graph.compact.states
    number = np.where(plain, 0, (nodes - graph.compact.states) // inner)
    states = np.where(plain[:, None], nodes[:, None], graph.pair[number])
    return states, graph.weight_of(nodes)


def test_pairs_touch_alike_and_are_ordered(graph):
    contact = graph.compact.contact
    assert np.all(graph.pair[:, 0] < graph.pair[:, 1])
    assert np.array_equal(contact[graph.pair[:, 0]], contact[graph.pair[:, 1]])
    x = features(graph.compact.database)[graph.compact.frame]
    distance = np.sum((x[graph.pair[:, 0]] - x[graph.pair[:, 1]]) ** 2, axis=1)
    np.testing.assert_allclose(graph.pair_distance, distance, atol=1e-9)
    picks = (contact[graph.pair[:, 0]] & HANDS) > 0
    assert np.all((distance < graph.settings.alike) | picks)


def test_every_edge_is_a_pair_of_compact_edges_with_near_weights(graph):
    compact = graph.compact
    start, weight = ends_of(graph, graph.source)
    end, after = ends_of(graph, graph.target)
    mixed = graph.row >= 0
    e, f = graph.mixed_edges[graph.row[mixed]].T
    assert np.array_equal(compact.source[e], start[mixed, 0])
    assert np.array_equal(compact.source[f], start[mixed, 1])
    targets = np.column_stack([compact.target[e], compact.target[f]])
    states = end[mixed]
    same = np.all(np.sort(targets, axis=1) == np.sort(states, axis=1), axis=1)
    plain = states[:, 0] == states[:, 1]
    assert np.all(same | (plain & np.any(targets == states[:, :1], axis=1)))
    # share of the first edge's end before and after: the step is bounded
    is_first = targets[:, 0] == states[:, 0]
    share_after = np.where(plain, is_first, np.where(is_first, after[mixed], 1 - after[mixed]))
    joined = targets[:, 0] == targets[:, 1]
    step = np.abs(np.where(joined, 0.0, share_after - weight[mixed]))
    assert step.max() <= graph.settings.step + 1e-9
    single = -1 - graph.row[~mixed]
    assert np.array_equal(compact.source[single], start[~mixed, 0])


def test_no_dead_ends_and_every_event_within_reach(graph):
    used = np.unique(np.concatenate([graph.source, graph.target]))
    links = coo_array((np.ones(graph.transitions), (graph.source, graph.target)), (graph.nodes,) * 2)
    _, label = connected_components(links, directed=True, connection="strong")
    assert len(np.unique(label[used])) == 1
    assert reaches_event(graph, 0) == 1.0
    assert reaches_event(graph, HANDS) == 1.0
    assert np.all(np.isin(np.arange(graph.compact.states), used))


def test_costs_and_times_are_those_of_the_plain_edges_at_the_ends(graph):
    row = np.arange(len(graph.mixed_source))
    for weight, side in ((1.0, 0), (0.0, 1)):
        w = np.full(len(row), weight)
        edge = graph.mixed_edges[:, side]
        np.testing.assert_allclose(mixed_duration(graph, row, w), graph.compact.duration[edge])
        np.testing.assert_allclose(mixed_cost(graph, row, w), graph.compact.cost[edge], rtol=1e-6)
        gap = mixed_displacement(graph, row, w) - graph.compact.displacement[edge]
        gap[:, 2] = planar.wrapped(gap[:, 2])
        np.testing.assert_allclose(gap, 0, atol=1e-12)


def test_costs_are_positive_and_times_between(graph):
    assert np.all(graph.cost > 0)
    first, second = graph.compact.duration[graph.mixed_edges].T
    middle = mixed_duration(graph, np.arange(len(first)), np.full(len(first), 0.5))
    assert np.all(middle >= np.minimum(first, second) - 1e-12)
    assert np.all(middle <= np.maximum(first, second) + 1e-12)


def effort_of(phase):
    """Torque cost of a phase on its own, by inverse dynamics."""
    contact = np.full(len(phase), phase.contact, np.uint8)
    motion = Clip(phase.skeleton, phase.root_position, phase.rotation, phase.fps, contact=contact)
    return float(joint_torques(motion).effort.mean() * phase.duration)


def test_closed_form_cost_follows_inverse_dynamics_of_the_mixture(graph):
    """How much a half-and-half mixture costs against its two parts: the model and the mixed motion itself."""
    compact = graph.compact
    on_ground = (
        compact.contact[compact.source[graph.mixed_edges[np.maximum(graph.row, 0), 0]]] != Contact.FLIGHT
    )
    half = np.abs(graph.weight_of(graph.source) - 0.5) < 0.01
    walks = np.flatnonzero((graph.row >= 0) & half & (graph.duration > 0.3) & on_ground)
    errors = []
    for edge in np.random.default_rng(0).choice(walks, 40, replace=False):
        row = graph.row[edge : edge + 1]
        parts = graph.mixed_edges[row[0]]
        fine = [interpolate(p, p, 1.0, fps=120) for p in (edge_phase(compact, int(k)) for k in parts)]
        seen = effort_of(node_edge_phase(graph, int(edge))) / np.mean([effort_of(p) for p in fine])
        torque = [graph.torque_rate[k] * compact.duration[k] for k in parts]
        other = np.mean(compact.cost[parts]) - np.mean(torque)
        modelled = float(mixed_cost(graph, row, np.array([0.5]))[0] - other) / np.mean(torque)
        errors.append(abs(np.log(modelled / seen)))
    assert np.median(errors) < np.log(1.4)
    assert np.percentile(errors, 90) < np.log(2.5)


def test_realised_walks_keep_planted_feet_and_reach_their_place(graph):
    for seed in range(6):
        path = graph.random_walk(6.0, seed)
        clip = graph.realise(path, (1.0, -2.0, 0.5))
        assert np.percentile(planted_speed(clip), 95) < 0.01
        assert abs(clip.seconds - graph.duration[path].sum()) < 1.01 / clip.fps
        place = np.array([1.0, -2.0, 0.5])
        for edge in path:
            place = planar.compose(place, graph.displacement[edge])
        assert np.linalg.norm(clip.root_position[-1, [0, 2]] - place[:2]) < 0.15


def test_an_edge_alone_reproduces_its_source(graph):
    plain = int(np.flatnonzero(graph.row < 0)[7])
    phase = node_edge_phase(graph, plain)
    source = edge_phase(graph.compact, -1 - int(graph.row[plain]))
    np.testing.assert_allclose(phase.displacement, source.displacement, atol=1e-6)
    assert phase.duration == pytest.approx(source.duration)


def test_paths_that_do_not_join_and_odd_settings_are_refused(graph):
    a = 0
    b = int(np.flatnonzero(graph.source != graph.target[a])[0])
    with pytest.raises(MographError, match=r"edge 0 ends in node \d+ and edge"):
        graph.realise([a, b])
    with pytest.raises(MographError, match="at least one edge"):
        graph.realise([])
    with pytest.raises(MographError, match="at least 2 paths, got k = 1"):
        graph.compact.interpolate(k=1)
    with pytest.raises(MographError, match="must be 3 to 21"):
        graph.compact.interpolate(weights=2)


def test_stored_graphs_come_back_and_are_the_same_file(graph, tmp_path):
    save_graph(graph, tmp_path / "a.mgraph")
    back = load_graph(tmp_path / "a.mgraph")
    np.testing.assert_array_equal(back.cost, graph.cost)
    np.testing.assert_array_equal(back.compact.displacement, graph.compact.displacement)
    assert back.settings == graph.settings
    assert back.compact.motion_graph.settings == graph.compact.motion_graph.settings
    assert back.stages == graph.stages
    np.testing.assert_array_equal(
        back.compact.motion_graph.segments.start, graph.compact.motion_graph.segments.start
    )
    save_graph(back, tmp_path / "b.mgraph")
    assert (tmp_path / "a.mgraph").read_bytes() == (tmp_path / "b.mgraph").read_bytes()
    save_graph(graph.compact, tmp_path / "c.mgraph")
    assert load_graph(tmp_path / "c.mgraph").states == graph.compact.states
    from mograph.database import Database

    with pytest.raises(StorageError, match=r"holds 'mograph\.graph', not 'mograph\.database'"):
        Database.load(tmp_path / "a.mgraph")
