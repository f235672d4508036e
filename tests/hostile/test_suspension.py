"""A suspended account gets nothing by any credential that it has or makes; its running games go on, and others lose nothing."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

import pytest

from service.core.http.context.app import EXTENSION
from service.core.http.context.tokens import digest_of
from service.features.email import links
from service.features.email.mailbox import Mailbox, find_mailbox
from service.features.push.device import list_devices
from service.ops import accounts as administration
from service.ops.accounts import BadAction
from service.ops.serving.metrics_server import FiguresServer
from service.ops.settings import Settings
from service.store.ports.accounts import Credential, Suspension
from tests.core.http.conftest import World, soon
from tests.core.http.problem import is_a_problem
from tests.core.http.test_sessions import Browser
from tests.driver import Player
from tests.features.oauth.app import Browser as OAuthBrowser
from tests.features.oauth.app import register
from tests.features.push.test_devices import body as device
from tests.hostile.table import HIDE, Listener, house, hurried, second
from tests.workers.crew import eventually

REASON = "Insults in three games."
MAIL = {"smtp_url": "smtp://127.0.0.1:1", "mail_from": "post@example.org", "public_url": "https://example.org"}


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    hurried(monkeypatch)


def suspend(world, player, until=None):
    """Suspend the account as another process does, and wait until this one has heard of it."""
    administration.suspend_account(world.store, "root", player.id, REASON, until)
    cache = world.app.extensions[EXTENSION].tokens
    eventually(lambda: not any(cache.is_cached(each) for each in world.store.accounts.tokens(player.id)))


def is_suspended(answer, until=None):
    document = is_a_problem(answer, 403, "suspended")
    assert (REASON, until) == (document["reason"], document["until"])
    return document


# -- each kind of credential ------------------------------------------------------------------------------------------


def test_token_of_a_suspended_account_gets_reason_end_and_contact():
    world = World(contact="help@games.example.org")
    ash = world.player("Ash")
    ash.get("/v1/me", want=200)  # the token is cached
    until = world.store.schedule.now() + 3_600_000

    suspend(world, ash, until)

    document = is_suspended(ash.get("/v1/me"), until)
    assert "help@games.example.org" == document["contact"]
    assert "write to help@games.example.org" in document["detail"]
    assert " UTC. Reason: Insults in three games." in document["detail"]


def test_suspension_without_contact_names_the_operator(world):
    ash = world.player("Ash")

    suspend(world, ash)

    document = is_suspended(ash.get("/v1/me"))
    assert document["contact"] is None
    assert "until an operator ends it" in document["detail"]


def test_every_kind_of_request_with_the_token_is_refused(world):
    game, ash, _ = world.table("Ash", "Birk")
    suspend(world, ash)

    is_suspended(ash.get(f"/v1/games/{game}/view"))
    is_suspended(ash.send(game, HIDE))
    is_suspended(ash.post("/v1/games", {"kind": "pennies", "seats": 2}))
    is_suspended(ash.post("/v1/me/tokens", {"label": "new", "scopes": ["read"]}))
    is_suspended(ash.get("/v1/kinds"))


def test_session_is_refused_and_works_again_after_the_end(world):
    browser = Browser(world.site)
    browser.sign_up()
    me = browser.call("GET", "/v1/me", want=200).json
    suspend(world, Player(world.site, id=me["id"]))

    is_suspended(browser.call("PATCH", "/v1/me", {"name": "Bo"}))
    administration.restore_account(world.store, "root", me["id"], "It was a mistake.")
    assert me == browser.call("GET", "/v1/me", want=200).json


def test_token_made_during_the_suspension_is_refused(world):
    ash = world.player("Ash")
    suspend(world, ash)
    world.store.accounts.add_token(Credential("c9", ash.id, ("read",), 1, minted_by=""), digest_of("owt_new"))

    is_suspended(Player(world.site, "owt_new", ash.id).get("/v1/me"))


def test_ticket_made_before_the_suspension_is_refused(world):
    game, ash, _ = world.table("Ash", "Birk")
    ticket = ash.post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]
    suspend(world, ash)

    is_suspended(world.public.get(f"/v1/games/{game}/view", ticket=ticket))


def test_feed_of_a_suspended_account_is_refused_and_returns(world):
    game, ash, _ = world.table("Ash", "Birk")
    paths = [
        urlsplit(ash.post("/v1/me/feeds", body, want=201).json["url"]).path
        for body in ({"kind": "game", "game": game}, {"kind": "turns"}, {"kind": "calendar"})
    ]
    suspend(world, ash)

    for path in paths:
        is_suspended(world.public.get(path))
    world.store.accounts.restore(ash.id)
    for path in paths:
        world.public.get(path, want=200)


@pytest.mark.parametrize("web", ["on", "off"])
def test_link_in_an_email_lets_nobody_in(web):
    world = World(**MAIL, web=web)
    game, ash, _ = world.table("Ash", "Birk")
    ash.call("PUT", "/v1/me/email", {"address": "ash@example.org"}, want=200)
    subscription = find_mailbox(world.store, ash.id)
    secret = links.create_link(world.store, subscription, Mailbox.from_subscription(subscription), links.OPEN, game)
    suspend(world, ash)

    where = world.public.get(f"/letters/open/{secret}", want=303).headers["Location"]
    if web == "on":
        is_suspended(Player(world.site, where.partition("#letter=")[2], ash.id).get(f"/v1/games/{game}/view"))
    else:
        is_suspended(world.public.get(where.removeprefix("https://example.org")))


def test_app_is_refused_until_the_end_and_keeps_its_connection(world):
    ash = world.player("Ash")
    browser, app = OAuthBrowser(world, ash), register(world, world.player("Birk"))
    tokens = app.connect(browser, scope="account:read")
    suspend(world, ash)

    is_suspended(app.player(tokens, browser).get("/v1/me"))
    assert (200, {"active": False}) == app.ask("/oauth/introspect", token=tokens["access_token"])
    renewed = app.refresh(tokens["refresh_token"])
    is_suspended(app.player(renewed, browser).get("/v1/me"))
    world.store.accounts.restore(ash.id)
    app.player(renewed, browser).get("/v1/me", want=200)
    assert app.ask("/oauth/introspect", token=renewed["access_token"])[1]["active"]


def test_metrics_on_their_own_port_are_refused_to_a_suspended_operator(world, tmp_path):
    root = world.player("Root")
    world.store.accounts.add_token(Credential("c9", root.id, ("admin",), 1, minted_by=""), digest_of("owt_root"))
    with FiguresServer(Settings(metrics="token", metrics_port=0), world.store, str(tmp_path)) as server:
        assert server.lets("Bearer owt_root")
        suspend(world, root)
        assert not server.lets("Bearer owt_root")


def test_device_stays_registered_during_the_suspension(tmp_path):
    world = World(data=tmp_path)
    ash = world.player("Ash")
    ash.post("/v1/me/devices", device(), want=201)
    suspend(world, ash)

    assert 1 == len(list_devices(world.store, ash.id)), "it deletes the devices whose token is gone"


# -- what runs already ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heard", [True, False])
def test_open_stream_ends_before_the_next_message(world, heard):
    game, ash, birk = world.table(options={"points": 100})
    other = second(world)
    if not heard:
        house(other).tokens._is_subscribed = True  # the message about revoked tokens is lost
    reader = Player(other.site, ash.token, ash.id)

    with reader.stream(game) as messages:
        next(messages)
        listener = Listener(messages)
        suspend(world, ash)
        last = world.store.log.head(game)[0]
        birk.send(game, HIDE, want=200)

        assert listener.ended()

    assert all(message.id is None or message.id <= last for message in listener.told)
    if heard:
        is_suspended(reader.get(f"/v1/games/{game}/events", headers={"Accept": "text/event-stream"}))


def test_waiting_request_gets_the_problem(world):
    _, ash, _ = world.table(options={"points": 100})
    etag = ash.get("/v1/me/turns", want=200).headers["ETag"]

    with soon(suspend, world, ash):
        answer = ash.get("/v1/me/turns", headers={"Prefer": "wait=1", "If-None-Match": etag})

    is_suspended(answer)


def test_requests_of_a_suspended_account_are_counted():
    world = World(rate_requests=3)
    ash = world.player("Ash")
    suspend(world, ash)

    codes = {ash.get("/v1/me").code for _ in range(20)}

    assert {"suspended", "too-many-requests"} == codes


# -- the end, and others ----------------------------------------------------------------------------------------------


def test_suspension_ends_by_itself(world, monkeypatch):
    ash = world.player("Ash")
    now = time.time()
    suspend(world, ash, round(now * 1000) + 60_000)
    is_suspended(ash.get("/v1/me"), world.store.accounts.suspension(ash.id).until)

    monkeypatch.setattr(time, "time", lambda: now + 61)

    ash.get("/v1/me", want=200)
    assert world.store.accounts.suspension(ash.id) is None


def test_running_game_goes_on_for_the_others(world):
    game, ash, birk = world.table(options={"points": 100})
    before = world.store.lobbies.get(game)

    suspend(world, ash)

    assert before == world.store.lobbies.get(game)
    birk.send(game, HIDE, want=200)
    assert "Ash" == birk.get(f"/v1/players/{ash.id}", want=200).json["name"]


def test_suspended_player_leaves_games_that_have_not_started(world):
    ash, birk, cyd = world.player("Ash"), world.player("Birk"), world.player("Cyd")
    others, own = birk.make_game(seats=3), ash.make_game(seats=3)
    for made in (others, own):
        cyd.join(made["id"], made["invitation"])
    ash.join(others["id"], others["invitation"])

    suspend(world, ash)

    held = {
        made["id"]: [chair.holder for chair in world.store.lobbies.get(made["id"]).chairs] for made in (others, own)
    }
    assert {others["id"]: [birk.id, cyd.id, None], own["id"]: [None, cyd.id, None]} == held


def test_suspended_player_sits_in_for_no_one_and_asks_for_no_seat(world):
    game, ash, _ = world.table(options={"points": 100})
    cyd = world.player("Cyd")
    cyd.agrees_to_sit_for(ash)
    until = world.store.schedule.now() + 3_600_000
    ash.post(f"/v1/games/{game}/seats/1/sitter", {"player": cyd.id, "until": until}, want=200)

    suspend(world, cyd)

    assert () == world.store.lobbies.get(game).seating.sitters


# -- operators --------------------------------------------------------------------------------------------------------


def test_each_action_is_in_the_operators_log(world):
    ash = world.player("Ash")
    for act in (
        lambda: suspend(world, ash),
        lambda: administration.restore_account(world.store, "eve", ash.id, "The appeal was right."),
        lambda: administration.reset_sign_in(world.store, (), "root", ash.id, "Lost the browser.", remove_ways=False),
        lambda: administration.erase_account(world.store, (), world.wake, "root", ash.id, "Asked by email."),
    ):
        act()

    log = world.store.operators.newest(10)
    assert [
        ("root", "account.erase", ash.id, "Asked by email."),
        ("root", "account.reset-sign-in", ash.id, "Lost the browser."),
        ("eve", "account.restore", ash.id, "The appeal was right."),
        ("root", "account.suspend", ash.id, REASON),
    ] == [(each.operator, each.action, each.subject, each.reason) for each in log]
    assert all(0 < each.at <= world.store.schedule.now() for each in log)
    assert world.store.accounts.player(ash.id) is None


def test_log_of_one_account_is_found_among_many_entries(world):
    for number in range(1005):
        world.store.operators.append("root", "account.restore", "p1" if number == 2 else "p2", f"Number {number}.")

    assert ["Number 2."] == [each.reason for each in world.store.operators.newest(5, "p1")]
    assert 3 == len(world.store.operators.newest(3))


@pytest.mark.parametrize(
    ("reason", "until", "said"),
    [
        ("", None, "The reason must have 3 to 500 characters on one line."),
        ("  a ", None, "The reason must have 3 to 500 characters on one line."),
        ("x" * 501, None, "The reason must have 3 to 500 characters on one line."),
        ("two\nlines", None, "The reason must have 3 to 500 characters on one line."),
        (REASON, 1, "The suspension must end in the future."),
    ],
)
def test_bad_suspension_changes_nothing(world, reason, until, said):
    ash = world.player("Ash")

    with pytest.raises(BadAction, match=said):
        administration.suspend_account(world.store, "root", ash.id, reason, until)

    ash.get("/v1/me", want=200)
    assert [] == world.store.operators.newest(10)


def test_actions_on_unknown_and_active_accounts_are_refused(world):
    ash = world.player("Ash")
    with pytest.raises(BadAction, match="The account is not suspended"):
        administration.restore_account(world.store, "root", ash.id, REASON)
    with pytest.raises(BadAction, match="no account with the id 'p0'"):
        administration.suspend_account(world.store, "root", "p0", REASON, None)
    with pytest.raises(BadAction, match="no account with the id 'p0'"):
        administration.reset_sign_in(world.store, (), "root", "p0", REASON, remove_ways=False)

    assert [] == world.store.operators.newest(10)


def test_suspending_an_account_while_it_is_erased_leaves_nothing_that_works(world):
    ash = world.player("Ash")
    administration.erase_account(world.store, (), world.wake, "root", ash.id, REASON)
    world.store.accounts.suspend(ash.id, Suspension(REASON, 1))

    assert world.store.accounts.player(ash.id) is None
    ash.get("/v1/me", want=401)
