"""Maps and scenarios of the MovingAI pathfinding benchmarks, and shortest octile paths in them.

The files are described by N. Sturtevant, "Benchmarks for Grid-Based Pathfinding", IEEE Transactions on
Computational Intelligence and AI in Games 4(2), 2012. A map has one character per cell; row 0 is at the top,
which here becomes the least z. Octile paths go to eight neighbours and cut no corners.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
from shapely.geometry import Polygon, box

from environments.errors import LevelError
from environments.level import WALL_TOP, Feature, Level
from environments.raster import Grid

PASSABLE = b".G"
_KNOWN = b".G@OTSW"
_LARGEST = 4096  # cells along one side


@dataclass(frozen=True, eq=False)
class GridMap:
    """A map of square cells that can be passed or not."""

    name: str
    free: np.ndarray  # (rows, cols) bool

    def grid(self, cell: float = 1.0) -> Grid:
        """The grid whose cells are the map's, of this size [m]."""
        rows, cols = self.free.shape
        return Grid(0.0, 0.0, cell, rows, cols)

    def to_level(self, cell: float = 1.0) -> Level:
        """The map as a level with cells of this size [m]; what cannot be passed is wall."""
        grid = self.grid(cell)
        blocked = np.pad(~self.free, ((0, 0), (1, 1)))
        change = np.diff(blocked.astype(np.int8), axis=1)
        row, first = np.nonzero(change == 1)
        last = np.nonzero(change == -1)[1]
        runs = shapely.box(first * cell, row * cell, last * cell, (row + 1) * cell)
        walls = []
        for k, part in enumerate(shapely.get_parts(shapely.union_all(runs))):
            assert isinstance(part, Polygon)
            walls.append(Feature("wall", f"wall {k + 1}", part, 0.0, WALL_TOP, False))
        return Level(self.name, box(0.0, 0.0, grid.cols * cell, grid.rows * cell), tuple(walls))

    def octile_length(self, start: tuple[int, int], goal: tuple[int, int]) -> float:
        """Length, in cells, of the shortest octile path between two cells (column, row); infinite if none.

        >>> round(GridMap("yard", np.ones((3, 4), bool)).octile_length((0, 0), (3, 2)), 2)
        3.83
        """
        from environments.octile_kernel import octile

        rows, cols = self.free.shape
        for what, (x, y) in (("start", start), ("goal", goal)):
            if not (0 <= x < cols and 0 <= y < rows):
                raise LevelError(f"{what} ({x}, {y}) is not on the map {self.name} of {cols} x {rows} cells")
        return float(octile(self.free, start[0], start[1], goal[0], goal[1]))


@dataclass(frozen=True)
class Scenario:
    """One query of a scenario file: start and goal cell (column, row) and the published shortest length."""

    map_name: str
    start: tuple[int, int]
    goal: tuple[int, int]
    length: float


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError as problem:
        raise LevelError(f"cannot read {path}: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise LevelError(f"{path} is not a text file; it must be a MovingAI map or scenario") from problem


def read_map(path: str | os.PathLike[str]) -> GridMap:
    """Read a ``.map`` file."""
    path = Path(path)
    lines = _lines(path)
    head = {words[0]: words[1] for words in (line.split() for line in lines[:3]) if len(words) == 2}
    if len(lines) < 4 or head.get("type") != "octile" or lines[3].strip() != "map":
        raise LevelError(f"{path} is no MovingAI map; it must begin with type octile, height, width, map")
    try:
        rows, cols = int(head["height"]), int(head["width"])
    except (KeyError, ValueError) as problem:
        raise LevelError(f"{path} has no height and width; they must be whole numbers") from problem
    if not (0 < rows <= _LARGEST and 0 < cols <= _LARGEST):
        raise LevelError(f"{path} has {cols} x {rows} cells; each side must have 1 to {_LARGEST}")
    body = lines[4 : 4 + rows]
    for number, line in enumerate(body):
        if len(line) != cols:
            raise LevelError(f"{path}, line {number + 5} has {len(line)} cells; the width is {cols}")
    if len(body) != rows:
        raise LevelError(f"{path} has {len(body)} rows of cells; the height is {rows}")
    cells = np.frombuffer("".join(body).encode(), np.uint8).reshape(rows, cols)
    if not (known := np.isin(cells, np.frombuffer(_KNOWN, np.uint8))).all():
        row, col = np.argwhere(~known)[0]
        letter = chr(cells[row, col])
        raise LevelError(
            f"{path}, line {row + 5} has the cell {letter!r}; cells are one of {_KNOWN.decode()}"
        )
    return GridMap(path.stem, np.isin(cells, np.frombuffer(PASSABLE, np.uint8)))


def read_scenarios(path: str | os.PathLike[str]) -> list[Scenario]:
    """Read a ``.scen`` file."""
    path = Path(path)
    found = []
    for number, line in enumerate(_lines(path), 1):
        words = line.split()
        if not words or words[0] == "version":
            continue
        try:
            x0, y0, x1, y1 = (int(word) for word in words[4:8])
            found.append(Scenario(words[1], (x0, y0), (x1, y1), float(words[8])))
        except (ValueError, IndexError) as problem:
            raise LevelError(f"{path}, line {number} is no query; it needs nine columns") from problem
    return found
