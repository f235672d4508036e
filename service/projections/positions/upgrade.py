"""Which rules decide a game, and what the present ones would have decided otherwise, as far as a reader may know it.

Everybody may know that a game stays under older rules: every commit names those that decided it. Which commit would have come
to something else, and to what, is told to whom the whole of that commit was shown, as it was and as it would have been; of a
refusal that is its sender. Only the types of events are told and no numbers: those of dice that were rolled for something else
are still to come.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from cachetools import LRUCache

from domain import RELEASE
from domain.errors import RulesFault
from domain.game import AnyGame
from domain.play.parts import around
from domain.play.parts.votes.ballot import Upgraded
from domain.play.parts.votes.upgrading import upgrade_of
from domain.play.record import NO_COMMIT, Commit, Position
from domain.play.redecide import redecide
from domain.play.table import PositionSet
from domain.registry import GAMES
from domain.terms import GameId, Seat, Seq
from service.projections.positions.cache import Positions, folded
from service.projections.positions.comparing import Comparison
from service.projections.positions.facts import Facts
from service.store.chain import BrokenLog, WentBack
from service.store.codec import UnknownEvent, canonical, encode_event, plain
from service.store.ports.commits import Stored
from service.store.ports.log import Log
from service.store.reading.bodies import read_commit

GAMES_KEPT = 64
"""Games to be remembered of which commits were decided again."""

SECONDS = 0.5
"""How long commits of a game may be decided again for one answer."""

_OF_TABLE = frozenset(around.EVENTS.values())

Standing = Literal["present", "comparing", "alike", "stays", "agreed", "over"]
"""``present``: the present rules decide. Of a game under older ones: ``comparing``, it is not known yet what the present ones would have
decided; ``alike``, they take over with what comes next; ``stays``, a commit would have differed; ``agreed``, so it would, and the players
have agreed to go on by them; ``over``, nothing is decided any more."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of the rules of a game."""

    standing: Standing
    release: str
    """The release whose rules decide it."""
    position: Position
    """How it stands."""
    upgraded: Upgraded | None
    """The last time that the players have left rules."""
    comparison: Comparison | None = None


class Comparisons:
    """What this process knows of games under older rules; safe to share between threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: LRUCache[GameId, Comparison] = LRUCache(GAMES_KEPT)

    def found(self, log: Log, positions: Positions, facts: Facts) -> Found:
        """What is known of a game's rules by now; more commits are decided again each time, until all have been."""
        position = positions.newest(facts)
        upgraded, release = upgrade_of(position.table), facts.rules.release
        rules = GAMES.get(facts.rules.key)
        if position.over:
            # Nothing comes after its last commit: whose rules that names has decided it, whether they lie here or not.
            last = next(log.commits(facts.id, position.seq, position.seq), None)
            return Found("over", release if last is None else last.release, position, upgraded)
        if not facts.frozen or rules is None:
            standing: Standing = "present" if not facts.frozen else "stays"
            return Found(standing, release, position, upgraded)
        since = NO_COMMIT if upgraded is None else upgraded.upto(release, RELEASE, position.seq)
        if upgraded is not None and since and release == upgraded.left:
            return Found("agreed", release, position, upgraded)
        present = replace(facts, rules=rules, named=NO_COMMIT)
        with self._guard:
            comparison = self._compared(log, present, since, position)
        alike = comparison.divergence is None
        standing = "stays" if not alike else "alike" if comparison.seq >= position.seq else "comparing"
        return Found(standing, release, position, upgraded, comparison)

    def _compared(self, log: Log, facts: Facts, since: Seq, position: Position) -> Comparison:
        known = self._known.get(facts.id)
        if known is None or known.facts.seed != facts.seed or known.since != since:
            known = self._known[facts.id] = Comparison(facts, since)
        try:
            known.go_on(log, position.seq, SECONDS)
        except WentBack:
            del self._known[facts.id]
            return self._compared(log, facts, since, position)
        return known


def is_readable(log: Log, facts: Facts) -> bool:
    """Whether the present rules can read all of a game that others decide."""
    rules = GAMES.get(facts.rules.key)
    if rules is None:
        return False
    try:
        folded(rules, facts.beginning(), log.commits(facts.id))
    except (BrokenLog, UnknownEvent):
        return False
    return True


def difference(log: Log, facts: Facts, found: Found, seat: Seat | None) -> Mapping[str, Any] | None:
    """The first commit that the present rules would have decided otherwise, as a seat (None: the public) may know it.

    Its ``seq``, what it ``was`` and what it ``would`` be; None where there is none, or where it is not the reader's to see.
    """
    comparison = found.comparison
    wrong = None if comparison is None else comparison.divergence
    if comparison is None or wrong is None or wrong.seq is None:
        return None
    stored = next(log.commits(facts.id, wrong.seq, wrong.seq))
    was = _told(facts.rules, _opened(facts.rules, stored), seat)
    if was is None:
        return None
    try:
        present = comparison.facts
        recorded = _opened(present.rules, stored)
        again, _ = redecide(present.rules, comparison.before, recorded, present.chance)
    except Exception:  # noqa: BLE001 - what others have decided may be nothing that these rules can read
        return {"seq": wrong.seq, "was": was, "would": None}
    would = _told(present.rules, again, seat) if again.fault is None else None
    if again.refusal is not None and recorded.refusal is None:
        # Everybody saw what was done; why it would not have been is its sender's alone.
        would = would or {"accepted": False, "refusal": None, "events": []}
    if would is None and again.fault is None:
        return None
    if would is not None and again.drawn > recorded.drawn:
        would = {**would, "events": []}
    return {"seq": wrong.seq, "was": was, "would": would}


def _told(game: AnyGame, commit: Commit, seat: Seat | None) -> dict[str, Any] | None:
    """What a commit came to, for a reader to whom all of it is shown; None for any other."""
    if commit.refusal is not None:
        if commit.refusal.code == RulesFault.code or seat is None or commit.submission.seat != seat:
            return None
        refusal = {"code": commit.refusal.code, "rule": commit.refusal.rule}
        return {"accepted": False, "refusal": refusal, "events": []}
    if not all(_is_whole(_line(game, event, seat), event) for event in commit.events):
        return None
    return {"accepted": True, "refusal": None, "events": [encode_event(event)["type"] for event in commit.events]}


def _is_whole(line: Mapping[str, Any] | None, event: Any) -> bool:
    """Whether a line holds all that stands in an event; it may tell more, such as what something is called."""
    if line is None:
        return False
    return all(
        name in line and canonical(plain(line[name])) == canonical(value) for name, value in encode_event(event).items()
    )


def _line(game: AnyGame, event: Any, seat: Seat | None) -> Mapping[str, Any] | None:
    """What the reader is shown of an event."""
    part = around.part_of_event(event)
    if part is not None:
        return part.reveal(event, seat)
    if isinstance(event, PositionSet):
        return None  # it holds everybody's secrets
    return encode_event(event) if type(event) in _OF_TABLE else game.reveal(event, seat)


def _opened(game: AnyGame, stored: Stored) -> Commit:
    return read_commit(game, stored.seq, stored.at, stored.release, stored.body)
