"""The greedy bot: rates every Option by its benefit and by how close it leads to a conquest, and takes the best."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from domain.games.battalia.bots import prospects
from domain.games.battalia.bots.prospects import FAR, Prospects
from domain.games.battalia.cards import CARDS
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.questions import TURN
from domain.games.battalia.rulebook.battle import strength
from domain.games.battalia.rulebook.turn.questions import legal
from domain.games.battalia.state import NOBODY, BattaliaState
from domain.kernel.dice import Dice
from domain.kernel.options import command_of, first, pick
from domain.kernel.terms import Integer, Option, Seat, SubsetOf

Command = Mapping[str, Any]
Scored = tuple[float, Command]

_NEVER: Scored = (-1.0, {})
_GREAT = ("crown", "sword", "shield", "hand", "hammer", "wings", "staff", "book", "horn", "pavilion")
"""Spoils in order of preference."""


def greedy(state: BattaliaState, seat: Seat, dice: Dice) -> Command:
    """The command as JSON with its ``type``. ``state`` is an imagined one, so no secret is used."""
    frame = state.asking[-1]
    options = legal(state, seat)
    if frame.npc:
        best = max((_advised(state, seat, option) for option in options), key=lambda scored: scored[0])
        return best[1] or pick(options, dice)
    answer = _ANSWERS.get(frame.kind)
    return pick(options, dice) if answer is None else answer(state, seat, options)


def _defence(_state: BattaliaState, _seat: Seat, options: Sequence[Option]) -> Command:
    """BAT-01: plays every fighting card, because cards spent in defense are drawn again (TURN-06)."""
    option = options[0]
    chosen = {
        part.name: [] if part.name == "tactics" else list(part.choices)
        for part in option.open
        if isinstance(part, SubsetOf)
    }
    return {"type": option.type, **option.fixed, **chosen}


def _spoils(state: BattaliaState, _seat: Seat, _options: Sequence[Option]) -> Command:
    return {"type": "take_spoils", "card": min(state.great, key=lambda card: _GREAT.index(CARDS[card].kind))}


def _wish(state: BattaliaState, seat: Seat, _options: Sequence[Option]) -> Command:
    return {"type": "wish", "card": f"lord-{state.players[seat].faction}"}


def _return(state: BattaliaState, seat: Seat, options: Sequence[Option]) -> Command:
    """BAT-13: returns to the city closest to a valuable target."""
    square = prospects.nearest(state, seat, _choices(options[0], "square"))
    return {"type": "return_hero", "square": square}


def _turn(state: BattaliaState, seat: Seat, options: Sequence[Option]) -> Command:
    return max(judged(state, seat, options), key=lambda scored: scored[0])[1]


def judged(state: BattaliaState, seat: Seat, options: Sequence[Option]) -> Iterator[Scored]:
    """The rated best command of each Option of a turn, ending the turn first.

    Options rated below 0 should not be taken.
    """
    ahead = prospects.prospects(state, seat)
    yield 0.0, {"type": "end_turn"}
    for option in options:
        judge = _JUDGES.get(option.type)
        yield _advised(state, seat, option) if judge is None else judge(state, seat, ahead, option)


def errands(state: BattaliaState, seat: Seat, options: Sequence[Option], squares: Collection[str]) -> Iterator[Scored]:
    """Rated steps that lead heroes closer to these squares, ignoring other targets; below 0 if an Option has none."""
    ahead = replace(prospects.prospects(state, seat), nearer=prospects.towards(state, seat, squares))
    for option in options:
        if option.type == "step" and all(part.name != "units" for part in option.open):
            yield _step(state, seat, ahead, option)


def _advised(state: BattaliaState, seat: Seat, option: Option) -> Scored:
    """The module's advice on one of its Options. Options without advice are never taken."""
    for module in registry.playing(state.modules):
        if option.type in module.commands:
            return module.advise(state, seat, option) or _NEVER
    return _NEVER


def _filled(option: Option, **chosen: Any) -> Command:
    return {**command_of(option, first), **chosen}


def _choices(option: Option, name: str) -> Sequence[Any]:
    """The possible values of the parameter, fixed or open; empty if the Option does not have it."""
    for part in option.open:
        if part.name == name and not isinstance(part, Integer):
            return part.choices
    return (option.fixed[name],) if name in option.fixed else ()


def _cheap(option: Option) -> float:
    """Penalty for paying with artefacts, which could be used in other lines."""
    cards = option.fixed.get("cards") or ()
    return 0.1 * sum(CARDS[card].group in ("great", "artefact") for card in cards)


# -- one rating function for each kind of command ---------------------------------------------------------------


def _plain(worth: float, _state: BattaliaState, _seat: Seat, _ahead: Prospects, option: Option) -> Scored:
    return worth - _cheap(option), _filled(option)


def _cohort(_state: BattaliaState, _seat: Seat, _ahead: Prospects, option: Option) -> Scored:
    filled = _filled(option)
    return 100.0 + len(filled["cards"]), filled


def _upgrade(state: BattaliaState, _seat: Seat, _ahead: Prospects, option: Option) -> Scored:
    square = max(_choices(option, "square"), key=lambda name: state.cities[name].level)
    return 60.0 + state.cities[square].level - _cheap(option), _filled(option, square=square)


def _found(state: BattaliaState, _seat: Seat, ahead: Prospects, option: Option) -> Scored:
    level = option.fixed["level"]
    square, exits, bonus = _best_site(state, ahead, option)
    return 45.0 + 6 * level + bonus / 10 - _cheap(option), _filled(option, square=square, exits=exits)


def _road(state: BattaliaState, _seat: Seat, ahead: Prospects, option: Option) -> Scored:
    square, exits, bonus = _best_site(state, ahead, option)
    return 24.0 + bonus - _cheap(option), _filled(option, square=square, exits=exits)


def _best_site(state: BattaliaState, ahead: Prospects, option: Option) -> tuple[str, str, float]:
    squares, ways = _choices(option, "square"), _choices(option, "exits")
    known: tuple[str, str, float] | None = ahead.sites.get((squares, ways))
    if known is None:
        sites = ((name, exits) for name in squares for exits in ways)
        worth, square, exits = max((prospects.site_worth(state, ahead, *site), *site) for site in sites)
        known = ahead.sites[squares, ways] = square, exits, worth
    return known


def _hire(_state: BattaliaState, _seat: Seat, ahead: Prospects, option: Option) -> Scored:
    wants = {unit: ahead.wants.get(unit.rpartition("-")[2], -FAR) for unit in _choices(option, "unit")}
    unit = max(wants, key=lambda name: wants[name])
    return 20.0 + wants[unit] - _cheap(option), _filled(option, unit=unit)


def _supply(_state: BattaliaState, _seat: Seat, ahead: Prospects, option: Option) -> Scored:
    if not ahead.short_of_supplies:
        return _NEVER
    cards = sorted(_choices(option, "cards"), key=lambda card: CARDS[card].rank)
    return 8.0, _filled(option, cards=cards[:1])


def _artefact(_state: BattaliaState, _seat: Seat, ahead: Prospects, option: Option) -> Scored:
    for artefact, worth in (("weapon", 17.0), ("title", 13.0), ("horse", 12.0), ("amulet", 11.0)):
        if artefact in _choices(option, "artefact"):
            factions = _choices(option, "faction")
            own = ahead.faction if ahead.faction in factions else factions[0]
            return worth + bool(own) - _cheap(option), _filled(option, artefact=artefact, faction=own)
    return _NEVER


def _reach(_state: BattaliaState, _seat: Seat, _ahead: Prospects, option: Option) -> Scored:
    piles = _choices(option, "pile")
    best = next((pile for pile in ("lord", "priest", "weapon") if pile in piles), piles[0])
    return 70.0, _filled(option, pile=best)


def _step(state: BattaliaState, seat: Seat, ahead: Prospects, option: Option) -> Scored:
    if any(part.name == "units" for part in option.open):
        return _attack(state, seat, ahead, option)
    hero = option.fixed["hero"]
    nearer = [to for to in _choices(option, "to") if to in ahead.nearer.get(hero, {})]
    if not nearer:
        return _NEVER
    to = min(nearer, key=lambda name: ahead.nearer[hero][name])
    free = option.fixed.get("cards") == []
    worth = 90.0 if free else 34.0 - 2 * ahead.nearer[hero][to]
    return worth - _cheap(option), _filled(option, to=to)


def _attack(state: BattaliaState, seat: Seat, ahead: Prospects, option: Option) -> Scored:
    square, hero = option.fixed["to"], option.fixed["hero"]
    against = _choices(option, "against")[0]
    prize = prospects.prize(state, square, against) + ahead.module_targets.get(square, 0.0)
    if prize <= 0:
        return _NEVER
    cards = sorted((*_choices(option, "units"), *_choices(option, "support")), key=_strongest)
    goal = prospects.defence_of(state, square, against)
    line: list[str] = []
    for card in cards:
        if CARDS[card].kind in ("amulet", "shield") or (against != NOBODY and CARDS[card].kind == "scroll"):
            continue
        line.append(card)
        reached = strength.side(state, seat, "attack", Seat(against), square, (hero,), line, ()).strength
        if reached > goal + (2 if against != NOBODY else 0):
            break
    else:
        if against == NOBODY or not line or reached <= goal - 1:
            return _NEVER
    units = [card for card in line if CARDS[card].rank]
    if not units:
        return _NEVER
    chosen = {"units": units, "support": [card for card in line if not CARDS[card].rank], "ambush": []}
    present = {part.name for part in option.open}
    filled = _filled(option, **{name: cards for name, cards in chosen.items() if name in present})
    return 50.0 + 6 * prize - _cheap(option), filled


def _strongest(card: str) -> tuple[bool, int]:
    """Sort key: units first, highest rank first."""
    return (not CARDS[card].rank, -CARDS[card].rank)


_JUDGES: Mapping[str, Callable[[BattaliaState, Seat, Prospects, Option], Scored]] = {
    "show_cohort": _cohort,
    "hire_unit": _hire,
    "take_supply": _supply,
    "take_artefact": _artefact,
    "build_road": _road,
    "found_city": _found,
    "upgrade_city": _upgrade,
    "rebuild_city": partial(_plain, 65.0),
    "step": _step,
    "use_amulet": partial(_plain, 80.0),
    "sound_horn": partial(_plain, 95.0),
    "reach_out": _reach,
}

_ANSWERS: Mapping[str, Callable[[BattaliaState, Seat, Sequence[Option]], Command]] = {
    TURN: _turn,
    "defend": _defence,
    "spoils": _spoils,
    "wish": _wish,
    "return": _return,
}
"""The answer to each kind of question; all others get a random one.

They are not defined with the kinds of question, because rating a turn needs the prospects of map and battles, which
depend on the rulebook.
"""
