"""Contradictions about the Unbound Buff. Imported positions may contain anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from domain.games.battalia.modules.unbound_buff import bet, march, memory
from domain.games.battalia.state import BattaliaState, Frame
from domain.kernel.terms import Seat


def faults(state: BattaliaState) -> Iterator[str]:
    """The contradictions as sentences; empty if there are none."""
    now, buff = memory.of(state), memory.hired(state)
    if not _well_formed(now, state):
        yield "what is remembered of the Unbound Buff is no memory of his"
        return
    if now["square"] and now["square"] not in state.board:
        yield f"the free Buff stands on {now['square']}, where no card lies"
    if (buff.seat if buff else 0) != now["owner"] or (buff is not None and now["square"]):
        yield "the Unbound Buff is in two places, or serves somebody without a figure"
    if bool(now["horde"]) != bool(now["square"]):
        yield f"a horde of {now['horde']} without its leader, or he without it"
    for zone, where in (("bets", "hand"), ("open", "played")):
        for seat, cards in now[zone].items():
            held = getattr(state.players[Seat(int(seat))], where)
            yield from (f"{card} is bet and not in the {where} of seat {seat}" for card in cards if card not in held)
    for frame in state.asking:
        if frame.npc == memory.KEY and not _makes_sense(state, frame):
            yield f"the Unbound Buff asks {frame.kind} out of place"


def _well_formed(now: Any, state: BattaliaState) -> bool:
    blank = memory.BLANK
    if not isinstance(now, Mapping) or now.keys() != blank.keys():
        return False
    if any(type(now[name]) is not type(part) for name, part in blank.items()):
        return False
    seats = {str(seat) for seat in state.players}
    lists = [now["trail"], *now["bets"].values(), *now["open"].values()]
    return (
        seats >= {*now["bribes"], *now["bets"], *now["open"]}
        and all(type(until) is int for until in now["bribes"].values())
        and all(isinstance(things, list) and all(isinstance(each, str) for each in things) for things in lists)
        and now["left"] >= 0
    )


def _makes_sense(state: BattaliaState, frame: Frame) -> bool:
    """Whether the question can be pending and answered."""
    now, about = memory.of(state), frame.about
    match frame.kind:
        case "bet":
            answered = {Seat(int(seat)) for seat in now["bets"]}
            return not now["square"] and set(frame.seats) == set(state.order) - answered
        case "entrance":
            return {str(seat) for seat in state.order} <= now["open"].keys() and len(bet.entrances(state)) > 1
        case "stir":
            return bool(now["square"])
        case "march":
            return bool(now["square"] and now["left"] and about.get("left") == now["left"] and march.ways(state))
        case "victim":
            return bool(now["square"]) and about.get("heroes") == list(memory.prey(state, now["square"]))
        case "attacked":
            hero = state.heroes.get(about.get("hero", ""))
            there = bool(now["square"]) and about.get("square") == now["square"] and "entering" in about
            return there and hero is not None and (hero.seat,) == frame.seats and bool(hero.square)
        case _:
            return False
