"""Destroyed cities and the heroes on them (RAM-13, RAM-14, MAP-07, END-06)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from domain.games.battalia import commands as cmd
from domain.games.battalia import events as ev
from domain.games.battalia.cards import RUINS
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Refuge
from domain.games.battalia.module_api.decision import FLEE, BattaliaDecision
from domain.games.battalia.module_api.orders import ANY, Preferred
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.figures import city_answers, enemies_on
from domain.games.battalia.rulebook.refusals import NoWay
from domain.games.battalia.state import BattaliaState, Frame, Hero
from domain.kernel.dice import Dice
from domain.kernel.terms import OneOf, Option, Seat


def destroy(decision: BattaliaDecision, square: str) -> None:
    """RAM-13, MAP-07, END-06: the card goes under its pile, and heroes on it flee (RAM-14)."""
    tile, city = decision.state.board[square], decision.state.cities[square]
    with decision.battle():  # END-05: heroes flee before end conditions are checked
        decision.happen(ev.CityDestroyed(square, tile.card, city.owner))
        there = [name for name, hero in decision.state.heroes.items() if hero.square == square]
        for hero in (decision.state.heroes[name] for name in sorted(there, reverse=True)):
            about = {"hero": hero.id, "square": square, "exits": tile.exits}
            decision.happen(ev.QuestionAsked(FLEE, (hero.seat,), "RAM-14", about))


def refuges(state: BattaliaState, frame: Frame) -> tuple[str, ...]:
    """RAM-14: the squares the hero may flee to, in the order N, E, S, W."""
    hero = state.heroes[frame.about["hero"]]
    around = roads.neighbours(state, frame.about["square"])
    found = []
    for direction in frame.about["exits"]:
        other = around.get(direction)
        if (
            other is not None
            and other in state.board
            and roads.OPPOSITE[direction] in state.board[other].exits
            and _safe(state, hero, other)
        ):
            found.append(other)
    return tuple(found)


def _safe(state: BattaliaState, hero: Hero, square: str) -> bool:
    safe = (
        not city_answers(state, hero.seat, square)
        and not enemies_on(state, hero.seat, square)
        and state.board[square].card != RUINS
    )
    return registry.adjusted(state, Refuge(hero.seat, square, safe)).open if state.modules else safe


def stranded(decision: BattaliaDecision, frame: Frame) -> bool:
    """RAM-14: disband the hero of this question if there is no square to flee to. Returns whether it was disbanded."""
    if frame.kind != FLEE or frame.npc or refuges(decision.state, frame):
        return False
    hero = decision.state.heroes[frame.about["hero"]]
    decision.happen(ev.HeroDisbanded(hero.seat, hero.id, frame.about["square"], frame.serial))
    return True


OWN = "own"
"""Value in orders: any square with an own city."""
MOST_SQUARES = 8


@dataclass(frozen=True, slots=True)
class SetFlight:
    """Standing order: squares where heroes flee, best first (ORD-08). ``own`` is any own city, ``any`` any legal square."""

    first: tuple[str, ...]


def _named(state: BattaliaState) -> tuple[str, ...]:
    return (OWN, ANY, *roads.squares(state.columns, state.rows))


def _meant(state: BattaliaState, seat: Seat, word: str) -> Iterator[cmd.Flee]:
    open_ = refuges(state, state.asking[-1])
    if word == OWN:
        own = roads.cities_of(state.cities, seat)
        return (cmd.Flee(name) for name in open_ if name in own)
    return map(cmd.Flee, open_ if word == ANY else (word,))


class FlightQuestion(BattaliaQuestionKind):
    """RAM-14: the square a hero flees to. A hero without one is disbanded without a question (`stranded`)."""

    commands = (cmd.Flee,)
    standing = Preferred(SetFlight, MOST_SQUARES, _named, _meant)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterable[Option]:  # noqa: ARG002
        return [Option("flee", {}, (OneOf("to", refuges(state, state.asking[-1])),))]

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.Flee:  # noqa: ARG002
        return cmd.Flee(refuges(state, state.asking[-1])[0])

    def only(self, state: BattaliaState, seat: Seat) -> cmd.Flee | None:  # noqa: ARG002
        found = refuges(state, state.asking[-1])
        return cmd.Flee(found[0]) if len(found) == 1 else None

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.Flee) -> None:
        frame = decision.state.asking[-1]
        open_ = refuges(decision.state, frame)
        if command.to not in open_:
            raise NoWay("The hero cannot flee there.", rule="RAM-14", field="to", squares=list(open_))
        decision.happen(ev.HeroFled(seat, frame.about["hero"], frame.about["square"], command.to, frame.serial))
