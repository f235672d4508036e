"""Signed notes, checkpoints and cosignatures (C2SP signed-note, tlog-checkpoint, tlog-cosignature), with Ed25519 keys."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ED25519, COSIGNER = 1, 4
"""Key types: of a log, and of a cosigner that adds the time."""

LONGEST = 65536
"""Maximum size of a note, in bytes."""

_NAME = r"[^\s+\x00-\x1f]+"
_LINE = re.compile(rf"— ({_NAME}) ([A-Za-z0-9+/]+={{0,2}})")
_KEY = re.compile(rf"({_NAME})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]+={{0,2}})")

Sign = Callable[[bytes], bytes]
"""Returns the Ed25519 signature of a message."""


class BadNote(ValueError):
    """The input is not a valid signed note, checkpoint or key; the message says why."""


@dataclass(frozen=True, slots=True)
class Key:
    """A public key that verifies notes, and the name of its owner."""

    name: str
    public: bytes
    kind: int = ED25519

    @property
    def hash(self) -> bytes:
        """The four bytes that identify the key in signatures."""
        named = self.name.encode() + b"\n" + bytes([self.kind]) + self.public
        return hashlib.sha256(named).digest()[:4]

    @property
    def text(self) -> str:
        """The key in its text form (a *vkey*)."""
        return f"{self.name}+{self.hash.hex()}+{_b64(bytes([self.kind]) + self.public)}"


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature line of a note: the signer's name, the four bytes of the key, and the signature."""

    name: str
    key: bytes
    blob: bytes


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    signatures: tuple[Signature, ...] = ()

    @property
    def written(self) -> bytes:
        lines = (f"— {each.name} {_b64(each.key + each.blob)}\n" for each in self.signatures)
        return (self.text + "\n" + "".join(lines)).encode()

    def with_signature(self, signature: Signature) -> Note:
        """The note with this signature, which replaces earlier ones of the same key."""
        others = tuple(each for each in self.signatures if (each.name, each.key) != (signature.name, signature.key))
        return replace(self, signatures=(*others, signature))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The content of a checkpoint: the log's name, its number of leaves, and their root."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{_b64(self.root)}\n"


def key_in(text: str) -> Key:
    """The key in a *vkey*; raises `BadNote`."""
    found = _KEY.fullmatch(text.strip())
    if found is None:
        raise BadNote("a key is written as <name>+<8 hex digits>+<base64>")
    material = _unb64(found[3])
    key = Key(found[1], material[1:], material[0] if material else 0)
    if key.kind not in (ED25519, COSIGNER) or len(key.public) != 32:
        raise BadNote("the key is not an Ed25519 key")
    if key.hash.hex() != found[2]:
        raise BadNote("the key is not the one that its eight digits name")
    return key


def note_in(data: bytes) -> Note:
    """The note in these bytes; raises `BadNote`."""
    try:
        whole = data.decode()
    except UnicodeDecodeError as error:
        raise BadNote("a note is UTF-8") from error
    if len(data) > LONGEST or not whole.endswith("\n") or re.search(r"[\x00-\x09\x0b-\x1f]", whole):
        raise BadNote("a note is lines of text that end in a newline")
    text, parted, below = whole.rpartition("\n\n")
    if not parted:
        raise BadNote("a note has a blank line between its text and its signatures")
    signatures = []
    for line in below.split("\n")[:-1]:
        found = _LINE.fullmatch(line)
        blob = _unb64(found[2]) if found else b""
        if found is None or len(blob) <= 4:
            raise BadNote("below a note stand signatures alone")
        signatures.append(Signature(found[1], blob[:4], blob[4:]))
    return Note(text + "\n", tuple(signatures))


def checkpoint_in(note: Note) -> Checkpoint:
    """The checkpoint in a note's text; raises `BadNote`."""
    lines = note.text.split("\n")
    if len(lines) < 4 or not lines[0] or not re.fullmatch(r"0|[1-9][0-9]{0,17}", lines[1]):
        raise BadNote("a checkpoint is the log's name, its size, and its root")
    root = _unb64(lines[2])
    if len(root) != 32:
        raise BadNote("the root of a checkpoint has 32 bytes")
    return Checkpoint(lines[0], int(lines[1]), root)


def signed(text: str, key: Key, sign: Sign) -> Note:
    """The text as a note, signed with the key of a log."""
    return Note(text, (Signature(key.name, key.hash, sign(text.encode())),))


def cosigned(note: Note, key: Key, sign: Sign, seconds: int) -> Note:
    """The note with a cosignature: its owner had seen no conflicting log at this Unix time."""
    signature = sign(_stamped(note.text, seconds))
    return note.with_signature(Signature(key.name, key.hash, seconds.to_bytes(8, "big") + signature))


def is_signed(note: Note, key: Key) -> bool:
    """Whether the key has signed the note; every signature with this key must be valid."""
    return times_signed(note, key) is not None


def times_signed(note: Note, key: Key) -> tuple[int, ...] | None:
    """Times of the key's cosignatures, in Unix seconds (0 for the key of a log).

    None if the key has not signed, or one of its signatures is invalid.
    """
    times = []
    for each in note.signatures:
        if (each.name, each.key) != (key.name, key.hash):
            continue
        seconds, blob = (
            (int.from_bytes(each.blob[:8], "big"), each.blob[8:]) if key.kind == COSIGNER else (0, each.blob)
        )
        message = _stamped(note.text, seconds) if key.kind == COSIGNER else note.text.encode()
        try:
            Ed25519PublicKey.from_public_bytes(key.public).verify(blob, message)
        except (InvalidSignature, ValueError):
            return None
        times.append(seconds)
    return tuple(times) or None


def _stamped(text: str, seconds: int) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _unb64(text: str) -> bytes:
    """Raises `BadNote` for invalid or non-canonical base64."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadNote("there is base64 that is none") from error
    if _b64(data) != text:
        raise BadNote("there is base64 that is not in its one form")
    return data
