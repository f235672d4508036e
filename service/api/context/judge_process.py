"""The process that looks at positions from outside: what costs too much dies with it, and holds up nobody else."""

from __future__ import annotations

from typing import Any

import orjson

from domain.game import Setup
from domain.registry import GAMES
from service.api.context.messages import answer_until_gone
from service.projections.fitness import verdict


def verdict_on(question: Any) -> bytes:
    """The verdict on a question as JSON; null for a kind of game that is not known here."""
    game = GAMES.get(question["kind"])
    if game is None:
        return b"null"
    given = question["setup"]
    setup = Setup(given["seats"], given["ruleset"], given["options"], tuple(given["modules"]))
    found = verdict(game, setup, question["position"])
    return orjson.dumps({"bound": found.bound, "wrong": found.wrong})


if __name__ == "__main__":
    answer_until_gone(verdict_on)
