"""Adds chat messages to the history lines that refer to them. Messages are stored outside the log, so they can be erased."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from domain.kernel.terms import GameId, PlayerId, Seat
from domain.table.talk import CLOSED, ERASED, MUTED
from service.core.accounts.apart import FindApart, Separation
from service.core.accounts.names import MAX_COMBINING_MARKS, is_plain
from service.core.history.narration import Narrator
from service.store import typed
from service.store.ports.lobbies import Lobby
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

MESSAGES, SALTS, MUTES, SPEAKERS = "words", "salts", "mutes", "speakers:"
"""Namespaces of notes. ``words`` has messages by their digest in the log, ``salts`` random bytes by command id.
``mutes`` has ``<reader>:<seat>`` for muted seats. ``speakers:`` and a player id has the games in which they wrote."""

MAX_LENGTH, MAX_LINES = 1000, 20
LENGTH_REQUIREMENT = f"Must have 1 to {MAX_LENGTH} characters on at most {MAX_LINES} lines."
"""Maximum length of a message, in characters and in lines."""

MESSAGE_LINE = "said"


class ChatMessage(msgspec.Struct, frozen=True):
    """The stored form of one message."""

    text: str
    salt: str
    """16 random bytes, hex."""
    player: PlayerId
    """The author, who may erase the message even after losing the seat."""
    command: str
    """The id of the command that sent it."""


_DECODER = typed.decoder(ChatMessage)


def find_fault(text: str) -> str:
    """What is wrong with a message; empty if it is allowed."""
    lines = text.split("\n")
    if not len(text.strip()) >= 1 or len(text) > MAX_LENGTH or len(lines) > MAX_LINES:
        return LENGTH_REQUIREMENT
    if not all(map(is_plain, lines)):
        return "Must not contain control characters, text direction marks or invisible characters."
    marks = "".join("m" if unicodedata.category(char)[0] == "M" else "." for char in unicodedata.normalize("NFD", text))
    if marks.startswith("m") or "m" * (MAX_COMBINING_MARKS + 1) in marks:
        return "Must not stack combining marks."
    return ""


def load_messages(store: Store, game_id: GameId, digests: Iterable[str]) -> Mapping[str, ChatMessage]:
    """The messages that still exist, by their digests in the log."""
    notes = store.notes.read(game_id, MESSAGES, list(digests))
    return {digest: _DECODER.decode(note) for digest, note in notes.items()}


def get_salt(store: Store, lobby: Lobby, command: str, fresh: bytes) -> bytes:
    """The random bytes of a command; ``fresh`` if it has none. A finished game stores no new bytes."""
    if lobby.status != "over":
        return store.notes.keep(lobby.id, SALTS, command, fresh)
    return store.notes.read(lobby.id, SALTS, [command]).get(command, fresh)


def store_message(store: Store, game_id: GameId, digest: str, words: ChatMessage) -> bool:
    """Store a message before its commit. Returns whether it is new."""
    if store.notes.read(game_id, MESSAGES, [digest]):
        return False
    store.notes.put(NO_GAME, SPEAKERS + words.player, game_id, b"1")
    store.notes.put(game_id, MESSAGES, digest, msgspec.json.encode(words))
    # Written a second time: an erasure of all the player's messages that runs in between forgets the game.
    store.notes.put(NO_GAME, SPEAKERS + words.player, game_id, b"1")
    return True


def erase_message(store: Store, game_id: GameId, digest: str, words: ChatMessage) -> None:
    """Erase a message together with its random bytes."""
    store.notes.erase(game_id, SALTS, [words.command])
    store.notes.erase(game_id, MESSAGES, [digest])


def erase_all(store: Store, player_id: PlayerId) -> int:
    """Erase all messages of a player, in all games. Returns their number."""
    erased = 0
    for game in store.notes.all(NO_GAME, SPEAKERS + player_id):
        game_id = GameId(game)
        for digest, note in store.notes.all(game_id, MESSAGES).items():
            words = _DECODER.decode(note)
            if words.player == player_id:
                erase_message(store, game_id, digest, words)
                erased += 1
        store.notes.erase(NO_GAME, SPEAKERS + player_id, [game])
    return erased


def list_muted_seats(store: Store, game_id: GameId, reader: Seat) -> frozenset[Seat]:
    """The seats that the player of this seat has muted."""
    notes = store.notes.all(game_id, MUTES)
    own = {name.partition(":")[2]: player for name, player in notes.items() if name.startswith(f"{reader}:")}
    if not own:
        return frozenset()
    lobby = store.lobbies.get(game_id)
    holder = None if lobby is None else lobby.chairs[reader - 1].holder
    return frozenset(Seat(int(seat)) for seat, player in own.items() if player.decode() == holder)


def _find_apart_authors(
    store: Store, game_id: GameId, reader: Seat, words: Mapping[str, ChatMessage], find_apart: FindApart
) -> Mapping[PlayerId, Separation]:
    """The authors of these messages whom the player of a seat must not hear, whatever seats they have."""
    lobby = store.lobbies.get(game_id)
    holder = None if lobby is None else lobby.chairs[reader - 1].holder
    authors = {each.player for each in words.values()} - {holder}
    return find_apart(store, PlayerId(holder), sorted(authors)) if holder is not None and authors else {}


def add_messages(
    store: Store,
    game_id: GameId,
    entries: Iterable[Mapping[str, Any]],
    seat: Seat | None,
    narrator: Narrator,
    find_apart: FindApart,
    is_closed: Callable[[], bool],
) -> None:
    """Add the messages to the lines of entries that a seat (None: the public) may read.

    A player reads no message of another one that was written since the two must not reach each other (``find_apart``).
    ``is_closed`` is called only if a message went to some seats. It returns whether others can read what the seat
    reads.
    """
    lines = [(entry, line) for entry in entries for line in entry["lines"] if line["type"] == MESSAGE_LINE]
    if not lines:
        return
    words = load_messages(store, game_id, [line["digest"] for _, line in lines])
    unheard = frozenset[Seat]() if seat is None else list_muted_seats(store, game_id, seat)
    apart = {} if seat is None else _find_apart_authors(store, game_id, seat, words, find_apart)
    closed = any(line["to"] for _, line in lines) and is_closed()
    for entry, line in lines:
        found = words.get(line["digest"])
        separation = None if found is None else apart.get(found.player)
        if closed and line["to"]:
            line["gone"] = CLOSED
        elif separation is not None and entry["at"] >= separation.since:
            line["gone"] = MUTED if separation.is_own else CLOSED
        elif line["seat"] in unheard:
            line["gone"] = MUTED
        elif found is None:
            line["gone"] = ERASED
        else:
            line["words"] = found.text
        line["text"] = narrator.narrate(line)
