"""A clip as an animated GIF: a following camera, shaded limbs, a shadow, footprints and the contact bars.

Drawn straight into Pillow images at twice the size and reduced, which smooths the edges; one palette serves
all frames, so that what does not move costs nothing in the file.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mograph.clip import Clip
from mograph.errors import MographError
from mograph.rotations import Array
from studio.camera import Camera, camera, travel_direction
from studio.stick_figure import (
    FLIGHT_COLOUR,
    PARTS,
    SIDE_COLOURS,
    TRUNK,
    StickFigure,
    contact_runs,
    stick_figure,
)

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Rgb = tuple[int, int, int]

_OVER = 2  # pixels drawn for each pixel kept, per direction
_SIZE = (480, 400)
_COLOURS = 64
_PAPER, _GRID, _SHADOW, _INK, _FAINT = "#ffffff", "#d9dde3", "#d3d7de", "#333842", "#8b919c"
_GROUND = np.array([1.0, 0.0, 1.0])
_FLOOR = 3.0  # [m] of floor around the target; it fades towards its edge


def animation(
    clip: Clip, *, view: str = "three_quarter", size: tuple[int, int] | None = None, title: str | None = None
) -> bytes:
    """GIF of a clip at 20 frames per second (10 if it lasts longer than 20 s), in real time."""
    from PIL import Image

    size = size or _SIZE
    if min(size) < 120:
        raise MographError(f"an animation does not fit {size[0]} by {size[1]} pixels; 120 is the least")
    drawn = stick_figure(clip)
    stage = _stage(clip, drawn, view, size)
    pause = 50 if clip.seconds <= 20 else 100  # [ms]; GIF counts in hundredths of a second
    times = np.arange(int(clip.seconds * 1000 / pause + 1e-6) + 1) * pause / 1000
    backdrop = _backdrop(clip, drawn, stage, title)
    frames = [_frame(clip, drawn, stage, backdrop, float(time)) for time in times]

    samples = frames[:: max(len(frames) // 4, 1)]
    sheet = Image.new("RGB", (size[0], size[1] * len(samples)))
    for k, sample in enumerate(samples):
        sheet.paste(sample, (0, k * size[1]))
    palette = sheet.quantize(_COLOURS, dither=Image.Dither.NONE)
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    buffer = io.BytesIO()
    flat[0].save(
        buffer,
        "GIF",
        save_all=True,
        append_images=flat[1:],
        duration=pause,
        loop=0,
        optimize=False,
        disposal=1,
    )
    return buffer.getvalue()


@dataclass(frozen=True)
class _Stage:
    """Camera, its target per frame of the clip, and how metres become pixels of the large drawing."""

    look: Camera
    target: Array  # (T, 3) [m]
    scale: float  # pixels per metre at the target
    centre: Array  # (2,) pixel that shows the target
    size: tuple[int, int]  # of the large drawing
    direction: Array  # of travel (x, z)
    bars: tuple[int, int, int, int]  # left, top, width, height of one lane of the contact bars

    def pixels(self, points: Array, target: Array) -> tuple[Array, Array]:
        flat, near = self.look.project(points, target)
        return self.centre + flat * [self.scale, -self.scale], near


def _stage(clip: Clip, drawn: StickFigure, view: str, size: tuple[int, int]) -> _Stage:
    direction = travel_direction(clip, drawn.points)
    look = camera(view, direction, tilt=np.radians(7), distance=7.0)
    target = _smooth(clip.root_position, 0.45 * clip.fps)
    target[:, 1] = 0.5 * (np.median(drawn.points[..., 1].max(axis=1)) + min(drawn.points[..., 1].min(), 0))
    flat, _ = look.project(drawn.points, target[:, None])
    large = (size[0] * _OVER, size[1] * _OVER)
    lane = 7 * _OVER
    foot = lane * len(drawn.parts) + 24 * _OVER
    head = 26 * _OVER
    room = np.array([large[0] / 2 - 10 * _OVER, (large[1] - head - foot) / 2])
    reach = np.abs(flat).max(axis=(0, 1)) + 0.08
    scale = float(min(room / np.maximum(reach, [0.5, 0.8])))
    centre = np.array([large[0] / 2, head + room[1]])
    bars = (12 * _OVER, large[1] - lane * len(drawn.parts) - 12 * _OVER, large[0] - 24 * _OVER, lane)
    return _Stage(look, target, scale, centre, large, direction, bars)


def _smooth(values: Array, deviation: float) -> Array:
    """Gaussian average over frames, ends held: the camera follows without the bounce of each step."""
    reach = max(int(3 * deviation), 1)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(deviation, 1e-6)) ** 2)
    padded = np.concatenate([np.repeat(values[:1], reach, 0), values, np.repeat(values[-1:], reach, 0)])
    return np.stack([np.convolve(c, weights / weights.sum(), "valid") for c in padded.T], axis=1)


def _mix(colour: str, other: str, share: float) -> Rgb:
    a, b = (np.array([int(c[k : k + 2], 16) for k in (1, 3, 5)]) for c in (colour, other))
    red, green, blue = (a + (b - a) * share).round().astype(int).tolist()
    return red, green, blue


def _backdrop(clip: Clip, drawn: StickFigure, stage: _Stage, title: str | None) -> Image:
    """What stays the same in all frames: the paper, the name and the contact bars."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", stage.size, _PAPER)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(14 * _OVER)
    draw.text((12 * _OVER, 8 * _OVER), title or clip.name, fill=_INK, font=font)
    left, top, wide, lane = stage.bars
    per_frame = wide / max(len(clip) - 1, 1)
    if clip.contact is not None:
        for start, stop in contact_runs(clip.contact, 0):
            box = (left + start * per_frame, top, left + min(stop, len(clip) - 1) * per_frame)
            if box[2] > box[0]:
                draw.rectangle((*box, top + lane * len(drawn.parts)), fill=FLIGHT_COLOUR)
        for row, index in enumerate(drawn.parts):
            low = top + row * lane + _OVER
            for start, stop in contact_runs(clip.contact, int(PARTS[index].contact)):
                box = (left + start * per_frame, low, left + min(stop, len(clip) - 1) * per_frame)
                if box[2] > box[0]:
                    draw.rectangle((*box, low + lane - 2 * _OVER), fill=PARTS[index].colour)
    return image


def _frame(clip: Clip, drawn: StickFigure, stage: _Stage, backdrop: Image, time: float) -> Image:
    from PIL import ImageDraw, ImageFont

    exact = min(time * clip.fps, len(clip) - 1)
    low = int(exact)
    high, share = min(low + 1, len(clip) - 1), exact - low
    points = drawn.points[low] * (1 - share) + drawn.points[high] * share
    target = stage.target[low] * (1 - share) + stage.target[high] * share
    image = backdrop.copy()
    draw = ImageDraw.Draw(image)
    _floor(draw, stage, target)
    _marks(draw, drawn, stage, target, low)
    _shadow(draw, drawn, stage, points, target)
    _body(draw, drawn, stage, points, target)

    left, top, wide, lane = stage.bars
    edge = top - 6 * _OVER
    image.paste(backdrop.crop((0, edge, *stage.size)), (0, edge))  # the floor ends where the bars begin
    x = left + wide * exact / max(len(clip) - 1, 1)
    bottom = top + lane * max(len(drawn.parts), 1)
    draw.line((left, bottom, left + wide, bottom), fill=_GRID, width=_OVER)
    draw.line((x, top - 4 * _OVER, x, bottom + 3 * _OVER), fill=_INK, width=2 * _OVER)
    font = ImageFont.load_default(12 * _OVER)
    draw.text((stage.size[0] - 12 * _OVER, 9 * _OVER), f"{time:.2f} s", fill=_FAINT, font=font, anchor="ra")
    return image.reduce(_OVER)


def _floor(draw: ImageDraw, stage: _Stage, target: Array) -> None:
    """A half-metre grid around the target that fades out; its lines stay put, so that travel shows."""
    ahead = np.array([stage.direction[0], 0.0, stage.direction[1]])
    across = np.cross([0.0, 1.0, 0.0], ahead)
    steps = np.arange(-_FLOOR, _FLOOR + 0.01, 0.5)
    segments = []
    for one, two in ((ahead, across), (across, ahead)):
        fixed = np.round(target @ one * 2) / 2 + steps
        run = np.round(target @ two * 2) / 2 + steps
        grid = fixed[:, None, None] * one + run[None, :, None] * two
        segments.append(np.stack([grid[:, :-1], grid[:, 1:]], axis=2).reshape(-1, 2, 3))
    lines = np.concatenate(segments)
    away = np.linalg.norm((lines.mean(axis=1) - target) * _GROUND, axis=1) / _FLOOR
    flat, near = stage.pixels(lines, target)
    for (start, end), pale, depth in zip(flat, np.clip(away, 0, 1) ** 2, near.max(axis=1), strict=True):
        if pale < 0.98 and depth < 0.8 * stage.look.distance:
            draw.line((*start, *end), fill=_mix(_GRID, _PAPER, float(np.round(pale * 8) / 8)), width=_OVER)


def _marks(draw: ImageDraw, drawn: StickFigure, stage: _Stage, target: Array, frame: int) -> None:
    """Prints left so far: full colour while touching, then pale."""
    for mark in drawn.marks:
        if mark.start > frame:
            continue
        seen = drawn.points[(mark.start + min(mark.stop, frame + 1) - 1) // 2, [mark.back, mark.joint]]
        if np.linalg.norm((seen[1] - target) * _GROUND) > _FLOOR:
            continue
        ends, near = stage.pixels(seen * _GROUND, target)
        wide = _perspective(stage, near) * 0.085
        colour = _mix(PARTS[mark.part].colour, _PAPER, 0.25 if frame < mark.stop else 0.66)
        _capsule(draw, ends, wide, colour)


def _shadow(draw: ImageDraw, drawn: StickFigure, stage: _Stage, points: Array, target: Array) -> None:
    flat, near = stage.pixels(points * _GROUND, target)
    scale = _perspective(stage, near)
    for (a, b), radius in zip(drawn.bones, drawn.radius, strict=True):
        _capsule(draw, flat[[a, b]], 2 * radius * scale[[a, b]], _SHADOW)
    if drawn.head >= 0:
        _disc(draw, flat[drawn.head], drawn.head_radius * scale[drawn.head], _SHADOW)


def _body(draw: ImageDraw, drawn: StickFigure, stage: _Stage, points: Array, target: Array) -> None:
    """Limbs from far to near, each with a white edge, a shaded body and a light along its upper side."""
    flat, near = stage.pixels(points, target)
    scale = _perspective(stage, near)
    middle = near[drawn.bones].mean(axis=1)
    limbs = sorted(np.unique(drawn.limb).tolist(), key=lambda limb: float(middle[drawn.limb == limb].mean()))
    for limb in limbs:
        bones = np.flatnonzero(drawn.limb == limb)
        for b in bones:
            _capsule(
                draw, flat[drawn.bones[b]], (2.5 * drawn.radius[b] + 0.02) * scale[drawn.bones[b]], (255,) * 3
            )
        for b in bones:
            base = SIDE_COLOURS[drawn.side[b]]
            wide = 2.5 * drawn.radius[b] * scale[drawn.bones[b]]
            _capsule(draw, flat[drawn.bones[b]], wide, _mix(base, "#000000", 0.12))
        for b in bones:
            base = SIDE_COLOURS[drawn.side[b]]
            wide = 2.5 * drawn.radius[b] * scale[drawn.bones[b]]
            lit = flat[drawn.bones[b]] - wide[:, None] * [0.1, 0.14]
            _capsule(draw, lit, 0.45 * wide, _mix(base, _PAPER, 0.22))
        if limb == TRUNK and drawn.head >= 0:
            centre, radius = flat[drawn.head], drawn.head_radius * scale[drawn.head]
            _disc(draw, centre, radius + 0.01 * scale[drawn.head], (255,) * 3)
            _disc(draw, centre, radius, _mix(SIDE_COLOURS[TRUNK], "#000000", 0.12))
            _disc(draw, centre - radius * np.array([0.18, 0.26]), 0.5 * radius, _mix(_INK, _PAPER, 0.25))


def _perspective(stage: _Stage, near: Array) -> Array:
    """Pixels per metre at each point's depth."""
    return stage.scale / np.maximum(1.0 - near / stage.look.distance, 0.05)


def _capsule(draw: ImageDraw, ends: Array, wide: Array, colour: Rgb | str) -> None:
    """A line with round ends, thicker where it is nearer."""
    (ax, ay), (bx, by) = ends
    length = float(np.hypot(bx - ax, by - ay))
    if length > 1e-6:
        nx, ny = (ay - by) / length / 2, (bx - ax) / length / 2
        a, b = wide
        draw.polygon(
            [
                (ax + nx * a, ay + ny * a),
                (bx + nx * b, by + ny * b),
                (bx - nx * b, by - ny * b),
                (ax - nx * a, ay - ny * a),
            ],
            fill=colour,
        )
    _disc(draw, ends[0], wide[0] / 2, colour)
    _disc(draw, ends[1], wide[1] / 2, colour)


def _disc(draw: ImageDraw, centre: Array, radius: float, colour: Rgb | str) -> None:
    x, y = centre
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
