"""The player guides agree with the rules, fit on three pages, and are served."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from domain.registry import GAMES
from tests.core.http.conftest import world  # noqa: F401 - the service runs in this process
from tests.guides import FOLDER, aloud, guides, made
from tests.test_clauses import FINISHED, clauses

LONGEST = 3 * 46
"""Number of lines on three printed pages."""


@pytest.mark.parametrize("kind", guides())
def test_guide_and_its_pictures_match_the_generated_ones(kind):
    text, pictures = made(kind)

    assert text == (FOLDER / f"{kind}.md").read_text(encoding="utf-8"), "python -m tests.guides"
    assert {each.relative_to(FOLDER).as_posix() for each in (FOLDER / kind).iterdir()} == set(pictures)
    assert all(ET.parse(FOLDER / name).getroot().tag.endswith("svg") for name in pictures)


@pytest.mark.parametrize("kind", guides())
def test_guide_has_three_pages_at_most(kind):
    lines = (FOLDER / f"{kind}.md").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if not line.startswith("<!--")]) <= LONGEST


def test_read_aloud_game_matches_the_generated_one_and_fits_on_two_pages():
    text = aloud.PAGE.read_text(encoding="utf-8")

    assert aloud.made() == text, "python -m tests.guides"
    assert len(text) <= 2 * 46 * 120


@pytest.mark.parametrize("kind", guides())
def test_guide_is_served_as_markdown_and_as_html_with_its_pictures(world, kind):  # noqa: F811
    told = world.public.get(f"/v1/kinds/{kind}", want=200).json
    markdown = world.public.get(told["guide"], want=200)
    page = world.public.get(told["guide"], want=200, headers={"Accept": "text/html,*/*;q=0.8"})

    assert "text/markdown; charset=utf-8" == markdown.headers["Content-Type"]
    assert markdown.text.startswith("# ")
    assert "<!--" not in markdown.text
    assert "](../" not in markdown.text
    assert "text/html; charset=utf-8" == page.headers["Content-Type"]
    assert "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'" == page.headers["Content-Security-Policy"]
    shown = re.findall(r'<img src="([^"]*)"', page.text)
    assert shown == re.findall(r"!\[[^\]]*\]\(([^)]*)\)", markdown.text) != []
    for name in shown:
        picture = world.public.get(f"/v1/kinds/{kind}/{name}", want=200)
        assert "image/svg+xml; charset=utf-8" == picture.headers["Content-Type"]
    for answer, accept in ((markdown, "*/*"), (page, "text/html")):
        known = {"If-None-Match": answer.headers["ETag"], "Accept": accept}
        assert 304 == world.public.get(told["guide"], headers=known).status
    assert markdown.headers["ETag"] != page.headers["ETag"]


def test_unknown_guides_and_pictures_are_not_found(world, monkeypatch):  # noqa: F811
    from tests.pennies import PENNIES

    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    assert world.public.get("/v1/kinds/pennies", want=200).json["guide"] is None
    assert "not-found" == world.public.get("/v1/kinds/pennies/guide").code
    for name in ("none.svg", "..%2F..%2Fnim.md", "nim.md"):
        assert 404 == world.public.get(f"/v1/kinds/nim/guide/{name}").status
    assert 406 == world.public.get("/v1/kinds/nim/guide", headers={"Accept": "image/png"}).status


@pytest.mark.parametrize("kind", FINISHED)
def test_every_clause_is_an_anchor_of_the_served_rules(world, kind):  # noqa: F811
    where = world.public.get(f"/v1/kinds/{kind}", want=200).json["clauses"]
    markdown = world.public.get(where, want=200)
    page = world.public.get(where, want=200, headers={"Accept": "text/html,*/*;q=0.8"})

    assert "text/markdown; charset=utf-8" == markdown.headers["Content-Type"]
    anchors = re.findall(r' id="([^"]*)"', page.text)
    wanted = clauses(kind, FINISHED[kind])
    assert set(wanted) <= set(anchors)
    assert len(anchors) == len(set(anchors))
    assert [] == re.findall(r'<a href="(?!https?:)[^"]*"', page.text), "a page that is not served"
    assert re.search(r'<tr id="NIM-03">\n<td>NIM-03</td>', page.text) or kind != "nim"
    known = {"If-None-Match": page.headers["ETag"], "Accept": "text/html"}
    assert 304 == world.public.get(where, headers=known).status


def test_rules_of_a_game_without_clauses_are_not_found(world, monkeypatch):  # noqa: F811
    from tests.pennies import PENNIES

    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    assert world.public.get("/v1/kinds/pennies", want=200).json["clauses"] is None
    assert "not-found" == world.public.get("/v1/kinds/pennies/clauses").code
    assert "unknown-kind" == world.public.get("/v1/kinds/chess/clauses").code
