"""Exports a game as one NDJSON file that anyone can verify offline. docs/audit.md defines every byte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from domain.kernel.dice import dice_key
from domain.kernel.terms import GameId
from service.audit.lines import (
    EndLine1,
    EndLine2,
    ExportSetup,
    ExportSignature,
    LogLine,
    SeedLine1,
    SeedLine2,
    build_setup,
    write_line,
    write_setup_line,
)
from service.audit.log_proof import build_log_line
from service.audit.parser import write_commit
from service.store.founding import IMPORTED
from service.store.ports.commits import Stored
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby, begin_document
from service.store.redis.store import Store
from service.store.seal import Signer, salt


def export_lines(store: Store, lobby: Lobby, signer: Signer | None = None, kept: int = 0) -> Iterator[bytes]:
    """The lines of a game's export, each with its newline.

    For a running game these are headers only. For a finished one they are complete and include the seed.

    ``signer`` signs the file. The stored signature of the newest head is always included.
    An imported game is signed only if its head was signed by a key of this service.
    The audit at import shows that the game is possible, not that it was played.

    ``kept`` is the number of heads that the reader knows in the public log (`build_log_line`).
    Raises `LobbyRefusal` ``not-started`` if there are no commits yet.
    """
    last, signed = _read_newest(store, lobby.id)
    if last == 0:
        raise LobbyRefusal("not-started")
    over = lobby.status == "over"
    first = next(iter(store.log.commits(lobby.id, 1, 1)))
    setup = build_setup(_get_begin_event(first.body) or begin_document(lobby), lobby.setup)
    commits = store.log.commits(lobby.id, 1, last, headers=True)
    seed, dice = store.lobbies.seed(lobby.id) if over else None, (lobby.sandbox or {}).get("dice")
    ours = signed is not None or lobby.creator != IMPORTED
    log = build_log_line(store.ledger, lobby.id, last, kept) if setup.bound else None
    return build_lines(setup, commits, seed, signed, signer if ours else None, dice, log)


def build_lines(
    setup: ExportSetup,
    commits: Iterable[Stored],
    seed: bytes | None,
    signed: ExportSignature | None = None,
    signer: Signer | None = None,
    dice: Sequence[int] | None = None,
    log: LogLine | None = None,
) -> Iterator[bytes]:
    """The lines of an export from its parts: everything if ``seed`` is given, otherwise headers only.

    ``dice`` is the dice script of a sandbox. ``log`` proves that its heads were logged (form 2).
    """
    running = hashlib.sha256()

    def hashed(line: bytes) -> bytes:
        running.update(line)
        return line

    over, first = seed is not None, setup.form == 1
    yield hashed(write_setup_line(setup, dice, over=over) + b"\n")
    entropy: tuple[tuple[int, str], ...] = ()
    count, head = 0, setup.origin
    for commit in commits:
        if count == 0 and seed is not None:
            entropy = tuple(enumerate(_get_begin_event(commit.body)["entropy"], 1))
        count, head = commit.seq, commit.head
        shown = None if seed is None else (commit.body, salt(seed, commit.seq))
        yield hashed(write_commit(commit.header, *(shown or (None, None))))
    if seed is not None:
        key = dice_key(seed, setup.game, entropy).hex()
        script = None if dice is None else tuple(dice)
        chance = SeedLine1(seed.hex(), entropy, key) if first else SeedLine2(seed.hex(), entropy, key, script)
        yield hashed(write_line(chance) + b"\n")
    if log is not None:
        yield hashed(write_line(log) + b"\n")
    digest = running.hexdigest()
    signatures = [] if signed is None else [signed]
    if signer is not None:
        signatures.append(ExportSignature("file", signer.key_id, signer.public.hex(), signer.sign(digest)))
    end = (count, head, digest, tuple(signatures))
    yield write_line(EndLine1(*end) if first else EndLine2(*end, "over" if over else "running")) + b"\n"


def _read_newest(store: Store, game_id: GameId) -> tuple[int, ExportSignature | None]:
    """The last seq to export and the signature of its head. A running game may advance between the reads."""
    seq = 0
    for _ in range(5):
        seq, head = store.log.head(game_id)
        signed = store.log.signature(game_id)
        if signed is not None and signed[0] == head:
            public = store.log.keys().get(signed[2])
            if public is not None:
                return seq, ExportSignature("head", signed[2], public, signed[1])
    return seq, None


def _get_begin_event(body: bytes) -> dict[str, Any]:
    """The ``game_begun`` event in the body of commit 1; empty if the rules failed on the setup itself."""
    events: list[dict[str, Any]] = orjson.loads(body).get("events", [])
    return events[0] if events else {}
