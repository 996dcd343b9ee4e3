"""What all tests share: where the captured clips are, and the sample clips."""

from __future__ import annotations

from pathlib import Path

import pytest

CMU = Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not (CMU / "manifest.csv").is_file():
        for item in items:
            if item.get_closest_marker("realdata"):
                item.add_marker(pytest.mark.skip(reason="the captured clips are not beside the project"))


@pytest.fixture(scope="session")
def cmu() -> Path:
    """Folder of the captured CMU clips (tests that use it carry the mark ``realdata``)."""
    if not (CMU / "manifest.csv").is_file():
        pytest.skip("the captured clips are not beside the project")
    return CMU
