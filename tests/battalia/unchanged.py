"""Digests of seeded games, to check that optimizations of the rules change no behavior."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from domain.games.battalia.game import BATTALIA
from domain.kernel.dice import Aside, Dice
from domain.kernel.game.rules import Setup
from domain.kernel.options import as_json, pick
from domain.kernel.shape import as_line, build
from domain.kernel.terms import SYSTEM, Seat

EVERY = ("stormgates", "rammoth", "armamentum", "keeper", "unbound_buff")


class Table(NamedTuple):
    """A game to play; its number is its seed."""

    number: int
    ruleset: str
    seats: int
    modules: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    commands: int = 130


TABLES = (
    Table(1, "creation_v1", 2),
    Table(2, "creation_v2", 2, (), (("quick_setup", False), ("movement", "basic"))),
    Table(3, "creation_v1", 4, EVERY),
    Table(4, "creation_v2", 4, EVERY),
    Table(5, "creation_v1", 3, ("rammoth", "armamentum"), (("unbound_units", True),)),
    Table(6, "creation_v2", 6, ("stormgates", "keeper"), (("teams", True),)),
    Table(7, "creation_v1", 5, ("stormgates", "unbound_buff")),
    Table(8, "creation_v2", 4, ("keeper", "unbound_buff"), (("max_weeks", 1),), 400),
)


def digests(table: Table) -> dict[str, str]:
    """Digests of the game's events, Options, views, private parts, plans, and history lines."""
    sums = {name: hashlib.sha256() for name in ("events", "options", "views", "private", "plans", "lines")}
    for name, said in _told(table):
        sums[name].update(orjson.dumps(said, option=orjson.OPT_NON_STR_KEYS))
    return {name: each.hexdigest()[:16] for name, each in sums.items()}


def _told(table: Table) -> Iterator[tuple[str, Any]]:
    setup = BATTALIA.rules.check(Setup(table.seats, table.ruleset, dict(table.options), table.modules))
    seed = hashlib.sha256(b"unchanged %d" % table.number).digest()
    dice, choice = Dice(seed), Aside(seed)
    state, events = None, BATTALIA.rules.begin(setup, dice)
    seats = [Seat(number) for number in range(1, table.seats + 1)]
    for number in range(table.commands):
        for event in events:
            state = BATTALIA.rules.evolve(state, event)
            yield "events", as_line(event)
            yield "lines", [BATTALIA.knowledge.reveal(event, seat) for seat in (None, *seats)]
        yield "views", BATTALIA.knowledge.view(state)
        for seat in seats:
            yield "private", BATTALIA.knowledge.private(state, seat)
            yield "plans", BATTALIA.knowledge.plan(state, seat)
            yield "options", [as_json(option) for option in BATTALIA.rules.replies(state, seat)]
        asked = BATTALIA.rules.awaiting(state)
        if not asked:
            return
        seat = asked[0].seat
        command = _said(state, seat, number, choice)
        events = BATTALIA.rules.decide(state, seat, command, dice)


def _said(state: Any, seat: Seat, number: int, choice: Dice) -> Any:
    """Random and greedy commands in turn, and sometimes the default answer."""
    if seat == SYSTEM or not choice.below(9):
        return BATTALIA.rules.default(state, seat, choice)
    if number % 3:
        return build(BATTALIA.rules.commands, pick(BATTALIA.rules.replies(state, seat), choice))
    imagined = BATTALIA.knowledge.imagine(state, seat, choice)
    if state.asking[-1].kind == "return":  # the greedy bot chose at random when the digests were recorded
        return build(BATTALIA.rules.commands, pick(BATTALIA.rules.replies(imagined, seat), choice))
    return build(BATTALIA.rules.commands, BATTALIA.bots.by_name["greedy"](imagined, seat, choice))


if __name__ == "__main__":
    json.dump({str(table.number): digests(table) for table in TABLES}, sys.stdout, indent=1)
