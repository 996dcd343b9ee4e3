"""Rasters and distance fields against exact geometry."""

from __future__ import annotations

import time

import numpy as np
import pytest
import shapely
from shapely.geometry import Point, box

from environments.distance import FAR, clearance_fields, exact_clearance, joined_layers
from environments.errors import LevelError
from environments.level import Feature, Level
from environments.raster import Grid, filled, footing_raster, outlined, touched


def random_level(seed: int, size: float = 12.0, count: int = 14) -> Level:
    rng = np.random.default_rng(seed)
    features = []
    for k in range(count):
        x, z = rng.uniform(0, size, 2)
        shape = Point(x, z).buffer(rng.uniform(0.2, 1.2), quad_segs=int(rng.integers(1, 6)))
        kind = str(rng.choice(["wall", "obstacle", "water", "stone", "table"]))
        bottom, top = {
            "wall": (0.0, 2.5),
            "obstacle": (1.2, 1.4),
            "water": (-0.5, 0.0),
            "stone": (0.0, 0.2),
            "table": (0.0, 0.8),
        }[kind]
        features.append(Feature(kind, str(k), shape, bottom, top, kind == "stone"))
    return Level("random", box(0, 0, size, size), tuple(features))


@pytest.mark.parametrize("seed", range(4))
def test_filling_agrees_with_shapely(seed: int) -> None:
    level = random_level(seed)
    shape = shapely.union_all([f.shape for f in level.features]) - box(3, 3, 5, 5)
    grid = Grid.around(box(-0.53, 0.31, 9.7, 14.2), 0.07)
    x, z = grid.centres()
    expected = shapely.contains_xy(shape, *np.meshgrid(x, z))
    np.testing.assert_array_equal(filled(shape, grid), expected)


@pytest.mark.parametrize("seed", range(3))
def test_touched_cells_are_those_that_meet_the_shape(seed: int) -> None:
    level = random_level(seed)
    shape = shapely.union_all([f.shape for f in level.features])
    grid = Grid.around(level.bounds, 0.13)
    rows, cols = np.mgrid[0 : grid.rows, 0 : grid.cols]
    x, z = grid.x + cols * grid.cell, grid.z + rows * grid.cell
    cells = shapely.box(x, z, x + grid.cell, z + grid.cell)
    common = shapely.area(shapely.intersection(shape, cells))
    marked = touched(shape, grid)
    assert marked[common > 1e-9].all()
    assert not marked[shapely.distance(shape, cells) > 1e-9].any()


def test_outline_along_grid_lines_counts_on_both_sides() -> None:
    marks = outlined(box(1, 1, 3, 3), Grid(0, 0, 1.0, 4, 4))
    expected = np.ones((4, 4), bool)
    corners = np.ix_([0, 3], [0, 3])  # they meet the outline in one point, which may count or not
    marks[corners] = True
    np.testing.assert_array_equal(marks, expected)


def test_grid_refuses_nonsense() -> None:
    with pytest.raises(LevelError, match="cell size is 0"):
        Grid.around(box(0, 0, 1, 1), 0)
    with pytest.raises(LevelError, match="too large; use cells of at least"):
        Grid.around(box(0, 0, 9000, 9000), 0.05)


@pytest.mark.parametrize("seed", range(4))
def test_footing_is_exact_at_cell_centres(seed: int) -> None:
    level = random_level(seed)
    footing = footing_raster(level, 0.11)
    x, z = footing.grid.centres()
    spots = np.stack(np.meshgrid(x, z), axis=-1)
    expected = level.footing_heights(spots.reshape(-1, 2)).reshape(footing.grid.shape)
    np.testing.assert_allclose(footing.height, expected, atol=1e-6)
    np.testing.assert_allclose(footing.at(spots), expected, atol=1e-6)
    assert np.isnan(footing.at(np.array([-5.0, -5.0])))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0), (0.3, 0.7), (1.25, 1.3), (0.9, 1.1), (3.0, 4.0)])
def test_clearance_is_exact_to_a_cell(seed: int, low: float, high: float) -> None:
    level = random_level(seed)
    fields = clearance_fields(level, 0.05)
    spots = np.random.default_rng(seed).uniform(0.1, 11.9, (2000, 2))
    exact = exact_clearance(level, spots, low, high)
    found = fields.at(spots, low, high)
    outside = exact > 0.0
    assert np.abs(found - exact)[outside & (exact < FAR)].max(initial=0.0) <= 0.05
    assert (found[~outside] <= 0.05).all()
    assert (found[exact == FAR] == FAR).all()


def test_joined_layers_err_on_the_safe_side() -> None:
    level = random_level(1)
    spots = np.random.default_rng(0).uniform(0, 12, (500, 2))
    fine, coarse = (clearance_fields(level, 0.1, most_layers=n) for n in (8, 2))
    assert len(coarse.field) == 2
    for low, high in ((0.1, 0.15), (0.3, 1.0), (1.5, 2.0)):
        assert (coarse.at(spots, low, high) <= fine.at(spots, low, high) + 1e-6).all()
    assert joined_layers((), 3) == []


def test_an_empty_level_is_clear_everywhere() -> None:
    fields = clearance_fields(Level("room", box(0, 0, 2, 2)), 0.1)
    assert (fields.at(np.ones((3, 2)), 0.0, 2.0) == FAR).all()
    assert (fields.everywhere == FAR).all()


def test_a_hundred_metres_at_five_centimetres_take_seconds() -> None:
    level = random_level(7, 100.0, 300)
    begin = time.perf_counter()
    footing = footing_raster(level, 0.05)
    fields = clearance_fields(level, 0.05)
    assert footing.height.shape == fields.field.shape[1:] == (2000, 2000)
    assert time.perf_counter() - begin < 15.0
