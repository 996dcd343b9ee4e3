"""Compiled aggregate force and its derivatives: Fang's leaf-to-base recursion in its corrected form.

Everything is written in world axes about one origin, the root's place in that frame, so no change of
coordinates is needed between joints and what a parent gathers from its children is a plain sum.

Quantities with a star in Fang (here: gathered) are those of the part of the body beyond a joint, as if the
joint's parent stood still.
"""

from __future__ import annotations

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.dynamics.spatial import (
    Spatial,
    Vector,
    add,
    add6,
    carried,
    cross,
    cross6,
    inertia_times,
    rate_times,
    sub6,
    times,
    triple,
)
from mograph.rotations import Array


@compiled
def _store(out: Array, v: Spatial, about: Vector) -> None:
    """A wrench into six numbers, its moment moved from the root's place to the world's origin."""
    f, n = v
    n = add(n, cross(about, f))
    out[0], out[1], out[2] = f
    out[3], out[4], out[5] = n


@compiled
def aggregate_recursion(
    order: np.ndarray,  # (A,) joints with mass in or below them, parents first; joint 0 is the root
    parents: np.ndarray,  # (J,)
    offsets: Array,  # (J, 3)
    mass: Array,  # (J,)
    centre: Array,  # (J, 3)
    inertia: Array,  # (J, 3, 3)
    gravity: Array,  # (3,)
    columns: np.ndarray,  # (J,) how many derivative columns each joint gets, 0 to 3
    axes: Array,  # (J, 3, 3) the axes they belong to, as rows, in the joint's own frame
    root_position: Array,  # (T, 3)
    rotation: Array,  # (T, J, 4)
    root_velocity: Array,  # (T, 3)
    velocity: Array,  # (T, J, 3)
    root_acceleration: Array,  # (T, 3)
    acceleration: Array,  # (T, J, 3)
    com: Array,  # (T, 3) out
    momentum: Array,  # (T, 6) out
    force: Array,  # (T, 6) out
    derive: bool,  # whether to fill the four arrays below
    momentum_q: Array,  # (T, N, 6) out, N = 3 + 3 J
    force_q: Array,
    force_v: Array,
    force_a: Array,
) -> None:
    joints = len(parents)
    turn = np.empty((joints, 9))  # world rotation, row by row
    place = np.empty((joints, 3))  # joint relative to the root
    twist = np.empty((joints, 6))  # of the joint relative to its parent
    bend = np.empty((joints, 6))  # its acceleration
    M = np.empty(joints)
    H = np.empty((joints, 3))
    S = np.empty((joints, 6))
    dH = np.empty((joints, 3))  # rates seen from the joint itself: children only (erratum E1)
    dS = np.empty((joints, 6))
    eH = np.empty((joints, 3))  # rates seen from the parent: with the joint's own motion
    eS = np.empty((joints, 6))
    P = np.empty((joints, 6))
    F = np.empty((joints, 6))
    moving = np.empty((joints, 12))  # absolute twist and its rate
    zero = (0.0, 0.0, 0.0)
    down = triple(gravity, 0)
    lift = (zero, (-gravity[0], -gravity[1], -gravity[2]))

    for t in range(len(rotation)):
        origin = triple(root_position[t], 0)
        for i in range(len(order)):
            j = order[i]
            w, x, y, z = rotation[t, j, 0], rotation[t, j, 1], rotation[t, j, 2], rotation[t, j, 3]
            r0 = (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y))
            r1 = (2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x))
            r2 = (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))
            o = zero
            if i > 0:  # r0, r1, r2 are the columns of the rotation
                up = turn[parents[j]]
                r0, r1, r2 = times(up, r0), times(up, r1), times(up, r2)
                o = add(triple(place[parents[j]], 0), times(up, triple(offsets[j], 0)))
            R = turn[j]
            R[0], R[1], R[2] = r0[0], r1[0], r2[0]
            R[3], R[4], R[5] = r0[1], r1[1], r2[1]
            R[6], R[7], R[8] = r0[2], r1[2], r2[2]
            place[j, 0], place[j, 1], place[j, 2] = o
            w3 = times(R, triple(velocity[t, j], 0))
            a3 = times(R, triple(acceleration[t, j], 0))
            twist[j, 0], twist[j, 1], twist[j, 2] = w3
            twist[j, 3], twist[j, 4], twist[j, 5] = cross(o, w3)
            bend[j, 0], bend[j, 1], bend[j, 2] = a3
            bend[j, 3], bend[j, 4], bend[j, 5] = cross(o, a3)
            # the joint's own body, about the origin
            m = mass[j]
            M[j] = m
            dH[j, :] = 0.0
            dS[j, :] = 0.0
            P[j, :] = 0.0
            F[j, :] = 0.0
            if m == 0.0:
                H[j, :] = 0.0
                S[j, :] = 0.0
                continue
            c = add(o, times(R, triple(centre[j], 0)))
            H[j, 0], H[j, 1], H[j, 2] = m * c[0], m * c[1], m * c[2]
            k = inertia[j]
            # columns of R times inertia, then times R transposed
            k0 = times(R, (k[0, 0], k[1, 0], k[2, 0]))
            k1 = times(R, (k[0, 1], k[1, 1], k[2, 1]))
            k2 = times(R, (k[0, 2], k[1, 2], k[2, 2]))
            S[j, 0] = k0[0] * R[0] + k1[0] * R[1] + k2[0] * R[2] + m * (c[1] * c[1] + c[2] * c[2])
            S[j, 1] = k0[0] * R[3] + k1[0] * R[4] + k2[0] * R[5] - m * c[0] * c[1]
            S[j, 2] = k0[0] * R[6] + k1[0] * R[7] + k2[0] * R[8] - m * c[0] * c[2]
            S[j, 3] = k0[1] * R[3] + k1[1] * R[4] + k2[1] * R[5] + m * (c[0] * c[0] + c[2] * c[2])
            S[j, 4] = k0[1] * R[6] + k1[1] * R[7] + k2[1] * R[8] - m * c[1] * c[2]
            S[j, 5] = k0[2] * R[6] + k1[2] * R[7] + k2[2] * R[8] + m * (c[0] * c[0] + c[1] * c[1])

        # leaves to base
        for i in range(len(order) - 1, -1, -1):
            j = order[i]
            s = (triple(twist[j], 0), triple(twist[j], 3))
            ds = (triple(bend[j], 0), triple(bend[j], 3))
            h = triple(H[j], 0)
            own_h, own_S = carried(M[j], h, S[j], s)
            p = add6((triple(P[j], 0), triple(P[j], 3)), inertia_times(M[j], h, S[j], s))
            f = add6((triple(F[j], 0), triple(F[j], 3)), cross6(s, p))
            f = add6(f, inertia_times(M[j], h, S[j], ds))
            f = add6(f, rate_times(triple(dH[j], 0), dS[j], s))
            P[j, 0], P[j, 1], P[j, 2] = p[0]
            P[j, 3], P[j, 4], P[j, 5] = p[1]
            F[j, 0], F[j, 1], F[j, 2] = f[0]
            F[j, 3], F[j, 4], F[j, 5] = f[1]
            for k in range(3):
                eH[j, k] = dH[j, k] + own_h[k]
            for k in range(6):
                eS[j, k] = dS[j, k] + own_S[k]
            if i > 0:
                u = parents[j]
                M[u] += M[j]
                for k in range(3):
                    H[u, k] += H[j, k]
                    dH[u, k] += eH[j, k]
                for k in range(6):
                    S[u, k] += S[j, k]
                    dS[u, k] += eS[j, k]
                    P[u, k] += P[j, k]
                    F[u, k] += F[j, k]

        # the root's translation is one more joint, below which the whole body hangs
        m, h = M[0], triple(H[0], 0)
        s = (zero, triple(root_velocity[t], 0))
        ds = (zero, triple(root_acceleration[t], 0))
        rate = triple(eH[0], 0)
        p = add6((triple(P[0], 0), triple(P[0], 3)), inertia_times(m, h, S[0], s))
        f = add6((triple(F[0], 0), triple(F[0], 3)), cross6(s, p))
        f = add6(f, inertia_times(m, h, S[0], ds))
        f = add6(f, rate_times(rate, eS[0], s))
        f = sub6(f, inertia_times(m, h, S[0], (zero, down)))  # erratum E2
        for k in range(3):
            com[t, k] = origin[k] + h[k] / m
        _store(momentum[t], p, origin)
        _store(force[t], f, origin)
        if not derive:
            continue

        # base to leaves: one column per free direction, constant work each
        v = s
        a = add6(ds, lift)
        for k in range(3):
            e = (zero, (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)))
            pv = inertia_times(m, h, S[0], e)
            pq = cross6(e, p)
            fv = add6(add6(pq, rate_times(rate, eS[0], e)), cross6(v, pv))
            _store(momentum_q[t, k], pq, origin)
            _store(force_q[t, k], cross6(e, f), origin)
            _store(force_v[t, k], fv, origin)
            _store(force_a[t, k], pv, origin)
        for i in range(len(order)):
            j = order[i]
            vp, ap = v, a
            if i > 0:
                row = moving[parents[j]]
                vp = (triple(row, 0), triple(row, 3))
                ap = (triple(row, 6), triple(row, 9))
            s = (triple(twist[j], 0), triple(twist[j], 3))
            ds = (triple(bend[j], 0), triple(bend[j], 3))
            vj = add6(vp, s)
            aj = add6(add6(ap, ds), cross6(vj, s))
            row = moving[j]
            row[0], row[1], row[2] = vj[0]
            row[3], row[4], row[5] = vj[1]
            row[6], row[7], row[8] = aj[0]
            row[9], row[10], row[11] = aj[1]
            m, h, J = M[j], triple(H[j], 0), S[j]
            before, after = triple(dH[j], 0), triple(eH[j], 0)
            p = add6((triple(P[j], 0), triple(P[j], 3)), inertia_times(m, h, J, vp))
            f = add6((triple(F[j], 0), triple(F[j], 3)), inertia_times(m, h, J, ap))
            f = add6(f, rate_times(after, eS[j], vp))
            o = triple(place[j], 0)
            for k in range(columns[j]):
                z = times(turn[j], triple(axes[j, k], 0))
                e = (z, cross(o, z))
                ev = cross6(e, vp)
                pv = inertia_times(m, h, J, e)
                pq = sub6(cross6(e, p), inertia_times(m, h, J, ev))
                fv = add6(add6(pq, rate_times(before, dS[j], e)), cross6(vj, pv))
                fq = sub6(cross6(e, f), inertia_times(m, h, J, cross6(e, ap)))
                fq = sub6(add6(fq, cross6(vp, pq)), rate_times(after, eS[j], ev))
                n = 3 + 3 * j + k
                _store(momentum_q[t, n], pq, origin)
                _store(force_q[t, n], fq, origin)
                _store(force_v[t, n], fv, origin)
                _store(force_a[t, n], pv, origin)
