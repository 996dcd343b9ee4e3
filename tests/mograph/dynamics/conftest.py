"""Bodies to move, a slow and obvious Newton-Euler to believe, and pinocchio as the independent witness."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mograph.dynamics.coordinates import degrees_of_freedom, trajectory
from mograph.dynamics.mass_model import MassModel, mass_model
from mograph.files.bvh import read_bvh
from mograph.rotations import to_matrix
from mograph.sample import sample_skeleton
from mograph.skeleton import Skeleton


@dataclass(frozen=True)
class Body:
    skeleton: Skeleton
    model: MassModel

    def states(self, count: int, seed: int = 0) -> Any:
        """Random motion: any pose, joints at some rad/s and tens of rad/s², as in fast human motion."""
        rng = np.random.default_rng(seed)
        size = 3 + int(degrees_of_freedom(self.skeleton)[0].sum())
        x, rate, bend = (rng.normal(size=(count, size)) * scale for scale in (1.2, 3.0, 20.0))
        return x, rate, bend, trajectory(self.skeleton, x, rate, bend)


def random_tree(seed: int, joints: int = 14, least_dof: int = 1) -> Body:
    rng = np.random.default_rng(seed)
    skeleton = Skeleton(
        tuple(f"j{j}" for j in range(joints)),
        [-1, *(int(rng.integers(0, j)) for j in range(1, joints))],
        np.vstack([np.zeros(3), rng.normal(size=(joints - 1, 3))]),
        dof=np.concatenate([[3, 1, 2, 3], rng.integers(least_dof, 4, joints - 4)]),
        axes=rng.normal(size=(joints, 3, 3)),
    )
    points = rng.normal(size=(joints, 6, 3))  # each body is six points of equal mass: a true inertia
    mass = rng.uniform(0.5, 5.0, joints)
    mass[rng.integers(1, joints)] = 0.0
    centre = points.mean(axis=1)
    arms = points - centre[:, None]
    inertia = (mass / 6)[:, None, None] * (
        np.einsum("jpa,jpa->j", arms, arms)[:, None, None] * np.eye(3) - np.einsum("jpa,jpb->jab", arms, arms)
    )
    return Body(skeleton, MassModel(mass, centre, inertia))


def person() -> Body:
    return Body(sample_skeleton(), mass_model(sample_skeleton()))


def captured(cmu: Path) -> Body:
    skeleton = read_bvh(cmu / "16" / "16_01.bvh", unit=0.056444).skeleton
    return Body(skeleton, mass_model(skeleton))


@pytest.fixture(params=["sample", "tree", pytest.param("cmu16", marks=pytest.mark.realdata)])
def body(request: pytest.FixtureRequest) -> Body:
    """Three skeletons: the sample's, a random tree with joints of one, two and three axes, CMU 16's."""
    if request.param == "cmu16":
        return captured(request.getfixturevalue("cmu"))
    return person() if request.param == "sample" else random_tree(5)


@pytest.fixture
def make_tree() -> Callable[..., Body]:
    return random_tree


@dataclass
class SlowResult:
    force: np.ndarray  # (6,) wrench about the world's origin, gravity taken off
    momentum: np.ndarray  # (6,)
    com: np.ndarray
    torque: np.ndarray  # (J, 3) in the joints' frames
    energy_rate: Any  # of kinetic and potential energy together [W]


def slow_newton_euler(
    body: Body, p: Any, matrices: Any, v: Any, w: Any, a: Any, alpha: Any, gravity: Any = (0.0, -9.81, 0.0)
) -> SlowResult:
    """One frame by the book, body by body in world axes; complex numbers pass through."""
    skeleton, model = body.skeleton, body.model
    joints = len(skeleton)
    kind = np.result_type(p, matrices, v, w, a, alpha, float)
    gravity = np.array(gravity)
    R, o, spin, bend, speed, gain = ([None] * joints for _ in range(6))
    force, moment = np.zeros((joints, 3), kind), np.zeros((joints, 3), kind)
    momentum, com, energy = np.zeros(6, kind), np.zeros(3, kind), 0.0
    for j in range(joints):
        if j == 0:
            R[0], o[0], speed[0], gain[0] = matrices[0], p, v, a
            spin[0], bend[0] = R[0] @ w[0], R[0] @ alpha[0]
        else:
            u = skeleton.parents[j]
            R[j] = R[u] @ matrices[j]
            bone = R[u] @ skeleton.offsets[j]
            o[j] = o[u] + bone
            speed[j] = speed[u] + np.cross(spin[u], bone)
            gain[j] = gain[u] + np.cross(bend[u], bone) + np.cross(spin[u], np.cross(spin[u], bone))
            spin[j] = spin[u] + R[j] @ w[j]
            bend[j] = bend[u] + R[j] @ alpha[j] + np.cross(spin[u], R[j] @ w[j])
        m, arm = model.mass[j], R[j] @ model.centre[j]
        inertia = R[j] @ model.inertia[j] @ R[j].T
        c = o[j] + arm
        vc = speed[j] + np.cross(spin[j], arm)
        ac = gain[j] + np.cross(bend[j], arm) + np.cross(spin[j], np.cross(spin[j], arm))
        own = inertia @ bend[j] + np.cross(spin[j], inertia @ spin[j])
        force[j] = m * (ac - gravity)
        moment[j] = own + np.cross(c, force[j])  # about the origin
        momentum[:3] += m * vc
        momentum[3:] += inertia @ spin[j] + m * np.cross(c, vc)
        com += m * c
        energy = energy + vc @ force[j] + spin[j] @ own
    for j in range(joints - 1, 0, -1):  # gathered towards the root
        force[skeleton.parents[j]] += force[j]
        moment[skeleton.parents[j]] += moment[j]
    torque = np.array([R[j].T @ (moment[j] - np.cross(o[j], force[j])) for j in range(joints)])
    return SlowResult(np.concatenate([force[0], moment[0]]), momentum, com / model.mass.sum(), torque, energy)


@pytest.fixture
def slow() -> Callable[..., SlowResult]:
    """The slow twin on frame ``t`` of a motion."""

    def run(body: Body, motion: Any, t: int, gravity: Any = (0.0, -9.81, 0.0)) -> SlowResult:
        return slow_newton_euler(
            body,
            motion.root_position[t],
            to_matrix(motion.rotation[t]),
            motion.root_velocity[t],
            motion.velocity[t],
            motion.root_acceleration[t],
            motion.acceleration[t],
            gravity,
        )

    return run


@pytest.fixture
def complex_step() -> Callable[..., dict[str, np.ndarray]]:
    """Derivatives of the slow twin on one frame by steps along the imaginary axis: exact to rounding."""

    def run(body: Body, motion: Any, t: int) -> dict[str, np.ndarray]:
        base = [
            motion.root_position[t],
            to_matrix(motion.rotation[t]),
            motion.root_velocity[t],
            motion.velocity[t],
            motion.root_acceleration[t],
            motion.acceleration[t],
        ]
        joints, step = len(body.skeleton), 1e-30
        out = {
            name: np.zeros((6, 3 + 3 * joints)) for name in ("momentum_q", "force_q", "force_v", "force_a")
        }
        for n in range(3 + 3 * joints):
            j, k = divmod(n - 3, 3)
            unit = np.zeros((3, 3), complex)
            unit[(k + 2) % 3, (k + 1) % 3], unit[(k + 1) % 3, (k + 2) % 3] = 1j * step, -1j * step
            for order, name in enumerate(("q", "v", "a")):
                moved = [np.array(part, complex) for part in base]
                if n < 3:
                    moved[2 * order][n] += 1j * step
                elif order == 0:
                    moved[1][j] = moved[1][j] @ (np.eye(3) + unit)
                else:
                    moved[2 * order + 1][j, k] += 1j * step
                result = slow_newton_euler(body, *moved)
                out[f"force_{name}"][:, n] = result.force.imag / step
                if order == 0:
                    out["momentum_q"][:, n] = result.momentum.imag / step
        return out

    return run


class Pinocchio:
    """The same body in pinocchio: free flyer, then spherical or revolute joints.

    A joint with two axes is two revolutes with nothing between them. Pinocchio's composite joint would do for
    inverse dynamics, but its derivatives take the axes as fixed in the joint, which a composite's are not.
    """

    def __init__(self, body: Body) -> None:
        pin = pytest.importorskip("pinocchio")
        self.pin, self.body = pin, body
        skeleton, mass = body.skeleton, body.model
        self.dof, axes = degrees_of_freedom(skeleton)
        self.model = pin.Model()
        self.model.gravity.linear = np.array([0.0, -9.81, 0.0])
        ids: list[int] = []
        for j, name in enumerate(skeleton.names):
            joint = ids[skeleton.parents[j]] if j else 0
            place = pin.SE3(np.eye(3), skeleton.offsets[j] if j else np.zeros(3))
            for k, kind in enumerate(self._joints(j, axes[j])):
                joint = self.model.addJoint(joint, kind, place, f"{name} {k}")
                place = pin.SE3.Identity()
            inertia = pin.Inertia(float(mass.mass[j]), mass.centre[j], mass.inertia[j])
            self.model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
            ids.append(joint)
        self.data = self.model.createData()

    def _joints(self, j: int, axes: np.ndarray) -> list[Any]:
        if j == 0:
            return [self.pin.JointModelFreeFlyer()]
        if self.dof[j] == 3:
            return [self.pin.JointModelSpherical()]
        return [self.pin.JointModelRevoluteUnaligned(axis) for axis in axes[: self.dof[j]]]

    def state(self, t: int, x: Any, rate: Any, bend: Any, motion: Any) -> tuple[np.ndarray, ...]:
        """Pinocchio's q, v, a of frame ``t``: its root moves along its own axes, balls have quaternions."""
        back = to_matrix(motion.rotation[t, 0]).T
        v0 = back @ motion.root_velocity[t]
        a0 = back @ motion.root_acceleration[t] - np.cross(motion.velocity[t, 0], v0)
        q, v, a = [motion.root_position[t]], [v0], [a0]
        n = 3
        for j, dof in enumerate(self.dof):
            own = slice(n, n + dof)
            n += dof
            if dof == 3:
                q.append(motion.rotation[t, j, [1, 2, 3, 0]])
                v.append(motion.velocity[t, j])
                a.append(motion.acceleration[t, j])
            else:
                q.append(x[t, own])
                v.append(rate[t, own])
                a.append(bend[t, own])
        return tuple(np.concatenate(part) for part in (q, v, a))


@pytest.fixture
def pinocchio() -> type[Pinocchio]:
    return Pinocchio
