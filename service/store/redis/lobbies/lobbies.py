"""Lobbies in Redis: one hash per game; and the lists of games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from domain.kernel.terms import GameId, PlayerId, Seat
from service.store.chain import reading
from service.store.codec import canonical, plain
from service.store.founding import origin, setup_line
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import (
    Chair,
    Lobby,
    Reliability,
    Seating,
    TurnsPlayed,
    begin_document,
    find_offers,
    is_bot,
    reliability_of,
    valid_game,
)
from service.store.ports.news import seats_changed
from service.store.redis import keys
from service.store.redis.archive import Archive
from service.store.redis.client import RedisClient
from service.store.redis.conditional import Command, execute_if, set_fields
from service.store.redis.keys import Keys
from service.store.redis.lobbies.listing import merged
from service.store.redis.lobbies.record import (
    ARCHIVED,
    FIELDS,
    chair_lines,
    decoded_lobby,
    lobby_in,
    read_chairs,
    read_reserved,
    record_of,
    reserved_lines,
    seating_lines,
    sound_lobby,
    title_line,
)
from service.store.shared.cursor import page_cursor, parse_cursor

PLAYED = 199
"""A player's reliability is computed from the newest 200 games: this index and below."""


class Lobbies:
    def __init__(self, wire: RedisClient, names: Keys, shelf: Archive) -> None:
        self._wire, self._keys, self._archive = wire, names, shelf

    def create(self, lobby: Lobby, seed: bytes) -> None:
        """Create a game; its 32-byte seed stays in the store until the end of the game publishes it."""
        if not valid_game(lobby.id):
            raise ValueError(f"not a game's id: {lobby.id!r}")
        key = self._keys.game(lobby.id).meta
        people = {lobby.creator, *(PlayerId(chair.holder) for chair in lobby.chairs if chair.holder)}
        fields = [part for pair in record_of(lobby, seed).items() for part in pair]
        # As in `join`: a game that is in a player's set and does not exist is left out on reading.
        for player_id in people:
            self._remember(player_id, lobby.id, lobby.made_at)
        writes: list[Command] = [("HSET", key, *fields)]
        if lobby.status == "lobby":
            writes.append(("ZADD", self._keys.partition(lobby.id).lobbies, self._wire.now(), lobby.id))
        writes += [("ZADD", name, lobby.made_at, lobby.id) for name in self.lists_of(lobby)]
        if execute_if(self._wire, {("EXISTS", key): 0}, writes):
            self._wire.one("HINCRBY", keys.STORE, "games", 1)
        for player_id in people:
            self._remember(player_id, lobby.id, lobby.made_at)

    def get(self, game_id: GameId) -> Lobby | None:
        return lobby_in(game_id, self.there(game_id, self._wire.many([self.asked(game_id)])[0]))

    def there(self, game_id: GameId, reply: Any) -> Any:
        """The reply to the command of `asked`, also for an archived game. Raises `ArchiveDown`."""
        if isinstance(reply, list):
            if reply[0] is None and not any(reply) and self._archive.fetch(game_id):
                return self._wire.many([self.asked(game_id)])[0]
            if reply[ARCHIVED] is not None:
                self._archive.seen(game_id, reply[ARCHIVED])
        return reply

    def asked(self, game_id: GameId) -> tuple[str, ...]:
        """The command whose reply `lobby_in` decodes."""
        return ("HMGET", self._keys.game(game_id).meta, *FIELDS)

    def seed(self, game_id: GameId) -> bytes:
        with reading(game_id):
            seed: bytes | None = self._wire.one("HGET", self._keys.game(game_id).meta, "seed")
            if seed is None and self._archive.back(game_id):
                return self.seed(game_id)
        if seed is None:
            raise LobbyRefusal("unknown-game")
        return seed

    def join(
        self,
        game_id: GameId,
        player_id: PlayerId,
        entropy: str,
        invitation_digest: str | None,
        seat: Seat | None = None,
        request: str = "",
    ) -> Seat:
        """Take a free seat (that one, the one that is reserved for the player, or the first that is not reserved).

        An open (public) game and a reserved seat need no invitation; others need the right one. One seat per player,
        except in a sandbox. Raises `LobbyRefusal`.
        A repeated ``request`` gets the seat that it got before.
        """
        lobby = self.get(game_id)
        if lobby is None:
            raise LobbyRefusal("unknown-game")
        # Before, so that a crash loses nothing; after, because a repair between the two would remove it.
        self._remember(player_id, game_id, lobby.made_at)
        try:
            proof = invitation_digest or ""
            taken = self._change(game_id, "join", player_id, seat, player_id, entropy, proof, request)[0]
        except LobbyRefusal:
            self._forget(player_id, game_id)
            raise
        self._remember(player_id, game_id, lobby.made_at)
        return taken

    def seat_bot(
        self, game_id: GameId, creator: PlayerId, bot: str, seat: Seat | None = None, request: str = ""
    ) -> Seat:
        holder = bot if bot.startswith("bot:") else f"bot:{bot}"
        return self._change(game_id, "bot", creator, seat, holder, request=request)[0]

    def add_entropy(self, game_id: GameId, player_id: PlayerId, seat: Seat, entropy: str) -> None:
        self._change(game_id, "entropy", player_id, seat, "", entropy)

    def leave(self, game_id: GameId, player_id: PlayerId, seat: Seat) -> None:
        """Free a seat: its holder may free their own, the creator any, also a reserved one. Raises `LobbyRefusal`."""
        _, holder = self._change(game_id, "leave", player_id, seat)
        if holder:
            self._forget(PlayerId(holder), game_id)

    def decline(self, game_id: GameId, player_id: PlayerId) -> None:
        """Decline the seat that is reserved for the player. Raises `LobbyRefusal`."""
        self._change(game_id, "decline", player_id, None)

    def new_invitation(self, game_id: GameId, creator: PlayerId, invitation_digest: str) -> None:
        self._change(game_id, "invite", creator, None, "", "", invitation_digest)

    def set_title(
        self, game_id: GameId, creator: PlayerId, title: str | None = None, tags: Sequence[str] | None = None
    ) -> None:
        """Change the title (empty: to the default one) and the tags of a game that has not started; None keeps them.

        Raises `LobbyRefusal`.
        """
        names, partition = self._keys.game(game_id), self._keys.partition(game_id)
        while True:
            reply = self._wire.one("HMGET", names.meta, *FIELDS)
            lobby = lobby_in(game_id, reply)
            if lobby is None:
                raise LobbyRefusal("unknown-game")
            if lobby.creator != creator:
                raise LobbyRefusal("not-creator")
            if lobby.status != "lobby":
                raise LobbyRefusal("started")
            after = replace(
                lobby, title=lobby.title if title is None else title, tags=lobby.tags if tags is None else tuple(tags)
            )
            line = title_line(after)
            writes: list[Command] = [("HSET", names.meta, "title", line) if line else ("HDEL", names.meta, "title")]
            writes += [("ZREM", name, game_id) for name in self._tag_lists(lobby)]
            writes += [("ZADD", name, lobby.made_at, game_id) for name in self._tag_lists(after)]
            writes.append(("ZADD", partition.lobbies, self._wire.now(), game_id))
            before = {("HMGET", names.meta, "status", "title"): [lobby.status, reply[FIELDS.index("title")]]}
            if execute_if(self._wire, before, writes):
                return

    def start(self, game_id: GameId, creator: PlayerId, submission_id: str) -> Lobby:
        """Freeze the lobby and submit ``begin`` in the same call.

        Every seat must be taken. Starting again gives the same result.
        """
        while True:
            lobby, revision = self._at_revision(game_id)
            if lobby.creator != creator:
                raise LobbyRefusal("not-creator")
            is_lobby = lobby.status == "lobby"
            if is_lobby and not all(chair.holder for chair in lobby.chairs):
                raise LobbyRefusal("seats-open")
            # If it has started, the call writes nothing, but waits for replicas as the first one did.
            writes = self._start(lobby, submission_id) if is_lobby else ()
            reads = {("HMGET", self._keys.game(game_id).meta, "status", "revision"): [lobby.status, revision]}
            if execute_if(self._wire, reads, writes):
                started = self.get(game_id)
                assert started is not None
                return started

    def _start(self, lobby: Lobby, submission_id: str) -> list[Command]:
        names, partition = self._keys.game(lobby.id), self._keys.partition(lobby.id)
        command, now = begin_document(lobby), self._wire.now()
        document = {"id": submission_id, "seat": 0, "command": command, "expected": None, "credential": None}
        setup = setup_line(command, now)
        # The head is set before the first commit, so that a release without form 2 cannot begin the chain with zeros.
        fields = ("status", "running", "started", now, "invitation", "", "setup", setup, "head", origin(setup))
        writes: list[Command] = [
            ("HSET", names.meta, *fields),
            ("XADD", names.commands, "*", "d", canonical(plain(document)), "t", now),
            ("HSET", names.ids, keys.id_field(lobby.id, submission_id), "p"),
            ("ZADD", partition.ready, "NX", now, lobby.id),
            ("ZREM", partition.lobbies, lobby.id),
        ]
        if lobby.visibility == "public":
            writes += [("ZREM", name, lobby.id) for name in self._keys.listings(lobby.id, lobby.kind, "lobby")]
            lists = self._keys.listings(lobby.id, lobby.kind, "running")
            writes += [("ZADD", name, lobby.made_at, lobby.id) for name in lists]
        return writes

    def delete(self, game_id: GameId, creator: PlayerId | None = None, since: int | None = None) -> None:
        """Delete a game that has not started, with all its data, from all lists.

        Called for its ``creator``, or for the upkeep if nothing has happened there after ``since``. Publishes a message
        to the game's subscribers. Raises `LobbyRefusal` (``changed`` if something has happened).
        """
        lobby = self.get(game_id)
        if lobby is None:
            raise LobbyRefusal("unknown-game")
        names, lobbies = self._keys.game(game_id), self._keys.partition(game_id).lobbies
        own = [names.meta, names.commands, names.commits, names.ids, names.snapshots, names.told]
        writes: list[Command] = [("DEL", name) for name in own]
        writes += [("ZREM", name, game_id) for name in (lobbies, *self.lists_of(lobby))]
        writes.append(("PUBLISH", keys.NEWS, f"{game_id} 0"))
        while True:
            (status, owner), touched = self._wire.all(
                [("HMGET", names.meta, "status", "creator"), ("ZSCORE", lobbies, game_id)]
            )
            if creator is not None and status is not None and owner != creator.encode():
                raise LobbyRefusal("not-creator")
            if status != b"lobby":
                self._wire.one("ZREM", lobbies, game_id)
                raise LobbyRefusal("unknown-game" if status is None else "started")
            if since is not None and (touched is None or float(touched) > since):
                raise LobbyRefusal("changed")
            reads = {("HGET", names.meta, "status"): status, ("ZSCORE", lobbies, game_id): touched}
            if execute_if(self._wire, reads, writes):
                break
        # Afterwards: a game that is in a player's set and does not exist is left out on reading.
        people = {lobby.creator, *(PlayerId(chair.holder) for chair in lobby.chairs if chair.holder)}
        self._wire.all([("ZREM", keys.player_games(player_id), game_id) for player_id in sorted(people)])

    def expire_sandbox(self, game_id: GameId) -> bool:
        """Delete a finished sandbox, unless it is in the archive or an operator must check it; whether it was deleted."""
        return self._delete_sandbox(game_id, b"over", {})

    def delete_running_sandbox(self, game_id: GameId) -> bool:
        """Delete a running sandbox without deadlines, unless a command waits or an operator must check it; whether it was deleted."""
        shared, names = self._keys.partition(game_id), self._keys.game(game_id)
        idle: dict[Command, Any] = {
            ("XLEN", names.commands): 0,
            ("HGET", names.meta, "due"): None,
            **{("ZSCORE", name, game_id): None for name in (shared.ready, shared.leases)},
        }
        return self._delete_sandbox(game_id, b"running", idle)

    def _delete_sandbox(self, game_id: GameId, status: bytes, idle: Mapping[Command, Any]) -> bool:
        lobby = self.get(game_id)
        if lobby is None or lobby.sandbox is None:
            return False
        shared, meta = self._keys.partition(game_id), self._keys.game(game_id).meta
        reads: dict[Command, Any] = {
            **idle,
            ("HMGET", meta, "status", "sandboxed", "archived"): [status, b"1", None],
            **{("HEXISTS", name, game_id): 0 for name in (shared.archive, shared.leaving, shared.marks)},
            ("SISMEMBER", shared.stalled, game_id): 0,
        }
        writes: list[Command] = [("DEL", name) for name in self._keys.whole(game_id)]
        writes += [("ZREM", name, game_id) for name in self.lists_of(lobby)]
        if not execute_if(self._wire, reads, [*writes, ("PUBLISH", keys.NEWS, f"{game_id} 0")]):
            return False
        # Afterwards: a game that is in a player's set and does not exist is left out on reading.
        people = {lobby.creator, *(PlayerId(chair.holder) for chair in lobby.chairs if chair.holder)}
        people |= {each.player for each in lobby.seating.sitters} | {each.player for each in lobby.seating.was}
        self._wire.all([("ZREM", keys.player_games(player_id), game_id) for player_id in sorted(people)])
        return True

    def offered(self, game_id: GameId, player_id: PlayerId) -> None:
        """Add the game to the player's lists before they take a seat in it; it is shown only once it is theirs."""
        lobby = self.get(game_id)
        if lobby is not None:
            self._remember(player_id, game_id, lobby.made_at)

    def idle(self, since: int, after: int = 0) -> Iterator[tuple[Lobby, int]]:
        """Games that have not started, and their last change: at or before ``since``, and after ``after``."""
        for partition in self._keys.partitions:
            reply = self._wire.one("ZRANGE", partition.lobbies, f"({after}", since, "BYSCORE", "WITHSCORES")
            places = {game.decode(): int(score) for game, score in zip(reply[::2], reply[1::2], strict=True)}
            for lobby in self.read_all(list(places)):
                if lobby is not None:
                    yield lobby, places[lobby.id]

    def reliability(self, player_id: PlayerId) -> Reliability:
        games = [
            GameId(name.decode()) for name in self._wire.one("ZRANGE", keys.player_games(player_id), 0, PLAYED, "REV")
        ]
        asked = [("HMGET", self._keys.game(game_id).meta, "status", f"turns {player_id}") for game_id in games]
        replies = self._archive.filled(games, ["status", f"turns {player_id}"], self._wire.many(asked))
        found = [reply[1].decode().split(" ") for reply in replies if isinstance(reply, list) and reply[1]]
        return reliability_of(TurnsPlayed(int(at), turns) for at, turns in found)

    def reseat(self, lobby: Lobby, seating: Seating) -> bool:
        """Replace the lobby's seating and inform every process; False if it has changed in the meantime.

        Sets the ``revision``.
        """
        self._archive.keep(lobby.id)
        reply = self._wire.many([("HMGET", self._keys.game(lobby.id).meta, *FIELDS)])[0]
        now = lobby_in(lobby.id, reply)
        if now is None or now.chairs != lobby.chairs or now.seating != lobby.seating:
            return False
        after = replace(seating, revision=now.seating.revision + 1)
        before = {name: reply[FIELDS.index(name)] for name in ("chairs", "seating")}
        messages = [(keys.REVOKED, seats_changed(lobby.id, after.revision)), (keys.NEWS, lobby.id)]
        key = self._keys.game(lobby.id).meta
        return set_fields(self._wire, key, before, {"seating": seating_lines(after)}, messages)

    def read_all(self, games: Sequence[GameId]) -> list[Lobby | None]:
        """Many lobbies in one round trip, also from the archive; None for each that is missing or cannot be read."""
        replies = self._wire.many([("HMGET", self._keys.game(game_id).meta, *FIELDS) for game_id in games])
        replies = self._archive.filled(games, FIELDS, replies)
        return [sound_lobby(game_id, reply) for game_id, reply in zip(games, replies, strict=True)]

    def page(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        vacant: Literal["vacant"] | None = None,
        player_id: PlayerId | None = None,
        with_player: PlayerId | None = None,
        tag: str | None = None,
        since: int | None = None,
        oldest_first: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[Sequence[Lobby], str | None]:
        """Public games, newest first unless ``oldest_first``, and the next page's cursor.

        With ``player_id``: that player's own games, whatever their visibility. With ``with_player``: games in which that
        player has a seat. With ``vacant``: running games that have a seat on offer. With ``since``: games created at this
        instant or later.
        """
        after, now = parse_cursor(cursor), self._wire.now() if player_id is not None else 0
        lister = player_id or with_player
        if lister is not None:
            lists = [keys.player_games(lister)]
        elif tag is not None:
            lists = [self._keys.tagged(partition, tag) for partition in self._keys.partitions]
        else:
            lists = [self._keys.listing(partition, kind, vacant or status) for partition in self._keys.partitions]
        found: list[Lobby] = []
        for lobbies in self._batches(lists, after, limit + 1, since, oldest_first):
            found += [
                lobby
                for lobby in lobbies
                if status in (None, lobby.status)
                and kind in (None, lobby.kind)
                and (vacant is None or (lobby.status == "running" and lobby.seating.vacant))
                and (lobby.visibility == "public" if player_id is None else lobby.belongs_to(player_id, now))
                and (with_player is None or lobby.seat_of(with_player))
                and (tag is None or tag in lobby.tags)
            ]
            if len(found) > limit:
                break
        more = page_cursor(found[limit - 1]) if len(found) > limit else None
        return found[:limit], more

    def every(self) -> Iterator[GameId]:
        """The ids of all games, once each and in no order: for operators' tools."""
        seen: set[GameId] = set()
        for name in self._wire.scan(keys.EVERY_META):
            game_id = keys.game_of_meta(name.decode())
            if game_id not in seen:
                seen.add(game_id)
                yield game_id

    def lists_of(self, lobby: Lobby) -> list[str]:
        """The lists that contain the game; only public games are listed."""
        if lobby.visibility != "public":
            return []
        partition = self._keys.partition(lobby.id)
        lists = [self._keys.listing(partition, kind, None) for kind in (lobby.kind, None)]
        return [*lists, *self._keys.listings(lobby.id, lobby.kind, lobby.status), *self._tag_lists(lobby)]

    def _tag_lists(self, lobby: Lobby) -> list[str]:
        """The lists by tag that contain the game."""
        partition = self._keys.partition(lobby.id)
        return [self._keys.tagged(partition, tag) for tag in lobby.tags] if lobby.visibility == "public" else []

    def _batches(
        self,
        lists: Sequence[str],
        after: tuple[int, GameId] | None,
        size: int,
        since: int | None,
        oldest_first: bool,
    ) -> Iterator[list[Lobby]]:
        batch: list[GameId] = []
        for game_id in merged(self._wire, lists, after, size, since=since, oldest_first=oldest_first):
            batch.append(game_id)
            if len(batch) == size:
                yield [lobby for lobby in self.read_all(batch) if lobby is not None]
                batch = []
        yield [lobby for lobby in self.read_all(batch) if lobby is not None]

    def _change(
        self,
        game_id: GameId,
        operation: str,
        sender: str,
        seat: Seat | None,
        holder: str = "",
        entropy: str = "",
        invitation: str = "",
        request: str = "",
    ) -> tuple[Seat, str]:
        if set(holder + entropy) & set(" \n"):
            raise ValueError("a holder and entropy have no blanks in them")
        key, note = self._keys.game(game_id).meta, f"request {request}"
        read = ("status", "invitation", "chairs", "seating", "revision", "reserved")
        names = (*read, "creator", "visibility", "sandboxed", note)
        while True:
            with reading(game_id):
                found = dict(zip(names, self._wire.one("HMGET", key, *names), strict=True))
                if found["status"] is None:
                    raise LobbyRefusal("unknown-game")
                if request and found[note] is not None:
                    return Seat(int(found[note])), holder
                reserved = read_reserved(found["reserved"])
                offers = find_offers(reserved, self._wire.now()) if reserved else {}
                if not _may_change(found, operation, sender, invitation, offers):
                    raise LobbyRefusal("wrong-invitation" if operation == "join" else "not-creator")
                if found["status"] != b"lobby" and not (operation == "invite" and _has_offers(found)):
                    raise LobbyRefusal("started")
                chairs = read_chairs(found["chairs"] or b"")
                chosen, chair = _chair_after(chairs, found, operation, sender, seat, Chair(holder, entropy), offers)
                fields: dict[str, Any] = {"revision": int(found["revision"] or 0) + 1}
            if chair is not None:
                fields["chairs"] = chair_lines((*chairs[: chosen - 1], chair, *chairs[chosen:]))
                fields["reserved"] = reserved_lines(each for each in reserved if each.seat != chosen)
            if operation == "decline":
                fields["reserved"] = reserved_lines(
                    replace(each, until=0) if each.player == sender else each for each in reserved
                )
            if operation == "invite":
                fields["invitation"] = invitation
            if request:
                fields[note] = chosen
            before = {name: found[name] for name in read}
            if set_fields(self._wire, key, before, fields):
                if found["status"] == b"lobby":
                    self._wire.one("ZADD", self._keys.partition(game_id).lobbies, self._wire.now(), game_id)
                return chosen, (chairs[chosen - 1].holder or "") if operation == "leave" else holder

    def _at_revision(self, game_id: GameId) -> tuple[Lobby, bytes]:
        reply = self._wire.one("HMGET", self._keys.game(game_id).meta, *FIELDS, "revision")
        if reply[0] is None:
            raise LobbyRefusal("unknown-game")
        return decoded_lobby(game_id, reply), reply[-1]

    def _remember(self, player_id: PlayerId, game_id: GameId, made_at: int) -> None:
        if not is_bot(player_id):
            self._wire.one("ZADD", keys.player_games(player_id), made_at, game_id)

    def _forget(self, player_id: PlayerId, game_id: GameId) -> None:
        lobby = self.get(game_id)
        if lobby is None or not lobby.belongs_to(player_id):
            self._wire.one("ZREM", keys.player_games(player_id), game_id)


def _may_change(
    found: Mapping[str, bytes | None], operation: str, sender: str, invitation: str, offers: Mapping[Seat, str]
) -> bool:
    """Whether the sender may join, or change what only the creator may. A stranger learns nothing else of a private game."""
    if operation in ("bot", "invite"):
        return found["creator"] == sender.encode()
    return (
        operation != "join"
        or found["visibility"] == b"public"
        or found["creator"] == sender.encode()
        or sender in offers.values()
        or any(chair.holder == sender for chair in read_chairs(found["chairs"] or b""))
        or (invitation != "" and invitation.encode() == found["invitation"])
    )


def _has_offers(found: Mapping[str, bytes | None]) -> bool:
    return found["status"] == b"running" and b"\nvacant " in (found["seating"] or b"")


def _chair_after(
    chairs: Sequence[Chair],
    found: Mapping[str, bytes | None],
    operation: str,
    sender: str,
    wanted: Seat | None,
    new: Chair,
    offers: Mapping[Seat, str],
) -> tuple[Seat, Chair | None]:
    """The seat that an operation changes (0 without one), and its new chair. Raises `LobbyRefusal`."""
    seat = wanted or Seat(0)
    holder = chairs[seat - 1].holder if 0 < seat <= len(chairs) else None
    if operation in ("join", "bot"):
        is_seated = any(chair.holder == sender for chair in chairs)
        if operation == "join" and is_seated and found["sandboxed"] != b"1":
            raise LobbyRefusal("seated-already")
        own = next((each for each, player in offers.items() if player == sender), None)
        free = (Seat(number) for number, chair in enumerate(chairs, 1) if not chair.holder and number not in offers)
        seat = seat or own or next(free, Seat(0))
        if not seat:
            raise LobbyRefusal("full")
        if seat > len(chairs) or chairs[seat - 1].holder:
            raise LobbyRefusal("seat-taken")
        if offers.get(seat, sender) != sender:
            raise LobbyRefusal("seat-reserved")
        return seat, new
    if operation == "decline" and sender not in offers.values():
        raise LobbyRefusal("unknown-challenge")
    if operation == "leave" and seat in offers and found["creator"] == sender.encode():
        return seat, Chair()
    if operation == "leave":
        if not holder or (holder != sender and found["creator"] != sender.encode()):
            raise LobbyRefusal("not-seated")
        return seat, Chair()
    if operation == "entropy":
        if holder != sender:
            raise LobbyRefusal("not-seated")
        return seat, replace(chairs[seat - 1], entropy=new.entropy)
    return seat, None
