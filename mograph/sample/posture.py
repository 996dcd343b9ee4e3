"""How a moving person carries trunk, head and arms: read off the feet, the speed and the turns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from mograph import rotations
from mograph.rotations import Array
from mograph.sample.centre_of_mass import Support
from mograph.sample.feet import FootMotion
from mograph.sample.footsteps import FPS, LEFT, RIGHT
from mograph.sample.skeleton import sample_skeleton

CHANNELS = {  # what the curves of a plan may say; all add to what the gait does by itself
    "height": "centre of mass above its height in a stand [m]",
    "lean": "pelvis and all above it pitched forward [rad]",
    "bend": "spine bent forward [rad]",
    "twist": "chest turned to the left [rad]",
    "look": "head turned to the left [rad]",
    "nod": "head bowed [rad]",
    "side": "weight moved to the left, in halves of the distance between the feet",
    "arms": "both arms raised forward [rad]",
    "elbows": "both elbows bent [rad]",
    "spread": "both arms raised sideways [rad]",
}
PELVIS_TURN = 0.11  # of the pelvis with the step: 5 degrees each way in steps of 0.75 m [rad/m]
PELVIS_DROP = 0.05  # the hip of the swinging leg sinks by this [rad]
CHEST_TURN = 0.9  # the chest turns against the pelvis by this share
TURN_BANK = 0.04  # lean into a turn [rad per m/s²]
RUN_LEAN = 0.07  # a runner leans forward by this [rad] …
HURRY_LEAN = 0.04  # … and more when speeding up [rad per m/s²]
LOOK_AHEAD = 9  # the head faces where the body will be heading so many frames later
LEVEL = 0.75  # share of the trunk's pitch that head and hanging arms make good
ARM_SWING = 0.58  # of the arms with the step: 20 degrees each way in steps of 0.7 m [rad/m]
ELBOW_REST, ELBOW_RUN = 0.16, 1.05  # bend of the elbow at rest, and more when running [rad]
X, Y, Z = np.eye(3)


def smooth(values: Array, frames: float) -> Array:
    """The values averaged over time with a bell of this width (standard deviation, in frames)."""
    return gaussian_filter1d(values, frames, axis=0, mode="nearest")


def heading_of(carried: Support) -> Array:
    """Where the body faces (T,) [rad]: the headings of the steps, smoothed."""
    return smooth(np.unwrap(carried.yaw), 5.0)


@dataclass(frozen=True)
class _Gait:
    """What trunk and arms follow, frame by frame (T,)."""

    heading: Array  # where the body faces [rad]
    speed: Array  # forward [m/s]
    hurry: Array  # gain of speed [m/s²]
    turning: Array  # sideways acceleration in a turn [m/s²]
    run: Array  # 0 walking … 1 running
    stride: Array  # how far the right foot is ahead of the left [m]
    load: Array  # 1 all weight on the left foot … -1 on the right; small when slow


def _gait(feet: tuple[FootMotion, ...], carried: Support, centre: Array) -> _Gait:
    heading = heading_of(carried)
    ahead = np.stack([np.sin(heading), np.zeros_like(heading), np.cos(heading)], axis=-1)
    velocity = smooth(np.gradient(centre, 1 / FPS, axis=0), 4.0)
    speed = np.sum(velocity * ahead, axis=-1)
    return _Gait(
        heading=heading,
        speed=speed,
        hurry=smooth(np.gradient(speed, 1 / FPS), 4.0),
        turning=smooth(np.gradient(heading, 1 / FPS), 6.0) * speed,
        run=smooth(np.clip((speed - 1.9) / 0.8, 0.0, 1.0), 4.0),
        stride=smooth(np.sum((feet[RIGHT].ankle - feet[LEFT].ankle) * ahead, axis=-1), 1.5),
        load=smooth(carried.share[:, LEFT] - carried.share[:, RIGHT], 2.0) * np.clip(speed / 1.2, 0.0, 1.0),
    )


def posture(
    feet: tuple[FootMotion, ...],
    carried: Support,
    centre: Array,
    curves: dict[str, Array],
    sway: Array,
) -> Array:
    """Rotations (T, J, 4) of everything but the legs, which are left straight.

    Pelvis and chest turn against each other and arms swing with the distance of the feet, elbows bend and the
    trunk leans with speed, the head looks where the body will be heading. ``curves`` add to this by channel;
    ``sway`` (2, T) adds to pitch and roll of the pelvis.
    """
    gait = _gait(feet, carried, centre)
    q = rotations.identity(len(centre), len(sample_skeleton()))
    lean = (
        0.01
        + 0.01 * np.clip(gait.speed, 0, 2)
        + RUN_LEAN * gait.run
        + HURRY_LEAN * np.clip(gait.hurry, -2.5, 2.5)
        + curves["lean"]
        + sway[0]
    )
    _pose_trunk(q, gait, lean, curves, sway[1])
    _pose_arms(q, gait, lean + curves["bend"], curves)
    for name, foot in zip(("LeftToeBase", "RightToeBase"), feet, strict=True):
        q[:, _joint(name)] = _about(X, foot.toe)
    return q


def _pose_trunk(q: Array, gait: _Gait, lean: Array, curves: dict[str, Array], sway: Array) -> None:
    """Pelvis, spine, neck and head."""
    turn = PELVIS_TURN * gait.stride
    drop = PELVIS_DROP * gait.load
    bank = TURN_BANK * gait.turning
    q[:, 0] = _product(_about(Y, gait.heading + turn), _about(X, lean), _about(Z, drop - bank + sway))
    chest = -(1.0 + CHEST_TURN + 0.3 * gait.run) * turn + curves["twist"]
    for name in ("Spine", "Spine1", "Spine2"):
        q[:, _joint(name)] = _product(
            _about(Y, chest / 3), _about(X, curves["bend"] / 3), _about(Z, -0.9 * drop / 3)
        )
    frames = np.arange(len(q))
    soon = np.interp(frames + LOOK_AHEAD, frames, gait.heading) - gait.heading
    gaze = np.clip(soon, -0.6, 0.6) - turn - chest + curves["look"]
    bow = curves["nod"] - LEVEL * (lean + curves["bend"])
    for name in ("Neck", "Head"):
        q[:, _joint(name)] = _product(_about(Y, gaze / 2), _about(X, bow / 2), _about(Z, bank / 2))


def _pose_arms(q: Array, gait: _Gait, pitch: Array, curves: dict[str, Array]) -> None:
    """Collars, shoulders, elbows and wrists; ``pitch`` is how far the chest leans forward."""
    for prefix, sign in (("Left", 1.0), ("Right", -1.0)):
        swing = sign * gait.stride * (ARM_SWING + 0.04 * gait.run)
        flex = LEVEL * pitch - 0.03 + swing - 0.10 * gait.run + curves["arms"]
        elbow = (
            ELBOW_REST
            + 0.12 * np.clip(gait.speed, 0, 1.8)
            + 0.45 * np.maximum(smooth(swing, 2.0) + 0.1, 0.0)  # bends more in front
            + ELBOW_RUN * gait.run
            + curves["elbows"]
        )
        spread = sign * (0.10 + 0.10 * gait.run + curves["spread"])
        inward = -sign * (0.15 + 0.20 * gait.run)  # the forearm comes in front of the body
        q[:, _joint(prefix + "Shoulder")] = _about(Y, -sign * 0.12 * np.clip(flex, -1.0, 2.0))
        q[:, _joint(prefix + "Arm")] = _product(_about(X, -flex), _about(Z, spread), _about(Y, inward))
        q[:, _joint(prefix + "ForeArm")] = _about(X, -np.clip(elbow, 0.08, 2.3))
        q[:, _joint(prefix + "Hand")] = _about(Z, np.full(len(q), -0.06 * sign))


def _joint(name: str) -> int:
    return sample_skeleton().names.index(name)


def _about(axis: Array, angle: Array) -> Array:
    return rotations.from_axis_angle(axis, angle)


def _product(*turns: Array) -> Array:
    out = turns[0]
    for turn in turns[1:]:
        out = rotations.multiply(out, turn)
    return out
