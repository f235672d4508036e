"""The doctor and the transparency log: consistent parts, matching games, update interval, and witness checkpoints."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.core.queue import Queue
from service.features.transparency.heads import publish
from service.ops.doctor import transparency_log
from service.store.redis import keys
from service.store.redis.side_data.transparency_log import SIGN
from service.store.seal import Signer
from service.store.transparency.leaves import Leaf, name_of
from service.store.transparency.notes import COSIGNER, Key, cosigned, note_in
from service.store.upkeep.log_growth import grow
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from workers.advance import Advance

NAME = "games.example.org/v1/log"
OWN, WITNESS = Signer(b"o" * 32), Signer(b"w" * 32)


@dataclass
class House:
    """A store with games and a log of more heads than fit into one tile, with the doctor."""

    store: object
    games: list
    monkeypatch: object

    def doctor(self, *arguments):
        """Run the doctor; return its exit status and output."""
        result = CliRunner().invoke(main, ["doctor", *map(str, arguments)], catch_exceptions=False)
        return result.exit_code, result.output

    def found(self, *arguments):
        """Run the doctor, which must find a problem; return its output."""
        status, told = self.doctor(*arguments)
        assert 1 == status, told
        return told

    @property
    def note(self):
        return self.store.ledger.checkpoint()[1]

    def change(self, key, at, value):
        """Overwrite stored bytes."""
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


def test_doctor_finds_no_problem_in_a_sound_transparency_log(house):
    for arguments in ((), ("--quick",)):
        status, told = house.doctor(*arguments)
        assert (0, "No problems found.") == (status, told.splitlines()[-1]), told
        assert "The transparency log was not compared with witnesses" in told


def test_full_check_reads_every_part_and_reports_progress(house):
    told = []
    check = transparency_log.LogCheck(house.store, progress=lambda of: lambda number: told.append((number, of)))

    assert [] == list(check.findings())
    assert [(1, 3), (2, 3), (3, 3)] == told
    assert 603 == check.size
    assert 3 == check.looked


def test_quick_check_reads_a_sample(house, monkeypatch):
    monkeypatch.setattr(transparency_log, "SAMPLE", 2)
    told = []
    check = transparency_log.LogCheck(house.store, True, lambda of: lambda number: told.append((number, of)))

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
def test_changed_part_of_the_log_is_reported(house, what):
    key, at, value, words = DAMAGE[what]
    house.change(key, at, value)

    assert words in house.found()


def test_missing_part_of_the_log_is_reported(house):
    house.store.wire.one("DEL", keys.heads_bundle(1))
    assert "tile 1 of level 0 of the transparency log has 0 hashes instead of 256" in house.found()
    house.store.wire.one("DEL", keys.heads_tile(1, 0))
    assert "the transparency log cannot be read" in house.found()


def test_checkpoint_must_match_the_log_size_and_be_signed_by_a_known_key(house):
    house.store.wire.one("HSET", keys.HEADS_LOG, "size", 602)
    assert "is for 603 heads, but the log has 602" in house.found()
    house.store.wire.one("HSET", keys.HEADS_LOG, "size", 603)
    house.store.wire.one("DEL", keys.SIGNING_KEYS)
    assert "the checkpoint of the transparency log is not signed by a key of this service" in house.found()
    house.store.wire.one("HSET", keys.HEADS_LOG, "checkpoint", "nonsense")
    assert "the checkpoint of the transparency log cannot be read" in house.found()


def test_game_that_differs_from_its_logged_head_is_reported(house):
    """As if the game was rewritten after its heads were logged."""
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


def test_many_findings_of_one_kind_are_shortened_to_a_few_and_a_total(house):
    wrong = [Leaf(name_of(house.games[1]), seq, "ab" * 32) for seq in range(50, 59)]
    assert grow(house.store.ledger, OWN, NAME, wrong, house.store.schedule.now())
    told = house.found()

    assert transparency_log.TOLD == told.count("the game has fewer commits")
    assert "heads in the transparency log that their games do not have: 9 in total" in told


def test_log_not_updated_although_workers_run_is_reported_as_late(house, redis_url):
    Queue(redis_url).report_serving()
    tables, advance = Tables(house.store), Advance.in_process(house.store)
    tables.hide(house.games[0], 1, 0)
    settle(house.store, advance)
    check = transparency_log.LogCheck(house.store)
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


def test_witness_checkpoint_is_reported_if_the_log_extends_it(house, tmp_path):
    given = witnessed(tmp_path, house.note)
    more = [Leaf(name_of(f"new-{number}"), 1, "ef" * 32) for number in range(7)]
    assert grow(house.store.ledger, OWN, NAME, more, house.store.schedule.now())
    status, told = house.doctor(*given)
    assert 0 == status, told
    assert "witness.example.org cosigned the transparency log at 2030-03-17T17:46:40Z: 603 of 610 heads." in told


def test_log_that_does_not_extend_a_witness_checkpoint_is_reported(house, tmp_path):
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


def test_invalid_witness_checkpoint_or_key_is_reported(house, tmp_path):
    given = witnessed(tmp_path, house.note)
    other = Key("other.example.org", OWN.public, COSIGNER)
    assert "is not cosigned by other.example.org" in house.found("--witness", other.text, given[2])
    given[2].write_bytes(b"nonsense")
    assert "cannot be compared with the transparency log" in house.found(*given)
    assert 2 == house.doctor("--witness", Key("x", base64.b64decode("AA==") * 32).text, given[2])[0]


def test_witness_comparison_with_an_incomplete_log_is_reported(house, tmp_path):
    given = witnessed(tmp_path, house.note)
    house.store.wire.one("DEL", keys.heads_tile(1, 0))
    told = house.found(*given)
    assert "the transparency log cannot be read" in told
    assert "cannot be compared with the transparency log" in told


@pytest.mark.parametrize("key", [keys.HEADS_LOG, keys.heads_bundle(1), keys.heads_tile(1, 0)])
def test_log_key_of_the_wrong_type_is_reported(house, key, tmp_path):
    given = witnessed(tmp_path, house.note)
    house.store.wire.one("DEL", key)
    house.store.wire.one("RPUSH", key, "one")
    assert "the transparency log cannot be read (ResponseError: WRONGTYPE" in house.found(*given)


def test_log_that_grows_during_the_check_raises_no_alarm(house, monkeypatch):
    ledger, grown = house.store.ledger, []
    real = ledger.tile

    def tile(level, place):
        if not grown:
            grown.extend(Leaf(name_of(f"new-{number}"), 1, f"{number:064x}") for number in range(300))
            assert grow(ledger, OWN, NAME, grown, house.store.schedule.now())
        return real(level, place)

    check = transparency_log.LogCheck(house.store)
    size = ledger.checkpoint()[0]
    monkeypatch.setattr(ledger, "tile", tile)
    assert [] == list(check.findings())
    assert (size, size + 300) == (check.size, ledger.checkpoint()[0])


def test_tile_with_too_many_hashes_is_reported(house):
    house.store.wire.one("APPEND", keys.heads_tile(1, 0), "x" * 32)
    assert "tile 0 of level 1 of the transparency log has 3 hashes instead of 2" in house.found()


def test_witness_checkpoint_with_an_invalid_time_is_not_compared(house, tmp_path):
    given = witnessed(tmp_path, house.note, (1 << 64) - 1)
    assert "cannot be compared with the transparency log" in house.found(*given)
