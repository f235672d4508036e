"""Reports of messages: their states, the operator's answer, and what the reporter can read."""

from __future__ import annotations

import contextlib

import pytest
from click.testing import CliRunner

from service.cli.commands import reports as reports_command
from service.cli.operator import operator_name
from service.features.moderation import reports
from tests.core.http.problem import is_a_problem
from tests.features.chat.test_chat import report, say


@pytest.fixture
def operator(world, monkeypatch):
    monkeypatch.setattr(reports_command, "opened", lambda: contextlib.nullcontext((None, world.store)))
    return lambda *arguments: CliRunner().invoke(reports_command.command, arguments)


@pytest.fixture
def reported(world):
    """Birk has reported a message of Ash: the id of the report, the game, the commit and the players."""
    game, ash, birk = world.table()
    seq = say(ash, game, "You fool.").json["seq"]
    return report(birk, game, seq, want=201).json["id"], game, seq, ash, birk


def own(player):
    return player.get("/v1/me/reports", want=200).json["reports"]


def test_report_goes_through_all_states_and_the_reporter_reads_the_answer(world, operator, reported):
    id_, game, seq, ash, birk = reported
    told = own(birk)
    assert [(id_, game, seq, "It is an insult.", "open", None, None)] == [
        tuple(each[name] for name in ("id", "game", "seq", "reason", "state", "answer", "changed_at")) for each in told
    ]

    assert f"{id_}: assigned to eve.\n" == operator("--assign", id_, "--to", "eve").output
    assert "assigned, assigned to eve" in operator().output
    assert ["assigned"] == [each["state"] for each in own(birk)]
    assert f"{id_}: answered.\n" == operator("--answer", id_, "--text", "We erased it.").output
    assert [("answered", "We erased it.")] == [(each["state"], each["answer"]) for each in own(birk)]
    assert "  answer: We erased it.\n" in operator().output
    assert f"{id_}: closed.\n" == operator("--close", id_).output
    (closed,) = own(birk)
    assert ("closed", "We erased it.") == (closed["state"], closed["answer"])
    assert told[0]["created_at"] < closed["changed_at"] <= world.store.schedule.now()
    assert "There are no open reports.\n" == operator().output
    assert id_ in operator("--all").output
    assert "eve" not in birk.get("/v1/me/reports").text, "the assignee is for operators"
    assert [] == own(ash)


def test_each_change_is_in_the_operators_log(world, operator, reported):
    id_ = reported[0]
    for arguments in (
        ("--assign", id_, "--to", "eve"),
        ("--answer", id_, "--text", "We erased it."),
        ("--erase", id_),
        ("--close", id_),
    ):
        assert 0 == operator(*arguments).exit_code

    assert [
        ("report.close", id_, ""),
        ("report.erase-message", id_, ""),
        ("report.answer", id_, "We erased it."),
        ("report.assign", id_, "eve"),
    ] == [(each.action, each.subject, each.reason) for each in world.store.operators.newest(10)]
    assert {operator_name()} == {each.operator for each in world.store.operators.newest(10)}


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--assign", "ID"), 2, "--assign needs --to"),
        (("--to", "eve"), 2, "--assign needs --to"),
        (("--answer", "ID"), 2, "--answer needs --text"),
        (("--assign", "ID", "--to", " "), 2, "must have 1 to 80 characters"),
        (("--answer", "ID", "--text", "two\nlines"), 2, "must have 1 to 1000 characters on one line"),
        (("--answer", "ID", "--text", "x" * 1001), 2, "must have 1 to 1000 characters on one line"),
        (("--assign", "x", "--to", "eve"), 1, "There is no open report 'x'"),
        (("--answer", "x", "--text", "No."), 1, "There is no open report 'x'"),
        (("--close", "x"), 1, "There is no open report 'x'"),
        (("--erase", "x"), 1, "There is no open report 'x'"),
    ],
)
def test_bad_arguments_change_nothing_and_say_why(world, operator, reported, arguments, status, said):
    result = operator(*(reported[0] if each == "ID" else each for each in arguments))

    assert status == result.exit_code
    assert said in result.output
    assert [] == world.store.operators.newest(1)
    assert ["open"] == [each["state"] for each in own(reported[4])]


def test_closed_report_cannot_be_changed(operator, reported):
    id_ = reported[0]
    operator("--close", id_)

    for arguments in (("--assign", id_, "--to", "eve"), ("--answer", id_, "--text", "No."), ("--erase", id_)):
        assert "There is no open report" in operator(*arguments).output
    assert ["closed"] == [each["state"] for each in own(reported[4])]


def test_reporting_again_opens_an_answered_report_and_keeps_an_assigned_one(operator, reported):
    id_, game, seq, _, birk = reported
    operator("--assign", id_, "--to", "eve")
    assert "assigned" == report(birk, game, seq, "Look at it.", want=201).json["state"]
    operator("--answer", id_, "--text", "No.")
    operator("--close", id_)

    again = report(birk, game, seq, "Really.", want=201).json

    assert (id_, "open", None, "Really.") == tuple(again[name] for name in ("id", "state", "answer", "reason"))
    assert [again] == own(birk)


def test_closed_reports_are_deleted_after_90_days(world, operator, reported, monkeypatch):
    id_, game, _, ash, birk = reported
    operator("--close", id_)
    seq = say(ash, game, "Again.").json["seq"]
    report(birk, game, seq, want=201)
    assert 2 == len(own(birk)), "it is kept at first"

    monkeypatch.setattr(reports, "CLOSED_MILLISECONDS", -1000)
    report(birk, game, seq, want=201)

    assert [seq] == [each["seq"] for each in own(birk)]
    assert id_ not in reports.list_reports(world.store)


def test_report_of_an_older_release_is_open(world, reported):
    id_, game, seq, _, birk = reported
    stored = b'{"game":"%b","seq":%d,"digest":"d","by":"%b","why":"Old.","at":1}' % (
        game.encode(),
        seq,
        birk.id.encode(),
    )
    world.store.notes.put("", "reports", id_, stored)

    assert [("open", "Old.")] == [(each["state"], each["reason"]) for each in own(birk)]


def test_erasing_an_account_deletes_its_reports(world, reported):
    birk = reported[4]
    name = birk.get("/v1/me").json["name"]

    birk.call("DELETE", "/v1/me", {"name": name}, want=204)

    assert {} == reports.list_reports(world.store)
    assert {} == world.store.notes.all("", reports.REPORTS_BY + birk.id)


def test_reports_need_a_token_with_the_scope(world):
    is_a_problem(world.public.get("/v1/me/reports"), 401, "no-token")
