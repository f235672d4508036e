"""The course of a battle: lines, the reveal, and the results for heroes and cities (BAT-01, BAT-07 to BAT-12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.games.battalia import commands as cmd
from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS, GREAT, fights
from domain.games.battalia.evolve.zones import at_hand
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.adjustments import Tactics
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.orders import ANY, Preferred
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.rulebook.battle import flight, ordered, strength
from domain.games.battalia.rulebook.battle.strength import Side
from domain.games.battalia.rulebook.map.figures import figures
from domain.games.battalia.rulebook.payment import lines
from domain.games.battalia.rulebook.refusals import BadLine, NotInHand, UnknownChoice
from domain.games.battalia.state import NOBODY, BattaliaState, Hero
from domain.kernel.dice import Dice
from domain.kernel.terms import OneOf, Open, Option, Seat, SubsetOf

Cards = tuple[str, ...]


class BattleLine(Protocol):
    """A command with a battle line."""

    @property
    def units(self) -> Cards: ...
    @property
    def support(self) -> Cards: ...
    @property
    def ambush(self) -> Cards: ...


def check_line(state: BattaliaState, seat: Seat, command: BattleLine, *, needs_unit: bool, paid: Cards = ()) -> None:
    """BAT-02.

    Refuses cards that the seat does not have or that may not fight; ``paid`` are cards that pay for the step.
    """
    line = (*command.units, *command.support)
    lines.check_held(state, seat, (*line, *paid), "units")
    for field, cards, is_unit in (("units", command.units, True), ("support", command.support, False)):
        wrong = [card for card in cards if not fights(card) or (CARDS[card].group == "unit") != is_unit]
        if wrong:
            raise BadLine("These cards cannot be in that part of a battle line.", field=field, cards=wrong)
    hidden = state.players[seat].hidden
    missing = [card for card in command.ambush if card not in hidden]
    if missing or len(set(command.ambush)) < len(command.ambush):
        raise NotInHand("These are not your face-down cards.", field="ambush", missing=missing, rule="ART-08")
    idle = [card for card in command.ambush if not fights(card)]
    if idle:
        raise BadLine("These cards may not be revealed in a battle.", field="ambush", cards=idle)
    if needs_unit and not command.units:
        raise BadLine("An attack needs at least one unit.", field="units")


def line_parameters(
    state: BattaliaState, seat: Seat, *, units_at_least: int, without: Sequence[str] = ()
) -> list[Open] | None:
    """The open parameters of a battle line. None if the seat has no legal one."""
    held = [card for card in at_hand(state.players[seat]) if card not in without and fights(card)]
    units = tuple(card for card in held if CARDS[card].group == "unit")
    if len(units) < units_at_least:
        return None
    support = tuple(card for card in held if CARDS[card].group != "unit")
    ambush = tuple(card for card in state.players[seat].hidden if fights(card))
    named = (("units", units, units_at_least), ("support", support, 0), ("ambush", ambush, 0))
    return [SubsetOf(name, cards, least, len(cards)) for name, cards, least in named if cards]


def attack(decision: BattaliaDecision, seat: Seat, hero: Hero, command: cmd.Step, steps: int) -> None:
    """BAT-01: the hero attacks the opponent named in the command. An attacked player is asked for a line."""
    foe = Seat(command.against)
    decision.happen(ev.BattleBegan(seat, hero.id, hero.square, command.to, foe, command.cards, steps))
    decision.happen(ev.LinePledged(seat, (*command.units, *command.support), command.ambush))
    if foe == NOBODY:
        _resolve(decision, cmd.Defend())


def tactics(state: BattaliaState, seat: Seat) -> Cards:
    """Additions to the line that modules offer to a defender."""
    assert state.battle is not None
    return registry.adjusted(state, Tactics(seat, state.battle.square)).choices if state.modules else ()


def reveal(decision: BattaliaDecision, seat: Seat, cards: Cards, ambush: Cards, answers: int = 0) -> tuple[int, ...]:
    """Show a line and roll its amulets; ``answers`` is the serial of the question that it answers."""
    rolls = strength.rolls_for(decision.state, (*cards, *ambush), decision.dice)
    decision.happen(ev.LineRevealed(seat, cards, ambush, rolls, answers))
    return rolls


def _resolve(decision: BattaliaDecision, answer: cmd.Defend) -> None:
    fight = decision.state.battle
    assert fight is not None
    attack_rolls = reveal(decision, fight.attacker, fight.line, fight.ambush)
    seat, foe, square = fight.attacker, fight.defender, fight.square
    line = (*fight.line, *fight.ambush)
    attacking = strength.side(decision.state, seat, "attack", foe, square, (fight.hero,), line, attack_rolls)
    if foe == NOBODY:
        defending = strength.unowned(decision.state, square)
    else:
        cards = (*answer.units, *answer.support)
        rolls = reveal(decision, foe, cards, answer.ambush, decision.state.asking[-1].serial)
        heroes = figures(decision.state, foe, square)
        line = (*cards, *answer.ambush)
        defending = strength.side(decision.state, foe, "defence", seat, square, heroes, line, rolls, answer.tactics)
    with decision.battle():  # END-05
        _settle(decision, attacking, defending)


def _settle(decision: BattaliaDecision, attacking: Side, defending: Side) -> None:
    fight = decision.state.battle
    assert fight is not None
    seat, foe, square = fight.attacker, fight.defender, fight.square
    won = attacking.strength > defending.strength  # BAT-03
    decision.happen(
        ev.BattleFought(
            seat,
            fight.hero,
            square,
            foe,
            attacking.parts,
            defending.parts,
            attacking.strength,
            defending.strength,
            seat if won else foe,
        )
    )
    if not won:
        decision.happen(ev.HeroDisbanded(seat, fight.hero, square))  # BAT-09
        return
    city = decision.state.cities.get(square)
    for name in figures(decision.state, foe, square) if foe != NOBODY else ():
        decision.happen(ev.HeroDisbanded(foe, name, square))  # BAT-07, BAT-08, MAP-09
    if city is not None and city.owner == foe:
        if city.level == 0 and not may_take_ruined(decision.state, seat):
            flight.destroy(decision, square)  # MAP-07
            return
        decision.happen(ev.CityTaken(seat, square, city.level, foe))
    elif foe == NOBODY:
        decision.happen(ev.RuinsBeaten(seat))
    decision.happen(ev.HeroEntered(seat, fight.hero, square))
    if city is None and foe == NOBODY and decision.state.great:
        decision.happen(ev.QuestionAsked("spoils", (seat,), "BAT-11", {"square": square}))


def may_take_ruined(state: BattaliaState, seat: Seat) -> bool:
    """MAP-07: whether the player has a level-0 marker to spare."""
    used = sum(city.owner == seat and city.level == 0 for city in state.cities.values())
    return used < state.markers


# -- questions --------------------------------------------------------------------------------------------------------


class DefenceQuestion(BattaliaQuestionKind):
    """BAT-01: the defender's line, after which both are revealed; it may be empty (BAT-14)."""

    commands = (cmd.Defend,)
    standing = ordered.DefenceOrders()

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:
        open_ = line_parameters(state, seat, units_at_least=0) or []
        choices = tactics(state, seat)
        if choices:
            open_.append(SubsetOf("tactics", choices, 0, len(choices)))
        yield Option("defend", {}, tuple(open_))

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.Defend:  # noqa: ARG002
        return cmd.Defend()

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.Defend) -> None:
        check_line(decision.state, seat, command, needs_unit=False)
        allowed = tactics(decision.state, seat)
        if any(word not in allowed for word in command.tactics) or len(set(command.tactics)) < len(command.tactics):
            raise UnknownChoice("This tactic does not exist.", field="tactics", allowed=list(allowed))
        _resolve(decision, command)


@dataclass(frozen=True, slots=True)
class SetSpoils:
    """Standing order: great artefacts to take from the ruins, best first (ORD-10). ``any`` is the first open one."""

    first: Cards


def _spoils(state: BattaliaState) -> Cards:  # noqa: ARG001
    return (*(f"great-{name}" for name in GREAT), ANY)


def _taking(state: BattaliaState, seat: Seat, word: str) -> Iterator[cmd.TakeSpoils]:  # noqa: ARG001
    return map(cmd.TakeSpoils, state.great if word == ANY else (word,))


class SpoilsQuestion(BattaliaQuestionKind):
    """BAT-11: the great artefact for the winner against the ruins."""

    commands = (cmd.TakeSpoils,)
    standing = Preferred(SetSpoils, len(GREAT), _spoils, _taking)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:  # noqa: ARG002
        yield Option("take_spoils", {}, (OneOf("card", state.great),))

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.TakeSpoils:  # noqa: ARG002
        return cmd.TakeSpoils(state.great[0])

    def only(self, state: BattaliaState, seat: Seat) -> cmd.TakeSpoils | None:  # noqa: ARG002
        return cmd.TakeSpoils(state.great[0]) if len(state.great) == 1 else None

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.TakeSpoils) -> None:
        state = decision.state
        if command.card not in state.great:
            raise UnknownChoice(
                "This great artefact is not on display.", rule="BAT-11", field="card", open=list(state.great)
            )
        decision.happen(ev.SpoilsTaken(seat, command.card, state.asking[-1].serial))
