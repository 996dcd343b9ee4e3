"""The interpolated graph: two paths through the compact graph at once, mixed by a weight (Safonova 1.5).

A state is a pair of compact states with the same contacts and a weight. A mixed edge is a pair of compact
edges, one from each, that end in states with the same contacts; the weight is constant along it and may
change a little where it ends. Weights 0 and 1 are the plain compact states.

What is stored is one row per pair of edges. Durations, displacements and costs at a weight follow from the
two edges in closed form; the edges between nodes, one per weight and change of weight, are written out for
the search and take ten times the room.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mograph.contacts import HANDS, Contact
from mograph.errors import MographError
from mograph.graph import planar
from mograph.graph.compact import CompactGraph
from mograph.graph.similarity import features
from mograph.rotations import Array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mograph.clip import Clip

PHASE_SAMPLES = 8  # joint torques of an edge are compared at this many points of its phase


@dataclass(frozen=True)
class InterpolationSettings:
    """Which pairs are mixed, and how finely."""

    weights: int = 5  # weight values from 0 to 1, both included [3..21]
    alike: float = 1.0  # states farther apart are not mixed [rad²]; picks with the same hands always are
    ratio: float = 1.5  # longest over shortest duration of two edges mixed
    apart: float = 0.4  # their ends lie at most this far from each other [m]
    apart_turn: float = np.radians(60.0)  # ... and this much turned [rad]
    step: float = 0.25  # largest change of weight at a state
    jump: float = 1.0  # ... and largest jump of the pose it makes, in thresholds of the motion graph

    def __post_init__(self) -> None:
        if not 3 <= self.weights <= 21:
            raise MographError(f"{self.weights} weights; it must be 3 to 21")


@dataclass(frozen=True, eq=False)
class InterpolatedGraph:
    """Pairs of states and pairs of edges, as arrays.

    Node k < S is compact state k; node S + p (W - 2) + i - 1 is pair p with weight i / (W - 1), the share of
    ``pair[p, 0]``.
    """

    compact: CompactGraph
    settings: InterpolationSettings
    pair: NDArray[np.int64]  # (P, 2) states, the smaller first
    pair_distance: Array  # (P,) of their poses [rad²]
    mixed_source: NDArray[np.int64]  # (M,) pair, sorted
    mixed_edges: NDArray[np.int64]  # (M, 2) compact edges, of the pair's first and second state
    likeness: Array  # (M,) cosine between the joint torques of the two edges
    torque_rate: Array  # (E,) mean torque cost of each compact edge per second
    source: NDArray[np.int64]  # (N,) node, sorted
    target: NDArray[np.int64]  # (N,) node
    cost: Array  # (N,)
    duration: Array  # (N,) [s]
    displacement: Array  # (N, 3)
    row: NDArray[np.int64]  # (N,) mixed edge played, or -1 - compact edge
    removed: dict[str, int] = field(default_factory=dict)  # pairs of edges left out, by reason
    stages: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def nodes(self) -> int:
        """Highest node number plus one; numbers of nodes that were pruned stay unused."""
        return self.compact.states + len(self.pair) * (self.settings.weights - 2)

    @property
    def states(self) -> int:
        """Number of nodes in use."""
        return len(np.unique(np.concatenate([self.source, self.target])))

    @property
    def transitions(self) -> int:
        """Number of edges between nodes."""
        return len(self.source)

    def realise(self, edges: Sequence[int], start: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Clip:
        """The motion of a path of edges between nodes, begun at a place (x, z, yaw)."""
        from mograph.graph.realise_mixed import realise_mixed

        return realise_mixed(self, edges, start)

    def random_walk(self, seconds: float, seed: int = 0) -> list[int]:
        """Edges of a walk at random that prefers mixtures, at least ``seconds`` long."""
        from mograph.graph.realise_mixed import random_mixed_walk

        return random_mixed_walk(self, seconds, seed)

    def weight_of(self, node: NDArray[np.int64]) -> Array:
        """Share of the pair's first state in each node; 1 for plain states."""
        inner = self.settings.weights - 2
        mixed = (node - self.compact.states) % inner + 1
        return np.where(node < self.compact.states, 1.0, mixed / (self.settings.weights - 1))


def interpolate_graph(
    graph: CompactGraph, settings: InterpolationSettings | None = None
) -> InterpolatedGraph:
    """Build the interpolated graph for two paths (k = 2)."""
    settings = InterpolationSettings() if settings is None else settings
    began = time.perf_counter()
    pair, distance = find_pairs(graph, settings)
    mixed_source, mixed_edges, removed = mix_edges(graph, pair, settings)
    torque_rate, direction = torque_directions(graph)
    likeness = np.clip(
        np.einsum("mi,mi->m", direction[mixed_edges[:, 0]], direction[mixed_edges[:, 1]]), -1, 1
    )
    bare = InterpolatedGraph(
        graph, settings, pair, distance, mixed_source, mixed_edges, likeness, torque_rate,
        *(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 2, np.zeros((0, 3)), np.zeros(0, np.int64),
    )  # fmt: skip
    source, target, row, cost, seconds, displacement = _expand(bare)
    keep, dead = _alive(graph.states, bare.nodes, source, target)
    removed["dead end"] = dead
    order = np.flatnonzero(keep)
    order = order[np.lexsort((row[order], target[order], source[order]))]
    stages = dict(graph.stages)
    used = np.unique(np.concatenate([source[order], target[order]]))
    stages["interpolated"] = {
        "states": len(used),
        "transitions": len(order),
        "seconds": round(time.perf_counter() - began, 3),
    }
    return InterpolatedGraph(
        graph, settings, pair, distance, mixed_source, mixed_edges, likeness, torque_rate,
        source[order], target[order], cost[order], seconds[order], displacement[order], row[order],
        dict(removed), stages,
    )  # fmt: skip


def find_pairs(graph: CompactGraph, settings: InterpolationSettings) -> tuple[NDArray[np.int64], Array]:
    """Pairs (P, 2) of states with the same contacts that are alike enough to mix, and their distances."""
    x = features(graph.database, graph.motion_graph.settings.similarity)[graph.frame]
    norms = np.einsum("nf,nf->n", x, x)
    distance = np.maximum(norms[:, None] + norms - 2 * x @ x.T, 0.0)
    contact = graph.contact
    picks = (contact & HANDS) > 0
    same = contact[:, None] == contact
    near = (distance < settings.alike) | (picks[:, None] & picks)
    pair = np.argwhere(np.triu(same & near, 1))
    return pair, distance[pair[:, 0], pair[:, 1]]


def mix_edges(
    graph: CompactGraph, pair: NDArray[np.int64], settings: InterpolationSettings
) -> tuple[NDArray[np.int64], NDArray[np.int64], Counter[str]]:
    """Pairs of edges that can be played together, for each pair of states, and why others cannot."""
    first = graph.first_edge()
    number = _pair_numbers(graph.states, pair)
    sources, edges = [], []
    removed: Counter[str] = Counter()
    for p, (a, b) in enumerate(pair.tolist()):
        ours, theirs = np.arange(first[a], first[a + 1]), np.arange(first[b], first[b + 1])
        e, f = np.repeat(ours, len(theirs)), np.tile(theirs, len(ours))
        ends = graph.target[e], graph.target[f]
        fits = graph.contact[ends[0]] == graph.contact[ends[1]]
        e, f, ends = e[fits], f[fits], (ends[0][fits], ends[1][fits])
        removed["contacts differ"] += int(np.sum(~fits))
        tests = {
            "poses too different": (number[ends] >= 0) | (ends[0] == ends[1]),
            "durations too different": _ratio(graph.duration[e], graph.duration[f]) <= settings.ratio,
            "ends too far apart": np.hypot(*(graph.displacement[e] - graph.displacement[f])[:, :2].T)
            <= settings.apart,
            "headings too different": np.abs(
                planar.wrapped(graph.displacement[e, 2] - graph.displacement[f, 2])
            )
            <= settings.apart_turn,
        }
        keep = np.ones(len(e), bool)
        for reason, passed in tests.items():
            removed[reason] += int(np.sum(keep & ~passed))
            keep &= passed
        sources.append(np.full(int(keep.sum()), p))
        edges.append(np.column_stack([e[keep], f[keep]]))
    if not sources:
        return np.zeros(0, np.int64), np.zeros((0, 2), np.int64), removed
    return np.concatenate(sources), np.concatenate(edges), removed


def _ratio(a: Array, b: Array) -> Array:
    return np.maximum(a, b) / np.maximum(np.minimum(a, b), 1e-9)


def _pair_numbers(states: int, pair: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of the pair of any two states (S, S), -1 if they are none."""
    number = np.full((states, states), -1)
    number[pair[:, 0], pair[:, 1]] = np.arange(len(pair))
    number[pair[:, 1], pair[:, 0]] = np.arange(len(pair))
    return number


def mixed_duration(graph: InterpolatedGraph, row: NDArray[np.int64], weight: Array) -> Array:
    """T = sqrt(w T1² + (1 - w) T2²) of mixed edges (Safonova 5.7) [s]."""
    first, second = graph.compact.duration[graph.mixed_edges[row]].T
    return np.sqrt(weight * first**2 + (1 - weight) * second**2)


def mixed_displacement(graph: InterpolatedGraph, row: NDArray[np.int64], weight: Array) -> Array:
    """Where a mixed edge leads (x, z, yaw): the weighted mean of where its two edges lead."""
    first, second = np.moveaxis(graph.compact.displacement[graph.mixed_edges[row]], 1, 0)
    gap = second - first
    gap[:, 2] = planar.wrapped(gap[:, 2])
    return first + (1 - weight)[:, None] * gap


def mixed_cost(graph: InterpolatedGraph, row: NDArray[np.int64], weight: Array) -> Array:
    """Cost of mixed edges in closed form.

    Joint torques of the mixture are w (T1/T)² tau1 + (1-w) (T2/T)² tau2 at equal phases, so their square is a
    quadratic in the mean squares of the two edges and the mean of their product, which ``likeness`` keeps.
    The part of an edge's cost that is not torque is mixed linearly.
    """
    e, f = graph.mixed_edges[row].T
    compact = graph.compact
    t1, t2 = compact.duration[e], compact.duration[f]
    total = mixed_duration(graph, row, weight)
    g1, g2 = graph.torque_rate[e], graph.torque_rate[f]
    s1, s2 = weight * (t1 / total) ** 2, (1 - weight) * (t2 / total) ** 2
    rate = s1**2 * g1 + s2**2 * g2 + 2 * s1 * s2 * graph.likeness[row] * np.sqrt(g1 * g2)
    other = weight * (compact.cost[e] - g1 * t1) + (1 - weight) * (compact.cost[f] - g2 * t2)
    return np.maximum(rate * total, 0.0) + np.maximum(other, 1e-9)


def torque_directions(graph: CompactGraph) -> tuple[Array, Array]:
    """Torque cost per second of each edge, and its joint torques over the phase as a unit vector (E, D)."""
    from mograph.dynamics.torques import joint_torques
    from mograph.graph.realise import source_frames

    database = graph.database
    torque = np.concatenate([joint_torques(clip).torque[:, 1:].reshape(len(clip), -1) for clip in database])
    frames = np.empty((graph.transitions, PHASE_SAMPLES), np.int64)
    effort = np.empty(graph.transitions)
    squares = np.sum(torque**2, axis=1)
    for edge in range(graph.transitions):
        played = source_frames(graph, edge)
        share = (np.arange(PHASE_SAMPLES) + 0.5) / PHASE_SAMPLES
        frames[edge] = played[np.minimum((share * len(played)).astype(int), len(played) - 1)]
        effort[edge] = squares[played].mean()
    direction = torque[frames].reshape(graph.transitions, -1)
    direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)
    return graph.motion_graph.settings.cost.torque * effort, direction


def _expand(
    graph: InterpolatedGraph,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Array, Array, Array]:
    """All edges between nodes: plain ones, ways from a plain state into a pair, within pairs, and back."""
    compact, settings = graph.compact, graph.settings
    states, inner = compact.states, settings.weights - 2
    values = np.arange(1, settings.weights - 1) / (settings.weights - 1)
    parts = []

    # plain edges
    every = np.arange(compact.transitions)
    parts.append(
        (compact.source, compact.target, -1 - every, compact.cost, compact.duration, compact.displacement)
    )

    # a plain edge that ends in a state of a pair may go on as a mixture
    first_of = np.argsort(graph.pair[:, 0], kind="stable"), np.argsort(graph.pair[:, 1], kind="stable")
    for side in range(2):
        order = first_of[side]
        begin = np.searchsorted(graph.pair[order, side], compact.target)
        stop = np.searchsorted(graph.pair[order, side], compact.target, "right")
        edge = np.repeat(every, stop - begin)
        offset = np.arange(len(edge)) - np.repeat(np.cumsum(stop - begin) - (stop - begin), stop - begin)
        pair = order[np.repeat(begin, stop - begin) + offset]
        at = np.full(len(edge), 1.0 if side == 0 else 0.0)
        parts += _changes(
            graph, compact.source[edge], pair, at, -1 - edge, compact.cost[edge], compact.duration[edge],
            compact.displacement[edge], values, plain_too=False,
        )  # fmt: skip

    # mixed edges at every weight
    row = np.arange(len(graph.mixed_source))
    number = _pair_numbers(states, graph.pair)
    ends = compact.target[graph.mixed_edges]
    joined = ends[:, 0] == ends[:, 1]
    pair = np.where(joined, 0, number[ends[:, 0], ends[:, 1]])
    swapped = ends[:, 0] > ends[:, 1]
    for index, weight in enumerate(values):
        w = np.full(len(row), weight)
        node = states + graph.mixed_source * inner + index
        cost, seconds = mixed_cost(graph, row, w), mixed_duration(graph, row, w)
        displacement = mixed_displacement(graph, row, w)
        parts.append(
            (node[joined], ends[joined, 0], row[joined], cost[joined], seconds[joined], displacement[joined])
        )
        apart = ~joined
        at = np.where(swapped, 1 - w, w)[apart]
        parts += _changes(
            graph, node[apart], pair[apart], at, row[apart], cost[apart], seconds[apart],
            displacement[apart], values, plain_too=True,
        )  # fmt: skip
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return tuple(columns)  # type: ignore[return-value]


def _changes(
    graph: InterpolatedGraph,
    node: NDArray[np.int64],
    pair: NDArray[np.int64],
    at: Array,
    row: NDArray[np.int64],
    cost: Array,
    seconds: Array,
    displacement: Array,
    values: Array,
    plain_too: bool,
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Array, Array, Array]]:
    """Edges that reach a pair with weight ``at`` and go on with a weight near it, support held fixed."""
    settings, compact = graph.settings, graph.compact
    threshold = compact.motion_graph.threshold
    weights = compact.motion_graph.settings
    price = weights.cost.transition * weights.sharpness / threshold
    states, inner = compact.states, settings.weights - 2
    out = []
    wanted = [(w, states + pair * inner + k) for k, w in enumerate(values)]
    if plain_too:
        wanted += [(1.0, graph.pair[pair, 0]), (0.0, graph.pair[pair, 1])]
    shift = _pair_shift(graph)
    for weight, target in wanted:
        change = weight - at
        jump = change**2 * graph.pair_distance[pair]
        fine = (np.abs(change) <= settings.step + 1e-9) & (jump <= settings.jump * threshold)
        moved = planar.compose(displacement[fine], change[fine, None] * shift[pair[fine]])
        out.append(
            (node[fine], target[fine], row[fine], cost[fine] + price * jump[fine], seconds[fine], moved)
        )
    return out


def _pair_shift(graph: InterpolatedGraph) -> Array:
    """How the root moves (P, 3) if a pair's weight goes from all second to all first, support held fixed."""
    compact = graph.compact
    database = compact.database
    points, places = compact.geometry
    first, second = compact.frame[graph.pair].T
    onto = planar.alignments(database, points, places, second, first)
    shift = planar.between(places[second], planar.compose(onto, places[first]))
    shift[:, 2] = planar.wrapped(shift[:, 2])
    return shift


def _alive(
    states: int, nodes: int, source: NDArray[np.int64], target: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], int]:
    """Edges between nodes from which every plain state, and so every event, can be reached."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(source), np.int8), (source, target)), (nodes, nodes))
    _, label = connected_components(links, directed=True, connection="strong")
    alive = label == label[0]
    used = np.unique(np.concatenate([source, target]))
    keep = alive[source] & alive[target]
    return keep, int(np.sum(~alive[used]))


def reaches_event(graph: InterpolatedGraph, event: int) -> float:
    """Share of nodes in use from which a state with a contact mask can be reached (flight is 0)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    contact = graph.compact.contact
    goals = np.flatnonzero((contact & event) > 0 if event else contact == Contact.FLIGHT)
    if len(goals) == 0:
        return 0.0
    hub = graph.nodes
    back = coo_array(
        (
            np.ones(len(graph.source) + len(goals), np.int8),
            (np.append(graph.target, np.full(len(goals), hub)), np.append(graph.source, goals)),
        ),
        (hub + 1, hub + 1),
    ).tocsr()
    found = breadth_first_order(back, hub, return_predecessors=False)
    return (len(found) - 1) / graph.states
