"""The lock: one writer at a time, and no lock outlives its process."""

from __future__ import annotations

import errno
import multiprocessing
import os
import re
import stat
import threading
import time

import pytest

from tacit.errors import InputError
from tacit.index.folder.lock import hold_lock

posix = pytest.mark.skipif(os.name == "nt", reason="forks processes")


def _hold_until_killed(folder, holding):
    with hold_lock(folder):
        holding.send(os.getpid())
        time.sleep(60)


@posix
def test_another_process_is_named_and_its_lock_dies_with_it(tmp_path):
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_hold_until_killed, args=(tmp_path, theirs))
    process.start()
    pid = ours.recv()
    sentence = (
        rf"{re.escape(str(tmp_path))} is being changed: got a lock held by process {pid} since "
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, expected one writer at a time\. Wait until it has finished, or"
    )
    with pytest.raises(InputError, match=sentence), hold_lock(tmp_path):
        pass
    process.kill()
    process.join(20)
    with hold_lock(tmp_path):
        pass


def test_the_same_process_cannot_take_it_twice(tmp_path):
    with hold_lock(tmp_path):
        with pytest.raises(InputError, match=rf"held by process {os.getpid()} since"), hold_lock(tmp_path):
            pass
        with pytest.raises(InputError, match="is being changed"), hold_lock(tmp_path, wait=0.1):
            pass
    with hold_lock(tmp_path):
        pass


def test_an_error_frees_it(tmp_path):
    with pytest.raises(ZeroDivisionError), hold_lock(tmp_path):
        _ = 1 / 0
    with hold_lock(tmp_path):
        pass


def test_waiting_gets_it_when_the_other_is_done(tmp_path):
    held, inside = threading.Event(), []

    def first():
        with hold_lock(tmp_path):
            held.set()
            time.sleep(0.2)
            inside.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    held.wait(10)
    with hold_lock(tmp_path, wait=10):
        inside.append("second")
    thread.join()
    assert inside == ["first", "second"]


def test_threads_are_never_inside_together(tmp_path):
    inside, most = [], []

    def change():
        for _ in range(10):
            with hold_lock(tmp_path, wait=30):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=change) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 40


@posix
def test_a_lock_file_that_was_taken_away_locks_nobody_out_or_in(tmp_path):
    with hold_lock(tmp_path):
        (tmp_path / "lock").unlink()
        with hold_lock(tmp_path):  # a new file, so a new lock: only who made the folder may take the file away
            pass


def test_what_stands_in_the_file_does_not_matter(tmp_path):
    (tmp_path / "lock").write_bytes(b"\xff process 1 since ever")
    with hold_lock(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    sentence = "cannot be changed: got 'No such file or directory' for its file 'lock'"
    with pytest.raises(InputError, match=sentence), hold_lock(tmp_path / "missing"):
        pass


def _symbolic_link(path, other):
    path.symlink_to(other)


def _link_to_nothing(path, other):
    other.unlink()
    path.symlink_to(other)


def _hard_link(path, other):
    os.link(other, path)


def _named_pipe(path, other):
    os.mkfifo(path)


def _device(path, other):
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only the administrator makes devices")


@posix
@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (_symbolic_link, "a symbolic link"),
        (_link_to_nothing, "a symbolic link"),
        (_hard_link, "a hard link"),
        (_named_pipe, "a named pipe"),
        (_device, "a device"),
    ],
)
def test_a_lock_that_is_not_a_plain_file_is_refused_and_nothing_is_written(make, kind, tmp_path):
    index, other = tmp_path / "index", tmp_path / "other"
    index.mkdir()
    other.write_text("theirs")
    make(index / "lock", other)
    sentence = (
        rf"^{re.escape(str(index / 'lock'))} is not a plain file: got {kind}, expected a regular file with one name\. "
        r"Delete it; the next writer creates it again\.$"
    )
    with pytest.raises(InputError, match=sentence), hold_lock(index):
        pass
    assert not other.exists() if make is _link_to_nothing else other.read_text() == "theirs"


@posix
@pytest.mark.parametrize(("make", "kind"), [(_symbolic_link, "symbolic link"), (_hard_link, "hard link")])
def test_a_link_put_there_at_the_last_moment_is_refused_too(make, kind, tmp_path, monkeypatch):
    index, other = tmp_path / "index", tmp_path / "other"
    index.mkdir()
    other.write_text("theirs")

    def open_after_swap(path, *flags, open_file=os.open):
        make(path, other)
        return open_file(path, *flags)

    monkeypatch.setattr(os, "open", open_after_swap)
    with pytest.raises(InputError, match=rf"{kind}|Too many levels of symbolic links"), hold_lock(index):
        pass
    assert other.read_text() == "theirs"


def test_a_line_that_cannot_be_taken_away_fails_nothing_that_is_stored(tmp_path, monkeypatch):
    """What the line was for is done by then: an error would say that nothing was changed."""

    def broken(handle, content):
        raise OSError(errno.EIO, "Input/output error")

    with hold_lock(tmp_path) as lock:
        lock.leave("a change has begun")
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", broken)
            lock.leave("")
            with pytest.raises(OSError, match="Input/output"):
                lock.leave("another one")
