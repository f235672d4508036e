"""The entrance of the Unbound Buff: bet, reveal, square (BUF-01 to BUF-04)."""

from __future__ import annotations

from collections.abc import Iterator

from domain.games.battalia import events as core
from domain.games.battalia.cards import CARDS
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.orders import ANY, Preferred
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.modules.unbound_buff import commands as cmd
from domain.games.battalia.modules.unbound_buff import events as ev
from domain.games.battalia.modules.unbound_buff import meeting, memory, orders
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulebook.actions import deck
from domain.games.battalia.rulebook.refusals import NotInHand, UnknownChoice
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.rulesets.rules import BattaliaNumbers
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.errors import RuleViolation
from domain.kernel.terms import OneOf, Option, Seat, SubsetOf

Cards = tuple[str, ...]
MOST_SQUARES = 8


class WorthlessBet(RuleViolation):
    """A card without battle strength cannot be bet."""

    code = "worthless-bet"
    rule = "BUF-01"


def ask(decision: BattaliaDecision) -> None:
    """BUF-01, BUF-13: ask all players at once."""
    decision.happen(core.QuestionAsked("bet", decision.state.order, "BUF-01", {}, memory.KEY))


def worth(card: str, rules: BattaliaNumbers) -> int:
    """BUF-01: the printed strength of a card."""
    printed = {"weapon": rules.weapon, "horse": rules.horse, "sword": rules.sword, "shield": rules.shield}
    return CARDS[card].rank or printed.get(CARDS[card].kind, 0)


def stakes(state: BattaliaState, seat: Seat) -> Cards:
    """BUF-01: the cards that the player may bet."""
    rules = RULESETS[state.ruleset]
    return tuple(card for card in state.players[seat].hand if worth(card, rules))


def _reveal(decision: BattaliaDecision) -> None:
    """BUF-02: reveal all bets and determine the highest."""
    state = decision.state
    bets = {seat: tuple(memory.of(state)["bets"][str(seat)]) for seat in state.order}
    totals = {seat: sum(worth(card, decision.rules) for card in cards) for seat, cards in bets.items()}
    by, best = "strength", [seat for seat in state.order if totals[seat] == max(totals.values())]
    if len(best) > 1:
        points = {seat: scoring.points(state, seat) for seat in best}
        by, best = "points", [seat for seat in best if points[seat] == max(points.values())]
    if len(best) > 1:
        by, best = "lot", [decision.dice.choose(best)]
    seat = best[0]
    decision.happen(ev.BetsRevealed(seat, bets, totals, by))
    for other, cards in bets.items():
        if cards:
            decision.happen(core.CardsLaid(other, cards))
    open_ = entrances(decision.state)
    if len(open_) > 1:
        decision.happen(core.QuestionAsked("entrance", (seat,), "BUF-03", {}, memory.KEY))
    else:
        _enter(decision, seat, open_[0])


def entrances(state: BattaliaState) -> Cards:
    """BUF-03: start squares with a card, otherwise the ruins."""
    return tuple(name for name in state.starts if name in state.board) or (state.centre,)


def _enter(decision: BattaliaDecision, seat: Seat, square: str, answers: int = 0) -> None:
    """BUF-04: enter the map, discard the bets, and refill all hands."""
    bets = memory.of(decision.state)["open"]
    decision.happen(ev.BuffEntered(seat, square, memory.horde(decision.state), answers))
    for other in decision.state.order:
        if bets[str(other)]:
            decision.happen(core.CardsDiscarded(other, tuple(bets[str(other)])))
    for other in decision.state.order:
        deck.refill(decision, other)
    meeting.assault(decision, seat, square)


# -- questions --------------------------------------------------------------------------------------------------------


def _value(state: BattaliaState, card: str) -> int:
    return worth(card, RULESETS[state.ruleset])


def _named(state: BattaliaState) -> Cards:
    return (*state.starts, state.centre, ANY)


def _meant(state: BattaliaState, seat: Seat, word: str) -> Iterator[cmd.ChooseEntrance]:  # noqa: ARG001
    return map(cmd.ChooseEntrance, entrances(state) if word == ANY else (word,))


class BetQuestion(BattaliaQuestionKind):
    """BUF-01: asked of all players at once. The last answer reveals all bets. The default is an empty bet (BUF-04)."""

    commands = (cmd.PlaceBet,)
    standing = orders.BetOrders(stakes, _value)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:
        cards = stakes(state, seat)
        if cards:
            yield Option("place_bet", {}, (SubsetOf("cards", cards, 0, len(cards)),))
        else:
            yield Option("place_bet", {"cards": []})

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.PlaceBet:  # noqa: ARG002
        return cmd.PlaceBet(())

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.PlaceBet) -> None:
        frame, hand = decision.state.asking[-1], decision.state.players[seat].hand
        missing = [card for card in dict.fromkeys(command.cards) if card not in hand]
        if missing or len(set(command.cards)) < len(command.cards):
            raise NotInHand("You can only bet cards from your hand.", rule="BUF-01", field="cards", missing=missing)
        idle = [card for card in command.cards if not worth(card, decision.rules)]
        if idle:
            raise WorthlessBet("These cards have no battle strength.", field="cards", cards=idle)
        decision.happen(ev.BetPlaced(seat, command.cards))
        decision.happen(core.QuestionAnswered(seat, frame.serial))
        if frame.seats == (seat,):
            _reveal(decision)


class EntranceQuestion(BattaliaQuestionKind):
    """BUF-03: the square where Buff enters. The default is random."""

    commands = (cmd.ChooseEntrance,)
    standing = Preferred(orders.SetEntrance, MOST_SQUARES, _named, _meant)

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:  # noqa: ARG002
        yield Option("choose_entrance", {}, (OneOf("square", entrances(state)),))

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.ChooseEntrance:  # noqa: ARG002
        return cmd.ChooseEntrance(dice.choose(entrances(state)))

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.ChooseEntrance) -> None:
        open_ = entrances(decision.state)
        if command.square not in open_:
            raise UnknownChoice(
                "The Unbound Buff cannot enter there.", rule="BUF-03", field="square", squares=list(open_)
            )
        _enter(decision, seat, command.square, decision.state.asking[-1].serial)
