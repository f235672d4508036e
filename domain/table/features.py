"""All features of the table: their commands and events, and the order in which they act."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from domain.kernel import lifecycle
from domain.kernel.game import AnyGame
from domain.kernel.lifecycle import Table
from domain.kernel.record import SITTER, OpenQuestion, Submission
from domain.kernel.settings import Setting, no_such_option
from domain.kernel.shape import as_line
from domain.kernel.terms import Option, Outcome, Question, Seat, Seq
from domain.table import rated, seats, studies, talk, undo, vacations
from domain.table.clocks import clocks
from domain.table.feature import Moment, TableFeature
from domain.table.undo import Undone
from domain.table.votes import voting

FEATURES: Mapping[str, TableFeature[Any]] = {
    feature.key: feature
    for feature in (clocks.CLOCKS, seats.SEATS, undo.UNDO, vacations.VACATIONS, voting.VOTES, talk.TALK)
}
"""Every feature by its key, in the order in which they act."""

COMMANDS: Mapping[str, type[Any]] = {
    **lifecycle.COMMANDS,
    **{name: cls for feature in FEATURES.values() for name, cls in feature.commands.items()},
}
"""Commands that a client may send to the table."""

PLAYERS: Mapping[str, type[Any]] = {
    **COMMANDS,
    **{name: cls for feature in FEATURES.values() for name, cls in feature.routed.items()},
}
"""Commands that a player's submission to the table may contain, including those made by routes of their own."""

SYSTEM_COMMANDS: Mapping[str, type[Any]] = {
    **lifecycle.SYSTEM_COMMANDS,
    **{name: cls for feature in FEATURES.values() for name, cls in feature.system.items()},
}
"""Commands that SYSTEM may submit."""

ASKED_FOR = frozenset(name for feature in FEATURES.values() for name in feature.system)
"""The commands of SYSTEM that a client requested from the service. The game does not wait for them."""

EVENTS: Mapping[str, type[Any]] = {
    **lifecycle.EVENTS,
    **{name: cls for feature in FEATURES.values() for name, cls in feature.events.items()},
}
"""Reserved type names: no game may use them for its events or commands."""

SENTENCES: Mapping[str, str | Sequence[str]] = {
    **lifecycle.SENTENCES,
    **{name: words for feature in FEATURES.values() for name, words in feature.sentences.items()},
}

TOLD: Mapping[str, Mapping[str, Any]] = {**lifecycle.TOLD, **talk.TOLD}

ASKS: Mapping[str, str | Sequence[str]] = {
    kind: words for feature in FEATURES.values() for kind, words in feature.asks.items()
}
"""Reserved kinds of questions, with their texts: no game may use them."""

NAMES: Mapping[str, Mapping[str, str]] = {
    form: names for feature in FEATURES.values() for form, names in feature.names.items()
}

UNASKED = frozenset(name for feature in FEATURES.values() for name in feature.unasked)
"""Types of table commands that need no question. A seat may send only a limited number of them in a period."""

SETTINGS: Sequence[Setting] = (
    *(setting for feature in FEATURES.values() for setting in feature.settings),
    rated.SETTING,
    studies.SETTING,
)
"""The settings of a table, for any game."""

_OF_COMMAND = {
    cls: feature
    for feature in FEATURES.values()
    for kind in (feature.commands, feature.routed, feature.system)
    for cls in kind.values()
}
_EVENTS = frozenset(cls for feature in FEATURES.values() for cls in feature.events.values())
_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}
_LATER = frozenset({seats.STAND_IN, rated.RATED, studies.STUDIES})
"""Settings omitted from the first event at their default. Older releases do not know them and can continue such a game.
"""


# -- settings ---------------------------------------------------------------------------------------------------------


def complete_settings(settings: Mapping[str, Any]) -> Mapping[str, Any]:
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
    return wrong or {**seats.faults(game, settings), **talk.faults(game, settings)}


# -- commands ---------------------------------------------------------------------------------------------------------


def check_sender(table: Table, submission: Submission) -> None:
    """Raises `RuleViolation` if the sender may not act, whatever the command is."""
    seats.check_sender(table, submission)
    voting.check_sender(table, submission)


def is_for_feature(command: Any) -> bool:
    """Whether a command is sent to a feature, not to the table itself or the game."""
    return type(command) in _OF_COMMAND


def decide(moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
    """The events of a command to a feature. Raises `FeatureDisabled` if the game lacks it."""
    feature = _OF_COMMAND[type(command)]
    memory = feature.required_at(moment.table)
    if isinstance(command, seats.ProposeSubstitute) and moment.table.players:
        seats.check_vacant(memory, command)
        return voting.propose_substitute(moment, seat)
    return feature.decide(memory, moment, seat, command)


def add_events(moment: Moment, seat: Seat, by: str, asked: OpenQuestion | None) -> Sequence[Any]:
    """Events that follow those of a command of the game, sent by the seat or played for it.

    ``by`` is as in `Commit.by`; ``asked`` is the question that a bot or a deadline has answered.
    """
    if by == "policy" and vacations.is_away(moment.table, seat):
        return ()
    return [*seats.count_turn(moment, seat, by, asked), *vacations.end_if_played(moment, seat, by)]


def react(moment: Moment, table: Table) -> tuple[Any, ...]:
    """Events that follow at once from the table after a command; empty when there are none left."""
    return tuple(vacations.react(moment, table) or voting.react(moment, table))


def legal(moment: Moment, seat: Seat) -> Sequence[Option]:
    """The commands that a seat's player or sitter (`Moment.by`) may send to the table now."""
    return [
        *([Option("resign")] if moment.by != SITTER else []),
        *clocks.legal(moment, seat),
        *undo.legal(moment, seat),
        *voting.legal(moment, seat),
    ]


# -- questions --------------------------------------------------------------------------------------------------------


def is_asking(question: Question) -> bool:
    """Whether a feature asks the question, and not the game."""
    return question.serial < 0 and question.kind in ASKS


def awaiting(table: Table) -> Sequence[tuple[Question, int | None]]:
    """The questions of the features, each with its deadline."""
    if not table.memories:
        return ()
    return [*undo.awaiting(table), *vacations.awaiting(table), *voting.awaiting(table)]


def default(question: Question) -> Any:
    """The default command that answers a feature's question."""
    if question.kind in undo.UNDO.asks:
        return undo.default(question)
    return voting.default() if question.kind in voting.VOTES.asks else vacations.default(question)


# -- events -----------------------------------------------------------------------------------------------------------


def apply_event(table: Table | None, event: Any, seq: Seq, at: int) -> Table:
    """The table after one of `EVENTS` in the commit ``seq``, settled ``at``."""
    if isinstance(event, lifecycle.GameBegun):
        begun = lifecycle.apply_event(table, event)
        memories = {
            key: feature.evolve(feature.begin(event.table, len(event.controllers)), event, seq, at)
            for key, feature in FEATURES.items()
            if feature.is_on(event.table)
        }
        return lifecycle.with_memories(begun, memories) if memories else begun
    assert table is not None
    now = seats.reseat(table, event) if type(event) in _EVENTS else lifecycle.apply_event(table, event)
    if not now.memories:
        return now
    memories = {
        key: feature.evolve(now.memories[key], event, seq, at)
        for key, feature in FEATURES.items()
        if key in now.memories
    }
    return lifecycle.with_memories(now, memories)


def outcome(game: AnyGame, state: Any, table: Table) -> Outcome | None:
    """The outcome by the game's rules or by a vote. None while the game continues."""
    return game.rules.outcome(state) or voting.outcome(table, game, state)


def find_readers(event: Any) -> Collection[Seat] | None:
    """The seats for which one of `EVENTS` changes a view or an option. None: everyone."""
    return () if type(event) is talk.Said else None


def changes_game(event: Any) -> bool:
    """Whether one of `EVENTS` changes the game itself. It then counts as news for plans."""
    return type(event) in (lifecycle.PositionSet, Undone)


# -- for readers ------------------------------------------------------------------------------------------------------


def reveal(event: Any, seat: Seat | None) -> Mapping[str, Any] | None:
    """One of `EVENTS` as a line of history that the seat (None: the public) may read, or None."""
    match event:
        case lifecycle.PositionSet():
            return {"type": "position_set"}  # the position itself contains the secrets of all seats
        case talk.Said():
            return talk.reveal(event, seat)
        case vacations.VacationAnnounced():
            return vacations.reveal(event)
        case _:
            return as_line(event)


def view(table: Table) -> Mapping[str, Any]:
    return {key: feature.view(table.memories[key]) for key, feature in FEATURES.items() if key in table.memories}


def decode_memories(documents: Mapping[str, Any], convert: Callable[[Any, type[Any]], Any]) -> Mapping[str, Any]:
    """The memories in a snapshot. ``convert`` builds each from its document and its type."""
    return {key: convert(document, FEATURES[key].memory) for key, document in documents.items()}
