"""From footsteps to the path of the centre of mass: pressure under the feet, height, and then balance.

The body is carried where its feet push. With the centre of mass at (x, y, z), the centre of pressure p under
the feet and no change of angular momentum, the ground force passes through the centre of mass:

    x'' = (x - p_x) (y'' + g) / (y - p_y),   and the same for z.

Given y(t) and p(t) this is linear in x, a tridiagonal boundary-value problem over the whole clip; its bounded
solution anticipates as people do: it leans into a step before the step. In flight y'' = -g, hence x'' = 0.
All derivatives are second differences at 30 per second, so these laws hold exactly for the stored frames.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.linalg import solve_banded

from mograph.rotations import Array
from mograph.sample.feet import foot_yaw
from mograph.sample.footsteps import FPS, Plant
from mograph.sample.least_squares import DIFFERENCES, Curve

GRAVITY = 9.81  # [m/s²]
TRANSFER = 10  # weight moves from foot to foot within this many frames where both stand for long
MID_FOOT = 0.045  # pressure in a quiet stand, ahead of the ankle [m]
HEEL_PRESSURE, BALL_PRESSURE = (
    -0.030,
    0.170,
)  # pressure at heel strike and at push-off, ahead of the ankle [m]
FORE_PRESSURE = 0.10  # pressure when a flat foot lands from flight [m]
HEIGHT_CUTOFF = 2.6  # wishes for the height are followed up to this frequency [Hz]
CAP_WEIGHT = 200.0  # how much more a leg's reach counts than a wish
MOST_TURN = 0.15  # horizontal force spent on angular momentum, at most, as a share of the vertical force
FORCE_WEIGHT = 0.02  # … and a push that would be too weak
FIXED = 1e4  # weight of what must hold
LEAST_FORCE = 0.25  # ground force aimed at while a foot stands, as a share of the weight


@dataclass(frozen=True)
class Support:
    """What carries the body, frame by frame."""

    pressure: Array  # (T, 3) centre of pressure [m]
    share: Array  # (T, 2) share of the weight on the left and right foot
    yaw: Array  # (T,) heading of the feet that carry, weighted [rad]
    flight: NDArray[np.bool_]  # (T,)


def support(plants: tuple[Plant, ...], frames: int) -> Support:
    """Centre of pressure, load per foot and mean heading of the feet."""
    load, carried, share = np.zeros(frames), np.zeros((frames, 4)), np.zeros((frames, 2))
    planted = np.zeros((2, frames), bool)
    for plant in plants:
        rows = np.arange(plant.start, plant.stop + 1)
        planted[plant.side, rows] = True
        weight = np.maximum(_load(plant, plants, rows), 1e-6)
        alone = not any(p.start < plant.start <= p.stop for p in plants if p.side != plant.side)
        offset = _pressure_offset(plant, rows, frames, FORE_PRESSURE if alone else MID_FOOT)
        yaw = foot_yaw(plant)
        place = np.stack(
            [
                plant.x + offset * np.sin(yaw),
                np.full(len(rows), plant.floor),
                plant.z + offset * np.cos(yaw),
                np.full(len(rows), plant.yaw),
            ],
            axis=-1,
        )
        load[rows] += weight
        carried[rows] += weight[:, None] * place
        share[rows, plant.side] += weight
    flight = ~(planted[0] | planted[1])
    ground = np.flatnonzero(~flight)
    carried[ground] /= load[ground, None]
    share[ground] /= load[ground, None]
    every = np.arange(frames)
    for columns in (carried, share):
        for c in range(columns.shape[1]):
            columns[:, c] = np.interp(every, ground, columns[ground, c])
    return Support(carried[:, :3], share, carried[:, 3], flight)


def _load(plant: Plant, plants: tuple[Plant, ...], rows: NDArray[np.int64]) -> Array:
    """Unscaled load on a foot: it comes while the other foot still stands, and goes when that is back."""
    load = np.ones(len(rows))
    for other in plants:
        if other.side == plant.side:
            continue
        if other.start < plant.start < other.stop:  # takes over from the other foot
            span = min(other.stop - plant.start, TRANSFER)
            load = np.minimum(load, _smoothstep((rows - plant.start) / span))
        if other.start < plant.stop < other.stop:  # hands over to the other foot
            span = min(plant.stop - other.start, TRANSFER)
            load = np.minimum(load, _smoothstep((plant.stop - rows) / span))
    return load


def _smoothstep(s: Array) -> Array:
    s = np.clip(s, 0.0, 1.0)
    return s * s * (3 - 2 * s)


def _pressure_offset(plant: Plant, rows: NDArray[np.int64], frames: int, flat: float) -> Array:
    """Where along the foot the pressure is, ahead of the ankle [m]; ``flat`` where a flat foot lands."""
    first, last = float(plant.start), float(plant.stop)
    begin = MID_FOOT
    if plant.start > 0:
        begin = flat + (HEEL_PRESSURE - flat) * min(1.0, plant.strike / 0.3)
    end = MID_FOOT + (BALL_PRESSURE - MID_FOOT) * min(1.0, plant.push / 0.4)
    if plant.stop == frames - 1:
        end = MID_FOOT
    keys = {first: begin, last: end}
    if last - first > 30:  # a stand: quiet in between
        keys[first + 12], keys[last - 18] = MID_FOOT, MID_FOOT
        keys[last - 11] = (MID_FOOT + end) / 2  # forward before the heel rises
        if plant.start == 0 and plant.push > 0.5:  # a first step begins on the heels
            keys[last - 25], keys[last - 18] = MID_FOOT, 0.0
    elif last - first > 4:
        keys[first + 0.25 * (last - first)] = begin + 0.45 * (end - begin)
        keys[first + 0.60 * (last - first)] = begin + 0.82 * (end - begin)
    times = sorted(keys)
    if len(times) < 2:
        return np.full(len(rows), begin)
    return PchipInterpolator(times, [keys[t] for t in times])(rows)


def height(wish: Array, weight: Array, cap: Array, flight: NDArray[np.bool_]) -> Array:
    """Height of the centre of mass over time [m].

    As smooth as can be (least jerk squared) while near ``wish`` by ``weight`` and below ``cap``, the reach of
    the legs; in flight exactly a fall with g. Ends at rest. Without flight, forces come out gently; with it,
    crouch, push and landing follow from the time in the air.
    """
    basis = Curve(len(wish))
    basis.wish(3, (2 * np.pi * HEIGHT_CUTOFF) ** -6.0, 0.0)
    basis.wish(0, weight, wish)
    basis.wish(0, _at_ends(len(wish)), wish)
    basis.wish(2, np.where(flight[1:-1], FIXED, 0.0), -GRAVITY)
    over, under = np.zeros(len(wish)), np.zeros(len(wish) - 2)
    least = GRAVITY * (LEAST_FORCE - 1.0)
    y = wish
    for _ in range(25):  # limits count only where they are passed
        before = y
        curve = basis.copy()
        curve.wish(0, over, cap)
        curve.wish(2, under, least)
        y = curve.solve()
        over = (over + np.where(y > cap, CAP_WEIGHT, 0.0)) / 2
        weak = (DIFFERENCES[2] @ np.stack([y[:-2], y[1:-1], y[2:]]) < least - 1e-3) & ~flight[1:-1]
        under = np.maximum(under, FORCE_WEIGHT * weak)
        if np.abs(y - before).max() < 1e-5:
            break
    return _ballistic(y, flight)


def _at_ends(count: int) -> Array:
    """Weights that hold the two frames at either end."""
    weight = np.zeros(count)
    weight[[0, 1, -2, -1]] = FIXED
    return weight


def _ballistic(y: Array, flight: NDArray[np.bool_]) -> Array:
    """The curve with each flight made an exact parabola between the frames of lift-off and touch-down."""
    y = y.copy()
    edges = np.flatnonzero(np.diff(flight.astype(int)))
    for off, down in zip(edges[::2], edges[1::2] + 1, strict=True):
        k = np.arange(down - off + 1)
        fall = -0.5 * GRAVITY / FPS**2 * k * (k - k[-1])
        y[off : down + 1] = y[off] + (y[down] - y[off]) * k / k[-1] + fall
    return y


def balance(pressure: Array, y: Array, change: Array) -> Array:
    """Centres of mass (T, 3) of the given height whose ground forces act at ``pressure``.

    ``change`` (T, 3) is the rate of angular momentum per body mass [m²/s²]; where it is not zero the force
    misses the centre of mass: z'' = ((z - p_z) (y'' + g) - change_x) / (y - p_y), and x with +change_z.
    """
    count, dt = len(y), 1.0 / FPS
    lift = np.zeros(count)
    lift[1:-1] = y[2:] - 2 * y[1:-1] + y[:-2] + GRAVITY * dt**2
    carried = np.abs(lift) > 1e-9
    arm = y - pressure[:, 1]
    pull = np.where(carried, lift / arm, 0.0)
    turn = np.stack([change[:, 2], -change[:, 0]], axis=-1) * (dt**2 / arm)[:, None]
    most = MOST_TURN * np.where(carried, np.maximum(lift, 0.0), 0.0)[:, None]  # what friction can give
    turn = np.clip(turn, -most, most)
    bands = np.ones((3, count))
    bands[1] = -2.0 - pull
    bands[1, [0, -1]] = 1.0
    bands[0, 1] = bands[2, -2] = 0.0
    right = turn - pull[:, None] * pressure[:, [0, 2]]
    right[[0, -1]] = pressure[[0, -1]][:, [0, 2]]
    xz = solve_banded((1, 1), bands, right)
    return np.stack([xz[:, 0], y, xz[:, 1]], axis=-1)
