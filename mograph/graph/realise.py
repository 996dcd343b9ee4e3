"""A path through a graph becomes a motion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.clip import Clip
from mograph.database import Database
from mograph.errors import MographError
from mograph.foot_lock import lock_feet
from mograph.graph import planar
from mograph.graph.blend import smooth_seams
from mograph.graph.compact import CompactGraph
from mograph.graph.similarity import clip_of_frames
from mograph.rotations import Array


def source_frames(graph: CompactGraph, edge: int) -> NDArray[np.int64]:
    """Poses of the database that an edge plays, the pose of its end not among them."""
    frame, pieces = int(graph.first[edge]), []
    for change in graph.changes[edge]:
        if change >= 0:
            leave = int(graph.motion_graph.source[change])
            pieces.append(np.arange(frame, leave + 1))
            frame = int(graph.motion_graph.target[change])
    segments = graph.motion_graph.segments
    if frame != graph.last[edge]:
        pieces.append(np.arange(frame, segments.stop[segments.of_frame[frame]]))
    return np.concatenate(pieces)


def place_edge(graph: CompactGraph, edge: int, place: Array) -> tuple[NDArray[np.int64], Array]:
    """Poses an edge plays and what carries the clip of each into the world (F, 3), started at ``place``.

    The motion is held by its support at every change-over, just as the edge's displacement was found; a
    flight that comes down elsewhere is led there evenly.
    """
    database = graph.database
    points, places = graph.geometry
    state, first = graph.frame[graph.source[edge]], graph.first[edge]
    into = planar.alignments(database, points, places, np.array([state]), np.array([first]))[0]
    carry = planar.compose(planar.compose(place, planar.inverse(places[state])), into)
    frame, frames, carries = int(first), [], []
    segments = graph.motion_graph.segments
    for change in [*graph.changes[edge].tolist(), -1]:
        if change >= 0:
            piece = np.arange(frame, graph.motion_graph.source[change] + 1)
        elif frame == graph.last[edge]:
            break
        else:
            piece = np.arange(frame, segments.stop[segments.of_frame[frame]])
        frames.append(piece)
        carries.append(np.broadcast_to(carry, (len(piece), 3)))
        if change < 0:
            break
        carry = planar.compose(carry, graph.motion_graph.alignment[change])
        frame = int(graph.motion_graph.target[change])
    end, last = graph.frame[graph.target[edge]], graph.last[edge]
    back = planar.alignments(database, points, places, np.array([last]), np.array([end]))[0]
    reached = planar.compose(planar.compose(carry, back), places[end])
    wanted = planar.compose(place, graph.displacement[edge])
    played, carried = np.concatenate(frames), np.concatenate(carries)
    miss = np.append((wanted - reached)[:2], 0.0)
    return played, carried + miss * (np.arange(len(played)) / len(played))[:, None]


def realise(
    graph: CompactGraph,
    edges: Sequence[int],
    start: tuple[float, float, float] = (0.0, 0.0, 0.0),
    smooth: bool = True,
) -> Clip:
    """The motion of a path of edges, begun at a place (x, z, yaw).

    Pieces of clips are put one after another, their jumps die away, and planted feet are held by inverse
    kinematics. With ``smooth=False`` the captured poses are placed and nothing else.
    """
    if len(edges) == 0:
        raise MographError("a path needs at least one edge")
    for a, b in pairwise(edges):
        if graph.target[a] != graph.source[b]:
            raise MographError(
                f"edge {a} ends in state {graph.target[a]} and edge {b} starts in {graph.source[b]}"
            )
    place = np.array(start, float)
    frames, carries = [], []
    for edge in edges:
        played, carried = place_edge(graph, edge, place)
        frames.append(played)
        carries.append(carried)
        place = planar.compose(place, graph.displacement[edge])
    end = graph.frame[graph.target[edges[-1]]]
    frames.append(np.array([end]))
    places = graph.geometry[1]
    carries.append(planar.compose(place, planar.inverse(places[end]))[None])
    clip = play(graph.database, np.concatenate(frames), np.concatenate(carries), smooth)
    return lock_feet(clip, graph.toe_height) if smooth else clip


def play(database: Database, frames: NDArray[np.int64], carries: Array, smooth: bool = True) -> Clip:
    """Poses of a database one after another, each carried to its place by (x, z, yaw)."""
    position, rotation = _carried(database, frames, carries)
    contact = database.contact[frames]
    clip = Clip(database.skeleton, position, rotation, database.fps, "realised", contact=contact)
    if not smooth:
        return clip
    seams = np.flatnonzero(np.diff(frames) != 1) + 1
    expected = _carried(database, _following(database, frames[seams - 1]), carries[seams - 1])
    onward = _carried(database, _following(database, frames[seams]), carries[seams])
    position, rotation = smooth_seams(position, rotation, seams, *expected, database.fps, onward)
    return clip.with_(root_position=position, rotation=rotation)


def _following(database: Database, frames: NDArray[np.int64]) -> NDArray[np.int64]:
    """The frame after each in its clip; the last of a clip is followed by itself."""
    number = clip_of_frames(database)
    after = np.minimum(frames + 1, database.poses - 1)
    return np.where(number[after] == number[frames], after, frames)


def _carried(database: Database, frames: NDArray[np.int64], carries: Array) -> tuple[Array, Array]:
    turn = rotations.from_yaw(carries[:, 2])
    position = rotations.rotate(turn, database.root_position[frames])
    position[:, [0, 2]] += carries[:, :2]
    rotation = database.rotation[frames].copy()
    rotation[:, 0] = rotations.multiply(turn, rotation[:, 0])
    return position, rotation


def random_walk(graph: CompactGraph, seconds: float, seed: int = 0, start: int | None = None) -> list[int]:
    """Edges of a walk through the graph at random, at least ``seconds`` long."""
    rng = np.random.default_rng(seed)
    first = graph.first_edge()
    state = int(rng.integers(graph.states)) if start is None else start
    edges: list[int] = []
    length = 0.0
    while length < seconds:
        edge = int(rng.integers(first[state], first[state + 1]))
        edges.append(edge)
        length += float(graph.duration[edge])
        state = int(graph.target[edge])
    return edges
