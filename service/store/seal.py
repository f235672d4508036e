"""The chain of commits: headers, salted bodies, heads, signatures (docs/audit.md fixes all of it to the byte)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from domain.dice import mac
from domain.play.record import Commit
from domain.terms import GameId, Seq
from service.store.codec import canonical, encode_body

NO_HEAD = "0" * 64
"""What the first commit of a game names as the head before it."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A commit ready for the log."""

    seq: Seq
    at: int
    release: str
    header: bytes
    body: bytes
    head: str
    """SHA-256 of the header, hex."""
    previous: str
    """The head that its header names as the one before it."""


def commitment(seed: bytes) -> str:
    """What is published of a seed at a game's creation: its SHA-256, hex."""
    return hashlib.sha256(seed).hexdigest()


def salt(seed: bytes, seq: int) -> bytes:
    """The 32 bytes that keep the body of a commit from being guessed from its digest."""
    return mac(seed, b"salt" + seq.to_bytes(8, "big"))


def digest(salt_: bytes, body: bytes) -> str:
    """The digest of a body that its header names: SHA-256 of salt and body, hex."""
    return hashlib.sha256(salt_ + body).hexdigest()


def header_of(game_id: GameId, seq: int, previous: str, at: int, release: str, digest_: str) -> dict[str, Any]:
    """The public part of a commit."""
    return {"game": game_id, "seq": seq, "previous": previous, "at": at, "release": release, "digest": digest_}


def head_of(header: bytes) -> str:
    """The head after a commit: SHA-256 of its canonical header, hex."""
    return hashlib.sha256(header).hexdigest()


def seal(game_id: GameId, commit: Commit, previous: str, seed: bytes, *, last: bool) -> Sealed:
    """Seal a commit on the head before it; the last one of a game gives its seed away."""
    body = canonical(encode_body(commit, seed if last else None))
    digest_, previous = digest(salt(seed, commit.seq), body), previous or NO_HEAD
    header = canonical(header_of(game_id, commit.seq, previous, commit.at, commit.release, digest_))
    return Sealed(commit.seq, commit.at, commit.release, header, body, head_of(header), previous)


class Signer:
    """Signs heads with an Ed25519 key; the key id is the first 16 hex digits of the public key's SHA-256."""

    def __init__(self, private: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(private)
        self.public = self._key.public_key().public_bytes_raw()
        self.key_id = key_id(self.public)

    def sign(self, head: str) -> str:
        """The signature over the 32 bytes of a head, hex."""
        return self._key.sign(bytes.fromhex(head)).hex()

    def sign_text(self, text: bytes) -> bytes:
        """The signature over a text; no head is as long as a note of ours, so neither stands for the other."""
        return self._key.sign(text)


def key_id(public: bytes) -> str:
    """The short name of a public key."""
    return hashlib.sha256(public).hexdigest()[:16]


_FIELD = 2**255 - 19
_EIGHTH = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL = frozenset(y for small in (0, 1, -1, _EIGHTH, -_EIGHTH) for y in (small % _FIELD, small % _FIELD + _FIELD))
"""The y of the eight points of Ed25519 of small order, in every way of writing them: one signature holds for any message."""


def _is_small(public: bytes) -> bool:
    return int.from_bytes(public, "little") % 2**255 in _SMALL


def verify(public: bytes, head: str, signature: str) -> bool:
    """Whether the signature over the head is that key's; a key that everybody can sign with has none."""
    if _is_small(public):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(signature), bytes.fromhex(head))
    except (InvalidSignature, ValueError):
        return False
    return True
