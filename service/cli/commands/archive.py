"""``oraclewheel archive``: move finished games to files or object storage."""

from __future__ import annotations

from collections import Counter

import click

from domain.kernel.terms import GameId
from service.cli.stores.opened import opened
from service.features.archive.mover import LOCK, move, move_all


@click.command("archive")
@click.option(
    "--after",
    "days",
    type=click.IntRange(min=0),
    help="Days that a game stays after its end. Default: ORACLEWHEEL_ARCHIVE_AFTER.",
)
@click.option("--game", "games", metavar="ID", multiple=True, help="Move only this game, whenever it ended.")
def command(days: int | None, games: tuple[str, ...]) -> None:
    """Move finished games to the archive.

    The archive is the folder or bucket in ORACLEWHEEL_ARCHIVE. Each game is exported, audited, written, read back and compared
    before it is removed from the store. Safe to interrupt and run again, and safe to run while the service runs. The service does
    the same once an hour.

    Exit status: 0 if all games were moved, 1 if a game was not moved.

    Example: oraclewheel archive --after 0
    """
    with opened() as (settings, store):
        if not store.archive.is_there:
            raise click.ClickException("No archive is configured: ORACLEWHEEL_ARCHIVE is empty.")
        found: Counter[str] = Counter()
        before = after = 0
        every = (
            (move(store, GameId(each)) for each in games)
            if games
            else move_all(store, settings.archive_after if days is None else days, _busy)
        )
        for each in every:
            found[each.word] += 1
            before, after = before + each.before, after + each.after
            if each.word != "moved":
                click.echo(f"{each.game_id} was not moved: {WORDS.get(each.word, each.word)}.", err=True)
    click.echo(f"{found['moved']} games were moved. Their exports were compressed from {before} to {after} bytes.")
    if found.total() > found["moved"]:
        raise SystemExit(1)


def _busy() -> None:
    raise click.ClickException(
        f"No game was moved: another process moves games, or did less than {LOCK // 1000} seconds ago. Try again in a minute."
    )


WORDS = {
    "unknown-game": "there is no such game",
    "not-over": "it has not ended",
    "archived": "it is already in the archive",
    "waits": "it has pending deliveries, or is damaged",
    "changed": "it changed during the move; try again",
    "another": "another process is moving it",
}
"""Reasons why a game was not moved."""
