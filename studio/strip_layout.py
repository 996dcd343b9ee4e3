"""Where things go on a strip: which poses are drawn, in their real places or side by side, and the panels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph.clip import Clip
from mograph.errors import MographError
from mograph.rotations import Array
from studio.camera import Camera

DPI = 120
MARGIN = 0.45  # [inch] left and right of everything
HEADING = 0.98  # [inch] for title, caption and the name of the view
LANE = 0.15  # [inch] per row of contact bars
_ROOM = np.array([0.2, 0.12])  # [m] left free around what is drawn
_GROUND_ROOM = 0.26  # [m] under the ground line, for contact marks and times
_NEAR, _BACK = 0.14, -0.08  # [m] steps between poses shorter than the one, or than the other, are too crowded
_ROW = 9.5  # [m] of poses side by side in one row
_LEAST_SCALE = 0.8  # [inch per metre] of poses side by side on a page of given size
_ASIDE = 1.5  # [inch] height of the second view beside the bars

Box = tuple[float, float, float, float]  # left, bottom, width, height [inch]


@dataclass(frozen=True)
class Layout:
    """Which frames are drawn and how far each is moved on the picture."""

    frames: NDArray[np.int64]  # (K,)
    shift: Array  # (K, 2) [m]; zero where poses stand in their real places
    rows: int  # rows of poses side by side; 0 where they stand in their real places
    low: Array  # (2,) lower left corner of what is drawn [m]
    high: Array  # (2,) upper right corner [m]
    row_height: float  # [m]

    @property
    def in_place(self) -> bool:
        """Whether poses are spread side by side because the clip does not travel across the picture."""
        return self.rows > 0

    @property
    def row_bases(self) -> list[float]:
        """Height of the ground on the picture, row by row."""
        return [-row * self.row_height for row in range(max(self.rows, 1))]

    @property
    def floor(self) -> float:
        """How far below its ground a row begins [m, negative]."""
        return float(self.low[1]) - self.row_bases[-1]


def lay_out(
    clip: Clip,
    camera: Camera,
    points: Array,
    view: str,
    poses: int | None,
    size: tuple[int, int] | None = None,
) -> Layout:
    """Choose frames evenly spaced in time and place them, along the path if that keeps them apart."""
    flat, _ = camera.project(points)
    shadow, _ = camera.project(points * np.array([1.0, 0.0, 1.0]))
    root = shadow[:, 0]
    frames = _evenly(clip, poses or int(np.clip(round(np.ptp(root[:, 0]) / 0.42) + 1, 4, 40)))
    everything = np.concatenate([flat.reshape(-1, 2), shadow.reshape(-1, 2)])
    map_like = view == "top" and np.ptp(root, axis=0).max() > 1.5
    if map_like or (view != "top" and _apart(root[frames, 0])):
        low, high = everything.min(axis=0) - _ROOM, everything.max(axis=0) + _ROOM
        if view != "top":
            low[1] -= _GROUND_ROOM - _ROOM[1]
        return Layout(frames, np.zeros((len(frames), 2)), 0, low, high, float(high[1] - low[1]))

    around = np.concatenate([flat, shadow], axis=1) - root[:, None]
    cell = float(np.clip(2 * np.quantile(np.abs(around[..., 0]).max(axis=1), 0.98) + 0.2, 0.8, 4.0))
    floor = float(min(around[..., 1].min(), 0.0)) - _GROUND_ROOM
    row_height = float(around[..., 1].max()) + _ROOM[1] - floor
    columns, rows = max(int(_ROW / cell), 1), 3
    if size is not None:  # as many as can be read on a page of this size
        columns = max(int((size[0] / DPI - 2 * MARGIN) / (cell * _LEAST_SCALE)), 1)
        rows = max(int((size[1] / DPI - HEADING - _ASIDE - 0.7) / (row_height * _LEAST_SCALE)), 1)
    if poses is None:
        wanted = int(np.clip(round(2.5 * clip.seconds) + 1, 5, rows * columns))
        rows = -(-wanted // columns)
        frames = _evenly(clip, columns * rows if rows > 1 else wanted)
    columns = min(columns, len(frames))
    rows = -(-len(frames) // columns)
    columns = -(-len(frames) // rows)
    place = np.arange(len(frames))
    origin = np.stack([(place % columns + 0.5) * cell, -(place // columns) * row_height], axis=1)
    low = np.array([0.0, floor - (rows - 1) * row_height])
    high = np.array([columns * cell, floor + row_height])
    return Layout(frames, origin - root[frames], rows, low, high, row_height)


def _evenly(clip: Clip, count: int) -> NDArray[np.int64]:
    return np.unique(np.round(np.linspace(0, len(clip) - 1, min(count, len(clip)))).astype(np.int64))


def _apart(across: Array) -> bool:
    """Whether poses at these places go forward far enough from one to the next to be told apart."""
    if len(across) < 3:
        return False
    steps = np.diff(across)
    return bool(np.ptp(across) > 0.8 and np.median(steps) > _NEAR and steps.min() > _BACK)


@dataclass(frozen=True)
class Page:
    """The panels of a strip in inches, and inches per metre in the two drawings."""

    width: float
    height: float
    main: Box
    aside: Box
    bars: Box
    scale: float
    aside_scale: float


def compose(
    layout: Layout, aside_low: Array, aside_high: Array, lanes: int, size: tuple[int, int] | None
) -> Page:
    """Fit the panels on a page: the second view under the first in step with it, or beside the bars.

    ``size`` is (width, height) in pixels; left open, the page takes the size the drawing needs.
    """
    extent, aside_extent = layout.high - layout.low, aside_high - aside_low
    bars_tall = LANE * max(lanes, 1) + 0.04
    label = 0.3  # over each of the lower panels
    if size is None:
        width, height = float(np.clip(1.75 * extent[0] + 2 * MARGIN, 10.0, 24.0)), None
    else:
        width, height = size[0] / DPI, size[1] / DPI
    inner = width - 2 * MARGIN
    scale = inner / extent[0]
    if size is None:
        scale = min(scale, 2.4, 10.0 / extent[1])
    if layout.in_place:
        square = max(bars_tall, _ASIDE)
        bars_tall = min(2 * bars_tall, square)
        below = 0.4 + square + label
        aside_scale = min(square / aside_extent[1], 0.4 * width / aside_extent[0])
        fixed = HEADING + below
        if height is not None:
            scale = min(scale, (height - fixed) / extent[1])
    else:
        aside_scale = min(scale, 0.3 * width / aside_extent[1], inner / aside_extent[0])
        fixed = HEADING + 0.4 + bars_tall + 2 * label
        if height is not None:
            room = (height - fixed) / (scale * extent[1] + aside_scale * aside_extent[1])
            scale, aside_scale = scale * min(room, 1.0), aside_scale * min(room, 1.0)
        below = 0.4 + bars_tall + 2 * label + aside_scale * aside_extent[1]
    if scale <= 0 or width < 3:
        asked = (round(width * DPI), round((height or 0) * DPI))
        raise MographError(f"a strip does not fit {asked[0]} by {asked[1]} pixels; try 1200 by 800")

    used = HEADING + scale * extent[1] + below
    page_height = used if height is None else height
    spare = (page_height - used) / 2
    left = (width - scale * extent[0]) / 2
    main = (left, below + spare, scale * extent[0], scale * extent[1])
    aside_wide, aside_tall = aside_scale * aside_extent
    bars_left, name_room = MARGIN + 0.72, 0.72
    if layout.in_place:
        aside = (width - MARGIN - aside_wide, 0.4, aside_wide, aside_tall)
        bars_wide = inner - name_room - max(aside_wide, 1.6) - 0.45
    else:
        in_step = left + (aside_low[0] - layout.low[0]) * scale
        fits = aside_scale == scale and 0 < in_step < width - aside_wide
        aside_left = in_step if fits else (width - aside_wide) / 2
        aside = (aside_left, 0.4 + bars_tall + label, aside_wide, aside_tall)
        bars_wide = inner - name_room
    return Page(width, page_height, main, aside, (bars_left, 0.4, bars_wide, bars_tall), scale, aside_scale)
