"""Limits per account and address on games, tokens and guesses, each with its problem code and Retry-After."""

from __future__ import annotations

import threading
import time

import pytest

from domain.kernel.dice import Dice
from service.application import create_app
from service.core import game_start
from service.features.cleanup.jobs import DAY, clear
from service.ops.settings import Settings
from service.store.ports.errors import LobbyRefusal
from tests.core.http.conftest import World
from tests.core.http.problem import is_a_problem
from tests.driver import InProcess, Player, Unexpected

HIDE = {"type": "hide", "pennies": 1}
NEW = {"kind": "pennies", "seats": 2}


@pytest.fixture
def made():
    """A service with these settings."""
    return World


def too_many(answer, code):
    is_a_problem(answer, 429, code)
    assert 1 <= int(answer.headers["Retry-After"]) <= 3600


# -- tables -------------------------------------------------------------------------------------------------------------


def test_number_of_open_lobbies_per_account_is_limited(made, monkeypatch):
    monkeypatch.setattr(game_start, "NEW_GAME_SECONDS", 0)
    world = made(lobbies=3)
    ash, birk = world.player(), world.player()
    games = [ash.make_game()["id"] for _ in range(3)]

    too_many(ash.post("/v1/games", NEW), "too-many-lobbies")
    assert 3 == len(ash.get("/v1/games", mine="true").json["games"])
    birk.make_game()
    birk.join(games[0])
    ash.start(games[0])
    ash.make_game()
    too_many(ash.post("/v1/games", NEW), "too-many-lobbies")
    ash.call("DELETE", f"/v1/games/{games[1]}", want=204)
    ash.make_game()
    too_many(ash.post("/v1/games", NEW), "too-many-lobbies")


def test_lobbies_are_counted_exactly_across_processes(made):
    world = made(lobbies=5)
    ash = world.player()
    other = create_app(world.store, Settings(lobbies=5), world.wake)
    sites, got = [world.site, InProcess(other)], []
    game_start = threading.Barrier(20, timeout=60)

    def make(number):
        game_start.wait()
        got.append(Player(sites[number % 2], ash.token).post("/v1/games", NEW).status)

    making = [threading.Thread(target=make, args=(number,)) for number in range(20)]
    for each in making:
        each.start()
    for each in making:
        each.join(60)

    assert [201] * 5 + [429] * 15 == sorted(got)
    assert 5 == len(ash.get("/v1/games", mine="true").json["games"])


def test_number_of_unfinished_sandboxes_and_forks_per_account_is_limited(made, monkeypatch):
    monkeypatch.setattr(game_start, "NEW_GAME_SECONDS", 0)
    world = made(sandboxes=2, lobbies=1)
    ash = world.player()
    first = ash.make_game(sandbox={})["id"]
    ash.join(first)
    ash.start(first)
    fork = ash.post(f"/v1/games/{first}/fork", want=201).json["id"]

    too_many(ash.post(f"/v1/games/{first}/fork"), "too-many-sandboxes")
    too_many(ash.post("/v1/games", {**NEW, "sandbox": {}}), "too-many-sandboxes")
    ash.make_game()
    ash.call("DELETE", f"/v1/games/{fork}", want=204)
    ash.post(f"/v1/games/{first}/fork", want=201)


def test_number_of_tokens_per_account_is_limited(made):
    world = made(tokens=4)
    ash, game_start, got = world.player(), threading.Barrier(10, timeout=60), []

    def make():
        game_start.wait()
        got.append(ash.post("/v1/me/tokens", {"scopes": ["read"]}))

    making = [threading.Thread(target=make) for _ in range(10)]
    for each in making:
        each.start()
    for each in making:
        each.join(60)

    assert [201] * 3 + [429] * 7 == sorted(answer.status for answer in got), "the first it has from the beginning"
    too_many(next(answer for answer in got if answer.status == 429), "too-many-tokens")
    revoked = next(answer for answer in got if answer.status == 201).json["id"]
    ash.call("DELETE", f"/v1/me/tokens/{revoked}", want=204)
    assert 201 == ash.post("/v1/me/tokens", {"scopes": ["read"]}).status


# -- guesses ------------------------------------------------------------------------------------------------------------


def test_wrong_registration_codes_of_an_address_also_block_the_right_one(made):
    world = made(registration="invite", registration_code="open sesame", rate_wrong_codes=3)

    def register(code):
        return world.public.post("/v1/players", {"name": "Ash", "code": code})

    for _ in range(10):
        assert 201 == register("open sesame").status, "right ones cost nothing"
    for number in range(3):
        is_a_problem(register(f"guess {number}"), 403, "wrong-code")
    too_many(register("guess 4"), "too-many-guesses")
    too_many(register("open sesame"), "too-many-guesses")


@pytest.mark.parametrize("visibility", ["unlisted", "private", "none"])
def test_wrong_invitations_are_limited_whether_or_not_the_game_exists(made, visibility):
    world = made(rate_wrong_invitations=3)
    host, ash = world.player(), world.player()
    table = None if visibility == "none" else host.make_game(visibility=visibility, seats=3)
    game = "gnone" if table is None else table["id"]
    wrong = (403, "wrong-invitation") if visibility == "unlisted" else (404, "unknown-game")

    for number in range(3):
        is_a_problem(ash.post(f"/v1/games/{game}/seats", {"invitation": f"guess {number}"}), *wrong)
    too_many(ash.post(f"/v1/games/{game}/seats", {"invitation": "guess 4"}), "too-many-guesses")
    if table is not None:
        too_many(ash.post(f"/v1/games/{game}/seats", {"invitation": table["invitation"]}), "too-many-guesses")
    birk = world.player()
    too_many(birk.post(f"/v1/games/{game}/seats", {"invitation": "guess 5"}), "too-many-guesses")
    assert 404 == birk.post("/v1/games/gother/seats", {}).status, "who brings none does not guess"


def test_guesses_of_others_at_an_address_are_not_charged_to_a_player(made):
    world = made(rate_wrong_invitations=2)
    ash, birk = world.player(), world.player()

    for _ in range(2):
        ash.post("/v1/games/gnone/seats", {"invitation": "x"}, want=404)
    for _ in range(3):
        too_many(birk.post("/v1/games/gnone/seats", {"invitation": "x"}), "too-many-guesses")
    assert (True, 2) == world.store.accounts.allow(f"invitation:{birk.id}", 2, 2 / 3600, 0)[:2]


def test_right_invitations_are_not_limited(made):
    world = made(rate_wrong_invitations=2)
    host = world.player()

    for _ in range(6):
        table = host.make_game(visibility="private")
        ash = world.player()
        ash.join(table["id"], table["invitation"])
        is_a_problem(ash.post(f"/v1/games/{table['id']}/seats", {"invitation": "x"}), 409, "seated-already")


# -- commands -----------------------------------------------------------------------------------------------------------


def test_unrequested_commands_are_limited_but_answers_are_not(made):
    world = made(unrequested_burst=3)
    game, ash, birk = world.table()
    ash.send(game, HIDE, want=200)

    for _ in range(3):
        assert 409 == ash.send(game, HIDE).status
    before = ash.summary(game)["seq"]
    too_many(ash.send(game, HIDE), "too-many-unrequested-commands")
    assert before == ash.summary(game)["seq"], "no commit"
    birk.send(game, HIDE, want=200)
    ash.send(game, HIDE, want=200)


def test_standing_orders_are_limited_while_the_seat_has_another_question(made):
    world = made(unrequested_burst=3)
    players = [world.player() for _ in range(4)]
    game = players[0].make_game("fronela", 4)["id"]
    for player in players[1:]:
        player.join(game)
    players[0].start(game)
    asked = world.public.summary(game)["pending_questions"][0]["seat"]
    player = players[asked - 1]
    orders = next(option for option in player.options(game)["options"] if option["type"] == "set_stance")
    nation = next(each for each in orders["open"] if each["name"] == "nation")["one_of"][0]

    for stance in ("hold", "ask", "hold"):
        player.send(game, {"type": "set_stance", "nation": nation, "stance": stance}, want=200)
    too_many(
        player.send(game, {"type": "set_stance", "nation": nation, "stance": "ask"}), "too-many-unrequested-commands"
    )
    assert player.move(game, Dice(b"an answer" * 4), want=None).status in (200, 429)
    option = next(o for o in player.options(game)["options"] if not o["type"].startswith("set_"))
    assert 429 != player.send(game, {"type": option["type"], **option["fixed"]}, want=None).status


def test_repeated_command_with_the_same_key_is_counted_once(made):
    world = made(unrequested_burst=2)
    game, ash, _ = world.table()
    ash.send(game, HIDE, want=200)

    for _ in range(5):
        assert 409 == ash.send(game, HIDE, key="one").status
    assert 409 == ash.send(game, HIDE, key="two").status
    too_many(ash.send(game, HIDE, key="three"), "too-many-unrequested-commands")


# -- lobbies ------------------------------------------------------------------------------------------------------------


def test_creator_can_remove_a_game_before_its_start(made):
    world = made()
    ash, birk = world.player(), world.player()
    for visibility in ("public", "unlisted", "private"):
        made_ = ash.make_game(visibility=visibility)
        game = made_["id"]
        birk.join(game, made_["invitation"])

        is_a_problem(birk.call("DELETE", f"/v1/games/{game}"), 403, "not-creator")
        ash.call("DELETE", f"/v1/games/{game}", want=204)

        is_a_problem(ash.get(f"/v1/games/{game}"), 404, "unknown-game")
        is_a_problem(ash.call("DELETE", f"/v1/games/{game}"), 404, "unknown-game")
        is_a_problem(birk.post(f"/v1/games/{game}/seats", {}), 404, "unknown-game")
        for player in (ash, birk):
            assert [] == player.get("/v1/games", mine="true").json["games"]
            assert [] == player.get("/v1/games").json["games"]
            assert [] == player.turns()
            assert [] == list(world.store.accounts.games_of(player.id))


def test_removed_game_leaves_no_key_in_the_store(redis_store):
    world = World(redis_store)
    ash = world.player()

    def names():
        return {name for name in redis_store.wire.one("KEYS", "*") if not name.startswith((b"places:", b"bucket:"))}

    ash.make_game()
    before = names()
    game = ash.make_game()["id"]
    assert before < names()
    ash.call("DELETE", f"/v1/games/{game}", want=204)
    assert before == names()


def test_removing_a_private_game_shows_a_stranger_nothing(made):
    world = made()
    game = world.player().make_game(visibility="private")["id"]

    is_a_problem(world.player().call("DELETE", f"/v1/games/{game}"), 404, "unknown-game")
    is_a_problem(world.public.call("DELETE", f"/v1/games/{game}"), 401, "no-token")


def test_started_game_cannot_be_removed(made):
    world = made()
    game, ash, _ = world.table()
    head = world.store.log.head(game)

    is_a_problem(ash.call("DELETE", f"/v1/games/{game}"), 409, "started")
    assert 0 == clear(world.store, 1)
    assert head == world.store.log.head(game)


def test_stream_of_a_lobby_ends_when_the_game_is_removed(made):
    world = made()
    ash = world.player()
    game = ash.make_game()["id"]
    ended = threading.Event()

    def follow():
        try:
            with ash.stream(game) as messages:
                list(messages)
        except Unexpected:
            return
        ended.set()

    following = threading.Thread(target=follow, daemon=True)
    following.start()
    while not world.app.extensions["oraclewheel"].stream_limiter._open:
        following.join(0.01)
    ash.call("DELETE", f"/v1/games/{game}", want=204)
    assert ended.wait(60)


def test_abandoned_lobbies_are_removed(made, monkeypatch):
    world = made()
    ash, birk = world.player(), world.player()
    kept, left, bots = (ash.make_game()["id"] for _ in range(3))
    for game in (left, bots):
        ash.call("DELETE", f"/v1/games/{game}/seats/1", want=204)
    ash.seat_bot(bots)
    running, *_ = world.table()
    now, real = [0], world.store.schedule.now
    monkeypatch.setattr(world.store.schedule, "now", lambda: real() + now[0])

    def there():
        return {game for game in (kept, left, bots, running) if birk.get(f"/v1/games/{game}").status == 200}

    assert 0 == clear(world.store, 30)
    now[0] = 2 * DAY
    assert 0 == clear(world.store, 0), "never"
    assert 2 == clear(world.store, 30)
    assert {kept, running} == there()
    now[0] = 31 * DAY
    assert 1 == clear(world.store, 30)
    assert {running} == there()


def test_lobby_changed_since_the_check_is_not_deleted(made):
    world = made()
    ash = world.player()
    changed, unchanged = (ash.make_game()["id"] for _ in range(2))
    found = {lobby.id: touched for lobby, touched in world.store.lobbies.idle(world.store.schedule.now())}
    time.sleep(0.01)  # later than the last change
    world.player().join(changed)

    with pytest.raises(LobbyRefusal, match=r"^changed$"):
        world.store.lobbies.delete(changed, since=found[changed])
    world.store.lobbies.delete(unchanged, since=found[unchanged])
    assert [200, 404] == [ash.get(f"/v1/games/{game}").status for game in (changed, unchanged)]


def test_lobby_joined_during_the_removal_of_abandoned_lobbies_is_kept(made, monkeypatch):
    world = made()
    ash, birk = world.player(), world.player()
    game = ash.make_game()["id"]
    ash.call("DELETE", f"/v1/games/{game}/seats/1", want=204)
    real_now, real_idle = world.store.schedule.now, world.store.lobbies.idle

    def idle(since):
        for found in list(real_idle(since)):
            time.sleep(0.01)  # later than the last change
            birk.join(game)
            yield found

    monkeypatch.setattr(world.store.schedule, "now", lambda: real_now() + 2 * DAY)
    monkeypatch.setattr(world.store.lobbies, "idle", idle)

    assert 0 == clear(world.store, 30)
    assert 200 == birk.get(f"/v1/games/{game}").status
