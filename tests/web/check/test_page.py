"""The /check page in a real browser: dropped and chosen files, the first divergence, trust, and hostile files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from domain.kernel.dice import Dice
from tests.audit.forger import Forger
from tests.audit.games import finished, running
from tests.driver import play_out
from tests.soaking import soak
from tests.web.browsing import violations
from tests.web.check.forging import lengthened

RECORDINGS = Path(__file__).parents[2] / "recordings"
BATTALIA = (RECORDINGS / "battalia-3-calendar-form-2.ndjson").read_bytes()
NIM = (RECORDINGS / "nim-2-wins.ndjson").read_bytes()
NAME = '<img src=x onerror="globalThis.ran=1">'


def choose(page, data, name="game.ndjson"):
    page.set_input_files("#file", {"name": name, "mimeType": "application/x-ndjson", "buffer": data})


def outcome(page):
    """The outcome, once it is shown."""
    page.locator(".outcome h2").wait_for(timeout=30_000)
    return page.locator(".outcome")


def checked(visiting, data, name="game.ndjson"):
    page = visiting.open("/check")
    choose(page, data, name)
    return outcome(page)


def forged():
    forger = Forger(BATTALIA)
    forger.end["signatures"] = []
    seq = forger.find(lambda body: any(event["type"] == "deck_shuffled" for event in body.get("events", ())))
    event = next(event for event in forger.body(seq)["events"] if event["type"] == "deck_shuffled")
    event["order"].reverse()
    return seq, forger.file()


def states(told):
    """The state of each check, by its id."""
    rows = told.locator(".checks li")
    return {row.locator("code").inner_text(): row.locator("strong").inner_text() for row in rows.all()}


def test_valid_file_passes_and_the_page_says_what_that_does_not_prove(visiting):
    told = checked(visiting, BATTALIA)

    assert told.locator("h2").inner_text() == "No problems found"
    assert {name for name, state in states(told).items() if state != "passed"} == {"AUD-04", "AUD-14", "AUD-15"}
    assert told.locator(".command").inner_text() == "oraclewheel audit game.ndjson"
    assert "A whole game can be made up" in told.inner_text()
    assert visiting.page.evaluate("document.activeElement.tagName") == "H2"


@pytest.mark.soak
def test_file_dropped_on_the_page_is_checked(visiting):
    page = visiting.open("/check")
    dropped = page.evaluate_handle(
        "(text) => { const all = new DataTransfer(); all.items.add(new File([text], 'dropped.ndjson')); return all }",
        NIM.decode(),
    )
    page.dispatch_event(".drop", "dragover", {"dataTransfer": dropped})
    page.dispatch_event(".drop", "drop", {"dataTransfer": dropped})

    assert outcome(page).locator(".command").inner_text() == "oraclewheel audit dropped.ndjson"
    assert outcome(page).locator("h2").inner_text() == "No problems found"


def test_first_divergence_is_shown_with_its_commit_check_and_reason(visiting):
    seq, data = forged()
    first = checked(visiting, data).locator(".first").inner_text()

    assert f"Commit {seq}" in first
    assert "AUD-08" in first
    assert "'order' of the event 'deck_shuffled' does not follow from the seed" in first
    assert "docs/audit.md, section 2. Chance" in first


@pytest.mark.soak
def test_file_that_is_not_an_export_fails_the_check(visiting):
    told = checked(visiting, b"hello\n")

    assert told.locator("h2").inner_text() == "This file failed the check"
    assert set(states(told).values()) == {"failed", "not checked"}


@pytest.mark.soak
def test_compressed_file_is_decompressed(visiting):
    assert checked(visiting, gzip.compress(NIM), "game.ndjson.gz").locator("h2").inner_text() == "No problems found"
    choose(visiting.page, gzip.compress(NIM)[:-9], "cut.ndjson.gz")
    visiting.page.get_by_text("is damaged and cannot be unpacked").wait_for()


@pytest.mark.soak
def test_game_of_this_service_can_be_checked_with_a_warning_about_its_keys(visiting, ada):
    game = ada.make_game("nim", seats=2, visibility="public")["id"]
    ada.seat_bot(game)
    ada.start(game)
    play_out([ada], game, Dice(b"web"))

    page = visiting.open(f"/check?game={game}")
    assert outcome(page).locator("h2").inner_text() == "No problems found"
    assert states(outcome(page))["AUD-04"] == "passed"
    page.locator("summary", has_text="keys and heads you trust").click()
    page.get_by_role("button", name="Use the keys of this service").click()
    page.locator("#worth", has_text="don't protect you from a dishonest service").wait_for()
    page.get_by_role("button", name="Check game").click()
    page.get_by_role("heading", name="No problems found, and your keys or heads confirm the game").wait_for()

    assert states(outcome(page))["AUD-14"] == "passed"


@pytest.mark.soak
def test_pasted_address_of_a_game_is_accepted(visiting, ada):
    game = ada.make_game("nim", seats=2, visibility="public")["id"]
    ada.seat_bot(game)
    ada.start(game)
    play_out([ada], game, Dice(b"web"))
    page = visiting.open("/check")
    page.fill("#game", f"{visiting.url}/games/{game}?at=3")
    page.get_by_role("button", name="Check game").click()

    page.get_by_role("heading", name="No problems found").wait_for()
    assert game == page.input_value("#game")


@pytest.mark.soak
def test_trusted_head_confirms_the_game_and_another_head_does_not(visiting):
    page = visiting.open("/check")
    page.locator("summary", has_text="keys and heads you trust").click()
    head = json.loads(NIM.splitlines()[-1])["head"]
    page.fill("#heads-given", f"7 {head}")
    choose(page, NIM)
    assert "confirms the whole game" in outcome(page).inner_text()
    page.fill("#heads-given", "ab" * 32)
    choose(page, NIM)
    page.locator(".first", has_text="not in the chain").wait_for()
    page.fill("#heads-given", head[:-1])
    choose(page, NIM)
    page.get_by_text("is not valid. Enter 64 hex digits.").wait_for()


@pytest.mark.soak
def test_unknown_game_is_reported_as_a_problem(visiting):
    visiting.expected.add(404)
    page = visiting.open("/check?game=gnothing")

    page.locator("ow-problem").wait_for()
    assert page.locator(".outcome").inner_text() == ""


@pytest.mark.soak
def test_running_game_passes_and_its_draws_are_not_checked_yet(visiting):
    visiting.expected.add(404)
    told = checked(visiting, running())

    assert told.locator("h2").inner_text() == "No problems found so far: the game is still running"
    assert states(told)["AUD-08"] == "not checked"


@pytest.mark.soak
def test_draws_of_an_unknown_game_kind_are_reported_as_not_checked(visiting):
    visiting.expected.add(404)
    told = checked(visiting, finished())

    assert told.locator("h2").inner_text() == "No problems found, but not everything was checked"
    assert "does not know the random draws of the game kind 'pennies'" in told.inner_text()


@pytest.mark.soak
@pytest.mark.parametrize("name", ["kind", *soak("game", "ruleset")])
def test_hostile_file_runs_no_script_and_adds_no_elements(visiting, name):
    visiting.expected.add(404)
    forger = Forger(NIM)
    forger.setup[name] = NAME + "\u202e"
    told = checked(visiting, forger.file(), f"{NAME}.ndjson")

    assert NAME in told.inner_text()
    assert told.locator(".command").inner_text() == "oraclewheel audit FILE"
    assert "\u202e" not in told.inner_text()
    assert visiting.page.evaluate("[globalThis.ran, document.querySelectorAll('main img').length]") == [None, 0]


@pytest.mark.soak
def test_page_says_if_the_browser_cannot_check_signatures(window):
    visiting = window()
    visiting.expected.add(404)
    visiting.context.add_init_script(
        "const real = crypto.subtle.importKey.bind(crypto.subtle);"
        "crypto.subtle.importKey = (format, data, how, ...rest) => how.name === 'Ed25519'"
        " ? Promise.reject(new DOMException('no', 'NotSupportedError')) : real(format, data, how, ...rest)"
    )
    told = checked(visiting, finished())

    assert "Signatures were not checked, because this browser does not support it." in told.inner_text()
    assert states(told)["AUD-04"] == "not checked"


@pytest.mark.soak
def test_page_without_cryptography_gives_no_verdict(window):
    visiting = window()
    visiting.context.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined })")
    page = visiting.open("/check")
    choose(page, NIM)

    page.locator(".outcome [role=alert]", has_text="was not loaded over HTTPS").wait_for()
    assert page.locator(".outcome li").count() == 0


@pytest.mark.soak
def test_new_file_replaces_one_that_is_being_checked(visiting):
    page = visiting.open("/check")
    choose(page, lengthened((RECORDINGS / "battalia-4-all-quarrel.ndjson").read_bytes(), 10_000), "long.ndjson")
    page.locator("progress").wait_for()
    choose(page, NIM, "short.ndjson")

    assert outcome(page).locator(".command").inner_text() == "oraclewheel audit short.ndjson"
    page.wait_for_timeout(1500)
    assert outcome(page).locator(".command").inner_text() == "oraclewheel audit short.ndjson"


@pytest.mark.soak
def test_check_of_ten_thousand_commits_shows_progress_and_stays_responsive(visiting, tmp_path):
    """The longest pause must be less than a third of the total time, which also holds on a busy machine."""
    longest = tmp_path / "long.ndjson"
    longest.write_bytes(lengthened((RECORDINGS / "battalia-4-all-quarrel.ndjson").read_bytes(), 10_000))
    page = visiting.open("/check")
    page.evaluate(
        "globalThis.seen = new Set(); globalThis.longest = 0; globalThis.began = performance.now(); let last = began;"
        "setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now;"
        " seen.add(document.querySelector('ow-check progress')?.value) }, 10)"
    )
    page.set_input_files("#file", longest)
    told = outcome(page)

    assert "in 10000 commits" in told.inner_text()
    assert told.locator("h2").inner_text() == "No problems found"
    assert page.evaluate("seen.size") > 10
    assert page.evaluate("longest / (performance.now() - began)") < 1 / 3


@pytest.mark.soak
@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_with_a_result(window, axe, scheme, width):
    visiting = window(color_scheme=scheme, viewport={"width": width, "height": 900})
    for data in (NIM, forged()[1]):
        checked(visiting, data)
        visiting.page.locator("summary").first.click()
        assert violations(visiting.page) == []
        assert visiting.page.evaluate("document.documentElement.scrollWidth") <= width
