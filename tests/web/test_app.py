"""A page on another origin plays one game, with a token that the player has allowed for that game alone."""

from __future__ import annotations

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from werkzeug.serving import make_server

from tests.core.http.conftest import World
from tests.driver import Player
from tests.web.browsing import ROOT, start_session, violations, visitor


@pytest.fixture
def page_url():
    """The page, on an origin of its own."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=ROOT / "clients" / "page")
    handler.log_message = lambda *_: None
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()


@pytest.fixture
def world(page_url):
    """A service that pages of the page's origin may use."""
    made = World(cors_origins=(page_url.removesuffix("/index.html"),))
    server = make_server("127.0.0.1", 0, made.app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def signed_in(browser, world):
    """A window of Ash, who is signed in."""
    ash = world.player("Ash")
    context = browser.new_context()
    start_session(context, world.url, ash)
    window = visitor(context, world.url)
    yield ash, window
    complaints = window.problems()
    context.close()
    assert complaints == []


def test_page_on_another_origin_plays_one_game(world, page_url, signed_in, axe):
    ash, window = signed_in
    birk = world.player("Birk")
    game = birk.make_game("nim", 2, title="Friday")["id"]
    ash.join(game)
    birk.start(game)
    app = birk.post("/v1/apps", {"name": "Nim in one page", "redirect_uris": [page_url]}, want=201).json["id"]
    page = window.page

    page.goto(f"{page_url}?service={world.url}&client_id={app}&game={game}")
    page.get_by_role("button", name="Connect").click()
    page.get_by_role("heading", name="Let Nim in one page act for you?").wait_for()
    assert "Only this game: Friday (Nim with Birk)" in page.inner_text("fieldset")
    assert violations(page) == []
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(page_url)
    for _ in range(20):
        if world.public.summary(game)["status"] == "over":
            break
        for question in birk.turns():
            option = birk.options(game, only="answers")["options"][0]
            assert game == question["game"]
            birk.send(game, {"type": "take", **option["fixed"], "objects": 1}, want=200)
        page.get_by_text("Your turn.").or_(page.get_by_text("The game is over.")).wait_for()
        if page.get_by_text("Your turn.").count():
            before = world.store.log.head(game)[0]
            page.get_by_role("button", name="Take 1 from heap").first.click()
            while world.store.log.head(game)[0] == before:
                page.wait_for_timeout(20)

    page.get_by_text("The game is over.").wait_for()
    taken = [each for each in world.public.events(game) if each["seat"] == 2 and each["by"] == "player"]
    assert {"Nim in one page"} == {each["via"] for each in taken}
    token = Player(world.site, page.evaluate("sessionStorage.access"))
    assert 200 == token.get(f"/v1/games/{game}").status
    for path in ("/v1/games", f"/v1/games/{birk.make_game('nim', 2)['id']}", "/v1/me"):
        assert "insufficient-scope" == token.get(path, want=403).code


def test_player_who_cancels_returns_to_the_page(world, page_url, signed_in):
    ash, window = signed_in
    game = ash.make_game("nim", 2)["id"]
    app = ash.post("/v1/apps", {"name": "Nim in one page", "redirect_uris": [page_url]}, want=201).json["id"]
    page = window.page

    page.goto(f"{page_url}?service={world.url}&client_id={app}&game={game}")
    page.get_by_role("button", name="Connect").click()
    page.get_by_role("button", name="Cancel").click()

    page.get_by_text("It did not work: access_denied").wait_for()
    assert [] == ash.get("/v1/me/apps").json["apps"]
