"""Reads an export file and validates each line; writes the line of a commit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
import orjson

from domain.kernel.terms import GameId, Seq
from service.audit.lines import (
    CommitLine,
    EndLine,
    EndLine1,
    EndLine2,
    Export,
    Header,
    LogLine,
    SeedLine,
    SeedLine1,
    SeedLine2,
    SetupLine,
    SetupLine1,
    SetupLine2,
    parse_setup,
)
from service.store import typed
from service.store.codec import canonical
from service.store.founding import FORMAT

T = TypeVar("T")
_HEX = re.compile(r"[0-9a-f]*")
_BEFORE_BODY = b'{"body":'
_LOG = b'{"checkpoint":'
_TOO_LARGE = 1 << 53
SEED = b'"seed":'
"""Occurs only in the body of the last commit."""
_BEFORE_HEADER = b',"header":{"at":'
_MAYBE_FLOAT = re.compile(rb"[:,\[]-?[0-9]+[.eE]")
_NUMBER, _TEXT, _DIGEST = rb"(0|[1-9][0-9]{0,17})", rb'"([ !#-\[\]-~]*)"', rb'"([0-9a-f]{64})"'
_AFTER_BODY = re.compile(
    rb',"header":(\{"at":%s,"digest":%s,"game":%s,"previous":%s,"release":%s,"seq":%s\}),"line":"commit","salt":%s\}'
    % (_NUMBER, _DIGEST, _TEXT, _DIGEST, _TEXT, _NUMBER, _DIGEST)
)
"""The usual text after the body of a commit's line, known to be canonical."""


class InvalidLine(ValueError):
    """A line does not follow the format. ``number`` counts from 1; ``seq`` is that of the commit expected on it."""

    def __init__(self, number: int, what: str, seq: int | None = None) -> None:
        super().__init__(f"line {number}: {what}")
        self.number = number
        self.what = what
        self.seq = seq


def parse_export(data: bytes) -> Export:
    """Parse a file. Raises `InvalidLine` for the first line that does not follow the format."""
    return _parse(data, _parse_commit)


def parse_outline(data: bytes) -> Export:
    """Parse a file without looking into most bodies, for a caller that decides them again.

    Raises `InvalidLine` as `parse_export` does.

    A body that equals the codec's output is canonical JSON, so it need not be parsed. If a body does not, or is not
    checked, only `parse_export` can confirm the format.
    """
    try:
        return _parse(data, _parse_commit_outline)
    except InvalidLine:
        return parse_export(data)  # the first bad line may be one whose body was not checked


def _parse(data: bytes, commit: Callable[[int, bytes, bool], CommitLine]) -> Export:
    if not data.endswith(b"\n"):
        raise InvalidLine(data.count(b"\n") + 1, "the file does not end in a newline")
    lines = data[:-1].split(b"\n")
    count = len(lines)
    form = _parse_form(lines[0])
    first = _parse_line(1, lines[0], _SETUPS[form])
    if count < 3:
        raise InvalidLine(count, "the file ends too early")
    end = _parse_line(count, lines[-1], _ENDS[form])
    status = first.status if isinstance(first, SetupLine1) else end.status
    over = status == "over"
    log = _parse_log(count - 1, lines.pop(-2)) if form > 1 and lines[-2].startswith(_LOG) else None
    if len(lines) < (4 if over else 3):
        raise InvalidLine(count, "the file ends too early")
    seed = _parse_line(len(lines) - 1, lines[-2], _SEEDS[form]) if over else None
    commits = [commit(seq, line, over) for seq, line in enumerate(lines[1 : -2 if over else -1], 1)]
    _check_hex(1, first.commitment, 32)
    if isinstance(first, SetupLine2):
        _check_counts(1, first.started)
    _check_end(count, end)
    script = _get_dice_script(first, seed)
    if seed is not None:
        _check_hex(len(lines) - 1, seed.seed, 32)
        _check_hex(len(lines) - 1, seed.key, 32)
        _check_counts(len(lines) - 1, *(seat for seat, _ in seed.entropy))
    _check_counts(1 if isinstance(first, SetupLine1) else len(lines) - 1, *(script or ()))
    return Export(parse_setup(first, lines[0]), status, script, commits, seed, end, log)


def _parse_log(number: int, line: bytes) -> LogLine:
    log: LogLine = _parse_line(number, line, LogLine)
    for level, place, hash_ in log.nodes:
        _check_hex(number, hash_, 32)
        _check_counts(number, level, place)
    for leaf in log.leaves:
        _check_counts(number, *leaf)
    return log


def _check_counts(number: int, *counts: int) -> None:
    """Refuse instants, counts and places that are not integers which every JSON reader represents exactly."""
    if any(not 0 <= count < _TOO_LARGE for count in counts):
        raise InvalidLine(number, "an instant, count or place is not between 0 and 2^53 - 1")


_SETUPS: Mapping[int, type[Any]] = {1: SetupLine1, 2: SetupLine2}
_SEEDS: Mapping[int, type[Any]] = {1: SeedLine1, 2: SeedLine2}
_ENDS: Mapping[int, type[Any]] = {1: EndLine1, 2: EndLine2}


def _parse_form(line: bytes) -> int:
    document = _parse_document(1, line)
    number = document.get("number")
    if document.get("format") != FORMAT or type(number) is not int or number not in _SETUPS:
        raise InvalidLine(1, f"not {FORMAT} of a number up to {max(_SETUPS)}")
    return number


def _get_dice_script(first: SetupLine, seed: SeedLine | None) -> tuple[int, ...] | None:
    if isinstance(first, SetupLine1):
        return None if first.sandbox is None else first.sandbox.dice
    return seed.dice if isinstance(seed, SeedLine2) else None


def _check_end(number: int, end: EndLine) -> None:
    _check_counts(number, end.commits)
    _check_hex(number, end.head, 32)
    _check_hex(number, end.sha256, 32)
    for signature in end.signatures:
        _check_hex(number, signature.key, 8)
        _check_hex(number, signature.public, 32)
        _check_hex(number, signature.signature, 64)


def get_signed_bytes(data: bytes) -> bytes:
    """The bytes covered by the digest in the last line: everything before it."""
    return data[: data.rstrip(b"\n").rfind(b"\n") + 1]


def write_commit(header: bytes, body: bytes | None, salt: bytes | None) -> bytes:
    """A commit's line from its canonical header and, after the end of the game, its canonical body and salt."""
    if body is None or salt is None:
        return b'{"header":' + header + b',"line":"commit"}\n'
    return _BEFORE_BODY + body + b',"header":' + header + b',"line":"commit","salt":"' + salt.hex().encode() + b'"}\n'


def _parse_document(number: int, line: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(line)
    except ValueError as error:
        raise InvalidLine(number, f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise InvalidLine(number, "not a JSON object")
    try:
        same = canonical(document) == line
    except TypeError as error:
        raise InvalidLine(number, f"not JSON that a commit could hold: {error}") from error
    if not same:
        raise InvalidLine(number, "not in canonical form")
    if _MAYBE_FLOAT.search(line) and _has_float(document):
        raise InvalidLine(number, "there is a number that is not whole")
    return document


def _has_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_float, value))
    return isinstance(value, float)


def _parse_line(number: int, line: bytes, kind: Any) -> Any:
    document = _parse_document(number, line)
    word = kind.__dataclass_fields__["line"].default
    if document.get("line") != word:
        raise InvalidLine(number, f"here the line {word!r} is due")
    return _convert(number, document, kind)


def _convert(number: int, document: Any, kind: type[T]) -> T:
    """The document as a dataclass. Raises `InvalidLine` unless it has exactly the fields of ``kind``."""
    try:
        fitted = typed.convert(document, kind)
    except msgspec.ValidationError as error:
        raise InvalidLine(number, str(error)) from error
    again = msgspec.to_builtins(fitted)
    # Equal values have equal types here, because there are no floats.
    if again != document and canonical(again) != canonical(document):
        raise InvalidLine(number, "there are fields that do not belong on such a line, or some are missing")
    return fitted


def _parse_commit(seq: int, line: bytes, over: bool) -> CommitLine:
    try:
        return _parse_commit_line(seq + 1, line, over)
    except InvalidLine as error:
        raise InvalidLine(error.number, error.what, seq) from error


def _parse_commit_outline(seq: int, line: bytes, over: bool) -> CommitLine:
    """The commit on a line.

    Skips the body if the rest of the line is regular and the body has neither a seed nor a fraction.
    """
    start, behind = line.rfind(_BEFORE_HEADER), len(_BEFORE_BODY)
    rest = _AFTER_BODY.fullmatch(line, start) if over and start >= behind and line.startswith(_BEFORE_BODY) else None
    if rest is None or seq == 1 or SEED in line or _MAYBE_FLOAT.search(line, behind, start):
        return _parse_commit(seq, line, over)
    header, at, digest, game, previous, release, number, salt = rest.groups()
    if int(at) >= _TOO_LARGE or int(number) >= _TOO_LARGE:
        return _parse_commit(seq, line, over)
    texts = game.decode(), previous.decode(), release.decode(), digest.decode()
    parsed_header = Header(GameId(texts[0]), Seq(int(number)), texts[1], int(at), texts[2], texts[3])
    return CommitLine(parsed_header, header, line[behind:start], salt.decode())


def _parse_commit_line(number: int, line: bytes, over: bool) -> CommitLine:
    document = _parse_document(number, line)
    names = {"header", "line", "body", "salt"} if over else {"header", "line"}
    if document.get("line") != "commit" or document.keys() != names:
        raise InvalidLine(number, "not a commit with " + " and ".join(sorted(names - {"line"})))
    header, header_bytes = _convert(number, document["header"], Header), canonical(document["header"])
    _check_counts(number, header.at, header.seq)
    _check_hex(number, header.previous, 32)
    _check_hex(number, header.digest, 32)
    if not over:
        return CommitLine(header, header_bytes)
    body, salt = document["body"], document["salt"]
    if not isinstance(body, dict) or not isinstance(salt, str):
        raise InvalidLine(number, "a body is an object, and a salt is hex")
    _check_hex(number, salt, 32)
    # The line is canonical, so it equals what would be written, and the body is at its usual place.
    around = len(write_commit(header_bytes, b"", bytes(32))) - 1
    start = len(_BEFORE_BODY)
    return CommitLine(header, header_bytes, line[start : start + len(line) - around], salt)


def _check_hex(number: int, text: str, size: int) -> None:
    if len(text) != 2 * size or not _HEX.fullmatch(text):
        raise InvalidLine(number, f"{text[:80]!r} is not {size} bytes in lower-case hex")
