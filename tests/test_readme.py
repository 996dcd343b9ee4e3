"""The README tells the truth: its Python runs, its commands exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("code", [code for language, code in BLOCKS if language == "python"])
def test_python_runs(code, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_tour_of_commands_runs_as_written(tmp_path, monkeypatch):
    from studio.cli import app

    monkeypatch.chdir(tmp_path)
    tour = next(code for language, code in BLOCKS if language == "sh" and "mograph sample" in code)
    commands = [shlex.split(line, comments=True) for line in tour.splitlines()]
    assert len(commands) >= 6
    for command in commands:
        result = CliRunner().invoke(app, command[1:])
        assert result.exit_code == 0, (command, result.output)
