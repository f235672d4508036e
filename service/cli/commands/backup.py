"""``oraclewheel backup``: a verified copy of the games and keys, safe to make while the service runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import click
from redis.exceptions import RedisError

from domain.kernel.terms import GameId
from service.cli.stores.sentences import sentences
from service.ops.backup.backup import BadBackup, make, verify
from service.ops.instance.server_binary import ServerUnusable
from service.ops.private_files import keep_private
from service.ops.serving.preflight import known
from service.ops.settings import Settings
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.redis.client import RedisClient

UNUSABLE = (BadBackup, ServerUnusable, StoreUnusable, StoreDown, RedisError, OSError)

DATABASE = "Only database 0 of a server can be backed up, and ORACLEWHEEL_REDIS_URL names another. Back up this server with its own tools."
BY_HAND = (
    "The games are in the Redis of ORACLEWHEEL_REDIS_URL, which this command cannot stop. If it is empty, run `oraclewheel restore"
    " --into-store {source}` to copy the games key by key. Or restore its files by hand: check the backup with `oraclewheel backup"
    " --verify {source}`; stop the service and that server; copy {source}/appendonlydir into its empty `dir`; start it with"
    " `appendonly yes`; copy store.json, signing.key and push.key from the backup to the places in ORACLEWHEEL_DATA,"
    " ORACLEWHEEL_SIGNING_KEY and ORACLEWHEEL_PUSH_KEY on every host; start the service."
)
CLUSTER = (
    "The games are on the cluster of ORACLEWHEEL_REDIS_URL, which this command does not empty. Stop the service, empty the cluster"
    " (FLUSHALL on every primary) or name another one, and run `oraclewheel restore --into-store {source}`. Without"
    " ORACLEWHEEL_REDIS_URL, the backup is restored into a data folder for the embedded server."
)


@click.command("backup")
@click.argument("to", type=click.Path(path_type=Path))
@click.option("--verify", "only_look", is_flag=True, help="Only check the existing backup TO, as `restore` does first.")
def command(to: Path, only_look: bool) -> None:
    """Back up games and keys into a new folder.

    Copies the games, the signing key and the push key into the new folder TO. The service can keep running. The backup is loaded
    and the chain of every game is verified before the folder TO appears.

    External Redis (ORACLEWHEEL_REDIS_URL): the backup is a replication snapshot. Cluster: one consistent snapshot of all primaries;
    writes pause for a few milliseconds.

    A backup contains the seeds of running games. Only the owner can read its files.

    Exit status: 0 on success, 1 on failure, 2 for invalid arguments.

    Example: oraclewheel backup backups/monday
    """
    keep_private()
    if only_look:
        _look_through(to)
        return
    settings = loaded()
    data, keys = settings.data.resolve(), (settings.key_path, settings.push_key_path)
    try:
        with closing(_own(settings)) if settings.redis_url else nullcontext() as own:
            note = make(data, *keys, to.resolve(), progress, own, _waited)
    except UNUSABLE as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{to}: {note.games} games with {note.commits} commits, every chain verified.")


def _waited(seconds: float) -> None:
    click.echo(f"Writes to the cluster were paused for {1000 * seconds:.0f} milliseconds.", err=True)


def _look_through(source: Path) -> None:
    try:
        note = verify(source, progress)
    except UNUSABLE as error:
        raise click.ClickException(str(error)) from error
    made = datetime.fromtimestamp(note.made_at / 1000, UTC)
    told = f"made {made:%Y-%m-%d %H:%M:%S} UTC by {note.release}"
    click.echo(f"{source}: {note.games} games with {note.commits} commits, every chain verified; {told}.")


def _own(settings: Settings) -> RedisClient:
    """Connection to an external server or cluster. Raises `click.ClickException` if it cannot be backed up."""
    wire = known(settings, settings.redis_url)
    if not wire.is_cluster and wire.database:
        wire.close()
        raise click.ClickException(DATABASE)
    return wire


def loaded() -> Settings:
    """The settings. Raises `click.ClickException` if they cannot be read."""
    with sentences():
        return Settings.load()


def progress(games: list[GameId]) -> Iterator[GameId]:
    """The games in order, with a progress bar on standard error."""
    with click.progressbar(games, label="Verifying", file=sys.stderr) as bar:
        yield from bar
