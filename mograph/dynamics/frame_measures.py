"""What a motion does and needs, frame by frame: the numbers a validity report judges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.clip import Clip
from mograph.dynamics.body_motion import motion_of
from mograph.dynamics.contact_limits import centre_of_pressure
from mograph.dynamics.inverse import GRAVITY
from mograph.dynamics.mass_model import ANKLE_SHARE, SIDES, MassModel, foot_line
from mograph.dynamics.torques import FOOT_LENGTH, carriers, joint_torques
from mograph.feet import SOLE, body_scale, foot_joints, foot_tracks, resting_heights
from mograph.kinematics import Poses, centre_of_mass, forward, poses
from mograph.rotations import Array
from mograph.skeleton import Skeleton

SOLE_WIDTH = 0.09  # of a foot, for a leg of 0.85 m [m]
LIGHT = 0.2  # below this share of body weight neither pressure nor friction can be told from noise
# joints whose jumps are judged; hands, toes and heads of captured motion jitter too much to tell a fault
MAIN_JOINTS = (
    "hips",
    "spine",
    "chest",
    *(f"{side}_{role}" for side in ("left", "right") for role in ("hip", "knee", "shoulder", "elbow")),
)
_DIRECTIONS = 72  # in which the support polygon is measured: its distance is exact to a thousandth


@dataclass(frozen=True, eq=False)
class FrameMeasures:
    """Everything per frame (T, …); NaN where the ground gives less than 0.2 body weights."""

    com: Array  # (T, 3) of the poses as they are, unsmoothed [m]
    angular_momentum: Array  # (T, 3) about the centre of mass, per body mass [m²/s]
    normal_force: Array  # (T,) from the ground, upwards [body weights]
    friction: Array  # (T,) tangential over normal force
    pressure_outside: Array  # (T,) centre of pressure outside the support polygon [m], 0 inside
    twist: Array  # (T,) moment about the vertical through the centre of pressure over normal force [m]
    com_outside: Array  # (T,) centre of mass outside the support polygon, seen from above [m]
    at_rest: NDArray[np.bool_]  # (T,) whether the centre of mass neither moves nor speeds up
    slide: Array  # (T, 2) speed of a standing foot along the ground [m/s]
    foot: Array  # (T, 2, 2, 2) where ankle and toe of each foot are, seen from above [m]
    depth: Array  # (T,) how far a foot's joints are below where they rest on the floor [m]
    torque: Array  # (T, J) size of the muscles' moments per body mass [N m/kg]
    knee: Array  # (T, 2) bend of left and right knee [rad]; negative is over-stretched
    elbow: Array  # (T, 2) bend of the elbows [rad]
    joint_jump: Array  # (T,) largest change of a joint's angular velocity from frame to frame [rad/s]
    root_jump: Array  # (T,) change of the root's velocity from frame to frame [m/s]


def frame_measures(clip: Clip, model: MassModel) -> FrameMeasures:
    """Measure a clip whose contacts are known."""
    assert clip.contact is not None
    place = poses(clip)
    motion = motion_of(clip)
    result = joint_torques(clip, clip.contact, model, motion)
    smooth = forward(clip.skeleton, motion.root_position, motion.rotation)
    weight = model.total * float(-GRAVITY[1])
    force = result.aggregate.force
    firm = force[:, 1] > LIGHT * weight
    push = np.where(firm, force[:, 1], np.nan)
    feet = carriers(clip.contact)[:, :2]
    level = _ground_level(clip, smooth, feet)
    about = np.concatenate([force[:, :3], force[:, 3:] - np.cross(_up(level), force[:, :3])], axis=1)
    pressure = centre_of_pressure(np.where(firm[:, None], about, np.nan))
    soles = _soles(clip.skeleton, smooth)
    speed = np.linalg.norm(result.aggregate.com_velocity, axis=1)
    gain = np.linalg.norm(result.aggregate.com_acceleration, axis=1)
    arm = pressure * np.array([1.0, 0.0, 1.0])
    twisting = about[:, 4] - np.cross(arm, force[:, :3])[:, 1]
    track = place.position[:, np.array(foot_joints(clip.skeleton))][..., [0, 2]]
    joint_jump, root_jump = _jumps(clip)
    return FrameMeasures(
        com=centre_of_mass(place, model.mass, model.centre),
        angular_momentum=result.aggregate.angular_momentum / model.total,
        normal_force=force[:, 1] / weight,
        friction=np.linalg.norm(force[:, [0, 2]], axis=1) / push,
        pressure_outside=_outside(pressure, soles, feet),
        twist=np.abs(twisting) / push,
        com_outside=_outside(result.aggregate.com, soles, feet),
        at_rest=(speed < 0.1) & (gain < 0.5),
        slide=_slide(track, clip.fps, feet),
        foot=track,
        depth=_depth(clip),
        torque=np.linalg.norm(result.torque, axis=2) / model.total,
        knee=_bend(clip.skeleton, place, ("hip", "knee", "ankle"), signed=True),
        elbow=_bend(clip.skeleton, place, ("shoulder", "elbow", "wrist"), signed=False),
        joint_jump=joint_jump,
        root_jump=root_jump,
    )


def _up(level: Array) -> Array:
    return np.stack([np.zeros_like(level), level, np.zeros_like(level)], axis=1)


def _ground_level(clip: Clip, smooth: Poses, feet: NDArray[np.bool_]) -> Array:
    """Height of the ground below the feet that are down (T,), the mean if there are two [m]."""
    toes = [toe for _, toe in foot_joints(clip.skeleton)]
    height = smooth.position[:, toes, 1] - SOLE * body_scale(clip.skeleton)
    count = feet.sum(axis=1)
    return np.where(count > 0, np.sum(height * feet, axis=1) / np.maximum(count, 1), 0.0)


def _soles(skeleton: Skeleton, smooth: Poses) -> Array:
    """Corners (T, 2, 6, 2) of both soles from above: heel, ball and tip, left and right of the line."""
    corners = []
    half = SOLE_WIDTH / 2 * body_scale(skeleton)
    for side, (ankle, toe) in zip(SIDES, foot_joints(skeleton), strict=True):
        tips = np.flatnonzero(skeleton.end_parents == toe)
        if toe != ankle and len(tips):
            end = smooth.end_position[:, tips[0]]
        else:  # the bones do not show the whole foot
            tip = foot_line(skeleton, side, FOOT_LENGTH * skeleton.leg_length)[1]
            place = tip - skeleton.rest_positions[ankle]
            end = smooth.position[:, ankle] + rotations.rotate(smooth.rotation[:, ankle], place)
        back, ball, front = (v[:, [0, 2]] for v in (smooth.position[:, ankle], smooth.position[:, toe], end))
        line = front - back
        ahead = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-9)
        heel = back - line * ANKLE_SHARE / (1 - ANKLE_SHARE)
        aside = half * np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
        corners.append(np.stack([p + s * aside for p in (heel, ball, front) for s in (1.0, -1.0)], axis=1))
    return np.stack(corners, axis=1)


def _outside(point: Array, soles: Array, feet: NDArray[np.bool_]) -> Array:
    """Distance (T,) of points seen from above to the convex hull of the soles that are down; NaN if none is.

    The distance to a convex set is the largest of d . p - max d . x over all directions d.
    """
    angle = np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS)
    directions = np.stack([np.cos(angle), np.sin(angle)])
    reach = (soles @ directions).max(axis=2)  # (T, 2, directions)
    reach = np.where(feet[:, :, None], reach, -np.inf).max(axis=1)
    beyond = (point[:, [0, 2]] @ directions - reach).max(axis=1)
    return np.where(feet.any(axis=1), np.maximum(beyond, 0.0), np.nan)


def _slide(track: Array, fps: float, feet: NDArray[np.bool_]) -> Array:
    """Speed along the ground (T, 2) of the slower of ankle and toe of each foot; NaN unless it is down.

    Measured over four frames around each, all of them with the foot down: what drifts adds up, what jitters
    does not.
    """
    speed = np.full(feet.shape, np.nan)
    if len(track) > 4:
        step = np.linalg.norm(track[4:] - track[:-4], axis=-1).min(axis=-1) * fps / 4
        stays = feet[4:] & feet[3:-1] & feet[2:-2] & feet[1:-3] & feet[:-4]
        speed[2:-2] = np.where(stays, step, np.nan)
    return speed


def _depth(clip: Clip) -> Array:
    """How far below their resting place on the floor y = 0 ankles and toes are (T,) [m]."""
    tracks = foot_tracks(clip)
    scale = body_scale(clip.skeleton)
    resting = resting_heights([tracks], scale)
    lift = np.maximum((resting[:, 0] - resting[:, 1]).mean(), 0.0)  # of the ankle over the toe in a flat foot
    want = SOLE * scale + np.array([lift, 0.0])
    return np.maximum(want - tracks.height, 0.0).max(axis=(1, 2))


def _bend(skeleton: Skeleton, place: Poses, roles: tuple[str, str, str], signed: bool) -> Array:
    """Angle (T, 2) by which the lower bone of both limbs deviates from the upper one's line [rad].

    Signed: about the axis to the character's left that the upper bone carries; a knee bends positively.
    """
    angles = []
    for side in ("left", "right"):
        top, middle, tip = (skeleton.joint(f"{side}_{role}") for role in roles)
        upper = place.position[:, middle] - place.position[:, top]
        lower = place.position[:, tip] - place.position[:, middle]
        across = np.cross(upper, lower)
        along = np.sum(upper * lower, axis=1)
        if signed:
            left = rotations.rotate(place.rotation[:, top], np.array([1.0, 0.0, 0.0]))
            # only the part of the bend about the left axis counts: the rest is a knee that leans sideways
            angles.append(np.arctan2(np.sum(across * left, axis=1), along))
        else:
            angles.append(np.arctan2(np.linalg.norm(across, axis=1), along))
    return np.stack(angles, axis=1)


def _jumps(clip: Clip) -> tuple[Array, Array]:
    """Largest change of a main joint's angular velocity, and the root's of velocity, between frames (T,)."""
    joint, root = np.zeros(len(clip)), np.zeros(len(clip))
    main = [clip.skeleton.roles[role] for role in MAIN_JOINTS if role in clip.skeleton.roles]
    rotation = clip.rotation[:, main]
    if len(clip) > 2:
        step = rotations.multiply(rotations.inverse(rotation[:-1]), rotation[1:])
        spin = rotations.log(step) * clip.fps
        joint[1:-1] = np.linalg.norm(np.diff(spin, axis=0), axis=-1).max(axis=1)
        speed = np.diff(clip.root_position, axis=0) * clip.fps
        root[1:-1] = np.linalg.norm(np.diff(speed, axis=0), axis=-1)
    return joint, root
