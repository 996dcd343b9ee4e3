"""The compact graph: only poses where contacts change, only the best ways between them (Safonova 1.4)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mograph import feet
from mograph.contacts import HANDS, Contact
from mograph.database import Database
from mograph.errors import MographError
from mograph.graph import planar
from mograph.graph.similarity import features
from mograph.rotations import Array

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx

    from mograph.clip import Clip
    from mograph.graph.interpolated import InterpolatedGraph
    from mograph.graph.lazy import LazyInterpolatedGraph
    from mograph.graph.motion_graph import MotionGraph

GRAVITY = 9.81  # [m/s²]


@dataclass(frozen=True)
class CompactSettings:
    """How a motion graph is compressed."""

    transitions: int = 1  # change-overs allowed within one phase; more jitter [1..4]
    most_frames: int = 90  # longest way with a change-over [frames]
    parallel: int = 4  # ways kept between two states, if they lead to different places
    apart: float = 0.05  # ... at least this far from each other [m]
    apart_turn: float = np.radians(5.0)  # ... or this much turned [rad]
    merge: float = 1.5  # states this many thresholds alike become one; 0 merges none
    landing: float = 0.06  # a change-over in flight may miss the ballistic landing height by this [m]

    def __post_init__(self) -> None:
        if not 1 <= self.transitions <= 4:
            raise MographError(f"{self.transitions} change-overs per phase; it must be 1 to 4")
        if self.parallel < 1 or self.merge < 0:
            raise MographError(f"parallel {self.parallel} must be 1 or more and merge {self.merge} 0 or more")


@dataclass(frozen=True, eq=False)
class CompactGraph:
    """Contact-change states and the best single-contact ways between them, as arrays.

    State k is pose ``frame[k]`` of the database. Edge e leads from state ``source[e]`` to ``target[e]``; it
    plays the database from pose ``first[e]`` to ``last[e]``, by way of the change-overs ``changes[e]`` of the
    motion graph; ``displacement[e]`` is where the target's root is seen from the source's. Where states
    were merged, ``first`` and ``last`` may be other poses than those of the states: alike, placed on them
    with the support held fixed, and the difference paid for in ``cost``.
    """

    motion_graph: MotionGraph
    settings: CompactSettings
    frame: NDArray[np.int64]  # (S,)
    rest: NDArray[np.bool_]  # (S,) whether the character may stay there
    source: NDArray[np.int64]  # (E,) sorted
    target: NDArray[np.int64]  # (E,)
    cost: Array  # (E,)
    duration: Array  # (E,) [s]
    displacement: Array  # (E, 3) x, z [m], yaw [rad]
    first: NDArray[np.int64]  # (E,)
    last: NDArray[np.int64]  # (E,)
    changes: NDArray[np.int64]  # (E, K) change-overs used, -1 for none
    lost_events: int = 0  # picks and flights that cannot be reached from everywhere and left again
    stages: dict[str, dict[str, float]] = field(default_factory=dict)  # sizes and times of the making

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.frame)

    @property
    def transitions(self) -> int:
        """Number of edges."""
        return len(self.source)

    @property
    def database(self) -> Database:
        """The motion the graph is made of."""
        return self.motion_graph.database

    @property
    def contact(self) -> NDArray[np.uint8]:
        """Contact mask that begins at each state, (S,)."""
        return self.database.contact[self.frame]

    @cached_property
    def geometry(self) -> tuple[Array, Array]:
        """Support points and root places of all poses of the database (see :mod:`mograph.graph.planar`)."""
        return planar.support_points(self.database), planar.root_places(self.database)

    @cached_property
    def toe_height(self) -> float:
        """Height at which toe joints rest on the floor [m]."""
        tracks = [feet.foot_tracks(clip) for clip in self.database]
        return float(feet.resting_heights(tracks, feet.body_scale(self.database.skeleton))[:, 1].mean())

    @cached_property
    def extents(self) -> Array:
        """Room each edge takes (E, 3): how far the body reaches from the root along the ground, its lowest
        and its highest joint [m]."""
        from mograph import kinematics
        from mograph.graph.realise import source_frames

        database = self.database
        position = kinematics.forward(database.skeleton, database.root_position, database.rotation).position
        away = np.linalg.norm((position - position[:, :1])[..., [0, 2]], axis=-1).max(axis=1)
        height = position[..., 1]
        frame = np.column_stack([away, -height.min(axis=1), height.max(axis=1)])
        most = np.array([frame[source_frames(self, e)].max(axis=0) for e in range(self.transitions)])
        return most * np.array([1.0, -1.0, 1.0])

    @cached_property
    def footprints(self) -> Array:
        """Heels and balls of the feet that touch at each state, seen from its root: (S, foot, point, xz) [m].

        NaN where a foot does not touch. Where an edge puts feet down are those of its target.
        """
        points, places = self.geometry
        place = places[self.frame]
        gap = points[self.frame] - place[:, None, None, :2]
        c, s = (f(place[:, 2])[:, None, None] for f in (np.cos, np.sin))
        feet = np.stack([c * gap[..., 0] - s * gap[..., 1], s * gap[..., 0] + c * gap[..., 1]], axis=-1)
        bits = np.array([Contact.LEFT_FOOT, Contact.RIGHT_FOOT], np.uint8)
        feet[(self.contact[:, None] & bits) == 0] = np.nan
        return feet

    def first_edge(self) -> NDArray[np.int64]:
        """CSR offsets (S + 1,): edges of state k are ``first_edge[k]`` up to ``first_edge[k + 1]``."""
        return np.searchsorted(self.source, np.arange(self.states + 1))

    def interpolate(self, k: int = 2, **settings: Any) -> InterpolatedGraph | LazyInterpolatedGraph:
        """The interpolated graph of k paths: stored for two, made while it is walked for more.

        See :mod:`mograph.graph.interpolated` and :mod:`mograph.graph.lazy`.
        """
        from mograph.graph.interpolated import InterpolationSettings, interpolate_graph

        if k == 2:
            return interpolate_graph(self, InterpolationSettings(**settings))
        from mograph.graph.lazy import LazyInterpolatedGraph

        return LazyInterpolatedGraph(self, k, InterpolationSettings(**settings))

    def realise(self, edges: Sequence[int], start: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Clip:
        """The motion of a path of edges, begun at a place (x, z, yaw)."""
        from mograph.graph.realise import realise

        return realise(self, edges, start)

    def random_walk(self, seconds: float, seed: int = 0) -> list[int]:
        """Edges of a walk through the graph at random, at least ``seconds`` long."""
        from mograph.graph.realise import random_walk

        return random_walk(self, seconds, seed)

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The graph for people and tests: edges have ``cost``, ``duration``, ``displacement``, ``edge``."""
        import networkx

        graph = networkx.MultiDiGraph()
        for k, frame in enumerate(self.frame.tolist()):
            graph.add_node(k, frame=frame, contact=int(self.contact[k]), rest=bool(self.rest[k]))
        for e in range(self.transitions):
            graph.add_edge(
                int(self.source[e]),
                int(self.target[e]),
                cost=float(self.cost[e]),
                duration=float(self.duration[e]),
                displacement=tuple(self.displacement[e].tolist()),
                edge=e,
            )
        return graph


@dataclass(frozen=True, eq=False)
class Ways:
    """Single-contact paths between segments, before the best are chosen."""

    state: NDArray[np.int64]  # (P,) segment whose first pose it starts at
    end: NDArray[np.int64]  # (P,) segment whose first pose it ends at
    changes: NDArray[np.int64]  # (P, K)

    def chosen(self, which: NDArray[Any]) -> Ways:
        """Some of the ways."""
        return Ways(self.state[which], self.end[which], self.changes[which])


def compress(graph: MotionGraph, settings: CompactSettings | None = None) -> CompactGraph:
    """Keep the states where contacts change, the best ways between them, and merge states that are alike."""
    settings = CompactSettings() if settings is None else settings
    began = time.perf_counter()
    ways = find_ways(graph, settings.transitions)
    cost, steps = measure_ways(graph, ways)
    displacement, lands = place_ways(graph, ways, steps, settings)
    natural = ways.changes[:, 0] < 0
    keep = lands & ((steps <= settings.most_frames) | natural)
    ways, cost, steps, displacement = ways.chosen(keep), cost[keep], steps[keep], displacement[keep]
    pairs = np.unique(ways.state * len(graph.segments.start) + ways.end).size
    culled = time.perf_counter()

    cluster, representative = merge_states(graph, settings)
    first, last = graph.segments.start[ways.state], graph.segments.start[ways.end]
    source, target = cluster[ways.state], cluster[ways.end]
    displacement, extra = _onto_representatives(graph, ways, representative[cluster], displacement)
    cost = cost + extra
    best = _distinct(source, target, cost, displacement, settings)
    source, target, cost, steps = source[best], target[best], cost[best], steps[best]
    displacement, first, last, changes = displacement[best], first[best], last[best], ways.changes[best]

    inside = _largest_component(len(representative), source, target)
    event = _event_states(graph, representative)
    number = np.cumsum(inside) - 1
    keep = inside[source] & inside[target]
    frames = representative[inside]
    stages = {
        "full": _stage(graph.states, graph.transitions, graph.seconds),
        "edges_culled": _stage(len(graph.segments.start), pairs, culled - began),
        "compact": _stage(len(frames), int(keep.sum()), time.perf_counter() - culled),
    }
    return CompactGraph(
        graph,
        settings,
        frames,
        _resting(graph, cluster, len(representative))[inside],
        number[source[keep]],
        number[target[keep]],
        cost[keep],
        steps[keep] / graph.database.fps,
        displacement[keep],
        first[keep],
        last[keep],
        changes[keep],
        int(np.sum(event & ~inside)),
        stages,
    )


def _stage(states: int, transitions: int, seconds: float) -> dict[str, float]:
    return {"states": int(states), "transitions": int(transitions), "seconds": round(seconds, 3)}


def find_ways(graph: MotionGraph, most: int) -> Ways:
    """All ways with at most one change-over, and for more than one the cheapest between each pair."""
    seg = graph.segments
    natural = np.flatnonzero(seg.following >= 0)
    state, end = [natural], [seg.following[natural]]
    changes = [np.full((len(natural), most), -1)]

    other = seg.of_frame[graph.target]
    at_start = graph.target == seg.start[other]
    final = np.where(at_start, other, seg.following[other])
    # a change-over to the first pose of a segment starts from the last pose of one, else from inside
    last_pose = graph.source == seg.stop[seg.of_frame[graph.source]] - 1
    usable = (final >= 0) & (at_start == last_pose)
    edges = np.flatnonzero(usable)
    state.append(seg.of_frame[graph.source[edges]])
    end.append(final[edges])
    once = np.full((len(edges), most), -1)
    once[:, 0] = edges
    changes.append(once)

    if most > 1:
        from mograph.graph.compact_kernel import cheapest_paths

        first_edge = np.searchsorted(graph.source, np.arange(graph.states + 1))
        room = 64 * len(seg.start)
        while True:
            s, e = np.empty(room, np.int64), np.empty(room, np.int64)
            c = np.empty((room, most), np.int64)
            count = cheapest_paths(
                seg.start, seg.stop, seg.following, seg.of_frame, graph.frame_cost, first_edge,
                graph.source, graph.target, graph.cost, most, s, e, c,
            )  # fmt: skip
            if count <= room:
                break
            room = count
        state.append(s[:count])
        end.append(e[:count])
        changes.append(c[:count])
    return Ways(np.concatenate(state), np.concatenate(end), np.concatenate(changes))


def measure_ways(graph: MotionGraph, ways: Ways) -> tuple[Array, NDArray[np.int64]]:
    """Cost and number of frames of each way."""
    total = np.concatenate([[0.0], np.cumsum(graph.frame_cost)])
    frame = graph.segments.start[ways.state].copy()
    cost, steps = np.zeros(len(frame)), np.zeros(len(frame), np.int64)
    for change in ways.changes.T:
        used = change >= 0
        leave, arrive = graph.source[change[used]], graph.target[change[used]]
        cost[used] += total[leave] - total[frame[used]] + graph.cost[change[used]]
        steps[used] += leave - frame[used] + 1
        frame[used] = arrive
    end = graph.segments.start[ways.end]
    at_end = frame == end
    # the last stretch runs to the end of its segment, whose successor is the end
    stop = np.where(at_end, frame, graph.segments.stop[graph.segments.of_frame[frame]])
    cost += total[stop] - total[frame]
    steps += stop - frame
    return cost, steps


def place_ways(
    graph: MotionGraph, ways: Ways, steps: NDArray[np.int64], settings: CompactSettings
) -> tuple[Array, NDArray[np.bool_]]:
    """Displacement (P, 3) of each way, and whether a way through the air comes down where it should.

    The support is held fixed at every change-over. In flight nothing holds: the centre of mass goes on as it
    took off, and the landing pose is put where that curve takes it.
    """
    database, seg = graph.database, graph.segments
    places = planar.root_places(database)
    carry = np.zeros((len(ways.state), 3))
    for change in ways.changes.T:
        used = change >= 0
        carry[used] = planar.compose(carry[used], graph.alignment[change[used]])
    begin, end = seg.start[ways.state], seg.start[ways.end]
    displacement = planar.between(places[begin], planar.compose(carry, places[end]))
    lands = np.ones(len(begin), bool)
    flies = (database.contact[begin] == Contact.FLIGHT) & (ways.changes[:, 0] >= 0)
    if flies.any():
        displacement[flies], lands[flies] = _ballistic(
            database, begin[flies], end[flies], steps[flies], displacement[flies], places, settings.landing
        )
    displacement[:, 2] = planar.wrapped(displacement[:, 2])
    return displacement, lands


def _ballistic(
    database: Database,
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    steps: NDArray[np.int64],
    displacement: Array,
    places: Array,
    tolerance: float,
) -> tuple[Array, NDArray[np.bool_]]:
    """Displacement with the centre of mass on the curve it took off on, and whether the height agrees."""
    from mograph import kinematics
    from mograph.dynamics.mass_model import mass_model

    model = mass_model(database.skeleton)
    frames = np.unique(np.concatenate([begin, begin + 1, end]))
    frames = frames[frames < database.poses]
    poses = kinematics.forward(database.skeleton, database.root_position[frames], database.rotation[frames])
    centre = np.full((database.poses, 3), np.nan)
    centre[frames] = kinematics.centre_of_mass(poses, model.mass, model.centre)

    time = steps / database.fps
    velocity = (centre[begin + 1] - centre[begin]) * database.fps
    velocity[:, 1] += 0.5 * GRAVITY / database.fps  # the mean over a frame is the speed half a frame later
    fallen = centre[begin, 1] + velocity[:, 1] * time - 0.5 * GRAVITY * time**2
    lands = np.abs(fallen - centre[end, 1]) < tolerance

    flown = centre[begin][:, [0, 2]] + velocity[:, [0, 2]] * time[:, None]
    level = np.column_stack([flown, np.zeros(len(flown))])
    wanted = planar.between(places[begin], level)[:, :2]  # centre of mass at the end, from the start's root
    offset = np.column_stack([centre[end][:, [0, 2]], np.zeros(len(end))])
    offset = planar.between(places[end], offset)  # ... and from the end's own root
    turn = np.column_stack([np.zeros((len(end), 2)), displacement[:, 2]])
    root = wanted - planar.compose(turn, offset)[:, :2]
    return np.column_stack([root, displacement[:, 2]]), lands


def merge_states(
    graph: MotionGraph, settings: CompactSettings
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cluster of each segment's first pose, and the pose that stands for each cluster.

    Most alike first, by complete linkage: no two members are farther apart than the limit. States that pick
    something up are never merged, for their hands are centimetres apart.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist, squareform

    start = graph.segments.start
    contact = graph.database.contact[start].astype(int)
    kind = contact * 2 + graph.segments.resting
    x = features(graph.database, graph.settings.similarity)[start]
    limit = settings.merge * graph.threshold
    cluster = np.empty(len(start), np.int64)
    representative: list[int] = []
    for value in np.unique(kind):
        members = np.flatnonzero(kind == value)
        labels = np.arange(len(members))
        if limit > 0 and len(members) > 1 and not (value // 2) & HANDS:
            distance = pdist(x[members], "sqeuclidean")
            labels = fcluster(linkage(distance, "complete"), limit, "distance") - 1
            square = squareform(distance)
        for label in np.unique(labels):
            own = np.flatnonzero(labels == label)
            centre = own[0] if len(own) == 1 else own[np.argmin(square[np.ix_(own, own)].sum(axis=1))]
            cluster[members[own]] = len(representative)
            representative.append(int(start[members[centre]]))
    return cluster, np.array(representative, np.int64)


def _onto_representatives(
    graph: MotionGraph, ways: Ways, stands: NDArray[np.int64], displacement: Array
) -> tuple[Array, Array]:
    """Displacements between the poses that stand for merged states, and what the difference in pose costs.

    ``stands`` (S,) is the pose that stands for each segment's first. What it takes to get from one to the
    other is found per segment, of which there are far fewer than ways.
    """
    database, own = graph.database, graph.segments.start
    points, places = planar.support_points(database), planar.root_places(database)
    x = features(database, graph.settings.similarity)
    weight = graph.settings.cost.transition * graph.settings.sharpness / graph.threshold
    mismatch = weight * np.sum((x[own] - x[stands]) ** 2, axis=1)
    into = planar.alignments(database, points, places, stands, own)  # clip of the way -> clip of the state
    before = planar.between(places[stands], planar.compose(into, places[own]))
    back = planar.alignments(database, points, places, own, stands)
    after = planar.between(places[own], planar.compose(back, places[stands]))
    whole = planar.compose(planar.compose(before[ways.state], displacement), after[ways.end])
    whole[:, 2] = planar.wrapped(whole[:, 2])
    return whole, mismatch[ways.state] + mismatch[ways.end]


def _distinct(
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    cost: Array,
    displacement: Array,
    settings: CompactSettings,
) -> NDArray[np.int64]:
    """For each pair of states the cheapest way and a few more that lead elsewhere, in a fixed order."""
    order = np.lexsort((np.arange(len(cost)), cost, target, source))
    new = np.ones(len(order), bool)
    new[1:] = (source[order][1:] != source[order][:-1]) | (target[order][1:] != target[order][:-1])
    starts = np.append(np.flatnonzero(new), len(order))
    chosen: list[int] = []
    for begin, stop in pairwise(starts):
        kept = [order[begin]]
        for candidate in order[begin + 1 : stop]:
            if len(kept) == settings.parallel:
                break
            gap = displacement[kept] - displacement[candidate]
            far = np.hypot(gap[:, 0], gap[:, 1]) > settings.apart
            turned = np.abs(planar.wrapped(gap[:, 2])) > settings.apart_turn
            if np.all(far | turned):
                kept.append(candidate)
        chosen.extend(kept)
    return np.array(chosen, np.int64)


def _largest_component(
    states: int, source: NDArray[np.int64], target: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """States from which every other can be reached: the largest strongly connected component."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(source)), (source, target)), (states, states))
    _, label = connected_components(links, directed=True, connection="strong")
    return label == np.argmax(np.bincount(label))


def _event_states(graph: MotionGraph, representative: NDArray[np.int64]) -> NDArray[np.bool_]:
    contact = graph.database.contact[representative]
    return ((contact & HANDS) > 0) | (contact == Contact.FLIGHT)


def _resting(graph: MotionGraph, cluster: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    rest = np.zeros(count, bool)
    rest[cluster[graph.segments.resting]] = True
    return rest
