"""A hero under the free Buff's attack: who it is, and whether his owner bribes, hires or fights (BUF-08 to BUF-12)."""

from __future__ import annotations

from collections.abc import Iterator

from domain.battalia import events as core
from domain.battalia.modules.decision import Flow
from domain.battalia.npcs.unbound_buff import commands as cmd
from domain.battalia.npcs.unbound_buff import events as ev
from domain.battalia.npcs.unbound_buff import memory
from domain.battalia.rulebook.actions import deck
from domain.battalia.rulebook.battle import combat
from domain.battalia.rulebook.battle import strength as battle
from domain.battalia.rulebook.map.figures import city_answers, enemies_on, figures
from domain.battalia.rulebook.payment import lines
from domain.battalia.rulebook.refusals import NotYourHero, UnknownChoice
from domain.battalia.rulesets import RULESETS
from domain.battalia.state import NOBODY, Frame, State
from domain.terms import SYSTEM, OneOf, Option, Seat

Cards = tuple[str, ...]


def assault(flow: Flow, mover: Seat, square: str) -> None:
    """BUF-08: he has entered the square."""
    found = memory.prey(flow.state, square)
    if len(found) > 1:
        about = {"square": square, "heroes": list(found)}
        flow.happen(core.QuestionAsked("victim", (mover,), "BUF-08", about, memory.KEY))
    elif found:
        attack(flow, found[0], square)


def pick(flow: Flow, seat: Seat, frame: Frame, command: cmd.PickVictim) -> None:
    """BUF-08."""
    heroes = frame.about["heroes"]
    if command.hero not in heroes:
        raise UnknownChoice("He does not attack this hero.", rule="BUF-08", field="hero", heroes=list(heroes))
    flow.happen(ev.VictimPicked(seat, command.hero, frame.serial))
    attack(flow, command.hero, frame.about["square"])


def attack(flow: Flow, name: str, square: str) -> None:
    """BUF-08, BUF-09: the hero's owner is asked; a hero who enters still stands where he came from."""
    hero = flow.state.heroes[name]
    flow.happen(ev.BuffAttacked(hero.seat, name, square, memory.of(flow.state)["horde"]))
    about = {"hero": name, "square": square, "entering": hero.square != square}
    flow.happen(core.QuestionAsked("attacked", (hero.seat,), "BUF-10", about, memory.KEY))


# -- the three answers ------------------------------------------------------------------------------------------------


def bribe(flow: Flow, seat: Seat, frame: Frame, command: cmd.BribeBuff) -> None:
    """BUF-10."""
    price = lines.price_of(flow.state, seat, "bribe_buff", flow.rules.modules["buff_bribe"])
    lines.check_pays(flow.state, seat, command.cards, price, "PAY-10")
    flow.happen(core.LinePaid(seat, command.cards))
    flow.happen(ev.BuffBribed(seat, frame.about["square"], *memory.term(flow.state), frame.serial))
    _come_through(flow, seat, frame)


def hire(flow: Flow, seat: Seat, frame: Frame, command: cmd.HireBuff) -> None:
    """BUF-11; BUF-10 in a turn."""
    state, attacked = flow.state, frame.kind == "attacked"
    square = memory.square(state)
    if not attacked and not may_hire(state, seat):
        raise NotYourHero("None of your heroes stands on the free Buff's square.", rule="BUF-10")
    price = lines.price_of(state, seat, "hire_buff", flow.rules.modules["buff_hire"])
    lines.check_pays(state, seat, command.cards, price, "PAY-10")
    flow.happen(core.LinePaid(seat, command.cards))
    flow.happen(ev.BuffHired(seat, square, *memory.term(state), frame.serial if attacked else 0))
    flow.happen(core.HeroJoined(seat, memory.FIGURE, square, native=False, returns=False))  # BUF-14, BUF-15
    if attacked:
        _come_through(flow, seat, frame)


def may_hire(state: State, seat: Seat) -> bool:
    """BUF-10: with a hero on the free Buff's square."""
    where = memory.square(state)
    return bool(where and figures(state, seat, where))


def fight(flow: Flow, seat: Seat, frame: Frame, command: cmd.FightBuff) -> None:
    """BUF-12."""
    combat.check_line(flow.state, seat, command, needs_unit=False)
    name, square = frame.about["hero"], frame.about["square"]
    cards = (*command.units, *command.support)
    rolls = combat.reveal(flow, seat, cards, command.ambush, frame.serial)
    line = (*cards, *command.ambush)
    own = battle.side(flow.state, seat, "stand", NOBODY, square, (name,), line, rolls)
    horde = memory.of(flow.state)["horde"]
    held = own.strength >= horde
    flow.happen(core.FigureFought(seat, name, square, memory.KEY, own.parts, own.strength, horde, held))
    if held:
        flow.happen(ev.BuffGone(square, "repelled"))
        _come_through(flow, seat, frame)
    else:
        flow.happen(core.HeroDisbanded(seat, name, square))
        _fill_up(flow, seat)


def _come_through(flow: Flow, seat: Seat, frame: Frame) -> None:
    """BUF-09: who has entered stands there, or back where he came from."""
    name, square = frame.about["hero"], frame.about["square"]
    state = flow.state
    barred = enemies_on(state, seat, square) or city_answers(state, seat, square) or square == state.centre
    if frame.about["entering"] and not barred:
        flow.happen(core.HeroEntered(seat, name, square))
    _fill_up(flow, seat)


def _fill_up(flow: Flow, seat: Seat) -> None:
    """BUF-04: at the entrance; in a turn TURN-06 does it."""
    if flow.state.turn.seat == SYSTEM:
        deck.refill(flow, seat)


# -- options ----------------------------------------------------------------------------------------------------------


def victim_options(frame: Frame) -> Iterator[Option]:
    """One Option."""
    yield Option("pick_victim", {}, (OneOf("hero", tuple(frame.about["heroes"])),))


def answer_options(state: State, seat: Seat) -> Iterator[Option]:
    """Bribe, hire, or fight with any line."""
    yield from _paid_options(state, seat, "bribe_buff", "buff_bribe")
    yield from _paid_options(state, seat, "hire_buff", "buff_hire")
    yield Option("fight_buff", {}, tuple(combat.line_parameters(state, seat, units_at_least=0) or ()))


def hire_options(state: State, seat: Seat) -> Iterator[Option]:
    """In a turn."""
    if may_hire(state, seat):
        yield from _paid_options(state, seat, "hire_buff", "buff_hire")


def _paid_options(state: State, seat: Seat, action: str, number: str) -> Iterator[Option]:
    price = lines.price_of(state, seat, action, RULESETS[state.ruleset].modules[number])
    for form in lines.forms(state, lines.bag(state, seat), price):
        yield lines.option(action, {}, form)
