"""The data folder: private to its user, with the paths of its sockets."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from service.ops.instance.server_binary import ServerUnusable
from service.ops.logging import logger
from service.ops.private_files import OTHERS, close, is_open, is_shared, mode_of

LONGEST_SOCKET = 100
"""Maximum bytes of a unix socket path on every system (Linux 107, macOS 103)."""
TEMPORARY = Path("/tmp")  # noqa: S108 - the owner of folders in it is checked
"""The folder of the sockets if the data folder has a long path. No environment variable is used: those differ by shell."""
AOF = "appendonlydir"
SOCKET = "redis.sock"
QUEUE_SOCKET = "queue.sock"
OURS = (AOF, "signing.key", "push.key", "store.json", "server.json", "server.log", "server.pid", "lock", SOCKET)
"""The files that the service writes into its data folder."""


log = logger("folder")


def make_private(data: Path) -> None:
    """Create the data folder if it is missing. Remove other users' access to its files, with a warning.

    Raises `ServerUnusable` for a folder with other files, because their users would lose access.
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
            "data_folder_exposed",
            reason="other users of this machine could read it, so seeds of running games may be known",
            path=str(path),
            closed=done,
        )


def open_places(data: Path, *others: Path, shut: bool = False) -> Iterator[str]:
    """A sentence for each path that other users can read. With ``shut`` their access is removed if possible."""
    data = data.resolve()
    place = socket_path(data).parent
    below = [] if place == data else [place.parent, place, place / SOCKET]
    for path in dict.fromkeys([*_ours(data), *below, *(path for path in others if path.is_file())]):
        if is_open(path):
            done = "; closed" if shut and close(path) else ""
            why = " (it is a shared folder: give the service its own folder)" if is_shared(path) else ""
            yield f"{path} is accessible to other users of this machine (mode {mode_of(path):o}){why}{done}"


def socket_path(data: Path) -> Path:
    """The path of the server's socket: in the folder, or in a short path elsewhere if that would be too long.

    The same folder always gives the same path.
    """
    data = data.resolve()
    inside = data / SOCKET
    if len(os.fsencode(inside)) <= LONGEST_SOCKET:
        return inside
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return TEMPORARY / f"oraclewheel-{_owner(data)}" / name / SOCKET


def queue_socket(data: Path) -> Path:
    """The path of the queue server's socket, next to that of the games' server."""
    return socket_path(data).with_name(QUEUE_SOCKET)


def make_sockets_place(data: Path) -> Path:
    """The path of the socket, whose folder exists and is private to its owner.

    Raises `ServerUnusable` if another user created that folder, which would let them intercept the connection.
    """
    path = socket_path(data)
    if path.parent != data.resolve():
        for place in (path.parent.parent, path.parent):
            _make_own(place, _owner(data))
    return path


def forget_sockets(data: Path) -> None:
    """Remove the folder of the sockets if it is outside the data folder and empty."""
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
    """The owner of the folder. This lets root find the sockets of the service's user."""
    try:
        return data.stat().st_uid
    except OSError:
        return os.geteuid()


def is_foreign(data: Path) -> bool:
    """Whether the folder has files of others. Hidden files and those of the file system do not count."""
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
