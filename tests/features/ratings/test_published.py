"""Published lists: one document a day, chained, in the transparency log, and equal to what exports give."""

from __future__ import annotations

import hashlib
import json

import pytest

from domain.kernel.terms import DAY
from service.cli.checking.rating_lists import NotReadable, compare, read_documents, read_export, recompute
from service.features.ratings import storage
from service.features.ratings.jobs import add_pending
from service.features.ratings.publication import LEAF, list_days, log_published, publish_day, read_day
from service.features.ratings.storage import add_games
from tests.features.ratings import rated
from tests.features.ratings.test_clauses import game_of
from tests.store.pump import SIGNER

URL = "https://games.example.org"


@pytest.fixture
def days(redis_store, monkeypatch):
    """Advances the clock of the store by days."""
    now = {"at": redis_store.schedule.now()}
    monkeypatch.setattr(redis_store.schedule, "now", lambda: now["at"])

    def advance(count=1):
        now["at"] += count * DAY

    return advance


def documents(store):
    return [read_day(store, each.day) for each in list_days(store)]


def test_a_document_is_published_once_a_day_and_only_with_new_games(redis_store, days):
    assert publish_day(redis_store) is None
    add_games(redis_store, "nim:2:players", [game_of(1, "p1", "p2")])
    first = publish_day(redis_store)
    add_games(redis_store, "nim:2:players", [game_of(2, "p1", "p2")])
    assert publish_day(redis_store) is None, "the same day"
    days()
    second = publish_day(redis_store)
    days()
    assert publish_day(redis_store) is None, "no new game"

    assert [second, first] == list_days(redis_store)
    newest, oldest = map(json.loads, documents(redis_store))
    assert ["g1"] == [each["game"] for each in oldest["lists"][0]["games"]]
    assert ["g2"] == [each["game"] for each in newest["lists"][0]["games"]]
    assert hashlib.sha256(documents(redis_store)[1]).hexdigest() == first.sha256 == newest["previous"]
    assert 2 == newest["lists"][0]["ratings"]["p1"]["games"]


def test_a_document_is_not_published_while_a_game_is_added(redis_store, monkeypatch):
    """Otherwise it would lack the game, which would never be published."""
    add_games(redis_store, "nim:2:players", [game_of(1, "p1", "p2")])
    read_all = storage.all_ratings

    def overtaken(*told):
        found = read_all(*told)
        add_games(redis_store, "nim:2:players", [game_of(2, "p1", "p2")])
        return found

    monkeypatch.setattr(storage, "all_ratings", overtaken)
    assert publish_day(redis_store) is None
    monkeypatch.setattr(storage, "all_ratings", read_all)
    assert 2 == publish_day(redis_store).games


def test_digests_enter_the_transparency_log_once(redis_store, days):
    for number in range(2):
        add_games(redis_store, "nim:2:players", [game_of(number, "p1", "p2")])
        publish_day(redis_store)
        days()

    assert 2 == log_published(redis_store, SIGNER, URL)
    assert 0 == log_published(redis_store, SIGNER, URL)
    second, first = list_days(redis_store)
    leaves = redis_store.ledger.bundle(0, 2).split(b"{")[1:]
    assert [first.sha256, second.sha256] == [json.loads(b"{" + each[: each.index(b"}") + 1])["head"] for each in leaves]
    assert [(0, 1), (1, 2)] == list(redis_store.ledger.of(LEAF))


@pytest.fixture
def published(world):
    """A service with rated games of three kinds of lists, its published documents, and all exports."""
    ash, birk, cleo = world.player("Ash"), world.player("Birk"), world.player("Cleo")
    games = [rated.finish(rated.start(ash, birk, kind="nim"), ash, birk) for _ in range(3)]
    games.append(rated.finish(rated.start(birk, ash, cleo), ash, birk, cleo))
    games.append(rated.finish(rated.start(ash, bots=("greedy",)), ash))
    add_pending(world.store)
    publish_day(world.store)
    return documents(world.store), [rated.export(ash, game) for game in games]


def test_exports_give_the_published_ratings_to_the_last_digit(world, published):
    made, exports = published
    results = [read_export(each) for each in exports]

    for order in (results, results[::-1]):
        found = compare(order, read_documents(made))
        assert [] == found.differences
        assert {name: each.ratings for name, each in found.lists.items()} == {
            name: storage.all_ratings(world.store, name) for name in storage.list_names(world.store)
        }


def test_a_document_names_no_secret_and_only_public_games(world, published):
    told = json.loads(published[0][0])

    assert {"format", "number", "place", "previous", "day", "at", "release", "lists"} == told.keys()
    assert all(
        world.public.get(f"/v1/games/{each['game']}", want=200) for one in told["lists"] for each in one["games"]
    )


def forged(document, change):
    told = json.loads(document)
    change(told["lists"])
    return json.dumps(told).encode()


def test_every_lie_in_a_document_is_found(published):
    (document,), exports = published
    results = [read_export(each) for each in exports]
    lists = json.loads(document)["lists"]
    who = next(iter(lists[0]["ratings"]))
    lies = {
        "a rating": lambda told: told[0]["ratings"][who].update(mu="99.000000"),
        "a name": lambda told: told[0]["ratings"].update(p9=told[0]["ratings"].pop(who)),
        "a result": lambda told: told[0]["games"][0].update(places=told[0]["games"][0]["places"][::-1]),
        "a head": lambda told: told[0]["games"][0].update(head="0" * 64),
        "who played": lambda told: told[0]["games"][0].update(players=told[0]["games"][0]["players"][::-1]),
        "a missing game": lambda told: told[0]["games"].pop(),
        "an excluded game": lambda told: told[0]["games"][0].update(clause="RAT-10"),
    }
    assert [] == compare(results, read_documents([document])).differences
    assert [] == [
        name
        for name, change in lies.items()
        if not compare(results, read_documents([forged(document, change)])).differences
    ]
    assert compare(results[1:], read_documents([document])).differences, "a game without export"


def test_documents_must_be_a_whole_chain(redis_store, days):
    for number in range(3):
        add_games(redis_store, "nim:2:players", [game_of(number, "p1", "p2")])
        publish_day(redis_store)
        days()
    newest, middle, oldest = documents(redis_store)

    assert {"g0", "g1", "g2"} == read_documents([middle, newest, oldest]).games.keys()
    with pytest.raises(NotReadable, match="document 2 is missing"):
        read_documents([oldest, newest])
    with pytest.raises(NotReadable, match="does not follow"):
        read_documents([oldest, middle.replace(b'"players":["p1"', b'"players":["p3"'), newest])
    for wrong in (b"{}", b"[]", b"no", oldest.replace(b"oraclewheel/ratings", b"other")):
        with pytest.raises(NotReadable, match="it is not"):
            read_documents([wrong])


def test_a_damaged_or_running_export_is_refused(world, published):
    ash, birk = world.player(), world.player()
    running = rated.export(ash, rated.start(ash, birk, kind="nim"))
    damaged = published[1][0].replace(b'"winners":[1]', b'"winners":[2]', 1)
    damaged = damaged if damaged != published[1][0] else published[1][0].replace(b'"winners":[2]', b'"winners":[1]', 1)

    for data, why in ((running, "still running"), (damaged, "fails the audit"), (b"x", "newline")):
        with pytest.raises(NotReadable, match=why):
            read_export(data)


def test_players_that_do_not_fit_the_seats_are_refused(published):
    result = read_export(published[1][-1])

    for players in ((), ("p1",), ("p1", "p2"), ("bot:greedy", "bot:greedy")):
        with pytest.raises(NotReadable, match="are not known"):
            recompute([result], {result.game: players})
    assert recompute([result], {result.game: ("p1", "bot:greedy")})


def test_the_documents_are_read_over_http(world, published):
    days = world.public.get("/v1/ratings/published", want=200).json
    entry = days["days"][0]
    data = world.public.get(f"/v1/ratings/published/{entry['day']}", want=200).body

    assert LEAF == days["name"]
    assert (hashlib.sha256(data).hexdigest(), 5, None) == (entry["sha256"], entry["games"], entry["log_index"])
    world.public.get("/v1/ratings/published/2001-01-01", want=404)
    log_published(world.store, SIGNER, URL)
    assert 0 == world.public.get("/v1/ratings/published", want=200).json["days"][0]["log_index"]
