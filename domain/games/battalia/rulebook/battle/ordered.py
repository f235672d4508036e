"""The battle line of a standing order, based only on what its owner can see (ORD-04 to ORD-07)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from domain.games.battalia.cards import CARDS, RANKS, fights
from domain.games.battalia.commands import Defend
from domain.games.battalia.evolve.zones import at_hand, unseen
from domain.games.battalia.module_api.orders import ASK, KINDS, PLACE, OrderType, worth
from domain.games.battalia.rulebook.battle import strength
from domain.games.battalia.rulebook.map.figures import figures
from domain.games.battalia.rulebook.payment import wheel
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import BattaliaState, Battle
from domain.kernel.terms import Integer, OneOf, Open, Option, Seat, SubsetOf

Cards = tuple[str, ...]

NOTHING, REACH, WIN, ALL = "nothing", "reach", "win", "all"
"""No card; the fewest cards for a strength; the fewest cards for a certain win; all fighting cards."""
HIGHEST = 99
MOST_CARDS = 12
IF_NEEDED, ALWAYS, NEVER = "if_needed", "always", "never"
AMBUSH = (IF_NEEDED, ALWAYS, NEVER)


@dataclass(frozen=True, slots=True)
class SetDefence:
    """Standing order: the cards for a defense against a player (ORD-04)."""

    place: int
    how: str
    number: int = 0
    """The strength to reach, or the margin to win by."""
    most: int = MOST_CARDS
    """The maximum number of cards, without those that are always revealed."""
    spare: Cards = ()
    """Kinds of cards that are never played."""
    ambush: str = IF_NEEDED
    """The use of face-down cards."""


class LineOrder(Protocol):
    """An order with a battle line."""

    @property
    def how(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def most(self) -> int: ...
    @property
    def spare(self) -> Cards: ...
    @property
    def ambush(self) -> str: ...


def options(type_: str) -> Iterator[Option]:
    """Every order with a line, as commands of this type."""
    spared: tuple[Open, ...] = (Integer("most", 0, MOST_CARDS), SubsetOf("spare", KINDS, 0, len(KINDS)))
    chosen: tuple[Open, ...] = (*spared, OneOf("ambush", AMBUSH))
    number = Integer("number", 0, HIGHEST)
    yield from (Option(type_, {"how": how}, (PLACE,)) for how in (ASK, NOTHING))
    yield Option(type_, {"how": ALL}, (PLACE, *chosen))
    yield from (Option(type_, {"how": how}, (PLACE, number, *chosen)) for how in (REACH, WIN))


class DefenceOrders(OrderType):
    """ORD-04: the line against a player's attack. The attacker's line is secret, so ``win`` means a certain win."""

    command = SetDefence

    def options(self, state: BattaliaState) -> Iterable[Option]:  # noqa: ARG002
        return options(self.type)

    def lapses(self, order: SetDefence) -> bool:
        return order.how == ASK

    def answers(self, state: BattaliaState, seat: Seat, order: SetDefence) -> Iterator[Defend]:
        fight = state.battle
        assert fight is not None
        heroes = figures(state, seat, fight.square)

        def worth_of(cards: Sequence[str]) -> int:
            return strength.side(state, seat, "defence", fight.attacker, fight.square, heroes, cards, ()).strength

        laid = line(state, seat, order, worth_of, lambda: most_of_attacker(state, fight))
        if laid is not None:
            yield Defend(**laid)


def line(
    state: BattaliaState, seat: Seat, order: LineOrder, worth_of: Callable[[Sequence[str]], int], foe: Callable[[], int]
) -> dict[str, Any] | None:
    """The ``units``, ``support`` and ``ambush`` of the order. None if it cannot be followed (ORD-04).

    ``worth_of`` is the strength of a line without rolling its amulets; ``foe`` is the strength to equal in order to
    win.
    """
    player = state.players[seat]
    held = [card for card in at_hand(player) if fights(card) and CARDS[card].kind not in order.spare]
    hidden = [card for card in player.hidden if fights(card)]
    forced = hidden if order.ambush == ALWAYS else []
    if order.ambush == IF_NEEDED:
        held += [card for card in hidden if CARDS[card].kind not in order.spare]
    if order.how == NOTHING:
        found: list[str] | None = []
    elif order.how == ALL:
        found = _best(forced, held, worth_of, order.most)
    else:
        goal = order.number + (foe() if order.how == WIN else 0)
        sure = [card for card in held if CARDS[card].kind != "amulet"]
        found = _enough(forced, sure, worth_of, order.most, goal)
    if found is None:
        return None
    shown = tuple(card for card in player.hidden if card in found)
    laid = [card for card in found if card not in shown]
    units = tuple(card for card in laid if CARDS[card].group == "unit")
    return {"units": units, "support": tuple(card for card in laid if card not in units), "ambush": shown}


def _best(forced: Sequence[str], held: Sequence[str], worth_of: Callable[[Sequence[str]], int], most: int) -> list[str]:
    """ORD-05: all of them, or the strongest up to the limit."""
    if len(held) <= most:
        return [*forced, *held]
    line_, free = [*forced], sorted(held, key=worth)
    for _ in range(most):
        best = max(free, key=lambda card: (worth_of([*line_, card]), worth(card)))
        line_.append(best)
        free.remove(best)
    return line_


def _enough(
    forced: Sequence[str], held: Sequence[str], worth_of: Callable[[Sequence[str]], int], most: int, goal: int
) -> list[str] | None:
    """ORD-06: add cards until the goal is reached, then remove unnecessary ones. None if it cannot be reached.

    Each added card is the cheapest that suffices; if none does, it is the one that adds most.
    """
    line_, free = [*forced], sorted(held, key=worth)
    while worth_of(line_) < goal:
        if not free or len(line_) - len(forced) == most:
            return None
        reached = {card: worth_of([*line_, card]) for card in free}
        best = next((card for card in free if reached[card] >= goal), None) or max(free, key=reached.__getitem__)
        line_.append(best)
        free.remove(best)
    for card in sorted(line_[len(forced) :], key=worth, reverse=True):
        without = [other for other in line_ if other != card]
        if worth_of(without) >= goal:
            line_ = without
    return line_


def most_of_attacker(state: BattaliaState, fight: Battle) -> int:
    """ORD-07: the maximum strength of the attacker's line, from public information.

    Assumes that the attacker plays as many cards as they have in hand and face down. These are the most valuable
    possible cards, each at its maximum, with morale and with the additions of modules.
    """
    seat, square, rules = fight.attacker, fight.square, RULESETS[state.ruleset]
    player = state.players[seat]

    def parts(cards: Sequence[str]) -> dict[str, int]:
        side = strength.side(state, seat, "attack", fight.defender, square, (fight.hero,), cards, ())
        return dict(side.parts)

    pool = [card for card in unseen(player) if fights(card)]
    bare, full = parts(()), parts((*pool, *filter(fights, player.tokens)))
    of_modules = sum(max(0, full[name]) for name in full.keys() - bare.keys() - {"cards", "moral"})
    count = len(player.hand) + sum(len(tent.kept) for tent in player.tents) + len(player.hidden)
    worths = sorted((_most_of_card(state, card) for card in pool), reverse=True)
    shown = sum(_most_of_card(state, card) for card in player.tokens if fights(card))
    return sum(bare.values()) + rules.moral_bonus + of_modules + sum(worths[:count]) + shown


def _most_of_card(state: BattaliaState, card: str) -> int:
    """The maximum that a card can add to an attack."""
    rules, known = RULESETS[state.ruleset], CARDS[card]
    match known.kind:
        case "sword":
            return rules.sword
        case "shield":
            return 0
        case "amulet":
            return max(rules.amulet_ranks) * wheel.times(state, "amulet")
        case "scroll":  # ART-05: it counts as the best card that can be in the line
            return max(len(RANKS), *(_lifted(state, kind) for kind in _LIFTING)) * wheel.times(state, "scroll")
        case kind if kind in _LIFTING:
            return _lifted(state, kind)
        case _:
            return known.rank


_LIFTING = ("weapon", "horse", "title")


def _lifted(state: BattaliaState, kind: str) -> int:
    """The value of a weapon, a horse or a title today."""
    by_kind: int = getattr(RULESETS[state.ruleset], kind)
    return by_kind * wheel.times(state, kind)
