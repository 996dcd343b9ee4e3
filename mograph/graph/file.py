"""A graph as one file: its motion, the full, the compact and, if built, the interpolated graph."""

from __future__ import annotations

from dataclasses import asdict
from os import PathLike
from typing import Any

import numpy as np

from mograph.database import Database
from mograph.graph.compact import CompactGraph, CompactSettings
from mograph.graph.costs import CostWeights
from mograph.graph.interpolated import InterpolatedGraph, InterpolationSettings
from mograph.graph.motion_graph import GraphSettings, MotionGraph
from mograph.graph.segments import find_segments
from mograph.graph.similarity import SimilaritySettings
from mograph.storage import read_container, write_container

FORMAT, VERSION = "mograph.graph", 1

_FULL = ("frame_cost", "source", "target", "distance", "probability", "cost", "alignment")
_COMPACT = (
    "frame",
    "rest",
    "source",
    "target",
    "cost",
    "duration",
    "displacement",
    "first",
    "last",
    "changes",
)
_INTERPOLATED = (
    "pair",
    "pair_distance",
    "mixed_source",
    "mixed_edges",
    "likeness",
    "torque_rate",
    "source",
    "target",
    "cost",
    "duration",
    "displacement",
    "row",
)


def save_graph(graph: CompactGraph | InterpolatedGraph, path: str | PathLike[str]) -> None:
    """Write a graph and everything needed to plan with it, atomically."""
    compact = graph.compact if isinstance(graph, InterpolatedGraph) else graph
    full = compact.motion_graph
    database_meta, arrays = full.database.parts()
    arrays = {f"database.{name}": array for name, array in arrays.items()}
    arrays.update({f"full.{name}": getattr(full, name) for name in _FULL})
    arrays.update({f"compact.{name}": getattr(compact, name) for name in _COMPACT})
    meta: dict[str, Any] = {
        "database": database_meta,
        "full": {
            "settings": asdict(full.settings),
            "threshold": full.threshold,
            "seconds": full.seconds,
        },
        "compact": {
            "settings": asdict(compact.settings),
            "lost_events": compact.lost_events,
            "stages": compact.stages,
        },
    }
    if isinstance(graph, InterpolatedGraph):
        arrays.update({f"interpolated.{name}": getattr(graph, name) for name in _INTERPOLATED})
        meta["interpolated"] = {
            "settings": asdict(graph.settings),
            "removed": graph.removed,
            "stages": graph.stages,
        }
    write_container(path, FORMAT, VERSION, meta, arrays)


def load_graph(path: str | PathLike[str]) -> CompactGraph | InterpolatedGraph:
    """Open a graph file; arrays are mapped from the file, not copied."""
    stored = read_container(path, FORMAT, VERSION)

    def part(name: str) -> dict[str, np.ndarray]:
        return {k.removeprefix(f"{name}."): v for k, v in stored.arrays.items() if k.startswith(f"{name}.")}

    database = Database.from_parts(stored.meta["database"], part("database"))
    meta = stored.meta["full"]
    settings = meta["settings"]
    similarity = {**settings["similarity"], "roles": tuple(settings["similarity"]["roles"])}
    full = MotionGraph(
        database,
        find_segments(database),
        GraphSettings(
            **{
                **settings,
                "similarity": SimilaritySettings(**similarity),
                "cost": CostWeights(**settings["cost"]),
            }
        ),
        **part("full"),
        threshold=meta["threshold"],
        seconds=meta["seconds"],
    )
    meta = stored.meta["compact"]
    compact = CompactGraph(
        full,
        CompactSettings(**meta["settings"]),
        **part("compact"),
        lost_events=meta["lost_events"],
        stages=meta["stages"],
    )
    if "interpolated" not in stored.meta:
        return compact
    meta = stored.meta["interpolated"]
    return InterpolatedGraph(
        compact,
        InterpolationSettings(**meta["settings"]),
        **part("interpolated"),
        removed=meta["removed"],
        stages=meta["stages"],
    )
