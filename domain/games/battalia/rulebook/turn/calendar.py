"""The sequence of play: the day turns, weeks end, turns begin and end (DAY, TURN-06, BAT-13, END-03 to END-06)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from domain.games.battalia import commands as cmd
from domain.games.battalia import events as ev
from domain.games.battalia.module_api import moments, registry
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.orders import ANY, Preferred
from domain.games.battalia.module_api.questions import DAY, BattaliaQuestionKind
from domain.games.battalia.rulebook.actions import deck
from domain.games.battalia.rulebook.battle import flight
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.figures import heroes_of, homes_of
from domain.games.battalia.rulebook.payment import wheel
from domain.games.battalia.rulebook.refusals import NotYourCity
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.readings import START_FIRST
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.terms import SYSTEM, OneOf, Option, Seat


def turn_day(decision: BattaliaDecision) -> None:
    """DAY-02: turn the wheel and create the day's agenda."""
    state, rules = decision.state, decision.rules
    count = state.day + 1
    day, week = wheel.date(count, rules)
    agenda = [*state.agenda, *_called(state, moments.EFFECTS)]  # END-06: seats whose players left before the first day
    if day == 1 and count > 0:
        for moment in moments.CHECK_POINT:
            agenda.extend(_called(state, moment))
    agenda.extend(_called(state, moments.MOVE))
    agenda.extend(moments.item(moments.TURN, seat) for seat in state.order)
    places = len(rules.wheel)
    lit, matching = rules.wheel[count % places], rules.wheel[rules.matching * count % places]
    decision.happen(ev.DayAnnounced(day, week, lit, matching, (*agenda, moments.NIGHT)))


def _called(state: BattaliaState, moment: str) -> Iterable[str]:
    if moment == moments.WEEKS:
        return [moments.WEEKS]
    return [moments.item(moment, module.key) for module in registry.playing(state.modules) if moment in module.moments]


def proceed(decision: BattaliaDecision, unasked: Callable[[BattaliaDecision], bool] = lambda _: False) -> None:
    """Run the calendar until a question is pending or the game is over.

    ``unasked`` answers the top question if it need not be asked, and returns whether it did.
    """
    while not decision.over:
        state = decision.state
        if state.asking:
            if not (flight.stranded(decision, state.asking[-1]) or unasked(decision)):
                return
        else:
            item = state.agenda[0]  # never empty: the last item, the night, asks a question
            decision.happen(ev.MomentCame(item))
            _perform(decision, item)


def _perform(decision: BattaliaDecision, item: str) -> None:
    moment, _, owner = item.partition(":")
    match moment:
        case moments.TURN:
            _begin_turn(decision, Seat(int(owner)))
        case moments.CLEAN:
            _clean_up(decision, Seat(int(owner)))
        case moments.LEAVE:
            put_out(decision, Seat(int(owner)))
        case moments.NIGHT:
            decision.happen(ev.DayEnded(*wheel.date(decision.state.day, decision.rules)))
        case moments.WEEKS:
            limit = decision.state.options["max_weeks"]
            _, week = wheel.date(decision.state.day, decision.rules)
            if limit and week > limit:
                decision.happen(ev.EndReached("weeks", "END-04"))
        case _:
            registry.registered()[owner].act(decision, moment)


# -- turns ------------------------------------------------------------------------------------------------------------


def _begin_turn(decision: BattaliaDecision, seat: Seat) -> None:
    state = decision.state
    if seat not in state.order:
        return
    has_hero = any(hero.seat == seat and hero.square for hero in state.heroes.values())
    if not has_hero and not roads.cities_of(state.cities, seat) and not roads.landless(state, seat):
        put_out(decision, seat)  # END-03
        return
    decision.happen(ev.TurnBegan(seat))
    homes = homes_of(decision.state, seat)
    away = [hero for hero in heroes_of(decision.state, seat) if not hero.square and hero.returns]
    for hero in reversed(away):  # BAT-13: asked in order, so the last question is on top
        if len(homes) == 1:
            decision.happen(ev.HeroReturned(seat, hero.id, homes[0]))
        elif homes:
            decision.happen(ev.QuestionAsked("return", (seat,), "BAT-13", {"hero": hero.id}))


def end_turn(decision: BattaliaDecision, seat: Seat) -> None:
    """TURN-06: end the turn; modules act, then the hand is discarded and refilled."""
    serial = decision.state.asking[-1].serial
    decision.happen(
        ev.TurnEnded(seat, serial, (*_called(decision.state, moments.TURN_END), moments.item(moments.CLEAN, seat)))
    )


def _clean_up(decision: BattaliaDecision, seat: Seat) -> None:
    deck.clear(decision, seat)
    deck.refill(decision, seat)
    for other in decision.state.order:
        if decision.state.players[other].spent and other != seat:
            deck.refill(decision, other)


def depart(decision: BattaliaDecision, seat: Seat) -> None:
    """END-06: remove a seat whose player has left: at once at night, otherwise at the end of the turn or of the setup.

    Until then the defaults answer for it (DAY-08), so that other players do not lose a battle or a pending question.
    """
    if seat not in decision.state.order:
        return
    if decision.state.asking[-1].kind == DAY:
        put_out(decision, seat)
    else:
        decision.happen(ev.MomentsAdded((moments.item(moments.LEAVE, seat),)))


def put_out(decision: BattaliaDecision, seat: Seat) -> None:
    """END-06: remove the heroes first, so that no hero of a removed player must flee from a destroyed city."""
    if seat not in decision.state.order:
        return
    ruined = [n for n in roads.cities_of(decision.state.cities, seat) if decision.state.cities[n].level == 0]
    decision.happen(ev.SeatOut(seat))
    for name in ruined:
        flight.destroy(decision, name)


# -- questions --------------------------------------------------------------------------------------------------------


class DayQuestion(BattaliaQuestionKind):
    """DAY-02: SYSTEM turns the day when it is over."""

    commands = (cmd.TurnDay,)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterable[Option]:  # noqa: ARG002
        return [Option("turn_day")] if seat == SYSTEM else []

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.TurnDay:  # noqa: ARG002
        return cmd.TurnDay()

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.TurnDay) -> None:  # noqa: ARG002
        turn_day(decision)


HOME = "home"
"""Value in orders: the starting city."""
MOST_SQUARES = 8


@dataclass(frozen=True, slots=True)
class SetReturn:
    """Standing order: squares where disbanded heroes return, best first (ORD-09). ``any`` is the first city on the map."""

    first: tuple[str, ...]


def _named(state: BattaliaState) -> tuple[str, ...]:
    return (HOME, ANY, *roads.squares(state.columns, state.rows))


def _meant(state: BattaliaState, seat: Seat, word: str) -> Iterator[cmd.ReturnHero]:
    if word == HOME:
        return map(cmd.ReturnHero, (state.players[seat].home,))
    return map(cmd.ReturnHero, sorted(homes_of(state, seat)) if word == ANY else (word,))


class ReturnQuestion(BattaliaQuestionKind):
    """BAT-13: the city where a disbanded hero returns. The default is the first on the map (DAY-08)."""

    commands = (cmd.ReturnHero,)
    standing = Preferred(SetReturn, MOST_SQUARES, _named, _meant)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterable[Option]:
        return [Option("return_hero", {}, (OneOf("square", homes_of(state, seat)),))]

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.ReturnHero:  # noqa: ARG002
        homes = homes_of(state, seat)
        start_first = RULESETS[state.ruleset].reads("silent_return") == START_FIRST
        return cmd.ReturnHero(homes[0] if start_first else min(homes))

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.ReturnHero) -> None:
        frame, homes = decision.state.asking[-1], homes_of(decision.state, seat)
        if command.square not in homes:
            raise NotYourCity(
                "A hero can only return in one of your cities.", rule="BAT-13", field="square", squares=list(homes)
            )
        decision.happen(ev.HeroReturned(seat, frame.about["hero"], command.square, frame.serial))
