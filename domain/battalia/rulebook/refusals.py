"""The refusals of Battalia's rules."""

from __future__ import annotations

from domain.errors import RuleViolation


class NotInHand(RuleViolation):
    """A card of the line is not among the seat's own."""

    code = "not-in-hand"
    rule = "TURN-03"


class DoesNotPay(RuleViolation):
    """The line does not pay exactly for the action."""

    code = "does-not-pay"
    rule = "TURN-03"


class EmptyPile(RuleViolation):
    """The pile is empty, or does not hold such a card."""

    code = "empty-pile"
    rule = "TURN-07"


class UnknownChoice(RuleViolation):
    """A word without a meaning here."""

    code = "unknown-choice"


class NotConnected(RuleViolation):
    """The card would not meet a road that one of the player's cities reaches."""

    code = "not-connected"
    rule = "MAP-01"


class NotYourCity(RuleViolation):
    """The square holds no city of the player's own."""

    code = "not-your-city"


class WrongLevel(RuleViolation):
    """The city's level does not allow it."""

    code = "wrong-level"
    rule = "MAP-07"


class NotYourHero(RuleViolation):
    """The player has no such hero on the required square."""

    code = "not-your-hero"


class NoWay(RuleViolation):
    """No road leads there."""

    code = "no-way"
    rule = "MAP-02"


class MoveEnded(RuleViolation):
    """The hero walks no further this turn."""

    code = "move-ended"
    rule = "BAT-12"


class RuinsBeatenAlready(RuleViolation):
    """One success a turn against the ruins."""

    code = "ruins-beaten"
    rule = "BAT-11"


class BadLine(RuleViolation):
    """A battle line that may not be laid."""

    code = "bad-line"
    rule = "BAT-02"


class NoFight(RuleViolation):
    """There is no such foe there."""

    code = "no-fight"
    rule = "MAP-09"


class TooLate(RuleViolation):
    """Only before the first action of the turn."""

    code = "too-late"
    rule = "TURN-01"


class NoCohort(RuleViolation):
    """The cards are no cohort."""

    code = "no-cohort"
    rule = "TURN-02"


class SlotsFull(RuleViolation):
    """No free slot for a face-down card."""

    code = "slots-full"
    rule = "ART-08"


class CannotKeep(RuleViolation):
    """A tent does not keep these."""

    code = "cannot-keep"
    rule = "ART-07"


class NotAway(RuleViolation):
    """The hero is not disbanded."""

    code = "not-away"
    rule = "BAT-13"


class NoSuchOrder(RuleViolation):
    """No standing order is of this kind, or of these words."""

    code = "no-such-order"
    rule = "ORD-01"
