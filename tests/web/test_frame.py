"""What holds for every page: it opens, its policy holds, it can be read by anybody, and all of it is small."""

from __future__ import annotations

import pytest

from tests.web.browsing import STATIC, until, violations

BUDGET = 150_000
PAGES = ("/", "/new", "/me", "/check")
SIZES = {"phone": 360, "desk": 1440}


def test_scripts_and_styles_are_within_their_budget():
    """Uncompressed, all pages together; the contract's types are not served."""
    files = [*STATIC.rglob("*.js"), *STATIC.rglob("*.css"), STATIC / "index.html"]

    assert sum(file.stat().st_size for file in files) <= BUDGET


@pytest.mark.parametrize("path", PAGES)
def test_every_page_opens_from_its_address(visiting, path):
    page = visiting.open(path)

    assert page.locator("main h1").count() == 1
    assert page.title().endswith("Oracle Wheel")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_wrong(window, axe, path, scheme, size):
    visiting = window(color_scheme=scheme, viewport={"width": SIZES[size], "height": 900})

    page = visiting.open(path)
    page.wait_for_load_state("networkidle")

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]


def test_inline_script_and_markup_from_text_are_refused_and_told(window):
    """The watch that every other test relies upon sees a violation."""
    visiting = window()
    page = visiting.open("/")

    page.evaluate(
        "document.body.append(Object.assign(document.createElement('img'), {src: 'https://example.org/x.png'}))"
    )
    page.evaluate("try { document.body.innerHTML = '<b>x</b>' } catch (error) { globalThis.refused = error.name }")
    until(page, "violations.length > 1")

    assert page.evaluate("refused") == "TypeError"
    told = visiting.problems()
    assert any("img-src" in each for each in told)
    assert any("require-trusted-types-for" in each for each in told)
    visiting.complaints.clear()
    page.evaluate("violations.length = 0")
