"""Lines that no recording holds, so that every sentence of every game is told once, and a question of each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.golden import battalia, fronela

Line = Mapping[str, Any]

TABLE: Sequence[Line] = (
    {"type": "position_set"},
    {"type": "game_ended", "winners": [], "scores": {"1": 0, "2": 0}},
    {"type": "clocks_stopped", "seat": 1, "why": "vacation"},
    {"type": "clocks_stopped", "why": "vote"},
    {"type": "clocks_started", "seat": 1, "why": "vacation", "due": {}},
    {"type": "clocks_started", "why": "vote", "due": {}},
    {"type": "time_given", "seat": 2, "question": "4:0:2", "hours": 1, "by": 1},
    {"type": "time_given", "seat": 2, "question": "4:0:2", "hours": 12},
    {"type": "reserve_begun", "seat": 2, "question": "4:0:2", "left": 7_200_000},
    {"type": "reserve_changed", "seat": 2, "question": "4:0:2", "kept": 0, "left": 3_600_000},
    {"type": "reserve_set_back", "seat": 2, "first": 4, "left": 3_600_000},
    {"type": "time_counted", "seat": 2, "question": "4:0:2", "due": 3_600_000},
    {"type": "vacation_announced", "seat": 2, "vacation": "v1"},
    {"type": "vacation_announced", "seat": 2, "vacation": "v1", "plays": "sitter"},
    {"type": "vacation_announced", "seat": 2, "vacation": "v1", "plays": "default"},
    {"type": "vacation_begun", "seat": 2, "vacation": "v1"},
    {"type": "vacation_ended", "seat": 2, "vacation": "v1", "why": "played"},
    {"type": "turn_missed", "seat": 2, "times": 2},
    {"type": "turns_resumed", "seat": 2},
    {"type": "seat_vacated", "seat": 2, "bot": "random"},
    {"type": "seat_taken", "seat": 2},
    {"type": "seat_left", "seat": 2},
    {"type": "undo_declined", "seat": 2, "request": 7},
    {"type": "said", "seat": 1, "to": [], "words": "Take the left."},
    {"type": "said", "seat": 1, "to": [2], "words": "Take the left."},
    {"type": "said", "seat": 1, "to": [2], "gone": "erased"},
    {"type": "said", "seat": 1, "to": [2]},
    {"type": "vote_called", "seat": 1, "kind": "more_time", "favour": 2, "hours": 1},
    {"type": "vote_called", "seat": 1, "kind": "concede", "favour": 2},
    *({"type": "vote_called", "seat": 1, "kind": kind} for kind in ("abort", "pause", "resume")),
    {"type": "vote_cast", "seat": 2, "agree": True},
    {"type": "vote_cast", "seat": 2, "agree": False},
    {"type": "vote_carried", "kind": "more_time", "favour": 2, "hours": 12},
    {"type": "vote_carried", "kind": "concede", "favour": 2},
    {"type": "vote_carried", "kind": "abort"},
    {"type": "vote_failed", "kind": "more_time", "favour": 2, "hours": 12},
    {"type": "vote_failed", "kind": "concede", "favour": 2},
    {"type": "vote_failed", "kind": "pause"},
    {"type": "pause_lifted"},
    {"type": "substitute_proposed", "seat": 2, "voters": [1], "due": 0},
    {"type": "substitute_accepted", "seat": 2},
    *({"type": "substitute_rejected", "seat": 2, "why": why} for why in ("voted", "back", "withdrawn")),
    {"type": "voter_joined", "seat": 2},
    {"type": "voter_left", "seat": 2},
)

PARAGRAPHS: Mapping[str, Mapping[str, Sequence[Line]]] = {"fronela": fronela.PARAGRAPHS}
"""Lines that are told together, by what the paragraph shows."""

UNTOLD: Mapping[str, Sequence[str]] = {"battalia": ("moment_came", "moments_added")}
"""The events that no seat may read."""

LINES: Mapping[str, Sequence[Line]] = {
    "battalia": (
        *TABLE,
        *battalia.ORDERS,
        {"type": "question_asked", "kind": "ford", "seats": [1, 2], "clause": "MAP-02", "about": {}, "npc": ""},
        {
            "type": "question_asked",
            "kind": "discard",
            "seats": [2],
            "clause": "RAM-18",
            "about": {"square": "C3", "count": 3},
            "npc": "rammoth",
        },
        {"type": "cards_drawn", "seat": 1, "count": 0},
        {"type": "end_reached", "reason": "flood", "clause": "END-01"},
        {"type": "game_ended", "reason": "weeks", "winners": [2], "scores": {"1": 6, "2": 2}},
        {
            "type": "battle_fought",
            "seat": 1,
            "hero": "hero-1-1",
            "square": "D1",
            "defender": 0,
            "attack": {"cards": 5, "terrain": 1},
            "defence": {"level": 4, "walls": 2},
            "strength": 6,
            "against": 6,
            "winner": 0,
        },
        {"type": "hero_disbanded", "seat": 1, "hero": "hero-1-1", "square": "C3", "why": "no-refuge"},
        {
            "type": "rammoth_attacked",
            "square": "D1",
            "owner": 0,
            "attack": {"horn": 2, "die": 1},
            "defence": {"level": 4, "die": 2},
            "strength": 3,
            "against": 6,
            "damage": 0,
        },
        {"type": "bets_revealed", "seat": 2, "bets": {"1": [], "2": []}, "totals": {"1": 0, "2": 0}, "by": "lot"},
        {"type": "wheel_turned", "lit": "tool", "matching": "tool"},
        {"type": "wheel_turned", "lit": "horse", "matching": "tent"},
        {"type": "turn_passed", "seat": 1},
        {
            "type": "hero_walked",
            "seat": 1,
            "hero": "hero-1-2",
            "origin": "A1",
            "via": ["B1", "B2"],
            "to": "C2",
            "paid": ["supply-1", "supply-2"],
        },
        {"type": "hero_walked", "seat": 1, "hero": "buff", "origin": "A1", "via": ["B1"], "to": "C1", "paid": []},
        {"type": "date_changed", "day": 3, "week": 2},
        {"type": "points_lost", "by": 1, "now": 7},
        {"type": "points_won", "by": 4, "now": 11},
        {"type": "city_lost", "square": "C3", "level": 2, "to": 2},
        {"type": "city_lost", "square": "C3", "level": 2, "to": 0},
        {"type": "city_lost", "square": "C3", "level": 2, "to": None},
        {"type": "city_won", "square": "D1", "level": 4},
        {"type": "city_fell", "square": "C3", "level": 3, "now": 1},
        {"type": "city_rose", "square": "C3", "level": 3, "now": 4},
        {"type": "hero_lost", "hero": "hero-1-1", "square": "C3"},
        {"type": "hero_moved", "hero": "hero-1-1", "origin": "C3", "to": "C4"},
        {"type": "hero_back", "hero": "buff", "to": "A1"},
        {"type": "cards_lost", "cards": ["supply-1", "frimen-barfolk-1", "great-shield"]},
        {"type": "cards_come", "cards": ["unbound-lord-1"]},
        {"type": "hidden_lost", "cards": ["weapon-islanders-1"]},
        {"type": "rival_points", "seat": 2, "before": 5, "now": 1},
        {"type": "rival_out", "seat": 3},
        {"type": "armamentum_gone", "square": "C3"},
        {"type": "key_won", "faction": "barfolk", "colour": "green", "element": "earth"},
        {"type": "rival_key", "seat": 2, "faction": "barfolk", "colour": "green", "element": "earth"},
    ),
    "fronela": (*TABLE, *fronela.LINES),
    "nim": (
        *TABLE,
        {"type": "heaps_changed", "taken": 1, "heaps": [0, 3, 4, 7]},
        {"type": "heaps_changed", "taken": 2, "heaps": [0, 1, 0]},
    ),
}

ASKED: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "battalia": {
        "turn": {},
        "faction": {},
        "start": {},
        "defend": {"square": "C3", "attacker": 2},
        "wish": {},
        "spoils": {"square": "D4"},
        "flee": {"square": "C3", "hero": "hero-1-2"},
        "return": {"hero": "hero-1-1"},
        "discard": {"square": "C3", "count": 3},
        "bet": {},
        "entrance": {},
        "stir": {"square": "A1"},
        "march": {"square": "A1", "left": 1},
        "victim": {"square": "A1", "heroes": ["hero-1-1", "hero-2-1"]},
        "attacked": {"square": "A1", "hero": "hero-1-1", "entering": True},
    },
    "fronela": fronela.ASKED,
    "nim": {"turn": {}},
}
"""What each kind of question is about."""
