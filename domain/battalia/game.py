"""Battalia as the kernel knows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from domain.battalia import asks, commands, events, imagine, npc, reveal, scoring, setup, view
from domain.battalia.evolve import evolve
from domain.battalia.faults import faults
from domain.battalia.greedy import greedy
from domain.battalia.legal import legal
from domain.battalia.rulesets import RULESETS
from domain.battalia.state import State
from domain.dice import Dice
from domain.game import Bot, Setting, Setup
from domain.terms import Option, Outcome, Question, Seat

_CORE: Mapping[str, Mapping[str, Any]] = {
    "commands": commands.COMMANDS,
    "events": events.EVENTS,
    "sentences": reveal.SENTENCES,
}


@lru_cache(maxsize=64)
def _merged(attribute: str, modules: tuple[npc.Npc, ...]) -> dict[str, Any]:
    """The core's catalogue and those of the modules."""
    every = dict(_CORE[attribute])
    for module in modules:
        every.update(getattr(module, attribute))
    return every


def _with_modules(attribute: str) -> dict[str, Any]:
    return _merged(attribute, tuple(npc.registry().values()))


class Battalia:
    """The game (`domain.game.Game`), modules included."""

    key = "battalia"
    title = "Battalia: the Creation"
    state = State
    bots: Mapping[str, Bot[State]] = {"greedy": greedy}

    @property
    def commands(self) -> Mapping[str, type[Any]]:
        return _with_modules("commands")

    @property
    def events(self) -> Mapping[str, type[Any]]:
        return _with_modules("events")

    @property
    def sentences(self) -> Mapping[str, str | Sequence[str]]:
        return _with_modules("sentences")

    @property
    def rulesets(self) -> Sequence[str]:
        return tuple(RULESETS)

    @property
    def seats(self) -> Sequence[int]:
        more = {number for module in npc.registry().values() for number in module.seats}
        return tuple(sorted({*setup.BASE_SEATS, *more}))

    @property
    def settings(self) -> Sequence[Setting]:
        return (*setup.SETTINGS, *(setting for module in npc.registry().values() for setting in module.settings))

    @property
    def modules(self) -> Mapping[str, str]:
        return {key: module.title for key, module in npc.registry().items()}

    def check(self, setup_: Setup) -> Setup:
        return setup.check(setup_)

    def begin(self, setup_: Setup, dice: Dice) -> Sequence[Any]:
        return setup.begin(setup_, dice)

    def decide(self, state: State, seat: Seat, command: Any, dice: Dice) -> Sequence[Any]:
        return asks.decide(state, seat, command, dice)

    def evolve(self, state: State | None, event: Any) -> State:
        return evolve(state, event)

    def awaiting(self, state: State) -> Sequence[Question]:
        return asks.awaiting(state)

    def legal(self, state: State, seat: Seat) -> Sequence[Option]:
        return legal(state, seat)

    def default(self, state: State, seat: Seat, dice: Dice) -> Any:
        return asks.default(state, seat, dice)

    def view(self, state: State) -> Any:
        return view.view(state)

    def private(self, state: State, seat: Seat) -> Any:
        return view.private(state, seat)

    def audience(self, event: Any) -> Collection[Seat] | None:
        module = npc.speaker(event)
        return reveal.audience(event) if module is None else module.audience(event)

    def reveal(self, event: Any, seat: Seat | None) -> Any:
        module = npc.speaker(event)
        return reveal.reveal(event, seat) if module is None else module.reveal(event, seat)

    def imagine(self, state: State, seat: Seat | None, dice: Dice) -> State:
        return imagine.imagine(state, seat, dice)

    def outcome(self, state: State) -> Outcome | None:
        return scoring.outcome(state)

    def faults(self, state: State) -> Sequence[str]:
        return faults(state)


BATTALIA = Battalia()
