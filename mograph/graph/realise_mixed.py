"""A path through the interpolated graph becomes a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mograph import rotations
from mograph.clip import Clip
from mograph.errors import MographError
from mograph.foot_lock import lock_feet
from mograph.graph import planar
from mograph.graph.blend import smooth_seams
from mograph.graph.compact import CompactGraph
from mograph.graph.interpolated import InterpolatedGraph
from mograph.graph.interpolation import interpolate
from mograph.graph.phase_motion import PhaseMotion
from mograph.graph.realise import realise
from mograph.rotations import Array

_OVERSAMPLING = (
    4  # phases are mixed this many times finer than they are played, so that any time can be read off
)


def edge_phase(graph: CompactGraph, edge: int) -> PhaseMotion:
    """The motion of one compact edge, from the pose of its source to that of its target."""
    clip = realise(graph, [edge]).faced()
    contact = graph.contact
    return PhaseMotion(
        graph.database.skeleton,
        clip.root_position,
        clip.rotation,
        clip.fps,
        int(contact[graph.source[edge]]),
        int(contact[graph.target[edge]]),
    )


def node_edge_phase(graph: InterpolatedGraph, edge: int) -> PhaseMotion:
    """The motion of one edge of the interpolated graph, finely sampled, in its own coordinates."""
    row = int(graph.row[edge])
    fine = _OVERSAMPLING * graph.compact.database.fps
    if row < 0:
        phase = edge_phase(graph.compact, -1 - row)
        return interpolate(phase, phase, 1.0, fps=fine)
    first, second = (edge_phase(graph.compact, int(e)) for e in graph.mixed_edges[row])
    return interpolate(first, second, float(graph.weight_of(graph.source[edge : edge + 1])[0]), fps=fine)


@dataclass(frozen=True, eq=False)
class _Stretch:
    """A phase played from a time on, put at a place and led to its wanted end."""

    phase: PhaseMotion
    begin: float  # [s]
    seconds: float
    place: Array
    wanted: Array  # displacement the graph states for it

    def at(self, times: Array) -> tuple[Array, Array]:
        """Root positions and rotations at given times; a little beyond the end the last movement goes on."""
        phase = self.phase
        share = (times - self.begin) / self.seconds
        index = share * (len(phase) - 1)
        low = np.clip(np.floor(index).astype(int), 0, len(phase) - 2)
        part = (index - low)[:, None]
        position = phase.root_position[low] * (1 - part) + phase.root_position[low + 1] * part
        rotation = rotations.slerp(phase.rotation[low], phase.rotation[low + 1], part)
        # what the mixture misses of its wanted end comes in evenly, as a turn and a shift of the world
        lead = planar.compose(self.wanted, planar.inverse(np.array(phase.displacement)))
        lead[2] = planar.wrapped(lead[2])
        way = np.clip(share, 0.0, 1.0)[:, None] * lead
        carry = planar.compose(np.broadcast_to(self.place, way.shape), way)
        turn = rotations.from_yaw(carry[:, 2])
        position = rotations.rotate(turn, position)
        position[:, [0, 2]] += carry[:, :2]
        rotation[:, 0] = rotations.multiply(turn, rotation[:, 0])
        return position, rotation


def realise_mixed(
    graph: InterpolatedGraph, edges: Sequence[int], start: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Clip:
    """The motion of a path of edges of the interpolated graph, begun at a place (x, z, yaw)."""
    if len(edges) == 0:
        raise MographError("a path needs at least one edge")
    for a, b in pairwise(edges):
        if graph.target[a] != graph.source[b]:
            raise MographError(
                f"edge {a} ends in node {graph.target[a]} and edge {b} starts in {graph.source[b]}"
            )
    database = graph.compact.database
    stretches, place, begin = [], np.array(start, float), 0.0
    for edge in edges:
        seconds, wanted = float(graph.duration[edge]), graph.displacement[edge]
        stretches.append(_Stretch(node_edge_phase(graph, edge), begin, seconds, place, wanted))
        place = planar.compose(place, wanted)
        begin += seconds

    frame = 1.0 / database.fps
    times = np.arange(int(np.floor(begin / frame + 1e-9)) + 1) * frame
    number = np.searchsorted([s.begin for s in stretches], times + 1e-9, "right") - 1
    seams = np.flatnonzero(np.diff(number)) + 1
    played = _joined([stretches[k].at(times[number == k]) for k in np.unique(number)])
    contact = np.array([s.phase.contact for s in stretches], np.uint8)[number]
    clip = Clip(database.skeleton, *played, database.fps, "realised", contact=contact)
    if len(seams):
        expected = _joined([stretches[number[k - 1]].at(times[k : k + 1]) for k in seams])
        onward = _joined([stretches[number[k]].at(times[k : k + 1] + frame) for k in seams])
        position, rotation = smooth_seams(*played, seams, *expected, database.fps, onward)
        clip = clip.with_(root_position=position, rotation=rotation)
    return lock_feet(clip, graph.compact.toe_height)


def _joined(poses: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    return np.concatenate([p for p, _ in poses]), np.concatenate([r for _, r in poses])


def random_mixed_walk(graph: InterpolatedGraph, seconds: float, seed: int = 0) -> list[int]:
    """Edges of a walk at random through the interpolated graph that prefers mixtures."""
    rng = np.random.default_rng(seed)
    first = np.searchsorted(graph.source, np.arange(graph.nodes + 2))
    node = int(rng.choice(graph.source))
    edges: list[int] = []
    length = 0.0
    while length < seconds:
        ways = np.arange(first[node], first[node + 1])
        mixed = ways[graph.target[ways] >= graph.compact.states]
        edge = int(rng.choice(mixed if len(mixed) else ways))
        edges.append(edge)
        length += float(graph.duration[edge])
        node = int(graph.target[edge])
    return edges
