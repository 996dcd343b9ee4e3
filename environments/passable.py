"""Where the root of a character may be at all, seen from above."""

from __future__ import annotations

import math

import shapely
from shapely.geometry.base import BaseGeometry

from environments.level import Level

BLOCKING_SPAN = (0.5, 0.55)  # [m] a solid that fills these heights is neither stepped over nor ducked under


def passable(
    level: Level,
    *,
    corridor: BaseGeometry | None = None,
    span: tuple[float, float] = BLOCKING_SPAN,
    body_radius: float = 0.0,
    reach_over_water: float | None = None,
) -> BaseGeometry:
    """Ground above which the root may be: inside the bounds and the corridor, outside what blocks.

    A solid blocks if it fills the whole height ``span``. ``body_radius`` [m] widens it; it may be no more
    than the radius of a disc around the root that the planner never lets touch a solid in that span. Water
    does not block, except where it is farther than ``reach_over_water`` [m] from all ground to stand on (half
    the longest jump and what the root leans out beyond the foot); ``None`` means that any water is passed.
    """
    blocked = level.covering(*span)
    if body_radius > 0.0:
        blocked = blocked.buffer(body_radius, quad_segs=2)  # the polygon lies inside the true outline
    region = shapely.difference(level.bounds, blocked)
    if reach_over_water is not None:
        ground = shapely.difference(level.bounds, level.water)
        around = reach_over_water / math.cos(math.pi / 32)  # so that the polygon holds the true outline
        region = shapely.intersection(region, ground.buffer(around, quad_segs=8))
    if corridor is not None:
        region = shapely.intersection(region, corridor)
    return region
