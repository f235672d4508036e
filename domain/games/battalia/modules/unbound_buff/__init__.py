"""The Unbound Buff: the highest bet decides on his entrance; he attacks heroes and serves players who pay him (BUF)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.games.battalia.commands import Step
from domain.games.battalia.events import BattaliaBegun, QuestionAsked
from domain.games.battalia.module_api import moments
from domain.games.battalia.module_api.adjustments import Adjustable, Entrance, Refuge, Strength, Tactics
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.questions import TURN, BattaliaQuestionKind
from domain.games.battalia.module_api.socket import Advice, Npc, plainly
from domain.games.battalia.modules.unbound_buff import advice, bet, faults, march, meeting, memory, service
from domain.games.battalia.modules.unbound_buff import commands as cmd
from domain.games.battalia.modules.unbound_buff import events as ev
from domain.games.battalia.rulebook.payment import wheel
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers, Price
from domain.games.battalia.state import BattaliaState, Frame, Hero
from domain.kernel.dice import Dice
from domain.kernel.terms import Option, Seat


class UnboundBuff(Npc):
    key = memory.KEY
    title = "The Unbound Buff: a mercenary with a horde, whom players bribe, hire or fight."
    order = 70
    moments = frozenset((moments.EFFECTS, moments.WEEK, moments.ENTER, moments.TURN_END))
    adjusts = (Strength, Tactics, Entrance, Refuge)
    questions: Mapping[str, BattaliaQuestionKind] = {
        "bet": bet.BetQuestion(),
        "entrance": bet.EntranceQuestion(),
        "stir": march.StirQuestion(),
        "march": march.MarchQuestion(),
        "victim": meeting.VictimQuestion(),
        "attacked": meeting.AttackedQuestion(),
        TURN: meeting.HireInTurn(),
    }
    commands = cmd.COMMANDS
    events = ev.EVENTS
    sentences = ev.SENTENCES
    asks = ev.ASKS
    names = ev.NAMES

    def defaults(self, rules: BattaliaNumbers) -> Mapping[str, Any]:  # noqa: ARG002
        return {"unbound_units": True}  # SET-07

    def blank(self, begun: BattaliaBegun) -> Any:  # noqa: ARG002
        return memory.BLANK

    def prices(self, state: BattaliaState) -> Mapping[str, tuple[Price, str]]:
        numbers = RULESETS[state.ruleset].modules
        return {"bribe_buff": (numbers["buff_bribe"], "PAY-10"), "hire_buff": (numbers["buff_hire"], "PAY-10")}

    def evolve(self, memory_: Any, event: Any) -> Any:
        return memory.evolve(memory_, event)

    def act(self, decision: BattaliaDecision, moment: str) -> None:
        free, absent = bool(memory.square(decision.state)), memory.hired(decision.state) is None
        match moment:
            case moments.EFFECTS:
                service.end_duties(decision)
            case moments.WEEK if free:
                march.grow(decision)
            case moments.ENTER if absent and not free:
                bet.ask(decision)
            case moments.TURN_END:
                march.offer(decision)

    def has_answered(self, state: BattaliaState, frame: Frame, seat: Seat) -> bool:
        return frame.kind == "bet" and str(seat) in memory.of(state)["bets"]

    def react(self, decision: BattaliaDecision, event: Any) -> Iterable[Any]:
        return service.bereft(decision.state, event)

    def adjust(self, state: BattaliaState | None, subject: Adjustable) -> Adjustable:
        if state is None:
            return subject
        if isinstance(subject, Strength):
            return service.strength(state, subject)
        if isinstance(subject, Tactics):
            return service.tactics(state, subject)
        if isinstance(subject, Entrance) and subject.square == memory.square(state):
            free = memory.bribed(state, subject.hero.seat)
            return subject if free else replace(subject, npc=self.key, closed=False)  # BUF-09, BUF-10
        if isinstance(subject, Refuge) and subject.square == memory.square(state):
            return replace(subject, open=False)  # RAM-14
        return subject

    def entered(self, decision: BattaliaDecision, hero: Hero, step: Step) -> None:
        meeting.attack(decision, hero.id, step.to)

    def advise(self, state: BattaliaState, seat: Seat, option: Option) -> Advice | None:
        return advice.advise(state, seat, option)

    # -- views ---------------------------------------------------------------------------------------------------------

    def audience(self, event: Any) -> Collection[Seat] | None:
        return (event.seat,) if isinstance(event, ev.BetPlaced) else None  # BUF-01

    def discloses(self, event: Any, events: Sequence[Any]) -> bool:
        """A bet reveals nothing before the reveal, unless a standing order placed it immediately."""
        return not isinstance(event, ev.BetPlaced) or any(isinstance(each, QuestionAsked) for each in events)

    def reveal(self, event: Any, seat: Seat | None) -> Any:
        readers = self.audience(event)
        return plainly(event) if readers is None or seat in readers else None

    def gloss(self, line: Any) -> Mapping[str, Any]:
        return {"manner": line["by"]} if line["type"] == "bets_revealed" else {}

    def view(self, state: BattaliaState) -> Any:
        now, buff = memory.of(state), memory.hired(state)
        marching = any(frame.kind == "march" and frame.npc == self.key for frame in state.asking)
        return {
            "square": (buff.square if buff else now["square"]) or None,
            "horde": now["horde"] or None,
            "owner": now["owner"] or None,
            "until": _date(state, now["until"]) if buff else None,
            "bribes": {seat: _date(state, until) for seat, until in now["bribes"].items()},
            "march": {"left": now["left"], "trail": list(now["trail"])} if marching else None,
        }

    def private(self, state: BattaliaState, seat: Seat) -> Any:
        return {"bet": memory.of(state)["bets"].get(str(seat))}

    def imagine(self, state: BattaliaState, seat: Seat | None, dice: Dice) -> Any:
        now = memory.of(state)
        bets = {}
        for other in sorted(now["bets"], key=int):
            mine = seat is not None and other == str(seat)
            bets[other] = now["bets"][other] if mine else _some(bet.stakes(state, Seat(int(other))), dice)
        return {**now, "bets": bets}

    def faults(self, state: BattaliaState) -> Iterable[str]:
        return faults.faults(state)


def _date(state: BattaliaState, day: int) -> Any:
    of_week, week = wheel.date(day, RULESETS[state.ruleset])
    return {"day": of_week, "week": week}


def _some(cards: tuple[str, ...], dice: Dice) -> list[str]:
    size = dice.below(len(cards) + 1)
    return list(dice.shuffle(cards)[:size])
