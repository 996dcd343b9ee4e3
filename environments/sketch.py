"""What the character shall do: an optional path on the ground and actions in order, as a GeoJSON file.

The path is a LineString (property ``width`` of the corridor, 0.5 m). Each action is a Point, in the order in
which they are to be done, with a property ``action``:

=========  =============================================================================================
start      heading [degrees], behaviour; exactly one, and the first
pick       height [m] (or a third coordinate, or ``object``: the name of one in the level), tolerance, hand
place      the same
jump       over (name of the water or obstacle to be cleared) or, without it, a flight at this place
step_on    a foot lands here; height [m] of the surface if it is to be checked
pass       the root passes here
arrive     heading [degrees], tolerance, behaviour; at most one, and the last
=========  =============================================================================================

Heading 0 looks along +z, 90 along +x. In Python headings are radians like every other angle.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely.geometry import LineString, Point
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points

from environments.errors import SketchError
from environments.geojson import RawFeature, feature, raw_features, read_collection, write_collection
from environments.level import HIGHEST, Level
from environments.passable import BLOCKING_SPAN, passable
from environments.visibility import VisibilityGraph

CORRIDOR_WIDTH = 0.5  # [m] the thesis' default (Safonova 4)
TOLERANCE = {
    "start": 0.05,
    "pick": 0.05,
    "place": 0.05,
    "jump": 0.3,
    "step_on": 0.1,
    "pass": 0.25,
    "arrive": 0.1,
}
ACTIONS = tuple(TOLERANCE)
HANDS = ("left", "right", "either")
MOST_ACTIONS = 60  # one bit per action done fits a packed search key
REACH = 0.75  # [m] from the root, on the ground, at which a hand picks; longer only by leaning far


@dataclass(frozen=True)
class Action:
    """One thing to do at a place (x, z), to within ``tolerance`` [m]."""

    kind: str
    position: tuple[float, float]
    tolerance: float
    height: float | None = None  # [m] of the hand (pick, place) or the surface (step_on)
    heading: float | None = None  # [rad] start, arrive
    behaviour: str | None = None  # tag of clips, such as "stand" (start, arrive)
    hand: str = "either"  # left, right or either (pick, place)
    over: str | None = None  # feature to be cleared (jump)
    name: str | None = None  # of the action, or of the object picked

    def record(self) -> dict[str, Any]:
        """The action as GeoJSON."""
        degrees = None if self.heading is None else round(math.degrees(self.heading), 6)
        properties = {
            "action": self.kind,
            "name": self.name,
            "height": self.height,
            "tolerance": self.tolerance,
            "heading": degrees,
            "behaviour": self.behaviour,
            "hand": self.hand if self.kind in ("pick", "place") else None,
            "over": self.over,
        }
        return feature(Point(self.position), properties)


@dataclass(frozen=True)
class Sketch:
    """Actions in order, and the path whose corridor the root keeps to (if there is one)."""

    actions: tuple[Action, ...]
    path: tuple[tuple[float, float], ...] | None = None
    width: float = CORRIDOR_WIDTH
    name: str = "sketch"

    @property
    def start(self) -> Action:
        """Where it begins."""
        return self.actions[0]

    @property
    def goals(self) -> tuple[Action, ...]:
        """Everything after the start, in order."""
        return self.actions[1:]

    def corridor(self) -> BaseGeometry | None:
        """Ground within half the width of the path, or ``None`` if the sketch has no path."""
        if self.path is None:
            return None
        return LineString(self.path).buffer(self.width / 2, quad_segs=8)

    @classmethod
    def from_geojson(
        cls, data: Mapping[str, Any], where: str = "sketch", level: Level | None = None
    ) -> Sketch:
        """The sketch in a FeatureCollection; with a level, its objects' names give places to pick."""
        actions: list[Action] = []
        path: tuple[tuple[float, float], ...] | None = None
        width = CORRIDOR_WIDTH
        for raw in raw_features(data, where, SketchError):
            if raw.geometry.get("type") == "LineString" or raw.properties.get("kind") == "path":
                if path is not None:
                    raise raw.fail("is a second path; a sketch has at most one")
                path = tuple((float(x), float(z)) for x, z, *_ in raw.line().coords)
                width = raw.number("width", CORRIDOR_WIDTH, low=0.1, high=100.0)
            else:
                actions.append(_action(raw, level))
        _check_order(actions, where)
        return cls(tuple(actions), path, width, str(data.get("name") or where))

    def to_geojson(self) -> dict[str, Any]:
        """The sketch as a FeatureCollection that ``from_geojson`` reads back."""
        records = [action.record() for action in self.actions]
        if self.path is not None:
            records.insert(0, feature(LineString(self.path), {"kind": "path", "width": self.width}))
        return {"type": "FeatureCollection", "name": self.name, "features": records}


def _action(raw: RawFeature, level: Level | None) -> Action:
    kind = raw.properties.get("action")
    if kind not in ACTIONS:
        raise raw.fail(f"has action {kind!r}; actions are: {', '.join(ACTIONS)}")
    position, third = raw.point()
    height, heading = third, None
    thing = raw.word("object", None)
    name = raw.word("name", None) or thing
    if thing is not None and level is not None:
        known = {item.name: item for item in level.objects}
        if thing not in known:
            names = ", ".join(known) or "none"
            raise raw.fail(f"asks for object '{thing}', which is not in the level; objects there: {names}")
        position, height = known[thing].position, known[thing].height
    optional = kind == "step_on" and (height is not None or raw.properties.get("height") is not None)
    if kind in ("pick", "place") or optional:
        height = raw.number("height", height, low=0.0, high=HIGHEST)
    else:
        height = None
    if raw.properties.get("heading") is not None:
        heading = math.radians(raw.number("heading", low=-360.0, high=360.0, unit="degrees"))
    return Action(
        kind,
        position,
        raw.number("tolerance", TOLERANCE[kind], low=0.001, high=100.0),
        height,
        heading,
        raw.word("behaviour", None),
        raw.word("hand", "either", HANDS) or "either",
        raw.word("over", None),
        name,
    )


def _check_order(actions: Sequence[Action], where: str) -> None:
    kinds = [action.kind for action in actions]
    if kinds.count("start") != 1 or kinds[0] != "start":
        raise SketchError(
            f"{where} has {kinds.count('start')} starts; it needs exactly one, as its first action"
        )
    if len(actions) < 2:
        raise SketchError(f"{where} has nothing to do after its start; add an action such as arrive")
    if len(actions) > MOST_ACTIONS:
        raise SketchError(f"{where} has {len(actions)} actions; at most {MOST_ACTIONS} are allowed")
    if "arrive" in kinds[:-1]:
        raise SketchError(f"{where} arrives before its last action; arrive must be the last")


def read_sketch(path: str | os.PathLike[str], level: Level | None = None) -> Sketch:
    """Read a sketch from a GeoJSON file; with a level it is checked against that too."""
    path = Path(path)
    data = read_collection(path, SketchError)
    data.setdefault("name", path.stem)
    sketch = Sketch.from_geojson(data, str(path), level)
    if level is not None:
        check_sketch(sketch, level)
    return sketch


def write_sketch(sketch: Sketch, path: str | os.PathLike[str]) -> Path:
    """Write a sketch as a GeoJSON file."""
    return write_collection(sketch.to_geojson(), path)


def check_sketch(sketch: Sketch, level: Level) -> None:
    """Raise one clear sentence if the sketch cannot be meant for this level."""
    for number, action in enumerate(sketch.actions):
        x, z = action.position
        label = f"{sketch.name}: action {number} ({action.kind}) at ({x:g}, {z:g})"
        spot = Point(x, z)
        if not level.bounds.covers(spot):
            raise SketchError(f"{label} is outside the bounds of {level.name}")
        if action.kind in ("start", "pass", "arrive"):
            for entry in level.solids:
                blocks = entry.bottom <= BLOCKING_SPAN[0] and entry.top >= BLOCKING_SPAN[1]
                if blocks and entry.shape.contains(spot):
                    raise SketchError(f"{label} is inside the {entry.kind} '{entry.name}'; move it outside")
        if action.kind in ("start", "step_on", "arrive"):
            _check_footing(action, level, label)
        if action.over is not None and action.over not in {entry.name for entry in level.features}:
            names = ", ".join(entry.name for entry in level.features) or "none"
            raise SketchError(
                f"{label} is over '{action.over}', which is not in the level; features: {names}"
            )
    corridor = sketch.corridor()
    if corridor is not None:
        for number, action in enumerate(sketch.actions):
            x, z = action.position
            far = corridor.distance(Point(action.position))
            allowed = action.tolerance + (REACH if action.kind in ("pick", "place") else 0.0)
            if far > allowed:
                raise SketchError(
                    f"{sketch.name}: action {number} ({action.kind}) at ({x:g}, {z:g}) is {far:.2f} m "
                    f"outside the corridor of {sketch.width:g} m; lead the path nearer or widen it"
                )


def _check_footing(action: Action, level: Level, label: str) -> None:
    surface = float(level.footing_heights(np.array([action.position]))[0])
    if math.isnan(surface):
        wet = level.water.contains(Point(action.position))
        raise SketchError(
            f"{label} is {'in water' if wet else 'where no foot can stand'}; move it to solid ground"
        )
    if action.kind == "step_on" and action.height is not None and abs(action.height - surface) > 0.02:
        raise SketchError(f"{label} has height {action.height:g}, but the surface there is at {surface:g} m")


def completed(sketch: Sketch, level: Level, *, clearance: float = 0.3, jump: float = 1.5) -> Sketch:
    """The sketch with a path: its own, or the shortest one through its actions that obstacles leave free.

    The path keeps ``clearance`` [m] from what blocks, less where the way is narrower. It crosses water only
    where that is narrower than ``jump`` [m], or else, if there is no such way, along its banks. To
    pick and place it leads to the nearest free ground beside the spot.

    >>> from shapely.geometry import box
    >>> actions = (Action("start", (1.0, 1.0), 0.05), Action("arrive", (3.0, 1.0), 0.1))
    >>> completed(Sketch(actions), Level("room", box(0, 0, 4, 4))).path
    ((1.0, 1.0), (3.0, 1.0))
    """
    if sketch.path is not None:
        return sketch
    middle = level.water.buffer(-jump / 2, join_style="mitre")  # left only where the water is wider than that
    wide = shapely.intersection(middle.buffer(jump / 2, join_style="mitre"), level.water)
    for water, room in itertools.product((wide, None), (clearance, 0.5 * clearance, 0.0)):
        region = passable(level, body_radius=room, reach_over_water=jump / 2)
        if water is not None:
            region = shapely.difference(region, water)
        if room > 0.0:
            region = shapely.intersection(region, level.bounds.buffer(-room, join_style="mitre"))
        if not region.is_empty and (path := _through(region, sketch)) is not None:
            return replace(sketch, path=path)
    raise SketchError(
        f"{sketch.name}: there is no way through the actions in {level.name}; walls shut them off"
    )


def _through(region: BaseGeometry, sketch: Sketch) -> tuple[tuple[float, float], ...] | None:
    """The shortest path in the region that visits every action in turn."""
    graph = VisibilityGraph(region)
    points: list[np.ndarray] = []
    at: np.ndarray | None = None
    for action in sketch.actions:
        spot = nearest_points(region, Point(action.position))[0]
        near = np.array([spot.x, spot.y])
        off = float(np.hypot(*(near - action.position)))
        if action.kind not in ("pick", "place") and off > max(action.tolerance, 0.35):
            return None
        if at is not None:
            leg = graph.shortest(at, near)
            if leg is None:
                return None
            points.extend(leg)
        at = near
        if off > 0.0 and action.kind not in ("pick", "place"):
            points.append(np.array(action.position))
    kept = [p for i, p in enumerate(points) if i == 0 or np.hypot(*(p - points[i - 1])) > 1e-6]
    if len(kept) < 2:
        kept = [kept[0], kept[0] + np.array([0.0, 0.01])]  # all in one place: a path of one centimetre
    return tuple((round(float(x), 4), round(float(z), 4)) for x, z in kept)
