"""The travel bound: never above the exact length, consistent, and close to it."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely.affinity import rotate
from shapely.geometry import LineString, Point, box
from shapely.geometry.base import BaseGeometry

from environments.level import Feature, Level
from environments.lower_bound import TravelBound, bound_in_region, travel_bound
from environments.lower_bound_kernel import march
from environments.passable import passable
from environments.visibility import VisibilityGraph, path_length


def random_region(rng: np.random.Generator) -> BaseGeometry:
    blocks = []
    for x, z in rng.uniform(0, 11, (10, 2)):
        block = box(x, z, x + rng.uniform(0.1, 4), z + rng.uniform(0.1, 1.5))
        blocks.append(rotate(block, rng.choice([0.0, 90.0, rng.uniform(0, 180)])))
    return shapely.difference(box(0, 0, 12, 12), shapely.union_all(blocks))


def spots_in(region: BaseGeometry, count: int, rng: np.random.Generator) -> np.ndarray:
    spots = rng.uniform(0, 12, (50 * count, 2))
    return spots[shapely.contains_xy(region, spots[:, 0], spots[:, 1])][:count]


@pytest.mark.parametrize("cell", [0.07, 0.1, 0.25, 0.9])
def test_never_above_the_exact_path(cell: float) -> None:
    rng = np.random.default_rng(int(cell * 100))
    queries = 0
    for _ in range(5):
        region = random_region(rng)
        graph = VisibilityGraph(region)
        spots = spots_in(region, 11, rng)
        bound = bound_in_region(region, tuple(spots[0]), cell=cell)
        for spot, value in zip(spots[1:], bound.at(spots[1:]), strict=True):
            path = graph.shortest(spot, spots[0])
            queries += 1
            if path is not None:
                assert value <= path_length(path) + 1e-6
    assert queries == 50  # 200 over the four cell sizes


def test_consistent_along_free_segments() -> None:
    rng = np.random.default_rng(3)
    for _ in range(6):
        region = random_region(rng)
        bound = bound_in_region(region, tuple(spots_in(region, 1, rng)[0]), cell=0.15)
        first = spots_in(region, 2000, rng)
        second = first + rng.normal(0, 1.0, first.shape) * rng.choice([0.01, 0.1, 1.0], (len(first), 1))
        free = shapely.covers(region, shapely.linestrings(np.stack([first, second], axis=1)))
        a, b = bound.at(first[free]), bound.at(second[free])
        assert (np.isfinite(a) == np.isfinite(b)).all()
        known = np.isfinite(a)
        gap = np.hypot(*(first - second)[free][known].T)
        assert (np.abs(a - b)[known] <= gap + 1e-9).all()
        assert known.sum() > 300


def test_close_to_the_truth_in_the_open_and_round_a_corner() -> None:
    room = box(0, 0, 20, 20)
    spots = np.random.default_rng(0).uniform(0, 20, (500, 2))
    true = np.hypot(*(spots - [3.0, 4.0]).T)
    value = bound_in_region(room, (3.0, 4.0)).at(spots)
    assert (value <= true).all()
    assert (value >= 0.995 * true - 0.25).all()
    bent = room - box(-1, 9, 15, 11)
    length = 2 * np.hypot(13.0, 7.0) + 2.0
    value = float(bound_in_region(bent, (2.0, 2.0)).at(np.array([2.0, 18.0])))
    assert length - 0.5 <= value <= length


def test_a_walled_off_place_has_no_bound_but_infinity() -> None:
    walls = box(3, 3, 7, 7) - box(3.5, 3.5, 6.5, 6.5)
    bound = bound_in_region(box(0, 0, 10, 10) - walls, (1.0, 1.0))
    values = bound.at(np.array([[5.0, 5.0], [3.25, 5.0], [-3.0, 1.0], [9.0, 9.0]]))
    assert np.isinf(values[:3]).all()
    assert np.isfinite(values[3])
    nowhere = bound_in_region(box(0, 0, 10, 10) - walls, (3.25, 5.0))
    assert not nowhere.reachable
    assert bound.reachable


def test_a_point_on_the_border_has_a_value() -> None:
    bound = bound_in_region(box(0, 0, 4, 4) - box(2, 2, 4, 4), (1.0, 1.0), cell=0.5)
    edge = bound.at(np.array([[0.0, 0.0], [4.0, 2.0], [2.0, 4.0], [2.0, 3.0], [0.0, 4.0], [4.0, 0.0]]))
    assert np.isfinite(edge).all()


def test_goal_discs_and_least_values() -> None:
    room = box(0, 0, 12, 12)
    disc = bound_in_region(room, (3.0, 3.0), 1.0)
    spots = np.random.default_rng(0).uniform(0, 12, (400, 2))
    true = np.maximum(np.hypot(*(spots - 3.0).T) - 1.0, 0.0)
    value = disc.at(spots)
    assert (value <= true + 1e-12).all()
    assert (value >= 0.995 * true - 0.3).all()
    around = np.random.default_rng(1).normal(0, 1, (400, 2))
    around = np.array([9.0, 9.0]) + 0.8 * around / np.maximum(np.hypot(*around.T), 1.0)[:, None]
    least = disc.least_within((9.0, 9.0), 0.8)
    assert disc.at(around).min() - 0.3 <= least <= disc.at(around).min()


def level() -> Level:
    features = (
        Feature("water", "river", box(4, -1, 5, 9), -0.5, 0.0, False),
        Feature("water", "sea", box(8, -1, 14, 9), -0.5, 0.0, False),
        Feature("obstacle", "bench", box(2, -1, 2.3, 9), 0.0, 0.4, True),
        Feature("obstacle", "bar", box(3, -1, 3.1, 9), 1.2, 1.4, False),
        Feature("table", "table", box(6, -1, 6.5, 6), 0.0, 0.8, False),
    )
    return Level("yard", box(0, 0, 16, 8), features)


def values(bound: TravelBound, *spots: tuple[float, float]) -> list[float]:
    return [float(v) for v in bound.at(np.array(spots))]


def test_what_blocks_and_what_does_not() -> None:
    river, far_side = values(travel_bound(level(), (1.0, 1.0)), (5.5, 1.0), (7.0, 1.0))
    assert 4.3 < river <= 4.5  # over bench, under bar, across the river
    around = np.hypot(5.0, 5.0) + 0.5 + np.hypot(0.5, 5.0)
    assert around - 0.4 < far_side <= around
    (beyond,) = values(travel_bound(level(), (1.0, 1.0)), (15.0, 1.0))
    assert np.isfinite(beyond)
    (beyond,) = values(travel_bound(level(), (1.0, 1.0), reach_over_water=1.2), (15.0, 1.0))
    assert np.isinf(beyond)


def test_wider_bodies_and_corridors_make_it_longer() -> None:
    plain, wide = (travel_bound(level(), (1.0, 1.0), body_radius=r) for r in (0.0, 0.3))
    assert values(wide, (7.0, 1.0))[0] > values(plain, (7.0, 1.0))[0] + 0.2
    path = LineString([(1, 1), (1, 7), (5.5, 7), (5.5, 1)])
    kept = travel_bound(level(), (1.0, 1.0), corridor=path.buffer(0.25))
    inside, outside = values(kept, (5.5, 1.0), (3.5, 3.0))
    inner = 2 * np.hypot(0.25, 5.75) + 4.0  # along the inner side of the corridor's two bends
    assert inner - 0.6 < inside <= inner
    assert np.isinf(outside)


def test_body_radius_never_overstates() -> None:
    """The widened outline is a polygon inside the true one, so exact paths among true ones are longer."""
    rng = np.random.default_rng(8)
    true = level().covering(0.5, 0.55).buffer(0.3, quad_segs=64)
    region = shapely.difference(level().bounds, true)
    graph = VisibilityGraph(region)
    bound = travel_bound(level(), (1.0, 1.0), body_radius=0.3)
    for spot in rng.uniform([0.2, 0.2], [15, 7.8], (20, 2)):
        if region.contains(Point(spot)):
            path = graph.shortest(spot, np.array([1.0, 1.0]))
            assert path is not None
            assert float(bound.at(spot)) <= path_length(path) + 1e-6
    assert passable(level(), body_radius=0.3).buffer(1e-9).covers(region)


def slow_march(active: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Fast marching's equations solved by repeating all updates until nothing changes."""
    rows, cols = active.shape
    value = value.copy()
    changed = True
    while changed:
        changed = False
        for r in range(rows + 1):
            for c in range(cols + 1):
                for i in (-1, 1):
                    for j in (-1, 1):
                        cr, cc = r + (i - 1) // 2, c + (j - 1) // 2
                        if not (0 <= cr < rows and 0 <= cc < cols and active[cr, cc]):
                            continue
                        a, b = sorted((value[r + i, c], value[r, c + j]))
                        if a == np.inf:
                            continue
                        new = a + 1 if b - a >= 1 else (a + b + np.sqrt(2 - (a - b) ** 2)) / 2
                        if new < value[r, c] - 1e-12:
                            value[r, c] = new
                            changed = True
    return value


def test_kernel_against_its_slow_twin() -> None:
    rng = np.random.default_rng(2)
    for _ in range(5):
        active = rng.random((12, 9)) < 0.75
        value = np.full((13, 10), np.inf)
        value[4:6, 3:5] = 0.0
        expected = slow_march(active, value)
        march(active, np.ones(active.shape), value)
        np.testing.assert_allclose(value, expected, atol=1e-9)
