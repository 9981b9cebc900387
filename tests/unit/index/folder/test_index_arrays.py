"""Arrays on disk: read back as they were, mapped, read-only, and never pickled."""

from __future__ import annotations

import contextlib
import io
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.index.folder.arrays import map_array, write_array


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool", "complex64"])
@pytest.mark.parametrize("shape", [(), (0,), (0, 4), (5,), (3, 4), (2, 3, 4)])
def test_arrays_come_back_as_they_were(tmp_path, dtype, shape):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    write_array(tmp_path / "a.npy", array, "a")
    read = map_array(tmp_path / "a.npy")
    assert read.dtype == array.dtype
    assert read.shape == array.shape
    np.testing.assert_array_equal(read, array)


def test_arrays_are_written_in_c_order_mapped_and_read_only(tmp_path):
    write_array(tmp_path / "a.npy", np.asfortranarray(np.arange(12.0).reshape(3, 4)), "a")
    read = map_array(tmp_path / "a.npy")
    assert isinstance(read, np.memmap)
    assert read.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        read[0, 0] = 7


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.array([{}], dtype=object), r"a is not an array of numbers: got dtype object"),
        (["x"], r"a is not an array of numbers: got dtype <U1"),
        (np.zeros(2, dtype=[("x", "f4")]), r"a is not an array of numbers"),
        (sp.eye_array(3, format="csr"), r"a is sparse: got csr_array, expected a dense array"),
    ],
)
def test_only_numbers_are_written(tmp_path, array, sentence):
    with pytest.raises(InputError, match=sentence):
        write_array(tmp_path / "a.npy", array, "a")
    assert not (tmp_path / "a.npy").exists()


class _Bomb:
    """Says so if it is ever unpickled."""

    def __reduce__(self):
        return (exec, ("raise SystemExit('a pickle was executed')",))


def _object_array() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([_Bomb()], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def _archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.npy", b"")
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff", pickle.dumps(_Bomb()), _object_array(), _archive()]
)
def test_other_files_are_refused_and_nothing_is_executed(tmp_path, content):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(
        InputError, match=r"a\.npy is damaged: got .*, expected a complete \.npy file of numbers\. Restore"
    ):
        map_array(tmp_path / "a.npy")


def test_no_byte_of_the_header_can_be_changed_into_a_crash(tmp_path):
    path = tmp_path / "a.npy"
    write_array(path, np.arange(6, dtype=np.float32).reshape(2, 3), "a")
    whole = path.read_bytes()
    for place in range(128):
        for value in (0, 0x27, 0x39, 0xFF):
            path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
            with contextlib.suppress(InputError):
                assert map_array(path).nbytes == 24


def test_a_short_a_long_and_a_missing_file_are_refused(tmp_path):
    path = tmp_path / "a.npy"
    write_array(path, np.arange(100.0), "a")
    whole = path.read_bytes()
    for content in (whole[:-1], whole + b"x", whole[:140]):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is damaged: got"):
            map_array(path)
    path.unlink()
    with pytest.raises(InputError, match="is missing: got no such file, expected an array"):
        map_array(path)
