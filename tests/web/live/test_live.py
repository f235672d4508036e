"""Events are neither lost nor doubled when the connection breaks, and turns are announced."""

from __future__ import annotations

import json

import pytest

from tests.web.browsing import until
from tests.web.live.conftest import asked, pass_turns

SHOWN = "[...document.querySelectorAll('ow-history li')].map((row) => Number(row.dataset.seq))"


def seqs(player, game):
    return sorted((entry["seq"] for entry in player.events(game)), reverse=True)


def shows_all(page, player, game):
    """The history equals the service's, each line once, newest first."""
    told = seqs(player, game)
    until(page, f"(newest) => ({SHOWN})[0] >= newest", told[0], seconds=40)
    assert page.evaluate(SHOWN) == told


@pytest.mark.soak
@pytest.mark.parametrize("after", [0, 1, 37, 700, 2500])
def test_stream_that_is_cut_anywhere_resumes_without_gaps(at_table, table, ada, bo, line, after):
    game = table()
    page = at_table(ada, game, through=line.url, cut=True)
    pass_turns(ada, bo, game, 2)
    line.cut_after(after) if after else line.cut()
    pass_turns(ada, bo, game, 8)
    line.cut()
    pass_turns(ada, bo, game, 2)

    shows_all(page, ada, game)


@pytest.mark.soak
def test_page_shows_that_it_is_offline_and_catches_up_when_online(at_table, table, ada, bo):
    game = table()
    page = at_table(ada, game, cut=True)
    page.context.set_offline(True)
    page.get_by_text("No connection to the service. This page may be out of date.").wait_for()
    pass_turns(ada, bo, game, 6)
    before = page.evaluate(SHOWN)
    page.context.set_offline(False)

    shows_all(page, ada, game)
    assert len(page.evaluate(SHOWN)) > len(before)
    page.get_by_text("No connection to the service").wait_for(state="hidden")


@pytest.mark.soak
def test_page_that_slept_on_a_dead_connection_catches_up(at_table, table, ada, bo, line, window):
    game = table()
    page = at_table(ada, game, through=line.url, cut=True)
    page.clock.install()
    page.reload()
    page.locator("ow-history li").first.wait_for()
    until(page, "document.querySelector('ow-side').game.live")
    line.silence()
    pass_turns(ada, bo, game, 4)
    assert page.evaluate(SHOWN)[0] < seqs(ada, game)[0]
    page.clock.fast_forward("03:00:00")

    shows_all(page, ada, game)


@pytest.mark.soak
def test_page_that_becomes_visible_reconnects_at_once(at_table, table, ada, bo, line):
    """Browsers may stop the timers of a hidden page, so it checks when it becomes visible."""
    game = table()
    page = at_table(ada, game, through=line.url, cut=True)
    until(page, "document.querySelector('ow-side').game.live")
    line.silence()
    page.evaluate("const now = Date.now; Date.now = () => now() + 30_000")
    pass_turns(ada, bo, game, 2)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    told = seqs(ada, game)
    until(page, f"(newest) => ({SHOWN})[0] >= newest", told[0], seconds=32)


def test_title_and_live_region_announce_the_players_turn(at_table, table, ada, bo):
    game = table()
    if 1 in asked(ada, game):
        ada.send(game, {"type": "end_turn"}, want=200)
    page = at_table(ada, game)
    until(page, "!document.title.includes('Your turn')")

    bo.send(game, {"type": "end_turn"}, want=200)

    until(page, "document.title.startsWith('● Your turn: ')")
    until(page, "/ends the turn.*It's your turn/s.test(document.getElementById('news').textContent)")
    assert page.locator("#news").get_attribute("aria-live") == "polite"

    ada.send(game, {"type": "end_turn"}, want=200)
    until(page, "!document.title.includes('Your turn')")


@pytest.mark.soak
def test_stale_move_shows_the_missed_events_in_sentences(at_table, table, ada, bo):
    game = table("nim")
    page = at_table(ada, game)
    page.visiting.expected.add(412)
    mover, other = (ada, bo) if 1 in asked(ada, game) else (bo, ada)
    old = mover.get(f"/v1/games/{game}/view").headers["ETag"]
    mover.send(game, {"type": "take", "heap": 1, "objects": 1}, want=200)
    other.send(game, {"type": "take", "heap": 2, "objects": 1}, want=200)

    told = page.evaluate(
        """async ([game, etag]) => {
            const { h } = await import("/app/parts/dom.js");
            const { post } = await import("/app/api/client.js");
            try {
                await post(`/v1/games/${game}/commands`, { type: "take", heap: 3, objects: 1 }, { ifMatch: etag, wait: 10 });
            } catch (problem) {
                document.querySelector("main").prepend(h("ow-problem", { ".problem": problem }));
                return document.querySelector("ow-problem").innerText;
            }
        }""",
        [game, old],
    )

    assert "The game has changed since the version in If-Match." in told
    assert "takes one from heap 2" in told or "heap 2" in told


@pytest.mark.soak
def test_diverged_log_is_reported_and_the_history_is_reloaded(at_table, table, ada, bo):
    game = table()
    page = at_table(ada, game)
    problem = {
        "type": "urn:oraclewheel:problem:log-diverged",
        "title": "The log went back.",
        "detail": "The log went back.",
        "status": 409,
        "code": "log-diverged",
        "client": {"seq": 90, "head": None},
        "server": {"seq": 3, "head": "0" * 64},
    }
    told = []

    def once(route):
        if told:
            return route.continue_()
        told.append(route)
        return route.fulfill(
            content_type="text/event-stream", body=f"id: 3\nevent: log-diverged\ndata: {json.dumps(problem)}\n\n"
        )

    page.route("**/events", once)
    page.reload()
    dialog = page.get_by_role("dialog", name="Recent moves were lost")
    dialog.wait_for()
    assert "commit 90" in dialog.inner_text()
    page.keyboard.press("Escape")
    pass_turns(ada, bo, game, 2)

    shows_all(page, ada, game)
    assert dialog.count() == 0


@pytest.mark.soak
def test_page_of_a_finished_game_does_not_keep_requesting_events(at_table, table, ada, bo):
    game = table("nim")
    page = at_table(ada, game)
    bo.send(game, {"type": "resign"}, want=200)
    ada.send(game, {"type": "call_vote", "kind": "abort"}, want=200)
    until(page, "document.title.startsWith('Game over:')")
    asks = []
    page.on("request", lambda request: asks.append(request.url) if "/events" in request.url else None)
    page.reload()
    page.locator("ow-history li").first.wait_for()
    page.wait_for_timeout(2500)

    assert len([each for each in asks if "limit" not in each and "digest" not in each]) <= 1
    shows_all(page, ada, game)
