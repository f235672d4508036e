"""The refusals that all games share. A game adds its own as subclasses of `RuleViolation`."""

from __future__ import annotations

from typing import Any


class RuleViolation(Exception):
    """The rules refuse a command. Nothing has happened.

    ``code`` never changes once released. ``rule`` is the clause that forbids the command, if there is one. ``facts``
    holds JSON values that show the sender what was missing, never anything that the sender may not see.
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
    """The seat has no pending question, or not this one."""

    code = "not-your-turn"


class PlayedByBot(RuleViolation):
    """The seat belongs to a bot, from the start or since its player resigned: no player can send commands for it."""

    code = "played-by-bot"


class NotForSitters(RuleViolation):
    """A sitter may not give up the seat or the game."""

    code = "not-for-sitters"


class NotNow(RuleViolation):
    """The seat has a different pending question."""

    code = "not-now"


class FeatureDisabled(RuleViolation):
    """The game was created without the table setting that the command needs."""

    code = "not-here"


class AlreadyAnswered(RuleViolation):
    """The question that timed out was already answered."""

    code = "already-answered"


class GameOver(RuleViolation):
    """The game has ended."""

    code = "game-over"


class StaleSubmission(RuleViolation):
    """The sender had not seen the newest state when the command was sent."""

    code = "stale"


class DiceExhausted(RuleViolation):
    """The scripted dice of a sandbox are used up."""

    code = "dice-exhausted"


class RulesFault(RuleViolation):
    """The rules themselves failed on this command; the table continues without it."""

    code = "rules-fault"


class BadSetup(ValueError):
    """A game cannot be set up like this.

    ``faults`` gives the allowed values for each wrong field (a path such as ``options.max_weeks``).
    """

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__("; ".join(f"{path}: {what}" for path, what in faults.items()))
        self.faults = faults
