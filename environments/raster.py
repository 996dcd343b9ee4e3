"""Levels as arrays: a grid over the ground, polygons filled into it, and where a foot may stand how high.

A raster has rows along z and columns along x. The value of a cell is that of its centre, except where
``touched`` is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from environments.errors import LevelError
from environments.level import FOOT_ROOM, WET, Level

MOST_CELLS = 64_000_000  # a raster larger than this would fill the memory of a small machine


@dataclass(frozen=True)
class Grid:
    """Square cells over the ground; cell (row, col) begins at (x + col cell, z + row cell)."""

    x: float
    z: float
    cell: float
    rows: int
    cols: int

    @classmethod
    def around(cls, shape: BaseGeometry, cell: float, margin: float = 0.0) -> Grid:
        """The grid over a shape's bounding box, its corner on a multiple of the cell size.

        >>> from shapely.geometry import box
        >>> Grid.around(box(0.02, 0, 1, 2), 0.5)
        Grid(x=0.0, z=0.0, cell=0.5, rows=4, cols=2)
        """
        if not (math.isfinite(cell) and cell > 0.0):
            raise LevelError(f"cell size is {cell!r}; it must be a positive number [m]")
        x0, z0, x1, z1 = shape.bounds
        col0, row0 = (math.floor((v - margin) / cell + 1e-9) for v in (x0, z0))
        col1, row1 = (math.ceil((v + margin) / cell - 1e-9) for v in (x1, z1))
        rows, cols = max(row1 - row0, 1), max(col1 - col0, 1)
        if rows * cols > MOST_CELLS:
            raise LevelError(
                f"a raster of {rows} x {cols} cells of {cell:g} m is too large; use cells of at least "
                f"{cell * math.sqrt(rows * cols / MOST_CELLS):.2g} m"
            )
        return cls(col0 * cell, row0 * cell, cell, rows, cols)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.cols

    def centres(self) -> tuple[np.ndarray, np.ndarray]:
        """x of each column's and z of each row's cell centres."""
        x = self.x + (np.arange(self.cols) + 0.5) * self.cell
        return x, self.z + (np.arange(self.rows) + 0.5) * self.cell

    def cells(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Row, column and whether that is on the grid, for points (..., 2); what is outside is clipped."""
        points = np.asarray(points, float)
        col = np.floor((points[..., 0] - self.x) / self.cell).astype(np.int64)
        row = np.floor((points[..., 1] - self.z) / self.cell).astype(np.int64)
        inside = (row >= 0) & (row < self.rows) & (col >= 0) & (col < self.cols)
        return np.clip(row, 0, self.rows - 1), np.clip(col, 0, self.cols - 1), inside


def _edges(shape: BaseGeometry) -> np.ndarray:
    """All segments of all rings of polygons as an array (N, 4) of x0, z0, x1, z1."""
    polygons = [p for p in shapely.get_parts(shape) if p.geom_type == "Polygon"]
    rings = shapely.get_rings(np.array(polygons, dtype=object)) if polygons else np.zeros(0, object)
    coordinates, ring = shapely.get_coordinates(rings, return_index=True)
    same = ring[1:] == ring[:-1]
    return np.hstack([coordinates[:-1][same], coordinates[1:][same]])


def _ragged(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For ranges of these lengths laid end to end: which range each entry is of, and its place in it."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def filled(shape: BaseGeometry, grid: Grid) -> np.ndarray:
    """Which cells have their centre inside the polygons: (rows, cols) of bool.

    Every edge flips, in each row whose centre line it crosses, all cells to its right; what was flipped an
    odd number of times is inside (holes come out right by themselves). One pass over edges, none in Python.

    >>> from shapely.geometry import box
    >>> filled(box(0, 0, 2, 1), Grid(0, 0, 1.0, 2, 3)).astype(int)
    array([[1, 1, 0],
           [0, 0, 0]])
    """
    mask = np.zeros(grid.shape, bool)
    window, patch = filled_patch(shape, grid)
    mask[window] = patch
    return mask


def filled_patch(shape: BaseGeometry, grid: Grid) -> tuple[tuple[slice, slice], np.ndarray]:
    """The same only where the shape is: the rows and columns of its bounding box, and the cells in it."""
    if shape.is_empty:
        return (slice(0, 0), slice(0, 0)), np.zeros((0, 0), bool)
    x0, z0, x1, z1 = shape.bounds
    col0, col1 = (
        int(np.clip(math.floor((v - grid.x) / grid.cell), 0, grid.cols)) for v in (x0, x1 + grid.cell)
    )
    row0, row1 = (
        int(np.clip(math.floor((v - grid.z) / grid.cell), 0, grid.rows)) for v in (z0, z1 + grid.cell)
    )
    corner = (grid.x + col0 * grid.cell, grid.z + row0 * grid.cell)
    patch = _parity_fill(shape, Grid(*corner, grid.cell, row1 - row0, col1 - col0))
    return (slice(row0, row1), slice(col0, col1)), patch


def _parity_fill(shape: BaseGeometry, grid: Grid) -> np.ndarray:
    flips = np.zeros((grid.rows, grid.cols + 1), np.int32)
    edges = _edges(shape)
    x0, z0, x1, z1 = ((edges - np.array([grid.x, grid.z] * 2)) / grid.cell).T
    first = np.clip(np.ceil(np.minimum(z0, z1) - 0.5), 0, grid.rows).astype(np.int64)
    last = np.clip(np.ceil(np.maximum(z0, z1) - 0.5), 0, grid.rows).astype(np.int64)
    owner, place = _ragged(last - first)
    row = first[owner] + place
    along = (row + 0.5 - z0[owner]) / (z1 - z0)[owner]
    x = x0[owner] + along * (x1 - x0)[owner]
    col = np.clip(np.ceil(x - 0.5), 0, grid.cols).astype(np.int64)
    np.add.at(flips, (row, col), 1)
    return (np.cumsum(flips, axis=1, dtype=np.int32)[:, :-1] & 1).astype(bool)


def outlined(shape: BaseGeometry, grid: Grid) -> np.ndarray:
    """Which cells the outlines of the polygons run through: (rows, cols) of bool.

    Each segment is cut where it crosses grid lines; the middle of each piece says which cell it is in. A
    piece along a grid line counts for the cells on both sides.
    """
    marked = np.zeros(grid.shape, bool)
    edges = (_edges(shape) - np.array([grid.x, grid.z] * 2)) / grid.cell
    start, step = edges[:, :2], edges[:, 2:] - edges[:, :2]
    owners = [np.arange(len(edges))] * 2
    cuts = [np.zeros(len(edges)), np.ones(len(edges))]
    for axis in (0, 1):
        low = np.minimum(start[:, axis], start[:, axis] + step[:, axis])
        high = np.maximum(start[:, axis], start[:, axis] + step[:, axis])
        first = np.ceil(low)
        owner, place = _ragged(np.maximum(np.floor(high) - first + 1, 0).astype(np.int64) * (high > low))
        owners.append(owner)
        cuts.append((first[owner] + place - start[owner, axis]) / step[owner, axis])
    owner, cut = np.concatenate(owners), np.clip(np.concatenate(cuts), 0.0, 1.0)
    order = np.lexsort((cut, owner))
    owner, cut = owner[order], cut[order]
    same = owner[1:] == owner[:-1]
    middle = ((cut[1:] + cut[:-1]) / 2)[same]
    points = start[owner[1:][same]] + middle[:, None] * step[owner[1:][same]]
    for nudge in (-1e-9, 1e-9):
        col, row = np.floor(points + nudge).astype(np.int64).T
        inside = (row >= 0) & (row < grid.rows) & (col >= 0) & (col < grid.cols)
        marked[row[inside], col[inside]] = True
    return marked


def touched(shape: BaseGeometry, grid: Grid) -> np.ndarray:
    """Which cells have any point in common with the polygons: none that matters is ever left out."""
    return filled(shape, grid) | outlined(shape, grid)


@dataclass(frozen=True, eq=False)
class Footing:
    """Where a foot may stand: height [m] of the surface in each cell, NaN where there is none."""

    grid: Grid
    height: np.ndarray  # (rows, cols) float32

    def at(self, points: np.ndarray) -> np.ndarray:
        """Height under each of the points (..., 2); NaN where no foot may stand, also outside the grid."""
        row, col, inside = self.grid.cells(points)
        return np.where(inside, self.height[row, col], np.float32(np.nan))


def footing_raster(level: Level, cell: float = 0.05, grid: Grid | None = None) -> Footing:
    """The ground as feet see it; the rules are those of ``Level.footing_heights``, at cell centres.

    >>> from shapely.geometry import box
    >>> footing_raster(Level("room", box(0, 0, 1, 1)), 0.5).height
    array([[0., 0.],
           [0., 0.]], dtype=float32)
    """
    grid = grid or Grid.around(level.bounds, cell)
    height = np.where(filled(level.bounds, grid), np.float32(0.0), np.float32(-np.inf))
    for entry in level.features:
        if entry.kind in WET:
            window, patch = filled_patch(entry.shape, grid)
            height[window][patch] = -np.inf
    for entry in level.features:
        if entry.stand:
            window, patch = filled_patch(entry.shape, grid)
            height[window] = np.where(
                patch, np.maximum(height[window], np.float32(entry.top)), height[window]
            )
    for entry in level.solids:
        if not entry.stand:
            window, patch = filled_patch(entry.shape, grid)
            here = height[window]
            here[patch & (entry.bottom < here + FOOT_ROOM) & (np.float32(entry.top) > here)] = np.nan
    height[np.isneginf(height)] = np.nan
    return Footing(grid, height)
