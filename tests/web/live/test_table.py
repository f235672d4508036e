"""Several players around a game: chat, votes, undo requests, seats, standing orders and plans."""

from __future__ import annotations

import pytest

from tests.driver import Player
from tests.web.browsing import until
from tests.web.live.conftest import asked, panel

HOSTILE = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script> javascript:alert(1)'


@pytest.mark.soak
def test_messages_go_to_all_or_some_players_and_hostile_text_stays_text(at_table, table, site, ada, bo):
    game = table()
    here, there, stranger = at_table(ada, game, "talk"), at_table(bo, game), at_table(None, game, "talk")
    here.get_by_label("Message", exact=True).fill(HOSTILE)
    here.get_by_role("button", name="Send message").click()
    here.locator("ow-talk .words").wait_for()
    assert here.locator("ow-talk .words").inner_text() == HOSTILE
    stranger.locator("ow-talk .words").wait_for()
    there.locator("#tab-talk .count").wait_for()
    talk = panel(there, "talk")
    talk.locator(".words").wait_for()

    talk.get_by_label("Message", exact=True).fill("For you alone")
    talk.get_by_label("To", exact=True).select_option("some")
    talk.get_by_label("Ada").check()
    there.keyboard.press("Tab")
    talk.get_by_role("button", name="Send message").click()
    here.get_by_text("For you alone").first.wait_for()
    assert stranger.get_by_text("For you alone").count() == 0
    for page in (here, there, stranger):
        assert page.evaluate("globalThis.hit") is None
        assert page.locator("ow-side img, ow-side script").count() == 0


@pytest.mark.soak
def test_messages_can_be_erased_reported_and_muted(at_table, table, ada, bo):
    game = table()
    for words in ("One", "Two"):
        bo.post(f"/v1/games/{game}/talk", {"text": words}, headers={"Prefer": "wait=10"}, want=200)
    here, there = at_table(ada, game, "talk"), at_table(bo, game, "talk")

    there.get_by_role("button", name="Erase “One”").click()
    there.get_by_role("dialog").get_by_role("button", name="Erase").click()
    there.get_by_text("erased", exact=False).first.wait_for()
    assert there.get_by_text("One", exact=True).count() == 0

    here.get_by_role("button", name="Report the").last.click()
    dialog = here.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("It is rude.")
    dialog.get_by_role("button", name="Report").click()
    until(here, "document.getElementById('news').textContent === 'Message reported.'")

    here.get_by_role("button", name="Mute").last.click()
    until(here, "!document.querySelector('ow-talk .words')")
    here.get_by_role("button", name="Unmute").click()
    here.locator("ow-talk .words").wait_for()


@pytest.mark.soak
def test_vote_is_shown_and_answered_by_the_other_player(at_table, table, ada, bo):
    game = table()
    here, there = at_table(ada, game), at_table(bo, game)
    ada.send(game, {"type": "call_vote", "kind": "abort"}, want=200)

    vote = there.get_by_role("region", name="Vote")
    vote.wait_for()
    assert "Ada asks to end the game without a winner." in vote.inner_text()
    assert "Not voted yet: you" in vote.inner_text()
    here.get_by_role("region", name="Vote").wait_for()
    vote.get_by_role("button", name="Agree").click()

    until(here, "document.title.startsWith('Game over:')")
    assert ada.summary(game)["outcome"]["reason"] == "aborted"
    vote.wait_for(state="detached")


@pytest.mark.soak
def test_undo_request_is_answered(at_table, table, ada, bo):
    game = table("nim")
    mover, other = (ada, bo) if 1 in asked(ada, game) else (bo, ada)
    taken = mover.send(game, {"type": "take", "heap": 1, "objects": 1}, want=200).json["seq"]
    other.send(game, {"type": "take", "heap": 2, "objects": 1}, want=200)
    page = at_table(other, game)
    mover.send(game, {"type": "request_undo", "seq": taken}, want=200)

    wish = page.get_by_role("region", name="Undo request")
    wish.wait_for()
    wish.get_by_role("button", name="Agree").click()

    page.locator(f"ow-history li.undone[data-seq='{taken}']").wait_for()
    wish.wait_for(state="detached")


@pytest.mark.soak
def test_clocks_show_deadlines_in_the_readers_zone_and_the_reserve_time(at_table, table, ada, bo):
    game = table(pace={"mode": "per_question", "hours": 30, "bank_hours": 48, "increment_hours": 4})
    page = at_table(ada, game, "seats")
    due = ada.summary(game)["pending_questions"][0]["deadline"]
    shown = page.locator("ow-seats time").first.inner_text()

    assert shown == page.evaluate(
        "(at) => new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Sofia'}).format(at)",
        due,
    )
    assert "Reserve time left: 2 days" in page.locator("ow-seats").inner_text()


@pytest.mark.soak
def test_vacant_seat_can_be_taken_by_another_player(at_table, table, site, ada, bo):
    game = table()
    bo.send(game, {"type": "resign"}, want=200)
    cleo = Player.register(site, "Cleo")
    page = at_table(cleo, game, "seats")

    page.get_by_role("button", name="Take this seat").click()

    page.locator("#tab-plan").wait_for()  # only players have this tab
    assert panel(page, "seats").get_by_text("You", exact=True).count() == 1
    assert ada.summary(game)["seats"][1]["player"]["name"] == "Cleo"


@pytest.mark.soak
def test_seat_can_be_requested_and_given_by_the_creator(at_table, table, site, ada, bo):
    game = table(table={"substitutes": "creator"})
    bo.send(game, {"type": "resign"}, want=200)
    cleo = Player.register(site, "Cleo <i>")
    page = at_table(cleo, game, "seats")
    page.get_by_role("button", name="Take this seat").click()
    page.get_by_text("You've asked for this seat.").wait_for()

    creator = at_table(ada, game, "seats")
    creator.get_by_role("button", name="Give seat to Cleo <i>").click()
    creator.get_by_text("Vacant", exact=True).wait_for(state="detached")
    assert ada.summary(game)["seats"][1]["player"]["name"] == "Cleo <i>"


@pytest.mark.soak
def test_sitter_can_be_added_and_removed(at_table, table, site, ada, bo):
    game = table()
    cleo = Player.register(site, "Cleo")
    page = at_table(ada, game, "seats")
    page.get_by_text("Add a sitter").click()
    page.get_by_label("Account ID").fill("nobody")
    page.visiting.expected |= {404, 409, 422}
    page.get_by_role("button", name="Add sitter").click()
    page.locator("ow-seats ow-problem, ow-seats .fault").first.wait_for()
    page.get_by_label("Account ID").fill(cleo.id)
    page.get_by_role("button", name="Add sitter").click()
    page.get_by_text("The player must agree to your request first").first.wait_for()
    cleo.agrees_to_sit_for(ada)
    page.get_by_role("button", name="Add sitter").click()
    page.get_by_text("Sitter: Cleo").wait_for()

    page.get_by_role("button", name="Remove sitter").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    page.get_by_text("Sitter: Cleo").wait_for(state="detached")


@pytest.mark.soak
def test_standing_orders_are_shown_in_sentences(at_table, table, ada, bo):
    game = table()
    page = at_table(ada, game, "orders")
    page.get_by_text("You have no standing orders.").wait_for()

    ada.send(game, {"type": "set_flight", "first": ["own", "A1"]}, want=200)

    page.locator("ow-orders ul.orders li").first.wait_for()
    sentence = ada.get(f"/v1/games/{game}/orders").json["orders"][0]["text"]
    assert page.locator("ow-orders ul.orders li").first.inner_text() == sentence


def test_plan_can_be_tested_saved_deleted_and_is_played(at_table, table, ada, bo):
    game = table()
    if 1 in asked(ada, game):
        ada.send(game, {"type": "end_turn"}, want=200)
    page = at_table(ada, game, "plan")
    page.get_by_text("You have no plan.").wait_for()
    page.get_by_role("button", name="Test plan").click()
    page.get_by_text("All moves would be played.").wait_for()
    page.get_by_role("button", name="Save plan").click()
    page.get_by_text("Waiting for your turn.").wait_for()
    page.get_by_role("button", name="Delete plan").click()
    page.get_by_text("You have no plan.").wait_for()

    page.get_by_role("button", name="Save plan").click()
    page.get_by_text("Waiting for your turn.").wait_for()
    bo.send(game, {"type": "end_turn"}, want=200)
    page.get_by_text("Played.", exact=True).wait_for()
    assert 2 in asked(ada, game)


@pytest.mark.soak
def test_plan_form_adds_a_command_and_test_reports_its_error(at_table, table, ada, bo):
    game = table()
    if 1 in asked(ada, game):
        ada.send(game, {"type": "end_turn"}, want=200)
    page = at_table(ada, game, "plan")
    page.get_by_text("Add a move").click()
    page.locator("ow-plan").get_by_label("Move", exact=True).select_option("take_supply")
    page.locator("ow-plan input[name=cards]").fill("no-such-card, other-card")
    page.get_by_role("button", name="Add to the plan").click()
    page.get_by_role("button", name="Test plan").click()

    page.get_by_text("The plan would stop before the end.").wait_for()
    assert page.locator("ow-plan .fault").count() == 1
