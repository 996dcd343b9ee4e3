"""Grid maps with published optima, and the travel bound against exact any-angle paths.

    python bench/grid.py [--sample N] [FOLDER with MovingAI .map and .scen files]

Part one: octile shortest paths of every map against the published lengths, all of them or N a map.
Part two: the 2D bound against exact visibility-graph paths, on 200 queries in real maps and random levels.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import shapely
from shapely.affinity import rotate
from shapely.geometry import Point, box

from environments.lower_bound import bound_in_region
from environments.movingai import GridMap, Scenario, read_map, read_scenarios
from environments.visibility import VisibilityGraph, path_length

MAPS = Path(__file__).resolve().parents[2] / "shared" / "data" / "movingai"
TOLERANCE = 2e-3  # lengths are published to six digits, so beyond 1000 to 0.005 only
EXACT_ON = ("arena", "den312d", "lak303d")  # maps small enough for an exact path in Python
CELL = 0.5  # of the bound, in map cells


def octile_part(folder: Path, sample: int | None) -> bool:
    """Compare with the published optima; whether all agree."""
    print("octile shortest paths against the published optima")
    print(f"{'map':10} {'cells':>11} {'queries':>8} {'matched':>8} {'worst diff':>11} {'ms/query':>9}")
    good = True
    for path in sorted(folder.glob("*.map")):
        grid = read_map(path)
        queries = read_scenarios(path.with_name(path.name + ".scen"))
        if sample is not None and len(queries) > sample:
            queries = [queries[i] for i in np.linspace(0, len(queries) - 1, sample).astype(int)]
        grid.octile_length(queries[0].start, queries[0].goal)  # compile outside the clock
        begin = time.perf_counter()
        found = np.array([grid.octile_length(q.start, q.goal) for q in queries])
        took = time.perf_counter() - begin
        off = np.abs(found - [q.length for q in queries])
        allowed = [TOLERANCE if q.length < 1000.0 else 0.0051 for q in queries]
        matched = int((off <= allowed).sum())
        good &= matched == len(queries)
        rows, cols = grid.free.shape
        print(
            f"{grid.name:10} {cols:5} x{rows:4} {len(queries):8} {matched:8} {off.max():11.1e} "
            f"{1e3 * took / len(queries):9.2f}"
        )
    return good


def map_ratios(grid: GridMap, queries: list[Scenario]) -> np.ndarray:
    """Bound and exact length (N, 2) of queries between cell centres of a map."""
    level = grid.to_level()
    region = shapely.difference(level.bounds, level.covering(0.5, 0.7))
    graph = VisibilityGraph(region)
    pairs = []
    for query in queries:
        start, goal = (np.array(cell, float) + 0.5 for cell in (query.start, query.goal))
        path = graph.shortest(start, goal)
        assert path is not None
        bound = bound_in_region(region, (goal[0], goal[1]), cell=CELL)
        pairs.append((float(bound.at(start)), path_length(path)))
    return np.array(pairs)


def random_ratios(count: int, seed: int) -> np.ndarray:
    """Bound and exact length (N, 2) of queries among random turned boxes; cells of 0.1 m."""
    rng = np.random.default_rng(seed)
    pairs = []
    while len(pairs) < count:
        boxes = [
            rotate(box(x, z, x + rng.uniform(0.3, 4.0), z + rng.uniform(0.3, 2.0)), rng.uniform(0.0, 180.0))
            for x, z in rng.uniform(0.0, 15.0, (12, 2))
        ]
        region = shapely.difference(box(0.0, 0.0, 16.0, 16.0), shapely.union_all(boxes))
        graph = VisibilityGraph(region)
        spots = [p for p in rng.uniform(0.0, 16.0, (60, 2)) if region.contains(Point(p))][:11]
        bound = bound_in_region(region, (spots[0][0], spots[0][1]))
        for spot in spots[1:]:
            path = graph.shortest(spot, spots[0])
            if path is not None:
                pairs.append((float(bound.at(spot)), path_length(path)))
    return np.array(pairs[:count])


def report(name: str, pairs: np.ndarray, cell: float) -> bool:
    """One line on bound against truth; whether the bound was never above it."""
    bound, true = pairs.T
    share = bound / true
    above = int((bound > true + 1e-6).sum())
    print(
        f"{name:10} {len(pairs):8} {above:6} {share.mean():7.4f} {np.median(share):7.4f} {share.min():7.4f} "
        f"{np.median((true - bound) / cell):12.1f}"
    )
    return above == 0


def main() -> None:
    """Run both parts; ends with 1 if anything does not hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=MAPS)
    parser.add_argument("--sample", type=int, help="so many queries of each map instead of all")
    options = parser.parse_args()
    good = octile_part(options.folder, options.sample)
    print("\ntravel bound against exact any-angle length (bound / true)")
    head = ("level", "queries", "above", "mean", "median", "least", "cells short")
    print("{:10} {:>8} {:>6} {:>7} {:>7} {:>7} {:>12}".format(*head))
    good &= report("random", random_ratios(140, 5), 0.1)
    for name in EXACT_ON:
        path = options.folder / f"{name}.map"
        if path.is_file():
            queries = read_scenarios(path.with_name(path.name + ".scen"))
            chosen = [queries[i] for i in np.linspace(10, len(queries) - 1, 20).astype(int)]
            good &= report(name, map_ratios(read_map(path), chosen), CELL)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
