"""The lines of an export file in each form, and their common content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import orjson

from domain.kernel.terms import GameId, Seq
from service.store.codec import canonical
from service.store.founding import FORM, FORMAT, form_of, origin

Status = Literal["running", "over"]


@dataclass(frozen=True, slots=True)
class DiceScript:
    """The scripted rolls of a sandbox, in a file of form 1."""

    dice: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class SetupLine1:
    """Line 1 in form 1. No head depends on it. Commit 1 contains all of it except a sandbox's dice."""

    game: GameId
    kind: str
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    controllers: tuple[str, ...]
    pace: Mapping[str, Any]
    commitment: str
    sandbox: DiceScript | None
    """The file has the script only after the end."""
    status: Status
    format: Literal["oraclewheel/export"] = FORMAT
    number: Literal[1] = 1
    line: Literal["setup"] = "setup"


@dataclass(frozen=True, slots=True)
class SetupLine2:
    """Line 1 in form 2: fixed when the game started. The head before commit 1 is its digest."""

    game: GameId
    kind: str
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    controllers: tuple[str, ...]
    pace: Mapping[str, Any]
    commitment: str
    sandbox: bool
    started: int
    format: Literal["oraclewheel/export"] = FORMAT
    number: Literal[2] = FORM
    line: Literal["setup"] = "setup"


@dataclass(frozen=True, slots=True)
class Header:
    """The public part of a commit."""

    game: GameId
    seq: Seq
    previous: str
    at: int
    release: str
    digest: str


@dataclass(frozen=True, slots=True)
class CommitLine:
    """A commit: the header, and after the end of the game the body and its salt."""

    header: Header
    header_bytes: bytes
    body_bytes: bytes = b""
    salt: str = ""

    @property
    def body(self) -> dict[str, Any] | None:
        """The body as JSON, parsed each time. None before the end. Raises `ValueError` if invalid (`parser.parse_outline`)."""
        return orjson.loads(self.body_bytes) if self.body_bytes else None


@dataclass(frozen=True, slots=True)
class SeedLine1:
    """The line before the last in a finished game: the source of its randomness."""

    seed: str
    entropy: tuple[tuple[int, str], ...]
    key: str
    line: Literal["seed"] = "seed"


@dataclass(frozen=True, slots=True)
class SeedLine2:
    """The seed line in form 2, with the scripted rolls of a sandbox."""

    seed: str
    entropy: tuple[tuple[int, str], ...]
    key: str
    dice: tuple[int, ...] | None
    line: Literal["seed"] = "seed"


@dataclass(frozen=True, slots=True)
class ExportSignature:
    """An Ed25519 signature over 32 bytes: the last head, or the SHA-256 in the last line."""

    of: Literal["head", "file"]
    key: str
    public: str
    signature: str


@dataclass(frozen=True, slots=True)
class LogLine:
    """The line before the last if heads of the game are in the public log: their proofs (`service.store.transparency`)."""

    checkpoint: str
    """A signed note: the state of the log when the file was written."""
    earlier: tuple[str, ...]
    """Earlier checkpoints that it extends."""
    leaves: tuple[tuple[int, int], ...]
    """Heads of the game: place in the log, and seq."""
    nodes: tuple[tuple[int, int, str], ...]
    """Hashes of the tree: level, place, hex."""
    line: Literal["log"] = "log"


@dataclass(frozen=True, slots=True)
class EndLine1:
    """The last line."""

    commits: int
    head: str
    sha256: str
    """SHA-256 of all bytes before this line, hex."""
    signatures: tuple[ExportSignature, ...]
    line: Literal["end"] = "end"


@dataclass(frozen=True, slots=True)
class EndLine2:
    """The last line in form 2. It has the status, which changes and therefore cannot be on line 1."""

    commits: int
    head: str
    sha256: str
    signatures: tuple[ExportSignature, ...]
    status: Status
    line: Literal["end"] = "end"


SetupLine = SetupLine1 | SetupLine2
SeedLine = SeedLine1 | SeedLine2
EndLine = EndLine1 | EndLine2


@dataclass(frozen=True, slots=True)
class ExportSetup:
    """The identity of a file's game, in any form."""

    game: GameId
    kind: str
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    controllers: tuple[str, ...]
    pace: Mapping[str, Any]
    commitment: str
    sandbox: bool
    started: int | None
    """The instant from which a calendar counts, milliseconds of Unix time. None in form 1."""
    bound: bytes = b""
    """The setup line that commit 1 depends on, without its newline; empty in form 1."""

    @property
    def form(self) -> int:
        return form_of(self.bound)

    @property
    def origin(self) -> str:
        """The head before commit 1."""
        return origin(self.bound)


_SHARED = ("game", "kind", "ruleset", "options", "modules", "controllers", "pace", "commitment")


def build_setup(begun: Mapping[str, Any], bound: bytes) -> ExportSetup:
    """The setup of a game, from its first event and the setup line (empty in form 1)."""
    document = msgspec.json.decode(bound) if bound else {**begun, "started": None}
    fields = {name: document[name] for name in (*_SHARED, "sandbox", "started")}
    return ExportSetup(
        **{**fields, "modules": tuple(document["modules"]), "controllers": tuple(document["controllers"])}, bound=bound
    )


def parse_setup(line: SetupLine, bound: bytes) -> ExportSetup:
    """The setup on line 1, whose bytes are ``bound``."""
    shared = {name: getattr(line, name) for name in _SHARED}
    if isinstance(line, SetupLine2):
        return ExportSetup(**shared, sandbox=line.sandbox, started=line.started, bound=bound)
    return ExportSetup(**shared, sandbox=line.sandbox is not None, started=None)


def write_setup_line(setup: ExportSetup, dice: Sequence[int] | None, *, over: bool) -> bytes:
    """Line 1 without its newline; without the script of a sandbox that is still running."""
    if setup.bound:
        return setup.bound
    script = DiceScript(None if dice is None or not over else tuple(dice)) if setup.sandbox else None
    shared = {name: getattr(setup, name) for name in _SHARED}
    return write_line(SetupLine1(**shared, sandbox=script, status="over" if over else "running"))


def write_line(line: SetupLine | SeedLine | LogLine | EndLine) -> bytes:
    """A line without its newline."""
    return canonical(msgspec.to_builtins(line))


@dataclass(frozen=True, slots=True)
class Export:
    """A whole file, with every line in canonical form."""

    setup: ExportSetup
    status: Status
    dice: tuple[int, ...] | None
    """The script of a finished sandbox."""
    commits: Sequence[CommitLine]
    seed: SeedLine | None
    end: EndLine
    log: LogLine | None = None

    @property
    def lines(self) -> int:
        return len(self.commits) + 2 + (self.seed is not None) + (self.log is not None)
