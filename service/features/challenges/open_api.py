"""The route for open challenges: public games that wait for players, with filters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request

from domain.kernel.terms import PlayerId, Seat
from domain.registry import GAMES
from domain.table.seats import MIN_RELIABILITY
from service.core.accounts.ratings import find_ratings
from service.core.accounts.scopes import GAMES_READ
from service.core.feature import Feature
from service.core.http.access.auth import optional_caller
from service.core.http.context.app import current_context
from service.core.http.context.offload import ReadContext
from service.core.http.limits.rates import client_address
from service.core.http.problems import invalid_parameter
from service.core.http.reference.parameters import GAMES as GAMES_ON_A_PAGE
from service.core.http.reference.parameters import MOST_GAMES
from service.core.http.reference.routes import documented
from service.core.http.resources.games import LONGEST_CURSOR, build_summaries
from service.core.http.responses import (
    json_response,
    next_page_header,
    query_choice,
    query_number,
    revalidation_headers,
)
from service.core.http.schemas import replies
from service.store.ports.lobbies import Lobby, find_offers
from service.store.redis.store import Store
from service.store.shared.cursor import BadCursor, page_cursor

blueprint = Blueprint("open_challenges", __name__)

MOST_READ, BATCH = 500, 100
"""Games that are read for a page, at most and at a time."""

MOST_RATING = 1000
"""The largest rating that a filter can name."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on a game and its creator. None: no condition."""

    module: str | None
    pace: str | None
    reliability: int
    """The percentage of turns that the creator has played in time, at least."""
    ratings: tuple[int, int] | None
    """The smallest and the largest rating of the creator in such games."""


@blueprint.get("/v1/challenges")
@documented(
    "List open challenges",
    operation="listOpenChallenges",
    scope=GAMES_READ,
    text="Lists public games with a seat that you can take, newest first. With a token, it leaves out your own games and "
    "those that do not admit you. Games of suspended players are left out. A page can have fewer games than the limit although there are more: follow the `Link` "
    "header. Rating and reliability are those of the game's creator. Players without a rating match no rating filter.",
    gives={200: replies.Games},
    problems=("too-much-work",),
    parameters=("kind", "module", "pace", "min_reliability", "min_rating", "max_rating", "cursor", "limit"),
    answer="A page of games.",
    headers=("Link",),
)
def show() -> Response:
    credential = optional_caller()
    context, player_id = current_context(), None if credential is None else credential.player
    kind, filters = query_choice("kind", tuple(GAMES)), _read_filters()
    wanted, after = query_number("limit", GAMES_ON_A_PAGE, 1, MOST_GAMES), request.args.get("cursor")
    if after is not None and len(after) > LONGEST_CURSOR:
        raise _bad_cursor()

    def listed(reads: ReadContext) -> tuple[list[dict[str, Any]], str | None]:
        admits = _build_admission(reads, player_id)
        lobbies, cursor = _find(reads.store, context.features, kind, filters, admits, after, wanted)
        return build_summaries(context, reads, lobbies, player_id), cursor

    try:
        found, cursor = context.offload.run(listed, player_id or client_address())
    except BadCursor as error:
        raise _bad_cursor() from error
    headers = revalidation_headers(None if credential is None else 0)
    if cursor is not None:
        headers |= next_page_header(cursor=cursor)
    return json_response({"games": found, "next": cursor}, headers=headers)


def _bad_cursor() -> Exception:
    return invalid_parameter("cursor", "The cursor is invalid. Use the Link header of the previous page.")


def _read_filters() -> Filters:
    module = request.args.get("module")
    modules = {each for game in GAMES.values() for each in game.rules.modules}
    if module is not None and module not in modules:
        raise invalid_parameter("module", f"module must be one of {', '.join(sorted(modules))}.")
    rated = "min_rating" in request.args or "max_rating" in request.args
    # A rating can be below 0, so without `min_rating` there is no lower bound.
    least = query_number("min_rating", 0, 0, MOST_RATING) if "min_rating" in request.args else -MOST_RATING
    most = query_number("max_rating", MOST_RATING, 0, MOST_RATING)
    if least > most:
        raise invalid_parameter("max_rating", "max_rating must not be below min_rating.")
    return Filters(
        module,
        query_choice("pace", ("free", "per_question", "calendar")),
        query_number("min_reliability", 0, 0, 100),
        (least, most) if rated else None,
    )


Admission = Callable[[Sequence[Lobby]], list[Lobby]]
"""Returns those of the games in which the reader can take a seat."""


def _build_admission(reads: ReadContext, player_id: PlayerId | None) -> Admission:
    now = reads.store.schedule.now()
    percent = 100 if player_id is None else reads.store.lobbies.reliability(player_id).percent

    def admit(lobbies: Sequence[Lobby]) -> list[Lobby]:
        creators = {each.creator for each in lobbies} - {player_id}
        active = {creator for creator, _ in reads.store.accounts.held([(each, "") for each in creators])}
        apart = {} if player_id is None else reads.find_apart(reads.store, player_id, creators)
        return [
            each
            for each in lobbies
            if _has_free_seat(each, now)
            and each.creator in active
            and each.creator not in apart
            and (player_id is None or not each.belongs_to(player_id))
            and percent >= each.table.get(MIN_RELIABILITY, 0)
        ]

    return admit


def _has_free_seat(lobby: Lobby, now: int) -> bool:
    offers = find_offers(lobby.reserved, now)
    return any(not chair.holder and Seat(number) not in offers for number, chair in enumerate(lobby.chairs, 1))


def _find(
    store: Store,
    features: Sequence[Feature],
    kind: str | None,
    filters: Filters,
    admits: Admission,
    cursor: str | None,
    wanted: int,
) -> tuple[list[Lobby], str | None]:
    """A page of games, and the cursor of the next one. Reads at most `MOST_READ` games. Raises `BadCursor`."""
    found: list[Lobby] = []
    for _ in range(0, MOST_READ, BATCH):
        page, cursor = store.lobbies.page(kind=kind, status="lobby", cursor=cursor, limit=BATCH)
        matching = _match_creators(store, features, filters, admits(_match_games(page, filters)))
        for lobby in matching:
            found.append(lobby)
            if len(found) == wanted:
                is_last = cursor is None and lobby == matching[-1]
                return found, None if is_last else page_cursor(lobby)
        if cursor is None:
            break
    return found, cursor


def _match_games(lobbies: Sequence[Lobby], filters: Filters) -> list[Lobby]:
    return [
        each
        for each in lobbies
        if filters.module in (None, *each.modules) and filters.pace in (None, each.pace["mode"])
    ]


def _match_creators(
    store: Store, features: Sequence[Feature], filters: Filters, lobbies: Sequence[Lobby]
) -> list[Lobby]:
    found = list(lobbies)
    if filters.ratings is not None:
        least, most = filters.ratings
        groups: dict[tuple[str, int], set[PlayerId]] = defaultdict(set)
        for each in found:
            groups[each.kind, len(each.chairs)].add(each.creator)
        known = {group: find_ratings(features, store, *group, players) for group, players in groups.items()}
        ratings = {each.id: known[each.kind, len(each.chairs)].get(each.creator) for each in found}
        found = [each for each in found if (rating := ratings[each.id]) is not None and least <= rating.value <= most]
    if filters.reliability:
        reliable = {
            creator: store.lobbies.reliability(creator).percent >= filters.reliability
            for creator in {each.creator for each in found}
        }
        found = [each for each in found if reliable[each.creator]]
    return found
