"""Recovery codes of an account, stored as their SHA-256.

A code has 100 random bits, so a reader of the store cannot try them all, and a slow hash would add nothing. It also
identifies its account, so its owner has to keep nothing else.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from domain.kernel.terms import PlayerId
from service.core.http.context.tokens import digest_of
from service.store.ports.accounts import SecretAddress
from service.store.redis.store import Store

PURPOSE = "recovery"
COUNT = 10
"""Number of codes that are made at once."""

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH, _GROUP = 20, 5
_MISREAD = str.maketrans("oil", "011")


def make_codes(store: Store, player_id: PlayerId) -> Sequence[str]:
    """Make new codes and revoke all earlier ones. If it is interrupted, the earlier ones may stay valid."""
    accounts, now = store.accounts, store.schedule.now()
    earlier = accounts.addresses(player_id, PURPOSE)
    codes = ["".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)) for _ in range(COUNT)]
    for code in codes:
        made = SecretAddress("r" + secrets.token_hex(8), player_id, "", PURPOSE, "code", now)
        accounts.add_address(made, digest_of(code))
    for each in earlier:
        accounts.drop_address(player_id, PURPOSE, each.id)
    return [_shown(code) for code in codes]


def list_codes(store: Store, player_id: PlayerId) -> Sequence[SecretAddress]:
    """The unused codes of an account."""
    return store.accounts.addresses(player_id, PURPOSE)


def find_code(store: Store, code: str) -> SecretAddress | None:
    """The stored code; None if it is wrong, used or replaced."""
    found = store.accounts.by_address(digest_of(_read(code)))
    return None if found is None or found.purpose != PURPOSE else found


def use_code(store: Store, code: SecretAddress) -> bool:
    """Use a code. False if another request at the same time has used it."""
    return store.accounts.drop_address(code.player, PURPOSE, code.id)


def erase_codes(store: Store, player_id: PlayerId) -> None:
    """Revoke all codes of an account."""
    for each in list_codes(store, player_id):
        store.accounts.drop_address(player_id, PURPOSE, each.id)


def _shown(code: str) -> str:
    return "-".join(code[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))


def _read(typed: str) -> str:
    """The code as it was made: people leave out hyphens, use capitals, and misread digits as letters."""
    return re.sub(r"[\s-]", "", typed).lower().translate(_MISREAD)
