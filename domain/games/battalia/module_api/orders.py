"""Standing orders: the orders that a kind of question accepts, and the answers of such an order (ORD)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from domain.games.battalia.cards import ARTEFACTS, CARDS, GREAT, RANKS, SUPPLY
from domain.games.battalia.state import BattaliaState
from domain.kernel.options import offers
from domain.kernel.shape import as_document, hints, snake
from domain.kernel.terms import OneOf, Option, Scalar, Seat, SubsetOf

Cards = tuple[str, ...]

ASK = "ask"
"""The value that cancels an order."""
ANY = "any"
"""Any available choice, in a list of preferences."""
PLACES = (1, 2, 3)
"""Numbers of orders for one kind of question, tried in order."""
PLACE = OneOf("place", PLACES)
KINDS: Cards = (SUPPLY, *RANKS, *ARTEFACTS, *GREAT)
"""Kinds of cards as orders name them. Orders cannot name copies, because the future hand is unknown."""


def order_key(type_: str, place: int) -> str:
    """The key of an order in `BattaliaState.orders`. Orders of one type are sorted by their places."""
    return f"{type_}:{place}"


class OrderType(ABC):
    """The orders for one kind of question: a command, and the answers it leads to.

    The command is legal if one of its Options covers it. Options depend only on parts of the game that never change
    (map, factions, modules), so they are computed once. Answers use only what the seat may see: an order must not use
    information that is hidden from its owner.
    """

    command: type[Any]
    """A flat dataclass. With a field ``place`` there can be several such orders, tried in the order of their places."""

    @property
    def type(self) -> str:
        return snake(self.command.__name__)

    @abstractmethod
    def options(self, state: BattaliaState) -> Iterable[Option]:
        """All such commands. Parameters that an Option omits have their default."""

    @abstractmethod
    def lapses(self, order: Any) -> bool:
        """Whether the command cancels the order, so that the question is asked again."""

    @abstractmethod
    def answers(self, state: BattaliaState, seat: Seat, order: Any) -> Iterable[Any]:
        """Answers to the top question, in order of preference; illegal ones are skipped."""


class Preferred(OrderType):
    """An order with a list of preferences (``first``), which cannot be canceled.

    ``choices`` are the allowed values, of which ``most`` may be named. ``meant`` returns the answers for a value.
    """

    def __init__(
        self,
        command: type[Any],
        most: int,
        choices: Callable[[BattaliaState], Sequence[Scalar]],
        meant: Callable[[BattaliaState, Seat, Any], Iterable[Any]],
    ) -> None:
        self.command, self._most, self._choices, self._meant = command, most, choices, meant

    def options(self, state: BattaliaState) -> Iterable[Option]:
        choices = tuple(self._choices(state))
        yield Option(self.type, {}, (SubsetOf("first", choices, 0, min(self._most, len(choices))),))

    def lapses(self, order: Any) -> bool:
        return not order.first

    def answers(self, state: BattaliaState, seat: Seat, order: Any) -> Iterator[Any]:
        for word in order.first:
            yield from self._meant(state, seat, word)


def is_offered(options: Iterable[Option], command: Any) -> bool:
    """Whether one of the Options covers the command. Parameters that an Option omits must have their default."""
    document = as_document(command)
    type_, full = document.pop("type"), whole(command)
    for option in options:
        named = option.fixed.keys() | {part.name for part in option.open}
        if option.type == type_ and document.keys() <= named and offers(option, type_, {n: full[n] for n in named}):
            return True
    return False


def whole(command: Any) -> dict[str, Any]:
    """Every parameter of a command as JSON, including defaults."""
    values = {name: getattr(command, name) for name in hints(type(command))}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def worth(card: str) -> tuple[int, str]:
    """Sort key for giving up cards: supplies and low ranks first, great artefacts last."""
    known = CARDS[card]
    return {"supply": 0, "unit": known.rank, "artefact": 2, "great": 5}[known.group], card
