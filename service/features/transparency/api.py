"""Routes for the transparency log of heads (C2SP tlog-tiles), which reveals rewritten games: checkpoints, tiles, entries, keys."""

from __future__ import annotations

from flask import Blueprint, Response

from service.core.accounts.scopes import GAMES_READ
from service.core.http.access.auth import optional_caller
from service.core.http.context.app import current_context
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.store.transparency.notes import Key, checkpoint_in, is_signed, note_in
from service.store.transparency.tiles import HASH, NoTile, tile_at

blueprint = Blueprint("transparency", __name__)

TEXT, BYTES = "text/plain; charset=utf-8", "application/octet-stream"
BRIEFLY = {"Cache-Control": "public, max-age=2"}
FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
"""For tiles: appended data never changes, in partial tiles too."""


@blueprint.get("/v1/log/checkpoint")
@documented(
    "Get the latest checkpoint",
    operation="getCheckpoint",
    scope=GAMES_READ,
    text="The latest checkpoint of the transparency log of heads, as a signed note (C2SP signed-note, "
    "tlog-checkpoint). It contains the name of the log, the number of heads, the root of their Merkle tree, "
    "and the service's signature. With a saved checkpoint you can prove later that the log was rewritten.",
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
    "Get a log tile",
    operation="getLogTile",
    scope=GAMES_READ,
    text="A tile has 256 hashes of one level of the tree (`0/000`, `1/x001/234`) or 256 entries (`entries/000`). The "
    "newest tile can have fewer: `0/000.p/17` has 17. The names follow C2SP tlog-tiles. Each entry is canonical JSON with a "
    "game (a digest of its id), a seq, and the head of the game at that seq.",
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
        found = ledger.bundle(wanted.place, wanted.width)
    else:
        found = ledger.read_tile(wanted.level, wanted.place, wanted.width)
    if not found or (wanted.level is not None and len(found) < wanted.width * HASH):
        raise Problem("not-found")
    return Response(found, content_type=BYTES, headers=FOR_EVER)


@blueprint.get("/v1/log/key")
@documented(
    "List log keys",
    operation="listLogKeys",
    scope=GAMES_READ,
    text="One line per key, in the format of C2SP signed-note. The key that signed the latest checkpoint is "
    "first. They are the keys of `GET /v1/keys`. Save them early: a service that rewrote its history could "
    "also return other keys.",
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
