"""Built-in levels, each with a sketch to try in it: open courses, rivers, stones, tables, corridors, a flat.

Sizes are those of a person of 1.75 m: doors 0.9 m wide, corridors 1.2 m, rivers 0.5 to 1.0 m, tables 0.6 to
0.9 m high.
"""

from __future__ import annotations

from collections.abc import Callable

from environments.errors import LevelError
from environments.level import Level
from environments.levels.apartment import apartment
from environments.levels.corridors import maze, s_curve
from environments.levels.courses import (
    columns,
    empty,
    hurdles,
    pick_and_place,
    slalom,
    stepping_stones,
    three_rivers,
)
from environments.sketch import Sketch

_BUILDERS: dict[str, Callable[[], tuple[Level, Sketch]]] = {
    builder.__name__: builder
    for builder in (
        empty,
        slalom,
        three_rivers,
        stepping_stones,
        columns,
        hurdles,
        pick_and_place,
        maze,
        s_curve,
        apartment,
    )
}


def builtin_levels() -> dict[str, str]:
    """Names of the built-in levels and one line on each.

    >>> builtin_levels()["three_rivers"]
    'Three rivers of 0.5, 0.75 and 1.0 m across a meadow, each to be jumped.'
    """
    return {name: (builder.__doc__ or "").strip().splitlines()[0] for name, builder in _BUILDERS.items()}


def builtin(name: str) -> tuple[Level, Sketch]:
    """A built-in level and its sketch.

    >>> level, sketch = builtin("empty")
    >>> [action.kind for action in sketch.actions]
    ['start', 'arrive']
    """
    if name not in _BUILDERS:
        raise LevelError(f"there is no built-in level '{name}'; there are: {', '.join(_BUILDERS)}")
    return _BUILDERS[name]()
