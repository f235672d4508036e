"""What the rest of the service asks of a store; Redis and memory both keep these promises (tests/store/)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from domain.play.record import Submission
from domain.play.table import NEWEST
from domain.terms import GameId, PlayerId, Seat
from service.store.seal import Sealed


class StaleWrite(Exception):
    """The log has moved on since the position was read: read again."""


class StoreDown(Exception):
    """The store does not answer; nothing is known about the call (503 with Retry-After)."""


class StoreUnusable(RuntimeError):
    """Play could be lost on this store, or it is not the one that is meant; the sentence says why and what to do."""


class LobbyRefusal(Exception):
    """A change to a lobby that cannot be made; ``code`` is the problem's name.

    Codes: ``unknown-game``, ``started``, ``not-started``, ``full``, ``seated-already``, ``not-seated``, ``seat-taken``,
    ``wrong-invitation``, ``not-creator``, ``seats-open``, ``changed``.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


# -- accounts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Player:
    """An account. Its id is random and says nothing of the name."""

    id: PlayerId
    name: str
    made_at: int


@dataclass(frozen=True, slots=True)
class Credential:
    """What a token stands for. The token itself is never stored, only its SHA-256."""

    id: str
    player: PlayerId
    scopes: tuple[str, ...]
    """Of ``read``, ``play``, ``admin``."""
    made_at: int
    label: str = ""
    game: GameId | None = None
    """For a ticket: the one game it reads."""


class Accounts(Protocol):
    """Players, their tokens and tickets, and what they may do how often."""

    def create(self, player: Player, credential: Credential, token_digest: str) -> None:
        """A new player with a first token."""

    def player(self, player_id: PlayerId) -> Player | None: ...

    def players(self, ids: Sequence[PlayerId]) -> Mapping[PlayerId, Player]:
        """Those of them that exist, in one round trip."""

    def rename(self, player_id: PlayerId, name: str) -> None: ...

    def add_token(self, credential: Credential, token_digest: str, most: int = 0) -> bool:
        """Another token of a player, unless he has so many (0: no limit) already; whether it was added."""

    def by_token(self, token_digest: str) -> Credential | None:
        """The credential of a token or None; revoked ones are gone."""

    def tokens(self, player_id: PlayerId) -> Sequence[Credential]: ...

    def holds(self, player_id: PlayerId, credential: str) -> bool:
        """Whether the account is there and the token has not been revoked; asked of the store, never remembered."""

    def revoke(self, player_id: PlayerId, credential: str) -> bool:
        """Whether there was such a token; publishes the revocation so that no process goes on trusting it."""

    def add_ticket(self, credential: Credential, token_digest: str, seconds: int) -> None:
        """A ticket to read one game, void unless used within ``seconds``."""

    def take_ticket(self, token_digest: str) -> Credential | None:
        """The ticket's credential, once."""

    def games_of(self, player_id: PlayerId) -> Sequence[GameId]:
        """The games he has a seat in or has created, newest first."""

    def allow(self, bucket: str, capacity: int, per_second: float, cost: int = 1) -> tuple[bool, int, int]:
        """Take from a token bucket: whether it may go on, how many are left, and seconds until one more is there."""


# -- lobbies ----------------------------------------------------------------------------------------------------------


Status = Literal["lobby", "running", "over"]


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat before and after the start: who holds it, and what he added to the dice."""

    holder: str | None = None
    """A player's id, ``bot:<name>``, or None while it is free."""
    entropy: str = ""
    """Hex digits."""


@dataclass(frozen=True, slots=True)
class Lobby:
    """What is known of a game apart from its log; frozen once it starts (status and summary fields apart)."""

    id: GameId
    kind: str
    creator: PlayerId
    chairs: tuple[Chair, ...]
    ruleset: str
    options: Mapping[str, Any]
    modules: tuple[str, ...]
    pace: Mapping[str, Any]
    visibility: Literal["public", "unlisted", "private"]
    commitment: str
    made_at: int
    sandbox: Mapping[str, Any] | None = None
    """For a sandbox: ``{"position": document or None, "dice": [int, …] or None, "forked": {"game", "seq"} or None}``."""
    invitation_digest: str = ""
    status: Status = "lobby"
    started_at: int | None = None
    stalled: bool = False
    """A SYSTEM command was refused: an operator must look (`doctor`)."""
    setup: bytes = b""
    """The set-up line that its first commit stands on (`service.store.founding`); empty before the start and in form 1."""

    def seat_of(self, player_id: PlayerId | None) -> Seat | None:
        """The seat the player holds (in a sandbox the first of several)."""
        for number, chair in enumerate(self.chairs, 1):
            if player_id is not None and chair.holder == player_id:
                return Seat(number)
        return None

    def seats_of(self, player_id: PlayerId | None) -> tuple[Seat, ...]:
        """Every seat the player holds (several only in a sandbox)."""
        return tuple(Seat(n) for n, c in enumerate(self.chairs, 1) if player_id is not None and c.holder == player_id)


class Lobbies(Protocol):
    """Games before their start, and the lists of all games."""

    def create(self, lobby: Lobby, seed: bytes) -> None:
        """A new game; its 32-byte seed stays in the store until the end of the game publishes it."""

    def get(self, game_id: GameId) -> Lobby | None: ...

    def seed(self, game_id: GameId) -> bytes: ...

    def join(
        self,
        game_id: GameId,
        player_id: PlayerId,
        entropy: str,
        invitation_digest: str | None,
        seat: Seat | None = None,
    ) -> Seat:
        """Take a free seat (that one, or the first).

        An open (public) game needs no invitation; others need the right one. One seat a player, except in a sandbox.
        Raises `LobbyRefusal`.
        """

    def seat_bot(self, game_id: GameId, creator: PlayerId, bot: str, seat: Seat | None = None) -> Seat: ...

    def add_entropy(self, game_id: GameId, player_id: PlayerId, seat: Seat, entropy: str) -> None: ...

    def leave(self, game_id: GameId, player_id: PlayerId, seat: Seat) -> None:
        """Free a seat: its holder his own, the creator any bot's or player's."""

    def new_invitation(self, game_id: GameId, creator: PlayerId, invitation_digest: str) -> None: ...

    def start(self, game_id: GameId, creator: PlayerId, submission_id: str) -> Lobby:
        """Freeze the lobby and submit ``begin`` in the same call. Every seat must be taken. Starting twice answers alike."""

    def delete(self, game_id: GameId, creator: PlayerId | None = None, since: int | None = None) -> None:
        """Remove a game that has not started, with all that is kept of it, from all lists.

        By its ``creator``, or by the house if nothing has happened there after an instant. Whoever waits for news of it
        hears. Raises `LobbyRefusal` (``changed`` if something has).
        """

    def idle(self, since: int) -> Iterator[tuple[Lobby, int]]:
        """Games that have not started in which nothing has happened after an instant, and when something last did."""

    def page(
        self,
        *,
        kind: str | None = None,
        status: str | None = None,
        player_id: PlayerId | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[Sequence[Lobby], str | None]:
        """Public games (with ``player``: his own, whatever their visibility), newest first, and the next page's cursor."""

    def every(self) -> Iterator[GameId]:
        """The id of every game there is, once each and in no order: for an operator's tools."""


# -- the log ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of `Log.submit`."""

    status: Literal[
        "accepted",
        "known",
        "conflict",
        "stale",
        "limited",
        "unasked",
        "over",
        "not-started",
        "unknown-game",
        "full",
        "quarantined",
        "needs-release",
    ]
    """``known``: this id was submitted before; ``conflict``: with another body; ``stale``: If-Match does not hold;
    ``limited``: the seat is out of refusals; ``unasked``: it has said too much that nobody asked it; ``full``: the game has more than 100 commands waiting;
    ``quarantined``, ``needs-release``: the game is set aside."""
    id: str
    seq: int | None = None
    """The commit it came to, once settled; for ``stale`` the sender's present ETag."""
    wake: bool = False
    """The game was idle: call `queue.wake`."""
    retry_after: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """A commit as it stands in the log."""

    seq: int
    at: int
    release: str
    head: str
    header: bytes
    """Canonical JSON; empty unless it was asked for."""
    body: bytes
    """Canonical JSON, unpacked."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What readers of a game get without anything being computed: ready JSON bytes and the seqs they are good for.

    In an `Append` only what changed: an empty ``public``, ``seen``, ``asked`` or ``signature``, and a seat that is not
    in ``private``, leave what was there.
    """

    seq: int
    head: str
    release: str
    """Who wrote them. Read back it is ``""`` when releases are mixed or something is missing: rewrite before serving."""
    public: bytes = b"null"
    private: Mapping[Seat, bytes] = field(default_factory=dict)
    seen: tuple[int, ...] = ()
    """As `domain.play.record.Position.seen`."""
    asked: bytes = b"[]"
    """JSON list of the standing questions: ``{"id", "seat", "kind", "rule", "about", "since", "due"}``."""
    status: str = "running"
    signature: str = ""
    key_id: str = ""


@dataclass(frozen=True, slots=True)
class Due:
    """Something that SYSTEM is to submit at an instant (milliseconds), exactly once for each question."""

    when: int
    question: str
    """Its id; where the question still stands after its seat acted, ``<id>@<seq of that commit>``: it is due anew."""
    what: Literal["expire", "act"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a game is set aside."""

    code: Literal["quarantined", "needs-release"]
    """``quarantined``: it cannot be read; ``needs-release``: the release that says so must not go on with it."""
    release: str
    """Who says so. Another release need not mind ``needs-release``."""
    why: str

    def holds(self, release: str) -> bool:
        """Whether this release is to leave the game alone."""
        return self.code == "quarantined" or self.release == release


@dataclass(frozen=True, slots=True)
class Work:
    """A claimed game: what waits in its command stream, oldest first."""

    game_id: GameId
    pending: tuple[tuple[str, Mapping[str, Any]], ...]
    """Stream entry id and submission document (`codec.encode_submission`, ``asked_at`` by the store's clock)."""
    claims: int = 1
    """How often the oldest has been claimed without a commit."""
    garbled: bool = False
    """After these something stands in the stream that is no command; an operator must take it out (`doctor`)."""
    mark: Mark | None = None
    """Why it was set aside, if it was."""


@dataclass(frozen=True, slots=True)
class Append:
    """One commit with everything that must become true with it."""

    game_id: GameId
    before: int
    """The seq it follows; the log must stand there, with the head its header names as the previous one, or `StaleWrite`."""
    sealed: Sealed
    entry: str
    """The stream entry of the submission it settles; the command stream is trimmed through it."""
    submission: Submission
    refused: bool
    rows: Rows | None
    """Only what changed needs to be in it; None: nothing changed but seq and head (the signature stays an older head's)."""
    due: tuple[Due, ...]
    """All that is due for the questions standing now (replaces what was there)."""
    over: bool = False
    stalled: bool = False
    resumed: bool = False
    """The game is not stalled any more."""
    snapshot: bytes | None = None
    """The position after this commit (`snapshots.seal_snapshot`), every so many commits; the store compresses it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The oldest command that waits in a game."""

    game_id: GameId
    entry: str
    milliseconds: int
    """For how long by the store's clock; 0 where that was set back."""


class Log(Protocol):
    """The commands that wait and the commits that stand, per game."""

    def partition(self, game_id: GameId) -> int:
        """The partition a game belongs to: what `claim`, `sweep` and a wake go by."""

    def now(self) -> int:
        """The store's clock: milliseconds of Unix time. No other clock decides anything."""

    def submit(
        self,
        game_id: GameId,
        submission: Mapping[str, Any],
        digest: str,
        *,
        refusals: int = 60,
        unasked: int = 0,
        anytime: bool = False,
    ) -> Receipt:
        """Accept a submission document (``asked_at`` is set by the store) into the command stream, once per id.

        In this order: known id (with its body digest), rate of refusals, game running, not set aside for this release
        (players alone; the status is the mark's code), If-Match (``expected`` against the
        seat's seen), how many wait, and rate of what nobody asked for (``unasked``, 0 is no limit): of seats that are asked
        nothing, and of commands that answer nothing (``anytime``). Marks the game ready and says whether a worker must be woken.
        """

    def came_to(self, game_id: GameId, submission_id: str) -> Stored | str | None:
        """The commit it came to, without its header; ``pending``; ``over`` if the game ended before it; None if unknown."""

    def claim(self, partitions: Sequence[int], limit: int, lease: int) -> Sequence[GameId]:
        """Ready games, leased for ``lease`` milliseconds so that others look elsewhere (leases guard nothing).

        A lease has a number of its own and says how long it lasts, so that `sweep` can tell one that has not moved for
        so long, or lies further ahead than it can last because the clock was set back.
        """

    def work(self, games: Sequence[GameId], limit: int = 32) -> Sequence[Work]:
        """What waits in these games, in one round trip."""

    def release(self, game_id: GameId, later: int = 0) -> bool:
        """Done with a claimed game for now; True if more commands are waiting and it is ready again at once.

        Nothing happens if the lease has lapsed and somebody else has the game. With ``later`` nobody is given it for so
        many milliseconds, and then somebody is, whether or not anything waits in it.
        """

    def release_all(self, games: Sequence[GameId]) -> Sequence[bool]:
        """`release` them, in one round trip."""

    def append(self, batch: Sequence[Append]) -> Sequence[Exception | None]:
        """Append commits in order, one atomic call each, pipelined; for each None or `StaleWrite`.

        After a `StaleWrite` the later ones of the same game are stale too. Publishes the news of each game. What is due
        now is submitted in the same call. Of a game that is over, commands still waiting are given the outcome ``over``.
        """

    def rows(self, game_id: GameId, seats: Sequence[Seat] = ()) -> Rows | None:
        """The newest rows, with the private parts of these seats, untorn; None before commit 1."""

    def rewrite(self, game_id: GameId, rows: Rows) -> bool:
        """Put all rows anew (another release wrote them), if the log still stands at their seq."""

    def asked(self, games: Sequence[GameId]) -> Mapping[GameId, Rows]:
        """Questions and seqs of many games in one round trip (no views)."""

    def commits(
        self,
        game_id: GameId,
        first: int = 1,
        last: int | None = None,
        limit: int | None = None,
        *,
        headers: bool = False,
        onto: str = "",
    ) -> Iterator[Stored]:
        """Commits in order, read in pages; their headers only if asked for (who folds has no use for them).

        Each is looked at: raises `chain.BrokenLog` where one is missing, garbled, or does not follow from the one before.
        ``onto`` is the head that the reader holds of the commit before ``first``: raises `chain.WentBack` before anything
        is read where another one stands there, or none.
        """

    def head(self, game_id: GameId) -> tuple[int, str]:
        """The newest seq and head (0 and '' before commit 1)."""

    def signature(self, game_id: GameId) -> tuple[str, str, str] | None:
        """The newest signed head, its signature, and the key id."""

    def snapshot(self, game_id: GameId, at_most: int | None = None) -> tuple[int, bytes] | None:
        """The newest snapshot of this release whose seq is at most that one, as it was given to `append`.

        One that cannot be unpacked is passed over.
        """

    def drop_snapshot(self, game_id: GameId, seq: int) -> None:
        """Throw a snapshot away."""

    def seq_at(self, game_id: GameId, at: int) -> int:
        """The last commit settled at or before an instant; 0 if none."""

    def sweep(self, partition: int) -> int:
        """Re-mark games whose lease ran out and submit what is due now.

        Answers how many games a worker must be woken for: those that became ready, and those whose wake seems lost
        because they have been ready for a second.
        """

    def clock_back(self, partition: int, by: int) -> int:
        """The clock was set back by so many milliseconds: what bots wait for is brought forward by as much.

        What players were promised stays. Answers how much was brought forward.
        """

    def free(self, owner: str) -> Mapping[int, int]:
        """Free at once what a process held that is known to be dead: games made ready, by partition.

        ``owner`` is the name it was given in the environment (`service.child_process.PROCESS`).
        """

    def overdue(self, partition: int, since: int) -> Sequence[tuple[GameId, Due]]:
        """Deadlines of players that passed between ``since`` and now and are not yet submitted."""

    def put_off(self, game_id: GameId, question: str, by: int) -> Receipt:
        """Submit ``put_off`` for a deadline, once for each question and outage, instead of its ``expire``."""

    def stalled(self) -> Sequence[GameId]:
        """Games marked ``stalled``."""

    def mark(self, game_id: GameId, mark: Mark | None) -> None:
        """Note that a game is set aside; with None that it is not any more."""

    def must_be_whole(self, game_id: GameId) -> None:
        """Raises `chain.BrokenLog` where something of the game is kept in another form than the store keeps it in."""

    def marked(self, game_id: GameId) -> Mark | None:
        """Why a game is set aside; None if it is not."""

    def marks(self, near: GameId | None = None) -> Mapping[GameId, Mark]:
        """The games that are set aside; with ``near`` only those of that game's partition."""

    def census(self) -> Mapping[str, int]:
        """How many games are ``ready``, ``claimed`` and ``stalled``, and how many deadlines are ``due`` some time."""

    def waiting(self) -> Sequence[Waiting]:
        """The oldest command of games in which some wait, the longest waiting games of each partition among them.

        Games that were put aside (`release` with ``later``) and have had no commit since are left out.
        """

    def lock(self, name: str, milliseconds: int) -> bool:
        """Take a lock that frees itself; True if it was free (or is ours, and is prolonged).

        One that has longer to go than it can last, because the clock was set back, is free.
        """

    def beat(self, name: str) -> int | None:
        """Leave a sign of life; the instant of the previous one, if there was one."""

    def last_beat(self, name: str) -> int | None:
        """The instant of the last sign of life."""

    def keys(self) -> Mapping[str, str]:
        """Every signing key ever used: key id → public key, hex."""

    def add_key(self, key_id: str, public: str) -> None: ...


class Places(Protocol):
    """What is limited to so many at a time."""

    def hold(self, name: str, holder: str, most: int, seconds: int) -> tuple[bool, int]:
        """Take one of ``most`` places for so many seconds, or keep the holder's for longer.

        Whether he has it; and if not, seconds until one falls free by itself.
        """

    def keep(self, places: Sequence[tuple[str, str]], seconds: int) -> None:
        """Keep places (name and holder) that are taken for longer, all in one round trip."""

    def let_go(self, places: Sequence[tuple[str, str]]) -> None:
        """They are free again."""

    def held(self, name: str) -> Mapping[str, float]:
        """Who has places under a name, and for how many seconds more."""


ALL_GAMES: Final = GameId("*")
"""Subscribes to the news of every game; no game has this id."""


class News(Protocol):
    """Hints that something happened; never needed for truth."""

    def subscribe(self, game_id: GameId) -> Subscription: ...

    def on_revoked(self, forget: Callable[[str], None]) -> None:
        """Call ``forget`` with the id of every credential revoked from now on, from another thread.

        It is called with ``*`` when some may have been missed: forget all.
        """


class Subscription(Protocol):
    """A waiter for news of one game (or, with `ALL_GAMES`, of all)."""

    def wait(self, seconds: float) -> bool:
        """Until there is news or the time is up; True for news."""

    def close(self) -> None: ...


class Store(Protocol):
    """Everything that is kept."""

    @property
    def accounts(self) -> Accounts: ...

    @property
    def lobbies(self) -> Lobbies: ...

    @property
    def log(self) -> Log: ...

    @property
    def news(self) -> News: ...

    @property
    def places(self) -> Places: ...

    @property
    def partitions(self) -> int: ...

    def ready(self) -> bool:
        """Whether it answers and accepts writes; nothing is written to find out."""

    def warnings(self) -> Sequence[str]:
        """By what play could be lost as the store is set up, a sentence each."""

    def close(self) -> None: ...


def begin_document(lobby: Lobby) -> dict[str, Any]:
    """The ``begin`` command of a game about to start, from its frozen lobby."""
    return {
        "type": "begin",
        "game": lobby.id,
        "kind": lobby.kind,
        "ruleset": lobby.ruleset,
        "controllers": [
            chair.holder if (chair.holder or "").startswith("bot:") else "player" for chair in lobby.chairs
        ],
        "options": dict(lobby.options),
        "modules": list(lobby.modules),
        "pace": dict(lobby.pace),
        "commitment": lobby.commitment,
        "entropy": [chair.entropy for chair in lobby.chairs],
        "sandbox": lobby.sandbox is not None,
        "position": (lobby.sandbox or {}).get("position"),
        "table_rules": NEWEST,
    }
