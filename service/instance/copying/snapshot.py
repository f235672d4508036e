"""A server's data as they are at one moment: the file that it gives to whoever says that they will follow it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError

from service.instance.aof import MANIFEST
from service.instance.folder import write
from service.store.redis.connect import Wire

BASE = "appendonly.aof.1.base.rdb"
SILENT = 60.0
"""Seconds without a byte after which the server is given up; while it writes the file it says every second that it does."""

BROKE_OFF = "The server broke off while it gave a copy of its data"

_LONGEST_LINE = 4096


class NoSnapshot(RuntimeError):
    """The server gives none; the sentence says why."""


def snapshot(wire: Wire, files: Path) -> None:
    """Put the data of the server into a new folder of append-only files, as their base. Raises `NoSnapshot`.

    It is what a replica is sent when it begins (``SYNC``): a fork of the server writes all of one moment into a file, and
    nobody waits for it. A server that begins with the folder has what the other had. An `OSError` is the disk's.
    """
    files.mkdir(mode=0o700)
    try:
        connection = wire.connection()
        try:
            asked(connection)
            received(connection, files / BASE)
        finally:
            connection.disconnect()
    except RedisError as error:
        raise NoSnapshot(f"{BROKE_OFF}: {error}.") from error
    write(files / MANIFEST, f"file {BASE} seq 1 type b\n")


def asked(connection: Any) -> None:
    """Ask for a copy over a connection that serves for nothing else."""
    connection.send_command("SYNC", check_health=False)
    line(connection).settimeout(SILENT)


def received(connection: Any, to: Path) -> None:
    """Write the copy that was asked for into a new file. Raises `NoSnapshot`, `OSError`."""
    _received(line(connection), to)


def line(connection: Any) -> Any:
    """Its socket: a file is no reply, and redis-py has no other way to its bytes."""
    return connection._sock  # noqa: SLF001 - as it says


def _received(sock: Any, to: Path) -> None:
    """Write what comes into the file, to its last byte."""
    left = _size(sock)
    with os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while left:
            piece = _heard(sock, min(1 << 20, left))
            if not piece:
                raise NoSnapshot(f"The server broke off {left} bytes before the end of the copy of its data.")
            file.write(piece)
            left -= len(piece)
        file.flush()
        os.fsync(file.fileno())


def _heard(sock: Any, most: int) -> bytes:
    """The next bytes, empty at the end; raises `NoSnapshot` where the line breaks."""
    try:
        piece: bytes = sock.recv(most)
    except OSError as error:
        raise NoSnapshot(f"{BROKE_OFF}: {error}.") from error
    return piece


def _size(sock: Any) -> int:
    """How many bytes follow; the server sends empty lines for as long as it prepares them."""
    line = b""
    while (not line.endswith(b"\n") or not line.strip()) and len(line) < _LONGEST_LINE:
        piece = _heard(sock, 1)
        if not piece:
            break
        line = line.lstrip() + piece
    told = line.decode(errors="replace").strip()
    if not told.startswith("$") or not told[1:].isdigit():
        raise NoSnapshot(
            f"The server gives no copy of its data: {told.lstrip('-')[:200] or 'it says nothing'}. Its user needs the command SYNC;"
            " where it cannot have that, the server is backed up with its own means."
        )
    return int(told[1:])
