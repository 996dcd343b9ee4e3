"""Narrow ways: a corridor in the shape of an S, and a maze."""

from __future__ import annotations

import math
import random

import shapely
from shapely.geometry import LineString, box

from environments.level import WALL_TOP, Feature, Level
from environments.levels.pieces import WALL_THICKNESS, arrive, start
from environments.sketch import Sketch

_WIDTH = 1.2  # [m] between the walls
_COLS, _ROWS = 8, 5  # of the maze


def s_curve() -> tuple[Level, Sketch]:
    """A corridor 1.2 m wide that bends left and right (the thesis' test), to be walked on a narrow path."""
    bend = [(2.5 - 1.5 * math.cos(t), 2.5 + 1.5 * math.sin(t)) for t in (math.pi * k / 16 for k in range(17))]
    other = [
        (5.5 - 1.5 * math.cos(t), 2.5 - 1.5 * math.sin(t)) for t in (math.pi * k / 16 for k in range(1, 17))
    ]
    line = [(1.0, 0.8), *bend, *other, (7.0, 4.2)]
    path = LineString(line)
    inner = path.buffer(_WIDTH / 2, cap_style="flat")
    outer = path.buffer(_WIDTH / 2 + WALL_THICKNESS, cap_style="flat")
    sides = sorted(shapely.get_parts(outer - inner), key=lambda part: part.centroid.x)
    walls = tuple(
        Feature("wall", name, side, 0.0, WALL_TOP, False)
        for name, side in zip(("left wall", "right wall"), sides, strict=True)
    )
    level = Level("s_curve", box(0.0, 0.0, 8.0, 5.0), walls)
    actions = (start(1.0, 1.0, 0.0), arrive(7.0, 4.0, 0.0))
    return level, Sketch(actions, tuple((round(x, 4), round(z, 4)) for x, z in line), 0.5, "s_curve")


def maze() -> tuple[Level, Sketch]:
    """A maze of corridors 1.2 m wide with a single way through, from one corner to the opposite one."""
    size = _WIDTH + WALL_THICKNESS
    open_sides = _carved(_COLS, _ROWS)
    doors = {(0, -1, 0, 0), (_COLS - 1, _ROWS - 1, _COLS - 1, _ROWS)}
    across = [
        LineString([(col * size, row * size), ((col + 1) * size, row * size)])
        for row in range(_ROWS + 1)
        for col in range(_COLS)
        if (col, row - 1, col, row) not in open_sides | doors
    ]
    along = [
        LineString([(col * size, row * size), (col * size, (row + 1) * size)])
        for row in range(_ROWS)
        for col in range(_COLS + 1)
        if (col - 1, row, col, row) not in open_sides
    ]
    thick = [line.buffer(WALL_THICKNESS / 2, cap_style="square") for line in across + along]
    parts = shapely.get_parts(shapely.union_all(thick, grid_size=1e-4))
    walls = tuple(
        Feature("wall", f"wall {k + 1}", part, 0.0, WALL_TOP, False) for k, part in enumerate(parts)
    )
    wide, deep = _COLS * size, _ROWS * size
    level = Level("maze", box(-0.4, -1.2, round(wide + 0.4, 3), round(deep + 1.2, 3)), walls)
    actions = (
        start(round(size / 2, 3), -0.6, 0.0),
        arrive(round(wide - size / 2, 3), round(deep + 0.6, 3), 0.0),
    )
    return level, Sketch(actions, None, 0.8, "maze")


def _carved(cols: int, rows: int) -> set[tuple[int, int, int, int]]:
    """Pairs of neighbouring cells (column, row, next column, next row) with no wall between them.

    A walk from cell to unvisited cell that goes back where it is stuck: every cell is reached in one way.
    """
    chance = random.Random(11)
    visited, trail = {(0, 0)}, [(0, 0)]
    open_sides = set()
    while trail:
        col, row = trail[-1]
        around = [(col + 1, row), (col - 1, row), (col, row + 1), (col, row - 1)]
        fresh = [(c, r) for c, r in around if 0 <= c < cols and 0 <= r < rows and (c, r) not in visited]
        if not fresh:
            trail.pop()
            continue
        chosen = fresh[int(chance.random() * len(fresh))]
        open_sides.add((*min((col, row), chosen), *max((col, row), chosen)))
        visited.add(chosen)
        trail.append(chosen)
    return open_sides
