"""Evaluation of graphs: figures against networkx and against walks that were really made."""

from __future__ import annotations

import json

import networkx
import numpy as np
import pytest

from mograph.database import Database
from mograph.errors import MographError
from mograph.graph.coverage import CELL, HEADINGS, find_coverage, standing_state
from mograph.graph.evaluate import Links, edge_behaviours, evaluate
from mograph.graph.motion_graph import GraphSettings, MotionGraph
from mograph.graph.realise import random_walk, realise
from mograph.sample import sample_clips

NAMES = (
    "stand",
    "walk_1.1",
    "stop_walk_left",
    "start_walk_right",
    "jump_0.4",
    "pickup_right_0.3",
    "spot_left_90",
)


@pytest.fixture(scope="module")
def graph():
    clips = [clip for clip in sample_clips() if clip.name in NAMES]
    return MotionGraph.build(Database.from_clips(clips), GraphSettings(threshold=0.5))


@pytest.fixture(scope="module")
def compact(graph):
    return graph.compact()


@pytest.fixture(scope="module")
def evaluation(compact):
    return evaluate(compact)


def test_full_graph_against_networkx(graph, evaluation):
    view = graph.to_networkx()
    full = evaluation.full
    assert (full.states, full.transitions) == (graph.states, graph.transitions)
    largest = max(networkx.strongly_connected_components(view), key=len)
    assert full.strongly_connected == pytest.approx(len(largest) / graph.states)
    assert full.dead_ends == sum(degree == 0 for _, degree in view.out_degree())
    picks = np.flatnonzero(graph.database.contact & 12)
    assert full.picks == len(picks) > 0
    reaching = set(picks).union(*(networkx.ancestors(view, int(p)) for p in picks))
    assert full.reach_pick == pytest.approx(len(reaching) / graph.states)
    assert full.reach_pick < 1  # the ends of clips lead nowhere
    flights = np.flatnonzero(graph.database.contact == 0)
    reaching = set(flights).union(*(networkx.ancestors(view, int(f)) for f in flights))
    assert full.reach_flight == pytest.approx(len(reaching) / graph.states)


def test_compact_graph_has_no_dead_ends(compact, evaluation):
    figures = evaluation.compact
    assert (figures.states, figures.transitions) == (compact.states, compact.transitions)
    assert figures.strongly_connected == 1.0
    assert figures.dead_ends == 0
    assert figures.reach_pick == figures.reach_flight == 1.0
    assert evaluation.lost_events == compact.lost_events


def test_times_to_events_against_networkx(compact, evaluation):
    view = compact.to_networkx().reverse()
    for found, goal in (
        (evaluation.to_pick, compact.contact & 12),
        (evaluation.to_flight, compact.contact == 0),
    ):
        expected = networkx.multi_source_dijkstra_path_length(
            view, set(np.flatnonzero(goal).tolist()), weight="duration"
        )
        np.testing.assert_allclose(found, [expected[k] for k in range(compact.states)], rtol=1e-9)


def test_behaviours_against_networkx(compact, evaluation):
    names, shows = edge_behaviours(compact)
    behaviours = evaluation.behaviours
    assert behaviours.names == names
    assert set(names) == {tag for clip in sample_clips() if clip.name in NAMES for tag in clip.tags}
    view = compact.to_networkx()
    between = dict(networkx.all_pairs_dijkstra_path_length(view, weight="duration"))
    for k in range(len(names)):
        for j in range(len(names)):
            begins = set(compact.source[shows[j]].tolist())
            slowest = max(min(between[int(s)][b] for b in begins) for s in compact.target[shows[k]])
            assert behaviours.seconds[k, j] == pytest.approx(slowest)


def test_parallel_links_count_by_their_shortest():
    links = Links(
        np.array([0, 0, 1]),
        np.array([1, 1, 0]),
        np.array([0.7, 0.4, 1.0]),
        np.array([False, True]),
        np.zeros(2, bool),
    )
    np.testing.assert_allclose(links.seconds_to(links.pick), [0.4, 0.0])
    assert np.isinf(links.seconds_to(links.flight)).all()
    assert links.connection().reach_flight is None


def test_events_that_cannot_be_reached_are_told():
    links = Links(
        np.array([0, 1, 2]),
        np.array([1, 0, 0]),
        np.ones(3),
        np.array([False, False, True, False]),
        np.zeros(4, bool),
    )
    figures = links.connection()
    assert figures.reach_pick == 0.25
    assert figures.dead_ends == 1
    assert figures.strongly_connected == 0.5


def test_walks_stay_within_the_coverage(compact):
    """Wherever realised walks of that length get to, the map says it can be reached."""
    start = standing_state(compact)
    coverage = find_coverage(compact, 3.0, start)
    assert compact.rest[start]
    half = len(coverage.headings) // 2
    assert coverage.headings[half, half] > 0
    for seed in range(40):
        walk = random_walk(compact, 3.0, seed, start)[:-1]
        if walk:
            x, _, z = realise(compact, walk, smooth=False).root_position[-1]
            assert np.hypot(x, z) <= coverage.radius + CELL
            near = coverage.headings[
                round(x / CELL) + half - 1 : round(x / CELL) + half + 2,
                round(z / CELL) + half - 1 : round(z / CELL) + half + 2,
            ]
            assert near.max() > 0


def test_coverage_grows_with_time(compact):
    areas, last = [], 0.0
    for seconds in (1.0, 2.0, 4.0):
        coverage = find_coverage(compact, seconds)
        areas.append(np.sum(coverage.headings > 0))
        assert coverage.radius >= last
        last = coverage.radius
        assert 0 < coverage.share() <= 1
        assert coverage.headings.max() <= HEADINGS
        reached = coverage.headings > 0
        assert coverage.arrival[reached].max() <= seconds
        assert np.isinf(coverage.arrival[~reached]).all()
    assert areas[0] < areas[1] < areas[2]


def test_coverage_cannot_outrun_the_fastest_way(compact):
    speed = np.max(np.linalg.norm(compact.displacement[:, :2], axis=1) / compact.duration)
    assert find_coverage(compact, 3.0).radius <= 3.0 * speed + 1e-9


@pytest.mark.parametrize("seconds", [0.0, -1.0, 100.0])
def test_coverage_time_is_checked(compact, seconds):
    with pytest.raises(MographError, match="cannot be measured"):
        find_coverage(compact, seconds)


def test_quality_counts_every_change_over(graph, compact, evaluation):
    quality = evaluation.quality
    used = compact.changes[compact.changes >= 0]
    assert quality.counts.sum() == len(used) > 0
    assert quality.natural == pytest.approx(np.mean(np.all(compact.changes < 0, axis=1)))
    distances = np.sort(graph.distance[used])
    assert distances[0] <= quality.median <= quality.worst_tenth <= distances[-1]
    assert quality.above == pytest.approx(np.mean(distances > graph.threshold))


def test_any_graph_can_be_evaluated(graph, evaluation):
    """A motion graph is compressed first and gives the same figures, ready for JSON."""
    figures = evaluation.as_dict()
    assert json.loads(json.dumps(figures)) == figures
    assert evaluate(graph).as_dict() == figures


def test_interpolated_graph_is_measured_beside(compact, evaluation):
    mixed = compact.interpolate(k=2)
    figures = evaluate(mixed)
    assert figures.compact == evaluation.compact
    assert figures.interpolated is not None
    assert figures.interpolated.states == mixed.states
    assert figures.interpolated.transitions == mixed.transitions
    assert figures.interpolated.dead_ends == 0
