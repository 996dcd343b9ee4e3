"""Feet that roll without slipping: heel, sole and ball on the ground, then a smooth swing to the next place.

While a foot stands, one number says everything: its pitch. Toes up, it pivots about the heel; flat, it rests;
heel up, it pivots about the ball joint while the toes lie flat. The pivot never moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from mograph import rotations
from mograph.rotations import Array
from mograph.sample.footsteps import FPS, LEFT, Plant
from mograph.sample.skeleton import BALL, BALL_HEIGHT, HEEL, TIP, TIP_HEIGHT

TOE_OUT = np.radians(6.0)  # feet point a little outwards
FLAT_AFTER = (0.16, 0.13)  # the sole is down after this share of the stance, at most this long [s]
HEEL_UP_SHARE = (0.70, 0.58)  # the heel rises this share of the stance before its end: running, walking …
HEEL_UP_BEFORE = 0.40  # … and at most this long before [s]
SPRING_OFF, SPRING_ON = (
    4.0,
    8.0,
)  # feet leave and arrive briskly: acceleration, in lengths per duration squared
EDGE_UP, EDGE_DOWN = 0.28, 0.23  # where a platform begins or ends, ahead of the ankle that leaves [m]
CLEARANCE = 0.018  # least height of ball and toes above their resting height in the middle of a swing [m]


@dataclass(frozen=True)
class FootMotion:
    """One foot over all frames."""

    ankle: Array  # (T, 3) [m]
    yaw: Array  # (T,) where the foot points [rad]
    pitch: Array  # (T,) toes up is positive [rad]
    toe: Array  # (T,) turn of the toes about X against the foot [rad]; bent up is negative
    planted: NDArray[np.bool_]  # (T,)
    floor: Array  # (T,) height of the ground under the foot; in a swing, on the way to the next [m]

    @cached_property
    def rotation(self) -> Array:
        """World rotation of the foot, (T, 4)."""
        return rotations.multiply(
            rotations.from_yaw(self.yaw), rotations.from_axis_angle([1.0, 0.0, 0.0], -self.pitch)
        )

    @cached_property
    def forward(self) -> Array:
        """World direction the foot points to, (T, 3)."""
        return rotations.rotate(self.rotation, rotations.FORWARD)


def foot_yaw(plant: Plant) -> float:
    """Direction of the foot itself [rad]."""
    return plant.yaw + (TOE_OUT if plant.side == LEFT else -TOE_OUT)


def roll_times(plant: Plant) -> tuple[float, float]:
    """Seconds from touch-down to flat sole, and from heel-rise to lift-off."""
    stance = (plant.stop - plant.start) / FPS
    share = np.interp(stance, [0.3, 0.6], HEEL_UP_SHARE)
    return min(FLAT_AFTER[0] * stance, FLAT_AFTER[1]), min(float(share) * stance, HEEL_UP_BEFORE)


def stance_pitch(plant: Plant, seconds: Array) -> Array:
    """Pitch of a standing foot [rad] at times counted from frame 0 [s]."""
    down, up = roll_times(plant)
    early = np.clip(1.0 - (seconds - plant.start / FPS) / max(down, 1e-6), 0.0, 1.0)
    late = np.clip(1.0 - (plant.stop / FPS - seconds) / max(up, 1e-6), 0.0, 1.0)
    return plant.strike * early**2 * (3 - 2 * early) - plant.push * late**2 * (1.2 - 0.2 * late)


def ankle_over_ground(pitch: Array) -> tuple[Array, Array]:
    """Where the ankle is, (forward, up) from its place above the flat foot's ground point, by pitch [m]."""
    c, s = np.cos(pitch), np.sin(pitch)
    heel_f, heel_u = HEEL[2], HEEL[1]
    ball_f, ball_u = BALL[2], BALL[1]
    on_heel = pitch > 0
    forward = np.where(on_heel, heel_f - (heel_f * c - heel_u * s), ball_f - (ball_f * c - ball_u * s))
    up = np.where(on_heel, -(heel_f * s + heel_u * c), BALL_HEIGHT - (ball_f * s + ball_u * c))
    return forward, up


def _stance(plant: Plant, seconds: Array) -> Array:
    """Columns x, y, z of the ankle, foot yaw, pitch, toe turn of a standing foot."""
    pitch = stance_pitch(plant, seconds)
    forward, up = ankle_over_ground(pitch)
    yaw = foot_yaw(plant)
    return np.stack(
        [
            plant.x + np.sin(yaw) * forward,
            plant.floor + up,
            plant.z + np.cos(yaw) * forward,
            np.full_like(pitch, yaw),
            pitch,
            np.minimum(pitch, 0.0),
        ],
        axis=-1,
    )


def _end_state(plant: Plant, frame: int, towards: float) -> tuple[Array, Array, Array]:
    """Value, rate and second rate of the stance at its first or last moment, from inside."""
    h = 1e-3 * towards
    p0, p1, p2 = _stance(plant, frame / FPS + h * np.arange(3.0))
    return p0, (-3 * p0 + 4 * p1 - p2) / (2 * h), (p0 - 2 * p1 + p2) / h**2


def quintic(
    s: Array, span: float, start: tuple[Array, Array, Array], end: tuple[Array, Array, Array]
) -> Array:
    """The fifth-degree curve with given value, rate and second rate at both ends of ``span`` [s].

    >>> one, zero = np.ones(1), np.zeros(1)
    >>> quintic(np.array([0.0, 0.5, 1.0]), 2.0, (zero, zero, zero), (one, zero, zero)).ravel().tolist()
    [0.0, 0.5, 1.0]
    """
    s = s[:, None]
    (p0, v0, a0), (p1, v1, a1) = start, end
    v0, v1, a0, a1 = v0 * span, v1 * span, a0 * span**2, a1 * span**2
    d = p1 - p0 - v0 - a0 / 2
    dv, da = v1 - v0 - a0, a1 - a0
    return (
        p0
        + v0 * s
        + a0 / 2 * s**2
        + (10 * d - 4 * dv + da / 2) * s**3
        + (-15 * d + 7 * dv - da) * s**4
        + (6 * d - 3 * dv + da / 2) * s**5
    )


def _bump(s: Array, early: float, late: float) -> Array:
    """A hump of height 1 that is zero and smooth at both ends; its top lies at early / (early + late)."""
    top = early / (early + late)
    return (s / top) ** early * ((1 - s) / (1 - top)) ** late


def _swing(leave: Plant, land: Plant, frames: NDArray[np.int64]) -> Array:
    span = (land.start - leave.stop) / FPS
    s = (frames - leave.stop) / (land.start - leave.stop)
    p0, v0, a0 = _end_state(leave, leave.stop, -1.0)
    p1, v1, a1 = _end_state(land, land.start, 1.0)
    p1[3] = p0[3] + (p1[3] - p0[3] + np.pi) % (2 * np.pi) - np.pi  # the short way round
    way = (p1 - p0) / span**2
    a0[:3], a1[:3] = SPRING_OFF / (1 + 8 * land.trail) * way[:3], -SPRING_ON * way[:3]
    a0[1] = a1[1] = 0.0
    rise = land.floor - leave.floor
    late = np.clip(6.0 * rise, -2.2, 2.2) * s**2 * (1 - s) ** 2  # up a step before ahead, ahead before down
    columns = quintic(s - late, span, (p0, v0, a0), (p1, v1, a1))
    columns[:, 1] = quintic(s + late, span, (p0, v0, a0), (p1, v1, a1))[:, 1]
    keys = [p0[4], -0.85 * leave.push, -0.40 * leave.push, -0.03, 0.75 * land.strike, p1[4]]
    pitch = CubicSpline(
        [0.0, 0.3, 0.53, 0.74, 0.9, 1.0], keys, bc_type=((1, v0[4] * span), (1, v1[4] * span))
    )
    columns[:, 4] = pitch(s) - land.trail * _bump(s, 3, 5)
    relax = np.clip(s / 0.7, 0.0, 1.0)  # the toes come straight while the foot rises
    columns[:, 5] = quintic(relax, 0.7 * span, (p0[5:], 0.3 * v0[5:], 0 * p0[5:]), (0 * p0[5:],) * 3)[:, 0]
    hump = _bump(s, 3, 2.2 if rise > 0 else 3.5)
    columns[:, 1] += land.lift * hump
    wanted = CLEARANCE * np.clip(5 * np.minimum(s, 1 - s) - 0.9, 0.0, 1.0) - 1e-3
    for _ in range(40):  # raise the swing until heel, ball and toes clear the ground
        ahead, above = _sole(columns)
        travel = np.hypot(columns[:, 0] - p0[0], columns[:, 2] - p0[2]) + ahead
        upper = travel > EDGE_UP if rise > 0 else travel < EDGE_DOWN
        ground = np.where(upper, max(leave.floor, land.floor), min(leave.floor, land.floor))
        short = np.max(ground + wanted - above, axis=0) * (hump > 0.01)
        worst = int(np.argmax(short))
        if short[worst] <= 0.0:
            break
        columns[:, 1] += (short[worst] / max(hump[worst], 0.3) + 1e-4) * hump
    return columns


def _sole(columns: Array) -> tuple[Array, Array]:
    """How far heel, ball and toe tip are ahead of the ankle, and how high above their rest, (3, T) each."""
    c, s = np.cos(columns[:, 4]), np.sin(columns[:, 4])
    lean = columns[:, 4] - columns[:, 5]
    heel = HEEL[2] * c - HEEL[1] * s, columns[:, 1] + HEEL[2] * s + HEEL[1] * c
    ball = BALL[2] * c - BALL[1] * s, columns[:, 1] + BALL[2] * s + BALL[1] * c
    tip = (
        ball[0] + TIP[2] * np.cos(lean) - TIP[1] * np.sin(lean),
        ball[1] + TIP[2] * np.sin(lean) + TIP[1] * np.cos(lean),
    )
    ahead, above = zip(heel, (ball[0], ball[1] - BALL_HEIGHT), (tip[0], tip[1] - TIP_HEIGHT), strict=True)
    return np.stack(ahead), np.stack(above)


def foot_motion(plants: list[Plant], frames: int) -> FootMotion:
    """Motion of one foot through its plants in order of time."""
    columns, planted, floor = np.zeros((frames, 6)), np.zeros(frames, bool), np.zeros(frames)
    for plant in plants:
        rows = np.arange(plant.start, plant.stop + 1)
        columns[rows] = _stance(plant, rows / FPS)
        planted[rows] = True
        floor[rows] = plant.floor
    for leave, land in pairwise(plants):
        rows = np.arange(leave.stop + 1, land.start)
        columns[rows] = _swing(leave, land, rows)
        floor[rows] = np.interp(rows, [leave.stop, land.start], [leave.floor, land.floor])
    columns[:, 3] = np.unwrap(columns[:, 3])
    return FootMotion(columns[:, :3], columns[:, 3], columns[:, 4], columns[:, 5], planted, floor)
