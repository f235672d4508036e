"""Dry runs predict nothing: their dice are random, fair, and independent of the game's seed."""

from __future__ import annotations

import hashlib
import itertools
import secrets
from collections import Counter
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA
from domain.kernel.options import command_of, first
from domain.kernel.record import Chance, Position, Submission
from domain.kernel.shape import build
from domain.kernel.terms import Seat
from domain.table.settle import settle
from service.core.history.lines import narrate_commit
from service.core.history.narration import Narrator
from service.core.http.access import dry_run
from tests.battalia import keeping, raiding
from tests.battalia.random_play import begun, steps
from tests.battalia.table import hand, lay, stand, table
from tests.fronela.whole import Table
from tests.story import Story

TRIES = 200
FACES = ("rolls", "roll", "faces", "face", "dice", "attack_rolls", "defence_rolls")
MODULES = ((), ("keeper", "rammoth"), ("unbound_buff",), ("armamentum", "keeper", "rammoth", "unbound_buff"))


@dataclass(frozen=True)
class Case:
    """A command that rolls dice or draws cards, with its position."""

    game: Any
    position: Position
    seat: Seat
    command: dict[str, Any]


def arranged(state, seat, type_, **params):
    position = begun(2, 1)[1]
    asked = tuple(replace(position.asked[0], question=question) for question in BATTALIA.rules.awaiting(state))
    return Case(BATTALIA, replace(position, state=state, asked=asked), Seat(seat), {"type": type_, **params})


def by_hand():
    """Rare rolls of Battalia, from arranged positions."""
    holding = hand(table(), 1, "amulet", "scroll")
    cards = list(holding.players[1].hand)
    yield arranged(holding, 1, "use_amulet", cards=cards[:1])
    yield arranged(table(), 1, "mulligan")
    cohort = hand(table(), 1, *["frimen-barfolk"] * 4)
    yield arranged(cohort, 1, "show_cohort", cards=list(cohort.players[1].hand))
    arena = keeping.arena("lord", "amulet")
    lord, amulet = arena.players[1].hand
    yield arranged(arena, 1, "challenge_keeper", hero="hero-1-1", units=[lord], support=[amulet])
    met = raiding.met("frimen", "amulet").state
    frimen, amulet = (next(c for c in met.players[1].hand if c.startswith(kind)) for kind in ("frimen", "amulet"))
    yield arranged(met, 1, "fight_buff", units=[frimen], support=[amulet])
    fought = keeping.field()
    fought = hand(hand(fought, 1, "lord", "supply"), 2, "frimen", "amulet")
    attack = next(
        o for o in BATTALIA.rules.legal(fought, Seat(1)) if o.type == "step" and any(p.name == "units" for p in o.open)
    )
    lord = next(card for card in fought.players[1].hand if card.startswith("lord"))
    said = {**command_of(attack, first), "units": [lord], "support": []}
    answering = Story(BATTALIA, fought).when(1, build(BATTALIA.rules.commands, said)).state
    frimen, amulet = answering.players[2].hand
    yield arranged(answering, 2, "defend", units=[frimen], support=[amulet])
    near = stand(lay(table(), "G2", "road-straight-emberians", "NS"), "hero-1-1", "G2", winged=True)
    near = hand(near, 1, "lord", "amulet")
    lord, amulet = near.players[1].hand
    option = next(
        o for o in BATTALIA.rules.legal(near, Seat(1)) if o.type == "step" and any(p.name == "units" for p in o.open)
    )
    step = {**option.fixed, "against": option.open[0].choices[0], "units": [lord], "support": [amulet]}
    yield arranged(near, 1, "step", **step)


def played():
    """Play random games; return the first command of each type that rolled or drew."""
    for seed, modules in enumerate(MODULES):
        before = None
        for after, commit in steps(2, seed + 10, cap=260, modules=modules):
            if before is not None and commit.submission.seat and after.drawn > before.drawn:
                yield Case(BATTALIA, before, commit.submission.seat, dict(commit.submission.command))
            before = after
    game = Table(3)
    for _ in range(220):
        before = game.position
        commit = game.turn("random")
        if commit.submission.seat and game.position.drawn > before.drawn:
            yield Case(FRONELA, before, commit.submission.seat, dict(commit.submission.command))


@pytest.fixture(scope="module")
def cases():
    found = {}
    for case in itertools.chain(by_hand(), played()):
        found.setdefault((case.game.key, case.command["type"]), case)
    return found


def facts_of(case, seed):
    return SimpleNamespace(game=case.game, chance=Chance(bytes([seed]) * 32), id="g")


def tried(case, monkeypatch, *, seed=1, stream=b"a", times=TRIES):
    """Run this many dry runs, with throw-away keys that are equal in each call."""
    numbers = itertools.count()

    def token_bytes(size=32):
        return hashlib.sha256(stream + str(next(numbers)).encode()).digest()[:size]

    desk = SimpleNamespace(positions=SimpleNamespace(read_newest=lambda _: case.position))
    with monkeypatch.context() as patch:
        patch.setattr(secrets, "token_bytes", token_bytes)
        return [
            dry_run.run_command(desk, facts_of(case, seed), case.seat, case.command, None, Narrator(case.game, {}))[1]
            for _ in range(times)
        ]


def faces(value):
    """Yield every die in a response."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name in FACES:
                yield from _numbers(each)
            else:
                yield from faces(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from faces(each)


def _numbers(value):
    if type(value) is int:
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _numbers(each)


def first_of(told):
    return [next(faces(each.get("lines", [])), None) for each in told]


def is_fair(found):
    """Chi-square test with five degrees of freedom: fair dice exceed 30 once in 80,000 times. The keys are fixed."""
    counts = Counter(found)
    return (
        counts.keys() == set(range(1, 7))
        and sum((counts[n] - len(found) / 6) ** 2 for n in counts) * 6 / len(found) < 30
    )


def test_cases_cover_every_command_that_rolls_or_draws(cases):
    for type_ in (
        "end_turn",
        "mulligan",
        "show_cohort",
        "use_amulet",
        "step",
        "challenge_keeper",
        "fight_buff",
        "roll_for_buff",
    ):
        assert ("battalia", type_) in cases
    assert 2 <= sum(kind == "fronela" for kind, _ in cases), sorted(cases)


@pytest.mark.soak
def test_dry_runs_roll_fair_dice(cases, monkeypatch):
    rolling = set()
    for name, case in cases.items():
        told = tried(case, monkeypatch)
        assert all(each["accepted"] for each in told), (name, told[0])
        outcomes = {orjson.dumps(each["lines"], option=orjson.OPT_NON_STR_KEYS) for each in told}
        found = [face for face in first_of(told) if face is not None]
        if len(found) == TRIES:
            rolling.add(name[1])
            assert is_fair(found), (name, Counter(found))
        else:  # cards or lots: hardly ever twice the same if there is a choice
            assert len(outcomes) > 1, name
    assert {"use_amulet", "challenge_keeper", "fight_buff", "step", "defend", "roll_for_buff"} <= rolling


def test_dry_run_results_do_not_depend_on_the_game_seed(cases, monkeypatch):
    for name, case in cases.items():
        told = tried(case, monkeypatch, seed=1, times=20)
        assert told == tried(case, monkeypatch, seed=2, times=20), name
        assert told != tried(case, monkeypatch, stream=b"b", times=20), name


@pytest.mark.soak
def test_dry_run_dice_match_the_real_roll_only_by_chance(cases, monkeypatch):
    met, of = 0, 0
    for case in cases.values():
        supposed = first_of(tried(case, monkeypatch, times=100))
        for seed in range(1, 7):
            chance = Chance(bytes([seed]) * 32)
            submission = Submission("1", case.seat, case.command, case.position.at)
            commit, _ = settle(case.game, case.position, submission, case.position.at, chance)
            told = {"lines": narrate_commit(case.game, commit, case.seat, Narrator(case.game, {}))}
            real = next(faces(told["lines"]), None)
            if real is not None and None not in supposed:
                met, of = met + supposed.count(real), of + len(supposed)
    assert of > 4_000
    assert 0.14 < met / of < 0.195


def test_fairness_check_detects_real_dice_in_dry_runs(cases, monkeypatch):
    case = cases["battalia", "use_amulet"]
    monkeypatch.setattr(dry_run, "Chance", lambda *_: Chance(b"\1" * 32))

    assert not is_fair(first_of(tried(case, monkeypatch)))
