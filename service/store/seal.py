"""The chain of commits: headers, salted bodies, heads, signatures (docs/audit.md defines every byte)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from domain.kernel.dice import mac
from domain.kernel.record import Commit
from domain.kernel.terms import GameId, Seq
from service.store.codec import canonical, encode_body

NO_HEAD = "0" * 64
"""The previous head in the first commit of a game of form 1."""


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
    """The previous head in its header."""


def commitment(seed: bytes) -> str:
    """Published at a game's creation: the SHA-256 of its seed, hex."""
    return hashlib.sha256(seed).hexdigest()


def salt(seed: bytes, seq: int) -> bytes:
    """The 32 bytes that prevent guessing the body of a commit from its digest."""
    return mac(seed, b"salt" + seq.to_bytes(8, "big"))


def digest(salt_: bytes, body: bytes) -> str:
    """The digest of a body in its header: SHA-256 of salt and body, hex."""
    return hashlib.sha256(salt_ + body).hexdigest()


def header_of(game_id: GameId, seq: int, previous: str, at: int, release: str, digest_: str) -> dict[str, Any]:
    """The public part of a commit."""
    return {"game": game_id, "seq": seq, "previous": previous, "at": at, "release": release, "digest": digest_}


def head_of(header: bytes) -> str:
    """The head after a commit: SHA-256 of its canonical header, hex."""
    return hashlib.sha256(header).hexdigest()


def seal(game_id: GameId, commit: Commit, previous: str, seed: bytes, *, last: bool) -> Sealed:
    """Seal a commit with the previous head; the last one of a game publishes its seed."""
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
        """The signature over a text. A head is never as long as one of our notes, so the two cannot be confused."""
        return self._key.sign(text)


def key_id(public: bytes) -> str:
    """The first 16 hex digits of a public key's SHA-256."""
    return hashlib.sha256(public).hexdigest()[:16]


_FIELD = 2**255 - 19
_EIGHTH = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL = frozenset(y for small in (0, 1, -1, _EIGHTH, -_EIGHTH) for y in (small % _FIELD, small % _FIELD + _FIELD))
"""The y coordinates of Ed25519's eight points of small order, in every encoding: one signature is valid for any message."""


def _is_small(public: bytes) -> bool:
    return int.from_bytes(public, "little") % 2**255 in _SMALL


def verify(public: bytes, head: str, signature: str) -> bool:
    """Whether the key's signature over the head is valid; never for keys of small order, with which anyone can sign."""
    if _is_small(public):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(signature), bytes.fromhex(head))
    except (InvalidSignature, ValueError):
        return False
    return True
