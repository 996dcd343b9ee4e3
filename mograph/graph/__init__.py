"""Motion graphs: built from a database, compressed to contact changes, interpolated between two paths.

Names are looked up when first used; importing this package compiles nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mograph.graph.compact import CompactGraph, CompactSettings
    from mograph.graph.costs import CostWeights
    from mograph.graph.file import load_graph, save_graph
    from mograph.graph.interpolated import InterpolatedGraph, InterpolationSettings
    from mograph.graph.motion_graph import GraphSettings, MotionGraph
    from mograph.graph.similarity import SimilaritySettings

_HOME = {
    "CompactGraph": "compact",
    "CompactSettings": "compact",
    "CostWeights": "costs",
    "GraphSettings": "motion_graph",
    "InterpolatedGraph": "interpolated",
    "InterpolationSettings": "interpolated",
    "MotionGraph": "motion_graph",
    "SimilaritySettings": "similarity",
    "load_graph": "file",
    "save_graph": "file",
}

__all__ = [
    "CompactGraph",
    "CompactSettings",
    "CostWeights",
    "GraphSettings",
    "InterpolatedGraph",
    "InterpolationSettings",
    "MotionGraph",
    "SimilaritySettings",
    "load_graph",
    "save_graph",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"mograph.graph.{_HOME[name]}"), name)
    raise AttributeError(f"module 'mograph.graph' has no attribute '{name}'")
