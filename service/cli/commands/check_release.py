"""``oraclewheel check-release``: whether this release decides every stored game as it was decided, before a deploy."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import click
from redis.exceptions import ResponseError

from domain import RELEASE
from domain.terms import GameId
from service.audit.deciding import Deciding
from service.audit.processes import Inconclusive, can_fork, in_order
from service.audit.report import Divergence
from service.cli.jobs import jobs_option
from service.cli.stores.opened import opened
from service.projections.positions.facts import facts_of
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.store import Store


@dataclass(frozen=True, slots=True)
class Checked:
    """One game under this release."""

    game_id: GameId
    kind: str
    commits: int
    """How many are right."""
    divergence: Divergence | None = None


@click.command("check-release")
@click.option("--kind", help="Only games of this kind.")
@jobs_option("games")
@click.argument("games", nargs=-1)
def command(kind: str | None, jobs: int, games: tuple[GameId, ...]) -> None:
    """Fold and re-decide every stored game (or GAMES alone) under this release, and list the first divergence of each.

    The games are shared out among as many processes as there are cores. Exit status 1 if there is any.
    """
    broken = commits = count = 0
    with opened() as (_, store):
        ids = list(games) or sorted(store.lobbies.every())
        for game_id in games:
            if not _is_there(store, game_id):
                raise click.ClickException(f"There is no game {game_id!r}.")
        with click.progressbar(length=len(ids), label="Checking", file=sys.stderr) as bar:
            for each in _on_all_cores(store, ids, kind, jobs, lambda: bar.update(1)):
                count += 1
                commits += each.commits
                if each.divergence is not None:
                    broken += 1
                    click.echo(f"{each.game_id} ({each.kind}): {each.divergence}")
    summary = "none diverges" if broken == 0 else f"{broken} diverge"
    click.echo(f"Release {RELEASE}: {count} games, {commits} commits decided again; {summary}.")
    if broken:
        sys.exit(1)


def _on_all_cores(
    store: Store, games: list[GameId], kind: str | None, jobs: int, done: Callable[[], None]
) -> Iterator[Checked]:
    """As `checked`, in the same order, by so many processes; ``done`` is called for each game that was looked at.

    Raises a `ClickException` where a process breaks off: what it had still to look at, nobody has.
    """
    try:
        for found in in_processes(store, games, kind, jobs):
            done()
            yield from found
    except Inconclusive as error:
        last = str(error).strip().splitlines()[-1]
        raise click.ClickException(
            f"The check broke off, and says nothing of the games that are left: {last}"
        ) from error


def in_processes(store: Store, games: list[GameId], kind: str | None, jobs: int) -> Iterator[tuple[Checked, ...]]:
    """For each game what `checked` finds of it: nothing where it has not started, or is of another kind.

    Each of the ``jobs`` processes takes connections of its own to the store. Raises `Inconclusive` where one breaks off.
    """

    def look(game_id: GameId) -> tuple[Checked, ...]:
        return tuple(checked(store, [game_id], kind))

    if jobs == 1 or len(games) < 2 or not can_fork():
        return map(look, games)
    return in_order(games, jobs, look)


def _is_there(store: Store, game_id: GameId) -> bool:
    try:
        return store.lobbies.get(game_id) is not None
    except BrokenLog:
        return True


def checked(store: Store, games: list[GameId], kind: str | None = None) -> Iterator[Checked]:
    """Each started game, of that kind if one is given."""
    for game_id in games:
        known = ""
        try:
            lobby = store.lobbies.get(game_id)
            if lobby is not None and lobby.status != "lobby" and kind in (None, lobby.kind):
                known = lobby.kind
                yield check(store, game_id, lobby.kind)
        except (BrokenLog, ResponseError, LookupError, ValueError) as error:
            yield Checked(game_id, known or "unknown kind", 0, Divergence("AUD-09", f"it cannot be read: {error}", 1))


def check(store: Store, game_id: GameId, kind: str) -> Checked:
    """Fold and re-decide the commits of a started game."""
    try:
        facts = facts_of(store, game_id)
    except UnknownEvent as error:
        return Checked(game_id, kind, 0, Divergence("AUD-09", f"this release does not know {error}", 1))
    assert facts is not None
    deciding = Deciding(facts.rules, facts.chance)
    for commit in store.log.commits(game_id):
        divergence = deciding.take(commit.seq, commit.at, commit.release, commit.body)
        if divergence is not None:
            return Checked(game_id, kind, deciding.position.seq, divergence)
    return Checked(game_id, kind, deciding.position.seq)


SAMPLE, SECONDS = 20, 3.0
"""How many games are decided again when the service starts, and how long that may take."""


def sampled(store: Store) -> list[Checked]:
    """Some running games that this release would decide otherwise than they stand: a look before the service starts.

    Pumps look again at each game that they load first, and leave such a game alone.
    """
    wrong, seen, until = [], 0, time.monotonic() + SECONDS
    for game_id in store.lobbies.every():
        if seen >= SAMPLE or time.monotonic() > until:
            break
        try:
            lobby = store.lobbies.get(game_id)
            if lobby is None or lobby.status != "running":
                continue
            seen += 1
            checked_ = check(store, game_id, lobby.kind)
        except (BrokenLog, LookupError, ValueError):
            continue  # a pump will set it aside
        if checked_.divergence is not None:
            wrong.append(checked_)
    return wrong
