"""The interface of a game: the base class of the rules that the kernel, the store and the API call.

A game is one subclass of `Game` and one line in `domain.registry`. Features that most games lack have a default here.
You write the state, commands and events, and the abstract methods. `docs/extending.md` builds a game from nothing.
"""

# ruff: noqa: ARG002 - defaults do not need all arguments

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from domain import RELEASE
from domain.drawing import sheet, terminal
from domain.drawing.chart import Course
from domain.drawing.hints import Hinting
from domain.kernel.dice import Dice
from domain.kernel.errors import BadSetup
from domain.kernel.options import Ordering, Planning, Searching, command_of, first
from domain.kernel.rulings import NO_SHEETS, Sheet
from domain.kernel.settings import Setting, no_such_option
from domain.kernel.shape import as_line, build
from domain.kernel.terms import Option, Outcome, Question, Seat

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")
JSON = Any

Bot = Callable[[S, Seat, Dice], Mapping[str, Any]]
"""Chooses a command (as JSON with its type) for a seat with a question, from an imagined state and throwaway dice."""

Named = Callable[[str, Any], str]
"""Name of a key in the reader's language. Takes the kind of name (a key of `Game.names`) and the key."""

Form = Callable[[Any, Named], str]
"""Text for a field's value, for fields that need more than a name."""


class Seen(NamedTuple):
    """The view of a seat at one time: its public part and its private part."""

    public: JSON
    private: JSON


@dataclass(frozen=True, slots=True)
class Setup:
    """The setup of a game, complete and validated."""

    seats: int
    ruleset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewTypes:
    """The types of a game's views, for the API contract: a `TypedDict` for each part."""

    public: type[Any]
    private: type[Any]
    plan: type[Any]
    extended: tuple[type[Any], ...] = ()
    """The types inside them to which modules of other packages can add keys."""


class Game(Planning, Ordering, Searching, Hinting, ABC, Generic[S, C, E]):
    """The rules of one game as pure functions over its state ``S``, commands ``C`` and events ``E``.

    The state never changes in place. `decide` may refuse a command (`RuleViolation`) and may roll; `evolve` does
    neither.
    """

    key: str
    title: str
    release: str = RELEASE
    """The release of these rules, which commits name. Frozen rules have an older one than the current release."""
    state: type[S]
    commands: Mapping[str, type[C]]
    """Commands that a client may send: flat dataclasses (see `domain.kernel.shape`)."""
    events: Mapping[str, type[E]]
    """Events that the log may contain."""
    told: Mapping[str, Mapping[str, Any]] = {}
    """Fields of history lines that differ from the event's, by event type (``""``: any).

    `reveal` shows them; None hides a field.
    """
    rulesets: Sequence[str]
    """Every ruleset (or scenario) ever released, the default one first."""
    sheets: Mapping[str, Sheet] = NO_SHEETS
    """The data of each ruleset, if it has any."""
    seats: Sequence[int]
    """Allowed numbers of seats, with any modules."""
    settings: Sequence[Setting] = ()
    modules: Mapping[str, str] = {}
    """Key and description of each module."""
    days: bool = False
    """Whether the game is played in days. Only then can it use the calendar pace.

    Its questions then have a ``day`` in ``about``, counted from 1; setting up the table has a day too if seats are
    asked about it. A question to a seat also has its ``place`` in the day and the number of places ``of`` it; 0 is
    before the first turn. A question to a seat that is not on turn has ``interrupts``. SYSTEM is asked to turn a day
    that is over.
    """
    departs: bool = False
    """Whether the rules define what happens to a seat that its player has left (`depart`)."""
    bots: Mapping[str, Bot[S]] = {}
    """The game's own bots, in addition to the kernel's ``random``."""

    stand_in: str = ""
    """The bot of `bots` that replaces a player who is gone. Empty: the random bot."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        secret = cls.private is not Game.private or cls.audience is not Game.audience
        if secret and cls.imagine is Game.imagine:
            raise TypeError(f"{cls.__name__} has private data or an audience and must define imagine.")

    # -- the rules ----------------------------------------------------------------------------------------------------

    def check(self, setup: Setup) -> Setup:
        """The setup with all defaults filled in. Raises `BadSetup`, which names each wrong field."""
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
        """Message for a number of seats that is not in ``seats``."""
        return "one of " + ", ".join(map(str, self.seats))

    @abstractmethod
    def begin(self, setup: Setup, dice: Dice) -> Sequence[E]:
        """The events of the first commit. The first of them creates the state and names the ruleset."""

    @abstractmethod
    def decide(self, state: S, seat: Seat, command: C, dice: Dice) -> Sequence[E]:
        """The events of a command. Raises `RuleViolation` if the rules forbid it.

        If deciding has already evolved the state, return `domain.kernel.unfold.Unfolded`, so that the kernel does not
        evolve it again.
        """

    def decide_silence(self, state: S, seat: Seat, command: C, dice: Dice) -> Sequence[E]:
        """The events of a command that is played for a player whose time is up.

        A game may also answer later questions of the same turn by default, to avoid waiting for another deadline. Games
        from before `table_v5` use `decide`.
        """
        return self.decide(state, seat, command, dice)

    def depart(self, state: S, seat: Seat, dice: Dice) -> Sequence[E]:
        """The events after the player of a seat has left for good and no bot takes over, for games with `departs`.

        Until the seat's part in the game is over, the default answers each of its questions immediately.
        """
        raise NotImplementedError

    @abstractmethod
    def evolve(self, state: S | None, event: E) -> S:
        """The state after the event. The state before the first event is None."""

    @abstractmethod
    def awaiting(self, state: S) -> Sequence[Question]:
        """The pending questions; empty when the game is over."""

    @abstractmethod
    def legal(self, state: S, seat: Seat) -> Sequence[Option]:
        """All commands that the seat may send now: answers to its question, and commands that need none (`unasked`)."""

    def replies(self, state: S, seat: Seat) -> Sequence[Option]:
        """The part of `legal` that answers the seat's question; empty without a question."""
        return [option for option in self.legal(state, seat) if option.type not in self.unasked]

    def default(self, state: S, seat: Seat, dice: Dice) -> C:
        """The default command for a seat with a question: the first choice of its first option.

        A game that asks SYSTEM returns the only possible answer, which `legal` need not offer.
        """
        return build(self.commands, command_of(self.replies(state, seat)[0], first))

    def has_answered(self, state: S, seat: Seat) -> bool:
        """Whether the seat has answered the pending question, which now waits for others.

        Affects only the text of a refusal.
        """
        return False

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """The outcome, or None while the game continues."""

    def standings(self, state: S) -> Mapping[Seat, int]:
        """Current points of every seat, counted as in the outcome; empty if the game has no points."""
        return {}

    def allies(self, state: S, seat: Seat) -> Collection[Seat]:
        """The seats that win together with this one by the public rules; none by default."""
        return ()

    # -- who may know what: by default everything is open ---------------------------------------------------------------

    views: ViewTypes | None = None
    """The types of `view`, `private` and `plan`, for the API contract. None: any JSON object."""

    @abstractmethod
    def view(self, state: S) -> JSON:
        """The public view, a JSON object."""

    def private(self, state: S, seat: Seat) -> JSON:
        """The seat's private view, a JSON object."""
        return {}

    def plan(self, state: S, seat: Seat) -> JSON:
        """Data for planning the seat's turn, derived from what the seat may see; a JSON object."""
        return {}

    def audience(self, event: E) -> Collection[Seat] | None:
        """The seats that may read any part of the event. None: everyone."""
        return None

    def reveal(self, event: E, seat: Seat | None) -> JSON | None:
        """One line of history as the seat (None: the public) may read it: an object with ``type``, or None.

        By default the full event, for readers who may read any part of it.
        """
        readers = self.audience(event)
        return as_line(event) if readers is None or seat in readers else None

    def gives_away(self, event: E) -> bool:
        """Whether a single event may reveal a secret to anyone; draws always count.

        Games from before `table_v5` use only this.
        """
        return type(self).imagine is not Game.imagine

    def discloses(self, events: Sequence[E]) -> bool:
        """Whether the events of one commit may reveal a secret, also by their absence.

        Undoing the commit then needs consent.
        """
        return any(map(self.gives_away, events))

    def imagine(self, state: S, seat: Seat | None, dice: Dice) -> S:
        """A state that the seat cannot distinguish from the real one: everything hidden from it is drawn again."""
        return state

    # -- states that come from outside ----------------------------------------------------------------------------------

    def bounds(self, state: S) -> Iterable[str]:
        """The bounds that the state exceeds.

        They are far above what play can reach, and are checked before anything else.
        """
        return ()

    def faults(self, state: S) -> Sequence[str]:
        """Contradictions in the state (a duplicate card, a hero on no square). Empty for every state reached by play."""
        return ()

    def options_of(self, state: S) -> Mapping[str, Any] | None:
        """The options in the setup of this game, if the state contains them; otherwise None."""
        return getattr(state, "options", None)

    # -- words and pictures ---------------------------------------------------------------------------------------------

    sentences: Mapping[str, str | Sequence[str]] = {}
    """One English sentence for each event type, over the fields that `reveal` shows.

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
    course: Course | None = None
    """How to read points from views, for the chart of a game. None: no chart."""

    def side(self, view: JSON, seat: Seat) -> str:
        """The seat's side in English (a faction, a color), one of ``sides``, by the public view.

        Empty before it has one.
        """
        return ""

    def gloss(self, line: JSON) -> Mapping[str, Any]:
        """Additional fields for a line's sentence, derived only from what `reveal` shows, and its ``manner``."""
        return {}

    def condense(self, lines: Sequence[JSON]) -> Sequence[JSON]:
        """The lines of one paragraph in short form: without minor events, and with single steps combined."""
        return lines

    def changes(self, before: Seen, after: Seen, seat: Seat) -> Sequence[JSON]:
        """Changes for the seat between two of its views, most important first, as lines for `remarks`."""
        return ()

    def board(self, view: JSON, seats: Mapping[str, str], lines: Sequence[JSON] = ()) -> str:
        """The public part of a view as an SVG document; ``seats`` has the name of each seat's player.

        ``lines`` are the public lines of the last commits, oldest first, each with its sentence as ``text``; they mark
        the last moves. Everything in the picture that an Option can name has its key as ``data-ref``.
        """
        return sheet.board(self.title, view, seats, lines, self.ends)

    def text(self, public: JSON, private: JSON) -> Iterator[str]:
        """Both parts of a view as lines for a terminal; ``private`` is None for a spectator."""
        return terminal.fields(public, private)

    def legend(self, public: JSON) -> Iterator[str]:
        """The meaning of the symbols in `text`, as lines for a terminal; empty for a text without symbols."""
        return iter(())


AnyGame = Game[Any, Any, Any]
