"""Standing orders for the Unbound Buff's questions (ORD-13 to ORD-17)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from domain.games.battalia.cards import CARDS
from domain.games.battalia.module_api.orders import ASK, KINDS, PLACE, OrderType, worth
from domain.games.battalia.modules.unbound_buff import commands as cmd
from domain.games.battalia.modules.unbound_buff import memory
from domain.games.battalia.rulebook.battle import ordered, strength
from domain.games.battalia.state import NOBODY, BattaliaState
from domain.kernel.terms import Integer, OneOf, Option, Seat, SubsetOf

Cards = tuple[str, ...]

BRIBE, HIRE, LEAVE = "bribe", "hire", "leave"
NOTHING, ALL, EXACTLY, AT_MOST = "nothing", "all", "exactly", "at_most"
HIGHEST = 99


# -- commands ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetBet:
    """Standing order for bets (ORD-13)."""

    place: int
    how: str
    number: int = 0
    """The strength that is bet."""
    spare: Cards = ()
    """The kinds of cards that are never bet."""


@dataclass(frozen=True, slots=True)
class SetEntrance:
    """Standing order: preferred entrances for Buff, best first (ORD-14). ``any`` is the first open one."""

    first: Cards


@dataclass(frozen=True, slots=True)
class SetVictim:
    """Standing order: the seats whose heroes Buff attacks, first seat first (ORD-15)."""

    first: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class SetStir:
    """Standing order: whether to leave Buff alone at the end of your turn (ORD-16)."""

    how: str


@dataclass(frozen=True, slots=True)
class SetRaid:
    """Standing order: bribe, hire or fight Buff when he attacks (ORD-17). The other fields are those of `SetDefence`."""

    place: int
    how: str
    number: int = 0
    most: int = ordered.MOST_CARDS
    spare: Cards = ()
    ambush: str = ordered.IF_NEEDED


# -- their answers --------------------------------------------------------------------------------------------------


class BetOrders(OrderType):
    """``stakes`` returns the cards that a seat may bet, ``value`` the strength of a card."""

    command = SetBet

    def __init__(
        self, stakes: Callable[[BattaliaState, Seat], Cards], value: Callable[[BattaliaState, str], int]
    ) -> None:
        self._stakes, self._value = stakes, value

    def options(self, state: BattaliaState) -> Iterator[Option]:  # noqa: ARG002
        spare, number = SubsetOf("spare", KINDS, 0, len(KINDS)), Integer("number", 0, HIGHEST)
        yield from (Option(self.type, {"how": how}, (PLACE,)) for how in (ASK, NOTHING))
        yield Option(self.type, {"how": ALL}, (PLACE, spare))
        yield from (Option(self.type, {"how": how}, (PLACE, number, spare)) for how in (EXACTLY, AT_MOST))

    def lapses(self, order: SetBet) -> bool:
        return order.how == ASK

    def answers(self, state: BattaliaState, seat: Seat, order: SetBet) -> Iterator[cmd.PlaceBet]:
        cards = [card for card in self._stakes(state, seat) if CARDS[card].kind not in order.spare]
        if order.how == NOTHING:
            yield cmd.PlaceBet(())
        elif order.how == ALL:
            yield cmd.PlaceBet(tuple(cards))
        else:
            sums = self._sums(state, sorted(cards, key=worth), order.number)
            best = order.number if order.how == EXACTLY else max(sums)
            if best in sums:
                yield cmd.PlaceBet(sums[best])

    def _sums(self, state: BattaliaState, cards: Sequence[str], most: int) -> dict[int, Cards]:
        """All sums up to ``most`` that the cards can form, each with the fewest cards."""
        found: dict[int, Cards] = {0: ()}
        for card in cards:
            for total, some in list(found.items()):
                more = total + self._value(state, card)
                if more <= most and (more not in found or len(found[more]) > len(some) + 1):
                    found[more] = (*some, card)
        return found


class StirOrders(OrderType):
    command = SetStir

    def options(self, state: BattaliaState) -> Iterator[Option]:  # noqa: ARG002
        yield Option(self.type, {}, (OneOf("how", (ASK, LEAVE)),))

    def lapses(self, order: SetStir) -> bool:
        return order.how == ASK

    def answers(self, state: BattaliaState, seat: Seat, order: SetStir) -> Iterator[cmd.LeaveBuff]:  # noqa: ARG002
        yield cmd.LeaveBuff()


class RaidOrders(OrderType):
    """``paid`` returns the Options that pay Buff, for a type of command."""

    command = SetRaid

    def __init__(self, paid: Callable[[BattaliaState, Seat, str], Iterable[Option]]) -> None:
        self._paid = paid

    def options(self, state: BattaliaState) -> Iterator[Option]:  # noqa: ARG002
        spared = Integer("most", 0, ordered.MOST_CARDS), SubsetOf("spare", KINDS, 0, len(KINDS))
        yield from (Option(self.type, {"how": how}, (PLACE, *spared)) for how in (BRIBE, HIRE))
        yield from ordered.options(self.type)

    def lapses(self, order: SetRaid) -> bool:
        return order.how == ASK

    def answers(
        self, state: BattaliaState, seat: Seat, order: SetRaid
    ) -> Iterator[cmd.BribeBuff | cmd.HireBuff | cmd.FightBuff]:
        if order.how == BRIBE:
            yield from map(cmd.BribeBuff, _cheapest(self._paid(state, seat, "bribe_buff"), order))
        elif order.how == HIRE:
            yield from map(cmd.HireBuff, _cheapest(self._paid(state, seat, "hire_buff"), order))
        else:
            about, horde = state.asking[-1].about, memory.of(state)["horde"]

            def worth_of(cards: Sequence[str]) -> int:
                return strength.side(
                    state, seat, "stand", NOBODY, about["square"], (about["hero"],), cards, ()
                ).strength

            laid = ordered.line(state, seat, order, worth_of, lambda: horde)
            if laid is not None:
                yield cmd.FightBuff(**laid)


def _cheapest(options: Iterable[Option], order: SetRaid) -> list[Cards]:
    """The cheapest line of each Option without spared cards, cheapest first."""
    found = [line for option in options if (line := _line(option, order)) is not None and len(line) <= order.most]
    return sorted(found, key=lambda line: (sum(worth(card)[0] for card in line), len(line), line))


def _line(option: Option, order: SetRaid) -> Cards | None:
    line = [*option.fixed.get("cards", ())]
    for part in option.open:
        assert isinstance(part, SubsetOf)
        usable = sorted((str(card) for card in part.choices if CARDS[str(card)].kind not in order.spare), key=worth)
        line += usable[: part.min]
        if len(usable) < part.min:
            return None
    return None if any(CARDS[card].kind in order.spare for card in line) else tuple(line)
