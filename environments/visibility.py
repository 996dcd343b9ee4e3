"""Exact shortest paths among polygons: straight pieces from corner to corner, found by A*."""

from __future__ import annotations

import heapq

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry
from shapely.geometry.polygon import orient

_SLACK = 1e-7  # [m] by which the region is widened so that a path may run along its border


class VisibilityGraph:
    """The corners of a region around which shortest paths bend, and who sees whom (found when needed)."""

    def __init__(self, region: BaseGeometry) -> None:
        self.region = region
        self._wide = region.buffer(_SLACK, join_style="mitre")
        shapely.prepare(self._wide)
        self.corners = _bending_corners(region)
        self._seen: dict[int, np.ndarray] = {}

    def sees(self, origin: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Which targets (N, 2) the straight line from the origin reaches without leaving the region."""
        targets = np.asarray(targets, float).reshape(-1, 2)
        lines = np.stack([np.broadcast_to(np.asarray(origin, float), targets.shape), targets], axis=1)
        return np.asarray(shapely.covers(self._wide, shapely.linestrings(lines)))

    def shortest(self, start: np.ndarray, goal: np.ndarray) -> np.ndarray | None:
        """The shortest path as points (N, 2) from start to goal, or ``None`` if there is no way.

        >>> from shapely.geometry import box
        >>> room = box(0, 0, 4, 4) - box(1, 1, 3, 3)
        >>> VisibilityGraph(room).shortest((0.5, 2.0), (2.0, 0.5)).tolist()
        [[0.5, 2.0], [1.0, 1.0], [2.0, 0.5]]
        """
        start, goal = np.asarray(start, float), np.asarray(goal, float)
        count = len(self.corners)
        place = np.vstack([self.corners, goal[None], start[None]])
        to_goal = np.hypot(*(place - goal).T)
        cost = np.full(count + 2, np.inf)
        before = np.full(count + 2, -1)
        closed = np.zeros(count + 2, bool)
        cost[count + 1] = 0.0
        queue = [(float(to_goal[count + 1]), count + 1)]
        ends_seen = self.sees(goal, place)
        while queue:
            _, at = heapq.heappop(queue)
            if closed[at]:
                continue
            closed[at] = True
            if at == count:
                chain = [at]
                while before[chain[-1]] >= 0:
                    chain.append(int(before[chain[-1]]))
                return place[chain[::-1]]
            onward = cost[at] + np.hypot(*(place[: count + 1] - place[at]).T)
            better = np.zeros(count + 1, bool)
            better[:count] = self._from(at, place)
            better[count] = ends_seen[at]
            better &= onward < cost[: count + 1] - 1e-12
            for target in np.flatnonzero(better):
                cost[target] = onward[target]
                before[target] = at
                heapq.heappush(queue, (float(onward[target] + to_goal[target]), int(target)))
        return None

    def _from(self, at: int, place: np.ndarray) -> np.ndarray:
        count = len(self.corners)
        if at >= count:
            return self.sees(place[at], self.corners)
        if at not in self._seen:
            self._seen[at] = self.sees(place[at], self.corners)
        return self._seen[at]


def _bending_corners(region: BaseGeometry) -> np.ndarray:
    """Corners where the region's inside angle is more than a half turn; no shortest path bends elsewhere."""
    found = [np.zeros((0, 2))]
    for polygon in shapely.get_parts(region):
        polygon = orient(polygon)  # outer ring counter-clockwise, holes clockwise
        for ring in [polygon.exterior, *polygon.interiors]:
            points = shapely.get_coordinates(ring)[:-1]
            arriving = points - np.roll(points, 1, axis=0)
            leaving = np.roll(points, -1, axis=0) - points
            turn = arriving[:, 0] * leaving[:, 1] - arriving[:, 1] * leaving[:, 0]
            found.append(points[turn < 0.0])
    return np.unique(np.concatenate(found), axis=0)


def path_length(points: np.ndarray) -> float:
    """Length [m] of the line through the points.

    >>> path_length(np.array([[0.0, 0.0], [3.0, 4.0]]))
    5.0
    """
    return float(np.hypot(*np.diff(np.asarray(points, float), axis=0).T).sum())
