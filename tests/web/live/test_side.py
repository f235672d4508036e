"""The side panels: history and digest, accessible by keyboard, in both color schemes, on phones and desktops."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tests.web.browsing import until, violations
from tests.web.live.conftest import asked, panel, pass_turns
from tests.workers.crew import eventually

SHOWN = "[...document.querySelectorAll('ow-history li')].map((row) => Number(row.dataset.seq))"


@pytest.mark.soak
def test_history_loads_older_pages_up_to_the_start(at_table, table, ada, bo):
    game = table()
    pass_turns(ada, bo, game, 75)
    page = at_table(ada, game)
    page.locator("ow-history li").first.wait_for()
    first = len(page.evaluate(SHOWN))
    told = sorted((entry["seq"] for entry in ada.events(game)), reverse=True)
    assert first < len(told)

    older = page.get_by_role("button", name="Show older")
    while older.is_visible():
        older.click()
        page.locator("ow-history button[aria-busy]").wait_for(state="detached")

    assert page.evaluate(SHOWN) == told
    assert page.get_by_text("This is the start of the game.").is_visible()
    newest = page.locator("ow-history li a").first
    assert newest.get_attribute("href") == f"/games/{game}/replay?at={told[0]}"


@pytest.mark.soak
def test_history_filter_shows_only_matching_entries(at_table, table, ada, bo):
    game = table()
    pass_turns(ada, bo, game, 6)
    page = at_table(ada, game)
    page.locator("ow-history li").first.wait_for()
    page.locator("summary", has_text="Filter").click()

    page.get_by_label("Player", exact=True).select_option("2")
    page.get_by_label("Event", exact=True).select_option("turn_ended")
    wanted = [
        entry["seq"]
        for entry in ada.events(game)
        if entry["seat"] == 2 and any(line["type"] == "turn_ended" for line in entry["lines"])
    ]
    until(page, f"(want) => JSON.stringify({SHOWN}) === JSON.stringify(want)", sorted(wanted, reverse=True))

    page.get_by_label("On or before").fill("2001-01-01")
    page.get_by_label("On or before").dispatch_event("change")
    page.get_by_text("Nothing in this game matches the filter.").wait_for()


@pytest.mark.soak
def test_history_filter_finds_old_entries_through_the_service(at_table, table, ada, bo):
    game = table()
    pass_turns(ada, bo, game, 60)
    page = at_table(ada, game)
    page.locator("ow-history li").first.wait_for()
    with page.expect_request(f"**/v1/games/{game}/history?*actor=system*"):
        page.locator("summary", has_text="Filter").click()
        page.get_by_label("Player", exact=True).select_option("system")

    until(page, f"{SHOWN}.at(-1) === 1")
    by_nobody = [entry["seq"] for entry in ada.events(game) if entry["seat"] == 0]
    assert page.evaluate(SHOWN) == sorted(by_nobody, reverse=True)
    page.get_by_label("Player", exact=True).select_option("")
    newest = sorted((entry["seq"] for entry in ada.events(game)), reverse=True)[:5]
    until(page, f"(want) => JSON.stringify({SHOWN}.slice(0, 5)) === JSON.stringify(want)", newest)


@pytest.mark.soak
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/St_Johns"])
def test_times_are_shown_in_the_readers_zone(at_table, table, ada, zone):
    game = table("nim")
    page = at_table(ada, game, timezone_id=zone)
    first = page.locator("ow-history li time").first
    first.wait_for()

    at = datetime.fromtimestamp(ada.events(game)[-1]["at"] / 1000, ZoneInfo(zone))

    assert first.inner_text() == f"{at.hour}:{at:%M}"
    assert page.locator("ow-history h3").first.inner_text().replace(",", "") == f"{at:%A} {at.day} {at:%B %Y}"


@pytest.mark.soak
def test_undone_entry_is_marked_while_the_page_is_open(at_table, table, ada, bo):
    game = table("nim")
    mover = ada if 1 in asked(ada, game) else bo
    taken = mover.send(game, {"type": "take", "heap": 1, "objects": 1}, want=200).json["seq"]
    page = at_table(ada, game)
    row = page.locator(f"ow-history li[data-seq='{taken}']")
    row.wait_for()
    assert "undone" not in row.inner_text()

    mover.send(game, {"type": "request_undo", "seq": taken}, want=200)

    page.locator(f"ow-history li.undone[data-seq='{taken}']").wait_for()
    assert "undone" in row.inner_text()


def test_digest_shows_events_since_the_last_turn_of_the_reader(at_table, table, ada, bo):
    game = table("nim")
    mover, other = (ada, bo) if 1 in asked(ada, game) else (bo, ada)
    mover.send(game, {"type": "take", "heap": 1, "objects": 1}, want=200)
    other.send(game, {"type": "take", "heap": 2, "objects": 2}, want=200)
    page = at_table(mover, game)
    digest = page.locator("ow-digest")
    digest.locator(".paragraphs").wait_for()
    assert "heap 2" in digest.inner_text()
    assert "heap 1" not in digest.inner_text()

    mover.send(game, {"type": "take", "heap": 3, "objects": 1}, want=200)
    digest.get_by_text("Nothing has happened yet.").wait_for()
    other.send(game, {"type": "take", "heap": 3, "objects": 1}, want=200)
    digest.locator(".paragraphs").wait_for()
    assert "heap 3" in digest.inner_text()


def with_bot(ada):
    """A running game of Ada's against a bot."""
    game = ada.make_game("battalia", 2)["id"]
    ada.seat_bot(game, "greedy")
    ada.start(game)
    return game


@pytest.mark.soak
def test_players_have_the_same_name_on_the_board_and_in_the_side_panel(at_table, ada):
    game = with_bot(ada)
    page = at_table(ada, game, panel="seats")
    name = ada.summary(game)["seats"][1]["name"]

    assert name.endswith(" (greedy bot)")
    assert name in page.locator("ow-board svg").text_content()
    page.locator("ow-seats").get_by_text(name, exact=True).wait_for()


@pytest.mark.soak
def test_digest_of_an_open_page_begins_again_with_each_turn_against_bots(at_table, ada):
    game = with_bot(ada)
    page = at_table(ada, game)
    digest = page.locator("ow-digest")
    for _ in range(3):
        eventually(lambda: 1 in asked(ada, game))
        until(page, "(seq) => document.querySelector('ow-desk').game.seq >= seq", ada.summary(game)["seq"])
        page.wait_for_timeout(1500)  # the digest waits until no more news comes
        ada.send(game, {"type": "end_turn"}, want=200)
    eventually(lambda: 1 in asked(ada, game))
    page.wait_for_timeout(2500)

    last = ada.get(f"/v1/games/{game}/events?since=my-last-turn&digest=turn").json["paragraphs"]
    shown = digest.locator(".paragraphs p").all_inner_texts()
    assert [text for text in shown if text] == [each["text"] for each in last if each["text"]]


@pytest.mark.soak
def test_digest_stays_when_the_color_scheme_changes(at_table, ada):
    game = with_bot(ada)
    page = at_table(ada, game)
    page.locator("ow-digest .paragraphs").wait_for()
    before = page.locator("ow-digest .paragraphs").inner_text()
    assert "The game begins" in before

    with page.expect_response("**/events?**digest=turn**"):
        page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(500)

    assert page.locator("ow-digest .paragraphs").inner_text() == before


@pytest.mark.soak
def test_digest_says_what_happens_on_timeout_while_a_question_is_pending(at_table, table, ada, bo):
    game = table("nim", pace={"mode": "per_question", "hours": 24})
    mover, other = (ada, bo) if 1 in asked(ada, game) else (bo, ada)
    page = at_table(mover, game)
    silence = page.locator("ow-digest .silence")
    silence.wait_for()
    assert "If time runs out" in silence.inner_text()

    mover.send(game, {"type": "take", "heap": 1, "objects": 1}, want=200)
    silence.wait_for(state="detached")
    other.send(game, {"type": "take", "heap": 2, "objects": 2}, want=200)
    silence.wait_for()


@pytest.mark.soak
@pytest.mark.parametrize("size", [360, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_in_the_side_panels(at_table, table, axe, ada, bo, scheme, size):
    game = table(pace={"mode": "per_question", "hours": 30, "bank_hours": 48, "increment_hours": 4})
    bo.post(f"/v1/games/{game}/talk", {"text": "Wider" * 60}, headers={"Prefer": "wait=10"}, want=200)
    ada.send(game, {"type": "set_flight", "first": ["own", "A1"]}, want=200)
    bo.send(game, {"type": "call_vote", "kind": "pause"}, want=200)
    page = at_table(ada, game, color_scheme=scheme, viewport={"width": size, "height": 900})
    for key in ("history", "talk", "seats", "orders", "plan"):
        panel(page, key)
        page.evaluate("document.querySelectorAll('ow-side details').forEach((each) => (each.open = true))")
        page.wait_for_timeout(300)
        assert violations(page, within="ow-side") == []
        assert page.evaluate(
            "document.querySelector('ow-side').scrollWidth <= document.querySelector('ow-side').clientWidth + 1"
        )


@pytest.mark.soak
def test_all_side_panels_can_be_used_by_keyboard(at_table, table, ada, bo):
    game = table()
    page = at_table(ada, game)
    page.locator("#tab-history").focus()
    for key in ("talk", "seats", "orders", "plan", "history"):
        page.keyboard.press("ArrowRight")
        until(page, f"document.activeElement.id === 'tab-{key}'")
        page.locator(f"[aria-labelledby=tab-{key}]:not([hidden])").wait_for()
    page.keyboard.press("t")
    until(page, "document.activeElement.tagName === 'TEXTAREA'")
    page.keyboard.type("By keys")
    page.keyboard.press("Control+Enter")
    page.locator("ow-talk .words").wait_for()


@pytest.mark.soak
def test_stranger_sees_only_public_panels(at_table, table, ada, bo):
    game = table()
    page = at_table(None, game)
    page.locator("ow-history li").first.wait_for()

    assert page.locator("ow-digest").is_hidden()
    assert [tab.inner_text() for tab in page.get_by_role("tab").all()] == ["History", "Chat", "Players"]
    talk = panel(page, "talk")
    talk.get_by_text("No messages yet.").wait_for()
    assert talk.locator("textarea").count() == 0


@pytest.mark.soak
@pytest.mark.parametrize(("teams", "recipients"), [(False, 2), (True, 3)])
def test_panels_offer_only_what_a_player_can_send(at_table, table, ada, bo, teams, recipients):
    game = table(seats=4, options={"teams": teams})
    page = at_table(ada, game, panel="plan")

    moves = page.locator("ow-plan select").first.locator("option").all_text_contents()
    assert {"End the turn", "Move a hero", "Set a defense order"} <= set(moves)
    assert "Turn day" not in moves
    assert recipients == panel(page, "talk").get_by_label("To").locator("option").count()
