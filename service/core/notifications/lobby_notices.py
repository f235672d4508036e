"""Notices about a game that has not started: all seats are taken; a seat is offered, declined, or not taken in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.history.seating import GameHeading, build_seat_names, describe_game, load_player_names
from service.store.ports.lobbies import Lobby, find_offers
from service.store.redis.store import Store

FULL, CHALLENGE, DECLINED, EXPIRED = LOBBY_NOTICES = ("full", "challenge", "challenge_declined", "challenge_expired")
"""Kinds of notices. An outbox entry has the kind, ``:@`` and the instant at which it happened.

`FULL`: the last seat was taken, and the creator must start the game. `CHALLENGE`: a seat is reserved for the player.
`DECLINED`, `EXPIRED`: the player for whom the creator had a seat reserved has declined it, or has not answered in time.
"""

SUBJECTS: Mapping[str, str] = {
    FULL: "All seats are taken",
    CHALLENGE: "You are challenged",
    DECLINED: "Challenge declined",
    EXPIRED: "Challenge expired",
}
TEXTS: Mapping[str, str] = {
    FULL: "Every seat is taken. Start the game when you are ready.",
    CHALLENGE: "{} offers you a seat. Accept or decline.",
    DECLINED: "{} declined. The seat is free.",
    EXPIRED: "{} did not answer in time. The seat is free.",
}


@dataclass(frozen=True, slots=True)
class LobbyNotice:
    """A notice that still holds."""

    lobby: Lobby
    heading: GameHeading
    subject: str
    """What has happened, in a few words."""
    text: str


def queue_lobby_notice(store: Store, lobby: Lobby, player_id: PlayerId, what: str, at: int | None = None) -> bool:
    """Queue a notice for a player. Returns whether there is a subscription for it.

    ``at``: when it happened, in milliseconds of Unix time; now if omitted. Twice the same is queued once.
    """
    entry, owed = f"{what}:@{store.schedule.now() if at is None else at}", False
    for subscription in store.subscriptions.of([player_id]):
        # Each delivery checks whether it is active: a daily mailbox gets this email, but no commits.
        if subscription.game in (None, lobby.id):
            store.outbox.put(lobby.id, subscription.id, entry)
            owed = True
    return owed


def parse_instant(rest: str) -> int:
    """When it happened, from the part after the colon."""
    return int(rest.removeprefix("@"))


def find_lobby_notice(
    store: Store, what: str, game_id: GameId, player_id: PlayerId, *, own: bool = True
) -> LobbyNotice | None:
    """The notice, if it still holds for this player; None otherwise. With ``own`` its heading omits their own seats."""
    lobby = store.lobbies.get(game_id)
    if lobby is None or lobby.status != "lobby":
        return None
    now = store.schedule.now()
    offers = find_offers(lobby.reserved, now)
    named = {
        FULL: (),
        CHALLENGE: [lobby.creator] if player_id in offers.values() else [],
        DECLINED: [each.player for each in lobby.reserved if not each.until],
        EXPIRED: [each.player for each in lobby.reserved if 0 < each.until <= now],
    }[what]
    is_current = lobby.is_full if what == FULL else bool(named)
    if not is_current or (what != CHALLENGE and lobby.creator != player_id):
        return None
    holders = [chair.holder or offers.get(Seat(number)) for number, chair in enumerate(lobby.chairs, 1)]
    known = load_player_names(store.accounts, [*holders, *named])
    names = {seat: name for seat, name in build_seat_names(holders, known).items() if holders[seat - 1]}
    mine = [seat for seat in names if own and holders[seat - 1] == player_id]
    people = build_seat_names([each for each in named if each in known], known, in_sentences=True).values()
    text = TEXTS[what].format(" and ".join(people) or "A former player")
    return LobbyNotice(lobby, describe_game(lobby, names, mine), SUBJECTS[what], text)
