"""What operators do with accounts: find, suspend, restore, reset the sign-in, erase. Each change is in the operators' log.

The log has the entry before the change is made, so that no change is missing from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from domain.kernel.terms import GameId, PlayerId
from service.core.account_erasure import erase, free_lobby_seats, list_games, withdraw_requests
from service.core.accounts import apps
from service.core.accounts.scopes import OWNER
from service.core.feature import Feature, load
from service.core.http.access.ids import new_id
from service.core.http.context.tokens import digest_of, new_token
from service.core.notifications.email_address import find_confirmed
from service.store.ports.accounts import SESSION, TOKEN, Credential, Player, Suspension
from service.store.redis.store import Store

SHORTEST_REASON, LONGEST_REASON = 3, 500
MOST_FOUND = 50

SUSPEND, RESTORE, RESET, ERASE = "account.suspend", "account.restore", "account.reset-sign-in", "account.erase"
"""Actions in the operators' log."""


class BadAction(Exception):
    """The action was not done; the message says why, as a sentence."""


@dataclass(frozen=True, slots=True)
class AccountStatus:
    """An account, as an operator sees it. It has no address and no content."""

    player: Player
    suspension: Suspension | None
    """None if the account is not suspended now."""
    credentials: dict[str, int]
    """Number of credentials by kind: `TOKEN` and `SESSION`."""
    apps: int
    """Number of apps that act for the player."""
    last_used_at: int | None
    """When one of them was last used, in milliseconds of Unix time. None if that is unknown."""
    subscriptions: int
    """Number of subscriptions to notifications."""
    games: dict[str, int]
    """Number of games by status."""


def find_accounts(store: Store, text: str) -> Sequence[Player]:
    """Accounts with this id, this confirmed email address, or a name that contains the text; at most `MOST_FOUND`.

    Reads every account, so it is slow with many.
    """
    wanted = text.strip()
    known = store.accounts.player(PlayerId(wanted))
    if known is not None:
        return [known]
    found = dict(store.accounts.players(find_confirmed(store, wanted) if "@" in wanted else []))
    for each in store.accounts.every():
        if wanted.casefold() in each.name.casefold():
            found[each.id] = each
    return sorted(found.values(), key=lambda each: (each.name.casefold(), each.made_at, each.id))[:MOST_FOUND]


def read_account(store: Store, player_id: PlayerId) -> AccountStatus:
    """The status of an account. Raises `BadAction` if there is none."""
    player = _known(store, player_id)
    tokens = store.accounts.tokens(player_id)
    return AccountStatus(
        player,
        store.accounts.suspension(player_id),
        {kind: sum(each.kind == kind for each in tokens) for kind in (TOKEN, SESSION)},
        len(apps.list_connections(store, player_id)),
        max(store.accounts.last_uses(player_id).values(), default=None),
        sum(each.owner == player_id for each in store.subscriptions.of([player_id])),
        {status: len(list(list_games(store, player_id, status))) for status in ("lobby", "running", "over")},
    )


def suspend_account(store: Store, operator: str, player_id: PlayerId, reason: str, until: int | None) -> None:
    """Suspend an account until an instant (None: until it is restored). The player sees the reason.

    Tokens, sessions and secret addresses stop at once, and streams end. The player loses seats in games that have not
    started, so that no one waits for them there. Running games go on under their rules for absent players. Raises `BadAction`.
    """
    now = store.schedule.now()
    if until is not None and until <= now:
        raise BadAction("The suspension must end in the future.")
    _start(store, operator, SUSPEND, player_id, reason)
    store.accounts.suspend(player_id, Suspension(reason.strip(), now, until))
    for lobby in list_games(store, player_id, "lobby"):
        free_lobby_seats(store, lobby, player_id)
    for lobby in list_games(store, player_id, "running"):
        withdraw_requests(store, lobby, player_id)


def restore_account(store: Store, operator: str, player_id: PlayerId, reason: str) -> None:
    """End a suspension. Raises `BadAction`."""
    _known(store, player_id)
    if store.accounts.suspension(player_id) is None:
        raise BadAction("The account is not suspended.")
    _start(store, operator, RESTORE, player_id, reason)
    store.accounts.restore(player_id)


def reset_sign_in(
    store: Store, features: Iterable[Feature], operator: str, player_id: PlayerId, reason: str, *, remove_ways: bool
) -> str:
    """Revoke every token, session and app of an account; returns a new token to hand over.

    ``remove_ways`` also removes its other ways to sign in, such as passkeys. Raises `BadAction`.
    """
    _start(store, operator, RESET, player_id, reason)
    ways = [load(each.reset_sign_in) for each in features if remove_ways and each.reset_sign_in]
    for _ in range(2):  # twice: a session may have added a way to sign in until it was revoked
        for reset in ways:
            reset(store, player_id)
        apps.revoke_all(store, player_id)
    token = new_token("t")
    made = Credential(new_id("c"), player_id, OWNER, store.schedule.now(), "reset by operator", minted_by="")
    store.accounts.add_token(made, digest_of(token))
    return token


def erase_account(
    store: Store,
    features: Iterable[Feature],
    wake: Callable[[GameId], None],
    operator: str,
    player_id: PlayerId,
    reason: str,
) -> None:
    """Erase an account, as its player can. Raises `BadAction`."""
    _start(store, operator, ERASE, player_id, reason)
    credential = Credential("operator", player_id, (), store.schedule.now(), minted_by="")
    erase(store, credential, wake, [load(each.erase_account) for each in features if each.erase_account])


def _start(store: Store, operator: str, action: str, player_id: PlayerId, reason: str) -> None:
    """Check that the action is possible, and log it."""
    _known(store, player_id)
    store.operators.append(operator, action, player_id, checked_reason(reason))


def checked_reason(reason: str) -> str:
    """The reason without spaces around it. Raises `BadAction`."""
    text = reason.strip()
    if not SHORTEST_REASON <= len(text) <= LONGEST_REASON or not text.isprintable():
        raise BadAction(f"The reason must have {SHORTEST_REASON} to {LONGEST_REASON} characters on one line.")
    return text


def _known(store: Store, player_id: PlayerId) -> Player:
    found = store.accounts.player(player_id)
    if found is None:
        raise BadAction(f"There is no account with the id {player_id!r}.")
    return found
