"""A hero attacked by the free Buff: the choice of the hero, and whether the owner bribes, hires or fights (BUF-08 to BUF-12)."""

from __future__ import annotations

from collections.abc import Iterator

from domain.games.battalia import events as core
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.orders import Preferred
from domain.games.battalia.module_api.questions import BattaliaQuestionKind, InTurn
from domain.games.battalia.modules.unbound_buff import commands as cmd
from domain.games.battalia.modules.unbound_buff import events as ev
from domain.games.battalia.modules.unbound_buff import memory, orders
from domain.games.battalia.rulebook.actions import deck
from domain.games.battalia.rulebook.battle import combat, strength
from domain.games.battalia.rulebook.map.figures import city_answers, enemies_on, figures
from domain.games.battalia.rulebook.payment import lines
from domain.games.battalia.rulebook.refusals import NotYourHero, UnknownChoice
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.readings import BY_LOT
from domain.games.battalia.state import NOBODY, BattaliaState, Frame
from domain.kernel.dice import Dice
from domain.kernel.terms import SYSTEM, OneOf, Option, Seat

Cards = tuple[str, ...]
MOST_SEATS = 6


def assault(decision: BattaliaDecision, mover: Seat, square: str) -> None:
    """BUF-08: Buff has entered the square and attacks a hero there. If there are several, ``mover`` chooses."""
    found = memory.prey(decision.state, square)
    if len(found) > 1:
        about = {"square": square, "heroes": list(found)}
        decision.happen(core.QuestionAsked("victim", (mover,), "BUF-08", about, memory.KEY))
    elif found:
        attack(decision, found[0], square)


def attack(decision: BattaliaDecision, name: str, square: str) -> None:
    """BUF-08, BUF-09: ask the hero's owner. An entering hero is still on the square he came from."""
    hero = decision.state.heroes[name]
    decision.happen(ev.BuffAttacked(hero.seat, name, square, memory.of(decision.state)["horde"]))
    about = {"hero": name, "square": square, "entering": hero.square != square}
    decision.happen(core.QuestionAsked("attacked", (hero.seat,), "BUF-10", about, memory.KEY))


# -- the three answers ------------------------------------------------------------------------------------------------


def _bribe(decision: BattaliaDecision, seat: Seat, frame: Frame, command: cmd.BribeBuff) -> None:
    """BUF-10: pay the bribe."""
    price = lines.price_of(decision.state, seat, "bribe_buff", decision.rules.modules["buff_bribe"])
    lines.check_pays(decision.state, seat, command.cards, price, "PAY-10")
    decision.happen(core.LinePaid(seat, command.cards))
    decision.happen(ev.BuffBribed(seat, frame.about["square"], *memory.term(decision.state), frame.serial))
    _come_through(decision, seat, frame)


def _hire(decision: BattaliaDecision, seat: Seat, frame: Frame, command: cmd.HireBuff) -> None:
    """BUF-11 as the answer to Buff's attack; BUF-10 as an action in a turn."""
    state, attacked = decision.state, frame.kind == "attacked"
    square = memory.square(state)
    if not attacked and not may_hire(state, seat):
        raise NotYourHero("None of your heroes is on the square of the free Unbound Buff.", rule="BUF-10")
    price = lines.price_of(state, seat, "hire_buff", decision.rules.modules["buff_hire"])
    lines.check_pays(state, seat, command.cards, price, "PAY-10")
    decision.happen(core.LinePaid(seat, command.cards))
    decision.happen(ev.BuffHired(seat, square, *memory.term(state), frame.serial if attacked else 0))
    decision.happen(core.HeroJoined(seat, memory.FIGURE, square, native=False, returns=False))  # BUF-14, BUF-15
    if attacked:
        _come_through(decision, seat, frame)


def may_hire(state: BattaliaState, seat: Seat) -> bool:
    """BUF-10: needs a hero on the free Buff's square."""
    where = memory.square(state)
    return bool(where and figures(state, seat, where))


def _fight(decision: BattaliaDecision, seat: Seat, frame: Frame, command: cmd.FightBuff) -> None:
    """BUF-12: fight with a line."""
    combat.check_line(decision.state, seat, command, needs_unit=False)
    name, square = frame.about["hero"], frame.about["square"]
    cards = (*command.units, *command.support)
    rolls = combat.reveal(decision, seat, cards, command.ambush, frame.serial)
    line = (*cards, *command.ambush)
    own = strength.side(decision.state, seat, "stand", NOBODY, square, (name,), line, rolls)
    horde = memory.of(decision.state)["horde"]
    held = own.strength >= horde
    decision.happen(core.FigureFought(seat, name, square, memory.KEY, own.parts, own.strength, horde, held))
    if held:
        decision.happen(ev.BuffGone(square, "repelled"))
        _come_through(decision, seat, frame)
    else:
        decision.happen(core.HeroDisbanded(seat, name, square))
        _fill_up(decision, seat)


def _come_through(decision: BattaliaDecision, seat: Seat, frame: Frame) -> None:
    """BUF-09: move an entering hero to the square, unless something else there blocks it."""
    name, square = frame.about["hero"], frame.about["square"]
    state = decision.state
    barred = enemies_on(state, seat, square) or city_answers(state, seat, square) or square == state.centre
    if frame.about["entering"] and not barred:
        decision.happen(core.HeroEntered(seat, name, square))
    _fill_up(decision, seat)


def _fill_up(decision: BattaliaDecision, seat: Seat) -> None:
    """BUF-04: refill the hand after the entrance. In a turn, TURN-06 refills it."""
    if decision.state.turn.seat == SYSTEM:
        deck.refill(decision, seat)


_NUMBERS = {"bribe_buff": "buff_bribe", "hire_buff": "buff_hire"}


def _paid_options(state: BattaliaState, seat: Seat, action: str) -> Iterator[Option]:
    """PAY-10: every line that pays for a command of this type."""
    price = lines.price_of(state, seat, action, RULESETS[state.ruleset].modules[_NUMBERS[action]])
    for form in lines.bag(state, seat).forms(price):
        yield lines.option(action, {}, form)


# -- questions --------------------------------------------------------------------------------------------------------


def _owners(state: BattaliaState) -> tuple[Seat, ...]:
    return tuple(sorted(state.players))


def _theirs(state: BattaliaState, seat: Seat, owner: Seat) -> Iterator[cmd.PickVictim]:  # noqa: ARG001
    heroes = sorted(state.asking[-1].about["heroes"])
    return (cmd.PickVictim(name) for name in heroes if state.heroes[name].seat == owner)


class VictimQuestion(BattaliaQuestionKind):
    """BUF-08: the hero to attack, of several. The default is the first one (DAY-08)."""

    commands = (cmd.PickVictim,)
    standing = Preferred(orders.SetVictim, MOST_SEATS, _owners, _theirs)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:  # noqa: ARG002
        yield Option("pick_victim", {}, (OneOf("hero", tuple(state.asking[-1].about["heroes"])),))

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.PickVictim:  # noqa: ARG002
        heroes = state.asking[-1].about["heroes"]
        by_lot = RULESETS[state.ruleset].reads("silent_victim") == BY_LOT
        return cmd.PickVictim(dice.choose(heroes) if by_lot else min(heroes))

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.PickVictim) -> None:
        frame = decision.state.asking[-1]
        heroes = frame.about["heroes"]
        if command.hero not in heroes:
            raise UnknownChoice(
                "The Unbound Buff does not attack this hero.", rule="BUF-08", field="hero", heroes=list(heroes)
            )
        decision.happen(ev.VictimPicked(seat, command.hero, frame.serial))
        attack(decision, command.hero, frame.about["square"])


class AttackedQuestion(BattaliaQuestionKind):
    """BUF-10 to BUF-12: bribe Buff, hire him, or fight with any line. The default fights without cards."""

    commands = (cmd.BribeBuff, cmd.HireBuff, cmd.FightBuff)
    intrudes = True
    standing = orders.RaidOrders(_paid_options)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:
        yield from _paid_options(state, seat, "bribe_buff")
        yield from _paid_options(state, seat, "hire_buff")
        yield Option("fight_buff", {}, tuple(combat.line_parameters(state, seat, units_at_least=0) or ()))

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.FightBuff:  # noqa: ARG002
        return cmd.FightBuff()

    def answer(
        self, decision: BattaliaDecision, seat: Seat, command: cmd.BribeBuff | cmd.HireBuff | cmd.FightBuff
    ) -> None:
        frame = decision.state.asking[-1]
        match command:
            case cmd.BribeBuff():
                _bribe(decision, seat, frame, command)
            case cmd.HireBuff():
                _hire(decision, seat, frame, command)
            case cmd.FightBuff():
                _fight(decision, seat, frame, command)


class HireInTurn(InTurn):
    """BUF-10: hiring is an action for a player with a hero on the free Buff's square."""

    commands = (cmd.HireBuff,)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:
        if may_hire(state, seat):
            yield from _paid_options(state, seat, "hire_buff")

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.HireBuff) -> None:
        _hire(decision, seat, decision.state.asking[-1], command)
