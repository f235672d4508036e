"""Matches data folder and store: the folder records its store, and a store that does not fit is refused."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from service.ops import private_files
from service.ops.logging import logger
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.redis.client import RedisClient
from service.store.redis.probe import fsync_of
from service.store.upkeep.store_identity import StoreIdentity, is_empty, named, raised, standing

RECORD = "store.json"
EVERY = 10.0
"""Seconds between two marks."""
DURABLE_AFTER = {"always": 0.0, "everysec": 10.0, "no": 120.0}
"""Seconds after which a write is surely on disk, by the server's ``appendfsync``."""
WAY_OUT = (
    " Nothing has been changed. Bring the missing files back, or restore a backup into an empty folder (oraclewheel"
    " restore). To accept the loss and use the store as it is, run `oraclewheel serve --accept-loss`."
)

log = logger("identity")


def recorded(data: Path) -> StoreIdentity | None:
    """The folder's record of its store; None if it has none.

    Raises `StoreUnusable` if it cannot be read.
    """
    try:
        record = json.loads((data / RECORD).read_text())
        found = StoreIdentity(str(record["id"]), int(record["games"]), int(record["mark"]), int(record["at"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise StoreUnusable(
            f"{data / RECORD}, which identifies the store of the data folder, cannot be read. Restore a backup. Or, if you know"
            " that the store is the right one and complete, run `oraclewheel serve --accept-loss` to write the file again."
        ) from error
    return found


def acquaint(data: Path, wire: RedisClient, *, accept_loss: bool = False) -> StoreIdentity:
    """Check that this is the folder's store and that it has lost nothing. A new folder and a new store are linked.

    Raises `StoreUnusable` otherwise. If the loss is accepted, the folder records the store as it is.
    """
    if accept_loss:
        known = named(wire)
        if data.is_dir():
            _write(data, known)
        return known
    before, found = recorded(data), standing(wire)
    if before is not None:
        _must_fit(data, before, found, wire)
    if found is None:
        found = named(wire)
    if before is None and data.is_dir() and durable_after(wire) == 0:
        _write(data, found)
    return found


def _must_fit(data: Path, before: StoreIdentity, found: StoreIdentity | None, wire: RedisClient) -> None:
    remembers = f"The data folder {data} belongs to a store with {before.games} games (last seen {_when(before)})"
    if found is None and is_empty(wire):
        raise StoreUnusable(f"{remembers}, but this store is empty.{WAY_OUT}")
    if found is None or found.id != before.id:
        raise StoreUnusable(
            f"{remembers}, but this is another store. Set ORACLEWHEEL_REDIS_URL to the right store, or ORACLEWHEEL_DATA to"
            f" another folder.{WAY_OUT}"
        )
    if found.is_behind(before):
        raise StoreUnusable(
            f"{remembers}, but this is an older state of that store, with {found.games} games (last seen {_when(found)}):"
            f" later moves are missing.{WAY_OUT}"
        )


def durable_after(wire: RedisClient) -> float:
    """Seconds after which the store's acknowledged writes are on its disk, by its own settings."""
    return DURABLE_AFTER.get(fsync_of(wire) or "everysec", 10.0)


class Marker:
    """Raises the store's mark, and records in the folder what is certainly on disk.

    So the folder never records more than a store can have after a crash or a power failure.
    """

    def __init__(
        self, data: Path, wire: RedisClient, id_: str, *, every: float = EVERY, delay: float | None = None
    ) -> None:
        self._data, self._wire, self._id, self._every = data, wire, id_, every
        self._delay = durable_after(wire) if delay is None else delay
        self._unwritten: deque[tuple[float, StoreIdentity]] = deque()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="marker", daemon=True)
        self._newest: StoreIdentity | None = None
        self.failure: str | None = None
        """The reason why the service must stop: the store was replaced while it ran. None if it was not."""

    def start(self) -> None:
        """Start marking in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Mark a last time and stop the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(30)
        self.mark()

    def finish(self) -> None:
        """Record the last mark too, after the server has stopped cleanly and everything is on disk."""
        if self._unwritten and self.failure is None:
            self._write(self._unwritten[-1][1])

    def mark(self) -> None:
        """Mark once. If the store does not answer, the next call tries again."""
        try:
            now = raised(self._wire, self._id)
        except StoreDown:
            return
        if now is None or now.id != self._id:
            self.failure = (
                "The store is no longer the one that this service was started with: it was emptied, or a different store"
                " answers at its address. The service stops to protect the games. Check ORACLEWHEEL_REDIS_URL."
            )
            return
        if self._newest is not None and now.is_behind(self._newest):
            # Clients that have seen more of a game than its log get `log-diverged`.
            log.error("store_rolled_back", since=_when(now))
            self._unwritten.clear()
        self._newest = now
        self._unwritten.append((time.monotonic(), now))
        durable = None
        while self._unwritten and self._unwritten[0][0] <= time.monotonic() - self._delay:
            durable = self._unwritten.popleft()[1]
        if durable is not None:
            self._write(durable)

    def _write(self, known: StoreIdentity) -> None:
        if not self._data.is_dir():
            return
        try:
            _write(self._data, known)
        except OSError as error:
            log.warning("data_folder_not_writable", error=str(error))

    def _run(self) -> None:
        while self.failure is None:
            self.mark()
            if self._stop.wait(self._every):
                return


def _write(data: Path, known: StoreIdentity) -> None:
    private_files.write(data / RECORD, json.dumps(asdict(known)) + "\n")


def _when(known: StoreIdentity) -> str:
    if not known.at:
        return "at its beginning"
    return datetime.fromtimestamp(known.at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
