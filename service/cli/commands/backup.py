"""``oraclewheel backup``: a copy of everything that can be brought back, taken while games are played."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import click
from redis.exceptions import RedisError

from domain.terms import GameId
from service.cli.serving.gate import known
from service.cli.stores.sentences import sentences
from service.instance.backup import BadBackup, make, verify
from service.instance.folder import keep_private
from service.instance.server_binary import ServerUnusable
from service.settings import Settings
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.redis.connect import Wire

UNUSABLE = (BadBackup, ServerUnusable, StoreUnusable, StoreDown, RedisError, OSError)

DATABASE = "A back-up is made of the database 0 of a server, and ORACLEWHEEL_REDIS_URL names another: its server is backed up with its own means."
BY_HAND = (
    "The games are in the Redis of ORACLEWHEEL_REDIS_URL, which is not ours to stop. Into an empty one `oraclewheel restore --into-store"
    " {source}` brings them, key by key. Or look the back-up through with `oraclewheel backup"
    " --verify {source}`; stop the service and that server; put {source}/appendonlydir into its empty `dir`; start it with `appendonly yes`;"
    " put store.json, signing.key and push.key of the back-up where ORACLEWHEEL_DATA, ORACLEWHEEL_SIGNING_KEY and ORACLEWHEEL_PUSH_KEY"
    " name them, on every host; and start the service."
)
CLUSTER = (
    "The games lie on the cluster of ORACLEWHEEL_REDIS_URL, which is not ours to empty: stop the service, empty the cluster (FLUSHALL on every"
    " primary) or name another, and bring the games into it with `oraclewheel restore --into-store {source}`. Without ORACLEWHEEL_REDIS_URL the"
    " back-up is restored into a data folder, for the embedded server."
)


@click.command("backup")
@click.argument("to", type=click.Path(path_type=Path))
@click.option(
    "--verify", "only_look", is_flag=True, help="Make none: look through the back-up TO, as `restore` would before it."
)
def command(to: Path, only_look: bool) -> None:
    """Back up the games, the signing key and the push key into the new folder TO, whether the service runs or not.

    Of a Redis of your own (ORACLEWHEEL_REDIS_URL) they are what it gives a replica that begins, of a cluster what all of its primaries
    do at one moment, for which nobody can write. The back-up is loaded and every game's chain verified before it gets its name. It holds the seeds of running games:
    its files are readable by their owner alone.
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
    click.echo(f"The servers of the cluster took no writes for {1000 * seconds:.0f} milliseconds.", err=True)


def _look_through(source: Path) -> None:
    """Load a back-up and verify it, wherever it was made; nothing of it is changed."""
    try:
        note = verify(source, progress)
    except UNUSABLE as error:
        raise click.ClickException(str(error)) from error
    made = datetime.fromtimestamp(note.made_at / 1000, UTC)
    told = f"made {made:%Y-%m-%d %H:%M:%S} UTC by {note.release}"
    click.echo(f"{source}: {note.games} games with {note.commits} commits, every chain verified; {told}.")


def _own(settings: Settings) -> Wire:
    """The way to a server or cluster that is not ours; raises `click.ClickException` for one of which no back-up can be made."""
    wire = known(settings, settings.redis_url)
    if not wire.is_cluster and wire.database:
        wire.close()
        raise click.ClickException(DATABASE)
    return wire


def loaded() -> Settings:
    """The settings; raises `click.ClickException` where they cannot be read."""
    with sentences():
        return Settings.load()


def progress(games: list[GameId]) -> Iterator[GameId]:
    """The games, one after the other, with a bar on standard error."""
    with click.progressbar(games, label="Verifying", file=sys.stderr) as bar:
        yield from bar
