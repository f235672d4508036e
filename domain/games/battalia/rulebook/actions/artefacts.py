"""The use of artefacts, ordinary and great, outside of lines and battles (ART-03, ART-07, ART-08, ART-09)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from domain.games.battalia import commands as cmd
from domain.games.battalia import events as ev
from domain.games.battalia.cards import ARTEFACTS, CARDS, RANKS, SUPPLY, UNBOUND, is_token
from domain.games.battalia.module_api.decision import BattaliaDecision
from domain.games.battalia.module_api.orders import Preferred
from domain.games.battalia.module_api.questions import BattaliaQuestionKind
from domain.games.battalia.rulebook.actions import acquire
from domain.games.battalia.rulebook.map.figures import heroes_of, homes_of
from domain.games.battalia.rulebook.payment import lines, wheel
from domain.games.battalia.rulebook.payment.lines import Bag
from domain.games.battalia.rulebook.refusals import (
    CannotKeep,
    DoesNotPay,
    MoveEnded,
    NotAway,
    NotInHand,
    NotYourCity,
    NotYourHero,
    SlotsFull,
    UnknownChoice,
)
from domain.games.battalia.rulesets import RULESETS
from domain.games.battalia.state import BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.terms import OneOf, Option, Seat, SubsetOf

Cards = tuple[str, ...]


def _kinds(cards: Sequence[str]) -> list[str]:
    return [CARDS[card].kind for card in cards]


# -- amulet -----------------------------------------------------------------------------------------------------------


def rolls_of(state: BattaliaState, cards: Cards) -> int:
    """ART-03, ART-10: the number of rolls for a line of an amulet and its copies; 0 for any other line."""
    kinds = _kinds(cards)
    for base in ("amulet", "hammer"):
        if kinds.count(base) == 1 and all(kind in (base, "scroll", "book") for kind in kinds):
            scroll = wheel.times(state, "scroll")
            book = scroll if "scroll" in kinds else 1
            copies = kinds.count("scroll") * scroll + kinds.count("book") * book
            return (1 + copies) * wheel.times(state, "amulet")
    return 0


def use_amulet(decision: BattaliaDecision, seat: Seat, command: cmd.UseAmulet) -> None:
    """ART-03: roll amulets. Each six asks its owner to choose a card."""
    state, cards = decision.state, command.cards
    lines.check_held(state, seat, cards)
    count = rolls_of(state, cards)
    if not count:
        raise DoesNotPay("These cards are not a line for an amulet.", rule="ART-03", field="cards")
    base = next(CARDS[card] for card in cards if CARDS[card].kind in ("amulet", "hammer"))
    faction = base.faction or state.players[seat].faction
    rolls = tuple(decision.dice.roll() for _ in range(count))
    named = [decision.rules.amulet[roll - 1] for roll in rolls]
    sorts = [SUPPLY if name == SUPPLY else f"{name}-{faction}" for name in named if name != "any"]
    decision.happen(ev.AmuletRolled(seat, cards, rolls, tokens_of(state, sorts)))
    for _ in range(named.count("any")):
        decision.happen(ev.QuestionAsked("wish", (seat,), "ART-03", {}))


def tokens_of(state: BattaliaState, sorts: Sequence[str]) -> Cards:
    """New tokens of these sorts."""
    return tuple(f"{sort}~{state.tokens + place}" for place, sort in enumerate(sorts, 1))


def wishes(state: BattaliaState) -> tuple[str, ...]:
    """ART-03: every creation card except great artefacts."""
    factions = [f"{kind}-{faction}" for kind in (*RANKS, *ARTEFACTS) for faction in state.factions]
    unbound = [f"{UNBOUND}-{rank}" for rank in RANKS] if UNBOUND in state.piles else []
    return (SUPPLY, *factions, *unbound)


@dataclass(frozen=True, slots=True)
class SetWish:
    """Standing order: the card that an amulet with a six becomes (ORD-11)."""

    first: Cards


class WishQuestion(BattaliaQuestionKind):
    """ART-03: the card that an amulet with a six becomes."""

    commands = (cmd.Wish,)
    standing = Preferred(SetWish, 1, wishes, lambda _state, _seat, word: (cmd.Wish(word),))

    def legal(self, state: BattaliaState, seat: Seat) -> Iterator[Option]:  # noqa: ARG002
        yield Option("wish", {}, (OneOf("card", wishes(state)),))

    def default(self, state: BattaliaState, seat: Seat, dice: Dice) -> cmd.Wish:  # noqa: ARG002
        return cmd.Wish(f"lord-{state.players[seat].faction}")

    def answer(self, decision: BattaliaDecision, seat: Seat, command: cmd.Wish) -> None:
        state = decision.state
        if command.card not in wishes(state):
            raise UnknownChoice("There is no such card.", rule="ART-03", field="card")
        decision.happen(ev.WishGranted(seat, tokens_of(state, [command.card])[0], state.asking[-1].serial))


# -- tent and ambush --------------------------------------------------------------------------------------------------


def room(state: BattaliaState, tent: str) -> int:
    """ART-07, ART-10: the number of cards that a tent keeps; 0 for other cards."""
    kind = CARDS[tent].kind
    if kind == "pavilion":
        return RULESETS[state.ruleset].pavilion
    return wheel.times(state, "tent") if kind in ("tent", "hammer") else 0


def keepable(state: BattaliaState, seat: Seat, tent: str) -> Cards:
    """ART-07: hand cards except great artefacts."""
    return tuple(card for card in state.players[seat].hand if card != tent and CARDS[card].group != "great")


def pitch_tent(decision: BattaliaDecision, seat: Seat, command: cmd.PitchTent) -> None:
    """ART-07: pitch a tent."""
    state, tent = decision.state, command.tent
    lines.check_held(state, seat, (tent,), "tent")
    most = room(state, tent)
    if not most:
        raise CannotKeep("This card is not a tent.", field="tent")
    lines.check_held(state, seat, command.keep, "keep")
    wrong = [card for card in command.keep if card not in keepable(state, seat, tent)]
    if wrong or not 1 <= len(command.keep) <= most:
        raise CannotKeep(
            "A tent can only keep cards from your hand, and no great artefacts.", field="keep", most=most, cards=wrong
        )
    brief = is_token(tent) or CARDS[tent].kind == "hammer"
    decision.happen(ev.CardsKept(seat, tent, command.keep, brief))


def free_slots(state: BattaliaState, seat: Seat) -> bool:
    """ART-08: whether the player may hide another card."""
    rules = RULESETS[state.ruleset]
    everywhere = sum(len(player.hidden) for player in state.players.values())
    return len(state.players[seat].hidden) < rules.slots and everywhere < rules.slots_in_all


def hide_card(decision: BattaliaDecision, seat: Seat, command: cmd.HideCard) -> None:
    """ART-08: hide a card."""
    if command.card not in decision.state.players[seat].hand:
        raise NotInHand("You can only place a card from your hand face down.", rule="ART-08", field="card")
    if not free_slots(decision.state, seat):
        raise SlotsFull("There is no free slot.", field="card")
    decision.happen(ev.CardHidden(seat, command.card))


# -- great artefacts --------------------------------------------------------------------------------------------------


def _echo(state: BattaliaState, seat: Seat, cards: Cards, kind: str) -> Cards:
    """The tokens that the Book adds to a line: the same great artefact again, until the turn ends.

    Refuses a line that does not consist of the artefact, alone or with the Book.
    """
    lines.check_held(state, seat, cards)
    if sorted(_kinds(cards)) not in ([kind], sorted([kind, "book"])):
        raise DoesNotPay("You cannot use this line for that.", rule="ART-09", field="cards", needs=f"great-{kind}")
    return tokens_of(state, [f"great-{kind}"]) if len(cards) > 1 else ()


def _great_lines(held: Bag, kind: str) -> list[Cards]:
    alone = [(card,) for card in held.get(kind, ())]
    return [*alone, *((*line, book) for line in alone for book in held.get("book", ()))]


def sound_horn(decision: BattaliaDecision, seat: Seat, command: cmd.SoundHorn) -> None:
    """ART-09: play the Horn; a disbanded hero returns."""
    state = decision.state
    tokens = _echo(state, seat, command.cards, "horn")
    if command.hero not in _away(state, seat):
        raise NotAway("This hero is not disbanded.", field="hero")
    if command.square not in homes_of(state, seat):
        raise NotYourCity("A hero can only return in one of your cities.", rule="BAT-13", field="square")
    decision.happen(ev.HornSounded(seat, command.cards, tokens))
    decision.happen(ev.HeroReturned(seat, command.hero, command.square))


def _away(state: BattaliaState, seat: Seat) -> Cards:
    return tuple(hero.id for hero in heroes_of(state, seat) if not hero.square and hero.returns)


def _walkers(state: BattaliaState, seat: Seat) -> Cards:
    return tuple(hero.id for hero in heroes_of(state, seat) if hero.square and not hero.winged and not hero.fought)


def spread_wings(decision: BattaliaDecision, seat: Seat, command: cmd.SpreadWings) -> None:
    """ART-09: play the Wings; a hero moves free of charge this turn."""
    tokens = _echo(decision.state, seat, command.cards, "wings")
    hero = decision.state.heroes.get(command.hero)
    if hero is None or hero.seat != seat or not hero.square:
        raise NotYourHero("You have no such hero on the board.", rule="ART-09", field="hero")
    if command.hero not in _walkers(decision.state, seat):
        raise MoveEnded("This hero already has the wings, or cannot move further.", rule="ART-09", field="hero")
    decision.happen(ev.WingsSpread(seat, command.hero, command.cards, tokens))


def creation_piles(state: BattaliaState) -> tuple[str, ...]:
    """SET-09: non-empty piles of cards that can be in a deck."""
    return tuple(p for p in (*RANKS, SUPPLY, *ARTEFACTS, UNBOUND) if state.piles.get(p))


def reach_out(decision: BattaliaDecision, seat: Seat, command: cmd.ReachOut) -> None:
    """ART-09: play the Hand of Luut."""
    state = decision.state
    tokens = _echo(state, seat, command.cards, "hand")
    if command.pile not in (*RANKS, SUPPLY, *ARTEFACTS, UNBOUND):
        raise UnknownChoice("There is no such pile.", rule="SET-09", field="pile")
    card = acquire.topmost(state, command.pile, command.faction, matching=wheel.matching(state))
    decision.happen(ev.HandReached(seat, command.cards, tokens))
    decision.happen(ev.CardTaken(seat, command.pile, card, ()))


# -- options ----------------------------------------------------------------------------------------------------------


def artefact_options(state: BattaliaState, seat: Seat, held: Bag) -> Iterator[Option]:
    """Every use of every artefact in hand."""
    yield from _amulet_options(held)
    for tent in (card for kind in ("tent", "pavilion", "hammer") for card in held.get(kind, ())):
        keep = keepable(state, seat, tent)
        if keep:
            most = min(room(state, tent), len(keep))
            yield Option("pitch_tent", {"tent": tent}, (SubsetOf("keep", keep, 1, most),))
    hand = state.players[seat].hand
    if hand and free_slots(state, seat):
        yield Option("hide_card", {}, (OneOf("card", hand),))
    yield from _great_options(state, seat, held)


def _amulet_options(held: Bag) -> Iterator[Option]:
    amulets = (*held.get("amulet", ()), *held.get("hammer", ()))
    if not amulets:
        return
    copying = (*held.get("scroll", ()), *held.get("book", ()))
    if len(amulets) << len(copying) > held.listed:
        yield lines.option("use_amulet", {}, lines.wide((amulets, 1, 1), (copying, 0, len(copying))))
        return
    for amulet in amulets:
        for size in range(len(copying) + 1):
            for some in combinations(copying, size):
                yield Option("use_amulet", {"cards": [amulet, *some]})


def _great_options(state: BattaliaState, seat: Seat, held: Bag) -> Iterator[Option]:
    if "horn" in held and (away := _away(state, seat)) and (homes := homes_of(state, seat)):
        for line in _great_lines(held, "horn"):
            yield Option("sound_horn", {"cards": list(line)}, (OneOf("hero", away), OneOf("square", homes)))
    if "wings" in held and (walkers := _walkers(state, seat)):
        for line in _great_lines(held, "wings"):
            yield Option("spread_wings", {"cards": list(line)}, (OneOf("hero", walkers),))
    piles = creation_piles(state) if "hand" in held else ()
    for line in _great_lines(held, "hand") if piles else ():
        yield Option("reach_out", {"cards": list(line), "faction": ""}, (OneOf("pile", piles),))
        match = wheel.matching(state)
        if match in piles:
            factions = OneOf("faction", acquire.factions_in(state, match))
            yield Option("reach_out", {"cards": list(line), "pile": match}, (factions,))
