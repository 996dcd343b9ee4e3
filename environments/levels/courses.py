"""Open courses: things to walk around, jump over, step on and pick up."""

from __future__ import annotations

from shapely.geometry import box

from environments.level import Item, Level
from environments.levels.pieces import arrive, block, column, do, river, start, stone
from environments.sketch import Sketch


def empty() -> tuple[Level, Sketch]:
    """Nothing but floor: walk to a place and stand there."""
    level = Level("empty", box(0.0, 0.0, 8.0, 6.0))
    return level, Sketch((start(1.0, 1.5, 90.0), arrive(6.5, 4.5)), None, 1.0, "empty")


def slalom() -> tuple[Level, Sketch]:
    """Five columns in a row, passed left and right in turn."""
    posts = tuple(column(f"post {k + 1}", 2.5 + 1.8 * k, 2.5, 0.2) for k in range(5))
    gates = tuple(do("pass", 2.5 + 1.8 * k, 2.5 + (0.75 if k % 2 else -0.75)) for k in range(5))
    level = Level("slalom", box(0.0, 0.0, 12.5, 5.0), posts)
    return level, Sketch((start(1.0, 2.5, 90.0), *gates, arrive(11.5, 2.5, 90.0)), None, 0.8, "slalom")


def three_rivers() -> tuple[Level, Sketch]:
    """Three rivers of 0.5, 0.75 and 1.0 m across a meadow, each to be jumped."""
    rivers = (
        river("brook", [(3.0, -0.2), (3.0, 5.2)], 0.5),
        river("stream", [(5.8, -0.2), (5.6, 2.0), (5.9, 5.2)], 0.75),
        river("river", [(8.7, -0.2), (8.9, 2.5), (8.6, 5.2)], 1.0),
    )
    jumps = (
        do("jump", 3.0, 2.5, over="brook"),
        do("jump", 5.65, 2.5, over="stream"),
        do("jump", 8.9, 2.5, over="river"),
    )
    level = Level("three_rivers", box(0.0, 0.0, 12.0, 5.0), rivers)
    return level, Sketch((start(1.0, 2.5, 90.0), *jumps, arrive(11.0, 2.5, 90.0)), None, 0.8, "three_rivers")


def stepping_stones() -> tuple[Level, Sketch]:
    """A lake too wide to jump, crossed on stones of 0 to 0.2 m."""
    spots = [(3.0, 2.4, 0.0), (3.6, 2.65, 0.05), (4.2, 2.4, 0.1), (4.8, 2.65, 0.15), (5.4, 2.4, 0.2)]
    spots += [(6.0, 2.65, 0.15), (6.6, 2.4, 0.1), (7.2, 2.65, 0.0)]
    stones = tuple(stone(f"stone {k + 1}", x, z, 0.28, top) for k, (x, z, top) in enumerate(spots))
    lake = block("water", "lake", (2.6, -0.2, 7.6, 5.2), 0.0, -0.5)
    steps = tuple(do("step_on", x, z, top) for x, z, top in (spots[2], spots[5]))
    level = Level("stepping_stones", box(0.0, 0.0, 10.0, 5.0), (lake, *stones))
    return level, Sketch(
        (start(1.0, 2.5, 90.0), *steps, arrive(9.0, 2.5, 90.0)), None, 0.8, "stepping_stones"
    )


def columns() -> tuple[Level, Sketch]:
    """Three columns to step across, with one gap to walk and a wider one to jump (the thesis' test)."""
    tops = (
        block("platform", "first column", (2.0, 1.5, 3.6, 3.0), 0.2, 0.0, True),
        block("platform", "second column", (3.9, 1.5, 5.3, 3.0), 0.2, 0.0, True),
        block("platform", "third column", (6.1, 1.5, 7.7, 3.0), 0.2, 0.0, True),
    )
    pit = block("ditch", "pit", (2.0, -0.2, 7.7, 4.7), 0.0, -0.5)
    steps = (do("step_on", 2.8, 2.25, 0.2), do("step_on", 4.6, 2.25, 0.2), do("step_on", 6.9, 2.25, 0.2))
    level = Level("columns", box(0.0, 0.0, 9.7, 4.5), (pit, *tops))
    return level, Sketch((start(0.8, 2.25, 90.0), *steps, arrive(8.9, 2.25, 90.0)), None, 0.8, "columns")


def hurdles() -> tuple[Level, Sketch]:
    """A bench to step over or onto, a bar to duck under, a low beam to step across."""
    things = (
        block("obstacle", "beam", (2.9, -0.2, 3.05, 4.2), 0.2, 0.0, True),
        block("obstacle", "bench", (5.0, -0.2, 5.4, 4.2), 0.4, 0.0, True),
        block("obstacle", "bar", (7.5, -0.2, 7.6, 4.2), 1.3, 1.2),
    )
    level = Level("hurdles", box(0.0, 0.0, 10.5, 4.0), things)
    return level, Sketch((start(1.0, 2.0, 90.0), arrive(9.5, 2.0, 90.0)), None, 1.0, "hurdles")


def pick_and_place() -> tuple[Level, Sketch]:
    """Two tables: a cup is taken from one of 0.6 m and put down on the other of 0.85 m, round a pillar."""
    things = (
        block("table", "low table", (2.2, 0.4, 3.4, 1.1), 0.6),
        block("table", "high table", (5.8, 3.9, 7.0, 4.6), 0.85),
        column("pillar", 4.6, 2.5, 0.3),
    )
    level = Level("pick_and_place", box(0.0, 0.0, 8.0, 5.0), things, (Item("cup", (2.8, 1.0), 0.65),))
    actions = (
        start(1.0, 3.0, 90.0),
        do("pick", 2.8, 1.0, 0.65, name="cup"),
        do("place", 6.4, 4.0, 0.9, name="cup"),
        arrive(7.2, 1.5),
    )
    return level, Sketch(actions, None, 1.2, "pick_and_place")
