"""The desk: building, sending and undoing commands, and their results."""

from __future__ import annotations

import re

import pytest
import requests

from tests.driver import Player
from tests.soaking import soak
from tests.web.browsing import until, violations


def desk(visiting):
    return visiting.page.locator("ow-desk")


@pytest.mark.soak
def test_selectable_elements_are_highlighted_and_a_click_builds_a_command(ada, begin, sit):
    game = begin(ada, "nim")
    page = sit(ada, game).page
    lit = page.locator("ow-board [role=button]")
    until(page, "() => document.querySelectorAll('ow-board [role=button]').length > 1")
    assert {each.get_attribute("data-kind") for each in lit.all()} == {"heap"}
    last = lit.last
    heap = last.get_attribute("data-ref")

    last.click()
    page.locator(".making").wait_for()
    assert f"from heap {heap}" in page.locator(".sentence").inner_text().lower()
    assert page.get_by_role("button", name="Send").is_disabled()
    page.locator("fieldset.next button.choice", has_text="2").click()
    page.locator(".outcome li").first.wait_for()
    assert "takes" in page.locator(".outcome").inner_text()
    assert ada.summary(game)["seq"] == page.evaluate("document.querySelector('ow-desk').game.seq")

    page.keyboard.press("Escape")
    assert page.get_by_role("button", name="Send").is_disabled()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator(".menu").wait_for()
    assert page.locator("ow-board .chosen").count() == 0


def test_turn_can_be_played_by_keyboard_alone(ada, begin, sit):
    game = begin(ada, "nim")
    page = sit(ada, game).page
    until(page, "() => document.querySelectorAll('ow-board [role=button]').length > 1")
    before = ada.summary(game)["seq"]

    page.keyboard.press("b")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "button"
    first = page.evaluate("document.activeElement.dataset.ref")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.ref") != first
    assert "heap" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    page.locator("fieldset.open").first.wait_for()
    page.keyboard.press("1")
    until(page, "() => !document.querySelector('ow-desk [data-key=send]').disabled")
    page.keyboard.press("s")
    until(page, "() => !document.querySelector('ow-desk').busy")

    assert ada.summary(game)["seq"] > before
    assert page.locator(".came").count() == 1


@pytest.mark.soak
def test_move_can_be_tried_in_a_study_and_the_game_does_not_change(ada, begin, sit):
    game = begin(ada, "nim")
    page = sit(ada, game).page
    until(page, "() => document.querySelectorAll('ow-board [role=button]').length > 1")
    before = ada.summary(game)["seq"]
    assert page.get_by_role("button", name="Try it").count() == 0
    page.locator("ow-board [role=button]").last.click()
    page.locator("fieldset.next button.choice", has_text="2").click()
    page.get_by_role("button", name="Try it").click()
    page.wait_for_url(lambda url: game not in url)
    page.locator("ow-desk").wait_for()
    study = page.url.rpartition("/")[2].partition("?")[0]

    assert {"game": game, "seq": before} == ada.summary(study)["sandbox"]["forked"]
    assert 1 < ada.summary(study)["seq"]
    assert before == ada.summary(game)["seq"]


@pytest.mark.soak
def test_table_without_studies_has_no_button_to_try_a_move(ada, begin, sit):
    page = sit(ada, begin(ada, "nim", table={"studies": "off"})).page
    until(page, "() => document.querySelectorAll('ow-board [role=button]').length > 1")
    page.locator("ow-board [role=button]").last.click()
    page.locator("fieldset.next button.choice", has_text="2").click()

    page.get_by_role("button", name="Send").wait_for()
    assert page.get_by_role("button", name="Try it").count() == 0


@pytest.mark.soak
def test_one_key_ends_the_turn(ada, begin, sit):
    game = begin(ada, "battalia", bot="greedy")
    page = sit(ada, game).page
    until(page, "() => document.querySelector('ow-desk').ending !== null")

    page.keyboard.press("e")

    until(
        page,
        "() => [...document.querySelectorAll('.came li')].some((line) => line.textContent.includes('ends the turn'))",
    )
    assert any(
        line["type"] == "turn_ended" and line["seat"] == 1 for each in ada.events(game) for line in each["lines"]
    )


def test_outdated_options_are_loaded_again(ada, begin, sit):
    game = begin(ada, "nim", options={"heaps": 8})
    page = sit(ada, game).page
    until(page, "() => document.querySelectorAll('ow-board [role=button]').length > 1")
    kept, served = {}, []

    def answer_late(route):
        """Answer two requests with the options of the commit before."""
        served.append(route.request.url)
        if len(served) > 2:
            route.continue_()
        else:
            route.fulfill(status=200, headers=kept["headers"], body=kept["body"])

    with page.expect_response(lambda each: "/options" in each.url) as first:
        page.reload()
    kept["headers"], kept["body"] = first.value.all_headers(), first.value.text()
    until(page, "() => document.querySelector('ow-desk')?.game?.live")
    page.route("**/options*", answer_late)
    before = ada.summary(game)["seq"]

    heap = ada.options(game)["options"][0]["fixed"]["heap"]
    ada.send(game, {"type": "take", "heap": heap, "objects": 1}, want=200)
    until(page, "(seq) => document.querySelector('ow-desk').game.view.seq > seq", before)

    assert len(served) > 2
    shown = "() => { const { etag, options, view } = document.querySelector('ow-desk').game; return [etag, options.seq, view.seq] }"
    etag, options, view = page.evaluate(shown)
    assert etag == f'"{options}"'
    assert options == view


@pytest.mark.soak
def test_game_page_keeps_the_etag_of_the_options_it_shows(ada, begin, sit):
    game = begin(ada, "nim", options={"heaps": 8})
    visiting = sit(ada, game)
    page = visiting.page
    with page.expect_response(lambda each: "/options" in each.url) as first:
        page.reload()
    headers, body = first.value.all_headers(), first.value.text()
    until(page, "() => document.querySelector('ow-desk')?.game?.live")
    served = []
    page.route("**/options*", lambda route: (served.append(1), route.fulfill(status=200, headers=headers, body=body)))
    before = ada.summary(game)["seq"]
    heap = ada.options(game)["options"][0]["fixed"]["heap"]
    ada.send(game, {"type": "take", "heap": heap, "objects": 1}, want=200)
    until(page, "(seq) => document.querySelector('ow-desk').game.view.seq > seq", before)

    assert page.evaluate("document.querySelector('ow-desk').game.etag") == headers["etag"]
    page.wait_for_timeout(2000)
    assert len(served) < 40, "it reads without a pause"


@pytest.mark.soak
def test_several_commands_can_be_queued_reordered_and_sent_together(ada, begin, sit):
    game = begin(ada, "battalia", bot="greedy")
    visiting = sit(ada, game)
    page = visiting.page
    until(page, "() => document.querySelector('ow-desk').ending !== null")
    page.evaluate("document.querySelector('ow-desk [data-key=\"orders\"]').click()")
    page.locator(".menu .action").first.wait_for()
    page.keyboard.press("Escape")
    plain = page.evaluate(
        "document.querySelector('ow-desk').options().find((each) => !each.open.length && each.type !== document.querySelector('ow-desk').ending.type)?.type"
    )
    assert plain
    page.locator(f'.action[data-type="{plain}"]').click()
    page.keyboard.press("a")
    page.locator(".lined li").wait_for()
    page.locator('.action[data-type="end_turn"]').click()
    page.keyboard.press("a")
    assert page.locator(".lined li").count() == 2
    page.get_by_role("button", name="Move up: End the turn").click()
    assert page.locator(".lined li").first.inner_text().startswith("End the turn")
    page.get_by_role("button", name="Move down: End the turn").click()
    page.get_by_role("button", name="Remove: End the turn").click()
    assert page.locator(".lined li").count() == 1
    sent = []
    page.on("request", lambda asked: sent.append(asked.post_data_json) if asked.url.endswith("/commands") else None)

    page.keyboard.press("e")
    until(page, "() => document.querySelectorAll('.lined li').length === 0 && !document.querySelector('ow-desk').busy")

    assert [each["type"] for each in sent[0]["commands"]] == [plain, "end_turn"]
    assert page.locator(".failed").count() == 0


@pytest.mark.soak
def test_stale_command_shows_the_missed_news(ada, begin, sit):
    game = begin(ada, "nim", options={"heaps": 8})
    visiting = sit(ada, game)
    visiting.expected.add(412)
    page = visiting.page
    until(page, "() => document.querySelectorAll('ow-board [role=button]').length > 1")
    live = "text/event-stream"
    page.route(
        "**/events*", lambda route: route.abort() if live in route.request.headers["accept"] else route.continue_()
    )
    page.locator("ow-board [role=button]").last.click()
    how_many = page.locator("fieldset.next").locator("button.choice, input").first
    if how_many.evaluate("each => each.localName") == "input":
        how_many.fill("1")
        how_many.blur()
    else:
        how_many.click()
    until(page, "() => !document.querySelector('ow-desk [data-key=send]').disabled")
    page.evaluate("document.querySelector('ow-desk').game.etag = '\"1\"'")
    heap = page.evaluate("document.querySelector('ow-desk').options()[0].fixed.heap")
    ada.send(game, {"type": "take", "heap": heap, "objects": 1}, want=200)

    page.keyboard.press("s")
    page.locator(".failed.news").wait_for()

    assert "The game has changed" in page.locator(".failed").inner_text()
    assert "Ada takes" in page.locator(".failed").inner_text()
    page.get_by_role("button", name="Close").click()
    assert page.locator(".failed").count() == 0


def test_options_and_view_of_different_commits_are_loaded_again(ada, begin, window):
    game = begin(ada, "nim", options={"heaps": 8})
    visiting = window()
    visiting.cut = True
    visiting.sign_in(ada)
    page, live, old = visiting.page, "text/event-stream", []

    def move_between(route):
        """Keep the options as they are, and send a move."""
        address = re.sub(r"/(view|options)[^/]*$", "/options?with=labels", route.request.url)
        old.append(requests.get(address, headers=route.request.headers, timeout=30))
        heap = ada.options(game)["options"][0]["fixed"]["heap"]
        ada.send(game, {"type": "take", "heap": heap, "objects": 1}, want=200)

    def view_after_the_move(route):
        if not old:
            move_between(route)
        route.continue_()

    def options_before_the_move(route):
        if not old:
            move_between(route)
        if len(old) == 1:
            old.append(None)
            route.fulfill(status=200, headers=dict(old[0].headers), body=old[0].text)
        else:
            route.continue_()

    page.route("**/view*", view_after_the_move)
    page.route("**/options*", options_before_the_move)
    page.route(
        "**/events*", lambda route: route.abort() if live in route.request.headers["accept"] else route.continue_()
    )

    visiting.open(f"/games/{game}")
    page.locator("ow-desk").wait_for()
    until(page, "() => document.querySelector('ow-desk').game.options !== null")

    assert 2 == len(old)
    shown = page.evaluate("document.querySelector('ow-desk').game.options")
    assert old[0].json()["options"] != shown["options"]
    assert ada.options(game)["options"] == shown["options"]


def test_refusal_is_shown_with_its_rule(ada, begin, sit):
    game = begin(ada, "nim")
    visiting = sit(ada, game)
    visiting.expected.add(409)
    page = visiting.page
    until(page, "() => document.querySelectorAll('ow-board [role=button]').length > 1")

    page.evaluate("void document.querySelector('ow-desk').send([{type: 'take', heap: 1, objects: 99}])")
    page.locator(".failed").wait_for()

    rule = page.locator(".failed a.rule")
    assert "NIM-03" in rule.inner_text()
    assert rule.get_attribute("href").endswith("/v1/kinds/nim/clauses#NIM-03")


@pytest.mark.soak
@pytest.mark.parametrize("width", [320, *soak(360), 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("kind", "seats"), [("battalia", 2), *soak(("fronela", 4))])
def test_axe_finds_nothing_wrong(ada, begin, sit, axe, kind, seats, scheme, width):
    game = begin(ada, kind, seats, bot="greedy")
    page = sit(ada, game, color_scheme=scheme, viewport={"width": width, "height": 800}).page
    until(page, "() => document.querySelectorAll('.menu .action').length > 1")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.locator(".menu .action").first.click()
    page.wait_for_timeout(500)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


HOSTILE = "<b>Bo</b><img src=x onerror=bad()>"


def test_hostile_names_in_sentences_run_no_script(site, ada, begin, sit):
    bad = Player.register(site, HOSTILE)
    game = bad.make_game("nim", 2, visibility="public")["id"]
    ada.join(game)
    bad.start(game)
    visiting = sit(ada, game)
    page = visiting.page
    asked = ada.summary(game)["pending_questions"][0]["seat"]
    mover = bad if asked == 1 else ada
    option = mover.options(game)["options"][0]
    mover.send(game, {"type": option["type"], **option["fixed"], "objects": 1}, want=200)
    until(page, "(seq) => document.querySelector('ow-desk').game.seq >= seq", ada.summary(game)["seq"])

    assert page.evaluate("globalThis.bad") is None
    assert page.locator("ow-table b, ow-table img").count() == 0
    assert "<b>Bo</b>" in page.locator("ow-table").inner_text()


@pytest.mark.soak
def test_zoomed_board_does_not_widen_the_page(ada, begin, sit):
    page = sit(ada, begin(ada, "battalia"), viewport={"width": 320, "height": 640}).page
    wide = page.locator("ow-board svg").bounding_box()["width"]
    page.get_by_role("button", name="Zoom in").click()
    assert page.locator("ow-board svg").bounding_box()["width"] > wide * 1.2
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("button", name="Fit to window").click()
    assert page.locator("ow-board svg").bounding_box()["width"] == wide


@pytest.mark.soak
def test_board_in_dark_scheme_has_dark_colors(ada, begin, sit):
    game = begin(ada, "nim")
    light, dark = (
        sit(ada, game, color_scheme=scheme).page.locator("ow-board svg rect").first.get_attribute("fill")
        for scheme in ("light", "dark")
    )
    assert light != dark


@pytest.mark.soak
def test_visitor_without_a_seat_watches_the_game(site, ada, begin, window):
    game = begin(ada, "nim")
    page = window().open(f"/games/{game}")
    page.locator("ow-desk").wait_for()
    page.get_by_text("You're watching this game.").wait_for()
    before = page.locator("ow-board svg").inner_html()
    option = ada.options(game)["options"][-1]
    if option:
        ada.send(game, {"type": option["type"], **option["fixed"], "objects": 1}, want=200)
    until(page, "(before) => document.querySelector('ow-board svg').innerHTML !== before", before)
    assert page.locator("ow-board [role=button]").count() == 0


@pytest.mark.soak
def test_sent_command_can_be_undone(site, ada, begin, sit):
    birk = Player.register(site, "Birk")
    game = ada.make_game("nim", 2, visibility="public", table={"undo": "consent"})["id"]
    birk.join(game)
    ada.start(game)
    mover = (ada, birk)[ada.summary(game)["pending_questions"][0]["seat"] - 1]
    page = sit(mover, game).page
    page.locator(".menu .action").first.wait_for()
    before = ada.view(game)["public"]["heaps"]
    page.locator("ow-board [role=button]").last.click()
    page.locator("fieldset.next button.choice").last.click()
    page.keyboard.press("s")
    page.locator("[data-key=take-back]").wait_for()
    assert ada.view(game)["public"]["heaps"] != before

    page.locator("[data-key=take-back]").click()
    until(page, "() => !document.querySelector('ow-desk [data-key=send]').disabled")
    page.keyboard.press("s")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    until(page, "() => document.querySelector('ow-desk').game.asked.length > 0")

    assert ada.view(game)["public"]["heaps"] == before
