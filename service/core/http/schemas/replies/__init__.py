"""Schemas of all JSON response bodies. Clients can rely on them and must accept new fields."""

from __future__ import annotations

from service.core.http.schemas.replies.accounts import (
    CreatedPlayer,
    CreatedToken,
    Me,
    Player,
    Question,
    Ticket,
    Token,
    Tokens,
    Turn,
    Turns,
)
from service.core.http.schemas.replies.base import Reply
from service.core.http.schemas.replies.games import (
    CreatedGame,
    Game,
    GameOutcome,
    Games,
    GameSummary,
    Kind,
    KindDetails,
    Kinds,
    PlayerReference,
    SandboxInfo,
    Seat,
    Setting,
    Signature,
    TableSchemas,
)
from service.core.http.schemas.replies.options import Option, Options
from service.core.http.schemas.replies.orders import StandingOrderQuestion, StandingOrders
from service.core.http.schemas.replies.play import (
    Change,
    ChangesSince,
    CommandOutcome,
    CommandPending,
    CommandStatus,
    EventPage,
    HistoryEntry,
    HistoryPage,
    Paragraph,
    PendingQuestion,
    Refusal,
)
from service.core.http.schemas.replies.rules import Ruleset
from service.core.http.schemas.replies.seats import (
    Invitation,
    SeatAssignment,
)
from service.core.http.schemas.replies.service import (
    CommandProblem,
    Health,
    ProblemDocument,
    Readiness,
)

__all__ = [
    "Change",
    "ChangesSince",
    "CommandOutcome",
    "CommandPending",
    "CommandProblem",
    "CommandStatus",
    "CreatedGame",
    "CreatedPlayer",
    "CreatedToken",
    "EventPage",
    "Game",
    "GameOutcome",
    "GameSummary",
    "Games",
    "Health",
    "HistoryEntry",
    "HistoryPage",
    "Invitation",
    "Kind",
    "KindDetails",
    "Kinds",
    "Me",
    "Option",
    "Options",
    "Paragraph",
    "PendingQuestion",
    "Player",
    "PlayerReference",
    "ProblemDocument",
    "Question",
    "Readiness",
    "Refusal",
    "Reply",
    "Ruleset",
    "SandboxInfo",
    "Seat",
    "SeatAssignment",
    "Setting",
    "Signature",
    "StandingOrderQuestion",
    "StandingOrders",
    "TableSchemas",
    "Ticket",
    "Token",
    "Tokens",
    "Turn",
    "Turns",
]
