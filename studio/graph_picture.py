"""A picture of a graph: its states by behaviour, where it can lead, and how well its pieces fit."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mograph.contacts import HANDS, Contact
from mograph.graph.compact import CompactGraph
from mograph.graph.coverage import HEADINGS, Coverage
from mograph.graph.evaluate import Evaluation, Quality, evaluate, tagged
from mograph.graph.motion_graph import MotionGraph
from mograph.rotations import Array
from studio.saving import check_target, save
from studio.timeline import FAINT, INK, png_bytes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from mograph.graph.interpolated import InterpolatedGraph

_COLOURS = (
    "#4878a8", "#e08a3c", "#4f9d69", "#c9514c", "#8b6fb0", "#8c6d58",
    "#d087b8", "#7f8794", "#a8a63f", "#3fa9b5", "#2f4b6e", "#b8642a",
)  # fmt: skip
_DPI = 120


def draw_graph(
    graph: MotionGraph | CompactGraph | InterpolatedGraph,
    path: str | PathLike[str],
    evaluation: Evaluation | None = None,
) -> Path:
    """Draw the compact graph by behaviour, its coverage map and its change-overs to a PNG file.

    Every behaviour has a sector of the circle and a colour; a state lies in the sector of the clip it is
    taken from, nearer to the middle the more of its ways lead to other behaviours. Pick-ups are triangles,
    flights diamonds, and states of rest have a dark rim.
    """
    from matplotlib.figure import Figure

    path = check_target(path, (".png",))
    evaluation = evaluate(graph) if evaluation is None else evaluation
    if isinstance(graph, MotionGraph):
        compact = graph.compact()
    else:
        compact = graph if isinstance(graph, CompactGraph) else graph.compact
    figure = Figure(figsize=(14.0, 8.6), facecolor="white")
    wheel = figure.add_axes((0.015, 0.02, 0.565, 0.86))
    _draw_states(wheel, compact)
    _draw_coverage(figure.add_axes((0.655, 0.42, 0.30, 0.44)), evaluation.coverage)
    _draw_quality(figure.add_axes((0.655, 0.09, 0.30, 0.21)), evaluation.quality)
    figure.text(0.02, 0.955, _title(compact, evaluation), fontsize=13, color=INK, weight="bold")
    figure.text(0.02, 0.925, _note(evaluation), fontsize=9, color=FAINT)
    return save(path, png_bytes(figure, _DPI))


def _title(graph: CompactGraph, evaluation: Evaluation) -> str:
    full = evaluation.full
    return (
        f"{graph.states} states and {graph.transitions:,} ways, made of {full.states:,} poses "
        f"and {full.transitions:,} transitions"
    )


def _note(evaluation: Evaluation) -> str:
    own, poses = evaluation.compact, evaluation.full.strongly_connected
    parts = [
        f"{own.strongly_connected:.0%} of the states ({poses:.1%} of the poses) reach each other",
        f"{own.dead_ends} dead ends",
    ]
    for count, seconds, word in (
        (own.picks, evaluation.to_pick, "pick-up"),
        (own.flights, evaluation.to_flight, "flight"),
    ):
        if count:
            parts.append(
                f"{count} {word}s, the nearest {np.median(seconds):.1f} s away (at most {seconds.max():.1f})"
            )
    if evaluation.lost_events:
        parts.append(f"{evaluation.lost_events} events out of reach")
    return "; ".join(parts)


def state_behaviours(graph: CompactGraph) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Names of the behaviours, and for each state that of the clip it is taken from: its rarest tag."""
    names, has = tagged(graph.database, (graph.frame,))
    all_names, everywhere = tagged(graph.database, (np.arange(graph.database.poses),))
    frequent = np.array([everywhere[all_names.index(name)].sum() for name in names])
    own = np.argmin(np.where(has, frequent[:, None], np.iinfo(np.int64).max), axis=0)
    used = np.unique(own)
    return tuple(names[k] for k in used), np.searchsorted(used, own)


def lay_out(graph: CompactGraph, behaviour: NDArray[np.int64], count: int) -> tuple[Array, Array]:
    """Places (S, 2) of the states within a circle of radius 1, and sectors (B + 1,) of behaviours [rad]."""
    sizes = np.bincount(behaviour, minlength=count)
    width = np.maximum(sizes, 0.02 * graph.states) + 0.015 * graph.states
    sectors = 2 * np.pi * np.append(0.0, np.cumsum(width)) / width.sum()
    foreign = behaviour[graph.source] != behaviour[graph.target]
    ways = np.bincount(graph.source, minlength=graph.states) + np.bincount(
        graph.target, minlength=graph.states
    )
    outside = np.bincount(graph.source, foreign, graph.states) + np.bincount(
        graph.target, foreign, graph.states
    )
    openness = (
        np.argsort(np.argsort(outside / np.maximum(ways, 1), kind="stable"), kind="stable") / graph.states
    )
    place = np.zeros((graph.states, 2))
    for k in range(count):
        members = np.flatnonzero(behaviour == k)
        members = members[np.lexsort((members, openness[members], graph.contact[members]))]
        slots = (np.arange(len(members)) + 0.5) / max(len(members), 1)
        margin = 0.08 * (sectors[k + 1] - sectors[k])
        angle = sectors[k] + margin + slots * (sectors[k + 1] - sectors[k] - 2 * margin)
        radius = 1.0 - 0.4 * openness[members] - 0.07 * (np.arange(len(members)) % 3)
        place[members] = np.column_stack([radius * np.sin(angle), radius * np.cos(angle)])
    return place, sectors


def _draw_states(axes: Axes, graph: CompactGraph) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    names, behaviour = state_behaviours(graph)
    place, sectors = lay_out(graph, behaviour, len(names))
    colours = np.array([_COLOURS[k % len(_COLOURS)] for k in range(len(names))])
    pairs = np.unique(np.column_stack([graph.source, graph.target]), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    a, b = place[pairs[:, 0]], place[pairs[:, 1]]
    t = np.linspace(0.0, 1.0, 13)[None, :, None]
    bend = 0.25 * (a + b)[:, None]  # pulled towards the middle, so that sectors stay apart
    curves = (1 - t) ** 2 * a[:, None] + 2 * t * (1 - t) * bend + t**2 * b[:, None]
    alpha = float(np.clip(60.0 / np.sqrt(len(pairs) + 1) / 10, 0.06, 0.35))
    lines = LineCollection(
        list(curves), colors=colours[behaviour[pairs[:, 0]]].tolist(), linewidths=0.6, alpha=alpha
    )
    axes.add_collection(lines)
    contact = graph.contact
    pick, flight = (contact & HANDS) > 0, contact == Contact.FLIGHT
    for marker, size, chosen in (
        ("o", 26, ~pick & ~flight), ("^", 60, pick), ("D", 34, flight),
    ):  # fmt: skip
        axes.scatter(
            place[chosen, 0],
            place[chosen, 1],
            s=size,
            marker=marker,
            c=colours[behaviour[chosen]].tolist(),
            edgecolors=np.where(graph.rest[chosen], INK, "white").tolist(),
            linewidths=np.where(graph.rest[chosen], 1.4, 0.5).tolist(),
            zorder=3,
        )
    for k, name in enumerate(names):
        angle = 0.5 * (sectors[k] + sectors[k + 1])
        x, y = 1.07 * np.sin(angle), 1.07 * np.cos(angle)
        side = "left" if x > 0.15 else "right" if x < -0.15 else "center"
        label = f"{name.replace('_', ' ')} ({np.sum(behaviour == k)})"
        axes.text(x, y, label, ha=side, va="center", fontsize=10, color=colours[k], weight="bold")
    marks = (
        ("o", "contact change", "white"),
        ("^", "pick-up", "white"),
        ("D", "flight", "white"),
        ("o", "rest", INK),
    )
    handles = [
        Line2D([], [], marker=m, linestyle="", markersize=7, color=FAINT, markeredgecolor=rim, label=label)
        for m, label, rim in marks
    ]
    axes.legend(
        handles=handles, loc="lower left", frameon=False, fontsize=8, labelcolor=INK, handletextpad=0.3
    )
    axes.set_xlim(-1.45, 1.45)
    axes.set_ylim(-1.18, 1.18)
    axes.set_aspect("equal")
    axes.axis("off")


def _draw_coverage(axes: Axes, coverage: Coverage) -> None:
    half = (len(coverage.headings) // 2 + 0.5) * coverage.cell
    shown = np.ma.masked_equal(coverage.headings, 0)
    # seen from above with +Z, straight ahead, upwards and the character's left on the left
    image = axes.imshow(
        shown.T,
        origin="lower",
        extent=(-half, half, -half, half),
        cmap="viridis_r",
        vmin=0.5,
        vmax=HEADINGS + 0.5,
    )
    axes.invert_xaxis()
    axes.plot(0, 0, marker="^", color=INK, markersize=7)
    axes.set_aspect("equal")
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.75, pad=0.03)
    bar.set_label(f"headings reached of {HEADINGS}", fontsize=8, color=FAINT)
    bar.ax.tick_params(labelsize=7, colors=FAINT, length=0)
    bar.outline.set_visible(False)
    tidy(axes)
    axes.set_xlabel("left   x [m]   right", fontsize=8, color=FAINT)
    axes.set_ylabel("ahead z [m]", fontsize=8, color=FAINT)
    part = f"{coverage.share():.0%} of a disc of {coverage.radius:.1f} m"
    title = f"Within {coverage.seconds:g} s from standing: {part}"
    axes.set_title(title, fontsize=10, color=INK, loc="left", pad=8)


def _draw_quality(axes: Axes, quality: Quality) -> None:
    width = np.diff(quality.edges)
    axes.bar(quality.edges[:-1], quality.counts, width=0.9 * width, align="edge", color="#9aa7b8")
    axes.axvline(quality.threshold, color="#c9514c", linewidth=1.2)
    axes.text(
        quality.threshold, axes.get_ylim()[1], " threshold", fontsize=8, color="#c9514c", va="top", ha="left"
    )
    tidy(axes)
    note = f"distance [rad²]; median {quality.median:.2f}, {quality.above:.0%} above the threshold"
    axes.set_xlabel(note, fontsize=8, color=FAINT, loc="left")
    axes.set_title(
        f"Change-overs of the ways ({quality.natural:.0%} have none)",
        fontsize=10,
        color=INK,
        loc="left",
        pad=8,
    )
