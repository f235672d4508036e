"""The names of everything in Redis; every key of a game carries the hash tag of its partition."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from zlib import crc32

from domain.terms import GameId, PlayerId
from service.store.ports.beside import DRAWERS

PARTITIONS = "oraclewheel:partitions"
"""Key: the number of partitions that the store was made with."""
PARTITION_COUNT = 256
"""The games are spread over this many hash tags. Fixed: a game's partition follows from its id."""
RESTORING = "restoring "
"""What stands there, and behind it which back-up it is, while one is brought into the store (`service.store.upkeep.filling`)."""
STORE = "oraclewheel:store"
"""Hash: the store's id, the number of games ever made, its mark and when that was raised."""
SIGNING_KEYS = "oraclewheel:keys"
NEWS = "oraclewheel:news"
"""Channel: ``<game> <seq> told``; a release that does not tell a commit to who waits for it (`TOLD`) leaves out the last word."""
TOLD = "oraclewheel:told:"
"""Channel, with random digits behind it: what the commands of one process's senders come to, for that process alone.

A submission's `id_field`, ``+`` if more of its list follows or else ``.``, the seq, a space, the packed commit.
"""
REVOKED = "oraclewheel:revoked"
"""Channel: the id of a credential."""

VACATIONERS = "oraclewheel:vacationers"
"""Sorted set: players who have vacations, by when the last of them ends."""

HOLDERS = "oraclewheel:holders"
"""Hash: number (of 1024) → the process that holds leases under it; ``#``: how many numbers were given."""

COPIES = "oraclewheel:copies"
"""Sorted set: ``<game> <bytes>`` of games from the archive that lie here for a while, by until when."""

EVERY_META = "{p*}g:*:meta"
"""Pattern: the meta hash of every game."""

EVERY_SUBSCRIPTION = "subscription:{*}"
"""Pattern: every subscription."""
DEAD = "oraclewheel:dead"
"""How many words were given up, ever."""

HEADS_LOG = "{heads}log"
"""Hash: the name of the log of heads, how many leaves it has, and the signed checkpoint of them."""
HEADS_DAYS = "{heads}days"
"""Hash: day → the first checkpoint of it."""


@dataclass(frozen=True, slots=True)
class PartitionKeys:
    """What the games of one partition share."""

    tag: str
    ready: str
    """Sorted set: games with commands waiting that no worker holds, by since when."""
    leases: str
    """Sorted set: games a worker holds, by until when; the fraction of the millisecond is the worker's number of 1024."""
    claims: str
    """Hash: how often a game was claimed since its last commit and nothing came of it."""
    holders: str
    """Hash: game → `<number> <length> <holder>` of a lease that is longer than most, ``-`` for one put aside."""
    aside: str
    """Set: games put aside without a commit since; nobody waits for those."""
    due: str
    """Sorted set: ``<game> <d or b> <question>`` by the instant at which SYSTEM submits it."""
    stalled: str
    lobbies: str
    """Sorted set: games that have not started, by when something happened there last."""
    marks: str
    """Hash: games that are set aside, and why (`service.store.ports.waiting.Mark`)."""
    outbox: str
    """Sorted set: ``<game> <subscription>``, or these and what else it is owed, by when it is due or its lease ends."""
    moved: str
    """Set: games whose head is to be logged (`HEADS_LOG`)."""
    moving: str
    """Set: those of them that are being logged."""
    archive: str
    """Hash: games that lie in the archive → the 32 bytes by which their object is called."""
    leaving: str
    """Hash: games that are being moved there → the name of the object that they are written to."""
    litter: str
    """Set: ``<game> <name>`` of objects that nothing leads to any more; whoever moves games removes them."""


@dataclass(frozen=True, slots=True)
class GameKeys:
    """What belongs to one game."""

    meta: str
    """Hash: the lobby, the seed, where the log stands, what is due, the newest signature, how the game stands for its
    readers (`service.store.redis.log.newest`), until when its views are watched, each seat's refusals, and the ids of the
    subscriptions that it is told to (``listening``)."""
    commands: str
    """Stream: submissions that wait."""
    commits: str
    """Stream: packed commits under their own seq."""
    ids: str
    """Hash: `id_field` → digest of the body, then ``p`` (pending) or the seq it came to."""
    views: str
    """Hash: place (0 is the public) → its part of the view (`service.store.redis.log.newest`)."""
    snapshots: str
    """Hash: seq → packed snapshot."""
    told: str
    """Hash: subscription → how far it has been told of the game (`service.store.ports.outbox.Told`)."""


class Keys:
    """The names of all keys."""

    def __init__(self) -> None:
        self.partitions = tuple(_partition(number) for number in range(PARTITION_COUNT))

    def number(self, game_id: GameId) -> int:
        """The partition a game belongs to."""
        return crc32(game_id.encode()) % len(self.partitions)

    def partition(self, game_id: GameId) -> PartitionKeys:
        return self.partitions[self.number(game_id)]

    def game(self, game_id: GameId) -> GameKeys:
        stem = f"{self.partition(game_id).tag}g:{game_id}:"
        names = ("meta", "commands", "commits", "ids", "views", "snapshots", "told")
        return GameKeys(*(stem + name for name in names))

    def whole(self, game_id: GameId) -> tuple[str, ...]:
        """Every key of a game's own: what lua/archive.lua and its sisters call KEYS from the first on."""
        own, drawers = self.game(game_id), (self.notes(game_id, drawer) for drawer in DRAWERS)
        return (own.meta, own.commits, own.ids, own.told, *drawers, own.commands, own.views, own.snapshots)

    def notes(self, game_id: GameId, drawer: str) -> str:
        """Hash: the notes of a drawer beside a game's log, by their names."""
        return f"{self.partition(game_id).tag}g:{game_id}:notes:{drawer}"

    def listing(self, partition: PartitionKeys, kind: str | None, status: str | None) -> str:
        """Sorted set of a partition's public games of a kind and status, by when they were made."""
        return f"{partition.tag}games:{kind or '*'}:{status or '*'}"

    def listings(self, game_id: GameId, kind: str, status: str) -> list[str]:
        """The lists of its partition that a game of this status is in besides those of every status."""
        partition = self.partition(game_id)
        return [self.listing(partition, kind, status), self.listing(partition, None, status)]


def game_of_meta(name: str) -> GameId:
    """The game whose meta hash has this name."""
    return GameId(name.partition("}g:")[2].removesuffix(":meta"))


@cache
def _partition(number: int) -> PartitionKeys:
    tag = f"{{p{number}}}"
    return PartitionKeys(
        tag,
        *(
            tag + name
            for name in (
                "ready",
                "leases",
                "claims",
                "holders",
                "aside",
                "due",
                "stalled",
                "lobbies",
                "marks",
                "outbox",
                "moved",
                "moving",
                "archive",
                "leaving",
                "litter",
            )
        ),
    )


def player(player_id: PlayerId) -> str:
    """Hash: an account, and what its player prefers as JSON."""
    return f"player:{{{player_id}}}"


def player_tokens(player_id: PlayerId) -> str:
    """Hash: credential id → the token's digest and the credential."""
    return f"player:{{{player_id}}}:tokens"


def player_token_uses(player_id: PlayerId) -> str:
    """Hash: credential id → when the token was last used, milliseconds of Unix time."""
    return f"player:{{{player_id}}}:used"


def player_addresses(player_id: PlayerId, purpose: str) -> str:
    """Hash: id of a secret address → its digest and what it leads to."""
    return f"player:{{{player_id}}}:addresses:{purpose}"


def player_sitting(player_id: PlayerId) -> str:
    """Hash: player whom they were asked to sit in for → the request, or their agreement."""
    return f"player:{{{player_id}}}:sitting"


def player_vacations(player_id: PlayerId) -> str:
    """Hash: id of a vacation → it; the id and `recalled` → anything; the id and a game → what that was told last."""
    return f"player:{{{player_id}}}:vacations"


def secret_address(digest: str) -> str:
    return f"address:{digest}"


def player_games(player_id: PlayerId) -> str:
    """Sorted set: the games they have a seat in or have created, by when they were made."""
    return f"player:{{{player_id}}}:games"


def player_subscriptions(player_id: PlayerId) -> str:
    """Hash: the ids of their subscriptions → what kind each is."""
    return f"player:{{{player_id}}}:subscriptions"


def subscription(id_: str) -> str:
    """A subscription, as JSON."""
    return f"subscription:{{{id_}}}"


def noted(id_: str) -> str:
    """List: what became of each try to deliver a word to it, the newest first."""
    return f"noted:{{{id_}}}"


def dead(id_: str) -> str:
    """List: its words that were given up, the newest first."""
    return f"dead:{{{id_}}}"


def token(digest: str) -> str:
    return f"token:{digest}"


def ticket(digest: str) -> str:
    return f"ticket:{digest}"


def answer(name: str) -> str:
    """Sealed bytes: what was answered to who sent an Idempotency-Key; empty while it is being worked out."""
    return f"answer:{name}"


def bucket(name: str) -> str:
    return f"bucket:{name}"


def places(name: str) -> str:
    """Sorted set: who holds a place under this name, by until when."""
    return f"places:{name}"


def lock(name: str) -> str:
    return f"lock:{name}"


def heads_bundle(place: int) -> str:
    """String: 256 packed leaves of the log of heads."""
    return f"{{heads}}leaves:{place}"


def heads_tile(level: int, place: int) -> str:
    """String: 256 hashes of a level of tiles above the lowest."""
    return f"{{heads}}tile:{level}:{place}"


def heads_of(name: str) -> str:
    """String: where the log has heads of a game, by the log's name for it: pairs of place and seq, 8 bytes each."""
    return f"{{heads}}of:{name}"


def beat(name: str) -> str:
    return f"beat:{name}"


def id_field(game_id: GameId, submission: str) -> bytes:
    """The name of a submission in its game's ``ids``: SYSTEM's by their question, all others 16 bytes of a hash."""
    kind, _, rest = submission.partition(f":{game_id}:")
    letter = _SYSTEM_IDS.get(kind)
    if letter is not None and rest:
        return (letter + rest).encode()
    return hashlib.blake2b(submission.encode(), digest_size=16).digest()


_SYSTEM_IDS = {"due": "d", "bot": "b", "off": "o"}


def id_digest(digest: str) -> bytes:
    """The 8 bytes of a body's digest that are kept with a submission's id."""
    return hashlib.blake2b(digest.encode(), digest_size=8).digest()
