"""What a graph is good for: where it leads, how soon, and how well its pieces fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mograph.contacts import HANDS, Contact, ContactArray
from mograph.database import Database
from mograph.graph.compact import CompactGraph
from mograph.graph.coverage import Coverage, find_coverage
from mograph.graph.motion_graph import MotionGraph
from mograph.graph.similarity import clip_of_frames
from mograph.rotations import Array

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from mograph.graph.interpolated import InterpolatedGraph

BINS = 20  # of the histogram of change-overs


@dataclass(frozen=True)
class Connection:
    """How well the states of one graph hang together."""

    states: int
    transitions: int
    strongly_connected: float  # share of states from which every other of them can be reached
    dead_ends: int  # states that cannot be left
    picks: int  # states that pick something up
    flights: int  # states in the air
    reach_pick: float | None  # share of states from which a pick-up can be reached; None if there is none
    reach_flight: float | None  # share of states from which a flight can be reached


@dataclass(frozen=True, eq=False)
class Behaviours:
    """How soon one can do something else."""

    names: tuple[str, ...]
    edges: tuple[int, ...]  # ways of the compact graph that show each behaviour
    seconds: Array  # (B, B) time from the end of a way of the one (row), whichever it is, to the other [s]


@dataclass(frozen=True, eq=False)
class Quality:
    """How alike the poses are between which the ways of a compact graph change over."""

    threshold: float  # base threshold of the motion graph [rad²]
    natural: float  # share of ways without a change-over
    median: float  # distance of change-overs [rad²]
    worst_tenth: float  # nine tenths of them are nearer [rad²]
    above: float  # share of them above the base threshold, to connect behaviours
    counts: NDArray[np.int64]  # (BINS,)
    edges: Array  # (BINS + 1,) of the bins [rad²]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Figures about a graph."""

    full: Connection
    compact: Connection
    interpolated: Connection | None
    lost_events: int  # pick-ups and flights of the motion that the compact graph had to leave out
    to_pick: Array  # (S,) time from each compact state to the nearest pick-up [s], inf if there is none
    to_flight: Array  # (S,) ... to the nearest flight [s]
    behaviours: Behaviours
    coverage: Coverage
    quality: Quality

    def as_dict(self) -> dict[str, Any]:
        """The figures, ready for JSON."""
        return {
            "full": _rounded(asdict(self.full)),
            "compact": _rounded(asdict(self.compact)),
            "interpolated": None if self.interpolated is None else _rounded(asdict(self.interpolated)),
            "lost_events": self.lost_events,
            "seconds_to_pick": _median_and_most(self.to_pick),
            "seconds_to_flight": _median_and_most(self.to_flight),
            "behaviours": {
                name: {
                    "edges": self.behaviours.edges[k],
                    "seconds_to": {
                        other: _number(self.behaviours.seconds[k, j])
                        for j, other in enumerate(self.behaviours.names)
                    },
                }
                for k, name in enumerate(self.behaviours.names)
            },
            "coverage": self.coverage.as_dict(),
            "change_overs": {
                "threshold": _number(self.quality.threshold),
                "natural": _number(self.quality.natural),
                "median": _number(self.quality.median),
                "worst_tenth": _number(self.quality.worst_tenth),
                "above_threshold": _number(self.quality.above),
                "histogram": {
                    "counts": self.quality.counts.tolist(),
                    "edges": [_number(e) for e in self.quality.edges],
                },
            },
        }


def evaluate(graph: MotionGraph | CompactGraph | InterpolatedGraph, seconds: float = 4.0) -> Evaluation:
    """Measure a graph: connections, behaviours, what can be reached within ``seconds``, and its change-overs.

    A motion graph is compressed first; of an interpolated graph the compact one is measured too.
    """
    mixed = None
    if isinstance(graph, MotionGraph):
        compact = graph.compact()
    elif isinstance(graph, CompactGraph):
        compact = graph
    else:
        compact, mixed = graph.compact, Links.of_interpolated(graph).connection()
    full = compact.motion_graph
    own = Links.of_compact(compact)
    return Evaluation(
        Links.of_motion_graph(full).connection(),
        own.connection(),
        mixed,
        compact.lost_events,
        own.seconds_to(own.pick),
        own.seconds_to(own.flight),
        find_behaviours(compact, own),
        find_coverage(compact, seconds),
        find_quality(compact),
    )


@dataclass(frozen=True, eq=False)
class Links:
    """What all graphs have in common: states, what leads where, and how long it takes."""

    source: NDArray[np.int64]  # (E,)
    target: NDArray[np.int64]  # (E,)
    duration: Array  # (E,) [s]
    pick: NDArray[np.bool_]  # (S,) whether a state picks something up
    flight: NDArray[np.bool_]  # (S,) whether it is in the air

    @classmethod
    def of_motion_graph(cls, graph: MotionGraph) -> Links:
        """Poses, their natural successors and change-overs; each step takes one frame."""
        clip = clip_of_frames(graph.database)
        natural = np.flatnonzero(clip[1:] == clip[:-1])
        source = np.concatenate([natural, graph.source])
        target = np.concatenate([natural + 1, graph.target])
        step = np.full(len(source), 1.0 / graph.database.fps)
        return cls(source, target, step, *_events(graph.database.contact))

    @classmethod
    def of_compact(cls, graph: CompactGraph) -> Links:
        """Contact-change states and the ways between them."""
        return cls(graph.source, graph.target, graph.duration, *_events(graph.contact))

    @classmethod
    def of_interpolated(cls, graph: InterpolatedGraph) -> Links:
        """Plain and mixed states that are in use."""
        used, number = np.unique(np.concatenate([graph.source, graph.target]), return_inverse=True)
        compact = graph.compact
        inner = graph.settings.weights - 2
        pair = np.maximum(used - compact.states, 0) // inner
        state = np.where(used < compact.states, used, graph.pair[pair, 0]) if len(graph.pair) else used
        edges = len(graph.source)
        return cls(number[:edges], number[edges:], graph.duration, *_events(compact.contact[state]))

    def matrix(self) -> csr_array:
        """Shortest duration of a link between each two states, as a sparse matrix."""
        from scipy.sparse import csr_array

        states = len(self.pick)
        key = self.source * states + self.target
        order = np.lexsort((self.duration, key))
        first = np.ones(len(order), bool)
        first[1:] = key[order][1:] != key[order][:-1]
        best = order[first]
        return csr_array((self.duration[best], (self.source[best], self.target[best])), (states, states))

    def seconds_to(self, goal: NDArray[np.bool_]) -> Array:
        """Least time (S,) from each state to one of the goals; inf where none can be reached."""
        from scipy.sparse.csgraph import dijkstra

        goals = np.flatnonzero(goal)
        if len(goals) == 0:
            return np.full(len(goal), np.inf)
        return np.asarray(dijkstra(self.matrix().T.tocsr(), indices=goals, min_only=True))

    def connection(self) -> Connection:
        """Figures about how the states hang together."""
        from scipy.sparse.csgraph import connected_components

        states = len(self.pick)
        _, label = connected_components(self.matrix(), directed=True, connection="strong")
        return Connection(
            states,
            len(self.source),
            float(np.bincount(label).max() / states),
            int(np.sum(np.bincount(self.source, minlength=states) == 0)),
            int(self.pick.sum()),
            int(self.flight.sum()),
            self._share_that_reaches(self.pick),
            self._share_that_reaches(self.flight),
        )

    def _share_that_reaches(self, goal: NDArray[np.bool_]) -> float | None:
        return float(np.isfinite(self.seconds_to(goal)).mean()) if goal.any() else None


def find_behaviours(graph: CompactGraph, links: Links) -> Behaviours:
    """How soon each behaviour can be followed by each other, wherever in the first one is.

    A way of the graph shows the behaviours its clips are tagged with; the time counts from the end of a way
    of the one to the beginning of a way of the other, and of all ways of the one the slowest counts.
    """
    names, shows = edge_behaviours(graph)
    seconds = np.full((len(names), len(names)), np.inf)
    for j in range(len(names)):
        begins = np.zeros(graph.states, bool)
        begins[graph.source[shows[j]]] = True
        to_other = links.seconds_to(begins)
        for k in range(len(names)):
            seconds[k, j] = to_other[graph.target[shows[k]]].max()
    return Behaviours(names, tuple(shows.sum(axis=1).tolist()), seconds)


def edge_behaviours(graph: CompactGraph) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Names of the behaviours, and which edges (B, E) begin or end in a clip tagged with them."""
    return tagged(graph.database, (graph.first, graph.last))


def tagged(
    database: Database, frames: Sequence[NDArray[np.int64]]
) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Tags in the order of first appearance that some of the poses have, and which have each (B, N).

    ``frames`` are alternatives: row n has a tag if any of its poses has.
    """
    tags = [info.tags or ("no tag",) for info in database.info]
    names = tuple(dict.fromkeys(tag for own in tags for tag in own))
    has = np.array([[name in own for own in tags] for name in names])  # (B, clips)
    clip = clip_of_frames(database)
    shown = np.any([has[:, clip[rows]] for rows in frames], axis=0)
    present = shown.any(axis=1)
    return tuple(name for name, there in zip(names, present, strict=True) if there), shown[present]


def find_quality(graph: CompactGraph) -> Quality:
    """How near the poses are between which the graph's ways change over."""
    full = graph.motion_graph
    distance = full.distance[graph.changes[graph.changes >= 0]]
    limit = max(float(distance.max(initial=0.0)), full.threshold)
    counts, edges = np.histogram(distance, BINS, (0.0, limit))
    some = len(distance) > 0
    return Quality(
        full.threshold,
        float(np.mean(graph.changes[:, 0] < 0)),
        float(np.median(distance)) if some else 0.0,
        float(np.quantile(distance, 0.9)) if some else 0.0,
        float(np.mean(distance > full.threshold)) if some else 0.0,
        counts,
        edges,
    )


def _events(contact: ContactArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return (contact & HANDS) > 0, contact == Contact.FLIGHT


def _number(value: float) -> float | None:
    return round(float(value), 4) if np.isfinite(value) else None


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}


def _median_and_most(seconds: Array) -> dict[str, float | None]:
    return {"median": _number(np.median(seconds)), "most": _number(seconds.max())}
