"""``oraclewheel open-data``: the finished public games of a month, for whoever would study or check them."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from service.cli.stores.opened import opened
from service.cli.stores.publishing import month_of, published
from service.instance.signing import signer
from service.store.redis.store import RedisStore


@click.command("open-data")
@click.argument("month")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The new folder to write; open-data-MONTH if none.",
)
def command(month: str, output: Path | None) -> None:
    """Write the public games that ended in MONTH (such as 2026-11, UTC) as games.ndjson.zst, with contents.json.

    Each game is its export, audited, in a frame of its own; the table of contents says where each begins, and is signed. Sandboxes
    and imported games are left out. Nothing in it names a person. Exit status 1 if a game had to be left out.
    """
    try:
        month_of(month)
    except ValueError:
        raise click.BadParameter(f"{month!r} is no month such as 2026-11", param_hint="MONTH") from None
    left = []

    def left_out(game_id: str, why: str) -> None:
        left.append(game_id)
        click.echo(f"{game_id} is left out: {why}", err=True)

    to = output or Path(f"open-data-{month}")
    with opened() as (settings, store):
        redis = cast("RedisStore", store)
        try:
            entries = published(redis, month, to, signer(settings.key_path, redis.log), left_out)
        except FileExistsError as error:
            raise click.ClickException(str(error)) from error
    click.echo(f"{to}: {len(entries)} games, {sum(entry.commits for entry in entries)} commits.")
    if left:
        raise SystemExit(1)
