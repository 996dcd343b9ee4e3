"""How a moving person carries trunk, head and arms: read off the feet, the speed and the turns."""

from __future__ import annotations

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
X, Y, Z = np.eye(3)


def smooth(values: Array, frames: float) -> Array:
    """The values averaged over time with a bell of this width (standard deviation, in frames)."""
    return gaussian_filter1d(values, frames, axis=0, mode="nearest")


def heading_of(carried: Support) -> Array:
    """Where the body faces (T,) [rad]: the headings of the steps, smoothed."""
    return smooth(np.unwrap(carried.yaw), 5.0)


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
    skeleton, frames = sample_skeleton(), len(centre)
    joint = {name: i for i, name in enumerate(skeleton.names)}
    q = rotations.identity(frames, len(skeleton))
    heading = heading_of(carried)
    ahead = np.stack([np.sin(heading), np.zeros_like(heading), np.cos(heading)], axis=-1)
    velocity = smooth(np.gradient(centre, 1 / FPS, axis=0), 4.0)
    speed = np.sum(velocity * ahead, axis=-1)
    hurry = smooth(np.gradient(speed, 1 / FPS), 4.0)  # speeding up leans the trunk forward
    turning = smooth(np.gradient(heading, 1 / FPS), 6.0) * speed  # sideways acceleration in a turn
    run = smooth(np.clip((speed - 1.9) / 0.8, 0.0, 1.0), 4.0)
    stride = smooth(np.sum((feet[RIGHT].ankle - feet[LEFT].ankle) * ahead, axis=-1), 1.5)
    tilt = smooth(carried.share[:, LEFT] - carried.share[:, RIGHT], 2.0) * np.clip(speed / 1.2, 0.0, 1.0)

    turn = 0.11 * stride
    lean = (
        0.01
        + 0.01 * np.clip(speed, 0, 2)
        + 0.07 * run
        + 0.04 * np.clip(hurry, -2.5, 2.5)
        + curves["lean"]
        + sway[0]
    )
    roll = 0.05 * tilt - 0.04 * turning + sway[1]
    q[:, 0] = _product(_about(Y, heading + turn), _about(X, lean), _about(Z, roll))
    chest = -(1.0 + 0.9) * turn - 0.3 * run * 0.11 * stride + curves["twist"]
    for name in ("Spine", "Spine1", "Spine2"):
        q[:, joint[name]] = _product(
            _about(Y, chest / 3), _about(X, curves["bend"] / 3), _about(Z, -0.9 * 0.05 * tilt / 3)
        )
    soon = np.interp(np.arange(frames) + 9, np.arange(frames), heading) - heading
    gaze = np.clip(soon, -0.6, 0.6) - turn - chest + curves["look"]
    pitch = lean + curves["bend"]
    for name in ("Neck", "Head"):
        q[:, joint[name]] = _product(
            _about(Y, gaze / 2), _about(X, (curves["nod"] - 0.75 * pitch) / 2), _about(Z, 0.04 * turning / 2)
        )
    for side, sign in ((LEFT, 1.0), (RIGHT, -1.0)):
        swing = sign * stride * (0.52 + 0.08 * run)
        hanging = 0.75 * pitch
        flex = hanging - 0.03 + swing - 0.10 * run + curves["arms"]
        elbow = (
            0.16
            + 0.12 * np.clip(speed, 0, 1.8)
            + 0.45 * np.maximum(smooth(swing, 2.0) + 0.1, 0.0)
            + 1.05 * run
            + curves["elbows"]
        )
        spread = 0.10 + 0.10 * run + curves["spread"]
        inward = (0.15 + 0.20 * run) * -sign  # the forearm comes in front of the body
        prefix = "Left" if side == LEFT else "Right"
        q[:, joint[prefix + "Arm"]] = _product(_about(X, -flex), _about(Z, sign * spread), _about(Y, inward))
        q[:, joint[prefix + "ForeArm"]] = _about(X, -np.clip(elbow, 0.08, 2.3))
        q[:, joint[prefix + "Hand"]] = _about(Z, np.full(frames, -0.06 * sign))
        q[:, joint[prefix + "Shoulder"]] = _about(Y, -sign * 0.12 * np.clip(flex, -1.0, 2.0))
    for side, foot in enumerate(feet):
        q[:, joint["LeftToeBase" if side == LEFT else "RightToeBase"]] = _about(X, foot.toe)
    return q


def _about(axis: Array, angle: Array) -> Array:
    return rotations.from_axis_angle(axis, angle)


def _product(*turns: Array) -> Array:
    out = turns[0]
    for turn in turns[1:]:
        out = rotations.multiply(out, turn)
    return out
