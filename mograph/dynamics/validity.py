"""Is this motion possible? A report with one row per check and phase: value, limit, pass or fail, and why."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mograph.clip import Clip
from mograph.contacts import FEET, Contact, ContactArray, Phase, phases
from mograph.dynamics.frame_measures import FrameMeasures, frame_measures
from mograph.dynamics.mass_model import SIDES, MassModel, mass_model
from mograph.errors import MographError
from mograph.kinematics import centre_of_mass, poses
from mograph.rotations import Array

RATE = 30.0  # frames per second at which forces are judged: the limits were found at this rate [1/s]
EDGE = 0.1  # frames this near to the clip's ends, where derivatives are poor, are not judged [s]
NEAR_FLIGHT = 0.07  # nor forces this near to a flight, into which the smoothing bleeds [s]
CUT = 0.03  # left off both ends of a flight, whose limits the contact labels do not know exactly [s]
SHORTEST_FIT = 0.15  # shorter arcs do not determine gravity [s]
SETTLING = 0.167  # after touching down and before lifting off a foot may still roll [s]
FEWEST = 3  # frames a force must be seen in to be judged


@dataclass(frozen=True)
class Limit:
    """A range a value must lie in."""

    low: float
    high: float
    unit: str
    source: str


_NONE = -np.inf  # no lower end
# walks, runs, jumps, sitting, picking up …; contacts by the detector with the floor of each subject
_CMU = "381 CMU clips"


@dataclass(frozen=True)
class ValidityLimits:
    """What captured human motion satisfies: each limit passes at least 95 % of the phases of real clips.

    Sources name the 95th and 99th percentile over phases of the CMU clips this project was built on.
    """

    gravity: Limit = Limit(
        8.5,
        12.7,
        "m/s²",
        f"accepted are 9.0..12.7 (Reitsma & Pollard 2003), 98 real flights of jumps fit 8.6..11.7 ({_CMU})",
    )
    arc: Limit = Limit(_NONE, 0.010, "m", f"p95 0.006, p99 0.007 of 115 flights ({_CMU})")
    angular_momentum: Limit = Limit(
        _NONE, 0.05, "m²/s per kg", f"p95 0.042, p99 0.066 of 243 flights ({_CMU})"
    )
    slide: Limit = Limit(_NONE, 0.085, "m/s", f"p95 0.076, p99 0.133 of 1991 stances ({_CMU})")
    slide_length: Limit = Limit(_NONE, 0.04, "m", f"p95 0.033, p99 0.066 of 1991 stances ({_CMU})")
    penetration: Limit = Limit(_NONE, 0.04, "m", f"p95 0.024, p99 0.040 of 4644 phases ({_CMU})")
    balance: Limit = Limit(_NONE, 0.05, "m", f"p95 0.000, p99 0.017 of 335 phases at rest ({_CMU})")
    pressure: Limit = Limit(_NONE, 0.05, "m", f"p95 0.045, p99 0.165 of 3356 phases ({_CMU})")
    friction: Limit = Limit(_NONE, 0.5, "", f"p95 0.37, p99 0.55 of 3356 phases ({_CMU})")
    twist: Limit = Limit(_NONE, 0.06, "m", f"p95 0.028, p99 0.055 of 3356 phases ({_CMU})")
    normal_force: Limit = Limit(0.0, 4.5, "body weights", f"p95 2.2, p99 2.7 of 3357 phases ({_CMU})")
    torque: Limit = Limit(_NONE, 1.0, "of the joint's limit", f"p95 0.79, p99 1.13 of 3392 phases ({_CMU})")
    knee: Limit = Limit(-10.0, 165.0, "degrees", f"p99 0..148 of 4644 phases ({_CMU})")
    elbow: Limit = Limit(0.0, 160.0, "degrees", f"largest 145 of 4644 phases ({_CMU})")
    joint_jump: Limit = Limit(_NONE, 20.0, "rad/s per frame", f"p95 10.2, p99 15.0 of 4644 phases ({_CMU})")
    root_jump: Limit = Limit(_NONE, 1.5, "m/s per frame", f"p95 0.60, p99 0.93 of 4644 phases ({_CMU})")


# greatest moments per body mass [N m/kg]: near or above the 99th percentile of phases of captured motion
TORQUE_LIMITS = {
    **{f"{side}_hip": 4.0 for side in SIDES},
    **{f"{side}_knee": 4.5 for side in SIDES},
    **{f"{side}_ankle": 5.0 for side in SIDES},
    **{f"{side}_shoulder": 0.6 for side in SIDES},
    **{f"{side}_elbow": 0.25 for side in SIDES},
    "spine": 3.0,
    "chest": 1.2,
    "neck": 0.3,
}


@dataclass(frozen=True)
class Row:
    """One check of one phase."""

    check: str  # a field of ValidityLimits
    phase: str  # what touches, and when
    start: float  # [s]
    stop: float  # [s]
    value: float
    limit: Limit
    detail: str = ""

    @property
    def passed(self) -> bool:
        """Whether the value lies within the limit."""
        return self.limit.low <= self.value <= self.limit.high

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON; a limit with one side has ``null`` on the other."""
        ends = [None if np.isinf(end) else end for end in (self.limit.low, self.limit.high)]
        return {
            "check": self.check,
            "phase": self.phase,
            "start": round(self.start, 4),
            "stop": round(self.stop, 4),
            "value": round(float(self.value), 6),
            "limit": ends,
            "unit": self.limit.unit,
            "passed": self.passed,
            "source": self.limit.source,
            "detail": self.detail,
        }


@dataclass(frozen=True)
class Report:
    """All rows of a motion, in the order of time within each check."""

    name: str
    seconds: float
    rows: tuple[Row, ...]
    phases: tuple[tuple[float, float, Contact], ...]  # start and stop [s], what touches

    @property
    def passed(self) -> bool:
        """Whether every row passed."""
        return all(row.passed for row in self.rows)

    @property
    def failures(self) -> tuple[Row, ...]:
        """Rows that did not pass."""
        return tuple(row for row in self.rows if not row.passed)

    @property
    def score(self) -> float:
        """Share of the motion's time that no failed row covers [0..1]."""
        times = np.linspace(0.0, self.seconds, max(round(self.seconds * RATE), 1) + 1)
        bad = np.zeros(len(times), bool)
        for row in self.failures:
            bad |= (times >= row.start) & (times <= row.stop)
        return float(1.0 - bad.mean())

    def as_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        return {
            "format": "mograph validity report",
            "version": 1,
            "clip": self.name,
            "seconds": round(self.seconds, 4),
            "passed": self.passed,
            "score": round(self.score, 4),
            "rows": [row.as_dict() for row in self.rows],
        }


def check_motion(clip: Clip, model: MassModel | None = None, limits: ValidityLimits | None = None) -> Report:
    """Judge a clip whose contacts are known.

    Flights are judged by the parabola through the centre of mass at the clip's own rate and by the drift of
    the angular momentum, not by accelerations of single frames. Forces are judged at 30 frames per second on
    motion smoothed at 8 Hz, where the limits were found; not near the clip's ends, nor near flights.
    Penetration is told for the floor y = 0 only.
    """
    if clip.contact is None:
        raise MographError(f"clip '{clip.name}' has no contacts; detect them before checking it")
    model = mass_model(clip.skeleton) if model is None else model
    judge = _Judge(limits or ValidityLimits())
    slow = clip.resampled(RATE) if clip.fps > 1.1 * RATE else clip
    assert slow.contact is not None
    measured = frame_measures(slow, model)
    com = centre_of_mass(poses(clip), model.mass, model.centre)
    for phase in phases(clip.contact):
        if phase.contact == Contact.FLIGHT:
            _judge_arc(judge, phase, com, clip.fps)
    edge = np.ones(len(slow), bool)
    edge[round(EDGE * slow.fps) : len(slow) - round(EDGE * slow.fps)] = False
    blurred = edge | _near(slow.contact == 0, round(NEAR_FLIGHT * slow.fps))
    for phase in phases(slow.contact):
        _judge_pose(judge, phase, measured, slow.fps)
        if phase.contact == Contact.FLIGHT:
            _judge_spin(judge, phase, measured, slow.fps)
        else:
            _judge_ground(judge, phase, measured, slow.fps, ~blurred)
            _judge_torque(judge, phase, measured, slow, ~blurred)
    for foot in range(2):
        _judge_slide(judge, measured, foot, slow.contact, slow.fps)
    order = {check.name: k for k, check in enumerate(fields(ValidityLimits))}
    rows = sorted(judge.rows, key=lambda row: (order[row.check], row.start))
    shown = tuple((p.start / clip.fps, p.stop / clip.fps, p.contact) for p in phases(clip.contact))
    return Report(clip.name, clip.seconds, tuple(rows), shown)


class _Judge:
    """Collects rows."""

    def __init__(self, limits: ValidityLimits) -> None:
        self.limits = limits
        self.rows: list[Row] = []

    def row(self, check: str, phase: Phase, fps: float, values: Array, detail: str = "") -> None:
        """A row for the worst of ``values``: the smallest if that is below the limit, else the largest."""
        values = np.asarray(values, float)
        values = values[np.isfinite(values)]
        if len(values) == 0:
            return
        limit: Limit = getattr(self.limits, check)
        low = float(values.min())
        value = low if low < limit.low else float(values.max())
        start, stop = phase.start / fps, phase.stop / fps
        label = f"{contact_words(phase.contact)} {start:.2f}-{stop:.2f} s"
        self.rows.append(Row(check, label, start, stop, value, limit, detail))


def contact_words(contact: Contact) -> str:
    """What touches, in words.

    >>> contact_words(Contact.LEFT_FOOT | Contact.RIGHT_FOOT), contact_words(Contact(0))
    ('left foot + right foot', 'flight')
    """
    return " + ".join((part.name or "").lower().replace("_", " ") for part in contact) or "flight"


def _near(flight: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Frames in a flight or up to ``reach`` frames away from one."""
    return np.convolve(flight, np.ones(2 * reach + 1))[reach : reach + len(flight)] > 0


def _judge_arc(judge: _Judge, phase: Phase, com: Array, fps: float) -> None:
    """Fitted gravity, and how far the centre of mass leaves a parabola with a straight ground track."""
    cut = round(CUT * fps)
    part = com[phase.start + cut : max(phase.stop - cut, 0)]
    if (len(part) - 1) / fps < SHORTEST_FIT or len(part) < 4:
        return
    t = np.arange(len(part)) / fps
    t -= t.mean()
    straight = np.stack([np.ones_like(t), t], axis=1)
    bent = np.stack([np.ones_like(t), t, t**2], axis=1)
    height, *_ = np.linalg.lstsq(bent, part[:, 1], rcond=None)
    track, *_ = np.linalg.lstsq(straight, part[:, [0, 2]], rcond=None)
    off = np.sum((part[:, [0, 2]] - straight @ track) ** 2, axis=1) + (part[:, 1] - bent @ height) ** 2
    judge.row("gravity", phase, fps, np.array([-2.0 * height[2]]))
    judge.row("arc", phase, fps, np.array([np.sqrt(off.mean())]))


def _judge_spin(judge: _Judge, phase: Phase, measured: FrameMeasures, fps: float) -> None:
    """Largest distance of the angular momentum from its mean over a flight without its end frames."""
    part = measured.angular_momentum[phase.start + 1 : phase.stop - 1]
    if len(part) >= FEWEST:
        judge.row("angular_momentum", phase, fps, np.linalg.norm(part - part.mean(axis=0), axis=1))


def _judge_pose(judge: _Judge, phase: Phase, measured: FrameMeasures, fps: float) -> None:
    own = slice(phase.start, phase.stop)
    judge.row("penetration", phase, fps, measured.depth[own])
    judge.row("knee", phase, fps, np.degrees(measured.knee[own]).ravel())
    judge.row("elbow", phase, fps, np.degrees(measured.elbow[own]).ravel())
    judge.row("joint_jump", phase, fps, measured.joint_jump[own])
    judge.row("root_jump", phase, fps, measured.root_jump[own])


def _judge_ground(
    judge: _Judge, phase: Phase, measured: FrameMeasures, fps: float, clear: NDArray[np.bool_]
) -> None:
    """Balance at rest, centre of pressure (median), friction and twist (90th percentile), normal force."""
    if not phase.contact & FEET or phase.contact & Contact.PELVIS:
        return  # nothing is known of the shape and height of a seat
    frames = np.arange(phase.start, phase.stop)[clear[phase.start : phase.stop]]
    resting = frames[measured.at_rest[frames]]
    if len(resting) >= FEWEST:
        judge.row("balance", phase, fps, _percentile(measured.com_outside[resting], 90))
    if len(frames) >= FEWEST:
        judge.row("pressure", phase, fps, _percentile(measured.pressure_outside[frames], 50))
        judge.row("friction", phase, fps, _percentile(measured.friction[frames], 90))
        judge.row("twist", phase, fps, _percentile(measured.twist[frames], 90))
        judge.row("normal_force", phase, fps, measured.normal_force[frames])


def _judge_torque(
    judge: _Judge, phase: Phase, measured: FrameMeasures, clip: Clip, clear: NDArray[np.bool_]
) -> None:
    """The joint nearest to its strength: 95th percentile of its moment over its limit."""
    frames = np.arange(phase.start, phase.stop)[clear[phase.start : phase.stop]]
    if len(frames) < FEWEST:
        return
    shares = {
        role: float(np.percentile(measured.torque[frames, clip.skeleton.roles[role]], 95)) / most
        for role, most in TORQUE_LIMITS.items()
        if role in clip.skeleton.roles
    }
    worst = max(shares, key=lambda role: shares[role])
    judge.row("torque", phase, clip.fps, np.array([shares[worst]]), worst.replace("_", " "))


def _judge_slide(
    judge: _Judge, measured: FrameMeasures, foot: int, contact: ContactArray, fps: float
) -> None:
    """Median speed of a standing foot, and how far it moves while it neither comes down nor lifts.

    The way is that of ankle or toe, whichever stays nearer to its middle place, for a foot may roll.
    """
    settling = round(SETTLING * fps)
    for stance in phases((contact & (1 << foot)).astype(np.uint8)):
        if not stance.contact or len(stance) <= 2 * settling:
            continue
        own = slice(stance.start + settling, stance.stop - settling)
        speed = measured.slide[own, foot]
        track = measured.foot[own, foot]
        away = np.linalg.norm(track - np.median(track, axis=0), axis=-1).max(axis=0).min()
        judge.row("slide", stance, fps, _percentile(speed, 50))
        judge.row("slide_length", stance, fps, np.array([away]))


def _percentile(values: Array, share: float) -> Array:
    values = values[np.isfinite(values)]
    return np.percentile(values, [share]) if len(values) else values
