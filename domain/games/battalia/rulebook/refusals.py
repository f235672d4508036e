"""The refusals of Battalia's rules."""

from __future__ import annotations

from domain.kernel.errors import RuleViolation


class NotInHand(RuleViolation):
    """A card of the line is not in the seat's hand."""

    code = "not-in-hand"
    rule = "TURN-03"


class DoesNotPay(RuleViolation):
    """The cards do not pay exactly for the action."""

    code = "does-not-pay"
    rule = "TURN-03"


class EmptyPile(RuleViolation):
    """The pile is empty or has no such card."""

    code = "empty-pile"
    rule = "TURN-07"


class UnknownChoice(RuleViolation):
    """The value is not one of the choices."""

    code = "unknown-choice"


class NotConnected(RuleViolation):
    """The card would not connect to a road that reaches one of the player's cities."""

    code = "not-connected"
    rule = "MAP-01"


class NotYourCity(RuleViolation):
    """The player has no city on the square."""

    code = "not-your-city"


class WrongLevel(RuleViolation):
    """The city's level does not allow the action."""

    code = "wrong-level"
    rule = "MAP-07"


class NotYourHero(RuleViolation):
    """The player has no such hero on the required square."""

    code = "not-your-hero"


class NoWay(RuleViolation):
    """No road leads to the square."""

    code = "no-way"
    rule = "MAP-02"


class MoveEnded(RuleViolation):
    """The hero cannot move further this turn."""

    code = "move-ended"
    rule = "BAT-12"


class RuinsBeatenAlready(RuleViolation):
    """The ruins can be beaten only once a turn."""

    code = "ruins-beaten"
    rule = "BAT-11"


class BadLine(RuleViolation):
    """The cards do not form a valid battle line."""

    code = "bad-line"
    rule = "BAT-02"


class NoFight(RuleViolation):
    """There is no such enemy on the square."""

    code = "no-fight"
    rule = "MAP-09"


class TooLate(RuleViolation):
    """The action is allowed only before the first action of the turn."""

    code = "too-late"
    rule = "TURN-01"


class NoCohort(RuleViolation):
    """The cards do not form a cohort."""

    code = "no-cohort"
    rule = "TURN-02"


class SlotsFull(RuleViolation):
    """There is no free slot for a face-down card."""

    code = "slots-full"
    rule = "ART-08"


class CannotKeep(RuleViolation):
    """A tent cannot hold these cards."""

    code = "cannot-keep"
    rule = "ART-07"


class NotAway(RuleViolation):
    """The hero is not disbanded."""

    code = "not-away"
    rule = "BAT-13"


class NoSuchOrder(RuleViolation):
    """There is no standing order of this kind or with these values."""

    code = "no-such-order"
    rule = "ORD-01"
