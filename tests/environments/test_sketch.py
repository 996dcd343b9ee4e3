"""Sketches: order and places are checked, files read back, and a missing path is the shortest one."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from shapely.geometry import LineString, box

from environments.errors import SketchError
from environments.level import Feature, Item, Level
from environments.sketch import Action, Sketch, check_sketch, completed, read_sketch, write_sketch


def entry(action: object, x: object = 1.0, z: float = 1.0, **properties: object) -> dict:
    geometry = {"type": "Point", "coordinates": [x, z]}
    return {"type": "Feature", "geometry": geometry, "properties": {"action": action, **properties}}


def path(*points: list[float], **properties: object) -> dict:
    geometry = {"type": "LineString", "coordinates": list(points)}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def collection(*entries: dict) -> dict:
    return {"type": "FeatureCollection", "features": list(entries)}


LEVEL = Level(
    "yard",
    box(0, 0, 10, 8),
    (
        Feature("wall", "wall", box(4, 0, 4.2, 6), 0.0, 2.5, False),
        Feature("water", "lake", box(6, 3, 9, 6), -0.5, 0.0, False),
        Feature("table", "table", box(7, 0.5, 8, 1.5), 0.0, 0.8, False),
        Feature("stone", "stone", box(6.5, 3.5, 7, 4), 0.0, 0.2, True),
    ),
    (Item("cup", (7.5, 1.4), 0.85),),
)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "must be a FeatureCollection"),
        (collection(), "has 0 starts"),
        (collection(entry("arrive"), entry("start")), "as its first action"),
        (collection(entry("start"), entry("start")), "has 2 starts"),
        (collection(entry("start")), "nothing to do after its start"),
        (collection(entry("start"), entry("arrive"), entry("pass")), "arrive must be the last"),
        (
            collection(entry("start"), entry("fly", name="up")),
            r"feature 1 \('up'\) has action 'fly'; actions are",
        ),
        (collection(entry("start"), entry("pick")), "has no 'height'"),
        (collection(entry("start"), entry("pick", height=1, hand="third")), "one of left, right, either"),
        (collection(entry("start"), entry("pick", object="mug")), "not in the level; objects there: cup"),
        (collection(entry("start", heading=1000), entry("arrive")), "between -360 and 360 degrees"),
        (collection(entry("start"), entry("arrive", tolerance=0)), "has tolerance 0"),
        (collection(entry("start"), entry("arrive", math.nan)), "within"),
        (collection(entry("start"), *[entry("pass")] * 60), "at most 60"),
        (collection(path([0, 0], [1, 1]), path([0, 0], [1, 1])), "second path"),
        (collection(path([1, 1], [1, 1])), "no length"),
        (collection(path([1, 1], [1, 2], width=-1)), "has width -1"),
    ],
)
def test_bad_sketches_are_refused(data: dict, words: str) -> None:
    with pytest.raises(SketchError, match=words) as caught:
        Sketch.from_geojson(data, "walk.json", LEVEL)
    assert str(caught.value).startswith("walk.json")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            collection(entry("start", 4.1, 2), entry("arrive", 1)),
            r"\(start\) at \(4.1, 2\) is inside the wall 'wall'",
        ),
        (collection(entry("start", 50), entry("arrive")), "outside the bounds"),
        (collection(entry("start"), entry("arrive", 8, 5)), "is in water"),
        (collection(entry("start"), entry("step_on", 6.7, 3.7, height=0.5)), "surface there is at 0.2 m"),
        (
            collection(entry("start"), entry("jump", 8, 5, over="sea")),
            "over 'sea', which is not in the level",
        ),
        (
            collection(path([1, 1], [3, 1]), entry("start"), entry("arrive", 3, 3)),
            "outside the corridor of 0.5 m",
        ),
    ],
)
def test_sketches_that_do_not_fit_the_level(tmp_path: Path, data: dict, words: str) -> None:
    sketch = Sketch.from_geojson(data, level=LEVEL)
    with pytest.raises(SketchError, match=words):
        check_sketch(sketch, LEVEL)


def test_reading_gives_what_was_written(tmp_path: Path) -> None:
    data = collection(
        path([1, 1], [3, 1], width=0.8),
        entry("start", 1, 1, heading=90, behaviour="stand"),
        entry("pass", 2, 1),
        entry("arrive", 3, 1, heading=-45, tolerance=0.2),
    )
    sketch = Sketch.from_geojson(data, "walk", LEVEL)
    assert sketch.start.heading == pytest.approx(math.pi / 2)
    assert sketch.width == 0.8
    again = read_sketch(write_sketch(sketch, tmp_path / "walk.geojson"), LEVEL)
    assert again.path == sketch.path
    assert [a.record() for a in again.actions] == [a.record() for a in sketch.actions]
    corridor = again.corridor()
    assert corridor is not None
    assert corridor.area == pytest.approx(2 * 0.8 + math.pi * 0.16, rel=0.01)


def test_an_object_gives_place_and_height() -> None:
    data = collection(entry("start"), entry("pick", 0, 0, object="cup", hand="left"))
    pick = Sketch.from_geojson(data, "walk", LEVEL).goals[0]
    assert (pick.position, pick.height, pick.hand) == ((7.5, 1.4), 0.85, "left")


def test_a_missing_path_goes_around_walls_and_wide_water() -> None:
    actions = (Action("start", (1.0, 1.0), 0.05), Action("arrive", (9.5, 4.5), 0.1))
    sketch = completed(Sketch(actions), LEVEL)
    assert sketch.path is not None
    line = LineString(sketch.path)
    assert sketch.path[0] == (1.0, 1.0)
    assert sketch.path[-1] == (9.5, 4.5)
    wall, lake, *_ = LEVEL.features
    assert line.distance(wall.shape) >= 0.27  # the asked 0.3 m, corners a little cut
    assert line.intersection(lake.shape).length < 0.01  # nowhere narrow enough to jump
    # without clearance: over the wall's two upper corners and round the lake's corner at (9, 6)
    tight = math.hypot(3, 5) + 0.2 + 4.8 + math.hypot(0.5, 1.5)
    assert tight < line.length < tight + 0.5


def test_a_path_to_a_table_ends_beside_it() -> None:
    actions = (Action("start", (6.0, 2.5), 0.05), Action("pick", (7.5, 1.4), 0.05, 0.85))
    sketch = completed(Sketch(actions), LEVEL)
    assert sketch.path is not None
    line = LineString(sketch.path)
    assert 0.27 <= line.distance(LEVEL.features[2].shape) <= 0.31


def test_no_way_is_said() -> None:
    shut = Level("shut", box(0, 0, 8, 4), (Feature("wall", "wall", box(4, -1, 4.2, 5), 0.0, 2.5, False),))
    actions = (Action("start", (1.0, 1.0), 0.05), Action("arrive", (6.0, 1.0), 0.1))
    with pytest.raises(SketchError, match="no way"):
        completed(Sketch(actions), shut)
