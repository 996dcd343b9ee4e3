"""Interpolation of k paths, made while it is walked: for k = 3 and more a graph would not fit in memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from mograph.errors import MographError
from mograph.graph import planar
from mograph.graph.compact import CompactGraph
from mograph.graph.interpolated import InterpolationSettings, find_pairs, torque_directions
from mograph.graph.interpolation import interpolate_many
from mograph.graph.phase_motion import PhaseMotion


@dataclass(frozen=True)
class Node:
    """Compact states, different and in rising order, and the share of each in steps; shares are above zero.

    >>> Node((3, 8), (1, 3))
    Node(states=(3, 8), shares=(1, 3))
    """

    states: tuple[int, ...]
    shares: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One edge of the graph: compact edges played together from one node to another."""

    edges: tuple[int, ...]
    weights: tuple[float, ...]
    target: Node
    cost: float
    duration: float  # [s]
    displacement: tuple[float, float, float]  # x, z [m], yaw [rad]


@dataclass(eq=False)
class LazyInterpolatedGraph:
    """Up to ``k`` paths at once; nodes and edges come into being when asked for.

    The rules are those of the stored graph for two paths: same contacts, poses alike, similar durations and
    displacements, weights constant along an edge and changed a step at a time where it ends. A node with one
    state is a plain compact state.
    """

    compact: CompactGraph
    k: int = 3
    settings: InterpolationSettings = field(default_factory=InterpolationSettings)

    def __post_init__(self) -> None:
        if self.k < 2:
            raise MographError(f"interpolation needs at least 2 paths, got k = {self.k}")
        count = self.compact.states
        self.near = np.eye(count, dtype=bool)
        pair, distance = find_pairs(self.compact, self.settings)
        self.near[pair[:, 0], pair[:, 1]] = self.near[pair[:, 1], pair[:, 0]] = True
        self.distance = np.zeros((count, count))
        self.distance[pair[:, 0], pair[:, 1]] = self.distance[pair[:, 1], pair[:, 0]] = distance
        self.first_edge = self.compact.first_edge()
        self.torque_rate, self.direction = torque_directions(self.compact)

    @property
    def whole(self) -> int:
        """How many steps of weight make one."""
        return self.settings.weights - 1

    def start(self, state: int) -> Node:
        """The node of a plain compact state."""
        return Node((state,), (self.whole,))

    def successors(self, node: Node) -> Iterator[Step]:
        """All edges from a node."""
        weights = tuple(share / self.whole for share in node.shares)
        ways = [range(self.first_edge[s], self.first_edge[s + 1]) for s in node.states]
        for edges in itertools.product(*ways):
            if self._fit(edges):
                cost, seconds = self._cost(edges, weights)
                place = self._displacement(edges, weights)
                for target, jump in self._targets(edges, node.shares):
                    yield Step(edges, weights, target, cost + jump, seconds, place)

    def leads_on(self, node: Node) -> bool:
        """Whether any edge leaves a node; many mixtures are dead ends, for contacts must go on to agree."""
        return next(self.successors(node), None) is not None

    def _fit(self, edges: Sequence[int]) -> bool:
        compact, settings = self.compact, self.settings
        for e, f in itertools.combinations(edges, 2):
            ends = compact.target[e], compact.target[f]
            gap = compact.displacement[e] - compact.displacement[f]
            if (
                not self.near[ends]
                or max(compact.duration[e], compact.duration[f])
                > settings.ratio * min(compact.duration[e], compact.duration[f])
                or np.hypot(gap[0], gap[1]) > settings.apart
                or abs(planar.wrapped(gap[2])) > settings.apart_turn
            ):
                return False
        return True

    def _cost(self, edges: Sequence[int], weights: Sequence[float]) -> tuple[float, float]:
        """Cost in closed form and duration: torques are the sum of w (T_i / T)² tau_i."""
        index, w = np.array(edges), np.array(weights)
        lengths = self.compact.duration[index]
        total = float(np.sqrt(w @ lengths**2))
        scaled = (w * (lengths / total) ** 2 * np.sqrt(self.torque_rate[index]))[:, None] * self.direction[
            index
        ]
        torque = float(np.sum(scaled.sum(axis=0) ** 2)) * total
        other = float(w @ (self.compact.cost[index] - self.torque_rate[index] * lengths))
        return torque + max(other, 1e-9), total

    def _displacement(self, edges: Sequence[int], weights: Sequence[float]) -> tuple[float, float, float]:
        places = self.compact.displacement[list(edges)].copy()
        places[:, 2] = places[0, 2] + planar.wrapped(places[:, 2] - places[0, 2])
        x, z, yaw = np.array(weights) @ places
        return float(x), float(z), float(planar.wrapped(yaw))

    def _targets(self, edges: Sequence[int], shares: Sequence[int]) -> Iterator[tuple[Node, float]]:
        """Nodes an edge may end in: the same shares, or one step of weight moved, to a new state too."""
        reached: dict[int, int] = {}
        for edge, share in zip(edges, shares, strict=True):
            state = int(self.compact.target[edge])
            reached[state] = reached.get(state, 0) + share
        yield _node(reached), 0.0
        graph = self.compact.motion_graph
        price = graph.settings.cost.transition * graph.settings.sharpness / graph.threshold
        limit = self.settings.jump * graph.threshold
        step = max(int(self.settings.step * self.whole + 1e-9), 1)
        partners = set(reached)
        if len(reached) < self.k:
            common = np.logical_and.reduce([self.near[s] for s in reached])
            partners |= set(np.flatnonzero(common).tolist())
        for giver, taker in itertools.product(reached, sorted(partners)):
            moved = min(step, reached[giver])
            jump = (moved / self.whole) ** 2 * self.distance[giver, taker]
            if giver != taker and jump <= limit:
                changed = {**reached, giver: reached[giver] - moved}
                changed[taker] = changed.get(taker, 0) + moved
                yield _node(changed), price * jump

    def phase(self, step: Step, fps: float | None = None) -> PhaseMotion:
        """The motion of one edge, in its own coordinates."""
        from mograph.graph.realise_mixed import edge_phase

        phases = [edge_phase(self.compact, edge) for edge in step.edges]
        return interpolate_many(phases, np.array(step.weights), fps=fps or self.compact.database.fps)


def _node(shares: dict[int, int]) -> Node:
    kept = sorted((state, share) for state, share in shares.items() if share > 0)
    return Node(tuple(s for s, _ in kept), tuple(n for _, n in kept))
