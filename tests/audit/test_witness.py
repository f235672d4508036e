"""The witness of a log of heads cosigns a log that extends its last checkpoint, and refuses a fork."""

from __future__ import annotations

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from werkzeug.serving import make_server

from service.cli import published
from service.cli.commands import witness as commands
from service.cli.commands.witness import Refused, Witness
from service.cli.published import BadLog, Source, Unreachable
from service.store.redis import keys
from service.store.seal import Signer
from service.store.transparency.leaves import Leaf, name_of
from service.store.transparency.notes import Key, checkpoint_in, note_in, times_signed
from service.store.upkeep.log_growth import grow
from tests.core.http.conftest import World
from tests.store.pump import SIGNER

NAME = "games.example.org/v1/log"
LOG = Key(NAME, SIGNER.public)


@pytest.fixture
def world():
    world = World()
    world.store.log.add_key(SIGNER.key_id, SIGNER.public.hex())
    server = make_server("127.0.0.1", 0, world.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    world.source = Source(f"http://127.0.0.1:{server.port}")
    yield world
    server.shutdown()
    thread.join()
    server.server_close()


def log(world, count, word="", signer=SIGNER, name=NAME):
    size, _ = world.store.ledger.checkpoint()
    leaves = [Leaf(name_of(f"{word}{n}"), 1, name_of(f"h{n}")) for n in range(size, size + count)]
    assert grow(world.store.ledger, signer, name, leaves, 0)


def anew(world):
    """Delete the log, so that it is written again from the beginning."""
    world.store.wire.one("DEL", *world.store.wire.scan("{heads}*"))


def kept(folder):
    return note_in((folder / "checkpoint").read_bytes())


def test_a_log_that_extends_the_kept_checkpoint_is_cosigned(world, tmp_path):
    witness, sizes = Witness(tmp_path, "w.example.org"), []
    for count in (1, 0, 255, 1, 700, 65_000, 3):
        if count:
            log(world, count)
        sizes.append(witness.look(world.source, 1_700_000_000 + len(sizes)).size)
        note = kept(tmp_path)
        assert (1_700_000_000 + len(sizes) - 1,) == times_signed(note, witness.key)
        assert (0,) == times_signed(note, LOG)
        assert note.written.startswith(world.store.ledger.checkpoint()[1])

    assert [1, 1, 256, 257, 957, 65_957, 65_960] == sizes
    assert not (tmp_path / "rewritten").exists()


@pytest.mark.parametrize(("before", "after"), [(5, 5), (5, 4), (5, 6), (300, 700), (256, 257), (1, 300)])
def test_a_fork_is_refused_and_both_sides_are_kept_as_evidence(world, tmp_path, before, after):
    witness = Witness(tmp_path, "w.example.org")
    log(world, before)
    witness.look(world.source, 1)
    first = kept(tmp_path)
    anew(world)
    log(world, after, "other ")

    for words in ("WAS REWRITTEN", "contains evidence that the log was rewritten"):
        with pytest.raises(Refused, match=words):
            witness.look(world.source, 2)
    assert first == kept(tmp_path), "what it kept stays"
    evidence = (tmp_path / "rewritten").read_bytes()
    assert first.written in evidence
    assert world.store.ledger.checkpoint()[1] in evidence


def test_a_log_under_another_name_is_another_log(world, tmp_path):
    witness = Witness(tmp_path, "w.example.org", [LOG, Key("elsewhere", SIGNER.public)])
    log(world, 5)
    witness.look(world.source, 1)
    anew(world)
    log(world, 6, name="elsewhere")

    with pytest.raises(Refused, match="is called elsewhere"):
        witness.look(world.source, 2)


def test_a_new_log_key_is_refused_until_it_is_configured(world, tmp_path):
    other = Signer(b"o" * 32)
    log(world, 5)
    Witness(tmp_path, "w").look(world.source, 1)
    world.store.log.add_key(other.key_id, other.public.hex())
    log(world, 5, signer=other)

    with pytest.raises(Refused, match="not signed by any known key"):
        Witness(tmp_path, "w").look(world.source, 2)
    assert 10 == Witness(tmp_path, "w", [Key(NAME, other.public)]).look(world.source, 2).size
    log(world, 5, signer=other)
    assert 15 == Witness(tmp_path, "w").look(world.source, 3).size


def test_tiles_that_do_not_match_the_checkpoint_are_refused(world, tmp_path):
    witness = Witness(tmp_path, "w")
    log(world, 5)
    witness.look(world.source, 1)
    log(world, 5)
    other = Leaf(name_of("other"), 1, name_of("other")).packed
    world.store.wire.one("SETRANGE", keys.heads_bundle(0), 7 * len(other), other)

    with pytest.raises(BadLog, match="tiles"):
        witness.look(world.source, 2)
    assert 5 == checkpoint_in(kept(tmp_path)).size


def test_a_kept_checkpoint_without_the_witness_signature_is_refused(world, tmp_path):
    witness = Witness(tmp_path, "w")
    log(world, 5)
    witness.look(world.source, 1)
    (tmp_path / "checkpoint").write_bytes(world.store.ledger.checkpoint()[1])

    with pytest.raises(Refused, match="is not signed by this witness"):
        witness.look(world.source, 2)


def test_an_unreachable_log_is_not_a_fork(world, tmp_path):
    with pytest.raises(Unreachable):
        Witness(tmp_path, "w").look(world.source, 1)
    with pytest.raises(Unreachable):
        Witness(tmp_path, "w").look(Source("http://127.0.0.1:9"), 1)
    assert not (tmp_path / "checkpoint").exists()


def test_a_witness_that_saw_a_fork_refuses_until_the_evidence_is_removed(world, tmp_path):
    """Otherwise a fork that was shown once and withdrawn would be between two cosignatures of the same witness."""
    witness = Witness(tmp_path, "w")
    log(world, 5)
    witness.look(world.source, 1)
    names = world.store.wire.scan("{heads}*")
    dumped = {name: world.store.wire.one("DUMP", name) for name in names}
    anew(world)
    log(world, 6, "other ")
    with pytest.raises(Refused, match="WAS REWRITTEN"):
        witness.look(world.source, 2)
    anew(world)
    for name, value in dumped.items():
        world.store.wire.one("RESTORE", name, 0, value)
    log(world, 3)

    with pytest.raises(Refused, match="contains evidence that the log was rewritten"):
        witness.look(world.source, 3)
    assert (1,) == times_signed(kept(tmp_path), witness.key)
    (tmp_path / "rewritten").rename(tmp_path / "looked-at")
    assert 8 == witness.look(world.source, 4).size


def test_a_witness_without_its_kept_checkpoint_refuses_to_start_over(world, tmp_path):
    log(world, 5)
    Witness(tmp_path, "w").look(world.source, 1)
    lost = (tmp_path / "checkpoint").read_bytes()
    (tmp_path / "checkpoint").unlink()
    anew(world)
    log(world, 9, "other ")

    with pytest.raises(Refused, match="is missing, so the witness does not know"):
        Witness(tmp_path, "w").look(world.source, 2)
    (tmp_path / "checkpoint").write_bytes(lost)
    with pytest.raises(Refused, match="WAS REWRITTEN"):
        Witness(tmp_path, "w").look(world.source, 3)


def test_a_witness_killed_before_it_stored_the_log_keys_continues(world, tmp_path, monkeypatch):
    log(world, 5)
    real, written = commands.write, []

    def write(path, text):
        if written:
            raise KeyboardInterrupt
        written.append(path.name)
        real(path, text)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(commands, "write", write)
        Witness(tmp_path, "w").look(world.source, 1)
    log(world, 1)
    assert 6 == Witness(tmp_path, "w").look(world.source, 2).size


def test_log_keys_that_are_not_text_are_refused(world, tmp_path):
    log(world, 5)
    Witness(tmp_path, "w").look(world.source, 1)
    (tmp_path / "log-keys").write_bytes(b"\xff\xfe")
    with pytest.raises(Refused, match="contains no valid keys"):
        Witness(tmp_path, "w").look(world.source, 2)


def test_a_log_answer_that_never_ends_times_out(tmp_path, monkeypatch):
    """The server sends one byte at a time and never completes the answer."""
    monkeypatch.setattr(published, "SECONDS", 0.5)
    ended = threading.Event()

    class Dripping(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "60000")
            self.end_headers()
            with suppress(OSError):
                while not ended.wait(0.05):
                    self.wfile.write(b"x")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        with pytest.raises(Unreachable, match="did not finish within"):
            Witness(tmp_path, "w").look(Source(f"http://127.0.0.1:{server.server_port}"), 1)
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
