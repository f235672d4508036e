"""The link in an email opens its game in a browser, signed in for that game only."""

from __future__ import annotations

import re

import pytest

from tests.driver import Player, Remote
from tests.notifications.mail import MailServer
from tests.web.browsing import until
from tests.workers.crew import eventually
from tests.workers.test_serve import Instance


@pytest.fixture(scope="module")
def mail():
    with MailServer() as running:
        yield running


@pytest.fixture(scope="module")
def service(tmp_path_factory, mail):
    instance = Instance(
        tmp_path_factory.mktemp("service"),
        ORACLEWHEEL_SMTP_URL=mail.url,
        ORACLEWHEEL_MAIL_FROM="post@example.org",
        ORACLEWHEEL_RATE_REQUESTS="0",
    )
    instance.environ["ORACLEWHEEL_PUBLIC_URL"] = instance.url
    yield instance.start()
    instance.stop()


@pytest.fixture(scope="module")
def url(service):
    return service.url


def newest_link(mail, kind):
    """The link of this kind in the newest email that has one."""

    def found():
        texts = [letter.get_body(("plain",)).get_content() for _, letter in mail.letters]
        return [link for text in texts for link in re.findall(rf"https?://[^/]+/letters/{kind}/[\w-]+", text)]

    eventually(found)
    return found()[-1]


@pytest.fixture
def ada(url):
    site = Remote(url)
    yield Player.register(site, "Ada")
    site.close()


@pytest.fixture
def game(url, ada, mail):
    """A private game in which it is Ada's turn, with an email about it."""
    mail.letters.clear()
    ada.call("PUT", "/v1/me/email", {"address": f"{ada.id}@example.org", "reminders": False}, want=200)
    Player(ada.site).post(newest_link(mail, "confirm").removeprefix(url), b"", want=200)
    game = ada.make_game("battalia", 2)["id"]
    ada.seat_bot(game, "greedy")
    ada.start(game)
    return game


PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.mark.soak
def test_email_link_opens_the_game_signed_in_for_that_game_only(window, mail, game, ada):
    visiting = window(**PHONE)
    page = visiting.page

    page.goto(newest_link(mail, "open"))
    page.locator("ow-desk .menu").first.wait_for()

    assert page.url.endswith(f"/games/{game}")
    assert page.locator("#who").inner_text() == "Ada (this game only)"
    assert page.locator("ow-board svg").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("localStorage.getItem('ow.session')") is None
    page.reload()
    page.locator("ow-desk .menu").first.wait_for()
    page.locator("header a.brand").click()
    until(page, "document.getElementById('who').textContent === 'Sign in'")
    page.go_back()
    until(page, "document.getElementById('who').textContent.startsWith('Ada')")


@pytest.mark.soak
def test_email_link_changes_nothing_for_a_reader_who_is_signed_in(window, mail, game, ada):
    visiting = window()
    visiting.sign_in(ada)

    visiting.page.goto(newest_link(mail, "open"))
    visiting.page.locator("ow-desk .menu").first.wait_for()

    assert visiting.page.locator("#who").inner_text() == "Ada"
    assert visiting.page.evaluate("sessionStorage.length") == 0
