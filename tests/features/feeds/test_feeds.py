"""Feeds with secret URLs: contents for feed readers and calendars, visibility, and revocation."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import xml.etree.ElementTree as ET
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

import feedparser
import pytest
from icalendar import Calendar

from domain.kernel.dice import Dice
from service.features.feeds import public_api
from service.ops.logging import configure
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.core.http.test_served import serving, working
from tests.driver import Player, play_out
from tests.hostile.table import erase, give_away
from tests.soaking import soak

ATOM = "{http://www.w3.org/2005/Atom}"
HIDE = {"type": "hide", "pennies": 2}
CLOCK = {"mode": "per_question", "hours": 24}
KINDS = ("battalia", "fronela", "nim")


def made(player, kind, game=None):
    """Create a feed; return its id and the path of its URL."""
    body = {"kind": kind, **({"game": game} if game else {})}
    document = player.post("/v1/me/feeds", body, want=201).json
    return document["id"], urlsplit(document["url"]).path


def read(world, path, **kwargs):
    return world.public.get(path, want=200, **kwargs)


def entries(world, path):
    return feedparser.parse(read(world, path).body).entries


def gone(world, path):
    """Whether the URL is 404 with the same document as a URL that never existed."""
    never = world.public.get("/feeds/owf_never.atom", want=404).json
    return world.public.get(path, want=404).json == never


# -- a game ------------------------------------------------------------------------------------------------------------


def test_a_game_feed_shows_the_history_that_its_player_can_see(world):
    game, ash, birk = world.table("Ash", "Birk")
    (_, own), (_, others) = made(ash, "game", game), made(birk, "game", game)
    ash.send(game, HIDE, want=200)

    shown, hidden = entries(world, own), entries(world, others)

    assert "Ash hides 2 pennies, then is ready." == shown[0].summary
    assert "Ash is ready." == hidden[0].summary
    assert not any("hides" in each.summary for each in hidden)
    assert shown[0].updated_parsed >= shown[-1].updated_parsed, "the newest first"


def test_a_game_feed_is_valid_atom(world):
    game, ash, _ = world.table("<Ash> & 'Co'", "Birk")
    _, path = made(ash, "game", game)
    ash.send(game, HIDE, want=200)

    answer = read(world, path)
    parsed, root = feedparser.parse(answer.body), ET.fromstring(answer.body)

    assert not parsed.bozo
    assert "application/atom+xml; charset=utf-8" == answer.headers["Content-Type"]
    for place in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert 1 == len(place.findall(ATOM + name)), (place.tag, name)
            assert place.find(ATOM + name).text.strip()
        assert ":" in place.find(ATOM + "id").text, "a URI"
    assert 1 == len(root.findall(f"{ATOM}author/{ATOM}name"))
    assert all(each.updated_parsed for each in parsed.entries)
    ids = [each.id for each in parsed.entries]
    assert len(ids) == len(set(ids)) > 1
    assert "<Ash> & 'Co'" in parsed.feed.title
    assert path.encode() not in answer.body, "who hands an entry on gives nothing away"


@pytest.mark.soak
def test_without_the_website_an_entry_links_to_its_paragraph(world, monkeypatch):
    world = World(world.store, web="off")
    monkeypatch.setattr("service.core.http.access.history_page.PARAGRAPHS", 2)
    players = [world.player("Ash"), world.player("Birk")]
    game = players[0].make_game("battalia", 2, options={"max_weeks": 1})["id"]
    players[1].join(game)
    _, path = made(players[0], "game", game)
    players[0].start(game)
    play_out(players, game, Dice(b"p" * 32), most=300)

    told = entries(world, path)
    assert len(told) > 8
    for entry in told:
        parts = urlsplit(entry.link)
        page = world.public.get(f"{parts.path}?{parts.query}", headers={"Accept": "text/html"}, want=200).body.decode()
        marks = re.findall(r' id="([^"]+)"', page)
        assert len(marks) == len(set(marks))
        assert parts.fragment in marks, entry.title
        assert not re.search("<p[^>]*></p>", page), "nothing is headed under which nothing stands"


def test_without_the_website_a_turn_links_to_the_latest_events(world):
    world = World(world.store, web="off")
    game, ash, birk = world.table(options={"points": 1000}, pace=CLOCK)
    (_, turns), (_, calendar) = made(ash, "turns"), made(ash, "calendar")
    assert entries(world, turns)[0].link.endswith("/events?digest=turn")
    for _ in range(40):
        for player in (ash, birk):
            player.send(game, HIDE, want=200)

    (entry,) = entries(world, turns)
    parts = urlsplit(entry.link)
    page = world.public.get(f"{parts.path}?{parts.query}", headers={"Accept": "text/html"}, want=200).text
    newest = ash.events(game)[-1]["seq"]
    assert any(f'id="seq-{seq}"' in page for seq in range(newest - 3, newest + 1))
    assert 'id="seq-1"' not in page
    (event,) = calendar_of(world, calendar).walk("VEVENT")
    assert entry.link == event["URL"]


@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
def test_turn_and_calendar_link_to_the_page_of_the_game(world, visibility):
    game, ash, _ = world.table(pace=CLOCK, visibility=visibility)
    (_, turns), (_, calendar) = made(ash, "turns"), made(ash, "calendar")

    (entry,) = entries(world, turns)
    (event,) = calendar_of(world, calendar).walk("VEVENT")

    assert f"/games/{game}" == urlsplit(entry.link).path
    assert entry.link == event["URL"]


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_entry_of_a_history_links_to_the_replay_at_its_first_commit(world, visibility):
    game, ash, birk = world.table(visibility=visibility)
    _, path = made(ash, "game", game)
    ash.send(game, HIDE, want=200)
    birk.send(game, HIDE, want=200)

    parsed = feedparser.parse(read(world, path).body)

    paragraphs = ash.get(f"/v1/games/{game}/events?digest=turn", want=200).json["paragraphs"]
    wanted = [f"/games/{game}/replay?at={each['seqs'][0]}" for each in reversed(paragraphs)]
    assert wanted == [urlsplit(each.link)._replace(scheme="", netloc="").geturl() for each in parsed.entries]
    assert f"/games/{game}" == urlsplit(parsed.feed.link).path


def test_entries_keep_their_ids(world):
    game, ash, birk = world.table()
    _, path = made(ash, "game", game)
    ash.send(game, HIDE, want=200)
    before = {each.id: each.published for each in entries(world, path)}

    birk.send(game, HIDE, want=200)

    after = {each.id: each.published for each in entries(world, path)}
    assert before.items() < after.items()


@pytest.mark.parametrize(("kind", "seats"), [("pennies", 2), ("nim", 2), *soak(("battalia", 2))])
def test_the_pages_of_a_feed_match_the_paragraphs_of_the_digest(world, monkeypatch, kind, seats):
    monkeypatch.setattr(public_api, "PAGE", 3)
    monkeypatch.setattr("service.core.history.turns.BATCH_SIZE", 23)
    players = [world.player() for _ in range(seats)]
    told = {"options": {"max_weeks": 1}} if kind == "battalia" else {}
    game = players[0].make_game(kind, seats, **told)["id"]
    players[1].join(game)
    _, path = made(players[0], "game", game)
    players[0].start(game)
    play_out(players, game, Dice(b"p" * 32), most=300)

    found, pages, following = [], 0, path
    while following:
        parsed = feedparser.parse(read(world, following).body)
        found += [(each.get("title"), each.summary, each.id) for each in parsed.entries]
        pages += 1
        following = next((path + each.href for each in parsed.feed.links if each.rel == "next"), None)

    wanted, after, more = [], 0, True
    while more:
        page = players[0].get(f"/v1/games/{game}/events", digest="turn", after=after, limit=100, want=200).json
        wanted += page["paragraphs"]
        after, more = page["after"], page["more"]
    squeezed = [" ".join(text.split()) for _, text, _ in reversed(found)]
    assert [" ".join(each["text"].split()) for each in wanted] == squeezed
    titles = [title for title, _, _ in reversed(found)]
    assert all(each["title"] in ("", title) for each, title in zip(wanted, titles, strict=True))
    assert len({id_ for *_, id_ in found}) == len(found)
    assert pages > 2


def test_a_turn_without_events_has_no_entry(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    game = ash.make_game("battalia", seats=2)["id"]
    birk.join(game)
    _, path = made(ash, "game", game)
    ash.start(game)
    first = ash.summary(game)["pending_questions"][0]["seat"]
    begins, follows = (ash, birk) if first == 1 else (birk, ash)
    begins.send(game, {"type": "end_turn"}, want=200)

    newest = ash.get(f"/v1/games/{game}/events", digest="turn", want=200).json["paragraphs"][-1]
    assert (follows.name, "") == (newest["title"], newest["text"])
    assert [begins.name, "Day 1 of week 1", "The game begins."] == [each.title for each in entries(world, path)]
    assert all(each.summary for each in entries(world, path))


def test_before_the_start_a_feed_is_empty_and_valid(world):
    ash = world.player()
    game = ash.make_game()["id"]
    _, path = made(ash, "game", game)

    parsed = feedparser.parse(read(world, path).body)

    assert (False, 0) == (bool(parsed.bozo), len(parsed.entries))


# -- turns and calendars -----------------------------------------------------------------------------------------------


def test_a_turns_feed_has_an_entry_for_each_pending_turn(world):
    game, ash, birk = world.table("Ash", "Birk", pace=CLOCK, title="Friday")
    _, path = made(ash, "turns")

    (waiting,) = entries(world, path)
    ash.send(game, HIDE, want=200)

    assert game in waiting.id
    assert "Deadline: " in waiting.summary
    assert "Friday (Pennies with Birk)" == waiting.title, "who has several games knows which"
    assert [] == entries(world, path)
    assert birk.turns()


def calendar_of(world, path):
    body = read(world, path).body
    assert all(len(line) <= 75 for line in body.split(b"\r\n"))
    return Calendar.from_ical(body)


def test_a_calendar_has_the_players_deadlines_as_events_or_as_tasks(world):
    game, ash, _ = world.table("Ash", "Birk", pace=CLOCK, title="Friday")
    world.table(pace={"mode": "free"})
    free = ash.make_game()["id"]
    world.player().join(free)
    ash.start(free)
    _, path = made(ash, "calendar")
    (timed,) = [turn for turn in ash.turns() if turn["deadline"] is not None]

    (event,) = calendar_of(world, path).walk("VEVENT")
    (task,) = calendar_of(world, path + "?as=tasks").walk("VTODO")

    assert timed["deadline"] // 1000 == event.decoded("DTSTART").timestamp() == task.decoded("DUE").timestamp()
    assert timed["since"] // 1000 == event.decoded("DTSTAMP").timestamp()
    assert f"{timed['id']}@{game}.oraclewheel" == event["UID"] == task["UID"]
    assert "Due: Friday (Pennies with Birk)" == event["SUMMARY"]
    assert [] == calendar_of(world, path + "?as=tasks").walk("VEVENT")
    ash.send(game, HIDE, want=200)
    assert [] == calendar_of(world, path).walk("VEVENT")


@pytest.mark.parametrize("kind", KINDS)
def test_calendar_has_the_deadline_of_a_game_of_any_kind(world, kind):
    ash = world.player("Ash")
    seats = min(ash.get(f"/v1/kinds/{kind}", want=200).json["seats"])
    game = ash.make_game(kind, seats, pace=CLOCK)["id"]
    others = [world.player() for _ in range(seats - 1)]
    for other in others:
        other.join(game)
    ash.start(game)
    (player, turn), *_ = ((each, turn) for each in (ash, *others) for turn in each.turns())
    _, path = made(player, "calendar")

    (event,) = calendar_of(world, path).walk("VEVENT")

    assert f"{turn['id']}@{game}.oraclewheel" == event["UID"]
    assert turn["deadline"] // 1000 == event.decoded("DTSTART").timestamp()


def test_a_calendar_without_deadlines_is_valid(world):
    ash = world.player("Ash")
    _, path = made(ash, "calendar")
    for form in ("", "?as=tasks"):
        empty = calendar_of(world, path + form)
        assert [] == empty.walk("VEVENT") == empty.walk("VTODO")
        (zone,) = empty.subcomponents  # RFC 5545, 3.6: a calendar has at least one component
        assert "VTIMEZONE" == zone.name
        (standard,) = zone.subcomponents
        assert {"DTSTART", "TZOFFSETFROM", "TZOFFSETTO"} <= set(standard)
        assert not (zone.errors or standard.errors)


# -- caching and limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["game", "turns", "calendar"])
def test_an_unchanged_feed_is_304(world, kind):
    game, ash, _ = world.table(pace=CLOCK)
    _, path = made(ash, kind, game if kind == "game" else None)
    first = read(world, path)
    tag = {"If-None-Match": first.headers["ETag"]}

    same = world.public.get(path, headers=tag, want=304)
    ash.send(game, HIDE, want=200)
    changed = world.public.get(path, headers=tag, want=200)

    assert (b"", first.headers["ETag"]) == (same.body, same.headers["ETag"])
    assert changed.headers["ETag"] != first.headers["ETag"]
    for answer in (first, same, changed):
        assert "private, no-cache" == answer.headers["Cache-Control"]
        assert "noindex" in answer.headers["X-Robots-Tag"]
        assert "no-referrer" == answer.headers["Referrer-Policy"]


def test_requests_for_a_feed_per_hour_are_limited(world):
    world = World(world.store, rate_feeds=2)
    ash, birk = world.player(), world.player()
    (_, path), (_, other) = made(ash, "turns"), made(birk, "turns")
    for _ in range(2):
        read(world, path)

    refused = is_a_problem(world.public.get(path), 429, "too-many-requests")

    assert refused
    assert int(world.public.get(path).headers["Retry-After"]) > 60
    assert 200 == world.public.get(other).status


# -- revocation --------------------------------------------------------------------------------------------------------


def test_feeds_are_listed_without_their_urls_and_can_be_revoked(world):
    game, ash, birk = world.table()
    (one, path), (other, stays) = made(ash, "game", game), made(ash, "turns")
    listed = ash.get("/v1/me/feeds", want=200)

    assert "unknown-feed" == birk.call("DELETE", f"/v1/me/feeds/{one}", want=404).code
    ash.call("DELETE", f"/v1/me/feeds/{one}", want=204)

    # feeds created in the same millisecond have no fixed order
    assert {("game", game), ("turns", None)} == {(each["kind"], each["game"]) for each in listed.json["feeds"]}
    assert "owf_" not in listed.text
    assert gone(world, path)
    assert 200 == world.public.get(stays).status
    assert [other] == [each["id"] for each in ash.get("/v1/me/feeds").json["feeds"]]
    assert "unknown-feed" == ash.call("DELETE", f"/v1/me/feeds/{one}", want=404).code


@pytest.mark.parametrize("kind", ["game", "turns"])
def test_feed_created_in_a_session_stays_after_sign_out(world, kind):
    game, ash, _ = world.table("Ash", "Birk")
    answer = world.public.post("/v1/players", {"name": "Cyd", "session": True}, want=201)
    cookies = SimpleCookie("; ".join(answer.headers.getlist("Set-Cookie")))
    cyd = Player(ash.site, cookies["oraclewheel_session"].value)
    id_, path = made(cyd, kind, game if kind == "game" else None)
    token = cyd.post("/v1/me/tokens", {"scopes": ["account"]}, want=201).json["token"]
    cyd.call("DELETE", "/v1/session", want=204)

    read(world, path)
    cyd = Player(ash.site, token)
    assert [id_] == [each["id"] for each in cyd.get("/v1/me/feeds", want=200).json["feeds"]]
    cyd.call("DELETE", "/v1/me", {"name": "Cyd"}, want=204)
    assert gone(world, path)


@pytest.mark.parametrize("kind", ["game", "turns", "calendar"])
def test_a_feed_ends_with_its_token(world, kind):
    world = World(world.store, feeds=1)
    game, ash, _ = world.table()
    token = ash.post("/v1/me/tokens", {"scopes": ["play"]}, want=201).json
    _, path = made(Player(world.site, token["token"]), kind, game if kind == "game" else None)
    read(world, path)
    assert "too-many-feeds" == ash.post("/v1/me/feeds", {"kind": "turns"}, want=429).code

    ash.call("DELETE", f"/v1/me/tokens/{token['id']}", want=204)

    assert gone(world, path)
    assert [] == ash.get("/v1/me/feeds").json["feeds"]
    made(ash, "turns")


@pytest.mark.parametrize("kind", ["game", "turns", "calendar"])
def test_a_feed_ends_with_its_account(world, kind):
    game, ash, _ = world.table()
    _, path = made(ash, kind, game if kind == "game" else None)
    read(world, path)

    erase(world.store, ash.id)

    assert gone(world, path)


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_feed_of_a_game_ends_with_the_seat(world, visibility):
    ash, birk = world.player(), world.player()
    game = ash.make_game(visibility=visibility)
    birk.join(game["id"], game["invitation"])
    _, path = made(birk, "game", game["id"])
    read(world, path)

    ash.call("DELETE", f"/v1/games/{game['id']}/seats/2", want=204)

    assert gone(world, path)


def test_a_feed_of_a_started_game_ends_with_the_seat(world):
    game, _, birk = world.table()
    _, path = made(birk, "game", game)
    read(world, path)

    give_away(world.store, game, 2, world.player().id)

    assert gone(world, path)


def test_a_feed_is_available_only_in_its_own_format(world):
    game, ash, _ = world.table()
    (_, atom), (_, ics) = made(ash, "game", game), made(ash, "calendar")

    assert atom.endswith(".atom")
    assert ics.endswith(".ics")
    assert gone(world, atom.replace(".atom", ".ics"))
    assert gone(world, ics.replace(".ics", ".atom"))


# -- invalid requests --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/kind"),
        ({"kind": "news"}, "/kind"),
        ({"kind": 1}, "/kind"),
        ({"kind": "game"}, "/game"),
        ({"kind": "game", "game": ""}, "/game"),
        ({"kind": "game", "game": 7}, "/game"),
        ({"kind": "game", "game": "g" * 65}, "/game"),
        ({"kind": "turns", "game": "g1"}, "/game"),
        ({"kind": "calendar", "game": "g1"}, "/game"),
        ({"kind": "turns", "label": "x"}, "/label"),
        ([], ""),
    ],
)
def test_an_invalid_feed_is_422_with_a_pointer(world, body, pointer):
    ash = world.player()

    assert pointer == is_a_problem(ash.post("/v1/me/feeds", body), 422, "invalid")["pointer"]
    assert [] == ash.get("/v1/me/feeds").json["feeds"]


def test_feed_requests_without_permission_are_refused(world):
    private, ash, _ = world.table(visibility="private")
    eyes = Player(world.site, ash.post("/v1/me/tokens", {"scopes": ["read"]}, want=201).json["token"])
    body = {"kind": "game", "game": private}

    is_a_problem(world.public.post("/v1/me/feeds", body), 401, "no-token")
    is_a_problem(eyes.post("/v1/me/feeds", body), 403, "insufficient-scope")
    is_a_problem(eyes.call("DELETE", "/v1/me/feeds/f1"), 403, "insufficient-scope")
    is_a_problem(world.public.get("/v1/me/feeds"), 401, "no-token")
    is_a_problem(world.player().post("/v1/me/feeds", body), 404, "unknown-game")
    is_a_problem(ash.post("/v1/me/feeds", {**body, "game": "gnone"}), 404, "unknown-game")
    is_a_problem(ash.post("/v1/me/feeds", b"{"), 400, "malformed-json")


@pytest.mark.parametrize(
    ("kind", "query", "parameter"),
    [
        ("game", "before=0", "before"),
        ("game", "before=x", "before"),
        ("game", "seat=2", "seat"),
        ("game", "ticket=x", "ticket"),
        ("calendar", "as=song", "as"),
        ("turns", "colour=red", "colour"),
    ],
)
def test_a_wrong_parameter_of_a_feed_is_422_and_named(world, kind, query, parameter):
    game, ash, _ = world.table()
    _, path = made(ash, kind, game if kind == "game" else None)

    assert parameter == is_a_problem(world.public.get(f"{path}?{query}"), 422, "invalid")["parameter"]


def test_a_repeated_idempotency_key_creates_one_feed(world):
    ash = world.player()
    key = {"Idempotency-Key": "k1"}

    one, other = (ash.post("/v1/me/feeds", {"kind": "turns"}, headers=key, want=201).json for _ in range(2))

    assert one == other
    assert 1 == len(ash.get("/v1/me/feeds").json["feeds"])


# -- secrecy of the URL ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", ["redis"], indirect=True)
def test_the_store_does_not_contain_the_url_of_a_feed(world):
    game, ash, _ = world.table()
    _, path = made(ash, "game", game)
    secret = path.removeprefix("/feeds/").removesuffix(".atom").encode()
    read(world, path)

    names = world.store.wire.one("KEYS", "*")

    assert any(b":addresses:feed" in name for name in names)
    for name in names:
        assert secret not in name
        assert secret not in world.store.wire.one("DUMP", name)


def test_the_error_log_does_not_contain_the_url_of_a_feed(world, monkeypatch):
    game, ash, _ = world.table()
    _, path = made(ash, "game", game)
    secret = path.removeprefix("/feeds/").removesuffix(".atom")
    written = io.StringIO()
    with contextlib.redirect_stderr(written):
        configure("debug")
        monkeypatch.setattr(public_api, "_game_feed", lambda found: 1 // 0)
        world.public.get(path, want=500)

    assert "ZeroDivisionError" in written.getvalue()
    assert secret not in written.getvalue()


@pytest.mark.soak
def test_server_output_does_not_contain_the_url_of_a_feed(redis_url, redis_store, tmp_path, monkeypatch):
    (tmp_path / "signing.key").write_text("5a" * 32 + "\n")
    printed = tmp_path / "printed"
    spawn = subprocess.Popen
    with printed.open("wb") as output:
        monkeypatch.setattr(
            subprocess, "Popen", lambda *told, **kwargs: spawn(*told, stdout=output, stderr=output, **kwargs)
        )
        with working(redis_store), serving(redis_url, tmp_path, LOG_LEVEL="debug") as site:
            ash = Player.register(site, "Ash")
            _, path = made(ash, "turns")
            secret = path.removeprefix("/feeds/").removesuffix(".atom")
            public = Player(site)
            public.get(path, want=200)
            public.get(path.replace(".atom", ".ics"), want=404)
            public.get(f"{path}?colour=red", want=422)
            public.get(path + "/" + "x" * 5000, want=414)
            for name in redis_store.wire.one("KEYS", "address:*"):
                redis_store.wire.one("DEL", name)
                redis_store.wire.one("HSET", name, "a", "b")
            public.get(path, want=500)

    assert b"WRONGTYPE" in printed.read_bytes()
    assert secret.encode() not in printed.read_bytes()
