"""The page of a player: ratings with their history, results, results against others, and hidden parts."""

from __future__ import annotations

import time

import pytest

from domain.kernel.dice import Dice
from tests.driver import Player, play_out
from tests.web.browsing import violations


def play(*players, games=1, **told):
    """Finished public games of these players."""
    for number in range(games):
        made = players[0].make_game("nim", 2, visibility="public", table={"rated": True}, **told)["id"]
        players[1].join(made)
        players[0].start(made)
        play_out(list(players), made, Dice(b"player %d" % number))


@pytest.fixture(scope="module")
def pair(url):
    """Two players with rated games, which side workers have rated."""
    from tests.driver import Remote

    site = Remote(url)
    dora, emil = Player.register(site, "Dora"), Player.register(site, "Emil")
    play(dora, emil, games=6)
    until = time.monotonic() + 150  # the job runs every minute
    while not dora.get(f"/v1/players/{dora.id}/ratings", want=200).json["ratings"]:
        assert time.monotonic() < until
        time.sleep(1)
    yield dora, emil
    site.close()


@pytest.mark.soak
def test_profile_shows_ratings_results_and_opponents(visiting, pair):
    dora, emil = pair
    page = visiting.open(f"/players/{dora.id}")

    assert "Dora" == page.get_by_role("heading", level=1).inner_text()
    assert page.title().startswith("Dora")
    (rating,) = dora.get(f"/v1/players/{dora.id}/ratings", want=200).json["ratings"]
    told = page.get_by_role("region", name="Ratings")
    assert f"{rating['rating']:.1f}" in told.inner_text()
    assert told.get_by_role("img").count() == 1
    results = page.get_by_role("region", name="Results").get_by_role("row")
    assert 2 == results.count()
    against = page.get_by_role("region", name="Against others")
    against.get_by_role("link", name="Emil").click()
    page.get_by_role("heading", name="Emil", level=1).wait_for()
    assert page.url.endswith(f"/players/{emil.id}")


@pytest.mark.soak
def test_a_player_hides_parts_of_the_profile(window, site):
    fay, gus = Player.register(site, "Fay"), Player.register(site, "Gus")
    play(fay, gus)
    owner, other = window(), window()
    owner.expected.add(409)  # no email is sent here
    owner.sign_in(fay)
    page = owner.open("/me")
    part = page.get_by_role("region", name="Profile", exact=True)
    part.get_by_label("Hide my results and newest games").check()
    with page.expect_response("**/v1/me/profile"):
        part.get_by_role("button", name="Save").click()

    seen = other.open(f"/players/{fay.id}")
    seen.get_by_text("Fay hides: results and games.").wait_for()
    assert 0 == seen.get_by_role("region", name="Results", exact=True).count()
    own = owner.open(f"/players/{fay.id}")
    own.get_by_text("Others do not see: results and games.").wait_for()
    assert 1 == own.get_by_role("region", name="Results", exact=True).count()


def test_an_unknown_player_has_a_clear_problem(visiting):
    visiting.expected.add(404)
    page = visiting.page
    page.goto(f"{visiting.url}/players/nobody")

    page.get_by_text("There is no such player.").first.wait_for()


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [390, 1280])
def test_axe_finds_nothing_on_the_page_of_a_player(window, axe, pair, size, scheme):
    one = window(viewport={"width": size, "height": 900}, color_scheme=scheme)
    page = one.open(f"/players/{pair[0].id}")

    assert [] == violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
