"""A furnished flat of four rooms around a hall."""

from __future__ import annotations

from shapely.geometry import box

from environments.level import Item, Level
from environments.levels.pieces import arrive, block, do, start, wall
from environments.sketch import Sketch


def apartment() -> tuple[Level, Sketch]:
    """Four rooms around a hall, with furniture: fetch a cup in the kitchen, bring it to the living room."""
    walls = (
        wall("outer wall", (0.0, 0.0), (12.0, 0.0), (12.0, 9.0), (5.5, 9.0)),
        wall("outer wall, west", (4.6, 9.0), (0.0, 9.0), (0.0, 0.0)),
        wall("kitchen wall", (0.0, 3.8), (2.6, 3.8)),
        wall("kitchen corner", (3.5, 3.8), (4.4, 3.8), (4.4, 0.0)),
        wall("living room wall", (4.4, 3.8), (6.2, 3.8)),
        wall("living room wall, east", (7.6, 3.8), (12.0, 3.8)),
        wall("bedroom wall", (0.0, 5.2), (2.2, 5.2)),
        wall("bedroom corner", (3.1, 5.2), (4.0, 5.2), (4.0, 9.0)),
        wall("study corner", (6.6, 9.0), (6.6, 5.2), (8.0, 5.2)),
        wall("study wall", (8.9, 5.2), (12.0, 5.2)),
    )
    furniture = (
        block("table", "worktop", (0.1, 0.1, 0.7, 3.0), 0.9),
        block("table", "kitchen table", (2.2, 1.2, 3.4, 2.0), 0.75),
        block("table", "coffee table", (7.6, 1.4, 8.8, 2.0), 0.6),
        block("obstacle", "sofa", (7.2, 0.1, 9.6, 0.9), 0.75),
        block("obstacle", "armchair", (10.4, 1.2, 11.3, 2.1), 0.8),
        block("obstacle", "shelf", (11.55, 2.4, 11.9, 3.6), 2.0),
        block("obstacle", "bed", (0.2, 6.6, 2.2, 8.2), 0.5, 0.0, True),
        block("obstacle", "wardrobe", (3.3, 7.4, 3.9, 8.8), 2.1),
        block("table", "desk", (9.2, 8.2, 10.8, 8.9), 0.75),
        block("obstacle", "stool", (10.9, 7.6, 11.3, 8.0), 0.45, 0.0, True),
        block("obstacle", "low lamp", (6.3, 2.0, 6.6, 2.3), 2.2, 1.6),
    )
    things = (Item("cup", (2.8, 1.9), 0.8), Item("book", (9.9, 8.3), 0.8))
    level = Level("apartment", box(-0.3, -0.3, 12.3, 9.6), (*walls, *furniture), things)
    actions = (
        start(5.05, 8.3, 180.0),
        do("pick", 2.8, 1.9, 0.8, name="cup"),
        do("place", 8.2, 1.9, 0.65, name="cup"),
        do("pick", 9.9, 8.3, 0.8, name="book"),
        arrive(5.2, 4.5, 0.0),
    )
    return level, Sketch(actions, None, 1.0, "apartment")
