"""The service is killed and restarted on the same port and data: open pages continue."""

from __future__ import annotations

import os
import random
import signal

import pytest

from tests.driver import Player, Remote
from tests.web.browsing import until, visitor
from tests.web.live.conftest import asked
from tests.web.table.clicking import Clicker
from tests.workers.test_serve import Instance

LATE = "document.querySelector('.heading')?.classList.contains('late')"
SEQ = "document.querySelector('ow-desk').game.seq"


@pytest.fixture
def mortal(tmp_path):
    """A service for this test only, because it is killed."""
    one = Instance(tmp_path / "one", ORACLEWHEEL_RATE_REQUESTS="0", ORACLEWHEEL_RATE_REGISTRATIONS="0")
    yield one.start()
    one.stop()


def kill(one):
    """Kill all its processes at once, so that none can clean up after another."""
    children = one.children()
    for pid in (one.process.pid, *children):
        os.kill(pid, signal.SIGKILL)
    one.process.wait()
    one.out.close()


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_open_page_continues_after_the_service_was_killed(mortal, browser):
    site = Remote(mortal.url)
    ada, bo = Player.register(site, "Ada"), Player.register(site, "Bo")
    game = ada.make_game("nim", 2, options={"heaps": 8}, visibility="public")["id"]
    bo.join(game)
    ada.start(game)
    visiting = visitor(browser.new_context(viewport={"width": 1280, "height": 900}), mortal.url)
    visiting.cut = True
    visiting.expected |= {502, 503}
    visiting.sign_in(ada)
    page = visiting.open(f"/games/{game}")
    page.locator("ow-desk").wait_for()
    page.locator("#tab-history").wait_for()
    until(page, "document.querySelector('ow-desk').game.live", seconds=60)
    before = page.evaluate(SEQ)

    kill(mortal)
    until(page, LATE, seconds=120)
    site.close()
    mortal.start()
    site = Remote(mortal.url)
    ada, bo = (Player(site, each.token, each.id, each.name) for each in (ada, bo))

    until(page, f"!({LATE})", seconds=180)
    if 2 in asked(bo, game):
        bo.send(game, {"type": "take", "heap": 1, "objects": 1}, want=200)
        until(page, f"(before) => {SEQ} > before", before, seconds=120)
    until(page, "document.querySelector('ow-desk').game.asked.length > 0", seconds=120)
    seen = page.evaluate(SEQ)
    Clicker(page, random.Random(5)).turn()
    until(page, f"(seen) => {SEQ} > seen", seen, seconds=120)
    told = sorted((entry["seq"] for entry in ada.events(game)), reverse=True)
    until(
        page, "(newest) => Number(document.querySelector('ow-history li')?.dataset.seq) >= newest", told[0], seconds=60
    )
    assert (
        page.evaluate("[...document.querySelectorAll('ow-history li')].map((row) => Number(row.dataset.seq))") == told
    )
    assert visiting.problems() == []
    visiting.context.close()
    site.close()
