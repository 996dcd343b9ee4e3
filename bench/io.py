"""Reading motion files: ours against pybvh and upc-pymotion, and the whole import, in one run.

    python bench/io.py [FOLDER of BVH files, default: the captured CMU clips beside the project]

Without the captured clips the sample clips are written to a temporary folder and used instead.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pybvh
from pymotion.io.bvh import BVH

from mograph import kinematics
from mograph.files import read_clip
from mograph.importer import ImportSettings, find_sources, import_clips
from mograph.mirror import mirrored
from mograph.retarget import retargeted
from mograph.sample import write_sample

CMU = Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu"


def read_pybvh(path: Path) -> np.ndarray:
    """What a user of pybvh writes to get joint positions."""
    return pybvh.read_bvh_file(path).node_positions()


def read_pymotion(path: Path) -> tuple:
    """What a user of upc-pymotion writes to get rotations; it stops short of world positions."""
    motion = BVH()
    motion.load(str(path))
    return motion.get_data()


def read_ours(path: Path) -> np.ndarray:
    """The same with mograph: read, then world positions of all joints."""
    return kinematics.poses(read_clip(path)).position


def timed(function: Callable[[], object], repeats: int = 1) -> float:
    """Least time of several runs [s]."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def each(function: Callable[[Path], object], files: Iterable[Path]) -> Callable[[], None]:
    def run() -> None:
        for file in files:
            function(file)

    return run


def compare_readers(files: list[Path]) -> None:
    megabytes = sum(f.stat().st_size for f in files) / 1e6
    print(f"\nReading {len(files)} BVH files, {megabytes:.1f} MB, one process")
    print(f"{'reader':<34}{'files/s':>9}{'MB/s':>9}{'time, ours = 1':>16}")
    readers = {
        "mograph (read + world positions)": read_ours,
        "pybvh (read + world positions)": read_pybvh,
        "upc-pymotion (read alone)": read_pymotion,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds = {name: timed(each(reader, files), 2) for name, reader in readers.items()}
    ours = seconds["mograph (read + world positions)"]
    for name, taken in seconds.items():
        print(f"{name:<34}{len(files) / taken:>9.0f}{megabytes / taken:>9.1f}{taken / ours:>16.2f}")


def compare_import(folder: Path, profile: str) -> None:
    sources = find_sources([folder])
    print(f"\nImport of {len(sources)} files: read, repaired, contacts, one skeleton, 30/s")
    print(f"{'':<34}{'files/s':>9}{'poses':>9}{'poses/s':>10}{'time':>9}")
    for label, settings in {
        "1 process": ImportSettings(profile),
        "all cores": ImportSettings(profile, workers=os.cpu_count() or 1),
        "all cores, mirrored": ImportSettings(profile, mirror=True, workers=os.cpu_count() or 1),
    }.items():
        start = time.perf_counter()
        database = import_clips(sources, settings).database
        taken = time.perf_counter() - start
        speed = f"{len(sources) / taken:>9.0f}{database.poses:>9,}{database.poses / taken:>10,.0f}"
        print(f"{label:<34}{speed}{taken:>7.1f} s")
    with tempfile.TemporaryDirectory() as place:
        first, second = Path(place) / "a.mgdb", Path(place) / "b.mgdb"
        database.save(first)
        import_clips(sources, settings).database.save(second)
        same = "identical" if first.read_bytes() == second.read_bytes() else "DIFFERENT"
        print(f"a second run gives the {same} file of {first.stat().st_size / 1e6:.0f} MB")

    clips = [clip for clip, info in zip(database, database.info, strict=True) if not info.mirrored]
    poses = sum(map(len, clips))
    other = database.skeleton.scaled(1.05)
    print(f"\nClip to clip, {poses:,} poses, one process")
    for label, work in {
        "mirrored": lambda: [mirrored(c) for c in clips],
        "resampled 30 -> 60/s (slerp)": lambda: [c.resampled(60) for c in clips],
        "retargeted with locked feet": lambda: [retargeted(c, other) for c in clips],
    }.items():
        taken = timed(work)
        print(f"{label:<34}{poses / taken:>12,.0f} poses/s{taken:>7.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"\npeak memory {peak:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=CMU)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as place:
        profile = "cmu" if (folder / "subjects.csv").is_file() else "auto"
        if not folder.is_dir():
            folder, profile = Path(place), "auto"
            write_sample(folder)
        compare_readers(sorted(folder.rglob("*.bvh")))
        compare_import(folder, profile)


if __name__ == "__main__":
    main()
