"""The email address of a player: confirmed by its reader, erased on request, and never revealed."""

from __future__ import annotations

import re
import time
from urllib.parse import urlsplit

import pytest

from service.core.http.access import auth
from service.core.http.context import tokens
from service.core.http.reference.routes import ROUTES
from service.features.email import api, links
from service.features.email.mailbox import Mailbox, find_mailbox
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.driver import Player

ADDRESS = "ada@example.org"
LETTERS = {
    "smtp_url": "smtp://127.0.0.1:1",
    "mail_from": "post@games.example.org",
    "public_url": "https://games.example.org",
}


@pytest.fixture
def world():
    return World(**LETTERS)


def put(player, want=200, **told):
    return player.call("PUT", "/v1/me/email", {"address": ADDRESS, **told}, want=want)


def link(world, player, kind, game=None):
    """A link as in an email."""
    subscription = find_mailbox(world.store, player.id)
    box = Mailbox.from_subscription(subscription)
    secret = box.leave if kind == "leave" else links.create_link(world.store, subscription, box, kind, game)
    return f"/letters/{kind}/{secret}"


def confirmed(world, player, **told):
    put(player, **told)
    world.public.post(link(world, player, "confirm"), b"", want=200)


def owed(world):
    """Kinds of pending deliveries in the outbox other than commits."""
    return sorted(
        each.subject.partition(":")[0] for each in world.store.outbox.claim(range(256), 64, 1) if each.subject
    )


def test_an_address_gets_only_a_confirmation_email_until_it_is_confirmed(world):
    game, ash, _ = world.table()
    told = put(ash, zone="Europe/Sofia", quiet={"from": "22:00", "to": "08:00"}).json
    path = link(world, ash, "confirm")

    page = world.public.get(path, want=200)
    before = ash.get("/v1/me/email").json
    world.public.post(path, b"", want=200)
    after = ash.get("/v1/me/email").json

    assert ["confirm"] == owed(world)
    assert (False, False, True) == (told["verified"], before["verified"], after["verified"])
    assert ADDRESS in page.text
    assert 'method="post"' in page.text
    assert {"from": "22:00", "to": "08:00"} == after["quiet"]
    assert ("Europe/Sofia", "asked", True, None) == tuple(after[n] for n in ("zone", "when", "reminders", "hour"))
    world.public.get(path, want=200)
    world.public.post(path, b"", want=200)
    assert game in world.public.get(f"/v1/games/{game}").text


def test_a_new_address_needs_confirmation_and_voids_the_links_of_the_old_one(world):
    ash = world.player()
    confirmed(world, ash)
    old = [link(world, ash, kind) for kind in ("confirm", "leave")]

    told = put(ash, address="other@example.org").json

    assert not told["verified"]
    assert 1 == len(world.store.accounts.addresses(ash.id, "letters"))
    for path in old:
        is_a_problem(world.public.get(path), 404, "not-found")
        is_a_problem(world.public.post(path, b""), 404, "not-found")
    assert not ash.get("/v1/me/email").json["verified"]


def test_settings_of_a_confirmed_address_change_without_a_new_confirmation(world):
    ash = world.player()
    confirmed(world, ash)
    owed(world)

    told = put(ash, when="daily", hour=20).json

    assert (True, "daily", 20, None) == tuple(told[name] for name in ("verified", "when", "hour", "minutes"))
    assert "off" == put(ash, when="off").json["when"]


def test_one_click_unsubscribes_without_a_token_until_confirmed_again(world):
    ash = world.player()
    confirmed(world, ash)
    path = link(world, ash, "leave")

    asked = world.public.get(path, want=200)
    before = ash.get("/v1/me/email").json
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    world.public.post(path, b"List-Unsubscribe=One-Click", headers=headers, want=200)
    after = ash.get("/v1/me/email").json
    again = put(ash).json

    assert "Unsubscribe from email" in asked.text
    assert (None, "unsubscribed") == (before["disabled_reason"], after["disabled_reason"])
    assert (False, None) == (again["verified"], again["disabled_reason"])
    assert not find_mailbox(world.store, ash.id).active


def test_a_confirmation_link_is_void_after_unsubscribing(world):
    ash = world.player()
    put(ash)
    path = link(world, ash, "confirm")
    world.public.post(path, b"", want=200)
    world.public.post(link(world, ash, "leave"), b"", want=200)

    for method in ("GET", "POST"):
        is_a_problem(world.public.call(method, path), 404, "not-found")
    after = ash.get("/v1/me/email").json
    assert (False, "unsubscribed") == (after["verified"], after["disabled_reason"])


def test_unsubscribing_during_an_update_of_the_settings_wins(world, monkeypatch):
    ash = world.player()
    confirmed(world, ash)
    path, look = link(world, ash, "leave"), api.find_mailbox

    def looked(*told):
        found = look(*told)
        world.public.post(path, b"", want=200)
        return found

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(api, "find_mailbox", looked)
        is_a_problem(put(ash, want=None, reminders=False), 409, "in-progress")

    after = ash.get("/v1/me/email").json
    assert (False, "unsubscribed") == (after["verified"], after["disabled_reason"])


def test_one_of_two_concurrent_new_addresses_is_refused(world, monkeypatch):
    ash = world.player()
    monkeypatch.setattr(type(world.store.subscriptions), "add", lambda *_: False)

    is_a_problem(put(ash, want=None), 409, "in-progress")


def test_an_address_is_erased_with_all_its_links(world):
    ash = world.player()
    confirmed(world, ash)
    paths = [link(world, ash, kind) for kind in ("confirm", "leave")]

    ash.call("DELETE", "/v1/me/email", want=204)

    is_a_problem(ash.get("/v1/me/email"), 404, "no-email")
    is_a_problem(ash.call("DELETE", "/v1/me/email"), 404, "no-email")
    for path in paths:
        is_a_problem(world.public.get(path), 404, "not-found")
    if hasattr(world.store, "wire"):
        for name in world.store.wire.one("KEYS", "*"):
            assert ADDRESS.encode() not in (world.store.wire.one("DUMP", name) or b""), name


def test_email_link_leads_to_the_game_with_a_token_for_it(world):
    game, ash, birk = world.table(visibility="private")
    confirmed(world, ash)
    path = link(world, ash, "open", game)
    other = birk.make_game(visibility="private")["id"]

    answer = world.public.get(path, want=303)
    page, _, fragment = answer.headers["Location"].partition("#letter=")

    assert f"https://games.example.org/games/{game}" == page
    assert "no-referrer" == answer.headers["Referrer-Policy"]
    assert answer.headers["Location"] == world.public.get(path, want=303).headers["Location"], "a GET changes nothing"
    reader = Player(world.site, fragment)
    me = reader.get("/v1/me", want=200).json
    assert (ash.id, [*links.SCOPES], game) == (me["id"], me["scopes"], me["game"])
    assert reader.view(game) == ash.view(game)
    reader.send(game, {"type": "hide", "pennies": 2}, want=200)
    assert [2] == [each["seat"] for each in ash.summary(game)["pending_questions"]]
    is_a_problem(world.public.get(link(world, ash, "open", other)), 404, "not-found")


def test_email_link_without_the_website_leads_to_a_page_of_the_history():
    world = World(**LETTERS, web="off")
    game, ash, birk = world.table(visibility="private")
    confirmed(world, ash)
    ash.send(game, {"type": "hide", "pennies": 2}, want=200)
    other = birk.make_game(visibility="private")["id"]

    answer = world.public.get(link(world, ash, "open", game), want=303)
    where = answer.headers["Location"].removeprefix("https://games.example.org")
    page = world.public.get(where, headers={"Accept": "text/html"}, want=200)

    assert "Pennies" in page.text
    is_a_problem(world.public.get(where.replace(game, other)), 401, "bad-token")


PLAYED_BY_LINK = {
    ("POST", "/v1/me/tickets"),
    ("POST", "/v1/games/<game>/analysis"),
    ("POST", "/v1/games/<game>/commands"),
    ("PUT", "/v1/games/<game>/label"),
    ("DELETE", "/v1/games/<game>/label"),
    ("PUT", "/v1/games/<game>/plan"),
    ("DELETE", "/v1/games/<game>/plan"),
    ("POST", "/v1/games/<game>/talk"),
    ("DELETE", "/v1/games/<game>/talk/<int:seq>"),
    ("POST", "/v1/games/<game>/mutes"),
    ("DELETE", "/v1/games/<game>/mutes/<int:other>"),
    ("POST", "/v1/games/<game>/reports"),
}


def linked(world, player, game):
    """The player with the token of a link in an email."""
    where = world.public.get(link(world, player, "open", game), want=303).headers["Location"]
    return Player(world.site, where.partition("#letter=")[2], player.id)


def test_token_of_an_email_link_can_only_play_its_game(world):
    game, ash, birk = world.table()
    other = birk.make_game(visibility="public")["id"]
    confirmed(world, ash)
    reader = linked(world, ash, game)
    allowed = set()
    for rule in world.app.url_map.iter_rules():
        if not rule.rule.startswith("/v1/") or ROUTES[rule.endpoint].auth == "none":
            continue
        here = re.sub("<[^>]*>", "1", rule.rule.replace("<game>", game))
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            body = {} if method in ("POST", "PUT", "PATCH") else None
            answer = reader.call(method, here, body)
            if answer.status != 403 or answer.code != "insufficient-scope":
                allowed.add((method, rule.rule))
            if "<game>" in rule.rule:
                is_a_problem(reader.call(method, here.replace(game, other), body), 403, "insufficient-scope")

    reads = {rule for method, rule in allowed if method == "GET" and "<game>" not in rule}
    assert {rule for rule in reads if not rule.startswith("/v1/kinds")} == {"/v1/me"}
    assert {"/v1/kinds", "/v1/kinds/<key>"} <= reads
    assert {each for each in allowed if each[0] != "GET"} == PLAYED_BY_LINK
    assert ash.get("/v1/me", want=200).json["name"] == ash.name


def test_token_of_an_email_link_ends_with_the_link(world, monkeypatch):
    game, ash, _ = world.table()
    confirmed(world, ash)
    monkeypatch.setattr(tokens, "CACHE_SECONDS", 0.0)
    reader = linked(world, ash, game)
    reader.get(f"/v1/games/{game}/view", want=200)

    put(ash, address="another@example.org")
    is_a_problem(reader.get(f"/v1/games/{game}/view"), 401, "bad-token")

    confirmed(world, ash)
    reader = linked(world, ash, game)
    reader.get(f"/v1/games/{game}/view", want=200)
    later = time.time() + 14 * 86_400 + 1
    monkeypatch.setattr(time, "time", lambda: later)
    is_a_problem(reader.get(f"/v1/games/{game}/view"), 401, "bad-token")


def test_token_of_an_email_link_ends_with_the_account_and_its_tokens(world):
    game, ash, _ = world.table()
    confirmed(world, ash)
    reader = linked(world, ash, game)
    reader.get(f"/v1/games/{game}/view", want=200)

    ash.call("DELETE", "/v1/me", {"name": ash.name}, want=204)

    is_a_problem(reader.get(f"/v1/games/{game}/view"), 401, "bad-token")


def test_link_opens_no_game_without_a_token_that_can_play(world):
    game, ash, _ = world.table()
    confirmed(world, ash)
    secret = link(world, ash, "open", game)
    ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201)
    for each in ash.get("/v1/me/tokens", want=200).json["tokens"]:
        if "play" in each["scopes"]:
            ash.call("DELETE", f"/v1/me/tokens/{each['id']}", want=204)

    is_a_problem(world.public.get(secret), 404, "not-found")


def test_a_link_works_only_for_its_own_purpose(world):
    game, ash, _ = world.table()
    confirmed(world, ash)
    feed = ash.post("/v1/me/feeds", {"kind": "turns"}, want=201).json["url"].rpartition("/")[2].removesuffix(".atom")
    secrets = [link(world, ash, kind, game).rpartition("/")[2] for kind in ("confirm", "open", "leave")]

    for kind in ("confirm", "open", "leave"):
        is_a_problem(world.public.get(f"/letters/{kind}/{feed}"), 404, "not-found")
        is_a_problem(world.public.get(f"/letters/{kind}/never"), 404, "not-found")
        for secret in secrets:
            if not link(world, ash, kind, game).endswith(secret):
                found = world.public.get(f"/letters/{kind}/{secret}").status
                assert (found == 404) == (secrets.index(secret) != ["confirm", "open", "leave"].index(kind))
    for secret in secrets:
        is_a_problem(world.public.get(f"/feeds/{secret}.atom"), 404, "not-found")


def test_the_response_does_not_reveal_that_others_use_the_address(world):
    first, second = world.player(), world.player()

    assert put(first).json == put(second).json


def test_confirmations_per_email_address_are_limited_without_an_error(world):
    for _ in range(5):
        put(world.player())
    assert ["confirm"] * 5 == owed(world)

    told = put(world.player())

    assert not told.json["verified"]
    assert ["confirm"] * 5 == owed(world), "no sixth letter"


def test_plus_addressing_does_not_bypass_the_limit(world):
    for number in range(7):
        assert not put(world.player(), address=f"Victim+{number}@example.org").json["verified"]
    assert ["confirm"] * 5 == owed(world)


@pytest.mark.parametrize(
    "spellings",
    [
        ["v.ictim@gmail.com", "vic.tim@GMAIL.com", "victim+a@googlemail.com", "V.I.C.T.I.M@googlemail.com"],
        ["first.last@example.org", "firstlast@example.org", "firstlast+x.y@example.org"],
    ],
)
def test_all_spellings_of_a_mailbox_share_one_limit(world, spellings):
    for _ in range(3):
        for each in spellings:
            assert not put(world.player(), address=each).json["verified"]

    assert ["confirm"] * 5 == owed(world)


def test_confirmations_per_network_address_and_day_are_limited(redis_store):
    world = World(redis_store, **LETTERS, confirmation_emails_address_day=3)
    for number in range(3):
        put(world.player(), address=f"victim{number}@example.org")

    refused = put(world.player(), address="victim3@example.org", want=429)

    assert "too-many-requests" == refused.code
    assert int(refused.headers["Retry-After"]) > 3600
    assert ["confirm"] * 3 == owed(world)


def test_confirmations_of_the_whole_service_per_day_are_limited(redis_store):
    world = World(redis_store, **LETTERS, confirmation_emails_day=2, confirmation_emails_address_day=0)
    for number in range(2):
        put(world.player(), address=f"victim{number}@example.org")

    last = world.player()
    assert "too-many-requests" == put(last, address="victim2@example.org", want=429).code

    assert ["confirm"] * 2 == owed(world)
    assert 404 == last.get("/v1/me/email").status, "nothing is stored for a request that was refused"


def test_confirmation_page_shows_no_text_written_by_a_user(world):
    ash = world.player("Win a prize now")
    put(ash)

    assert "prize" not in world.public.get(link(world, ash, "confirm"), want=200).text


def test_an_unknown_link_shows_a_page_in_a_browser(world):
    accepts = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
    browser = {"Accept": f"{accepts},application/signed-exchange;v=b3;q=0.7"}
    for kind in ("confirm", "leave", "open"):
        answer = world.public.get(f"/letters/{kind}/never", want=404, headers=browser)
        assert "text/html; charset=utf-8" == answer.headers["Content-Type"]
        assert "The link is unknown or has expired" in answer.text
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        is_a_problem(world.public.get(f"/letters/{kind}/never", headers={"Accept": "*/*"}), 404, "not-found")


def test_unknown_or_expired_ticket_in_a_browser_shows_a_page(monkeypatch):
    accepts = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    world, browser = World(**LETTERS, web="off"), {"Accept": accepts}
    game, ash, _ = world.table()
    confirmed(world, ash)
    where = urlsplit(world.public.get(link(world, ash, "open", game), want=303).headers["Location"])
    world.public.get(f"{where.path}?{where.query}", want=200, headers=browser)
    unknown = world.public.get(f"{where.path}?{where.query}x", want=401, headers=browser)
    monkeypatch.setattr(auth, "TICKET_SECONDS", 1)
    world.public.get(f"{where.path}?{where.query}", want=200, headers=browser)
    time.sleep(1.1)
    expired = world.public.get(f"{where.path}?{where.query}", want=401, headers=browser)
    for refused in (unknown, expired):
        assert "link from an email, open it again" in refused.text
        assert "<h1>" in refused.text


def test_confirmations_per_account_are_limited(world):
    ash = world.player()
    for number in range(5):
        put(ash, address=f"a{number}@example.org")

    refused = put(ash, want=429, address="b@example.org")

    is_a_problem(refused, 429, "too-many-requests")
    assert int(refused.headers["Retry-After"]) > 3600
    assert "a4@example.org" == ash.get("/v1/me/email").json["address"]


# -- invalid requests --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"address": None}, "/address"),
        ({"address": 7}, "/address"),
        ({"address": ""}, "/address"),
        ({"address": "ada"}, "/address"),
        ({"address": "ada@"}, "/address"),
        ({"address": "ada@localhost"}, "/address"),
        ({"address": "a b@example.org"}, "/address"),
        ({"address": "ada@example.org\r\nBcc: x@example.org"}, "/address"),
        ({"address": "ada@example.org\n"}, "/address"),
        ({"address": "<ada@example.org>"}, "/address"),
        ({"address": "ada@example.org, birk@example.org"}, "/address"),
        ({"address": "\u00e4da@example.org"}, "/address"),
        ({"address": ".ada@example.org"}, "/address"),
        ({"address": "ada@-example.org"}, "/address"),
        ({"address": "=?utf-8?q?ada?=@example.org"}, "/address"),
        ({"address": "a" * 65 + "@example.org"}, "/address"),
        ({"address": "a@" + "b." * 130 + "org"}, "/address"),
        ({"when": "now"}, "/when"),
        ({"when": 1}, "/when"),
        ({"when": "later", "minutes": 0}, "/minutes"),
        ({"when": "later", "minutes": 10081}, "/minutes"),
        ({"when": "later", "minutes": "5"}, "/minutes"),
        ({"when": "asked", "minutes": 5}, "/minutes"),
        ({"when": "daily", "hour": 24}, "/hour"),
        ({"when": "daily", "hour": -1}, "/hour"),
        ({"when": "later", "hour": 8}, "/hour"),
        ({"zone": "Europe/Nowhere"}, "/zone"),
        ({"zone": ""}, "/zone"),
        ({"zone": "../../etc/passwd"}, "/zone"),
        ({"zone": 1}, "/zone"),
        ({"quiet": []}, "/quiet"),
        ({"quiet": {"from": "22:00"}}, "/quiet/to"),
        ({"quiet": {"from": "22:00", "to": "24:00"}}, "/quiet/to"),
        ({"quiet": {"from": "8", "to": "09:00"}}, "/quiet/from"),
        ({"quiet": {"from": "22:00", "to": "08:00", "on": True}}, "/quiet/on"),
        ({"reminders": "yes"}, "/reminders"),
        ({"colour": "red"}, "/colour"),
        ({"verified": True}, "/verified"),
        ({"leave": "x"}, "/leave"),
    ],
)
def test_an_invalid_address_or_setting_is_422_with_a_pointer(world, body, pointer):
    ash = world.player()

    document = is_a_problem(ash.call("PUT", "/v1/me/email", {"address": ADDRESS, **body}), 422, "invalid")

    assert pointer == document["pointer"]
    is_a_problem(ash.get("/v1/me/email"), 404, "no-email")


@pytest.mark.parametrize("address", ["a@b.co", "o'neil+games@mail.example.org", "x_y.z@xn--bcher-kva.example"])
def test_usual_addresses_are_accepted(world, address):
    assert address == put(world.player(), address=address).json["address"]


def test_email_requests_without_permission_or_with_bad_input_are_refused(world):
    ash = world.player()
    eyes = Player(world.site, ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"])
    put(ash)

    is_a_problem(world.public.call("PUT", "/v1/me/email", {"address": ADDRESS}), 401, "no-token")
    is_a_problem(world.public.get("/v1/me/email"), 401, "no-token")
    is_a_problem(eyes.call("PUT", "/v1/me/email", {"address": ADDRESS}), 403, "insufficient-scope")
    is_a_problem(eyes.call("DELETE", "/v1/me/email"), 403, "insufficient-scope")
    is_a_problem(ash.call("PUT", "/v1/me/email", b"{"), 400, "malformed-json")
    is_a_problem(ash.call("PUT", "/v1/me/email", b"[]"), 422, "invalid")
    is_a_problem(ash.get("/v1/me/email", colour="red"), 422, "invalid")
    is_a_problem(world.public.get(link(world, ash, "leave"), colour="red"), 422, "invalid")
    is_a_problem(eyes.get("/v1/me/email"), 403, "insufficient-scope")
    assert ADDRESS == ash.get("/v1/me/email", want=200).json["address"]


def test_a_service_without_email_refuses_an_address():
    world = World()
    ash = world.player()

    is_a_problem(ash.call("PUT", "/v1/me/email", {"address": ADDRESS}), 409, "email-disabled")
    is_a_problem(ash.get("/v1/me/email"), 409, "email-disabled")
