"""mograph: motion capture in, motion graph out, planned full-body motion back.

Names are loaded when first used, so that ``import mograph`` costs next to nothing and compiles nothing.

>>> import mograph
>>> walk = mograph.sample_database().clip("walk_1.4")
>>> walk.fps
30.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mograph.clip import Clip
    from mograph.contact_detection import detect_contacts
    from mograph.contacts import Contact, Phase, phases
    from mograph.database import Database
    from mograph.dynamics.validity import check_motion
    from mograph.errors import MographError
    from mograph.files import read_clip, write_clip
    from mograph.foot_lock import lock_feet
    from mograph.graph import MotionGraph, load_graph, save_graph
    from mograph.importer import ImportSettings, find_sources, import_clips
    from mograph.kinematics import poses
    from mograph.mirror import mirrored
    from mograph.profiles import load_clip
    from mograph.retarget import retargeted
    from mograph.sample import sample_clips, sample_database, sample_skeleton
    from mograph.skeleton import Skeleton

_HOME = {
    "Clip": "clip",
    "Contact": "contacts",
    "Database": "database",
    "ImportSettings": "importer",
    "MographError": "errors",
    "MotionGraph": "graph.motion_graph",
    "Phase": "contacts",
    "Skeleton": "skeleton",
    "check_motion": "dynamics.validity",
    "detect_contacts": "contact_detection",
    "find_sources": "importer",
    "import_clips": "importer",
    "load_clip": "profiles",
    "load_graph": "graph.file",
    "lock_feet": "foot_lock",
    "mirrored": "mirror",
    "phases": "contacts",
    "poses": "kinematics",
    "read_clip": "files",
    "retargeted": "retarget",
    "sample_clips": "sample",
    "sample_database": "sample",
    "sample_skeleton": "sample",
    "save_graph": "graph.file",
    "write_clip": "files",
}

__all__ = [
    "Clip",
    "Contact",
    "Database",
    "ImportSettings",
    "MographError",
    "MotionGraph",
    "Phase",
    "Skeleton",
    "check_motion",
    "detect_contacts",
    "find_sources",
    "import_clips",
    "load_clip",
    "load_graph",
    "lock_feet",
    "mirrored",
    "phases",
    "poses",
    "read_clip",
    "retargeted",
    "sample_clips",
    "sample_database",
    "sample_skeleton",
    "save_graph",
    "write_clip",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"mograph.{_HOME[name]}"), name)
    raise AttributeError(f"module 'mograph' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
