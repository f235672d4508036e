"""Packed commits in the stream are small and unpack to exactly what was packed."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.kernel.record import Submission
from domain.registry import GAMES
from service.store import packing
from service.store.founding import origin
from service.store.ports.commits import Append, Rows
from service.store.seal import NO_HEAD, Sealed, seal
from tests.store.bodies import bodies_of
from tests.store.pump import command, opened, submit

DICTIONARIES = {1: "71beb7ada929"}
"""The first digits of the SHA-256 of each released dictionary. With any other dictionary, old commits cannot be read.
"""


@pytest.fixture(autouse=True)
def from_nothing():
    """Clear the dictionaries that the process has cached."""
    for remembered in (packing.dictionary, packing._deflater, packing._inflater):
        remembered.cache_clear()


@given(
    st.binary(max_size=3000),
    st.integers(0, 2**48 - 1),
    st.text("0123456789.abc", min_size=1, max_size=20),
    st.integers(0, packing.DICTIONARY),
)
def test_packed_commit_is_unpacked_unchanged(body, at, release, number):
    sealed = Sealed(1, at, release, b"", body, hashlib.sha256(body).hexdigest(), "")

    packed = packing.unpack(packing.pack(sealed, number))

    assert (at, sealed.head, release, body) == (packed.at, packed.head, packed.release, packed.body)


@pytest.mark.parametrize("number", range(1, packing.DICTIONARY + 1))
def test_dictionaries_never_change_once_released(number):
    preset = packing.dictionary(number)

    assert DICTIONARIES[number] == hashlib.sha256(preset).hexdigest()[:12]
    assert len(preset) <= 16_384 - 262, "deflate looks no further back"


def test_unknown_dictionary_of_a_later_release_is_named_in_the_error(tmp_path):
    packed = packing.pack(Sealed(1, 1, "9", b"", b"{}", "00" * 32, ""))
    with pytest.raises(LookupError, match="dictionary 200"):
        packing.unpack(b"\xc8" + packed[1:])


def test_dictionary_halves_the_size_of_a_commit():
    _, bodies = bodies_of(GAMES["battalia"], 2, "greedy", 5, limit=120)
    sealed = [Sealed(c.seq, c.at, c.release, b"", body, hashlib.sha256(body).hexdigest(), "") for c, body in bodies]
    plain, preset = (sum(len(packing.pack(each, number)) - 45 for each in sealed) for number in (0, 1))

    assert preset < plain / 2


def test_battalia_game_takes_at_most_400_bytes_a_commit(redis_store):
    """Packed commits and submission ids together, without rows and snapshots; settled commands are trimmed."""
    name, bodies = bodies_of(GAMES["battalia"], 2, "greedy", 11)
    opened(redis_store, "ann", "bob", id=name, kind="battalia")
    redis_store.lobbies.start(name, "ann", "begin")
    seed, head = redis_store.lobbies.seed(name), origin(redis_store.lobbies.get(name).setup)
    for commit, _ in bodies:
        told = commit.submission
        if commit.seq > 1:
            submit(redis_store, name, {**command(told.id, told.seat), "command": dict(told.command)})
        sealed = seal(name, commit, head, seed, last=False)
        ((entry, _),) = redis_store.claims.work([name])[0].pending
        submission = Submission("begin" if commit.seq == 1 else told.id, told.seat, told.command, told.asked_at)
        rows = Rows(commit.seq, sealed.head, commit.release, public=b"{}", seen=(commit.seq,) * 3)
        (outcome,) = redis_store.log.append([Append(name, commit.seq - 1, sealed, entry, submission, False, rows, ())])
        assert outcome is None
        head = sealed.head

    names = redis_store.keys.game(name)
    size = {
        key: redis_store.wire.one("MEMORY", "USAGE", key, "SAMPLES", 0) / len(bodies)
        for key in (names.commits, names.ids)
    }
    print(f"{len(bodies)} commits, bytes for each: {size}")
    assert sum(size.values()) <= 400
    assert [body for _, body in bodies][1:-1] == [stored.body for stored in redis_store.log.commits(name)][1:-1]
    assert head != NO_HEAD


@pytest.mark.parametrize("document", [b"", b"{}", b"two\nlines\n", bytes(range(256)) * 9])
def test_snapshot_is_unpacked_unchanged_and_names_its_release(document):
    packed = packing.pack_snapshot("9.8.7", document)

    assert document == packing.unpack_snapshot(packed)
    assert "9.8.7" == packing.snapshot_release(packed)
    assert packed.startswith(b"9.8.7\n")


def test_packed_snapshot_is_smaller_than_a_tenth_of_its_document():
    document = b'{"seat":1,"cards":["road","road"]}' * 100

    assert len(document) / 10 > len(packing.pack_snapshot("1", document))
