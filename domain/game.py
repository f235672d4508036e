"""What a game is to the rest of the project: the base class of the rules that the kernel, the store and the API call.

A game is one class below `Game` and one line in `domain.registry`. What most games do not have has a default here; what is
left to write are its state, commands and events, and what is marked abstract. `docs/extending.md` builds one from nothing.
"""

# ruff: noqa: ARG002 - a default needs less of what it is given than a game that has secrets or modules

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from domain import RELEASE
from domain.dice import Dice
from domain.drawing import sheet, terminal
from domain.drawing.chart import Course
from domain.drawing.hints import Hinting
from domain.errors import BadSetup
from domain.options import Ordering, Planning, Searching, command_of, first
from domain.rulings import NO_SHEETS, Sheet
from domain.settings import Setting, no_such_option
from domain.shape import as_line, build
from domain.terms import Option, Outcome, Question, Seat

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")
JSON = Any

Bot = Callable[[S, Seat, Dice], Mapping[str, Any]]
"""Chooses a command (as JSON with its type) for a seat that is asked, from an imagined state and throw-away dice."""

Named = Callable[[str, Any], str]
"""What a key is called in the reader's language: the kind of name (a key of `Game.names`) and the key."""

Form = Callable[[Any, Named], str]
"""A field's value in words, where a name for it alone does not do."""


class Seen(NamedTuple):
    """What a seat sees at one time: the public part of the view, and its own."""

    public: JSON
    private: JSON


@dataclass(frozen=True, slots=True)
class Setup:
    """How a game is to begin, complete and checked."""

    seats: int
    ruleset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    modules: tuple[str, ...] = ()


class Game(Planning, Ordering, Searching, Hinting, ABC, Generic[S, C, E]):
    """The rules of one game as pure functions over its state ``S``, commands ``C`` and events ``E``.

    The state never changes in place. `decide` is the law: it may refuse (`RuleViolation`) and may roll; `evolve` does neither.
    """

    key: str
    title: str
    release: str = RELEASE
    """The release whose rules these are, which commits name; one that was frozen says another than the present one."""
    state: type[S]
    commands: Mapping[str, type[C]]
    """What a client may send: flat dataclasses (see `domain.shape`)."""
    events: Mapping[str, type[E]]
    """What the log may hold."""
    told: Mapping[str, Mapping[str, Any]] = {}
    """Fields of lines, by the event's type (``""``: any), that differ from the event's: as `reveal` tells them, None never."""
    rulesets: Sequence[str]
    """Every ruleset (or scenario) ever released, the default one first."""
    sheets: Mapping[str, Sheet] = NO_SHEETS
    """What each of them says as data, as far as it is data."""
    seats: Sequence[int]
    """The numbers of seats it can be played with, modules included."""
    settings: Sequence[Setting] = ()
    modules: Mapping[str, str] = {}
    """The key of each module and what it brings."""
    days: bool = False
    """Whether it is played in days: then it can be played by a calendar.

    What its questions are about tells the ``day`` (counted from 1, with one for laying the table where seats are asked
    about it), and of a question to a seat its ``place`` in the day and the number of places ``of`` it; 0 is before the
    first turn. A question to a seat that is not on turn tells ``interrupts``. SYSTEM is asked to turn a day that is over.
    """
    departs: bool = False
    """Whether its rules say what becomes of a seat that nobody plays any more (`depart`)."""
    bots: Mapping[str, Bot[S]] = {}
    """Players of its own, besides the kernel's ``random``."""

    # -- the rules ----------------------------------------------------------------------------------------------------

    def check(self, setup: Setup) -> Setup:
        """The same set-up with every default filled in; raises `BadSetup` naming each field that is wrong."""
        faults = {}
        if setup.seats not in self.seats:
            faults["seats"] = self.possible_seats()
        if setup.ruleset and setup.ruleset not in self.rulesets:
            faults["ruleset"] = "one of " + ", ".join(self.rulesets)
        known = {setting.name: setting for setting in self.settings}
        for name, value in setup.options.items():
            if fault := known[name].fault(value) if name in known else no_such_option(self.settings):
                faults[f"options.{name}"] = fault
        if set(setup.modules) - self.modules.keys() or len(set(setup.modules)) < len(setup.modules):
            faults["modules"] = (
                f"each once, out of: {', '.join(self.modules)}" if self.modules else "this game has no modules"
            )
        if faults:
            raise BadSetup(faults)
        options = {setting.name: setup.options.get(setting.name, setting.default) for setting in self.settings}
        return replace(setup, ruleset=setup.ruleset or self.rulesets[0], options=options)

    def possible_seats(self) -> str:
        """What is said of a number of seats that is none of ``seats``."""
        return "one of " + ", ".join(map(str, self.seats))

    @abstractmethod
    def begin(self, setup: Setup, dice: Dice) -> Sequence[E]:
        """The first commit's events; the first of them makes the state and names the ruleset."""

    @abstractmethod
    def decide(self, state: S, seat: Seat, command: C, dice: Dice) -> Sequence[E]:
        """The events that the command leads to; raises `RuleViolation` where the rules forbid it.

        One whose deciding has evolved the state may answer with `domain.play.unfold.Unfolded`: it is not evolved again.
        """

    def decide_silence(self, state: S, seat: Seat, command: C, dice: Dice) -> Sequence[E]:
        """The events of a command that is played for a player whose time is up.

        A game may answer more by default, so that nobody waits for another deadline of the same turn. Games from before
        `table_v5` use `decide`.
        """
        return self.decide(state, seat, command, dice)

    def depart(self, state: S, seat: Seat, dice: Dice) -> Sequence[E]:
        """What comes of it that the player of a seat has left for good and nobody plays on, where the rules know of that (`departs`).

        Of the questions that it is still asked, until its time in the game is over, the default answers each at once.
        """
        raise NotImplementedError

    @abstractmethod
    def evolve(self, state: S | None, event: E) -> S:
        """The state after the event (before the first one there is none)."""

    @abstractmethod
    def awaiting(self, state: S) -> Sequence[Question]:
        """Who is asked what; empty when the game is over."""

    @abstractmethod
    def legal(self, state: S, seat: Seat) -> Sequence[Option]:
        """Everything that the seat may say now: answers to its question, and what needs none (`unasked`)."""

    def replies(self, state: S, seat: Seat) -> Sequence[Option]:
        """What of `legal` answers the question that the seat is asked; nothing for a seat that is not asked."""
        return [option for option in self.legal(state, seat) if option.type not in self.unasked]

    def default(self, state: S, seat: Seat, dice: Dice) -> C:
        """What silence means for a seat that is asked: the first choice of its first option.

        A game that asks SYSTEM gives the only answer there is for it, which `legal` need not offer.
        """
        return build(self.commands, command_of(self.replies(state, seat)[0], first))

    def has_answered(self, state: S, seat: Seat) -> bool:
        """Whether the question that stands waits for others only: the seat has answered it. It words a refusal, no more."""
        return False

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """How it ended, if it has."""

    def standings(self, state: S) -> Mapping[Seat, int]:
        """The points of every seat as they stand, as its outcome would tell them; nothing where none are counted."""
        return {}

    def allies(self, state: S, seat: Seat) -> Collection[Seat]:
        """The seats that win together with this one, by the rules that everybody knows; by default none."""
        return ()

    # -- who may know what: by default everything is open ---------------------------------------------------------------

    @abstractmethod
    def view(self, state: S) -> JSON:
        """What everybody sees, a JSON object."""

    def private(self, state: S, seat: Seat) -> JSON:
        """What this seat sees besides, a JSON object."""
        return {}

    def plan(self, state: S, seat: Seat) -> JSON:
        """What the seat needs to plan its turn beyond its view, worked out from what it may see; a JSON object."""
        return {}

    def audience(self, event: E) -> Collection[Seat] | None:
        """The seats that may read any of the event; None for everybody."""
        return None

    def reveal(self, event: E, seat: Seat | None) -> JSON | None:
        """One line of history as the seat (None: the public) may read it: an object with ``type``, or None.

        By default all of the event, for those who may read any of it.
        """
        readers = self.audience(event)
        return as_line(event) if readers is None or seat in readers else None

    def gives_away(self, event: E) -> bool:
        """Whether an event alone may reveal a secret to anyone; draws count anyway. Games from before `table_v5` use only this."""
        return type(self).imagine is not Game.imagine

    def discloses(self, events: Sequence[E]) -> bool:
        """Whether the events of one commit may reveal a secret to anyone, also by what is missing: undoing it then needs consent."""
        return any(map(self.gives_away, events))

    def imagine(self, state: S, seat: Seat | None, dice: Dice) -> S:
        """A state that the seat cannot tell from the real one: all it may not see is drawn anew."""
        return state

    # -- states that come from outside ----------------------------------------------------------------------------------

    def bounds(self, state: S) -> Iterable[str]:
        """The bounds, far above what play can reach, that the state goes beyond: looked at before anything else."""
        return ()

    def faults(self, state: S) -> Sequence[str]:
        """What cannot be in such a state (a card twice, a hero on no square): empty for every state that was played."""
        return ()

    def options_of(self, state: S) -> Mapping[str, Any] | None:
        """The options that the game of this state was set up with, as far as they stand in it; None if they do not."""
        return getattr(state, "options", None)

    # -- words and pictures ---------------------------------------------------------------------------------------------

    sentences: Mapping[str, str | Sequence[str]] = {}
    """One English sentence for each event type, over the fields that `reveal` shows: ``"{seat:seat} hires {card:card}."``

    Of several, the first whose fields are all shown is told. An event without a sentence is told by its type. What has a
    ``manner`` by its `gloss` is told by the sentence of its type and its manner: ``battle_fought.won``. Of the table's
    events a game may tell a manner, and nothing else.
    """
    ends: Mapping[str, str] = {}
    """Why a game is over, by the reason of its outcome: ``the last week is over``."""
    remarks: Mapping[str, str | Sequence[str]] = {}
    """Sentences likewise for lines that are no events: what `condense` and `changes` make."""
    asks: Mapping[str, str | Sequence[str]] = {}
    """What a seat is to answer, by the kind of the question, over what the question is about: ``"Defend {square:square}."``

    It is said to the seat itself (``seat`` is a field too), after a dash or as a sentence of its own.
    """
    openings: Mapping[str, str] = {}
    """The event types with which a paragraph of the history begins, each with its heading: ``"The turn of {seat:seat}"``.

    An empty heading is none; ``asked.round`` is a type with a manner. Without openings each commit is a paragraph.
    """
    names: Mapping[str, Mapping[str, str]] = {}
    """What keys are called in English, by the form in which a field is told: ``{"faction": {"barfolk": "Bärfolk"}}``."""
    forms: Mapping[str, Form] = {}
    """The forms of its own that are not a name: ``{card:card}`` is told by the form ``card``."""
    lists: Mapping[str, str] = {}
    """Forms of lists, and the form of each thing in them: ``{"cards": "card"}``. Equal things are counted."""
    actors: Collection[str] = ()
    """Who acts on the board and is no player, in English: no player may be called so."""
    sides: Collection[str] = ()
    """Every name that `side` may give: no player may be called so."""
    course: Course | None = None
    """How its points are read from views, for the chart of a game; None: it has no chart."""

    def side(self, view: JSON, seat: Seat) -> str:
        """What the seat plays, in English, of ``sides`` (a faction, a colour), by the public view; empty while nothing does."""
        return ""

    def gloss(self, line: JSON) -> Mapping[str, Any]:
        """Fields that a line's sentence may have besides its own, from what `reveal` shows alone; and its ``manner``."""
        return {}

    def condense(self, lines: Sequence[JSON]) -> Sequence[JSON]:
        """The lines of one paragraph as somebody tells them afterwards: what matters little left out, steps made one way."""
        return lines

    def changes(self, before: Seen, after: Seen, seat: Seat) -> Sequence[JSON]:
        """What has changed for the seat between two of its views, the weightiest first: lines that `remarks` has a word for."""
        return ()

    def board(self, view: JSON, seats: Mapping[str, str], lines: Sequence[JSON] = ()) -> str:
        """The public part of a view as an SVG document; ``seats`` names who sits in each seat.

        ``lines`` is what everybody may read of the last commits, the oldest first, each with its sentence as ``text``:
        by them the last moves are marked. Whatever an Option can name and the picture shows has the key as ``data-ref``.
        """
        return sheet.board(self.title, view, seats, lines, self.ends)

    def text(self, public: JSON, private: JSON) -> Iterator[str]:
        """Both parts of a view as the lines of a terminal; ``private`` is None for an onlooker."""
        return terminal.fields(public, private)

    def legend(self, public: JSON) -> Iterator[str]:
        """What the signs of `text` mean, as the lines of a terminal; none for a text without signs."""
        return iter(())


AnyGame = Game[Any, Any, Any]
