"""How far it is at least to a goal among the obstacles: never more than the true shortest way.

The bound is a surface h over the ground, linear on triangles, with two properties:

* h is 0 on the goal;
* its slope is at most one in every cell that has any passable ground in it.

Along a passable path h can therefore not change by more than the path's length. So |h(a) - h(b)| is never
more than the length of a way from a to b (h is consistent) and h(a) never more than that from a to the goal
(h is admissible), whatever the cell size; the size only says how close it comes. Nothing about the way h is
found enters into this argument: the slopes of the finished surface are measured, and the surface is divided
by the steepest.

It is found by fast marching, which by itself is too steep near the goal and behind corners; there the
marching is repeated with gentler slopes until little is left to divide by. Cells are squares with four
triangles that meet in the middle. In the open the bound stays within about 0.3 % and two or three cells of
the true length; a plain 8-connected Dijkstra is too long by up to 8.2 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from shapely.geometry import Point
from shapely.geometry.base import BaseGeometry

from environments.level import Level
from environments.lower_bound_kernel import bounds_at, ease, march, middles
from environments.passable import BLOCKING_SPAN, passable
from environments.raster import Grid, touched

_ROUNDS = 8  # of marching at most; later ones were not seen to help
_ENOUGH = 1.0001  # slopes up to this are not eased
_SLACK = 1e-6  # [m] a cell that reaches less far into passable ground has none in it


@dataclass(frozen=True, eq=False)
class TravelBound:
    """Lower bounds [m] on the way to one goal; ``node`` and ``middle`` are what ``bound_at`` reads.

    Infinite means that nobody can be there, or that there is no way from there to the goal.
    """

    grid: Grid
    node: np.ndarray  # (rows + 1, cols + 1) float64 [m] at cell corners
    middle: np.ndarray  # (rows, cols) float64 [m] at cell centres

    def at(self, points: np.ndarray) -> np.ndarray:
        """The bound at points (..., 2)."""
        points = np.asarray(points, float)
        flat = np.ascontiguousarray(points.reshape(-1, 2))
        found = bounds_at(self.node, self.middle, self.grid.x, self.grid.z, self.grid.cell, flat)
        return cast(np.ndarray, found.reshape(points.shape[:-1]))

    def least_within(self, position: tuple[float, float], radius: float) -> float:
        """The least bound over the disc: what is left to go after an action done somewhere in it."""
        cells = touched(_disc(position, radius), self.grid) & np.isfinite(self.middle)
        if not cells.any():
            return float("inf")
        corners = [self.node[i : i + self.grid.rows, j : j + self.grid.cols] for i in (0, 1) for j in (0, 1)]
        return float(min(part[cells].min() for part in [*corners, self.middle]))

    @property
    def reachable(self) -> bool:
        """Whether any place at all has a way to the goal."""
        return bool(np.isfinite(self.middle).any())


def _disc(position: tuple[float, float], radius: float) -> BaseGeometry:
    """A polygon that holds the whole disc."""
    return Point(position).buffer(max(radius, _SLACK) * 1.002, quad_segs=16)


def travel_bound(
    level: Level,
    goal: tuple[float, float],
    radius: float = 0.0,
    *,
    cell: float = 0.1,
    corridor: BaseGeometry | None = None,
    span: tuple[float, float] = BLOCKING_SPAN,
    body_radius: float = 0.0,
    reach_over_water: float | None = None,
) -> TravelBound:
    """Lower bound on the length of the root's way to the disc of ``radius`` [m] around the goal.

    The other parameters are those of ``passable``. ``cell`` [m] may be coarse: a wall nowhere as thick
    as a cell (with twice the body's radius) can be missed, which makes the bound weaker, never wrong.

    >>> from shapely.geometry import box
    >>> bound = travel_bound(Level("room", box(0, 0, 8, 8)), (1.0, 1.0))
    >>> 4.8 < bound.at(np.array([4.0, 5.0])) <= 5.0
    np.True_
    """
    region = passable(
        level, corridor=corridor, span=span, body_radius=body_radius, reach_over_water=reach_over_water
    )
    return bound_in_region(region, goal, radius, cell=cell)


def bound_in_region(
    region: BaseGeometry, goal: tuple[float, float], radius: float = 0.0, *, cell: float = 0.1
) -> TravelBound:
    """The same for any polygons the root may be in."""
    grid = Grid.around(region if not region.is_empty else Point(goal), cell, margin=cell)
    # a cell that only borders on the region is left out; looking up next to a border allows for it
    active = touched(region.buffer(-_SLACK, join_style="mitre"), grid)
    return bound_on_cells(active, grid, goal, radius)


def bound_on_cells(
    active: np.ndarray, grid: Grid, goal: tuple[float, float], radius: float = 0.0
) -> TravelBound:
    """The same where the cells with passable ground in them are known already."""
    aim = touched(_disc(goal, radius), grid) & active
    start = np.full((grid.rows + 1, grid.cols + 1), np.inf)
    for i in (0, 1):
        for j in (0, 1):
            start[i : i + grid.rows, j : j + grid.cols][aim] = 0.0
    slope = np.ones(grid.shape)
    best, least = start, np.inf
    for _ in range(_ROUNDS):
        value = start.copy()
        march(active, slope, value)
        steepest = ease(active, value, slope, _ENOUGH)
        if steepest >= least:
            break
        best, least = value, steepest
    best = best / (least * (1.0 + 1e-9))
    return TravelBound(grid, best * grid.cell, middles(active, best) * grid.cell)
