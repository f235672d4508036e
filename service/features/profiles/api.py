"""Routes for profiles, and for what a player hides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import PlayerId
from service.core.accounts.scopes import ACCOUNT_READ, ACCOUNT_WRITE, GAMES_READ
from service.core.http.access.auth import optional_caller, required_caller
from service.core.http.context.app import current_context
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, revalidation_headers
from service.core.http.schemas.requests import read_body
from service.features.profiles import storage
from service.features.profiles.results import PlayedGame, PlayedResult
from service.features.profiles.schemas import Profile, ProfileSettingsReply, ProfileSettingsRequest
from service.features.profiles.storage import HeadToHead, Hidden, ResultCount
from service.store.ports.accounts import Player

blueprint = Blueprint("profiles", __name__)

MOST_RECENT, MOST_OPPONENTS = 10, 20


@blueprint.get("/v1/players/<player>/profile")
@documented(
    "Get a profile",
    operation="getProfile",
    scope=GAMES_READ,
    text="The player's finished public games, counted by kind, seat and result, and the results against other players. Games with "
    "bots count too. You always see all of your own profile.",
    gives={200: Profile},
    problems=("unknown-player",),
    answer="The profile.",
)
def profile(player: str) -> Response:
    credential, context = optional_caller(), current_context()
    store = context.store
    found = store.accounts.player(PlayerId(player))
    if found is None:
        raise Problem("unknown-player")
    reader = None if credential is None else credential.player
    is_own = reader == found.id
    hidden = storage.find_hidden(store, [found.id])[found.id]
    shows_games, shows_opponents = is_own or not hidden.games, is_own or not hidden.opponents
    recent = storage.newest_games(store, found.id, MOST_RECENT) if shows_games else []
    if not is_own:
        recent = _without_hidden(recent, reader)
    opponents = storage.list_opponents(store, found.id, MOST_OPPONENTS) if shows_opponents else []
    you = storage.head_to_head(store, found.id, [reader]) if reader is not None and not is_own else []
    names = {other for game in recent for other in game.opponents} | {each.opponent for each in (*opponents, *you)}
    known = store.accounts.players(sorted(names)) if names else {}
    reliability = store.lobbies.reliability(found.id)
    document = {
        "id": found.id,
        "name": found.name,
        "created_at": found.made_at,
        "reliability": {"turns": reliability.asked, "in_time": reliability.in_time},
        "hidden": [name for name in ("games", "opponents") if getattr(hidden, name)],
        "games": storage.count_games(store, found.id) if shows_games else None,
        "results": _results(storage.list_counts(store, found.id)) if shows_games else [],
        "recent": [
            {
                "game": each.game,
                "kind": each.kind,
                "seat": each.seat,
                "result": each.result,
                "ended_at": each.ended,
                "opponents": [_named(other, known) for other in each.opponents],
            }
            for each in recent
        ],
        "opponents": [_against(each, known) for each in _shown(opponents, reader)],
        "you": _against(you[0], known) if you else None,
    }
    return json_response(document, headers=revalidation_headers(None if credential is None else 0))


def _results(counts: Iterable[ResultCount]) -> list[dict[str, Any]]:
    found: defaultdict[tuple[str, int, int], dict[str, int]] = defaultdict(
        lambda: {str(result): 0 for result in PlayedResult}
    )
    for each in counts:
        found[each.kind, each.seats, each.seat][each.result] += each.games
    return [{"kind": kind, "seats": seats, "seat": seat, **counted} for (kind, seats, seat), counted in found.items()]


def _shown(opponents: Collection[HeadToHead], reader: PlayerId | None) -> list[HeadToHead]:
    """Those who do not hide their results, and the reader."""
    hidden = storage.find_hidden(current_context().store, [each.opponent for each in opponents])
    return [each for each in opponents if each.opponent == reader or not hidden[each.opponent].opponents]


def _without_hidden(games: Sequence[PlayedGame], reader: PlayerId | None) -> list[PlayedGame]:
    """The games without those against players who hide their results, unless the reader is that player."""
    hidden = storage.find_hidden(current_context().store, sorted({other for game in games for other in game.opponents}))
    secret = {other for other, each in hidden.items() if each.opponents} - {reader}
    return [each for each in games if secret.isdisjoint(each.opponents)]


def _against(found: HeadToHead, known: Mapping[PlayerId, Player]) -> dict[str, Any]:
    return {"player": _named(found.opponent, known), "won": found.won, "lost": found.lost, "even": found.even}


def _named(player_id: PlayerId, known: Mapping[PlayerId, Player]) -> dict[str, str]:
    return {"id": player_id, "name": known[player_id].name if player_id in known else ""}


@blueprint.get("/v1/me/profile")
@documented(
    "Get what my profile hides",
    operation="getProfileSettings",
    scope=ACCOUNT_READ,
    gives={200: ProfileSettingsReply},
    auth="required",
    answer="What you hide.",
)
def hidden() -> Response:
    credential = required_caller()
    found = storage.find_hidden(current_context().store, [credential.player])[credential.player]
    return json_response({"games": found.games, "opponents": found.opponents})


@blueprint.put("/v1/me/profile")
@documented(
    "Set what my profile hides",
    operation="setProfileSettings",
    scope=ACCOUNT_WRITE,
    text="Applies at once. Lists of public games still show who plays in them. Ratings cannot be hidden, because anyone can compute "
    "them. Omitted fields are reset to their defaults.",
    takes=ProfileSettingsRequest,
    gives={200: ProfileSettingsReply},
    auth="required",
    answer="What you hide.",
)
def hide() -> Response:
    credential = required_caller()
    body = read_body(ProfileSettingsRequest)
    storage.hide(current_context().store, credential.player, Hidden(body["games"], body["opponents"]))
    return json_response(body)
