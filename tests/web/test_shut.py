"""Pages that cannot be shown say why, wrong clocks show no wrong deadlines, and oversized files are refused."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from tests.soaking import soak
from tests.web.browsing import until, violations

TITLE = "This page is not available"


@pytest.mark.parametrize("path", ["/games/gnone", *soak("/games/gnone/replay", "/games/%00", f"/games/{'g' * 300}")])
def test_page_of_an_unknown_game_says_so_and_links_onward(visiting, axe, path):
    visiting.expected.add(404)
    page = visiting.open(path)

    assert page.locator("main h1").inner_text() == TITLE
    assert "There is no such game." in page.get_by_role("alert").inner_text()
    assert page.get_by_role("link", name="sign in", exact=True).get_attribute("href") == "/me"
    assert page.title().startswith("Not available")
    assert violations(page) == []
    page.get_by_role("link", name="See your turns, open games").click()
    page.get_by_role("heading", level=1).first.wait_for()
    assert page.url.rstrip("/") == visiting.url


@pytest.mark.parametrize("replay", ["", *soak("/replay")])
def test_private_game_is_shown_when_one_of_its_players_signs_in(visiting, ada, replay):
    visiting.expected.add(404)
    game = ada.make_game("nim", visibility="private", title="Friday")["id"]
    ada.seat_bot(game, "random")
    ada.start(game)
    page = visiting.open(f"/games/{game}{replay}")
    assert page.locator("main h1").inner_text() == TITLE

    page.evaluate("(token) => import('/app/parts/account.js').then(({ signIn }) => signIn(token))", ada.token)

    page.get_by_role("heading", name="Friday").first.wait_for()
    assert page.get_by_text(TITLE).count() == 0


@pytest.mark.soak
def test_unavailable_page_names_the_signed_in_account(visiting, ada, site):
    visiting.expected.add(404)
    game = type(ada).register(site, "Bo").make_game("nim", visibility="private")["id"]
    visiting.sign_in(ada)

    page = visiting.open(f"/games/{game}")

    assert page.locator("main h1").inner_text() == TITLE
    assert "You're signed in as Ada" in page.locator("main").inner_text()


FAR = "(at) => import('/app/parts/when.js').then((when) => when.far(at))"
HOURS = 3_600_000


@pytest.mark.soak
@pytest.mark.parametrize("wrong", [-5, 5, 0])
def test_relative_deadline_uses_the_clock_of_the_service(visiting, wrong):
    now = time.time()
    visiting.page.clock.set_fixed_time(datetime.fromtimestamp(now + wrong * 3600, UTC))

    page = visiting.open("/")

    until(page, f"() => ({FAR})({now * 1000 + 2 * HOURS + 60_000}).then((far) => far === 'in 2 hours')", seconds=30)
    ahead = page.evaluate("import('/app/api/clock.js').then((clock) => clock.now() - Date.now())")
    assert abs(ahead + wrong * HOURS) < 120_000


@pytest.mark.soak
def test_clock_ignores_cached_and_slow_responses(visiting):
    page = visiting.open("/")
    heard = """(answers) => import('/app/api/clock.js').then((clock) => answers.map(([told, kept, sent, got]) => {
        const before = clock.now() - Date.now();
        clock.heard(new Response("", {headers: {Date: new Date(told).toUTCString(), "Cache-Control": kept}}), sent, got);
        return Math.round((clock.now() - Date.now() - before) / 1000);
    }))"""
    now = int(time.time()) * 1000

    cached, waited, ahead, back = page.evaluate(  # in one call, because the page also reads the right time by itself
        heard,
        [
            [now - 9000, "public, max-age=300", now, now],
            [now, "no-cache", now - 60_000, now + 500],
            [now + 7000, "no-store", now, now],
            [now, "no-store", now, now],
        ],
    )

    assert (cached, waited, ahead) == (0, 0, 7), "what was kept, and what took long, proves nothing"
    assert back in (-7, -6)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"\n" * 1_000_001, "too many lines for a game export"),
        (b"{}\n" + b"x" * (4 * 1024 * 1024 + 1), "Line 2 of this file is too long"),
        (b"[" * 100_000 + b"\n" + b"]" * 100_000, "JSON"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"\n" * 3, "nested too deep"),
    ],
    ids=["lines", "a line", "no JSON", "depth"],
)
def test_file_that_is_too_large_to_parse_is_refused_with_a_message(visiting, body, told):
    page = visiting.open("/check")

    page.locator("#file").set_input_files({"name": "huge.ndjson", "mimeType": "application/x-ndjson", "buffer": body})

    page.locator(".outcome").get_by_text(told).first.wait_for()
    assert page.locator(".outcome[aria-busy]").count() == 0
