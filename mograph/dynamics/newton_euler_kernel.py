"""Compiled inverse dynamics: recursive Newton-Euler on the tree of joints, one frame after another.

Outward each joint passes its angular velocity, angular acceleration and the acceleration of its origin to its
children, everything in the joint's own frame; inward the children hand back the force and moment they need.
Gravity enters as an upward acceleration of the root. Every joint is treated as a ball; joints with fewer
axes project the moment afterwards.
"""

from __future__ import annotations

import numpy as np

from mograph.dynamics.compiled import compiled
from mograph.rotations import Array


@compiled
def newton_euler(
    order: np.ndarray,  # (A,) joints that carry mass below or in them, parents first; joint 0 is the root
    parents: np.ndarray,  # (J,)
    offsets: Array,  # (J, 3)
    mass: Array,  # (J,)
    centre: Array,  # (J, 3)
    inertia: Array,  # (J, 3, 3) about the centre
    gravity: Array,  # (3,)
    root_position: Array,  # (T, 3)
    rotation: Array,  # (T, J, 4)
    root_acceleration: Array,  # (T, 3)
    velocity: Array,  # (T, J, 3)
    acceleration: Array,  # (T, J, 3)
    torque: Array,  # (T, J, 3) out: moment on each joint about itself, in its own frame
    wrench: Array,  # (T, 6) out: force and moment about the world's origin that the world must supply
) -> None:
    joints = len(parents)
    turn = np.empty((joints, 9))  # rows of the matrix from joint to parent frame
    spin = np.empty((joints, 9))  # angular velocity, angular acceleration, acceleration of the origin
    load = np.empty((joints, 6))  # force and moment about the joint
    for t in range(len(rotation)):
        for i in range(len(order)):
            j = order[i]
            w, x, y, z = rotation[t, j, 0], rotation[t, j, 1], rotation[t, j, 2], rotation[t, j, 3]
            r00, r01, r02 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
            r10, r11, r12 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
            r20, r21, r22 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
            m9 = turn[j]
            m9[0], m9[1], m9[2], m9[3], m9[4] = r00, r01, r02, r10, r11
            m9[5], m9[6], m9[7], m9[8] = r12, r20, r21, r22

            vx, vy, vz = velocity[t, j, 0], velocity[t, j, 1], velocity[t, j, 2]
            ox, oy, oz = vx, vy, vz
            px, py, pz = acceleration[t, j, 0], acceleration[t, j, 1], acceleration[t, j, 2]
            if i == 0:
                lx = root_acceleration[t, 0] - gravity[0]
                ly = root_acceleration[t, 1] - gravity[1]
                lz = root_acceleration[t, 2] - gravity[2]
            else:
                s = spin[parents[j]]
                bx, by, bz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
                # acceleration of the joint's origin, still in the parent's frame
                qx, qy, qz = s[1] * bz - s[2] * by, s[2] * bx - s[0] * bz, s[0] * by - s[1] * bx
                lx = s[6] + s[4] * bz - s[5] * by + s[1] * qz - s[2] * qy
                ly = s[7] + s[5] * bx - s[3] * bz + s[2] * qx - s[0] * qz
                lz = s[8] + s[3] * by - s[4] * bx + s[0] * qy - s[1] * qx
                ox += r00 * s[0] + r10 * s[1] + r20 * s[2]
                oy += r01 * s[0] + r11 * s[1] + r21 * s[2]
                oz += r02 * s[0] + r12 * s[1] + r22 * s[2]
                px += r00 * s[3] + r10 * s[4] + r20 * s[5] + oy * vz - oz * vy
                py += r01 * s[3] + r11 * s[4] + r21 * s[5] + oz * vx - ox * vz
                pz += r02 * s[3] + r12 * s[4] + r22 * s[5] + ox * vy - oy * vx
            ax = r00 * lx + r10 * ly + r20 * lz
            ay = r01 * lx + r11 * ly + r21 * lz
            az = r02 * lx + r12 * ly + r22 * lz
            s = spin[j]
            s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8] = ox, oy, oz, px, py, pz, ax, ay, az

            f = load[j]
            m = mass[j]
            if m == 0.0:
                f[:] = 0.0
                continue
            cx, cy, cz = centre[j, 0], centre[j, 1], centre[j, 2]
            qx, qy, qz = oy * cz - oz * cy, oz * cx - ox * cz, ox * cy - oy * cx
            fx = m * (ax + py * cz - pz * cy + oy * qz - oz * qy)
            fy = m * (ay + pz * cx - px * cz + oz * qx - ox * qz)
            fz = m * (az + px * cy - py * cx + ox * qy - oy * qx)
            k = inertia[j]
            hx = k[0, 0] * ox + k[0, 1] * oy + k[0, 2] * oz
            hy = k[1, 0] * ox + k[1, 1] * oy + k[1, 2] * oz
            hz = k[2, 0] * ox + k[2, 1] * oy + k[2, 2] * oz
            f[0], f[1], f[2] = fx, fy, fz
            f[3] = k[0, 0] * px + k[0, 1] * py + k[0, 2] * pz + oy * hz - oz * hy + cy * fz - cz * fy
            f[4] = k[1, 0] * px + k[1, 1] * py + k[1, 2] * pz + oz * hx - ox * hz + cz * fx - cx * fz
            f[5] = k[2, 0] * px + k[2, 1] * py + k[2, 2] * pz + ox * hy - oy * hx + cx * fy - cy * fx

        for i in range(len(order) - 1, -1, -1):
            j = order[i]
            f = load[j]
            torque[t, j, 0], torque[t, j, 1], torque[t, j, 2] = f[3], f[4], f[5]
            m9 = turn[j]
            fx = m9[0] * f[0] + m9[1] * f[1] + m9[2] * f[2]
            fy = m9[3] * f[0] + m9[4] * f[1] + m9[5] * f[2]
            fz = m9[6] * f[0] + m9[7] * f[1] + m9[8] * f[2]
            nx = m9[0] * f[3] + m9[1] * f[4] + m9[2] * f[5]
            ny = m9[3] * f[3] + m9[4] * f[4] + m9[5] * f[5]
            nz = m9[6] * f[3] + m9[7] * f[4] + m9[8] * f[5]
            if i == 0:
                bx, by, bz = root_position[t, 0], root_position[t, 1], root_position[t, 2]
                up = wrench[t]
                up[:] = 0.0
            else:
                bx, by, bz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
                up = load[parents[j]]
            up[0] += fx
            up[1] += fy
            up[2] += fz
            up[3] += nx + by * fz - bz * fy
            up[4] += ny + bz * fx - bx * fz
            up[5] += nz + bx * fy - by * fx
