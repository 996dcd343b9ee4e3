"""How fast the dynamics is: against pinocchio, finite differences and Fang's table, and as chains grow.

Run as ``python bench/dynamics.py`` after ``pip install .[bench]``; takes about half a minute on one core.
Times are the best of several runs, in microseconds per frame; every comparison is made in this one run, and
the numbers compared are checked to agree before they are timed. Arrays of derivatives are filled again from
run to run, as pinocchio does with its data.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import njit

from mograph import rotations
from mograph.dynamics import (
    BodyMotion,
    MassModel,
    aggregate_derivatives,
    aggregate_force,
    inverse_dynamics,
    mass_model,
    trajectory,
)
from mograph.dynamics.aggregate import AggregateDerivatives
from mograph.dynamics.coordinates import degrees_of_freedom
from mograph.dynamics.inverse import GRAVITY
from mograph.dynamics.spatial import add, add6, cross, cross6, inertia_times, sub6, times, triple
from mograph.sample import sample_skeleton
from mograph.skeleton import Skeleton

FRAMES = 1000


def best(call: Callable[[], Any], seconds: float = 0.4, least: int = 3) -> float:
    """Shortest of repeated runs [s]."""
    call()
    shortest, start, count = np.inf, time.perf_counter(), 0
    while count < least or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        call()
        shortest = min(shortest, time.perf_counter() - begin)
        count += 1
    return float(shortest)


def random_motion(skeleton: Skeleton, frames: int, seed: int = 0) -> BodyMotion:
    rng = np.random.default_rng(seed)
    size = 3 + int(degrees_of_freedom(skeleton)[0].sum())
    return trajectory(skeleton, *(rng.normal(size=(frames, size)) * s for s in (1.0, 3.0, 20.0))).motion


# ---------------------------------------------------------------- pinocchio


def against_pinocchio() -> None:
    try:
        import pinocchio as pin
    except ImportError:
        print("pinocchio is not installed (pip install .[bench]); its rows are left out\n")
        return
    old = sample_skeleton()
    skeleton = Skeleton(
        old.names, old.parents, old.offsets
    )  # every joint a ball: 66 degrees of freedom and the root
    mass = mass_model(old)
    motion = random_motion(skeleton, FRAMES)
    model = pin.Model()
    model.gravity.linear = GRAVITY
    ids: list[int] = []
    for j, name in enumerate(skeleton.names):
        kind = pin.JointModelSpherical() if j else pin.JointModelFreeFlyer()
        place = pin.SE3(np.eye(3), np.array(skeleton.offsets[j]))
        ids.append(model.addJoint(ids[skeleton.parents[j]] if j else 0, kind, place, name))
        inertia = pin.Inertia(float(mass.mass[j]), mass.centre[j], mass.inertia[j])
        model.appendBodyToJoint(ids[j], inertia, pin.SE3.Identity())
    data = model.createData()
    back = np.swapaxes(rotations.to_matrix(motion.rotation[:, 0]), 1, 2)
    speed = np.einsum("tij,tj->ti", back, motion.root_velocity)
    gain = np.einsum("tij,tj->ti", back, motion.root_acceleration) - np.cross(motion.velocity[:, 0], speed)
    q = np.hstack([motion.root_position, motion.rotation[..., [1, 2, 3, 0]].reshape(FRAMES, -1)])
    v = np.hstack([speed, motion.velocity.reshape(FRAMES, -1)])
    a = np.hstack([gain, motion.acceleration.reshape(FRAMES, -1)])
    states = list(zip(q, v, a, strict=True))

    ours = inverse_dynamics(skeleton, mass, motion).torque[:, 1:].reshape(FRAMES, -1)
    theirs = np.array([pin.rnea(model, data, *s) for s in states])[:, 6:]
    whole = aggregate_force(skeleton, mass, motion)
    momenta = np.array([pin.computeCentroidalMomentum(model, data, x, y).vector for x, y, _ in states])
    mine = np.hstack([whole.momentum[:, :3], whole.angular_momentum])
    size = f"{model.nv} velocities, {FRAMES} frames"
    print(f"Against pinocchio {pin.__version__} called from Python: sample person, {size}")
    agree = f"torques to {_difference(ours, theirs):.1e}, momentum to {_difference(mine, momenta):.1e}"
    print(f"  agreement, of the largest value: {agree}")
    again = aggregate_derivatives(skeleton, mass, motion)[1]

    def loop(function: Callable[..., Any], parts: int) -> Callable[[], None]:
        chosen = [s[:parts] for s in states]

        def run() -> None:
            for s in chosen:
                function(model, data, *s)

        return run

    rows = [
        (
            "inverse dynamics, all joint torques",
            best(lambda: inverse_dynamics(skeleton, mass, motion)),
            best(loop(pin.rnea, 3)),
        ),
        (
            "centre of mass, momentum, aggregate force",
            best(lambda: aggregate_force(skeleton, mass, motion)),
            best(loop(pin.computeCentroidalMomentumTimeVariation, 3)),
        ),
        (
            "derivatives of the aggregate by q, v, a",
            best(lambda: aggregate_derivatives(skeleton, mass, motion, again=again)),
            best(loop(pin.computeCentroidalDynamicsDerivatives, 3)),
        ),
        ("  (pinocchio's derivatives of all torques)", np.nan, best(loop(pin.computeRNEADerivatives, 3))),
    ]
    print(f"  {'[us per frame]':44s} {'ours':>8s} {'pinocchio':>10s} {'ratio':>7s}")
    for name, we, they in rows:
        mine_text = f"{we / FRAMES * 1e6:8.2f}" if np.isfinite(we) else " " * 8
        ratio = f"{they / we:6.1f}x" if np.isfinite(we) else ""
        print(f"  {name:44s} {mine_text} {they / FRAMES * 1e6:10.2f} {ratio}")
    print()


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


# ---------------------------------------------------------------- other ways to differentiate


@njit(cache=True, error_model="numpy")
def _direct(
    parents, offsets, mass, centre, inertia, gravity, columns, axes, motion, force_q, force_v, force_a
):  # type: ignore[no-untyped-def]
    """Newton-Euler differentiated body by body for every direction: exact, and quadratic in the joints."""
    root_position, rotation, root_velocity, velocity, root_acceleration, acceleration = motion
    joints = len(parents)
    turn, place = np.empty((joints, 9)), np.empty((joints, 3))
    H, S = np.empty((joints, 3)), np.empty((joints, 6))
    moving = np.empty((joints + 1, 12))  # the last row is what the root hangs on
    zero = (0.0, 0.0, 0.0)
    above = np.zeros((joints, joints), np.bool_)  # above[i, b]: joint i moves body b
    for b in range(joints):
        i = b
        while i >= 0:
            above[i, b] = True
            i = parents[i]
    for t in range(len(rotation)):
        for k in range(3):
            moving[joints, k], moving[joints, 6 + k] = 0.0, 0.0
            moving[joints, 3 + k] = root_velocity[t, k]
            moving[joints, 9 + k] = root_acceleration[t, k] - gravity[k]
        for j in range(joints):
            w, x, y, z = rotation[t, j]
            R = turn[j]
            R[0], R[1], R[2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
            R[3], R[4], R[5] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
            R[6], R[7], R[8] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
            o = zero
            if j > 0:
                up = turn[parents[j]]
                c0 = times(up, (R[0], R[3], R[6]))
                c1 = times(up, (R[1], R[4], R[7]))
                c2 = times(up, (R[2], R[5], R[8]))
                for k in range(3):
                    R[3 * k], R[3 * k + 1], R[3 * k + 2] = c0[k], c1[k], c2[k]
                o = add(triple(place[parents[j]], 0), times(up, triple(offsets[j], 0)))
            place[j, 0], place[j, 1], place[j, 2] = o
            w3, a3 = times(R, triple(velocity[t, j], 0)), times(R, triple(acceleration[t, j], 0))
            s, ds = (w3, cross(o, w3)), (a3, cross(o, a3))
            base = moving[parents[j]] if j > 0 else moving[joints]
            vj = add6((triple(base, 0), triple(base, 3)), s)
            aj = add6(add6((triple(base, 6), triple(base, 9)), ds), cross6(vj, s))
            row = moving[j]
            row[0], row[1], row[2] = vj[0]
            row[3], row[4], row[5] = vj[1]
            row[6], row[7], row[8] = aj[0]
            row[9], row[10], row[11] = aj[1]
            m = mass[j]
            c = add(o, times(R, triple(centre[j], 0)))
            H[j, 0], H[j, 1], H[j, 2] = m * c[0], m * c[1], m * c[2]
            n = 0
            for p in range(3):
                for q in range(p, 3):
                    value = -m * c[p] * c[q]
                    if p == q:
                        value += m * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
                    for e in range(3):
                        for g in range(3):
                            value += R[3 * p + e] * inertia[j, e, g] * R[3 * q + g]
                    S[j, n] = value
                    n += 1
        origin = triple(root_position[t], 0)
        for i in range(-1, joints):  # -1 is the root's translation
            base = moving[joints]
            vl, al = (zero, zero), (zero, (-gravity[0], -gravity[1], -gravity[2]))
            vi = (triple(base, 0), triple(base, 3))
            if i >= 0:
                base = moving[parents[i]] if i > 0 else moving[joints]
                vl, al = (triple(base, 0), triple(base, 3)), (triple(base, 6), triple(base, 9))
                vi = (triple(moving[i], 0), triple(moving[i], 3))
            for k in range(3 if i < 0 else columns[i]):
                if i < 0:
                    s = (zero, (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)))
                else:
                    z3 = times(turn[i], triple(axes[i, k], 0))
                    s = (z3, cross(triple(place[i], 0), z3))
                fq, fv, fa = (zero, zero), (zero, zero), (zero, zero)
                for b in range(max(i, 0), joints):
                    if mass[b] == 0.0 or (i >= 0 and not above[i, b]):
                        continue
                    m, h, J = mass[b], triple(H[b], 0), S[b]
                    v = (triple(moving[b], 0), triple(moving[b], 3))
                    a = (triple(moving[b], 6), triple(moving[b], 9))
                    past = sub6(v, vl)
                    dv = cross6(s, past)
                    da = add6(cross6(s, sub6(sub6(a, al), cross6(vl, past))), cross6(vl, dv))
                    Iv, Is = inertia_times(m, h, J, v), inertia_times(m, h, J, s)
                    carried = sub6(cross6(s, Iv), inertia_times(m, h, J, sub6(cross6(s, v), dv)))
                    change = sub6(
                        cross6(s, inertia_times(m, h, J, a)), inertia_times(m, h, J, sub6(cross6(s, a), da))
                    )
                    fq = add6(fq, add6(change, add6(cross6(dv, Iv), cross6(v, carried))))
                    turning = add6(cross6(vi, s), dv)
                    fv = add6(fv, add6(inertia_times(m, h, J, turning), add6(cross6(s, Iv), cross6(v, Is))))
                    fa = add6(fa, Is)
                n = 3 + 3 * i + k if i >= 0 else k
                for out, f in ((force_q, fq), (force_v, fv), (force_a, fa)):
                    moment = add(f[1], cross(origin, f[0]))
                    for e in range(3):
                        out[t, n, e], out[t, n, 3 + e] = f[0][e], moment[e]


def direct(skeleton: Skeleton, model: MassModel, motion: BodyMotion) -> AggregateDerivatives:
    dof, axes = degrees_of_freedom(skeleton)
    axes[dof > 1] = np.eye(3)
    out = [np.zeros((len(motion), 3 + 3 * len(skeleton), 6)) for _ in range(3)]
    state = (motion.root_position, motion.rotation, motion.root_velocity, motion.velocity)
    state += (motion.root_acceleration, motion.acceleration)
    state = tuple(np.ascontiguousarray(part) for part in state)
    model_parts = (model.mass, model.centre, model.inertia, GRAVITY, np.where(dof > 1, 3, dof), axes)
    _direct(skeleton.parents, skeleton.offsets, *model_parts, state, *out)
    q, v, a = (np.swapaxes(part, 1, 2) for part in out)
    return AggregateDerivatives(np.zeros(0), q, v, a)


def differences(skeleton: Skeleton, model: MassModel, motion: BodyMotion, kind: str) -> AggregateDerivatives:
    """Forward, central or Richardson differences (Fang F25) of the compiled aggregate force."""
    h = {"forward": 1e-6, "central": 1e-5, "richardson": 4e-2}[kind]
    dof, axes = degrees_of_freedom(skeleton)
    axes[dof > 1] = np.eye(3)
    base = aggregate_force(skeleton, model, motion).force
    out = [np.zeros((len(motion), 6, 3 + 3 * len(skeleton))) for _ in range(3)]
    names = (
        ("root_position", "rotation"),
        ("root_velocity", "velocity"),
        ("root_acceleration", "acceleration"),
    )
    parts = {name: np.array(getattr(motion, name)) for pair in names for name in pair}
    moved = BodyMotion(**parts)

    def at(order: int, j: int, axis: np.ndarray, step: float) -> np.ndarray:
        name = names[order][j >= 0]
        where = parts[name] if j < 0 else parts[name][:, j]
        kept = where.copy()
        where[:] = (
            rotations.multiply(kept, rotations.exp(step * axis)) if name == "rotation" else kept + step * axis
        )
        force = aggregate_force(skeleton, model, moved).force
        where[:] = kept
        return force

    def central(order: int, j: int, axis: np.ndarray, step: float) -> np.ndarray:
        return (at(order, j, axis, step) - at(order, j, axis, -step)) / (2 * step)

    for order in range(3):
        for j in range(-1, len(skeleton)):
            for k in range(3 if j < 0 or dof[j] > 1 else dof[j]):
                axis = np.eye(3)[k] if j < 0 else axes[j, k]
                if kind == "forward":
                    column = (at(order, j, axis, h) - base) / h
                elif kind == "central":
                    column = central(order, j, axis, h)
                else:
                    d1, d2, d4 = (central(order, j, axis, h / n) for n in (1, 2, 4))
                    column = (d1 - 20 * d2 + 64 * d4) / 45
                out[order][:, :, 3 + 3 * j + k] = column
    return AggregateDerivatives(np.zeros(0), *out)


def fang_character() -> tuple[Skeleton, MassModel]:
    """The thesis' 22 degrees of freedom: free trunk, ball shoulders and hips, hinges below; 1.65 m, 65 kg."""
    rows = [("trunk", -1, (0, 0, 0), 3, 0.578, (0, 0.24, 0), 0.5)]
    for side in (1, -1):
        n = len(rows)
        rows += [
            ("arm", 0, (0.2 * side, 0.45, 0), 3, 0.028, (0, -0.13, 0), 0.31),
            ("forearm", n, (0, -0.31, 0), 1, 0.022, (0, -0.16, 0), 0.24),
            ("thigh", 0, (0.16 * side, -0.02, 0), 3, 0.100, (0, -0.17, 0), 0.40),
            ("shank", n + 2, (0, -0.40, 0), 1, 0.061, (0, -0.22, 0), 0.41),
        ]
    skeleton = Skeleton(
        tuple(f"{row[0]}{k}" for k, row in enumerate(rows)),
        [row[1] for row in rows],
        [row[2] for row in rows],
        dof=[row[3] for row in rows],
    )
    mass = 65.0 * np.array([row[4] for row in rows])
    radius = 0.3 * np.array([row[6] for row in rows])
    inertia = (mass * radius**2)[:, None, None] * np.diag([1.0, 0.3, 1.0])
    return skeleton, MassModel(mass, np.array([row[5] for row in rows], float), inertia)


def fang_table() -> None:
    skeleton, model = fang_character()
    motion = random_motion(skeleton, FRAMES)
    exact = aggregate_derivatives(skeleton, model, motion)[1]
    again = aggregate_derivatives(skeleton, model, motion)[1]

    def error(other: AggregateDerivatives) -> float:
        pairs = [
            (exact.force_q, other.force_q),
            (exact.force_v, other.force_v),
            (exact.force_a, other.force_a),
        ]
        return float(np.mean([np.abs(a - b).mean() / np.abs(a).mean() for a, b in pairs]))

    rows: list[tuple[str, Callable[[], AggregateDerivatives], str, str]] = [
        ("linear-time", lambda: aggregate_derivatives(skeleton, model, motion, again=again)[1], "1.0", "0"),
        ("direct analytic", lambda: direct(skeleton, model, motion), "5.6", "0"),
        ("forward difference", lambda: differences(skeleton, model, motion, "forward"), "8.8", "1.0e-3"),
        ("central difference", lambda: differences(skeleton, model, motion, "central"), "17.5", "1.0e-6"),
        ("Richardson, order 6", lambda: differences(skeleton, model, motion, "richardson"), "52.1", "1.5e-8"),
    ]
    assert error(rows[1][1]()) < 1e-12
    print(f"Fang's table: Jacobians of the aggregate force, the thesis' 22-DOF character, {FRAMES} frames")
    head = f"  {'method':22s} {'us/frame':>9s} {'slower by':>10s} {'thesis':>7s} {'error':>9s} {'thesis':>8s}"
    print(head)
    first = np.nan
    for name, call, ratio, printed in rows:
        took = best(call, least=2) / FRAMES * 1e6
        first = took if np.isnan(first) else first
        print(
            f"  {name:22s} {took:9.2f} {took / first:9.1f}x {ratio:>6s}x {error(call()):9.1e} {printed:>8s}"
        )
    print()


def chain(links: int) -> tuple[Skeleton, MassModel]:
    """A free root and hinges in a row, axes taking turns."""
    joints = links
    axes = np.stack([np.roll(np.eye(3), k, axis=0) for k in range(joints)])
    offsets = np.tile([0.0, 0.2, 0.0], (joints, 1)) * (np.arange(joints) > 0)[:, None]
    names = tuple(f"link{k}" for k in range(joints))
    skeleton = Skeleton(names, np.arange(joints) - 1, offsets, dof=np.ones(joints, int), axes=axes)
    inertia = np.broadcast_to(np.diag([0.01, 0.002, 0.01]), (joints, 3, 3)).copy()
    return skeleton, MassModel(np.ones(joints), np.tile([0.0, 0.1, 0.0], (joints, 1)), inertia)


def growth(evaluations: int = 500) -> None:
    sizes = np.array([3, 4, 5, 6, 8, 10, 14, 20, 28, 36, 43, 50])
    took: dict[str, list[float]] = {"linear-time": [], "direct analytic": []}
    for links in sizes:
        skeleton, model = chain(int(links))
        motion = random_motion(skeleton, evaluations)
        again = aggregate_derivatives(skeleton, model, motion)[1]
        linear = partial(aggregate_derivatives, skeleton, model, motion, again=again)
        for name, call in (
            ("linear-time", linear),
            ("direct analytic", partial(direct, skeleton, model, motion)),
        ):
            took[name].append(best(call, seconds=0.15) / evaluations * 1e6)
    print(f"Growth with the chain: {evaluations} Jacobians, hinges in a row on a free base [us each]")
    print("  links           " + " ".join(f"{n:7d}" for n in sizes))
    for name, values in took.items():
        print(f"  {name:16s}" + " ".join(f"{v:7.2f}" for v in values))
    for name, values in took.items():
        y = np.array(values)
        line = np.polyfit(sizes, y, 1)
        bend = np.polyfit(sizes, y, 2)
        power = np.polyfit(np.log(sizes[5:]), np.log(y[5:]), 1)[0]
        fit = 1 - np.var(y - np.polyval(line, sizes)) / np.var(y)
        print(
            f"  {name}: slope {line[0]:.3f} us per link (R2 of the straight line {fit:.4f}), "
            f"quadratic term {bend[0]:+.4f}, power {power:.2f} from 10 links on"
        )
    faster = [int(n) for n, a, b in zip(sizes, *took.values(), strict=True) if a < b]
    print(f"  linear-time is the faster from {faster[0] if faster else 'no'} links on (thesis: 5)\n")


def main() -> None:
    start = time.perf_counter()
    skeleton, model = fang_character()
    one = random_motion(skeleton, 1)
    inverse_dynamics(skeleton, model, one)
    aggregate_derivatives(skeleton, model, one)
    print(f"kernels ready after {time.perf_counter() - start:.1f} s (first run compiles, later ones load)\n")
    against_pinocchio()
    fang_table()
    growth()
    print(f"all in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
