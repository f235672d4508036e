"""Properties of every page: it opens, its policy holds, it is accessible, and it is small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.web.browsing import STATIC, until, violations
from tests.web.modules import imported

BUDGET = 161_000
PAGES = ("/", "/new", "/me", "/sign-in", "/check")
SIZES = {"phone": 360, "desk": 1440}


CHOICES = {"router.js", "game.js"}
"""Modules that load one page of several: what they load later belongs to the page that is opened."""
STYLE = re.compile(r'"/style/([a-z]+\.css)"')
BESIDE = {"side.js", "side.css", "analysis.js", "analysis.css", "shut.js", "naming.js", "studies.js"}
"""Files loaded after a page is usable, which have their own budget, dialogs, and files shown instead of an unavailable page."""
SIDE = STATIC / "app/pages/table/side/side.js"
ANALYSIS = STATIC / "app/pages/replay/analysis/analysis.js"


def loaded(module: Path, found: set[Path] | None = None) -> set[Path]:
    """The module and everything it imports, at once or later; for modules in `CHOICES` only at once."""
    found = set() if found is None else found
    if module in found:
        return found
    found.add(module)
    for each in imported(module):
        named = each["still"] or (None if module.name in CHOICES else each["later"])
        if named and not (each["later"] and Path(named).name in BESIDE):
            loaded((module.parent / named).resolve(), found)
    return found


def pages() -> list[Path]:
    """The modules of pages, which the router and the game page load later."""
    chosen = [STATIC / "app/router.js", STATIC / "app/pages/game.js"]
    return [
        (module.parent / each["later"]).resolve() for module in chosen for each in imported(module) if each["later"]
    ]


@pytest.mark.parametrize("module", [*pages(), SIDE, ANALYSIS], ids=lambda module: module.stem)
def test_page_and_its_files_are_within_the_size_budget(module):
    """Scripts, styles and the page itself, uncompressed; the contract's types are not served."""
    scripts = loaded(STATIC / "app/main.js") | loaded(module)
    if module.stem in ("lobby", "table"):
        scripts |= loaded(STATIC / "app/pages/game.js")
    named = {each for script in scripts for each in STYLE.findall(script.read_text()) if each not in BESIDE}
    frame = (STATIC / "index.html").read_text()
    styles = [STATIC / "style" / each for each in named | set(STYLE.findall(frame))]
    told = sum(len(f'<link rel="modulepreload" href="/{each.relative_to(STATIC)}">\n') for each in scripts)

    assert len(scripts) > len(loaded(STATIC / "app/main.js"))
    assert sum(file.stat().st_size for file in (*scripts, *styles)) + len(frame) + told <= BUDGET


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


def test_inline_markup_and_foreign_images_are_blocked_and_reported(window):
    """Every other test relies on this report of violations."""
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


def test_modules_import_each_other_without_circles():
    """Imports that load a module later count too; `grimp` checks the same for Python."""
    imports = {
        module: {(module.parent / (each["still"] or each["later"])).resolve() for each in imported(module)}
        for module in (STATIC / "app").rglob("*.js")
    }

    assert circle(imports) == []
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]


def circle(imports):
    """The modules that are in a circle or import one, sorted; others are removed one by one."""
    left = dict(imports)
    while free := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in free:
            del left[module]
    while unused := left.keys() - {each for needs in left.values() for each in needs}:
        for module in unused:
            del left[module]
    return sorted(left)
