"""The creator is notified once when the last seat is taken, by email, push and webhook, if the game still waits."""

from __future__ import annotations

import pytest

from tests.clock import StoreClock
from tests.core.http.problem import is_a_problem
from tests.notifications.hooked import Hooked
from tests.notifications.mail import MailServer
from tests.notifications.pushed import Pushing
from tests.notifications.test_email import HOUR, Office, at_once, link_in

__all__ = ["at_once"]


@pytest.fixture
def office():
    with MailServer() as running:
        yield Office(running)


@pytest.fixture
def hooked():
    made = Hooked()
    yield made
    made.close()


@pytest.fixture
def clock(monkeypatch):
    return StoreClock(monkeypatch)


def opened(world, **told):
    """Create an unstarted game of two seats: its creator, another player, and the game."""
    ash, birk = world.player("Ash"), world.player("Birk")
    return ash, birk, ash.make_game(title="Friday", **told)


@pytest.mark.parametrize("when", ["asked", "later", "daily"])
def test_creator_gets_an_email_when_the_last_seat_is_taken(office, when):
    ash, birk, made = opened(office.world)
    office.subscribed(ash, when=when)
    office.subscribed(birk)
    birk.join(made["id"], made["invitation"])

    (letter,) = office.carry()

    assert "ash@example.org" == letter["To"]
    assert "All seats are taken: Friday (Pennies with Birk)" == letter["Subject"]
    assert "Every seat is taken. Start the game when you are ready." in letter.get_body(("plain",)).get_content()
    answer = office.world.public.get(link_in(letter, "open"))
    assert answer.headers["Location"].partition("#")[0].endswith(f"/games/{made['id']}")
    assert [] == office.carry()


def test_email_about_a_full_game_is_not_sent_if_it_is_no_longer_full_or_has_started(office):
    for leaves in (True, False):
        ash, birk, made = opened(office.world)
        office.subscribed(ash)
        birk.join(made["id"], made["invitation"])
        if leaves:
            assert 204 == birk.call("DELETE", f"/v1/games/{made['id']}/seats/2").status
        else:
            ash.start(made["id"])
        assert not [letter for letter in office.carry() if letter["Subject"].startswith("All seats")]


def test_creator_who_fills_the_last_seat_gets_no_email(office):
    ash, _, made = opened(office.world)
    office.subscribed(ash)
    ash.seat_bot(made["id"])

    assert [] == office.carry()


def test_game_that_starts_by_itself_is_not_reported_as_full(office):
    ash, birk, made = opened(office.world, auto_start=True)
    office.subscribed(ash)
    birk.join(made["id"], made["invitation"])

    assert ["Your turn: Friday (Pennies with Birk)"] == [letter["Subject"] for letter in office.carry()]


def test_email_about_a_full_game_waits_for_the_end_of_quiet_hours(office, clock):
    ash, birk, made = opened(office.world)
    hours = [(office.store.schedule.now() // HOUR + offset) % 24 for offset in (0, 2)]
    office.subscribed(ash, quiet={"from": f"{hours[0]:02}:00", "to": f"{hours[1]:02}:00"})
    birk.join(made["id"], made["invitation"])

    assert [] == office.carry()
    clock.forward(2 * HOUR)
    assert 1 == len(office.carry())


def test_creator_without_a_seat_gets_an_email_with_a_link_to_the_game(office):
    ash, birk, made = opened(office.world)
    office.subscribed(ash)
    assert 204 == ash.call("DELETE", f"/v1/games/{made['id']}/seats/1").status
    office.world.player("Cyd").join(made["id"], made["invitation"])
    birk.join(made["id"], made["invitation"])

    (letter,) = office.carry()
    assert f"/games/{made['id']}" in letter.get_body(("plain",)).get_content()
    assert "/letters/open/" not in letter.get_body(("plain",)).get_content()


def test_creator_gets_a_push_notification_when_the_last_seat_is_taken(tmp_path):
    world = Pushing(tmp_path)
    try:
        ash, birk, made = opened(world)
        browser, other = world.browser(ash), world.browser(birk, "/other")
        birk.join(made["id"], made["invitation"])
        world.carry()

        (told,) = browser.notices
        assert ("full", made["id"], f"/games/{made['id']}") == (told["kind"], told["game"], told["path"])
        assert ("Friday (Pennies with Birk)", "Every seat is taken. Start the game when you are ready.") == (
            told["title"],
            told["text"],
        )
        assert [] == other.notices
        assert ["full"] == [
            each["kind"] for each in ash.get("/v1/me/devices", want=200).json["devices"][0]["notifications"]
        ]
    finally:
        world.close()


def test_creator_gets_a_webhook_event_when_the_last_seat_is_taken(hooked):
    ash, birk, made = opened(hooked)
    hooked.hook(ash, "/all")
    hooked.hook(ash, "/text", format="text")
    hooked.hook(ash, "/turns", events=["your_turn"])
    hooked.hook(birk, "/birk")
    birk.join(made["id"], made["invitation"])
    hooked.post_out()

    (got,) = hooked.receiver.got["/all"]
    assert ("game_full", made["id"], "pennies", 0) == (
        got.json["type"],
        got.json["data"]["game"],
        got.json["data"]["game_kind"],
        got.json["data"]["seq"],
    )
    assert ["game_full"] == got.json["data"]["events"]
    assert ("Friday", [{"seat": 2, "name": "Birk"}]) == (got.json["data"]["title"], got.json["data"]["opponents"])
    (text,) = hooked.receiver.got["/text"]
    assert b"Friday (Pennies with Ash and Birk)\nEvery seat is taken. Start the game when you are ready.\n" == text.body
    assert [] == list(hooked.receiver.got["/turns"]) == list(hooked.receiver.got["/birk"])


def test_webhook_event_about_a_full_game_is_retried_with_the_same_id(hooked):
    ash, birk, made = opened(hooked)
    hook = hooked.hook(ash)
    answers = iter([500])
    hooked.receiver.act["/hook"] = lambda *_: next(answers, 204)
    birk.join(made["id"], made["invitation"])
    hooked.post_out()

    ids = [got.id for got in hooked.receiver.got["/hook"]]
    assert 2 == len(ids) and 1 == len(set(ids))
    tries = ash.get(f"/v1/webhooks/{hook['id']}/deliveries", want=200).json["deliveries"]
    assert [("delivered", 2), ("failed", 1)] == [(each["state"], each["attempt"]) for each in tries]
    again = ash.post(f"/v1/webhooks/{hook['id']}/deliveries/{ids[0]}/redeliver", {})
    is_a_problem(again, 404, "unknown-delivery")


def test_webhook_disabled_in_the_meantime_gets_no_event_about_a_full_game(hooked):
    ash, birk, made = opened(hooked)
    hook = hooked.hook(ash)
    birk.join(made["id"], made["invitation"])
    ash.call("PATCH", f"/v1/webhooks/{hook['id']}", {"active": False}, want=200)
    hooked.post_out()

    assert [] == list(hooked.receiver.got["/hook"])
