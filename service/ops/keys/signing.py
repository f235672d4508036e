"""The private key that signs heads: a file that only the service can read, created at first use."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from pathlib import Path

from service.ops.keys.key_file import SIZE, BadKey, held, private
from service.store.redis.log.log import Log
from service.store.seal import Signer

__all__ = ["BadKey", "UnknownKey", "check", "signer", "signer_of"]


class UnknownKey(BadKey):
    """The store knows other signing keys, but not this one. The key was lost, or its path is wrong."""


def signer(path: Path, log: Log, *, accept_new: bool = False) -> Signer:
    """The signer with the key in the file. Its public key is added to the store's list of signing keys.

    Raises `BadKey` if the file contains anything but the 64 hex digits of a key. Raises `UnknownKey` without changes if
    the store knows other keys but not this one, unless a new one is accepted.
    """
    known = log.keys()
    if known and not accept_new:
        check(path, known)
    made = signer_of(path)
    if made.key_id not in known:
        log.add_key(made.key_id, made.public.hex())
    return made


def check(path: Path, known: Collection[str]) -> None:
    """Raises `UnknownKey` if the file does not contain one of these keys, and `BadKey` if it contains no valid key."""
    if not path.exists():
        raise UnknownKey(f"{path} is missing, but the store knows a signing key ({', '.join(sorted(known))})")
    found = Signer(held(path, "signing key")).key_id
    if found not in known:
        raise UnknownKey(
            f"the store does not know the key {found} in {path}, but another one ({', '.join(sorted(known))})"
        )


def signer_of(path: Path) -> Signer:
    """The signer with the key in the file, which is created if missing. Raises `BadKey`."""
    return Signer(private(path, "signing key", lambda: secrets.token_bytes(SIZE)))
