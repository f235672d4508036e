"""Computes the lists again from exports, and compares them with published documents. Needs no server."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec

from domain.kernel.terms import GameId
from service.audit.auditor import find_fault
from service.audit.parser import InvalidLine, parse_outline
from service.features.ratings.computation import RatedGame, RatingList, compute
from service.features.ratings.publication import FORMAT, NUMBER, describe_ratings, describe_result
from service.features.ratings.results import GameResult, NotFinished, read_result


class NotReadable(ValueError):
    """A file cannot be used. The message says why."""


class _PublishedGame(msgspec.Struct, frozen=True):
    game: GameId
    head: str
    ended: int
    players: tuple[str, ...]
    teams: tuple[tuple[int, ...], ...]
    places: tuple[int, ...]
    clause: str


class _PublishedRating(msgspec.Struct, frozen=True):
    mu: str
    sigma: str
    games: int


class _PublishedList(msgspec.Struct, frozen=True):
    list: str
    games: tuple[_PublishedGame, ...]
    ratings: Mapping[str, _PublishedRating]


class _Document(msgspec.Struct, frozen=True):
    format: str
    number: int
    place: int
    previous: str
    day: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\d\Z")]
    at: int
    release: str
    lists: Annotated[tuple[_PublishedList, ...], msgspec.Meta(min_length=1)]


@dataclass(frozen=True, slots=True)
class PublishedLists:
    """What documents say, from the first to the newest."""

    day: str
    """Of the newest."""
    place: int
    sha256: str
    games: Mapping[GameId, Mapping[str, Any]]
    """The newest entry of each game."""
    ratings: Mapping[str, Mapping[str, Any]]
    """By list, in the newest document."""


@dataclass(frozen=True, slots=True)
class RecomputedLists:
    """The lists from exports, and where they differ from the documents."""

    lists: Mapping[str, RatingList]
    differences: Sequence[str] = field(default_factory=list)
    """A sentence each."""


def read_documents(files: Iterable[bytes]) -> PublishedLists:
    """The content of published documents, given in any order. Raises `NotReadable` unless they are a whole chain."""
    found: dict[int, tuple[_Document, str]] = {}
    for data in files:
        try:
            document = msgspec.json.decode(data, type=_Document)
        except msgspec.MsgspecError as error:
            raise NotReadable(f"it is not a published list: {error}") from error
        if (document.format, document.number) != (FORMAT, NUMBER):
            raise NotReadable(f"it is not {FORMAT} of the number {NUMBER}")
        if document.place in found:
            raise NotReadable(f"document {document.place} is given twice")
        _check_entries(document)
        found[document.place] = document, hashlib.sha256(data).hexdigest()
    games: dict[GameId, Mapping[str, Any]] = {}
    previous = ""
    for place in range(1, len(found) + 1):
        if place not in found:
            raise NotReadable(f"document {place} is missing; every document from the first to the newest is needed")
        document, digest = found[place]
        if document.previous != previous:
            raise NotReadable(
                f"document {place} does not follow document {place - 1}: its `previous` is another digest"
            )
        previous = digest
        for each in (each for one in document.lists for each in one.games):
            if games.get(each.game, {"players": list(each.players)})["players"] != list(each.players):
                raise NotReadable(f"the players of the game {each.game} differ between documents")
            games[each.game] = _as_json(each)
    ratings = {each.list: _as_json(each.ratings) for each in document.lists}
    return PublishedLists(document.day, document.place, previous, games, ratings)


def _check_entries(document: _Document) -> None:
    """Raises `NotReadable` if a list or a game is there twice."""
    names = [each.list for each in document.lists] + [each.game for one in document.lists for each in one.games]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise NotReadable(f"document {document.place} has {twice} twice")


def _as_json(value: Any) -> Any:
    """As a reader of JSON gets it: with lists, not tuples."""
    return msgspec.json.decode(msgspec.json.encode(value))


def read_export(data: bytes) -> GameResult:
    """The result of a game from its export. Raises `NotReadable` if a check of the file fails."""
    try:
        export = parse_outline(data)
        fault = find_fault(data, export)
        if fault is not None:
            raise NotReadable(f"it fails the audit: {fault}")
        return read_result(export)
    except (InvalidLine, NotFinished) as error:
        raise NotReadable(str(error)) from error
    except LookupError as error:
        raise NotReadable(f"this release cannot read the game: {error!r}") from error


def recompute(results: Iterable[GameResult], seats: Mapping[GameId, Sequence[str]]) -> dict[str, RatingList]:
    """Every list from results, in any order, and who had each seat at the start. Raises `NotReadable` for a wrong seat."""
    lists: defaultdict[str, list[RatedGame]] = defaultdict(list)
    for result in {each.game: each for each in results}.values():
        players = tuple(seats.get(result.game, ()))
        if tuple(each if each.startswith("bot:") else "" for each in players) != result.bots:
            raise NotReadable(f"{result.game}: the players of its {result.seats} seats are not known")
        rated = RatedGame(result, players)
        lists[rated.list_key].append(rated)
    return {name: compute(games)[0] for name, games in sorted(lists.items())}


def compare(results: Sequence[GameResult], published: PublishedLists) -> RecomputedLists:
    """The lists from exports, and their differences from the published ones. Raises `NotReadable` for a wrong seat."""
    by_game = {each.game: each for each in results}
    wrong = [f"{game}: its export is missing" for game in published.games.keys() - by_game.keys()]
    for game, result in by_game.items():
        entry = published.games.get(game)
        if entry is not None:
            again = {**describe_result(result), "players": entry["players"]}
            wrong += [
                f"{game}: `{name}` is {entry[name]} in the list and {again[name]} by its export"
                for name in again
                if again[name] != entry[name]
            ]
    if wrong:
        return RecomputedLists({}, sorted(wrong))
    used = [each for each in results if each.game in published.games]
    lists = recompute(used, {game: entry["players"] for game, entry in published.games.items()})
    for name in sorted(lists.keys() | published.ratings.keys()):
        mine = describe_ratings(lists[name].ratings) if name in lists else {}
        theirs = published.ratings.get(name, {})
        wrong += [
            f"{name}: the rating of {who} is {theirs.get(who)} in the list and {mine.get(who)} by the exports"
            for who in sorted(mine.keys() | theirs.keys())
            if mine.get(who) != theirs.get(who)
        ]
    return RecomputedLists(lists, wrong)
