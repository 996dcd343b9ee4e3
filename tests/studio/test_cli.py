"""The command as a user runs it: results, exit codes, one clear sentence for bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from mograph.sample import sample_database


def run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "studio.cli", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with the sample clips and a database made of them by the command."""
    place = tmp_path_factory.mktemp("home")
    assert run("sample", "clips", cwd=place).returncode == 0
    made = run("import", "clips", "-o", "moves.mgdb", cwd=place)
    assert made.returncode == 0, made.stderr
    return place


def test_help_names_every_command(home):
    shown = run("--help", cwd=home)
    assert shown.returncode == 0
    for command in ("sample", "import", "info", "render", "convert", "contacts", "check"):
        assert command in shown.stdout


def test_info_for_programs_and_people(home):
    figures = json.loads(run("info", "moves.mgdb", "--json", cwd=home).stdout)
    truth = sample_database()
    assert figures["clips"] == len(truth)
    assert figures["poses"] == truth.poses
    assert figures["seconds"] == pytest.approx(truth.seconds, abs=0.01)
    assert figures["behaviours"]["walk"] >= 10
    shown = run("info", "moves.mgdb", "--plot", "moves.png", cwd=home)
    assert f"{truth.poses:,}" in shown.stdout
    assert (home / "moves.png").read_bytes().startswith(b"\x89PNG")


def test_render_convert_and_contacts(home):
    for name, start in (("walk.png", b"\x89PNG"), ("walk.gif", b"GIF8"), ("walk.html", b"<!")):
        done = run("render", "moves.mgdb:walk_1.4", "-o", name, cwd=home)
        assert done.returncode == 0, done.stderr
        assert (home / name).read_bytes().startswith(start)
    done = run("convert", "clips/walk_1.4.bvh", "walk.glb", "--fps", 60, "--mirror", cwd=home)
    assert done.returncode == 0, done.stderr
    assert (home / "walk.glb").read_bytes().startswith(b"glTF")
    rows = json.loads(run("contacts", "clips/walk_1.4.bvh", "--json", cwd=home).stdout)["phases"]
    assert ["left_foot", "right_foot"] in [row["contact"] for row in rows]
    assert rows[0]["start"] == 0


def test_check_reports_rows_for_programs_and_people(home):
    report = json.loads(run("check", "moves.mgdb:jump_0.8", "--json", cwd=home).stdout)
    assert {"check", "phase", "value", "limit", "passed", "source"} <= set(report["rows"][0])
    assert {"gravity", "slide", "friction", "pressure", "torque"} <= {row["check"] for row in report["rows"]}
    shown = run("check", "clips/jump_0.8.bvh", "--plot", "check.png", cwd=home)
    assert shown.returncode == 0, shown.stderr
    assert "gravity" in shown.stdout
    assert (home / "check.png").read_bytes().startswith(b"\x89PNG")


def test_every_sample_clip_passes_the_check(home):
    done = run("check", "moves.mgdb", cwd=home)
    clips = len(sample_database())
    assert f"{clips} of {clips} clips pass everything" in done.stdout, done.stdout


def test_contacts_writes_a_sidecar_once(home):
    assert run("contacts", "clips/stand.bvh", "--write", cwd=home).returncode == 0
    sidecar = home / "clips" / "stand.events.json"
    assert json.loads(sidecar.read_text())["format"] == "mograph.events"
    again = run("contacts", "clips/stand.bvh", "--write", cwd=home)
    assert again.returncode == 2
    assert "--force" in again.stderr
    sidecar.unlink()


def test_piped_output_is_plain(home):
    done = run("import", "clips", "-o", "again.mgdb", cwd=home)
    assert "\x1b" not in done.stdout + done.stderr
    assert (home / "again.mgdb").read_bytes() == (home / "moves.mgdb").read_bytes()


def test_some_files_failing_is_told_and_the_rest_is_written(home, tmp_path):
    (tmp_path / "bad.bvh").write_text("not a motion")
    (tmp_path / "good.bvh").write_bytes((home / "clips" / "walk_1.4.bvh").read_bytes())
    done = run("import", ".", "-o", "out.mgdb", cwd=tmp_path)
    assert done.returncode == 1
    assert "bad.bvh" in done.stderr
    assert "1 of 2 files failed; the rest was written" in done.stderr
    assert json.loads(run("info", "out.mgdb", "--json", cwd=tmp_path).stdout)["clips"] == 1
    as_json = run("import", ".", "-o", "out.mgdb", "--json", cwd=tmp_path)
    assert json.loads(as_json.stdout)["failures"][0]["file"].endswith("bad.bvh")


BAD = [
    (("info", "none.mgdb"), "none.mgdb"),
    (("info", "clips/manifest.csv"), "is not a mograph file"),
    (("import", "void", "-o", "x.mgdb"), "no such file or folder: void"),
    (("import", "clips", "-o", "nowhere/x.mgdb"), "the folder nowhere does not exist"),
    (("import", "clips", "-o", "x.mgdb", "--profile", "vicon"), "profiles are: auto, cmu"),
    (("import", "clips", "-o", "x.mgdb", "--fps", "0"), "between 1 and 1000"),
    (("import", "clips", "-o", "x.mgdb", "--skeleton", "ghost"), "no skeleton 'ghost'"),
    (("import", "clips", "-o", "x.mgdb", "--set", "ghost.txt"), "ghost.txt"),
    (("render", "moves.mgdb:ghost", "-o", "x.png"), "no clip named 'ghost'"),
    (("render", "moves.mgdb:stand", "-o", "x.mp4"), ".mp4"),
    (("render", "ghost", "-o", "x.png"), "DATABASE:CLIP"),
    (("render", "moves.mgdb:stand", "-o", "x.png", "--view", "inside"), "inside"),
    (("convert", "moves.mgdb:stand", "x.fbx"), ".fbx"),
    (("check", "ghost.bvh"), "ghost.bvh"),
    (("check", "moves.mgdb", "--plot", "x.png"), "--plot draws one clip"),
    (("convert", "moves.mgdb:stand", "x.bvh", "--fps", "-1"), "must be above 0"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=lambda value: " ".join(value)[:40])
def test_bad_input_is_one_sentence_and_writes_nothing(home, arguments, message):
    before = sorted(p.name for p in home.iterdir())
    done = run(*arguments, cwd=home)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert message in lines[0]
    assert sorted(p.name for p in home.iterdir()) == before
