"""Invalid input gets the right problem, and nothing is stored."""

from __future__ import annotations

import json

import pytest

from service.store.ports.errors import StoreDown
from tests.core.http.problem import is_a_problem
from tests.driver import Player


@pytest.fixture
def table(world):
    return world, *world.table()


HIDE = {"type": "hide", "pennies": 1}


def test_malformed_json_is_400_and_nothing_is_stored(table):
    world, game, ash, _ = table
    before = world.store.log.head(game)

    for body in (b"{", b'{"type": "hide", "pennies": NaN}', b"\xff\xfe", b'{"type": "\\ud800"}'):
        is_a_problem(ash.post(f"/v1/games/{game}/commands", body), 400, "malformed-json")

    assert before == world.store.log.head(game)


def test_null_is_read_as_a_missing_body(world):
    """Generated Go and Java clients send `null` for an optional body."""
    ash = world.player("Ash")
    game = ash.make_game("pennies")
    ash.seat_bot(game["id"], "random")

    assert 200 == ash.post(f"/v1/games/{game['id']}/start", b"null").status
    is_a_problem(ash.post("/v1/games", b"null"), 422, "invalid")


@pytest.mark.parametrize(
    ("command", "pointer"),
    [
        ({"type": "hide"}, "/pennies"),
        ({"type": "hide", "pennies": "1"}, "/pennies"),
        ({"type": "hide", "pennies": 1.0}, "/pennies"),
        ({"type": "hide", "pennies": True}, "/pennies"),
        ({"type": "hide", "pennies": None}, "/pennies"),
        ({"type": "hide", "pennies": 2**60}, "/pennies"),
        ({"type": "hide", "pennies": [1]}, "/pennies"),
        ({"type": "hide", "pennies": 1, "seat": 2}, "/seat"),
        ({"type": "hide", "pennies": 1, "a/b~c": 2}, "/a~1b~0c"),
        ({"type": "seek"}, "/type"),
        ({"type": "begin"}, "/type"),
        ({"type": "expire", "question": "1:0:1"}, "/type"),
        ({"type": 7}, "/type"),
        ({}, "/type"),
        ([], ""),
        ("hide", ""),
        (None, "/type"),
    ],
)
def test_a_wrong_or_unknown_field_is_422_with_a_pointer_to_it_and_nothing_is_stored(table, command, pointer):
    world, game, ash, _ = table
    before = world.store.log.head(game)

    body = b"" if command is None else json.dumps(command).encode()
    document = is_a_problem(ash.post(f"/v1/games/{game}/commands", body), 422, "invalid")

    assert pointer == document["pointer"]
    assert pointer in [error["pointer"] for error in document["errors"]]
    assert before == world.store.log.head(game)


@pytest.mark.parametrize(
    ("told", "pointer"),
    [
        ({"kind": "chess"}, "/kind"),
        ({"seats": 7}, "/seats"),
        ({"seats": "2"}, "/seats"),
        ({"options": {"points": 0}}, "/options/points"),
        ({"options": {"points": 1.5}}, "/options/points"),
        ({"options": {"points": {"a": 1}}}, "/options/points"),
        ({"options": {"pence": 1}}, "/options/pence"),
        ({"table": {"stand_in": {"a": 1}}}, "/table/stand_in"),
        ({"table": {"on_timeout": 1.5}}, "/table/on_timeout"),
        ({"options": []}, "/options"),
        ({"modules": ["keeper"]}, "/modules"),
        ({"ruleset": "pennies_v9"}, "/ruleset"),
        ({"pace": {"mode": "per_question"}}, "/pace/hours"),
        ({"pace": {"mode": "per_question", "hours": 0}}, "/pace/hours"),
        ({"pace": {"mode": "hasty"}}, "/pace/mode"),
        ({"pace": {"mode": "free", "hours": 3}}, "/pace/hours"),
        ({"visibility": "hidden"}, "/visibility"),
        ({"entropy": "XYZ"}, "/entropy"),
        ({"entropy": "5eed\n"}, "/entropy"),
        ({"colour": "red"}, "/colour"),
    ],
)
def test_invalid_settings_of_a_new_game_are_422_with_a_pointer(world, told, pointer):
    ash = world.player()

    body = {"kind": "pennies", "seats": 2, **told}
    document = is_a_problem(ash.post("/v1/games", body), 422, "invalid")

    assert pointer == document["pointer"]
    assert [] == ash.get("/v1/games", mine="true").json["games"]


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "limit=-1", "status=won", "kind=chess", "mine=1"])
def test_a_wrong_query_parameter_is_422_and_named(world, query):
    document = is_a_problem(world.player().get(f"/v1/games?{query}"), 422, "invalid")

    assert query.partition("=")[0] == document["parameter"]


@pytest.mark.parametrize("path", ["view", "options", "events"])
@pytest.mark.parametrize("seat", ["0", "3", "x", "9" * 5000])
def test_a_seat_that_does_not_exist_is_422(table, path, seat):
    _, game, ash, _ = table

    document = is_a_problem(ash.get(f"/v1/games/{game}/{path}?seat={seat}"), 422, "invalid")

    assert "seat" == document["parameter"]


def test_every_unknown_field_is_reported(world):
    ash = world.player("Ash")
    game = ash.make_game()["id"]

    document = is_a_problem(ash.post(f"/v1/games/{game}/start", {"a": 1, "b": 2}), 422, "invalid")

    assert [
        {"pointer": "/a", "detail": "Unknown field."},
        {"pointer": "/b", "detail": "Unknown field."},
    ] == document["errors"]


def test_an_unknown_game_is_404(world):
    ash = world.player()

    for path in ("", "/view", "/options", "/events", "/export", "/position", "/commands/x"):
        is_a_problem(ash.get(f"/v1/games/gnone{path}"), 404, "unknown-game")
    is_a_problem(ash.send("gnone", HIDE), 404, "unknown-game")
    is_a_problem(ash.get("/v1/games/" + "g" * 3000), 404, "unknown-game")
    is_a_problem(ash.get("/v1/games/%00%ff%0a{x}"), 404, "unknown-game")


def test_unknown_resources_are_404_and_unsupported_requests_405_or_406(table):
    _, game, ash, _ = table

    is_a_problem(ash.get("/v1/nothing"), 404, "not-found")
    is_a_problem(ash.get("/v1/kinds/chess"), 404, "unknown-kind")
    is_a_problem(ash.call("DELETE", "/v1/me/tokens/c0"), 404, "unknown-token")
    is_a_problem(ash.get(f"/v1/games/{game}/view", at=10_000), 404, "unknown-commit")
    is_a_problem(ash.get(f"/v1/games/{game}/view", at=0), 404, "unknown-commit")
    is_a_problem(ash.get(f"/v1/games/{game}/view", at="1999-01-01T00:00:00Z"), 404, "unknown-commit")
    is_a_problem(ash.get(f"/v1/games/{game}/view", at="tomorrow"), 422, "invalid")
    is_a_problem(ash.call("PATCH", f"/v1/games/{game}/seats/9", {"entropy": "aa"}), 404, "unknown-seat")
    is_a_problem(ash.call("PUT", f"/v1/games/{game}"), 405, "method-not-allowed")
    is_a_problem(ash.get(f"/v1/games/{game}/events", headers={"Accept": "image/png"}), 406, "not-acceptable")


def test_a_command_of_another_player_is_404(table):
    _, game, ash, birk = table

    sent = ash.send(game, HIDE, want=200).json["id"]

    is_a_problem(birk.get(f"/v1/games/{game}/commands/{sent}"), 404, "unknown-command")
    is_a_problem(ash.get(f"/v1/games/{game}/commands/{'x' * 24}"), 404, "unknown-command")


def test_a_stale_if_match_is_412_with_the_commits_missed(table):
    world, game, ash, birk = table
    seen = birk.view(game)["seq"]
    ash.send(game, HIDE, want=200)
    before = world.store.log.head(game)

    document = is_a_problem(birk.send(game, HIDE, seen=seen), 412, "stale")

    assert before[0] == document["seq"]
    missed = [line for entry in document["missed"] for line in entry["lines"]]
    assert ["hand_closed"] == [line["type"] for line in missed], "and not how many were hidden"
    assert before == world.store.log.head(game)


@pytest.mark.parametrize("tag", ["0", 'W/"0"', '"0"'])
def test_an_if_match_of_an_older_view_is_412(table, tag):
    _, game, ash, _ = table

    is_a_problem(ash.send(game, HIDE, seen=tag), 412, "stale")


def test_a_command_before_the_start_is_409_not_started(world):
    ash = world.player()
    game = ash.make_game()["id"]

    is_a_problem(ash.send(game, HIDE), 409, "not-started")
    is_a_problem(ash.send(game, HIDE, dry_run="true"), 409, "not-started")
    for path in ("view", "view?at=1", "options", "position", "export"):
        is_a_problem(ash.get(f"/v1/games/{game}/{path}"), 409, "not-started")


def test_a_reused_key_with_another_body_is_422(table):
    _, game, ash, _ = table
    ash.send(game, HIDE, key="k1", want=200)

    document = is_a_problem(ash.send(game, {"type": "hide", "pennies": 0}, key="k1"), 422, "key-reused")

    assert "Idempotency-Key" == document["parameter"]


@pytest.mark.parametrize("key", ["", " ", "k" * 201])
def test_an_empty_or_too_long_key_is_422(table, key):
    _, game, ash, _ = table

    is_a_problem(ash.send(game, HIDE, key=key), 422, "invalid")


def test_a_body_over_64_kib_is_413(table):
    world, game, ash, _ = table

    large = json.dumps({"type": "hide", "pennies": 1, "x": "y" * 65_536}).encode()
    for path in (f"/v1/games/{game}/commands", "/v1/games", "/v1/me/tokens"):
        is_a_problem(ash.post(path, large), 413, "too-large")
    is_a_problem(world.public.post("/v1/players", large), 413, "too-large")


def test_too_many_requests_are_429_with_retry_after(world, monkeypatch):
    from tests.core.http.conftest import World

    small = World(rate_requests=3)
    ash = small.player()
    told = [ash.get("/v1/me") for _ in range(4)]

    assert [200, 200, 200, 429] == [answer.status for answer in told]
    is_a_problem(told[-1], 429, "too-many-requests")
    assert 1 <= int(told[-1].headers["Retry-After"]) <= 60
    assert '"requests";r=2;t=20' == told[0].headers["RateLimit"]
    assert '"requests";q=3;w=60' == told[0].headers["RateLimit-Policy"]


def test_too_many_registrations_from_an_address_are_429(world):
    from tests.core.http.conftest import World

    small = World(rate_registrations=2)
    small.player()
    small.player()

    answer = small.public.post("/v1/players", {"name": "Third"})

    is_a_problem(answer, 429, "too-many-requests")
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_seat_that_runs_out_of_refusals_gets_429_and_no_commit(world):
    from tests.core.http.conftest import World

    small = World(refusal_burst=2)
    game, ash, _ = small.table()
    bad = {"type": "hide", "pennies": 100}
    assert [409, 409] == [ash.send(game, bad).status for _ in range(2)]
    before = small.store.log.head(game)

    answer = ash.send(game, bad)

    is_a_problem(answer, 429, "too-many-refusals")
    assert int(answer.headers["Retry-After"]) >= 1
    assert before == small.store.log.head(game)


def test_an_illegal_command_is_committed_as_a_refusal_and_answered_with_409(table):
    world, game, ash, _ = table
    before = world.store.log.head(game)[0]

    answer = ash.send(game, {"type": "hide", "pennies": 100})

    document = is_a_problem(answer, 409, "too-many-pennies")
    assert "urn:oraclewheel:refusal:too-many-pennies" == document["type"]
    assert "You do not have as many." == document["detail"]
    assert "PEN-02" == document["rule"]
    assert "/pennies" == document["pointer"]
    assert before + 1 == document["seq"] == world.store.log.head(game)[0]


def test_a_command_out_of_turn_is_refused_and_not_dropped(table):
    _, game, ash, _ = table
    ash.send(game, HIDE, want=200)

    document = is_a_problem(ash.send(game, HIDE), 409, "not-your-turn")

    assert [2] == document["facts"]["asked"]


def test_a_command_reserved_for_the_system_is_refused(table):
    _, game, ash, _ = table

    is_a_problem(ash.send(game, {"type": "roll"}), 409, "not-allowed")


def test_a_store_that_does_not_answer_is_503_with_retry_after(table, monkeypatch):
    world, game, ash, _ = table

    def down(*_args, **_kwargs):
        raise StoreDown("gone")

    for name in ("submit", "head", "commits", "outcome"):
        monkeypatch.setattr(world.store.log, name, down)
    for name in ("rows", "asked"):
        monkeypatch.setattr(world.store.views, name, down)
    monkeypatch.setattr(world.store.schedule, "now", down)
    for name in ("by_token", "player", "tokens", "create", "allow", "use_ticket"):
        monkeypatch.setattr(world.store.accounts, name, down)
    for name in ("get", "page"):
        monkeypatch.setattr(world.store.lobbies, name, down)
    monkeypatch.setattr(world.store, "ready", lambda: False)

    answers = [
        ash.get("/v1/me"),
        ash.get("/v1/games"),
        ash.get(f"/v1/games/{game}"),
        ash.get(f"/v1/games/{game}/view"),
        ash.send(game, HIDE),
        Player(world.site, "owt_other").get("/v1/me"),
        world.public.post("/v1/players", {"name": "Late"}),
        world.public.get("/readyz"),
    ]

    for answer in answers:
        is_a_problem(answer, 503, "not-ready")
        assert int(answer.headers["Retry-After"]) >= 1
    assert 200 == world.public.get("/healthz").status


def test_an_unexpected_error_is_a_500_without_a_traceback(table, monkeypatch):
    world, game, ash, _ = table

    def broken(*_args, **_kwargs):
        raise RuntimeError("a secret of the implementation")

    monkeypatch.setattr(world.store.views, "rows", broken)

    answer = ash.get(f"/v1/games/{game}/view")

    is_a_problem(answer, 500, "internal")
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("told", "pointer", "right"),
    [
        ({"kind": "chess"}, "/kind", "battalia"),
        ({"options": {"movement": "swift"}}, "/options/movement", "One of advanced, basic."),
        ({"options": {"unbound_units": 1}}, "/options/unbound_units", "One of false, true."),
        ({"options": {"weeks": 1}}, "/options/weeks", "there are: quick_setup, movement"),
        ({"options": []}, "/options", "a JSON object"),
        ({"modules": ["dragon"]}, "/modules", "rammoth"),
        ({"modules": "rammoth"}, "/modules", "Must be a list of at most 50 elements."),
        ({"entropy": "XYZ"}, "/entropy", "at most 128 hex digits"),
        ({"entropy": "5EED" * 60}, "/entropy", "at most 128 hex digits"),
        ({"entropy": 5}, "/entropy", "at most 128 hex digits"),
        ({"pace": "free"}, "/pace", "a JSON object"),
        ({"ruleset": ""}, "/ruleset", "Must be a string of 1 to 80 characters."),
    ],
)
def test_invalid_settings_of_a_new_game_get_a_hint_at_valid_values(world, told, pointer, right):
    document = is_a_problem(world.player().post("/v1/games", {"kind": "battalia", "seats": 2, **told}), 422, "invalid")

    assert pointer == document["pointer"]
    assert right in document["detail"]
    assert 1 == document["detail"].count(right)


@pytest.mark.parametrize(
    ("name", "of_right_length", "others"),
    [("at", "25:00", ["6:00", "18", "18:00:00", "", 18]), ("day", "PT24X", ["", "P", "PT" + "0" * 30 + "1H", 24])],
)
def test_an_invalid_calendar_value_gets_the_same_detail_for_any_length(world, name, of_right_length, others):
    ash = world.player()
    right = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"}

    def detail(value):
        body = {"kind": "battalia", "seats": 2, "pace": {**right, name: value}}
        document = is_a_problem(ash.post("/v1/games", body), 422, "invalid")
        assert f"/pace/{name}" == document["pointer"]
        return document["detail"]

    assert "such as" in detail(of_right_length)
    assert {detail(of_right_length)} == {detail(value) for value in others}


@pytest.mark.parametrize("command", [{"type": "seek"}, {"type": None}, {}])
def test_a_command_of_unknown_type_gets_the_list_of_known_types(table, command):
    _, game, ash, _ = table

    detail = is_a_problem(ash.post(f"/v1/games/{game}/commands", command), 422, "invalid")["detail"]

    assert {"hide", "resign"} <= set(detail.partition("Known types: ")[2].rstrip(".").split(", "))


def test_a_view_at_commit_0_is_404_and_says_that_numbering_starts_at_1(table):
    _, game, ash, _ = table

    assert "numbered from 1" in is_a_problem(ash.get(f"/v1/games/{game}/view", at=0), 404, "unknown-commit")["detail"]
