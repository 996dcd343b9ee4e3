"""Physics of a moving body: mass model, momentum, inverse dynamics, aggregate force and its derivatives.

All but the mass model are looked up when first used, so that importing this package compiles nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mograph.dynamics.mass_model import MassModel, mass_model

if TYPE_CHECKING:
    from mograph.dynamics.aggregate import (
        Aggregate,
        AggregateDerivatives,
        aggregate_derivatives,
        aggregate_force,
    )
    from mograph.dynamics.body_motion import BodyMotion, motion_of
    from mograph.dynamics.contact_limits import (
        Support,
        centre_of_pressure,
        contact_constraints,
        flight_constraints,
        polygon_constraints,
    )
    from mograph.dynamics.control_points import SplineSamples, in_subspace
    from mograph.dynamics.coordinates import Trajectory, trajectory
    from mograph.dynamics.inverse import InverseDynamics, inverse_dynamics
    from mograph.dynamics.momentum import WorldMotion, point_jacobian, segment_momenta, world_motion
    from mograph.dynamics.torques import Torques, joint_torques
    from mograph.dynamics.validity import Report, Row, ValidityLimits, check_motion

_HOME = {
    "Aggregate": "aggregate",
    "AggregateDerivatives": "aggregate",
    "BodyMotion": "body_motion",
    "InverseDynamics": "inverse",
    "Report": "validity",
    "Row": "validity",
    "SplineSamples": "control_points",
    "Support": "contact_limits",
    "Torques": "torques",
    "Trajectory": "coordinates",
    "ValidityLimits": "validity",
    "WorldMotion": "momentum",
    "aggregate_derivatives": "aggregate",
    "aggregate_force": "aggregate",
    "centre_of_pressure": "contact_limits",
    "check_motion": "validity",
    "contact_constraints": "contact_limits",
    "flight_constraints": "contact_limits",
    "in_subspace": "control_points",
    "inverse_dynamics": "inverse",
    "joint_torques": "torques",
    "motion_of": "body_motion",
    "point_jacobian": "momentum",
    "polygon_constraints": "contact_limits",
    "segment_momenta": "momentum",
    "trajectory": "coordinates",
    "world_motion": "momentum",
}
__all__ = [
    "Aggregate",
    "AggregateDerivatives",
    "BodyMotion",
    "InverseDynamics",
    "MassModel",
    "Report",
    "Row",
    "SplineSamples",
    "Support",
    "Torques",
    "Trajectory",
    "ValidityLimits",
    "WorldMotion",
    "aggregate_derivatives",
    "aggregate_force",
    "centre_of_pressure",
    "check_motion",
    "contact_constraints",
    "flight_constraints",
    "in_subspace",
    "inverse_dynamics",
    "joint_torques",
    "mass_model",
    "motion_of",
    "point_jacobian",
    "polygon_constraints",
    "segment_momenta",
    "trajectory",
    "world_motion",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(f"mograph.dynamics.{_HOME[name]}"), name)
    raise AttributeError(f"module 'mograph.dynamics' has no attribute '{name}'")
