"""The log of a game by the calendar, as somebody reads it who does not trust the server."""

from __future__ import annotations

from domain.game import Setup
from domain.registry import GAMES
from domain.terms import SYSTEM
from service.audit.auditor import audit
from service.cli.simulating.selfplay import SelfPlay
from service.pace.calendar import HOUR, Calendar
from service.projections.history.export import export_lines
from service.store.memory.store import MemoryStore
from service.store.seal import Signer
from tests.workers.almanac import MODULES, SEED, SOFIA, Almanac, instant

START = instant("2026-03-20 10:00", "Europe/Sofia")
PLAN = Calendar.of(SOFIA, START)


def test_an_auditor_finds_every_due_instant_of_a_finished_game_right(monkeypatch):
    almanac = Almanac(monkeypatch, MemoryStore(), START)
    game = almanac.begin("ada", "bot:greedy", "bob", "bot:random", modules=MODULES, max_weeks=1)
    almanac.until(PLAN.end(3))
    almanac.sleep(PLAN.end(5) + HOUR)
    almanac.until(PLAN.end(7))
    signer = Signer(bytes(32))
    data = b"".join(export_lines(almanac.store, almanac.store.lobbies.get(game), signer))

    report = audit(data, games=GAMES, keys=[signer.public.hex()])
    assert () == report.divergences
    assert "ok" == report.statuses["AUD-12"]
    assert report.authenticated


def test_a_day_turned_before_its_instant_is_found_by_the_auditor():
    game = SelfPlay(GAMES["battalia"], Setup(2, "", {"max_weeks": 1}), ["bot:random"] * 2, SEED, pace=SOFIA)
    while game.step().seq < 40 and game.position.asked[0].question.seat != SYSTEM:
        pass
    (question,) = game.position.asked
    early = game.say(SYSTEM, {"type": "expire", "question": question.id})
    game.run()

    assert early.at < question.due
    (found,) = audit(game.export(), games=GAMES).divergences
    assert ("AUD-12", early.seq) == (found.check, found.seq)
