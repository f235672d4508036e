"""A back-up of the store that is taken while games are played, looked through, and brought back.

The append-only files are only ever added to, and a new manifest takes the place of the old one in one step. So the files
that a manifest names, opened while it stands and read up to the length that they have then, are the store as it was at
one moment, whatever is written, rewritten or removed meanwhile. Nothing is asked of the server, and nothing is changed.
A server of one's own is asked for what it gives a replica (`service.instance.copying.snapshot`), and that becomes such files; so are all
primaries of a cluster, at one moment (`service.instance.copying.moment`), and what they give is brought together.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from domain import RELEASE
from domain.terms import GameId
from service.instance import folder
from service.instance.aof import MANIFEST, RESTORING
from service.instance.copying.files import BadBackup, copy, copy_aof, digests, sync
from service.instance.copying.moment import copies
from service.instance.copying.snapshot import NoSnapshot, snapshot
from service.instance.copying.together import brought_together
from service.instance.embedded import EmbeddedServer, answers
from service.instance.folder import AOF
from service.instance.identity import RECORD, recorded
from service.instance.server_binary import Server
from service.instance.staging import staging, sweep
from service.store.chain import BrokenLog
from service.store.redis.cluster.wire import ClusterWire
from service.store.redis.connect import Wire
from service.store.redis.probe import Info, info
from service.store.redis.store import Store
from service.store.upkeep.repair import games_of
from service.store.upkeep.standing import standing

__all__ = ["BadBackup", "Note", "Progress", "brought", "make", "noted", "restore", "verified", "verify"]

NOTE, SERVER = "backup.json", "server.json"
KEY, PUSH_KEY = "signing.key", "push.key"
_MADE_BY_A_SERVER = ("lock", "server.log", "server.pid", folder.SOCKET)
MAKING, VERIFYING = ".making-backup-", ".verifying-backup-"
"""How the folders begin in which a back-up lies that is being made, or looked through; see also `RESTORING`."""

Progress = Callable[[list[GameId]], Iterable[GameId]]
"""Goes through the games and shows how far it has come."""


@dataclass(frozen=True, slots=True)
class Note:
    """What stands beside a back-up: when it was made, what was found in it, and what its files come to."""

    made_at: int
    release: str
    games: int
    commits: int
    files: Mapping[str, str]
    """Path → SHA-256."""


def make(
    data: Path,
    key: Path,
    push_key: Path,
    to: Path,
    progress: Progress,
    own: Wire | None = None,
    waited: Callable[[float], object] = lambda _: None,
) -> Note:
    """Back up the data folder and both keys into a new folder, whether the service runs or not.

    ``own`` leads to servers that are not the folder's: then the games are theirs. What was copied is loaded by a server of our own,
    and every chain is verified, before it gets its name. ``waited`` is told for how many seconds a cluster took no writes.
    Raises `BadBackup`.
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
        # First what the folder remembers of the store: the files, read later, have come at least as far.
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
        note = Note(time.time_ns() // 10**6, RELEASE, len(found), sum(found.values()), digests(stage))
        folder.write(stage / NOTE, json.dumps(asdict(note), indent=1) + "\n")
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


def restore(source: Path, data: Path, progress: Progress) -> Note:
    """Bring a back-up into an empty data folder, after it was looked through again. Raises `BadBackup`."""
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
        # The append-only files last: a folder that knows its store and lacks them does not start.
        for path in sorted(stage.iterdir(), key=lambda path: path.name == AOF):
            path.replace(data / path.name)
        sync(data)
    folder.make_private(data)
    return note


def _remove_leftovers(source: Path, data: Path) -> None:
    """Remove what an interrupted restore of this backup moved into the folder, and what `serve` left when it refused it."""
    for name in (*_MADE_BY_A_SERVER, SERVER):
        (data / name).unlink(missing_ok=True)
    for name in (RECORD, KEY, PUSH_KEY):
        path = data / name
        if path.is_file() and (source / name).is_file() and path.read_bytes() == (source / name).read_bytes():
            path.unlink()


def verify(source: Path, progress: Progress) -> Note:
    """Look a back-up through as `restore` does, in a copy beside it that is removed again. Raises `BadBackup`."""
    note = noted(source)
    with staging(source.resolve().parent, VERIFYING) as stage:
        brought(source, note, stage, progress)
    return note


def brought(source: Path, note: Note, stage: Path, progress: Progress) -> None:
    """Copy the files of a back-up, and see that they are those of the note and hold what it tells of. Raises `BadBackup`."""
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
    """Load the files with a server that is thrown away, and verify every chain: each game's number of commits.

    And the games in the archive, whose objects are not looked at.

    What a crash or the moment of the copy left unfinished at the end of the last file is cut off. Raises `BadBackup`.
    """
    server = EmbeddedServer(stage, fsync="no")
    try:
        url = server.start()
        wire = Wire(url)
        with closing(Store(wire)) as store:
            store.check_partitions()
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
    """How far each game has come, if the service runs: the back-up must have at least that."""
    path = folder.socket_path(data)
    if not answers(path):
        return {}
    with closing(Wire(f"unix://{path}")) as wire:
        return _heads(wire)


def _heads(wire: Wire) -> dict[str, int]:
    store = Store(wire)
    store.check_partitions()
    return {game_id: store.log.head(game_id)[0] for game_id in games_of(store)}


def _copy_servers(own: Wire, stage: Path, waited: Callable[[float], object]) -> None:
    """The data of servers of one's own, and which they were: not every one can read what another wrote."""
    try:
        if isinstance(own, ClusterWire):
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
    folder.write(stage / SERVER, json.dumps(asdict(_server(told))) + "\n")


def _server(told: Info) -> Server:
    return Server(told.get("server_name", "redis"), told.get("valkey_version") or told["redis_version"])


def noted(source: Path) -> Note:
    """What a back-up says of itself; raises `BadBackup`."""
    try:
        document = json.loads((source / NOTE).read_text())
        note = Note(**document)
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
