"""The sequence of play: the day turns, weeks end, turns begin and end (DAY, TURN-06, BAT-13, END-03 to END-06)."""

from __future__ import annotations

from collections.abc import Iterable

from domain.battalia import commands as cmd
from domain.battalia import events as ev
from domain.battalia.modules import socket as npc
from domain.battalia.modules.decision import Flow
from domain.battalia.rulebook.actions import build as building
from domain.battalia.rulebook.actions import deck
from domain.battalia.rulebook.battle import flight
from domain.battalia.rulebook.map import roads
from domain.battalia.rulebook.map.figures import heroes_of
from domain.battalia.rulebook.payment import wheel
from domain.battalia.rulebook.refusals import NotYourCity
from domain.battalia.state import Frame, State
from domain.terms import OneOf, Option, Seat

CHECK_POINT = ("weeks", "week", "enter")
"""DAY-04: END-04, the modules' new strengths, who enters; in this order."""


def turn_day(flow: Flow) -> None:
    """DAY-02: the wheel turns, and the day's agenda is drawn up."""
    state, rules = flow.state, flow.rules
    count = state.day + 1
    day, week = wheel.date(count, rules)
    moments = list(_called(state, "effects"))
    if day == 1 and count > 0:
        for moment in CHECK_POINT:
            moments.extend(_called(state, moment))
    moments.extend(_called(state, "move"))
    moments.extend(f"turn:{seat}" for seat in state.order)
    places = len(rules.wheel)
    lit, matching = rules.wheel[count % places], rules.wheel[rules.matching * count % places]
    flow.happen(ev.DayAnnounced(day, week, lit, matching, (*moments, "night")))


def _called(state: State, moment: str) -> Iterable[str]:
    if moment == "weeks":
        return ["weeks"]
    return [f"{moment}:{module.key}" for module in npc.playing(state.modules) if moment in module.moments]


def proceed(flow: Flow) -> None:
    """Do what is due until somebody is asked, or the game is over."""
    while not flow.over:
        state = flow.state
        if state.asking:
            if not flight.stranded(flow, state.asking[-1]):
                return
        else:
            moment = state.agenda[0]  # its last is the night, which asks
            flow.happen(ev.MomentCame(moment))
            _perform(flow, moment)


def _perform(flow: Flow, moment: str) -> None:
    what, _, whose = moment.partition(":")
    match what:
        case "turn":
            _begin_turn(flow, Seat(int(whose)))
        case "clean":
            _clean_up(flow, Seat(int(whose)))
        case "night":
            flow.happen(ev.DayEnded(*wheel.date(flow.state.day, flow.rules)))
        case "weeks":
            limit = flow.state.options["max_weeks"]
            _, week = wheel.date(flow.state.day, flow.rules)
            if limit and week > limit:
                flow.happen(ev.EndReached("weeks", "END-04"))
        case _:
            npc.registry()[whose].act(flow, what)


# -- turns ------------------------------------------------------------------------------------------------------------


def _begin_turn(flow: Flow, seat: Seat) -> None:
    state = flow.state
    if seat not in state.order:
        return
    has_hero = any(hero.seat == seat and hero.square for hero in state.heroes.values())
    if not has_hero and not roads.cities_of(state.cities, seat) and not building.landless(state, seat):
        put_out(flow, seat)  # END-03
        return
    flow.happen(ev.TurnBegan(seat))
    homes = homes_of(flow.state, seat)
    away = [hero for hero in heroes_of(flow.state, seat) if not hero.square and hero.returns]
    for hero in reversed(away):  # BAT-13; asked in order, the last question lies on top
        if len(homes) == 1:
            flow.happen(ev.HeroReturned(seat, hero.id, homes[0]))
        elif homes:
            flow.happen(ev.QuestionAsked("return", (seat,), "BAT-13", {"hero": hero.id}))


def homes_of(state: State, seat: Seat) -> tuple[str, ...]:
    """BAT-13: the player's cities of level 1 or more, his starting city first."""
    home = state.players[seat].home
    found = [name for name in roads.cities_of(state.cities, seat) if state.cities[name].level > 0]
    return tuple(sorted(found, key=lambda name: (name != home, name)))


def return_hero(flow: Flow, seat: Seat, frame: Frame, command: cmd.ReturnHero) -> None:
    """BAT-13."""
    homes = homes_of(flow.state, seat)
    if command.square not in homes:
        raise NotYourCity("A hero comes back in a city of yours.", rule="BAT-13", field="square", squares=list(homes))
    flow.happen(ev.HeroReturned(seat, frame.about["hero"], command.square, frame.serial))


def end_turn(flow: Flow, seat: Seat) -> None:
    """TURN-06: what modules do at a turn's end, then the hand."""
    serial = flow.state.asking[-1].serial
    flow.happen(ev.TurnEnded(seat, serial, (*_called(flow.state, "turn_end"), f"clean:{seat}")))


def _clean_up(flow: Flow, seat: Seat) -> None:
    deck.clear(flow, seat)
    deck.refill(flow, seat)
    for other in flow.state.order:
        if flow.state.players[other].spent and other != seat:
            deck.refill(flow, other)


def put_out(flow: Flow, seat: Seat) -> None:
    """END-06."""
    for name in roads.cities_of(flow.state.cities, seat):
        if flow.state.cities[name].level == 0:
            flight.destroy(flow, name)
    flow.happen(ev.SeatOut(seat))


def return_options(state: State, seat: Seat) -> Iterable[Option]:
    """One Option."""
    return [Option("return_hero", {}, (OneOf("square", homes_of(state, seat)),))]
