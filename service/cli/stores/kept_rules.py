"""Which frozen rules lie here and which games stay under them, for ``oraclewheel doctor``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf

from redis.exceptions import ResponseError

from domain import RELEASE
from domain.play.parts.votes.upgrading import upgrade_of
from domain.play.record import NO_COMMIT
from domain.registry import GAMES
from domain.terms import GameId
from service.cli.stores.checkup import Finding
from service.process.frozen.bundle import BadRules
from service.process.frozen.shelf import shelf
from service.projections.positions.cache import Positions
from service.projections.positions.comparing import Comparison
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent
from service.store.ports.store import Store

SHOWN = 5
"""Games that are named; the others are counted."""

WORDS = {
    "stay": "stay under the frozen rules of {}, since those of {} would have decided a commit otherwise",
    "agreed": "go on by the present rules with their next commit, for their players have agreed to leave those of {}",
    "alike": "were decided last by the frozen rules of {}, and go on by the present ones with their next commit",
    "named": "were decided last by the frozen rules of {}",
}
"""How it stands with games, by a word for it."""


def kept_rules(store: Store, games: Iterable[GameId], *, quick: bool) -> tuple[Sequence[str], Sequence[Finding]]:
    """Sentences on the rules that lie here and the games under them, and what is wrong with those rules.

    With ``quick`` no commit is decided again, so that it is not said which of the games stay.
    """
    try:
        digests = shelf().digests()
    except BadRules as error:
        return (), (Finding(f"frozen rules: {error}"),)
    if not digests:
        return (), ()
    found: dict[tuple[str, str], list[GameId]] = defaultdict(list)
    for game_id in games:
        with suppress(BrokenLog, WentBack, UnknownEvent, LookupError, ValueError, ResponseError):  # said elsewhere
            standing = _standing(store, game_id, quick=quick)
            if standing is not None:
                found[standing].append(game_id)
    said = [f"The rules of {release} lie here frozen, SHA-256 {digests[release]}." for release in sorted(digests)]
    return [*said, *_counted(found)], ()


def _counted(found: dict[tuple[str, str], list[GameId]]) -> Iterator[str]:
    for (release, how), games in sorted(found.items()):
        count = "1 game" if len(games) == 1 else f"{len(games)} games"
        named = ", ".join(games[:SHOWN]) + (", …" if len(games) > SHOWN else "")
        yield f"{count}: {WORDS[how].format(release, RELEASE)} ({named})"


def _standing(store: Store, game_id: GameId, *, quick: bool) -> tuple[str, str] | None:
    """The release under whose frozen rules a running game is, and how it stands with that; None for any other game."""
    lobby = store.lobbies.get(game_id)
    if lobby is None or lobby.status != "running":
        return None
    seq, _ = store.log.head(game_id)
    newest = next(store.log.commits(game_id, seq, seq), None) if seq else None
    if newest is None or newest.release not in shelf().bundles():
        return None
    if quick:
        return newest.release, "named"
    started = Positions(store).started(game_id)
    rules = GAMES.get(lobby.kind)
    if started is None or rules is None:
        return newest.release, "named"
    facts, position = started[0], started[1].position
    upgraded = upgrade_of(position.table)
    since = NO_COMMIT if upgraded is None else upgraded.upto(newest.release, RELEASE, position.seq)
    if upgraded is not None and since and newest.release == upgraded.left:
        return newest.release, "agreed"
    comparison = Comparison(replace(facts, rules=rules, named=NO_COMMIT), since)
    return newest.release, "alike" if comparison.go_on(store.log, position.seq, inf) else "stay"
