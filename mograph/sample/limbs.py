"""Legs brought to their feet and hands to what they grasp, with the centre of mass where balance wants it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mograph import rotations
from mograph.dynamics.mass_model import MassModel, mass_model
from mograph.ik import Limb, arm, leg, reach
from mograph.kinematics import Poses, centre_of_mass, forward
from mograph.rotations import Array
from mograph.sample.feet import FootMotion
from mograph.sample.footsteps import Grasp, Plan
from mograph.sample.skeleton import ANKLE_HEIGHT, PALM, sample_skeleton

STAND_STRETCH = 0.988  # hip to ankle in a stand, as a share of the straight leg
MOST_STRETCH = 0.992  # the same at most, so that knees never lock …
FLIGHT_STRETCH = 0.965  # … and in the air and when landing, so that knees have room to give
EASE = 0.025  # a swinging leg holds back when its stretch is this near the most


@dataclass(frozen=True)
class Body:
    """The skeleton with what is needed of it again and again."""

    masses: MassModel
    legs: tuple[Limb, Limb]
    arms: tuple[Limb, Limb]
    stand_height: float  # of the centre of mass [m]


@lru_cache(maxsize=1)
def sample_body() -> Body:
    """The body of the sample skeleton, with the height of its centre of mass in a stand."""
    skeleton = sample_skeleton()
    masses = mass_model(skeleton)
    legs = (leg(skeleton, "left"), leg(skeleton, "right"))
    hips = ANKLE_HEIGHT + STAND_STRETCH * skeleton.leg_length - skeleton.offsets[legs[0].upper, 1]
    pose = forward(skeleton, np.array([[0.0, hips, 0.0]]), rotations.identity(1, len(skeleton)))
    stand = float(centre_of_mass(pose, masses.mass, masses.centre)[0, 1])
    return Body(masses, legs, (arm(skeleton, "left"), arm(skeleton, "right")), stand)


def settled(
    plan: Plan,
    base: Array,
    feet: tuple[FootMotion, ...],
    stretch: Array,
    centre: Array,
    root: Array,
    rounds: int,
) -> tuple[Array, Array]:
    """Root positions and joint rotations with the centre of mass at ``centre`` and feet and hands in place.

    ``base`` holds the rotations of trunk and arms; ``root`` is a guess; ``stretch`` (T,) limits the legs.
    Moving the root moves most of the body along, so adding what is missing converges like a power series.
    """
    skeleton, body = sample_skeleton(), sample_body()
    still = forward(skeleton, np.zeros_like(root), base)
    rotation = base
    for _ in range(rounds):
        rotation = _limbs_placed(plan, base, still, feet, stretch, root)
        pose = forward(skeleton, root, rotation)
        miss = centre - centre_of_mass(pose, body.masses.mass, body.masses.centre)
        if np.abs(miss).max() < 1e-13:
            break
        root = root + 1.16 * miss  # the legs stay behind: they are about a sixth of what moves
    return root, _limbs_placed(plan, base, still, feet, stretch, root)


def _limbs_placed(
    plan: Plan, base: Array, still: Poses, feet: tuple[FootMotion, ...], stretch: Array, root: Array
) -> Array:
    skeleton, body = sample_skeleton(), sample_body()
    pose = Poses(still.position + root[:, None], still.rotation, still.end_position)
    rotation = base
    for limb, foot in zip(body.legs, feet, strict=True):
        # the knee in the plane of the foot's axis leaves the ankle two axes to turn about
        ankle = _within_reach(pose.position[:, limb.upper], foot, stretch)
        rotation = reach(skeleton, rotation, pose, limb, ankle, foot.rotation, pole=foot.forward)
    for grasp in plan.grasps:
        limb = body.arms[grasp.side]
        near = _nearness(grasp, plan.frames)
        grip = _grip(grasp, still.rotation[grasp.frame, 0])
        wrist = np.array(grasp.target) + rotations.rotate(grip, np.array([0.0, PALM, 0.0]))
        target = pose.position[:, limb.tip] * (1 - near[:, None]) + near[:, None] * wrist
        hand = rotations.slerp(pose.rotation[:, limb.tip], grip, near)
        rotation = np.where(
            (near > 0)[:, None, None], reach(skeleton, rotation, pose, limb, target, hand), rotation
        )
    return rotation


def _within_reach(hip: Array, foot: FootMotion, stretch: Array) -> Array:
    """Where the ankle shall be: a standing foot stays, a swinging one gives way to the knee."""
    line = foot.ankle - hip
    share = np.linalg.norm(line, axis=-1) / sample_skeleton().leg_length
    start = stretch - EASE
    eased = start + EASE * np.tanh((share - start) / EASE)
    give = (share > start) & ~foot.planted
    return np.where(give[:, None], hip + line * (eased / share)[:, None], foot.ankle)


def _nearness(grasp: Grasp, frames: int) -> Array:
    """How much the hand belongs to its target: 0 far from the event, 1 while it holds."""
    t = np.arange(frames)
    before = (t - (grasp.frame - grasp.away)) / grasp.away
    after = (grasp.frame + grasp.hold - 1 + grasp.away - t) / grasp.away
    s = np.clip(np.minimum(before, after), 0.0, 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def _grip(grasp: Grasp, hips: Array) -> Array:
    """World rotation of the gripping hand: pointing down near the floor, forward high up."""
    raised = np.interp(grasp.target[1], [0.1, 0.6, 1.3], [0.45, 0.8, 1.4])
    return rotations.multiply(
        rotations.from_yaw(rotations.yaw(hips)), rotations.from_axis_angle([1.0, 0.0, 0.0], -raised)
    )


def stretch_limits(flight: np.ndarray) -> Array:
    """How far the legs may be stretched, frame by frame (T,), as a share of the straight leg."""
    soft = flight.copy()
    for after in (1, 2):
        soft[after:] |= flight[:-after]
    limit = np.where(soft, FLIGHT_STRETCH, MOST_STRETCH)
    limit[:-1][flight[1:] & ~flight[:-1]] = (FLIGHT_STRETCH + MOST_STRETCH) / 2  # lift-off
    return limit


def reach_cap(root: Array, rotation: Array, feet: tuple[FootMotion, ...], stretch: Array, y: Array) -> Array:
    """The greatest height of the centre of mass with which the legs still reach their standing feet."""
    skeleton, body = sample_skeleton(), sample_body()
    cap = np.full(len(y), 1e3)
    for limb, foot in zip(body.legs, feet, strict=True):
        hip = root + rotations.rotate(rotation[:, 0], skeleton.offsets[limb.upper])
        away = np.sum((foot.ankle - hip)[:, [0, 2]] ** 2, axis=-1)
        tall = np.sqrt(np.maximum((stretch * skeleton.leg_length) ** 2 - away, 1e-4))
        cap = np.where(foot.planted, np.minimum(cap, y + foot.ankle[:, 1] + tall - hip[:, 1]), cap)
    return cap
