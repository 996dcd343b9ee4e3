"""Pieces that built-in levels are put together from."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shapely.geometry import LineString, Point, Polygon, box

from environments.level import WALL_TOP, Feature
from environments.sketch import TOLERANCE, Action

WALL_THICKNESS = 0.15  # [m]


def block(
    kind: str,
    name: str,
    area: tuple[float, float, float, float],
    top: float,
    bottom: float = 0.0,
    stand: bool = False,
) -> Feature:
    """A box-shaped feature over the area (x0, z0, x1, z1)."""
    return Feature(kind, name, box(*area), bottom, top, stand)


def wall(name: str, *points: tuple[float, float]) -> Feature:
    """A wall of usual thickness along a line of points, full corners and ends."""
    line = LineString(points).buffer(WALL_THICKNESS / 2, cap_style="square", join_style="mitre")
    return Feature("wall", name, line, 0.0, WALL_TOP, False)


def column(name: str, x: float, z: float, radius: float, top: float = WALL_TOP) -> Feature:
    """A round column."""
    return Feature("obstacle", name, Point(x, z).buffer(radius, quad_segs=6), 0.0, top, False)


def stone(name: str, x: float, z: float, radius: float, height: float) -> Feature:
    """A round stone to step on."""
    return Feature("stone", name, Point(x, z).buffer(radius, quad_segs=4), 0.0, height, True)


def river(name: str, points: Sequence[tuple[float, float]], width: float) -> Feature:
    """Water along a line of points."""
    line = LineString(points).buffer(width / 2, cap_style="flat", join_style="round", quad_segs=4)
    assert isinstance(line, Polygon)
    return Feature("water", name, line, -0.5, 0.0, False)


def start(x: float, z: float, degrees: float) -> Action:
    """Stand here, facing this way."""
    return Action("start", (x, z), TOLERANCE["start"], heading=math.radians(degrees), behaviour="stand")


def arrive(x: float, z: float, degrees: float | None = None) -> Action:
    """Come to a stand here."""
    heading = None if degrees is None else math.radians(degrees)
    return Action("arrive", (x, z), TOLERANCE["arrive"], heading=heading, behaviour="stand")


def do(
    kind: str,
    x: float,
    z: float,
    height: float | None = None,
    *,
    over: str | None = None,
    name: str | None = None,
) -> Action:
    """Any other action, with the usual tolerance."""
    return Action(kind, (x, z), TOLERANCE[kind], height, over=over, name=name)
