"""The client apart from its pages: shortcuts, the connection, retried requests, resumed streams."""

from __future__ import annotations

import json

import pytest

from tests.driver import Player
from tests.soaking import soak
from tests.web.browsing import until


def begun(ada, kind="nim", **told):
    game = ada.make_game(kind, 2, **told)["id"]
    ada.seat_bot(game)
    ada.start(game)
    return game


@pytest.mark.soak
def test_frame_can_be_used_by_keyboard(visiting):
    page = visiting.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("?")
    assert "Start a new game" in page.get_by_role("dialog").inner_text()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0

    page.keyboard.press("n")
    page.get_by_role("heading", name="New game").wait_for()
    page.get_by_label("Your name").type("hn?")  # letters in a field are not shortcuts
    assert page.get_by_label("Your name").input_value() == "hn?"
    assert page.url.endswith("/new")


@pytest.mark.soak
def test_keyboard_shortcuts_can_be_disabled(visiting):
    page = visiting.open("/")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_label("Use keyboard shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.press("?")
    assert page.url.endswith("/") and page.get_by_role("dialog").count() == 0

    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_label("Use keyboard shortcuts").check()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.get_by_role("heading", name="New game").wait_for()


def test_navigation_is_announced_and_back_returns(visiting):
    page = visiting.open("/")
    page.get_by_role("navigation").get_by_role("link", name="Check").click()
    page.wait_for_url("**/check")
    until(page, "document.getElementById('news').textContent.startsWith('Check')")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.locator("nav [aria-current=page]").inner_text() == "Check a game"

    page.go_back()
    page.get_by_role("heading", name="Board games by post").wait_for()
    assert page.title() == "Oracle Wheel"


def test_frame_fits_a_window_that_is_320_pixels_wide(visiting):
    page = visiting.open("/")
    page.set_viewport_size({"width": 320, "height": 600})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.soak
def test_offline_notice_appears_and_disappears(visiting):
    page = visiting.open("/")
    visiting.context.set_offline(True)
    page.get_by_text("You're offline.").first.wait_for()
    visiting.context.set_offline(False)
    until(page, "document.getElementById('link').hidden")
    visiting.complaints = [each for each in visiting.complaints if "ERR_INTERNET_DISCONNECTED" not in each]


@pytest.mark.soak
def test_request_is_retried_with_the_same_idempotency_key(visiting, site):
    visiting.expected.add(503)
    sent = []

    def once(route, request):
        sent.append(request.headers["idempotency-key"])
        if len(sent) == 1:
            document = {"type": "x", "title": "Later", "detail": "Later", "status": 503, "code": "not-ready"}
            return route.fulfill(
                status=503,
                headers={"Retry-After": "1"},
                content_type="application/problem+json",
                body=json.dumps(document),
            )
        if len(sent) == 2:
            route.fetch()  # the request arrives, but its response is lost
            return route.abort()
        return route.continue_()

    visiting.page.route("**/v1/players", once)
    page = visiting.open("/")
    visiting.complaints.clear()
    page.get_by_label("Your name").fill("Cleo")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your turns").wait_for()

    assert len(sent) == 3
    assert len(set(sent)) == 1
    assert len(sent[0]) >= 32
    visiting.complaints = [each for each in visiting.complaints if "ERR_FAILED" not in each]


@pytest.mark.soak
def test_stream_messages_are_parsed_however_they_are_split(visiting):
    page = visiting.open("/")
    text = 'retry: 2000\n\n: a comment\n\nid: 1\ndata: {"a":"ä\\n"}\n\nid: 2\nevent: log-diverged\ndata: {"b":\ndata: 2}\n\n'
    read = page.evaluate(
        """async (text) => {
            const { parser } = await import("/app/api/stream.js");
            const all = [];
            for (let cut = 1; cut <= text.length; cut++) for (const ends of ["\\n", "\\r\\n", "\\r"]) {
                const found = [];
                const parse = parser((message) => found.push(message));
                const whole = text.replaceAll("\\n", ends);
                for (let at = 0; at < whole.length; at += cut) parse(whole.slice(at, at + cut));
                parse("\\n");
                all.push(JSON.stringify(found));
            }
            return [...new Set(all)];
        }""",
        text,
    )

    assert len(read) == 1
    assert json.loads(read[0]) == [
        {"id": "1", "event": "message", "data": {"a": "ä\n"}},
        {"id": "2", "event": "log-diverged", "data": {"b": 2}},
    ]


@pytest.mark.soak
def test_broken_stream_resumes_without_gaps(visiting, ada):
    game = begun(ada, "nim", options={"heaps": 8})
    visiting.sign_in(ada)
    page = visiting.open("/")
    page.evaluate(
        """(game) => void import("/app/api/stream.js").then(({ follow }) => {
            globalThis.seqs = []; globalThis.lives = [];
            follow(`/v1/games/${game}/events`, null, {
                message: (message) => seqs.push(message.data.seq), live: (live) => lives.push(live),
            }, new AbortController().signal);
        })""",
        game,
    )
    until(page, "globalThis.seqs?.length > 0")
    for _ in range(3):
        visiting.context.set_offline(True)
        ada.send(game, next(_commands(ada, game)))
        visiting.context.set_offline(False)
    last = ada.get(f"/v1/games/{game}").seq
    until(page, "(last) => seqs.at(-1) >= last", last)

    assert page.evaluate("seqs") == [entry["seq"] for entry in ada.events(game)]
    assert False in page.evaluate("lives")
    visiting.complaints = [each for each in visiting.complaints if "ERR_INTERNET_DISCONNECTED" not in each]


def _commands(player: Player, game):
    from domain.kernel.dice import Dice
    from domain.kernel.options import from_json, pick

    yield pick(
        [from_json(option) for option in player.options(game)["options"]], Dice(b"a stream that breaks".ljust(32))
    )


@pytest.mark.soak
@pytest.mark.parametrize("status", [404, *soak(403)])
def test_stream_of_a_private_game_ends_with_the_problem(visiting, ada, status):
    visiting.expected.add(404)
    game = begun(ada, visibility="private")
    page = visiting.open("/")
    code = page.evaluate(
        """(game) => import("/app/api/stream.js").then(({ follow }) => new Promise((done) =>
            follow(`/v1/games/${game}/events`, null, { message: () => done("told"), ended: (problem) => done(problem.code) }, new AbortController().signal)))""",
        game,
    )

    assert code == "unknown-game"


@pytest.mark.soak
def test_hostile_svg_is_sanitized(visiting):
    page = visiting.open("/")
    kept = page.evaluate(
        """async () => {
            globalThis.bad = () => document.body.dataset.bad = "bad";
            const { picture } = await import("/app/parts/trusted.js");
            const node = picture(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="bad()" style="color:red">
                <script>bad()</script><style>* { display: none }</style><foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="bad()"/></foreignObject>
                <a href="javascript:bad()"><text>x</text></a><use href="https://example.org/#a"/><use xlink:href="//example.org#a"/><use href="#own"/>
                <rect fill="url(https://example.org/x)" stroke="url(#own)" onclick="bad()" data-ref="B1"/><animate attributeName="href" to="javascript:bad()"/>
            </svg>`);
            document.body.append(node);
            return node.outerHTML;
        }"""
    )

    assert page.evaluate("document.body.dataset.bad") is None
    for gone in ("script", "style", "foreignObject", "javascript", "example.org", "onload", "onclick", "animate"):
        assert gone not in kept
    for stays in ('data-ref="B1"', 'href="#own"', 'stroke="url(#own)"'):
        assert stays in kept


def test_unsafe_links_and_attributes_are_refused(visiting):
    page = visiting.open("/")
    made = page.evaluate(
        """async () => {
            const { h } = await import("/app/parts/dom.js");
            const refused = ["onclick", "style", "srcdoc"].map((name) => { try { h("p", { [name]: "x" }); return "taken" } catch (error) { return error.name } });
            return [h("a", { href: "javascript:bad()" }).getAttribute("href"), h("a", { href: " javascript:bad()" }).getAttribute("href"),
                h("a", { href: "/x" }).getAttribute("href"), h("p", null, "<b>x</b>").innerHTML, ...refused];
        }"""
    )

    assert made == ["#", "#", "/x", "&lt;b&gt;x&lt;/b&gt;", "TypeError", "TypeError", "TypeError"]
