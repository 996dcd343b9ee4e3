"""Compiled parts of the travel bound: marching out from the goal, easing steep cells, looking values up."""

from __future__ import annotations

import numpy as np
from numba import njit

Array = np.ndarray
_BORDER = 1e-4  # [cells] a point this near a border may lie on either side


@njit(cache=True, nogil=True)
def sift_up(keys: Array, items: Array, at: int) -> None:
    """Put the entry at ``at`` of a binary heap where it belongs, towards the top."""
    while at > 0:
        parent = (at - 1) >> 1
        if keys[parent] <= keys[at]:
            break
        keys[parent], keys[at] = keys[at], keys[parent]
        items[parent], items[at] = items[at], items[parent]
        at = parent


@njit(cache=True, nogil=True)
def sift_down(keys: Array, items: Array, size: int) -> None:
    """Put the top entry of a binary heap of this size where it belongs, downwards."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[at] <= keys[child]:
            break
        keys[child], keys[at] = keys[at], keys[child]
        items[child], items[at] = items[at], items[child]
        at = child


@njit(cache=True, nogil=True)
def _upwind(a: float, b: float, slope: float) -> float:
    """The value u (in cells) at a corner with (u - a)^2 + (u - b)^2 = slope^2, positive differences only."""
    if a > b:
        a, b = b, a
    if b - a >= slope:
        return a + slope
    return 0.5 * (a + b + np.sqrt(2.0 * slope * slope - (a - b) ** 2))


@njit(cache=True, nogil=True)
def march(active: Array, slope: Array, value: Array) -> None:
    """Distances in cells from the nodes where ``value`` is 0 to all others through active cells, in place.

    ``active`` (rows, cols) marks cells and ``slope`` says what a cell's width counts for; ``value``
    (rows + 1, cols + 1) are the corners, infinite where not a source. This is the fast marching method of
    Sethian (1996): nodes become final in order of distance.
    """
    rows, cols = active.shape
    wide = cols + 1
    total = (rows + 1) * wide
    final = np.zeros(total, np.bool_)
    keys = np.empty(total * 4 + 1, np.float64)
    items = np.empty(total * 4 + 1, np.int64)
    size = 0
    flat = value.ravel()
    for node in range(total):
        if flat[node] == 0.0:
            keys[size], items[size] = 0.0, node
            size += 1
            sift_up(keys, items, size - 1)
    while size > 0:
        node = items[0]
        size -= 1
        keys[0], items[0] = keys[size], items[size]
        sift_down(keys, items, size)
        if final[node]:
            continue
        final[node] = True
        r, c = node // wide, node % wide
        for k in range(4):
            dr, dc = (0, 0, 1, -1)[k], (1, -1, 0, 0)[k]
            nr, nc = r + dr, c + dc
            if nr < 0 or nr > rows or nc < 0 or nc > cols or final[nr * wide + nc]:
                continue
            best = value[nr, nc]
            for i in range(2):
                for j in range(2):
                    cr, cc = nr - 1 + i, nc - 1 + j
                    if cr < 0 or cr >= rows or cc < 0 or cc >= cols or not active[cr, cc]:
                        continue
                    vertical = value[nr - 1 + 2 * i, nc]
                    across = value[nr, nc - 1 + 2 * j]
                    if vertical < np.inf or across < np.inf:
                        best = min(best, _upwind(vertical, across, slope[cr, cc]))
            if best < value[nr, nc]:
                value[nr, nc] = best
                keys[size], items[size] = best, nr * wide + nc
                size += 1
                sift_up(keys, items, size - 1)


@njit(cache=True, nogil=True)
def _middles(c: float, a: float, b: float, d: float, scale: float) -> tuple[float, float]:
    """Lowest and highest middle value for which all four triangles of a cell have a slope of at most one.

    ``c, a`` are the corners of one edge, ``b, d`` those opposite, all divided by ``scale``. A triangle over
    an edge with ends p, q and the middle m has the slope (q - p)^2 + (2 m - p - q)^2 <= 1.
    """
    low, high = -np.inf, np.inf
    for p, q in ((c, a), (b, d), (c, b), (a, d)):
        rest = 1.0 - ((q - p) / scale) ** 2
        if rest < 0.0:
            return np.inf, -np.inf
        half = 0.5 * np.sqrt(rest)
        mean = 0.5 * (p + q) / scale
        low, high = max(low, mean - half), min(high, mean + half)
    return low, high


@njit(cache=True, nogil=True)
def _steepness(c: float, a: float, b: float, d: float, floor: float) -> float:
    """The least scale, not below ``floor``, by which a cell's corners must be divided (to one in 10^7)."""
    low, high = _middles(c, a, b, d, floor)
    if low <= high:
        return floor
    under, over = floor, 2.0
    while over - under > 1e-7:
        scale = 0.5 * (under + over)
        low, high = _middles(c, a, b, d, scale)
        if low <= high:
            over = scale
        else:
            under = scale
    return over


@njit(cache=True, nogil=True)
def ease(active: Array, value: Array, slope: Array, enough: float) -> float:
    """Make the slope of each cell gentler by what it is too steep; returns the worst before that."""
    rows, cols = active.shape
    worst = 1.0
    for r in range(rows):
        for c in range(cols):
            if not active[r, c] or value[r, c] == np.inf:
                continue
            steep = _steepness(value[r, c], value[r, c + 1], value[r + 1, c], value[r + 1, c + 1], enough)
            worst = max(worst, steep)
            if steep > enough:
                slope[r, c] /= steep
    return worst


@njit(cache=True, nogil=True)
def middles(active: Array, value: Array) -> Array:
    """Value in the middle of each active cell, halfway between the least and the greatest allowed."""
    rows, cols = active.shape
    found = np.full((rows, cols), np.inf)
    for r in range(rows):
        for c in range(cols):
            if active[r, c] and value[r, c] < np.inf:
                low, high = _middles(value[r, c], value[r, c + 1], value[r + 1, c], value[r + 1, c + 1], 1.0)
                found[r, c] = 0.5 * (low + high)
    return found


@njit(cache=True, nogil=True)
def bound_at(node: Array, middle: Array, x0: float, z0: float, cell: float, x: float, z: float) -> float:
    """The bound [m] at one point, for use inside other compiled code; infinite where nobody can be.

    ``node`` (rows + 1, cols + 1) are the values at cell corners, ``middle`` (rows, cols) those at centres; in
    between they are linear on the four triangles of each cell.
    """
    rows, cols = middle.shape
    u, v = (x - x0) / cell, (z - z0) / cell
    if not (0.0 <= u <= cols and 0.0 <= v <= rows):
        return np.inf
    c, r = min(int(u), cols - 1), min(int(v), rows - 1)
    if middle[r, c] == np.inf:  # on a border the cell beside it counts, at a corner the one across too
        c1 = min(max(int(np.floor(u + _BORDER if c + 1 - u < _BORDER else u - _BORDER)), 0), cols - 1)
        r1 = min(max(int(np.floor(v + _BORDER if r + 1 - v < _BORDER else v - _BORDER)), 0), rows - 1)
        if middle[r, c1] < np.inf:
            c = c1
        elif middle[r1, c] < np.inf:
            r = r1
        else:
            r, c = r1, c1
    centre = middle[r, c]
    if centre == np.inf:
        return np.inf
    a, b = min(max(u - c, 0.0), 1.0), min(max(v - r, 0.0), 1.0)
    if b <= a and b <= 1.0 - a:
        p, q, along, inward = node[r, c], node[r, c + 1], a, b
    elif b >= a and b >= 1.0 - a:
        p, q, along, inward = node[r + 1, c], node[r + 1, c + 1], a, 1.0 - b
    elif a <= b:
        p, q, along, inward = node[r, c], node[r + 1, c], b, a
    else:
        p, q, along, inward = node[r, c + 1], node[r + 1, c + 1], b, 1.0 - a
    return p + (q - p) * along + (2.0 * centre - p - q) * inward


@njit(cache=True, nogil=True)
def bounds_at(node: Array, middle: Array, x0: float, z0: float, cell: float, points: Array) -> Array:
    """The bound [m] at many points (N, 2)."""
    found = np.empty(len(points))
    for i in range(len(points)):
        found[i] = bound_at(node, middle, x0, z0, cell, points[i, 0], points[i, 1])
    return found
