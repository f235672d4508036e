"""All that happens around games: the table's own commands and events, and those of its parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from domain.game import AnyGame
from domain.play import table
from domain.play.parts import thinkers
from domain.play.parts.clocks.clocks import CLOCKS
from domain.play.parts.part import Moment, Part
from domain.play.parts.seats import SEATS
from domain.play.parts.talk import TALK
from domain.play.parts.undo.part import UNDO
from domain.play.parts.vacations import VACATIONS
from domain.play.parts.votes.voting import VOTES
from domain.play.record import SITTER, Asked, Submission
from domain.play.table import Table
from domain.settings import Setting, no_such_option
from domain.shape import snake
from domain.terms import Option, Outcome, Question, Seat, Seq

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
"""Every part by its key; an order in which they always take their turns."""

COMMANDS: Mapping[str, type[Any]] = {
    **table.COMMANDS,
    **{name: cls for part in PARTS.values() for name, cls in part.commands.items()},
}
"""What a client may send to the table."""

PLAYERS: Mapping[str, type[Any]] = {
    **COMMANDS,
    **{name: cls for part in PARTS.values() for name, cls in part.routed.items()},
}
"""What a player's submission to the table may be: also what routes of their own make of what they are sent."""

SYSTEM_COMMANDS: Mapping[str, type[Any]] = {
    **table.SYSTEM_COMMANDS,
    **{name: cls for part in PARTS.values() for name, cls in part.system.items()},
}
"""What SYSTEM may submit."""

ASKED_FOR = frozenset(name for part in PARTS.values() for name in part.system)
"""What of it SYSTEM submits because somebody has asked the service for it, and not because the game is waiting for it."""

EVENTS: Mapping[str, type[Any]] = {
    **table.EVENTS,
    **{name: cls for part in PARTS.values() for name, cls in part.events.items()},
}
"""Reserved type names: no game may have an event or a command of these."""

SENTENCES: Mapping[str, str | Sequence[str]] = {
    **table.SENTENCES,
    **{name: words for part in PARTS.values() for name, words in part.sentences.items()},
}

TOLD: Mapping[str, Mapping[str, Any]] = {
    **table.TOLD,
    **{name: fields for part in PARTS.values() for name, fields in part.told.items()},
}

ASKS: Mapping[str, str | Sequence[str]] = {kind: words for part in PARTS.values() for kind, words in part.asks.items()}

NAMES: Mapping[str, Mapping[str, str]] = {form: names for part in PARTS.values() for form, names in part.names.items()}

QUESTIONS = frozenset(kind for part in PARTS.values() for kind in part.questions)
"""Reserved kinds of questions: no game may ask any of these."""

UNASKED = frozenset(name for part in PARTS.values() for name in part.unasked)
"""The types of the commands to the table that nobody asks for, of which a seat may send only so many in a while."""

SETTINGS: Sequence[Setting] = tuple(setting for part in PARTS.values() for setting in part.settings)
"""What the creator of a game may choose for its table, whatever the game."""

_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}
_OF_COMMAND = {
    cls: part for part in PARTS.values() for kind in (part.commands, part.routed, part.system) for cls in kind.values()
}
_OF_EVENT = {cls: part for part in PARTS.values() for cls in part.events.values()}
_OF_QUESTION = {kind: part for part in PARTS.values() for kind in part.questions}


_LATER = frozenset({thinkers.STAND_IN})
"""What is not named in a beginning at its default: releases before know nothing of it, and can go on with such a game."""


def chosen(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every setting of a table, those that are not named at their defaults."""
    found = {setting.name: settings.get(setting.name, setting.default) for setting in SETTINGS}
    return {name: value for name, value in found.items() if name not in _LATER or value != _DEFAULTS[name]}


def newest_rules() -> str:
    """The rules that a new table begins with, by their name in `domain.play.table.RULES`."""
    return table.NEWEST


def faults(game: AnyGame, settings: Mapping[str, Any]) -> Mapping[str, str]:
    """What would be right in place of each setting that is wrong, or does not fit the game, by its name."""
    known = {setting.name: setting for setting in SETTINGS}
    found = {
        name: known[name].fault(value) if name in known else no_such_option(SETTINGS)
        for name, value in settings.items()
    }
    wrong = {name: fault for name, fault in found.items() if fault}
    return wrong or {name: fault for part in PARTS.values() for name, fault in part.faults(game, settings).items()}


def part_of_command(command: Any) -> Part[Any] | None:
    """The part to which a command is sent; None for the table's own and the game's."""
    return _OF_COMMAND.get(type(command))


def part_asking(question: Question) -> Part[Any] | None:
    """The part that asks; None for a question of the game's."""
    return _OF_QUESTION.get(question.kind) if question.serial < 0 else None


@cache
def _minding(hook: str) -> Sequence[Part[Any]]:
    return tuple(part for part in PARTS.values() if getattr(type(part), hook) is not getattr(Part, hook))


def parts_at(seated: Table, hook: str = "") -> Iterator[tuple[Part[Any], Any]]:
    """The parts that a table has, each with its memory; only those that have the method ``hook`` of their own, if it is named."""
    parts, memories = _minding(hook) if hook else PARTS.values(), seated.memories
    return ((part, memories[part.key]) for part in parts if part.key in memories)


def after(seated: Table | None, event: Any, seq: Seq, at: int) -> Table:
    """The table after one of `EVENTS`, which happens in the commit ``seq``, settled ``at``."""
    if isinstance(event, table.GameBegun):
        begun = table.seated(seated, event)
        memories = {
            key: part.begins(event.table, len(event.controllers))
            for key, part in PARTS.items()
            if part.has(event.table)
        }
        memories = {key: PARTS[key].evolve(memory, event, seq, at) for key, memory in memories.items()}
        return table.remembering(begun, memories) if memories else begun
    assert seated is not None
    now = _reseated(seated, event) if type(event) in _OF_EVENT else table.seated(seated, event)
    if not now.memories:
        return now
    return table.remembering(now, {part.key: part.evolve(memory, event, seq, at) for part, memory in parts_at(now)})


def _reseated(seated: Table, event: Any) -> Table:
    """The table after an event of a part's, which may say who plays a seat."""
    controls = _OF_EVENT[type(event)].controls(event)
    if controls is None:
        return seated
    controllers = list(seated.controllers)
    controllers[controls[0] - 1] = controls[1]
    return replace(seated, controllers=tuple(controllers))


def check_heard(seated: Table, submission: Submission) -> None:
    """Raises `RuleViolation` where a part does not let the sender be heard."""
    for part, memory in parts_at(seated, "hears"):
        part.hears(memory, submission)


def silence(game: AnyGame, seated: Table) -> str | None:
    """The bot that chooses for a player whose time is up; None: what silence means by the game's rules."""
    names = (part.silence(memory, game) for part, memory in parts_at(seated, "silence"))
    return next((name for name in names if name is not None), None)


def resting(seated: Table | None, seat: Seat, by: str) -> Collection[Seat]:
    """The seats whose standing orders rest while a command is decided; see `Part.rests`."""
    if seated is None or not seated.memories:
        return ()
    return [each for part, memory in parts_at(seated, "rests") for each in part.rests(memory, seat, by)]


def unheeded(seated: Table | None, seat: Seat) -> bool:
    """Whether nothing that the seat has ordered answers for its silence."""
    return seated is not None and any(part.unheeded(memory, seat) for part, memory in parts_at(seated, "unheeded"))


def leaves(seated: Table) -> bool:
    """Whether who resigns leaves the game."""
    return any(part.leaves(memory) for part, memory in parts_at(seated, "leaves"))


def excused(seated: Table, seat: Seat) -> bool:
    """Whether what the seat leaves unanswered is no missed turn."""
    return any(part.excuses(memory, seat) for part, memory in parts_at(seated, "excuses"))


def adds(moment: Moment, seat: Seat, by: str, asked: Asked | None) -> Sequence[Any]:
    """What the parts let follow upon a command of the game's; see `Part.adds`."""
    if by == "policy" and excused(moment.table, seat):
        return ()
    parts = parts_at(moment.table, "adds")
    return [event for part, memory in parts for event in part.adds(memory, moment, seat, by, asked)]


def memories_from(documents: Mapping[str, Any], convert: Callable[[Any, type[Any]], Any]) -> Mapping[str, Any]:
    """The memories that stand in a snapshot, each made by ``convert`` of what stands there and its type."""
    return {key: convert(document, PARTS[key].memory) for key, document in documents.items()}


def reactions(seated: Table) -> Sequence[Any]:
    """What follows at once from how the table stands, first of the parts in their order; empty when nothing does."""
    for part, memory in parts_at(seated, "react"):
        if events := part.react(memory, seated):
            return events
    return ()


def outcome(game: AnyGame, state: Any, seated: Table) -> Outcome | None:
    """How the game ended, if it has: by its own rules, or by a part of the table."""
    ended = game.outcome(state)
    if ended is None and seated.memories:
        endings = (part.ending(memory, game, state) for part, memory in parts_at(seated, "ending"))
        return next((ending for ending in endings if ending is not None), None)
    return ended


def awaiting(seated: Table) -> Sequence[tuple[Question, int | None]]:
    """What the parts ask, each with when it is due."""
    if not seated.memories:
        return ()
    return [
        (question, part.due(memory, question))
        for part, memory in parts_at(seated, "awaiting")
        for question in part.awaiting(memory, seated)
    ]


def default(seated: Table, asked: Asked) -> Any:
    """The command that silence stands for, where a part asks."""
    part = part_asking(asked.question)
    assert part is not None
    return part.default(seated.memories[part.key], asked.question)


def legal(moment: Moment, seat: Seat) -> Sequence[Option]:
    """What a player's seat may say to the table now, by who speaks for it."""
    return [
        *([Option("resign")] if moment.by != SITTER else []),
        *(option for part, memory in parts_at(moment.table, "legal") for option in part.legal(memory, moment, seat)),
    ]


def shown_to(event: Any) -> Collection[Seat] | None:
    """The seats for which something is other than it was after one of `EVENTS`; None for everybody."""
    part = _OF_EVENT.get(type(event))
    if part is None:
        return None
    return () if type(event) in part.aside else part.audience(event)


def part_of_event(event: Any) -> Part[Any] | None:
    """The part to which an event belongs; None for the table's own and the game's."""
    return _OF_EVENT.get(type(event))


def moves_the_game(event: Any) -> bool:
    """Whether the game itself stands otherwise after one of `EVENTS`."""
    part = _OF_EVENT.get(type(event))
    return type(event) is table.PositionSet or (part is not None and snake(type(event).__name__) in part.moving)


def view(seated: Table) -> Mapping[str, Any]:
    """What everybody sees of each part, by its key."""
    return {part.key: part.view(memory) for part, memory in parts_at(seated)}
