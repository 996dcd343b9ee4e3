"""GeoJSON features with checks: what a map editor saved becomes shapely shapes, or one clear sentence.

Positions are ``[x, z]`` in metres, not degrees; a third number of a position is its height.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shapely
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from environments.errors import LevelError

MOST_POSITIONS = 200_000  # in one file; more is a survey, not a level
FARTHEST = 10_000.0  # [m] from the origin; beyond it single precision is too coarse for footsteps
_LARGEST_FILE = 64 << 20  # [bytes]
_ARC_QUARTER = 8  # segments in a quarter of a circle drawn from a radius


@dataclass(frozen=True)
class RawFeature:
    """One feature as it stands in the file, and how to speak of it in a message."""

    where: str
    index: int
    geometry: Mapping[str, Any]
    properties: Mapping[str, Any]
    error: type[LevelError] = LevelError

    def fail(self, what: str) -> LevelError:
        """The error that names this feature and says what is wrong with it."""
        name = self.properties.get("name")
        label = f"feature {self.index}" + (f" ('{name}')" if isinstance(name, str) and name else "")
        return self.error(f"{self.where}: {label} {what}")

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        low: float = -math.inf,
        high: float = math.inf,
        unit: str = "m",
    ) -> float:
        """A number among the properties, within its range; without a default it must be there."""
        value = self.properties.get(key)
        if value is None:
            if default is None:
                raise self.fail(f"has no '{key}'; give it as a number [{unit}]")
            value = default
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.fail(f"has {key} {value!r}; it must be a number [{unit}]")
        if not low <= value <= high:
            limits = f"at least {low:g}" if high == math.inf else f"between {low:g} and {high:g}"
            raise self.fail(f"has {key} {value:g}; it must be {limits} {unit}")
        return float(value)

    def word(self, key: str, default: str | None, allowed: Sequence[str] | None = None) -> str | None:
        """A word among the properties, one of the allowed if these are given."""
        value = self.properties.get(key)
        if value is None:
            return default
        if not isinstance(value, str) or (allowed is not None and value not in allowed):
            choice = f"one of {', '.join(allowed)}" if allowed is not None else "text"
            raise self.fail(f"has {key} {value!r}; it must be {choice}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """A yes or no among the properties."""
        value = self.properties.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.fail(f"has {key} {value!r}; it must be true or false")
        return value

    def point(self) -> tuple[tuple[float, float], float | None]:
        """Position (x, z) of a Point, and its height if a third number is given."""
        if self.geometry.get("type") != "Point":
            raise self.fail(f"is a {self.geometry.get('type')!r}; it must be a Point")
        x, z, *height = self._position(self.geometry.get("coordinates"))
        return (x, z), (height[0] if height else None)

    def line(self) -> LineString:
        """A LineString of at least two different positions."""
        if self.geometry.get("type") != "LineString":
            raise self.fail(f"is a {self.geometry.get('type')!r}; it must be a LineString")
        positions = self._positions(self.geometry.get("coordinates"), 2)
        line = LineString(positions)
        if line.length == 0.0:
            raise self.fail("is a line of no length; it needs two different positions")
        return line

    def area(self) -> Polygon:
        """The ground it covers: a Polygon, a LineString with a ``width``, or a Point with a ``radius``."""
        kind = self.geometry.get("type")
        if kind == "Point":
            (x, z), _ = self.point()
            radius = self.number("radius", low=1e-3, high=FARTHEST)
            return Point(x, z).buffer(radius, quad_segs=_ARC_QUARTER)
        if kind == "LineString":
            width = self.number("width", low=1e-3, high=FARTHEST)
            shape = self.line().buffer(width / 2, cap_style="flat", join_style="mitre")
            if not isinstance(shape, Polygon) or shape.is_empty:
                raise self.fail("is a line whose width leaves no single outline; draw it as a Polygon")
            return shape
        if kind != "Polygon":
            raise self.fail(
                f"is a {kind!r}; it must be a Polygon, a LineString with width, or a Point with radius"
            )
        rings = self.geometry.get("coordinates")
        if not isinstance(rings, Sequence) or isinstance(rings, str) or not rings:
            raise self.fail("is a Polygon without rings; its coordinates must be a list of rings")
        outlines = [[p[:2] for p in self._positions(ring, 4)] for ring in rings]
        for outline in outlines:
            if outline[0] != outline[-1]:
                raise self.fail("has an open ring; its last position must repeat its first")
        shape = Polygon(outlines[0], outlines[1:])
        if not shape.is_valid:
            raise self.fail(_reason(shape))
        if shape.area < 1e-6:
            raise self.fail("covers no ground; its outline has no area")
        return shape

    def _positions(self, values: Any, least: int) -> list[tuple[float, ...]]:
        if not isinstance(values, Sequence) or isinstance(values, str) or len(values) < least:
            raise self.fail(f"has too few positions; at least {least} are needed")
        return [self._position(value) for value in values]

    def _position(self, value: Any) -> tuple[float, ...]:
        good = isinstance(value, Sequence) and not isinstance(value, str) and len(value) in (2, 3)
        if not good or any(isinstance(v, bool) or not isinstance(v, int | float) for v in value):
            raise self.fail(f"has position {value!r}; a position is [x, z] in metres")
        if not all(math.isfinite(v) and abs(v) <= FARTHEST for v in value):
            raise self.fail(f"has position {list(value)}; each number must lie within ±{FARTHEST:g} m")
        return tuple(float(v) for v in value)


def _reason(shape: Polygon) -> str:
    words = shapely.is_valid_reason(shape)  # such as "Self-intersection[1.5 2]"
    reason, _, place = words.partition("[")
    near = ""
    if place:
        x, z = (float(part) for part in place.rstrip("]").split()[:2])
        near = f" near ({x:g}, {z:g})"
    if "elf-intersection" in reason:
        return f"has an outline that crosses itself{near}; draw it without crossings"
    return f"has a bad outline ({reason.lower()}){near}; draw it as one simple ring"


def read_collection(path: str | os.PathLike[str], error: type[LevelError] = LevelError) -> dict[str, Any]:
    """The JSON object in a file, or one sentence on why it is not there."""
    path = Path(path)
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise error(f"{path} has more than {_LARGEST_FILE >> 20} MB; a level or sketch is far smaller")
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise error(f"cannot read {path}: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise error(f"{path} is not a text file; it must be GeoJSON") from problem
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as problem:
        line = f" (line {problem.lineno})" if isinstance(problem, json.JSONDecodeError) else ""
        raise error(f"{path} is not JSON{line}; it must be a GeoJSON FeatureCollection") from problem
    if not isinstance(data, dict):
        raise error(f"{path} holds a JSON {type(data).__name__}; it must be a GeoJSON FeatureCollection")
    return data


def raw_features(
    data: Mapping[str, Any], where: str, error: type[LevelError] = LevelError
) -> list[RawFeature]:
    """The features of a FeatureCollection, each checked to be one."""
    if data.get("type") != "FeatureCollection" or not isinstance(data.get("features"), list):
        raise error(f"{where}: type is {data.get('type')!r}; it must be a FeatureCollection with features")
    found = []
    for index, entry in enumerate(data["features"]):
        if not isinstance(entry, dict) or entry.get("type") != "Feature":
            raise error(
                f"{where}: feature {index} is no Feature; each entry needs type, geometry, properties"
            )
        geometry, properties = entry.get("geometry"), entry.get("properties")
        raw = RawFeature(where, index, geometry or {}, properties or {}, error)
        if not isinstance(geometry, dict):
            raise raw.fail("has no geometry")
        if properties is not None and not isinstance(properties, dict):
            raise raw.fail("has properties that are not an object")
        found.append(raw)
    if (count := sum(_count(raw.geometry.get("coordinates")) for raw in found)) > MOST_POSITIONS:
        raise error(f"{where} has {count} positions; at most {MOST_POSITIONS} are allowed, simplify it")
    return found


def _count(value: Any) -> int:
    """Number of positions in nested coordinates."""
    if not isinstance(value, list) or not value:
        return 0
    return sum(_count(part) for part in value) if isinstance(value[0], list) else 1


def feature(shape: BaseGeometry, properties: Mapping[str, Any]) -> dict[str, Any]:
    """A GeoJSON feature of a shape, with positions to a tenth of a millimetre."""
    geometry = shapely.geometry.mapping(shape)
    rounded = {"type": geometry["type"], "coordinates": _rounded(geometry["coordinates"])}
    kept = {key: value for key, value in properties.items() if value is not None}
    return {"type": "Feature", "geometry": rounded, "properties": kept}


def _rounded(value: Any) -> Any:
    if isinstance(value, float | int):
        return round(float(value), 4) + 0.0  # +0.0 turns a negative zero into zero
    return [_rounded(part) for part in value]


def write_collection(data: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a FeatureCollection whole or not at all."""
    path = Path(path)
    if not path.parent.is_dir():
        raise LevelError(f"cannot write {path}: the folder {path.parent} does not exist")
    head = {key: value for key, value in data.items() if key != "features"}
    lines = ",\n".join("  " + json.dumps(entry, ensure_ascii=False) for entry in data["features"])
    text = json.dumps(head, ensure_ascii=False)[:-1] + f', "features": [\n{lines}\n]}}\n'
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
            os.replace(name, path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as problem:
        raise LevelError(f"cannot write {path}: {problem.strerror}") from problem
    return path
