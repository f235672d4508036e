"""Schemas of studies."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import MAX_SAFE_INTEGER, EnumField, IntegerField, StringField, example
from service.core.http.schemas.replies.base import GAME_ID, MADE_AT, Reply, id_of, instant, seq_of
from service.core.http.schemas.requests import MAX_TITLE, Request

STUDY_ID = "gr7m2c0kz4tq9xvb"


@example({"at": 40, "draw": 7, "name": "Attack in the north"})
class StudyRequest(Request):
    at = IntegerField(1, metadata={"description": "The commit to start from. Default: the newest."})
    draw = IntegerField(
        0,
        MAX_SAFE_INTEGER,
        metadata={
            "description": "Draws everything hidden from your seat. The same number gives the same position. Default: random. "
            "Without it, a study of a study keeps the position as it is."
        },
    )
    name = StringField(MAX_TITLE, 1, metadata={"description": "Default: the number of the commit."})


@example({"name": "Attack in the north"})
class StudyNameRequest(Request):
    name = StringField(MAX_TITLE, 1, required=True)


_STUDY = {
    "id": STUDY_ID,
    "game": GAME_ID,
    "origin": {"game": GAME_ID, "seq": 40},
    "seat": 1,
    "draw": 7,
    "name": "Attack in the north",
    "created_at": MADE_AT,
    "status": "running",
}


class StudyOrigin(Reply):
    game = id_of("The game, or the study of it, that the study starts from.")
    seq = seq_of("The commit that the study starts from.")


@example(_STUDY)
class Study(Reply):
    id = id_of("The id of the study. It is a game: use it with all routes for games.")
    game = id_of("The game that is studied.")
    origin = fields.Nested(StudyOrigin, required=True)
    seat = IntegerField(1, required=True, metadata={"description": "The seat from which you study the game."})
    draw = IntegerField(
        0,
        MAX_SAFE_INTEGER,
        required=True,
        allow_none=True,
        metadata={
            "description": "The draw of everything hidden from the seat. Null if the study continues the position of another."
        },
    )
    name = StringField(MAX_TITLE, required=True)
    created_at = instant("When it was created.")
    status = EnumField(
        "lobby", "running", "over", required=True, metadata={"description": "The status of the sandbox."}
    )


@example({"studies": [_STUDY]})
class Studies(Reply):
    studies = fields.List(fields.Nested(Study), required=True)
