"""A client that loses its token, account or seat gets nothing more: on streams, in pages, while it waits, and from caches."""

from __future__ import annotations

import json
import threading
import time
from http.cookies import SimpleCookie

import pytest

from domain.kernel.dice import Dice
from service.core.http.access.auth import GameAccess
from service.core.http.access.sessions import COOKIE, CSRF_COOKIE, CSRF_HEADER
from service.core.http.context import tokens
from service.core.http.resources import events
from service.store.ports.errors import LobbyRefusal
from tests.core.http.conftest import soon
from tests.driver import Player, play_out
from tests.hostile.table import HIDE, SECRET, Listener, erase, house, hurried, make_private, second, types


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    hurried(monkeypatch)


def lobby(world, **told):
    """An unstarted game of two: its creator, the player in seat 2, and a player who will take that seat."""
    ash, birk, cyd = world.player("Ash"), world.player("Birk"), world.player("Cyd")
    made = ash.make_game(options={"points": 1}, **told)
    birk.join(made["id"], made["invitation"])
    return made["id"], made["invitation"], ash, birk, cyd


def replaced(game, invitation, ash, birk, cyd, how):
    """Seat 2 changes from Birk to Cyd, and the game is played to its end."""
    {"left": birk, "put out": ash}[how].call("DELETE", f"/v1/games/{game}/seats/2", want=204)
    cyd.join(game, invitation)
    ash.start(game)
    play_out([ash, cyd], game, Dice(b"p" * 32))


# -- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
@pytest.mark.parametrize("how", ["left", "put out"])
def test_stream_opened_in_the_lobby_ends_when_the_seat_is_lost(world, how, visibility):
    game, invitation, ash, birk, cyd = lobby(world, visibility=visibility)

    with birk.stream(game) as messages, soon(replaced, game, invitation, ash, birk, cyd, how):
        told = list(messages)

    assert [] == types(told)
    with cyd.stream(game) as messages:
        assert SECRET in types(messages), "who sits there now is told everything"


def test_stream_opened_with_a_ticket_ends_when_the_seat_is_lost(world):
    game, invitation, ash, birk, cyd = lobby(world, visibility="private")
    ticket = birk.post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]
    late = birk.post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]

    with (
        world.public.stream(game, ticket=ticket, seat=2) as messages,
        soon(replaced, game, invitation, ash, birk, cyd, "left"),
    ):
        told = list(messages)

    assert [] == types(told)
    assert "unknown-game" == world.public.get(f"/v1/games/{game}/events", ticket=late, want=404).code


def test_player_who_takes_a_seat_while_streaming_gets_its_secrets(world):
    game, invitation, ash, birk, cyd = lobby(world)

    with cyd.stream(game) as messages, soon(replaced, game, invitation, ash, birk, cyd, "left"):
        told = list(messages)

    assert SECRET in types(told)


@pytest.mark.parametrize("how", ["revoked", "revoked, and nobody heard of it", "erased", "made private"])
def test_stream_ends_before_the_next_message_when_the_right_is_lost(world, how):
    game, ash, birk = world.table(options={"points": 100})
    reader = birk
    if how.startswith("revoked"):
        made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["read"]}, want=201).json
        reader = Player(birk.site, made["token"], birk.id)
    if how == "made private":
        reader = world.player("Stranger")
    other = second(world)
    if how.endswith("heard of it"):
        house(other).tokens._is_subscribed = True  # the notification is lost, as when a connection has silently died
    reader = Player(other.site, reader.token, reader.id)

    with reader.stream(game) as messages:
        next(messages)
        listener = Listener(messages)
        if how.startswith("revoked"):
            birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
        elif how == "erased":
            erase(world.store, birk.id)
        else:
            make_private(world.store, game)
        last = world.store.log.head(game)[0]
        ash.send(game, HIDE, want=200)

        assert listener.ended()

    assert all(message.id is None or message.id <= last for message in listener.told)


@pytest.mark.parametrize("how", ["signed out", "revoked"])
def test_stream_of_a_session_ends_before_the_next_message_when_the_session_does(world, how):
    game, ash, birk = world.table(options={"points": 100}, visibility="private")
    started = birk.post("/v1/session", want=201)
    cookies = SimpleCookie("; ".join(started.headers.getlist("Set-Cookie")))
    cookie = {"Cookie": "; ".join(f"{name}={cookies[name].value}" for name in (COOKIE, CSRF_COOKIE))}
    headers = {**cookie, "Accept": "text/event-stream"}

    with birk.site.chunks(f"/v1/games/{game}/events", headers) as chunks:
        next(chunks)
        listener = Listener(chunks)
        if how == "revoked":
            birk.call("DELETE", f"/v1/me/tokens/{started.json['token_id']}", want=204)
        else:
            headers = {**cookie, CSRF_HEADER: cookies[CSRF_COOKIE].value}
            Player(birk.site).call("DELETE", "/v1/session", headers=headers, want=204)
        last = world.store.log.head(game)[0]
        ash.send(game, HIDE, want=200)

        assert listener.ended()

    assert f"id: {last + 1}" not in b"".join(listener.told).decode()


def test_stream_sends_nothing_that_happened_after_the_last_rights_check(world, monkeypatch):
    game, ash, birk = world.table(options={"points": 100})
    made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["read"]}, want=201).json
    refresh, last = GameAccess.refresh, []

    def between(guest):
        let_in = refresh(guest)
        if not last:  # the rights check passed; now the token is revoked, and then something happens
            last.append(world.store.log.head(game)[0])
            birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
            ash.send(game, HIDE, want=200)
        return let_in

    monkeypatch.setattr(GameAccess, "refresh", between)
    with Player(birk.site, made["token"]).stream(game) as messages:
        told = list(messages)

    assert last == [max(message.id or 0 for message in told)]


def test_export_stops_when_its_token_is_revoked(world, monkeypatch):
    monkeypatch.setattr("service.features.open_data.api.LINES", 1)
    game, ash, _ = world.table(options={"points": 100})
    for _ in range(3):
        world.work(game)
    made = ash.post("/v1/me/tokens", {"label": "other", "scopes": ["read"]}, want=201).json
    with ash.site.chunks(f"/v1/games/{game}/export", {"Authorization": f"Bearer {made['token']}"}) as chunks:
        told = [next(chunks)]
        ash.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
        told += list(chunks)

    assert 1 == len(told)


def test_start_result_is_not_sent_to_a_revoked_token(world):
    game, _, ash, _, _ = lobby(world, visibility="private")
    made = ash.post("/v1/me/tokens", {"label": "other", "scopes": ["play"]}, want=201).json
    world.asleep = True
    answer = waiting(lambda: Player(ash.site, made["token"]).post(f"/v1/games/{game}/start"))
    while world.store.lobbies.get(game).status == "lobby":
        time.sleep(0.01)
    ash.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
    world.work(game)

    assert (401, "bad-token") == (answer().status, answer().code)


@pytest.mark.parametrize("how", ["revoked", "erased", "seat left"])
def test_ticket_is_void_when_the_token_account_or_seat_behind_it_is_lost(world, how):
    game, _, _, birk, _ = lobby(world, visibility="private")
    made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["play"]}, want=201).json
    ticket = Player(birk.site, made["token"]).post("/v1/me/tickets", {"game": game}, want=201).json["ticket"]
    if how == "revoked":
        birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
    elif how == "erased":
        erase(world.store, birk.id)
    else:
        birk.call("DELETE", f"/v1/games/{game}/seats/2", want=204)

    answer = second(world).public.get(f"/v1/games/{game}/events", ticket=ticket)

    assert (404 if how == "seat left" else 401) == answer.status


# -- pages that are sent in parts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["revoked", "erased", "made private"])
def test_ndjson_download_ends_when_the_right_is_lost(world, monkeypatch, how):
    monkeypatch.setattr(events, "COMMITS_AT_A_TIME", 1)
    game, ash, birk = world.table(options={"points": 100})
    for player in (ash, birk) * 3:
        player.send(game, HIDE, want=200)
    made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["read"]}, want=201).json
    token = world.player("Stranger").token if how == "made private" else made["token"]
    headers = {"Accept": "application/x-ndjson", "Authorization": f"Bearer {token}"}
    heads = [
        json.loads(line)["seq"] for line in birk.get(f"/v1/games/{game}/events", headers=headers).text.splitlines()
    ]

    with birk.site.chunks(f"/v1/games/{game}/events", headers) as chunks:
        first = next(chunks)
        if how == "revoked":
            birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
        elif how == "erased":
            erase(world.store, birk.id)
        else:
            make_private(world.store, game)
        rest = b"".join(chunks)

    told = [json.loads(line)["seq"] for line in (first + rest).splitlines()]
    assert heads[: len(told)] == told
    assert len(told) <= 2 < len(heads)


# -- waiting ------------------------------------------------------------------------------------------------------------


def waiting(action):
    """Run a request in a thread; return a function that waits for its response."""
    told = []
    thread = threading.Thread(target=lambda: told.append(action()))
    thread.start()
    return lambda: thread.join(30) or told[0]


@pytest.mark.parametrize("how", ["revoked", "erased, and no longer believed"])
def test_command_result_is_not_sent_to_a_lost_token(world, monkeypatch, how):
    monkeypatch.setattr(tokens, "CACHE_SECONDS", 0.2)
    game, ash, birk = world.table()
    made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["play"]}, want=201).json
    world.asleep = True
    answer = waiting(lambda: Player(birk.site, made["token"]).send(game, HIDE, wait=20))
    while not world.store.claims.work([game])[0].pending:
        time.sleep(0.01)
    if how == "revoked":
        birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
    else:
        erase(world.store, birk.id)
        time.sleep(0.3)
    world.work(game)

    assert (401, "bad-token") == (answer().status, answer().code)
    assert ash.view(game)["public"]


@pytest.mark.parametrize("how", ["revoked", "erased"])
def test_turn_list_is_not_sent_to_a_lost_token(world, how):
    game, ash, birk = world.table()
    birk.send(game, HIDE, want=200)
    made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["read"]}, want=201).json
    other = second(world)
    answer = waiting(lambda: Player(other.site, made["token"]).get("/v1/me/turns", headers={"Prefer": "wait=20"}))
    threading.Event().wait(0.5)
    if how == "revoked":
        birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
    else:
        erase(world.store, birk.id)
    ash.send(game, HIDE, want=200)

    assert (401, "bad-token") == (answer().status, answer().code)


@pytest.mark.soak
def test_waiting_turn_list_omits_a_lost_seat(world):
    game, invitation, ash, birk, cyd = lobby(world)
    answer = waiting(lambda: birk.get("/v1/me/turns", headers={"Prefer": "wait=3"}))
    replaced(game, invitation, ash, birk, cyd, "left")

    assert [] == answer().json["turns"]


# -- every response: requests accepted before the start -----------------------------------------------------------------------


ASKED = {
    "view": {},
    "view at": {"at": 1},
    "options": {},
    "events": {},
    "events since": {"since": "my-last-turn"},
    "ndjson": {},
    "trial": {"dry_run": "true"},
    "stale": {},
    "position": {},
}


@pytest.mark.parametrize("asked", ASKED)
def test_request_accepted_before_the_seat_was_lost_shows_nothing_after_the_start(world, monkeypatch, asked):
    sandbox = {"sandbox": {}} if asked == "position" else {}
    game, invitation, ash, birk, cyd = lobby(world, **sandbox)
    rooms, done = house(world).lobby_cache, []
    read = rooms.get

    def between(game, *, fresh=False):
        room = read(game, fresh=fresh)
        if not done:  # the request has read the seats; now everything changes
            done.append(True)
            birk.call("DELETE", f"/v1/games/{game}/seats/2", want=204)
            cyd.join(game, invitation)
            ash.start(game)
            cyd.send(game, HIDE, want=200)
        return room

    monkeypatch.setattr(rooms, "get", between)
    path = f"/v1/games/{game}/{asked.split(' ')[0]}"
    match asked:
        case "ndjson":
            answer = birk.get(f"/v1/games/{game}/events", headers={"Accept": "application/x-ndjson"})
        case "trial":
            answer = birk.send(game, HIDE, dry_run="true")
        case "stale":
            answer = birk.send(game, HIDE, seen=0)
        case _:
            answer = birk.get(path, **ASKED[asked])

    assert done
    assert SECRET not in answer.text
    if asked.startswith("events") or asked == "ndjson":
        assert (200, "0") == (answer.status, answer.headers["Game-Head"])
    assert b"" == answer.body or answer.json == {"events": [], "after": 0, "more": False} or answer.status == 409


# -- every cache --------------------------------------------------------------------------------------------------------


def test_no_process_uses_a_lobby_that_another_process_has_changed(world):
    game, invitation, ash, birk, cyd = lobby(world, visibility="private")
    other = second(world)
    there = Player(other.site, birk.token, birk.id)
    there.get(f"/v1/games/{game}", want=200)
    there.get(f"/v1/games/{game}/events", want=200)

    birk.call("DELETE", f"/v1/games/{game}/seats/2", want=204)

    for path in ("", "/events", "/view", "/options"):
        assert 404 == there.get(f"/v1/games/{game}{path}").status, path
    cyd.join(game, invitation)
    ash.start(game)
    for path in ("", "/events", "/view", "/options", "/position", "/export"):
        assert 404 == there.get(f"/v1/games/{game}{path}").status, path


def test_seats_cannot_change_after_the_start(world):
    game, ash, birk = world.table(visibility="private")
    before = world.store.lobbies.get(game)
    lobbies = world.store.lobbies
    for change in (
        lambda: lobbies.leave(game, birk.id, 2),
        lambda: lobbies.leave(game, ash.id, 2),
        lambda: lobbies.join(game, "stranger", "", None),
        lambda: lobbies.seat_bot(game, ash.id, "random"),
        lambda: lobbies.add_entropy(game, birk.id, 2, "ff"),
        lambda: lobbies.new_invitation(game, ash.id, "f" * 64),
    ):
        with pytest.raises(LobbyRefusal):
            change()

    assert before == lobbies.get(game)


def test_account_and_token_are_checked_in_the_store(world):
    birk = world.player("Birk")
    made = birk.post("/v1/me/tokens", {"label": "other", "scopes": ["read"]}, want=201).json
    accounts = world.store.accounts

    assert accounts.holds(birk.id, made["id"])
    assert not accounts.holds(world.player().id, made["id"])
    birk.call("DELETE", f"/v1/me/tokens/{made['id']}", want=204)
    assert not accounts.holds(birk.id, made["id"])
    erase(world.store, birk.id)
    assert not accounts.holds(birk.id, birk.get("/v1/me/tokens").json["tokens"][0]["id"])
