"""The motion graph: what follows what, at which price, and how the threshold is found."""

from __future__ import annotations

import numpy as np
import pytest

from mograph.contacts import HANDS
from mograph.database import Database
from mograph.errors import MographError
from mograph.graph import planar
from mograph.graph.costs import CostWeights, frame_costs
from mograph.graph.motion_graph import GraphSettings, MotionGraph
from mograph.sample import sample_clips, sample_database


@pytest.fixture(scope="module")
def small():
    wanted = ("walk_1.1", "walk_1.4", "start_walk_left", "stop_walk_left", "jump_0.4", "pickup_right_0.3")
    return Database.from_clips([clip for clip in sample_clips() if clip.name in wanted])


@pytest.fixture(scope="module")
def graph(small):
    return MotionGraph.build(small, GraphSettings(threshold=0.4))


@pytest.fixture(scope="module")
def whole():
    return MotionGraph.build(sample_database())


def clip_numbers(database):
    return np.searchsorted(database.clip_starts, np.arange(database.poses), side="right") - 1


def test_natural_edges_stay_in_their_clip(graph, small):
    natural = [(i, j) for i, j, kind in graph.to_networkx().edges(data="kind") if kind == "natural"]
    inside = [
        (i, i + 1)
        for first, last in zip(small.clip_starts[:-1], small.clip_starts[1:], strict=True)
        for i in range(first, last - 1)
    ]
    assert natural == inside
    assert graph.transitions == len(inside) + len(graph.source)
    assert graph.states == small.poses


def test_change_overs_keep_contacts_and_phases(graph, small):
    """A change-over replaces the pose that would have followed by one with the same contacts."""
    assert len(graph.source) > 200
    followed = graph.source + 1
    assert np.all(clip_numbers(small)[graph.source] == clip_numbers(small)[followed])
    np.testing.assert_array_equal(small.contact[followed], small.contact[graph.target])
    starts = np.zeros(small.poses, bool)
    starts[graph.segments.start] = True
    np.testing.assert_array_equal(starts[followed], starts[graph.target])
    assert np.all(np.diff(graph.source) >= 0)


def test_costs_are_above_zero_and_grow_with_distance(graph):
    assert graph.frame_cost.min() > 0
    assert graph.cost.min() > 0
    extra = graph.cost - graph.frame_cost[graph.source]
    order = np.argsort(graph.distance, kind="stable")
    assert extra.min() >= 0
    assert np.all(np.diff(extra[order]) >= -1e-6 * extra.max())


def test_probabilities_share_one_with_the_way_on(graph):
    """Cost is -log(p / p0): with it the captured continuation gets what the change-overs leave."""
    assert graph.probability.min() > 0
    total = np.bincount(graph.source, graph.probability, graph.states)
    assert total.max() < 1
    goes_on = 1 - total[graph.source]
    unlikely = (graph.cost - graph.frame_cost[graph.source]) / graph.settings.cost.transition
    np.testing.assert_allclose(goes_on * np.exp(-unlikely), graph.probability, rtol=1e-9)


def test_given_threshold_is_kept(small):
    settings = GraphSettings(threshold=0.2, between_groups=0)
    graph = MotionGraph.build(small, settings)
    assert graph.threshold == 0.2
    assert graph.distance.max() <= 0.2
    more = MotionGraph.build(small, GraphSettings(threshold=0.5, between_groups=0))
    pairs = set(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    assert pairs < set(zip(more.source.tolist(), more.target.tolist(), strict=True))


def test_behaviours_are_brought_together(small):
    """Between behaviours the limit is raised until enough change-overs are there; within it is not."""
    alone = MotionGraph.build(small, GraphSettings(threshold=0.1, between_groups=0))
    joined = MotionGraph.build(small, GraphSettings(threshold=0.1, between_groups=30))
    tag = np.array([info.tags[0] for info in small.info])[clip_numbers(small)]

    def between(graph):
        return tag[graph.source] != tag[graph.target]

    assert np.sum(between(joined)) > np.sum(between(alone))
    assert np.sum(~between(joined)) == np.sum(~between(alone))
    assert joined.distance[~between(joined)].max() <= 0.1


def test_automatic_threshold_connects_every_event(whole):
    compact = whole.compact()
    assert compact.lost_events == 0
    picks = sum((clip.contact & HANDS).any() for clip in sample_clips())
    assert np.sum((compact.contact & HANDS) > 0) >= picks
    assert np.sum(compact.contact == 0) > 0


def test_building_twice_gives_the_same(whole):
    again = MotionGraph.build(sample_database())
    assert again.threshold == whole.threshold
    for name in ("source", "target", "distance", "probability", "cost", "alignment", "frame_cost"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))


def test_alignment_lays_feet_on_feet(whole):
    """The touching foot stays where it is: one foot to a centimetre or two, two feet within their stance."""
    database = whole.database
    points, places = planar.support_points(database), planar.root_places(database)
    a, b = whole.source + 1, whole.target
    cosine, sine = np.cos(whole.alignment[:, 2]), np.sin(whole.alignment[:, 2])
    x, z = points[b][..., 0], points[b][..., 1]
    c, s = cosine[:, None, None], sine[:, None, None]
    moved = np.stack([c * x + s * z, -s * x + c * z], axis=-1) + whole.alignment[:, None, None, :2]
    gap = np.linalg.norm(moved - points[a], axis=-1)
    left, right = (database.contact[a] & 1) > 0, (database.contact[a] & 2) > 0
    assert gap[left & ~right][:, 0].max() < 0.02
    assert gap[right & ~left][:, 1].max() < 0.02
    assert gap[left & right].max() < 0.1
    heading = whole.alignment[:, 2] + places[b, 2] - places[a, 2]
    heading = np.arctan2(np.sin(heading), np.cos(heading))
    assert np.degrees(np.abs(heading)).max() < 20
    flying = ~left & ~right
    assert flying.any()
    np.testing.assert_allclose(heading[flying], 0, atol=1e-12)


def test_alignment_is_a_least_squares_fit(small):
    """Against scipy's rigid alignment of the same points, and undone by the way back."""
    from scipy.spatial.transform import Rotation

    points, places = planar.support_points(small), planar.root_places(small)
    both = np.flatnonzero(small.contact == 3)
    rng = np.random.default_rng(0)
    a, b = rng.choice(both, 20), rng.choice(both, 20)
    there = planar.alignments(small, points, places, a, b)
    back = planar.alignments(small, points, places, b, a)
    circle = planar.compose(there, back)
    np.testing.assert_allclose(circle[:, :2], 0, atol=1e-9)
    for i, j, found in zip(a, b, there, strict=True):
        p, q = (np.insert(points[k].reshape(4, 2), 1, 0.0, axis=1) for k in (i, j))
        up = 1e6 * np.array([[0.0, 1.0, 0.0]])  # held upright, so that only turning is left
        fit, _ = Rotation.align_vectors(np.vstack([p - p.mean(0), up]), np.vstack([q - q.mean(0), up]))
        turn = fit.as_rotvec()[1]
        assert np.isclose(np.cos(turn - found[2]), 1, atol=1e-9)
        shift = p.mean(0) - fit.apply(q.mean(0))
        np.testing.assert_allclose(shift[[0, 2]], found[:2], atol=1e-4)


@pytest.mark.parametrize("part", ["torque", "time", "distance", "acceleration"])
def test_each_cost_can_be_chosen(small, part):
    weights = CostWeights(**{"torque": 0.0, part: 1.0})
    cost = frame_costs(small, weights)
    assert cost.shape == (small.poses,)
    assert cost.min() > 0
    clip = clip_numbers(small)
    if part == "time":
        np.testing.assert_allclose(cost, 1 / 30)
    if part == "distance":
        way = np.linalg.norm(np.diff(small.root_position[:, [0, 2]], axis=0), axis=1)
        same = clip[1:] == clip[:-1]
        np.testing.assert_allclose(cost[:-1][same], np.maximum(way[same], cost.min()), atol=1e-12)
    if part in ("torque", "acceleration"):
        jump, walk = small.names.index("jump_0.4"), small.names.index("walk_1.1")
        assert cost[clip == jump].max() > cost[clip == walk].max()
    twice = frame_costs(small, CostWeights(**{"torque": 0.0, part: 2.0}))
    np.testing.assert_allclose(twice, 2 * cost, rtol=1e-9)


def test_cost_weights_are_checked():
    with pytest.raises(MographError, match="0 or more"):
        CostWeights(torque=-1.0)
    with pytest.raises(MographError, match="one of them above"):
        CostWeights(torque=0.0)


def test_clips_with_nothing_in_common_are_refused(small):
    one = Database.from_clips([small.clip("jump_0.4")])
    with pytest.raises(MographError, match="no two clips"):
        MotionGraph.build(one)
