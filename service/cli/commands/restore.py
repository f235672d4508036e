"""``oraclewheel restore``: a back-up brought into an empty data folder."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.commands.backup import BY_HAND, UNUSABLE, loaded, progress
from service.instance.backup import restore
from service.instance.folder import keep_private


@click.command("restore")
@click.argument("source", metavar="FROM", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(source: Path) -> None:
    """Bring the back-up in the folder FROM into the data folder (ORACLEWHEEL_DATA), which must be empty.

    It is verified again first. What was played after it was made is gone, and clients that know more are told so.
    """
    keep_private()
    settings = loaded()
    if settings.redis_url:
        raise click.ClickException(BY_HAND.format(source=source))
    try:
        note = restore(source.resolve(), settings.data.resolve(), progress)
    except UNUSABLE as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{settings.data}: {note.games} games with {note.commits} commits, every chain verified.")
    for what, path, name in (
        ("signing", settings.key_path, "SIGNING_KEY"),
        ("push", settings.push_key_path, "PUSH_KEY"),
    ):
        if path.resolve() != (settings.data / f"{what}.key").resolve():
            click.echo(f"The {what} key was put into {settings.data}; ORACLEWHEEL_{name} names another file.", err=True)
