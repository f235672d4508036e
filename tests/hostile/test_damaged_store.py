"""Damage in the store or the data folder affects one game, and every tool reports it in one sentence."""

from __future__ import annotations

import zlib

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.ops.instance.folder import open_places
from service.ops.instance.identity import recorded
from service.ops.keys.signing import BadKey, signer
from service.ops.settings import BadSetting, Settings
from service.store.ports.errors import StoreUnusable
from service.store.redis.log.newest import _TAIL
from tests.core.http.conftest import World
from tests.pennies import PENNIES
from tests.soaking import soak


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """Register the pennies game."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def world(redis_store):
    return World(redis_store)


@pytest.fixture
def oraclewheel(redis_url, monkeypatch, tmp_path):
    """Run a command on the store: its exit status and output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)

    def call(*arguments):
        result = CliRunner().invoke(main, [*arguments], catch_exceptions=False)
        return result.exit_code, result.output

    return call


PATHS = ("", "/view", "/options", "/events", "/board.svg")


def told(world, player, game):
    """Ask a fresh API for the game as this player: status and code of every response."""
    site = World(world.store).site
    answers = [
        site.call("GET", f"/v1/games/{game}{path}", {"Authorization": f"Bearer {player.token}"}, None) for path in PATHS
    ]
    return [(each.status, getattr(each, "code", None) if each.status >= 400 else None) for each in answers]


def of_no_release(wire, names):
    wire.one("HSET", names.meta, "newest", "garbage")
    wire.one("HSET", names.views, 0, "garbage", 1, "garbage", 2, "garbage")


def strange_numbers(wire, names):
    line, _, tail = wire.one("HGET", names.meta, "newest").partition(b"\n")
    release, seq, _, seats = line.split(b" ")
    wire.one("HSET", names.meta, "newest", b" ".join([release, seq, b"banana", seats]) + b"\n" + tail)
    wire.one("HSET", names.views, 1, release + b" \xff\n" + zlib.compress(b"{}", 1, -15))


def not_packed(wire, names):
    line, _, _ = wire.one("HGET", names.meta, "newest").partition(b"\n")
    wire.one("HSET", names.meta, "newest", line + b"\n{{{")
    for place, part in enumerate(wire.one("HMGET", names.views, 0, 1)):
        wire.one("HSET", names.views, place, part.partition(b"\n")[0] + b"\n{{{")


def no_text(wire, names):
    line, _, _ = wire.one("HGET", names.meta, "newest").partition(b"\n")
    deflater = _TAIL.copy()
    wire.one("HSET", names.meta, "newest", line + b"\n" + deflater.compress(b"{{{\n[") + deflater.flush())


def another_type(wire, names):
    wire.one("DEL", names.views)
    wire.one("LPUSH", names.views, "x")


GARBLES = [
    of_no_release,
    strange_numbers,
    not_packed,
    no_text,
    another_type,
]


@pytest.mark.parametrize("garble", GARBLES)
def test_unreadable_view_rows_are_rebuilt_for_the_next_reader(world, garble):
    game, ash, _ = world.table()
    expected, names = told(world, ash, game), world.store.keys.game(game)
    assert 200 == expected[0][0]

    def kept():
        return world.store.wire.one("HGET", names.meta, "newest"), world.store.wire.one("HMGET", names.views, 0, 1)

    before = kept()
    garble(world.store.wire, names)

    assert expected == told(world, ash, game)
    assert before == kept()
    assert 200 == ash.send(game, {"type": "hide", "pennies": 1}, want=200).status


def lobby(wire, names):
    wire.one("HSET", names.meta, "lobby", "{")


def seq(wire, names):
    wire.one("HSET", names.meta, "seq", "banana")


def head(wire, names):
    wire.one("HSET", names.meta, "head", b"\xff")


def meta(wire, names):
    wire.one("DEL", names.meta)
    wire.one("SET", names.meta, "x")


def commits(wire, names):
    wire.one("DEL", names.commits)
    wire.one("SET", names.commits, "x")


def ids(wire, names):
    wire.one("DEL", names.ids)
    wire.one("SET", names.ids, "x")


@pytest.mark.parametrize("garble", [*soak(lobby, seq, head), meta, commits, *soak(ids)])
def test_damaged_game_causes_no_internal_error_and_is_reported_by_every_tool(world, oraclewheel, garble):
    (game, ash, _), (other, birk, _) = world.table(), world.table()
    sound = told(world, birk, other)
    garble(world.store.wire, world.store.keys.game(game))

    assert set() == {each for each in told(world, ash, game) if each[0] == 500}
    site = World(world.store).site
    sent = site.call(
        "POST",
        f"/v1/games/{game}/commands",
        {"Authorization": f"Bearer {ash.token}", "Content-Type": "application/json"},
        b'{"type": "hide", "pennies": 1}',
    )
    assert sent.status != 500
    assert sound == told(world, birk, other)

    for arguments in (["doctor"], ["doctor", "--repair"], ["doctor"]):
        status, output = oraclewheel(*arguments)
        assert (1, True, False) == (status, game in output, other in output)
    status, output = oraclewheel("check-release")
    is_reported = garble is not ids  # a replay does not read the index of command ids
    assert (is_reported, is_reported, False) == (status == 1, game in output, other in output)


def test_garbled_rate_limits_of_a_seat_block_no_command(world):
    game, ash, _ = world.table()
    world.store.wire.one("HSET", world.store.keys.game(game).meta, "r1", "what", "u1", "what", "r2", "")
    assert 200 == ash.send(game, {"type": "hide", "pennies": 1}, want=200).status
    refused = ash.send(game, {"type": "hide", "pennies": 1})
    assert 409 == refused.status


def test_check_release_fails_for_an_unknown_game(oraclewheel):
    status, output = oraclewheel("check-release", "nonsense")
    assert (1, True) == (status, "nonsense" in output)


@pytest.mark.parametrize("name", ["server.json", "lock", "data"])
@pytest.mark.parametrize("command", [["doctor"], ["token", "--admin", "Root"]])
def test_folder_or_file_of_the_wrong_type_is_reported_in_one_sentence(monkeypatch, tmp_path, name, command):
    data = tmp_path / "data"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(data))
    if name == "data":
        data.write_text("")
    else:
        data.mkdir(mode=0o700)
        (data / "appendonlydir").mkdir(mode=0o700)
        (data / name).mkdir(mode=0o700)

    result = CliRunner().invoke(main, command)
    assert isinstance(result.exception, SystemExit), result.exception
    assert (1, True) == (result.exit_code, "Error: " in result.output)
    assert name in result.output


def test_unusable_store_json_is_reported_in_one_sentence(tmp_path):
    (tmp_path / "store.json").write_text('{"id": "a", "games": 1, "mark": 1e400, "at": 1}')
    with pytest.raises(StoreUnusable, match=r"store\.json"):
        recorded(tmp_path)
    (tmp_path / "store.json").unlink()
    (tmp_path / "store.json").mkdir()
    with pytest.raises(StoreUnusable, match=r"store\.json"):
        recorded(tmp_path)


def test_folder_given_as_signing_key_keeps_its_mode(redis_store, tmp_path):
    place = tmp_path / "etc"
    place.mkdir()
    place.chmod(0o755)
    with pytest.raises(BadKey):
        signer(place, redis_store.log)
    assert 0o755 == place.stat().st_mode & 0o777
    assert [] == [told for told in open_places(tmp_path / "none", place, shut=True) if "etc" in told]
    assert 0o755 == place.stat().st_mode & 0o777


def test_doctor_reports_a_command_queue_of_the_wrong_type(world, oraclewheel):
    game, *_ = world.table()
    names = world.store.keys.game(game)
    world.store.wire.one("DEL", names.commands)
    world.store.wire.one("SET", names.commands, "x")
    assert 1 == oraclewheel("doctor")[0]


def test_undecodable_env_file_and_invalid_port_are_bad_settings(tmp_path):
    (tmp_path / ".env").write_bytes(b"\xff\xfe\xd5")
    with pytest.raises(BadSetting):
        Settings.load({}, tmp_path / ".env")
    with pytest.raises(BadSetting):
        Settings.load({"ORACLEWHEEL_PORT": "65536"}, None)
