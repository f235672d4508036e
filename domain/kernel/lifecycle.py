"""Events around every game: it begins, seats resign to bots, deadlines pass, it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from domain.kernel.shape import catalogue
from domain.kernel.terms import GameId, Outcome, QuestionId, Seat

PLAYER = "player"
"""The controller of a seat that a person or a client plays; a bot's is ``bot:`` and its name."""


LEFT = "left"
"""The controller of a seat without player and bot, because its player has left the game."""


@dataclass(frozen=True, slots=True)
class TableRules:
    """Decisions that differ between tables of older and newer games. A game keeps its rules to its end."""

    heard: Literal["every-seat", "players"]
    """The seats that may send commands: every seat, or only seats controlled by a player."""
    reserves: Literal["kept", "set-back"] = "kept"
    """Reserve time after undone answers that added to it or used it."""
    hours: Literal["kept", "counted"] = "kept"
    """The time between an answer and its undo by the same player alone; only newer rules count it."""
    pauses: Literal["stand", "lifted"] = "stand"
    """Clocks that a vote stopped, after the last player has left."""
    missed: Literal["commands", "questions"] = "commands"
    """The counting of missed turns if a bot plays after a timeout.

    Once for each of its commands, or once for the question.
    """
    silence: Literal["question", "turn"] = "question"
    """The questions that a passed deadline answers.

    Only its question (`Rules.decide`), or also the rest of the turn (`Rules.decide_silence`).
    """
    disclosures: Literal["by-event", "by-commit"] = "by-event"
    """The detection of revealed secrets.

    By single events (`Knowledge.gives_away`), or by all events of a commit (`Knowledge.discloses`).
    """


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
"""Table rules by the name in ``game_begun``. A game without a name is older than the names and has `OLDEST`."""


@dataclass(frozen=True, slots=True)
class Table:
    """Seats and settings of a game, apart from the game itself."""

    game: GameId
    kind: str
    controllers: tuple[str, ...]
    """The controller of each seat, seat 1 first."""
    pace: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome | None = None
    sandbox: bool = False
    table_rules: str = OLDEST
    memories: Mapping[str, Any] = field(default_factory=dict)
    """The memory of each feature of the table (`domain.table`), by its key."""

    @property
    def rules(self) -> TableRules:
        return RULES[self.table_rules]

    def controller(self, seat: Seat) -> str:
        return self.controllers[seat - 1] if seat else "system"

    def is_played(self, seat: Seat) -> bool:
        """Whether a player controls the seat, and not a bot."""
        return 0 < seat <= len(self.controllers) and self.controllers[seat - 1] == PLAYER

    @property
    def players(self) -> tuple[Seat, ...]:
        """The seats controlled by players."""
        return tuple(Seat(number) for number, name in enumerate(self.controllers, 1) if name == PLAYER)


# -- commands ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Begin:
    """SYSTEM: the lobby is closed, the game begins."""

    game: GameId
    kind: str
    ruleset: str
    controllers: tuple[str, ...]
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    pace: Mapping[str, Any]
    commitment: str
    """SHA-256 of the seed, hex, published before entropy was accepted."""
    entropy: tuple[str, ...]
    """The entropy of each seat, hex; empty for a seat without."""
    sandbox: bool = False
    position: Any = None
    """The initial state of a sandbox, in place of the game's own."""
    table_rules: str = OLDEST
    """A name of `RULES`."""
    table: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the table's features, by name. The game lacks features whose settings are missing."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Resign. A bot continues to play the seat."""


@dataclass(frozen=True, slots=True)
class Expire:
    """SYSTEM: the time of a question has passed, or it was SYSTEM's own question."""

    question: QuestionId


@dataclass(frozen=True, slots=True)
class Act:
    """SYSTEM: the bot in a seat with a question answers.

    The move of a search bot is computed elsewhere and submitted here. Without a choice, the fallback bot answers.
    """

    question: QuestionId
    choice: Mapping[str, Any] | None = None
    """The game's command, as JSON."""
    bot: str = ""
    """The bot that chose it."""
    release: str = ""
    """The release of the service that computed it."""
    worth: int = 0
    """Approximate number of simulated commands."""
    moved: int = 0
    """The last commit that had moved the question when the move was computed (`domain.kernel.record.OpenQuestion.moved`)."""


@dataclass(frozen=True, slots=True)
class PutOff:
    """SYSTEM: no one could answer while the service was down, so the deadline moves by ``by`` milliseconds."""

    question: QuestionId
    by: int


SystemCommand = Begin | Expire | Act | PutOff
SYSTEM_COMMANDS: dict[str, type[Any]] = catalogue(Begin, Expire, Act, PutOff)
COMMANDS: dict[str, type[Any]] = catalogue(Resign)
"""Commands that a client may send to the table."""


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
    """The new deadline, milliseconds of Unix time."""


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
"""Reserved type names: no game may use them for its events or commands."""

TOLD: Mapping[str, Mapping[str, Any]] = {"position_set": {"position": None}}
"""As `domain.kernel.game.knowledge.Knowledge.told`: a position contains all secrets."""

SENTENCES: dict[str, str | Sequence[str]] = {
    "game_begun": "The game begins.",
    "position_set": "The game starts from a given position.",
    "seat_resigned": "{seat:seat} resigns, and a bot takes over the seat.",
    "deadline_passed": "{seat:seat} runs out of time.",
    "stand_in_answered": "The fallback bot {bot} moves for {seat:seat}, because {instead_of} did not answer.",
    "deadline_put_off": "{seat:seat} gets more time, because the service was down.",
    "game_ended": "The game is over. [{winners:seats} {winners:wins|win}~No one wins].[ Final score: {scores:standings}.]",
}


def apply_event(table: Table | None, event: TableEvent) -> Table:
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


def with_memories(table: Table, memories: Mapping[str, Any]) -> Table:
    """The table with other memories of its features; the same object if nothing changed."""
    return table if memories == table.memories else replace(table, memories=memories)
