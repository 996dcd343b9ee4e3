"""MovingAI maps: refusals, octile paths against networkx and against the published optima."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from environments.errors import LevelError
from environments.movingai import GridMap, read_map, read_scenarios

MAPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "movingai"
HEAD = "type octile\nheight 2\nwidth 3\nmap\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no MovingAI map"),
        ("type octile\nheight two\nwidth 3\nmap\n...\n...\n", "whole numbers"),
        ("type octile\nheight 0\nwidth 3\nmap\n", "each side must have"),
        (HEAD + "...\n", "has 1 rows"),
        (HEAD + "...\n..\n", "line 6 has 2 cells"),
        (HEAD + "...\n.x.\n", "line 6 has the cell 'x'"),
    ],
)
def test_bad_maps_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.map"
    path.write_text(text)
    with pytest.raises(LevelError, match=words):
        read_map(path)


def test_bad_scenarios_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.scen"
    path.write_text("version 1\n0\tmap\t3\n")
    with pytest.raises(LevelError, match="line 2 is no query"):
        read_scenarios(path)
    with pytest.raises(LevelError, match="cannot read"):
        read_map(tmp_path / "none.map")


def test_octile_paths_against_networkx() -> None:
    rng = np.random.default_rng(0)
    free = rng.random((14, 17)) < 0.7
    graph = nx.Graph()
    for y, x in np.argwhere(free):
        graph.add_node((x, y))
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            nx_, ny = x + dx, y + dy
            if not (0 <= nx_ < 17 and 0 <= ny < 14 and free[ny, nx_]):
                continue
            if free[y, nx_] and free[ny, x]:
                graph.add_edge((x, y), (nx_, ny), weight=np.hypot(dx, dy))
    grid = GridMap("random", free)
    nodes = list(graph)
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph))
    for a, b in rng.integers(0, len(nodes), (200, 2)):
        expected = lengths[nodes[a]].get(nodes[b], np.inf)
        assert grid.octile_length(nodes[a], nodes[b]) == pytest.approx(expected)
    with pytest.raises(LevelError, match="not on the map"):
        grid.octile_length((0, 0), (99, 0))


def test_a_map_becomes_a_level() -> None:
    rng = np.random.default_rng(1)
    grid = GridMap("random", rng.random((9, 12)) < 0.6)
    level = grid.to_level(0.5)
    x, z = grid.grid(0.5).centres()
    spots = np.stack(np.meshgrid(x, z), axis=-1).reshape(-1, 2)
    heights = level.footing_heights(spots).reshape(9, 12)
    np.testing.assert_array_equal(np.isfinite(heights), grid.free)


@pytest.mark.skipif(not MAPS.is_dir(), reason="the MovingAI maps are not beside the project")
@pytest.mark.parametrize("name", ["arena", "den312d", "lak303d"])
def test_published_optima(name: str) -> None:
    grid = read_map(MAPS / f"{name}.map")
    for query in read_scenarios(MAPS / f"{name}.map.scen")[::7]:
        assert grid.octile_length(query.start, query.goal) == pytest.approx(query.length, abs=2e-3)
