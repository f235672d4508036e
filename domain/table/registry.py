"""The registry of the table's parts, with the commands and events of the table and of all its parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from domain.game import AnyGame
from domain.kernel import lifecycle
from domain.kernel.lifecycle import Table
from domain.kernel.record import SITTER, Asked, Submission
from domain.kernel.settings import Setting, no_such_option
from domain.kernel.shape import snake
from domain.kernel.terms import Option, Outcome, Question, Seat, Seq
from domain.table import search_bots
from domain.table.clocks.clocks import CLOCKS
from domain.table.part import Moment, Part
from domain.table.seats import SEATS
from domain.table.talk import TALK
from domain.table.undo.part import UNDO
from domain.table.vacations import VACATIONS
from domain.table.votes.voting import VOTES

PARTS: Mapping[str, Part[Any]] = {
    part.key: part
    for part in (
        CLOCKS,
        SEATS,
        UNDO,
        VACATIONS,
        VOTES,
        TALK,
    )
}
"""Every part by its key, in the order in which they are always called."""

COMMANDS: Mapping[str, type[Any]] = {
    **lifecycle.COMMANDS,
    **{name: cls for part in PARTS.values() for name, cls in part.commands.items()},
}
"""Commands that a client may send to the table."""

PLAYERS: Mapping[str, type[Any]] = {
    **COMMANDS,
    **{name: cls for part in PARTS.values() for name, cls in part.routed.items()},
}
"""Commands that a player's submission to the table may contain, including those made by routes of their own."""

SYSTEM_COMMANDS: Mapping[str, type[Any]] = {
    **lifecycle.SYSTEM_COMMANDS,
    **{name: cls for part in PARTS.values() for name, cls in part.system.items()},
}
"""Commands that SYSTEM may submit."""

ASKED_FOR = frozenset(name for part in PARTS.values() for name in part.system)
"""The commands of SYSTEM that a client requested from the service. The game does not wait for them."""

EVENTS: Mapping[str, type[Any]] = {
    **lifecycle.EVENTS,
    **{name: cls for part in PARTS.values() for name, cls in part.events.items()},
}
"""Reserved type names: no game may use them for its events or commands."""

SENTENCES: Mapping[str, str | Sequence[str]] = {
    **lifecycle.SENTENCES,
    **{name: words for part in PARTS.values() for name, words in part.sentences.items()},
}

TOLD: Mapping[str, Mapping[str, Any]] = {
    **lifecycle.TOLD,
    **{name: fields for part in PARTS.values() for name, fields in part.told.items()},
}

ASKS: Mapping[str, str | Sequence[str]] = {kind: words for part in PARTS.values() for kind, words in part.asks.items()}

NAMES: Mapping[str, Mapping[str, str]] = {form: names for part in PARTS.values() for form, names in part.names.items()}

QUESTIONS = frozenset(kind for part in PARTS.values() for kind in part.questions)
"""Reserved kinds of questions: no game may use them."""

UNASKED = frozenset(name for part in PARTS.values() for name in part.unasked)
"""Types of table commands that need no question. A seat may send only a limited number of them in a period."""

SETTINGS: Sequence[Setting] = tuple(setting for part in PARTS.values() for setting in part.settings)
"""The settings of a table, for any game."""

_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}
_OF_COMMAND = {
    cls: part for part in PARTS.values() for kind in (part.commands, part.routed, part.system) for cls in kind.values()
}
_OF_EVENT = {cls: part for part in PARTS.values() for cls in part.events.values()}
_OF_QUESTION = {kind: part for part in PARTS.values() for kind in part.questions}


_LATER = frozenset({search_bots.STAND_IN})
"""Settings omitted from the first event at their default. Older releases do not know them and can continue such a game.
"""


def chosen(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every setting of a table, with defaults for those not named."""
    found = {setting.name: settings.get(setting.name, setting.default) for setting in SETTINGS}
    return {name: value for name, value in found.items() if name not in _LATER or value != _DEFAULTS[name]}


def newest_rules() -> str:
    """The rules of a new table, by their name in `domain.kernel.lifecycle.RULES`."""
    return lifecycle.NEWEST


def faults(game: AnyGame, settings: Mapping[str, Any]) -> Mapping[str, str]:
    """The allowed values for each setting that is wrong or does not fit the game, by its name."""
    known = {setting.name: setting for setting in SETTINGS}
    found = {
        name: known[name].fault(value) if name in known else no_such_option(SETTINGS)
        for name, value in settings.items()
    }
    wrong = {name: fault for name, fault in found.items() if fault}
    return wrong or {name: fault for part in PARTS.values() for name, fault in part.faults(game, settings).items()}


def part_of_command(command: Any) -> Part[Any] | None:
    """The part that a command is sent to. None for the table's own commands and the game's."""
    return _OF_COMMAND.get(type(command))


def part_asking(question: Question) -> Part[Any] | None:
    """The part that asks. None for a question of the game."""
    return _OF_QUESTION.get(question.kind) if question.serial < 0 else None


@cache
def _minding(hook: str) -> Sequence[Part[Any]]:
    return tuple(part for part in PARTS.values() if getattr(type(part), hook) is not getattr(Part, hook))


def parts_at(seated: Table, hook: str = "") -> Iterator[tuple[Part[Any], Any]]:
    """The parts of a table, each with its memory. If ``hook`` is given, only those that override this method."""
    parts, memories = _minding(hook) if hook else PARTS.values(), seated.memories
    return ((part, memories[part.key]) for part in parts if part.key in memories)


def after(seated: Table | None, event: Any, seq: Seq, at: int) -> Table:
    """The table after one of `EVENTS` in the commit ``seq``, settled ``at``."""
    if isinstance(event, lifecycle.GameBegun):
        begun = lifecycle.seated(seated, event)
        memories = {
            key: part.begins(event.table, len(event.controllers))
            for key, part in PARTS.items()
            if part.has(event.table)
        }
        memories = {key: PARTS[key].evolve(memory, event, seq, at) for key, memory in memories.items()}
        return lifecycle.remembering(begun, memories) if memories else begun
    assert seated is not None
    now = _reseated(seated, event) if type(event) in _OF_EVENT else lifecycle.seated(seated, event)
    if not now.memories:
        return now
    return lifecycle.remembering(now, {part.key: part.evolve(memory, event, seq, at) for part, memory in parts_at(now)})


def _reseated(seated: Table, event: Any) -> Table:
    """The table after an event of a part, which may change the controller of a seat."""
    controls = _OF_EVENT[type(event)].controls(event)
    if controls is None:
        return seated
    controllers = list(seated.controllers)
    controllers[controls[0] - 1] = controls[1]
    return replace(seated, controllers=tuple(controllers))


def check_heard(seated: Table, submission: Submission) -> None:
    """Raises `RuleViolation` if a part rejects the sender."""
    for part, memory in parts_at(seated, "hears"):
        part.hears(memory, submission)


def silence(game: AnyGame, seated: Table) -> str | None:
    """The bot that chooses for a player whose time is up. None: the game's default."""
    names = (part.silence(memory, game) for part, memory in parts_at(seated, "silence"))
    return next((name for name in names if name is not None), None)


def resting(seated: Table | None, seat: Seat, by: str) -> Collection[Seat]:
    """The seats whose standing orders are suspended while a command is decided; see `Part.rests`."""
    if seated is None or not seated.memories:
        return ()
    return [each for part, memory in parts_at(seated, "rests") for each in part.rests(memory, seat, by)]


def unheeded(seated: Table | None, seat: Seat) -> bool:
    """Whether the seat's standing orders do not answer when its time is up."""
    return seated is not None and any(part.unheeded(memory, seat) for part, memory in parts_at(seated, "unheeded"))


def leaves(seated: Table) -> bool:
    """Whether a player who resigns leaves the game."""
    return any(part.leaves(memory) for part, memory in parts_at(seated, "leaves"))


def excused(seated: Table, seat: Seat) -> bool:
    """Whether the seat's unanswered questions do not count as missed turns."""
    return any(part.excuses(memory, seat) for part, memory in parts_at(seated, "excuses"))


def adds(moment: Moment, seat: Seat, by: str, asked: Asked | None) -> Sequence[Any]:
    """Events that the parts add after a command of the game; see `Part.adds`."""
    if by == "policy" and excused(moment.table, seat):
        return ()
    parts = parts_at(moment.table, "adds")
    return [event for part, memory in parts for event in part.adds(memory, moment, seat, by, asked)]


def memories_from(documents: Mapping[str, Any], convert: Callable[[Any, type[Any]], Any]) -> Mapping[str, Any]:
    """The memories in a snapshot. ``convert`` builds each from its document and its type."""
    return {key: convert(document, PARTS[key].memory) for key, document in documents.items()}


def reactions(seated: Table) -> Sequence[Any]:
    """The reactions of the first part that has any, in the order of the parts; empty if there are none."""
    for part, memory in parts_at(seated, "react"):
        if events := part.react(memory, seated):
            return events
    return ()


def outcome(game: AnyGame, state: Any, seated: Table) -> Outcome | None:
    """The outcome by the game's rules or by a part of the table. None while the game continues."""
    ended = game.outcome(state)
    if ended is None and seated.memories:
        endings = (part.ending(memory, game, state) for part, memory in parts_at(seated, "ending"))
        return next((ending for ending in endings if ending is not None), None)
    return ended


def awaiting(seated: Table) -> Sequence[tuple[Question, int | None]]:
    """The questions of the parts, each with its deadline."""
    if not seated.memories:
        return ()
    return [
        (question, part.due(memory, question))
        for part, memory in parts_at(seated, "awaiting")
        for question in part.awaiting(memory, seated)
    ]


def default(seated: Table, asked: Asked) -> Any:
    part = part_asking(asked.question)
    assert part is not None
    return part.default(seated.memories[part.key], asked.question)


def legal(moment: Moment, seat: Seat) -> Sequence[Option]:
    """The commands that a seat's player or sitter (`Moment.by`) may send to the table now."""
    return [
        *([Option("resign")] if moment.by != SITTER else []),
        *(option for part, memory in parts_at(moment.table, "legal") for option in part.legal(memory, moment, seat)),
    ]


def shown_to(event: Any) -> Collection[Seat] | None:
    """The seats for which one of `EVENTS` changes something. None: everyone."""
    part = _OF_EVENT.get(type(event))
    if part is None:
        return None
    return () if type(event) in part.aside else part.audience(event)


def part_of_event(event: Any) -> Part[Any] | None:
    """The part that an event belongs to. None for the table's own events and the game's."""
    return _OF_EVENT.get(type(event))


def moves_the_game(event: Any) -> bool:
    """Whether one of `EVENTS` changes the game itself."""
    part = _OF_EVENT.get(type(event))
    return type(event) is lifecycle.PositionSet or (part is not None and snake(type(event).__name__) in part.moving)


def view(seated: Table) -> Mapping[str, Any]:
    return {part.key: part.view(memory) for part, memory in parts_at(seated)}
