"""Schemas of tournaments."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from domain.tournaments.life import STATES
from domain.tournaments.limits import MOST_GROUPS, MOST_PLACES, MOST_ROUNDS, MOST_SEASONS
from domain.tournaments.rules import FORMATS
from service.core.history.chat import MAX_LENGTH
from service.core.http.schemas.fields import (
    BooleanField,
    EnumField,
    IntegerField,
    StringField,
    example,
)
from service.core.http.schemas.replies.base import (
    COMMITMENT,
    GAME_ID,
    HEAD,
    MADE_AT,
    PLAYER_ID,
    Reply,
    id_of,
    instant,
    record,
)
from service.core.http.schemas.replies.games import PlayerReference
from service.core.http.schemas.requests import ENTROPY, HEX, GameRequest, Pace, Request

TOURNAMENT_ID = "rt2m5ab0k7gq3v1x"
LONGEST_NAME, LONGEST_TEXT = 38, MAX_LENGTH
"""A title of a game is the name, the round and the table, at most 60 characters."""


def _limit(least: int, most: int, about: str, default: int | None = None) -> IntegerField:
    """An optional number of a request."""
    usual = {} if default is None else {"load_default": lambda: default}
    return IntegerField(least, most, metadata={"description": about}, **usual)


@example(
    {
        "name": "Autumn Nim",
        "kind": "nim",
        "seats": 2,
        "pace": {"mode": "per_question", "hours": 24},
        "format": "swiss",
        "rounds": 5,
        "places": 24,
    }
)
class TournamentRequest(GameRequest):
    class Meta(GameRequest.Meta):
        """For marshmallow: what has no meaning in a tournament."""

        exclude = ("auto_start", "entropy", "sandbox", "title", "tags")

    name = StringField(LONGEST_NAME, 1, required=True)
    text = StringField(
        LONGEST_TEXT, load_default=str, metadata={"description": "Describes the tournament for players."}
    )
    seats = IntegerField(2, 6, required=True, metadata={"description": "Number of seats of each game."})
    pace = fields.Nested(
        Pace,
        required=True,
        metadata={"description": "`per_question` or `calendar`: without deadlines a tournament has no end."},
    )
    visibility = EnumField(
        "public",
        "unlisted",
        load_default=lambda: "public",
        metadata={"description": "`public` (the default): listed. `unlisted`: readable by anyone who knows the id."},
    )
    format = EnumField(
        *FORMATS,
        required=True,
        metadata={
            "description": "`swiss` needs `rounds`. `groups` needs `groups` and `advance`. `league` needs `groups` "
            "(its divisions) and `advance` (the entries that change between two divisions)."
        },
    )
    rounds = _limit(1, MOST_ROUNDS, "For `swiss`: number of rounds.")
    groups = _limit(1, MOST_GROUPS, "For `groups` and `league`: groups or divisions.")
    advance = _limit(
        0,
        MOST_PLACES,
        "For `groups`: entries of each group that play the final. For `league`: entries that "
        "rise and fall between two divisions after each season.",
    )
    seasons = _limit(1, MOST_SEASONS, "For `league`: number of seasons. Default 1.")
    seeding = EnumField(
        "lot",
        "rating",
        load_default=lambda: "lot",
        metadata={"description": "Order of the entries at the start: by lot (the default), or by rating."},
    )
    places = IntegerField(2, MOST_PLACES, required=True, metadata={"description": "Maximum number of entries."})
    min_entries = _limit(2, MOST_PLACES, "With fewer entries at the start the tournament is cancelled. Default 2.", 2)
    opens_at = instant("When registration opens. Default: at once.", required=False)
    starts_at = instant("When it starts. Default: when you start it.", required=False)
    start_when_full = BooleanField(
        load_default=lambda: False, metadata={"description": "Start as soon as all places are taken."}
    )
    round_start = EnumField(
        "when_over",
        "calendar",
        load_default=lambda: "when_over",
        metadata={
            "description": "`when_over` (the default): a round begins when all games of the round before are over. "
            "`calendar`: every `round_days` days, but never before the games that the pairing depends on are over."
        },
    )
    round_days = _limit(0, 365, "For `calendar`: days between the starts of two rounds. 0: all rounds begin at once.")
    late_rounds = _limit(
        0, MOST_ROUNDS, "For `swiss` and `league`: rounds that may have begun when a new entry is accepted. Default 0."
    )
    min_reliability = _limit(0, 100, "Lowest reliability of a player, in percent.", 0)
    min_rating = _limit(-1000, 10_000, "Lowest rating of a player.")
    max_rating = _limit(-1000, 10_000, "Highest rating of a player.")


@example({"entropy": "5eed"})
class TournamentEntryRequest(Request):
    entropy = StringField(
        128,
        pattern=ENTROPY,
        error=HEX,
        metadata={
            "description": "Your contribution to the dice of all your games, in hex. Default: made by the service."
        },
    )


def _number(about: str, **kwargs: Any) -> IntegerField:
    return IntegerField(required=True, metadata={"description": about}, **kwargs)


@example(
    {
        "id": TOURNAMENT_ID,
        "state": "running",
        "settings": TournamentRequest.example,
        "organizer": {"id": PLAYER_ID, "name": "Birk"},
        "entered": 2,
        "round": 1,
        "your_entry": "entered",
        "created_at": MADE_AT,
        "started_at": MADE_AT,
        "ended_at": None,
        "commitment": COMMITMENT,
        "seed": HEAD,
    }
)
class TournamentSummary(Reply):
    id = id_of()
    state = EnumField(
        *STATES,
        required=True,
        metadata={
            "description": "`announced`: registration has not opened. A cancelled tournament may have running games."
        },
    )
    settings = fields.Nested(
        TournamentRequest, required=True, metadata={"description": "As in the request, with all defaults."}
    )
    organizer = fields.Nested(PlayerReference, required=True)
    entered = _number("Number of entries, without reserves and withdrawn ones.")
    round = _number("Number of rounds that have begun.")
    your_entry = EnumField(
        "entered",
        "reserve",
        required=True,
        allow_none=True,
        metadata={"description": "Your entry. Null without a token, or if you have none."},
    )
    created_at = instant("When it was created.")
    started_at = instant("When it started. Null before that.", allow_none=True)
    ended_at = instant("When it ended or was cancelled. Null before that.", allow_none=True)
    commitment = id_of("SHA-256 of the seed of all lots, in hex.")
    seed = id_of("The seed of all lots, in hex. Null before the start.", allow_none=True)


@example({"tournaments": [TournamentSummary.example], "next": None})
class Tournaments(Reply):
    tournaments = fields.List(fields.Nested(TournamentSummary), required=True)
    next = StringField(
        120,
        required=True,
        allow_none=True,
        metadata={"description": "The cursor of the next page. Null on the last one."},
    )


@example({"first_round": 1, "player": {"id": PLAYER_ID, "name": "Birk"}})
class EntryHolder(Reply):
    first_round = _number("The first round for which the player has the place.")
    player = fields.Nested(PlayerReference, required=True)


@example(
    {
        "number": 1,
        "player": {"id": PLAYER_ID, "name": "Birk"},
        "state": "entered",
        "registered_at": MADE_AT,
        "first_round": 1,
        "last_round": None,
        "rating": 0,
        "holders": [EntryHolder.example],
    }
)
class TournamentEntryReply(Reply):
    number = _number("Number of the place. Null before the start, and for a reserve.", allow_none=True)
    player = fields.Nested(PlayerReference, required=True)
    state = EnumField("entered", "reserve", "withdrawn", required=True)
    registered_at = instant("When the place was registered for.")
    first_round = _number("The first round for which it is paired.")
    last_round = _number("The last round that had begun when it was withdrawn. Null if it was not.", allow_none=True)
    rating = fields.Float(
        required=True, metadata={"description": "The rating at registration, with two decimals. 0 if unknown."}
    )
    holders = fields.List(
        fields.Nested(EntryHolder),
        required=True,
        metadata={"description": "The players of the place, in order: the first one and substitutes."},
    )


@example(
    {
        "table": 1,
        "group": 1,
        "entries": [1, 2],
        "game": GAME_ID,
        "ranks": [1, 2],
        "reason": "last-object",
        "head": HEAD,
        "ended_at": MADE_AT,
    }
)
class TournamentTableReply(Reply):
    table = _number("Number of the table in its round.")
    group = _number("Group or division.")
    entries = fields.List(IntegerField(1), required=True, metadata={"description": "Numbers of the places, by seat."})
    game = id_of("The game. Null if the table is not played, because an entry was withdrawn.", allow_none=True)
    ranks = fields.List(
        IntegerField(1),
        required=True,
        allow_none=True,
        metadata={
            "description": "Place of each seat. Equal places are ties. Empty: no points. Null while it is played."
        },
    )
    reason = StringField(
        80,
        required=True,
        allow_none=True,
        metadata={"description": "Why the game ended. Null before that, or without a game."},
    )
    head = id_of("The head of the game when it ended. Null before that, or without a game.", allow_none=True)
    ended_at = instant("When the game ended. Null before that, or without a game.", allow_none=True)


@example(
    {
        "number": 1,
        "stage": 1,
        "started_at": MADE_AT,
        "byes": [3],
        "balance": {"fewest_meetings": 1, "most_meetings": 1, "fewest_games": 5, "most_games": 5, "seat_difference": 1},
        "tables": [TournamentTableReply.example],
    }
)
class TournamentRoundReply(Reply):
    number = _number("Number of the round.")
    stage = _number("Season of a league; 2 for the final after groups; otherwise 1.")
    started_at = instant("When the round began.")
    byes = fields.List(
        IntegerField(1), required=True, metadata={"description": "Places without a table in this round."}
    )
    balance = record(
        "How far the schedule of the stage, or all rounds so far, are from equal meetings of any two places, equal numbers of "
        "games, and an equal use of seats (`seat_difference`: the largest difference for one place)."
    )
    tables = fields.List(fields.Nested(TournamentTableReply), required=True)


@example({"place": 1, "entry": 1, "played": 1, "byes": 0, "values": {"points": 2, "wins": 1}})
class StandingsRowReply(Reply):
    place = _number("Rank in the standings, 1 for the first.")
    entry = _number("Number of the place in the tournament.")
    played = _number("Number of tables with a result.")
    byes = _number("Number of byes.")
    values = record(
        "The values of the tie-breaks, by name. `points` has 2 for each opponent who was beaten, and 1 for each tie."
    )


@example(
    {
        "stage": 1,
        "group": 1,
        "tie_breaks": ["points", "wins"],
        "rows": [StandingsRowReply.example],
        "crosstable": [[None]],
    }
)
class StandingsReply(Reply):
    stage = _number("Stage or season.")
    group = _number("Group or division.")
    tie_breaks = fields.List(
        StringField(40), required=True, metadata={"description": "What decides the order, the most important first."}
    )
    rows = fields.List(fields.Nested(StandingsRowReply), required=True)
    crosstable = fields.List(
        fields.List(IntegerField(allow_none=True)),
        required=True,
        metadata={
            "description": "Points of the place of each row against that of each column, in the order of `rows`. Null "
            "without a result."
        },
    )


@example(
    {
        **TournamentSummary.example,
        "waiting": None,
        "entries": [TournamentEntryReply.example],
        "rounds": [TournamentRoundReply.example],
        "standings": [StandingsReply.example],
    }
)
class TournamentReply(TournamentSummary):
    waiting = StringField(
        80,
        required=True,
        allow_none=True,
        metadata={
            "description": "Why some games have not been created: `too-many-running-games` until other games of the "
            "organizer are over. Null if none wait."
        },
    )
    entries = fields.List(fields.Nested(TournamentEntryReply), required=True)
    rounds = fields.List(fields.Nested(TournamentRoundReply), required=True)
    standings = fields.List(
        fields.Nested(StandingsReply),
        required=True,
        metadata={"description": "For each group of each stage, the newest stage first. Empty before the start."},
    )
