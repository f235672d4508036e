"""Routes of tournaments."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, request

from domain.kernel.terms import PlayerId
from domain.tournaments import changes
from domain.tournaments.changes import cancel, without
from domain.tournaments.entering import EntriesClosed, enter
from domain.tournaments.life import BEFORE_START, OVER, STATES, State, Tournament, TournamentSettings
from domain.tournaments.limits import find_faults
from service.core.accounts.ratings import find_ratings
from service.core.accounts.scopes import GAMES_CREATE, GAMES_PLAY, GAMES_READ
from service.core.history import chat
from service.core.http.access.auth import optional_caller, required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.context.app import AppContext, current_context
from service.core.http.context.lobbies import game_of
from service.core.http.limits.rates import client_address, limit_problem
from service.core.http.problems import Problem, invalid_fields, invalid_parameter
from service.core.http.reference.routes import documented
from service.core.http.resources.games import checked_setup
from service.core.http.responses import json_response, next_page_header, query_choice, query_flag, query_number
from service.core.http.schemas.requests import EmptyRequest, read_body
from service.core.http.setup import pace, table, titles
from service.features.tournaments import schemas, storage
from service.features.tournaments.documents import build_summary, find_names, read_document

blueprint = Blueprint("tournaments", __name__)

MOST = 10
"""Tournaments of an organizer that are not over."""

ON_A_PAGE, MOST_ON_A_PAGE = 20, 50


@blueprint.post("/v1/tournaments")
@documented(
    "Create a tournament",
    operation="createTournament",
    scope=GAMES_CREATE,
    text="You are its organizer, and the creator of all its games. The settings cannot be changed.",
    takes=schemas.TournamentRequest,
    gives={201: schemas.TournamentReply},
    problems=("key-reused", "in-progress", "too-many-tournaments", "too-much-work"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The tournament.",
    headers=("Location",),
)
@idempotent
def make() -> Response:
    credential, context = required_caller(), current_context()
    now, id_ = context.store.schedule.now(), new_id("r")
    settings = _read_settings(now)
    state: State = "announced" if (settings.opens_at or 0) > now else "registration"
    made = Tournament(id_, credential.player, now, settings, state, secrets.token_hex(32))
    if not storage.create_tournament(context.store, made, MOST):
        detail = f"An account can organize {MOST} tournaments at a time. Wait until one is over, or cancel one."
        raise limit_problem(LIMIT_RETRY_SECONDS, "too-many-tournaments", detail)
    return _answer(context, id_, credential.player, 201, {"Location": f"/v1/tournaments/{id_}"})


def _read_settings(now: int) -> TournamentSettings:
    """The settings in the body. Raises the problem with every wrong field."""
    body = read_body(schemas.TournamentRequest)
    game = game_of(body["kind"])
    setup = checked_setup(game, body)
    chosen = {
        "seats": setup.seats,
        "ruleset": setup.ruleset,
        "options": setup.options,
        "modules": tuple(setup.modules),
        "pace": pace.checked(game, body),
        "table": table.checked(game, body["table"], can_be_rated=body["visibility"] == "public"),
    }
    faults = find_faults(body, setup.seats, now)
    if body["pace"]["mode"] == "free":
        faults.append(("/pace/mode", "A tournament needs deadlines. Use per_question or calendar."))
    if body["text"] and (fault := chat.find_fault(body["text"])):
        faults.append(("/text", fault))
    if faults:
        raise invalid_fields(faults)
    return TournamentSettings(**{**body, **chosen, "name": titles.checked(body["name"], "/name")})


@blueprint.get("/v1/tournaments")
@documented(
    "List tournaments",
    operation="listTournaments",
    scope=GAMES_READ,
    text="Public ones, newest first. With `mine=true` those that you organize or have registered for.",
    gives={200: schemas.Tournaments},
    problems=("no-token",),
    parameters=("tournament_state", "tournament_mine", "cursor", "tournaments"),
    answer="A page of tournaments.",
    headers=("Link",),
)
def tournaments() -> Response:
    is_mine = query_flag("mine")
    credential = required_caller() if is_mine else optional_caller()
    context = current_context()
    store, state = context.store, query_choice("state", STATES)
    most = query_number("limit", ON_A_PAGE, 1, MOST_ON_A_PAGE)
    player_id = None if credential is None else credential.player
    after = _parse_cursor(request.args.get("cursor"))
    listed = storage.list_ids(store, STATES if state is None else [state])
    listed = [each for each in listed if after is None or each < after]
    if is_mine and player_id is not None:
        own = set(storage.list_ids_of(store, player_id))
        listed = [each for each in listed if each[1] in own]
    found: list[Tournament] = []
    while listed and len(found) <= most:
        read = storage.read_tournaments(store, [id_ for _, id_ in listed[: most + 1]])
        found += [each.now for each in read if is_mine or each.now.settings.visibility == "public"]
        listed = listed[most + 1 :]
    page = found[:most]
    names = find_names(store, [each.organizer for each in page])
    documents = [build_summary(each, names, player_id) for each in page]
    cursor = f"{page[-1].created_at}-{page[-1].id}" if len(found) > most else None
    headers = {} if cursor is None else next_page_header(cursor=cursor)
    return json_response({"tournaments": documents, "next": cursor}, headers=headers)


def _parse_cursor(text: str | None) -> tuple[int, str] | None:
    if text is None:
        return None
    at, _, id_ = text.partition("-")
    if not (at.isascii() and at.isdecimal() and len(at) <= 15 and id_ and len(id_) <= 64):
        raise invalid_parameter("cursor", "The cursor is invalid. Use the `next` value of the previous page.")
    return int(at), id_


@blueprint.get("/v1/tournaments/<tournament>")
@documented(
    "Get a tournament",
    operation="getTournament",
    scope=GAMES_READ,
    text="`oraclewheel standings` computes rounds and standings again, from this document and exports of the games.",
    gives={200: schemas.TournamentReply},
    problems=("unknown-tournament", "too-much-work"),
    answer="The tournament with its rounds and standings.",
)
def one(tournament: str) -> Response:
    credential, context = optional_caller(), current_context()
    return _answer(context, tournament, None if credential is None else credential.player)


@blueprint.delete("/v1/tournaments/<tournament>")
@documented(
    "Cancel a tournament",
    operation="deleteTournament",
    scope=GAMES_CREATE,
    text="Only the organizer can cancel a tournament. Games that are running continue, and no more are created.",
    gives={200: schemas.TournamentReply},
    problems=("unknown-tournament", "not-organizer", "tournament-over", "too-much-work"),
    auth="required",
    answer="The cancelled tournament.",
)
def remove(tournament: str) -> Response:
    credential, context = required_caller(), current_context()

    def cancelled(now: Tournament) -> Tournament:
        _require_organizer(now, credential.player)
        _require_not_over(now)
        return cancel(now, context.store.schedule.now())

    storage.update_tournament(context.store, tournament, cancelled)
    return _answer(context, tournament, credential.player)


@blueprint.post("/v1/tournaments/<tournament>/start")
@documented(
    "Start a tournament",
    operation="startTournament",
    scope=GAMES_CREATE,
    text="Only the organizer can start a tournament. Closes registration and publishes the seed. The first round begins "
    "within a minute.",
    takes=EmptyRequest,
    gives={200: schemas.TournamentReply},
    problems=("unknown-tournament", "not-organizer", "tournament-started", "too-few-entries", "too-much-work"),
    auth="required",
    answer="The tournament has started.",
)
def start(tournament: str) -> Response:
    credential, context = required_caller(), current_context()
    read_body(EmptyRequest)

    def started(now: Tournament) -> Tournament:
        _require_organizer(now, credential.player)
        if now.state not in BEFORE_START:
            raise Problem("tournament-started")
        if now.taken < now.settings.entries_needed:
            raise Problem("too-few-entries", f"The tournament needs {now.settings.entries_needed} entries to start.")
        return changes.start(now, context.store.schedule.now())

    storage.update_tournament(context.store, tournament, started)
    return _answer(context, tournament, credential.player)


@blueprint.post("/v1/tournaments/<tournament>/entries")
@documented(
    "Register for a tournament",
    operation="createTournamentEntry",
    scope=GAMES_PLAY,
    text="Without a free place, and after the start, you become a reserve, who gets the first place that becomes free.",
    takes=schemas.TournamentEntryRequest,
    gives={201: schemas.TournamentReply},
    problems=("unknown-tournament", "entries-closed", "not-admitted", "not-eligible", "too-much-work"),
    auth="required",
    answer="The tournament with your entry.",
)
def register(tournament: str) -> Response:
    credential, context = required_caller(), current_context()
    body, player_id, at = read_body(schemas.TournamentEntryRequest), credential.player, context.store.schedule.now()
    entropy = body["entropy"] if "entropy" in body else secrets.token_hex(16)

    def entered(now: Tournament) -> Tournament:
        if now.entry_of(player_id) is not None:
            return now
        rating = _require_eligible(context, now, player_id)
        storage.note_player(context.store, player_id, tournament)
        try:
            return replace(now, entries=enter(now, player_id, entropy, rating, at))
        except EntriesClosed as error:
            raise Problem("entries-closed", str(error)) from error

    storage.update_tournament(context.store, tournament, entered)
    return _answer(context, tournament, player_id, 201)


@blueprint.delete("/v1/tournaments/<tournament>/entries/<player>")
@documented(
    "Withdraw from a tournament",
    operation="deleteTournamentEntry",
    scope=GAMES_PLAY,
    text="You can withdraw your own entry. The organizer can withdraw any entry before the start. Games that have begun "
    "continue: resign them separately. A reserve gets the place; otherwise later opponents win without a game.",
    gives={200: schemas.TournamentReply},
    problems=(
        "unknown-tournament",
        "not-organizer",
        "unknown-entry",
        "tournament-started",
        "tournament-over",
        "too-much-work",
    ),
    auth="required",
    answer="The tournament without the entry.",
)
def unregister(tournament: str, player: str) -> Response:
    credential, context = required_caller(), current_context()

    def withdrawn(now: Tournament) -> Tournament:
        if credential.player != player:
            _require_organizer(now, credential.player)
        _require_not_over(now)
        if now.entry_of(PlayerId(player)) is None:
            raise Problem("unknown-entry")
        if credential.player != player and now.state not in BEFORE_START:
            raise Problem("tournament-started", "After the start, only the player can withdraw an entry.")
        return without(now, PlayerId(player))

    storage.update_tournament(context.store, tournament, withdrawn)
    return _answer(context, tournament, credential.player)


def _require_organizer(tournament: Tournament, player_id: PlayerId) -> None:
    if tournament.organizer != player_id:
        raise Problem("not-organizer")


def _require_not_over(tournament: Tournament) -> None:
    if tournament.state in OVER:
        raise Problem("tournament-over")


def _require_eligible(context: AppContext, tournament: Tournament, player_id: PlayerId) -> float:
    """The player's rating, 0 without one. Raises the problem of a player who does not meet the conditions."""
    settings = tournament.settings
    if context.are_apart(player_id, tournament.organizer):
        raise Problem("not-admitted", "You cannot register for this tournament.")
    needed = settings.min_reliability
    percent = context.store.lobbies.reliability(player_id).percent if needed else 100
    if percent < needed:
        raise Problem("not-eligible", f"Your reliability is {percent} percent. The tournament needs {needed}.")
    known = find_ratings(context.features, context.store, settings.kind, settings.seats, [player_id]).get(player_id)
    rating = 0 if known is None else round(known.value, 2)
    if settings.min_rating is not None and rating < settings.min_rating:
        raise Problem("not-eligible", f"Your rating is {rating}. The tournament needs at least {settings.min_rating}.")
    if settings.max_rating is not None and rating > settings.max_rating:
        raise Problem("not-eligible", f"Your rating is {rating}. The tournament allows at most {settings.max_rating}.")
    return rating


def _answer(context: AppContext, id_: str, reader: PlayerId | None, status: int = 200, headers: Any = None) -> Response:
    """The complete document. Raises the problem of an unknown tournament."""
    client = reader or client_address()
    document = context.offload.run(lambda reads: read_document(reads.store, id_, reader), client)
    if document is None:
        raise Problem("unknown-tournament")
    return json_response(document, status, headers or {})
