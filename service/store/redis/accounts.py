"""Accounts in Redis: each fact has its own key, so no script needs several keys."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec

from domain.kernel.terms import GameId, PlayerId
from service.store import typed
from service.store.ports.accounts import (
    MOST_ASKED,
    PURPOSES,
    Credential,
    Held,
    Player,
    Preferences,
    SecretAddress,
    SittingConsent,
    Suspension,
    Vacation,
)
from service.store.redis import keys
from service.store.redis.client import RedisClient, Script
from service.store.redis.conditional import execute_if, set_fields

_CREDENTIAL = typed.decoder(Credential)
_PREFERENCES = typed.decoder(Preferences)
_SECRET_ADDRESS = typed.decoder(SecretAddress)
_SITTING_CONSENT = typed.decoder(SittingConsent)
_SUSPENSION = typed.decoder(Suspension)
_VACATION = typed.decoder(Vacation)

_RECALLED = "*"
"""Not a valid game id."""

ALLOW, ADD_TOKEN = Script("allow"), Script("add_token")


class Accounts:
    def __init__(self, wire: RedisClient) -> None:
        self._wire = wire

    def create(self, player: Player, credential: Credential, token_digest: str) -> None:
        """Create a player with a first token."""
        # The token last: a client that can use it must find the complete account.
        fields = ("name", player.name, "made_at", player.made_at)
        self._wire.all([_index_name(player.id, player.name), ("HSET", keys.player(player.id), *fields)])
        self.add_token(credential, token_digest)

    def player(self, player_id: PlayerId) -> Player | None:
        return self.players([player_id]).get(player_id)

    def players(self, ids: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """The players that exist, in one round trip."""
        replies = self._wire.all([("HMGET", keys.player(id_), "name", "made_at") for id_ in ids])
        return {
            id_: Player(id_, name.decode(), int(made))
            for id_, (name, made) in zip(ids, replies, strict=True)
            if name is not None and made is not None
        }

    def every(self) -> Iterator[Player]:
        """All accounts, in no order. One may occur twice."""
        names = self._wire.scan(keys.EVERY_PLAYER)
        while some := [PlayerId(name.decode()[len("player:{") : -1]) for name in islice(names, 1000)]:
            yield from self.players(some).values()

    def rename(self, player_id: PlayerId, name: str) -> None:
        key, entry = keys.player(player_id), _name_entry(player_id, name)
        while (old := self.player(player_id)) is not None and old.name != name:
            # Entries of the index are added first and removed last, so that an erased account leaves none behind.
            self._wire.one(*_index_name(player_id, name))
            renamed = set_fields(self._wire, key, {"name": old.name.encode()}, {"name": name})
            before = _name_entry(player_id, old.name)
            if before != entry:
                self._wire.one("ZREM", keys.PLAYER_NAMES, before if renamed else entry)

    def named(self, prefix: str, limit: int, after: bytes = b"") -> tuple[Sequence[Player], bytes]:
        """Players whose names begin with a text, by name; case and accents do not matter. Looks at ``limit`` at most.

        Also returns the last entry of the index that was looked at, for ``after``; empty if there are no more.
        """
        begun = fold_name(prefix).encode()
        start, end = b"(" + after if after else b"[" + begun, b"[" + begun + b"\xff"
        found = self._wire.one("ZRANGE", keys.PLAYER_NAMES, start, end, "BYLEX", "LIMIT", 0, limit)
        entries = {PlayerId(entry.decode().partition("\0")[2]): entry.decode() for entry in found}
        players = self.players(list(entries)).values()
        page = [each for each in players if _name_entry(each.id, each.name) == entries[each.id]]
        return page, found[-1] if len(found) == limit else b""

    def index_names(self) -> int:
        """Add every player to the index of names, which older releases did not have. Returns how many were missing."""
        return sum(self._wire.one(*_index_name(each.id, each.name)) for each in self.every())

    def _set(self, player_id: PlayerId, field: str, value: str | bytes) -> bool:
        """Set a field of an account that has not been erased, also not at the same time; whether it was set."""
        key = keys.player(player_id)
        return execute_if(self._wire, {("HEXISTS", key, "made_at"): 1}, [("HSET", key, field, value)])

    def erase(self, player_id: PlayerId) -> None:
        """Delete everything stored for the account alone: name, preferences, tokens, secret addresses, vacations.

        Games keep the player's id. Tokens are revoked as by `revoke`.
        """
        for purpose in PURPOSES:
            for address in self.addresses(player_id, purpose):
                self.drop_address(player_id, purpose, address.id)
        # First the account, then its tokens: tokens created at the same time lead nowhere then.
        while (known := self.player(player_id)) is not None:
            key = keys.player(player_id)
            if execute_if(self._wire, {("HGET", key, "name"): known.name}, [("DEL", key)]):
                self._wire.one("ZREM", keys.PLAYER_NAMES, _name_entry(player_id, known.name))
        own = [
            keys.player(player_id),
            keys.player_vacations(player_id),
            keys.player_subscriptions(player_id),
            keys.player_sitting(player_id),
        ]
        self._wire.all([("DEL", name) for name in own] + [("ZREM", keys.VACATIONERS, player_id)])
        self.revoke_all(player_id)
        self._wire.one("DEL", keys.player_token_uses(player_id))

    def prefer(self, player_id: PlayerId, preferences: Preferences) -> None:
        self._set(player_id, "preferences", msgspec.json.encode(preferences))

    def preferences(self, player_id: PlayerId) -> Preferences | None:
        """The player's preferences; None if they have set none."""
        packed = self._wire.one("HGET", keys.player(player_id), "preferences")
        return None if packed is None else _PREFERENCES.decode(packed)

    def suspend(self, player_id: PlayerId, suspension: Suspension) -> None:
        """Suspend an account. Publishes its tokens as revoked, so that no process trusts them and no stream continues."""
        self._set(player_id, "suspension", msgspec.json.encode(suspension))
        # After, so that a token that is read again is refused.
        self._wire.all([("PUBLISH", keys.REVOKED, each.id) for each in self._stored_tokens(player_id)])

    def restore(self, player_id: PlayerId) -> bool:
        """End a suspension; whether there was one."""
        return bool(self._wire.one("HDEL", keys.player(player_id), "suspension"))

    def suspension(self, player_id: PlayerId) -> Suspension | None:
        """The account's suspension; None if it has none, or if it is over."""
        return self.status(player_id)[1]

    def status(self, player_id: PlayerId) -> tuple[bool, Suspension | None]:
        """Whether the account exists, and its `suspension`."""
        made_at, suspension = self._wire.one("HMGET", keys.player(player_id), "made_at", "suspension")
        return made_at is not None, _suspension_in(suspension)

    def add_token(self, credential: Credential, token_digest: str, most: int = 0, asker: str = "") -> bool:
        """Add a token unless the player has the maximum number (0: no limit); whether it was added.

        Also False if the account has been erased, or if the token that minted it or that of the request (``asker``) has been
        revoked.
        """
        packed = _pack(credential)
        where = self._where(credential.player, keys.player_tokens(credential.player))
        needed = dict.fromkeys(each for each in (credential.minted_by, asker) if each)
        told = [most, credential.id, token_digest.encode() + b"\n" + packed, *needed]
        # The key of the token first: a revocation deletes the tokens listed in the account, and must not be overtaken.
        self._wire.one("SET", keys.token(token_digest), packed)
        if self._wire.call(ADD_TOKEN, where, told):
            return True
        if self._drop_expired(credential.player) and self._wire.call(ADD_TOKEN, where, told):
            return True
        self._wire.one("DEL", keys.token(token_digest))
        return False

    def _where(self, player_id: PlayerId, listed: str) -> list[str]:
        """The keys of `ADD_TOKEN`."""
        return [listed, keys.player(player_id), keys.player_tokens(player_id)]

    def by_token(self, token_digest: str) -> Credential | None:
        """The credential of a token. None if it is unknown, revoked or expired."""
        packed = self._wire.one("GET", keys.token(token_digest))
        found = None if packed is None else _unpack(packed)
        if found is None or found.has_expired:
            return None
        return self._with_account_scope([found])[0]

    def tokens(self, player_id: PlayerId) -> Sequence[Credential]:
        """A player's tokens that have not expired, oldest first."""
        return self._with_account_scope([each for each in self._stored_tokens(player_id) if not each.has_expired])

    def _stored_tokens(self, player_id: PlayerId) -> list[Credential]:
        held = self._wire.one("HVALS", keys.player_tokens(player_id))
        found = [_unpack(value.partition(b"\n")[2]) for value in held]
        return sorted(found, key=lambda credential: (credential.made_at, credential.id))

    def _drop_expired(self, player_id: PlayerId) -> bool:
        expired = [each for each in self._stored_tokens(player_id) if each.has_expired]
        for each in expired:
            self.revoke(player_id, each.id)
        return bool(expired)

    def _with_account_scope(self, found: list[Credential]) -> list[Credential]:
        """Release 0.3.0 had no scope ``account``: of its tokens the one that was created with the account has it."""
        old = [each for each in found if each.minted_by is None]
        if not old:
            return found
        player = self.player(old[0].player)
        return [
            replace(each, scopes=(*each.scopes, "account"))
            if each.minted_by is None and player is not None and each.made_at == player.made_at
            else each
            for each in found
        ]

    def mark_used(self, player_id: PlayerId, credential: str, at: int) -> None:
        self._wire.one("HSET", keys.player_token_uses(player_id), credential, at)

    def last_uses(self, player_id: PlayerId) -> Mapping[str, int]:
        """When each token of a player was last used, by the token's id; unused tokens are left out."""
        flat = self._wire.one("HGETALL", keys.player_token_uses(player_id))
        found = dict(zip(flat[::2], flat[1::2], strict=True)) if isinstance(flat, list) else flat
        return {name.decode(): int(at) for name, at in found.items()}

    def has_token(self, player_id: PlayerId, credential: str) -> bool:
        """Whether the account exists and the token is neither revoked nor expired. The account may be suspended."""
        (name, _), held = self._wire.all(asked_held(player_id, credential))
        return name is not None and held is not None and not _has_expired(held)

    def holds(self, player_id: PlayerId, credential: str) -> bool:
        """Whether the account exists and is not suspended, and the token is neither revoked nor expired.

        Always read from the store.
        """
        return bool(self.held([(player_id, credential)]))

    def held(self, credentials: Collection[Held]) -> set[Held]:
        """The credentials for which `holds` is true, in one round trip."""
        return held_in(credentials, self._wire.all([each for held in credentials for each in asked_held(*held)]))

    def renew(self, credential: Credential, renewed: Credential, token_digest: str) -> bool:
        """Replace the stored credential of a token; False if it was changed or revoked meanwhile."""
        name = keys.player_tokens(credential.player)
        before, after = (token_digest.encode() + b"\n" + _pack(each) for each in (credential, renewed))
        if not set_fields(self._wire, name, {credential.id: before}, {credential.id: after}):
            return False
        return self._wire.one("SET", keys.token(token_digest), _pack(renewed), "XX") is not None

    def revoke(self, player_id: PlayerId, credential: str, keep: str = "") -> Sequence[str]:
        """Revoke a token and all tokens that were minted with it; returns the ids of the revoked ones.

        The token ``keep`` and those minted with it stay if it is another one: it takes the place of the revoked token.
        Publishes the revocations so that no process keeps trusting them.
        """
        family, revoked = {credential}, list[str]()
        if keep != credential:
            self._adopt(player_id, keep, credential)
        # Repeat until none is left: a request may mint another token until its own is gone.
        while True:
            stored = self._stored_tokens(player_id)
            for each in stored:
                if each.minted_by in family:
                    family.add(each.id)
            found = [each.id for each in stored if each.id in family]
            if not found:
                return revoked
            # The youngest first, so that an interrupted request can be sent again.
            revoked += [id_ for id_ in reversed(found) if self._revoke_one(player_id, id_)]

    def revoke_all(self, player_id: PlayerId, keep: str = "") -> Sequence[str]:
        """Revoke every token of an account, as `revoke` does, except ``keep``; returns the ids of the revoked ones."""
        revoked = list[str]()
        # Repeat until none is left: a request may create another token until its own is gone.
        while others := [each.id for each in self._stored_tokens(player_id) if each.id != keep]:
            for each in others:
                revoked += self.revoke(player_id, each, keep=keep)
        return revoked

    def _adopt(self, player_id: PlayerId, kept: str, revoked: str) -> None:
        """Give a token the parent of another one, if that is an ancestor of it."""
        stored = {each.id: each for each in self._stored_tokens(player_id)}
        above = stored.get(kept)
        while above is not None and above.id != revoked:
            above = stored.get(above.minted_by or "")
        packed = self._wire.one("HGET", keys.player_tokens(player_id), kept)
        if above is None or packed is None:
            return
        digest = packed.partition(b"\n")[0]
        adopted = _pack(replace(stored[kept], minted_by=above.minted_by))
        self._wire.one("HSET", keys.player_tokens(player_id), kept, digest + b"\n" + adopted)
        self._wire.one("SET", keys.token(digest.decode()), adopted, "XX")

    def _revoke_one(self, player_id: PlayerId, credential: str) -> bool:
        held = self._wire.one("HGET", keys.player_tokens(player_id), credential)
        if held is None:
            return False
        digest = held.partition(b"\n")[0].decode()
        self._wire.all([("DEL", keys.token(digest)), ("PUBLISH", keys.REVOKED, credential)])
        self._wire.one("HDEL", keys.player_token_uses(player_id), credential)
        return bool(self._wire.one("HDEL", keys.player_tokens(player_id), credential))

    def add_ticket(self, credential: Credential, token_digest: str, seconds: int) -> None:
        """Store a ticket to read one game; it expires unless used within ``seconds``."""
        self._wire.one("SET", keys.ticket(token_digest), b"%d %b" % (seconds, _pack(credential)), "EX", seconds)

    def use_ticket(self, token_digest: str, seconds: int) -> Credential | None:
        """The ticket's credential, or None; after each use it is valid for ``seconds``."""
        name = keys.ticket(token_digest)
        left, packed = self._wire.all([("PTTL", name), ("GET", name)])
        made_for, found, credential = (packed or b"").partition(b" ")
        # If more time is left than it was made for, the clock was set back: treat it as expired.
        if not found or left > int(made_for) * 1000:
            return None
        self._wire.one("SET", name, b"%d %b" % (seconds, credential), "EX", seconds, "XX")
        return _unpack(credential)

    def add_address(self, address: SecretAddress, digest: str, most: int = 0) -> bool:
        """Add a secret address unless the player has the maximum number for its purpose (0: no limit).

        Whether it was added.
        """
        packed = msgspec.json.encode(address)
        where = self._where(address.player, keys.player_addresses(address.player, address.purpose))
        # First, as in `add_token`.
        self._wire.one("SET", keys.secret_address(digest), packed)
        if self._wire.call(ADD_TOKEN, where, [most, address.id, digest.encode() + b"\n" + packed]):
            return True
        self._wire.one("DEL", keys.secret_address(digest))
        return False

    def lend_address(self, address: SecretAddress, digest: str, seconds: int) -> None:
        """Store a secret address that is in no list and expires after so many seconds."""
        self._wire.one("SET", keys.secret_address(digest), msgspec.json.encode(address), "EX", seconds)

    def by_address(self, digest: str) -> SecretAddress | None:
        """The secret address with this digest; None if it is unknown, revoked or expired."""
        packed = self._wire.one("GET", keys.secret_address(digest))
        return None if packed is None else _SECRET_ADDRESS.decode(packed)

    def addresses(self, player_id: PlayerId, purpose: str) -> Sequence[SecretAddress]:
        """A player's secret addresses of one purpose, oldest first."""
        held = self._wire.one("HVALS", keys.player_addresses(player_id, purpose))
        found = [_SECRET_ADDRESS.decode(value.partition(b"\n")[2]) for value in held]
        return sorted(found, key=lambda each: (each.made_at, each.id))

    def drop_address(self, player_id: PlayerId, purpose: str, address: str) -> bool:
        """Revoke a secret address by its id; whether it existed."""
        held = self._wire.one("HGET", keys.player_addresses(player_id, purpose), address)
        if held is None:
            return False
        # First disable the address: once it is reported as gone, it must not work.
        self._wire.one("DEL", keys.secret_address(held.partition(b"\n")[0].decode()))
        return bool(self._wire.one("HDEL", keys.player_addresses(player_id, purpose), address))

    def add_vacation(self, vacation: Vacation) -> None:
        """Store a vacation that no game knows of yet."""
        # The index first, so that no game misses the vacation.
        self._wire.one("ZADD", keys.VACATIONERS, "GT", vacation.ends, vacation.player)
        self._wire.one("HSET", keys.player_vacations(vacation.player), vacation.id, msgspec.json.encode(vacation))

    def vacations(self, player_id: PlayerId) -> Sequence[Vacation]:
        """A player's vacations, the earliest first."""
        flat = self._wire.one("HGETALL", keys.player_vacations(player_id))
        held = dict(zip(flat[::2], flat[1::2], strict=True)) if isinstance(flat, list) else flat
        found, notes = {}, []
        for name, value in held.items():
            id_, _, note = name.decode().partition(" ")
            if note:
                notes.append((id_, note, value.decode()))
            else:
                found[id_] = _VACATION.decode(value)
        for id_, note, value in notes:
            if id_ in found and note == _RECALLED:
                found[id_] = replace(found[id_], is_recalled=True)
            elif id_ in found:
                found[id_] = replace(found[id_], told={**found[id_].told, GameId(note): value})
        return sorted(found.values(), key=lambda each: (each.begins, each.id))

    def recall_vacation(self, player_id: PlayerId, vacation: str) -> None:
        """Mark a vacation as recalled; games still have to be informed."""
        self._wire.one("HSET", keys.player_vacations(player_id), f"{vacation} {_RECALLED}", "1")

    def told_vacation(self, player_id: PlayerId, vacation: str, game_id: GameId, what: str) -> None:
        """Store the status of the vacation that a game was last informed of."""
        self._wire.one("HSET", keys.player_vacations(player_id), f"{vacation} {game_id}", what)

    def drop_vacation(self, player_id: PlayerId, vacation: str) -> None:
        """Delete a vacation that is over, with its notes."""
        name = keys.player_vacations(player_id)
        fields = self._wire.one("HKEYS", name)
        gone = [each for each in fields if each.decode().partition(" ")[0] == vacation]
        if gone:
            self._wire.one("HDEL", name, *gone)

    def ask_to_sit(self, player_id: PlayerId, holder: PlayerId, at: int) -> None:
        """Ask a player to sit in for the holder, unless they have been asked or have agreed.

        If more than `MOST_ASKED` requests are unanswered, the oldest is deleted.
        """
        pending = [each for each in self.sitting_consents(player_id) if each.agreed_at is None]
        excess = [each.holder for each in pending[: len(pending) - MOST_ASKED + 1] if each.holder != holder]
        if len(pending) >= MOST_ASKED and excess:
            self._wire.one("HDEL", keys.player_sitting(player_id), *excess)
        packed = msgspec.json.encode(SittingConsent(holder, at))
        self._wire.one("HSETNX", keys.player_sitting(player_id), holder, packed)

    def agree_to_sit(self, player_id: PlayerId, holder: PlayerId, at: int) -> None:
        known = {each.holder: each for each in self.sitting_consents(player_id)}
        agreed = replace(known.get(holder, SittingConsent(holder, at)), agreed_at=at)
        self._wire.one("HSET", keys.player_sitting(player_id), holder, msgspec.json.encode(agreed))

    def refuse_to_sit(self, player_id: PlayerId, holder: PlayerId) -> bool:
        """Delete a request or an agreement; whether there was one."""
        return bool(self._wire.one("HDEL", keys.player_sitting(player_id), holder))

    def sitting_consents(self, player_id: PlayerId) -> Sequence[SittingConsent]:
        """The holders that a player was asked to sit in for or agreed to sit in for, oldest first."""
        held = self._wire.one("HVALS", keys.player_sitting(player_id))
        found = [_SITTING_CONSENT.decode(each) for each in held]
        return sorted(found, key=lambda each: (each.asked_at, each.holder))

    def agrees_to_sit(self, player_id: PlayerId, holder: PlayerId) -> bool:
        packed = self._wire.one("HGET", keys.player_sitting(player_id), holder)
        return packed is not None and _SITTING_CONSENT.decode(packed).agreed_at is not None

    def vacationers(self, since: int) -> Sequence[PlayerId]:
        """The players with vacations that end after an instant, and possibly others; deletes index entries before it."""
        self._wire.one("ZREMRANGEBYSCORE", keys.VACATIONERS, "-inf", since)
        return sorted(PlayerId(each.decode()) for each in self._wire.one("ZRANGE", keys.VACATIONERS, 0, -1))

    def claim_answer(self, name: str, seconds: int) -> bytes | None:
        """Claim a name for some seconds, atomically.

        None if it was free, otherwise the stored bytes: empty while claimed.
        """
        found: bytes | None = self._wire.one("SET", keys.answer(name), b"", "NX", "GET", "EX", seconds)
        return found

    def keep_answer(self, name: str, kept: bytes, seconds: int) -> None:
        """Store bytes under a claimed name for some seconds."""
        self._wire.one("SET", keys.answer(name), kept, "EX", seconds)

    def drop_answer(self, name: str) -> None:
        self._wire.one("DEL", keys.answer(name))

    def put_one_time(self, name: str, value: bytes, seconds: int) -> None:
        """Store bytes that are used once, for some seconds."""
        self._wire.one("SET", keys.one_time(name), value, "EX", seconds)

    def one_time(self, name: str) -> bytes | None:
        """The stored bytes, which stay stored; None if they are unknown, used or expired."""
        found: bytes | None = self._wire.one("GET", keys.one_time(name))
        return found

    def replace_one_time(self, name: str, value: bytes) -> None:
        """Replace stored bytes until the same instant. Does nothing if they are used or expired."""
        self._wire.one("SET", keys.one_time(name), value, "XX", "KEEPTTL")

    def take_one_time(self, name: str) -> bytes | None:
        """Use stored bytes: of several callers at once only one gets them, the others None."""
        found: bytes | None = self._wire.one("GETDEL", keys.one_time(name))
        return found

    def games_of(self, player_id: PlayerId) -> Sequence[GameId]:
        """The games they have a seat in or have created, newest first."""
        return [game.decode() for game in self._wire.one("ZRANGE", keys.player_games(player_id), 0, -1, "REV")]

    def allow(self, bucket: str, capacity: int, per_second: float, cost: int = 1) -> tuple[bool, int, int]:
        """Take from a token bucket: whether the call is allowed, the tokens left, and seconds until the next one."""
        each = math.ceil(1_000_000 / per_second)
        allowed, left, wait = self._wire.call(ALLOW, [keys.bucket(bucket)], [capacity, each, cost])
        return bool(allowed), left, wait


def fold_name(name: str) -> str:
    """A name in lowercase without accents."""
    return "".join(each for each in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(each))


def _name_entry(player_id: PlayerId, name: str) -> str:
    return f"{fold_name(name)}\0{player_id}"


def _index_name(player_id: PlayerId, name: str) -> tuple[str, ...]:
    return ("ZADD", keys.PLAYER_NAMES, "0", _name_entry(player_id, name))


def asked_held(player_id: PlayerId, credential: str) -> list[tuple[str, ...]]:
    """The commands whose replies show whether account and credential exist, and whether the account is suspended."""
    return [
        ("HMGET", keys.player(player_id), "name", "suspension"),
        ("HGET", keys.player_tokens(player_id), credential),
    ]


def held_in(credentials: Iterable[Held], replies: Sequence[Any]) -> set[Held]:
    """The credentials that exist, have not expired and are not of a suspended account, from the replies to `asked_held`.

    An empty id stands for the account alone.
    """
    each = zip(credentials, replies[::2], replies[1::2], strict=True)
    return {
        credential
        for credential, (name, suspension), held in each
        if name is not None
        and (not credential[1] or (held is not None and not _has_expired(held)))
        and _suspension_in(suspension) is None
    }


def _has_expired(held: bytes) -> bool:
    return _unpack(held.partition(b"\n")[2]).has_expired


def _suspension_in(packed: bytes | None) -> Suspension | None:
    found = None if packed is None else _SUSPENSION.decode(packed)
    return None if found is None or found.is_over else found


def _pack(credential: Credential) -> bytes:
    return msgspec.json.encode(credential)


def _unpack(packed: bytes) -> Credential:
    return _CREDENTIAL.decode(packed)
