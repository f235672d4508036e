"""Random undos in complete games, followed by an audit."""

from __future__ import annotations

import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA
from domain.games.nim.game import NIM
from domain.kernel.game.rules import Setup
from service.audit.auditor import audit
from tests.pennies import PENNIES
from tests.soaking import soak
from tests.table.undo.whole import Wavering

KNOWN = {game.key: game for game in (BATTALIA, FRONELA, NIM, PENNIES)}


def played(kind, seats, seed, modules=(), **told):
    game = KNOWN[kind]
    wavering = Wavering(game, game.rules.check(Setup(seats, "", {}, modules)), seed, **told)
    wavering.run()
    return wavering


def is_right(wavering):
    report = audit(wavering.play.export(), games=KNOWN)
    assert report.is_ok, report
    return report


@pytest.mark.parametrize("mode", ["consent", *soak("free")])
@pytest.mark.parametrize("kind", ["pennies", *soak("nim")])
def test_small_games_with_random_undos_pass_the_audit(kind, mode):
    undone = 0
    for seed in range(40):
        wavering = played(kind, 2, seed, undo=mode, one_in=3, until=60)
        is_right(wavering)
        undone += len(wavering.granted)

    assert undone > 20


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["consent", *soak("free")])
def test_battalia_with_all_modules_and_random_undos_passes_the_audit(mode):
    wavering = played("battalia", 4, 1, tuple(BATTALIA.rules.modules), undo=mode, bot="greedy", until=700)

    assert len(wavering.granted) > 10
    assert any(event.agreed for _, event in wavering.granted)
    assert any(not event.agreed for _, event in wavering.granted)
    assert wavering.refreshed
    is_right(wavering)


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["free", *soak("consent")])
def test_fronela_with_random_undos_passes_the_audit(mode):
    wavering = played("fronela", 4, 2, undo=mode, until=600)

    assert len(wavering.granted) > 10
    assert any(event.agreed for _, event in wavering.granted)
    assert any(not event.agreed for _, event in wavering.granted)
    is_right(wavering)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "pace"),
    [
        ("nim", {"mode": "per_question", "hours": 24}),
        ("pennies", {"mode": "per_question", "hours": 2}),
        ("battalia", {"mode": "calendar", "day": "PT24H", "at": "20:00", "zone": "Europe/Zurich"}),
    ],
    ids=["nim", "pennies", "battalia"],
)
def test_games_with_clocks_and_random_undos_pass_the_audit(kind, pace):
    undone = 0
    for seed in range(1 if kind == "battalia" else 12):
        wavering = played(kind, 2, seed, pace=pace, one_in=3)
        is_right(wavering)
        undone += len(wavering.granted)

    assert undone > 3
