"""Games that were decided by other rules, which lie here frozen: when the present rules take over, and when not.

They do as soon as they have decided every commit again and each has come to the same; a game of which one commit would differ
stays under the frozen rules, unless its players agree to leave these. That follows from the log alone, so every worker finds
the same, and nothing has to be kept of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cachetools import LRUCache

from domain import RELEASE
from domain.play.parts.votes.upgrading import ROUTED, upgrade_of
from domain.play.record import NO_COMMIT, Position
from domain.registry import GAMES
from domain.terms import GameId, Seq
from service.process.logs import logger
from service.projections.positions.cache import CachedPosition, Positions
from service.projections.positions.comparing import Comparison
from service.projections.positions.facts import Facts
from service.store.chain import BrokenLog, NeedsRelease, WentBack
from service.store.codec import UnknownEvent
from service.store.ports.log import Log

GAMES_KEPT = 1024
"""Games to be remembered of which commits were decided again."""

SECONDS = 0.3
"""How long commits of one game may be decided again before others have their turn; meanwhile it goes on by its old rules."""

(PROPOSE,) = ROUTED
"""The type of the command by which a seat proposes other rules."""

log = logger("frozen")


class Frozen:
    """What a worker knows of games under frozen rules."""

    def __init__(self, log_: Log, positions: Positions) -> None:
        self._log, self._positions = log_, positions
        self._compared: LRUCache[GameId, Comparison] = LRUCache(GAMES_KEPT)

    def gone_on(self, facts: Facts, cached: CachedPosition) -> tuple[Facts, CachedPosition]:
        """A game as it was read, or by the present rules from now on, if they take over.

        Raises `NeedsRelease` where these are rules that the players have left.
        """
        position, upgraded = cached.position, upgrade_of(cached.position.table)
        named = facts.rules.release
        if upgraded is not None and upgraded.has_left(RELEASE):
            if facts.frozen:
                return facts, cached
            why = f"the players have left the rules of {RELEASE}, and go on by those of {upgraded.release}"
            raise NeedsRelease(facts.id, upgraded.seq, why)
        if not facts.frozen:
            return facts, cached
        since = NO_COMMIT if upgraded is None else upgraded.upto(named, RELEASE, position.seq)
        if upgraded is not None and since > NO_COMMIT and named == upgraded.left:
            return self._agreed(facts, cached)
        present = self.left_by(facts, position.seq, since)
        return (facts, cached) if present is None else (present, self._positions.go_on_by(present))

    def left_by(self, facts: Facts, seq: Seq, since: Seq = NO_COMMIT) -> Facts | None:
        """The facts with the present rules, where these decide all commits after ``since`` up to ``seq`` alike.

        None as long as that is not known.
        """
        comparison = self._compared.get(facts.id)
        if comparison is None or comparison.facts.seed != facts.seed or comparison.since != since:
            present = present_facts(facts)
            if present is None:
                return None
            comparison = self._compared[facts.id] = Comparison(present, since)
        known = comparison.divergence
        try:
            alike = comparison.go_on(self._log, seq, SECONDS)
        except WentBack:
            del self._compared[facts.id]
            return None
        if comparison.divergence is not known:
            why = str(comparison.divergence)
            log.info("stays under frozen rules", game=facts.id, release=facts.rules.release, why=why)
        return comparison.facts if alike else None

    def _agreed(self, facts: Facts, cached: CachedPosition) -> tuple[Facts, CachedPosition]:
        """The game by the present rules, to which the players have agreed; as it was read where they cannot go on from here."""
        present = present_facts(facts)
        if present is None:
            return facts, cached
        try:
            going = self._positions.go_on_by(present)
            if _asked(going.position) == _asked(cached.position):
                log.info("goes on by the present rules", game=facts.id, left=facts.rules.release)
                return present, going
            why = "they would have asked something else by now"
        except (BrokenLog, UnknownEvent) as error:
            why = str(error)
        log.warning("cannot go on by the present rules yet", game=facts.id, release=facts.rules.release, why=why)
        self._positions.forget(facts.id)
        return facts, cached


def present_facts(facts: Facts) -> Facts | None:
    """The facts with the present rules; None where there is no such game any more."""
    rules = GAMES.get(facts.rules.key)
    return None if rules is None else replace(facts, rules=rules, named=NO_COMMIT)


def has_just_upgraded(position: Position) -> bool:
    """Whether the newest commit says that the game goes on by other rules: what follows is for those to decide."""
    upgraded = upgrade_of(position.table)
    return upgraded is not None and upgraded.seq == position.seq


def rules_by_now(facts: Facts, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The submission of who proposes other rules, with the word which decide the game by now and which are present; any other as it is.

    Written here, because which rules there are may have changed since it was asked, and the rules themselves cannot know.
    """
    command = document["command"]
    if command.get("type") != PROPOSE:
        return document
    return {**document, "command": {**command, "decided_by": facts.rules.release, "present": RELEASE}}


def _asked(position: Position) -> Sequence[tuple[Any, ...]]:
    """What is asked, as far as answers and deadlines hang on it."""
    return sorted((each.id, each.question.seat, each.question.kind, each.due or 0) for each in position.asked)
