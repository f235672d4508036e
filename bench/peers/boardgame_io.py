"""boardgame.io, installed by npm from the lockfile in this folder, served with each of its storages, and played."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bench.load.instance import free_port
from tools.load.cores import core_seconds

HERE = Path(__file__).resolve().parent
FILES = ("package.json", "package-lock.json", "server.js", "players.js")


class NotHere(RuntimeError):
    """It cannot be set up on this machine; the message says why."""


def set_up() -> Path:
    """The folder with it and its dependencies, created by `npm ci` the first time. Raises `NotHere`."""
    if not (shutil.which("node") and shutil.which("npm")):
        raise NotHere("node and npm are not here")
    locked = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in FILES)).hexdigest()[:16]
    folder = _cache() / f"boardgame.io-{locked}"
    if not folder.exists():
        making = folder.with_name(f"{folder.name}.{os.getpid()}")
        making.mkdir(parents=True)
        for name in FILES:
            shutil.copy(HERE / name, making)
        command = ["npm", "ci", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=making, capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(making)
            raise NotHere(f"npm could not set it up: {(done.stderr.strip() or 'it did not say why').splitlines()[-1]}")
        making.rename(folder)
    return folder


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "oraclewheel"


@dataclass(frozen=True, slots=True)
class Played:
    moves: int
    seconds: float
    own: float
    """CPU seconds of the players."""
    served: float
    """CPU seconds of the server."""

    @property
    def rate(self) -> float:
        return self.moves / self.seconds


class Peer:
    """Its server; stopped at the end of the ``with`` block.

    ``storage`` is empty (in memory), ``files:FOLDER``, or the postgresql:// address of a database.
    """

    def __init__(self, folder: Path, storage: str = "", *, others: Callable[[], float] = lambda: 0.0) -> None:
        self._folder, self._port, self._others = folder, free_port(), others
        self._environ = {**os.environ, "NODE_ENV": "production"}
        command = ["node", "server.js", str(self._port), storage]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, cwd=folder, env=self._environ, stdout=quiet, stderr=quiet)
        _until_listening(self._port)

    def play(self, moves: int, games: int, seconds: float) -> Played:
        """Play so many games at once, with so many consecutive moves of each player and one move in flight in each game."""
        before = self._core_seconds()
        command = ["node", "players.js", *map(str, (self._port, moves, games, seconds))]
        done = subprocess.run(
            command, cwd=self._folder, env=self._environ, stdout=subprocess.PIPE, check=True, timeout=seconds + 60
        )
        return Played(**json.loads(done.stdout), served=self._core_seconds() - before)

    def _core_seconds(self) -> float:
        return core_seconds([self._process.pid]).total() + self._others()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


def _until_listening(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("boardgame.io did not come up")


class Postgres:
    """A PostgreSQL server with an empty database, every commit on disk (its defaults).

    Stopped at the end of the ``with`` block. Raises `NotHere` without PostgreSQL's programs. Root cannot run it: then
    it runs as the user ``postgres``.
    """

    def __init__(self) -> None:
        programs = _postgres_programs()
        self._folder = Path(tempfile.mkdtemp(prefix="ow-postgres-"))
        self._user = "postgres" if os.geteuid() == 0 else None
        try:
            if self._user:
                shutil.chown(self._folder, self._user)
            data, quiet = self._folder / "data", subprocess.DEVNULL
            initialize = [programs / "initdb", "--pgdata", data, "--username", "bench", "--auth", "trust"]
            subprocess.run(initialize, user=self._user, cwd=self._folder, stdout=quiet, check=True)
            port = free_port()
            serve = [programs / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", self._folder]
            self._process = subprocess.Popen(serve, user=self._user, cwd=self._folder, stdout=quiet, stderr=quiet)
        except (OSError, LookupError, subprocess.CalledProcessError) as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise NotHere(f"PostgreSQL could not be started: {error}") from error
        _until_listening(port)
        self.url = f"postgresql://bench@127.0.0.1:{port}/postgres"

    def core_seconds(self) -> float:
        return core_seconds([self._process.pid]).total()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)  # its fast shutdown, which closes open connections
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _postgres_programs() -> Path:
    """The folder of initdb and postgres, which Debian does not add to PATH."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NotHere("PostgreSQL is not installed")
