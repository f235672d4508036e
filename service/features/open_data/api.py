"""Routes for the export of a game, which can be verified offline, and for the public keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from flask import Blueprint, Response

from domain.kernel.terms import GameId
from service.audit.export import export_lines
from service.core.accounts.scopes import GAMES_READ
from service.core.http.access.auth import GameAccess, authorize, optional_caller
from service.core.http.context.app import AppContext, current_context
from service.core.http.limits.rates import client_address
from service.core.http.problems import Problem
from service.core.http.reference.parameters import FURTHEST
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, query_number, revalidation_headers
from service.features.open_data.schemas import SigningKeys
from service.ops.keys.signing import BadKey, signer
from service.ops.logging import logger
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown
from service.store.redis.log.log import Log
from service.store.seal import Signer

blueprint = Blueprint("export", __name__)

LINES = 64
"""Lines made at a time, in some milliseconds for which other requests of the process wait."""


@blueprint.get("/v1/games/<game>/export")
@documented(
    "Export a game",
    operation="exportGame",
    scope=GAMES_READ,
    text="An NDJSON file for `oraclewheel audit`; docs/audit.md specifies the format. While the game runs, the "
    "file contains only the headers of the commits, for every reader. After the game it contains "
    "everything, including the seed of the dice. If the heads of the game are in the transparency log, it "
    "also contains the proof of inclusion.",
    gives={200: "application/x-ndjson"},
    problems=("unknown-game", "not-started", "too-many-streams"),
    parameters=("checkpoint",),
    answer="The file.",
    headers=("Content-Disposition",),
)
def export(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller(), fresh=True)
    context, kept = access.context, query_number("checkpoint", 0, 1, FURTHEST)
    lines = export_lines(context.store, access.lobby, _signer(context, context.store.log), kept)
    headers = {**revalidation_headers(0), "Content-Disposition": f'attachment; filename="{game_id}.ndjson"'}
    batches = context.stream_limiter.count(access.player_id, client_address(), _batches(access, lines))
    return Response(batches, mimetype="application/x-ndjson", headers=headers)


def _batches(access: GameAccess, lines: Iterator[bytes]) -> Iterator[bytes]:
    """Batches of lines while the caller may read them. An incomplete export has no last line, so readers notice."""
    while True:
        try:
            with access.context.history_limiter.slot(access.client):
                batch = b"".join(islice(lines, LINES))
            access = access.refresh()
        except (Problem, StoreDown, BrokenLog, UnknownEvent):
            return
        if not batch:
            return
        yield batch


def _signer(context: AppContext, log: Log) -> Signer | None:
    """The signer of the file, if this process has a key that the store knows. Workers sign the newest head anyway."""
    path = context.settings.key_path
    if not path.is_file():
        return None
    try:
        return signer(path, log)
    except BadKey as error:
        logger("export").warning("an export was not signed", why=str(error))
        return None


@blueprint.get("/v1/keys")
@documented(
    "List signing keys",
    operation="listSigningKeys",
    scope=GAMES_READ,
    text="Every Ed25519 public key that the service has ever used, in hex, with its id.",
    gives={200: SigningKeys},
    answer="The public keys.",
)
def keys() -> Response:
    optional_caller()
    known = current_context().store.log.keys()
    listed = [{"id": id_, "algorithm": "Ed25519", "public": public} for id_, public in sorted(known.items())]
    return json_response({"keys": listed}, headers={"Cache-Control": "public, max-age=60"})
