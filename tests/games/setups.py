"""The setups with which the laws of a game are checked, and the laws that apply before it begins."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from domain.kernel import lifecycle
from domain.kernel.errors import BadSetup
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.table import bots
from tests.games.law import Broken, hold


@dataclass(frozen=True)
class Case:
    """A game and its setup."""

    game: AnyGame
    setup: Setup

    def __str__(self) -> str:
        extras = [*self.setup.modules, *(f"{name}={value}" for name, value in self.setup.options.items())]
        return "-".join((self.game.key, self.setup.ruleset, str(self.setup.seats), *extras))


def cases(game: AnyGame) -> list[Case]:
    """Setups with each ruleset, each number of seats, each module alone and all together, and each setting off its default."""
    first, fewest = game.rules.rulesets[0], min(game.rules.seats)
    setups = [Setup(fewest, ruleset) for ruleset in game.rules.rulesets]
    setups += [Setup(seats, first) for seats in game.rules.seats if seats != fewest]
    setups += [Setup(fewest, first, {}, (module,)) for module in game.rules.modules]
    if len(game.rules.modules) > 1:
        setups += [Setup(max(game.rules.seats), first, {}, tuple(game.rules.modules))]
    for setting in game.rules.settings:
        values = setting.choices or (setting.min, setting.max)
        other = next((value for value in values if value != setting.default), setting.default)
        setups += [Setup(fewest, first, {setting.name: other}, setting.needs)]
    return [Case(game, setup) for setup in setups if possible(game, setup)]


def possible(game: AnyGame, setup: Setup) -> bool:
    try:
        game.rules.check(setup)
    except BadSetup:
        return False
    return True


def described(game: AnyGame) -> None:
    """Check that the declarations of the game are consistent."""
    hold("described", bool(game.key.isidentifier() and game.title and game.rules.rulesets and game.rules.seats))
    hold(
        "described",
        not set(game.rules.commands) & {*lifecycle.COMMANDS, *lifecycle.SYSTEM_COMMANDS},
        "a command of the table",
    )
    hold("described", not set(game.rules.events) & set(lifecycle.EVENTS), "an event of the table")
    hold("described", set(game.rules.unasked) <= set(game.rules.commands), "what is unasked is a command")
    answers = {command for commands in game.rules.answers.values() for command in commands}
    hold("described", answers <= set(game.rules.commands), "what answers a question is a command")
    hold(
        "described", set(game.rules.endings) <= set(game.rules.answers), "what ends a turn answers one of its questions"
    )
    told = {type_.partition(".")[0] for type_ in game.presentation.sentences}
    hold("described", told <= {*game.rules.events, *lifecycle.EVENTS}, "a sentence tells of an event")
    hold(
        "described",
        not set(game.presentation.sentences) & set(lifecycle.EVENTS),
        "of the table's events a game tells a manner alone",
    )
    hold(
        "described",
        not set(game.presentation.remarks) & {*game.rules.events, *lifecycle.EVENTS},
        "a remark is no event",
    )
    hold(
        "described",
        {type_.partition(".")[0] for type_ in game.presentation.openings} <= {*game.rules.events, *lifecycle.EVENTS},
        "a paragraph begins with an event",
    )
    hold(
        "described",
        game.bots.stand_in in ("", *game.bots.by_name),
        "the bot that replaces a player is one of the game's",
    )
    hold("described", bots.RANDOM not in game.bots.by_name, "the random bot is everybody's")


def set_up(game: AnyGame) -> None:
    """Check that valid setups are completed with defaults, and invalid ones are refused by field."""
    usual = Setup(min(game.rules.seats), game.rules.rulesets[0])
    if possible(game, usual):
        checked = game.rules.check(usual)
        hold("set-up", game.rules.check(checked) == checked, "what is complete stays as it is")
        hold("set-up", all(value is not None for value in checked.options.values()), "every option has a value")
    wrong = {
        "seats": dataclasses.replace(usual, seats=max(game.rules.seats) + 1),
        "ruleset": dataclasses.replace(usual, ruleset="no such ruleset"),
        "options.no_such_option": dataclasses.replace(usual, options={"no_such_option": 1}),
        "modules": dataclasses.replace(usual, modules=("no such module",)),
    }
    for setting in game.rules.settings:
        wrong[f"options.{setting.name}"] = dataclasses.replace(
            usual, options={setting.name: "no such choice"}, modules=setting.needs
        )
    for path, setup in wrong.items():
        try:
            game.rules.check(setup)
        except BadSetup as error:
            hold("set-up", path in error.faults and bool(error.faults[path]), (path, error.faults))
        else:
            raise Broken("set-up", f"{path} is wrong and nobody says so")
