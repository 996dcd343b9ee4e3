"""The proofs of Safonova's chapter 5 as properties of interpolated phases."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import MultiPoint, Point

from mograph import rotations
from mograph.clip import Clip
from mograph.contacts import Contact, phases
from mograph.dynamics.mass_model import mass_model
from mograph.errors import MographError
from mograph.feet import foot_joints
from mograph.foot_lock import heel_position, lock_feet
from mograph.graph.interpolation import duration, interpolate, interpolate_all, interpolate_many
from mograph.graph.junction import junction
from mograph.graph.phase_motion import PhaseMotion
from mograph.importer import ImportSettings, find_sources, import_clips
from mograph.kinematics import centre_of_mass, forward
from mograph.mirror import mirrored
from mograph.rotations import Array
from mograph.sample import sample_clips
from mograph.sample.skeleton import HEEL, sample_skeleton

G = 9.81
FEET = (Contact.LEFT_FOOT, Contact.RIGHT_FOOT)
weights = st.floats(0.0, 1.0)


def phase_motions(clip: Clip) -> list[PhaseMotion]:
    assert clip.contact is not None
    return [PhaseMotion.of(clip, p.start, p.stop) for p in phases(clip.contact) if p.stop < len(clip)]


CLIPS = {clip.name: clip for clip in sample_clips()}


def sample_phases(*names: str) -> list[PhaseMotion]:
    return [motion for name in names for motion in phase_motions(CLIPS[name])]


def flight(name: str) -> PhaseMotion:
    return max((m for m in sample_phases(name) if m.contact == 0), key=len)


def com(motion: PhaseMotion) -> Array:
    """Centre of mass by forward kinematics of the whole body, the witness of what the kernel solved for."""
    model = mass_model(motion.skeleton)
    return centre_of_mass(
        forward(motion.skeleton, motion.root_position, motion.rotation), model.mass, model.centre
    )


def pivots(motion: PhaseMotion) -> Array:
    """Heel and ball of both feet, (F, foot, point, 3); the sample's feet roll over a heel of their own."""
    skeleton = motion.skeleton
    poses = forward(skeleton, motion.root_position, motion.rotation)
    tracks = []
    for ankle, toe in foot_joints(skeleton):
        heel = heel_position(skeleton, poses, ankle, toe)
        if skeleton is sample_skeleton():
            heel = poses.position[:, ankle] + rotations.rotate(poses.rotation[:, ankle], HEEL)
        tracks.append(np.stack([heel, poses.position[:, toe]], axis=1))
    return np.stack(tracks, axis=1)


def slide(motion: PhaseMotion, until: float) -> float:
    """How far the resting point of a touching foot moves, up to a share of the phase [m]."""
    frames = int(np.floor(until * (len(motion) - 1) + 1e-9)) + 1
    touching = [k for k, foot in enumerate(FEET) if motion.contact & foot]
    steps = np.linalg.norm(np.diff(pivots(motion)[:frames, touching], axis=0), axis=-1).min(axis=-1)
    return float(steps.sum(axis=0).max(initial=0.0))


def touching(motion: PhaseMotion) -> float:
    """Share of the phase before its last interval, in which a foot may lift already."""
    return (len(motion) - 2) / (len(motion) - 1)


def same_pose(a: PhaseMotion, b: PhaseMotion, tolerance: float = 1e-9) -> None:
    assert len(a) == len(b)
    assert a.duration == pytest.approx(b.duration, abs=1e-12)
    np.testing.assert_allclose(a.root_position, b.root_position, rtol=0, atol=tolerance)
    sign = np.sign(np.sum(a.rotation * b.rotation, axis=-1, keepdims=True))
    np.testing.assert_allclose(a.rotation, sign * b.rotation, rtol=0, atol=tolerance)


def shared_pairs(motions: list[PhaseMotion], fewest: int = 4) -> list[tuple[PhaseMotion, PhaseMotion]]:
    long = [m for m in motions if len(m) >= fewest]
    alike = [(a.contact, a.next_contact) for a in long]
    return [(long[i], long[j]) for i, j in combinations(range(len(long)), 2) if alike[i] == alike[j]]


JUMPS = ("jump_0.4", "jump_0.8", "jump_1.2", "jump_1.5", "jump_up_0.3")
STEPS = ("walk_0.8", "walk_1.4", "walk_1.7", "turn_left_r0.8_180", "run_2.5", "jump_1.2", "side_left_0.6")


# duration and gravity


@settings(max_examples=30, deadline=None)
@given(weights, st.sampled_from(list(combinations(JUMPS, 2))))
def test_a_flight_between_two_flights_falls_with_gravity(weight: float, names: tuple[str, str]) -> None:
    first, second = (flight(name) for name in names)
    mixed = interpolate(first, second, weight, samples=24)
    assert mixed.duration == pytest.approx(duration(first.duration, second.duration, weight), abs=1e-12)
    path, t = com(mixed), np.arange(24) / mixed.fps
    start = path - np.outer(0.5 * t**2, [0.0, -G, 0.0])
    straight = np.stack([np.ones_like(t), t], axis=1)
    fit, *_ = np.linalg.lstsq(straight, start, rcond=None)
    np.testing.assert_allclose(straight @ fit, start, rtol=0, atol=1e-6)
    fall, *_ = np.linalg.lstsq(np.stack([np.ones_like(t), t, t**2], axis=1), path[:, 1], rcond=None)
    assert -2.0 * fall[2] == pytest.approx(G, abs=1e-6)


def test_the_mean_of_durations_would_scale_gravity() -> None:
    first, second, weight = flight("jump_0.4"), flight("jump_up_0.3"), 0.4
    mixed = interpolate(first, second, weight)
    naive = weight * first.duration + (1 - weight) * second.duration
    t = np.linspace(0.0, naive, len(mixed))
    fall = np.polyfit(t, com(mixed)[:, 1], 2)[0]
    factor = (weight * first.duration**2 + (1 - weight) * second.duration**2) / naive**2  # Safonova 5.8
    assert factor > 1.02
    assert -2.0 * fall == pytest.approx(factor * G, abs=1e-6)


@pytest.mark.parametrize("free_legs", ["feet", "rotations"])
def test_both_ways_of_free_legs_keep_the_centre_of_mass(free_legs: str) -> None:
    for first, second in shared_pairs(sample_phases("run_2.5", "run_4.0"))[::17]:
        shares = np.array([0.3, 0.7])
        mixed = interpolate(first, second, 0.3, samples=9, free_legs=free_legs)  # type: ignore[arg-type]
        whole = [interpolate(m, m, 1.0, samples=9) for m in (first, second)]
        wanted = shares @ np.stack([com(m)[:, 1] for m in whole])
        np.testing.assert_allclose(com(mixed)[:, 1], wanted, rtol=0, atol=1e-9)


# the ends of the range


@pytest.mark.parametrize("free_legs", ["feet", "rotations"])
def test_weight_one_is_the_first_and_weight_zero_the_second(free_legs: str) -> None:
    motions = sample_phases("walk_1.1", "walk_1.7", "run_3.2", *JUMPS[:3], "step_on_0.4", "spot_left_180")
    for first, second in shared_pairs(motions, fewest=2)[::13]:
        same_pose(interpolate(first, second, 1.0, free_legs=free_legs), first)  # type: ignore[arg-type]
        same_pose(interpolate(first, second, 0.0, free_legs=free_legs), second)  # type: ignore[arg-type]


@settings(max_examples=20, deadline=None)
@given(weights, st.sampled_from(sample_phases("walk_1.4", "run_3.2", "jump_1.5", "turn_right_r0.8_180")))
def test_a_motion_with_itself_is_itself(weight: float, motion: PhaseMotion) -> None:
    same_pose(interpolate(motion, motion, weight), motion, 1e-8)


# feet


def test_feet_that_touch_do_not_slide() -> None:
    pairs = shared_pairs([m for m in sample_phases(*STEPS) if m.contact])[::7]
    assert len(pairs) > 100
    rng = np.random.default_rng(1)
    for first, second in pairs:
        mixed = interpolate(first, second, float(rng.uniform()))
        assert slide(mixed, min(touching(first), touching(second))) < 1e-3


def test_feet_keep_their_height_on_the_ground() -> None:
    """A point that rests on the floor in both inputs rests on it in the mixture."""
    for first, second in shared_pairs(sample_phases("walk_0.8", "walk_1.7", "jump_0.4", "jump_1.5"))[::5]:
        mixed = interpolate(first, second, 0.5)
        inputs = [interpolate(m, m, 1.0, samples=len(mixed)) for m in (first, second)]
        floor = np.array([0.0, 0.025])  # heel, ball joint
        deepest = min(float((pivots(m)[..., 1] - floor).min()) for m in inputs)
        assert float((pivots(mixed)[..., 1] - floor).min()) > deepest - 2e-3


def test_legs_keep_their_hinges() -> None:
    """Knees of the sample bend about X only; so do the mixture's."""
    knees = [CLIPS["walk_0.8"].skeleton.joint(f"{side}_knee") for side in ("left", "right")]
    for first, second in shared_pairs(sample_phases("walk_0.8", "walk_1.7", "turn_left_r0.8_180"))[::9]:
        mixed = interpolate(first, second, 0.5)
        off_axis = rotations.log(mixed.rotation[:, knees])[..., 1:]
        assert np.degrees(np.abs(off_axis).max()) < 2.0
        assert np.all(rotations.log(mixed.rotation[:, knees])[..., 0] > -1e-3)


def test_all_but_the_legs_are_slerped() -> None:
    first, second = (m for m in (sample_phases("walk_0.8")[3], sample_phases("walk_1.7")[3]))
    assert first.contact == second.contact
    mixed = interpolate(first, second, 0.25, samples=2)
    legs = [
        first.skeleton.joint(f"{s}_{r}") for s in ("left", "right") for r in ("hip", "knee", "ankle", "toe")
    ]
    others = [j for j in range(1, len(first.skeleton)) if j not in legs]
    for frame in (0, -1):
        wanted = rotations.slerp(first.rotation[frame], second.rotation[frame], np.full(1, 0.75))
        apart = rotations.angle_between(mixed.rotation[frame], wanted)
        assert apart[others].max() < 1e-6


# forces


@settings(max_examples=25, deadline=None)
@given(weights, st.integers(0, 10_000))
def test_ground_forces_mix_and_stay_in_the_friction_cone(weight: float, seed: int) -> None:
    """F = w F1 (T1/T)^2 + (1-w) F2 (T2/T)^2 (Safonova 5.14), so the needed friction is never above both."""
    pairs = shared_pairs(
        [m for m in sample_phases("walk_0.8", "walk_1.4", "run_3.2", "jump_1.2") if m.contact]
    )
    first, second = pairs[seed % len(pairs)]
    mixed, one, two = (
        interpolate(first, second, w, samples=max(len(first), len(second))) for w in (weight, 1.0, 0.0)
    )

    def force(motion: PhaseMotion) -> Array:
        return np.diff(com(motion), n=2, axis=0) * motion.fps**2 + np.array([0.0, G, 0.0])

    scale = (
        weight * (one.duration / mixed.duration) ** 2,
        (1 - weight) * (two.duration / mixed.duration) ** 2,
    )
    wanted = scale[0] * force(one) + scale[1] * force(two)
    got = force(mixed)
    np.testing.assert_allclose(got[:, 1], wanted[:, 1], rtol=0, atol=1e-5)
    # the mixture is faced anew: compare what a turn about the vertical leaves alone
    np.testing.assert_allclose(
        got[:, [0, 2]] @ got[:, [0, 2]].T, wanted[:, [0, 2]] @ wanted[:, [0, 2]].T, rtol=0, atol=1e-4
    )

    def ratio(f: Array) -> Array:
        return np.hypot(f[:, 0], f[:, 2]) / f[:, 1]

    pushing = np.minimum(force(one)[:, 1], force(two)[:, 1]) > 0.5
    assert np.all((ratio(got) <= np.maximum(ratio(force(one)), ratio(force(two))) + 1e-6)[pushing])


def support(motion: PhaseMotion, frame: int) -> MultiPoint:
    poses = forward(motion.skeleton, motion.root_position, motion.rotation)
    toes = [toe for _, toe in foot_joints(motion.skeleton)]
    tips = [e for e, parent in enumerate(motion.skeleton.end_parents) if parent in toes]
    points = np.concatenate([pivots(motion)[frame].reshape(-1, 3), poses.end_position[frame, tips]])
    return MultiPoint(points[:, [0, 2]]).convex_hull


@pytest.mark.parametrize(
    "names",
    [
        ("pickup_right_0.1", "pickup_right_0.9"),
        ("pickup_right_0.3", "pickup_left_0.6"),
        ("stand", "jump_1.5"),
    ],
)
def test_static_balance_is_kept(names: tuple[str, str]) -> None:
    first, second = (
        next(m for m in [*phase_motions(CLIPS[name]), still(CLIPS[name])] if m.contact == 3) for name in names
    )
    compared = 0
    for weight in (0.25, 0.5, 0.75):
        mixed, one, two = (interpolate(first, second, w, samples=20) for w in (weight, 1.0, 0.0))
        for frame in range(20):
            over = [support(m, frame).distance(Point(com(m)[frame, [0, 2]])) for m in (one, two, mixed)]
            if over[0] == 0.0 and over[1] == 0.0:
                compared += 1
                assert over[2] < 2e-3
    assert compared > 10


def still(clip: Clip) -> PhaseMotion:
    """The first half second of a clip as a phase."""
    return PhaseMotion.of(clip, 0, 15)


# heading, displacement, order


def spun(motion: PhaseMotion, turn: float) -> PhaseMotion:
    """The same flight with a steady turn about the vertical through the centre of mass."""
    angle = np.linspace(0.0, turn, len(motion))
    q = rotations.from_yaw(angle)
    rotation = motion.rotation.copy()
    rotation[:, 0] = rotations.multiply(q, rotation[:, 0])
    middle = com(motion)
    root = middle + rotations.rotate(q, motion.root_position - middle)
    return PhaseMotion(motion.skeleton, root, rotation, motion.fps, motion.contact, motion.next_contact)


def test_half_of_a_full_turn_is_half_a_turn() -> None:
    plain = flight("jump_up_0.3")
    whole = spun(plain, 2 * np.pi)
    assert whole.displacement[2] == pytest.approx(2 * np.pi, abs=1e-9)
    mixed = interpolate(plain, whole, 0.5)
    assert mixed.displacement[2] == pytest.approx(np.pi, abs=1e-6)
    steps = np.diff(np.unwrap(rotations.yaw(mixed.rotation[:, 0])))
    assert np.all(np.abs(steps - np.pi / (len(mixed) - 1)) < 0.05)
    fall = np.diff(com(mixed), n=2, axis=0) * mixed.fps**2
    np.testing.assert_allclose(fall, np.broadcast_to([0.0, -G, 0.0], fall.shape), rtol=0, atol=1e-6)


def test_displacement_is_continuous_in_the_weight() -> None:
    for first, second in shared_pairs(
        sample_phases("walk_0.8", "turn_left_r0.8_180", "jump_0.4", "jump_1.5")
    )[::29]:
        ends = np.array([interpolate(first, second, w).displacement for w in np.linspace(0, 1, 201)])
        span = np.abs(np.array(first.displacement) - np.array(second.displacement)).max()
        assert np.abs(np.diff(ends, axis=0)).max() < 0.02 * span + 2e-3


def test_the_mirror_image_of_a_mixture_is_the_mixture_of_mirror_images() -> None:
    flat = []
    for name in ("walk_0.8", "turn_left_r1.5_90", "jump_1.2"):
        both = zip(phase_motions(CLIPS[name]), phase_motions(mirrored(CLIPS[name])), strict=True)
        flat += [pair for pair in both if len(pair[0]) > 3]
    for (a, a_mirrored), (b, b_mirrored) in list(combinations(flat, 2))[::7]:
        if a.contact != b.contact:
            continue
        mixed, other = interpolate(a, b, 0.3), interpolate(a_mirrored, b_mirrored, 0.3)
        image = mirrored(mixed.to_clip())
        np.testing.assert_allclose(other.root_position, image.root_position, rtol=0, atol=1e-6)
        assert rotations.angle_between(other.rotation, image.rotation).max() < 1e-5


def test_three_motions_do_not_depend_on_their_order() -> None:
    three = [flight(name) for name in ("jump_0.4", "jump_1.5", "jump_up_0.3")]
    mixed = interpolate_many(three, [0.2, 0.5, 0.3], samples=12)
    again = interpolate_many([three[k] for k in (2, 0, 1)], [0.3, 0.2, 0.5], samples=12)
    same_pose(mixed, again, 1e-6)
    squares = sum(w * m.duration**2 for w, m in zip((0.2, 0.5, 0.3), three, strict=True))
    assert mixed.duration == pytest.approx(np.sqrt(squares), abs=1e-12)
    same_pose(interpolate_many(three, [0.0, 1.0, 0.0]), three[1])
    same_pose(
        interpolate_many(three, [0.4, 0.6, 0.0], samples=9), interpolate(*three[:2], 0.4, samples=9), 1e-6
    )


def test_three_rotations_meet_where_the_ways_to_them_cancel() -> None:
    """The mean on the group: sum of w_i log(q^-1 q_i) = 0 (Karcher), for every joint but the legs'."""
    three = [flight(name) for name in ("jump_0.4", "jump_1.5", "jump_up_0.3")]
    shares = np.array([0.2, 0.5, 0.3])
    mixed = interpolate_many(three, shares, samples=2, free_legs="rotations")
    for frame in (0, -1):
        ways = [
            rotations.log(
                rotations.multiply(rotations.inverse(mixed.rotation[frame, 1:]), m.rotation[frame, 1:])
            )
            for m in three
        ]
        np.testing.assert_allclose(np.einsum("i,ijk->jk", shares, np.array(ways)), 0.0, atol=1e-7)


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    motions = [m for m in sample_phases("walk_0.8", "walk_1.7") if len(m) > 3]
    chosen = np.array([(i, j) for i, j in combinations(range(len(motions)), 2)])
    chosen = chosen[[motions[i].contact == motions[j].contact for i, j in chosen]][:40]
    shares = np.random.default_rng(0).dirichlet([1, 1], len(chosen))
    mixtures = interpolate_all(motions, chosen, shares, samples=10)
    assert mixtures.missed.max() < 1e-9
    for n, (i, j) in enumerate(chosen):
        alone = interpolate(motions[i], motions[j], shares[n, 0], samples=10)
        same_pose(mixtures[n], alone, 1e-12)
        np.testing.assert_allclose(mixtures.displacement[n], alone.displacement, rtol=0, atol=1e-12)


# where phases meet


def test_phases_of_one_clip_meet_without_a_jump() -> None:
    for before, after in pairwise(sample_phases("run_2.5")):
        meeting = junction(before, after)
        assert max(meeting.angle, meeting.foot, meeting.height) < 1e-6


def test_a_landing_at_another_velocity_is_told() -> None:
    """A flight falls at a velocity known from gravity; the phase after it is a pose held still."""
    air, landing = _flight_and_landing("jump_1.2")
    still_pose = PhaseMotion(
        air.skeleton,
        np.repeat(landing.root_position[:1], 4, axis=0),
        np.repeat(landing.rotation[:1], 4, axis=0),
        30.0,
        3,
    )
    path, seconds = com(air), air.duration
    mean = (path[-1] - path[0]) / seconds
    falling = np.array([mean[0], mean[1] - G * seconds / 2, mean[2]])
    meeting = junction(air, still_pose)
    assert meeting.velocity == pytest.approx(np.linalg.norm(falling), abs=1e-6)
    assert meeting.level_velocity == pytest.approx(np.hypot(falling[0], falling[2]), abs=1e-6)
    assert max(meeting.angle, meeting.foot, meeting.height) < 1e-6


@pytest.mark.parametrize(
    "names", [("run_2.5", "run_4.0"), ("jump_0.4", "jump_1.5"), ("walk_0.8", "walk_1.7")]
)
def test_feet_lift_off_and_touch_down_without_a_jump(names: tuple[str, str]) -> None:
    ones, twos = (phase_motions(CLIPS[name]) for name in names)
    mixed = [interpolate(a, b, 0.5) for a, b in zip(ones, twos, strict=False)]
    for before, after in pairwise(mixed):
        meeting = junction(before, after)
        assert meeting.foot < 4e-3
        assert np.degrees(meeting.angle) < 1.0


def test_the_landing_of_a_forward_jump_mixed_with_a_turning_one_is_bad() -> None:
    """Different turns in flight bend the landing velocity at once (Safonova 5.4, figure 5.8)."""
    ahead, landing = _flight_and_landing("jump_1.5")
    turning, turned_landing = _flight_and_landing("jump_up_0.3")
    plain = junction(interpolate(ahead, turning, 0.5), interpolate(landing, turned_landing, 0.5))
    bad = junction(
        interpolate(ahead, spun(turning, 2 * np.pi), 0.5), interpolate(landing, turned_landing, 0.5)
    )
    assert plain.level_velocity < 0.35
    assert bad.level_velocity > 3 * plain.level_velocity


def _flight_and_landing(name: str) -> tuple[PhaseMotion, PhaseMotion]:
    clip = CLIPS[name]
    assert clip.contact is not None
    start, stop = next((p.start, p.stop) for p in phases(clip.contact) if p.contact == 0)
    return PhaseMotion.of(clip, start, stop), PhaseMotion.of(clip, stop, stop + 20)


# what is refused


def test_phases_that_touch_differently_are_refused() -> None:
    stance, air = sample_phases("jump_0.4")[:2]
    with pytest.raises(MographError, match="left_foot right_foot and flight"):
        interpolate(stance, air, 0.5)
    with pytest.raises(MographError, match="left_foot right_foot and flight"):
        interpolate_all([stance, air], [[0, 1]], [[0.5, 0.5]])


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_weights_out_of_range_are_refused(weight: float) -> None:
    motion = flight("jump_0.4")
    with pytest.raises(MographError, match="add up to 1"):
        interpolate(motion, motion, weight)


def test_a_cut_across_phases_is_refused() -> None:
    clip = CLIPS["jump_0.4"]
    with pytest.raises(MographError, match="contacts change within"):
        PhaseMotion.of(clip, 0, 60)
    with pytest.raises(MographError, match="no phase from frame"):
        PhaseMotion.of(clip, 0, len(clip))


# captured motion


@pytest.fixture(scope="module")
def captured(cmu: Path) -> dict[str, list[PhaseMotion]]:
    wanted = {
        "118_01",
        "118_08",
        "118_15",
        "118_24",
        "118_29",
        "16_15",
        "16_16",
        "16_18",
        "16_21",
        "16_31",
        "16_47",
    }
    sources = [s for s in find_sources([cmu]) if s.name in wanted]
    groups: dict[str, list[PhaseMotion]] = {}
    for subject in ("118", "16"):
        database = import_clips([s for s in sources if s.subject == subject], ImportSettings("cmu")).database
        groups[subject] = [m for clip in database for m in phase_motions(lock_feet(clip))]
    return groups


@pytest.mark.realdata
@pytest.mark.parametrize("subject", ["118", "16"])
def test_captured_feet_slide_no_more_than_in_the_inputs(
    captured: dict[str, list[PhaseMotion]], subject: str
) -> None:
    pairs = shared_pairs([m for m in captured[subject] if m.contact])
    pairs = pairs[:: max(len(pairs) // 60, 1)]
    assert len(pairs) > 5
    for first, second in pairs:
        mixed = interpolate(first, second, 0.5)
        until = min(touching(first), touching(second))
        inputs = [slide(interpolate(m, m, 1.0, samples=len(mixed)), until) for m in (first, second)]
        assert slide(mixed, until) < 1e-3 + max(inputs)


@pytest.mark.realdata
def test_captured_flights_keep_the_gravity_they_were_captured_with(
    captured: dict[str, list[PhaseMotion]],
) -> None:
    """Each input's path bends by what its capture has; the mixture by w a1 (T1/T)^2 + (1-w) a2 (T2/T)^2."""
    flights = [m for m in captured["118"] if m.contact == 0 and len(m) > 6]
    assert len(flights) >= 4
    for first, second in combinations(flights, 2):
        mixed, one, two = (interpolate(first, second, w, samples=16) for w in (0.4, 1.0, 0.0))
        bend, first_bend, second_bend = (
            -2 * np.polyfit(np.arange(16) / m.fps, com(m)[:, 1], 2)[0] for m in (mixed, one, two)
        )
        shares = 0.4 * (one.duration / mixed.duration) ** 2, 0.6 * (two.duration / mixed.duration) ** 2
        assert bend == pytest.approx(shares[0] * first_bend + shares[1] * second_bend, abs=1e-6)
        assert 8.0 < bend < 12.7


@pytest.mark.realdata
def test_captured_ends_are_reproduced(captured: dict[str, list[PhaseMotion]]) -> None:
    pairs = shared_pairs(captured["16"], fewest=2)
    for first, second in pairs[:: max(len(pairs) // 40, 1)]:
        same_pose(interpolate(first, second, 1.0), first, 1e-8)  # knees may be straight: less is lost
        same_pose(interpolate(first, second, 0.0), second, 1e-8)
