"""The command ``mograph``: every job of the product from a terminal or a script."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

import mograph
from mograph.errors import MographError
from studio.progress import StageProgress
from studio.tables import (
    graph_figures,
    out,
    print_check,
    print_checks,
    print_database,
    print_evaluation,
    print_graph,
)

app = typer.Typer(
    name="mograph",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help="Plan full-body character motion: motion capture in, motion graph out.\n\n"
    "Start with [bold]mograph sample clips[/], then [bold]mograph import clips -o moves.mgdb[/].",
    context_settings={"help_option_names": ["-h", "--help"]},
)
err = Console(stderr=True)

SOME_FAILED = 1  # exit code: the result was written, but some files are missing from it
BAD_INPUT = 2  # exit code: nothing was written
STOPPED = 130  # exit code: interrupted by Ctrl-C

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for programs, nothing else.")]
ProfileOption = Annotated[
    str,
    typer.Option(
        help="Source of the files: [bold]auto[/] guesses units and axes, [bold]cmu[/] knows the CMU data."
    ),
]


class Stopped(BaseException):
    """Ctrl-C, under a name of our own so that the last word is ours and not the framework's."""


def _stop(*_: object) -> NoReturn:
    raise Stopped


def main() -> NoReturn:
    """Run the command; what is wrong with the input is said in one sentence, exit code 2."""
    signal.signal(signal.SIGINT, _stop)
    try:
        app()
    except MographError as error:
        err.print(f"[bold red]error:[/] {_escaped(str(error))}", soft_wrap=True, highlight=False)
        sys.exit(BAD_INPUT)
    except Stopped:
        err.print("stopped; nothing was written")
        sys.exit(STOPPED)
    sys.exit(0)


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


def _version(wanted: bool) -> None:
    if wanted:
        print(mograph.__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of the command itself."""


@app.command(rich_help_panel="Data")
def sample(
    folder: Annotated[Path, typer.Argument(help="Folder for the clips; made if it does not exist.")],
) -> None:
    """Write the embedded sample clips (BVH files and a manifest) into a folder."""
    from mograph.sample import write_sample

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MographError(f"cannot make the folder {folder}: {error.strerror}") from error
    written = write_sample(folder)
    clips = [path for path in written if path.suffix == ".bvh"]
    out.print(f"wrote {len(clips)} clips to {folder}", highlight=False)


@app.command("import", rich_help_panel="Data")
def import_(
    sources: Annotated[list[Path], typer.Argument(help="Motion files (.bvh, .amc) or folders of them.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Database file to write.")],
    profile: ProfileOption = "auto",
    manifest: Annotated[
        Path | None,
        typer.Option(help="CSV table of labels; a folder's own manifest.csv is used if none is given."),
    ] = None,
    set_: Annotated[
        Path | None, typer.Option("--set", help="Text file naming the clips to take, a path per line.")
    ] = None,
    skeleton: Annotated[
        str | None,
        typer.Option(help="Put all clips on this skeleton: a motion file, a database, or 'sample'."),
    ] = None,
    fps: Annotated[float, typer.Option(help="Poses per second in the database.")] = 30.0,
    mirror: Annotated[bool, typer.Option("--mirror", help="Add the mirror image of every clip.")] = False,
    workers: Annotated[int, typer.Option(min=0, help="Processes to use; 0 takes all cores.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Make a motion database: one skeleton, one rate, contacts found, labels kept.

    Files that cannot be read are listed at the end and the rest is written (exit code 1).
    A sidecar NAME.events.json beside a file overrides the contacts found in it.
    """
    from mograph.importer import ImportSettings, find_sources, import_clips

    if not output.parent.is_dir():
        raise MographError(f"cannot write {output}: the folder {output.parent} does not exist")
    settings = ImportSettings(
        profile=profile,
        fps=fps,
        mirror=mirror,
        skeleton=None if skeleton is None else _skeleton(skeleton, profile),
        workers=workers or os.cpu_count() or 1,
    )
    found = find_sources(sources, manifest, set_)
    with StageProgress(err, quiet=as_json) as progress:
        imported = import_clips(found, settings, progress)
    database = imported.database
    database.save(output)
    if as_json:
        failures = [{"file": file, "reason": reason} for file, reason in imported.failures]
        print(json.dumps({**database.summary(), "output": str(output), "failures": failures}))
    else:
        for note, count in imported.notes:
            err.print(f"note: {note} ({count} of {len(found)} files)", highlight=False, markup=False)
        err.print(f"note: skeleton {imported.skeleton_from}", highlight=False, markup=False)
        print_database(f"{output}", database.summary())
    if imported.failures:
        for file, reason in imported.failures:
            err.print(
                f"failed: {reason if file in reason else f'{file}: {reason}'}", markup=False, soft_wrap=True
            )
        err.print(
            f"{len(imported.failures)} of {len(found)} files failed; the rest was written", markup=False
        )
        raise typer.Exit(SOME_FAILED)


@app.command(rich_help_panel="Data")
def info(
    file: Annotated[Path, typer.Argument(help="A database, a graph, or a motion file.")],
    plot: Annotated[
        Path | None, typer.Option(help="Also draw a contact timeline and statistics to this PNG.")
    ] = None,
    profile: ProfileOption = "auto",
    as_json: JsonFlag = False,
) -> None:
    """What is in a file: clips, poses, seconds, behaviours, contacts."""
    from mograph.storage import container_format

    if container_format(file) == "mograph.graph":
        from mograph.graph import load_graph

        if plot is not None:
            raise MographError(f"--plot draws databases and {file} is a graph; see 'mograph evaluate --plot'")
        figures = graph_figures(load_graph(file))
        if as_json:
            print(json.dumps(figures))
        else:
            print_graph(str(file), figures)
        return
    database = _database(file, profile)
    if plot is not None:
        from studio.timeline import contact_timeline

        contact_timeline(list(database), plot, title=file.name)
    if as_json:
        print(json.dumps(database.summary()))
        return
    print_database(str(file), database.summary())
    if plot is not None:
        out.print(f"picture: {plot}", highlight=False)


@app.command(rich_help_panel="Motion")
def render(
    clip: Annotated[str, typer.Argument(help="A motion file, or DATABASE:CLIP.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Picture to write: .png, .gif or .html.")],
    view: Annotated[str | None, typer.Option(help="side, front, top or three_quarter.")] = None,
    profile: ProfileOption = "auto",
) -> None:
    """Draw a clip: a strip of stick figures, an animation, or a page with a viewer."""
    from studio.render import render as draw

    draw(_clip(clip, profile), output, view=view)
    out.print(f"wrote {output}", highlight=False)


@app.command(rich_help_panel="Motion")
def convert(
    clip: Annotated[str, typer.Argument(help="A motion file, or DATABASE:CLIP.")],
    output: Annotated[Path, typer.Argument(help="File to write: .bvh or .glb.")],
    profile: ProfileOption = "auto",
    fps: Annotated[float | None, typer.Option(help="Change the frame rate.")] = None,
    mirror: Annotated[bool, typer.Option("--mirror", help="Exchange left and right.")] = False,
    skeleton: Annotated[
        str | None, typer.Option(help="Put it on another skeleton: a motion file, a database, or 'sample'.")
    ] = None,
) -> None:
    """Turn a motion into another file format, rate, side or skeleton."""
    from mograph.files import write_clip
    from mograph.mirror import mirrored
    from mograph.retarget import retargeted

    motion = _clip(clip, profile)
    if fps is not None:
        motion = motion.resampled(fps)
    if skeleton is not None:
        motion = retargeted(motion, _skeleton(skeleton, profile))
    if mirror:
        motion = mirrored(motion)
    write_clip(motion, output)
    out.print(f"wrote {output}: {len(motion)} frames at {motion.fps:g}/s", highlight=False)


@app.command(rich_help_panel="Motion")
def contacts(
    file: Annotated[Path, typer.Argument(help="A motion file.")],
    profile: ProfileOption = "auto",
    tags: Annotated[
        str,
        typer.Option(help="What the clip shows, e.g. 'walk pickup': hands are looked for in pick-ups only."),
    ] = "",
    write: Annotated[
        bool, typer.Option("--write", help="Write NAME.events.json beside the file, to be corrected by hand.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a sidecar that is there.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """What touches the ground when: the phases of a clip, or a sidecar to correct them in."""
    from mograph.contacts import phases
    from mograph.events import sidecar_path, write_events
    from mograph.importer import load_detected

    motion, loaded = load_detected(file, profile, tuple(tags.split()))
    assert motion.contact is not None
    start = loaded.dropped / motion.fps
    rows: list[dict[str, Any]] = [
        {
            "start": round(start + phase.start / motion.fps, 4),
            "end": round(start + phase.stop / motion.fps, 4),
            "contact": [part.name.lower() for part in phase.contact if part.name],
        }
        for phase in phases(motion.contact)
    ]
    if write:
        path = sidecar_path(file)
        if path.exists() and not force:
            raise MographError(f"{path} is there already; --force overwrites it")
        write_events(motion, path, loaded.dropped)
    if as_json:
        print(json.dumps({"file": str(file), "phases": rows}))
        return
    table = Table("from s", "to s", "touching", box=None)
    for row in rows:
        touching = ", ".join(row["contact"]) or "nothing (flight)"
        table.add_row(f"{row['start']:.3f}", f"{row['end']:.3f}", touching)
    out.print(table)
    if write:
        out.print(f"wrote {path}", highlight=False)


@app.command(rich_help_panel="Motion")
def check(
    file: Annotated[str, typer.Argument(help="A motion file, DATABASE:CLIP, or a whole database.")],
    profile: ProfileOption = "auto",
    plot: Annotated[
        Path | None, typer.Option(help="Draw the red and green timeline of one clip to this PNG.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Does a motion obey physics: gravity, balance, friction, torques, feet that stay put.

    One row per check and phase with value, limit and where the limit comes from. A database is checked clip
    by clip. Exit code 0 says the report was made, whatever it says.
    """
    from mograph.dynamics import check_motion
    from mograph.storage import container_format

    whole = container_format(file) is not None
    clips = list(_database(Path(file), profile)) if whole else [_clip(file, profile)]
    if plot is not None and len(clips) > 1:
        raise MographError(f"--plot draws one clip and {file} has {len(clips)}; name one as {file}:CLIP")
    with StageProgress(err, quiet=as_json or len(clips) == 1) as progress:
        reports = []
        for done, clip in enumerate(clips, 1):
            reports.append(check_motion(clip))
            progress("checking", done, len(clips))
    if plot is not None:
        from studio.validity_timeline import draw_report

        draw_report(reports[0], plot)
    if as_json:
        shown = [report.as_dict() for report in reports]
        print(json.dumps(shown[0] if len(shown) == 1 else {"clips": shown}))
        return
    if len(reports) == 1:
        print_check(reports[0])
    else:
        print_checks(reports)
    if plot is not None:
        out.print(f"picture: {plot}", highlight=False)


@app.command(rich_help_panel="Graphs")
def build(
    database: Annotated[Path, typer.Argument(help="A database made by 'mograph import'.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Graph file to write.")],
    k: Annotated[int, typer.Option(min=1, max=2, help="Paths to interpolate: 1 for none, or 2.")] = 2,
    threshold: Annotated[
        float | None,
        typer.Option(help="Largest pose distance of a change-over; chosen by itself if not given."),
    ] = None,
    cost: Annotated[
        str, typer.Option(help="What is to be cheap: torque, time, distance or acceleration.")
    ] = "torque",
    merge: Annotated[
        float, typer.Option(help="Merge states this many thresholds alike; 0 merges none.")
    ] = 1.5,
    parallel: Annotated[int, typer.Option(min=1, help="Ways kept between two states.")] = 4,
    transitions: Annotated[int, typer.Option(min=1, max=4, help="Change-overs allowed within a phase.")] = 1,
    weights: Annotated[int, typer.Option(min=3, max=21, help="Weight values of an interpolation.")] = 5,
    as_json: JsonFlag = False,
) -> None:
    """Build a motion graph: all poses, compressed to contact changes, interpolated between two paths."""
    from mograph.graph import CompactSettings, CostWeights, GraphSettings, MotionGraph, save_graph
    from mograph.graph.compact import compress
    from mograph.graph.interpolated import InterpolationSettings, interpolate_graph

    if not output.parent.is_dir():
        raise MographError(f"cannot write {output}: the folder {output.parent} does not exist")
    kinds = ("torque", "time", "distance", "acceleration")
    if cost not in kinds:
        raise MographError(f"unknown cost '{cost}'; costs are: {', '.join(kinds)}")
    if threshold is not None and not 0 < threshold <= 10:
        raise MographError(f"threshold {threshold:g}; it must be above 0 and at most 10")
    source = _database(database, "auto")
    price = (
        CostWeights() if cost == "torque" else CostWeights(**{"torque": 0.0, cost: 1.0, "transition": 1.0})
    )
    settings = CompactSettings(merge=merge, parallel=parallel, transitions=transitions)
    with StageProgress(err, quiet=as_json) as progress:
        full = MotionGraph.build(source, GraphSettings(threshold=threshold, cost=price), progress)
        compact = compress(full, settings)
        progress("compressing", 1, 1)
        graph = interpolate_graph(compact, InterpolationSettings(weights=weights)) if k == 2 else compact
        if k == 2:
            progress("interpolating", 1, 1)
    save_graph(graph, output)
    figures = graph_figures(graph)
    if as_json:
        print(json.dumps({**figures, "output": str(output)}))
        return
    print_graph(str(output), figures)


@app.command(rich_help_panel="Graphs")
def evaluate(
    graph: Annotated[Path, typer.Argument(help="A graph made by 'mograph build'.")],
    plot: Annotated[
        Path | None, typer.Option(help="Draw the graph, its reach and its quality to this PNG.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """How good a graph is: what can follow what and how fast, dead ends, reach, quality of change-overs."""
    from mograph.graph import load_graph
    from mograph.graph.evaluate import evaluate as judge

    loaded = load_graph(graph)
    report = judge(loaded)
    if plot is not None:
        from studio.graph_picture import draw_graph

        draw_graph(loaded, plot, report)
    if as_json:
        print(json.dumps(report.as_dict()))
        return
    print_evaluation(report)
    if plot is not None:
        out.print(f"picture: {plot}", highlight=False)


@app.command(rich_help_panel="Graphs")
def walk(
    graph: Annotated[Path, typer.Argument(help="A graph made by 'mograph build'.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Motion to write: .bvh or .glb; or .png, .gif, .html.")
    ],
    seconds: Annotated[float, typer.Option(min=0.1, max=600.0, help="Least length of the walk.")] = 10.0,
    seed: Annotated[int, typer.Option(help="Another number, another walk.")] = 0,
) -> None:
    """Wander through a graph at random: the quickest look at what it can do."""
    from mograph.files import WRITABLE, write_clip
    from mograph.graph import load_graph
    from studio.render import SUFFIXES
    from studio.render import render as draw

    if output.suffix.lower() not in (*WRITABLE, *SUFFIXES):
        raise MographError(
            f"cannot write {output}: the name must end in one of {', '.join((*WRITABLE, *SUFFIXES))}"
        )
    loaded = load_graph(graph)
    motion = loaded.realise(loaded.random_walk(seconds, seed)).with_(name=f"walk {seed}")
    if output.suffix.lower() in WRITABLE:
        write_clip(motion, output)
    else:
        draw(motion, output)
    out.print(f"wrote {output}: {motion.seconds:.1f} s", highlight=False)


def _database(file: Path, profile: str) -> mograph.Database:
    """A database file, or a motion file as a database of one clip."""
    from mograph.database import Database
    from mograph.files import READABLE

    if file.suffix.lower() in READABLE:
        clip = _clip(str(file), profile)
        return Database.from_clips([clip])
    return Database.load(file)


def _clip(reference: str, profile: str) -> mograph.Clip:
    """A clip from a motion file (with contacts) or from ``DATABASE:CLIP``."""
    from mograph.database import Database
    from mograph.files import READABLE
    from mograph.importer import load_detected

    path = Path(reference)
    if path.suffix.lower() in READABLE:
        return load_detected(path, profile)[0]
    file, _, name = reference.rpartition(":")
    if not file or not Path(file).is_file():
        raise MographError(
            f"cannot read '{reference}': name a motion file ({', '.join(READABLE)}) or DATABASE:CLIP"
        )
    return Database.load(file).clip(name)


def _skeleton(reference: str, profile: str) -> mograph.Skeleton:
    from mograph.database import Database
    from mograph.files import READABLE
    from mograph.profiles import load_clip
    from mograph.sample import sample_skeleton

    if reference == "sample":
        return sample_skeleton()
    path = Path(reference)
    if not path.is_file():
        raise MographError(f"no skeleton '{reference}': name a motion file, a database, or 'sample'")
    if path.suffix.lower() in READABLE:
        return load_clip(path, profile).clip.skeleton
    return Database.load(path).skeleton


if __name__ == "__main__":
    main()
