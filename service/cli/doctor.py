"""``oraclewheel doctor``: what is wrong with the games and the jobs, and setting it right."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import cast

import click

from domain.terms import Seat
from service.cli.opened import opened
from service.folder import open_places
from service.projections.facts import facts_of
from service.projections.positions import folded
from service.projections.rows import rows_of
from service.queue import Queue
from service.settings import BadSetting, Settings
from service.store.codec import UnknownEvent
from service.store.ports import Rows, Store
from service.store.redis_store import RedisStore
from service.store.repair import games_of, repair
from workers.again import again

WORDS = {
    "lists": "places in lists of games that are wrong",
    "players": "games missing from, or strange in, players' own lists",
    "wakes": "games that wait for a worker without being marked",
    "deadlines": "deadlines that are not noted",
}


@click.command("doctor")
@click.option("--repair", "write", is_flag=True, help="Set right what can be set right.")
@click.option("--quick", is_flag=True, help="Do not replay every game to compare what its readers get.")
def command(write: bool, quick: bool) -> None:
    """Look for stalled games, open files, failed jobs, lost wakes, wrong lists, and rows that are not what the log says.

    Exit status 1 if something is wrong and has not been set right.
    """
    exposed = _exposed(write)  # before the server is started, which closes the folder
    with opened() as (settings, store):
        redis = cast("RedisStore", store)
        queue = Queue(settings.queue or redis.wire.url)
        complaints = [*exposed, *_stalled(store, write), *_jobs(queue, settings.pumps, write), *_indexes(redis, write)]
        if not quick:
            games = sorted(games_of(redis))
            with click.progressbar(games, label="Replaying", file=sys.stderr) as bar:
                complaints += list(_rows(store, bar, write))
    for complaint in complaints:
        click.echo(complaint)
    if not complaints:
        click.echo("All is well.")
    sys.exit(bool(complaints) and not write)


def _exposed(write: bool) -> list[str]:
    """What others can read of the folder and the key, if the settings can be read."""
    try:
        settings = Settings.load()
    except BadSetting as error:
        raise click.ClickException(str(error)) from error
    return list(open_places(settings.data, settings.key_path, shut=write))


def _stalled(store: Store, write: bool) -> Iterator[str]:
    for game in store.log.stalled():
        told = f"{game} is stalled: a command of SYSTEM was refused"
        yield f"{told}; submitted again: {', '.join(again(store, game)) or 'nothing'}" if write else told


def _jobs(queue: Queue, pumps: int, write: bool) -> Iterator[str]:
    for name, jobs in queue.failed().items():
        if jobs:
            done = f"; {queue.settle_failed(name)} of them tried again or cleared away" if write else ""
            yield f"{len(jobs)} failed jobs in the queue {name!r}{done}"
    living = queue.living(pumps)
    if len(living) < pumps:
        yield f"{pumps - len(living)} of {pumps} pumps do not live (no matter while the service is stopped)"


def _indexes(store: RedisStore, write: bool) -> Iterator[str]:
    found = repair(store, write=write)
    for name, words in WORDS.items():
        if found[name]:
            yield f"{found[name]} {words}" + ("; set right" if write else "")


def _rows(store: Store, games: Iterable[str], write: bool) -> Iterator[str]:
    for game in games:
        try:
            wrong = wrong_rows(store, game)
        except UnknownEvent as error:
            yield f"{game} needs a newer release: {error}"
            continue
        if wrong is not None:
            done = ("; written anew" if store.log.rewrite(game, wrong) else "; it is being played") if write else ""
            yield f"{game}: what its readers get is not what its log says{done}"


def wrong_rows(store: Store, game: str) -> Rows | None:
    """The rows of a game as its whole log tells them, if they stand otherwise in the store."""
    facts = facts_of(store, game)
    if facts is None:
        return None
    stand = store.log.rows(game, tuple(Seat(number) for number in range(1, facts.seats + 1)))
    if stand is None:
        return None
    position = folded(facts.rules, facts.beginning(), store.log.commits(game, 1, stand.seq))
    true = rows_of(facts.rules, position, signature=(stand.signature, stand.key_id))
    if store.log.head(game)[0] != stand.seq or true == stand:
        return None
    return true
