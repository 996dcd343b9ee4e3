"""Legs brought to their feet and hands to what they grasp, with the centre of mass where balance wants it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

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
FLIGHT_STRETCH = 0.972  # … and in the air and when landing, so that knees have room to give
STRAIGHTEST = 0.9995  # as in mograph.ik.reach
EASE = 0.018  # a swinging leg holds back when its stretch is this near the most


@dataclass(frozen=True)
class Body:
    """The skeleton with what is needed of it again and again."""

    masses: MassModel
    legs: tuple[Limb, Limb]
    arms: tuple[Limb, Limb]
    stand_height: float  # of the centre of mass [m]

    @property
    def leg_joints(self) -> list[int]:
        """Hips, knees and ankles."""
        return [joint for limb in self.legs for joint in (limb.upper, limb.middle, limb.tip)]


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
    skeleton = sample_skeleton()
    still = forward(skeleton, np.zeros_like(root), base)
    for _ in range(3 if plan.grasps else 1):  # an arm that reaches for a point moves against the root
        rotation = _limbs_placed(plan, base, still, feet, stretch, root) if plan.grasps else base
        trunk = _trunk_moment(forward(skeleton, np.zeros_like(root), rotation))
        for _ in range(rounds):
            miss = centre - _moment(root, trunk, still.rotation[:, 0], feet, stretch)
            root = root + 1.16 * miss  # the legs stay behind: they are about a sixth of what moves
    return root, _limbs_placed(plan, base, still, feet, stretch, root)


def _trunk_moment(still: Poses) -> Array:
    """What all but the legs adds to the centre of mass, from the root (T, 3)."""
    body = sample_body()
    share = body.masses.mass / body.masses.total
    share[body.leg_joints] = 0.0
    place = still.position + rotations.rotate(still.rotation, body.masses.centre)
    return np.einsum("j,tjk->tk", share, place)


def _moment(root: Array, trunk: Array, pelvis: Array, feet: tuple[FootMotion, ...], stretch: Array) -> Array:
    """Centre of mass (T, 3) with the root at ``root`` and both legs led to their feet.

    The same closed form as :func:`mograph.ik.reach`, for the masses of the legs only: this is the inner loop.
    """
    skeleton, body = sample_skeleton(), sample_body()
    share = body.masses.mass / body.masses.total
    total = trunk + root * (1.0 - share[body.leg_joints].sum())
    for limb, foot in zip(body.legs, feet, strict=True):
        thigh, shank = -skeleton.offsets[limb.middle, 1], -skeleton.offsets[limb.tip, 1]
        hip = root + rotations.rotate(pelvis, skeleton.offsets[limb.upper])
        ankle = _within_reach(hip, foot, stretch)
        foot_centre = rotations.rotate(foot.rotation, body.masses.centre[limb.tip])
        line = ankle - hip
        distance = np.sqrt(np.einsum("tk,tk->t", line, line))
        down = line / distance[:, None]
        distance = np.minimum(distance, STRAIGHTEST * (thigh + shank))
        ahead = foot.forward - np.einsum("tk,tk->t", foot.forward, down)[:, None] * down
        ahead /= np.sqrt(np.einsum("tk,tk->t", ahead, ahead))[:, None]
        along = (thigh**2 - shank**2 + distance**2) / (2 * distance)
        knee = hip + along[:, None] * down + np.sqrt(thigh**2 - along**2)[:, None] * ahead
        ankle = hip + distance[:, None] * down
        for joint, top, end, length in ((limb.upper, hip, knee, thigh), (limb.middle, knee, ankle, shank)):
            along_bone = -body.masses.centre[joint, 1] / length  # limb centres lie on the line of the bone
            total = total + share[joint] * (top + along_bone * (end - top))
        total = total + share[limb.tip] * (ankle + foot_centre)
    return total


def _limbs_placed(
    plan: Plan, base: Array, still: Poses, feet: tuple[FootMotion, ...], stretch: Array, root: Array
) -> Array:
    skeleton, body = sample_skeleton(), sample_body()
    pose = Poses(still.position + root[:, None], still.rotation, still.end_position)
    rotation = base
    for limb, foot in zip(body.legs, feet, strict=True):
        # the knee in the plane of the foot's axis leaves the ankle two axes to turn about
        ankle = _within_reach(pose.position[:, limb.upper], foot, stretch)
        rotation = reach(skeleton, rotation, pose, limb, ankle, foot.rotation, foot.forward, STRAIGHTEST)
    for grasp in plan.grasps:
        limb = body.arms[grasp.side]
        near = _nearness(grasp, plan.frames)
        grip = _grip(grasp, still.rotation[grasp.frame, 0])
        wrist = np.array(grasp.target) + rotations.rotate(grip, np.array([0.0, PALM, 0.0]))
        target = pose.position[:, limb.tip] * (1 - near[:, None]) + near[:, None] * wrist
        target = _arm_eased(pose.position[:, limb.upper], target, near)
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


def _arm_eased(shoulder: Array, target: Array, near: Array) -> Array:
    """Points on the way to a grasp drawn in where the arm would be straight; both ends of the way stay."""
    limb = sample_body().arms[0]
    length = -sample_skeleton().offsets[[limb.middle, limb.tip], 1].sum()
    line = target - shoulder
    share = np.linalg.norm(line, axis=-1) / length
    start = MOST_STRETCH - 2 * EASE
    eased = start + 2 * EASE * np.tanh(np.maximum(share - start, 0.0) / (2 * EASE))
    ratio = np.where(share > start, eased / share, 1.0)
    return shoulder + line * (ratio ** ((1 - near**4) * (1 - (1 - near) ** 8)))[:, None]


def _nearness(grasp: Grasp, frames: int) -> Array:
    """How much the hand belongs to its target: 0 far from the event, 1 while it holds."""
    t = np.arange(frames)
    # the hand is slowest at the event itself; it begins to leave, by less than a millimetre, as the hold ends
    before = (t - (grasp.frame - 1 - grasp.away)) / grasp.away
    after = (grasp.frame + grasp.hold - 2 + grasp.away - t) / grasp.away
    s = np.clip(np.minimum(before, after), 0.0, 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


def _grip(grasp: Grasp, hips: Array) -> Array:
    """World rotation of the gripping hand: pointing down near the floor, forward high up."""
    raised = np.interp(grasp.target[1], [0.1, 0.6, 1.3], [0.45, 0.8, 1.4])
    return rotations.multiply(
        rotations.from_yaw(rotations.yaw(hips)), rotations.from_axis_angle([1.0, 0.0, 0.0], -raised)
    )


def stretch_limits(flight: NDArray[np.bool_]) -> Array:
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
