"""Angular momentum of the sample motions, and the sway of the trunk that keeps it in order.

Swinging legs and arms turn the body. In flight nothing outside can take that turn up, so the angular momentum
about the centre of mass must not change; on the ground it may, but then the pressure under the feet moves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mograph import rotations
from mograph.dynamics.mass_model import MassModel
from mograph.kinematics import Poses
from mograph.rotations import Array
from mograph.sample.footsteps import FPS
from mograph.sample.least_squares import Curve

TRUNK_INERTIA = 0.085  # of what pitches or rolls with the pelvis, per body mass [m²]
STILL = 25.0  # how much the trunk wants to stay as it is: cost of pitch …
IN_FLIGHT = 1e5  # cost of a change in flight, where none is possible
SLOW = 1.2  # … and of its rate, against the cost 1 of a change of angular momentum


def angular_momentum(masses: MassModel, poses: Poses) -> Array:
    """Angular momentum about the centre of mass per body mass [m²/s], (T-1, 3), between successive frames."""
    share = masses.mass / masses.mass.sum()
    place = poses.position + rotations.rotate(poses.rotation, masses.centre)
    place = place - np.einsum("j,tjk->tk", share, place)[:, None]
    middle, speed = (place[1:] + place[:-1]) / 2, np.diff(place, axis=0) * FPS
    turn = rotations.multiply(poses.rotation[1:], rotations.inverse(poses.rotation[:-1]))
    spin = rotations.log(turn) * FPS
    # inertia is known in the joint's frame: turn the spin there and the result back
    half = rotations.multiply(rotations.exp(rotations.log(turn) / 2), poses.rotation[:-1])
    local = rotations.rotate(rotations.inverse(half), spin)
    own = rotations.rotate(half, np.einsum("jab,tjb->tja", masses.inertia / masses.mass.sum(), local))
    return own.sum(axis=1) + np.einsum("j,tjk->tk", share, np.cross(middle, speed))


def steadying_sway(change: Array, force: Array, flight: NDArray[np.bool_]) -> Array:
    """Extra pitch or roll of the trunk over time [rad], given what would turn the body without it.

    ``change`` (T,) is the rate of angular momentum about that axis [m²/s²]. In flight the sway cancels it,
    theta'' = -change / I; on the ground it does so in part, as far as a trunk that likes to be still allows,
    and the more the smaller the ground's ``force`` (T,), in body weights, that would have to take it up.
    """
    strength = np.clip(force[1:-1], 0.1, 1.0) ** -2.0 / FPS
    sway = Curve(len(change))
    sway.wish(0, STILL * FPS, 0.0)
    sway.wish(1, SLOW * FPS, 0.0)
    sway.wish(2, np.where(flight[1:-1], IN_FLIGHT, strength), -change[1:-1] / TRUNK_INERTIA)
    return sway.solve()
