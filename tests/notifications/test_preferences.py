"""Player preferences for all notifications: time zone and quiet hours, used by email, feeds and webhooks."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest

from service.features.email.mailbox import find_mailbox
from tests.clock import StoreClock
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.driver import Player
from tests.notifications.hooked import Hooked
from tests.notifications.mail import MailServer
from tests.notifications.test_email import CLOCK, HIDE, HOUR, Office, link_in, table

NIGHT = {"from": "22:00", "to": "08:00"}
NOTHING_SAID = {"zone": "UTC", "quiet": None}
THERE = "Pacific/Chatham"
"""A time zone that no test machine uses."""


def prefer(player, want=200, **told):
    return player.call("PUT", "/v1/me/preferences", told, want=want)


def preferred(player):
    return player.get("/v1/me/preferences", want=200).json


def in_zone(instant, form="%Y-%m-%d %H:%M"):
    return datetime.fromtimestamp(instant / 1000, UTC).astimezone(ZoneInfo(THERE)).strftime(form)


@pytest.fixture
def office(monkeypatch):
    monkeypatch.setattr("service.features.email.handler.ONLINE_MILLISECONDS", 0)
    with MailServer() as server:
        yield Office(server)


@pytest.fixture
def clock(monkeypatch):
    return StoreClock(monkeypatch)


@pytest.fixture
def world():
    return World()


# -- setting preferences ------------------------------------------------------------------------------------------------


def test_put_replaces_all_preferences_of_the_player_only(world):
    ash, birk = world.player(), world.player()

    assert NOTHING_SAID == preferred(ash)
    assert {"zone": THERE, "quiet": NIGHT} == prefer(ash, zone=THERE, quiet=NIGHT).json == preferred(ash)
    assert {"zone": THERE, "quiet": None} == prefer(ash, zone=THERE, quiet=None).json == preferred(ash)
    prefer(ash, zone=THERE, quiet=NIGHT)
    assert {"zone": "UTC", "quiet": NIGHT} == prefer(ash, quiet=NIGHT).json == preferred(ash)
    assert NOTHING_SAID == prefer(ash).json == preferred(ash)
    assert NOTHING_SAID == preferred(birk)
    ash.call("PATCH", "/v1/me", {"name": "Another"}, want=200)
    prefer(ash, zone=THERE)
    assert (THERE, "Another") == (preferred(ash)["zone"], ash.get("/v1/me").json["name"])


def test_preferences_and_email_settings_share_zone_and_quiet_hours(office):
    ash = office.world.player("Ash")
    prefer(ash, zone=THERE, quiet=NIGHT)

    body = {"address": "ash@example.org"}
    told = ash.call("PUT", "/v1/me/email", body, want=200).json
    assert (THERE, NIGHT) == (told["zone"], told["quiet"]), "what is not named there stays"

    ash.call("PUT", "/v1/me/email", {**body, "zone": "Europe/Sofia"}, want=200)
    assert {"zone": "Europe/Sofia", "quiet": NIGHT} == preferred(ash), "what is named there is the player's own"

    ash.call(
        "PUT", "/v1/me/email", {"address": "other@example.org", "quiet": {"from": "01:00", "to": "02:00"}}, want=200
    )
    assert {"zone": "Europe/Sofia", "quiet": {"from": "01:00", "to": "02:00"}} == preferred(ash)

    prefer(ash, zone=THERE)
    told = office.state(ash)
    assert (THERE, None) == (told["zone"], told["quiet"])
    ash.call("DELETE", "/v1/me/email", want=204)
    assert THERE == preferred(ash)["zone"]


def test_outdated_mailbox_written_by_a_worker_does_not_change_preferences(office, clock):
    """The worker read the mailbox earlier, and writes it to count a refused email."""
    game, ash, birk = table(office, pace=CLOCK)
    office.subscribed(ash)
    before = find_mailbox(office.store, ash.id)
    begins, ends = _two_hours_from(office.store.schedule.now())
    prefer(ash, zone=THERE, quiet={"from": begins, "to": ends})
    office.store.subscriptions.change(before)

    assert (THERE, {"from": begins, "to": ends}) == tuple(office.state(ash)[name] for name in ("zone", "quiet"))
    for player in (ash, birk):
        player.send(game, HIDE, want=200)
    assert [] == office.carry(), "quiet"
    clock.forward(2 * HOUR)
    assert f"({THERE})" in office.carry()[0].get_body(("plain",)).get_content()


# -- effect of preferences ----------------------------------------------------------------------------------------------


def _two_hours_from(now):
    """Return quiet hours in `ONLINE_MILLISECONDS` that have begun and end within two hours."""
    then = [in_zone(now + ahead, "%H:%M") for ahead in (-60_000, 2 * HOUR - 120_000)]
    return then[0], then[1]


def test_email_waits_for_the_end_of_the_players_quiet_hours(office, clock):
    game, ash, birk = table(office, pace=CLOCK)
    office.subscribed(ash)
    begins, ends = _two_hours_from(office.store.schedule.now())
    prefer(ash, zone=THERE, quiet={"from": begins, "to": ends})
    for player in (ash, birk):
        player.send(game, HIDE, want=200)

    assert [] == office.carry()
    clock.forward(2 * HOUR)
    (letter,) = office.carry()

    (due,) = [turn["deadline"] for turn in ash.turns()]
    assert f"{in_zone(due, '%H:%M')} ({THERE})" in letter.get_body(("plain",)).get_content()


def test_daily_email_follows_a_changed_time_zone(office, clock):
    _, ash, _ = table(office)
    now = time.gmtime(office.store.schedule.now() // 1000)
    office.subscribed(ash, when="daily", hour=(now.tm_hour + 13) % 24)
    clock.forward(5 * HOUR)
    assert [] == office.carry()

    # In this zone the hour of the daily email comes within the next hour.
    prefer(ash, zone="Etc/GMT-7")
    clock.forward(HOUR)
    assert 1 == len(office.carry())
    clock.forward(22 * HOUR)
    assert [] == office.carry(), "and not by the old zone as well"
    clock.forward(2 * HOUR)
    assert 1 == len(office.carry())


def test_first_daily_email_after_confirmation_uses_the_players_time_zone(office, clock):
    _, ash, _ = table(office)
    now = time.gmtime(office.store.schedule.now() // 1000)
    ash.call("PUT", "/v1/me/email", {"address": "ash@example.org", "when": "daily", "hour": (now.tm_hour + 8) % 24})
    (asking,) = office.carry()
    before = find_mailbox(office.store, ash.id)
    prefer(ash, zone="Etc/GMT-7")
    office.store.subscriptions.change(before)
    office.world.public.post(link_in(asking, "confirm"), b"", want=200)

    clock.forward(HOUR)
    assert 1 == len(office.carry())


def test_feeds_show_times_in_the_time_zone_of_their_player(world):
    _, ash, birk = world.table("Ash", "Birk", pace=CLOCK)
    paths = {
        (player.name, kind): urlsplit(player.post("/v1/me/feeds", {"kind": kind}, want=201).json["url"]).path
        for player in (ash, birk)
        for kind in ("turns", "calendar")
    }
    prefer(ash, zone=THERE)
    (due,) = [turn["deadline"] for turn in ash.turns()]

    def read(name, kind):
        return world.public.get(paths[name, kind], want=200).text.replace("\r\n ", "")

    for kind in ("turns", "calendar"):
        assert f"Deadline: {in_zone(due)} ({THERE})" in read("Ash", kind)
        assert THERE not in read("Birk", kind)
        assert " UTC" in read("Birk", kind)


@pytest.mark.parametrize("reader", ["seat", "public"])
def test_webhooks_show_the_owners_time_zone_only_to_the_owners_seat(reader):
    world = Hooked()
    ash, birk = world.player("Ash"), world.player("Birk")
    prefer(ash, zone=THERE)
    world.hook(ash, format="text", reader=reader)
    made = ash.make_game(seats=2, pace=CLOCK)
    birk.join(made["id"], made["invitation"])
    ash.start(made["id"])
    (due,) = [turn["deadline"] for turn in ash.turns()]
    world.post_out()

    said = "\n".join(got.body.decode() for got in world.receiver.got["/hook"])
    world.close()
    assert (f"Deadline: {in_zone(due)} ({THERE})" in said) == (reader == "seat")
    assert (THERE in said) == (reader == "seat")
    assert (" UTC" in said) == (reader == "public")


# -- invalid requests -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"zone": "Europe/Nowhere"}, "/zone"),
        ({"zone": ""}, "/zone"),
        ({"zone": None}, "/zone"),
        ({"zone": 1}, "/zone"),
        ({"zone": "../../etc/passwd"}, "/zone"),
        ({"zone": "x" * 65}, "/zone"),
        ({"quiet": []}, "/quiet"),
        ({"quiet": "22:00"}, "/quiet"),
        ({"quiet": {"from": "22:00"}}, "/quiet/to"),
        ({"quiet": {"to": "22:00"}}, "/quiet/from"),
        ({"quiet": {"from": "22:00", "to": "24:00"}}, "/quiet/to"),
        ({"quiet": {"from": "8", "to": "09:00"}}, "/quiet/from"),
        ({"quiet": {"from": 8, "to": "09:00"}}, "/quiet/from"),
        ({"quiet": {**NIGHT, "on": True}}, "/quiet/on"),
        ({"colour": "red"}, "/colour"),
        ({"quiet_from": "22:00"}, "/quiet_from"),
    ],
)
def test_invalid_preference_is_422_with_a_pointer_and_changes_nothing(world, body, pointer):
    ash = world.player()
    prefer(ash, zone=THERE, quiet=NIGHT)

    document = is_a_problem(ash.call("PUT", "/v1/me/preferences", body), 422, "invalid")

    assert pointer == document["pointer"]
    assert {"zone": THERE, "quiet": NIGHT} == preferred(ash)


def test_preferences_need_a_token_with_write_scope_and_a_valid_body(world):
    ash = world.player()
    eyes = Player(world.site, ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"])

    is_a_problem(world.public.call("PUT", "/v1/me/preferences", {}), 401, "no-token")
    is_a_problem(world.public.get("/v1/me/preferences"), 401, "no-token")
    is_a_problem(eyes.call("PUT", "/v1/me/preferences", {"zone": THERE}), 403, "insufficient-scope")
    is_a_problem(ash.call("PUT", "/v1/me/preferences", b"{"), 400, "malformed-json")
    is_a_problem(ash.call("PUT", "/v1/me/preferences", b"[]"), 422, "invalid")
    is_a_problem(ash.get("/v1/me/preferences", colour="red"), 422, "invalid")
    assert NOTHING_SAID == preferred(eyes)


def test_a_refused_address_changes_no_preferences(office):
    ash = office.world.player()
    prefer(ash, zone=THERE)
    body = {"address": "ash@example.org", "when": "asked", "minutes": 5, "zone": "Europe/Sofia"}

    is_a_problem(ash.call("PUT", "/v1/me/email", body), 422, "invalid")

    assert THERE == preferred(ash)["zone"]
