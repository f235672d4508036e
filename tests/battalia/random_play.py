"""Whole games of random legal play through the kernel, with checks at every commit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from domain.games.battalia.game import BATTALIA
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.game.rules import Setup
from domain.kernel.options import as_json, offers, pick
from domain.kernel.record import Chance, Commit, Position, Submission
from domain.kernel.shape import Malformed, build, hints
from domain.kernel.terms import SYSTEM, Option, Seat
from domain.table.settle import settle


def chance_of(seed: int) -> Chance:
    return Chance(f"random game {seed}".encode().ljust(32, b"."))


def begun(
    seats: int, seed: int, *, modules: tuple[str, ...] = (), ruleset: str = "", **options: Any
) -> tuple[Commit, Position]:
    """The first commit of a game, and the position after it."""
    setup = BATTALIA.rules.check(Setup(seats, ruleset, options, modules))
    command = {
        "type": "begin",
        "game": f"g{seed}",
        "kind": "battalia",
        "ruleset": setup.ruleset,
        "controllers": ("player",) * seats,
        "options": setup.options,
        "modules": setup.modules,
        "pace": {},
        "commitment": "",
        "entropy": ("",) * seats,
    }
    commit, position = settle(BATTALIA, Position(), Submission("0", SYSTEM, command, 0), 0, chance_of(seed))
    assert commit.refusal is None, commit.refusal
    return commit, position


def steps(
    seats: int, seed: int, *, cap: int = 3000, bot: str = "random", **options: Any
) -> Iterator[tuple[Position, Commit]]:
    """The position after every commit of a game, and the commit."""
    commit, position = begun(seats, seed, **options)
    yield position, commit
    dice, chance = Dice(b"player %d" % seed), chance_of(seed)
    while not position.over and position.seq < cap:
        asked = dice.choose(position.asked)
        seat = asked.question.seat
        if seat == SYSTEM:
            command: Mapping[str, Any] = {"type": "expire", "question": asked.id}
        elif bot == "random":
            command = pick(BATTALIA.rules.replies(position.state, seat), dice)
        else:
            command = BATTALIA.bots.by_name[bot](BATTALIA.knowledge.imagine(position.state, seat, dice), seat, dice)
        submission = Submission(str(position.seq), seat, command, position.seq)
        commit, position = settle(BATTALIA, position, submission, position.seq, chance)
        if commit.fault is not None:
            raise commit.fault
        assert commit.refusal is None, (seats, seed, command, commit.refusal)
        yield position, commit


def whole(command: Mapping[str, Any]) -> dict[str, Any]:
    """The command with every parameter, defaults included."""
    built = build(BATTALIA.rules.commands, command)
    names = hints(type(built))
    values = {name: getattr(built, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def is_offered(options: list[Option], command: Mapping[str, Any]) -> bool:
    """Whether one of the Options offers the command. Parameters that an Option omits have their defaults."""
    try:
        full = whole(command)
    except Malformed:
        return False
    bare = whole_defaults(command["type"])
    for option in options:
        if option.type != command["type"]:
            continue
        named = set(option.fixed) | {part.name for part in option.open}
        rest = {name: value for name, value in full.items() if name not in named}
        if all(name in bare and bare[name] == value for name, value in rest.items()) and offers(
            option, option.type, {name: full[name] for name in named}
        ):
            return True
    return False


def whole_defaults(type_: str) -> dict[str, Any]:
    found = {}
    for field in dataclasses.fields(BATTALIA.rules.commands[type_]):
        if field.default is not dataclasses.MISSING:
            value = field.default
            found[field.name] = list(value) if isinstance(value, tuple) else value
    return found


def refusal_of(state: Any, seat: Seat, command: Mapping[str, Any]) -> Any:
    """The full refusal of the command by the rules, or None."""
    try:
        BATTALIA.rules.decide(state, seat, build(BATTALIA.rules.commands, command), Dice(b"aside"))
    except RuleViolation as refusal:
        return (refusal.code, refusal.message, refusal.rule, refusal.field, refusal.facts)
    return None


def events_of(state: Any, seat: Seat, command: Mapping[str, Any]) -> Any:
    """The events of the command with fixed dice."""
    return list(BATTALIA.rules.decide(state, seat, build(BATTALIA.rules.commands, command), Dice(b"the same")))


def mutations(state: Any, seat: Seat, options: list[Option], dice: Dice) -> Iterator[dict[str, Any]]:
    """Commands similar to the offered ones."""
    words = _words(state, seat)
    for _ in range(6):
        command = {**pick(options, dice)}
        full = whole(command)
        names = [name for name in full if name in command] or ["type"]
        name = dice.choose(sorted(full) or names)
        if name == "type":
            continue
        value = full[name]
        if isinstance(value, list):
            full[name] = _other_list(value, words, dice)
        elif isinstance(value, int):
            full[name] = dice.choose((value + 1, value - 1, 0, 1, 2, 5))
        else:
            full[name] = dice.choose(words)
        yield {"type": command["type"], **full}
    type_ = dice.choose(sorted(BATTALIA.rules.commands))
    names = hints(BATTALIA.rules.commands[type_])
    yield {"type": type_, **{name: _any(kind, words, dice) for name, kind in names.items()}}


def _other_list(value: list[Any], words: list[str], dice: Dice) -> list[Any]:
    match dice.below(4):
        case 0:
            return value[:-1]
        case 1:
            return [*value, dice.choose(words)]
        case 2:
            return [*value, *value[:1]]
        case _:
            return [*value[1:], dice.choose(words)]


def _any(kind: Any, words: list[str], dice: Dice) -> Any:
    if kind is int:
        return dice.below(5)
    if kind is str:
        return dice.choose(words)
    return [dice.choose(words) for _ in range(dice.below(4))]


def _words(state: Any, seat: Seat) -> list[str]:
    """Names in the game: cards of all players, squares, heroes, factions, piles."""
    cards = [card for player in state.players.values() for card in player.hand + player.hidden + player.tokens]
    own = [*state.players[seat].hand] * 3
    kept = [card for player in state.players.values() for tent in player.tents for card in tent.kept]
    squares = [*state.board, "A1", "B2", "Z9", ""]
    exits = ["N", "E", "NS", "EW", "NE", "NES", "NESW", "SN"]
    return [*cards, *own, *kept, *squares, *state.heroes, *state.factions, *state.piles, *exits, *state.great]


def json_of(options: Any) -> list[Any]:
    return [as_json(option) for option in options]


def scrambled(thing: Any) -> Any:
    """The same state with every mapping in another order, as after a round trip through sorted JSON."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = {field.name: scrambled(getattr(thing, field.name)) for field in dataclasses.fields(thing)}
        return type(thing)(**fields)
    if isinstance(thing, Mapping):
        return {key: scrambled(value) for key, value in reversed(list(thing.items()))}
    if isinstance(thing, list | tuple):
        return type(thing)(scrambled(value) for value in thing)
    return thing
