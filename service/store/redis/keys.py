"""Names of all keys and channels in Redis. Every key of a game has the hash tag of its partition."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from zlib import crc32

from domain.kernel.terms import GameId, PlayerId
from service.store.ports.side_data import DRAWERS

PARTITIONS = "oraclewheel:partitions"
"""Key: the number of partitions that the store was created with."""
PARTITION_COUNT = 256
"""Number of hash tags for games. Fixed: a game's partition follows from its id."""
FORM = "oraclewheel:form"
"""Key: `THIS_FORM` in a store of this release; missing in one of release 0.3.0."""
THIS_FORM = "2"
RESTORING = "restoring "
"""Prefix of the value of `PARTITIONS` while a backup is restored, followed by the backup (`service.store.upkeep.backup_loading`)."""
STORE = "oraclewheel:store"
"""Hash: the store's id, the number of games ever created, its mark and when that was raised."""
SIGNING_KEYS = "oraclewheel:keys"
NEWS = "oraclewheel:news"
"""Channel: ``<game> <seq> told``; without ``told`` from a release that does not publish results on `TOLD`."""
TOLD = "oraclewheel:told:"
"""Channel prefix, followed by random digits: results of the commands of one process's clients.

Message: a submission's `id_field`, ``+`` if more of its list follows or else ``.``, the seq, a space, the packed
commit.
"""
REVOKED = "oraclewheel:revoked"
"""Channel: the id of a revoked credential."""

OPERATORS = "oraclewheel:operators"
"""Stream: what operators have done to accounts and reports (`service.store.ports.side_data.OperatorAction`)."""

VACATIONERS = "oraclewheel:vacationers"
"""Sorted set: players who have vacations, by the end of their last one."""

PLAYER_NAMES = "oraclewheel:names"
"""Sorted set, all with the score 0: the name of each player in lowercase without accents, NUL, and their id."""

CHALLENGE_DEADLINES = "oraclewheel:challenges"
"""Sorted set: games with reserved seats, by when these expire, and then by when an unaccepted game is deleted."""

HOLDERS = "oraclewheel:holders"
"""Hash: number (below 1024) → the process whose leases have it; ``#``: how many numbers were assigned."""

COPIES = "oraclewheel:copies"
"""Sorted set: ``<game> <bytes>`` of temporary copies of archived games, by expiry."""

EVERY_META = "{p*}g:*:meta"
"""Pattern: the meta hash of every game."""

EVERY_PLAYER = "player:{*}"
"""Pattern: every account."""

EVERY_SUBSCRIPTION = "subscription:{*}"
"""Pattern: every subscription."""
DEAD = "oraclewheel:dead"
"""Number of deliveries that were given up, ever."""

HEADS_LOG = "{heads}log"
"""Hash: the name of the log of heads, its number of leaves, and their signed checkpoint."""
HEADS_DAYS = "{heads}days"
"""Hash: day → its first checkpoint."""


@dataclass(frozen=True, slots=True)
class PartitionKeys:
    """Keys shared by the games of one partition."""

    tag: str
    ready: str
    """Sorted set: unleased games with commands waiting, by when they became ready."""
    leases: str
    """Sorted set: leased games, by lease end; the fraction of the millisecond is the worker's number (of 1024)."""
    claims: str
    """Hash: number of lapsed claims of a game since its last commit."""
    holders: str
    """Hash: game → `<number> <length> <holder>` of a lease that is longer than most, ``-`` for a game put off."""
    aside: str
    """Set: games put off without a commit since; they do not count as waiting."""
    due: str
    """Sorted set: ``<game> <d or b> <question>`` by the instant at which SYSTEM submits it."""
    stalled: str
    lobbies: str
    """Sorted set: games that have not started, by their last change."""
    marks: str
    """Hash: quarantined games, and why (`service.store.ports.waiting.Mark`)."""
    outbox: str
    """Sorted set: ``<game> <subscription>``, optionally with a delivery's name, by when it is due or its lease ends."""
    changes: str
    """Stream: an entry for each call of `append` (`service.store.redis.log.changes`)."""
    archive: str
    """Hash: archived games → the 32-byte name of their object."""
    leaving: str
    """Hash: games that are being archived → the name of the object that they are written to."""
    litter: str
    """Set: ``<game> <name>`` of objects without an index entry; the archiving process removes them."""


@dataclass(frozen=True, slots=True)
class GameKeys:
    """Keys of one game."""

    meta: str
    """Hash: the lobby, the seed, the end of the log, deadlines, the newest signature, the state for readers

    (`service.store.redis.log.newest`), until when its views are watched, each seat's refusals, and the ids of its
    subscriptions (``listening``). ``holds``: the seats for which a follower may answer at once, separated by blanks: a
    deadline that has passed already when such a seat is asked is submitted a second later.
    """
    commands: str
    """Stream: submissions that wait."""
    commits: str
    """Stream: packed commits under their own seq."""
    ids: str
    """Hash: `id_field` → digest of the body, then ``p`` (pending) or the seq of the commit that settled it."""
    views: str
    """Hash: place (0 is the public one) → its part of the view (`service.store.redis.log.newest`)."""
    snapshots: str
    """Hash: seq → packed snapshot."""
    told: str
    """Hash: subscription → progress of its deliveries for the game (`service.store.ports.outbox.DeliveryCursor`)."""


class Keys:
    """The names of all keys of games and partitions."""

    def __init__(self) -> None:
        self.partitions = tuple(_partition(number) for number in range(PARTITION_COUNT))

    def number(self, game_id: GameId) -> int:
        return crc32(game_id.encode()) % len(self.partitions)

    def partition(self, game_id: GameId) -> PartitionKeys:
        return self.partitions[self.number(game_id)]

    def game(self, game_id: GameId) -> GameKeys:
        stem = f"{self.partition(game_id).tag}g:{game_id}:"
        names = ("meta", "commands", "commits", "ids", "views", "snapshots", "told")
        return GameKeys(*(stem + name for name in names))

    def whole(self, game_id: GameId) -> tuple[str, ...]:
        """Every key of one game, in the order of KEYS in lua/archive.lua and copy.lua."""
        own, drawers = self.game(game_id), (self.notes(game_id, drawer) for drawer in DRAWERS)
        return (own.meta, own.commits, own.ids, own.told, *drawers, own.commands, own.views, own.snapshots)

    def notes(self, game_id: GameId, drawer: str) -> str:
        """Hash: the notes of a game in a namespace, by name."""
        return f"{self.partition(game_id).tag}g:{game_id}:notes:{drawer}"

    def listing(self, partition: PartitionKeys, kind: str | None, status: str | None) -> str:
        """Sorted set of a partition's public games of a kind and status, by creation time."""
        return f"{partition.tag}games:{kind or '*'}:{status or '*'}"

    def tagged(self, partition: PartitionKeys, tag: str) -> str:
        """Sorted set of a partition's public games with a tag, of any kind and status, by creation time."""
        return self.listing(partition, f"#{tag}", None)

    def listings(self, game_id: GameId, kind: str, status: str) -> list[str]:
        """The lists of its partition with this status that contain the game; it is also in those of every status."""
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
                "changes",
                "archive",
                "leaving",
                "litter",
            )
        ),
    )


def player(player_id: PlayerId) -> str:
    """Hash: an account, its player's preferences and its suspension as JSON."""
    return f"player:{{{player_id}}}"


def player_tokens(player_id: PlayerId) -> str:
    """Hash: credential id → the token's digest and the credential."""
    return f"player:{{{player_id}}}:tokens"


def player_token_uses(player_id: PlayerId) -> str:
    """Hash: credential id → when the token was last used, milliseconds of Unix time."""
    return f"player:{{{player_id}}}:used"


def player_addresses(player_id: PlayerId, purpose: str) -> str:
    """Hash: id of a secret address → its digest and content."""
    return f"player:{{{player_id}}}:addresses:{purpose}"


def player_sitting(player_id: PlayerId) -> str:
    """Hash: player whom they were asked to sit in for → the request, or their agreement."""
    return f"player:{{{player_id}}}:sitting"


def player_part(player_id: PlayerId, name: str) -> str:
    """A part of the player's profile."""
    return f"player:{{{player_id}}}:profile:{name}"


def player_vacations(player_id: PlayerId) -> str:
    """Hash: id of a vacation → the vacation; id and `*` → recalled; id and a game → the last status sent to it."""
    return f"player:{{{player_id}}}:vacations"


def secret_address(digest: str) -> str:
    return f"address:{digest}"


def player_games(player_id: PlayerId) -> str:
    """Sorted set: the games they have a seat in or have created, by creation time."""
    return f"player:{{{player_id}}}:games"


def player_subscriptions(player_id: PlayerId) -> str:
    """Hash: the ids of their subscriptions → the kind of each."""
    return f"player:{{{player_id}}}:subscriptions"


def subscription(id_: str) -> str:
    """A subscription, as JSON."""
    return f"subscription:{{{id_}}}"


def noted(id_: str) -> str:
    """List: results of the tries of its deliveries, the newest first."""
    return f"noted:{{{id_}}}"


def dead(id_: str) -> str:
    """List: its deliveries that were given up, the newest first."""
    return f"dead:{{{id_}}}"


def token(digest: str) -> str:
    return f"token:{digest}"


def ticket(digest: str) -> str:
    return f"ticket:{digest}"


def answer(name: str) -> str:
    """Sealed bytes: the response to a request with an Idempotency-Key; empty while it is being computed."""
    return f"answer:{name}"


def bucket(name: str) -> str:
    return f"bucket:{name}"


def places(name: str) -> str:
    """Sorted set: the holders of a semaphore's slots, by expiry."""
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
    """String: a game's heads in the log, by its name in the log: pairs of place and seq, 8 bytes each."""
    return f"{{heads}}of:{name}"


def beat(name: str) -> str:
    return f"beat:{name}"


def id_field(game_id: GameId, submission: str) -> bytes:
    """Name of a submission in its game's ``ids``: SYSTEM's by their question, all others 16 bytes of a hash."""
    kind, _, rest = submission.partition(f":{game_id}:")
    letter = _SYSTEM_IDS.get(kind)
    if letter is not None and rest:
        return (letter + rest).encode()
    return hashlib.blake2b(submission.encode(), digest_size=16).digest()


_SYSTEM_IDS = {"due": "d", "bot": "b", "off": "o"}


def id_digest(digest: str) -> bytes:
    """The 8 bytes of a body's digest that are stored with a submission's id."""
    return hashlib.blake2b(digest.encode(), digest_size=8).digest()


def ratings(name: str) -> str:
    """A key of the rating lists. They all have one hash tag, so that an update of several is atomic."""
    return f"{{ratings}}{name}"


def one_time(name: str) -> str:
    """Something that is used once, such as the challenge of a sign-in."""
    return f"once:{name}"
