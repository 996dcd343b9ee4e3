"""What a pose costs: joint torques above all, or whatever else a user wants to be cheap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mograph import rotations
from mograph.database import Database
from mograph.errors import MographError
from mograph.rotations import Array

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class CostWeights:
    """Weights of the parts of a cost; a natural step costs its frame, a change over its unlikeliness too.

    >>> CostWeights(torque=0.0, time=1.0).time
    1.0
    """

    torque: float = 1.0  # of the sum of squared joint torques times time [1/(N² m² s)]
    time: float = 0.0  # of time [1/s]
    distance: float = 0.0  # of the way of the root [1/m]
    acceleration: float = 0.0  # of the sum of squared joint accelerations times time [s³/rad²]
    transition: float = 2000.0  # of -log(p / p0), p0 the probability of going on as captured

    def __post_init__(self) -> None:
        values = (self.torque, self.time, self.distance, self.acceleration, self.transition)
        if min(values) < 0 or max(values[:4]) <= 0:
            raise MographError(f"cost weights must be 0 or more and one of them above, got {values}")


def frame_costs(
    database: Database, weights: CostWeights | None = None, progress: Progress | None = None
) -> Array:
    """Cost (N,) of the step from each pose to the next, above zero."""
    weights = CostWeights() if weights is None else weights
    step = 1.0 / database.fps
    cost = np.full(database.poses, weights.time * step)
    for k in range(len(database)):
        clip = database.clip(k)
        rows = slice(int(database.clip_starts[k]), int(database.clip_starts[k + 1]))
        if weights.torque:
            from mograph.dynamics.torques import joint_torques

            cost[rows] += weights.torque * step * joint_torques(clip).effort
        if weights.distance and len(clip) > 1:
            way = np.linalg.norm(np.diff(clip.root_position[:, [0, 2]], axis=0), axis=1)
            cost[rows] += weights.distance * np.append(way, way[-1])
        if weights.acceleration and len(clip) > 2:
            spin = rotations.log(rotations.multiply(rotations.inverse(clip.rotation[:-1]), clip.rotation[1:]))
            change = np.sum((np.diff(spin, axis=0) * database.fps**2) ** 2, axis=(1, 2))
            cost[rows] += weights.acceleration * step * np.concatenate([change[:1], change, change[-1:]])
        if progress is not None:
            progress("torques", k + 1, len(database))
    return np.maximum(cost, 1e-9 * max(float(cost.max()), 1.0))
