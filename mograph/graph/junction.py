"""How well one phase goes on from another: jumps of pose and velocity where they meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mograph.graph.junction_kernel import jumps
from mograph.graph.phase_motion import PhaseMotion


@dataclass(frozen=True)
class Junction:
    """Differences between the end of a phase and the start of the next, seen from root and heading."""

    angle: float  # largest difference of a joint's rotation, the root's lean included [rad]
    foot: float  # farthest way a heel or ball goes [m]
    height: float  # of the root [m]
    velocity: float  # of the centre of mass [m/s]
    level_velocity: float  # its part along the ground, which people notice most [m/s]
    joint_velocity: float  # largest difference of a joint's angular velocity, heading left out [rad/s]


def junction(before: PhaseMotion, after: PhaseMotion) -> Junction:
    """Jumps where ``after`` follows ``before``, attached to its last frame by root and heading.

    A bad landing, from a mixture of jumps that turn differently, shows in ``velocity`` (Safonova 5.4).
    Velocities are those of parabolas through the three frames nearest to the junction, exact in flight.
    """
    out = np.empty(6)
    jumps(before.table, before.fps, after.table, after.fps, out)
    return Junction(*out.tolist())
