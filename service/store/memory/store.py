"""The store in dicts, for tests and tools in one process: the same promises as Redis', under one lock."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from zlib import crc32

from domain.terms import GameId, PlayerId, Seq
from service.store.memory.ledger import MemoryLedger
from service.store.memory.lobbies import MemoryLobbies
from service.store.memory.log import MemoryLog
from service.store.memory.notes import MemoryNotes
from service.store.memory.outbox import MemoryOutbox, MemorySubscriptions
from service.store.memory.places import MemoryPlaces
from service.store.memory.plans import MemoryPlans
from service.store.memory.shelf import HERE, Shelf
from service.store.ports.accounts import (
    MOST_ASKED,
    Credential,
    Held,
    Player,
    Preferences,
    SecretAddress,
    SittingConsent,
    Vacation,
)
from service.store.ports.lobbies import Lobby
from service.store.ports.store import Followed, Server
from service.store.shared.news_board import Expected, NewsBoard, Waiter

_SECOND = 1_000_000
"""Microseconds."""


class MemoryNews:
    """See `service.store.ports.news.News`."""

    def __init__(self, board: NewsBoard) -> None:
        self._board = board

    def subscribe(self, game_id: GameId) -> Waiter:
        return self._board.subscribe(game_id)

    def expect(self, game_id: GameId, ids: Sequence[str]) -> Expected:
        return self._board.expect(game_id, [(game_id, id_) for id_ in ids], HERE)

    def on_revoked(self, forget: Callable[[str], None]) -> None:
        self._board.on_revoked(forget)


class MemoryAccounts:
    """See `service.store.ports.accounts.Accounts`."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._guard = threading.RLock()
        self._players: dict[PlayerId, Player] = {}
        self._preferences: dict[PlayerId, Preferences] = {}
        self._tokens: dict[str, Credential] = {}
        self._uses: dict[str, int] = {}
        self._sitting: dict[tuple[PlayerId, PlayerId], SittingConsent] = {}
        self._tickets: dict[str, tuple[float, Credential]] = {}
        self._addresses: dict[str, SecretAddress] = {}
        self._vacations: dict[tuple[PlayerId, str], Vacation] = {}
        self._lent: dict[str, tuple[float, SecretAddress]] = {}
        self._buckets: dict[str, int] = {}
        self._answers: dict[str, tuple[float, bytes]] = {}

    def create(self, player: Player, credential: Credential, token_digest: str) -> None:
        with self._guard:
            self._players[player.id] = player
            self._tokens[token_digest] = credential

    def player(self, player_id: PlayerId) -> Player | None:
        return self._players.get(player_id)

    def players(self, ids: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        return {id_: self._players[id_] for id_ in ids if id_ in self._players}

    def rename(self, player_id: PlayerId, name: str) -> None:
        with self._guard:
            if player_id in self._players:
                self._players[player_id] = Player(player_id, name, self._players[player_id].made_at)

    def erase(self, player_id: PlayerId) -> None:
        for each in self.tokens(player_id):
            self.revoke(player_id, each.id)
        with self._guard:
            self._players.pop(player_id, None)
            self._preferences.pop(player_id, None)
            self._sitting = {of: each for of, each in self._sitting.items() if of[0] != player_id}
            self._addresses = {d: each for d, each in self._addresses.items() if each.player != player_id}
            self._vacations = {of: each for of, each in self._vacations.items() if of[0] != player_id}

    def prefer(self, player_id: PlayerId, preferences: Preferences) -> None:
        with self._guard:
            if player_id in self._players:
                self._preferences[player_id] = preferences

    def preferences(self, player_id: PlayerId) -> Preferences | None:
        return self._preferences.get(player_id)

    def add_token(self, credential: Credential, token_digest: str, most: int = 0) -> bool:
        with self._guard:
            held = self.tokens(credential.player)
            if (most and len(held) >= most) or (
                credential.minted_by and all(each.id != credential.minted_by for each in held)
            ):
                return False
            self._tokens[token_digest] = credential
        return True

    def by_token(self, token_digest: str) -> Credential | None:
        found = self._tokens.get(token_digest)
        return None if found is None or found.has_expired else self._with_account_scope(found)

    def tokens(self, player_id: PlayerId) -> Sequence[Credential]:
        with self._guard:
            held = [each for each in self._tokens.values() if each.player == player_id and not each.has_expired]
        return sorted(map(self._with_account_scope, held), key=lambda credential: (credential.made_at, credential.id))

    def _with_account_scope(self, found: Credential) -> Credential:
        player = self._players.get(found.player)
        if found.minted_by is not None or player is None or found.made_at != player.made_at:
            return found
        return replace(found, scopes=(*found.scopes, "account"))

    def mark_used(self, player_id: PlayerId, credential: str, at: int) -> None:
        self._uses[player_id + credential] = at

    def last_uses(self, player_id: PlayerId) -> Mapping[str, int]:
        found = {each.id: self._uses.get(player_id + each.id) for each in self.tokens(player_id)}
        return {id_: at for id_, at in found.items() if at is not None}

    def holds(self, player_id: PlayerId, credential: str) -> bool:
        return player_id in self._players and any(held.id == credential for held in self.tokens(player_id))

    def held(self, credentials: Collection[Held]) -> set[Held]:
        return {each for each in credentials if self.holds(*each)}

    def revoke(self, player_id: PlayerId, credential: str, keep: str = "") -> Sequence[str]:
        revoked, family = [], {credential}
        with self._guard:
            if keep != credential:
                self._adopt(player_id, keep, credential)
            for digest, each in list(self._tokens.items()):
                if each.player == player_id and (each.id in family or each.minted_by in family):
                    family.add(each.id)
                    revoked.append(self._tokens.pop(digest).id)
        for id_ in revoked:
            self._shelf.board.revoked(id_)
        return revoked

    def _adopt(self, player_id: PlayerId, kept: str, revoked: str) -> None:
        stored = {each.id: (digest, each) for digest, each in self._tokens.items() if each.player == player_id}
        above = stored.get(kept)
        while above is not None and above[1].id != revoked:
            above = stored.get(above[1].minted_by or "")
        if above is not None:
            digest, each = stored[kept]
            self._tokens[digest] = replace(each, minted_by=above[1].minted_by)

    def add_ticket(self, credential: Credential, token_digest: str, seconds: int) -> None:
        with self._guard:
            self._tickets[token_digest] = (time.monotonic() + seconds, credential)

    def take_ticket(self, token_digest: str) -> Credential | None:
        with self._guard:
            until, credential = self._tickets.pop(token_digest, (0.0, None))
        return credential if time.monotonic() < until else None

    def add_address(self, address: SecretAddress, digest: str, most: int = 0) -> bool:
        with self._guard:
            if most and len(self.addresses(address.player, address.purpose)) >= most:
                return False
            self._addresses[digest] = address
        return True

    def lend_address(self, address: SecretAddress, digest: str, seconds: int) -> None:
        with self._guard:
            self._lent[digest] = (time.monotonic() + seconds, address)

    def by_address(self, digest: str) -> SecretAddress | None:
        until, lent = self._lent.get(digest, (0.0, None))
        return lent if time.monotonic() < until else self._addresses.get(digest)

    def addresses(self, player_id: PlayerId, purpose: str) -> Sequence[SecretAddress]:
        with self._guard:
            held = [each for each in self._addresses.values() if (each.player, each.purpose) == (player_id, purpose)]
        return sorted(held, key=lambda each: (each.made_at, each.id))

    def drop_address(self, player_id: PlayerId, purpose: str, address: str) -> bool:
        wanted = (player_id, purpose, address)
        with self._guard:
            digests = [d for d, each in self._addresses.items() if (each.player, each.purpose, each.id) == wanted]
            for digest in digests:
                del self._addresses[digest]
        return bool(digests)

    def add_vacation(self, vacation: Vacation) -> None:
        with self._guard:
            self._vacations[vacation.player, vacation.id] = vacation

    def vacations(self, player_id: PlayerId) -> Sequence[Vacation]:
        with self._guard:
            held = [each for each in self._vacations.values() if each.player == player_id]
        return sorted(held, key=lambda each: (each.begins, each.id))

    def recall_vacation(self, player_id: PlayerId, vacation: str) -> None:
        with self._guard:
            if (found := self._vacations.get((player_id, vacation))) is not None:
                self._vacations[player_id, vacation] = replace(found, is_recalled=True)

    def told_vacation(self, player_id: PlayerId, vacation: str, game_id: GameId, what: str) -> None:
        with self._guard:
            if (found := self._vacations.get((player_id, vacation))) is not None:
                self._vacations[player_id, vacation] = replace(found, told={**found.told, game_id: what})

    def drop_vacation(self, player_id: PlayerId, vacation: str) -> None:
        with self._guard:
            self._vacations.pop((player_id, vacation), None)

    def ask_to_sit(self, player_id: PlayerId, holder: PlayerId, at: int) -> None:
        with self._guard:
            pending = [each for each in self.sitting_consents(player_id) if each.agreed_at is None]
            if len(pending) >= MOST_ASKED and (player_id, holder) not in self._sitting:
                del self._sitting[player_id, pending[0].holder]
            self._sitting.setdefault((player_id, holder), SittingConsent(holder, at))

    def agree_to_sit(self, player_id: PlayerId, holder: PlayerId, at: int) -> None:
        self._sitting[player_id, holder] = SittingConsent(holder, at, at)

    def refuse_to_sit(self, player_id: PlayerId, holder: PlayerId) -> bool:
        return self._sitting.pop((player_id, holder), None) is not None

    def sitting_consents(self, player_id: PlayerId) -> Sequence[SittingConsent]:
        found = [each for (player, _), each in self._sitting.items() if player == player_id]
        return sorted(found, key=lambda each: (each.asked_at, each.holder))

    def agrees_to_sit(self, player_id: PlayerId, holder: PlayerId) -> bool:
        found = self._sitting.get((player_id, holder))
        return found is not None and found.agreed_at is not None

    def vacationers(self, since: int) -> Sequence[PlayerId]:
        with self._guard:
            return sorted({each.player for each in self._vacations.values() if each.ends > since})

    def claim_answer(self, name: str, seconds: int) -> bytes | None:
        with self._guard:
            until, kept = self._answers.get(name, (0.0, b""))
            if until > time.monotonic():
                return kept
            self._answers[name] = (time.monotonic() + seconds, b"")
        return None

    def keep_answer(self, name: str, kept: bytes, seconds: int) -> None:
        with self._guard:
            self._answers[name] = (time.monotonic() + seconds, kept)

    def drop_answer(self, name: str) -> None:
        with self._guard:
            self._answers.pop(name, None)

    def games_of(self, player_id: PlayerId) -> Sequence[GameId]:
        with self._shelf.guard:
            own = [game.lobby for game in self._shelf.games.values() if game.lobby.belongs_to(player_id)]
        return [lobby.id for lobby in sorted(own, key=lambda lobby: (lobby.made_at, lobby.id), reverse=True)]

    def allow(self, bucket: str, capacity: int, per_second: float, cost: int = 1) -> tuple[bool, int, int]:
        now, each = time.monotonic_ns() // 1000, math.ceil(_SECOND / per_second)
        with self._guard:
            full = max(self._buckets.get(bucket, 0), now)
            after = full + cost * each
            if after - now > capacity * each:
                left = (capacity * each - (full - now)) // each
                return False, max(0, left), -(-(after - now - capacity * each) // _SECOND)
            self._buckets[bucket] = after
        left = (capacity * each - (after - now)) // each
        return True, left, 0 if left else -(-(after - now - (capacity - 1) * each) // _SECOND)


class MemoryStore:
    """Everything that is kept, in memory."""

    replicas = 0

    def __init__(self, partitions: int = 64) -> None:
        self.partitions = partitions
        shelf = Shelf(NewsBoard(), lambda game_id: crc32(game_id.encode()) % partitions)
        self.accounts = MemoryAccounts(shelf)
        self.lobbies = MemoryLobbies(shelf)
        self.log = MemoryLog(shelf)
        self.subscriptions = MemorySubscriptions(shelf)
        self.outbox = MemoryOutbox(shelf, self.subscriptions)
        self.places = MemoryPlaces()
        self.plans = MemoryPlans(shelf)
        self.notes = MemoryNotes()
        self.news = MemoryNews(shelf.board)
        self.ledger = MemoryLedger(shelf)

    def standing(self, game_id: GameId, credential: Credential | None) -> tuple[bool, Lobby | None]:
        alive = credential is None or self.accounts.holds(credential.player, credential.id)
        return alive, self.lobbies.get(game_id)

    def standings(self, game_id: GameId, credentials: Collection[Held]) -> tuple[set[Held], Lobby | None]:
        return self.accounts.held(credentials), self.lobbies.get(game_id)

    def followed(self, game_id: GameId, credentials: Collection[Held]) -> Followed:
        rows = self.log.asked([game_id]).get(game_id)
        stands = (Seq(0), "", "lobby") if rows is None else (rows.seq, rows.head, rows.status)
        return Followed(*stands, *self.standings(game_id, credentials))

    def ready(self) -> bool:
        return True

    def warnings(self) -> Sequence[str]:
        return ()

    def servers(self) -> Sequence[Server]:
        return ()

    def shelved(self) -> tuple[int, int]:
        return 0, 0

    @property
    def is_cluster(self) -> bool:
        return False

    def noting(self) -> AbstractContextManager[None]:
        return nullcontext()

    def hold(self) -> None:
        """There are no replicas, and none is waited for."""

    def close(self) -> None:
        """Nothing is held open."""
