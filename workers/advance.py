"""From commands to commits: claim ready games, settle their commands, seal and append the commits."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import Any

from cachetools import LRUCache

from domain.kernel.record import PastNotKept, Position
from domain.kernel.terms import SYSTEM, GameId
from service.core import tracing
from service.core.pace.clock import clock_of
from service.core.positions.cache import CachedPosition, Positions
from service.core.positions.game_config import GameConfig
from service.core.tracing import Span
from service.ops.logging import logger
from service.ops.processes.alarm import TooLong
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.commits import Append, calls_of
from service.store.ports.errors import NotAlone, StoreDown
from service.store.ports.waiting import Work
from service.store.redis.log.changes import Appended
from service.store.redis.store import Store
from service.store.seal import Signer
from workers.commits.pending import PendingCommands, Settled
from workers.commits.plan_checks import upheld
from workers.commits.round import COMMITS_A_CLAIM, RecentUse, SettleRound, Stale
from workers.commits.search_answers import Thinking
from workers.commits.settling import PATIENCE, NotAhead, Settling
from workers.followers import open_followers
from workers.quarantine import Quarantine

LEASE = 3000
"""Milliseconds of a claim's lease; a killed worker delays its games by at most this."""

GAMES_A_CLAIM = 32
ROUND = 0.5
"""Seconds after which each game gets at most one more commit in this round: newly ready games wait for the round's end."""

UNSIGNED = 0.1
"""Seconds before the end of a round from which every game's newest head is signed, even if the game continues at once."""

PASS = 0.05
"""Seconds after which a pass settles no more commands that have just become due, so that its commits are appended."""

CHECK = 0.002
"""Seconds between two checks for new commands while settling games with only bots."""

SLICE = 0.02
"""Seconds after which the other games of a pass wait for the next one, so that many games do not delay commits."""

SPOILED = 1024
"""Number of remembered submissions that failed before they had been read from the stream."""

TRIES = 4
"""Consecutive stale writes at the same seq after which a game is quarantined."""

CLAIMS = 3
"""Claims without a commit after which a submission is settled unseen."""

log = logger("advance")


class Unshown(Exception):
    """The views after a batch of commands could not be computed."""


class Advance:
    """Settles commands of many games; owns the process's cached positions."""

    def __init__(
        self,
        store: Store,
        positions: Positions,
        signer: Signer,
        patience: float = PATIENCE,
        *,
        ahead: bool = True,
        thinking: Thinking | None = None,
    ) -> None:
        """``ahead``: commands that a commit makes due at once, and lists, are settled in the same pass."""
        self._log, self._claims, self._schedule = store.log, store.claims, store.schedule
        self._lobbies = store.lobbies
        self._positions = positions
        self._aside, self._settling = Quarantine(store, positions), Settling(signer, patience, thinking)
        self._left: list[GameId] = []
        self.unfinished: AbstractSet[int] = frozenset()
        """Partitions of the last round in which games may still be ready; the others had none left."""
        self._ahead = ahead
        self._spoiled: LRUCache[tuple[GameId, str], bool] = LRUCache(SPOILED)
        self._stale = Stale(TRIES)
        self._use = RecentUse()
        """The time that the games of each account took lately."""
        self._followers = open_followers(store, positions)
        self._changed: set[int] = set()
        """Partitions with commits of other processes that the followers may not have seen."""
        self._urgent: Callable[[], bool] = bool
        self.bots_share = 1.0
        """The share of the time that games with only bots may take."""
        self._bots_after = 0.0
        self._players_served = False

    @classmethod
    def in_process(cls, store: Store, **options: Any) -> Advance:
        """An instance with its own cache and key: for tests and tools."""
        signer = Signer(secrets.token_bytes(32))
        store.log.add_key(signer.key_id, signer.public.hex())
        return cls(store, Positions(store), signer, **options)

    def round(
        self, partitions: Sequence[int], urgent: Callable[[], bool] = lambda: False, woken: Iterable[int] = ()
    ) -> int:
        """Claim a batch of ready games in these partitions and settle their commands; returns how many were claimed.

        ``urgent`` returns whether a command has come in elsewhere. Then the round ends early, and the next one claims
        the game with a waiting player first. ``woken``: partitions in which followers may have missed something.
        """
        self._give_up_left()
        self.unfinished = frozenset(partitions)
        ready_again = self.follow(())  # those of a round that was interrupted
        ready = self._claims.longest_waiting(partitions) if len(partitions) > GAMES_A_CLAIM else partitions
        chosen, beyond = ready[:GAMES_A_CLAIM], ready[GAMES_A_CLAIM:]
        works = self._claims.claim(chosen, GAMES_A_CLAIM, LEASE, COMMITS_A_CLAIM)
        again = self._settle_or_leave(works, urgent) if works else ()
        ready_again |= self.follow(woken)
        self.unfinished = self._unfinished(chosen, works, again) | frozenset(beyond) | ready_again
        return len(works)

    def follow(self, partitions: Iterable[int]) -> set[int]:
        """Let the followers see the commits of this process, and whatever else they have not seen in these partitions.

        Returns the partitions of games to which they have submitted commands.
        """
        self._changed.update(partitions)
        self._changed = self._followers.follow(self._changed)
        while self._changed:
            self._changed = self._followers.follow(self._changed)
        ready, self._followers.ready = self._followers.ready, set()
        return ready

    def close(self) -> None:
        """End a job: nothing is lost without it, but another process looks at the last commits again."""
        self._followers.close()

    def rest(self) -> float:
        """Seconds to wait before games with only bots are settled, to keep them within their share."""
        return max(0.0, self._bots_after - time.monotonic())

    def players_served(self) -> bool:
        """Whether a player's command was settled since the last call."""
        served, self._players_served = self._players_served, False
        return served

    def _give_up_left(self) -> None:
        if self._left:
            # The store went away while these were claimed; release them instead of waiting for the leases to lapse.
            self._claims.release_all(self._left)
            self._left = []

    def _settle_or_leave(self, works: Sequence[Work], urgent: Callable[[], bool]) -> Sequence[GameId]:
        """Settle the commands of these games; on `StoreDown` they are released in the next round."""
        try:
            return self._settle(works, urgent)
        except StoreDown:
            self._left = [work.game_id for work in works]
            for game_id in self._left:
                self._positions.forget(game_id)
            raise

    def _unfinished(
        self, partitions: Sequence[int], works: Sequence[Work], again: Sequence[GameId]
    ) -> AbstractSet[int]:
        """Partitions to claim from again; games that become ready elsewhere have a wake."""
        if any(work.claims > 1 for work in works):
            return frozenset(partitions)  # some were returned because one game is processed alone
        claimed = Counter(self._schedule.partition(work.game_id) for work in works)
        full = {partition for partition, count in claimed.items() if count >= GAMES_A_CLAIM // len(partitions)}
        return full | {self._schedule.partition(game_id) for game_id in again}

    def _settle(self, works: Sequence[Work], urgent: Callable[[], bool]) -> Sequence[GameId]:
        """Settle the commands of claimed games until the round ends; returns games that are ready again at once."""
        self._settling.install()
        games = [work.game_id for work in works]
        round_ = SettleRound(dict.fromkeys(games, COMMITS_A_CLAIM), time.monotonic() + ROUND, self._ahead)
        self._urgent = throttled(urgent, CHECK)
        while works:
            if self.rest() > 0:
                works = [work for work in works if not self._waits(work)]
                if not works:
                    break
            works = sorted(works, key=self._turn)
            # Append players' commits before anything else is settled.
            players = sum(map(_has_player_command, works))
            self._players_served = self._players_served or players > 0
            later = works[players:] if players else ()
            going, untouched = self._pass(works[:players] or works, round_)
            untouched = [*untouched, *later]
            going = [game_id for game_id in going if round_.left[game_id] > 0 and game_id not in round_.dropped]
            if (going or untouched) and urgent():
                break
            works = [
                *untouched,
                *(self._claims.work(going, COMMITS_A_CLAIM) if time.monotonic() < round_.until else ()),
            ]
        kept = [game_id for game_id in games if game_id not in round_.dropped]
        return [game_id for game_id, ready in zip(kept, self._claims.release_all(kept), strict=True) if ready]

    def _turn(self, work: Work) -> tuple[int, float]:
        """Sort key for the order in which games are settled.

        Games with a player's command come first, games with only bots last; among equals, those of the account whose
        games took the least time lately.
        """
        facts, cached = self._positions.peek(work.game_id)
        use = self._use.of(facts.creator) if facts is not None else 0.0
        if _has_player_command(work):
            return 0, use
        return (2 if cached is not None and _only_bots(cached.position) else 1), use

    def _pass(self, works: Sequence[Work], round_: SettleRound) -> tuple[list[GameId], Sequence[Work]]:
        """Settle and append once for each game within a slice; returns games that may have more to do, and untouched ones."""
        batch: dict[GameId, Settled] = {}
        more: dict[GameId, None] = {}
        began = time.monotonic()
        soon = min(round_.until, began + PASS)
        untouched: Sequence[Work] = ()
        for place, work in enumerate(works):
            if place and (time.monotonic() >= began + SLICE or (self._waits(work) and self._urgent())):
                untouched, works = works[place:], works[:place]
                break
            game_id = work.game_id
            if not work.pending:
                if not self._look(work):
                    round_.dropped.add(game_id)
                continue
            begun = time.monotonic()
            settled = self._settled(work, round_.limit(work), soon, ahead=round_.goes_ahead(work))
            if (facts := self._positions.peek(game_id)[0]) is not None:
                self._use.add(facts.creator, time.monotonic() - begun)
            if self._waits(work):
                now = time.monotonic()
                self._bots_after = max(self._bots_after, now) + (now - begun) * (1 / self.bots_share - 1)
            if not settled.whole:
                round_.dropped.add(game_id)
            round_.left[game_id] -= len(settled.appends)
            if settled.line or work.garbled:
                more[game_id] = None
            if settled.appends:
                sign = (
                    not settled.line.goes_on or round_.left[game_id] <= 0 or time.monotonic() >= round_.until - UNSIGNED
                )
                settled.close(self._settling, signed=sign, done=settled.whole and game_id not in more)
                batch[game_id] = settled
        marked = {work.game_id for work in works if self._aside.is_in(work)}
        outcomes = self._appended(batch, round_, more)
        for game_id, error in outcomes.items():
            if error is None:
                self._stale.forget(game_id)
                if game_id in marked:
                    self._aside.take_back(game_id)
            elif self._stale.may_be_read_again(game_id, batch[game_id].appends[0].before, error):
                self._positions.forget(game_id)
                more[game_id] = None
            else:
                self._aside.put(game_id, error)
                more.pop(game_id, None)
                round_.dropped.add(game_id)
        self._settling.have_thought_over([batch[each].appends[-1] for each, error in outcomes.items() if error is None])
        return list(more), untouched

    def _waits(self, work: Work) -> bool:
        cached = self._positions.get_cached(work.game_id)
        return cached is not None and _only_bots(cached.position) and not _has_player_command(work)

    def _appended(
        self, batch: Mapping[GameId, Settled], round_: SettleRound, more: dict[GameId, None]
    ) -> Mapping[GameId, Exception | None]:
        """The result of each game's append. On `NotAlone`, appends only the commits of commands that were in the stream."""
        outcomes = self._append(batch)
        again = {game_id: batch[game_id] for game_id, error in outcomes.items() if isinstance(error, NotAlone)}
        if not again:
            return outcomes
        for game_id, settled in again.items():
            count = len(settled.appends)
            self._positions.store_cached(game_id, settled.cut(self._settling, self._positions.peek(game_id)[0]))
            round_.left[game_id] += count - len(settled.appends)
            round_.crowded.add(game_id)
            more[game_id] = None
        return {**outcomes, **self._append(again)}

    def _append(self, batch: Mapping[GameId, Settled]) -> Mapping[GameId, Exception | None]:
        appends = [append for settled in batch.values() for append in settled.appends]
        outcomes: dict[GameId, Exception | None] = {}
        began = time.perf_counter()
        results = self._log.append_and_read(appends, self._followers.fields) if appends else ()
        for call, result in zip(calls_of(appends), results, strict=True):
            game_id = call[-1].game_id
            if isinstance(result, Appended):
                outcomes.setdefault(game_id, None)
                self._followers.note(result, batch[game_id].steps)
            else:
                outcomes[game_id] = outcomes.get(game_id) or result
            if tracing.is_on():
                _trace(call, time.perf_counter() - began, None if isinstance(result, Appended) else result)
        return outcomes

    def _look(self, work: Work) -> bool:
        """Check a game without waiting commands; False if it was quarantined."""
        try:
            if work.garbled:
                raise BrokenLog(work.game_id, 0, "its queue contains an entry that is not a command")
            if self._aside.is_in(work):
                self._positions.forget(work.game_id)
                self._load(work.game_id)
                self._aside.take_back(work.game_id)
        except StoreDown:
            raise
        except Exception as error:  # noqa: BLE001 - as in `_settled`
            self._aside.put(work.game_id, error)
            return False
        return True

    def _load(self, game_id: GameId) -> tuple[GameConfig, CachedPosition]:
        """The game's current state; raises any error that prevents this release from continuing it."""
        loaded = self._positions.load(game_id)
        if loaded is None:
            raise UnknownEvent(f"a game {game_id!r} that has not started")
        facts, cached, fresh = loaded
        if fresh:
            self._log.must_be_whole(game_id)
            self._aside.check(facts, cached.position)
        return facts, cached

    def _settled(self, work: Work, limit: int, soon: float = inf, *, ahead: bool = True) -> Settled:
        """The commits of a game's pending submissions, at most ``limit``.

        With ``ahead`` also those of commands that these make due at once, until ``soon``. After `TooLong` the lease is
        not released, so that the next claim counts.
        """
        settled = self._begun(work, ahead=ahead)
        try:
            try:
                self._settle_some(work, limit, soon, settled)
            except Unshown:
                # One by one, to find the command after which the views cannot be computed.
                self._positions.forget(work.game_id)
                settled = self._begun(work, ahead=ahead)
                self._settle_some(work, limit, soon, settled, shown=True)
        except StoreDown:
            raise
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one game, the others go on
            self._aside.put(work.game_id, error)
            settled.appends.clear()
            settled.whole = False
        return settled

    def _begun(self, work: Work, *, ahead: bool) -> Settled:
        return Settled(PendingCommands(work, ahead=ahead, spoiled=self._spoiled), joined=self._ahead)

    def _settle_some(self, work: Work, limit: int, soon: float, settled: Settled, *, shown: bool = False) -> None:
        """Add commits to ``settled``; without ``shown`` the views are computed once, after the last commit of one call.

        Raises `Unshown` if that fails.
        """
        known = self._positions.get_cached(work.game_id)
        # No commands wait in a game that is over: the log went back. Reload a quarantined game.
        if self._aside.is_in(work) or (known is not None and known.position.over):
            self._positions.forget(work.game_id)
        facts, cached = self._load(work.game_id)
        clock, watched = clock_of(facts.pace, facts.started), self._log.watched(work.game_id)
        line, shown = settled.line, shown or not settled.joined
        waits = self._waits(work)
        while len(settled.appends) < limit and not cached.position.over:
            first = line.first()
            if first is None or (not first[0] and time.monotonic() >= soon):
                break
            if waits and settled.appends and not first[0] and self._urgent():
                break
            entry, document = first
            document = upheld(self._log, facts, cached.position, document, settled.appends)
            number = len(settled.appends)
            try:
                append, step, after = self._settling.one(
                    *(facts, clock, cached, entry, document, work.at, line.put_off()),
                    unseen=number == 0 and work.claims > CLAIMS,
                    shown=shown,
                    watched=watched,
                    joined=number > 0 and settled.joined,
                )
            except PastNotKept as far:
                cached = self._positions.extend_past(facts, cached, far.seq)
                continue
            except (NotAhead, TooLong):
                if not entry:
                    self._spoiled[work.game_id, document["id"]] = True
                    break
                about = {"game": work.game_id, "seq": cached.position.seq, "submission": document["id"]}
                log.exception("command_timed_out", request_id=document.get("request"), **about)
                settled.whole = False
                break
            settled.add(append, cached, step)
            cached = after
            self._positions.store_cached(work.game_id, cached)
        if settled.appends and not shown:
            self._show(facts, cached, settled, watched=watched)

    def _show(self, facts: GameConfig, cached: CachedPosition, settled: Settled, *, watched: bool) -> None:
        since = settled.appends[0].before
        try:
            settled.rows = self._settling.rows(facts, cached.position, since, watched=watched)
        except (Exception, TooLong) as error:
            raise Unshown from error


def _trace(call: Sequence[Append], seconds: float, error: Exception | None) -> None:
    result = "" if error is None else type(error).__name__
    for append in call:
        about = {"game": append.game_id, "seq": append.sealed.seq, "result": result}
        tracing.record(Span("append", append.request, "consumer", seconds, about, failed=error is not None))


def _has_player_command(work: Work) -> bool:
    return any(document.get("seat") != SYSTEM for _, document in work.pending)


def _only_bots(position: Position) -> bool:
    return position.table is not None and not position.table.players


def throttled(ask: Callable[[], bool], seconds: float) -> Callable[[], bool]:
    """Call ``ask`` at most once in so many seconds; return False in between."""
    asked = -inf

    def answer() -> bool:
        nonlocal asked
        now = time.monotonic()
        if now - asked < seconds:
            return False
        asked = now
        return ask()

    return answer
