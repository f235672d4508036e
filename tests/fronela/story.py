"""Stories for tests: given this board, when these commands are sent, then these events or this refusal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from domain.games.fronela.commands import Done, Fight
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import FronelaState, Group, Person, groups, label, start
from domain.games.fronela.turn import legal
from domain.games.fronela.turn.deciding import start_decision
from domain.kernel.dice import Dice, ScriptedDice
from domain.kernel.errors import RuleViolation
from domain.kernel.options import offers
from domain.kernel.shape import as_document
from domain.kernel.terms import SYSTEM, Seat
from tests.story import Story

KEY = "fronela_v1"
BLACK, GREY, AZURE, BROWN = Seat(1), Seat(2), Seat(3), Seat(4)
Units = Mapping[str, Mapping[str, Mapping[str, int] | int]]


def board(units: Units, key: str = KEY, **fields: Any) -> FronelaState:
    """A state with just these units: by area, nation and kind (or a number of plain units)."""
    blank = start(key)
    places: dict[str, dict[str, tuple[Group, ...]]] = {}
    pool = {nation.id: dict(nation.counters) for nation in blank.tables.nations.values()}
    for area, here in units.items():
        for nation, kinds in here.items():
            units_of = {"unit": kinds} if isinstance(kinds, int) else kinds
            places.setdefault(area, {})[nation] = tuple(Group(kind, number) for kind, number in units_of.items())
            for kind, number in units_of.items():
                if kind in pool[nation]:
                    pool[nation][kind] -= number
    return replace(blank, board=places, pool=pool, **fields)


class History(Story):
    """A story that starts before a nation's turn; commands come from the seat with the pending question."""

    def __init__(self, turn: str, units: Units, key: str = KEY, **fields: Any) -> None:
        fields.setdefault("round", 12)
        persons = {name: Person(area, "") for name, area in fields.pop("persons", {}).items()}
        order = fields.pop("order", (turn,))
        laid = board(units, key, persons=persons, order=order, **fields)
        super().__init__(FRONELA, replace(laid, place=order.index(turn) - 1))
        self.log: list[Any] = []

    def begin(self, *faces: int) -> History:
        """The turn begins and runs to its first question."""
        dice = ScriptedDice(bytes(32), script=faces)
        decision = start_decision(self.state, dice)
        decision.run()
        assert len(faces) == dice.rolled, "dice left over"
        self._happened(decision.events)
        return self

    def say(self, command: Any, *faces: int, seat: Seat | None = None) -> History:
        """Send a command from the seat with the pending question; it must be offered and accepted."""
        asking = self.state.asking
        seat = seat if seat is not None else asking.seat
        assert self.offers(command, seat), f"{command} is not offered: {legal.legal(self.state, seat)}"
        dice = ScriptedDice(bytes(32), script=faces)
        self.when(seat, command, dice)
        assert self.refusal is None, self.refusal
        assert len(faces) == dice.rolled, "dice left over"
        return self

    def fight(self, area: str, against: str, *faces: int) -> History:
        """A battle round without any retreat."""
        battle = Fight(area, against)
        if self.unrolled(battle):
            return self.say(battle).say(Done(), *faces)
        return self.say(battle, *faces)

    def unrolled(self, command: Any) -> bool:
        """Whether a question comes before any die is rolled."""
        dice = ScriptedDice(bytes(32), script=(1,) * 99)
        FRONELA.rules.decide(self.state, self.state.asking.seat, command, dice)
        return not dice.rolled

    def offers(self, command: Any, seat: Seat | None = None) -> bool:
        """Whether an Option matches the command."""
        seat = seat if seat is not None else self.state.asking.seat
        document = as_document(command)
        type_ = document.pop("type")
        return any(offers(option, type_, document) for option in FRONELA.rules.legal(self.state, seat))

    def refuses(self, command: Any, code: str, rule: str, seat: Seat | None = None, **facts: Any) -> History:
        """The command must be refused by this clause with these facts, and must not be offered."""
        violation = self.violation(command, seat)
        assert (code, rule) == (violation.code, violation.rule)
        for name, value in facts.items():
            assert value == violation.facts[name], name
        return self

    def violation(self, command: Any, seat: Seat | None = None) -> RuleViolation:
        """The refusal of the command, which must not be offered either."""
        seat = seat if seat is not None else self.state.asking.seat
        assert not self.offers(command, seat)
        with pytest.raises(RuleViolation) as refused:
            FRONELA.rules.decide(self.state, seat, command, ScriptedDice(bytes(32), script=()))
        return refused.value

    def _happened(self, events: Iterable[Any]) -> None:
        super()._happened(events)
        self.log += self.events

    def system(self) -> History:
        """SYSTEM ends the round; every die shows a one."""
        assert self.state.asking.seat == SYSTEM
        command = FRONELA.rules.default(self.state, SYSTEM, Dice(bytes(32)))
        assert self.offers(command, SYSTEM)
        self.when(SYSTEM, command, ScriptedDice(bytes(32), script=(1,) * 99))
        assert self.refusal is None, self.refusal
        return self

    # -- inspection ---------------------------------------------------------------------------------------------------

    @property
    def asked(self) -> tuple[str, Seat]:
        """The kind of the pending question and the seat it is for."""
        return self.state.asking.kind, self.state.asking.seat

    def there(self, area: str, nation: str) -> dict[str, int]:
        """The nation's units in the area, by kind."""
        found: dict[str, int] = {}
        for group in groups(self.state, area, nation):
            found[group.kind] = found.get(group.kind, 0) + group.count
        return found

    def labels(self, area: str, nation: str) -> list[str]:
        return [label(group) for group in groups(self.state, area, nation)]

    def so_far(self, kind: type[Any]) -> list[Any]:
        """All events of a type so far."""
        return [event for event in self.log if isinstance(event, kind)]

    def points(self, nation: str) -> int:
        return self.state.points[nation]

    def reasons(self, nation: str) -> list[str]:
        return [entry.reason for entry in self.state.ledger if entry.nation == nation]
