"""Compiled A* on a grid with eight neighbours that cuts no corners."""

from __future__ import annotations

import numpy as np
from numba import njit

from environments.lower_bound_kernel import Array, sift_down, sift_up

_DIAGONAL = np.sqrt(2.0)


@njit(cache=True, nogil=True)
def octile(free: Array, x0: int, y0: int, x1: int, y1: int) -> float:
    """Length of the shortest path between two cells (column, row), in cells; infinite if there is none."""
    rows, cols = free.shape
    if not free[y0, x0] or not free[y1, x1]:
        return np.inf
    cost = np.full(rows * cols, np.inf)
    closed = np.zeros(rows * cols, np.bool_)
    room = 1024
    keys, items = np.empty(room, np.float64), np.empty(room, np.int64)
    goal = y1 * cols + x1
    cost[y0 * cols + x0] = 0.0
    keys[0], items[0] = 0.0, y0 * cols + x0
    size = 1
    while size > 0:
        at = items[0]
        size -= 1
        keys[0], items[0] = keys[size], items[size]
        sift_down(keys, items, size)
        if closed[at]:
            continue
        closed[at] = True
        if at == goal:
            return cost[at]
        y, x = at // cols, at % cols
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                ny, nx = y + dy, x + dx
                if ny < 0 or ny >= rows or nx < 0 or nx >= cols or not free[ny, nx]:
                    continue
                if dx != 0 and dy != 0 and not (free[y, nx] and free[ny, x]):
                    continue
                onward = cost[at] + (_DIAGONAL if dx != 0 and dy != 0 else 1.0)
                to = ny * cols + nx
                if onward < cost[to] - 1e-12:
                    cost[to] = onward
                    across, down = abs(nx - x1), abs(ny - y1)
                    left = max(across, down) + (_DIAGONAL - 1.0) * min(across, down)
                    if size == room:
                        wider_keys, wider_items = np.empty(2 * room), np.empty(2 * room, np.int64)
                        wider_keys[:room], wider_items[:room] = keys, items
                        keys, items, room = wider_keys, wider_items, 2 * room
                    keys[size], items[size] = onward + left, to
                    size += 1
                    sift_up(keys, items, size - 1)
    return np.inf
