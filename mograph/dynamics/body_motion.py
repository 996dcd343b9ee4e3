"""How fast a body moves: velocities and accelerations of root and joints from the frames of a clip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mograph import rotations
from mograph.clip import Clip
from mograph.rotations import Array

CUTOFF = (
    8.0  # [Hz] keeps what muscles do and drops most of the capture's noise; 6 Hz bleeds landings into flight
)


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Pose, velocity and acceleration of a whole body, frame by frame: the state all dynamics here works on.

    The root moves freely: its place has world axes. Every joint, the root included, turns relative to its
    parent; ``velocity[t, j]`` is that relative angular velocity in the joint's own (turned) frame and
    ``acceleration[t, j]`` the time derivative of those three numbers. A joint with one or two free axes
    uses the same three numbers, confined to the span of its axes.
    """

    root_position: Array  # (T, 3) [m]
    rotation: Array  # (T, J, 4) unit quaternions
    root_velocity: Array  # (T, 3) world axes [m/s]
    velocity: Array  # (T, J, 3) joint axes [rad/s]
    root_acceleration: Array  # (T, 3) world axes [m/s²]
    acceleration: Array  # (T, J, 3) joint axes [rad/s²]

    def __len__(self) -> int:
        return len(self.root_position)

    @classmethod
    def at_rest(cls, root_position: Array, rotation: Array) -> BodyMotion:
        """The poses held still."""
        zero, still = np.zeros_like(root_position), np.zeros((*rotation.shape[:2], 3))
        return cls(root_position, rotation, zero, still, zero, still)

    def sped_up(self, factor: float) -> BodyMotion:
        """The same poses passed through ``factor`` times as fast."""
        return BodyMotion(
            self.root_position,
            self.rotation,
            self.root_velocity * factor,
            self.velocity * factor,
            self.root_acceleration * factor**2,
            self.acceleration * factor**2,
        )


def motion_of(clip: Clip, cutoff: float | None = CUTOFF) -> BodyMotion:
    """Velocities and accelerations of a clip, smoothed enough that a 30/s capture gives usable forces.

    Root position and the four numbers of every quaternion pass a fourth-order Butterworth low-pass at
    ``cutoff`` [Hz] run forwards and backwards (no delay); a quintic spline through the result is
    differentiated. For a curve q(t) of quaternions of length r the body's angular velocity is
    w = 2 vec(q* q') / r^2, its rate 2 vec(q* q'') / r^2 - 2 (q . q') / r^2 w. Quaternions rather than
    rotation vectors, because they have no angle at which they jump. Poses are the smoothed ones, so that the
    three orders of derivative belong together. ``cutoff=None`` smooths nothing; a clip too short for the
    filter (under 16 frames), or slower than twice the cutoff, is not smoothed.

    >>> from mograph.skeleton import Skeleton
    >>> t = np.arange(31) / 30.0
    >>> spin = rotations.from_yaw(2.0 * t)[:, None]
    >>> fall = np.stack([0 * t, -4.905 * t**2, 0 * t], axis=1)
    >>> motion = motion_of(Clip(Skeleton(("a",), [-1], [[0, 0, 0]]), fall, spin, 30.0), cutoff=None)
    >>> motion.velocity[15, 0].round(4).tolist(), motion.root_acceleration[15].round(6).tolist()
    ([0.0, 2.0, 0.0], [0.0, -9.81, 0.0])
    """
    frames, joints = clip.rotation.shape[:2]
    values = np.concatenate(
        [clip.root_position, rotations.continuous(clip.rotation).reshape(frames, joints * 4)], axis=1
    )
    if cutoff is not None and frames > 15 and clip.fps > 2.0 * cutoff:
        values = _low_pass(values, cutoff, clip.fps)
    first, second = _derivatives(values, clip.fps)
    q, dq, ddq = (v[:, 3:].reshape(frames, joints, 4) for v in (values, first, second))
    length = np.sum(q * q, axis=-1, keepdims=True)
    back = rotations.inverse(q)
    omega = 2.0 * rotations.multiply(back, dq)[..., 1:] / length
    stretch = np.sum(q * dq, axis=-1, keepdims=True) / length
    alpha = 2.0 * rotations.multiply(back, ddq)[..., 1:] / length - 2.0 * stretch * omega
    return BodyMotion(values[:, :3], q / np.sqrt(length), first[:, :3], omega, second[:, :3], alpha)


def _low_pass(values: Array, cutoff: float, fps: float) -> Array:
    from scipy.signal import butter, sosfiltfilt

    return np.asarray(sosfiltfilt(butter(4, cutoff, fs=fps, output="sos"), values, axis=0, padlen=15))


def _derivatives(values: Array, fps: float) -> tuple[Array, Array]:
    """First and second time derivative by the interpolating spline of highest degree up to five."""
    if len(values) == 1:
        return np.zeros_like(values), np.zeros_like(values)
    from scipy.interpolate import make_interp_spline

    times = np.arange(len(values)) / fps
    # an even degree needs knots between the frames: take the next odd one below
    degree = min(5, len(values) - 1)
    spline = make_interp_spline(times, values, k=degree if degree % 2 else degree - 1 or 1)
    return np.asarray(spline(times, 1)), np.asarray(spline(times, 2))
