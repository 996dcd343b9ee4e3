"""The house rules: which room may import which, and what importing the package may cost."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FORBIDDEN = {
    "mograph": {"environments", "planners", "studio"},
    "environments": {"mograph", "planners", "studio"},
    "planners": {"studio"},
    "studio": set(),
}


def imported_packages(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("room", FORBIDDEN)
def test_rooms_import_only_what_they_may(room):
    for path in (ROOT / room).rglob("*.py"):
        wrong = imported_packages(path) & FORBIDDEN[room]
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


def test_import_is_light():
    script = (
        "import sys, time, json; start = time.perf_counter(); import mograph; "
        "took = time.perf_counter() - start; "
        "print(json.dumps({'seconds': took, 'modules': sorted({m.split('.')[0] for m in sys.modules})}))"
    )
    runs = [
        json.loads(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout)
        for _ in range(3)
    ]
    heavy = {"numba", "llvmlite", "matplotlib", "scipy", "sklearn", "rich", "typer", "networkx", "shapely"}
    assert not heavy & set(runs[0]["modules"])
    assert min(run["seconds"] for run in runs) < 0.5


def test_every_public_name_exists():
    import mograph

    for name in mograph.__all__:
        assert getattr(mograph, name) is not None
    assert set(mograph.__all__) <= set(dir(mograph))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = mograph.no_such_name
