"""The refusals that every game shares; a game adds its own below `RuleViolation`."""

from __future__ import annotations

from typing import Any


class RuleViolation(Exception):
    """The rules say no to a command, and nothing has happened.

    ``code`` never changes once released; ``rule`` is the clause that forbids it, if one does; ``facts`` holds
    JSON values that tell the sender what was missing (never anything that the sender may not see).
    """

    code = "not-allowed"
    rule: str | None = None

    def __init__(self, message: str, *, rule: str | None = None, field: str | None = None, **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        if rule is not None:
            self.rule = rule
        self.field = field
        self.facts = facts


class NotAsked(RuleViolation):
    """The seat is not asked anything now, or not this."""

    code = "not-your-turn"


class PlayedByBot(RuleViolation):
    """The seat is a bot's, from the beginning or since its player resigned: no player commands it."""

    code = "played-by-bot"


class NotForSitters(RuleViolation):
    """Who sits in for a player does not give the seat up, or the game."""

    code = "not-for-sitters"


class NotNow(RuleViolation):
    """The seat is asked something else."""

    code = "not-now"


class NotHere(RuleViolation):
    """The game was begun without what the command needs of its table."""

    code = "not-here"


class AlreadyAnswered(RuleViolation):
    """The question that ran out of time had been answered."""

    code = "already-answered"


class GameOver(RuleViolation):
    """The game has ended."""

    code = "game-over"


class Stale(RuleViolation):
    """The sender had not seen the newest state when the command was given."""

    code = "stale"


class DiceExhausted(RuleViolation):
    """The scripted dice of a sandbox are used up."""

    code = "dice-exhausted"


class RulesFault(RuleViolation):
    """The rules themselves failed on this command; the table goes on without it."""

    code = "rules-fault"


class BadSetup(ValueError):
    """A game cannot begin like this; ``faults`` says for each field (a path such as ``options.max_weeks``) what would be right."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__("; ".join(f"{path}: {what}" for path, what in faults.items()))
        self.faults = faults
