"""The questions that stand, what may be answered, and what silence means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.battalia import commands as cmd
from domain.battalia import events as ev
from domain.battalia.modules import registry
from domain.battalia.modules.decision import Decision
from domain.battalia.rulebook.actions import acquire, artefacts, build, march
from domain.battalia.rulebook.battle import combat, flight
from domain.battalia.rulebook.map.figures import homes_of
from domain.battalia.rulebook.refusals import UnknownChoice
from domain.battalia.rulebook.turn import calendar, setup
from domain.battalia.rulebook.turn.deciding import start_decision
from domain.battalia.state import Frame, State
from domain.dice import Dice
from domain.errors import NotAsked, NotNow
from domain.terms import SYSTEM, OneOf, Option, Question, Seat

TURN: Mapping[type[Any], Callable[[Decision, Seat, Any], None]] = {
    cmd.Mulligan: lambda decision, seat, _: acquire.mulligan(decision, seat),
    cmd.ShowCohort: acquire.cohort,
    cmd.EndTurn: lambda decision, seat, _: calendar.end_turn(decision, seat),
    cmd.HireUnit: acquire.hire,
    cmd.TakeSupply: acquire.take_supply,
    cmd.TakeArtefact: acquire.take_artefact,
    cmd.BuildRoad: build.build_road,
    cmd.FoundCity: build.found_city,
    cmd.UpgradeCity: build.upgrade_city,
    cmd.RebuildCity: build.rebuild_city,
    cmd.Step: march.step,
    cmd.UseAmulet: artefacts.use_amulet,
    cmd.PitchTent: artefacts.pitch_tent,
    cmd.HideCard: artefacts.hide_card,
    cmd.SoundHorn: artefacts.sound_horn,
    cmd.SpreadWings: artefacts.spread_wings,
    cmd.ReachOut: artefacts.reach_out,
}
"""What may be said in a turn."""


def _spoils(decision: Decision, seat: Seat, frame: Frame, command: cmd.TakeSpoils) -> None:
    """BAT-11."""
    if command.card not in decision.state.great:
        raise UnknownChoice("It does not lie open.", rule="BAT-11", field="card", open=list(decision.state.great))
    decision.happen(ev.SpoilsTaken(seat, command.card, frame.serial))


ANSWERS: Mapping[str, tuple[type[Any], Callable[[Decision, Seat, Frame, Any], None]]] = {
    "faction": (cmd.ChooseFaction, setup.choose_faction),
    "start": (cmd.ChooseStart, setup.choose_start),
    "day": (cmd.TurnDay, lambda decision, _seat, _frame, _command: calendar.turn_day(decision)),
    "defend": (cmd.Defend, lambda decision, seat, _, command: combat.defend(decision, seat, command)),
    "wish": (cmd.Wish, artefacts.wish),
    "spoils": (cmd.TakeSpoils, _spoils),
    "return": (cmd.ReturnHero, calendar.return_hero),
    "flee": (cmd.Flee, flight.flee),
}
"""What answers each kind of question besides the turn."""


def awaiting(state: State) -> Sequence[Question]:
    """The question on top, once for each seat that has not answered."""
    if not state.asking:
        return ()
    frame = state.asking[-1]
    place = len(state.asking) - 1
    about = _place_in_day(state, frame)
    if frame.about:
        about = {**frame.about, **about}
    return [Question(frame.serial, place, seat, frame.kind, frame.clause, about) for seat in frame.seats]


def _place_in_day(state: State, frame: Frame) -> Mapping[str, Any]:
    """Where in the course of the days a question stands: what interrupts a turn has the place of the turn (DAY-02).

    It is told to interrupt when somebody is asked who has not the turn, and before the first turn when modules say so.
    Where the seats choose (SET-14), that has a day of its own before the first, with a place for every choice.
    """
    day = state.day + (1 if state.options["quick_setup"] else 2)
    if frame.kind == "day":
        return {"day": day}
    if state.day < 0:
        seat, of = frame.seats[0], len(state.players)
        return {"day": day, "place": seat if frame.kind == "faction" else 2 * of + 1 - seat, "of": 2 * of}
    taking, order = state.turn.seat, state.order
    place = {"day": day, "place": order.index(taking) + 1 if taking in order else 0, "of": len(order)}
    if taking in order:
        interrupts = taking not in frame.seats
    else:
        interrupts = bool(frame.npc) and frame.kind in registry.registered()[frame.npc].intrusions
    return {**place, "interrupts": True} if interrupts else place


def top(state: State, seat: Seat) -> Frame:
    """The question that the seat is asked; raises `NotAsked` if it is not."""
    if not state.asking or seat not in state.asking[-1].seats:
        raise NotAsked("It is not your turn.", asked=sorted(state.asking[-1].seats) if state.asking else [])
    return state.asking[-1]


def decide(state: State, seat: Seat, command: Any, dice: Dice) -> Sequence[Any]:
    """The law."""
    frame = top(state, seat)
    decision = start_decision(state, dice)
    module = registry.owner_of(state.modules, command)
    if module is not None:
        if frame.npc not in ("", module.key) or (not frame.npc and frame.kind != "turn"):
            raise NotNow("You are asked something else.", asked=frame.kind)
        module.decide(decision, seat, command)
    elif frame.kind == "turn" and not frame.npc and type(command) in TURN:
        TURN[type(command)](decision, seat, command)
    else:
        answer = None if frame.npc else ANSWERS.get(frame.kind)
        if answer is None or type(command) is not answer[0]:
            raise NotNow("You are asked something else.", asked=frame.kind)
        answer[1](decision, seat, frame, command)
    calendar.proceed(decision)
    return decision.events


def default(state: State, seat: Seat, dice: Dice) -> Any:
    """What silence means: the turn ends, the line is empty, the first choice is taken."""
    frame = top(state, seat)
    if frame.npc:
        return registry.registered()[frame.npc].default(state, seat, frame, dice)
    match frame.kind:
        case "turn":
            return cmd.EndTurn()
        case "defend":
            return cmd.Defend()  # BAT-14
        case "day":
            return cmd.TurnDay()
        case "wish":
            return cmd.Wish(f"lord-{state.players[seat].faction}")
        case "spoils":
            return cmd.TakeSpoils(state.great[0])
        case "return":
            return cmd.ReturnHero(homes_of(state, seat)[0])
        case "flee":
            return cmd.Flee(flight.refuges(state, frame)[0])
        case "faction":
            return cmd.ChooseFaction(dice.choose(setup.factions_left(state)))
        case _:
            return cmd.ChooseStart(dice.choose(setup.starts_left(state)))


def answer_options(state: State, seat: Seat, frame: Frame) -> Sequence[Option]:
    """What may be said to a question other than the turn."""
    match frame.kind:
        case "defend":
            return list(combat.defend_options(state, seat))
        case "wish":
            return [Option("wish", {}, (OneOf("card", artefacts.wishes(state)),))]
        case "spoils":
            return [Option("take_spoils", {}, (OneOf("card", state.great),))]
        case "return":
            return list(calendar.return_options(state, seat))
        case "flee":
            return list(flight.flee_options(state, frame))
        case "day":
            return [Option("turn_day")] if seat == SYSTEM else []
        case _:
            return list(setup.seating_options(state, frame))
