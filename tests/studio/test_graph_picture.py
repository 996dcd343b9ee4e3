"""The picture of a graph: every state has its place, and the file is the same every time."""

from __future__ import annotations

import numpy as np
import pytest

from mograph.database import Database
from mograph.errors import MographError
from mograph.graph.motion_graph import GraphSettings, MotionGraph
from mograph.sample import sample_clips
from studio.graph_picture import draw_graph, lay_out, state_behaviours

NAMES = ("stand", "walk_1.1", "stop_walk_left", "start_walk_right", "jump_0.4", "pickup_right_0.3")


@pytest.fixture(scope="module")
def graph():
    clips = [clip for clip in sample_clips() if clip.name in NAMES]
    return MotionGraph.build(Database.from_clips(clips), GraphSettings(threshold=0.5)).compact()


def test_states_lie_in_the_sector_of_their_behaviour(graph):
    names, behaviour = state_behaviours(graph)
    place, sectors = lay_out(graph, behaviour, len(names))
    assert place.shape == (graph.states, 2)
    assert np.linalg.norm(place, axis=1).max() <= 1.0
    assert len(np.unique(place.round(9), axis=0)) == graph.states
    angle = np.arctan2(place[:, 0], place[:, 1]) % (2 * np.pi)
    assert np.all((angle > sectors[behaviour]) & (angle < sectors[behaviour + 1]))
    clips = np.searchsorted(graph.database.clip_starts, graph.frame, side="right") - 1
    for k, clip in zip(behaviour, clips, strict=True):
        assert names[k] in graph.database.info[clip].tags


def test_picture_is_written_and_repeats(graph, tmp_path):
    first = draw_graph(graph, tmp_path / "a.png")
    second = draw_graph(graph, tmp_path / "b.png")
    content = first.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert content == second.read_bytes()


def test_picture_must_be_a_png(graph, tmp_path):
    with pytest.raises(MographError, match=r"must end in \.png"):
        draw_graph(graph, tmp_path / "graph.pdf")
