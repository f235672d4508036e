"""The private key that signs heads: a file that nobody but the service can read, made on first use."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from pathlib import Path

from service.instance.key_file import SIZE, BadKey, held, private
from service.store.redis.log.log import Log
from service.store.seal import Signer

__all__ = ["BadKey", "UnknownKey", "check", "signer", "signer_of"]


class UnknownKey(BadKey):
    """The store knows other signing keys, but not this one: the key was lost, or its path is wrong."""


def signer(path: Path, log: Log, *, accept_new: bool = False) -> Signer:
    """The signer with the key in that file; its public half is entered among the keys that were ever used.

    Raises `BadKey` if the file holds anything but the 64 hex digits of a key, and `UnknownKey` (nothing is changed) if the
    store knows other keys but not this one, unless a new one is accepted.
    """
    known = log.keys()
    if known and not accept_new:
        check(path, known)
    made = signer_of(path)
    if made.key_id not in known:
        log.add_key(made.key_id, made.public.hex())
    return made


def check(path: Path, known: Collection[str]) -> None:
    """Raises `UnknownKey` if the file does not hold one of these keys; `BadKey` if it holds none at all."""
    if not path.exists():
        raise UnknownKey(f"{path} is missing, but the store knows a signing key ({', '.join(sorted(known))})")
    found = Signer(held(path, "signing key")).key_id
    if found not in known:
        raise UnknownKey(
            f"the store does not know the key {found} in {path}, but another one ({', '.join(sorted(known))})"
        )


def signer_of(path: Path) -> Signer:
    """The signer with the key in that file, which is made if there is none; raises `BadKey`."""
    return Signer(private(path, "signing key", lambda: secrets.token_bytes(SIZE)))
