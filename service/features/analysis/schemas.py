"""Schemas of analyses."""

from __future__ import annotations

from marshmallow import fields

from service.core.http.schemas.fields import IntegerField, StringField, example
from service.core.http.schemas.replies.base import Reply
from service.core.http.schemas.requests import Request


@example({"level": 1})
class AnalysisRequest(Request):
    level = IntegerField(
        1, 3, metadata={"description": "Depth of the analysis. Default 1; levels 2 and 3 take 25 times as long."}
    )


@example(
    {
        "level": 1,
        "status": "under-way",
        "since": 1893456000000,
        "done": 120,
        "total": 328,
        "reason": "",
        "analysis": None,
    }
)
class Analysis(Reply):
    level = IntegerField(1, required=True, metadata={"description": "Depth of the analysis: 1 to 3."})
    status = StringField(20, required=True, metadata={"description": "`under-way`, `done` or `failed`."})
    since = IntegerField(
        0, required=True, metadata={"description": "When the analysis was requested. Milliseconds of Unix time."}
    )
    done = IntegerField(
        0,
        required=True,
        metadata={"description": "Number of positions analyzed. Only commits that are not refusals count."},
    )
    total = IntegerField(
        0,
        required=True,
        allow_none=True,
        metadata={"description": "Total number of positions to analyze. Null until known, or if the analysis failed."},
    )
    reason = StringField(400, required=True, metadata={"description": "Why the analysis failed. Empty otherwise."})
    analysis = fields.Dict(
        required=True,
        allow_none=True,
        metadata={
            "description": "The result. Null until it is done. Contains `seats` (each with `unbeaten`, `lost` and `luck`), "
            "`turning_points`, `mistakes` and `luck`. `chances` has a seq, then one number per seat. "
            "`decisions` has the moves that were tried. `release` is the release that computed it."
        },
    )
