"""The public feed of a tournament: one entry for each round, and one for its end."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from service.core.http.atom import MEDIA_TYPE, AtomEntry, AtomFeed, render_atom
from service.core.http.context.app import current_context
from service.core.http.limits.rates import client_address
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import not_modified
from service.features.tournaments.documents import read_document

blueprint = Blueprint("tournament_feed", __name__)


@blueprint.get("/v1/tournaments/<tournament>/feed")
@documented(
    "Read the feed of a tournament",
    operation="getTournamentFeed",
    text="An Atom feed with an entry for each round, which is updated with every result, and one for the end.",
    gives={200: MEDIA_TYPE, 304: None},
    problems=("unknown-tournament", "too-much-work"),
    parameters=("If-None-Match",),
    auth="none",
    answer="The feed.",
    headers=("ETag",),
)
def feed(tournament: str) -> Response:
    context = current_context()
    document = context.offload.run(lambda reads: read_document(reads.store, tournament, None), client_address())
    if document is None:
        raise Problem("unknown-tournament")
    link = f"{context.base_url()}/tournaments/{tournament}" if context.settings.web != "off" else ""
    body = render_atom(_build_feed(document, link))
    headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()[:24]}"', "Cache-Control": "no-cache"}
    known = not_modified(headers["ETag"], headers)
    return known or Response(body, content_type=f"{MEDIA_TYPE}; charset=utf-8", headers=headers)


def _build_feed(document: Mapping[str, Any], link: str) -> AtomFeed:
    stem, title = f"urn:oraclewheel:tournament:{document['id']}", document["settings"]["name"]
    names = {each["number"]: each["player"]["name"] or f"place {each['number']}" for each in document["entries"]}
    entries = [_build_round(f"{stem}:{each['number']}", each, names, link) for each in document["rounds"]]
    if document["state"] == "finished":
        first = document["standings"][0]["rows"]
        text = "\n".join(f"{row['place']}. {names[row['entry']]}" for row in first)
        entries.append(
            AtomEntry(f"{stem}:end", f"{title} is over", text, document["ended_at"], document["ended_at"], link)
        )
    updated = max((each.updated for each in entries), default=document["created_at"])
    return AtomFeed(stem, title, updated, entries[::-1], link)


def _build_round(id_: str, about: Mapping[str, Any], names: Mapping[int, str], link: str) -> AtomEntry:
    lines = []
    for table in about["tables"]:
        places = table["ranks"] or [None] * len(table["entries"])
        seats = zip(table["entries"], places, strict=True)
        players = ", ".join(names[entry] if place is None else f"{names[entry]} ({place})" for entry, place in seats)
        lines.append(f"Table {table['table']}: {players}")
    updated = max([about["started_at"], *(table["ended_at"] or 0 for table in about["tables"])])
    return AtomEntry(id_, f"Round {about['number']}", "\n".join(lines), about["started_at"], updated, link)
