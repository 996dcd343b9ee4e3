"""A level: floor, walls, obstacles, water, stones, tables and things to pick, as a GeoJSON file in metres.

===========  =====================================================================================
kind         properties (metres) and meaning
===========  =====================================================================================
bounds       the floor, at height 0; without it the box around everything and one metre more
wall         bottom (0), top (2.5)
obstacle     top, bottom (0): a bar with bottom 1.2 is ducked under, a bench with top 0.4 stepped over
             or, with ``stand`` (default: top at most 0.6), onto
water ditch  depth (0.5): no foot may land, bodies may pass above
stone        height (0 is allowed), bottom (0): a foot may land on it, also in water
platform     the same, by another name
table        height, bottom (0): things lie on it, nobody stands on it
object       a Point with name and height: something to pick
===========  =====================================================================================

Areas are Polygons; a LineString with ``width`` and a Point with ``radius`` are accepted and become polygons.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely.geometry import Point, Polygon, box
from shapely.geometry.base import BaseGeometry

from environments.errors import LevelError
from environments.geojson import RawFeature, feature, raw_features, read_collection, write_collection

WET = ("water", "ditch")
RAISED = ("stone", "platform")
KINDS = ("bounds", "wall", "obstacle", *WET, *RAISED, "table", "object")
HIGHEST = 100.0  # [m] of any bottom, top or height
STANDABLE_TOP = 0.6  # [m] an obstacle no higher is stood on unless its ``stand`` says otherwise
WALL_TOP = 2.5  # [m] of a wall that does not say
FOOT_ROOM = 0.1  # [m] a solid whose bottom is this near above a surface leaves no room for a foot on it


@dataclass(frozen=True)
class Feature:
    """One thing of the level that covers ground: its outline (x, z) and the heights between which it is."""

    kind: str
    name: str
    shape: Polygon
    bottom: float
    top: float
    stand: bool

    @property
    def solid(self) -> bool:
        """Whether a body cannot be where it is (water and flat stones are no obstacle to bodies)."""
        return self.kind not in WET and self.top > self.bottom

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Feature) and self.record() == other.record()

    def __hash__(self) -> int:
        return hash((self.kind, self.name, self.bottom, self.top))

    def record(self) -> dict[str, Any]:
        """The feature as GeoJSON."""
        heights: dict[str, Any]
        if self.kind in WET:
            heights = {"depth": -self.bottom}
        elif self.kind in ("wall", "obstacle"):
            heights = {"bottom": self.bottom, "top": self.top}
        else:
            heights = {"bottom": self.bottom, "height": self.top}
        if self.kind == "obstacle":
            heights["stand"] = self.stand
        return feature(self.shape, {"kind": self.kind, "name": self.name, **heights})


@dataclass(frozen=True)
class Item:
    """Something to pick: its name, ground position (x, z) and height [m]."""

    name: str
    position: tuple[float, float]
    height: float


@dataclass(frozen=True, eq=False)
class Level:
    """Everything a character may meet: the floor, what stands on it, and what lies there to be picked."""

    name: str
    bounds: Polygon
    features: tuple[Feature, ...] = ()
    objects: tuple[Item, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Level) and self.to_geojson() == other.to_geojson()

    def __hash__(self) -> int:
        return hash(self.digest())

    @classmethod
    def from_geojson(cls, data: Mapping[str, Any], where: str = "level") -> Level:
        """The level in a FeatureCollection; ``where`` begins every message about it.

        >>> bar = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]},
        ...        "properties": {"kind": "obstacle", "name": "bar", "radius": 0.2, "bottom": 1.2, "top": 1}}
        >>> Level.from_geojson({"type": "FeatureCollection", "features": [bar]})
        Traceback (most recent call last):
        environments.errors.LevelError: level: feature 0 ('bar') has bottom 1.2 above top 1
        """
        found: list[Feature] = []
        items: dict[str, Item] = {}
        bounds: Polygon | None = None
        for raw in raw_features(data, where):
            kind = raw.properties.get("kind")
            if kind not in KINDS:
                raise raw.fail(f"has kind {kind!r}; kinds are: {', '.join(KINDS)}")
            name = raw.word("name", None) or f"{kind} {raw.index}"
            if kind == "bounds":
                if bounds is not None:
                    raise raw.fail("is a second bounds; a level has one")
                bounds = raw.area()
            elif kind == "object":
                position, height = raw.point()
                if name in items:
                    raise raw.fail("has the name of another object; names of objects must differ")
                items[name] = Item(name, position, raw.number("height", height, low=0.0, high=HIGHEST))
            else:
                found.append(_covering(raw, kind, name))
        if bounds is None:
            bounds = _around(found, items.values(), where)
        for item in items.values():
            if not bounds.covers(Point(item.position)):
                x, z = item.position
                raise LevelError(f"{where}: object '{item.name}' at ({x:g}, {z:g}) is outside the bounds")
        return cls(str(data.get("name") or where), bounds, tuple(found), tuple(items.values()))

    def to_geojson(self) -> dict[str, Any]:
        """The level as a FeatureCollection that ``from_geojson`` reads back."""
        records = [feature(self.bounds, {"kind": "bounds"})]
        records += [entry.record() for entry in self.features]
        for item in self.objects:
            properties = {"kind": "object", "name": item.name, "height": item.height}
            records.append(feature(Point(item.position), properties))
        return {"type": "FeatureCollection", "name": self.name, "features": records}

    def digest(self) -> str:
        """Fingerprint of the geometry: equal levels (to a tenth of a millimetre) have equal digests."""
        records = json.dumps(self.to_geojson()["features"], sort_keys=True)
        return hashlib.blake2b(records.encode(), digest_size=16).hexdigest()

    @cached_property
    def solids(self) -> tuple[Feature, ...]:
        """Features a body can collide with."""
        return tuple(entry for entry in self.features if entry.solid)

    @cached_property
    def heights(self) -> tuple[float, ...]:
        """Every bottom and top of a solid, sorted: between two of them the set of solids does not change."""
        return tuple(sorted({h for entry in self.solids for h in (entry.bottom, entry.top)}))

    def overlapping(self, low: float, high: float) -> BaseGeometry:
        """Ground covered by solids that share some height with the span (low, high)."""
        return shapely.union_all([f.shape for f in self.solids if f.bottom < high and f.top > low])

    def covering(self, low: float, high: float) -> BaseGeometry:
        """Ground covered by solids that fill the whole span [low, high]: nobody gets past over or under."""
        return shapely.union_all([f.shape for f in self.solids if f.bottom <= low and f.top >= high])

    @cached_property
    def water(self) -> BaseGeometry:
        """Ground where no foot may land because it is wet: water and ditches less the stones in them."""
        wet = shapely.union_all([f.shape for f in self.features if f.kind in WET])
        return shapely.difference(wet, shapely.union_all([f.shape for f in self.features if f.stand]))

    def footing_heights(self, points: np.ndarray) -> np.ndarray:
        """Height [m] of the surface a foot meets at each point (N, 2); NaN where none may stand. Exact.

        The highest surface to stand on counts. It is of no use where something solid sits on it or within
        10 cm above it.

        >>> pond = Feature("water", "pond", box(1, 1, 3, 3), -0.5, 0, False)
        >>> level = Level("garden", box(0, 0, 4, 4), (pond,))
        >>> level.footing_heights(np.array([[0.5, 0.5], [2.0, 2.0]]))
        array([ 0., nan])
        """
        points = np.asarray(points, float).reshape(-1, 2)
        x, z = points[:, 0], points[:, 1]
        height = np.full(len(points), -np.inf)
        floor = shapely.intersects_xy(self.bounds, x, z)
        for entry in self.features:
            if entry.kind in WET:
                floor &= ~shapely.contains_xy(entry.shape, x, z)
        height[floor] = 0.0
        for entry in self.features:
            if entry.stand:
                on = shapely.intersects_xy(entry.shape, x, z)
                height[on] = np.maximum(height[on], entry.top)
        for entry in self.solids:
            if not entry.stand:
                hit = shapely.contains_xy(entry.shape, x, z)
                hit &= (entry.bottom < height + FOOT_ROOM) & (entry.top > height)
                height[hit] = np.nan
        return np.where(np.isneginf(height), np.nan, height)


def _covering(raw: RawFeature, kind: str, name: str) -> Feature:
    shape = raw.area()
    bottom = raw.number("bottom", 0.0, low=0.0, high=HIGHEST)
    stand = kind in RAISED
    if kind in WET:
        return Feature(kind, name, shape, -raw.number("depth", 0.5, low=0.0, high=HIGHEST), 0.0, False)
    if kind == "wall":
        top = raw.number("top", WALL_TOP, low=0.0, high=HIGHEST)
    elif kind == "obstacle":
        top = raw.number("top", low=0.0, high=HIGHEST)
        stand = raw.flag("stand", top <= STANDABLE_TOP)
    else:
        top = raw.number("height", low=0.0, high=HIGHEST)
    if bottom > top:
        raise raw.fail(
            f"has bottom {bottom:g} above {'height' if kind in (*RAISED, 'table') else 'top'} {top:g}"
        )
    if bottom == top and kind not in RAISED:
        raise raw.fail(f"has its bottom and top both at {top:g} m; it must have some height")
    return Feature(kind, name, shape, bottom, top, stand)


def _around(found: Iterable[Feature], items: Iterable[Item], where: str) -> Polygon:
    shapes = [entry.shape for entry in found] + [Point(item.position) for item in items]
    if not shapes:
        raise LevelError(f"{where} is empty; it needs at least a feature of kind bounds")
    x0, z0, x1, z1 = shapely.total_bounds(np.array(shapes, dtype=object))
    return box(x0 - 1.0, z0 - 1.0, x1 + 1.0, z1 + 1.0)


def read_level(path: str | os.PathLike[str]) -> Level:
    """Read a level from a GeoJSON file."""
    path = Path(path)
    data = read_collection(path)
    data.setdefault("name", path.stem)
    return Level.from_geojson(data, str(path))


def write_level(level: Level, path: str | os.PathLike[str]) -> Path:
    """Write a level as a GeoJSON file."""
    return write_collection(level.to_geojson(), path)
