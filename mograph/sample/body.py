"""From a plan to a clip: feet, balance, posture and momentum brought to agree."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import Contact, ContactArray
from mograph.kinematics import forward
from mograph.rotations import Array
from mograph.sample.centre_of_mass import GRAVITY, Support, balance, height, support
from mograph.sample.feet import FootMotion, foot_motion
from mograph.sample.footsteps import FPS, LEFT, RIGHT, Plan
from mograph.sample.limbs import reach_cap, sample_body, settled, stretch_limits
from mograph.sample.momentum import TRUNK_INERTIA, angular_momentum, steadying_sway
from mograph.sample.posture import CHANNELS, X, Z, heading_of, posture, smooth
from mograph.sample.skeleton import sample_skeleton

ATTEMPTS = 11  # rounds of balance, posture and momentum at most
CLOSE = 3e-4  # … or until the centre of mass stays put within this [m]
RUN_SINK = 0.02  # a runner's centre of mass is wished this much lower [m]
BOB = 0.04  # the walking body sinks by this times the distance of the feet squared [1/m]


def make_clip(plan: Plan) -> Clip:
    """The clip a plan describes."""
    feet = tuple(
        foot_motion([p for p in plan.plants if p.side == side], plan.frames) for side in (LEFT, RIGHT)
    )
    carried = support(plan.plants, plan.frames)
    curves = {channel: _curve(plan.curves.get(channel), plan.frames) for channel in CHANNELS}
    root, rotation = _agreed(plan, feet, carried, curves)
    whole = Clip(
        sample_skeleton(),
        root,
        rotations.continuous(rotation),
        FPS,
        name=plan.name,
        subject="sample",
        behaviour=plan.behaviour,
        tags=plan.tags,
        contact=_contacts(plan, feet),
    )
    return whole.cut(*plan.keep)


def _agreed(
    plan: Plan, feet: tuple[FootMotion, ...], carried: Support, curves: dict[str, Array]
) -> tuple[Array, Array]:
    """Root positions and rotations in which balance, posture, reach and angular momentum agree.

    Each depends on the others, so they are gone through in rounds: the height is limited by the legs' reach
    in the round before, balance and sway of the trunk answer to the angular momentum of the round before.
    """
    masses, flight = sample_body().masses, carried.flight
    pressure = carried.pressure + _shifted(feet, curves["side"])
    wish = _height_wish(feet, pressure) + curves["height"]
    weight = 1.0 / (1.0 + 25.0 * smooth(flight.astype(float), 6.0))  # a jump needs room to crouch and to land
    turned = rotations.from_yaw(heading_of(carried))
    stretch, cap = stretch_limits(flight), np.full(plan.frames, 1e3)
    sway, change = np.zeros((2, plan.frames)), np.zeros((plan.frames, 3))
    root = before = np.full((plan.frames, 3), np.inf)
    for attempt in range(ATTEMPTS):
        y = height(wish, weight, cap, flight)
        centre = balance(pressure, y, change)
        base = posture(feet, carried, centre, curves, sway)
        last = attempt == ATTEMPTS - 1 or float(np.abs(centre - before).max()) < CLOSE
        guess = root if attempt else centre
        root, rotation = settled(plan, base, feet, stretch, centre, guess, rounds=16 if last else 4)
        if last:
            break
        before = centre
        new_cap = reach_cap(root, rotation, feet, stretch, y)
        cap = new_cap if attempt == 0 else (cap + new_cap) / 2  # halfway, or the two would chase each other
        if attempt >= ATTEMPTS - 3:  # the last rounds only see to the reach of the legs
            continue
        momentum = angular_momentum(masses, forward(sample_skeleton(), root, rotation))
        change = change + (_rate(momentum) - change) * (0.7 if attempt else 1.0)
        for k, axis in enumerate((X, Z)):
            felt = np.sum(change * rotations.rotate(turned, axis), axis=-1)
            without = felt - TRUNK_INERTIA * _second(sway[k])
            sway[k] = steadying_sway(without, 1.0 + _second(y) / GRAVITY, flight)
    return root, rotation


def _height_wish(feet: tuple[FootMotion, ...], pressure: Array) -> Array:
    """Where the centre of mass would like to be (T,) [m]: as in a stand, lower in long steps and runs."""
    ground = smooth(np.minimum(feet[LEFT].floor, feet[RIGHT].floor), 3.0)
    velocity = np.gradient(smooth(pressure, 8.0), 1 / FPS, axis=0)
    pace = smooth(np.linalg.norm(velocity[:, [0, 2]], axis=-1), 4.0)
    apart = np.sum((feet[RIGHT].ankle - feet[LEFT].ankle)[:, [0, 2]] ** 2, axis=-1)
    sink = BOB * np.minimum(smooth(apart, 1.0), 0.8) * np.clip(2.6 - pace, 0.0, 1.0)
    return sample_body().stand_height + ground - sink - RUN_SINK * np.clip((pace - 1.8) / 0.9, 0.0, 1.0)


def _contacts(plan: Plan, feet: tuple[FootMotion, ...]) -> ContactArray:
    contact = np.zeros(plan.frames, np.uint8)
    contact[feet[LEFT].planted] |= np.uint8(Contact.LEFT_FOOT)
    contact[feet[RIGHT].planted] |= np.uint8(Contact.RIGHT_FOOT)
    for grasp in plan.grasps:
        bit = Contact.LEFT_HAND if grasp.side == LEFT else Contact.RIGHT_HAND
        contact[grasp.frame : grasp.frame + grasp.hold] |= np.uint8(bit)
    return contact


def _curve(keys: tuple[tuple[float, float], ...] | None, frames: int) -> Array:
    if not keys:
        return np.zeros(frames)
    times, values = zip(*keys, strict=True)
    inside = np.clip(np.arange(frames), times[0], times[-1])
    return gaussian_filter1d(PchipInterpolator(times, values)(inside), 1.5, mode="nearest")


def _rate(momentum: Array) -> Array:
    """Rate of change at the frames of what is known between them; nothing changes at the ends."""
    rate = np.zeros((len(momentum) + 1, 3))
    rate[1:-1] = np.diff(momentum, axis=0) * FPS
    return rate


def _second(values: Array) -> Array:
    out = np.zeros_like(values)
    out[1:-1] = (values[2:] - 2 * values[1:-1] + values[:-2]) * FPS**2
    return out


def _shifted(feet: tuple[FootMotion, ...], side: Array) -> Array:
    return side[:, None] * (feet[LEFT].ankle - feet[RIGHT].ankle) / 2 * np.array([1.0, 0.0, 1.0])
