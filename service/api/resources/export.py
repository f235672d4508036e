"""Routes for the export of a game, which can be verified offline, and for the public keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from flask import Blueprint, Response

from domain.terms import GameId
from service.api.access.auth import GameAccess, authorize, optional_caller
from service.api.context.app import AppContext, current_context
from service.api.context.offload import ReadContext
from service.api.http.answers import answer, query_number, revalidated
from service.api.http.problems import Problem
from service.api.limits.rates import address
from service.api.reference.parameters import FURTHEST
from service.api.reference.routes import documented
from service.api.schemas import replies
from service.instance.signing import BadKey, signer
from service.process.logs import logger
from service.projections.history.export import export_lines
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.commits import Stored
from service.store.ports.errors import StoreDown
from service.store.redis.log.log import Log
from service.store.seal import Signer

blueprint = Blueprint("export", __name__)

LINES = 256
"""Lines made at a time."""


@blueprint.get("/v1/games/<game>/export")
@documented(
    "Export a game",
    operation="exportGame",
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
    pages, kept = Pages(game_id), query_number("checkpoint", 0, 1, FURTHEST)
    lines = _lines(access, pages, kept)
    headers = {**revalidated(0), "Content-Disposition": f'attachment; filename="{game_id}.ndjson"'}
    batches = access.context.streams.opened(access.player_id, address(), _batches(access, pages, lines))
    return Response(batches, mimetype="application/x-ndjson", headers=headers)


class Pages:
    """A game's commits, each page of them read with the `ReadContext` with which its lines are made.

    One batch of lines may be made in another thread than the next, and a connection that one thread has begun to read from
    is no use in another.
    """

    def __init__(self, game_id: GameId) -> None:
        self._game = game_id
        self._reads: ReadContext | None = None

    def batch(self, reads: ReadContext, lines: Iterator[bytes]) -> bytes:
        """Some more lines; none at the end."""
        self._reads = reads
        return b"".join(islice(lines, LINES))

    def read(self, last: int) -> Iterator[Stored]:
        """The commits up to one."""
        seq, head = 0, ""
        while seq < last:
            assert self._reads is not None
            log = self._reads.store.log
            page = list(log.commits(self._game, seq + 1, min(seq + LINES, last), headers=True, onto=head))
            yield from page
            seq, head = page[-1].seq, page[-1].head


def _lines(access: GameAccess, pages: Pages, kept: int) -> Iterator[bytes]:
    context, lobby = access.context, access.lobby
    return context.offload.run(
        lambda reads: export_lines(reads.store, lobby, _signer(context, reads.store.log), pages.read, kept), access.who
    )


def _batches(access: GameAccess, pages: Pages, lines: Iterator[bytes]) -> Iterator[bytes]:
    """While the reader may read it: an export that breaks off has no last line, and says so itself."""
    while True:
        try:
            with access.context.gate.pass_through(access.who):
                batch = access.context.offload.run(lambda reads: pages.batch(reads, lines), access.who)
            access = access.renewed()
        except (Problem, StoreDown, BrokenLog, UnknownEvent):
            return
        if not batch:
            return
        yield batch


def _signer(context: AppContext, log: Log) -> Signer | None:
    """Who signs the file, if this process has a key that the store knows; the newest head is signed by the workers anyway."""
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
    operation="listKeys",
    text="Every Ed25519 public key that the service has ever used, in hex, with its id.",
    gives={200: replies.Keys},
    answer="The public keys.",
)
def keys() -> Response:
    optional_caller()
    known = current_context().store.log.keys()
    listed = [{"id": id_, "algorithm": "Ed25519", "public": public} for id_, public in sorted(known.items())]
    return answer({"keys": listed}, headers={"Cache-Control": "public, max-age=60"})
