"""How long work shows itself: a bar on a terminal, one plain line per stage anywhere else."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class StageProgress:
    """Called as ``progress(what, done, total)`` by long work; stages follow one another."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self.console, self.quiet = console, quiet
        self.bar: Progress | None = None
        self.tasks: dict[str, tuple[int, float]] = {}

    def __enter__(self) -> StageProgress:
        if self.console.is_terminal and not self.quiet:
            columns = (
                TextColumn("{task.description:<12}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self.bar = Progress(*columns, console=self.console, transient=True)
            self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        if what not in self.tasks:
            task = -1 if self.bar is None else self.bar.add_task(what, total=total)
            self.tasks[what] = (task, time.perf_counter())
        task, start = self.tasks[what]
        if self.bar is not None:
            self.bar.update(task, completed=done, total=total)  # type: ignore[arg-type]
        elif done == total and not self.quiet:
            self.console.print(f"{what}: {total} in {time.perf_counter() - start:.1f} s", highlight=False)
