"""All that happens around games: the table's own commands and events, and those of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from domain.play import table
from domain.play.parts.part import Moment, Part
from domain.play.record import Asked
from domain.play.table import Table
from domain.settings import Setting, no_such_option
from domain.terms import Option, Question, Seat, Seq

PARTS: Mapping[str, Part[Any]] = {}
"""Every part by its key; an order in which they always take their turns."""

COMMANDS: Mapping[str, type[Any]] = {
    **table.COMMANDS,
    **{name: cls for part in PARTS.values() for name, cls in part.commands.items()},
}
"""What a client may send to the table."""

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

SETTINGS: Sequence[Setting] = tuple(setting for part in PARTS.values() for setting in part.settings)
"""What the creator of a game may choose for its table, whatever the game."""

_OF_COMMAND = {cls: part for part in PARTS.values() for cls in part.commands.values()}
_OF_EVENT = {cls: part for part in PARTS.values() for cls in part.events.values()}
_OF_QUESTION = {kind: part for part in PARTS.values() for kind in part.questions}


def chosen(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every setting of a table, those that are not named at their defaults."""
    return {setting.name: settings.get(setting.name, setting.default) for setting in SETTINGS}


def faults(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """What would be right in place of each setting that is wrong, by its name."""
    known = {setting.name: setting for setting in SETTINGS}
    found = {
        name: known[name].fault(value) if name in known else no_such_option(SETTINGS)
        for name, value in settings.items()
    }
    return {name: fault for name, fault in found.items() if fault}


def part_of_command(command: Any) -> Part[Any] | None:
    """The part to which a command is sent; None for the table's own and the game's."""
    return _OF_COMMAND.get(type(command))


def part_asking(question: Question) -> Part[Any] | None:
    """The part that asks; None for a question of the game's."""
    return _OF_QUESTION.get(question.kind) if question.serial < 0 else None


def parts_at(seated: Table) -> Iterator[tuple[Part[Any], Any]]:
    """The parts that a table has, each with its memory."""
    for key, memory in seated.memories.items():
        yield PARTS[key], memory


def after(seated: Table | None, event: Any, seq: Seq, at: int) -> Table:
    """The table after one of `EVENTS`, which happens in the commit ``seq``, settled ``at``."""
    if isinstance(event, table.GameBegun):
        begun = table.seated(seated, event)
        memories = {
            key: part.begins(event.table, len(event.controllers))
            for key, part in PARTS.items()
            if part.has(event.table)
        }
        return table.remembering(begun, memories) if memories else begun
    assert seated is not None
    now = table.seated(seated, event) if type(event) not in _OF_EVENT else seated
    if not now.memories:
        return now
    return table.remembering(now, {part.key: part.evolve(memory, event, seq, at) for part, memory in parts_at(now)})


def memories_from(documents: Mapping[str, Any], convert: Callable[[Any, type[Any]], Any]) -> Mapping[str, Any]:
    """The memories that stand in a snapshot, each made by ``convert`` of what stands there and its type."""
    return {key: convert(document, PARTS[key].memory) for key, document in documents.items()}


def awaiting(seated: Table) -> Sequence[tuple[Question, int | None]]:
    """What the parts ask, each with when it is due."""
    if not seated.memories:
        return ()
    return [
        (question, part.due(memory, question))
        for part, memory in parts_at(seated)
        for question in part.awaiting(memory, seated)
    ]


def default(seated: Table, asked: Asked) -> Any:
    """The command that silence stands for, where a part asks."""
    part = part_asking(asked.question)
    assert part is not None
    return part.default(seated.memories[part.key], asked.question)


def legal(moment: Moment, seat: Seat) -> Sequence[Option]:
    """What a player's seat may say to the table now."""
    return [
        Option("resign"),
        *(option for part, memory in parts_at(moment.table) for option in part.legal(memory, moment, seat)),
    ]


def audience(event: Any) -> Any:
    """The seats that may read any of one of `EVENTS`; None for everybody."""
    part = _OF_EVENT.get(type(event))
    return None if part is None else part.audience(event)


def reveal(event: Any, seat: Seat | None) -> Mapping[str, Any] | None:
    """One line of history of a part's event, as the seat (None: the public) may read it."""
    return _OF_EVENT[type(event)].reveal(event, seat)


def of_part(event: Any) -> bool:
    """Whether an event is one of a part's."""
    return type(event) in _OF_EVENT


def view(seated: Table) -> Mapping[str, Any]:
    """What everybody sees of each part, by its key."""
    return {part.key: part.view(memory) for part, memory in parts_at(seated)}
