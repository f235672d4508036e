"""``oraclewheel restore``: copy a backup into an empty data folder or an empty store."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import click

from service.cli.commands.backup import BY_HAND, CLUSTER, UNUSABLE, loaded, progress
from service.ops.backup.backup import BackupNote, restore
from service.ops.backup.external_restore import restore_into
from service.ops.private_files import keep_private
from service.ops.serving.preflight import GAMES
from service.ops.settings import Settings, redis_url
from service.store.redis.probe import reach


@click.command("restore")
@click.argument("source", metavar="FROM", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--into-store",
    "into_store",
    is_flag=True,
    help="Restore into the empty server or cluster of ORACLEWHEEL_REDIS_URL.",
)
def command(source: Path, into_store: bool) -> None:
    """Restore a backup into an empty data folder.

    Verifies the backup in the folder FROM again, then copies it into the data folder (ORACLEWHEEL_DATA), which must be empty. Moves
    made after the backup are lost; clients that have seen them get the error `log-diverged`.

    Exit status: 0 if the backup was restored, 1 if not.

    Example: oraclewheel restore backups/monday
    """
    keep_private()
    settings = loaded()
    if into_store and not settings.redis_url:
        raise click.UsageError(
            "--into-store needs ORACLEWHEEL_REDIS_URL, which is empty. Set it to the server to restore into."
        )
    if settings.redis_url and not into_store:
        is_cluster = redis_url.read(settings.redis_url).form == "cluster"
        raise click.ClickException((CLUSTER if is_cluster else BY_HAND).format(source=source))
    data = settings.data.resolve()
    try:
        note = (
            _into_store(settings, source.resolve(), data) if into_store else restore(source.resolve(), data, progress)
        )
    except UNUSABLE as error:
        raise click.ClickException(str(error)) from error
    where = redis_url.shown(settings.redis_url) if into_store else str(settings.data)
    click.echo(f"{where}: {note.games} games with {note.commits} commits, every chain verified.")
    for what, path, name in (
        ("signing", settings.key_path, "SIGNING_KEY"),
        ("push", settings.push_key_path, "PUSH_KEY"),
    ):
        if path.resolve() != (settings.data / f"{what}.key").resolve():
            click.echo(
                f"The {what} key was restored into {settings.data}, but ORACLEWHEEL_{name} names another file. Move the key there.",
                err=True,
            )


def _into_store(settings: Settings, source: Path, data: Path) -> BackupNote:
    with closing(reach(settings.redis_url, setting=GAMES)) as wire:
        return restore_into(source, data, wire, progress, _carrying)


def _carrying(count: int, arrived: Iterable[int]) -> Iterator[int]:
    with click.progressbar(length=count, label="Copying keys", file=sys.stderr) as bar:
        for some in arrived:
            bar.update(some)
            yield some
