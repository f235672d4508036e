"""The data folder: closed to other users of the machine, and the one place of its sockets."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from service.instance.server_binary import ServerUnusable
from service.process.logs import logger

LONGEST_SOCKET = 100
"""Bytes of a unix socket's path that every system takes (Linux 107, macOS 103)."""
TEMPORARY = Path("/tmp")  # noqa: S108 - what is made in it is checked to be ours
"""Where the sockets of folders with long paths are: no variable of the environment, which differ from shell to shell."""
AOF = "appendonlydir"
SOCKET = "redis.sock"
QUEUE_SOCKET = "queue.sock"
OURS = (AOF, "signing.key", "push.key", "store.json", "server.json", "server.log", "server.pid", "lock", SOCKET)
"""What the service writes into its data folder."""

OTHERS = 0o077
"""The rights of everybody but the owner; as a umask, what is never given."""

log = logger("folder")


def keep_private() -> None:
    """What this process and its children write from now on is readable by their user alone."""
    os.umask(OTHERS)


def make_private(data: Path) -> None:
    """Make the data folder if there is none; close what stands open in it, and log what did.

    Raises `ServerUnusable` for a folder of somebody else's things: closed, it would be taken away from them.
    """
    if data.exists() and not data.is_dir():
        raise ServerUnusable(f"{data} is a file. Set ORACLEWHEEL_DATA to a folder.")
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    if is_foreign(data):
        raise ServerUnusable(
            f"{data} contains files that are not from Oracle Wheel. Set ORACLEWHEEL_DATA to an empty or new folder."
        )
    for path in [path for path in _ours(data) if is_open(path)]:
        done = close(path)
        log.warning(
            "seeds of running games may have been exposed: a path was accessible to other users of this machine",
            path=str(path),
            closed=done,
        )


def open_places(data: Path, *others: Path, shut: bool = False) -> Iterator[str]:
    """What others can read that nobody should: a sentence for each; with ``shut`` it is closed where that can be."""
    data = data.resolve()
    place = socket_path(data).parent
    below = [] if place == data else [place.parent, place, place / SOCKET]
    for path in dict.fromkeys([*_ours(data), *below, *(path for path in others if path.is_file())]):
        if is_open(path):
            done = "; closed" if shut and close(path) else ""
            why = " (it is a shared folder: give the service its own folder)" if _is_shared(path) else ""
            yield f"{path} is accessible to other users of this machine (mode {_mode(path):o}){why}{done}"


def close(path: Path) -> bool:
    """Take all rights from other users; False where it is not ours to close."""
    if _is_shared(path):
        return False
    try:
        path.chmod(_mode(path) & ~OTHERS)
    except OSError:
        return False
    return True


def opened_privately(path: Path) -> int:
    """The file open for reading and writing, made if there is none; readable by its owner alone even if it was there.

    A file descriptor; what the file held is still in it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_mode & OTHERS:
        with suppress(OSError):
            os.fchmod(descriptor, 0o600)
    return descriptor


def write(path: Path, text: str) -> None:
    """Write a small file so that, whatever happens meanwhile, it holds either all of it or what it held before."""
    descriptor, own = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(own).replace(path)
    except BaseException:
        Path(own).unlink(missing_ok=True)
        raise


def socket_path(data: Path) -> Path:
    """The path of the server's socket: in the folder, or, where that makes it too long, in a short one of its own.

    Whoever is given the same folder comes to the same path.
    """
    data = data.resolve()
    inside = data / SOCKET
    if len(os.fsencode(inside)) <= LONGEST_SOCKET:
        return inside
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return TEMPORARY / f"oraclewheel-{_owner(data)}" / name / SOCKET


def queue_socket(data: Path) -> Path:
    """The path of the socket of the queue's server, beside that of the games'."""
    return socket_path(data).with_name(QUEUE_SOCKET)


def make_sockets_place(data: Path) -> Path:
    """The socket's path, whose folder exists and is its owner's alone.

    Raises `ServerUnusable` where somebody else has made one of that name: nobody shall stand between us and the server.
    """
    path = socket_path(data)
    if path.parent != data.resolve():
        for place in (path.parent.parent, path.parent):
            _make_own(place, _owner(data))
    return path


def forget_sockets(data: Path) -> None:
    """Remove the sockets' place if it lies outside the folder and nothing is in it."""
    path = socket_path(data)
    if path.parent != data.resolve():
        with suppress(OSError):
            path.unlink(missing_ok=True)
            queue_socket(data).unlink(missing_ok=True)
            path.parent.rmdir()


def _make_own(place: Path, owner: int) -> None:
    try:
        place.mkdir(mode=0o700)
        if os.geteuid() == 0 != owner:
            os.chown(place, owner, -1, follow_symlinks=False)
    except FileExistsError:
        pass
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner:
        raise ServerUnusable(
            f"{place}, the folder for sockets of a data folder with a long path, is not a directory owned by this user."
            " Remove it, or give ORACLEWHEEL_DATA a shorter path."
        )
    if found.st_mode & OTHERS:
        place.chmod(0o700)


def _owner(data: Path) -> int:
    """Whose folder it is: root finds the sockets of the user that the service runs as."""
    try:
        return data.stat().st_uid
    except OSError:
        return os.geteuid()


def is_foreign(data: Path) -> bool:
    """Whether others live there: hidden files and what a file system makes for itself are nobody's things."""
    if not data.is_dir():
        return False
    names = {path.name for path in data.iterdir() if not path.name.startswith(".")} - {"lost+found"}
    return bool(names) and names.isdisjoint(OURS) and not any(name.startswith(f"{AOF}.lost-") for name in names)


def _ours(data: Path) -> Iterator[Path]:
    if not data.is_dir() or is_foreign(data):
        return
    yield data
    for name in OURS:
        path = data / name
        if path.is_symlink():
            continue
        if path.exists():
            yield path
        if path.is_dir():
            with suppress(OSError):
                yield from sorted(below for below in path.iterdir() if not below.is_symlink())


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def is_open(path: Path) -> bool:
    """Whether other users have any right to the file or folder; False where there is none."""
    try:
        return bool(_mode(path) & OTHERS)
    except OSError:
        return False


def _is_shared(path: Path) -> bool:
    """A folder like /tmp, in which everybody writes, or the root of the system: closing it would break the machine."""
    return path == path.parent or bool(_mode(path) & stat.S_ISVTX)
