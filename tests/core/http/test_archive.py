"""An archived game gives the same answers as before, byte for byte, on every route."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from domain.kernel.dice import Dice
from service.audit.auditor import audit
from service.features.archive.mover import move
from service.store.redis.store import open_store
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.driver import play_out
from tests.features.chat.test_chat import say, words

HELLO = "Well played!"
DESCRIBED = yaml.load((Path(__file__).parents[3] / "openapi.yaml").read_text(), Loader=yaml.CSafeLoader)
ROUTES = sorted(
    (method.upper(), path)
    for path, told in DESCRIBED["paths"].items()
    for method in told
    if "{game}" in path and method != "parameters"
)
PASSING = {"Date", "RateLimit", "RateLimit-Policy", "Request-Id", "X-Request-Id", "Content-Length"}

QUERIES = {
    "/v1/games/{game}/view": [{}, {"at": 1}, {"at": 4}, {"seat": 1}, {"seat": 2, "at": 3}, {"at": 10_000}, {"seat": 9}],
    "/v1/games/{game}/events": [
        {},
        {"after": 2},
        {"entries": 2},
        {"since": "my-last-turn"},
        {"digest": "turn"},
        {"seat": 2},
    ],
    "/v1/games/{game}/board.svg": [{}, {"at": 2}, {"scheme": "dark"}],
    "/v1/games/{game}/board.png": [{"at": 2}],
    "/v1/games/{game}/position": [{}, {"at": 3}],
    "/v1/games/{game}/talk": [{}, {"entries": 1}],
    "/v1/games/{game}/options": [{}, {"seat": 1}],
}
"""Query parameters to try for each route; other routes are called without any."""

BODIES = {
    "/v1/games/{game}": [{"title": "Late"}],
    "/v1/games/{game}/commands": [{"type": "hide", "pennies": 1}, {"type": "resign"}, {"type": "nonsense"}],
    "/v1/games/{game}/talk": [{"text": "Once more?"}],
    "/v1/games/{game}/plan": [{"commands": [{"type": "hide", "pennies": 1}], "if": "legal", "then": "wait"}],
    "/v1/games/{game}/seats": [{}, {"bot": "random"}],
    "/v1/games/{game}/seats/{seat}": [{"entropy": "abc"}],
    "/v1/games/{game}/seats/{seat}/sitter": [{"player": "nobody", "days": 2}],
}
"""Bodies to try for requests that change something, in addition to no body."""

CHANGED = {
    ("POST", "/v1/games/{game}/fork"),
    ("POST", "/v1/games/{game}/rematch"),
    ("POST", "/v1/games/{game}/mutes"),
    ("DELETE", "/v1/games/{game}/mutes/{other}"),
    ("POST", "/v1/games/{game}/reports"),
    ("PUT", "/v1/me/favorites/games/{game}"),
    ("DELETE", "/v1/me/favorites/games/{game}"),
    ("DELETE", "/v1/games/{game}/talk/{seq}"),
}
"""Operations that finished games accept; each has a separate test below."""


@pytest.fixture
def archive(tmp_path):
    return f"file://{tmp_path}/archive"


@pytest.fixture
def house(redis_url, redis_store, archive):
    """A finished game with a chat message, and a service with an archive."""
    worlds = []

    def world():
        worlds.append(World(open_store(redis_url, archive=archive)))
        return worlds[-1]

    first = world()
    game, ash, birk = first.table("Ash", "Birk", title="Friday", tags=["fast"])
    said = say(ash, game, HELLO).json["seq"]
    ids = [answer.json["id"] for answer in [ash.send(game, {"type": "hide", "pennies": 1}, key="one")]]
    play_out([ash, birk], game, Dice(b"a" * 32))
    readers = {"public": first.public, "Ash": ash, "Birk": birk, "stranger": first.player("Cyra")}
    yield SimpleNamespace(
        world=first, another=world, game=game, readers=readers, said=said, commands=ids, ash=ash, birk=birk
    )
    for each in worlds:
        each.store.close()


def put_away(house):
    """Archive the game and drop its local copy; return a fresh service, which the readers now use."""
    store = house.world.store
    assert "moved" == move(store, house.game).word
    store.archive.forget(house.game)
    assert [] == store.wire.one("KEYS", f"*g:{house.game}:*")
    fresh = house.another()
    for reader in house.readers.values():
        reader.site = fresh.site
    return fresh


def asked(house):
    """Send every request and map it to its answer."""
    found = {}
    for who, reader in house.readers.items():
        for method, path in ROUTES:
            if (method, path) in CHANGED:
                continue
            filled = path.replace("{game}", house.game).replace("{seat}", "1").replace("{other}", "2")
            filled = filled.replace("{seq}", str(house.said)).replace("{command}", house.commands[0])
            for query in QUERIES.get(path, [{}]) if method == "GET" else [{}]:
                for body in [None] if method == "GET" else [None, *BODIES.get(path, [])]:
                    answer = reader.call(method, filled, body, **query)
                    headers = {name: value for name, value in answer.headers.items() if name not in PASSING}
                    found[who, method, path, str(query), str(body)] = (answer.status, headers, answer.body)
    return found


def test_every_game_route_answers_the_same_after_archiving(house):
    before = asked(house)
    fresh = put_away(house)
    after = asked(house)

    for request, answer in before.items():
        assert answer == after[request], request
    assert {method for _, method, *_ in before} >= {"GET", "POST", "PUT", "DELETE", "PATCH"}
    assert any(status == 200 for status, *_ in before.values()) and not any(
        status >= 500 and b"no-search-worker" not in body for status, _, body in before.values()
    )
    assert house.game in dict(fresh.store.archive.index()), "nothing of this has taken it back"


def test_routes_include_all_operations_that_finished_games_accept():
    assert set(ROUTES) >= CHANGED
    assert {"/v1/games/{game}/view", "/v1/games/{game}/export", "/v1/games/{game}/fork"} <= {path for _, path in ROUTES}


def test_lists_players_and_inboxes_show_an_archived_game_without_fetching_it(house):
    def lists():
        return [
            reader.get(path, want=None, **query).body
            for reader in house.readers.values()
            for path, query in [
                ("/v1/games", {}),
                ("/v1/games", {"status": "over"}),
                ("/v1/games", {"kind": "pennies", "limit": 1}),
                ("/v1/games", {"mine": "true"}),
                ("/v1/games", {"tag": "fast"}),
                ("/v1/games", {"player": house.birk.id, "sort": "oldest"}),
                ("/v1/me/turns", {}),
                (f"/v1/players/{house.ash.id}", {}),
            ]
        ]

    before = lists()
    fresh = put_away(house)
    assert before == lists()
    assert house.game in before[0].decode()
    assert '"title":"Friday","tags":["fast"]' in before[4].decode() and before[4] == before[0]
    assert 0 == fresh.store.wire.one("EXISTS", fresh.store.keys.game(house.game).meta), "a list needs no copy"


def test_a_stream_of_an_archived_game_sends_all_events_and_ends(house):
    with house.ash.stream(house.game) as messages:
        before = [(each.id, each.data) for each in messages if each.data is not None]
    put_away(house)
    with house.ash.stream(house.game) as messages:
        assert before == [(each.id, each.data) for each in messages if each.data is not None]
    assert before


def test_a_retried_command_is_answered_from_the_archive(house):
    body = {"type": "hide", "pennies": 1}
    before = house.ash.send(house.game, body, key="one", want=None)
    put_away(house)
    after = house.ash.send(house.game, body, key="one", want=None)
    assert (before.status, before.body) == (after.status, after.body)
    assert 422 == house.ash.send(house.game, {"type": "hide", "pennies": 0}, key="one", want=None).status


def test_a_fork_begins_at_any_commit_of_an_archived_game(house):
    put_away(house)
    for seq in (2, 5):
        made = house.birk.post(f"/v1/games/{house.game}/fork", {"seq": seq}, want=None)
        assert 201 == made.status, made.text


def test_an_archived_game_has_a_rematch(house):
    put_away(house)
    assert 201 == house.birk.post(f"/v1/games/{house.game}/rematch", {}).status


def test_an_archived_game_can_be_labelled(house):
    put_away(house)
    house.ash.call("PUT", f"/v1/games/{house.game}/label", {"label": "League"}, want=200)
    (listed,) = house.ash.get("/v1/games", tag="fast", want=200).json["games"]
    assert (house.game, "League") == (listed["id"], listed["label"])
    house.ash.call("DELETE", f"/v1/games/{house.game}/label", want=204)


def test_an_archived_game_can_be_a_favorite(house):
    put_away(house)
    house.ash.call("PUT", f"/v1/me/favorites/games/{house.game}", {}, want=200)
    (listed,) = house.ash.get("/v1/me/favorites/games", want=200).json["games"]
    assert (house.game, "over") == (listed["id"], listed["status"])
    house.ash.call("DELETE", f"/v1/me/favorites/games/{house.game}", want=204)


def test_the_export_of_an_archived_game_is_authenticated_by_a_kept_head(house):
    head = house.ash.summary(house.game)["head"]
    put_away(house)
    report = audit(house.birk.get(f"/v1/games/{house.game}/export", want=200).body, heads=[head])
    assert "authenticated" == report.verdict, report.verdict


def test_an_archived_message_can_be_erased_from_every_archive_object(house, archive):
    fresh = put_away(house)
    assert [HELLO] == words(house.birk, house.game)
    house.ash.call("DELETE", f"/v1/games/{house.game}/talk/{house.said}", want=204)

    assert {} == dict(fresh.store.archive.index()), "it was taken back for it"
    assert [None] == [said.get("words") for said in talked(house)]
    assert [] == list(fresh.store.archive.names()) == list(fresh.store.archive.litter())
    fresh.store.archive.forget(house.game)  # the game is no longer a copy, so this does nothing
    again = put_away(house)
    assert [None] == [said.get("words") for said in talked(house)]
    assert [name for _, name in again.store.archive.index()] == list(again.store.archive.names())


def talked(house):
    return house.birk.get(f"/v1/games/{house.game}/talk", want=200).json["messages"]


def test_mutes_persist_in_an_archived_game(house):
    put_away(house)
    house.birk.post(f"/v1/games/{house.game}/mutes", {"seat": 1}, want=None)
    told = house.birk.get(f"/v1/games/{house.game}/mutes", want=200).body
    put_away(house)
    assert told == house.birk.get(f"/v1/games/{house.game}/mutes", want=200).body
    house.birk.call("DELETE", f"/v1/games/{house.game}/mutes/1", want=None)
    assert told != house.birk.get(f"/v1/games/{house.game}/mutes", want=200).body


def test_messages_in_an_archived_game_can_be_reported(house):
    put_away(house)
    assert house.birk.post(
        f"/v1/games/{house.game}/reports", {"seq": house.said, "reason": "rude"}, want=None
    ).status in (
        200,
        201,
        204,
    )


@pytest.mark.parametrize("harm", ["gone", "cut short", "another's", "no zstd"])
def test_a_missing_or_damaged_archive_object_is_503(house, harm, tmp_path):
    put_away(house)
    (place,) = (tmp_path / "archive").rglob("*.zst")
    data = place.read_bytes()
    match harm:
        case "gone":
            place.unlink()
        case "cut short":
            place.write_bytes(data[: len(data) // 2])
        case "another's":
            from service.store.shared import archive_object

            place.write_bytes(archive_object.packed(b"{}\n{}\n"))
        case _:
            place.write_bytes(b"nothing at all")
    for path in ("", "/view", "/events", "/export", "/board.svg", "/course"):
        answer = house.birk.get(f"/v1/games/{house.game}{path}")
        is_a_problem(answer, 503, "archive-unavailable")
        assert "Retry-After" in answer.headers
    is_a_problem(house.birk.send(house.game, {"type": "resign"}, want=None), 503, "archive-unavailable")
    assert house.game not in house.birk.get("/v1/games", want=200).text, "and lists go on without it"
    assert json.loads(house.birk.get("/v1/me/turns", want=200).body) is not None


def test_a_service_without_an_archive_answers_503_for_an_archived_game(house, redis_url):
    put_away(house)
    bare = World(open_store(redis_url))
    house.birk.site = bare.site
    is_a_problem(house.birk.get(f"/v1/games/{house.game}/view"), 503, "archive-unavailable")
    bare.store.close()
