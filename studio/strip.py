"""A clip on one page: stick figures along the way it goes, seen again from above, and its contacts.

Made to be judged by eye. The ground is at height 0, so that floating and sinking show; under it, a foot that
stays put while it touches leaves a dot and one that slides leaves a dash as long as the slide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mograph.clip import Clip
from mograph.errors import MographError
from mograph.rotations import Array
from studio.camera import Camera, camera, travel_direction
from studio.stick_figure import LEFT, PARTS, RIGHT, SIDE_COLOURS, TRUNK, StickFigure, facing, stick_figure
from studio.strip_layout import DPI, MARGIN, Layout, Page, compose, lay_out
from studio.timeline import FAINT, INK, RULE, draw_contacts, png_bytes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GROUND = np.array([1.0, 0.0, 1.0])
_GHOSTS = 0.2  # [s] before a pose in place is the earliest of its ghosts
_UNDER = 0.045  # [m] of the first row of contact dashes below the ground, and between rows
_VIEW_NAMES = {
    "side": "side view",
    "front": "front view",
    "three_quarter": "three-quarter view",
    "top": "from above, 0.5 m grid",
}
_DOT = 0.004  # [m] half length of a line that shall look like a dot; none at all would not be drawn
Colour = tuple[float, float, float]


def strip(
    clip: Clip,
    *,
    view: str = "side",
    poses: int | None = None,
    size: tuple[int, int] | None = None,
    title: str | None = None,
) -> bytes:
    """PNG of a clip as a strip of ``poses`` figures; ``size`` is (width, height) in pixels."""
    from matplotlib.figure import Figure

    if poses is not None and poses < 1:
        raise MographError(f"cannot draw {poses} poses; one is the least")
    drawn = stick_figure(clip)
    direction = travel_direction(clip, drawn.points)
    main, aside_view = camera(view, direction), "side" if view == "top" else "top"
    aside = camera(aside_view, direction)
    layout = lay_out(clip, main, drawn.points, view, poses, size)
    seen = np.concatenate([aside.project(drawn.points)[0], aside.project(drawn.points * _GROUND)[0]], axis=1)
    low, high = seen.min(axis=(0, 1)) - 0.15, seen.max(axis=(0, 1)) + 0.15
    if aside_view == "side":
        low[1] -= 0.15  # for the contact marks
    page = compose(layout, low, high, len(drawn.parts), size)

    figure = Figure(figsize=(page.width, page.height), facecolor="white")
    axes = _panel(figure, page, page.main, layout.low, layout.high)
    if view in ("side", "front"):
        _level_ground(axes, drawn, main, layout)
    else:
        _ground_grid(axes, drawn, main, layout, direction)
        _prints(axes, drawn, main, layout)
    _figures(axes, drawn, main, layout, page.scale, clip.fps)
    _times(axes, clip, drawn, main, layout, view, page.scale)
    _name_panel(figure, page, page.main, _VIEW_NAMES[view])

    whole = Layout(layout.frames, np.zeros((len(layout.frames), 2)), 0, low, high, 0.0)
    lower = _panel(figure, page, page.aside, low, high)
    if aside_view == "top":
        _ground_grid(lower, drawn, aside, whole, direction)
        _prints(lower, drawn, aside, whole)
        _bearings(lower, clip, drawn, aside, layout)
    else:
        _level_ground(lower, drawn, aside, whole)
        _figures(lower, drawn, aside, whole, page.aside_scale, clip.fps)
    _name_panel(figure, page, page.aside, _VIEW_NAMES[aside_view])
    _bars(figure, page, clip, drawn, layout)
    _heading(figure, page, clip, title)
    return png_bytes(figure, DPI)


def _panel(figure: Figure, page: Page, box: tuple[float, ...], low: Array, high: Array) -> Axes:
    axes = figure.add_axes(
        (box[0] / page.width, box[1] / page.height, box[2] / page.width, box[3] / page.height)
    )
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_axis_off()
    return axes


def blend(colour: str, share: float) -> Colour:
    """A colour mixed with white: ``share`` 0 leaves it, 1 is white.

    >>> blend("#000000", 0.5)
    (0.5, 0.5, 0.5)
    """
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red + (1 - red) * share, green + (1 - green) * share, blue + (1 - blue) * share


def _figures(axes: Axes, drawn: StickFigure, look: Camera, layout: Layout, scale: float, fps: float) -> None:
    """All poses, far to near: earlier ones paler; in place, each with two ghosts of how it came there."""
    from matplotlib.collections import LineCollection

    segments: list[Array] = []
    widths: list[float] = []
    colours: list[Colour] = []

    def pose(frame: int, shift: Array, pale: float, edge: bool) -> None:
        flat, near = look.project(drawn.points[frame])
        flat = flat + shift
        _pose_lines(drawn, flat, near, pale, edge, segments, widths, colours)

    last = max(len(layout.frames) - 1, 1)
    for k, (frame, shift) in enumerate(zip(layout.frames, layout.shift, strict=True)):
        if layout.in_place and k > 0:
            back = min(_GHOSTS * fps, 2 / 3 * (frame - layout.frames[k - 1]))
            pose(round(frame - back), shift, 0.92, False)
            pose(round(frame - back / 2), shift, 0.87, False)
        pale = 0.0 if layout.in_place else 0.62 * (1 - k / last)
        pose(int(frame), shift, pale, True)
    lines = LineCollection(
        segments,
        linewidths=np.array(widths) * scale * 72,
        colors=colours,
        capstyle="round",
        zorder=3,
        snap=False,
    )
    axes.add_collection(lines, autolim=False)


def _pose_lines(
    drawn: StickFigure,
    flat: Array,
    near: Array,
    pale: float,
    edge: bool,
    segments: list[Array],
    widths: list[float],
    colours: list[Colour],
) -> None:
    """One pose, far limbs first, each with a white edge that sets it off from what lies behind."""

    def line(ends: Array, wide: float, colour: Colour) -> None:
        segments.append(ends)
        widths.append(wide)
        colours.append(colour)

    white = (1.0, 1.0, 1.0)
    middle = near[drawn.bones].mean(axis=1)
    limbs = sorted(np.unique(drawn.limb).tolist(), key=lambda limb: float(middle[drawn.limb == limb].mean()))
    for limb in limbs:
        bones = np.flatnonzero(drawn.limb == limb)
        if edge:
            for b in bones:
                line(flat[drawn.bones[b]], 2 * drawn.radius[b] + 0.022, white)
        for b in bones:
            line(flat[drawn.bones[b]], 2 * drawn.radius[b], blend(SIDE_COLOURS[drawn.side[b]], pale))
        if limb == TRUNK and drawn.head >= 0:
            dot = flat[drawn.head] + np.array([[-_DOT, 0.0], [_DOT, 0.0]])
            if edge:
                line(dot, 2 * drawn.head_radius + 0.022, white)
            line(dot, 2 * drawn.head_radius, blend(SIDE_COLOURS[TRUNK], pale))
            line(dot, 2 * drawn.head_radius - 0.05, blend(SIDE_COLOURS[TRUNK], max(pale, 0.82)))


def _level_ground(axes: Axes, drawn: StickFigure, look: Camera, layout: Layout) -> None:
    """Ground and height lines seen edge on, the ways of root and feet, and a dash under every contact."""
    left, right = layout.low[0], layout.high[0]
    for base in layout.row_bases:
        axes.plot([left, right], [base, base], color="#9aa1ad", linewidth=1.0, zorder=2)
        for height in (0.5, 1.0, 1.5):
            if height < layout.floor + layout.row_height - 0.05:
                axes.plot([left, right], [base + height] * 2, color="#edeff2", linewidth=0.8, zorder=0)
                axes.text(left, base + height, f"{height:g} m", fontsize=6.5, color="#b3b9c3", va="bottom")
    if not layout.in_place:
        root, _ = look.project(drawn.points[:, 0])
        axes.plot(*root.T, color="#c3c8d0", linewidth=0.8, zorder=2.5)
    for part, joint in enumerate(drawn.followed):
        if joint < 0:
            continue
        way, _ = look.project(drawn.points[:, joint])
        colour = PARTS[part].colour
        if part < 2 and not layout.in_place:
            axes.plot(*way.T, color=blend(colour, 0.5), linewidth=0.8, zorder=2.5)
        under = -_UNDER * (drawn.parts.index(part) + 0.8) if part in drawn.parts else 0.0
        for mark in (m for m in drawn.marks if m.part == part):
            if not layout.in_place:
                _dash(axes, way[mark.down : mark.up, 0], under, colour)
                continue
            for k, frame in enumerate(layout.frames):
                if mark.start <= frame < mark.stop:  # as far as it slid since the pose before
                    since = max(mark.down, int(layout.frames[k - 1]) if k else 0)
                    slid = way[since : min(frame + 1, mark.up), 0]
                    across = (slid if len(slid) else way[[frame], 0]) + layout.shift[k, 0]
                    _dash(axes, across, layout.shift[k, 1] + under, colour)


def _dash(axes: Axes, across: Array, height: float, colour: str) -> None:
    ends = [across.min() - _DOT, across.max() + _DOT]
    axes.plot(ends, [height] * 2, color=colour, linewidth=3.4, solid_capstyle="round", zorder=4, snap=False)


def _ground_grid(axes: Axes, drawn: StickFigure, look: Camera, layout: Layout, direction: Array) -> None:
    """The ground as a half-metre grid along the way of travel, and the way of the root on it."""
    from matplotlib.collections import LineCollection

    if layout.in_place:  # a strip of floor under each row
        depth = 0.5 * float(look.up @ (look.right[[2, 1, 0]] * [-1, 0, 1]))
        for base in layout.row_bases:
            for step in (-1, 0, 1):
                axes.axhline(base + step * depth, color=RULE, linewidth=0.6, zorder=0)
        return
    ahead = np.array([direction[0], 0.0, direction[1]])
    across = np.cross([0.0, 1.0, 0.0], ahead)
    along, aside = drawn.points @ ahead, drawn.points @ across
    a0, a1 = np.floor(along.min() * 2 - 0.1) / 2, np.ceil(along.max() * 2 + 0.1) / 2
    c0, c1 = np.floor(aside.min() * 2 - 0.1) / 2, np.ceil(aside.max() * 2 + 0.1) / 2
    lines = [np.array([a * ahead + c * across for c in (c0, c1)]) for a in np.arange(a0, a1 + 0.01, 0.5)]
    lines += [np.array([a * ahead + c * across for a in (a0, a1)]) for c in np.arange(c0, c1 + 0.01, 0.5)]
    flat = [look.project(line)[0] for line in lines]
    axes.add_collection(LineCollection(flat, colors=RULE, linewidths=0.6, zorder=0), autolim=False)
    root, _ = look.project(drawn.points[:, 0] * _GROUND)
    axes.plot(*root.T, color="#9aa1ad", linewidth=1.1, zorder=1)


def _prints(axes: Axes, drawn: StickFigure, look: Camera, layout: Layout) -> None:
    """What the touching parts leave on the ground: a print, smeared as far as it slid while touching."""
    for mark in drawn.marks:
        colour = PARTS[mark.part].colour
        middle = (mark.start + mark.stop - 1) // 2
        ends, _ = look.project(drawn.points[middle, [mark.back, mark.joint]] * _GROUND)
        slid, _ = look.project(drawn.points[mark.down : mark.up, mark.joint] * _GROUND)
        shifts = [np.zeros(2)]
        if layout.in_place:
            shown = zip(layout.frames, layout.shift, strict=True)
            shifts = [s for f, s in shown if mark.start <= f < mark.stop]
        for shift in shifts:
            print_, smear = ends + shift, slid + shift
            axes.plot(*print_.T, color=blend(colour, 0.6), linewidth=5.5, solid_capstyle="round", zorder=1.5)
            axes.plot(*smear.T, color=colour, linewidth=2.2, solid_capstyle="round", zorder=1.6)


def _bearings(axes: Axes, clip: Clip, drawn: StickFigure, look: Camera, layout: Layout) -> None:
    """Each pose on the map as its shoulders and a nose: where it is and which way it faces."""
    ahead = facing(clip, drawn.points)
    roles = clip.skeleton.roles
    last = max(len(layout.frames) - 1, 1)
    before = np.zeros(3)
    for k, frame in enumerate(layout.frames):
        pale = 0.55 * (1 - k / last)
        root = drawn.points[frame, 0] * _GROUND
        if k and np.linalg.norm(root - before) < 0.12:
            continue
        before = root
        nose = root + 0.17 * np.array([ahead[frame, 0], 0.0, ahead[frame, 1]])
        (centre, tip), _ = look.project(np.stack([root, nose]))
        axes.plot(*np.stack([centre, tip]).T, color=blend(INK, pale), linewidth=1.4, zorder=2)
        if clip.skeleton.has("left_shoulder", "right_shoulder"):
            both = [roles["left_shoulder"], roles["right_shoulder"]]
            ends, _ = look.project(drawn.points[frame, both] * _GROUND)
            for side, end in ((LEFT, ends[0]), (RIGHT, ends[1])):
                bar = np.stack([ends.mean(axis=0), end]).T
                colour = blend(SIDE_COLOURS[side], pale)
                axes.plot(*bar, color=colour, linewidth=2.4, zorder=1.9, solid_capstyle="round")
        axes.plot(*centre, marker="o", markersize=4.5, color=blend(INK, pale), zorder=2.1)


def _times(
    axes: Axes, clip: Clip, drawn: StickFigure, look: Camera, layout: Layout, view: str, scale: float
) -> None:
    """The time of each pose, left out where it would run into the one before."""
    from matplotlib.patheffects import withStroke

    root, _ = look.project(drawn.points[layout.frames, 0] * _GROUND)
    places = root + layout.shift
    if layout.in_place:
        places[:, 1] += layout.floor + 0.02
    elif view in ("side", "front"):
        places[:, 1] = layout.low[1] + 0.02
    else:
        places[:, 1] -= 0.14
    halo = [withStroke(linewidth=2, foreground="white")]
    last = np.array([-np.inf, np.inf])
    for frame, place in zip(layout.frames, places, strict=True):
        gap = np.abs(place - last) * scale
        if gap[0] < 0.42 and gap[1] < 0.12:
            continue
        last = place
        time = f"{frame / clip.fps:.2f} s"
        x, y = place.tolist()
        axes.text(x, y, time, fontsize=7, color=FAINT, ha="center", va="bottom", zorder=5, path_effects=halo)


def _bars(figure: Figure, page: Page, clip: Clip, drawn: StickFigure, layout: Layout) -> None:
    left, low, wide, tall = page.bars
    axes = figure.add_axes((left / page.width, low / page.height, wide / page.width, tall / page.height))
    lanes = max(len(drawn.parts), 1)
    draw_contacts(axes, clip, drawn.parts, 0.0, 1.0)
    for frame in layout.frames:
        axes.axvline(frame / clip.fps, color="#c3c8d0", linewidth=0.6, zorder=0)
    axes.set_xlim(0, clip.seconds or 1 / clip.fps)
    axes.set_ylim(-lanes, 0)
    axes.set_yticks([-k - 0.5 for k in range(len(drawn.parts))])
    axes.set_yticklabels([PARTS[k].label for k in drawn.parts])
    if not drawn.parts:
        axes.text(
            0.5,
            0.5,
            "contacts not known",
            fontsize=7.5,
            color=FAINT,
            va="center",
            ha="center",
            transform=axes.transAxes,
        )
    tidy(axes, size=7.5)
    axes.tick_params(axis="x", pad=2)
    axes.xaxis.set_major_formatter(lambda time, _: f"{time:g} s")


def _name_panel(figure: Figure, page: Page, box: tuple[float, ...], text: str) -> None:
    y = box[1] + box[3] + 0.07
    figure.text(max(box[0], MARGIN) / page.width, y / page.height, text, fontsize=7.5, color=FAINT)


def _heading(figure: Figure, page: Page, clip: Clip, title: str | None) -> None:
    top = page.height
    figure.text(
        MARGIN / page.width,
        (top - 0.4) / top,
        title or clip.name or "clip",
        fontsize=13,
        color=INK,
        weight="bold",
    )
    facts = [clip.behaviour] if clip.behaviour else []
    facts += [f"{len(clip)} frames", f"{clip.fps:g} per second", f"{clip.seconds:.2f} s"]
    figure.text(MARGIN / page.width, (top - 0.62) / top, ", ".join(facts), fontsize=8, color=FAINT)
    x = page.width - MARGIN
    for text, side in (("right", RIGHT), ("left", LEFT)):
        figure.text(
            x / page.width,
            (top - 0.4) / top,
            text,
            fontsize=9,
            color=SIDE_COLOURS[side],
            ha="right",
            weight="bold",
        )
        x -= 0.55
