"""Body segments in numbers: the tables of de Leva (1996).

P. de Leva, *Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters*, J. Biomechanics 29(9), 1996,
table 4. Ends of the segments: head with neck from the vertex to cervicale (the lowest neck vertebra); trunk
from suprasternale (the notch above the breastbone) over xiphion and omphalion to the middle of the hip
joints; limbs between joint centres; hand to the tip of the third finger; foot from the heel to the tip of the
toes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Segment:
    """One row: everything is a share of the whole body or of the segment's own length.

    Radii of gyration are about axes through the segment's centre, for a body upright with hanging arms:
    *sagittal* runs from back to front, *transverse* from side to side, *longitudinal* along the segment.
    """

    mass: float  # share of the body mass [0..1]
    centre: float  # place of the centre of mass [share of length from the upper or near end]
    radii: tuple[float, float, float]  # sagittal, transverse, longitudinal [share of length]
    length: float  # share of stature, used only where the skeleton does not show the segment's end


def _table(
    stature: float, rows: dict[str, tuple[float, float, float, float, float, float]]
) -> Mapping[str, Segment]:
    """Rows of mass [%], centre [%], three radii [%] and length [mm] as printed, for a mean stature [mm]."""
    return MappingProxyType(
        {
            name: Segment(m / 100, c / 100, (s / 100, t / 100, lo / 100), length / stature)
            for name, (m, c, s, t, lo, length) in rows.items()
        }
    )


MALE = _table(
    1741.0,
    {
        "head": (6.94, 50.02, 30.3, 31.5, 26.1, 242.9),
        "upper_trunk": (15.96, 29.99, 71.6, 45.4, 65.9, 170.7),
        "middle_trunk": (16.33, 45.02, 48.2, 38.3, 46.8, 215.5),
        "lower_trunk": (11.17, 61.15, 61.5, 55.1, 58.7, 145.7),
        "upper_arm": (2.71, 57.72, 28.5, 26.9, 15.8, 281.7),
        "forearm": (1.62, 45.74, 27.6, 26.5, 12.1, 268.9),
        "hand": (0.61, 36.24, 28.8, 23.5, 18.4, 187.9),
        "thigh": (14.16, 40.95, 32.9, 32.9, 14.9, 422.2),
        "shank": (4.33, 43.95, 25.1, 24.6, 10.2, 440.3),
        "foot": (1.37, 44.15, 25.7, 24.5, 12.4, 258.1),
    },
)
FEMALE = _table(
    1735.0,
    {
        "head": (6.68, 48.41, 27.1, 29.5, 26.1, 243.7),
        "upper_trunk": (15.45, 20.77, 74.6, 50.2, 71.8, 142.5),
        "middle_trunk": (14.65, 45.12, 43.3, 35.4, 41.5, 205.3),
        "lower_trunk": (12.47, 49.20, 43.3, 40.2, 44.4, 181.5),
        "upper_arm": (2.55, 57.54, 27.8, 26.0, 14.8, 275.1),
        "forearm": (1.38, 45.59, 26.1, 25.7, 9.4, 264.3),
        "hand": (0.56, 34.27, 24.4, 20.8, 15.4, 170.1),
        "thigh": (14.78, 36.12, 36.9, 36.4, 16.2, 368.5),
        "shank": (4.81, 43.52, 26.7, 26.3, 9.2, 438.6),
        "foot": (1.29, 40.14, 29.9, 27.9, 13.9, 228.3),
    },
)
TABLES: Mapping[str, Mapping[str, Segment]] = MappingProxyType({"male": MALE, "female": FEMALE})
PAIRED_SEGMENTS = ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")  # one on each side of the body
