"""The private key that signs heads: a file that nobody but the service can read, made on first use."""

from __future__ import annotations

import secrets
from pathlib import Path

from service.instance.key_file import SIZE, BadKey, private
from service.store.ports.log import Log
from service.store.seal import Signer

__all__ = ["BadKey", "signer", "signer_of"]


def signer(path: Path, log: Log) -> Signer:
    """The signer with the key in that file; its public half is entered among the keys that were ever used.

    Raises `BadKey` if the file holds anything but the 64 hex digits of a key.
    """
    made = signer_of(path)
    known = log.keys()
    if made.key_id not in known:
        log.add_key(made.key_id, made.public.hex())
    return made


def signer_of(path: Path) -> Signer:
    """The signer with the key in that file, which is made if there is none; raises `BadKey`."""
    return Signer(private(path, "signing key", lambda: secrets.token_bytes(SIZE)))
