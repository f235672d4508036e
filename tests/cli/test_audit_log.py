"""`oraclewheel audit --log` and `oraclewheel witness` read a service's log over HTTP and compare it with saved checkpoints."""

from __future__ import annotations

import fcntl
import threading

import pytest
from werkzeug.serving import make_server

from domain.kernel.dice import Dice
from service.core.positions.cache import Positions
from service.features.transparency.heads import publish
from service.store.redis import keys
from service.store.transparency.leaves import Leaf, name_of
from service.store.upkeep.log_growth import grow
from tests.audit.forger import Forger
from tests.core.http.conftest import World
from tests.driver import play_out
from tests.store.pump import SIGNER
from workers.advance import Advance

NAME = "games.example.org/v1/log"
KEY = SIGNER.public.hex()


@pytest.fixture
def world():
    """A service reached over HTTP, with a log of heads that the test writes."""
    world = World()
    world.store.log.add_key(SIGNER.key_id, KEY)
    world.worker = Advance(world.store, Positions(world.store), SIGNER)
    server = make_server("127.0.0.1", 0, world.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    world.url = f"http://127.0.0.1:{server.port}"
    yield world
    server.shutdown()
    thread.join()
    server.server_close()


def filled(world, count):
    leaves = [Leaf(name_of(f"{count} {n}"), 1, name_of(f"h{n}")) for n in range(count)]
    assert grow(world.store.ledger, SIGNER, NAME, leaves, 0)


@pytest.fixture
def played(world):
    """The id of a game whose heads are in the log among others."""
    game, *players = world.table()
    publish(world.store, SIGNER, NAME)
    filled(world, 300)
    play_out(players, game, Dice(b"log"))
    publish(world.store, SIGNER, NAME)
    return game


def test_log_authenticates_an_export_that_proves_its_heads(world, played, oraclewheel, tmp_path):
    kept = world.public.get("/v1/log/checkpoint", want=200).body
    filled(world, 5)
    (tmp_path / "kept").write_bytes(kept)
    data = world.public.get(f"/v1/games/{played}/export?checkpoint=302", want=200).body
    (tmp_path / "game").write_bytes(data)

    for given in (
        ["--log", world.url, "--key", KEY],
        ["--log", f"{world.url}/v1/log", "--log", "kept"],
        ["--log", "kept"],
    ):
        status, told = oraclewheel("audit", "game", "--strict", *given)
        assert (0, True) == (status, "Authenticated" in told or "authenticated" in told.splitlines()[-1]), told
        assert "AUD-15  ok" in told
        assert "AUD-16  ok" in told
    assert 1 == oraclewheel("audit", "game", "--strict", "--log", world.url)[0], "whose log it is nobody vouches for"


def test_rewritten_game_and_rewritten_log_are_detected(world, played, oraclewheel, tmp_path):
    kept = world.public.get("/v1/log/checkpoint", want=200).body
    (tmp_path / "kept").write_bytes(kept)
    forger = Forger(world.public.get(f"/v1/games/{played}/export", want=200).body, SIGNER)
    forger.commits[-1]["header"]["at"] += 1
    forger.log = None
    (tmp_path / "forged").write_bytes(forger.file())

    status, told = oraclewheel("audit", "forged", "--log", world.url)
    assert 1 == status
    assert "another head after this commit" in told
    world.store.wire.one("DEL", *world.store.wire.scan("{heads}*"))
    filled(world, 400)
    status, told = oraclewheel("audit", "forged", "--log", world.url, "--log", "kept")
    assert 1 == status
    assert "WAS REWRITTEN" in told


def test_file_signed_by_a_trusted_key_but_missing_from_the_log_gets_a_warning(world, played, oraclewheel, tmp_path):
    """One checkpoint shows only that the file is signed, not that the log contains it."""
    (tmp_path / "kept").write_bytes(world.public.get("/v1/log/checkpoint", want=200).body)
    forger = Forger(world.public.get(f"/v1/games/{played}/export", want=200).body, SIGNER)
    forger.commits[-1]["header"]["at"] += 1
    forger.log = None
    (tmp_path / "forged").write_bytes(forger.file())

    status, told = oraclewheel("audit", "forged", "--key", KEY, "--log", "kept")
    assert (0, True) == (status, "AUD-16  -" in told), told
    assert "Authenticated; the log of heads that was given does not vouch for it." == told.splitlines()[-1]
    assert "Authenticated." == oraclewheel("audit", "forged", "--key", KEY)[1].splitlines()[-1]


def test_strict_requires_every_given_anchor_to_confirm_the_file(world, played, oraclewheel, tmp_path):
    (tmp_path / "kept").write_bytes(world.public.get("/v1/log/checkpoint", want=200).body)
    filled(world, 5)
    data = world.public.get(f"/v1/games/{played}/export?checkpoint=302", want=200).body
    (tmp_path / "honest").write_bytes(data)
    forger = Forger(data, SIGNER)
    forger.commits[-1]["header"]["at"] += 1
    forger.log = None
    (tmp_path / "forged").write_bytes(forger.file())

    assert 0 == oraclewheel("audit", "honest", "--strict", "--key", KEY, "--log", "kept")[0]
    assert 0 == oraclewheel("audit", "forged", "--strict", "--key", KEY)[0]
    status, told = oraclewheel("audit", "forged", "--strict", "--key", KEY, "--log", "kept")
    assert (1, True) == (status, "Rejected by --strict: the file has no proof for the kept checkpoint of 302" in told)


@pytest.mark.parametrize("key", [KEY, "ab" * 32])
def test_log_without_a_signature_by_a_given_key_is_refused(world, played, oraclewheel, tmp_path, key):
    (tmp_path / "game").write_bytes(world.public.get(f"/v1/games/{played}/export", want=200).body)
    (tmp_path / "kept").write_bytes(world.public.get("/v1/log/checkpoint", want=200).body)

    for log in (world.url, "kept"):
        status, told = oraclewheel("audit", "game", "--log", log, "--key", key)
        assert (key != KEY) == ("signed by no key" in told)
        assert (key == KEY) == (status == 0)


def test_invalid_log_is_reported(world, played, oraclewheel, tmp_path, monkeypatch):
    (tmp_path / "game").write_bytes(world.public.get(f"/v1/games/{played}/export", want=200).body)
    (tmp_path / "nothing").write_text("nothing")

    assert (1, True) == _said(oraclewheel("audit", "game", "--log", "nothing"), "is not a checkpoint")
    assert (2, True) == _said(oraclewheel("audit", "game", "--log", "nowhere"), "neither a URL nor a readable file")
    assert (1, True) == _said(oraclewheel("audit", "game", "--log", f"{world.url}/v2"), "returned 404")
    assert (1, True) == _said(oraclewheel("audit", "game", "--log", "http://127.0.0.1:9"), "cannot be read")
    assert (2, True) == _said(oraclewheel("audit", "game", "--log", world.url, "--log", world.url), "only one URL")
    other = Leaf(name_of("other"), 1, name_of("other")).packed
    world.store.wire.one("SETRANGE", keys.heads_bundle(0), 7 * len(other), other)
    assert (1, True) == _said(oraclewheel("audit", "game", "--log", world.url), "not those that the checkpoint is of")


def _said(told, word):
    return told[0], word in told[1]


def test_export_accepts_only_valid_checkpoint_sizes(world, played):
    for size in ("0", "x", "-1"):
        assert "invalid" == world.public.get(f"/v1/games/{played}/export?checkpoint={size}", want=422).json["code"]
    world.public.get(f"/v1/games/{played}/export?checkpoint={10**12}", want=200)


def test_witness_reports_its_result_in_output_and_exit_status(world, oraclewheel, tmp_path):
    url = world.url
    assert 2 == oraclewheel("witness", url)[0], "there is nothing yet"
    filled(world, 5)
    status, told = oraclewheel("witness", url, "--name", "w.example.org")
    assert (0, True) == (status, f"{NAME}: 5 heads, cosigned." in told)
    assert "Witness w.example.org+" in told
    assert (tmp_path / "witness" / "witness.key").stat().st_mode & 0o077 == 0
    world.store.wire.one("DEL", *world.store.wire.scan("{heads}*"))
    filled(world, 9)
    status, told = oraclewheel("witness", url, "--name", "w.example.org")
    assert (1, True) == (status, "REFUSED" in told and "WAS REWRITTEN" in told)
    assert 2 == oraclewheel("witness", url, "--key", "none")[0]


def test_two_witnesses_cannot_share_a_folder(world, oraclewheel, tmp_path):
    filled(world, 5)
    (tmp_path / "witness").mkdir()
    with (tmp_path / "witness" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, told = oraclewheel("witness", world.url)

    assert (1, True) == (status, "Another witness" in told)


def test_witness_folder_that_cannot_be_written_is_an_error(world, oraclewheel, tmp_path):
    filled(world, 5)
    (tmp_path / "file").write_text("in the way")
    status, told = oraclewheel("witness", world.url, "--folder", "file/below")
    assert (2, True) == (status, "Error: [Errno" in told), told
    (tmp_path / "witness" / "checkpoint").mkdir(parents=True)
    status, told = oraclewheel("witness", world.url)
    assert (2, True) == (status, "Error: [Errno" in told), told
