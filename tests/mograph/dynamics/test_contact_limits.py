"""Friction, tipping, twist and push: values and gradients of what the ground can do."""

from __future__ import annotations

import numpy as np

from mograph.dynamics import (
    Support,
    centre_of_pressure,
    contact_constraints,
    flight_constraints,
    polygon_constraints,
)
from mograph.dynamics.contact_limits import ROWS
from mograph.rotations import Array, exp, rotate


def flat(centre: tuple[float, float, float], frames: int = 1, **limits: float) -> Support:
    def many(v: tuple[float, float, float]) -> Array:
        return np.broadcast_to(np.array(v), (frames, 3))

    return Support(many(centre), many((0, 1, 0)), many((0.05, 0, 0)), many((0, 0, 0.12)), **limits)


def pushed(force: tuple[float, float, float], at: tuple[float, float, float], twist: float = 0.0) -> Array:
    """Wrench about the origin of a force at a point."""
    return np.concatenate([force, np.cross(at, force) + np.array([0.0, twist, 0.0])])[None]


def broken(wrench: Array, support: Support) -> set[str]:
    return {
        row for row, value in zip(ROWS, contact_constraints(wrench, support)[0][0], strict=True) if value < 0
    }


def test_each_fault_breaks_its_own_row() -> None:
    centre = (2.0, 0.0, -1.0)
    ground = flat(centre)
    assert broken(pushed((50, 700, 0), centre), ground) == set()
    assert broken(pushed((600, 700, 0), centre), ground) == {"friction"}
    assert broken(pushed((0, 700, 0), (2.06, 0, -1.0)), ground) in ({"tip_side_low"}, {"tip_side_high"})
    assert broken(pushed((0, 700, 0), (2.0, 0, -0.87)), ground) in ({"tip_front_low"}, {"tip_front_high"})
    assert broken(pushed((0, 700, 0), (2.04, 0, -0.89)), ground) == set()
    assert broken(pushed((0, 700, 0), centre, twist=50.0), ground) in ({"twist_low"}, {"twist_high"})
    assert broken(pushed((0, 9000, 0), centre), ground) == {"strongest"}
    assert "push" in broken(pushed((0, -10, 0), centre), ground)


def test_gradients_on_tilted_ground_against_central_differences() -> None:
    rng = np.random.default_rng(2)
    turn = exp(rng.normal(size=3) * 0.4)
    frames = 7
    normal, side, front = (
        np.broadcast_to(rotate(turn, v), (frames, 3)) for v in ([0.0, 1, 0], [0.05, 0, 0], [0.0, 0, 0.12])
    )
    ground = Support(rng.normal(size=(frames, 3)), normal, side, front)
    wrench = rng.normal(size=(frames, 6)) * 300
    corners = np.stack(
        [ground.centre + a * side + b * front for a, b in ((-1, -1), (-1, 1), (1, 1), (1, -1))], 1
    )
    for function in (
        lambda w: contact_constraints(w, ground),
        lambda w: polygon_constraints(w, corners, normal),
        flight_constraints,
    ):
        gradient = function(wrench)[1]
        for k in range(6):
            step = np.zeros(6)
            step[k] = 1e-3
            by_step = (function(wrench + step)[0] - function(wrench - step)[0]) / 2e-3
            np.testing.assert_allclose(gradient[..., k], by_step, atol=1e-8)


def test_rectangle_polygon_and_centre_of_pressure_say_the_same() -> None:
    rng = np.random.default_rng(3)
    frames = 300
    ground = flat((0.3, 0.02, 0.5), frames)
    at = ground.centre + rng.uniform(-1.5, 1.5, size=(frames, 3)) * np.array([0.05, 0.0, 0.12])
    force = np.stack(
        [rng.normal(size=frames) * 50, rng.uniform(300, 900, frames), rng.normal(size=frames) * 50], 1
    )
    wrench = np.concatenate([force, np.cross(at, force)], axis=1)
    np.testing.assert_allclose(centre_of_pressure(wrench, 0.02), at, atol=1e-12)
    inside = (np.abs(at - ground.centre) < [0.05, 1.0, 0.12]).all(axis=1)
    assert np.array_equal((contact_constraints(wrench, ground)[0][:, 1:5] > 0).all(axis=1), inside)
    signs = ((-1, -1), (-1, 1), (1, 1), (1, -1))  # counter-clockwise seen from above: +X is left of +Z
    corners = np.stack([ground.centre + a * ground.side + b * ground.front for a, b in signs], axis=1)
    values = polygon_constraints(wrench, corners, ground.normal)[0]
    assert np.array_equal((values > 0).all(axis=1), inside)


def test_standing_still_presses_below_the_centre_of_mass() -> None:
    from mograph.dynamics import BodyMotion, aggregate_force, mass_model
    from mograph.rotations import identity
    from mograph.sample import sample_skeleton

    skeleton = sample_skeleton()
    model = mass_model(skeleton, mass=80.0)
    root = np.array([[0.4, 0.93, -2.0]])
    whole = aggregate_force(skeleton, model, BodyMotion.at_rest(root, identity(1, len(skeleton))))
    np.testing.assert_allclose(whole.force[0, :3], [0, 80.0 * 9.81, 0], atol=1e-9)
    pressure = centre_of_pressure(whole.force)[0]
    np.testing.assert_allclose(pressure[[0, 2]], whole.com[0, [0, 2]], atol=1e-12)
