"""What every event makes of the state: it never refuses, rolls or asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, assert_never

from domain.battalia import events as ev
from domain.battalia.cards import RUINS
from domain.battalia.evolve import battle, zones
from domain.battalia.evolve.changes import acted, ask, spent, with_card, with_city, with_hero, with_player, without
from domain.battalia.modules.questions import DAY, TURN
from domain.battalia.modules.registry import owner_of, playing
from domain.battalia.rulesets import RULESETS
from domain.battalia.rulesets.readings import STOPS
from domain.battalia.state import NOBODY, City, Hero, Player, State, Tile, Turn, changed
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
        after = changed(state, npcs={**state.npcs, npc.key: memory})
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
    return changed(state, asking=tuple(frames))


def _core(state: State, event: ev.Later) -> State:
    match event:
        case ev.CardsDrawn(seat, cards):
            return with_player(state, seat, lambda p: changed(p, hand=p.hand + cards, deck=p.deck[len(cards) :]))
        case ev.HeroStepped(seat, hero, _, to, paid, steps):
            return with_hero(acted(state, seat, paid), hero, square=to, steps=steps)
        case ev.CardTaken(seat, pile, card, paid):
            state = changed(acted(state, seat, paid), piles=without(state.piles, pile, card))
            return with_player(state, seat, lambda p: changed(p, discard=(*p.discard, card)))
        case ev.RoadBuilt(seat, card, square, exits, paid):
            return with_card(acted(state, seat, paid), square, card, exits)
        case ev.CityFounded(seat, card, square, exits, level, paid):
            return with_city(with_card(acted(state, seat, paid), square, card, exits), square, seat, level)
        case ev.CityUpgraded(seat, square, level, paid) | ev.CityRebuilt(seat, square, level, paid):
            return with_city(acted(state, seat, paid), square, seat, level)
        case ev.CardsDiscarded(seat, cards) | ev.HandMulliganed(seat, cards):
            state = with_player(state, seat, lambda p: zones.discarded(p, cards))
            return acted(state, seat, ()) if isinstance(event, ev.HandMulliganed) else spent(state, seat, cards)
        case ev.DeckShuffled(seat, order):
            return with_player(state, seat, lambda p: changed(p, deck=order, discard=()))
        case ev.CohortShown(seat, _):
            return acted(state, seat, ())
        case ev.LinePaid(seat, cards):
            if seat == state.turn.seat:
                return acted(state, seat, cards)
            return spent(with_player(state, seat, lambda p: zones.discarded(p, cards)), seat, cards)
        case ev.StepPaid(seat, hero, _, paid):
            stops = RULESETS[state.ruleset].reads("after_meeting") == STOPS  # BUF-09
            return with_hero(acted(state, seat, paid), hero, steps=0, **({"fought": True} if stops else {}))
        case ev.CardsLaid(seat, cards):
            return with_player(state, seat, lambda p: zones.played(p, cards))
        case ev.QuestionAnswered() | ev.FigureFought():
            return state
        case ev.MomentCame():
            return changed(state, agenda=state.agenda[1:])
        case ev.MomentsAdded(agenda):
            return changed(state, agenda=agenda + state.agenda)
        case ev.TurnBegan() | ev.TurnEnded() | ev.DayAnnounced() | ev.DayEnded() | ev.QuestionAsked() | ev.EndReached():
            return _time(state, event)
        case ev.FactionChosen() | ev.StartPlaced() | ev.SeatOut():
            return _seating(state, event)
        case (
            ev.AmuletRolled()
            | ev.WishGranted()
            | ev.CardsKept()
            | ev.CardHidden()
            | ev.WingsSpread()
            | ev.HornSounded()
            | ev.HandReached()
            | ev.HeroJoined()
            | ev.HeroLeft()
            | ev.HeroReturned()
            | ev.HeroFled()
        ):
            return battle.artefact(state, event)
        case _:
            return battle.battle(state, event)


def _time(
    state: State,
    event: ev.TurnBegan | ev.TurnEnded | ev.DayAnnounced | ev.DayEnded | ev.QuestionAsked | ev.EndReached,
) -> State:
    match event:
        case ev.TurnBegan(seat):
            heroes = {
                name: changed(hero, steps=0, fought=False, winged=False) if hero.seat == seat else hero
                for name, hero in state.heroes.items()
            }
            players = {other: changed(p, spent=False) if p.spent else p for other, p in state.players.items()}
            state = changed(state, turn=Turn(seat), heroes=heroes, players=players)
            return ask(state, TURN, (seat,), "TURN-03", {}, "")
        case ev.TurnEnded(seat, _, agenda):
            state = changed(state, agenda=agenda + state.agenda)
            return with_player(state, seat, lambda p: changed(p, tokens=()) if p.tokens else p)
        case ev.DayAnnounced(_, _, _, _, agenda):
            asking = tuple(frame for frame in state.asking if frame.kind != DAY)
            return changed(state, day=state.day + 1, agenda=agenda, asking=asking)
        case ev.DayEnded():
            return ask(changed(state, turn=Turn()), DAY, (SYSTEM,), "DAY-02", {}, "")
        case ev.QuestionAsked(kind, seats, clause, about, npc):
            return ask(state, kind, seats, clause, about, npc)
        case ev.EndReached(reason, clause):
            return changed(state, ending=reason, clause=clause, asking=(), agenda=(), battle=None)
        case _:
            assert_never(event)


def _seating(state: State, event: ev.FactionChosen | ev.StartPlaced | ev.SeatOut) -> State:
    match event:
        case ev.FactionChosen(seat, faction):
            return with_player(state, seat, lambda p: changed(p, faction=faction))
        case ev.StartPlaced(seat, square, card, exits, level, heroes):
            state = with_city(with_card(state, square, card, exits), square, seat, level)
            figures = {name: Hero(name, seat, square) for name in heroes}
            return with_player(
                changed(state, heroes={**state.heroes, **figures}), seat, lambda p: changed(p, home=square)
            )
        case ev.SeatOut(seat):
            return _out(state, seat)
        case _:
            assert_never(event)


def _out(state: State, seat: Seat) -> State:
    p = state.players[seat]
    tents = tuple(card for tent in p.tents for card in (tent.tent, *tent.kept))
    cards = p.hand + p.deck + p.discard + p.played + p.hidden + tents
    gone = tuple(card for card in cards if "~" not in card)
    cities = {n: replace(c, owner=NOBODY) if c.owner == seat else c for n, c in state.cities.items()}
    empty = Player(seat, faction=p.faction, home=p.home, out=True)
    return changed(
        state,
        players={**state.players, seat: empty},
        gone=state.gone + gone,
        cities=cities,
        # A figure that was only in the player's service is for its module to free.
        heroes={name: hero for name, hero in state.heroes.items() if hero.seat != seat or not hero.returns},
        order=tuple(other for other in state.order if other != seat),
    )
