"""Where a log says that its players go on by other rules: what stands before need not be decided alike by those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from domain.play.parts.votes.ballot import Upgraded
from domain.play.parts.votes.upgrading import RulesUpgraded, upgraded_by
from domain.shape import snake
from domain.terms import Seq

TYPE = snake(RulesUpgraded.__name__)
_WORD = f'"{TYPE}"'.encode()


def upgrades(bodies: Iterable[tuple[int, bytes]], last: Upgraded | None = None) -> Iterator[Upgraded]:
    """Each of these agreements in commits, given as their seqs and bodies, the oldest first; raises nothing for whatever these are.

    ``last`` is the one before these commits.
    """
    for seq, body in bodies:
        if _WORD not in body:
            continue
        try:
            document = orjson.loads(body)
        except ValueError:
            continue
        events = document.get("events") if isinstance(document, dict) else None
        for event in events if isinstance(events, list) else ():
            if isinstance(event, dict) and event.get("type") == TYPE:
                last = upgraded_by(RulesUpgraded(str(event.get("left")), str(event.get("release"))), Seq(seq), last)
                yield last


def agreed_upto(commits: Iterable[tuple[int, str, bytes]], release: str) -> Seq:
    """The last commit that rules of a release need not decide alike; 0 where the players have not agreed to any such thing.

    The commits are given as their seqs, the releases that they name, and their bodies: all of a game, or its end.
    """
    last: Upgraded | None = None
    newest, named = Seq(0), ""
    for seq, named_, body in commits:
        newest, named = Seq(seq), named_
        last = next(upgrades([(seq, body)], last), last)
    return Seq(0) if last is None else last.upto(named, release, newest)
