"""Games of one kind can be told apart: titles, tags, private labels, opponents, whose turn it is, and deadlines."""

from __future__ import annotations

import pytest

from tests.driver import Player
from tests.web.browsing import violations
from tests.web.test_new import begin, sent

CLOCK = {"mode": "per_question", "hours": 30}


def five_games(ada, site):
    """Five running games of Nim between Ada and others, the first two with chosen titles and tags."""
    titles = [{"title": "Friday evening", "tags": ["beginners"]}, {"title": "Slow and steady", "tags": ["two-days"]}]
    games = []
    for place, told in enumerate([*titles, {}, {}, {}]):
        other = Player.register(site, ("Birk", "Cleo", "Dara", "Emil", "Fay")[place])
        game = ada.make_game("nim", 2, pace=CLOCK, **told)["id"]
        other.join(game)
        ada.start(game)
        games.append(game)
    return games


def test_home_page_tells_games_of_one_kind_apart(visiting, ada, site):
    games = five_games(ada, site)
    ada.call("PUT", f"/v1/games/{games[0]}/label", {"label": "League final"}, want=200)
    own = {turn["game"] for turn in ada.turns()}
    visiting.sign_in(ada)
    page = visiting.open("/")

    mine = page.get_by_role("region", name="My games", exact=True)
    mine.locator("li").nth(4).wait_for()
    for game in games:
        told = ada.summary(game)
        other = told["seats"][1]["player"]["name"]
        (card,) = [each for each in mine.locator("li").all() if told["title"] in each.inner_text()]
        turn = "Your turn" if game in own else f"Waiting for {other}"
        for text in (f"Nim: Ada and {other}", f"{turn}, due", *(f"#{tag}" for tag in told["tags"])):
            assert text in card.inner_text()
        assert ("League final" in card.inner_text()) == (game == games[0])
    waiting = page.get_by_role("region", name="Your turns")
    assert len(own) == waiting.locator("li").count()
    for turn in ada.turns():
        (card,) = [each for each in waiting.locator("li").all() if turn["title"] in each.inner_text()]
        assert f"Nim with {turn['opponents'][0]['name']}" in card.inner_text()


def test_creator_edits_the_title_and_players_label_the_game(visiting, window, ada, site):
    game = ada.make_game("nim", 2)["id"]
    birk = Player.register(site, "Birk")
    birk.join(game)
    visiting.sign_in(ada)
    page = visiting.open(f"/games/{game}")
    page.get_by_role("button", name="Edit title").click()
    page.get_by_role("textbox", name="Title").fill("Friday evening")
    page.get_by_role("textbox", name="Tags").fill("#Beginners, two-days")
    page.get_by_role("button", name="Save").click()

    page.get_by_role("heading", name="Friday evening", level=1).wait_for()
    assert ("Friday evening", ["beginners", "two-days"]) == tuple(birk.summary(game)[key] for key in ("title", "tags"))
    page.get_by_role("button", name="Add label").click()
    page.get_by_role("textbox", name="Label").fill("League final")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("League final").wait_for()
    ada.start(game)
    page.locator("ow-table h1", has_text="Friday evening").wait_for()
    assert page.title().endswith("Friday evening (Nim) · Oracle Wheel")
    assert page.get_by_role("button", name="Edit title").count() == 0
    page.get_by_role("button", name="Edit label").click()
    page.get_by_role("textbox", name="Label").fill("")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Add label").wait_for()
    assert ada.summary(game)["label"] is None

    other = window()
    other.sign_in(birk)
    page = other.open(f"/games/{game}")
    page.locator("ow-table h1", has_text="Friday evening").wait_for()
    assert page.get_by_text("League final").count() == 0


def test_wrong_tag_is_shown_at_its_field(visiting, ada):
    visiting.expected.add(422)
    game = ada.make_game("nim", 2)["id"]
    visiting.sign_in(ada)
    page = visiting.open(f"/games/{game}")
    page.get_by_role("button", name="Edit title").click()
    page.get_by_role("textbox", name="Tags").fill("it's")
    page.get_by_role("button", name="Save").click()

    page.locator("[data-pointer='/tags'] .fault", has_text="lowercase letters").wait_for()
    assert [] == ada.summary(game)["tags"]


def test_title_and_tags_are_set_in_the_form_for_a_new_game(visiting, ada):
    visiting.sign_in(ada)
    page = visiting.open("/new?kind=nim")
    page.get_by_text("Visibility and more").click()
    page.get_by_label("Title", exact=True).fill("Friday evening")
    page.get_by_label("Tags", exact=True).fill("beginners")

    body, answer = sent(page, lambda: begin(page))

    assert ("Friday evening", ["beginners"]) == (body["title"], body["tags"])
    assert ("Friday evening", ["beginners"]) == (answer.json()["title"], answer.json()["tags"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_no_violation_in_named_games(window, axe, ada, site, width, scheme):
    game = five_games(ada, site)[0]
    ada.call("PUT", f"/v1/games/{game}/label", {"label": "League final"}, want=200)
    visitor = window(viewport={"width": width, "height": 800}, color_scheme=scheme)
    visitor.sign_in(ada)
    page = visitor.open("/")
    page.get_by_role("region", name="My games", exact=True).locator("li").nth(4).wait_for()

    assert violations(page) == []
    page.goto(f"{visitor.url}/games/{game}")
    page.get_by_role("button", name="Edit label").click()
    assert violations(page, "dialog") == []
