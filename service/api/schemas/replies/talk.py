"""What was said, whom one does not hear, what was reported."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.fields import Text, Truth, Whole, example
from service.api.schemas.replies.base import GAME_ID, HEAD, MADE_AT, Reply, id_of, instant, seq_of
from service.projections.history.spoken import LONGEST


@example(
    {
        "seq": 41,
        "at": MADE_AT,
        "seat": 1,
        "to": [],
        "digest": HEAD,
        "words": "Well played!",
        "gone": None,
        "text": "Ash: “Well played!”",
    }
)
class Saying(Reply):
    seq = seq_of("The commit.")
    at = instant("When it was said.")
    seat = Whole(1, required=True, metadata={"description": "Who said it."})
    to = fields.List(
        Whole(1), required=True, metadata={"description": "The seats that it was said to; empty for everybody."}
    )
    digest = Text(64, required=True, metadata={"description": "SHA-256 of 16 random bytes and the words, hex."})
    words = Text(
        LONGEST,
        required=True,
        allow_none=True,
        metadata={"description": "As they were said; null where they are gone."},
    )
    gone = Text(
        20,
        required=True,
        allow_none=True,
        metadata={
            "description": "Why there are no words: `erased` by their author, or `muted`: you do not hear the seat."
        },
    )
    text = Text(4000, required=True, metadata={"description": "The same in a sentence."})


@example({"mode": "open", "said": [Saying.example], "after": 41, "more": False})
class TalkPage(Reply):
    mode = Text(
        20,
        required=True,
        allow_none=True,
        metadata={"description": "Who may talk, `open` or `partners`; null where nobody may, or before the start."},
    )
    said = fields.List(fields.Nested(Saying), required=True)
    after = seq_of("Where to go on: `?after=` of the next page.")
    more = Truth(required=True, metadata={"description": "Whether there is a next page now."})


@example({"game": GAME_ID, "seat": 1, "muted": [2]})
class Mutes(Reply):
    game = id_of()
    seat = Whole(1, required=True)
    muted = fields.List(Whole(1), required=True, metadata={"description": "The seats that you do not hear."})


@example({"id": "0a1b2c3d4e5f", "game": GAME_ID, "seq": 41, "why": "It is an insult."})
class Report(Reply):
    id = id_of()
    game = id_of()
    seq = seq_of("The commit in which it was said.")
    why = Text(500, required=True)
