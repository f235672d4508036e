"""How a game is shown: sentences of its history, pictures, text for a terminal, hints for clients. All is optional."""

# ruff: noqa: ARG002 - defaults do not need all arguments

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from domain.drawing import sheet, terminal
from domain.drawing.chart import Course
from domain.drawing.hints import Called, Hint, Parameter
from domain.kernel.game.knowledge import JSON, SeatView
from domain.kernel.terms import Seat

Named = Callable[[str, Any], str]
"""Name of a key in the reader's language. Takes the kind of name (a key of `Presentation.names`) and the key."""

Form = Callable[[Any, Named], str]
"""Text for a field's value, for fields that need more than a name."""


class Presentation:
    """The text and pictures of a game, derived only from views and revealed events."""

    # -- history text -------------------------------------------------------------------------------------------------

    sentences: Mapping[str, str | Sequence[str]] = {}
    """One English sentence for each event type, over the fields that `Knowledge.reveal` shows.

    Example: ``"{seat:seat} hires {card:card}."``

    In a sequence, the first sentence whose fields are all visible is used. An event without a sentence is shown by its
    type. If `gloss` returns a ``manner``, the sentence of type and manner is used: ``battle_fought.won``. For events of
    the table, a game may define manners only.
    """
    ends: Mapping[str, str] = {}
    """Text for each reason in an outcome: ``the last week is over``."""
    remarks: Mapping[str, str | Sequence[str]] = {}
    """Sentences for lines that are not events: those from `condense` and `changes`."""
    asks: Mapping[str, str | Sequence[str]] = {}
    """The text of a question to a seat, by kind of question, over its ``about``: ``"Defend {square:square}."``

    It addresses the seat (``seat`` is a field too) and follows a dash or is a separate sentence.
    """
    openings: Mapping[str, str] = {}
    """The event types that begin a paragraph of the history, with its heading: ``"The turn of {seat:seat}"``.

    An empty heading means no heading; ``asked.round`` is a type with a manner. Without openings each commit is a
    paragraph.
    """
    names: Mapping[str, Mapping[str, str]] = {}
    """English names of keys, by the form of a field: ``{"faction": {"barfolk": "Bärfolk"}}``."""
    forms: Mapping[str, Form] = {}
    """The game's own forms that are not names: ``{card:card}`` uses the form ``card``."""
    lists: Mapping[str, str] = {}
    """Forms of lists, and the form of each item: ``{"cards": "card"}``. Equal items are counted."""
    actors: Collection[str] = ()
    """English names of NPCs on the board. Players may not use them."""
    sides: Collection[str] = ()
    """All names that `side` may return. Players may not use them."""

    def side(self, view: JSON, seat: Seat) -> str:
        """The seat's side in English (a faction, a color), one of ``sides``, by the public view.

        Empty before it has one.
        """
        return ""

    def gloss(self, line: JSON) -> Mapping[str, Any]:
        """Additional fields for a line's sentence, derived only from what `Knowledge.reveal` shows, and its ``manner``."""
        return {}

    def condense(self, lines: Sequence[JSON]) -> Sequence[JSON]:
        """The lines of one paragraph in short form: without minor events, and with single steps combined."""
        return lines

    def changes(self, before: SeatView, after: SeatView, seat: Seat) -> Sequence[JSON]:
        """Changes for the seat between two of its views, most important first, as lines for `remarks`."""
        return ()

    # -- pictures and terminals ---------------------------------------------------------------------------------------

    course: Course | None = None
    """How to read points from views, for the chart of a game. None: no chart."""

    def board(self, title: str, view: JSON, seats: Mapping[str, str], lines: Sequence[JSON] = ()) -> str:
        """The public part of a view as an SVG document; ``seats`` has the name of each seat's player.

        ``title`` is that of the game. ``lines`` are the public lines of the last commits, oldest first, each with its
        sentence as ``text``; they mark the last moves. Everything in the picture that an Option can name has its key as
        ``data-ref``.
        """
        return sheet.board(title, view, seats, lines, self.ends)

    def text(self, public: JSON, private: JSON) -> Iterator[str]:
        """Both parts of a view as lines for a terminal; ``private`` is None for a spectator."""
        return terminal.fields(public, private)

    def legend(self, public: JSON) -> Iterator[str]:
        """The meaning of the symbols in `text`, as lines for a terminal; empty for a text without symbols."""
        return iter(())

    # -- hints for clients that do not know the rules -------------------------------------------------------------------

    hints: Mapping[str, Hint] = {}
    """Hints by command type, in display order. Types without a hint come last and are shown by their name."""
    parameters: Mapping[str, Parameter] = {}
    """Hints by parameter name; ``step.cards`` applies to one type of command only."""
    held: Mapping[str, str] = {}
    """The fields of the private view that list what a seat holds, such as cards, and the heading of each."""

    def word(self, choice: str) -> str:
        """The text for a choice of an option in a terminal."""
        return choice

    def called(self, choice: str) -> Called:
        """The text and card for a choice of an option on a web page."""
        return Called(self.word(choice))

    def holding(self, private: JSON) -> Mapping[str, Sequence[str]]:
        """The things a seat holds, by the headings of `held`, from its private view. Empty fields are left out."""
        return {title: private[name] for name, title in self.held.items() if private.get(name)}
