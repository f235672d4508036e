"""The documentation is complete and connected: every page is in the navigation, and no link or anchor is broken.

Only reads Markdown files; `make docs` builds the site.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

from tests.prose.surfaces import ROOT
from tests.reference import PAGES, expand

DOCS = ROOT / "docs"
CHEAP = ("reference/problems.md", "reference/settings.md", "reference/events.md")
"""Generated pages that take less than a second to write."""
FILES = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md")), *sorted((ROOT / ".github").rglob("*.md"))]
LINK = re.compile(r"\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")


def text_of(path: Path) -> str:
    """Markdown without code blocks, code spans and comments."""
    text = re.sub(r"^( *)```.*?^\1```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"<!--.*?-->|`[^`\n]*`", "", text, flags=re.DOTALL)


@cache
def anchors(path: Path) -> frozenset[str]:
    """Anchors of a page's headings, as GitHub and the site write them, and explicit ones."""
    found: dict[str, int] = {}
    text = re.sub(r"^( *)```.*?^\1```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain).strip().lower().replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
    explicit = re.findall(r'<a id="([^"]+)">', text)
    return frozenset(explicit) | frozenset(
        slug if n == 0 else f"{slug}-{n}" for slug, number in found.items() for n in range(number + 1)
    )


def broken(path: Path) -> list[str]:
    """Relative links of a page whose target does not exist."""
    faults = []
    for link in LINK.findall(text_of(path)):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = unquote(link).partition("#")
        file = (path.parent / target).resolve() if target else path
        if not file.is_file() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            faults.append(link)
    return faults


def test_pages_have_no_broken_links():
    assert {} == {path.relative_to(ROOT).as_posix(): links for path in FILES if (links := broken(path))}


def test_broken_link_is_found(tmp_path):
    (tmp_path / "other.md").write_text("# One `two` three\n## Same\n## Same\n", encoding="utf-8")
    page = tmp_path / "page.md"
    links = ["other.md", "other.md#one-two-three", "other.md#same-1", "#here", "https://example.org/x"]
    page.write_text("# Here\n" + "\n".join(f"[x]({link})" for link in links) + "\n`[x](no.md)`\n", encoding="utf-8")
    assert [] == broken(page)

    page.write_text("# Here\n[x](no.md) [x](other.md#same-2) ![x](no.png) [x](#there)\n", encoding="utf-8")
    assert ["no.md", "other.md#same-2", "no.png", "#there"] == broken(page)


class _Loader(yaml.SafeLoader):
    """Reads `mkdocs.yml`, whose tags name Python functions."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def _pages(node: object) -> list[str]:
    if isinstance(node, dict):
        return [page for child in node.values() for page in _pages(child)]
    return [page for child in node for page in _pages(child)] if isinstance(node, list) else [str(node)]


def test_navigation_lists_every_page_once():
    config = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Loader)
    navigation = _pages(expand(config["nav"]))
    pages = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))]

    assert sorted([*pages, *PAGES]) == sorted(navigation)


def misplaced(text: str) -> list[str]:
    """Nested lists and blocks in lists with an indentation of less than four spaces."""
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"^ {1,3}(?:[*-]|\d+\.) .*", text, re.MULTILINE) + re.findall(r"(?<=\n\n) {1,3}[^\s*-].*", text)


def test_blocks_in_lists_are_indented_by_four_spaces():
    """MkDocs needs four spaces where GitHub accepts two; otherwise the block leaves its list."""
    texts = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}

    assert {} == {page: blocks for page, text in texts.items() if (blocks := misplaced(text))}
    assert ["  * two", "  three"] == misplaced("* one\n  * two\n\n  three\n    * four\n\n    five\n")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[] if page in CHEAP else pytest.mark.soak) for page in PAGES],
)
def test_reference_page_is_generated(page):
    text = PAGES[page]()

    assert text.startswith("# ")
    assert text.count("\n## ") > 3
