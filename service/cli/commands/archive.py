"""``oraclewheel archive``: move finished games to files or object storage, to be read from there as before."""

from __future__ import annotations

from collections import Counter
from typing import cast

import click

from domain.terms import GameId
from service.cli.stores.opened import opened
from service.store.redis.store import RedisStore
from workers.archive import LOCK, move, move_all


@click.command("archive")
@click.option(
    "--after", "days", type=click.IntRange(min=0), help="Days after its end that a game stays; as set, if not told."
)
@click.option("--game", "games", metavar="ID", multiple=True, help="Move this game alone, whenever it ended.")
def command(days: int | None, games: tuple[str, ...]) -> None:
    """Move finished games to the archive that ORACLEWHEEL_ARCHIVE names.

    Each is exported and audited, written, read back and compared, and only then let go. It may be killed at any line and called
    again, and may run while the service does; the schedule does the same once an hour.
    """
    with opened() as (settings, store):
        redis = cast("RedisStore", store)
        if not redis.archive.is_there:
            raise click.ClickException("There is no archive: ORACLEWHEEL_ARCHIVE is empty.")
        found: Counter[str] = Counter()
        before = after = 0
        every = (
            (move(redis, GameId(each)) for each in games)
            if games
            else move_all(redis, settings.archive_after if days is None else days, _busy)
        )
        for each in every:
            found[each.word] += 1
            before, after = before + each.before, after + each.after
            if each.word != "moved":
                click.echo(f"{each.game_id} is not moved: {WORDS.get(each.word, each.word)}.", err=True)
    click.echo(f"{found['moved']} games were moved, {before} bytes of exports as {after} bytes.")
    if found.total() > found["moved"]:
        raise SystemExit(1)


def _busy() -> None:
    raise click.ClickException(
        f"Somebody else moves games, or has until less than {LOCK // 1000} seconds ago: nothing was moved. Call again in a minute."
    )


WORDS = {
    "unknown-game": "there is no such game",
    "not-over": "it is not over",
    "archived": "it lies there already",
    "waits": "something is still owed of it, or is wrong with it",
    "changed": "something was changed while it was moved; call again",
    "another": "somebody else moves it",
}
"""Why a game stays, in words."""
