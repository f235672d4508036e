"""The Rammoth Deleo-Arx, who walks over the map and attacks the cities on his way (RAM)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.games.battalia import events as ev
from domain.games.battalia.cards import CARDS
from domain.games.battalia.module_api import moments, traits
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.orders import KINDS, OrderType, worth
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.module_api.socket import Advice, Npc
from domain.games.battalia.modules.rammoth import siege
from domain.games.battalia.modules.rammoth.kinds import (
    ASKS,
    SENTENCES,
    DiscardHalf,
    NotHalf,
    RammothAttacked,
    RammothDrivenOff,
    RammothEntered,
    RammothMoved,
    RammothRaged,
    SetDiscard,
)
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.shape import catalogue
from domain.kernel.terms import Option, Seat, SubsetOf


class DiscardOrders(OrderType):
    """ORD-12: discard the named kinds of cards first, then the least valuable ones."""

    command = SetDiscard

    def options(self, state: BattaliaState) -> Iterable[Option]:  # noqa: ARG002
        return [Option(self.type, {}, (SubsetOf("first", KINDS, 0, len(KINDS)),))]

    def lapses(self, order: SetDiscard) -> bool:
        return not order.first

    def answers(self, state: BattaliaState, seat: Seat, order: SetDiscard) -> Iterable[DiscardHalf]:
        def wanted(card: str) -> tuple[int, tuple[int, str]]:
            kind = CARDS[card].kind
            return order.first.index(kind) if kind in order.first else len(order.first), worth(card)

        return [DiscardHalf(tuple(sorted(state.players[seat].hand, key=wanted)[: state.asking[-1].about["count"]]))]


class DiscardQuestion(BattaliaQuestionKind):
    """RAM-18: the half of the hand to discard."""

    commands = (DiscardHalf,)
    standing = DiscardOrders()

    def legal(self, state: BattaliaState, seat: Seat) -> Iterable[Option]:
        count = state.asking[-1].about["count"]
        return [Option("discard_half", {}, (SubsetOf("cards", state.players[seat].hand, count, count),))]

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> DiscardHalf:
        return DiscardHalf(dice.shuffle(state.players[seat].hand)[: state.asking[-1].about["count"]])

    def answer(self, decision: BattaliaDecision, seat: Seat, command: DiscardHalf) -> None:
        frame, hand, cards = decision.state.asking[-1], decision.state.players[seat].hand, command.cards
        wrong = [card for card in cards if card not in hand]
        if wrong or len(set(cards)) != len(cards) or len(cards) != frame.about["count"]:
            raise NotHalf("You must discard half of your hand.", field="cards", count=frame.about["count"], cards=wrong)
        decision.happen(ev.CardsDiscarded(seat, cards))
        decision.happen(ev.QuestionAnswered(seat, frame.serial))


class Rammoth(Npc):
    """Stores the Rammoth's square (``square``, empty while absent), the day of arrival, and the last attack."""

    key = siege.KEY
    title = "Rammoth Deleo-Arx: a beast that walks over the map and batters cities."
    order = 20
    traits = frozenset((traits.BESIEGER,))
    moments = frozenset((moments.ENTER, moments.MOVE))
    adjusts = ()
    questions: Mapping[str, BattaliaQuestionKind] = {siege.DISCARD: DiscardQuestion()}
    commands = catalogue(DiscardHalf)
    events = catalogue(RammothEntered, RammothMoved, RammothAttacked, RammothRaged, RammothDrivenOff)
    sentences = SENTENCES
    asks = ASKS
    names: Mapping[str, Mapping[str, str]] = {"task": {"discard": "discard cards"}}

    def blank(self, begun: ev.BattaliaBegun) -> Any:  # noqa: ARG002
        return {"square": "", "since": 0, "attack": None}

    def act(self, decision: BattaliaDecision, moment: str) -> None:
        memory = decision.state.npcs[self.key]
        match moment:
            case moments.ENTER:
                if not memory["square"]:  # RAM-02, RAM-21
                    siege.enter(decision)
            case moments.MOVE:
                if memory["square"] and memory["since"] < decision.state.day:  # RAM-03
                    siege.move(decision, memory["square"])
            case siege.RAGE:
                siege.rage(decision, memory["attack"])
            case _:  # siege.AFTERMATH
                siege.aftermath(decision, memory["attack"])

    def evolve(self, memory: Any, event: Any) -> Any:
        match event:
            case RammothEntered(square, _, _, day):
                return {"square": square, "since": day, "attack": None}
            case RammothMoved(_, _, _, path):
                return {**memory, "square": path[-1], "attack": None}
            case RammothAttacked(square, owner, attack, defence):
                return {
                    **memory,
                    "attack": {"square": square, "owner": owner, "die": attack["die"], "against": defence["die"]},
                }
            case RammothDrivenOff():
                return {**memory, "square": "", "attack": None}
            case _:
                return memory

    def advise(self, state: BattaliaState, seat: Seat, option: Option) -> Advice | None:  # noqa: ARG002
        """Advise discarding supplies and low ranks first."""
        (open_,) = option.open
        assert isinstance(open_, SubsetOf)
        return 1.0, {"type": option.type, "cards": sorted(map(str, open_.choices), key=worth)[: open_.min]}

    def gloss(self, line: Any) -> Mapping[str, Any]:
        match line["type"]:
            case "rammoth_moved":
                *via, to = line["path"]
                return {"via": via, "to": to, "manner": "stopped" if len(line["path"]) < line["steps"] else None}
            case "rammoth_attacked":
                words = ["" if line["damage"] else "repelled", "" if line["owner"] else "unowned"]
                return {"manner": "-".join(filter(None, words))}
            case _:
                return {}

    def view(self, state: BattaliaState) -> Any:
        memory = state.npcs[self.key]
        square = memory["square"]
        return {
            "square": square or None,
            "range": list(roads.within_range(state, square)) if square else [],
            "moves": "from the next day on" if square and memory["since"] == state.day else "every day",
            "attack": memory["attack"],
        }

    def faults(self, state: BattaliaState) -> Iterable[str]:
        memory = state.npcs[self.key]
        if not _is_memory(memory):
            yield "the Rammoth's memory is none"
            return
        if memory["square"] and memory["square"] not in roads.squares(state.columns, state.rows):
            yield f"the Rammoth is on {memory['square']}, off the map"
        if memory["since"] > max(state.day, 0):
            yield "the Rammoth comes from the future"


def _is_memory(memory: Any) -> bool:
    """Whether the memory is well formed; that of an imported position may not be."""
    if not isinstance(memory, Mapping) or memory.keys() != {"square", "since", "attack"}:
        return False
    attack = memory["attack"]
    fits = attack is None or (
        isinstance(attack, Mapping)
        and attack.keys() == {"square", "owner", "die", "against"}
        and isinstance(attack["square"], str)
        and all(type(attack[name]) is int for name in ("owner", "die", "against"))
    )
    return fits and isinstance(memory["square"], str) and type(memory["since"]) is int
