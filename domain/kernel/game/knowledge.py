"""Who may know what of a game. By default everything is open."""

# ruff: noqa: ARG002 - defaults do not need all arguments

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from domain.kernel.dice import Dice
from domain.kernel.shape import as_json, as_line
from domain.kernel.terms import Seat

S = TypeVar("S")
E = TypeVar("E")
JSON = Any


class SeatView(NamedTuple):
    """The view of a seat at one time: its public part and its private part."""

    public: JSON
    private: JSON


@dataclass(frozen=True, slots=True)
class ViewTypes:
    """The types of a game's views, for the API contract: a `TypedDict` for each part."""

    public: type[Any]
    private: type[Any]
    plan: type[Any]
    extended: tuple[type[Any], ...] = ()
    """The types inside them to which modules of other packages can add keys."""


class Knowledge(Generic[S, E]):
    """The views of a game's state and events. A game with secrets defines at least `view`, `reveal` and `imagine`."""

    views: ViewTypes | None = None
    """The types of `view`, `private` and `plan`, for the API contract. None: any JSON object."""
    told: Mapping[str, Mapping[str, Any]] = {}
    """Fields of history lines that differ from the event's, by event type (``""``: any).

    `reveal` shows them; None hides a field.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        secret = cls.private is not Knowledge.private or cls.audience is not Knowledge.audience
        if secret and (cls.imagine is Knowledge.imagine or cls.view is Knowledge.view):
            raise TypeError(f"{cls.__name__} has private data or an audience and must define view and imagine.")

    def view(self, state: S) -> JSON:
        """The public view, a JSON object: by default the whole state."""
        return as_json(state)

    def private(self, state: S, seat: Seat) -> JSON:
        """The seat's private view, a JSON object."""
        return {}

    def plan(self, state: S, seat: Seat) -> JSON:
        """Data for planning the seat's turn, derived from what the seat may see; a JSON object."""
        return {}

    def orders(self, state: S, seat: Seat) -> Sequence[Mapping[str, Any]]:
        """The seat's current standing orders, each as its line of history."""
        return ()

    def audience(self, event: E) -> Collection[Seat] | None:
        """The seats that may read any part of the event. None: everyone."""
        return None

    def reveal(self, event: E, seat: Seat | None) -> JSON | None:
        """One line of history as the seat (None: the public) may read it: an object with ``type``, or None.

        By default the full event, for readers who may read any part of it.
        """
        readers = self.audience(event)
        return as_line(event) if readers is None or seat in readers else None

    def passes(self, event: E, seat: Seat) -> bool:
        """Whether an event only leads from one turn to the next, so that the board is unchanged for the seat.

        A plan with the condition that nothing changes is still played after such an event.
        """
        return False

    def gives_away(self, event: E) -> bool:
        """Whether a single event may reveal a secret to anyone; draws always count.

        Games from before `table_v5` use only this.
        """
        return type(self).imagine is not Knowledge.imagine

    def discloses(self, events: Sequence[E]) -> bool:
        """Whether the events of one commit may reveal a secret, also by their absence.

        Undoing the commit then needs consent.
        """
        return any(map(self.gives_away, events))

    def imagine(self, state: S, seat: Seat | None, dice: Dice) -> S:
        """A state that the seat cannot distinguish from the real one: everything hidden from it is drawn again."""
        return state
