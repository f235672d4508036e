"""Reports of messages to the operator: open, assigned, answered, closed. The message itself is stored only with its game."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from domain.kernel.terms import GameId, PlayerId
from service.core.history import chat
from service.store import typed
from service.store.ports.side_data import NO_GAME
from service.store.redis.store import Store

REPORTS, REPORTS_BY = "reports", "reports-by:"
"""Namespaces of notes: the reports by id, and the ids of the reports of the player whose id follows."""

OPEN, ASSIGNED, ANSWERED, CLOSED = STATES = ("open", "assigned", "answered", "closed")

CLOSED_MILLISECONDS = 90 * 24 * 3_600_000
"""For how long a closed report is kept, so that the reporter can read the answer."""

LONGEST_ANSWER = 1000


class MessageReport(msgspec.Struct, frozen=True):
    """A player asks the operator to review a message."""

    game: GameId
    seq: int
    digest: str
    by: PlayerId
    why: str
    at: int
    """Milliseconds of Unix time."""
    state: str = OPEN
    """`OPEN`, `ASSIGNED`, `ANSWERED` or `CLOSED`."""
    assignee: str = ""
    """The operator who works on it, as the operators' log names them."""
    answer: str = ""
    """The operator's answer, which the reporter can read."""
    changed_at: int = 0
    """When an operator last changed it, in milliseconds of Unix time."""


_REPORT = typed.decoder(MessageReport)


def store_report(store: Store, report: MessageReport) -> tuple[str, MessageReport]:
    """Store a report; returns its id and what is stored. It replaces an earlier one of the same message by the same player.

    One that an operator has answered or closed is open again.
    """
    _drop_old(store)
    id_ = hashlib.sha256(f"{report.game} {report.seq} {report.by}".encode()).hexdigest()[:12]
    earlier = get_report(store, id_)
    if earlier is not None and earlier.state == ASSIGNED:
        report = msgspec.structs.replace(report, state=ASSIGNED, assignee=earlier.assignee)
    store.notes.put(NO_GAME, REPORTS_BY + report.by, id_, b"1")
    store.notes.put(NO_GAME, REPORTS, id_, msgspec.json.encode(report))
    return id_, report


def get_report(store: Store, id_: str) -> MessageReport | None:
    """A report, closed or not; None if there is none."""
    note = store.notes.read(NO_GAME, REPORTS, [id_]).get(id_)
    return None if note is None else _REPORT.decode(note)


def list_reports(store: Store) -> Mapping[str, MessageReport]:
    """All reports by id, oldest first, including closed ones that are kept."""
    return _sorted(store.notes.all(NO_GAME, REPORTS))


def list_open_reports(store: Store) -> Mapping[str, MessageReport]:
    """All reports that are not closed, by id, oldest first."""
    return {id_: report for id_, report in list_reports(store).items() if report.state != CLOSED}


def list_reports_of(store: Store, player_id: PlayerId) -> Mapping[str, MessageReport]:
    """The reports of a player by id, oldest first."""
    return _sorted(store.notes.read(NO_GAME, REPORTS, list(store.notes.all(NO_GAME, REPORTS_BY + player_id))))


def _sorted(notes: Mapping[str, bytes]) -> Mapping[str, MessageReport]:
    found = {id_: _REPORT.decode(note) for id_, note in notes.items()}
    return dict(sorted(found.items(), key=lambda each: (each[1].at, each[0])))


def get_reported_message(store: Store, report: MessageReport) -> chat.ChatMessage | None:
    """The reported message; None if it has been erased."""
    return chat.load_messages(store, report.game, [report.digest]).get(report.digest)


def assign_report(store: Store, operator: str, id_: str, assignee: str) -> bool:
    """Assign a report to an operator. Returns whether there is one that is not closed."""
    return _change(store, operator, id_, "report.assign", assignee, state=ASSIGNED, assignee=assignee)


def answer_report(store: Store, operator: str, id_: str, answer: str) -> bool:
    """Answer a report; the reporter can read it. Returns whether there is one that is not closed."""
    return _change(store, operator, id_, "report.answer", answer, state=ANSWERED, answer=answer)


def close_report(store: Store, operator: str, id_: str) -> bool:
    """Close a report; its answer stays readable for some time. Returns whether there was one that was not closed."""
    _drop_old(store)
    return _change(store, operator, id_, "report.close", "", state=CLOSED)


def erase_reported_message(store: Store, operator: str, id_: str) -> bool | None:
    """Erase the message of a report. Returns whether it still existed; None if there is no report that is not closed."""
    report = list_open_reports(store).get(id_)
    if report is None:
        return None
    words = get_reported_message(store, report)
    if words is None:
        return False
    store.operators.append(operator, "report.erase-message", id_, "")
    chat.erase_message(store, report.game, report.digest, words)
    return True


def _change(store: Store, operator: str, id_: str, action: str, reason: str, **fields: str) -> bool:
    report = get_report(store, id_)
    if report is None or report.state == CLOSED:
        return False
    store.operators.append(operator, action, id_, reason)
    changed = msgspec.structs.replace(report, changed_at=store.schedule.now(), **fields)
    store.notes.put(NO_GAME, REPORTS, id_, msgspec.json.encode(changed))
    return True


def _drop_old(store: Store) -> None:
    """Delete the reports that were closed long ago."""
    before = store.schedule.now() - CLOSED_MILLISECONDS
    for id_, report in list_reports(store).items():
        if report.state == CLOSED and report.changed_at < before:
            _delete(store, id_, report)


def _delete(store: Store, id_: str, report: MessageReport) -> None:
    store.notes.erase(NO_GAME, REPORTS, [id_])
    store.notes.erase(NO_GAME, REPORTS_BY + report.by, [id_])


def erase_reports(store: Store, player_id: PlayerId) -> None:
    """Delete the reports of a player."""
    for id_, report in list_reports(store).items():
        if report.by == player_id:
            _delete(store, id_, report)
