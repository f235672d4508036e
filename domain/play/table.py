"""What happens around every game: it begins, seats resign to bots, deadlines pass, it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from domain.shape import catalogue
from domain.terms import GameId, Outcome, QuestionId, Seat

PLAYER = "player"
"""The controller of a seat that a person or a client plays; a bot's is ``bot:`` and its name."""


LEFT = "left"
"""The controller of a seat that nobody plays any more, because its player has left the game."""


@dataclass(frozen=True, slots=True)
class TableRules:
    """What tables of older games decide otherwise than those of newer ones; a game keeps its rules to its end."""

    heard: Literal["every-seat", "players"]
    """Whose commands are heard: those of every seat, or only those of a seat that a player controls."""
    reserves: Literal["kept", "set-back"] = "kept"
    """What becomes of the reserves of time when answers are taken back that have added to them or were given out of them."""
    hours: Literal["kept", "counted"] = "kept"
    """What becomes of the time between an answer and its being taken back, for who does both alone: only the newer count it."""
    pauses: Literal["stand", "lifted"] = "stand"
    """What becomes of the clocks that a vote has stopped when no seat has a player any more."""
    missed: Literal["commands", "questions"] = "commands"
    """How often a turn is missed that a bot plays for a seat whose time is up: once for each of its commands, or for the question."""
    silence: Literal["question", "turn"] = "question"
    """What a passed deadline answers: only its question (`Game.decide`), or the rest of the turn too (`Game.decide_silence`)."""
    disclosures: Literal["by-event", "by-commit"] = "by-event"
    """Whether secrets are told by single events (`Game.gives_away`), or by all events of a commit together (`Game.discloses`)."""


OLDEST, NEWEST = "table_v1", "table_v5"
RULES: Mapping[str, TableRules] = {
    OLDEST: TableRules("every-seat"),
    "table_v2": TableRules("players"),
    "table_v3": TableRules("players", reserves="set-back", hours="counted", pauses="lifted"),
    "table_v4": TableRules("players", reserves="set-back", hours="counted", pauses="lifted", missed="questions"),
    NEWEST: TableRules(
        "players",
        reserves="set-back",
        hours="counted",
        pauses="lifted",
        missed="questions",
        silence="turn",
        disclosures="by-commit",
    ),
}
"""By the name in ``game_begun``; a game that names none is older than the names, and has `OLDEST`."""


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits where and how it stands, apart from the game itself."""

    game: GameId
    kind: str
    controllers: tuple[str, ...]
    """Who plays each seat, seat 1 first."""
    pace: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome | None = None
    sandbox: bool = False
    table_rules: str = OLDEST
    memories: Mapping[str, Any] = field(default_factory=dict)
    """What each part that the table has (`domain.play.parts`) remembers, by its key."""

    @property
    def rules(self) -> TableRules:
        """The rules that this table began with."""
        return RULES[self.table_rules]

    def controller(self, seat: Seat) -> str:
        return self.controllers[seat - 1] if seat else "system"

    def is_played(self, seat: Seat) -> bool:
        """Whether a player controls the seat, and not a bot: from the beginning, or since its player resigned."""
        return 0 < seat <= len(self.controllers) and self.controllers[seat - 1] == PLAYER

    @property
    def players(self) -> tuple[Seat, ...]:
        """The seats that players control."""
        return tuple(Seat(number) for number, name in enumerate(self.controllers, 1) if name == PLAYER)


# -- commands ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Begin:
    """SYSTEM: the lobby is frozen, the game begins."""

    game: GameId
    kind: str
    ruleset: str
    controllers: tuple[str, ...]
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    pace: Mapping[str, Any]
    commitment: str
    """SHA-256 of the seed, hex: published before any entropy was taken."""
    entropy: tuple[str, ...]
    """What each seat added, hex; empty for a seat that gave none."""
    sandbox: bool = False
    position: Any = None
    """The state that a sandbox starts from, instead of the game's own beginning."""
    table_rules: str = OLDEST
    """A name of `RULES`."""
    table: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the table's parts, by name; what is not named here the game does not have."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Resign. A bot continues to play the seat."""


@dataclass(frozen=True, slots=True)
class Expire:
    """SYSTEM: the time of a question has passed, or the question was SYSTEM's own."""

    question: QuestionId


@dataclass(frozen=True, slots=True)
class Act:
    """SYSTEM: the bot in the seat that is asked answers.

    What a bot that thinks has chosen was thought over elsewhere, and is said here; without a choice its stand-in answers.
    """

    question: QuestionId
    choice: Mapping[str, Any] | None = None
    """The game's command, as JSON."""
    bot: str = ""
    """Who has chosen it."""
    release: str = ""
    """The release of the service that thought it over."""
    worth: int = 0
    """How many commands it imagined for that, about."""
    moved: int = 0
    """The last commit that had moved the question when it was thought over (`domain.play.record.Asked.moved`)."""


@dataclass(frozen=True, slots=True)
class PutOff:
    """SYSTEM: nobody could answer while the service was down, so the deadline moves by ``by`` milliseconds."""

    question: QuestionId
    by: int


SystemCommand = Begin | Expire | Act | PutOff
SYSTEM_COMMANDS: dict[str, type[Any]] = catalogue(Begin, Expire, Act, PutOff)
COMMANDS: dict[str, type[Any]] = catalogue(Resign)
"""What a client may send to the table."""


# -- events -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameBegun:
    game: GameId
    kind: str
    ruleset: str
    controllers: tuple[str, ...]
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    pace: Mapping[str, Any]
    commitment: str
    entropy: tuple[str, ...]
    sandbox: bool = False
    table_rules: str = OLDEST
    table: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PositionSet:
    """A sandbox started from a given state, in the game's own format."""

    position: Any


@dataclass(frozen=True, slots=True)
class SeatResigned:
    seat: Seat
    bot: str


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat resigned and no bot plays it. The rules of the game determine what happens to it."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    seat: Seat
    question: QuestionId


@dataclass(frozen=True, slots=True)
class StandInAnswered:
    """A search bot did not answer in time, or no search worker is running. Another bot chose the move."""

    seat: Seat
    bot: str
    instead_of: str


@dataclass(frozen=True, slots=True)
class DeadlinePutOff:
    seat: Seat
    question: QuestionId
    by: int
    due: int
    """The new instant, milliseconds of Unix time."""


@dataclass(frozen=True, slots=True)
class GameEnded:
    reason: str
    clause: str
    winners: tuple[Seat, ...]
    scores: Mapping[Seat, int]


TableEvent = GameBegun | PositionSet | SeatResigned | DeadlinePassed | StandInAnswered | DeadlinePutOff | GameEnded
EVENTS: dict[str, type[Any]] = catalogue(
    GameBegun, PositionSet, SeatResigned, DeadlinePassed, StandInAnswered, DeadlinePutOff, GameEnded
)
"""Reserved type names: no game may have an event or a command of these."""

TOLD: Mapping[str, Mapping[str, Any]] = {"position_set": {"position": None}}
"""As `domain.game.Game.told`: a position holds everybody's secrets."""

SENTENCES: dict[str, str | Sequence[str]] = {
    "game_begun": "The game begins.",
    "position_set": "The game starts from a given position.",
    "seat_resigned": "{seat:seat} resigns, and a bot now plays the seat.",
    "deadline_passed": "{seat:seat} has run out of time.",
    "stand_in_answered": "The fallback bot {bot} moves for {seat:seat}, because {instead_of} gave no answer.",
    "deadline_put_off": "{seat:seat} gets more time, because the service was down.",
    "game_ended": "The game is over. [{winners:seats} {winners:wins|win}~No one wins][; final points: {scores:standings}].",
}


def seated(table: Table | None, event: TableEvent) -> Table:
    """The table after the event."""
    match event:
        case GameBegun():
            return Table(
                event.game,
                event.kind,
                event.controllers,
                event.pace,
                sandbox=event.sandbox,
                table_rules=event.table_rules,
            )
        case SeatResigned():
            assert table is not None
            controllers = list(table.controllers)
            controllers[event.seat - 1] = "bot:" + event.bot
            return replace(table, controllers=tuple(controllers))
        case GameEnded():
            assert table is not None
            return replace(table, outcome=Outcome(event.reason, event.clause, event.winners, event.scores))
        case PositionSet() | DeadlinePassed() | StandInAnswered() | DeadlinePutOff():
            assert table is not None
            return table


def remembering(table: Table, memories: Mapping[str, Any]) -> Table:
    """The table with other memories of its parts; the same one where nothing is new."""
    return table if memories == table.memories else replace(table, memories=memories)
