"""Games that were decided by other rules, which lie here frozen: when the present rules take over, and when not.

They do as soon as they have decided every commit again and each has come to the same; a game of which one commit would differ
stays under the frozen rules. That follows from the log alone, so every worker finds the same, and nothing has to be kept of it.
"""

from __future__ import annotations

from dataclasses import replace

from cachetools import LRUCache

from domain.play.record import NO_COMMIT
from domain.registry import GAMES
from domain.terms import GameId, Seq
from service.process.logs import logger
from service.projections.positions.cache import CachedPosition, Positions
from service.projections.positions.comparing import Comparison
from service.projections.positions.facts import Facts
from service.store.chain import WentBack
from service.store.ports.log import Log

GAMES_KEPT = 1024
"""Games to be remembered of which commits were decided again."""

SECONDS = 0.3
"""How long commits of one game may be decided again before others have their turn; meanwhile it goes on by its old rules."""

log = logger("frozen")


class Frozen:
    """What a worker knows of games under frozen rules."""

    def __init__(self, log_: Log, positions: Positions) -> None:
        self._log, self._positions = log_, positions
        self._compared: LRUCache[GameId, Comparison] = LRUCache(GAMES_KEPT)

    def gone_on(self, facts: Facts, cached: CachedPosition) -> tuple[Facts, CachedPosition]:
        """A game as it was read, or by the present rules from now on, if they take over."""
        present = self.left_by(facts, cached.position.seq) if facts.frozen else None
        return (facts, cached) if present is None else (present, self._positions.go_on_by(present))

    def left_by(self, facts: Facts, seq: Seq) -> Facts | None:
        """The facts with the present rules, where these decide all commits up to ``seq`` alike; None as long as that is not known."""
        comparison = self._compared.get(facts.id)
        if comparison is None or comparison.facts.seed != facts.seed:
            rules = GAMES.get(facts.rules.key)
            if rules is None:
                return None
            comparison = self._compared[facts.id] = Comparison(replace(facts, rules=rules, named=NO_COMMIT))
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
