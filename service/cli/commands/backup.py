"""``oraclewheel backup``: a copy of everything that can be brought back, taken while games are played."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from domain.terms import GameId
from service.cli.stores.sentences import sentences
from service.instance.backup import BadBackup, make, verify
from service.instance.folder import keep_private
from service.instance.server_binary import ServerUnusable
from service.settings import Settings
from service.store.ports.errors import StoreDown, StoreUnusable

UNUSABLE = (BadBackup, ServerUnusable, StoreUnusable, StoreDown, OSError)

NOT_OURS = (
    "The games are in the Redis of ORACLEWHEEL_REDIS_URL: it is backed up with its own means (a copy of its append-only files"
    " or of an RDB file, best of a replica), together with the signing key and the push key. `oraclewheel export` backs up single games."
)


@click.command("backup")
@click.argument("to", type=click.Path(path_type=Path))
@click.option(
    "--verify", "only_look", is_flag=True, help="Make none: look through the back-up TO, as `restore` would before it."
)
def command(to: Path, only_look: bool) -> None:
    """Back up the data folder, the signing key and the push key into the new folder TO, whether the service runs or not.

    The back-up is loaded and every game's chain verified before it gets its name. It holds the seeds of running games:
    its files are readable by their owner alone.
    """
    keep_private()
    if only_look:
        _look_through(to)
        return
    settings = loaded()
    try:
        note = make(settings.data.resolve(), settings.key_path, settings.push_key_path, to.resolve(), progress)
    except UNUSABLE as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{to}: {note.games} games with {note.commits} commits, every chain verified.")


def _look_through(source: Path) -> None:
    """Load a back-up and verify it, wherever it was made; nothing of it is changed."""
    try:
        note = verify(source, progress)
    except UNUSABLE as error:
        raise click.ClickException(str(error)) from error
    made = datetime.fromtimestamp(note.made_at / 1000, UTC)
    told = f"made {made:%Y-%m-%d %H:%M:%S} UTC by {note.release}"
    click.echo(f"{source}: {note.games} games with {note.commits} commits, every chain verified; {told}.")


def loaded() -> Settings:
    """The settings of an embedded store; raises `click.ClickException` for any other."""
    with sentences():
        settings = Settings.load()
    if settings.redis_url:
        raise click.ClickException(NOT_OURS)
    return settings


def progress(games: list[GameId]) -> Iterator[GameId]:
    """The games, one after the other, with a bar on standard error."""
    with click.progressbar(games, label="Verifying", file=sys.stderr) as bar:
        yield from bar
