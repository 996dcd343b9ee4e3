"""Contacts found in motion: feet by height and speed, flight by gravity, hands and pelvis where labelled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from mograph import kinematics, rotations
from mograph.clip import Clip
from mograph.contacts import HANDS, Contact, ContactArray
from mograph.feet import FootTracks, body_scale, foot_tracks, resting_heights
from mograph.rotations import Array

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class ContactLimits:
    """Limits of the contact detector, for a leg of 0.85 m; they scale with the body.

    Chosen on 46 walks and 18 jumps of the CMU database: slower limits miss double supports and see flights
    in walks, faster ones stretch contacts.
    """

    speed: float = 0.7  # ankle or toe slower than this touches [m/s]
    height: float = 0.035  # ... and lower than this above its resting height [m]
    hysteresis: float = 1.3  # a contact once found lasts until both are exceeded this many times
    swing_share: float = 0.15  # ... and slower than this share of its fastest within a third of a second ...
    least_speed: float = 0.25  # ... or than this: slow steps need a tighter limit than walks [m/s]
    still_speed: float = 0.25  # a foot this slow touches [m/s] ...
    still_height: float = 0.12  # ... even this high: squats on the toes [m]
    least_seconds: float = 0.07  # shorter contacts and gaps are noise [s]
    gravity: tuple[float, float] = (5.0, 15.0)  # a flight falls this fast [m/s²]
    pick_height: float = 0.65  # a wrist below this share of its median height reaches for something low
    pick_seconds: float = 0.1  # how long a hand holds what it picks [s]
    sit_height: float = 0.93  # share of the standing hip height below which a pelvis may sit
    sit_speed: float = 0.15  # ... while it is slower than this [m/s]


DEFAULT_LIMITS = ContactLimits()


def detect_contacts(
    clip: Clip, resting: Array | None = None, limits: ContactLimits = DEFAULT_LIMITS
) -> ContactArray:
    """The contact mask (T,) of a clip.

    ``resting`` are the heights (foot, point) at which ankles and toes rest, best taken from all clips of a
    subject (:func:`mograph.feet.resting_heights`). Hand contacts are looked for only in clips tagged
    ``pickup``, pelvis contacts only in clips tagged ``sit``.
    """
    poses = kinematics.poses(clip)
    tracks = foot_tracks(clip, poses)
    scale = body_scale(clip.skeleton)
    if resting is None:
        resting = resting_heights([tracks], scale)
    feet = foot_contacts(clip, poses, tracks, resting, limits)
    mask = np.zeros(len(clip), np.uint8)
    if "pickup" in clip.tags:
        for side, bit in enumerate((Contact.LEFT_HAND, Contact.RIGHT_HAND)):
            mask[hand_contacts(clip, poses, limits)[:, side]] |= np.uint8(bit)
    if "sit" in clip.tags:
        mask[pelvis_contacts(clip, poses, limits)] |= np.uint8(Contact.PELVIS)
    feet = _ground_false_flights(clip, poses, tracks, resting, feet, mask > 0, limits)
    mask[feet[:, 0]] |= np.uint8(Contact.LEFT_FOOT)
    mask[feet[:, 1]] |= np.uint8(Contact.RIGHT_FOOT)
    return mask


def foot_contacts(
    clip: Clip, poses: kinematics.Poses, tracks: FootTracks, resting: Array, limits: ContactLimits
) -> Mask:
    """Whether the left and right foot touch, (T, 2).

    Feet that step slowly, as in turning on the spot, stay under the speed limit of a walk all the time, so
    the limit goes down with the fastest the foot gets nearby. Only where that leaves no foot on the ground
    does the full limit decide, lest a slow landing become a flight.
    """
    scale = body_scale(clip.skeleton)
    ground = _ground_levels(clip, poses, tracks, resting, scale)
    height = tracks.height - resting - ground[:, :, None]
    pace = np.sqrt(scale)
    fastest = maximum_filter1d(tracks.speed, 2 * round(0.33 * clip.fps) + 1, axis=0, mode="nearest")
    slow = np.clip(limits.swing_share * fastest, limits.least_speed * pace, limits.speed * pace)
    calm = np.clip(0.5 * slow, 0.1 * pace, limits.still_speed * pace)
    tight = _touching(tracks.speed, height, slow, calm, scale, limits)
    full = _touching(tracks.speed, height, limits.speed * pace, limits.still_speed * pace, scale, limits)
    feet = np.where(tight.any(axis=1, keepdims=True), tight, full)
    least = round(limits.least_seconds * clip.fps)
    for foot in range(2):
        feet[:, foot] = drop_short(drop_short(feet[:, foot], least, value=False), least, value=True)
    return feet


def _touching(
    speed: Array, height: Array, slow: Array | float, calm: Array | float, scale: float, limits: ContactLimits
) -> Mask:
    """Feet (T, 2) of which ankle or toe is slow and low (with hysteresis), or calm and not far up."""
    low = np.abs(height)
    strong = (speed < slow) & (low < limits.height * scale)
    weak = (speed < limits.hysteresis * slow) & (low < limits.hysteresis * limits.height * scale)
    still = (speed < calm) & (height < limits.still_height * scale)
    held = [
        [_holding(strong[:, foot, point], weak[:, foot, point]) for point in range(2)] for foot in range(2)
    ]
    return (still | np.moveaxis(np.array(held), -1, 0)).any(axis=-1)


def _ground_levels(
    clip: Clip, poses: kinematics.Poses, tracks: FootTracks, resting: Array, scale: float
) -> Array:
    """Height of the ground under each foot (T, 2), 0 on the floor and more where a foot stands on something.

    A foot that rests above the floor stands on something if, meanwhile, the hips come as high above it as
    they are above a foot the body stands on; a foot merely held up does not carry the body.
    """
    ground = np.zeros((len(clip), 2))
    hips = poses.position[:, clip.skeleton.joint("hips"), 1]
    standing = 0.85 * clip.skeleton.leg_length
    least, reach = round(0.1 * clip.fps), round(0.35 * clip.fps)
    for foot in range(2):
        height = tracks.height[:, foot, 1] - resting[foot, 1]
        toe_rests = (tracks.speed[:, foot, 1] < 0.3 * np.sqrt(scale)) & (np.abs(height) > 0.08 * scale)
        for start, stop in runs(toe_rests):
            level = float(np.median(height[start:stop]))
            raised = hips[start:stop] - resting[foot, 0] - level
            if stop - start >= least and raised.max() > standing:
                near = slice(max(start - reach, 0), min(stop + reach, len(clip)))
                closer = np.abs(height[near] - level) < np.abs(height[near] - ground[near, foot])
                ground[near, foot] = np.where(closer, level, ground[near, foot])
    return ground


def _ground_false_flights(
    clip: Clip,
    poses: kinematics.Poses,
    tracks: FootTracks,
    resting: Array,
    feet: Mask,
    held: Mask,
    limits: ContactLimits,
) -> Mask:
    """Foot contacts with every flight that does not fall given back to the lower foot.

    A flight is believed where the centre of mass accelerates downwards like a falling body: fitted by a
    parabola over the frames without contact and one on each side, or else over a tenth of a second.
    """
    from mograph.dynamics.mass_model import mass_model  # the mass model is needed for flights alone

    flights = runs(~feet.any(axis=1) & ~held)
    if not flights:
        return feet
    model = mass_model(clip.skeleton)
    height = kinematics.centre_of_mass(poses, model.mass, model.centre)[:, 1]
    lower_foot = np.argmin((tracks.height - resting).min(axis=-1), axis=1)
    feet = feet.copy()
    for start, stop in flights:
        falling = _falling_part(height, start, stop, clip.fps, limits)
        grounded = [f for f in range(start, stop) if not falling[0] <= f < falling[1]]
        feet[grounded, lower_foot[grounded]] = True
    return feet


def _falling_part(height: Array, start: int, stop: int, fps: float, limits: ContactLimits) -> tuple[int, int]:
    """The part of frames ``start..stop`` in which the centre of mass falls freely, all of it if it can be."""

    def fall(first: int, last: int) -> float:
        time = np.arange(last - first) / fps
        return float(-2.0 * np.polyfit(time, height[first:last], 2)[0])

    least, most = limits.gravity
    first, last = max(start - 1, 0), min(stop + 1, len(height))
    if last - first < 3 or least <= fall(first, last) <= most:
        return start, stop
    window = max(round(0.05 * fps), 1)  # half the time over which acceleration is judged
    local = [
        least <= fall(max(f - window, 0), min(f + window + 1, len(height))) <= most
        for f in range(start, stop)
    ]
    parts = runs(np.array(local))
    longest = max(parts, key=lambda part: part[1] - part[0], default=(0, 0))
    if longest[1] - longest[0] < limits.least_seconds * fps:
        return start, start
    return start + longest[0], start + longest[1]


def hand_contacts(clip: Clip, poses: kinematics.Poses, limits: ContactLimits = DEFAULT_LIMITS) -> Mask:
    """When the left and right hand take or put down something, (T, 2), in a clip that shows a pick-up.

    The event is the hand's slowest moment near its extreme: the lowest point of a hand that goes well below
    where it usually hangs, or else the farthest one from the hips along the ground. A hand holds for
    ``pick_seconds`` from there. Both hands take part if they go about as far at about the same time.
    """
    scale = body_scale(clip.skeleton)
    wrists = [clip.skeleton.joint(f"{side}_wrist") for side in ("left", "right")]
    hips = clip.skeleton.joint("hips")
    position = poses.position[:, wrists]
    speed = np.linalg.norm(kinematics.velocity(position, clip.fps), axis=-1)
    turn = rotations.inverse(rotations.from_yaw(rotations.yaw(poses.rotation[:, hips])))
    ahead = rotations.rotate(turn[:, None], position - poses.position[:, hips, None])[..., 2]

    low = position[..., 1] < limits.pick_height * np.median(position[..., 1])
    if low.any():
        extreme, near = -position[..., 1], low
    else:
        extreme = ahead
        near = ahead > 0.85 * ahead.max()
    least, hold = round(0.1 * clip.fps), max(round(limits.pick_seconds * clip.fps), 1)
    events: list[tuple[int, int]] = []
    for hand in range(2):
        for start, stop in runs(near[:, hand]):
            if stop - start >= least:
                close = extreme[start:stop, hand] > extreme[start:stop, hand].max() - 0.05 * scale
                events.append(
                    (start + int(np.argmin(np.where(close, speed[start:stop, hand], np.inf))), hand)
                )
    touching = np.zeros((len(clip), 2), bool)
    for frame, hand in events:
        together = [(f, h) for f, h in events if abs(f - frame) < 0.5 * clip.fps]
        first = max(together, key=lambda event: extreme[event])
        busy = [
            event
            for event in together
            if extreme[first] - extreme[event] < 0.12 * scale and ahead[first] - ahead[event] < 0.25 * scale
        ]
        shared = round(np.mean([f for f, _ in busy]))
        touching[shared : shared + hold, hand] |= (frame, hand) in busy
    return touching


def pelvis_contacts(clip: Clip, poses: kinematics.Poses, limits: ContactLimits = DEFAULT_LIMITS) -> Mask:
    """When the pelvis rests on a seat, (T,), in a clip that shows sitting."""
    hips = poses.position[:, clip.skeleton.joint("hips")]
    speed = np.linalg.norm(kinematics.velocity(hips, clip.fps), axis=-1)
    standing = np.percentile(hips[:, 1], 95)
    seated = (hips[:, 1] < limits.sit_height * standing) & (speed < limits.sit_speed)
    least = round(0.3 * clip.fps)
    return drop_short(drop_short(seated, least, value=False), least, value=True)


def runs(mask: Mask) -> list[tuple[int, int]]:
    """Start and stop of every run of true values.

    >>> runs(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    edges = np.diff(np.concatenate([[0], mask.astype(np.int8), [0]]))
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return list(zip(starts.tolist(), stops.tolist(), strict=True))


def drop_short(mask: Mask, least: int, value: bool) -> Mask:
    """Turn over every run of ``value`` of at most ``least`` frames that does not touch the ends of the clip.

    >>> drop_short(np.array([True, False, True, True]), 1, value=False).tolist()
    [True, True, True, True]
    """
    out = mask.copy()
    for start, stop in runs(mask == value):
        if stop - start <= least and start > 0 and stop < len(mask):
            out[start:stop] = not value
    return out


def _holding(strong: Mask, weak: Mask) -> Mask:
    """Runs of ``weak`` that contain a ``strong`` frame."""
    out = np.zeros(len(weak), bool)
    for start, stop in runs(weak):
        if strong[start:stop].any():
            out[start:stop] = True
    return out


def without_short_phases(contact: ContactArray, least: int = 2) -> ContactArray:
    """The mask without phases shorter than ``least`` frames.

    A double support between a left and a right one is made longer at the cost of the longer neighbour;
    anything else is given to the longer neighbour. Flights and hand contacts stay as they are, and so do
    phases at the ends: they go on outside the clip.

    >>> without_short_phases(np.array([1, 1, 1, 3, 2, 2, 2, 2], np.uint8)).tolist()
    [1, 1, 1, 3, 3, 2, 2, 2]
    >>> without_short_phases(np.array([3, 3, 1, 3, 3, 3], np.uint8)).tolist()
    [3, 3, 3, 3, 3, 3]
    """
    contact = contact.copy()
    k = 1
    while True:
        edges = np.concatenate([[0], np.flatnonzero(np.diff(contact.astype(int))) + 1, [len(contact)]])
        if k >= len(edges) - 2:
            return contact
        start, stop = edges[k], edges[k + 1]
        before, mask, after = (int(contact[f]) for f in (start - 1, start, stop))
        short = stop - start < least and mask != Contact.FLIGHT and not (before | mask | after) & HANDS
        longer_before = start - edges[k - 1] > edges[k + 2] - stop
        if short and before != after and mask == before | after:
            lend = max(start - edges[k - 1], edges[k + 2] - stop)
            missing = least - (stop - start)
            if lend - missing >= least:
                contact[slice(start - missing, start) if longer_before else slice(stop, stop + missing)] = (
                    mask
                )
        elif short:
            give_before = after == Contact.FLIGHT or (longer_before and before != Contact.FLIGHT)
            contact[start:stop] = before if give_before else after
            k = max(k - 1, 1)
            continue
        k += 1
