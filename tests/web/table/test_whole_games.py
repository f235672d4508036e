"""Whole games in the browser: two players' two weeks by mouse, and a round of a large game by keyboard."""

from __future__ import annotations

import random

import pytest

from tests.driver import Player
from tests.web.browsing import until
from tests.web.table.clicking import Clicker
from tests.web.table.test_any_game import ALL

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3000)]

ENDS = "ow-desk [data-key=end]:not([disabled])"
MOST = 3
"""The number of commands in a turn before it is ended."""


@pytest.mark.soak
def test_two_players_finish_two_weeks_with_all_modules_by_mouse(site, ada, sit):
    birk = Player.register(site, "Birk")
    game = ada.make_game("battalia", 2, visibility="public", modules=ALL, options={"max_weeks": 2})["id"]
    birk.join(game)
    ada.start(game)
    people = [Clicker(sit(player, game).page, random.Random(seed)) for seed, player in enumerate((ada, birk), 11)]
    since = [0, 0]

    for _ in range(1000):
        if ada.summary(game)["status"] == "over":
            break
        for place, person in enumerate(people):
            if person.standing() != "asked":
                continue
            ends = person.page.locator(ENDS)
            if since[place] >= MOST and ends.count():
                ends.click()
                person.settled()
                since[place] = 0
            else:
                person.turn()
                since[place] += 1
        people[0].page.wait_for_timeout(30)

    outcome = ada.summary(game)["outcome"]
    assert outcome is not None
    assert [each for person in people for each in person.problems if "The game has changed" not in each] == []
    for person in people:
        until(person.page, "() => document.querySelector('ow-desk').game.over")
        assert "Game over" in person.page.locator(".asked").inner_text()


@pytest.mark.soak
def test_round_of_a_large_game_can_be_played_by_keyboard_alone(ada, begin, sit):
    """Uses only arrow keys, Enter and the keyboard shortcuts of the page."""
    game = begin(ada, "fronela", 4, bot="greedy")
    page = sit(ada, game).page
    dice = random.Random(23)
    rounds = ada.view(game)["public"]["round"]

    for _ in range(300):
        if ada.view(game)["public"]["round"] > rounds or ada.summary(game)["status"] == "over":
            break
        until(
            page,
            "() => { const desk = document.querySelector('ow-desk'); return !desk.busy && (desk.game.over || desk.game.asked.length > 0) }",
            seconds=60,
        )
        made = "() => !(document.querySelector('ow-desk [data-key=send]')?.disabled ?? true)"
        for _ in range(12):
            if page.evaluate(made):
                break
            if (
                dice.random() < 0.3
                and page.locator(".making fieldset.next").count()
                and page.locator("ow-board .next").count()
            ):
                page.keyboard.press("b")
                page.keyboard.press(dice.choice(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]))
                page.keyboard.press("Enter")
            else:
                many = page.locator("ow-desk .menu .action, ow-desk fieldset.next button.choice").count()
                page.keyboard.press(str(dice.randint(1, max(1, min(many, 9)))))
        assert page.evaluate(made), page.locator("ow-desk").inner_text()
        page.keyboard.press("s")
        until(page, "() => !document.querySelector('ow-desk').busy", seconds=60)
        assert page.locator("ow-desk .failed").count() == 0, page.locator("ow-desk .failed").inner_text()

    assert ada.view(game)["public"]["round"] > rounds
