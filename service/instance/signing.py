"""The private key that signs heads: a file that nobody but the service can read, made on first use."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from service.instance.folder import close, is_open
from service.process.logs import logger
from service.store.ports.log import Log
from service.store.seal import Signer

log = logger("signing")


class BadKey(ValueError):
    """The file does not hold a signing key."""


def signer(path: Path, log: Log) -> Signer:
    """The signer with the key in that file; its public half is entered among the keys that were ever used.

    Raises `BadKey` if the file holds anything but the 64 hex digits of a key.
    """
    made = Signer(_private(path))
    known = log.keys()
    if made.key_id not in known:
        log.add_key(made.key_id, made.public.hex())
    return made


def _private(path: Path) -> bytes:
    if not path.exists():
        _make(path)
    if not path.is_file():
        raise BadKey(f"{path} is not a file")  # and nothing of it is closed: it may be a folder that others live in
    if is_open(path):
        log.warning("the signing key was readable by other users of this machine", path=str(path), closed=close(path))
    try:
        private = bytes.fromhex(path.read_text().strip())
    except (ValueError, UnicodeDecodeError):
        private = b""
    if len(private) != 32:
        raise BadKey(f"{path} does not hold a signing key (64 hex digits)")
    return private


def _make(path: Path) -> None:
    """Several processes may start at once: each writes a file of its own, and the first to link it has made the key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
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
