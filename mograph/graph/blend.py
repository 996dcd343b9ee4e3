"""Change-overs made smooth: the jump between two poses decays instead of showing (inertialisation)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.rotations import Array

BLEND_SECONDS = 0.3  # time in which a jump dies away [s]


def decay(offset: Array, rate: Array, time: Array, length: float = BLEND_SECONDS) -> Array:
    """A quintic that starts at ``offset`` with slope ``rate`` and ends after ``length`` at rest at zero.

    Its curvature is zero at the start and the end too, so neither position nor velocity jumps. ``time`` (T,)
    counts from the start; beyond ``length`` the curve is zero. The result has shape (T, *offset.shape).

    >>> decay(np.array(1.0), np.array(0.0), np.array([0.0, 0.15, 0.3])).round(6).tolist()
    [1.0, 0.5, 0.0]
    """
    u = np.clip(time / length, 0.0, 1.0).reshape(-1, *([1] * np.ndim(offset)))
    value = 1 - 10 * u**3 + 15 * u**4 - 6 * u**5
    slope = u - 6 * u**3 + 8 * u**4 - 3 * u**5
    return offset * value + rate * length * slope


def smooth_seams(
    root_position: Array,
    rotation: Array,
    seams: NDArray[np.int64],
    expected_position: Array,
    expected_rotation: Array,
    fps: float,
    onward: tuple[Array, Array] | None = None,
) -> tuple[Array, Array]:
    """Root positions and rotations of a motion put together from pieces, without its jumps.

    Frame ``seams[k]`` begins a new piece; ``expected_*[k]`` are the pose the piece before would have gone on
    to. Each jump, in pose and in velocity, is added to what follows and dies away. ``onward`` are root
    positions and rotations of the poses that follow the first of each new piece; they are needed where pieces
    may be one frame long, for then the next frame already belongs to another piece.
    """
    frames = len(root_position)
    shift, turn = np.zeros_like(root_position), np.zeros((*rotation.shape[:2], 3))
    following = np.minimum(seams + 1, frames - 1)
    onward_position, onward_rotation = onward or (root_position[following], rotation[following])
    for k, seam in enumerate(seams):
        window = np.arange(seam, min(seam + int(np.ceil(BLEND_SECONDS * fps)), frames))
        time = (window - seam) / fps
        before = seam - 1
        jump = expected_position[k] - root_position[seam]
        rate = (expected_position[k] - root_position[before]) * fps
        rate = rate - (onward_position[k] - root_position[seam]) * fps
        shift[window] += decay(jump, rate, time)
        spin = rotations.log(rotations.multiply(rotations.inverse(rotation[seam]), expected_rotation[k]))
        old = rotations.log(rotations.multiply(rotations.inverse(rotation[before]), expected_rotation[k]))
        new = rotations.log(rotations.multiply(rotations.inverse(rotation[seam]), onward_rotation[k]))
        turn[window] += decay(spin, (old - new) * fps, time)
    return root_position + shift, rotations.multiply(rotation, rotations.exp(turn))
