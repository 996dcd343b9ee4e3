"""Compiled search for locally nearest pairs in a block of the distance matrix."""

from __future__ import annotations

import numpy as np
from numba import njit

from mograph.rotations import Array


def local_minima(
    block: Array,
    low: int,
    start: int,
    stop: int,
    clip: np.ndarray,
    kind: np.ndarray,
    most: float,
    least_gap: int,
    nearest: Array,
) -> tuple[np.ndarray, np.ndarray, Array]:
    """Pairs (a, b, distance) with a in ``start..stop`` that no allowed neighbour pair undercuts.

    ``block`` holds the distances of rows from ``low`` on; ``nearest`` is filled in for the rows done.
    """
    room = 8 * (stop - start) + 1024
    while True:
        a, b, d = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
        count = _local_minima(block, low, start, stop, clip, kind, most, least_gap, nearest, a, b, d)
        if count <= room:
            return a[:count], b[:count], d[:count]
        room = count


@njit(cache=True, nogil=True)
def _allowed(a: int, b: int, clip: np.ndarray, kind: np.ndarray, least_gap: int) -> bool:
    if kind[a] != kind[b]:
        return False
    return clip[a] != clip[b] or abs(a - b) >= least_gap


@njit(cache=True, nogil=True)
def _local_minima(
    block: np.ndarray,
    low: int,
    start: int,
    stop: int,
    clip: np.ndarray,
    kind: np.ndarray,
    most: float,
    least_gap: int,
    nearest: np.ndarray,
    out_a: np.ndarray,
    out_b: np.ndarray,
    out_d: np.ndarray,
) -> int:
    poses = block.shape[1]
    count = 0
    for a in range(start, stop):
        row = a - low
        for b in range(poses):
            d = block[row, b]
            if d >= most or not _allowed(a, b, clip, kind, least_gap):
                continue
            if clip[a] != clip[b] and d < nearest[a]:
                nearest[a] = d
            least = True
            for da in range(-1, 2):
                na = a + da
                if na < 0 or na >= poses or clip[na] != clip[a]:
                    continue
                for db in range(-1, 2):
                    nb = b + db
                    if (da == 0 and db == 0) or nb < 0 or nb >= poses or clip[nb] != clip[b]:
                        continue
                    other = block[row + da, nb]
                    earlier = da < 0 or (da == 0 and db < 0)
                    if (other < d or (other == d and earlier)) and _allowed(na, nb, clip, kind, least_gap):
                        least = False
                        break
                if not least:
                    break
            if least:
                if count < len(out_a):
                    out_a[count] = a
                    out_b[count] = b
                    out_d[count] = d
                count += 1
    return count
