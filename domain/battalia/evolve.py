"""What every event makes of the state: it never refuses, rolls or asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, assert_never

from domain.battalia import events as ev
from domain.battalia import zones
from domain.battalia.cards import CARDS, RUINS
from domain.battalia.npc import owner_of, playing
from domain.battalia.state import NOBODY, Battle, City, Frame, Hero, Player, State, Tent, Tile, Turn
from domain.terms import SYSTEM, Seat

_CORE = frozenset(ev.EVENTS.values())


def evolve(state: State | None, event: Any) -> State:
    """The state after the event, one of the core's or of a module's."""
    if state is None:
        assert isinstance(event, ev.BattaliaBegun)
        return _begun(event)
    npc = None if type(event) in _CORE else owner_of(state.modules, event)
    if npc is None:
        after = _core(state, event)
    else:
        memory = npc.evolve(state.npcs[npc.key], event)
        after = replace(state, npcs={**state.npcs, npc.key: memory})
    answers = getattr(event, "answers", 0)
    return _answered(after, answers, event.seat) if answers else after


def _begun(event: ev.BattaliaBegun) -> State:
    players = {
        seat: Player(seat, hand=deck[: event.hand], deck=deck[event.hand :]) for seat, deck in event.decks.items()
    }
    board = {event.centre: Tile(RUINS, "NESW")} | {name: Tile(card, "NESW") for name, card in event.neutrals.items()}
    return State(
        ruleset=event.ruleset,
        options=event.options,
        modules=event.modules,
        factions=event.factions,
        columns=event.columns,
        rows=event.rows,
        starts=event.starts,
        centre=event.centre,
        order=event.order,
        markers=event.markers,
        players=players,
        piles=event.piles,
        great=event.great,
        gone=event.gone,
        board=board,
        cities={name: City(NOBODY, event.neutral_level) for name in event.neutrals},
        npcs={npc.key: npc.blank(event) for npc in playing(event.modules)},
    )


def _answered(state: State, serial: int, seat: Seat) -> State:
    frames = []
    for frame in state.asking:
        if frame.serial != serial:
            frames.append(frame)
        elif left := tuple(other for other in frame.seats if other != seat):
            frames.append(replace(frame, seats=left))
    return replace(state, asking=tuple(frames))


def _asked(state: State, kind: str, seats: tuple[Seat, ...], clause: str, about: Mapping[str, Any], npc: str) -> State:
    serial = state.serial + 1
    return replace(state, serial=serial, asking=(*state.asking, Frame(kind, serial, seats, clause, about, npc)))


def _with(state: State, seat: Seat, change: Callable[[Player], Player]) -> State:
    return replace(state, players={**state.players, seat: change(state.players[seat])})


def _acted(state: State, seat: Seat, paid: tuple[str, ...]) -> State:
    """The state after a line of the seat's turn was played."""
    turn = replace(state.turn, fresh=False) if state.turn.fresh else state.turn
    players = {**state.players, seat: zones.played(state.players[seat], paid)}
    return replace(state, turn=turn, players=players)


def _hero(state: State, name: str, **changes: Any) -> State:
    return replace(state, heroes={**state.heroes, name: replace(state.heroes[name], **changes)})


def _drawn_from(piles: Mapping[str, tuple[str, ...]], pile: str, card: str) -> Mapping[str, tuple[str, ...]]:
    return {**piles, pile: tuple(other for other in piles[pile] if other != card)}


def _laid(state: State, square: str, card: str, exits: str) -> State:
    piles = _drawn_from(state.piles, CARDS[card].pile, card)
    return replace(state, piles=piles, board={**state.board, square: Tile(card, exits)})


def _city(state: State, square: str, owner: Seat, level: int) -> State:
    return replace(state, cities={**state.cities, square: City(owner, level)})


def _tokens(state: State, seat: Seat, tokens: tuple[str, ...]) -> State:
    if not tokens:
        return state
    state = replace(state, tokens=state.tokens + len(tokens))
    return _with(state, seat, lambda p: replace(p, tokens=p.tokens + tokens))


def _core(state: State, event: ev.Event) -> State:
    match event:
        case ev.CardsDrawn(seat, cards):
            return _with(state, seat, lambda p: replace(p, hand=p.hand + cards, deck=p.deck[len(cards) :]))
        case ev.HeroStepped(seat, hero, _, to, paid, steps):
            return _hero(_acted(state, seat, paid), hero, square=to, steps=steps)
        case ev.CardTaken(seat, pile, card, paid):
            state = replace(_acted(state, seat, paid), piles=_drawn_from(state.piles, pile, card))
            return _with(state, seat, lambda p: replace(p, discard=(*p.discard, card)))
        case ev.RoadBuilt(seat, card, square, exits, paid):
            return _laid(_acted(state, seat, paid), square, card, exits)
        case ev.CityFounded(seat, card, square, exits, level, paid):
            return _city(_laid(_acted(state, seat, paid), square, card, exits), square, seat, level)
        case ev.CityUpgraded(seat, square, level, paid) | ev.CityRebuilt(seat, square, level, paid):
            return _city(_acted(state, seat, paid), square, seat, level)
        case ev.CardsDiscarded(seat, cards) | ev.HandMulliganed(seat, cards):
            state = _with(state, seat, lambda p: zones.discarded(p, cards))
            return _acted(state, seat, ()) if isinstance(event, ev.HandMulliganed) else _spent(state, seat, cards)
        case ev.DeckShuffled(seat, order):
            return _with(state, seat, lambda p: replace(p, deck=order, discard=()))
        case ev.CohortShown(seat, _):
            return _acted(state, seat, ())
        case ev.LinePaid(seat, cards):
            if seat == state.turn.seat:
                return _acted(state, seat, cards)
            return _spent(_with(state, seat, lambda p: zones.discarded(p, cards)), seat, cards)
        case ev.StepPaid(seat, hero, _, paid, steps):
            return _hero(_acted(state, seat, paid), hero, fought=True, steps=steps)
        case ev.QuestionAnswered():
            return state
        case ev.MomentCame():
            return replace(state, agenda=state.agenda[1:])
        case ev.TurnBegan() | ev.TurnEnded() | ev.DayAnnounced() | ev.DayEnded() | ev.QuestionAsked() | ev.EndReached():
            return _time(state, event)
        case ev.BattaliaBegun() | ev.FactionChosen() | ev.StartPlaced() | ev.SeatOut():
            return _seating(state, event)
        case (
            ev.AmuletRolled()
            | ev.WishGranted()
            | ev.CardsKept()
            | ev.CardHidden()
            | ev.WingsSpread()
            | ev.HornSounded()
            | ev.HandReached()
            | ev.HeroReturned()
            | ev.HeroFled()
        ):
            return _artefact(state, event)
        case _:
            return _battle(state, event)


def _spent(state: State, seat: Seat, cards: tuple[str, ...]) -> State:
    """TURN-06: remember who plays cards in another's turn."""
    if not cards or state.turn.seat in (SYSTEM, seat):
        return state
    return _with(state, seat, lambda p: replace(p, spent=True))


def _time(
    state: State,
    event: ev.TurnBegan | ev.TurnEnded | ev.DayAnnounced | ev.DayEnded | ev.QuestionAsked | ev.EndReached,
) -> State:
    match event:
        case ev.TurnBegan(seat):
            heroes = {
                name: replace(hero, steps=0, fought=False, winged=False) if hero.seat == seat else hero
                for name, hero in state.heroes.items()
            }
            players = {other: replace(p, spent=False) if p.spent else p for other, p in state.players.items()}
            state = replace(state, turn=Turn(seat), heroes=heroes, players=players)
            return _asked(state, "turn", (seat,), "TURN-03", {}, "")
        case ev.TurnEnded(seat, _, agenda):
            state = replace(state, agenda=agenda + state.agenda)
            return _with(state, seat, lambda p: replace(p, tokens=()) if p.tokens else p)
        case ev.DayAnnounced(_, _, _, _, agenda):
            asking = tuple(frame for frame in state.asking if frame.kind != "day")
            return replace(state, day=state.day + 1, agenda=agenda, asking=asking)
        case ev.DayEnded():
            return _asked(replace(state, turn=Turn()), "day", (SYSTEM,), "DAY-02", {}, "")
        case ev.QuestionAsked(kind, seats, clause, about, npc):
            return _asked(state, kind, seats, clause, about, npc)
        case ev.EndReached(reason, clause):
            return replace(state, ending=reason, clause=clause, asking=(), agenda=(), battle=None)
        case _:
            assert_never(event)


def _seating(state: State, event: ev.BattaliaBegun | ev.FactionChosen | ev.StartPlaced | ev.SeatOut) -> State:
    match event:
        case ev.FactionChosen(seat, faction):
            return _with(state, seat, lambda p: replace(p, faction=faction))
        case ev.StartPlaced(seat, square, card, exits, level, heroes):
            state = _city(_laid(state, square, card, exits), square, seat, level)
            figures = {name: Hero(name, seat, square) for name in heroes}
            return _with(replace(state, heroes={**state.heroes, **figures}), seat, lambda p: replace(p, home=square))
        case ev.SeatOut(seat):
            return _out(state, seat)
        case ev.BattaliaBegun():
            return _begun(event)
        case _:
            assert_never(event)


def _out(state: State, seat: Seat) -> State:
    p = state.players[seat]
    tents = tuple(card for tent in p.tents for card in (tent.tent, *tent.kept))
    cards = p.hand + p.deck + p.discard + p.played + p.hidden + tents
    gone = tuple(card for card in cards if "~" not in card)
    cities = {n: replace(c, owner=NOBODY) if c.owner == seat else c for n, c in state.cities.items()}
    empty = Player(seat, faction=p.faction, home=p.home, out=True)
    return replace(
        state,
        players={**state.players, seat: empty},
        gone=state.gone + gone,
        cities=cities,
        heroes={name: hero for name, hero in state.heroes.items() if hero.seat != seat},
        order=tuple(other for other in state.order if other != seat),
    )


def _artefact(
    state: State,
    event: ev.AmuletRolled
    | ev.WishGranted
    | ev.CardsKept
    | ev.CardHidden
    | ev.WingsSpread
    | ev.HornSounded
    | ev.HandReached
    | ev.HeroReturned
    | ev.HeroFled,
) -> State:
    match event:
        case ev.AmuletRolled(seat, paid, _, tokens):
            return _tokens(_acted(state, seat, paid), seat, tokens)
        case ev.HornSounded(seat, paid, tokens) | ev.HandReached(seat, paid, tokens):
            return _tokens(_acted(state, seat, paid), seat, tokens)
        case ev.WingsSpread(seat, hero, paid, tokens):
            return _hero(_tokens(_acted(state, seat, paid), seat, tokens), hero, winged=True)
        case ev.WishGranted(seat, token, _):
            return _tokens(state, seat, (token,))
        case ev.CardsKept(seat, tent, kept, brief):
            state = _acted(state, seat, ())
            return _with(state, seat, lambda p: _pitched(p, Tent(tent, kept, brief)))
        case ev.CardHidden(seat, card):
            state = _acted(state, seat, ())
            return _with(state, seat, lambda p: _hidden(p, card))
        case ev.HeroReturned(_, hero, square, _):
            return _hero(state, hero, square=square)
        case ev.HeroFled(_, hero, _, to, _):
            return _hero(state, hero, square=to)
        case _:
            assert_never(event)


def _pitched(player: Player, tent: Tent) -> Player:
    player, real = zones.laid(player, (tent.tent, *tent.kept))
    struck = tuple(card for card in real if card != tent.tent and card not in tent.kept)
    return replace(player, tents=(*player.tents, tent), played=player.played + struck)


def _hidden(player: Player, card: str) -> Player:
    player, _ = zones.laid(player, (card,))
    return replace(player, hidden=(*player.hidden, card))


def _battle(
    state: State,
    event: ev.BattleBegan
    | ev.LinePledged
    | ev.LineRevealed
    | ev.BattleFought
    | ev.HeroDisbanded
    | ev.HeroEntered
    | ev.CityTaken
    | ev.CityLevelled
    | ev.CityDestroyed
    | ev.RuinsBeaten
    | ev.SpoilsTaken,
) -> State:
    match event:
        case ev.BattleBegan(seat, hero, origin, square, defender, paid, steps):
            state = _hero(_acted(state, seat, paid), hero, fought=True, steps=steps)
            state = replace(state, battle=Battle(seat, defender, hero, origin, square))
            if defender == NOBODY:
                return state
            return _asked(state, "defend", (defender,), "BAT-01", {"square": square, "attacker": seat}, "")
        case ev.LinePledged(_, cards, ambush):
            assert state.battle is not None
            return replace(state, battle=replace(state.battle, line=cards, ambush=ambush))
        case ev.LineRevealed(seat, cards, ambush, _, _):
            state = _with(state, seat, lambda p: _revealed(p, cards, ambush))
            back = [card for card in ambush if CARDS[card].pile]
            great = tuple(card for card in ambush if not CARDS[card].pile)
            state = replace(state, piles=zones.beneath(state.piles, back), great=state.great + great)
            return _spent(state, seat, cards + ambush)
        case ev.BattleFought():
            return replace(state, battle=None)
        case ev.HeroDisbanded(_, hero, _, _):
            return _hero(state, hero, square="", steps=0)
        case ev.HeroEntered(_, hero, square):
            return _hero(state, hero, square=square)
        case ev.CityTaken(seat, square, level, _):
            return _city(state, square, seat, level)
        case ev.CityLevelled(square, level):
            return _city(state, square, state.cities[square].owner, level)
        case ev.CityDestroyed(square, card, _):
            board = {name: tile for name, tile in state.board.items() if name != square}
            cities = {name: city for name, city in state.cities.items() if name != square}
            return replace(state, board=board, cities=cities, piles=zones.beneath(state.piles, (card,)))
        case ev.RuinsBeaten():
            return replace(state, turn=replace(state.turn, ruins=True))
        case ev.SpoilsTaken(seat, card, _):
            great = tuple(other for other in state.great if other != card)
            state = replace(state, great=great)
            return _with(state, seat, lambda p: replace(p, discard=(*p.discard, card)))
        case _:
            assert_never(event)


def _revealed(player: Player, cards: tuple[str, ...], ambush: tuple[str, ...]) -> Player:
    player = zones.discarded(player, cards)
    if not ambush:
        return player
    return replace(player, hidden=tuple(card for card in player.hidden if card not in ambush))
