"""What the command tells people: figures as tables and sentences."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from mograph.dynamics.validity import Limit, Report
    from mograph.graph import CompactGraph, InterpolatedGraph
    from mograph.graph.evaluate import Evaluation

out = Console(width=None if sys.stdout.isatty() else 160)  # tables of a pipe are not squeezed


def print_database(title: str, figures: dict[str, Any]) -> None:
    """What is in a database, as `Database.summary` counts it."""
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None)
    table.add_column(style="cyan" if out.is_terminal else "")
    table.add_column()
    mirrored = f", {figures['mirrored']} of them mirrored" if figures["mirrored"] else ""
    table.add_row("clips", f"{figures['clips']:,}{mirrored}")
    table.add_row("poses", f"{figures['poses']:,} at {figures['fps']:g}/s")
    table.add_row("seconds", f"{figures['seconds']:,.1f}")
    table.add_row(
        "skeleton",
        f"{figures['joints']} joints, {figures['degrees_of_freedom']} degrees of freedom, "
        f"leg {figures['leg_length']:.2f} m",
    )
    if figures["subjects"]:
        table.add_row("subjects", ", ".join(figures["subjects"]))
    if figures["behaviours"]:
        table.add_row("behaviours", ", ".join(f"{tag} {n}" for tag, n in figures["behaviours"].items()))
    for name, counts in figures["contacts"].items():
        table.add_row(
            "contacts" if name == next(iter(figures["contacts"])) else "",
            f"{name.replace('_', ' ')}: {counts['phases']:,} phases, {100 * counts['share']:.1f} % of poses",
        )
    out.print(table)


def print_check(report: Report) -> None:
    """A line per check with its worst row, then every row that failed."""
    table = Table("check", "rows", "failed", "worst", "limit", "unit", box=None)
    for check in dict.fromkeys(row.check for row in report.rows):
        rows = [row for row in report.rows if row.check == check]
        failed = sum(not row.passed for row in rows)
        worst = max(rows, key=lambda row: max(row.value - row.limit.high, row.limit.low - row.value))
        mark = f"[red]{failed}[/]" if failed else "[green]0[/]"
        table.add_row(
            check.replace("_", " "),
            str(len(rows)),
            mark,
            f"{worst.value:.3g}",
            _range(worst.limit),
            worst.limit.unit,
        )
    out.print(table)
    _print_failures([report])
    passed = len(report.rows) - len(report.failures)
    out.print(f"{passed} of {len(report.rows)} rows pass; score {100 * report.score:.0f} %", highlight=False)


def _print_failures(reports: list[Report]) -> None:
    for report in reports:
        for row in report.failures:
            text = f"failed: {report.name}, {row.phase}: {row.check.replace('_', ' ')} {row.value:.3g}"
            out.print(
                f"{text}, limit {_range(row.limit)} {row.limit.unit}",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )


def print_checks(reports: list[Report]) -> None:
    """Every row that failed in any clip, and the sum."""
    _print_failures(reports)
    passed = sum(report.passed for report in reports)
    rows = sum(len(report.rows) for report in reports)
    failed = sum(len(report.failures) for report in reports)
    out.print(
        f"{passed} of {len(reports)} clips pass everything; {failed} of {rows:,} rows failed", highlight=False
    )


def _range(limit: Limit) -> str:
    if limit.low == float("-inf"):
        return f"at most {limit.high:g}"
    return f"{limit.low:g} to {limit.high:g}"


def graph_figures(graph: CompactGraph | InterpolatedGraph) -> dict[str, Any]:
    """Sizes and times of a graph's making, ready for JSON."""
    mixed = getattr(graph, "pair", None) is not None
    compact: Any = getattr(graph, "compact", None) if mixed else graph
    return {
        **graph.stages,
        "threshold": round(compact.motion_graph.threshold, 4),
        "lost_events": compact.lost_events,
        "rest_states": int(compact.rest.sum()),
        **({"removed": graph.removed} if mixed else {}),  # type: ignore[union-attr]
    }


def print_graph(title: str, figures: dict[str, Any]) -> None:
    """Sizes of a graph stage by stage, as in Safonova's table 4.3."""
    table = Table("graph", "states", "transitions", "seconds", title=title, title_justify="left", box=None)
    names = {
        "full": "all poses",
        "edges_culled": "best ways between contact changes",
        "compact": "like states merged",
        "interpolated": "interpolated",
    }
    for key, name in names.items():
        if key in figures:
            row = figures[key]
            table.add_row(name, f"{row['states']:,}", f"{row['transitions']:,}", f"{row['seconds']:.2f}")
    out.print(table)
    lost = figures["lost_events"]
    verdict = (
        "every pick-up and flight can be reached and left"
        if lost == 0
        else f"{lost} pick-ups or flights are lost"
    )
    out.print(
        f"threshold {figures['threshold']:g}; {figures['rest_states']} states of rest; {verdict}",
        highlight=False,
    )


def print_evaluation(report: Evaluation) -> None:
    """A graph's connections, behaviours and reach."""
    figures = report.as_dict()
    table = Table(
        "graph",
        "states",
        "transitions",
        "connected",
        "dead ends",
        "reach a pick-up",
        "reach a flight",
        box=None,
    )
    for name in ("full", "compact", "interpolated"):
        row = figures[name]
        if row is not None:
            table.add_row(
                name,
                f"{row['states']:,}",
                f"{row['transitions']:,}",
                f"{100 * row['strongly_connected']:.1f} %",
                f"{row['dead_ends']:,}",
                f"{100 * row['reach_pick']:.0f} %" if row["picks"] else "no pick-ups",
                f"{100 * row['reach_flight']:.0f} %" if row["flights"] else "no flights",
            )
    out.print(table)
    behaviours = report.behaviours
    times = Table("seconds from \\ to", *behaviours.names, box=None)
    for name, row in zip(behaviours.names, behaviours.seconds, strict=True):
        times.add_row(name, *(f"{value:.1f}" if value < 1e9 else "never" for value in row))
    out.print(times)
    quality = figures["change_overs"]
    out.print(
        f"change-overs: median {quality['median']:.3g}, nine tenths below {quality['worst_tenth']:.3g}, "
        f"threshold {quality['threshold']:.3g}; {100 * quality['natural']:.0f} % of ways have none",
        highlight=False,
    )
