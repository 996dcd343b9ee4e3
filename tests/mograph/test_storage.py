"""Stored files: what was written comes back, what is damaged is refused, nothing is half-written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mograph.errors import MographError, StorageError
from mograph.storage import container_format, read_container, write_container, written_atomically

ARRAYS = {
    "numbers": np.arange(12.0).reshape(3, 4),
    "bytes": np.array([1, 2, 3], np.uint8),
    "nothing": np.zeros((0, 3)),
    "wide": np.arange(5, dtype=np.int64),
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "a.mgdb"
    write_container(path, "mograph.test", 3, {"name": "Wände", "list": [1, 2]}, ARRAYS)
    return path


def test_round_trip(stored):
    back = read_container(stored, "mograph.test", 3)
    assert back.meta == {"name": "Wände", "list": [1, 2]}
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(back.arrays[name], array)
        assert back.arrays[name].dtype == array.dtype
        assert back.arrays[name].shape == array.shape
    assert container_format(stored) == "mograph.test"


def test_arrays_are_mapped_aligned_and_read_only(stored):
    numbers = read_container(stored, "mograph.test", 3).arrays["numbers"]
    assert numbers.ctypes.data % 64 == 0
    with pytest.raises(ValueError, match="read-only"):
        numbers[0, 0] = 1


def test_same_content_same_bytes(stored, tmp_path):
    write_container(tmp_path / "b.mgdb", "mograph.test", 3, {"list": [1, 2], "name": "Wände"}, ARRAYS)
    assert (tmp_path / "b.mgdb").read_bytes() == stored.read_bytes()


def test_other_format_and_version_are_refused(stored):
    with pytest.raises(StorageError, match=r"holds 'mograph.test', not 'mograph.graph'"):
        read_container(stored, "mograph.graph", 3)
    with pytest.raises(
        StorageError, match=r"has version 3 of 'mograph.test' and this program reads version 4"
    ):
        read_container(stored, "mograph.test", 4)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_every_flipped_bit_is_noticed(stored, tmp_path, data):
    good = stored.read_bytes()
    place = data.draw(st.integers(0, len(good) - 1))
    bit = data.draw(st.integers(0, 7))
    bad = bytearray(good)
    bad[place] ^= 1 << bit
    path = tmp_path / "bad.mgdb"
    path.write_bytes(bad)
    with pytest.raises(StorageError, match=r"bad\.mgdb"):
        read_container(path, "mograph.test", 3)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_every_cut_is_noticed(stored, tmp_path, data):
    good = stored.read_bytes()
    path = tmp_path / "cut.mgdb"
    path.write_bytes(good[: data.draw(st.integers(0, len(good) - 1))])
    with pytest.raises(StorageError, match=r"cut\.mgdb"):
        read_container(path, "mograph.test", 3)


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(tmp_path):
    path = tmp_path / "keep.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), written_atomically(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["keep.txt"]


def test_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(MographError, match=r"the folder .*nowhere does not exist"),
        written_atomically(tmp_path / "nowhere" / "x.mgdb"),
    ):
        pass
    with pytest.raises(MographError, match="it is a folder"), written_atomically(tmp_path):
        pass
