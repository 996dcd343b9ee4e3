"""The list of sample clips, one line each."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path

from mograph.clip import Clip
from mograph.sample.behaviours import (
    idle,
    pick_up,
    run_to_walk,
    running_jump,
    side_steps,
    spot_turn,
    standing_jump,
    start_walk,
    steady_run,
    steady_walk,
    step_off,
    step_on,
    stop_walk,
    walk_arc,
    walk_to_run,
)
from mograph.sample.body import make_clip
from mograph.sample.footsteps import LEFT, RIGHT, Grasp, Plan


def plans() -> list[Plan]:
    """What each sample clip is to show."""
    to_left = [
        walk_arc("turn_left_r0.8_180", 0.8, 180.0, 1.1, 0.9),
        walk_arc("turn_left_r1.5_90", 1.5, 90.0, 1.1, 1.1),
        walk_arc("turn_left_r3.0_60", 3.0, 60.0, 1.4, 1.4),
        spot_turn("spot_left_90", 90.0),
        spot_turn("spot_left_180", 180.0),
        side_steps("side_left_0.6", 0.6),
    ]
    return [
        idle("stand", 8.0),
        start_walk("start_walk_left", 1.4, LEFT),
        start_walk("start_walk_right", 1.4, RIGHT),
        stop_walk("stop_walk_left", 1.4, LEFT),
        stop_walk("stop_walk_right", 1.4, RIGHT),
        steady_walk("walk_0.8", 0.8, 8),
        steady_walk("walk_1.1", 1.1, 8),
        steady_walk("walk_1.4", 1.4, 8),
        steady_walk("walk_1.7", 1.7, 8),
        *to_left,
        *(p.mirrored(p.name.replace("left", "right"), p.behaviour.replace("left", "right")) for p in to_left),
        walk_to_run("walk_to_run", 1.4, 2.5),
        run_to_walk("run_to_walk", 2.5, 1.4),
        steady_run("run_2.5", 2.5, 8),
        steady_run("run_3.2", 3.2, 8),
        steady_run("run_4.0", 4.0, 8),
        standing_jump("jump_0.4", 0.4, 9),
        standing_jump("jump_0.8", 0.8, 11),
        standing_jump("jump_1.2", 1.2, 13),
        standing_jump("jump_1.5", 1.5, 15),
        standing_jump("jump_up_0.3", 0.0, 15, tuck=0.04),
        running_jump("run_jump_1.6", 1.6, 7),
        running_jump("run_jump_1.8", 1.8, 8),
        running_jump("run_jump_2.0", 2.0, 9),
        step_on("step_on_0.2", 0.2, RIGHT),
        step_off("step_off_0.2", 0.2, RIGHT),
        step_on("step_on_0.4", 0.4, LEFT),
        step_off("step_off_0.4", 0.4, LEFT),
        pick_up("pickup_right_0.1", 0.1, 0.42, 0.12, RIGHT),
        pick_up("pickup_right_0.3", 0.3, 0.42, 0.12, RIGHT),
        pick_up("pickup_right_0.6", 0.6, 0.45, 0.14, RIGHT),
        pick_up("pickup_right_0.9", 0.9, 0.45, 0.14, RIGHT),
        pick_up("pickup_left_0.1", 0.1, 0.42, 0.12, LEFT),
        pick_up("pickup_left_0.6", 0.6, 0.45, 0.14, LEFT),
        pick_up("reach_right_0.6", 1.25, 0.60, 0.12, RIGHT),
        pick_up("reach_left_0.6", 1.25, 0.60, 0.12, LEFT),
    ]


@lru_cache(maxsize=1)
def _clips() -> tuple[Clip, ...]:
    return tuple(make_clip(plan) for plan in plans())


def sample_clips() -> list[Clip]:
    """All clips of the sample database, 30 frames per second, made by code; the same every time.

    >>> clips = sample_clips()
    >>> clips[0].name, clips[0].tags, clips[0].fps
    ('stand', ('idle',), 30.0)
    """
    return list(_clips())


def sample_grasps() -> dict[str, Grasp]:
    """For each clip in which a hand picks something up: which hand, at which frame, and where.

    >>> sample_grasps()["pickup_left_0.6"].target
    (0.14, 0.6, 0.45)
    """
    return {plan.name: plan.grasps[0] for plan in plans() if plan.grasps}


def write_sample(folder: str | Path) -> list[Path]:
    """Write every sample clip as BVH and a ``manifest.csv`` that tells subject, behaviour and tags.

    The folder is made if it is not there. Returns the paths of the BVH files.
    """
    from mograph.files import write_clip

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with (folder / "manifest.csv").open("w", newline="", encoding="utf-8") as handle:
        table = csv.writer(handle, lineterminator="\n")
        table.writerow(["file", "subject", "behaviour", "tags"])
        for clip in sample_clips():
            path = folder / f"{clip.name}.bvh"
            write_clip(clip, path)
            table.writerow([path.name, clip.subject, clip.behaviour, " ".join(clip.tags)])
            paths.append(path)
    return paths
