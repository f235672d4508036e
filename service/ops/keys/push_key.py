"""The private key that identifies this service to push services (VAPID, RFC 8292), stored next to the signing key."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

from service.ops.keys.key_file import SIZE, BadKey, held, private

WHAT = "push key"


def push_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """The P-256 key in the file. If there is no file, a new key is created.

    Raises `BadKey` if the file contains anything but the 64 hex digits of a key.
    """
    return _key(private(path, WHAT, _made), path)


def check(path: Path) -> None:
    """Raises `BadKey` or `OSError` if the file cannot be used. A missing file is valid, and nothing is created."""
    if path.exists():
        _key(held(path, WHAT), path)


def _key(found: bytes, path: Path) -> ec.EllipticCurvePrivateKey:
    number = int.from_bytes(found)
    try:
        return ec.derive_private_key(number, ec.SECP256R1())
    except ValueError as error:  # not every number of this length is a key of the curve
        raise BadKey(f"{path} does not contain a {WHAT} (64 hex digits, a number of the curve P-256)") from error


def _made() -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value.to_bytes(SIZE)
