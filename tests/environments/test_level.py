"""Levels: what is read is what was written, and every bad file is refused with one sentence."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from shapely.geometry import box

from environments.errors import LevelError
from environments.level import Feature, Level, read_level, write_level

SQUARE = [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]
BOW_TIE = [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]


def entry(kind: object, coordinates: object = SQUARE, shape: str = "Polygon", **properties: object) -> dict:
    geometry = {"type": shape, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": {"kind": kind, **properties}}


def collection(*entries: object) -> dict:
    return {"type": "FeatureCollection", "features": list(entries)}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"type": "Feature"}, "must be a FeatureCollection"),
        (collection(), "is empty"),
        (collection(7), "feature 0 is no Feature"),
        (collection({"type": "Feature", "geometry": None, "properties": {}}), "has no geometry"),
        (
            collection(entry("wall"), entry("wal", name="north")),
            r"feature 1 \('north'\) has kind 'wal'; kinds are",
        ),
        (collection(entry(["wall"])), "has kind"),
        (collection(entry("wall", BOW_TIE)), r"crosses itself near \(1, 1\)"),
        (collection(entry("wall", [SQUARE[0][:-1]])), "last position must repeat its first"),
        (collection(entry("wall", [[[0, 0], [1, 0], [0, 0]]])), "too few positions"),
        (collection(entry("wall", [[[0, 0], [1, 0], [2, 0], [0, 0]]])), "outline|area"),
        (collection(entry("wall", [[[0, 0], [1, math.nan], [1, 1], [0, 0]]])), "within"),
        (collection(entry("wall", [[[0, 0], [1, "a"], [1, 1], [0, 0]]])), r"a position is \[x, z\]"),
        (collection(entry("wall", [[[0, 0], [1e6, 0], [1, 1], [0, 0]]])), "within"),
        (collection(entry("wall", "abc")), "too few positions|rings"),
        (collection(entry("wall", [0, 0], "Point")), "has no 'radius'"),
        (collection(entry("wall", SQUARE, "MultiPolygon")), "must be a Polygon"),
        (collection(entry("wall", top=-1)), "has top -1; it must be between 0 and 100 m"),
        (collection(entry("wall", top="high")), "has top 'high'; it must be a number"),
        (collection(entry("wall", top=True)), "has top True"),
        (collection(entry("obstacle")), "has no 'top'"),
        (collection(entry("obstacle", bottom=1.2, top=0.9)), "has bottom 1.2 above top 0.9"),
        (collection(entry("obstacle", top=0.4, stand="yes")), "must be true or false"),
        (collection(entry("table", height=0)), "must have some height"),
        (collection(entry("table", height=-0.5)), "has height -0.5"),
        (collection(entry("bounds"), entry("bounds")), "second bounds"),
        (collection(entry("bounds"), entry("object", [5, 5], "Point", height=1)), "outside the bounds"),
        (collection(entry("object", [1, 1, -3], "Point")), "has height -3"),
        (
            collection(*[entry("object", [1, 1], "Point", height=1, name="cup")] * 2),
            "names of objects must differ",
        ),
        (collection(entry("wall", [[[0, 0]] * 200_001])), "positions; at most 200000"),
    ],
)
def test_bad_levels_are_refused(data: dict, words: str) -> None:
    with pytest.raises(LevelError, match=words) as caught:
        Level.from_geojson(data, "yard.json")
    assert str(caught.value).startswith("yard.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "is not JSON"),
        (b"[]", "must be a GeoJSON"),
        (b"\xff\xfe", "not a text file"),
        (b"", "is not JSON"),
    ],
)
def test_files_that_are_no_levels(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "level.json"
    path.write_bytes(content)
    with pytest.raises(LevelError, match=words):
        read_level(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match="No such file"):
        read_level(tmp_path / "none.json")
    with pytest.raises(LevelError, match="does not exist"):
        write_level(Level("room", box(0, 0, 1, 1)), tmp_path / "none" / "level.json")


def test_lines_and_points_become_areas() -> None:
    data = collection(
        entry("bounds", [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]]),
        entry("wall", [[1, 1], [5, 1]], "LineString", width=0.2),
        entry("stone", [3, 4], "Point", radius=0.5, height=0.1),
        entry("object", [2, 2, 0.8], "Point", name="cup"),
    )
    level = Level.from_geojson(data)
    wall, stone = level.features
    assert wall.shape.area == pytest.approx(0.8)
    assert 0.95 < stone.shape.area / (math.pi * 0.25) <= 1.0
    assert level.objects[0].height == 0.8
    assert (wall.bottom, wall.top, stone.top) == (0.0, 2.5, 0.1)


def test_written_levels_read_back(tmp_path: Path) -> None:
    with_hole = box(1, 1, 4, 4) - box(2, 2, 3, 3)
    features = (
        Feature("wall", "ring", with_hole, 0.0, 2.5, False),
        Feature("ditch", "ditch", box(5, 0, 6, 8), -1.0, 0.0, False),
        Feature("obstacle", "bench", box(7, 1, 8, 2), 0.0, 0.4, False),
    )
    level = Level("yard", box(0, 0, 9, 9), features)
    path = write_level(level, tmp_path / "yard.geojson")
    again = read_level(path)
    assert again == level
    assert again.digest() == level.digest()
    assert not again.features[2].stand  # what was said is kept against the default
    assert [p.name for p in tmp_path.iterdir()] == ["yard.geojson"]
    json.loads(path.read_text())


def test_digest_follows_the_geometry_only() -> None:
    level = Level("a", box(0, 0, 4, 4), (Feature("wall", "w", box(1, 1, 2, 2), 0.0, 2.5, False),))
    same = Level("b", box(0, 0, 4, 4), level.features)
    moved = Level("a", box(0, 0, 4, 4), (Feature("wall", "w", box(1, 1, 2, 2.001), 0.0, 2.5, False),))
    assert level.digest() == same.digest() != moved.digest()


def test_footing_rules() -> None:
    features = (
        Feature("water", "lake", box(2, 0, 6, 8), -0.5, 0.0, False),
        Feature("stone", "stone", box(3, 3, 4, 4), 0.0, 0.2, True),
        Feature("wall", "wall", box(0, 5, 1, 6), 0.0, 2.5, False),
        Feature("obstacle", "bar", box(0, 1, 2, 1.1), 1.2, 1.3, False),
        Feature("obstacle", "bench", box(7, 1, 8, 2), 0.0, 0.4, True),
        Feature("table", "table on the bench", box(7, 1, 7.5, 2), 0.4, 0.9, False),
    )
    level = Level("yard", box(0, 0, 9, 8), features)
    spots = [(0.5, 0.5), (2.5, 1), (3.5, 3.5), (0.5, 5.5), (1, 1.05), (7.8, 1.5), (7.2, 1.5), (20, 20)]
    expected = [0.0, math.nan, 0.2, math.nan, 0.0, 0.4, math.nan, math.nan]
    np.testing.assert_array_equal(level.footing_heights(np.array(spots)), expected)
