"""The level's picture: the right size and colours in the right places, equal files for equal input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from shapely.geometry import box

from environments.level import Feature, Level
from environments.levels import builtin
from environments.sketch import completed
from mograph.errors import MographError
from studio.level_picture import WATER, draw_level


def share_of(path: Path, colour: str) -> float:
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
    wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return float((np.abs(pixels - wanted).max(axis=-1) <= 3).mean())


def test_everything_is_drawn_and_repeats(tmp_path: Path) -> None:
    level, sketch = builtin("pick_and_place")
    root = np.column_stack([np.linspace(1, 7, 20), np.ones(20), np.full(20, 2.0)])
    prints = np.array([[1.0, 2.0, 1.5, 0], [1.6, 2.2, 1.5, 1]])
    ghost = np.array([[[1.0, 1.0, 2.0], [1.2, 1.4, 2.1]]])
    whole = completed(sketch, level)
    files = [
        draw_level(level, whole, tmp_path / name, root_path=root, footprints=prints, ghosts=[ghost])
        for name in ("a.png", "b.png")
    ]
    assert files[0].read_bytes() == files[1].read_bytes()
    bare = draw_level(level, None, tmp_path / "c.png")
    assert bare.read_bytes() != files[0].read_bytes()
    assert share_of(files[0], "#b3261e") > share_of(bare, "#b3261e")


def test_water_covers_its_share(tmp_path: Path) -> None:
    level = Level("pond", box(0, 0, 10, 10), (Feature("water", "pond", box(0, 0, 10, 5), -0.5, 0.0, False),))
    path = draw_level(level, None, tmp_path / "pond.png")
    floor = share_of(path, "#faf8f4")
    assert share_of(path, WATER) == pytest.approx(floor, rel=0.05)


def test_wrong_names_are_refused(tmp_path: Path) -> None:
    level, sketch = builtin("empty")
    with pytest.raises(MographError, match=r"must end in \.png"):
        draw_level(level, sketch, tmp_path / "level.pdf")
