"""Loading a running game: nothing is requested twice, and nothing waits for what it does not need."""

from __future__ import annotations

import re

import pytest

from tests.web.browsing import until
from tests.web.test_site import PRELOADED

EARLIEST = "() => document.querySelector('ow-desk .menu .action') !== null"


def held(page, path):
    """Collect requests whose URL matches the pattern `path`; each waits until the test calls `continue_()`."""
    routes = []

    def hold(route):
        routes.append(route)

    page.route(re.compile(path), hold)
    return routes


@pytest.fixture
def asked(begin, ada, window):
    """A game of Ada's, her window before the game is opened, and the list of paths that it requests."""
    game = begin(ada, "battalia", 3)
    visiting = window()
    visiting.sign_in(ada)
    visiting.open("/check")  # from now on the browser knows whose session it has
    paths: list[str] = []
    visiting.page.on("request", lambda request: paths.append(re.sub(r"^https?://[^/]+|\?.*", "", request.url)))
    return game, visiting, paths


@pytest.mark.soak
def test_page_preloads_all_modules_and_requests_nothing_twice(asked):
    game, visiting, paths = asked
    # The side panels load their own data, on a busy machine even before the desk is ready. So they are held back.
    beside = held(visiting.page, r"/side/side\.js$")
    visiting.page.goto(f"{visiting.url}/games/{game}")
    until(visiting.page, EARLIEST, seconds=60)
    head = visiting.page.request.get(f"{visiting.url}/games/{game}").text()

    usable = [path for path in paths if "/side/" not in path and "/events" not in path]
    modules = {path for path in usable if path.endswith(".js")}
    assert modules <= set(PRELOADED.findall(head)) | {"/app/main.js"}
    own = f"/v1/games/{game}"
    api = [path for path in usable if path.startswith("/v1/")]
    assert sorted(api) == sorted(
        [own, "/v1/kinds", f"{own}/view", f"{own}/board.svg", f"{own}/options", "/v1/kinds/battalia"]
    )

    beside[0].continue_()
    visiting.page.locator("ow-side").wait_for()


@pytest.mark.soak
@pytest.mark.parametrize("slow", ["options", "view", "kinds/battalia"])
def test_board_is_shown_while_other_requests_are_slow(asked, slow):
    game, visiting, _ = asked
    waiting = held(visiting.page, rf"/v1/.*{slow}(\?|$)")
    visiting.page.goto(f"{visiting.url}/games/{game}")
    visiting.page.locator("ow-board svg").wait_for()
    until(visiting.page, "() => document.querySelector('ow-desk') === null")

    assert len(waiting) == 1
    waiting[0].continue_()
    until(visiting.page, EARLIEST, seconds=60)
