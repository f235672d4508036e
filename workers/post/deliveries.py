"""The socket of the ways in which a word is delivered: webhooks are one.

A new one is a file beside this with a class that has `Delivery`'s method, and a line in `workers.post.kinds`; somebody makes
subscriptions of that kind (`service.store.ports.outbox.Subscription`) and has games told to them (`service.post.listening`).
It is handed what a subscription is owed of one game: ``owed.told`` says how far that has been told, ``news`` what happened
since. It answers how far it is told now. To be asked again at some instant though no commit comes - another try, a letter
that waits whether its reader answers by themself, the hour of a digest - it says ``again``; until then it is not asked about
this game, whatever is appended there. It may be asked twice for the same after a worker was killed, and must let the receiver
see that it is the same. It runs in a thread of its own, as long as it needs: bounded, because the others of its subscription
wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from domain.terms import GameId, Seq
from service.post.news import News
from service.process.figures.catalogue import kind_of_delivery
from service.process.logs import logger
from service.settings import Settings
from service.store.ports.outbox import Owed, Subscription, Told
from service.store.redis.store import Store

log = logger("post")


@dataclass(frozen=True, slots=True)
class Post:
    """What every delivery works with."""

    store: Store
    settings: Settings
    news: News


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of it."""

    told: Told | None
    """How far it has been told now; None for what was owed besides commits."""
    again: int | None = None
    """When it is to be looked at again, milliseconds by the store's clock; None for as soon as there is something new."""
    failed: bool = False
    """The receiver did not take it: its other words wait a little, and it holds up none but such as itself."""


STRANGERS = 60_000
"""Milliseconds for which a game is still told to whose it is not: somebody who takes a seat listens before it is theirs."""


def to_strangers(store: Store, owed: Owed, told: Told, seq: Seq, *, waits: bool = False) -> Verdict:
    """What becomes of commits up to ``seq`` where the game is not the owner's, or not yet: they are told nothing of it.

    As long as it is so told it takes the place of somebody who may listen; so after a while it is no more, unless its owner
    ``waits`` for a seat there, which is theirs with the commit by which they are agreed to.
    """
    now = store.schedule.now()
    since = int(told.note) if told.note.isdecimal() else now
    if now - since >= STRANGERS and not waits:
        store.outbox.leave([owed.game_id], owed.subscription)
    return Verdict(Told(seq, note=str(since)))


def log_attempt(
    store: Store,
    subscription: Subscription,
    game: str | None,
    seq: int | None,
    state: str,
    request: str | None = None,
    /,
    **about: Any,
) -> None:
    """Write a line about an attempt to deliver something of a commit, with the request that it came of; never with an address."""
    if request is None:
        request = store.outbox.caused(GameId(game), seq) if game and seq else ""
    where = {
        "kind": kind_of_delivery(subscription.kind),
        "subscription": subscription.id,
        "game": game,
        "seq": seq,
        "request_id": request,
    }
    if state == "delivered":
        log.info("delivery_succeeded", **where, **about)
    else:
        log.warning("delivery_failed", state=state, **where, **about)


def seq_of(what: str) -> int:
    """The commit that a letter or notice about something owed (``<kind>:<question or seq>``) was caused by; 0 for none."""
    first = what.partition(":")[2].partition(":")[0]
    return int(first) if first.isdecimal() else 0


class Delivery(Protocol):
    """A way in which words are delivered."""

    def deliver(self, owed: Owed, told: Told, subscription: Subscription) -> Verdict:
        """See to what is owed, one word of it at least; ``told`` is how far it has been told.

        For what was put there besides commits (``owed.what``), ``told`` says nothing. Raises `StoreDown`, `BrokenLog` and
        `UnknownEvent`; then it is tried again.
        """
