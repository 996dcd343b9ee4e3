"""The motion graph: every captured pose, what follows it, and where one may change over to another clip."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mograph.contacts import HANDS, Contact
from mograph.database import Database
from mograph.errors import MographError
from mograph.graph import planar
from mograph.graph.costs import CostWeights, frame_costs
from mograph.graph.segments import Segments, find_segments
from mograph.graph.similarity import Candidates, SimilaritySettings, clip_of_frames, find_candidates
from mograph.rotations import Array

if TYPE_CHECKING:
    import networkx

    from mograph.graph.compact import CompactGraph

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class GraphSettings:
    """How a database becomes a motion graph."""

    threshold: float | None = None  # distance below which a change-over is allowed [rad²]; None: automatic
    first_factor: float = 3.0  # the automatic one starts at this times the median nearest distance
    growth: float = 1.33  # ... and is raised by this until every event is connected
    between_groups: int = 50  # change-overs wanted between any two behaviours, as far as `most` allows
    sharpness: float = 3.0  # probability falls by exp(-sharpness) at the threshold
    similarity: SimilaritySettings = field(default_factory=SimilaritySettings)
    cost: CostWeights = field(default_factory=CostWeights)


@dataclass(frozen=True, eq=False)
class MotionGraph:
    """Poses of a database and the change-overs between them, as arrays.

    Pose i goes on to i + 1 within its clip. A change-over goes from pose ``source`` to pose ``target``,
    which is like the pose that would have followed the source; ``alignment`` carries the target's clip into
    the coordinates of the source's.
    """

    database: Database
    segments: Segments
    settings: GraphSettings
    frame_cost: Array  # (N,) cost of the step from each pose to the next
    source: NDArray[np.int64]  # (E,) sorted
    target: NDArray[np.int64]  # (E,)
    distance: Array  # (E,) of the target from the pose that would have followed [rad²]
    probability: Array  # (E,) of the change-over among all ways on from the source
    cost: Array  # (E,) of the step from source to target
    alignment: Array  # (E, 3) clip of the target -> clip of the source (x, z, yaw)
    threshold: float  # base threshold [rad²]
    seconds: float = 0.0  # time it took to build [s]

    @classmethod
    def build(
        cls, database: Database, settings: GraphSettings | None = None, progress: Progress | None = None
    ) -> MotionGraph:
        """Compare all poses, choose the threshold, and connect.

        Unless given, the threshold starts at three times the median distance to the nearest pose of another
        clip and is raised until every event (pick-up, flight) of the compact graph can be reached from
        everywhere and left again.
        """
        settings = GraphSettings() if settings is None else settings
        began = time.perf_counter()
        segments = find_segments(database)
        cost = frame_costs(database, settings.cost, progress)
        candidates = find_candidates(database, segments.boundary, settings.similarity, progress)
        base = _median_nearest(candidates)
        threshold = settings.first_factor * base if settings.threshold is None else settings.threshold
        while True:
            graph = _connected(database, segments, settings, cost, candidates, threshold)
            graph = replace(graph, seconds=time.perf_counter() - began)
            higher = settings.growth * threshold
            if (
                settings.threshold is not None
                or higher > settings.similarity.most
                or _events_connected(graph)
            ):
                break
            threshold = higher
        if progress is not None:
            progress("connecting", 1, 1)
        return graph

    @property
    def states(self) -> int:
        """Number of poses."""
        return self.database.poses

    @property
    def transitions(self) -> int:
        """Number of edges: natural steps and change-overs."""
        return self.database.poses - len(self.database) + len(self.source)

    def compact(self, **settings: Any) -> CompactGraph:
        """The compressed graph of contact-change states; see :func:`mograph.graph.compact.compress`."""
        from mograph.graph.compact import CompactSettings, compress

        return compress(self, CompactSettings(**settings))

    def events(self) -> NDArray[np.bool_]:
        """Which segments begin with an event that must stay reachable: a pick-up or a flight."""
        contact = self.database.contact[self.segments.start]
        return ((contact & HANDS) > 0) | (contact == Contact.FLIGHT)

    def to_networkx(self) -> networkx.DiGraph:
        """The graph for people and tests: nodes are poses, edges have ``cost`` and ``kind``."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(range(self.states))
        clip = clip_of_frames(self.database)
        natural = np.flatnonzero(clip[1:] == clip[:-1])
        graph.add_edges_from(
            (int(i), int(i + 1), {"cost": self.frame_cost[i], "kind": "natural"}) for i in natural
        )
        for i, j, cost in zip(self.source.tolist(), self.target.tolist(), self.cost.tolist(), strict=True):
            if not graph.has_edge(i, j) or graph[i][j]["cost"] > cost:
                graph.add_edge(i, j, cost=cost, kind="transition")
        return graph


def _median_nearest(candidates: Candidates) -> float:
    near = candidates.nearest[np.isfinite(candidates.nearest)]
    if len(near) == 0:
        raise MographError(
            "no two clips of the database have poses alike; a graph needs clips that can follow each other"
        )
    return float(np.median(near))


def _connected(
    database: Database,
    segments: Segments,
    settings: GraphSettings,
    frame_cost: Array,
    candidates: Candidates,
    threshold: float,
) -> MotionGraph:
    """The graph with every candidate under its threshold."""
    limit = _limits(database, candidates, threshold, settings)
    clip = clip_of_frames(database)
    first = np.isin(candidates.a, database.clip_starts[:-1])
    chosen = (candidates.distance <= limit) & ~first
    source, target = candidates.a[chosen] - 1, candidates.b[chosen]
    distance = candidates.distance[chosen]
    likeness = np.exp(-settings.sharpness * distance / threshold)
    goes_on = np.append(clip[1:] == clip[:-1], False).astype(float)
    total = goes_on + np.bincount(source, likeness, database.poses)
    probability = likeness / total[source]
    # -log(p / p0) with p0 that of the captured continuation: zero for a perfect match
    unlikely = settings.sharpness * distance / threshold
    cost = frame_cost[source] + settings.cost.transition * unlikely
    points, places = planar.support_points(database), planar.root_places(database)
    alignment = planar.alignments(database, points, places, source + 1, target)
    return MotionGraph(
        database,
        segments,
        settings,
        frame_cost,
        source,
        target,
        distance,
        probability,
        cost,
        alignment,
        threshold,
    )


def _limits(database: Database, candidates: Candidates, threshold: float, settings: GraphSettings) -> Array:
    """Threshold of each candidate: the base one, raised between behaviours that are hardly connected."""
    names = [(info.subject, info.tags[0] if info.tags else "") for info in database.info]
    groups = {name: k for k, name in enumerate(dict.fromkeys(names))}
    group = np.array([groups[name] for name in names])[clip_of_frames(database)]
    pair = group[candidates.a] * len(groups) + group[candidates.b]
    limit = np.full(len(groups) ** 2, threshold)
    if settings.between_groups:
        order = np.lexsort((candidates.distance, pair))
        starts = np.searchsorted(pair[order], np.arange(len(groups) ** 2))
        counts = np.bincount(pair, minlength=len(groups) ** 2)
        for k in np.flatnonzero(counts):
            if k // len(groups) != k % len(groups):
                wanted = order[starts[k] + min(settings.between_groups, counts[k]) - 1]
                limit[k] = max(limit[k], candidates.distance[wanted])
    return limit[pair]


def _events_connected(graph: MotionGraph) -> bool:
    """Whether every event of the compact graph lies in its largest strongly connected component."""
    from mograph.graph.compact import CompactSettings, compress

    compact = compress(graph, CompactSettings(parallel=1))
    return compact.lost_events == 0
