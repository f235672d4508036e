"""Settings of the search bot for Battalia: candidate commands, position features and search depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from domain.games.battalia.bots import prospects
from domain.games.battalia.bots.greedy import errands, judged
from domain.games.battalia.cards import CARDS
from domain.games.battalia.module_api import registry
from domain.games.battalia.module_api.questions import TURN
from domain.games.battalia.rulebook import scoring
from domain.games.battalia.rulebook.map.figures import hostile
from domain.games.battalia.rulebook.turn.questions import legal
from domain.games.battalia.state import BattaliaState
from domain.kernel.game.bots import Scored
from domain.kernel.terms import Option, Seat, SubsetOf

_HOW = frozenset(("cards", "units", "support", "ambush"))
"""Parameters for payment and battle lines. Among commands that differ only in these, only the best is tried."""
_WHERE = frozenset(("square", "exits", "shape", "terrain"))
"""Parameters for the place and orientation of a card. Among commands that differ only in these, one is tried first."""
_RANKS = 20.0
"""Scale: the ranks of a strong deck."""


def policy(state: BattaliaState, seat: Seat) -> Sequence[Scored]:
    """Commands worth a trial, best first.

    In a turn, these are the greedy bot's ratings, with one command for each possible action. In defense, they are lines
    of all cards, of units only, or of none. The best of each kind comes first, then the best of each kind in another
    place, so that the search tries different actions early. If the greedy bot would choose a command of an `unweighed`
    type, only that command is tried.
    """
    frame = state.asking[-1]
    if frame.npc:
        return ()
    if frame.kind == TURN:
        options = legal(state, seat)
        scored = [*judged(state, seat, options)]
        alone = {name for module in registry.playing(state.modules) for name in module.unweighed}
        if first := [each for each in scored if each[0] >= 0 and each[1]["type"] in alone]:
            return first
        return _mixed(_apart(chain(scored, _besides(options), _errands(state, seat, options))))
    return _defences(legal(state, seat)[0]) if frame.kind == "defend" else ()


def _besides(options: Iterable[Option]) -> Iterator[Scored]:
    """Commands worth a trial that the greedy bot never uses: a new hand with one card fewer (TURN-01)."""
    return ((0.0, {"type": option.type}) for option in options if option.type == "mulligan")


def _errands(state: BattaliaState, seat: Seat, options: Sequence[Option]) -> Iterable[Scored]:
    """Steps to squares that modules want a hero on. The greedy bot goes only to the nearest target."""
    squares = {name for module in registry.playing(state.modules) for name in module.errands(state, seat)}
    return errands(state, seat, options, squares) if squares else ()


def _apart(scored: Iterable[Scored]) -> Sequence[Scored]:
    best: dict[Any, Scored] = {}
    for worth, command in scored:
        if worth >= 0:
            what = tuple((name, value) for name, value in command.items() if name not in _HOW)
            if what not in best or best[what][0] < worth:
                best[what] = worth, command
    return sorted(best.values(), key=lambda each: each[0], reverse=True)


def _mixed(scored: Sequence[Scored]) -> Sequence[Scored]:
    """Alternate: the best of each kind, then the best remaining one of each kind in another place, and so on."""
    seen: Counter[Any] = Counter()
    turns = []
    for each in scored:
        kind = tuple((name, value) for name, value in each[1].items() if name not in _HOW and name not in _WHERE)
        place = kind, each[1].get("square")
        turns.append((seen[kind] if not seen[place] else len(scored) + seen[place], each))
        seen[place] += 1
        seen[kind] += 1
    return [each for _, each in sorted(turns, key=lambda turn: turn[0])]


def _defences(option: Option) -> Sequence[Scored]:
    """BAT-01: a line of all cards, one of units only, and an empty one."""
    parts = [part for part in option.open if isinstance(part, SubsetOf)]
    lines: list[Scored] = []
    for worth, wanted in ((2.0, "all"), (1.0, "units"), (0.0, "")):
        taken = {part.name: list(part.choices) if wanted in ("all", part.name) else [] for part in parts}
        lines.append(
            (worth, {"type": option.type, **option.fixed, **taken, **({"tactics": []} if "tactics" in taken else {})})
        )
    return lines


def far_enough(start: BattaliaState, state: BattaliaState) -> bool:
    """Whether one day has passed: the same place in the turn order as at the start, or later."""
    days = state.day - start.day
    return days > 1 or (days == 1 and (state.turn.seat not in state.order or _place(state) >= _place(start)))


def _place(state: BattaliaState) -> int:
    return state.order.index(state.turn.seat) if state.turn.seat in state.order else 0


def features(state: BattaliaState, seat: Seat) -> Mapping[str, float]:
    """The seat compared with its best enemy, in each feature that decides games."""
    foes = [other for other in state.order if hostile(state, seat, other)]
    own, others = _standing(state, seat), [_standing(state, foe) for foe in foes]
    ahead = {name: mine - max((each[name] for each in others), default=0.0) for name, mine in own.items()}
    full = len(state.board) / (state.columns * state.rows)
    late = max(full, min(1.0, max([own["top"], *(each["top"] for each in others)])))
    among = "duel" if len(state.players) == 2 else "one"
    void = {name for module in registry.playing(state.modules) for name in module.void(state)}
    told = {among: 1.0, **ahead, "points_late": ahead["points"] * late**2}
    return {name: number for name, number in told.items() if name not in void}


def _standing(state: BattaliaState, seat: Seat) -> dict[str, float]:
    player = state.players[seat]
    cards = [CARDS[card] for card in (*player.hand, *player.deck, *player.discard, *player.played, *player.hidden)]
    heroes = [hero for hero in state.heroes.values() if hero.seat == seat]
    goal: int = state.options["victory_cities"]
    return {
        "points": scoring.points(state, seat) / 10,
        "top": scoring.top_cities(state, seat) / goal,
        "cities": sum(city.owner == seat for city in state.cities.values()) / 5,
        "ranks": sum([card.rank for card in cards]) / _RANKS,
        "strong": sum([card.rank for card in cards]) / max(1, len(cards)),
        "great": sum([card.group == "great" for card in cards]) / 2,
        "artefacts": sum([card.group == "artefact" for card in cards]) / 5,
        "near": prospects.nearness(state, seat),
        "hand": len(player.hand) / 5,
        "heroes": sum(bool(hero.square) for hero in heroes) / 2,
        **{
            name: number
            for module in registry.playing(state.modules)
            for name, number in module.features(state, seat).items()
        },
    }
