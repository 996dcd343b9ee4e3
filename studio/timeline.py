"""Contacts over time as coloured bars: one clip under a strip, or a whole database on one page."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mograph.clip import Clip
from mograph.contacts import phase_starts
from studio.saving import check_target, save
from studio.stick_figure import FLIGHT_COLOUR, PARTS, contact_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, FAINT, RULE = "#333842", "#8b919c", "#dfe2e7"
MOST_ROWS = 60  # clips on one page; more would be too thin to read
_DPI = 120


def draw_contacts(axes: Axes, clip: Clip, parts: Sequence[int], base: float, lane: float) -> None:
    """Bars of one clip: a lane of height ``lane`` per part, downward from ``base``; flight behind them."""
    if clip.contact is None:
        return
    height = lane * len(parts)
    flights = _spans(clip, 0)
    axes.broken_barh(flights, (base - height, height), facecolor=FLIGHT_COLOUR, linewidth=0)
    for row, index in enumerate(parts):
        part = PARTS[index]
        spans = _spans(clip, int(part.contact))
        low = base - (row + 0.86) * lane
        axes.broken_barh(spans, (low, 0.72 * lane), facecolor=part.colour, linewidth=0)


def _spans(clip: Clip, bit: int) -> list[tuple[float, float]]:
    assert clip.contact is not None
    runs = contact_runs(clip.contact, bit)
    # a frame stands for the time until the next one; the last has none after it
    last = len(clip) - 1 if len(clip) > 1 else 1
    return [(a / clip.fps, (min(b, last) - a) / clip.fps) for a, b in runs if min(b, last) > a]


def tidy(axes: Axes, *, size: float = 8.0) -> None:
    """The look all our axes share: no box, small quiet figures."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(RULE)
    axes.tick_params(length=0, labelsize=size, colors=FAINT)


def png_bytes(figure: Figure, dpi: float) -> bytes:
    """The figure as a PNG; without a date or version in it, so that equal pictures are equal files."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def contact_timeline(clips: Sequence[Clip], path: str | Path, *, title: str | None = None) -> Path:
    """Draw the contacts of many clips, one row each, beside what the whole lot is made of.

    At most 60 rows are drawn (a note says so if there are more clips); the summary counts all clips.
    """
    from matplotlib.figure import Figure

    path = check_target(path, (".png",))
    shown = list(clips)[:MOST_ROWS]
    parts = [0, 1] + [k for k in range(2, len(PARTS)) if any(_touches(c, k) for c in shown)]
    lane = 0.8 / len(parts)
    row_inches = 0.15 + 0.055 * len(parts)
    head, foot = 0.95, 0.55
    tall = row_inches * max(len(shown), 1)
    width, height = 13.0, max(head + tall + foot, 5.2)
    figure = Figure(figsize=(width, height), facecolor="white")

    rows = figure.add_axes((1.9 / width, 1 - (head + tall) / height, 7.4 / width, tall / height))
    for row, clip in enumerate(shown):
        rows.plot([0, clip.seconds], [-row - 0.5] * 2, color=RULE, linewidth=0.8, zorder=0)
        if clip.contact is None:
            rows.text(0, -row - 0.45, "  contacts not known", fontsize=7, color=FAINT, va="bottom")
        draw_contacts(rows, clip, parts, -row - 0.1, lane)
    rows.set_ylim(-max(len(shown), 1), 0)
    rows.set_xlim(0, max((c.seconds for c in shown), default=0.0) or 1.0)
    rows.set_yticks([-r - 0.5 for r in range(len(shown))])
    rows.set_yticklabels([_short(c.name or f"clip {r + 1}", 26) for r, c in enumerate(shown)])
    rows.set_xlabel("seconds", fontsize=8, color=FAINT)
    rows.grid(axis="x", color=RULE, linewidth=0.5)
    rows.set_axisbelow(True)
    tidy(rows)
    rows.tick_params(axis="y", colors=INK, labelsize=8)

    total = sum(c.seconds for c in clips)
    poses = sum(len(c) for c in clips)
    figure.text(0.3 / width, 1 - 0.36 / height, title or "Contacts", fontsize=14, color=INK, weight="bold")
    note = f"{len(clips)} clips, {poses} poses, {total:.1f} s"
    if len(clips) > MOST_ROWS:
        note += f"; the first {MOST_ROWS} clips are shown"
    figure.text(0.3 / width, 1 - 0.6 / height, note, fontsize=9, color=FAINT)
    _key(figure, parts, width, height)
    _summary(figure, clips, width, height, head)
    return save(path, png_bytes(figure, _DPI))


def _touches(clip: Clip, part: int) -> bool:
    return clip.contact is not None and bool(np.any(clip.contact & int(PARTS[part].contact)))


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _key(figure: Figure, parts: Sequence[int], width: float, height: float) -> None:
    from matplotlib.patches import Patch

    entries = [Patch(color=PARTS[k].colour, label=PARTS[k].label) for k in parts]
    entries.append(Patch(color=FLIGHT_COLOUR, label="flight"))
    figure.legend(
        handles=entries,
        loc="upper right",
        bbox_to_anchor=(9.36 / width, 1 - 0.42 / height),
        ncols=len(entries),
        frameon=False,
        fontsize=8,
        labelcolor=INK,
        handlelength=1.0,
        handleheight=0.7,
        columnspacing=1.2,
        handletextpad=0.5,
        borderaxespad=0,
    )


def _summary(figure: Figure, clips: Sequence[Clip], width: float, height: float, head: float) -> None:
    left, wide = 10.7 / width, 2.0 / width
    tags: Counter[str] = Counter()
    for clip in clips:
        for tag in clip.tags or ("no tag",):
            tags[tag] += len(clip)
    chosen = tags.most_common(14)
    bars_tall = 0.2 * max(len(chosen), 2)
    top = height - head
    axes = figure.add_axes((left, (top - bars_tall) / height, wide, bars_tall / height))
    axes.barh([t for t, _ in chosen], [n for _, n in chosen], color="#9aa7b8", height=0.66)
    axes.set_ylim(max(len(chosen), 2) - 0.5, -0.5)
    axes.set_title("poses per behaviour", fontsize=9, color=INK, loc="left", pad=6)
    most = max((n for _, n in chosen), default=1)
    for row, (_, count) in enumerate(chosen):
        axes.text(count + 0.03 * most, row, f"{count}", va="center", fontsize=7, color=FAINT)
    axes.set_xlim(0, most * 1.12)
    axes.set_xticks([])
    tidy(axes)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", colors=INK)

    durations = _phase_durations(clips)
    below = top - bars_tall - 0.75
    tall = min(1.5, below - 0.55)
    if len(durations) == 0 or tall < 0.5:
        return
    axes = figure.add_axes((left, (below - tall) / height, wide, tall / height))
    longest = max(float(np.quantile(durations, 0.98)), 0.1)
    axes.hist(np.minimum(durations, longest), bins=24, range=(0, longest), color="#9aa7b8", rwidth=0.9)
    axes.set_title("duration of contact phases", fontsize=9, color=INK, loc="left", pad=6)
    note = f"seconds; {len(durations)} phases, median {np.median(durations):.2f}"
    axes.set_xlabel(note, fontsize=7, color=FAINT, loc="left")
    tidy(axes)


def _phase_durations(clips: Sequence[Clip]) -> np.ndarray:
    """Durations [s] of the phases seen whole: a clip's first and last are cut off by its ends."""
    lengths = [np.diff(phase_starts(c.contact))[1:] / c.fps for c in clips if c.contact is not None]
    return np.concatenate(lengths) if lengths else np.zeros(0)
