"""Compiled search for the cheapest ways through one contact phase, change-overs counted."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def cheapest_paths(
    start: np.ndarray,
    stop: np.ndarray,
    following: np.ndarray,
    of_frame: np.ndarray,
    frame_cost: np.ndarray,
    first_edge: np.ndarray,
    source: np.ndarray,
    target: np.ndarray,
    edge_cost: np.ndarray,
    most: int,
    out_state: np.ndarray,
    out_end: np.ndarray,
    out_edges: np.ndarray,
) -> int:
    """The cheapest single-contact path from every state to every end, with at most ``most`` change-overs.

    ``best[k, f]`` is the least cost of standing at frame f after k change-overs, found layer by layer: within
    a layer time only runs on, so one sweep over each segment touched suffices. A path ends where the clip's
    next segment begins, or by a change-over from the last pose of a segment to the first of another clip's.
    Paths with fewer than two change-overs are not listed; they are found by counting them all. Returns how
    many there are; ``out_edges`` (P, most) holds their change-overs, -1 where there is none.
    """
    states, frames = len(start), len(of_frame)
    best = np.full((most + 1, frames), np.inf)
    via = np.full((most + 1, frames), -1)
    end_cost = np.full(states, np.inf)
    end_layer = np.zeros(states, np.int64)
    end_frame = np.zeros(states, np.int64)
    end_edge = np.zeros(states, np.int64)
    touched = np.zeros((most + 2, states), np.int64)
    in_layer = np.full(states, -1)
    ends = np.zeros(states, np.int64)
    count = 0
    for state in range(states):
        best[0, start[state]] = 0.0
        touched[0, 0] = state
        many = 1
        end_count = 0
        for layer in range(most + 1):
            more = 0
            for index in range(many):
                segment = touched[layer, index]
                for f in range(start[segment], stop[segment]):
                    cost = best[layer, f]
                    if not np.isfinite(cost):
                        continue
                    onward = cost + frame_cost[f]
                    if f + 1 < stop[segment]:
                        if onward < best[layer, f + 1]:
                            best[layer, f + 1] = onward
                            via[layer, f + 1] = via[layer, f]
                    elif following[segment] >= 0:
                        end = following[segment]
                        if onward < end_cost[end]:
                            if not np.isfinite(end_cost[end]):
                                ends[end_count] = end
                                end_count += 1
                            end_cost[end] = onward
                            end_layer[end] = layer
                            end_frame[end] = f
                            end_edge[end] = -1
                    if layer == most:
                        continue
                    for edge in range(first_edge[f], first_edge[f + 1]):
                        b = target[edge]
                        arrival = cost + edge_cost[edge]
                        other = of_frame[b]
                        if b == start[other]:
                            if arrival < end_cost[other]:
                                if not np.isfinite(end_cost[other]):
                                    ends[end_count] = other
                                    end_count += 1
                                end_cost[other] = arrival
                                end_layer[other] = layer
                                end_frame[other] = f
                                end_edge[other] = edge
                        elif arrival < best[layer + 1, b]:
                            if in_layer[other] != layer + 1:
                                in_layer[other] = layer + 1
                                touched[layer + 1, more] = other
                                more += 1
                            best[layer + 1, b] = arrival
                            via[layer + 1, b] = edge
            for index in range(many):  # leave the layer as it was found
                segment = touched[layer, index]
                in_layer[segment] = -1
            many = more
            for index in range(more):
                in_layer[touched[layer + 1, index]] = -1
            touched[most + 1, layer] = more
        for index in range(end_count):
            end = ends[index]
            used = end_layer[end] + (1 if end_edge[end] >= 0 else 0)
            if used >= 2:
                if count < len(out_state):
                    out_state[count] = state
                    out_end[count] = end
                    place = used - 1
                    for k in range(used, most):
                        out_edges[count, k] = -1
                    if end_edge[end] >= 0:
                        out_edges[count, place] = end_edge[end]
                        place -= 1
                    f = end_frame[end]
                    for layer in range(end_layer[end], 0, -1):
                        edge = via[layer, f]
                        out_edges[count, place] = edge
                        place -= 1
                        f = source[edge]
                count += 1
            end_cost[end] = np.inf
        many = 1
        for layer in range(most + 1):
            for index in range(many):
                segment = touched[layer, index]
                for f in range(start[segment], stop[segment]):
                    best[layer, f] = np.inf
                    via[layer, f] = -1
            many = touched[most + 1, layer]
    return count
