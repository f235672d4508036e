"""``oraclewheel open-data``: the finished public games of a month, as a data set for research and audits."""

from __future__ import annotations

from pathlib import Path

import click

from service.cli.stores.opened import opened
from service.features.open_data.publishing import month_of, published
from service.ops.keys.signing import signer


@click.command("open-data")
@click.argument("month")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="New folder to write. Default: open-data-MONTH.",
)
def command(month: str, output: Path | None) -> None:
    """Publish the public games of one month.

    Writes games.ndjson.zst and contents.json into a new folder. They contain the public games that ended in MONTH (UTC, such as
    2026-11). Each game is an audited export in its own zstd frame. The signed table of contents lists the offset of each frame.
    Sandboxes and imported games are excluded. The files contain no player names.

    Exit status: 0 if every game was written, 1 if a game was left out.

    Example: oraclewheel open-data 2026-11
    """
    try:
        month_of(month)
    except ValueError:
        raise click.BadParameter(f"{month!r} is not a month. Use the form 2026-11", param_hint="MONTH") from None
    left = []

    def left_out(game_id: str, why: str) -> None:
        left.append(game_id)
        click.echo(f"{game_id} was left out: {why}", err=True)

    to = output or Path(f"open-data-{month}")
    with opened() as (settings, store):
        try:
            entries = published(store, month, to, signer(settings.key_path, store.log), left_out)
        except FileExistsError as error:
            raise click.ClickException(str(error)) from error
    click.echo(f"{to}: {len(entries)} games, {sum(entry.commits for entry in entries)} commits.")
    if left:
        raise SystemExit(1)
