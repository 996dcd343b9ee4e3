"""Motion files become a database: read, put right, labelled, contacts found, on one skeleton at one rate."""

from __future__ import annotations

import csv
import multiprocessing
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from mograph import contact_detection, events, feet
from mograph.clip import Clip
from mograph.database import ClipInfo, Database
from mograph.degrees_of_freedom import with_measured_dof
from mograph.errors import MographError
from mograph.files import READABLE
from mograph.mirror import mirrored
from mograph.profiles import PROFILES, Loaded, load_clip
from mograph.retarget import retargeted
from mograph.rotations import Array
from mograph.skeleton import Skeleton

Progress = Callable[[str, int, int], None]  # what is being done, how many are done, of how many
_NEIGHBOURS = 12  # files of the same folder that help to find the floor under one
_FEW = 16  # files below which starting processes costs more than it saves


@dataclass(frozen=True)
class Source:
    """A motion file to read, with its labels."""

    path: Path
    name: str
    subject: str = ""
    behaviour: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportSettings:
    """How files become clips of a database."""

    profile: str = "auto"  # where the files come from: one of mograph.profiles.PROFILES
    fps: float = 30.0  # poses per second in the database [1/s]
    mirror: bool = False  # add the mirror image of every clip (makes the skeleton symmetric)
    skeleton: Skeleton | None = None  # put all clips on this one; default: the one most poses have
    workers: int = 1  # processes; the result does not depend on it

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise MographError(f"unknown profile '{self.profile}'; profiles are: {', '.join(PROFILES)}")
        if not 1.0 <= self.fps <= 1000.0:
            raise MographError(f"{self.fps:g} frames per second; it must be between 1 and 1000")


@dataclass(frozen=True)
class Imported:
    """A database and what there is to tell about its making."""

    database: Database
    failures: tuple[tuple[str, str], ...] = ()  # file and reason
    notes: tuple[tuple[str, int], ...] = ()  # what was guessed or repaired, in how many files
    skeleton_from: str = ""


def find_sources(
    places: Iterable[str | PathLike[str]],
    manifest: str | PathLike[str] | None = None,
    only: str | PathLike[str] | None = None,
) -> list[Source]:
    """Motion files named or lying below folders, in a fixed order, with labels from a manifest.

    A manifest is a CSV table with a column ``file`` (paths relative to the table) and, if wanted,
    ``subject``, ``behaviour`` and ``tags`` (words separated by spaces). A folder's own ``manifest.csv`` is
    used if none is given. With a manifest only the files it lists are read. ``only`` names a text file with
    one path per line that narrows the choice further.
    """
    files: dict[Path, str] = {}  # resolved path -> name of the clip
    labels: dict[Path, dict[str, str]] = {} if manifest is None else _read_manifest(Path(manifest))
    bases: list[Path] = [] if manifest is None else [Path(manifest).resolve().parent]
    for place in map(Path, places):
        if place.is_dir():
            bases.append(place.resolve())
            own = place / "manifest.csv"
            listed = labels if manifest is not None else _read_manifest(own) if own.is_file() else None
            if listed is not None:
                labels.update(listed)
                inside = [p for p in listed if p.is_relative_to(place.resolve())]
            else:
                inside = sorted(p.resolve() for p in place.rglob("*") if p.suffix.lower() in READABLE)
            files.update((p, "") for p in inside)
        elif place.exists():
            files[place.resolve()] = ""
        else:
            raise MographError(f"no such file or folder: {place}")
    if only is not None:
        files = dict.fromkeys(_read_set(Path(only), bases, files), "")
    if not files:
        raise MographError(f"no motion files ({', '.join(READABLE)}) in {', '.join(map(str, places))}")
    stems = Counter(p.stem for p in files)
    sources = []
    for path in files:
        row = labels.get(path, {})
        name = path.stem if stems[path.stem] == 1 else f"{path.parent.name}/{path.name}"
        tags = tuple((row.get("tags") or "").split())
        sources.append(Source(path, name, row.get("subject") or "", row.get("behaviour") or "", tags))
    return sources


def _read_manifest(path: Path) -> dict[Path, dict[str, str]]:
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if "file" not in (reader.fieldnames or ()):
                raise MographError(
                    f"{path}: a manifest needs a column 'file'; columns are: {reader.fieldnames}"
                )
            return {(path.parent / row["file"]).resolve(): row for row in reader if row["file"]}
    except OSError as error:
        raise MographError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise MographError(f"{path} is not a CSV table in UTF-8: {error}") from error


def _read_set(path: Path, bases: Sequence[Path], files: dict[Path, str]) -> list[Path]:
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise MographError(f"cannot read the set {path}: {error}") from error
    chosen = []
    for line in lines:
        if line and not line.startswith("#"):
            places = [(base / line).resolve() for base in [*bases, path.resolve().parent]]
            found = next((p for p in places if p in files or p.is_file()), None)
            if found is None:
                raise MographError(f"{path} names {line}, which is not below {', '.join(map(str, bases))}")
            chosen.append(found)
    return chosen


def import_clips(
    sources: Sequence[Source], settings: ImportSettings | None = None, progress: Progress | None = None
) -> Imported:
    """Make a database of motion files. Files that fail are listed and the others go on."""
    settings = ImportSettings() if settings is None else settings
    progress = progress or (lambda what, done, total: None)
    failures: list[tuple[str, str]] = []
    loaded: list[tuple[Source, _Read]] = []
    with _pool(settings.workers if len(sources) >= _FEW else 1) as each:
        jobs = [(source, settings.profile) for source in sources]
        for source, outcome in zip(
            sources, _counted(each(_read, jobs), "reading", len(jobs), progress), strict=True
        ):
            if isinstance(outcome, str):
                failures.append((str(source.path), outcome))
            else:
                loaded.append((source, outcome))
        if not loaded:
            reasons = "; ".join(f"{file}: {reason}" for file, reason in failures[:3])
            raise MographError(f"none of {len(sources)} files could be imported: {reasons}")
        resting = _resting_by_group(loaded)
        skeleton, origin = _common_skeleton(loaded, settings)
        tasks = [
            _Task(source, read.loaded, resting[_group(source, read)], skeleton, settings)
            for source, read in loaded
        ]
        clips, info = [], []
        for task, made in zip(
            tasks, _counted(each(_make, tasks), "cleaning", len(tasks), progress), strict=True
        ):
            if isinstance(made, str):
                failures.append((str(task.source.path), made))
                continue
            for clip in made:
                clips.append(clip)
                copy = clip.name != task.source.name
                info.append(
                    ClipInfo(clip.name, clip.subject, clip.behaviour, clip.tags, task.source.path.name, copy)
                )
    if not clips:
        raise MographError(
            f"none of {len(sources)} files could be imported: {failures[0][0]}: {failures[0][1]}"
        )
    database = Database.from_clips(clips, info)
    if np.all(np.asarray(database.skeleton.dof) == 3):  # the files do not tell: measure
        measured = with_measured_dof(database.skeleton, database.rotation)
        database = Database(**{**vars(database), "skeleton": measured})
    notes = Counter(_general(note) for _, read in loaded for note in read.loaded.notes)
    return Imported(database, tuple(failures), tuple(notes.most_common()), origin)


@dataclass(frozen=True)
class _Read:
    loaded: Loaded
    tracks: feet.FootTracks


def _read(job: tuple[Source, str]) -> _Read | str:
    """A file read and put right, or the reason why not."""
    source, profile = job
    try:
        loaded = load_clip(source.path, profile)
        return _Read(loaded, feet.foot_tracks(loaded.clip))
    except MographError as error:
        return str(error)


def _group(source: Source, read: _Read) -> str:
    """Clips of one subject share their floor; without subjects, clips of one folder and leg length do."""
    leg = read.loaded.clip.skeleton.leg_length
    return f"{source.subject or read.loaded.clip.subject or source.path.parent}|{leg:.3f}"


def _resting_by_group(loaded: Sequence[tuple[Source, _Read]]) -> dict[str, Array]:
    groups: dict[str, list[_Read]] = defaultdict(list)
    for source, read in loaded:
        groups[_group(source, read)].append(read)
    return {
        name: feet.resting_heights([r.tracks for r in reads], feet.body_scale(reads[0].loaded.clip.skeleton))
        for name, reads in groups.items()
    }


def _common_skeleton(
    loaded: Sequence[tuple[Source, _Read]], settings: ImportSettings
) -> tuple[Skeleton, str]:
    """The skeleton all clips go onto, and a word on where it comes from."""
    if settings.skeleton is not None:
        chosen, origin = settings.skeleton, "as asked"
    else:
        kinds: list[tuple[Skeleton, str, float]] = []
        for source, read in loaded:
            clip = read.loaded.clip
            for k, (skeleton, name, seconds) in enumerate(kinds):
                if skeleton.equals(clip.skeleton, 1e-6):
                    kinds[k] = (skeleton, name, seconds + clip.seconds)
                    break
            else:
                kinds.append((clip.skeleton, source.name, clip.seconds))
        chosen, name, _ = max(kinds, key=lambda kind: kind[2])
        origin = "of all files" if len(kinds) == 1 else f"of {name}, the most used of {len(kinds)}"
    if settings.mirror and not chosen.equals(chosen.symmetrised(), 1e-6):
        return chosen.symmetrised(), f"{origin}, made symmetric"
    return chosen, origin


@dataclass(frozen=True)
class _Task:
    source: Source
    loaded: Loaded
    resting: Array
    skeleton: Skeleton
    settings: ImportSettings = field(default_factory=ImportSettings)


def _make(task: _Task) -> list[Clip] | str:
    """The clip (and its mirror image) as it goes into the database, or the reason why not."""
    try:
        clip = detected(task.loaded, task.source, task.resting)
        clip = clip.resampled(task.settings.fps)
        if clip.contact is not None:
            clip = clip.with_(contact=contact_detection.without_short_phases(clip.contact))
        clip = retargeted(clip, task.skeleton).faced()
        return [clip, mirrored(clip)] if task.settings.mirror else [clip]
    except MographError as error:
        return str(error)


def detected(loaded: Loaded, source: Source, resting: Array | None = None) -> Clip:
    """A loaded clip with labels, level floor and contacts, at its own rate; its sidecar has the last word."""
    sidecar = events.sidecar_path(source.path)
    stated = events.read_events(sidecar) if sidecar.is_file() else events.Events({})
    tags = source.tags if stated.tags is None else stated.tags
    behaviour = source.behaviour if stated.behaviour is None else stated.behaviour
    clip = loaded.clip.with_(
        name=source.name, subject=source.subject or loaded.clip.subject, behaviour=behaviour, tags=tags
    )
    scale = feet.body_scale(clip.skeleton)
    if resting is None:
        resting = feet.resting_heights([feet.foot_tracks(clip)], scale)
    contact = contact_detection.detect_contacts(clip, resting)
    contact = stated.applied(contact, clip.fps, loaded.dropped)
    shift = feet.floor_shift(resting, scale, loaded.keep_floor)
    return clip.with_(contact=contact).transformed(shift=(0.0, shift, 0.0))


def load_detected(
    path: str | PathLike[str], profile: str = "auto", tags: tuple[str, ...] = ()
) -> tuple[Clip, Loaded]:
    """One motion file with level floor and contacts, at its own rate.

    Where the floor is shows best where a subject stands still, so up to a dozen files beside this one that
    have the same skeleton are asked as well.
    """
    path = Path(path)
    loaded = load_clip(path, profile)
    resting = None
    if loaded.clip.skeleton.has("left_ankle", "right_ankle", "left_knee", "right_knee"):
        tracks = [feet.foot_tracks(loaded.clip)]
        for other in sorted(path.parent.glob(f"*{path.suffix}"))[:_NEIGHBOURS]:
            if other != path:
                try:
                    clip = load_clip(other, profile).clip
                except MographError:
                    continue
                if clip.skeleton.equals(loaded.clip.skeleton, 1e-4):
                    tracks.append(feet.foot_tracks(clip))
        resting = feet.resting_heights(tracks, feet.body_scale(loaded.clip.skeleton))
    return detected(loaded, Source(path, path.stem, tags=tags), resting), loaded


def _general(note: str) -> str:
    """A note without its figures, so that files with the same remark are counted together."""
    return " ".join("…" if any(c.isdigit() for c in word) else word for word in note.split())


class _pool:
    """Maps a function over jobs in order, in processes if more than one worker is asked for."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")  # forking a process that runs threads can hang
        self.executor = None
        if workers > 1:  # Ctrl-C is the main process' business; workers would only print traces
            quiet = (signal.SIGINT, signal.SIG_IGN)
            self.executor = ProcessPoolExecutor(
                workers, mp_context=context, initializer=signal.signal, initargs=quiet
            )

    def __enter__(self) -> Callable[..., Iterator]:
        if self.executor is None:
            return map
        executor = self.executor
        return lambda function, jobs: executor.map(function, jobs, chunksize=4)

    def __exit__(self, kind: type | None, *_: object) -> None:
        if self.executor is not None:
            self.executor.shutdown(wait=kind is None, cancel_futures=True)


def _counted(results: Iterable, what: str, total: int, progress: Progress) -> Iterator:
    progress(what, 0, total)
    for done, result in enumerate(results, 1):
        progress(what, done, total)
        yield result
