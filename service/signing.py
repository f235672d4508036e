"""The private key that signs heads: a file that nobody but the service can read, made on first use."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from service.store.ports import Log
from service.store.seal import Signer


def signer(path: Path, log: Log) -> Signer:
    """The signer with the key in that file; its public half is entered among the keys that were ever used.

    Raises `ValueError` if the file holds anything but the 64 hex digits of a key.
    """
    made = Signer(_private(path))
    known = log.keys()
    if made.key_id not in known:
        log.add_key(made.key_id, made.public.hex())
    return made


def _private(path: Path) -> bytes:
    if not path.exists():
        _make(path)
    try:
        private = bytes.fromhex(path.read_text().strip())
    except (ValueError, UnicodeDecodeError):
        private = b""
    if len(private) != 32:
        raise ValueError(f"{path} does not hold a signing key (64 hex digits)")
    return private


def _make(path: Path) -> None:
    """Several processes may start at once: each writes a file of its own, and the first to link it has made the key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, own = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(own, path)
    except FileExistsError:
        pass
    finally:
        Path(own).unlink()
