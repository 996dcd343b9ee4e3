"""Exact shortest paths against cases that can be worked out by hand and against a dense graph."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import shapely
from shapely.geometry import Point, box

from environments.visibility import VisibilityGraph, path_length


def test_paths_worked_out_by_hand() -> None:
    graph = VisibilityGraph(box(0, 0, 10, 10) - box(4, -1, 6, 7) - box(8, 3, 9, 11))
    path = graph.shortest(np.array([1.0, 1.0]), np.array([7.0, 1.0]))
    assert path is not None
    np.testing.assert_allclose(path, [[1, 1], [4, 7], [6, 7], [7, 1]])
    assert path_length(path) == pytest.approx(np.sqrt(45) + 2 + np.sqrt(37))
    shut = VisibilityGraph(box(0, 0, 10, 10) - box(4, -1, 6, 11))
    assert shut.shortest(np.array([1.0, 1.0]), np.array([8.0, 1.0])) is None


def test_as_short_as_in_the_complete_graph() -> None:
    rng = np.random.default_rng(4)
    for _ in range(4):
        blocks = [Point(p).buffer(rng.uniform(0.3, 1.2), quad_segs=2) for p in rng.uniform(1, 9, (6, 2))]
        region = shapely.difference(box(0, 0, 10, 10), shapely.union_all(blocks))
        wide = region.buffer(1e-7)
        ends = np.array([[0.2, 0.3], [9.7, 9.6]])
        nodes = np.vstack([shapely.get_coordinates(region), ends])
        i, j = np.triu_indices(len(nodes), 1)
        lines = shapely.linestrings(np.stack([nodes[i], nodes[j]], axis=1))
        seen = shapely.covers(wide, lines)
        graph = nx.Graph()
        for a, b, line in zip(i[seen], j[seen], lines[seen], strict=True):
            graph.add_edge(int(a), int(b), weight=line.length)
        expected = nx.shortest_path_length(graph, len(nodes) - 2, len(nodes) - 1, "weight")
        path = VisibilityGraph(region).shortest(*ends)
        assert path is not None
        assert path_length(path) == pytest.approx(expected, abs=1e-6)
