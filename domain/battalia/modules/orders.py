"""Standing orders: what a kind of question says may be ordered beforehand, and what such an order answers (ORD)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from domain.battalia.cards import ARTEFACTS, CARDS, GREAT, RANKS, SUPPLY
from domain.battalia.state import State
from domain.options import offers
from domain.shape import as_document, hints, snake
from domain.terms import OneOf, Option, Scalar, Seat, SubsetOf

Cards = tuple[str, ...]

ASK = "ask"
"""The word that takes an order back."""
ANY = "any"
"""Whatever there is, in a list of what is liked best."""
PLACES = (1, 2, 3)
"""So many orders for one kind of question, tried one after another."""
PLACE = OneOf("place", PLACES)
KINDS: Cards = (SUPPLY, *RANKS, *ARTEFACTS, *GREAT)
"""What cards are called in orders: which copies one will hold then, nobody knows beforehand."""


def order_key(type_: str, place: int) -> str:
    """Under which an order stands in `State.orders`: those of one type are sorted by their places."""
    return f"{type_}:{place}"


class Standing(ABC):
    """What may be ordered for one kind of question: a command, and the answers that it comes to.

    The law of the command is its Options: what none of them stands for is refused. They depend on what never changes in a
    game (its map, factions, modules), so that they are worked out once. The answers are made of what the seat may see, and
    of nothing else: an order must not know more than who gave it.
    """

    command: type[Any]
    """A flat dataclass; with a field ``place`` there are several such orders, tried in the order of their places."""

    @property
    def type(self) -> str:
        """The type of the command."""
        return snake(self.command.__name__)

    @abstractmethod
    def options(self, state: State) -> Iterable[Option]:
        """Every such command; what an Option leaves out is at its default."""

    @abstractmethod
    def lapses(self, order: Any) -> bool:
        """Whether the command takes back what was ordered, so that the question is put again."""

    @abstractmethod
    def answers(self, state: State, seat: Seat, order: Any) -> Iterable[Any]:
        """Answers to the question on top, what is liked best first; those that are not legal are passed over."""


class Preferred(Standing):
    """An order that names what is liked best, then the next (``first``); nothing takes it back.

    ``choices`` are the words there are, of which ``most`` may be named, and ``meant`` the answers that a word stands for.
    """

    def __init__(
        self,
        command: type[Any],
        most: int,
        choices: Callable[[State], Sequence[Scalar]],
        meant: Callable[[State, Seat, Any], Iterable[Any]],
    ) -> None:
        self.command, self._most, self._choices, self._meant = command, most, choices, meant

    def options(self, state: State) -> Iterable[Option]:
        choices = tuple(self._choices(state))
        yield Option(self.type, {}, (SubsetOf("first", choices, 0, min(self._most, len(choices))),))

    def lapses(self, order: Any) -> bool:
        return not order.first

    def answers(self, state: State, seat: Seat, order: Any) -> Iterator[Any]:
        for word in order.first:
            yield from self._meant(state, seat, word)


def is_offered(options: Iterable[Option], command: Any) -> bool:
    """Whether one of the Options stands for the command, which has its defaults where an Option says nothing."""
    document = as_document(command)
    type_, full = document.pop("type"), whole(command)
    for option in options:
        named = option.fixed.keys() | {part.name for part in option.open}
        if option.type == type_ and document.keys() <= named and offers(option, type_, {n: full[n] for n in named}):
            return True
    return False


def whole(command: Any) -> dict[str, Any]:
    """Every parameter of a command as JSON has it, defaults included."""
    values = {name: getattr(command, name) for name in hints(type(command))}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def worth(card: str) -> tuple[int, str]:
    """In what order cards are given up: supplies and low ranks first, great artefacts last."""
    known = CARDS[card]
    return {"supply": 0, "unit": known.rank, "artefact": 2, "great": 5}[known.group], card
