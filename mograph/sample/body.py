"""From a plan to a clip: feet, balance, posture and momentum brought to agree."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import Contact
from mograph.kinematics import forward
from mograph.rotations import Array
from mograph.sample.centre_of_mass import GRAVITY, balance, height, support
from mograph.sample.feet import FootMotion, foot_motion
from mograph.sample.footsteps import FPS, LEFT, RIGHT, Plan
from mograph.sample.limbs import reach_cap, sample_body, settled, stretch_limits
from mograph.sample.momentum import TRUNK_INERTIA, angular_momentum, steadying_sway
from mograph.sample.posture import CHANNELS, X, Z, heading_of, posture, smooth
from mograph.sample.skeleton import sample_skeleton

ATTEMPTS = 9  # rounds of balance, posture and momentum until they agree
RUN_SINK = 0.05  # a runner's centre of mass is wished this much lower [m]
BOB = 0.055  # the walking body sinks by this times the distance of the feet squared [1/m]


def make_clip(plan: Plan) -> Clip:
    """The clip a plan describes."""
    skeleton, body = sample_skeleton(), sample_body()
    feet = tuple(
        foot_motion([p for p in plan.plants if p.side == side], plan.frames) for side in (LEFT, RIGHT)
    )
    carried = support(plan.plants, plan.frames)
    curves = {channel: _curve(plan.curves.get(channel), plan.frames) for channel in CHANNELS}
    pressure = carried.pressure + _shifted(feet, curves["side"])
    ground = smooth(np.minimum(feet[LEFT].floor, feet[RIGHT].floor), 3.0)
    pace = smooth(
        np.linalg.norm(np.gradient(smooth(pressure, 8.0), 1 / FPS, axis=0)[:, [0, 2]], axis=-1), 4.0
    )
    apart = np.sum(((feet[RIGHT].ankle - feet[LEFT].ankle)[:, [0, 2]]) ** 2, axis=-1)
    sink = BOB * np.minimum(smooth(apart, 1.0), 0.8) * np.clip(2.6 - pace, 0.0, 1.0)
    wish = (
        body.stand_height
        + ground
        + curves["height"]
        - sink
        - RUN_SINK * np.clip((pace - 1.8) / 0.9, 0.0, 1.0)
    )
    near_flight = smooth(carried.flight.astype(float), 6.0)
    weight = 1.0 / (1.0 + 60.0 * near_flight)  # a jump needs room to crouch and to land
    stretch, cap = stretch_limits(carried.flight), np.full(plan.frames, 1e3)
    rotation, root = rotations.identity(plan.frames, len(skeleton)), np.zeros((plan.frames, 3))
    sway, change = np.zeros((2, plan.frames)), np.zeros((plan.frames, 3))
    for attempt in range(ATTEMPTS):
        y = height(wish, weight, cap, carried.flight)
        centre = balance(pressure, y, change)
        base = posture(feet, carried, centre, curves, sway)
        last = attempt == ATTEMPTS - 1
        root = root if attempt else centre.copy()
        root, rotation = settled(
            plan, base, feet, stretch, centre, root, rounds=12 if last else 2 + 2 * (attempt == 0)
        )
        if last:
            break
        cap = reach_cap(root, rotation, feet, stretch, y)
        if attempt >= ATTEMPTS - 3:  # the last rounds only see to the reach of the legs
            continue
        poses = forward(skeleton, root, rotation)
        change = change + (_rate(angular_momentum(body.masses, poses)) - change) * (0.7 if attempt else 1.0)
        turned = rotations.from_yaw(heading_of(carried))
        for k, axis in enumerate((X, Z)):
            felt = np.sum(change * rotations.rotate(turned, axis), axis=-1)
            sway[k] = steadying_sway(
                felt - TRUNK_INERTIA * _second(sway[k]), 1.0 + _second(y) / GRAVITY, carried.flight
            )
    contact = np.zeros(plan.frames, np.uint8)
    contact[feet[LEFT].planted] |= np.uint8(Contact.LEFT_FOOT)
    contact[feet[RIGHT].planted] |= np.uint8(Contact.RIGHT_FOOT)
    for grasp in plan.grasps:
        bit = Contact.LEFT_HAND if grasp.side == LEFT else Contact.RIGHT_HAND
        contact[grasp.frame : grasp.frame + grasp.hold] |= np.uint8(bit)
    whole = Clip(
        skeleton,
        root,
        rotations.continuous(rotation),
        FPS,
        name=plan.name,
        subject="sample",
        behaviour=plan.behaviour,
        tags=plan.tags,
        contact=contact,
    )
    return whole.cut(*plan.keep)


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
