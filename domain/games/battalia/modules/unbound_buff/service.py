"""The Unbound Buff in a player's service: a third hero with his own rules (BUF-14 to BUF-18, BUF-20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from domain.games.battalia import events as core
from domain.games.battalia.cards import CARDS
from domain.games.battalia.module_api.adjustments import Strength, Tactics
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.modules.unbound_buff import events as ev
from domain.games.battalia.modules.unbound_buff import memory
from domain.games.battalia.rulebook.battle.strength import of_cards
from domain.games.battalia.rulebook.map.figures import figures
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.readings import ITS_COPY
from domain.games.battalia.state import BattaliaState
from domain.kernel.terms import Seat

LEADS = "buff_leads"
"""BUF-20: the choice by which a defender lets Buff lead the line."""


def strength(state: BattaliaState, subject: Strength) -> Strength:
    """BUF-16, BUF-20: a line led by Buff has a bonus for each Unbound unit instead of the morale bonus."""
    leads = subject.role == "attack" or subject.heroes == (memory.FIGURE,) or LEADS in subject.tactics
    if memory.FIGURE not in subject.heroes or not leads:
        return subject
    rules = RULESETS[state.ruleset]
    bonus: int = rules.modules["buff_unbound_bonus"]
    parts = {name: part for name, part in subject.parts.items() if name != "moral"}
    unbound = sum(CARDS[card].unbound for card in subject.units)
    if unbound and rules.reads("scroll_under_buff") == ITS_COPY:
        parts["cards"], copies = of_cards(state, subject.role, subject.line, subject.rolls, bonus)
        unbound += copies
    if unbound:
        parts["unbound"] = unbound * bonus
    return replace(subject, parts=parts)


def tactics(state: BattaliaState, subject: Tactics) -> Tactics:
    """BUF-20: next to other own heroes, Buff leads only if his owner chooses so."""
    buff = memory.hired(state)
    if buff is None or buff.seat != subject.seat or buff.square != subject.square:
        return subject
    if len(figures(state, subject.seat, subject.square)) == 1:
        return subject
    return replace(subject, choices=(*subject.choices, LEADS))


def released(state: BattaliaState, seat: Seat, square: str) -> Iterator[Any]:
    """BUF-18, END-06: Buff becomes free on his square."""
    yield core.HeroLeft(seat, memory.FIGURE)
    yield ev.BuffFreed(seat, square, memory.horde(state))


def end_duties(decision: BattaliaDecision) -> None:
    """DAY-05: end bribes and services that began seven days ago."""
    now = memory.of(decision.state)
    for seat in sorted(map(int, now["bribes"])):
        if now["bribes"][str(seat)] <= decision.state.day:
            decision.happen(ev.BribeEnded(Seat(seat)))
    buff = memory.hired(decision.state)
    if buff is not None and now["until"] <= decision.state.day:
        for event in released(decision.state, buff.seat, buff.square):
            decision.happen(event)


def bereft(state: BattaliaState, event: Any) -> Iterator[Any]:
    """Reactions to core events: Buff leaves if beaten or if his square's city is destroyed.

    If his employer is out of the game, he becomes free.
    """
    match event:
        case core.HeroDisbanded(seat=seat, hero=memory.FIGURE, square=square):  # BUF-17
            yield core.HeroLeft(seat, memory.FIGURE)
            yield ev.BuffGone(square, "beaten")
        case core.CityDestroyed(square=square) if square == memory.square(state):  # RAM-14
            yield ev.BuffGone(square, "city")
        case core.SeatOut(seat=seat):  # END-06
            buff = memory.hired(state)
            if buff is not None and buff.seat == seat:
                yield from released(state, seat, buff.square)
            if memory.bribed(state, seat):
                yield ev.BribeEnded(seat)
