"""The public log of heads: signed checkpoints, tiles and entries (C2SP tlog-tiles), by which nobody can rewrite a game unseen."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api.access.auth import optional_caller
from service.api.context.app import current_context
from service.api.http.problems import Problem
from service.api.reference.routes import documented
from service.store.ledger.notes import Key, checkpoint_in, is_signed, note_in
from service.store.ledger.tiles import HASH, NoTile, tile_at
from service.store.shared.heads import bundle, tiles_of

blueprint = Blueprint("heads", __name__)

TEXT, BYTES = "text/plain; charset=utf-8", "application/octet-stream"
BRIEFLY = {"Cache-Control": "public, max-age=2"}
FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Of tiles: what was appended once is the same ever after, in partial tiles too."""


@blueprint.get("/v1/log/checkpoint")
@documented(
    "The newest checkpoint of the log of heads",
    operation="readCheckpoint",
    text="A signed note (C2SP signed-note, tlog-checkpoint): the log's name, how many heads it holds, the root of their "
    "Merkle tree, and the service's signature. Whoever keeps one can prove later that the log was rewritten.",
    gives={200: "text/plain"},
    problems=("no-checkpoint",),
    answer="The signed note.",
)
def checkpoint() -> Response:
    optional_caller()
    return Response(_newest(), content_type=TEXT, headers=BRIEFLY)


def _newest() -> bytes:
    """The newest checkpoint, signed. Raises `Problem`."""
    _, note = current_context().store.ledger.checkpoint()
    if not note:
        raise Problem("no-checkpoint")
    return note


@blueprint.get("/v1/log/tile/<path:tile>")
@documented(
    "A tile of the log of heads",
    operation="readTile",
    text="256 hashes of a level of the tree (`0/000`, `1/x001/234`), or 256 entries (`entries/000`), or the first of them "
    "(`0/000.p/17`), under the names of C2SP tlog-tiles. Each entry is the canonical JSON of a game (a digest of its id), a "
    "seq, and the head at which the game stood with it.",
    gives={200: "application/octet-stream"},
    problems=("not-found",),
    answer="The tile.",
)
def tile(tile: str) -> Response:
    optional_caller()
    try:
        wanted = tile_at(tile)
    except NoTile as error:
        raise Problem("not-found") from error
    ledger = current_context().store.ledger
    if wanted.level is None:
        found = bundle(ledger, wanted.place, wanted.width)
    else:
        found = tiles_of(ledger)(wanted.level, wanted.place, wanted.width)
    if not found or (wanted.level is not None and len(found) < wanted.width * HASH):
        raise Problem("not-found")
    return Response(found, content_type=BYTES, headers=FOR_EVER)


@blueprint.get("/v1/log/key")
@documented(
    "The keys of the log of heads",
    operation="readLogKeys",
    text="A line each, as C2SP signed-note writes keys, the one that signed the newest checkpoint first. They are those of "
    "`GET /v1/keys`. Keep them: a key that you have from the service that you check proves nothing.",
    gives={200: "text/plain"},
    problems=("no-checkpoint",),
    answer="The keys.",
)
def key() -> Response:
    optional_caller()
    note = note_in(_newest())
    name, known = checkpoint_in(note).origin, current_context().store.log.keys()
    listed = [Key(name, bytes.fromhex(public)) for _, public in sorted(known.items())]
    listed.sort(key=lambda each: not is_signed(note, each))
    lines = "".join(f"{each.text}\n" for each in listed)
    return Response(lines, content_type=TEXT, headers={"Cache-Control": "public, max-age=60"})
