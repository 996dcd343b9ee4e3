"""Files to database: labels, failures, sets, mirrors, one skeleton, and the same bytes every time."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from mograph.database import Database
from mograph.errors import MographError, StorageError
from mograph.importer import ImportSettings, find_sources, import_clips
from mograph.sample import sample_clips, sample_database, write_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("clips")
    write_sample(place)
    return place


@pytest.fixture(scope="module")
def imported(folder):
    return import_clips(find_sources([folder]))


def test_sample_files_give_the_sample_database(imported):
    database, truth = imported.database, sample_database()
    assert imported.failures == ()
    assert sorted(database.names) == sorted(truth.names)
    for name in truth.names:
        clip, made = database.clip(name), truth.clip(name).faced()
        assert clip.tags == made.tags
        assert clip.behaviour == made.behaviour
        np.testing.assert_allclose(clip.root_position, made.root_position, atol=1e-5)


def test_same_files_same_bytes_whatever_the_workers(folder, imported, tmp_path):
    imported.database.save(tmp_path / "one.mgdb")
    again = import_clips(find_sources([folder]), ImportSettings(workers=2))
    again.database.save(tmp_path / "two.mgdb")
    assert (tmp_path / "one.mgdb").read_bytes() == (tmp_path / "two.mgdb").read_bytes()


def test_save_and_load(imported, tmp_path):
    imported.database.save(tmp_path / "a.mgdb")
    back = Database.load(tmp_path / "a.mgdb")
    assert back.info == imported.database.info
    assert back.summary() == imported.database.summary()
    assert back.skeleton.equals(imported.database.skeleton)
    np.testing.assert_array_equal(back.skeleton.dof, imported.database.skeleton.dof)
    np.testing.assert_array_equal(back.rotation, imported.database.rotation)


def test_half_a_database_and_a_flipped_byte_are_refused(imported, tmp_path):
    imported.database.save(tmp_path / "a.mgdb")
    good = (tmp_path / "a.mgdb").read_bytes()
    (tmp_path / "half.mgdb").write_bytes(good[: len(good) // 2])
    with pytest.raises(StorageError, match=r"half\.mgdb is damaged"):
        Database.load(tmp_path / "half.mgdb")
    (tmp_path / "flipped.mgdb").write_bytes(good[:-5000] + bytes([good[-5000] ^ 1]) + good[-4999:])
    with pytest.raises(StorageError, match=r"flipped\.mgdb is damaged"):
        Database.load(tmp_path / "flipped.mgdb")
    with pytest.raises(StorageError, match="is not a mograph file"):
        (tmp_path / "text.mgdb").write_text("hello")
        Database.load(tmp_path / "text.mgdb")


def test_one_bad_file_does_not_spoil_the_rest(folder, tmp_path):
    for name in ("walk_1.4.bvh", "stand.bvh"):
        shutil.copy(folder / name, tmp_path)
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nnothing\n")
    result = import_clips(find_sources([tmp_path]))
    assert sorted(result.database.names) == ["stand", "walk_1.4"]
    assert [file for file, _ in result.failures] == [str((tmp_path / "bad.bvh").resolve())]
    (tmp_path / "walk_1.4.bvh").unlink()
    (tmp_path / "stand.bvh").unlink()
    with pytest.raises(MographError, match="none of 1 files could be imported"):
        import_clips(find_sources([tmp_path]))


def test_sets_manifests_and_missing_places(folder, tmp_path):
    (tmp_path / "set.txt").write_text("# two of them\nwalk_1.4.bvh\n\njump_0.8.bvh\n")
    sources = find_sources([folder], only=tmp_path / "set.txt")
    assert [s.name for s in sources] == ["walk_1.4", "jump_0.8"]
    assert sources[1].tags == ("jump",)
    (tmp_path / "set.txt").write_text("nothing.bvh\n")
    with pytest.raises(MographError, match=r"set\.txt names nothing\.bvh, which is not below"):
        find_sources([folder], only=tmp_path / "set.txt")
    with pytest.raises(MographError, match=r"no such file or folder: .*void"):
        find_sources([tmp_path / "void"])
    with pytest.raises(MographError, match="no motion files"):
        find_sources([tmp_path])
    (tmp_path / "m.csv").write_text("clip,tags\na,b\n")
    with pytest.raises(MographError, match="needs a column 'file'"):
        find_sources([folder], manifest=tmp_path / "m.csv")


def test_a_sidecar_has_the_last_word(folder, tmp_path):
    shutil.copy(folder / "walk_1.4.bvh", tmp_path)
    (tmp_path / "walk_1.4.events.json").write_text(
        '{"format": "mograph.events", "version": 1, "contacts": {"left_foot": [[0.5, 1]]}, "tags": ["mine"]}'
    )
    clip = import_clips(find_sources([tmp_path])).database.clip("walk_1.4")
    assert clip.tags == ("mine",)
    assert np.flatnonzero(clip.contact & 1).tolist() == list(range(15, 30))


def test_mirroring_doubles_and_names(folder):
    sources = [s for s in find_sources([folder]) if s.name.startswith("turn_left")]
    database = import_clips(sources, ImportSettings(mirror=True)).database
    assert len(database) == 2 * len(sources)
    assert database.summary()["mirrored"] == len(sources)
    original, image = database.clip("turn_left_r1.5_90"), database.clip("turn_left_r1.5_90_mirrored")
    np.testing.assert_allclose(image.root_position, original.root_position * [-1, 1, 1])
    assert "right" in image.behaviour


def test_clips_go_onto_the_skeleton_asked_for(folder):
    wanted = sample_clips()[0].skeleton.scaled(0.9)
    sources = find_sources([folder / "walk_1.4.bvh"])
    database = import_clips(sources, ImportSettings(skeleton=wanted, fps=60.0)).database
    assert database.skeleton.equals(wanted)
    assert database.fps == 60.0


def test_bad_settings_and_names():
    with pytest.raises(MographError, match="0 frames per second; it must be between 1 and 1000"):
        ImportSettings(fps=0)
    with pytest.raises(MographError, match="unknown profile 'x'"):
        ImportSettings("x")
    with pytest.raises(MographError, match=r"no clip named 'walk'; there are \d+, such as: .*walk"):
        sample_database().clip("walk")
    with pytest.raises(MographError, match="two clips are named 'stand'"):
        Database.from_clips([sample_clips()[0]] * 2)
    with pytest.raises(MographError, match="at least one clip"):
        Database.from_clips([])


@pytest.mark.realdata
def test_all_captured_clips_are_imported_with_their_mirror_images(cmu):
    sources = find_sources([cmu])
    assert len(sources) == 381
    result = import_clips(sources, ImportSettings("cmu", mirror=True, workers=2))
    assert result.failures == ()
    assert len(result.database) == 762
    assert np.isfinite(result.database.rotation).all()
    assert dict(result.notes)["dropped the T-pose in front"] == 381
