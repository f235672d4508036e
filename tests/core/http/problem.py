"""Checks that every problem must pass."""

from __future__ import annotations

from service.api_reference.operations import REFUSAL, status_of
from service.core.http.problems import CATALOGUE

REFUSED = "urn:oraclewheel:refusal:"


def is_a_problem(answer, status, code):
    assert status == answer.status, answer.text
    assert "application/problem+json" == answer.headers["Content-Type"]
    document = answer.json
    assert code == document["code"]
    assert status == document["status"]
    assert document["type"].startswith("urn:oraclewheel:")
    assert document["title"] and document["detail"]
    assert "Traceback" not in answer.text
    return document


def undeclared(operation, status, document):
    """Undeclared parts of an answer according to the contract: its status, or the code of its problem."""
    if status < 400:
        return [] if str(status) in operation["responses"] else [f"status {status} is not declared"]
    code = document["code"]
    if document["type"].startswith(REFUSED):
        code = REFUSAL
    elif code not in CATALOGUE:
        return [f"problem {code} is not in the catalogue"]
    if code not in operation["x-problem-codes"]:
        return [f"problem {code} is not in x-problem-codes"]
    return [] if status == status_of(code) else [f"status {status} is not that of {code}"]
