"""Moving through a game: slider, keys, play and pause, links, the chart. The page shows what the API returns."""

from __future__ import annotations

import pytest

from tests.driver import Player
from tests.soaking import soak
from tests.web.browsing import STATIC, until
from tests.web.replay.conftest import at, comes_to, where

FINISHED = ("battalia", "fronela", "nim")


def board_of(player, game, seq):
    return player.get(f"/v1/games/{game}/board.svg", at=seq, scheme="light", want=200).text


def title_of(svg):
    return svg.partition('<title id="title">')[2].partition("</title>")[0]


def words_of(page, shelf, which, seq):
    """The text on the board as the page shows it, and as the service draws it."""
    there = page.evaluate(
        "() => [...document.querySelectorAll('ow-board text')].map((text) => text.textContent).join('|')"
    )
    drawn = page.evaluate(
        """(svg) => import("/app/parts/trusted.js").then(({ picture }) =>
            [...picture(svg).querySelectorAll("text")].map((text) => text.textContent).join("|"))""",
        board_of(shelf.ada, shelf.games[which], seq),
    )
    return there, drawn


@pytest.mark.parametrize("which", ["nim", *soak("battalia", "fronela")])
def test_replay_shows_the_board_and_events_of_each_commit(replay, shelf, which):
    page = replay(which)
    newest = shelf.ada.get(f"/v1/games/{shelf.games[which]}").seq
    assert at(page) == newest

    entries = Player(shelf.ada.site).events(shelf.games[which])
    for entry in (entries[len(entries) // 3], entries[-2], entries[1]):
        page.locator(".timeline input").evaluate(
            "(slider, seq) => { slider.value = seq; slider.dispatchEvent(new Event('input')) }", entry["seq"]
        )
        page.locator(f".lines [aria-current]:has(span:text-is('{entry['seq']}'))").wait_for()
        until(page, "(seq) => new URLSearchParams(location.search).get('at') === String(seq)", entry["seq"])
        there, drawn = "", None
        for _ in range(100):
            there, drawn = words_of(page, shelf, which, entry["seq"])
            if there == drawn:
                break
            page.wait_for_timeout(50)
        assert there == drawn
        told = page.locator(".told .now").inner_text()
        for line in entry["lines"]:
            assert " ".join(line["text"].split()) in " ".join(told.split())


@pytest.mark.soak
@pytest.mark.parametrize("which", FINISHED)
def test_replay_can_be_used_by_keyboard(replay, shelf, which):
    page = replay(which)
    course = shelf.ada.get(f"/v1/games/{shelf.games[which]}/course", want=200).json
    newest = at(page)
    marks = [each["seq"] for each in course["times"]]
    page.keyboard.press("Home")
    comes_to(page, 1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    comes_to(page, 3)
    page.keyboard.press("ArrowLeft")
    comes_to(page, 2)
    page.keyboard.press("PageDown")
    comes_to(page, next((seq for seq in marks if seq > 2), min(12, newest)))
    here = at(page)
    page.keyboard.press("PageUp")
    comes_to(page, max((seq for seq in marks if seq < here), default=max(1, here - 10)))
    page.keyboard.press("End")
    comes_to(page, newest)

    page.locator(".timeline input").focus()  # and on the slider itself
    page.keyboard.press("Home")
    comes_to(page, 1)
    page.keyboard.press("ArrowUp")
    comes_to(page, 2)
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    until(page, "Number(document.querySelector('.timeline input').value) >= 4")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    stopped = at(page)
    page.wait_for_timeout(1500)
    assert at(page) == stopped
    assert f"commit {stopped} of {newest}" in page.locator(".timeline input").get_attribute("aria-valuetext")


@pytest.mark.soak
def test_space_on_a_button_presses_only_that_button(replay):
    page = replay("nim", "?at=1")
    page.get_by_role("button", name="Step forward", exact=True).focus()
    page.keyboard.press("Space")
    comes_to(page, 2)
    assert page.get_by_role("button", name="Play", exact=True).count() == 1


@pytest.mark.soak
def test_link_opens_the_same_commit_as_seen_by_the_same_seat(replay, window, shelf):
    page = replay("battalia", "?at=40")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_label("As seen by").select_option("2")
    page.keyboard.press("ArrowRight")
    page.locator(".seen dl").first.wait_for()
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    until(page, "(link) => location.href === link", link)
    seen = page.locator(".seen").inner_text()

    other = window()
    other.expected.add(404)  # there is no analysis
    there = other.open(link.removeprefix(other.url))
    there.locator(".seen dl").first.wait_for()
    assert where(there) == where(page)
    assert there.locator(".seen").inner_text() == seen
    assert there.locator(".told").inner_text() == page.locator(".told").inner_text()
    until(there, "document.querySelector('ow-board svg title')")
    shown = there.locator("ow-board .frame").inner_html()
    until(page, "(shown) => document.querySelector('ow-board .frame').innerHTML === shown", shown)


@pytest.mark.soak
@pytest.mark.parametrize(("unit", "marks"), [("Day", "times"), ("Turn", "turns")])
def test_steps_and_slider_can_move_by_days_and_turns(replay, shelf, unit, marks):
    page = replay("battalia", "?at=1")
    course = shelf.ada.get(f"/v1/games/{shelf.games['battalia']}/course", want=200).json
    seqs = sorted({1, *(each["seq"] for each in course[marks])})
    page.get_by_role("radio", name=unit).check()
    for seq in seqs[1:4]:
        page.get_by_role("button", name="Step forward", exact=True).click()
        comes_to(page, seq)
    middle = (seqs[5] + 2 * seqs[6]) // 3
    page.locator(".timeline input").evaluate(
        "(slider, seq) => { slider.value = seq; slider.dispatchEvent(new Event('input')) }", middle
    )
    comes_to(page, min(seqs, key=lambda seq: abs(seq - middle)))


@pytest.mark.soak
def test_click_on_the_chart_goes_to_its_commit(replay, shelf):
    page = replay("fronela", "?at=1")
    box = page.locator("svg.course").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    newest = shelf.ada.get(f"/v1/games/{shelf.games['fronela']}").seq
    assert abs(at(page) - newest / 2) <= newest / 100 + 1
    assert page.locator("svg.course polyline").count() == 4


@pytest.mark.soak
def test_slider_limits_requests_and_no_board_is_loaded_twice(replay, shelf):
    page = replay("fronela", "?at=1")
    page.wait_for_timeout(1000)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "board.svg" in request.url else None)
    took = page.locator(".timeline input").evaluate(
        """async (slider) => {
            const begun = performance.now();
            for (let place = 1; place <= 400; place++) {
                slider.value = Math.round((slider.max * place) / 400);
                slider.dispatchEvent(new Event("input"));
                await new Promise((done) => setTimeout(done, 4));
            }
            return (performance.now() - begun) / 1000;
        }"""
    )
    there = at(page)
    until(page, "(seq) => new URLSearchParams(location.search).get('at') === String(seq)", there)
    page.wait_for_timeout(1500)

    assert there > shelf.ada.get(f"/v1/games/{shelf.games['fronela']}").seq * 0.9
    assert (
        2 <= len(asked) <= took / 0.06 + 6
    )  # there is a pause between requests, and the neighbors are loaded at the end
    assert len(asked) < 200  # of 400 positions, even if a busy machine moves the slider slowly
    assert any(f"at={there}&" in url for url in asked)
    before = len(asked)
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(1000)
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1000)
    assert sum(f"at={there}&" in url for url in asked[before:]) == 0


@pytest.mark.soak
def test_reduced_motion_offers_only_slow_speeds(window, shelf):
    visiting = window(reduced_motion="reduce")
    visiting.expected.add(404)  # there is no analysis
    page = visiting.open(f"/games/{shelf.games['nim']}/replay?at=1")
    page.locator("ow-board svg").wait_for()

    assert page.get_by_label("Speed").locator("option").all_inner_texts() == ["Slow", "1 step per second"]


@pytest.mark.soak
def test_undone_commits_can_be_skipped(visiting):
    page = visiting.open("/")
    seqs = page.evaluate(
        """() => import("/app/pages/replay/course.js").then(({ Course }) => {
            const mark = (seq, time) => ({ seq, time, points: {} });
            const course = new Course({ seq: 20, unit: "day", seats: [], points: null, times: [mark(1, 1), mark(12, 2)],
                turns: [{ seq: 3, title: "a" }, { seq: 6, title: "b" }, { seq: 12, title: "c" }], undone: [{ first: 5, last: 9, by: 10 }] }, 20);
            const go = (seq, way, unit, skip) => { const found = []; for (let next; (next = course.step(seq, way, unit, skip)) !== seq; seq = next) found.push(next); return found };
            return { on: go(3, 1, "commit", true).slice(0, 3), back: go(11, -1, "commit", true).slice(0, 3), all: go(3, 1, "commit", false).slice(0, 3),
                turns: go(1, 1, "turn", true), times: go(20, -1, "time", true), turn: course.turn(7), last: course.step(20, 1, "commit", true) };
        })"""
    )

    assert seqs == {
        "on": [4, 10, 11],
        "back": [10, 4, 3],
        "all": [4, 5, 6],
        "turns": [3, 12, 20],
        "times": [12, 1],
        "turn": {"title": "b", "first": 6, "last": 11},
        "last": 20,
    }


def test_replay_scripts_are_small():
    """Scripts loaded after the first view have their own limit."""
    folder = STATIC / "app" / "pages" / "replay"
    at_once, later = (sum(file.stat().st_size for file in each.glob("*.js")) for each in (folder, folder / "analysis"))

    assert at_once <= 33_500
    assert 0 < later <= 22_000
