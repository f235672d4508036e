"""The doctor and the log of heads: whether its parts fit each other, the games, its interval, and what witnesses kept."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.cli.stores import log_of_heads
from service.queue import Queue
from service.store.ledger.leaves import Leaf, name_of
from service.store.ledger.notes import COSIGNER, Key, cosigned, note_in
from service.store.redis import keys
from service.store.seal import Signer
from service.store.upkeep.heads import SIGN, grow, publish
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from workers.advance import Advance

NAME = "games.example.org/v1/log"
OWN, WITNESS = Signer(b"o" * 32), Signer(b"w" * 32)


@dataclass
class House:
    """A store with games and a log of more heads than one tile holds, and the doctor."""

    store: object
    games: list
    monkeypatch: object

    def doctor(self, *arguments):
        """Its exit status, and the lines that it said."""
        result = CliRunner().invoke(main, ["doctor", *map(str, arguments)], catch_exceptions=False)
        return result.exit_code, result.output

    def found(self, *arguments):
        """What it says that is not as it should be."""
        status, told = self.doctor(*arguments)
        assert 1 == status, told
        return told

    @property
    def note(self):
        return self.store.ledger.checkpoint()[1]

    def change(self, key, at, value):
        """Other bytes where something stands."""
        kept = self.store.wire.one("GET", key)
        self.store.wire.one("SET", key, kept[:at] + value + kept[at + len(value) :])


@pytest.fixture
def house(redis_store, redis_url, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_PUSH", "off")
    tables, advance = Tables(redis_store), Advance.in_process(redis_store)
    games = [tables.start(points=1000), tables.start()]
    settle(redis_store, advance)
    redis_store.log.add_key(OWN.key_id, OWN.public.hex())
    publish(redis_store, OWN, NAME)
    gone = [Leaf(name_of(f"gone-{number}"), 1, f"{number:064x}") for number in range(600)]
    assert grow(redis_store.ledger, OWN, NAME, gone, redis_store.schedule.now())
    for seat in (1, 2):
        tables.hide(games[0], seat, 0)
        settle(redis_store, advance)
    publish(redis_store, OWN, NAME)
    return House(redis_store, games, monkeypatch)


def test_of_a_log_that_is_as_it_should_be_nothing_is_said(house):
    for arguments in ((), ("--quick",)):
        status, told = house.doctor(*arguments)
        assert (0, "No problems found.") == (status, told.splitlines()[-1]), told
        assert "The transparency log was not compared with witnesses" in told


def test_every_part_is_looked_at_and_how_far_it_is_is_told(house):
    told = []
    check = log_of_heads.LogCheck(house.store, progress=lambda of: lambda number: told.append((number, of)))

    assert [] == list(check.findings())
    assert [(1, 3), (2, 3), (3, 3)] == told
    assert 603 == check.size
    assert 3 == check.looked


def test_a_quick_look_takes_a_sample(house, monkeypatch):
    monkeypatch.setattr(log_of_heads, "SAMPLE", 2)
    told = []
    check = log_of_heads.LogCheck(house.store, True, lambda of: lambda number: told.append((number, of)))

    assert [] == list(check.findings())
    assert [(1, 2), (2, 2)] == told


DAMAGE = {
    "an entry in a full bundle": (keys.heads_bundle(0), 72 * 20 + 50, b"\x01\x02", "tile 0 of level 0"),
    "a hash above it": (keys.heads_tile(1, 0), 40, b"\x01\x02", "tile 1 of level 0"),
    "an entry in the last bundle": (
        keys.heads_bundle(2),
        72 * 20 + 50,
        b"\x01",
        "differs from its checkpoint",
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_part_that_does_not_fit_the_others_is_named(house, what):
    key, at, value, words = DAMAGE[what]
    house.change(key, at, value)

    assert words in house.found()


def test_a_part_that_is_missing_is_named(house):
    house.store.wire.one("DEL", keys.heads_bundle(1))
    assert "tile 1 of level 0 of the transparency log has 0 hashes instead of 256" in house.found()
    house.store.wire.one("DEL", keys.heads_tile(1, 0))
    assert "the transparency log cannot be read" in house.found()


def test_a_checkpoint_must_be_signed_by_a_key_of_the_service_and_be_of_its_size(house):
    house.store.wire.one("HSET", keys.HEADS_LOG, "size", 602)
    assert "is for 603 heads, but the log has 602" in house.found()
    house.store.wire.one("HSET", keys.HEADS_LOG, "size", 603)
    house.store.wire.one("DEL", keys.SIGNING_KEYS)
    assert "the checkpoint of the transparency log is not signed by a key of this service" in house.found()
    house.store.wire.one("HSET", keys.HEADS_LOG, "checkpoint", "nonsense")
    assert "the checkpoint of the transparency log cannot be read" in house.found()


def test_a_game_that_does_not_stand_as_it_was_logged_is_named(house):
    """As if it had been written anew after its heads were logged."""
    game = house.games[1]
    seq, _ = house.store.log.head(game)
    publish(house.store, OWN, NAME)
    assert grow(house.store.ledger, OWN, NAME, [Leaf(name_of(game), seq + 1, "ab" * 32)], house.store.schedule.now())
    assert (
        f"{game}: the transparency log has a head of commit {seq + 1}, but the game has fewer commits" in house.found()
    )

    again = Leaf(name_of(house.games[0]), 1, "cd" * 32)
    assert grow(house.store.ledger, OWN, NAME, [again], house.store.schedule.now())
    told = house.found()
    assert f"{house.games[0]}: the transparency log has a head of commit 1, but the game has a different one" in told
    assert "the log was started again" in told


def test_of_many_of_one_sort_a_few_are_told_and_the_rest_is_counted(house):
    wrong = [Leaf(name_of(house.games[1]), seq, "ab" * 32) for seq in range(50, 59)]
    assert grow(house.store.ledger, OWN, NAME, wrong, house.store.schedule.now())
    told = house.found()

    assert log_of_heads.TOLD == told.count("the game has fewer commits")
    assert "heads in the transparency log that their games do not have: 9 in total" in told


def test_a_log_that_nobody_keeps_though_workers_run_is_late(house, redis_url):
    Queue(redis_url).report_serving()
    tables, advance = Tables(house.store), Advance.in_process(house.store)
    tables.hide(house.games[0], 1, 0)
    settle(house.store, advance)
    check = log_of_heads.LogCheck(house.store)
    assert [] == list(check.still(60, serving=True)), "it was brought up to date a moment ago"

    house.store.wire.one("SET", keys.beat(SIGN), house.store.schedule.now() - 400_000)
    (late,) = check.still(60, serving=True)
    assert "the transparency log was last updated 400 seconds ago" in late.message
    assert "1 games have changed since" in late.message
    assert [] == list(check.still(120, serving=True)), "it need not be brought up to date so often"
    assert [] == list(check.still(60, serving=False)), "of a service that does not run nobody expects it"
    assert [] == list(check.still(0, serving=True)), "no checkpoints are to be made"


def witnessed(tmp_path, note, seconds=1_900_000_000):
    key = Key("witness.example.org", WITNESS.public, COSIGNER)
    file = tmp_path / "checkpoint"
    file.write_bytes(cosigned(note_in(note), key, WITNESS.sign_text, seconds).written)
    return "--witness", key.text, file


def test_what_a_witness_has_cosigned_is_told_and_the_log_must_go_on_from_it(house, tmp_path):
    given = witnessed(tmp_path, house.note)
    more = [Leaf(name_of(f"new-{number}"), 1, "ef" * 32) for number in range(7)]
    assert grow(house.store.ledger, OWN, NAME, more, house.store.schedule.now())
    status, told = house.doctor(*given)
    assert 0 == status, told
    assert "witness.example.org cosigned the transparency log at 2030-03-17T17:46:40Z: 603 of 610 heads." in told


def test_a_log_that_was_rewritten_since_a_witness_saw_it_is_named(house, tmp_path):
    given = witnessed(tmp_path, house.note)
    house.store.wire.one("DEL", keys.HEADS_LOG, keys.HEADS_DAYS, *[keys.heads_bundle(place) for place in range(3)])
    house.store.wire.one("DEL", keys.heads_tile(1, 0))
    few = [Leaf(name_of(f"gone-{number}"), 1, "00" * 32) for number in range(5)]
    assert grow(house.store.ledger, OWN, NAME, few, house.store.schedule.now())
    words = "the transparency log does not extend the one that witness.example.org cosigned (603 heads; "
    assert f"{words}it has 5 heads here)" in house.found(*given)

    many = [Leaf(name_of(f"gone-{number}"), 1, "00" * 32) for number in range(5, 700)]
    assert grow(house.store.ledger, OWN, NAME, many, house.store.schedule.now())
    assert f"{words}its first heads are different here)" in house.found(*given)


def test_what_is_no_checkpoint_of_a_witness_is_said_to_be_none(house, tmp_path):
    given = witnessed(tmp_path, house.note)
    other = Key("other.example.org", OWN.public, COSIGNER)
    assert "is not cosigned by other.example.org" in house.found("--witness", other.text, given[2])
    given[2].write_bytes(b"nonsense")
    assert "cannot be compared with the transparency log" in house.found(*given)
    assert 2 == house.doctor("--witness", Key("x", base64.b64decode("AA==") * 32).text, given[2])[0]


def test_a_witness_is_compared_with_a_log_of_which_a_part_is_missing_as_far_as_that_goes(house, tmp_path):
    given = witnessed(tmp_path, house.note)
    house.store.wire.one("DEL", keys.heads_tile(1, 0))
    told = house.found(*given)
    assert "the transparency log cannot be read" in told
    assert "cannot be compared with the transparency log" in told


@pytest.mark.parametrize("key", [keys.HEADS_LOG, keys.heads_bundle(1), keys.heads_tile(1, 0)])
def test_what_stands_there_and_is_something_else_is_named(house, key, tmp_path):
    given = witnessed(tmp_path, house.note)
    house.store.wire.one("DEL", key)
    house.store.wire.one("RPUSH", key, "one")
    assert "the transparency log cannot be read (ResponseError: WRONGTYPE" in house.found(*given)


def test_a_log_that_grows_while_it_is_looked_at_raises_no_alarm(house, monkeypatch):
    ledger, grown = house.store.ledger, []
    real = ledger.tile

    def tile(level, place):
        if not grown:
            grown.extend(Leaf(name_of(f"new-{number}"), 1, f"{number:064x}") for number in range(300))
            assert grow(ledger, OWN, NAME, grown, house.store.schedule.now())
        return real(level, place)

    check = log_of_heads.LogCheck(house.store)
    size = ledger.checkpoint()[0]
    monkeypatch.setattr(ledger, "tile", tile)
    assert [] == list(check.findings())
    assert (size, size + 300) == (check.size, ledger.checkpoint()[0])


def test_a_hash_too_many_in_a_tile_is_named(house):
    house.store.wire.one("APPEND", keys.heads_tile(1, 0), "x" * 32)
    assert "tile 0 of level 1 of the transparency log has 3 hashes instead of 2" in house.found()


def test_a_witness_whose_time_is_none_is_said_not_to_be_compared(house, tmp_path):
    given = witnessed(tmp_path, house.note, (1 << 64) - 1)
    assert "cannot be compared with the transparency log" in house.found(*given)
