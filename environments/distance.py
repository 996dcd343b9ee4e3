"""How far the nearest obstacle is from a body part between two heights: distance fields in height layers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from scipy.ndimage import distance_transform_edt

from environments.level import Level
from environments.raster import Grid, filled

FAR = 1e3  # [m] clearance where no solid is in the layer at all


def signed_distance(solid: np.ndarray, cell: float) -> np.ndarray:
    """Distance [m] of each cell centre to the border of the marked cells, negative inside them.

    Euclidean distance transforms of both sides, less half a cell because the border lies between centres.

    >>> signed_distance(np.array([[False, False, True]]), 0.1)
    array([[ 0.15,  0.05, -0.05]], dtype=float32)
    """
    if not solid.any():
        return np.full(solid.shape, FAR, np.float32)
    outside = distance_transform_edt(~solid)
    field = np.where(solid, 0.0, outside - 0.5)
    if not solid.all():
        rows, cols = _surroundings(solid)
        inner = distance_transform_edt(solid[rows, cols])
        field[rows, cols] = np.where(solid[rows, cols], 0.5 - inner, field[rows, cols])
    return (field * cell).astype(np.float32)


def _surroundings(solid: np.ndarray) -> tuple[slice, slice]:
    """The part of the array that holds all marked cells and one more on each side."""
    spans = []
    for axis in (1, 0):
        hit = np.flatnonzero(solid.any(axis=axis))
        spans.append(slice(max(int(hit[0]) - 1, 0), int(hit[-1]) + 2))
    return spans[0], spans[1]


@dataclass(frozen=True, eq=False)
class Clearance:
    """Distance fields of the solids in each height layer.

    ``field[k]`` is the signed distance [m] from each cell centre to the nearest solid that shares some height
    with the layer ``borders[k]..borders[k+1]``; an interpolated value is true to within
    one cell. Above the last border
    and below the first nothing is solid.
    """

    grid: Grid
    borders: np.ndarray  # (layers + 1,) heights [m], ascending
    field: np.ndarray  # (layers, rows, cols) float32 [m]

    def at(self, points: np.ndarray, low: np.ndarray | float, high: np.ndarray | float) -> np.ndarray:
        """Clearance [m] of the points (..., 2) from solids that overlap the height span (low, high).

        Interpolated between cell centres; outside the grid the nearest cell counts.
        """
        points = np.asarray(points, float)
        low, high = (np.broadcast_to(np.asarray(v, float), points.shape[:-1]) for v in (low, high))
        u = np.clip((points[..., 0] - self.grid.x) / self.grid.cell - 0.5, 0, self.grid.cols - 1)
        v = np.clip((points[..., 1] - self.grid.z) / self.grid.cell - 0.5, 0, self.grid.rows - 1)
        col = np.minimum(u.astype(np.int64), max(self.grid.cols - 2, 0))
        row = np.minimum(v.astype(np.int64), max(self.grid.rows - 2, 0))
        col1, row1 = np.minimum(col + 1, self.grid.cols - 1), np.minimum(row + 1, self.grid.rows - 1)
        a, b = u - col, v - row
        least = np.full(points.shape[:-1], FAR)
        for layer in range(len(self.field)):
            here = self.field[layer]
            value = (1 - b) * ((1 - a) * here[row, col] + a * here[row, col1])
            value += b * ((1 - a) * here[row1, col] + a * here[row1, col1])
            counts = (self.borders[layer] < high) & (self.borders[layer + 1] > low)
            least = np.where(counts, np.minimum(least, value), least)
        return least

    @cached_property
    def everywhere(self) -> np.ndarray:
        """Clearance from every solid of whatever height: (rows, cols)."""
        return self.field.min(axis=0) if len(self.field) else np.full(self.grid.shape, FAR, np.float32)


def clearance_fields(
    level: Level, cell: float = 0.05, *, grid: Grid | None = None, most_layers: int = 8
) -> Clearance:
    """Distance fields for a level, one per height layer.

    Layers end where a solid begins or ends, so that a span that fits a layer is judged exactly. If that
    makes more than ``most_layers``, the thinnest are joined to their thinner neighbour, which errs on the
    safe side: a solid then counts in the whole of the joined layer.
    """
    grid = grid or Grid.around(level.bounds, cell)
    borders = joined_layers(level.heights, most_layers)
    fields = np.empty((max(len(borders) - 1, 0), *grid.shape), np.float32)
    for layer in range(len(fields)):
        solid = filled(level.overlapping(borders[layer], borders[layer + 1]), grid)
        fields[layer] = signed_distance(solid, grid.cell)
    return Clearance(grid, np.asarray(borders, float), fields)


def joined_layers(heights: tuple[float, ...], most: int) -> list[float]:
    """Layer borders out of the heights at which solids begin and end, at most ``most`` layers.

    >>> joined_layers((0.0, 0.4, 0.45, 1.2, 2.5), 3)
    [0.0, 0.45, 1.2, 2.5]
    """
    borders = list(heights)
    while len(borders) - 1 > most:
        gaps = np.diff(borders)
        thin = int(np.argmin(gaps))
        left = gaps[thin - 1] if thin > 0 else np.inf
        right = gaps[thin + 1] if thin + 1 < len(gaps) else np.inf
        del borders[thin if left <= right else thin + 1]
    return borders


def exact_clearance(
    level: Level, points: np.ndarray, low: np.ndarray | float, high: np.ndarray | float
) -> np.ndarray:
    """Clearance [m] of points (N, 2) from the polygons that overlap each height span; negative inside.

    Slower than the fields and without their error: meant for judging a finished motion.

    >>> from shapely.geometry import box
    >>> from environments.level import Feature
    >>> level = Level("bar", box(0, 0, 4, 4), (Feature("obstacle", "bar", box(1, 1, 2, 2), 1.2, 1.3, False),))
    >>> exact_clearance(level, np.array([[2.5, 1.5], [1.2, 1.5]]), 1.0, 1.6)
    array([ 0.5, -0.2])
    """
    points = np.asarray(points, float).reshape(-1, 2)
    low, high = (np.broadcast_to(np.asarray(v, float), len(points)) for v in (low, high))
    spots = shapely.points(points)
    least = np.full(len(points), FAR)
    for entry in level.solids:
        counts = (entry.bottom < high) & (entry.top > low)
        if not counts.any():
            continue
        distance = shapely.distance(entry.shape, spots[counts])
        inside = distance == 0.0
        if inside.any():
            distance[inside] = -shapely.distance(entry.shape.boundary, spots[counts][inside])
        least[counts] = np.minimum(least[counts], distance)
    return least
