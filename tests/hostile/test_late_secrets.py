"""Noninterference with the most secrets: pledged lines, open bets, tents, face-down cards, duels, all modules, orders."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import orjson
import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA
from domain.kernel.dice import Dice
from domain.kernel.options import as_json, command_of, first
from domain.kernel.shape import build
from domain.kernel.terms import Seat
from service.core.positions.rows import as_bytes
from tests.battalia import keeping, raiding
from tests.battalia.random_play import begun, steps
from tests.battalia.table import hand, table, tent
from tests.fronela.whole import Table
from tests.hostile.test_dry_runs import Case, tried
from tests.story import Story

ALL = ("armamentum", "keeper", "rammoth", "unbound_buff")
SEEDS = (12, 13)


def kinds_of(rules, state, seat):
    """Return the kinds of secrets in a state that the seat must not see."""
    if rules is FRONELA:
        return {"standing orders"} if any(state.tables.nations[n].seat != seat for n in state.orders) else set()
    others = [player for number, player in state.players.items() if number != seat]
    found = set()
    if state.battle and state.battle.line and state.battle.attacker != seat:
        found.add("pledged line")
    if any(player.tents for player in others):
        found.add("tents")
    if any(player.hidden for player in others):
        found.add("face-down cards")
    if set(ALL) <= set(state.modules):
        found.add("all modules")
    frame = state.asking[-1] if state.asking else None
    if frame and frame.kind == "bet" and state.npcs["unbound_buff"].get("bets"):
        found.add("open bets")
    if "keeper" in state.modules and any(
        option.type == "challenge_keeper" for option in BATTALIA.rules.legal(state, seat)
    ):
        found.add("Keeper's duel")
    return found


def by_hand():
    """Arranged positions, each with all its seats."""
    fought = hand(hand(keeping.field(), 1, "lord", "supply", "weapon"), 2, "frimen", "amulet")
    attack = next(
        o for o in BATTALIA.rules.legal(fought, Seat(1)) if o.type == "step" and any(p.name == "units" for p in o.open)
    )
    lord = next(card for card in fought.players[1].hand if card.startswith("lord"))
    said = {**command_of(attack, first), "units": [lord], "support": []}
    yield Story(BATTALIA, fought).when(1, build(BATTALIA.rules.commands, said)).state
    betting = raiding.betting(["lord", "frimen", "supply"], ["chief", "supply", "frimen"])
    yield raiding.bet(betting, betting.state.asking[-1].seats[0], 0, 1).state
    yield keeping.arena("lord", "amulet")
    yield tent(tent(table(), 1, "tent", "lord"), 2, "tent", "chief")


def positions():
    base = begun(2, 1)[1]
    for state in by_hand():
        asked = tuple(replace(base.asked[0], question=question) for question in BATTALIA.rules.awaiting(state))
        yield BATTALIA, replace(base, state=state, asked=asked)
    for seed in SEEDS:
        for position, _ in itertools.islice(steps(3, seed, cap=420, modules=ALL), 60, None, 9):
            if position.state.asking and not position.over:
                yield BATTALIA, position
    game = Table(5)
    for number in range(120):
        game.orders() if number % 4 == 0 else game.turn("random")
        if number % 12 == 0:
            yield FRONELA, game.position


def seen(rules, position, state, seat, monkeypatch):
    """Return everything a seat receives that depends on the state, as bytes."""
    options = list(rules.rules.legal(state, seat))
    told = [as_bytes(rules.knowledge.view(state)), as_bytes(rules.knowledge.private(state, seat))]
    told += [orjson.dumps(as_json(option)) for option in options]
    told.append(repr(rules.rules.awaiting(state)).encode())
    types = {option.type: option for option in options}
    for option in list(types.values())[:6]:
        case = Case(rules, replace(position, state=state), seat, command_of(option, first))
        told.append(repr(tried(case, monkeypatch, times=1)).encode())
    return told


def test_indistinguishable_late_positions_give_a_seat_the_same_bytes(monkeypatch):
    met, differed = Counter(), Counter()
    for rules, position in positions():
        seats = sorted(position.state.players) if rules is BATTALIA else range(1, 5)
        for seat in map(Seat, seats):
            kinds = kinds_of(rules, position.state, seat)
            if not kinds or min(met[kind] for kind in kinds) >= 12:
                continue
            other = rules.knowledge.imagine(position.state, seat, Dice(b"other%d" % seat))

            assert seen(rules, position, position.state, seat, monkeypatch) == seen(
                rules, position, other, seat, monkeypatch
            ), (seat, kinds)

            met.update(kinds)
            differed.update(kinds if other != position.state else ())
    wanted = {
        "pledged line",
        "open bets",
        "tents",
        "face-down cards",
        "Keeper's duel",
        "all modules",
        "standing orders",
    }
    assert wanted == met.keys(), met
    assert wanted == differed.keys(), differed


@pytest.mark.parametrize("secret", ["hand", "tents"])
def test_comparison_detects_a_secret_shown_in_the_view(monkeypatch, secret):
    state = next(itertools.islice(by_hand(), 3, None))
    shown = type(BATTALIA.knowledge).view
    monkeypatch.setattr(
        type(BATTALIA.knowledge),
        "view",
        lambda _, state: {**shown(state), "x": repr(getattr(state.players[2], secret))},
    )
    other = BATTALIA.knowledge.imagine(state, Seat(1), Dice(b"other"))
    position = replace(begun(2, 1)[1], state=state)

    assert seen(BATTALIA, position, state, Seat(1), monkeypatch) != seen(
        BATTALIA, position, other, Seat(1), monkeypatch
    )
