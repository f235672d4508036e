"""Positions from outside are looked at in a process apart, which is killed when its time is up."""

from __future__ import annotations

from typing import Any

import orjson

from domain.game import AnyGame, Setup
from service.api.context.apart import ProcessApart
from service.projections.fitness import Verdict, general_bound, verdict


class PositionJudge(ProcessApart):
    """Judges positions: under gevent in a process of its own, else here."""

    module = "service.api.context.judge_process"

    def verdict(self, game: AnyGame, setup: Setup, position: Any, who: str) -> Verdict:
        """The verdict on a position; raises `OutOfBounds` where it takes too long, and the problem `too-much-work`."""
        if not self._apart:
            return verdict(game, setup, position)
        given = {"seats": setup.seats, "ruleset": setup.ruleset, "options": setup.options, "modules": setup.modules}
        try:
            found = orjson.loads(self._ask({"kind": game.key, "setup": given, "position": position}, who))
        except orjson.JSONEncodeError:  # it nests too deep, or has numbers beyond 64 bits
            return Verdict(general_bound(position) or "The position cannot be written as JSON.")
        return verdict(game, setup, position) if found is None else Verdict(**found)
