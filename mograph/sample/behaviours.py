"""Plans for each kind of behaviour: walking, turning, running, jumping, stepping up and down, picking up.

Clips begin and end either in the common stand (feet side by side, at rest) or in the middle of a step of a
steady walk or run; the steady ones are cut out of longer motions that start and end at rest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mograph.sample.footsteps import (
    FPS,
    LEFT,
    RIGHT,
    STAND_HALF_WIDTH,
    Grasp,
    Keys,
    Pace,
    Path,
    Plan,
    Plant,
    Trail,
    running,
    walking,
)

REST = 26  # frames of stand before a first step, and after a last one
SETTLE = 30
WARM_UP = 5  # steps before a gait is steady


def _first(pace: Pace) -> Pace:
    return replace(pace, length=0.66 * pace.length, frames=pace.frames + 2)


def _last(pace: Pace) -> list[Pace]:
    """A shorter step, then the other foot beside it."""
    short = replace(pace, length=0.72 * pace.length, strike=0.8 * pace.strike, half_width=STAND_HALF_WIDTH)
    close = replace(pace, length=0.0, strike=0.1, push=0.7 * pace.push, half_width=STAND_HALF_WIDTH)
    return [short, replace(close, double=max(pace.double, 2))]


def _middle(downs: list[int], step: int) -> int:
    """The frame half-way between two touch-downs."""
    return (downs[step] + downs[step + 1]) // 2


def steady_walk(name: str, speed: float, steps: int, first: int = LEFT) -> Plan:
    """A walk of constant speed [m/s]; the first whole step kept is by ``first``."""
    pace = walking(speed)
    trail = Trail()
    side = first if (WARM_UP + 1) % 2 == 0 else 1 - first
    paces = [_first(pace), *[pace] * (2 * WARM_UP + steps), *_last(pace)]
    downs = trail.march(side, REST, paces)
    frames = trail.now + SETTLE
    keep = (_middle(downs, WARM_UP), _middle(downs, WARM_UP + steps) + 1)
    what = f"walk straight at {speed:g} m/s, steps of {pace.length:.2f} m"
    return Plan(name, what, ("walk",), trail.finish(frames), frames, keep)


def start_walk(name: str, speed: float, first: int) -> Plan:
    """From a stand into a steady walk, ``first`` foot first."""
    pace = walking(speed)
    trail = Trail()
    downs = trail.march(first, REST + 10, [_first(pace), *[pace] * (WARM_UP + 4), *_last(pace)])
    frames = trail.now + SETTLE
    what = f"from a stand into a walk at {speed:g} m/s, {_side(first)} foot first"
    keep = (0, _middle(downs, WARM_UP) + 1)
    return Plan(name, what, ("start_stop", "walk"), trail.finish(frames), frames, keep)


def stop_walk(name: str, speed: float, last: int) -> Plan:
    """From a steady walk to a stand; ``last`` foot comes to rest last."""
    pace = walking(speed)
    trail = Trail()
    steps = 2 * WARM_UP
    paces = [_first(pace), *[pace] * steps, *_last(pace)]
    downs = trail.march(last if len(paces) % 2 else 1 - last, REST, paces)
    frames = trail.now + SETTLE
    what = f"from a walk at {speed:g} m/s to a stand, {_side(last)} foot closing"
    keep = (_middle(downs, WARM_UP + 2), frames)
    return Plan(name, what, ("start_stop", "walk"), trail.finish(frames), frames, keep)


def walk_arc(name: str, radius: float, degrees: float, speed: float, arc_speed: float) -> Plan:
    """A walk that turns left on an arc [m, degrees] and goes on straight."""
    pace, slow = walking(speed), replace(walking(arc_speed), half_width=0.095 if radius < 1.0 else 0.075)
    before = pace.length * (WARM_UP + 1.5)
    arc = radius * np.radians(degrees)
    trail = Trail(Path([(before, 0.0), (arc, np.radians(degrees))]))
    paces = [_first(pace)]
    along = paces[0].length
    while along < before + arc + pace.length * (WARM_UP + 1.5):
        paces.append(slow if before - 0.3 * pace.length < along < before + arc - 0.3 * slow.length else pace)
        along += paces[-1].length
    downs = trail.march(RIGHT, REST, [*paces, *_last(pace)])
    frames = trail.now + SETTLE
    what = f"walk at {speed:g} m/s, turn left by {degrees:g} degrees on a radius of {radius:g} m, walk on"
    keep = (_middle(downs, WARM_UP - 1), _middle(downs, len(paces) - WARM_UP + 1) + 1)
    return Plan(name, what, ("walk", "turn"), trail.finish(frames), frames, keep)


def spot_turn(name: str, degrees: float) -> Plan:
    """A turn to the left on the spot, from stand to stand."""
    trail = Trail()
    count = round(degrees / 45.0)
    angles = [min(degrees, 50.0 + 44.0 * k) for k in range(count)] + [degrees]
    side, leave = LEFT, REST
    for angle in angles:
        yaw = np.radians(angle)
        aside = STAND_HALF_WIDTH if side == LEFT else -STAND_HALF_WIDTH
        spot = Plant(side, 0, 0, aside * np.cos(yaw), -aside * np.sin(yaw), yaw, strike=0.05, lift=0.03)
        trail.place(side, leave, leave + 10, spot, push=0.35)
        side, leave = 1 - side, leave + 15
    frames = trail.now + SETTLE
    what = f"turn left by {degrees:g} degrees on the spot"
    return Plan(name, what, ("turn",), trail.finish(frames), frames, (0, frames))


def side_steps(name: str, distance: float, pairs: int = 2) -> Plan:
    """Steps to the left, facing ahead, from stand to stand."""
    trail = Trail()
    leave = REST
    for k in range(1, pairs + 1):
        for side in (LEFT, RIGHT):
            aside = STAND_HALF_WIDTH if side == LEFT else -STAND_HALF_WIDTH
            spot = Plant(side, 0, 0, distance * k / pairs + aside, 0.0, 0.0, strike=0.03, lift=0.03)
            trail.place(side, leave, leave + 11, spot, push=0.3)
            leave += 17
    frames = trail.now + SETTLE
    return Plan(
        name, f"side steps to the left, {distance:g} m", ("walk",), trail.finish(frames), frames, (0, frames)
    )


def _speeding_up(speed: float) -> list[Pace]:
    """Steps from a stand to a run."""
    slow = walking(1.7)
    second = replace(slow, frames=13, double=1, length=0.72)
    return [replace(slow, length=0.55), second, _light(0.80), running((2.2 + speed) / 2)]


def _light(length: float) -> Pace:
    """The first or last flying step between walking and running."""
    return Pace(length, 12, -2, strike=0.18, push=0.9, lift=0.04, trail=0.15)


def _slowing_down(speed: float) -> list[Pace]:
    """Steps from a run to a stand."""
    slow = walking(1.4)
    return [
        running((2.2 + speed) / 2),
        _light(0.78),
        replace(slow, frames=14, double=2, length=0.60),
        *_last(slow),
    ]


def steady_run(name: str, speed: float, steps: int) -> Plan:
    """A run of constant speed [m/s]."""
    pace = running(speed)
    trail = Trail()
    up = _speeding_up(speed)
    paces = [*up, *[pace] * (2 * WARM_UP + steps), *_slowing_down(speed)]
    downs = trail.march(LEFT, REST, paces)
    frames = trail.now + SETTLE
    begin = len(up) + WARM_UP - 1
    keep = (_middle_stance(downs, begin, pace), _middle_stance(downs, begin + steps, pace) + 1)
    what = f"run straight at {speed:g} m/s, steps of {pace.length:.2f} m"
    return Plan(name, what, ("run",), trail.finish(frames), frames, keep)


def _middle_stance(downs: list[int], step: int, pace: Pace) -> int:
    return downs[step] + (pace.frames + pace.double) // 2


def walk_to_run(name: str, walk: float, run: float) -> Plan:
    """From a steady walk into a steady run."""
    slow, fast = walking(walk), running(run)
    trail = Trail()
    change = [
        replace(slow, length=0.64),
        Pace(0.66, 13, 1, strike=0.25, push=0.9),
        _light(0.74),
        running(2.3),
    ]
    paces = [_first(slow), *[slow] * (WARM_UP + 2), *change, *[fast] * (2 * WARM_UP), *_slowing_down(run)]
    downs = trail.march(LEFT, REST, paces)
    frames = trail.now + SETTLE
    keep = (_middle(downs, WARM_UP), _middle_stance(downs, WARM_UP + 11, fast) + 1)
    what = f"from a walk at {walk:g} m/s into a run at {run:g} m/s"
    return Plan(name, what, ("walk", "run"), trail.finish(frames), frames, keep)


def run_to_walk(name: str, run: float, walk: float) -> Plan:
    """From a steady run into a steady walk."""
    slow, fast = walking(walk), running(run)
    trail = Trail()
    up = _speeding_up(run)
    change = [
        running(2.3),
        _light(0.74),
        Pace(0.66, 14, 2, strike=0.3, push=0.85),
        replace(slow, length=0.66),
    ]
    paces = [*up, *[fast] * (WARM_UP + 3), *change, *[slow] * (2 * WARM_UP), *_last(slow)]
    downs = trail.march(RIGHT, REST, paces)
    frames = trail.now + SETTLE
    begin = len(up) + WARM_UP - 1
    keep = (_middle_stance(downs, begin, fast), _middle(downs, begin + 11) + 1)
    what = f"from a run at {run:g} m/s into a walk at {walk:g} m/s"
    return Plan(name, what, ("run", "walk"), trail.finish(frames), frames, keep)


def running_jump(name: str, length: float, flight: int, speed: float = 3.2) -> Plan:
    """A run with one long leap [m, frames in the air] in it."""
    pace = running(speed)
    trail = Trail()
    up = _speeding_up(speed)
    long = round(length / speed * FPS)
    leap = replace(pace, frames=long, double=-flight, length=length, strike=0.16, lift=0.12)
    after = replace(pace, frames=pace.frames + 2)  # a longer stance to catch the fall
    paces = [
        *up,
        *[pace] * (WARM_UP + 3),
        leap,
        after,
        *[pace] * (WARM_UP + 3),
        *_slowing_down(speed),
    ]
    downs = trail.march(LEFT, REST, paces)
    frames = trail.now + SETTLE
    at = len(up) + WARM_UP + 3  # the leap's own touch-down
    land = downs[at]
    curves: dict[str, Keys] = {
        "lean": (
            (land - flight - 8, 0.0),
            (land - flight, -0.08),
            (land, 0.12),
            (land + 8, 0.08),
            (land + 16, 0.0),
        ),
        "spread": ((land - flight - 6, 0.0), (land - flight // 2, 0.35), (land + 8, 0.0)),
    }
    keep = (_middle_stance(downs, at - 4, pace), _middle_stance(downs, at + 4, pace) + 1)
    what = f"run at {speed:g} m/s with a leap of {length:g} m"
    return Plan(name, what, ("run", "jump"), trail.finish(frames), frames, keep, curves)


def standing_jump(name: str, length: float, flight: int, tuck: float = 0.10) -> Plan:
    """A jump from both feet to both feet [m ahead, frames in the air], from stand to stand."""
    trail = Trail()
    off = REST + 26
    land = off + flight
    for side in (LEFT, RIGHT):
        aside = STAND_HALF_WIDTH if side == LEFT else -STAND_HALF_WIDTH
        spot = Plant(side, 0, 0, aside, length, 0.0, strike=0.05 * min(1.0, length), lift=tuck, trail=0.3)
        trail.place(side, off, land, spot, push=0.85)
    frames = land + 42
    effort = flight / 14.0
    curves: dict[str, Keys] = {
        "height": (
            (off - 28, 0.0),
            (off - 9, -0.30 * effort),
            (off, 0.07),
            (land, 0.02),
            (land + 8, -0.26 * effort),
            (land + 32, 0.0),
        ),
        "lean": (
            (off - 28, 0.0),
            (off - 9, 0.62 * effort),
            (off + 1, 0.14 * min(1.0, length)),
            (land - 2, 0.25 * min(1.0, length)),
            (land + 8, 0.50 * effort),
            (land + 30, 0.0),
        ),
        "bend": (
            (off - 28, 0.0),
            (off - 9, 0.35),
            (off, 0.0),
            (land, 0.15),
            (land + 8, 0.3),
            (land + 30, 0.0),
        ),
        "arms": (
            (off - 30, 0.0),
            (off - 11, -1.15 * effort),
            (off + 1, 1.9 * effort),
            (land - 3, 1.2 * effort),
            (land + 8, 0.1),
            (land + 26, 0.0),
        ),
        "elbows": (
            (off - 28, 0.0),
            (off - 10, 0.15),
            (off - 3, 0.7),
            (off + 2, 0.25),
            (land + 6, 0.5),
            (land + 28, 0.0),
        ),
        "spread": ((off - 20, 0.0), (off, 0.12), (land, 0.2), (land + 24, 0.0)),
    }
    where = f"jump {length:g} m ahead from a stand" if length else "jump straight up from a stand"
    return Plan(name, where, ("jump",), trail.finish(frames), frames, (0, frames), curves)


def step_on(name: str, rise: float, first: int) -> Plan:
    """A step up onto a platform whose edge is 0.35 m ahead of the ankles, both feet; stand to stand."""
    return _step(name, 0.0, rise, first, f"step onto a platform of {rise:g} m, {_side(first)} foot first")


def step_off(name: str, drop: float, first: int) -> Plan:
    """A step down from a platform of this height whose edge is 0.25 m ahead of the ankles; stand to stand."""
    return _step(
        name, drop, 0.0, first, f"step down from a platform of {drop:g} m, {_side(first)} foot first"
    )


def _step(name: str, start: float, end: float, first: int, what: str) -> Plan:
    trail = Trail(floor=start)
    steep = abs(end - start) / 0.4
    leave, swing = REST + 4, round(14 + 5 * steep)
    ahead = 0.46 if end > start else 0.42
    for side in (first, 1 - first):
        aside = STAND_HALF_WIDTH if side == LEFT else -STAND_HALF_WIDTH
        spot = Plant(side, 0, 0, aside, ahead, 0.0, floor=end, strike=0.0, lift=0.02)
        trail.place(side, leave, leave + swing, spot, push=0.35 + 0.3 * steep)
        leave += swing + 6 + round(8 * steep if end > start else 0)
    land = trail.now
    up = 1.0 if end > start else 0.1
    curves: dict[str, Keys] = {
        "lean": (
            (REST, 0.0),
            (REST + 18, 0.30 * steep * up),
            (land - 6, 0.18 * steep * up),
            (land + 12, 0.0),
        ),
        "bend": ((REST, 0.0), (REST + 18, 0.18 * steep), (land - 6, 0.10 * steep), (land + 12, 0.0)),
        "nod": ((2, 0.0), (REST, 0.35), (land - 14, 0.25), (land + 6, 0.0)),
    }
    frames = land + SETTLE
    return Plan(name, what, ("step_on",), trail.finish(frames), frames, (0, frames), curves)


def pick_up(name: str, tall: float, ahead: float, aside: float, hand: int) -> Plan:
    """A hand brought to a point [m above the floor, ahead, to the hand's side], held there, taken back."""
    trail = Trail()
    low = float(np.clip((1.05 - tall) / 0.95, 0.0, 1.0))
    away = round(22 + 12 * low)
    at = 14 + away
    frames = at + 7 + away + 20
    x = aside if hand == LEFT else -aside
    turn = -0.30 if hand == LEFT else 0.30  # the reaching shoulder goes ahead

    def there_and_back(value: float, early: int = 0) -> Keys:
        return ((at - away - early, 0.0), (at - 5, value), (at + 7, value), (at + 7 + away + early, 0.0))

    curves: dict[str, Keys] = {
        "height": there_and_back(-0.41 * low**1.1, 6),
        "lean": there_and_back(0.84 * low**0.8, 6),
        "bend": there_and_back(0.10 + 0.56 * low, 6),
        "twist": there_and_back(turn * (0.5 + 0.5 * low)),
        "nod": there_and_back(0.25 + 0.25 * low, 5),
        "elbows": there_and_back(0.9 * low),  # the free hand stays above the knee
        "arms": there_and_back(-0.2 * low),
    }
    grasp = Grasp(hand, at, (x, tall, ahead), away - round(7 * low))
    what = f"pick up at a height of {tall:g} m, {ahead:g} m ahead, with the {_side(hand)} hand"
    return Plan(name, what, ("pickup",), trail.finish(frames), frames, (0, frames), curves, (grasp,))


def idle(name: str, seconds: float) -> Plan:
    """A quiet stand with breathing, a shift of weight and a look around."""
    frames = round(seconds * FPS) + 1
    breath = tuple((t, 0.004 * (k % 2)) for k, t in enumerate(range(0, frames, 50)))
    curves: dict[str, Keys] = {
        "height": breath,
        "bend": tuple((t, -4.0 * v) for t, v in breath),
        "side": ((20, 0.0), (60, 0.35), (105, 0.35), (150, -0.30), (frames - 20, 0.0)),
        "look": ((45, 0.0), (75, 0.35), (110, 0.3), (140, -0.25), (frames - 25, 0.0)),
    }
    what = "stand, breathe, shift the weight and look around"
    return Plan(name, what, ("idle",), Trail().finish(frames), frames, (0, frames), curves)


def _side(side: int) -> str:
    return "left" if side == LEFT else "right"
