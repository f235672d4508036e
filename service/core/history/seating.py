"""Display names of seats, which cannot be confused with each other or with a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from domain.kernel.terms import PlayerId, Seat
from domain.registry import GAMES
from domain.table import bots
from service.core.accounts.names import clean_name, get_skeleton, is_numbered, reads_as_sentence
from service.core.history.language import LANGUAGES, Language
from service.store.ports.lobbies import Lobby, is_bot
from service.store.redis.accounts import Accounts

RESERVED_WORDS = frozenset(
    [
        "me",
        "myself",
        "you",
        "everybody",
        "public",
        "policy",
        "sitter",
        "plan",
        "system",
        "service",
        "admin",
        "administrator",
        "operator",
        "moderator",
        "oraclewheel",
    ]
) | {"the service", "oracle wheel", "the operator", "the game"}
"""Names by which the service, its responses and its addresses refer to themselves, to a reader, or to a player's proxies."""

_NUMBERED = re.compile(r"[\W\d_]+\Z")
_QUOTES = dict.fromkeys(map(ord, '"\u201c\u201d\u201e\u201f\u00ab\u00bb'), "\N{RIGHT SINGLE QUOTATION MARK}")


def load_player_names(accounts: Accounts, holders: Sequence[str | None]) -> dict[PlayerId, str]:
    """The names of the players among the holders of seats, by id. Erased accounts are left out."""
    people = sorted({PlayerId(holder) for holder in holders if holder is not None and not is_bot(holder)})
    return {id_: player.name for id_, player in accounts.players(people).items()} if people else {}


def build_seat_names(
    holders: Sequence[str | None],
    known: Mapping[PlayerId, str],
    language: str = "en",
    sides: Mapping[Seat, str] | None = None,
    *,
    in_sentences: bool = False,
) -> dict[Seat, str]:
    """The display name of each seat: its player's name, its bot with the side it plays, the side, or the seat number.

    ``holders`` are as in a lobby's chairs. Names that look like each other, or like reserved words, get the seat number
    appended. With ``in_sentences`` a name that could be read as part of the sentence is quoted.
    """
    words, sides = LANGUAGES[language], sides or {}
    names: dict[Seat, str] = {}
    numbered: Counter[Seat] = Counter()
    units: dict[Seat, str] = {}
    for number, holder in enumerate(holders, 1):
        seat = Seat(number)
        given = "" if is_bot(holder) else clean_name(known.get(PlayerId(holder or ""), ""))
        names[seat] = given or _describe_seat(seat, holder, sides.get(seat, ""), words)
        if given and (is_numbered(given) or is_reserved(given)):
            numbered[seat] = 1
        if given and in_sentences and reads_as_sentence(given):
            units[seat] = words.unit.format(given.translate(_QUOTES))
    twins: set[Seat] = set()
    while True:
        distinct = {seat: _append_number(name, seat, numbered[seat], words) for seat, name in names.items()}
        looks = Counter(map(get_skeleton, distinct.values()))
        more = {seat for seat, name in distinct.items() if looks[get_skeleton(name)] > 1} - twins
        if not more:
            return {
                seat: _append_number(units.get(seat, name), seat, numbered[seat], words) for seat, name in names.items()
            }
        twins |= more
        numbered.update(more)


@dataclass(frozen=True, slots=True)
class GameHeading:
    """What tells a reader which of their games this is."""

    title: str
    opponents: Sequence[Mapping[str, Any]]
    """The ``seat`` and ``name`` of the seats that are not the reader's."""
    text: str
    """Title, kind and opponents: ``Amber Harbor (Nim with Birk)``."""


def describe_game(lobby: Lobby, names: Mapping[Seat, str], own: Collection[Seat]) -> GameHeading:
    """The heading of a game for a reader with the seats ``own``; ``names`` are those of all seats."""
    kind = GAMES[lobby.kind].title if lobby.kind in GAMES else lobby.kind  # another release may have the kind
    opponents = [{"seat": seat, "name": name} for seat, name in names.items() if seat not in own]
    others = [name for seat, name in names.items() if seat not in own]
    if others:
        kind += f" with {' and '.join(filter(None, (', '.join(others[:-1]), others[-1])))}"
    return GameHeading(lobby.title, opponents, f"{lobby.title} ({kind})")


def _describe_seat(seat: Seat, holder: str | None, side: str, words: Language) -> str:
    bot = (holder or "").partition(":")[2]
    if is_bot(holder):
        return words.side.format(side, bot) if side else words.bot.format(bot)
    return side or words.seat.format(seat)


def _append_number(name: str, seat: Seat, times: int, words: Language) -> str:
    for _ in range(times):
        name = words.twin.format(name, seat)
    return name


def is_reserved(name: str) -> bool:
    """Whether this player name could be mistaken for a reserved one. A number appended to it makes no difference."""
    unnumbered = _NUMBERED.sub("", unicodedata.normalize("NFKD", name))
    return not load_reserved_names().isdisjoint((get_skeleton(name), get_skeleton(unnumbered)))


@lru_cache(maxsize=1)
def load_reserved_names() -> frozenset[str]:
    """Skeletons (`get_skeleton`) of the names that no player may have, in all languages.

    These are the service, seats, bots, sides with or without their bot, the words for "no one", and actors on the board
    that are not players.
    """
    names = {bot for game in GAMES.values() for bot in bots.all_names(game)}
    taken = {"bot", "the bot", *RESERVED_WORDS, *(f"bot {name}" for name in names)}
    sides = {side for game in GAMES.values() for side in game.presentation.sides}
    for words in LANGUAGES.values():
        taken |= {
            words.system,
            words.nobody,
            "nobody",
            words.nothing,
            *(words.seat.format(n) for n in ("", *range(100))),
        }
        taken |= {words.bot.format(name) for name in names} | {f"{name} bot" for name in names}
        taken |= {words.side.format(side, name) for side in sides for name in names}
    for acting in (sides, *(game.presentation.actors for game in GAMES.values())):
        taken |= {form for name in acting for form in (name, f"the {name}", name.removeprefix("the "))}
    return frozenset(map(get_skeleton, taken))
