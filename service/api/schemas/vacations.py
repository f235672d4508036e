"""The form of a vacation that comes in."""

from __future__ import annotations

from service.api.schemas.fields import Whole, example
from service.api.schemas.requests import Request


@example({"from": 1785844800000, "to": 1787054400000})
class VacationRequest(Request):
    begins = Whole(
        0,
        required=True,
        data_key="from",
        metadata={"description": "Milliseconds of Unix time; at once if that is past."},
    )
    ends = Whole(0, required=True, data_key="to", metadata={"description": "At the latest; milliseconds of Unix time."})
