"""Backups of the store: made while games are played, verified, and restored.

Append-only files only grow, and a new manifest replaces the old one in one step. A copy opens the files of the current
manifest and reads each to its length at that time, so it contains the store at one moment. Later writes, rewrites and
removals do not matter. The server is not involved, and nothing is changed.

An external server sends a replication snapshot (`service.ops.backup.snapshot`), which becomes such files. All
primaries of a cluster send one for the same moment (`service.ops.backup.cluster_snapshot`), and the snapshots are merged.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from domain import RELEASE
from domain.kernel.terms import GameId
from service.ops import private_files
from service.ops.backup.cluster_snapshot import copies
from service.ops.backup.files import BadBackup, copy, copy_aof, digests, sync
from service.ops.backup.merge import brought_together
from service.ops.backup.snapshot import NoSnapshot, snapshot
from service.ops.instance import folder
from service.ops.instance.aof import MANIFEST, RESTORING
from service.ops.instance.embedded import EmbeddedServer, answers
from service.ops.instance.folder import AOF
from service.ops.instance.identity import RECORD, recorded
from service.ops.instance.server_binary import ServerVersion
from service.ops.staging import staging, sweep
from service.store.chain import BrokenLog
from service.store.redis.client import RedisClient
from service.store.redis.cluster.client import ClusterClient
from service.store.redis.probe import Info, info
from service.store.redis.store import Store
from service.store.upkeep.repair import games_of
from service.store.upkeep.store_identity import standing

__all__ = ["BackupNote", "BadBackup", "Progress", "brought", "make", "noted", "restore", "verified", "verify"]

NOTE, SERVER = "backup.json", "server.json"
KEY, PUSH_KEY = "signing.key", "push.key"
_MADE_BY_A_SERVER = ("lock", "server.log", "server.pid", folder.SOCKET)
MAKING, VERIFYING = ".making-backup-", ".verifying-backup-"
"""Prefixes of the folders of a backup that is being made or verified; see also `RESTORING`."""

Progress = Callable[[list[GameId]], Iterable[GameId]]
"""Iterates over the games and shows the progress."""


@dataclass(frozen=True, slots=True)
class BackupNote:
    """The description of a backup: creation time, contents, and digests of its files."""

    made_at: int
    release: str
    games: int
    commits: int
    files: Mapping[str, str]
    """SHA-256 of each file by path."""


def make(
    data: Path,
    key: Path,
    push_key: Path,
    to: Path,
    progress: Progress,
    own: RedisClient | None = None,
    waited: Callable[[float], object] = lambda _: None,
) -> BackupNote:
    """Back up the data folder and both keys into a new folder. The service may run or not.

    ``own`` connects to external servers, if the games are there. The copy is loaded by an embedded server, and every
    chain is verified, before the backup gets its final name. ``waited`` is called with the seconds for which a cluster
    paused writes. Raises `BadBackup`.
    """
    if own is None and not (data / AOF / MANIFEST).is_file():
        raise BadBackup(
            f"There is no store in {data}. Set ORACLEWHEEL_DATA or ORACLEWHEEL_REDIS_URL to the store to back up."
        )
    if to.exists():
        raise BadBackup(f"{to} already exists. Give the name of a new folder.")
    to.parent.mkdir(parents=True, exist_ok=True)
    before = _heads_of_running(data) if own is None else _heads(own)
    with staging(to.parent, MAKING) as stage:
        # The folder's record of the store first: the files are read later, so they are at least as new.
        for name in (RECORD, SERVER):
            if (data / name).exists():
                copy(data / name, stage / name)
        if own is None:
            copy_aof(data / AOF, stage / AOF)
        else:
            _copy_servers(own, stage, waited)
        for path, name in ((key, KEY), (push_key, PUSH_KEY)):
            if path.exists():
                copy(path, stage / name)
        found, archived = verified(stage, progress)
        missing = [id_ for id_, seq in before.items() if found.get(id_, 0) < seq and id_ not in archived]
        if missing:
            raise BadBackup(
                f"The backup lacks commits of {len(missing)} games, such as {missing[0]}. Run the command again."
            )
        note = BackupNote(time.time_ns() // 10**6, RELEASE, len(found), sum(found.values()), digests(stage))
        private_files.write(stage / NOTE, json.dumps(asdict(note), indent=1) + "\n")
        try:
            stage.replace(to)
        except OSError as error:
            if to.exists():
                raise BadBackup(
                    f"{to} was created by another process in the meantime. Give the name of a new folder."
                ) from error
            raise
    sync(to.parent)
    return note


def restore(source: Path, data: Path, progress: Progress) -> BackupNote:
    """Restore a backup into an empty data folder, after verifying it again. Raises `BadBackup`."""
    note = noted(source)
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    was_interrupted = any(data.glob(f"{RESTORING}*")) and not (data / AOF).exists()
    sweep(data, RESTORING)
    if was_interrupted:
        _remove_leftovers(source, data)
    if there := [path.name for path in data.iterdir() if path.name != "lost+found"]:
        lies = f"{data} is not empty (it contains {min(there)})"
        raise BadBackup(f"{lies}. Set ORACLEWHEEL_DATA to an empty folder.")
    with staging(data, RESTORING) as stage:
        brought(source, note, stage, progress)
        # Append-only files last: a folder with a record of its store but without these files does not start.
        for path in sorted(stage.iterdir(), key=lambda path: path.name == AOF):
            path.replace(data / path.name)
        sync(data)
    folder.make_private(data)
    return note


def _remove_leftovers(source: Path, data: Path) -> None:
    """Remove the files of an interrupted restore of this backup, and files of a `serve` that refused the folder."""
    for name in (*_MADE_BY_A_SERVER, SERVER):
        (data / name).unlink(missing_ok=True)
    for name in (RECORD, KEY, PUSH_KEY):
        path = data / name
        if path.is_file() and (source / name).is_file() and path.read_bytes() == (source / name).read_bytes():
            path.unlink()


def verify(source: Path, progress: Progress) -> BackupNote:
    """Verify a backup as `restore` does, in a temporary copy next to it. Raises `BadBackup`."""
    note = noted(source)
    with staging(source.resolve().parent, VERIFYING) as stage:
        brought(source, note, stage, progress)
    return note


def brought(source: Path, note: BackupNote, stage: Path, progress: Progress) -> None:
    """Copy the files of a backup, and check that they match its note in digests and contents. Raises `BadBackup`."""
    for name in note.files:
        (stage / name).parent.mkdir(exist_ok=True, mode=0o700)
        copy(source / name, stage / name)
    if digests(stage) != note.files:
        raise BadBackup(
            f"{source} was changed after the backup: its files do not match the digests in {NOTE}. Use another backup."
        )
    found, _ = verified(stage, progress)
    if (len(found), sum(found.values())) != (note.games, note.commits):
        raise BadBackup(f"{source} does not contain the games listed in {NOTE}. Use another backup.")


def verified(stage: Path, progress: Progress) -> tuple[dict[str, int], frozenset[str]]:
    """Load the files with a temporary server and verify every chain. Returns each game's number of commits.

    Also returns the games in the archive, whose objects are not read. An unfinished end of the last file is cut off.
    Raises `BadBackup`.
    """
    server = EmbeddedServer(stage, fsync="no")
    try:
        url = server.start()
        wire = RedisClient(url)
        with closing(Store(wire)) as store:
            store.check_partitions(older=True)
            known, found = recorded(stage), standing(wire)
            if known is not None and (found is None or found.id != known.id or found.is_behind(known)):
                raise BadBackup("The files contain a different store than store.json says, or an older state of it.")
            archived = frozenset(game_id for game_id, _ in store.archive.index())
            return {id_: _verified(store, id_) for id_ in progress(sorted(games_of(store)))}, archived
    finally:
        server.stop()
        folder.forget_sockets(stage)
        for name in _MADE_BY_A_SERVER:
            (stage / name).unlink(missing_ok=True)


def _verified(store: Store, game_id: GameId) -> int:
    seq, head = store.log.head(game_id)
    at, previous = 0, ""
    try:
        for stored in store.log.commits(game_id, headers=True):
            at, previous = stored.seq, stored.head
    except BrokenLog as error:
        message = f"The chain of {game_id} is broken at commit {error.seq}. Run `oraclewheel doctor` for details."
        raise BadBackup(message) from error
    if (at, previous) != (seq, head):
        raise BadBackup(f"{game_id} has {at} commits and should have {seq}. Run `oraclewheel doctor` for details.")
    return seq


def _heads_of_running(data: Path) -> dict[str, int]:
    """The number of commits of each game, if the service runs. The backup must contain at least these."""
    path = folder.socket_path(data)
    if not answers(path):
        return {}
    with closing(RedisClient(f"unix://{path}")) as wire:
        return _heads(wire)


def _heads(wire: RedisClient) -> dict[str, int]:
    store = Store(wire)
    store.check_partitions(older=True)
    return {game_id: store.log.head(game_id)[0] for game_id in games_of(store)}


def _copy_servers(own: RedisClient, stage: Path, waited: Callable[[float], object]) -> None:
    """Copy the data of external servers and record their version, because not every server can read it."""
    try:
        if isinstance(own, ClusterClient):
            found = copies(own, stage)
            waited(found.paused)
            _written_by(stage, max(found.servers, key=lambda told: _server(told).release))
            brought_together(found.files, stage, found.lasting)
        else:
            _written_by(stage, info(own))
            snapshot(own, stage / AOF)
    except NoSnapshot as error:
        raise BadBackup(str(error)) from error


def _written_by(stage: Path, told: Info) -> None:
    private_files.write(stage / SERVER, json.dumps(asdict(_server(told))) + "\n")


def _server(told: Info) -> ServerVersion:
    return ServerVersion(told.get("server_name", "redis"), told.get("valkey_version") or told["redis_version"])


def noted(source: Path) -> BackupNote:
    """The note of a backup. Raises `BadBackup`."""
    try:
        document = json.loads((source / NOTE).read_text())
        note = BackupNote(**document)
        if any(Path(name).is_absolute() or ".." in Path(name).parts for name in note.files):
            raise ValueError("it names files outside")
    except FileNotFoundError:
        raise BadBackup(f"{source} is not a backup: it has no {NOTE}.") from None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BadBackup(f"{source / NOTE} cannot be read: {error}") from error
    lost = [name for name in note.files if not (source / name).is_file()]
    if lost:
        raise BadBackup(f"{source} is incomplete: {lost[0]} is missing. Use another backup.")
    return note
