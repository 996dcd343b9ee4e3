"""Built-in levels: each is sound, its sketch fits, and a person of usual size gets through."""

from __future__ import annotations

import numpy as np
import pytest
from shapely.geometry import LineString, Point

from environments.errors import LevelError
from environments.level import Level
from environments.levels import builtin, builtin_levels
from environments.lower_bound import travel_bound
from environments.sketch import Sketch, check_sketch, completed

WANTED = {
    "empty", "slalom", "three_rivers", "stepping_stones", "pick_and_place", "maze", "s_curve", "apartment",
}  # fmt: skip


def test_the_list() -> None:
    assert set(builtin_levels()) >= WANTED
    assert all(line.endswith(".") and len(line) < 110 for line in builtin_levels().values())
    with pytest.raises(LevelError, match="no built-in level 'moon'; there are: empty"):
        builtin("moon")


@pytest.mark.parametrize("name", builtin_levels())
def test_level_and_sketch_are_sound(name: str) -> None:
    level, sketch = builtin(name)
    assert Level.from_geojson(level.to_geojson(), name) == level
    assert builtin(name)[0].digest() == level.digest()
    again = Sketch.from_geojson(sketch.to_geojson(), name, level)
    assert [a.record() for a in again.actions] == [a.record() for a in sketch.actions]
    check_sketch(sketch, level)
    whole = completed(sketch, level)
    check_sketch(whole, level)
    for action in sketch.actions:
        if action.name in {item.name for item in level.objects} and action.kind == "pick":
            item = next(item for item in level.objects if item.name == action.name)
            assert (item.position, item.height) == (action.position, action.height)


@pytest.mark.parametrize("name", builtin_levels())
def test_a_person_gets_through(name: str) -> None:
    level, sketch = builtin(name)
    whole = completed(sketch, level)
    assert whole.path is not None
    line = LineString(whole.path)
    blocked = level.covering(0.5, 0.55)
    assert blocked.is_empty or line.distance(blocked) > 0.25
    last = sketch.actions[-1].position
    bound = travel_bound(level, last, body_radius=0.2, corridor=whole.corridor(), reach_over_water=1.2)
    length = float(bound.at(np.array(sketch.start.position)))
    gap = float(np.hypot(*np.subtract(last, sketch.start.position)))
    assert 0.9 * gap - 0.3 < length <= line.length + 1e-6
    for action in sketch.actions:
        if action.kind == "jump":
            assert level.water.contains(Point(action.position))
