"""What every problem must be."""

from __future__ import annotations


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
