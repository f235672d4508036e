"""Routes for chat messages in a game: send, read and erase."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response

from domain.kernel.shape import as_document
from domain.kernel.terms import GameId, Seat
from domain.table.talk import TALK, Say
from service.core.accounts.scopes import ACCOUNT_WRITE, CHAT_WRITE, GAMES_READ
from service.core.history import chat
from service.core.history.lines import build_entry, decode_commit
from service.core.history.narration import Narrator
from service.core.http.access.auth import GameAccess, authorize, optional_caller, required_caller
from service.core.http.access.ids import command_id
from service.core.http.access.reading import find_message, progress, read_commits, reader_in
from service.core.http.access.submission import build_batch, submit_and_wait
from service.core.http.context.app import current_context
from service.core.http.context.offload import ReadContext
from service.core.http.limits.rates import count_hourly
from service.core.http.problems import CommandRefused, Problem, invalid_fields
from service.core.http.reference.parameters import ENTRIES, FURTHEST, MOST_ENTRIES
from service.core.http.reference.routes import documented
from service.core.http.request_ids import request_id
from service.core.http.responses import (
    head_header,
    idempotency_key,
    json_response,
    next_page_header,
    no_content,
    preferred_wait,
    query_number,
    revalidation_headers,
)
from service.core.http.schemas import replies
from service.core.http.schemas.requests import read_body
from service.core.positions.game_config import GameConfig
from service.features.chat.schemas import PARTNER, MessagePage, MessageRequest

blueprint = Blueprint("chat", __name__)

GAME_FACTOR = 5
"""The hourly limit of a game, as a multiple of an account's limit."""

NOT_TAKEN = frozenset(
    (
        *("key-reused", "too-many-refusals", "too-many-unrequested-commands", "too-many-pending", "game-over"),
        *("quarantined", "needs-release", "not-started", "unknown-game"),
    )
)
"""The problems of messages that the store does not accept."""


@blueprint.post("/v1/games/<game>/talk")
@documented(
    "Send a chat message",
    operation="sendMessage",
    scope=CHAT_WRITE,
    text="Sends a message to everyone in the game, to some seats, or to your partner. The text is stored outside "
    "the game's log, which contains only its salted digest. Readers who may see the message find the text "
    "in its history line until you erase it. The response is the same as for a command.",
    takes=MessageRequest,
    gives={200: replies.CommandOutcome, 202: replies.CommandPending},
    problems=(
        *("unknown-game", "not-your-seat", "not-started", "game-over", "key-reused", "refusal"),
        *(
            "too-many-refusals",
            "too-many-unrequested-commands",
            "too-many-pending",
            "too-many-messages",
            "too-much-work",
        ),
    ),
    parameters=("seat", "Idempotency-Key", "Prefer"),
    auth="required",
    answer="The result of the command.",
    headers=("Game-Head", "Location", "Preference-Applied"),
)
def say(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    seat, credential = access.own_seat, access.credential
    body = read_body(MessageRequest)
    text = body["text"].replace("\r\n", "\n")
    if wrong := chat.find_fault(text):
        raise invalid_fields([("/text", wrong)])
    access.require_started()
    assert credential is not None
    context = access.context
    per_hour = context.settings.rate_talk
    count_hourly(context.store.accounts, f"talk:{credential.player}", per_hour, "too-many-messages")
    count_hourly(context.store.accounts, f"talk-in:{game_id}", per_hour * GAME_FACTOR, "too-many-messages")
    to = _listeners(access, seat, body.get("to", ()))
    key, fresh = idempotency_key(), secrets.token_bytes(16)
    id_ = command_id(game_id, credential.player, key)
    # The same message under the same key must have the same digest.
    salt = fresh if key is None else chat.get_salt(context.store, access.lobby, id_, fresh)
    digest = hashlib.sha256(salt + text.encode()).hexdigest()
    words = chat.ChatMessage(text, salt.hex(), credential.player, id_)
    is_new = access.lobby.status != "over" and chat.store_message(context.store, game_id, digest, words)
    try:
        sending = build_batch(credential, seat, as_document(Say(digest, to)), id_, None, access.tenure, access.by)
        told = submit_and_wait(access, sending, preferred_wait(), request_id())
    except CommandRefused:
        chat.erase_message(context.store, game_id, digest, words)
        raise
    except Problem as problem:
        if is_new and problem.code in NOT_TAKEN:
            context.store.notes.erase(game_id, chat.MESSAGES, [digest])
        raise
    entries = [told.document] if "lines" in told.document else []
    chat.add_messages(context.store, game_id, entries, seat, access.narrator, context.find_apart, lambda: False)
    return told.response()


def _listeners(access: GameAccess, seat: Seat, to: Sequence[int | str]) -> tuple[Seat, ...]:
    """The recipients. Raises the problem of a partner whom the seat does not have."""
    if PARTNER not in to:
        return tuple(Seat(int(each)) for each in to)

    def found(reads: ReadContext, facts: GameConfig) -> tuple[Seat, ...]:
        return tuple(sorted(facts.game.rules.allies(reads.positions.read_newest(facts).state, seat)))

    partners = access.compute(found)
    if not partners:
        raise invalid_fields([("/to", "You have no partner in this game.")])
    return (*partners, *(Seat(int(each)) for each in to if each != PARTNER))


@blueprint.get("/v1/games/<game>/talk")
@documented(
    "List chat messages",
    operation="listMessages",
    scope=GAMES_READ,
    text="Returns the messages that your seat can read, oldest first. The public reads only messages to "
    "everyone. Page with `after` (a seq) or `before`. With `before`, you get the last page before that "
    "commit, so `before=999999999` returns the newest page. Messages to some seats remain private after the "
    "game.",
    gives={200: MessagePage},
    problems=("unknown-game", "not-your-seat", "too-much-work"),
    parameters=("after", "before", "entries", "seat"),
    answer="A page of messages.",
    headers=("Game-Head", "Link"),
)
def talk(game_id: GameId) -> Response:
    access = authorize(game_id, optional_caller())
    if access.others_seat is not None:
        raise Problem("not-your-seat")
    limit = query_number("limit", ENTRIES, 1, MOST_ENTRIES)
    after, before = query_number("after", 0, 0, FURTHEST), query_number("before", 0, 1, FURTHEST)
    seq, head = 0, ""
    if access.lobby.status != "lobby":
        seq, head, _ = progress(access.context, game_id)
    if not seq:
        document: dict[str, Any] = {"mode": None, "messages": [], "after": after, "more": False}
    else:
        seat, narrator = access.seat, access.narrator
        document = access.compute(lambda reads, facts: _page(reads, facts, seat, narrator, (after, before), limit))
    headers = {**revalidation_headers(None if access.player_id is None else 0), **head_header(seq, head)}
    return json_response(
        document, headers={**headers, **(next_page_header(after=document["after"]) if document["more"] else {})}
    )


def _page(
    reads: ReadContext,
    facts: GameConfig,
    seat: Seat | None,
    narrator: Narrator,
    between: tuple[int, int],
    limit: int,
) -> dict[str, Any]:
    """A page of messages after a commit, or, with a commit to come before, of the last ones before it."""
    position = reads.positions.read_newest(facts)
    memory = TALK.memory_at(position.table)
    if memory is None:
        return {"mode": None, "messages": [], "after": between[0], "more": False}
    (after, before), reader = between, reader_in(reads, facts, seat)
    asked = [seq for seq in memory.read_by(reader.seat_at) if seq > after and (not before or seq < before)]
    wanted = asked[-limit:] if before else asked[:limit]
    entries = [
        shown
        for stored in read_commits(reads, facts, wanted)
        if (shown := build_entry(facts.game, decode_commit(facts.game, stored), stored.head, reader, narrator))
        is not None
    ]
    chat.add_messages(reads.store, facts.id, entries, seat, narrator, reads.find_apart, lambda: False)
    more = not before and len(asked) > limit
    return {
        "mode": memory.mode,
        "messages": [_saying(each) for each in entries],
        "after": wanted[-1] if more else max(after, position.seq),
        "more": more,
    }


def _saying(shown: Mapping[str, Any]) -> dict[str, Any]:
    line = next(line for line in shown["lines"] if line["type"] == chat.MESSAGE_LINE)
    told = {name: line.get(name) for name in ("seat", "digest", "words", "gone", "text")}
    return {"seq": shown["seq"], "at": shown["at"], **told, "to": list(line["to"])}


@blueprint.delete("/v1/games/<game>/talk/<int:seq>")
@documented(
    "Erase a chat message",
    operation="deleteMessage",
    scope=CHAT_WRITE,
    text="The text and its salt are erased permanently. The log still shows that a message was sent.",
    gives={204: None},
    problems=("unknown-game", "unknown-message"),
    auth="required",
    answer="The message is erased.",
)
def erase(game_id: GameId, seq: int) -> Response:
    access = authorize(game_id, required_caller())
    digest = find_message(access, seq)
    words = None if digest is None else chat.load_messages(access.context.store, game_id, [digest]).get(digest)
    if digest is None or words is None or words.player != access.player_id:
        raise Problem("unknown-message")
    chat.erase_message(access.context.store, game_id, digest, words)
    return no_content()


@blueprint.delete("/v1/me/talk")
@documented(
    "Erase all my chat messages",
    operation="deleteMyMessages",
    scope=ACCOUNT_WRITE,
    text="Does the same as `DELETE /v1/games/{game}/talk/{seq}` for all your messages in all games.",
    gives={204: None},
    problems=(),
    auth="required",
    answer="All your messages are erased.",
)
def erase_mine() -> Response:
    credential = required_caller()
    chat.erase_all(current_context().store, credential.player)
    return no_content()
