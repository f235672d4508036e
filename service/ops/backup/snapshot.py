"""A server's data at one moment: the snapshot that it sends to a new replica."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hiredis
from redis.connection import parse_url
from redis.exceptions import AuthenticationError, RedisError

from service.ops.instance.aof import MANIFEST
from service.ops.private_files import write
from service.store.redis.client import RedisClient

BASE = "appendonly.aof.1.base.rdb"
SILENT = 60.0
"""Seconds without a byte after which the transfer is aborted. A server that prepares the file sends a byte per second."""

BROKE_OFF = "The connection was lost while the server sent its snapshot"

_LONGEST_LINE = 4096
_CONNECT_TIMEOUT = 5.0


class NoSnapshot(RuntimeError):
    """The server sends no snapshot. The message says why."""


def snapshot(wire: RedisClient, files: Path) -> None:
    """Store the data of the server as the base of new append-only files in the folder. Raises `NoSnapshot`.

    It uses ``SYNC``, the command of a new replica: a fork of the server writes its data at one moment to a file,
    without blocking. A server that starts on the folder has the same data. An `OSError` comes from the local disk.
    """
    files.mkdir(mode=0o700)
    try:
        line = connect(wire.url)
        asked(line)
    except (RedisError, OSError) as error:
        raise NoSnapshot(f"{BROKE_OFF}: {error}.") from error
    with line:
        received(line, files / BASE)
    write(files / MANIFEST, f"file {BASE} seq 1 type b\n")


def connect(url: str) -> socket.socket:
    """A logged-in socket to the server of a URL. Raises redis-py's errors and `OSError`.

    A snapshot is a file and not a reply, so redis-py's connections cannot read it.
    """
    own: dict[str, Any] = parse_url(url)  # type: ignore[no-untyped-call]
    if "path" in own:
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(_CONNECT_TIMEOUT)
        line.connect(own["path"])
    else:
        host = own.get("host", "localhost")
        line = socket.create_connection((host, own.get("port", 6379)), _CONNECT_TIMEOUT)
        if url.startswith("rediss"):
            line = _tls(own).wrap_socket(line, server_hostname=host)
    try:
        if "password" in own:
            user = (own["username"],) if own.get("username") else ()
            line.sendall(hiredis.pack_command(("AUTH", *user, own["password"])))
            if not (reply := _line(line)).startswith("+"):
                raise AuthenticationError(reply.lstrip("-"))
    except BaseException:
        line.close()
        raise
    return line


def _tls(own: Mapping[str, Any]) -> ssl.SSLContext:
    """The TLS context for the options of a URL, which are those of redis-py."""
    context = ssl.create_default_context(cafile=own.get("ssl_ca_certs"), capath=own.get("ssl_ca_path"))
    verify = {"none": ssl.CERT_NONE, "optional": ssl.CERT_OPTIONAL}.get(own.get("ssl_cert_reqs", ""), ssl.CERT_REQUIRED)
    context.check_hostname = verify != ssl.CERT_NONE and str(own.get("ssl_check_hostname", True)).lower() != "false"
    context.verify_mode = verify
    if own.get("ssl_certfile"):
        context.load_cert_chain(own["ssl_certfile"], own.get("ssl_keyfile"), own.get("ssl_password"))
    if own.get("ssl_min_version"):
        context.minimum_version = ssl.TLSVersion(int(own["ssl_min_version"]))
    if own.get("ssl_ciphers"):
        context.set_ciphers(own["ssl_ciphers"])
    return context


def asked(line: socket.socket) -> None:
    """Request a snapshot, on a connection used for nothing else."""
    line.sendall(hiredis.pack_command(("SYNC",)))
    line.settimeout(SILENT)


def received(sock: Any, to: Path) -> None:
    """Write the requested snapshot into a new file, completely. Raises `NoSnapshot` and `OSError`."""
    left = _size(sock)
    with os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while left:
            piece = _heard(sock, min(1 << 20, left))
            if not piece:
                raise NoSnapshot(
                    f"The connection was lost {left} bytes before the end of the snapshot. Run the command again."
                )
            file.write(piece)
            left -= len(piece)
        file.flush()
        os.fsync(file.fileno())


def _heard(sock: Any, most: int) -> bytes:
    """The next bytes; empty at the end. Raises `NoSnapshot` if the connection breaks."""
    try:
        piece: bytes = sock.recv(most)
    except OSError as error:
        raise NoSnapshot(f"{BROKE_OFF}: {error}.") from error
    return piece


def _size(sock: Any) -> int:
    """The size of the snapshot in bytes. The server sends empty lines while it prepares the file."""
    told = _line(sock)
    if not told.startswith("$") or not told[1:].isdigit():
        raise NoSnapshot(
            f"The server sends no snapshot: {told.lstrip('-')[:200] or 'no reason given'}. Allow its user the command SYNC,"
            " or back up the server with its own tools."
        )
    return int(told[1:])


def _line(sock: Any) -> str:
    """The next line that is not empty; the last bytes if the connection ends before it."""
    line = b""
    while (not line.endswith(b"\n") or not line.strip()) and len(line) < _LONGEST_LINE:
        piece = _heard(sock, 1)
        if not piece:
            break
        line = line.lstrip() + piece
    return line.decode(errors="replace").strip()
