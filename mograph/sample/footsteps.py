"""What a clip is to show, as a small plan: where and when each foot stands, and a few wishes for the body.

Times are whole frames at 30 per second. A foot stands from its first to its last frame, both included, so a
contact change falls exactly on a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

FPS = 30.0
LEFT, RIGHT = 0, 1
STAND_HALF_WIDTH = 0.085  # ankle to the middle line when standing [m]
STRIDE_HALF_WIDTH = 0.060  # ankle to the middle line when walking [m]; a step is about 0.1 m wide

Keys = tuple[tuple[float, float], ...]  # (frame, value) pairs of a smooth curve


@dataclass(frozen=True)
class Plant:
    """One foot standing in one place."""

    side: int  # LEFT or RIGHT
    start: int  # frame of the first touch
    stop: int  # last frame of touch
    x: float  # ankle above the floor when the foot is flat [m]
    z: float
    yaw: float  # body heading meant at this step [rad]
    floor: float = 0.0  # height of the ground under the foot [m]
    strike: float = 0.0  # toes lifted by this angle at the first touch [rad]; 0 lands flat
    push: float = 0.0  # heel lifted by this angle at the last touch [rad]
    lift: float = 0.0  # extra height of the swing that leads here [m]
    trail: float = 0.0  # how much the foot stays behind and points early in that swing [rad]


@dataclass(frozen=True)
class Grasp:
    """A hand brought to a point and held there for a moment."""

    side: int
    frame: int  # first frame of hand contact
    target: tuple[float, float, float]  # of the middle of the hand [m]
    away: int  # frames the hand is under way before and after
    hold: int = 3  # frames of contact


@dataclass(frozen=True)
class Plan:
    """Everything needed to make one clip."""

    name: str
    behaviour: str
    tags: tuple[str, ...]
    plants: tuple[Plant, ...]
    frames: int
    keep: tuple[int, int]  # frames start, stop of the part that becomes the clip
    curves: dict[str, Keys] = field(
        default_factory=dict
    )  # wishes for the body, by channel of posture.CHANNELS
    grasps: tuple[Grasp, ...] = ()

    def mirrored(self, name: str, behaviour: str) -> Plan:
        """The plan with left and right exchanged."""
        odd = ("side", "look", "twist")  # channels that change sign in a mirror
        return replace(
            self,
            name=name,
            behaviour=behaviour,
            plants=tuple(replace(p, side=1 - p.side, x=-p.x, yaw=-p.yaw) for p in self.plants),
            curves={
                channel: tuple((t, -v) for t, v in keys) if channel in odd else keys
                for channel, keys in self.curves.items()
            },
            grasps=tuple(
                replace(g, side=1 - g.side, target=(-g.target[0], g.target[1], g.target[2]))
                for g in self.grasps
            ),
        )


@dataclass(frozen=True)
class Pace:
    """How a steady gait steps."""

    length: float  # of one step [m]
    frames: int  # per step
    double: int  # frames both feet stand at each change; negative: frames of flight
    strike: float  # toes up at touch-down [rad]
    push: float  # heel up at lift-off [rad]
    lift: float = 0.0  # extra height of the swing foot [m]
    trail: float = 0.0  # how much the swing foot stays behind and points [rad]
    half_width: float = STRIDE_HALF_WIDTH  # ankle to the middle line [m]

    @property
    def speed(self) -> float:
        """Mean forward speed [m/s]."""
        return self.length / self.frames * FPS


def walking(speed: float) -> Pace:
    """A natural walk of this speed [m/s, 0.6..1.8].

    Cadence and double support follow adults' habit: about 1.6 steps/s at 0.8 m/s to 2.1 at 1.7 m/s, both feet
    down for over a quarter of the time when slow and under a fifth when fast (Winter; Murray).

    >>> round(walking(1.4).speed, 9), walking(1.4).frames
    (1.4, 15)
    """
    frames = round(float(np.interp(speed, [0.8, 1.1, 1.4, 1.7], [18, 16, 15, 14])))
    double = round(float(np.interp(speed, [0.8, 1.1, 1.4, 1.7], [5, 4, 3, 2])))
    return Pace(
        length=speed * frames / FPS,
        frames=frames,
        double=double,
        strike=float(np.interp(speed, [0.6, 1.4, 1.8], [0.20, 0.36, 0.40])),
        push=float(np.interp(speed, [0.6, 1.4, 1.8], [0.66, 1.0, 1.05])),
        lift=0.02,
    )


def running(speed: float) -> Pace:
    """A run of this speed [m/s, 2..4.5]: steps of a third of a second, 0.1 s and more of each in the air."""
    frames = round(float(np.interp(speed, [2.5, 3.2, 4.0], [11, 11, 10])))
    flight = round(float(np.interp(speed, [2.5, 3.2, 4.0], [3, 4, 4])))
    return Pace(
        length=speed * frames / FPS,
        frames=frames,
        double=-flight,
        strike=0.10,
        push=float(np.interp(speed, [2.0, 4.0], [0.85, 1.05])),
        lift=float(np.interp(speed, [2.0, 4.0], [0.08, 0.20])),
        trail=float(np.interp(speed, [2.0, 4.0], [0.25, 0.55])),
    )


class Path:
    """A line on the ground made of straights and arcs, followed by arc length."""

    def __init__(self, pieces: Sequence[tuple[float, float]] = ()) -> None:
        """``pieces`` are (length [m], turn [rad], positive to the left); after them it goes on straight."""
        self.pieces = [*pieces, (1e6, 0.0)]

    def at(self, s: float) -> tuple[float, float, float]:
        """Position x, z and heading at arc length ``s``; before zero the line comes in straight.

        >>> x, z, yaw = Path([(np.pi, np.pi)]).at(np.pi)
        >>> round(x, 6), round(z, 6), round(yaw, 6)
        (2.0, 0.0, 3.141593)
        """
        x = z = yaw = 0.0
        for length, turn in self.pieces:
            part = min(s, length)
            if turn == 0.0 or part <= 0.0:
                x, z = x + part * np.sin(yaw), z + part * np.cos(yaw)
            else:
                radius, angle = length / turn, turn * part / length
                x += radius * (np.cos(yaw) - np.cos(yaw + angle))
                z += radius * (np.sin(yaw + angle) - np.sin(yaw))
                yaw += angle
            s -= part
            if s <= 0.0:
                break
        return float(x), float(z), float(yaw)


class Trail:
    """Footsteps laid one after another, from a stand at the origin."""

    def __init__(self, path: Path | None = None, floor: float = 0.0) -> None:
        self.path = path or Path()
        self.done: list[Plant] = []
        self.along = 0.0  # arc length of the last step
        self.now = 0  # frame of the last touch-down
        self.open = [
            Plant(side, 0, 0, *_beside(self.path, 0.0, side, STAND_HALF_WIDTH), floor=floor)
            for side in (LEFT, RIGHT)
        ]

    def lift_off(self, side: int, frame: int, push: float) -> None:
        """The foot leaves the ground after ``frame``."""
        self.done.append(replace(self.open[side], stop=frame, push=push))

    def touch(self, side: int, frame: int, pace: Pace, floor: float = 0.0) -> None:
        """The foot comes down at ``frame``, a step of this pace farther along."""
        self.along, self.now = self.along + pace.length, frame
        x, z, yaw = _beside(self.path, self.along, side, pace.half_width)
        self.open[side] = Plant(
            side, frame, frame, x, z, yaw, floor, strike=pace.strike, lift=pace.lift, trail=pace.trail
        )

    def place(self, side: int, leave: int, land: int, spot: Plant, push: float = 0.3) -> None:
        """A single free step: leave after frame ``leave``, stand at ``spot`` from frame ``land`` on."""
        self.lift_off(side, leave, push)
        self.open[side] = replace(spot, side=side, start=land, stop=land)
        self.now = land

    def march(
        self, side: int, leave: int, paces: Sequence[Pace], floors: Sequence[float] | None = None
    ) -> list[int]:
        """Walk or run: ``side`` leaves after frame ``leave``, then one step per pace, feet in turn.

        A foot leaves ``double`` frames after the other has come down or, in a run, that many frames before.
        Returns the frames of touch-down.
        """
        downs = []
        for k, pace in enumerate(paces):
            if k > 0:
                leave = self.now + paces[k - 1].double
            land = leave + pace.frames - max(pace.double, 0) if k == 0 else self.now + pace.frames
            self.lift_off(side, leave, pace.push)
            self.touch(side, land, pace, floors[k] if floors else 0.0)
            downs.append(land)
            side = 1 - side
        return downs

    def finish(self, frames: int) -> tuple[Plant, ...]:
        """All plants in order of time, feet that still stand do so to the end."""
        plants = self.done + [replace(p, stop=frames - 1) for p in self.open]
        return tuple(sorted(plants, key=lambda p: (p.start, p.side)))


def _beside(path: Path, along: float, side: int, width: float) -> tuple[float, float, float]:
    x, z, yaw = path.at(along)
    aside = width if side == LEFT else -width
    return x + aside * np.cos(yaw), z - aside * np.sin(yaw), yaw
