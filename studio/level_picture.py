"""A level seen from above: what stands where, how high, the sketch, its corridor, a motion through it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from environments.level import Feature, Level
from environments.sketch import Action, Sketch
from studio.saving import check_target, save
from studio.stick_figure import LEFT, RIGHT, SIDE_COLOURS
from studio.timeline import FAINT, INK, RULE, png_bytes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOOR, WATER, DITCH, SOLID, ABOVE, TABLE = "#faf8f4", "#bcdcf2", "#d8cfc2", "#5b6270", "#c9a0dc", "#d9b382"
PATH, ROOT, OBJECT = "#3a9d5d", "#b3261e", "#e0a100"
_MARKS = {"start": "o", "pick": "^", "place": "v", "jump": "D", "step_on": "s", "pass": "o", "arrive": "*"}
_FOOT = np.array([[-0.045, -0.06], [0.045, -0.06], [0.05, 0.1], [0.03, 0.19], [-0.03, 0.19], [-0.05, 0.1]])


def draw_level(
    level: Level,
    sketch: Sketch | None,
    path: str | PathLike[str],
    *,
    root_path: np.ndarray | None = None,
    footprints: np.ndarray | None = None,
    ghosts: Sequence[np.ndarray] | None = None,
    title: str | None = None,
) -> Path:
    """Draw the level to a PNG file and return its path.

    ``root_path`` is (N, 2) of x, z or (N, 3) of x, y, z; ``footprints`` (N, 4) of ankle x, z, heading [rad]
    and side (0 left, 1 right); each of ``ghosts`` a pose as bones (B, 2, 3). The view is from above with
    x to the right and z down the page, so that the character's left is to its left.
    """
    from matplotlib.figure import Figure

    target = check_target(path, (".png",))
    x0, z0, x1, z1 = level.bounds.bounds
    wide, deep = x1 - x0, z1 - z0
    scale = min(11.0 / wide, 8.5 / deep)
    figure = Figure(
        figsize=(max(wide * scale, 4.0) + 1.0, deep * scale + 1.3), facecolor="white", layout="constrained"
    )
    axes = figure.add_subplot()
    _shape(axes, level.bounds, facecolor=FLOOR, edgecolor=RULE, zorder=0)
    for entry in sorted(level.features, key=lambda entry: entry.top):
        _draw_feature(axes, entry, level)
    for item in level.objects:
        axes.plot(*item.position, "h", color=OBJECT, markersize=7, markeredgecolor="white", zorder=6)
    if sketch is not None:
        _draw_sketch(axes, sketch)
    for bones in ghosts or ():
        for bone in np.asarray(bones, float):
            axes.plot(
                bone[:, 0], bone[:, 2], color=INK, alpha=0.3, linewidth=1.6, solid_capstyle="round", zorder=5
            )
    if footprints is not None:
        _draw_footprints(axes, np.asarray(footprints, float))
    if root_path is not None:
        line = np.asarray(root_path, float)
        axes.plot(line[:, 0], line[:, -1], color=ROOT, linewidth=1.4, zorder=7, label="root")
    axes.set_xlim(x0 - 0.15, x1 + 0.15)
    axes.set_ylim(z1 + 0.15, z0 - 0.15)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]", fontsize=8, color=FAINT)
    axes.set_ylabel("z [m], down the page", fontsize=8, color=FAINT)
    axes.set_title(title or level.name, loc="left", fontsize=12, color=INK, weight="bold")
    tidy(axes)
    if sketch is not None or root_path is not None or footprints is not None:
        axes.legend(
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=6,
            frameon=False,
            fontsize=8,
            labelcolor=INK,
            handlelength=1.4,
            columnspacing=1.2,
            borderaxespad=0.2,
        )
    return save(target, png_bytes(figure, dpi=110))


def _shape(axes: Axes, shape: BaseGeometry, **look: object) -> None:
    """Polygons with their holes."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    for polygon in shapely.get_parts(shape):
        if polygon.geom_type == "Polygon":
            rings = [shapely.get_coordinates(ring) for ring in (polygon.exterior, *polygon.interiors)]
            outline = Outline.make_compound_path(*(Outline(ring, closed=True) for ring in rings))
            axes.add_patch(PathPatch(outline, **look))


def _draw_feature(axes: Axes, entry: Feature, level: Level) -> None:
    shown = shapely.intersection(entry.shape, level.bounds)
    if entry.kind in ("water", "ditch"):
        _shape(axes, shown, facecolor=WATER if entry.kind == "water" else DITCH, edgecolor="none", zorder=1)
        return
    if entry.stand:
        share = min(entry.top / 0.6, 1.0)
        colour = tuple(np.array([0.90, 0.87, 0.80]) * (1 - share) + np.array([0.66, 0.60, 0.48]) * share)
        _shape(axes, shown, facecolor=colour, edgecolor="#8d8371", linewidth=0.8, zorder=2)
    elif entry.kind == "table":
        _shape(axes, shown, facecolor=TABLE, edgecolor="#8a6532", linewidth=0.8, zorder=2)
    elif entry.bottom > 0.5:
        _shape(
            axes,
            shown,
            facecolor=ABOVE,
            edgecolor="#7d5fb0",
            hatch="////",
            linewidth=0.8,
            alpha=0.6,
            zorder=3,
        )
    else:
        _shape(axes, shown, facecolor=SOLID, edgecolor="#3c414b", linewidth=0.6, zorder=2)
    if entry.kind != "wall" and not shown.is_empty:
        spot = shown.representative_point() if entry.stand or entry.kind == "table" else shown.centroid
        words = f"{entry.bottom:g}-{entry.top:g}" if entry.bottom > 0.0 else f"{entry.top:g}"
        light = not entry.stand and entry.kind != "table" and entry.bottom == 0.0
        slim = shown.bounds[2] - shown.bounds[0] < 0.35
        long = shown.bounds[3] - shown.bounds[1] > 3.0
        x = shown.bounds[2] + 0.05 if slim else spot.x
        z = shown.bounds[1] + 0.25 if long else spot.y
        axes.text(
            x,
            z,
            words,
            fontsize=6.5,
            ha="left" if slim else "center",
            va="center",
            zorder=4,
            color="white" if light and not slim else INK,
        )


def _draw_sketch(axes: Axes, sketch: Sketch) -> None:
    corridor = sketch.corridor()
    if corridor is not None and sketch.path is not None:
        _shape(
            axes,
            corridor,
            facecolor=PATH,
            alpha=0.15,
            edgecolor=PATH,
            linewidth=0.8,
            zorder=4,
            label=f"corridor {sketch.width:g} m",
        )
        line = np.array(sketch.path)
        axes.plot(line[:, 0], line[:, 1], "--", color=PATH, linewidth=1.1, zorder=5, label="path")
    named: set[str] = set()
    for number, action in enumerate(sketch.actions):
        _draw_action(axes, action, number, action.kind not in named)
        named.add(action.kind)


def _draw_action(axes: Axes, action: Action, number: int, first: bool) -> None:
    x, z = action.position
    colour = {"start": PATH, "arrive": ROOT}.get(action.kind, INK)
    axes.plot(
        x,
        z,
        _MARKS[action.kind],
        color=colour if action.kind != "pass" else "white",
        markeredgecolor=colour,
        markersize=13 if action.kind == "arrive" else 8,
        zorder=8,
        linestyle="none",
        label=action.kind.replace("_", " ") if first else None,
    )
    axes.annotate(
        str(number), (x, z), xytext=(7, 6), textcoords="offset points", fontsize=8, color=colour, zorder=9
    )
    if action.heading is not None:
        step = 0.55 * np.array([math.sin(action.heading), math.cos(action.heading)])
        axes.annotate(
            "",
            (x + step[0], z + step[1]),
            xytext=(x, z),
            zorder=8,
            arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.6},
        )


def _draw_footprints(axes: Axes, prints: np.ndarray) -> None:
    from matplotlib.patches import Polygon as Patch

    for side, colour, word in ((0, SIDE_COLOURS[LEFT], "left foot"), (1, SIDE_COLOURS[RIGHT], "right foot")):
        for k, (x, z, heading, _) in enumerate(prints[prints[:, 3] == side]):
            # forward is (sin, cos) in (x, z), the character's right (-cos, sin)
            turn = np.array([[-math.cos(heading), math.sin(heading)], [math.sin(heading), math.cos(heading)]])
            patch = Patch(
                _FOOT @ turn + [x, z], facecolor=colour, edgecolor="white", linewidth=0.4, alpha=0.85
            )
            patch.set_zorder(6)
            patch.set_label(word if k == 0 else "_")
            axes.add_patch(patch)
