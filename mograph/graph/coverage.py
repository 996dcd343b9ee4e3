"""Where a character can be, and which way it can face there, a few seconds after it stood still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mograph.errors import MographError
from mograph.graph import planar
from mograph.graph.compact import CompactGraph
from mograph.rotations import Array

CELL = 0.25  # side of a cell of the ground [m]
HEADINGS = 12  # headings told apart
DIRECTIONS = 24  # directions told apart in which one gets away
_FASTEST = 9.0  # no root of ours goes faster; bounds the ground looked at [m/s]


@dataclass(frozen=True, eq=False)
class Coverage:
    """Cells of empty ground that can be reached from standing, facing +Z in the middle of the map."""

    seconds: float  # time allowed [s]
    start: int  # state started from
    cell: float  # side of a cell [m]
    headings: NDArray[np.int64]  # (n, n) headings of 12 that can be reached in each cell, axes x and z
    arrival: Array  # (n, n) earliest arrival in each cell [s]; inf if not reached
    reach: Array  # (24,) farthest root in each direction, from straight ahead on to the left [m]

    @property
    def radius(self) -> float:
        """Farthest that can be reached [m]."""
        return float(self.reach.max())

    def share(self, radius: float | None = None) -> float:
        """Share of the cells of a disc that can be reached; by default the smallest that holds all."""
        radius = self.radius if radius is None else radius
        half = len(self.headings) // 2
        x = (np.arange(len(self.headings)) - half) * self.cell
        disc = np.hypot(x[:, None], x[None]) <= max(radius, self.cell)
        return float(np.mean(self.headings[disc] > 0))

    def as_dict(self) -> dict[str, Any]:
        """The figures, ready for JSON."""
        reached = self.headings > 0
        return {
            "seconds": self.seconds,
            "start_state": self.start,
            "radius": round(self.radius, 3),
            "share_of_disc": round(self.share(), 4),
            "share_of_half_disc": round(self.share(self.radius / 2), 4),
            "area": round(float(reached.sum()) * self.cell**2, 2),
            "share_of_headings": round(float(self.headings[reached].mean() / HEADINGS), 4),
            "reach_by_direction": self.reach.round(3).tolist(),
        }


def find_coverage(graph: CompactGraph, seconds: float = 4.0, start: int | None = None) -> Coverage:
    """Follow every way for ``seconds`` from a standing state and note where roots get to.

    Breadth first in time: of all ways to a (state, cell, heading) only the earliest is followed, from its
    true place. A cell counts as reached where a state of the graph lies in it.
    """
    if not 0 < seconds <= 20:
        raise MographError(
            f"coverage within {seconds} s cannot be measured; it must be above 0 and at most 20"
        )
    start = standing_state(graph) if start is None else start
    fps = graph.database.fps
    frames = np.maximum(np.ceil(graph.duration * fps - 1e-6).astype(np.int64), 1)
    ends = int(seconds * fps)
    half = int(np.ceil(seconds * _FASTEST / CELL))
    side = 2 * half + 1
    first = graph.first_edge()
    seen = np.zeros(graph.states * side * side * HEADINGS, bool)
    earliest = np.full(side * side * HEADINGS, ends + 1, np.int64)
    reach = np.zeros(DIRECTIONS)
    waiting: list[list[tuple[NDArray[np.int64], Array]]] = [[] for _ in range(ends + 1)]
    waiting[0].append((np.array([start]), np.zeros((1, 3))))
    for now in range(ends + 1):
        if not waiting[now]:
            continue
        state = np.concatenate([s for s, _ in waiting[now]])
        place = np.concatenate([p for _, p in waiting[now]])
        waiting[now] = []
        cell = _cells(place, half)
        key = state * (side * side * HEADINGS) + cell
        _, index = np.unique(key, return_index=True)
        index = index[~seen[key[index]]]
        state, place, cell = state[index], place[index], cell[index]
        seen[key[index]] = True
        np.minimum.at(earliest, cell, now)
        direction = np.arctan2(place[:, 0], place[:, 1]) / (2 * np.pi) * DIRECTIONS
        way = np.round(direction).astype(int) % DIRECTIONS
        np.maximum.at(reach, way, np.hypot(place[:, 0], place[:, 1]))

        many = first[state + 1] - first[state]
        row = np.repeat(np.arange(len(state)), many)
        edge = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + first[state][row]
        then = now + frames[edge]
        soon = then <= ends
        row, edge, then = row[soon], edge[soon], then[soon]
        onward = planar.compose(place[row], graph.displacement[edge])
        target = graph.target[edge]
        new = ~seen[target * (side * side * HEADINGS) + _cells(onward, half)]
        target, onward, then = target[new], onward[new], then[new]
        order = np.argsort(then, kind="stable")
        times, begin = np.unique(then[order], return_index=True)
        for time, rows in zip(times.tolist(), np.split(order, begin)[1:], strict=True):
            waiting[time].append((target[rows], onward[rows]))
    per_heading = earliest.reshape(side, side, HEADINGS)
    headings = np.sum(per_heading <= ends, axis=2)
    arrival = np.where(headings > 0, per_heading.min(axis=2) / fps, np.inf)
    keep = int(np.ceil(reach.max() / CELL)) + 1
    middle = slice(max(half - keep, 0), half + keep + 1)
    return Coverage(seconds, start, CELL, headings[middle, middle], arrival[middle, middle], reach)


def standing_state(graph: CompactGraph) -> int:
    """The resting state most like all the others; state 0 if there is none."""
    from mograph.graph.similarity import features

    resting = np.flatnonzero(graph.rest)
    if len(resting) == 0:
        return 0
    x = features(graph.database, graph.motion_graph.settings.similarity)[graph.frame[resting]]
    away = np.sum((x[:, None] - x[None]) ** 2, axis=-1).sum(axis=1)
    return int(resting[np.argmin(away)])


def _cells(place: Array, half: int) -> NDArray[np.int64]:
    """Number of the (cell, heading) of each place; what leaves the map is held at its edge."""
    grid = np.clip(np.round(place[:, :2] / CELL).astype(np.int64), -half, half) + half
    heading = np.round(place[:, 2] / (2 * np.pi) * HEADINGS).astype(np.int64) % HEADINGS
    return (grid[:, 0] * (2 * half + 1) + grid[:, 1]) * HEADINGS + heading
