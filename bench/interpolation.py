"""The experiments of Safonova's chapter 5: pairs of motions mixed, measured and drawn.

python bench/interpolation.py [--output FOLDER]

Captured clips are used where they lie beside the project, generated ones elsewhere. Columns: gravity fitted
to the flight; how far the centre of mass leaves its parabola; how far planted feet slide; how far the angular
momentum drifts from its mean in flight [m²/s per kg]; how much the velocity of the centre of mass jumps at
landing, and the part of it along the ground. A landing that bends the level velocity at once is flagged.
*By root* is the scheme chapter 5 improves on: root positions and durations averaged.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import Contact, phases
from mograph.dynamics import mass_model, motion_of, segment_momenta
from mograph.feet import foot_joints
from mograph.foot_lock import heel_position, lock_feet
from mograph.graph.interpolation import interpolate, interpolate_all
from mograph.graph.junction import junction
from mograph.graph.phase_motion import PhaseMotion
from mograph.importer import ImportSettings, find_sources, import_clips
from mograph.kinematics import forward
from mograph.rotations import Array
from mograph.sample import sample_clips
from mograph.sample.skeleton import HEEL, sample_skeleton
from studio.render import render

CMU = Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu"
STANCE = 0.6  # seconds of a long stance before and after a flight that take part [s]
BEND = 0.6  # a landing whose level velocity jumps by more is flagged; captured ones here reach 0.3 [m/s]
Pairs = list[tuple[PhaseMotion, PhaseMotion]]


# which phases


def captured(names: Sequence[str]) -> dict[str, Clip]:
    """Captured clips of one subject with their feet held where they touch."""
    sources = [s for s in find_sources([CMU]) if s.name in names]
    return {c.name: lock_feet(c) for c in import_clips(sources, ImportSettings("cmu", mirror=True)).database}


def cut_phases(clip: Clip) -> list[PhaseMotion]:
    """The phases of a clip; a long stance next to a flight is cut to its part near the flight."""
    assert clip.contact is not None
    found, most = phases(clip.contact), round(STANCE * clip.fps)
    out = []
    for k, phase in enumerate(found):
        start, stop = phase.start, min(phase.stop, len(clip) - 1)
        if phase.contact and stop - start > most:
            if k + 1 < len(found) and found[k + 1].contact == Contact.FLIGHT:
                start = stop - most
            elif k > 0 and found[k - 1].contact == Contact.FLIGHT:
                stop = start + most
        if stop > start:
            out.append(PhaseMotion.of(clip, start, stop))
    return out


def around(first: list[PhaseMotion], at: int, second: list[PhaseMotion], other: int, reach: int) -> Pairs:
    """Phases around two that belong together, as long as both clips touch alike."""
    pairs = [(first[at], second[other])]
    if first[at].contact != second[other].contact:
        return []
    for step in (-1, 1):
        for k in range(1, reach + 1):
            i, j = at + step * k, other + step * k
            if not (0 <= i < len(first) and 0 <= j < len(second)) or first[i].contact != second[j].contact:
                break
            pair = [(first[i], second[j])]
            pairs = pair + pairs if step < 0 else pairs + pair
    return pairs


def flights(motions: list[PhaseMotion]) -> list[int]:
    return [k for k, m in enumerate(motions) if m.contact == 0 and len(m) > 3]


def longest_flight(motions: list[PhaseMotion]) -> int:
    return max(flights(motions), key=lambda k: len(motions[k]))


def middle_flight(motions: list[PhaseMotion]) -> int:
    return sorted(flights(motions), key=lambda k: len(motions[k]))[len(flights(motions)) // 2]


def most_turned(motions: list[PhaseMotion]) -> int:
    return max(flights(motions), key=lambda k: abs(motions[k].displacement[2]))


def highest_foot(motions: list[PhaseMotion]) -> int:
    """The phase with one foot down in which the other one goes highest."""
    single = [k for k, m in enumerate(motions) if m.contact in (1, 2)]
    return max(single, key=lambda k: float(heels(motions[k])[..., 1].max()))


def jumps(
    names: Sequence[str],
    pick: Callable[[list[PhaseMotion]], int] = longest_flight,
    other: Callable = longest_flight,
) -> Callable[[dict[str, Clip]], Pairs]:
    """The jumps of two clips from stance to stance."""

    def make(clips: dict[str, Clip]) -> Pairs:
        first, second = (cut_phases(clips[name]) for name in names)
        return around(first, pick(first), second, other(second), 1)

    return make


def best_match(
    clips: dict[str, Clip],
    name: str,
    pick: Callable[[list[PhaseMotion]], int],
    others: Sequence[str],
    reach: int,
) -> Pairs:
    """Phases around the picked one of a clip, with the clip or mirror image that goes along longest."""
    first = cut_phases(clips[name])
    at = pick(first)
    tries: list[Pairs] = []
    for other in (c for c in clips.values() if c.name.removesuffix("_mirrored") in others):
        second = cut_phases(other)
        tries += [around(first, at, second, k, reach) for k in range(len(second))]
    return max(tries, key=lambda pairs: (len(pairs), sum(len(b) for _, b in pairs)))


def steps_over(low: str, high: str) -> Callable[[dict[str, Clip]], Pairs]:
    def make(clips: dict[str, Clip]) -> Pairs:
        tries = []
        for name in (high, f"{high}_mirrored"):
            first, second = cut_phases(clips[low]), cut_phases(clips[name])
            tries.append(around(first, highest_foot(first), second, highest_foot(second), 3))
        return max(tries, key=len)

    return make


def sitting(names: Sequence[str]) -> Callable[[dict[str, Clip]], Pairs]:
    """From standing to the lowest point of the root, both feet down, as one phase."""

    def make(clips: dict[str, Clip]) -> Pairs:
        both = []
        for name in names:
            clip = clips[name]
            seat = int(np.argmin(clip.root_position[:, 1]))
            high = clip.root_position[:seat, 1]
            stand = int(np.flatnonzero(high > high.max() - 0.03)[-1])
            down = clip.with_(contact=np.full(len(clip), 3, np.uint8))
            both.append(PhaseMotion.of(down, stand, seat))
        return [(both[0], both[1])]

    return make


def spun(clip: Clip, turn: float) -> Clip:
    """A clip with a steady turn about the centre of mass added to its longest flight."""
    assert clip.contact is not None
    phase = max((p for p in phases(clip.contact) if p.contact == 0), key=len)
    whole = PhaseMotion(clip.skeleton, clip.root_position, clip.rotation, clip.fps, 0)
    q = rotations.from_yaw(np.interp(np.arange(len(clip)), [phase.start, phase.stop], [0.0, turn]))
    middle = whole.centre_of_mass
    after = middle[phase.stop :]
    shift = np.zeros((len(clip), 3))
    shift[phase.stop :] = after[0] + rotations.rotate(q[-1], after - after[0]) - after
    rotation = clip.rotation.copy()
    rotation[:, 0] = rotations.multiply(q, rotation[:, 0])
    root = middle + shift + rotations.rotate(q, clip.root_position - middle)
    return clip.with_(root_position=root, rotation=rotation)


# measures


def heels(motion: PhaseMotion) -> Array:
    """Heel and ball of both feet (F, foot, point, 3); generated feet roll over a heel of their own."""
    skeleton = motion.skeleton
    poses = forward(skeleton, motion.root_position, motion.rotation)
    tracks = []
    for ankle, toe in foot_joints(skeleton):
        heel = heel_position(skeleton, poses, ankle, toe)
        if skeleton is sample_skeleton():
            heel = poses.position[:, ankle] + rotations.rotate(poses.rotation[:, ankle], HEEL)
        tracks.append(np.stack([heel, poses.position[:, toe]], axis=1))
    return np.stack(tracks, axis=1)


def slide(motion: PhaseMotion, inputs: Sequence[PhaseMotion]) -> float:
    """Way of the resting point of touching feet, less the inputs' last interval, where they lift [m]."""
    feet = [k for k in range(2) if motion.contact & (1 << k)]
    until = min((len(m) - 2) / (len(m) - 1) for m in inputs)
    frames = int(until * (len(motion) - 1) + 1e-9) + 1
    steps = np.linalg.norm(np.diff(heels(motion)[:frames, feet], axis=0), axis=-1).min(axis=-1)
    return float(steps.sum(axis=0).max(initial=0.0))


def parabola(motion: PhaseMotion) -> tuple[float, float]:
    """Fitted gravity [m/s²] and distance of the centre of mass from its parabola, root mean square [m]."""
    path, t = motion.centre_of_mass, np.arange(len(motion)) / motion.fps
    bent = np.stack([np.ones_like(t), t, t**2], axis=1)
    height, *_ = np.linalg.lstsq(bent, path[:, 1], rcond=None)
    track, *_ = np.linalg.lstsq(bent[:, :2], path[:, [0, 2]], rcond=None)
    off = np.column_stack([path[:, 1] - bent @ height, path[:, [0, 2]] - bent[:, :2] @ track])
    return -2.0 * float(height[2]), float(np.sqrt(np.mean(np.sum(off**2, axis=1))))


def spin_drift(motion: PhaseMotion) -> float:
    """Largest distance of the angular momentum about the centre of mass from its mean [m²/s per kg]."""
    model = mass_model(motion.skeleton)
    momenta = segment_momenta(motion.skeleton, model, motion_of(motion.to_clip(), cutoff=None)).sum(axis=1)
    path = motion.to_clip()
    com = PhaseMotion(motion.skeleton, path.root_position, path.rotation, motion.fps, 0).centre_of_mass
    about = (momenta[:, 3:] - np.cross(com, momenta[:, :3])) / model.total
    inner = about[1:-1] if len(about) > 4 else about
    return float(np.linalg.norm(inner - inner.mean(axis=0), axis=1).max())


@dataclass(frozen=True)
class Measured:
    """One line of the table."""

    gravity: float = np.nan
    arc: float = np.nan
    slide: float = np.nan
    spin: float = np.nan
    landing: float = np.nan
    level: float = np.nan

    def __str__(self) -> str:
        values = (self.gravity, self.arc * 1e3, self.slide * 1e3, self.spin, self.landing, self.level)
        return "".join(
            f"{v:>9.{d}f}" if np.isfinite(v) else f"{'-':>9}"
            for v, d in zip(values, (3, 2, 2, 3, 2, 2), strict=True)
        )


def measured(motions: Sequence[PhaseMotion], pairs: Pairs) -> Measured:
    air = [m for m in motions if m.contact == 0 and len(m) > 4]
    ground = [slide(m, pair) for m, pair in zip(motions, pairs, strict=True) if m.contact]
    landings = [junction(a, b) for a, b in pairwise(motions) if a.contact == 0 and b.contact]
    fits = [parabola(m) for m in air]
    return Measured(
        gravity=max(fits, key=lambda f: abs(f[0] - 9.81))[0] if fits else np.nan,
        arc=max((f[1] for f in fits), default=np.nan),
        slide=max(ground, default=np.nan),
        spin=max((spin_drift(m) for m in air), default=np.nan),
        landing=max((j.velocity for j in landings), default=np.nan),
        level=max((j.level_velocity for j in landings), default=np.nan),
    )


def by_root(first: PhaseMotion, second: PhaseMotion, weight: float) -> PhaseMotion:
    """Root positions and rotations averaged, the duration too (Safonova 5.2): what chapter 5 improves on."""
    seconds = weight * first.duration + (1.0 - weight) * second.duration
    samples = max(round(seconds * first.fps), 1) + 1
    one, two = (interpolate(m, m, 1.0, samples=samples) for m in (first, second))
    turns = [np.unwrap(rotations.yaw(m.rotation[:, 0])) for m in (one, two)]
    leans = [m.rotation.copy() for m in (one, two)]
    for lean, turn in zip(leans, turns, strict=True):
        lean[:, 0] = rotations.multiply(rotations.from_yaw(-turn), lean[:, 0])
    rotation = rotations.slerp(leans[0], leans[1], np.full((1, 1), 1.0 - weight))
    heading = rotations.from_yaw(weight * turns[0] + (1.0 - weight) * turns[1])
    rotation[:, 0] = rotations.multiply(heading, rotation[:, 0])
    root = weight * one.root_position + (1.0 - weight) * two.root_position
    return replace(first, root_position=root, rotation=rotation, fps=(samples - 1) / seconds)


# pictures


def chained(motions: Sequence[PhaseMotion], name: str, fps: float = 30.0) -> Clip:
    """The phases one after the other, each begun where the last one ended, at an even rate."""
    times, roots, turns, masks = [], [], [], []
    x, z, yaw, now = 0.0, 0.0, 0.0, 0.0
    for motion in motions:
        placed = motion.to_clip(x=x, z=z, yaw=yaw)
        times.append(now + np.arange(len(motion)) / motion.fps)
        roots.append(placed.root_position)
        turns.append(placed.rotation)
        masks.append(np.full(len(motion), motion.contact, np.uint8))
        x, z = (float(placed.root_position[-1, c]) for c in (0, 2))
        yaw += motion.displacement[2]
        now += motion.duration
    wanted = np.arange(int(now * fps + 1e-6) + 1) / fps
    at, root, turn = np.concatenate(times), np.concatenate(roots), np.concatenate(turns)
    low = np.clip(np.searchsorted(at, wanted + 1e-9, side="right") - 1, 0, len(at) - 2)
    share = np.clip((wanted - at[low]) / np.maximum(at[low + 1] - at[low], 1e-9), 0.0, 1.0)[:, None]
    position = (1.0 - share) * root[low] + share * root[low + 1]
    rotation = rotations.slerp(turn[low], turn[low + 1], share)
    contact = np.concatenate(masks)[low]
    return Clip(motions[0].skeleton, position, rotation, fps, name, contact=contact)


def draw_paths(path: Path, title: str, columns: Sequence[tuple[str, PhaseMotion]]) -> None:
    """Level and vertical path of the centre of mass in flight, beside the line and the parabola."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.2 * len(columns), 5.0), layout="constrained")
    axes = figure.subplots(2, len(columns), squeeze=False)
    for k, (label, motion) in enumerate(columns):
        t = np.arange(len(motion)) / motion.fps
        way = motion.centre_of_mass - motion.centre_of_mass[0]
        line = way[-1, [0, 2]] / max(float(np.linalg.norm(way[-1, [0, 2]])), 1e-9)
        for row, (values, degree) in enumerate(((way[:, [0, 2]] @ line, 1), (way[:, 1], 2))):
            axes[row][k].plot(t, values, "o", ms=3, color="tab:blue")
            axes[row][k].plot(t, np.polyval(np.polyfit(t, values, degree), t), "-", lw=1, color="tab:orange")
            axes[row][k].set_ylabel(("along the way [m]", "height [m]")[row])
        axes[0][k].set_title(label, fontsize=9)
        axes[1][k].set_xlabel("time in flight [s]")
    figure.suptitle(title)
    figure.savefig(path, dpi=110)


# experiments


@dataclass(frozen=True)
class Experiment:
    """Two motions to mix, captured or generated."""

    name: str
    clips: tuple[str, ...]  # captured clips of one subject
    pairs: Callable[[dict[str, Clip]], Pairs]
    sample: Callable[[dict[str, Clip]], Pairs] | None  # stands in where nothing is captured


def experiments() -> list[Experiment]:
    leaps = ("127_25", "127_26", "127_27", "127_28")
    runs = ("127_03", "127_06", "127_07", "127_08", "127_04")

    def turned(clips: dict[str, Clip]) -> Pairs:
        made = {"plain": clips["jump_1.5"], "turn": spun(clips["jump_up_0.3"], 2 * np.pi)}
        return jumps(("plain", "turn"))(made)

    def leap(clips: dict[str, Clip]) -> Pairs:
        return max((best_match(clips, n, longest_flight, runs, 2) for n in leaps), key=len)

    def sample_leap(clips: dict[str, Clip]) -> Pairs:
        return best_match(clips, "run_jump_2.0", longest_flight, ["run_3.2"], 2)

    ahead_and_about = jumps(("143_05", "143_09"), middle_flight, most_turned)
    return [
        Experiment(
            "forward jumps",
            ("118_03", "118_29"),
            jumps(("118_03", "118_29")),
            jumps(("jump_0.4", "jump_1.5")),
        ),
        Experiment("jump turns", ("91_52", "91_51"), jumps(("91_52", "91_51")), None),
        Experiment(
            "vertical jumps",
            ("16_01", "16_03"),
            jumps(("16_01", "16_03")),
            jumps(("jump_0.4", "jump_up_0.3")),
        ),
        Experiment("stepping over", ("143_14", "143_15"), steps_over("143_14", "143_15"), None),
        Experiment("run and running jump", (*leaps, *runs), leap, sample_leap),
        Experiment("sitting at two heights", ("75_18", "75_17"), sitting(("75_18", "75_17")), None),
        Experiment("forward jump and full turn", ("143_05", "143_09"), ahead_and_about, turned),
    ]


def run(experiment: Experiment, output: Path) -> None:
    if (CMU / "manifest.csv").is_file():
        pairs = experiment.pairs(captured(experiment.clips))
    elif experiment.sample is not None:
        pairs = experiment.sample({clip.name: clip for clip in sample_clips()})
    else:
        print(f"{experiment.name:<28} the captured clips are not beside the project")
        return
    if not pairs:
        print(f"{experiment.name:<28} no phases that touch alike")
        return
    label = experiment.name.replace(" ", "_")
    sources = [[a for a, _ in pairs], [b for _, b in pairs]]
    for which, motions in zip(("first", "second"), sources, strict=True):
        print(f"{experiment.name:<28}{which:<18}{measured(motions, pairs)}")
        render(chained(motions, f"{experiment.name}: {which}"), output / f"{label}_{which}.png")
    for weight in (0.25, 0.5, 0.75):
        mixed = [interpolate(a, b, weight) for a, b in pairs]
        found = measured(mixed, pairs)
        flag = "  BAD LANDING" if found.level > BEND else ""
        print(f"{'':<28}{f'mixed, w = {weight}':<18}{found}{flag}")
        if weight == 0.5:
            fine = [interpolate(a, b, weight, fps=120) for a, b in pairs]
            render(chained(fine, f"{experiment.name}: w = 0.5"), output / f"{label}_mixed.png")
    naive = [by_root(a, b, 0.5) for a, b in pairs]
    print(f"{'':<28}{'by root, w = 0.5':<18}{measured(naive, pairs)}")
    render(chained(naive, f"{experiment.name}: by root, w = 0.5"), output / f"{label}_by_root.png")
    air = next((k for k, (a, _) in enumerate(pairs) if a.contact == 0), None)
    if air is not None:
        a, b = pairs[air]
        columns = [
            ("first", a),
            ("second", b),
            ("centre of mass mixed", interpolate(a, b, 0.5)),
            ("root mixed", naive[air]),
        ]
        draw_paths(output / f"{label}_paths.png", experiment.name, columns)


def speed() -> None:
    """Milliseconds per interpolation of random pairs of phases with 16 samples."""
    kinds = {"sample clips": sample_clips()}
    if (CMU / "manifest.csv").is_file():
        sources = [s for s in find_sources([CMU]) if s.subject == "16"][:25]
        kinds["captured clips"] = list(import_clips(sources, ImportSettings("cmu")).database)
    rng = np.random.default_rng(0)
    for label, clips in kinds.items():
        motions = [m for clip in clips for m in cut_phases(clip) if len(m) < 40]
        for contact in (0, 1, 3):
            own = [m for m in motions if m.contact == contact]
            chosen = rng.integers(len(own), size=(1000, 2))
            weights = rng.dirichlet([1.0, 1.0], 1000)
            interpolate_all(own, chosen[:2], weights[:2])
            start = time.perf_counter()
            missed = interpolate_all(own, chosen, weights).missed
            each = time.perf_counter() - start
            joints = len(own[0].skeleton)
            print(
                f"{label}, {joints} joints, contact {contact}: {each:.3f} ms each,"
                f" centre of mass missed by at most {missed.max() * 1e3:.1e} mm"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--output", type=Path, help="folder for the pictures; a temporary one by default")
    output = parser.parse_args().output or Path(tempfile.mkdtemp(prefix="interpolation_"))
    output.mkdir(parents=True, exist_ok=True)
    heads = ("g m/s²", "arc mm", "slide mm", "spin", "land m/s", "level")
    print(f"{'experiment':<46}" + "".join(f"{head:>9}" for head in heads))
    for experiment in experiments():
        run(experiment, output)
    speed()
    print(f"pictures are in {output}")


if __name__ == "__main__":
    main()
