"""Sealing: the appended fields equal those of the hashed header."""

from __future__ import annotations

import json
import zlib

from domain.kernel.record import Commit, Submission
from domain.kernel.terms import Seat
from service.store import packing
from service.store.seal import NO_HEAD, Signer, commitment, digest, head_of, key_id, salt, seal, verify

SEED = bytes(range(32))
COMMIT = Commit(7, 123, Submission("s", Seat(1), {"type": "hide"}, 100), "player", 3, 0, release="9.8.7")


def test_fields_of_a_sealed_commit_equal_those_of_its_header():
    sealed = seal("g", COMMIT, "ab" * 32, SEED, last=False)

    assert {
        "game": "g",
        "seq": sealed.seq,
        "previous": "ab" * 32,
        "at": sealed.at,
        "release": sealed.release,
        "digest": digest(salt(SEED, 7), sealed.body),
    } == json.loads(sealed.header)
    assert (7, 123, "9.8.7", head_of(sealed.header)) == (sealed.seq, sealed.at, sealed.release, sealed.head)


def test_first_commit_has_no_previous_head_and_only_the_last_reveals_the_seed():
    first = seal("g", COMMIT, "", SEED, last=False)
    last = seal("g", COMMIT, "", SEED, last=True)

    assert NO_HEAD == json.loads(first.header)["previous"]
    assert "seed" not in json.loads(first.body)
    assert SEED.hex() == json.loads(last.body)["seed"]
    assert first.head != last.head


def test_salts_differ_by_commit_and_by_seed():
    assert 4 == len({salt(seed, seq) for seed in (SEED, SEED[::-1]) for seq in (1, 256)})


def test_signature_is_valid_only_for_its_head_and_key():
    signer, other = Signer(SEED), Signer(SEED[::-1])
    head = commitment(b"anything")
    signature = signer.sign(head)

    assert key_id(signer.public) == signer.key_id != other.key_id
    assert verify(signer.public, head, signature)
    for public, over, signed in (
        (other.public, head, signature),
        (signer.public, head_of(b"other"), signature),
        (signer.public, head, other.sign(head)),
        (signer.public, head, "zz"),
        (b"short", head, signature),
    ):
        assert not verify(public, over, signed)


def test_header_is_computed_from_the_packed_commit():
    for previous in ("", "ab" * 32):
        sealed = seal("g", COMMIT, previous, SEED, last=False)
        packed = packing.unpack(packing.pack(sealed))

        assert sealed.header == packing.header("g", 7, packed, previous or NO_HEAD, SEED)
        assert sealed.head == packed.head == head_of(sealed.header)


def test_packed_commit_has_the_specified_layout():
    sealed = seal("g", COMMIT, "", SEED, last=False)
    packed = packing.pack(sealed)

    assert bytes((packing.DICTIONARY,)) == packed[:1]
    assert (123).to_bytes(6, "big") == packed[1:7]
    assert bytes.fromhex(sealed.head) == packed[7:39]
    assert b"\x059.8.7" == packed[39:45]
    preset = packing.dictionary(packing.DICTIONARY)
    assert sealed.body == zlib.decompressobj(-14, zdict=preset).decompress(packed[45:])
    assert sealed.body == zlib.decompressobj(-14).decompress(packing.pack(sealed, 0)[45:])
    assert b"" == packing.dictionary(0)
