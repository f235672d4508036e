"""Routes that create, list, start and delete games."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal

import orjson
from flask import Blueprint, Response, request

from domain.kernel.errors import BadSetup
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.terms import GameId, PlayerId
from domain.registry import GAMES
from service.core.accounts.scopes import GAMES_CREATE, GAMES_READ
from service.core.feature import load
from service.core.http.access.auth import GameAccess, authorize, optional_caller, require_valid_token, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id, new_invitation
from service.core.http.access.quotas import count_game
from service.core.http.access.starting import STARTED_WITHIN, start_and_wait, start_if_full
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.entropy import request_key
from service.core.http.context.lobbies import LobbyCache, game_of
from service.core.http.context.offload import ReadContext
from service.core.http.context.tokens import digest_of
from service.core.http.limits.rates import client_address
from service.core.http.problems import invalid_fields, invalid_parameter
from service.core.http.reference.parameters import GAMES as GAMES_ON_A_PAGE
from service.core.http.reference.parameters import MOST_GAMES
from service.core.http.reference.routes import documented
from service.core.http.responses import (
    head_header,
    json_response,
    next_page_header,
    no_content,
    preference_applied,
    preferred_wait,
    query_choice,
    query_flag,
    query_instant,
    query_number,
    revalidation_headers,
)
from service.core.http.schemas import replies
from service.core.http.schemas.requests import TAG, EmptyRequest, GameRequest, GameTitleRequest, read_body
from service.core.http.setup import pace, sandbox, table, titles
from service.core.lobbies import summary
from service.store.chain import BrokenLog, reading
from service.store.codec import UnknownEvent
from service.store.ports.commits import Rows
from service.store.ports.lobbies import Chair, Lobby
from service.store.seal import commitment
from service.store.shared.cursor import BadCursor

blueprint = Blueprint("games", __name__)

LONGEST_CURSOR = 120


@blueprint.post("/v1/games")
@documented(
    "Create a game",
    operation="createGame",
    scope=GAMES_CREATE,
    text="You take seat 1. The response contains the invitation for the other players, which is shown only once. "
    "It also contains the commitment to the seed of the dice, made before any player adds entropy.",
    takes=GameRequest,
    gives={201: replies.CreatedGame},
    problems=(
        "key-reused",
        "in-progress",
        "position-too-large",
        "too-much-work",
        "too-many-lobbies",
        "too-many-sandboxes",
        "too-many-games",
        "too-much-sandbox-data",
    ),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The game and its invitation.",
    headers=("Game-Head", "Location"),
)
@idempotent
def make() -> Response:
    credential = required_caller()
    context = current_context()
    body = read_body(GameRequest)
    game = game_of(body["kind"])
    setup = checked_setup(game, body)
    seed, invitation = secrets.token_bytes(32), new_invitation()
    chairs = (Chair(credential.player, body["entropy"]), *(Chair() for _ in range(setup.seats - 1)))
    lobby = Lobby(
        GameId(new_id("g")),
        game.key,
        credential.player,
        chairs,
        setup.ruleset,
        setup.options,
        setup.modules,
        pace.checked(game, body),
        body["visibility"],
        commitment(seed),
        context.store.schedule.now(),
        sandbox.checked(context.compute_jobs, game, setup, body["sandbox"], credential.player)
        if "sandbox" in body
        else None,
        digest_of(invitation),
        table=table.checked(game, body["table"], can_be_rated=body["visibility"] == "public" and "sandbox" not in body),
        auto_start=body["auto_start"],
        **titles.checked_naming(body),
    )
    if not (request_key() and context.store.lobbies.get(lobby.id)):
        count_game(context, lobby)
    context.store.lobbies.create(lobby, seed)
    start_if_full(context, lobby.id, credential.player)
    return new_game_answer(authorize(lobby.id, credential, fresh=True), invitation)


def new_game_answer(access: GameAccess, invitation: str) -> Response:
    """The response to a new game's creator."""
    document = {**_summary(access, None), "invitation": invitation}
    return json_response(document, 201, {"Location": f"/v1/games/{access.lobby.id}", **head_header(0, "")})


def checked_setup(game: AnyGame, body: dict[str, Any], seats: str = "/seats") -> Setup:
    """The set-up in a new game's body. Raises the problem with every wrong field; ``seats`` points at the number of seats."""
    if body.get("ruleset", game.rules.rulesets[0]) not in game.rules.rulesets:
        raise invalid_fields([("/ruleset", f"Must be one of {', '.join(game.rules.rulesets)}.")])
    setup = Setup(body["seats"], body.get("ruleset", game.rules.rulesets[0]), body["options"], tuple(body["modules"]))
    try:
        return game.rules.check(setup)
    except BadSetup as error:
        faults = [
            (seats if path == "seats" else "/" + path.replace(".", "/"), f"{what[:1].upper()}{what[1:]}.")
            for path, what in error.faults.items()
        ]
        raise invalid_fields(faults) from error


@blueprint.get("/v1/games")
@documented(
    "List games",
    operation="listGames",
    scope=GAMES_READ,
    text="Lists public games, or with `mine=true` your own games of any visibility. You can combine all filters.",
    gives={200: replies.Games},
    problems=("no-token", "too-much-work"),
    parameters=("kind", "status", "vacant", "mine", "player", "tag", "created_since", "sort", "cursor", "limit"),
    answer="A page of games.",
    headers=("Link",),
)
def games() -> Response:
    mine = query_flag("mine")
    credential = required_caller() if mine else optional_caller()
    context = current_context()
    kind, status = query_choice("kind", tuple(GAMES)), query_choice("status", ("lobby", "running", "over"))
    vacant: Literal["vacant"] | None = "vacant" if query_choice("seat", ("vacant",)) else None
    with_player, tag, since = request.args.get("player"), _tag(), query_instant("since")
    oldest_first = query_choice("sort", ("newest", "oldest")) == "oldest"
    finders = [load(each.find_hiding) for each in context.features if each.find_hiding]
    player_id, wanted = (
        None if credential is None else credential.player,
        query_number("limit", GAMES_ON_A_PAGE, 1, MOST_GAMES),
    )

    def listed(reads: ReadContext) -> tuple[list[dict[str, Any]], str | None]:
        other = with_player if with_player != player_id and not mine else None
        if other and any(find_hiding(reads.store, [PlayerId(other)]) for find_hiding in finders):
            return [], None
        lobbies, cursor = reads.store.lobbies.page(
            kind=kind,
            status=status,
            vacant=vacant,
            player_id=player_id if mine else None,
            with_player=None if with_player is None else PlayerId(with_player),
            tag=tag,
            since=since,
            oldest_first=oldest_first,
            cursor=after,
            limit=wanted,
        )
        return build_summaries(context, reads, lobbies, player_id), cursor

    try:
        after = _cursor()
        found, cursor = context.offload.run(listed, player_id or client_address())
    except BadCursor as error:
        raise invalid_parameter(
            "cursor", "The cursor is invalid. Use the `next` value or the Link header of the previous page."
        ) from error
    headers = revalidation_headers(None if credential is None else 0)
    if cursor is not None:
        headers |= next_page_header(cursor=cursor)
    return json_response({"games": found, "next": cursor}, headers=headers)


def build_summaries(
    context: AppContext, reads: ReadContext, lobbies: Sequence[Lobby], player_id: PlayerId | None
) -> list[dict[str, Any]]:
    """These games as their reader sees them in lists."""
    started = [lobby.id for lobby in lobbies if lobby.status != "lobby"]
    rows = reads.store.views.asked(started) if started else {}
    added = context.game_fields.read(reads.store, player_id, [lobby.id for lobby in lobbies])
    return [
        {**summary.build_summary(each.lobby, each.players, rows.get(each.lobby.id), player_id), **added[each.lobby.id]}
        for each in LobbyCache(reads.store, reads.positions).with_players(list(lobbies))
    ]


@blueprint.get("/v1/games/<game>")
@documented(
    "Get a game",
    operation="getGame",
    scope=GAMES_READ,
    gives={200: replies.GameReply},
    problems=("unknown-game",),
    answer="The current status of the game.",
    headers=("Game-Head",),
)
def one(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller(), fresh=True)
    return _game_answer(access)


def _game_answer(access: GameAccess) -> Response:
    context, game_id = access.context, access.lobby.id
    rows = None
    if access.lobby.status != "lobby":
        with suppress(UnknownEvent, BrokenLog):  # the status is available even so
            rows = context.newest_rows(game_id, views=False)
        rows = rows or context.store.views.rows(game_id, views=False)
    headers = revalidation_headers(None if access.player_id is None else 0)
    headers |= head_header(0, "") if rows is None else head_header(rows.seq, rows.head)
    return json_response(_summary(access, rows), headers=headers)


def _summary(access: GameAccess, rows: Rows | None) -> dict[str, Any]:
    table = None
    if rows is not None and rows.table:
        with reading(access.lobby.id, rows.seq):
            table = orjson.loads(rows.table)
    document = summary.build_full_summary(
        access.lobby, access.seated.players, rows, table, access.player_id, access.seated.names()
    )
    context, game_id = access.context, access.lobby.id
    return {**document, **context.game_fields.read(context.store, access.player_id, [game_id])[game_id]}


@blueprint.patch("/v1/games/<game>")
@documented(
    "Change a game's title",
    operation="updateGame",
    scope=GAMES_CREATE,
    text="Changes the title and the tags. Only the creator can do this, and only before the start.",
    takes=GameTitleRequest,
    gives={200: replies.GameReply},
    problems=("unknown-game", "not-creator", "started"),
    auth="required",
    answer="The game.",
    headers=("Game-Head",),
)
def change(game_id: GameId) -> Response:
    credential = required_caller()
    access = authorize(game_id, credential, fresh=True)
    body = read_body(GameTitleRequest)
    access.require_creator()
    title, tags = body.get("title"), body.get("tags")
    access.context.store.lobbies.set_title(
        game_id,
        access.lobby.creator,
        titles.checked(title, "/title") if title is not None else "" if "title" in body else None,
        None if tags is None else titles.checked_tags(tags),
    )
    return _game_answer(authorize(game_id, credential, fresh=True))


@blueprint.delete("/v1/games/<game>")
@documented(
    "Delete an unstarted game",
    operation="deleteGame",
    scope=GAMES_CREATE,
    text="Only the creator can delete a game. All its data is erased. A game that has started cannot be deleted; "
    "resign instead.",
    gives={204: None},
    problems=("unknown-game", "not-creator", "started"),
    auth="required",
    answer="The game is deleted.",
)
def remove(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller(), fresh=True)
    access.require_creator()
    access.context.store.lobbies.delete(game_id, access.lobby.creator)
    return no_content()


@blueprint.post("/v1/games/<game>/start")
@documented(
    "Start a game",
    operation="startGame",
    scope=GAMES_CREATE,
    text="Only the creator can start a game, and every seat must be taken. Responds as soon as the first commit "
    "is stored, or with 202 if that takes too long.",
    takes=EmptyRequest,
    gives={200: replies.GameReply, 202: replies.GameReply},
    problems=("unknown-game", "not-creator", "seats-open", "too-many-running-games", "too-many-bot-games"),
    parameters=("Prefer",),
    auth="required",
    answer="The game has started.",
    headers=("Game-Head", "Location", "Preference-Applied"),
)
def start(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller(), fresh=True)
    read_body(EmptyRequest)
    access.require_creator()
    seconds = preferred_wait()
    has_begun = start_and_wait(access.context, access.lobby, STARTED_WITHIN if seconds is None else seconds)
    require_valid_token(access.credential)
    response = _game_answer(authorize(game_id, access.credential, fresh=True))
    response.status_code = 200 if has_begun else 202
    response.headers["Location"] = f"/v1/games/{game_id}"
    response.headers.update(preference_applied(seconds))
    return response


def _tag() -> str | None:
    tag = request.args.get("tag")
    if tag is not None and re.fullmatch(TAG, tag) is None:
        raise invalid_parameter(
            "tag", "tag must have 1 to 24 characters: lowercase letters a to z, digits and hyphens."
        )
    return tag


def _cursor() -> str | None:
    cursor = request.args.get("cursor")
    if cursor is not None and len(cursor) > LONGEST_CURSOR:
        raise BadCursor(cursor)
    return cursor
