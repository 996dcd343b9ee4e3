"""A picture of a validity report: one bar per check along the motion, green, red or not judged."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from mograph.contacts import Contact
from mograph.dynamics.validity import Report, Row
from studio.saving import check_target, save
from studio.timeline import png_bytes

PASSED, FAILED, UNJUDGED = "#3a9d5d", "#d0342c", "#e6e6e6"
_PARTS = ((Contact.LEFT_FOOT, "left foot"), (Contact.RIGHT_FOOT, "right foot"), (Contact.PELVIS, "pelvis"))


def draw_report(report: Report, path: str | PathLike[str]) -> Path:
    """Draw the report's timeline to a PNG file and return its path.

    Each check has a bar that is green where a row passed, red where one failed and grey where nothing was to
    be judged; the worst value of the check stands beside it with its limit. Below are the contacts.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = check_target(path, (".png",))
    checks = list(dict.fromkeys(row.check for row in report.rows))
    parts = [part for part in _PARTS if any(part[0] & contact for _, _, contact in report.phases)]
    lanes = len(checks) + len(parts)
    figure = Figure(figsize=(11.0, 1.2 + 0.28 * lanes), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    end = max(report.seconds, 1e-3)
    for lane, check in enumerate(checks):
        rows = [row for row in report.rows if row.check == check]
        axes.barh(lane, end, height=0.7, color=UNJUDGED)
        for row in sorted(rows, key=lambda row: not row.passed):  # failures last, on top
            colour = PASSED if row.passed else FAILED
            axes.barh(lane, row.stop - row.start, left=row.start, height=0.7, color=colour, edgecolor="white")
        axes.text(end * 1.01, lane, _worst(rows), va="center", fontsize=8)
    for lane, (part, _) in enumerate(parts, len(checks)):
        for start, stop, contact in report.phases:
            if contact & part:
                axes.barh(lane, stop - start, left=start, height=0.5, color="#4a5a6a")
    axes.set_yticks(range(lanes), [c.replace("_", " ") for c in checks] + [word for _, word in parts])
    axes.set_ylim(lanes - 0.4, -0.6)
    axes.set_xlim(0.0, end)
    axes.set_xlabel("time [s]")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    verdict = (
        "all checks passed" if report.passed else f"{len(report.failures)} of {len(report.rows)} rows failed"
    )
    axes.set_title(f"{report.name}: {verdict}, {report.score:.0%} of the time valid", loc="left", fontsize=11)
    return save(path, png_bytes(figure, dpi=120))


def _worst(rows: list[Row]) -> str:
    """The row farthest beyond its limit, or nearest to it, in words."""

    def excess(row: Row) -> float:
        return max(row.value - row.limit.high, row.limit.low - row.value)

    row = max(rows, key=excess)
    value = f"{row.value:.3g}" if abs(row.value) >= 5e-4 else "0"
    low = "at most " if row.limit.low == float("-inf") else f"{row.limit.low:g}.."
    return f"{value}  ({low}{row.limit.high:g} {row.limit.unit}".rstrip() + ")"
