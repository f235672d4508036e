"""Audits of games with calendar pace by a client that does not trust the server."""

from __future__ import annotations

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.terms import SYSTEM
from domain.registry import GAMES
from service.audit.auditor import audit
from service.audit.export import export_lines
from service.core.pace.calendar import HOUR, Calendar
from service.core.pace.clock import clock_of
from service.store.seal import Signer
from tests.stores import new_store
from tests.workers.almanac import MODULES, SEED, SOFIA, Almanac, instant
from tools.simulation.selfplay import EPOCH, SelfPlay

START = instant("2026-03-20 10:00", "Europe/Sofia")
PLAN = Calendar.of(SOFIA, START)


def test_auditor_confirms_every_due_time_of_a_finished_game(monkeypatch):
    almanac = Almanac(monkeypatch, new_store(), START)
    game = almanac.begin("ada", "bot:greedy", "bob", "bot:random", modules=MODULES, max_weeks=1)
    almanac.until(PLAN.end(3))
    almanac.sleep(PLAN.end(5) + HOUR)
    almanac.until(PLAN.end(7))
    signer = Signer(bytes(32))
    data = b"".join(export_lines(almanac.store, almanac.store.lobbies.get(game), signer))

    report = audit(data, games=GAMES, keys=[signer.public.hex()])
    assert () == report.divergences
    assert "ok" == report.statuses["AUD-12"]
    assert report.is_authenticated


def test_auditor_finds_a_day_that_turned_too_early():
    game = SelfPlay(GAMES["battalia"], Setup(2, "", {"max_weeks": 1}), ["bot:random"] * 2, SEED, pace=SOFIA)
    while game.step().seq < 40 and game.position.asked[0].question.seat != SYSTEM:
        pass
    (question,) = game.position.asked
    early = game.say(SYSTEM, {"type": "expire", "question": question.id})
    game.run()

    assert early.at < question.due
    (found,) = audit(game.export(), games=GAMES).divergences
    assert ("AUD-12", early.seq) == (found.check, found.seq)


def test_auditor_counts_days_off_as_the_service_does(monkeypatch):
    pace = {**SOFIA, "weekends": ["saturday", "sunday"], "holidays": ["2026-03-25"]}
    plan = Calendar.of(pace, START)
    almanac = Almanac(monkeypatch, new_store(), START)
    game = almanac.begin("ada", "bot:greedy", "bob", pace=pace, max_weeks=1)
    almanac.until(plan.end(7))
    signer = Signer(bytes(32))
    data = b"".join(export_lines(almanac.store, almanac.store.lobbies.get(game), signer))

    assert plan.end(7) > Calendar.of(SOFIA, START).end(9)
    report = audit(data, games=GAMES, keys=[signer.public.hex()])
    assert () == report.divergences
    assert "ok" == report.statuses["AUD-12"]


@pytest.mark.parametrize("mode", ["calendar", "per_question"])
def test_auditor_finds_a_deadline_on_a_day_off(mode):
    days_off = {"zone": "Europe/Sofia", "weekends": ["saturday", "sunday"]}
    pace = {**(SOFIA if mode == "calendar" else {"mode": "per_question", "hours": 24}), **days_off}
    honest, forged = (
        SelfPlay(GAMES["battalia"], Setup(2, "", {"max_weeks": 1}), ["bot:random"] * 2, SEED, pace=pace)
        for _ in range(2)
    )
    honest.now = forged.now = instant("2026-01-02 10:00")
    forged._clock = clock_of({name: told for name, told in pace.items() if name != "weekends"}, EPOCH)
    honest.run()
    forged.run()

    assert () == audit(honest.export(), games=GAMES).divergences
    assert "AUD-12" in {each.check for each in audit(forged.export(), games=GAMES).divergences}


def test_auditor_ignores_due_times_per_question_in_a_zone_with_clock_changes():
    pace = {"mode": "per_question", "hours": 24, "zone": "Europe/Sofia", "weekends": ["saturday", "sunday"]}
    played = SelfPlay(GAMES["battalia"], Setup(2, "", {"max_weeks": 1}), ["bot:random"] * 2, SEED, pace=pace)
    played._clock = clock_of({**pace, "zone": "Europe/Paris"}, EPOCH)
    played.now = instant("2026-01-02 10:00")
    played.run()

    report = audit(played.export(), games=GAMES)
    assert [] == [each for each in report.divergences if each.check == "AUD-12"]
