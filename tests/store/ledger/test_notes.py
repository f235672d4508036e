"""Notes, checkpoints and cosignatures, checked against the examples in their specifications."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.store.transparency.notes import (
    COSIGNER,
    BadNote,
    Checkpoint,
    Key,
    checkpoint_in,
    cosigned,
    is_signed,
    key_in,
    note_in,
    signed,
    times_signed,
)

PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
PETERS_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETERS_NOTE = (
    PETERS_TEXT
    + "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
"""The example of the note package of Go's checksum database, including its key."""

SPECIFIED = (
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
SPECIFIED_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"

COSIGNED = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    "— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
)

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
LOG = Key("games.example.org/log", PRIVATE.public_key().public_bytes_raw())
WITNESS = Key("witness.example.org", PRIVATE.public_key().public_bytes_raw(), COSIGNER)


def test_example_of_gos_note_package_is_verified_and_signed_identically():
    key = key_in(PETER)
    private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(PETERS_KEY.split("+", 4)[4])[1:])

    assert PETER == key.text
    assert is_signed(note_in(PETERS_NOTE.encode()), key)
    assert PETERS_NOTE.encode() == signed(PETERS_TEXT, key, private.sign).written


def test_example_of_the_specification_is_verified():
    assert is_signed(note_in(SPECIFIED.encode()), key_in(SPECIFIED_KEY))
    assert not is_signed(note_in(SPECIFIED.replace("example m", "Example m").encode()), key_in(SPECIFIED_KEY))


def test_example_of_a_cosigned_checkpoint_is_parsed():
    note = note_in(COSIGNED.encode())

    assert COSIGNED.encode() == note.written
    checkpoint = checkpoint_in(note)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert checkpoint.text == note.text
    assert 1679315147 == int.from_bytes(note.signatures[1].blob[:8], "big")


def test_cosignature_has_a_time_and_keeps_the_signature_of_the_log():
    note = signed(Checkpoint(LOG.name, 3, bytes(32)).text, LOG, PRIVATE.sign)
    both = cosigned(note, WITNESS, PRIVATE.sign, 1_700_000_000)

    assert is_signed(both, LOG)
    assert (1_700_000_000,) == times_signed(both, WITNESS)
    assert times_signed(note, WITNESS) is None
    assert 2 == len(cosigned(both, WITNESS, PRIVATE.sign, 1_700_000_060).signatures), "the newer one takes its place"
    theirs = both.signatures[1]
    later = type(theirs)(theirs.name, theirs.key, (1_700_000_001).to_bytes(8, "big") + theirs.blob[8:])
    assert times_signed(both.with_signature(later), WITNESS) is None, "another time was not signed"


def test_note_with_a_wrong_signature_of_a_known_key_is_rejected():
    note = signed(Checkpoint(LOG.name, 3, bytes(32)).text, LOG, PRIVATE.sign)
    right = note.signatures[0]
    wrong = type(right)(right.name, right.key, bytes(64))

    assert not is_signed(type(note)(note.text, (right, wrong)), LOG)
    assert is_signed(type(note)(note.text, (type(right)("other", right.key, bytes(64)), right)), LOG)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\n", b"text\n", b"\xff\n\n", b"a\n\n\xe2\x80\x94 x\n", b"a\r\n\n"),
        "a\n\n— name QUJD\n".encode(),
        "a\n\n— name QUJDREVG".encode(),
        "a\n\n— na+me QUJDREVG\n".encode(),
        "a\n\n— name QUJDREVGR===\n".encode(),
        b"a\n\n- name QUJDREVG\n",
    ],
)
def test_malformed_note_is_rejected(data):
    with pytest.raises(BadNote):
        note_in(data)


@pytest.mark.parametrize(
    "text",
    [
        "log\n3\n",
        "log\n03\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        "log\n-3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        "log\n3\nAAAA\n",
        "\n3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        "log\n3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=\n",
    ],
)
def test_malformed_checkpoint_is_rejected(text):
    with pytest.raises(BadNote):
        checkpoint_in(signed(text, LOG, PRIVATE.sign))


@pytest.mark.parametrize(
    "text", ["", PETER[:-4], PETER.replace("c74f", "c74e"), "a b+c74f20a3+ARpc", PETER.replace("+ARpc", "+Arpc")]
)
def test_malformed_key_is_rejected(text):
    with pytest.raises(BadNote):
        key_in(text)
