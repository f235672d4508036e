"""The lines of an export file and what each must hold: written by the service, read by whoever audits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import msgspec
import orjson

from service.store.codec import canonical

FORMAT = "oraclewheel/export"
NUMBER = 1
"""Counted up whenever a reader of the format would have to change."""

T = TypeVar("T")
_HEX = re.compile(r"(?:[0-9a-f]{2})*")
_MAYBE_FLOAT = re.compile(rb"[:,\[]-?[0-9]+[.eE]")


class BadLine(ValueError):
    """A line is not what the format says; ``number`` counts from 1, ``seq`` is that of the commit due on it."""

    def __init__(self, number: int, what: str, seq: int | None = None) -> None:
        super().__init__(f"line {number}: {what}")
        self.number = number
        self.what = what
        self.seq = seq


@dataclass(frozen=True, slots=True)
class Setup:
    """Line 1: which game this is. All of it stands in commit 1 too, except a sandbox's dice."""

    game: str
    kind: str
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    controllers: tuple[str, ...]
    pace: Mapping[str, Any]
    commitment: str
    sandbox: Mapping[str, Any] | None
    """None, or for a sandbox ``{"dice": the scripted rolls or None}`` (None too while it runs)."""
    status: Literal["running", "over"]
    format: str = FORMAT
    number: int = NUMBER
    line: Literal["setup"] = "setup"


@dataclass(frozen=True, slots=True)
class Header:
    """The public part of a commit."""

    game: str
    seq: int
    previous: str
    at: int
    release: str
    digest: str


@dataclass(frozen=True, slots=True)
class CommitLine:
    """A commit: the header, and after the end of the game the body and its salt."""

    header: Header
    header_bytes: bytes
    body: Mapping[str, Any] | None = None
    body_bytes: bytes = b""
    salt: str = ""


@dataclass(frozen=True, slots=True)
class Seed:
    """The line before the last, of a finished game: where its chance came from."""

    seed: str
    entropy: tuple[tuple[int, str], ...]
    key: str
    line: Literal["seed"] = "seed"


@dataclass(frozen=True, slots=True)
class Signature:
    """An Ed25519 signature over 32 bytes: the last head, or the SHA-256 that the last line names."""

    of: Literal["head", "file"]
    key: str
    public: str
    signature: str


@dataclass(frozen=True, slots=True)
class End:
    """The last line."""

    commits: int
    head: str
    sha256: str
    """Of all the bytes before this line, hex."""
    signatures: tuple[Signature, ...]
    line: Literal["end"] = "end"


@dataclass(frozen=True, slots=True)
class Export:
    """A whole file, every line in its canonical form."""

    setup: Setup
    commits: Sequence[CommitLine]
    seed: Seed | None
    end: End


def read(data: bytes) -> Export:
    """The export that the file holds; raises `BadLine` for the first line that is not of the format."""
    if not data.endswith(b"\n"):
        raise BadLine(data.count(b"\n") + 1, "the file does not end in a newline")
    lines = data[:-1].split(b"\n")
    setup = _whole(1, lines[0], Setup)
    if (setup.format, setup.number) != (FORMAT, NUMBER):
        raise BadLine(1, f"not {FORMAT} number {NUMBER}")
    over = setup.status == "over"
    if len(lines) < (4 if over else 3):
        raise BadLine(len(lines), "the file ends too early")
    end = _whole(len(lines), lines[-1], End)
    seed = _whole(len(lines) - 1, lines[-2], Seed) if over else None
    commits = [_commit(seq, line, over) for seq, line in enumerate(lines[1 : -2 if over else -1], 1)]
    _check_hex(1, setup.commitment, 32)
    _check_hex(len(lines), end.head, 32)
    _check_hex(len(lines), end.sha256, 32)
    for signature in end.signatures:
        _check_hex(len(lines), signature.key, 8)
        _check_hex(len(lines), signature.public, 32)
        _check_hex(len(lines), signature.signature, 64)
    if seed is not None:
        _check_hex(len(lines) - 1, seed.seed, 32)
        _check_hex(len(lines) - 1, seed.key, 32)
    return Export(setup, commits, seed, end)


def digested(data: bytes) -> bytes:
    """The bytes that the last line's digest is about: all before it."""
    return data[: data.rstrip(b"\n").rfind(b"\n") + 1]


def write(line: Setup | Seed | End) -> bytes:
    """One line of the file, with its newline."""
    return canonical(msgspec.to_builtins(line)) + b"\n"


def write_commit(header: bytes, body: bytes | None, salt: bytes | None) -> bytes:
    """A commit's line from its canonical header and, after the end, its canonical body and salt."""
    if body is None or salt is None:
        return b'{"header":' + header + b',"line":"commit"}\n'
    return b'{"body":' + body + b',"header":' + header + b',"line":"commit","salt":"' + salt.hex().encode() + b'"}\n'


def _document(number: int, line: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(line)
    except ValueError as error:
        raise BadLine(number, f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise BadLine(number, "not a JSON object")
    try:
        same = canonical(document) == line
    except TypeError as error:
        raise BadLine(number, f"not JSON that a commit could hold: {error}") from error
    if not same:
        raise BadLine(number, "not in canonical form")
    if _MAYBE_FLOAT.search(line) and _has_float(document):
        raise BadLine(number, "there is a number that is not whole")
    return document


def _has_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_float, value))
    return isinstance(value, float)


def _whole(number: int, line: bytes, kind: type[T]) -> T:
    document = _document(number, line)
    word = kind.__name__.lower()
    if document.get("line") != word:
        raise BadLine(number, f"here the line {word!r} is due")
    return _fitted(number, document, kind)


def _fitted(number: int, document: Any, kind: type[T]) -> T:
    """The document as a dataclass that holds all of it and nothing else."""
    try:
        fitted = msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise BadLine(number, str(error)) from error
    if canonical(msgspec.to_builtins(fitted)) != canonical(document):
        raise BadLine(number, f"there are fields that a {kind.__name__.lower()} does not have, or some are missing")
    return fitted


def _commit(seq: int, line: bytes, over: bool) -> CommitLine:
    try:
        return _commit_on(seq + 1, line, over)
    except BadLine as error:
        raise BadLine(error.number, error.what, seq) from error


def _commit_on(number: int, line: bytes, over: bool) -> CommitLine:
    document = _document(number, line)
    names = {"header", "line", "body", "salt"} if over else {"header", "line"}
    if document.get("line") != "commit" or document.keys() != names:
        raise BadLine(number, "not a commit with " + " and ".join(sorted(names - {"line"})))
    header = _fitted(number, document["header"], Header)
    _check_hex(number, header.previous, 32)
    _check_hex(number, header.digest, 32)
    if not over:
        return CommitLine(header, canonical(document["header"]))
    body, salt = document["body"], document["salt"]
    if not isinstance(body, dict) or not isinstance(salt, str):
        raise BadLine(number, "a body is an object, and a salt is hex")
    _check_hex(number, salt, 32)
    return CommitLine(header, canonical(document["header"]), body, canonical(body), salt)


def _check_hex(number: int, text: str, size: int) -> None:
    if len(text) != 2 * size or not _HEX.fullmatch(text):
        raise BadLine(number, f"{text[:80]!r} is not {size} bytes in lower-case hex")
