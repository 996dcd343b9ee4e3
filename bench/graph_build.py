"""How graphs shrink and how long they take to build, beside the thesis' table and a peer.

    python bench/graph_build.py [--peer] [--sizes 2000 5000 ...]

Uses the captured CMU sets beside the project, the sample clips where they are absent. ``--peer`` also builds
the graph of ten walks with fairmotion 0.0.4, in a temporary environment of its own, and takes minutes more.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import numpy as np

from mograph.database import Database
from mograph.files import write_clip
from mograph.graph.evaluate import evaluate
from mograph.graph.motion_graph import MotionGraph
from mograph.importer import ImportSettings, find_sources, import_clips
from mograph.mirror import mirrored
from mograph.sample import sample_clips, sample_database

CMU = Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu"
SIZES = (2000, 5000, 10_000, 20_000, 40_000)
# Safonova 2006, Table 4.3: states / transitions of the motion graph, after culling edges, after merging;
# minutes on a 3 GHz Pentium 4
THESIS = {
    "walk": ((2_000, 25_000), (173, 3_700), (100, 1_000), 2),
    "walk_pick": ((6_500, 70_000), (430, 15_000), (200, 2_200), 30),
    "walk_jump": ((12_000, 250_000), (700, 60_000), (305, 15_000), 60),
}


class Stopwatch:
    """Seconds spent in each named stage of a build, told by its progress reports."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.seconds: dict[str, float] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self.began
        self.began = now


def captured(name: str, mirror: bool = False) -> Database:
    sources = find_sources([CMU], CMU / "manifest.csv", CMU / "sets" / f"{name}.txt")
    return import_clips(sources, ImportSettings("cmu", mirror=mirror)).database


def warm_up() -> None:
    """Load compiled code and touch every stage once, so that it is not counted."""
    clips = [clip for clip in sample_clips() if clip.name in ("walk_1.1", "walk_1.4", "jump_0.4")]
    MotionGraph.build(Database.from_clips(clips)).compact().interpolate(k=2)


# ---------------------------------------------------------------- the thesis' table


def table(databases: dict[str, Database]) -> None:
    print("States / transitions, ours and (thesis, Table 4.3)")
    head = ("motion graph", "edges culled", "states merged", "reduced by", "k = 2")
    print(f"{'set':<11}" + "".join(f"{h:>31}" for h in head[:3]) + f"{head[3]:>34}{head[4]:>20}")
    notes = []
    for name, database in databases.items():
        watch = Stopwatch()
        began = time.perf_counter()
        graph = MotionGraph.build(database, progress=watch)
        compact = graph.compact()
        built = time.perf_counter() - began
        began = time.perf_counter()
        mixed = compact.interpolate(k=2)
        mixing = time.perf_counter() - began
        stages = [compact.stages[s] for s in ("full", "edges_culled", "compact")]
        theirs = THESIS.get(name)
        cells = []
        for k, stage in enumerate(stages):
            own = f"{stage['states']:,.0f}/{stage['transitions']:,.0f}"
            cells.append(own + (f" ({theirs[k][0]:,}/{theirs[k][1]:,})" if theirs else ""))
        own = [stages[0][part] / stages[2][part] for part in ("states", "transitions")]
        reduced = f"{own[0]:.0f}x/{own[1]:.0f}x"
        if theirs:
            ratio = [a / b for a, b in zip(theirs[0], theirs[2], strict=True)]
            kept = own[0] >= ratio[0] and own[1] >= ratio[1]
            reduced += f" ({ratio[0]:.0f}x/{ratio[1]:.0f}x) {'as much' if kept else 'LESS'}"
        print(
            f"{name:<11}" + "".join(f"{c:>31}" for c in cells) + f"{reduced:>34}"
            f"{f'{mixed.states:,}/{mixed.transitions:,}':>20}"
        )
        spent = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in watch.seconds.items())
        minutes = f" (thesis {theirs[3]} min)" if theirs else ""
        notes.append(
            f"{name:<11}{built:>6.1f} s{minutes}: {spent}, culling {stages[1]['seconds']:.2f}, "
            f"merging {stages[2]['seconds']:.2f}; k = 2 another {mixing:.1f} s; "
            f"threshold {graph.threshold:.3f}"
        )
        found = evaluate(compact)
        net = found.compact
        notes.append(
            f"{'':<11}events lost {found.lost_events}; {net.picks} pick and {net.flights} flight states, "
            f"reached from {_share(net.reach_pick)} and {_share(net.reach_flight)} of all; "
            f"strongly connected {net.strongly_connected:.0%}, dead ends {net.dead_ends}"
        )
    print("\nTime of the build, inverse dynamics included")
    print("\n".join(notes))


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


# ---------------------------------------------------------------- growth


def growth(folder: Path, sizes: list[int]) -> None:
    pool = _pool()
    print(
        f"\nGrowth, clips and their mirror images, {pool.poses:,} poses in all; each size in its own process"
    )
    print(f"{'poses':>8}{'torques':>10}{'comparing':>11}{'connecting':>12}{'compact':>9}{'total':>9}{'memory':>11}"
          f"{'states':>9}{'ways':>9}{'lost':>6}")  # fmt: skip
    rows = []
    rng = np.random.default_rng(0)
    order = rng.permutation(len(pool))
    for size in sizes:
        lengths = np.diff(pool.clip_starts)[order]
        count = int(np.searchsorted(np.cumsum(lengths), size)) + 1
        if count > len(order) and size > 1.1 * pool.poses:
            print(f"{size:>8} poses are more than there are")
            continue
        chosen = sorted(order[:count].tolist())
        part = Database.from_clips([pool.clip(k) for k in chosen], [pool.info[k] for k in chosen])
        path = folder / f"{size}.mgdb"
        part.save(path)
        command = [sys.executable, __file__, "--measure", str(path)]
        row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows.append(row)
        s = row["seconds"]
        print(
            f"{row['poses']:>8,}{s['torques']:>9.1f}s{s['comparing']:>10.1f}s{s['connecting']:>11.1f}s"
            f"{s['compact']:>8.1f}s{s['total']:>8.1f}s{row['memory']:>8,.0f} MB{row['states']:>9}"
            f"{row['ways']:>9,}{row['lost']:>6}"
        )
    if len(rows) > 2:
        poses = np.log([row["poses"] for row in rows])
        exponents = {
            part: np.polyfit(poses, np.log([max(row["seconds"][part], 1e-3) for row in rows]), 1)[0]
            for part in ("torques", "comparing", "connecting", "compact", "total")
        }
        exponents["memory"] = np.polyfit(poses, np.log([max(row["memory"], 1.0) for row in rows]), 1)[0]
        print("fitted exponents: " + ", ".join(f"{part} {e:.2f}" for part, e in exponents.items()))


def _pool() -> Database:
    if not CMU.is_dir():
        clips = sample_clips()
        images = [mirrored(clip).with_(name=f"{clip.name}_mirrored") for clip in clips]
        return Database.from_clips([*clips, *images])
    sources = {
        source.path: source
        for name in ("walk", "walk_pick", "walk_jump", "course")
        for source in find_sources([CMU], CMU / "manifest.csv", CMU / "sets" / f"{name}.txt")
    }
    return import_clips(list(sources.values()), ImportSettings("cmu", mirror=True)).database


def measure(path: Path) -> None:
    """Build one graph and print figures as JSON; memory is what the build adds at its highest [MB]."""
    database = Database.load(path)
    warm_up()
    before = _forget_peak()
    watch = Stopwatch()
    began = time.perf_counter()
    graph = MotionGraph.build(database, progress=watch)
    built = time.perf_counter()
    compact = graph.compact()
    done = time.perf_counter()
    seconds = {**watch.seconds, "compact": done - built, "total": done - began}
    peak = _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = {"poses": database.poses, "seconds": seconds, "memory": (peak - before) / 1e3}
    print(
        json.dumps(
            {**figures, "states": compact.states, "ways": compact.transitions, "lost": compact.lost_events}
        )
    )


def _forget_peak() -> int:
    """Memory in use now [kB], from where the highest is counted anew where the system allows it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return _status("VmRSS")


def _status(field: str) -> int:
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)


# ---------------------------------------------------------------- the peer

# one pose in nine starts a node, a node is compared at four poses: coarse, or it would take an hour
PEER = """
import json, sys, time
from fairmotion.core import motion, velocity
motion.Joint.child_joint = property(lambda joint: joint.child_joints)  # a name the package misspells
from fairmotion.data import bvh
from fairmotion.tasks.motion_graph.motion_graph import MotionGraph
motions = [bvh.load(path) for path in sys.argv[1:]]
for one in motions:
    one.set_skeleton(motions[0].skel)
motions = [velocity.MotionWithVelocity.from_motion(one) for one in motions]
graph = MotionGraph(motions, sys.argv[1:], motions[0].skel, fps=30,
                    base_length=0.6, stride_length=0.3, blend_length=0.2, compare_length=0.3)
began = time.perf_counter()
graph.construct(num_workers=1)
seconds = time.perf_counter() - began
print(json.dumps({"nodes": graph.graph.number_of_nodes(), "edges": graph.graph.number_of_edges(),
                  "seconds": seconds}))
"""


def peer(folder: Path, walks: Database) -> None:
    print(f"\nTen walks, {walks.poses:,} poses at 30/s, one core: fairmotion 0.0.4 and ours")
    place = folder / "environment"
    venv.create(place, with_pip=True)
    python = str(place / "bin" / "python")
    for packages in (
        ["--no-deps", "fairmotion==0.0.4"],
        ["numpy", "scipy", "networkx", "tqdm", "matplotlib"],
    ):
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, capture_output=True)
    paths = []
    for clip in walks:
        paths.append(str(folder / f"{clip.name}.bvh"))
        write_clip(clip, paths[-1])
    done = subprocess.run([python, "-c", PEER, *paths], check=True, capture_output=True, text=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    pairs = 4 * theirs["nodes"] ** 2
    began = time.perf_counter()
    compact = MotionGraph.build(walks).compact()
    ours = time.perf_counter() - began
    full = compact.motion_graph
    print(
        f"fairmotion {theirs['seconds']:>8.2f} s  {theirs['nodes']} nodes, {theirs['edges']:,} edges; "
        f"{pairs:,} pairs of poses, {pairs / theirs['seconds']:,.0f}/s"
    )
    print(
        f"ours       {ours:>8.2f} s  {full.states:,} poses, {full.transitions:,} transitions, inverse "
        f"dynamics, compact {compact.states}/{compact.transitions}; "
        f"{walks.poses**2:,} pairs, {walks.poses**2 / ours:,.0f}/s"
    )
    print(
        f"ratio of times {theirs['seconds'] / ours:,.0f} (goal 70), "
        f"of pairs per second {walks.poses**2 / ours / (pairs / theirs['seconds']):,.0f}"
    )


def ten_walks() -> Database:
    if CMU.is_dir():
        whole = captured("walk")
        clips = [clip for clip in whole if clip.subject == "16" or clip.name.startswith("16_")][:10]
    else:
        clips = [clip for clip in sample_clips() if "walk" in clip.tags][:10]
    return Database.from_clips(clips)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", action="store_true", help="compare with fairmotion 0.0.4 too (minutes)")
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=list(SIZES), help="poses for the growth table"
    )
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure is not None:
        measure(chosen.measure)
        return
    warm_up()
    if CMU.is_dir():
        table({name: captured(name) for name in THESIS})
    else:
        table({"sample": sample_database()})
    with tempfile.TemporaryDirectory() as place:
        if chosen.sizes:
            growth(Path(place), chosen.sizes)
        if chosen.peer:
            peer(Path(place), ten_walks())


if __name__ == "__main__":
    main()
