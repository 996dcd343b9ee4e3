"""Interpolation of three paths, made while it is walked; for two it agrees with the stored graph."""

from __future__ import annotations

import numpy as np
import pytest

from mograph.graph import MotionGraph
from mograph.sample import sample_database


@pytest.fixture(scope="module")
def compact():
    return MotionGraph.build(sample_database()).compact()


def test_two_paths_agree_with_the_stored_graph(compact):
    stored, lazy = compact.interpolate(k=2), compact.interpolate(k=2).compact.interpolate(k=3)
    whole = stored.settings.weights - 1
    rows = np.flatnonzero((stored.row >= 0) & (stored.source >= compact.states))
    inner = stored.settings.weights - 2
    for edge in np.random.default_rng(1).choice(rows, 30, replace=False):
        node = int(stored.source[edge]) - compact.states
        pair, share = stored.pair[node // inner], node % inner + 1
        from mograph.graph.lazy import Node

        steps = lazy.successors(Node(tuple(pair.tolist()), (share, whole - share)))
        played = tuple(stored.mixed_edges[stored.row[edge]].tolist())
        same = [step for step in steps if step.edges == played]
        assert same
        assert same[0].duration == pytest.approx(stored.duration[edge])
        cheapest = stored.cost[
            (stored.row == stored.row[edge]) & (stored.source == stored.source[edge])
        ].min()
        assert min(step.cost for step in same) == pytest.approx(cheapest, rel=1e-6)


def test_three_paths_can_be_walked_and_played(compact):
    graph = compact.interpolate(k=3)
    rng = np.random.default_rng(3)
    node, most = graph.start(0), 1
    for _ in range(25):
        steps = list(graph.successors(node))
        assert steps
        order = rng.permutation(len(steps))
        order = order[np.argsort([-len(steps[k].target.states) for k in order], kind="stable")]
        step = next(steps[k] for k in order if graph.leads_on(steps[k].target))
        assert sum(step.target.shares) == graph.whole
        assert len(step.target.states) <= 3
        assert step.cost > 0
        contact = {int(compact.contact[s]) for s in step.target.states}
        assert len(contact) == 1
        phase = graph.phase(step)
        assert phase.duration == pytest.approx(step.duration)
        assert np.isfinite(phase.rotation).all()
        most = max(most, len(step.edges))
        node = step.target
    assert most == 3
