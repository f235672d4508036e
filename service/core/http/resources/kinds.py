"""Routes for the kinds of games: schemas, rulesets, guides and rules."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache

import orjson
from flask import Blueprint, Response

from domain.registry import GAMES
from service.core.accounts.scopes import GAMES_READ
from service.core.catalog.guides import GuidePage, load_clauses, load_guide, load_picture
from service.core.catalog.kinds import build_full_kind, build_kind
from service.core.catalog.rulesets import build_ruleset
from service.core.http.access.auth import optional_caller
from service.core.http.context.app import current_context
from service.core.http.context.lobbies import game_of
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_bytes_response, not_modified, preferred_media_type
from service.core.http.schemas import replies
from service.core.queue.compute import search_workers

blueprint = Blueprint("kinds", __name__)
KEPT = {"Cache-Control": "public, max-age=300"}
SHORTLY = {"Cache-Control": "public, max-age=10"}
"""The number of search workers may change."""
MARKDOWN, HTML, SVG = "text/markdown", "text/html", "image/svg+xml"
GUARD = {"Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"}
"""A guide loads its own pictures and nothing else."""


@blueprint.get("/v1/kinds")
@documented(
    "List kinds of games",
    operation="listKinds",
    scope=GAMES_READ,
    any_game=True,
    gives={200: replies.Kinds, 304: None},
    parameters=("If-None-Match",),
    answer="Every kind of game.",
    headers=("ETag",),
)
def kinds() -> Response:
    optional_caller()
    queue = current_context().queue
    told = {
        "kinds": [build_kind(game) for game in GAMES.values()],
        "search_workers": 0 if queue is None else search_workers(queue.connection),
    }
    return _tagged(orjson.dumps(told), SHORTLY)


@blueprint.get("/v1/kinds/<key>")
@documented(
    "Get a kind of game",
    operation="getKind",
    scope=GAMES_READ,
    any_game=True,
    text="Includes the JSON Schema of every command, every event and the position document. Commands and events "
    "that every game shares, such as votes, are listed separately.",
    gives={200: replies.KindDetails, 304: None},
    problems=("unknown-kind",),
    parameters=("If-None-Match",),
    answer="The kind of game and its schemas.",
    headers=("ETag",),
)
def kind_of_game(key: str) -> Response:
    optional_caller()
    game_of(key)
    return _tagged(_full(key))


@blueprint.get("/v1/kinds/<key>/rulesets/<name>")
@documented(
    "Get a ruleset",
    operation="getRuleset",
    scope=GAMES_READ,
    any_game=True,
    text="Returns every number and table of a ruleset or scenario. It also lists how the ruleset interprets "
    "ambiguous clauses. Each value has its rule clause and a mark that shows its source. The response does "
    "not change until the next release; that of a released ruleset never changes.",
    gives={200: replies.Ruleset, 304: None},
    problems=("unknown-kind", "unknown-ruleset"),
    parameters=("If-None-Match",),
    answer="The ruleset or scenario.",
    headers=("ETag",),
)
def ruleset_of_game(key: str, name: str) -> Response:
    optional_caller()
    if name not in game_of(key).rules.rulesets:
        raise Problem("unknown-ruleset")
    body = _ruleset(key, name)
    return _kept(body.decode(), "application/json", f'"{hashlib.sha256(body).hexdigest()[:24]}"', {})


@blueprint.get("/v1/kinds/<key>/guide")
@documented(
    "Get the player guide",
    operation="getGuide",
    scope=GAMES_READ,
    any_game=True,
    text="A guide of a few pages for players: the course of a turn, costs, and an example turn with pictures. "
    "Available as `text/markdown`, or as `text/html` for browsers.",
    gives={200: MARKDOWN, 304: None},
    problems=("unknown-kind", "not-found", "not-acceptable"),
    parameters=("If-None-Match",),
    also=(HTML,),
    answer="The guide.",
    headers=("ETag",),
)
def guide_of_game(key: str) -> Response:
    optional_caller()
    return _told(load_guide(game_of(key)), "This kind of game has no guide.")


@blueprint.get("/v1/kinds/<key>/clauses")
@documented(
    "Get the rules",
    operation="getRules",
    scope=GAMES_READ,
    any_game=True,
    text="Every clause of the rules, with a mark that shows its source. `rule` in questions and refusals is the "
    "id of a clause. Available as `text/markdown`, or as `text/html`, where each clause has an "
    "anchor: `…/clauses#PAY-09`.",
    gives={200: MARKDOWN, 304: None},
    problems=("unknown-kind", "not-found", "not-acceptable"),
    parameters=("If-None-Match",),
    also=(HTML,),
    answer="The rules.",
    headers=("ETag",),
)
def clauses_of_game(key: str) -> Response:
    optional_caller()
    return _told(load_clauses(game_of(key)), "The rules of this kind of game are not available here.")


def _told(found: GuidePage | None, missing: str) -> Response:
    """A page in the requested format. Raises the problem of a missing one, with ``missing`` as its sentence."""
    if found is None:
        raise Problem("not-found", missing)
    form = preferred_media_type((MARKDOWN, HTML))
    if form is None:
        raise Problem("not-acceptable", f"Available formats: {MARKDOWN}, {HTML}.")
    body = found.html if form == HTML else found.markdown
    return _kept(body, form, f'"{found.digest}-{form.partition("/")[2]}"', GUARD)


@blueprint.get("/v1/kinds/<key>/guide/<picture_name>")
@documented(
    "Get a guide picture",
    operation="getGuidePicture",
    scope=GAMES_READ,
    any_game=True,
    gives={200: SVG, 304: None},
    problems=("unknown-kind", "not-found"),
    parameters=("If-None-Match",),
    answer="The picture.",
    headers=("ETag",),
)
def picture_of_guide(key: str, picture_name: str) -> Response:
    optional_caller()
    body = load_picture(game_of(key), picture_name)
    if body is None:
        raise Problem("not-found", "The guide has no picture with this name.")
    digest = hashlib.sha256(body).hexdigest()[:24]
    return _kept(
        body.decode(), SVG, f'"{digest}"', {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    )


def _tagged(body: bytes, kept: Mapping[str, str] = KEPT) -> Response:
    """JSON that is the same for everyone, and almost always until the next release."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    return not_modified(etag, kept) or json_bytes_response(body, headers={**kept, "ETag": etag})


def _kept(body: str, form: str, etag: str, guard: Mapping[str, str]) -> Response:
    """Content that is the same for everyone until the next release."""
    headers = {**KEPT, **guard, "Vary": "Accept"}
    known = not_modified(etag, headers)
    if known is not None:
        return known
    response = Response(body, mimetype=form)
    response.headers["ETag"] = etag
    response.headers.update(headers)
    return response


@lru_cache(maxsize=32)
def _ruleset(key: str, name: str) -> bytes:
    return orjson.dumps(build_ruleset(GAMES[key], name))


@lru_cache(maxsize=32)
def _full(key: str) -> bytes:
    return orjson.dumps(build_full_kind(GAMES[key]), option=orjson.OPT_NON_STR_KEYS)
