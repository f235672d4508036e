"""A running game in a browser: when its board is painted, and when a command can be made.

Every opening uses a new browser profile with an empty cache. The reference is an almost empty page from the same
service in the same browser: the machine's own time.
"""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.load.instance import Instance
from bench.load.sparring import Sparring
from bench.measure import Row, Sample

OPENINGS = 9
PAINTED = Row("a running game's board is painted, cold browser", 1000, "ms", at_least=False)
USABLE = Row("a command can be made there", 1500, "ms", at_least=False)
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
WATCH = """
globalThis.came = {};
const look = () => {
    for (const [name, query] of [["board", "ow-board svg"], ["desk", "ow-desk .menu .action"]]) {
        if (came[name] === undefined && document.querySelector(query)) {
            came[name] = 0; // it is painted in the frame after this one
            requestAnimationFrame(() => requestAnimationFrame(() => (came[name] = performance.now())));
        }
    }
};
new MutationObserver(look).observe(document, { childList: true, subtree: true });
"""
BLANK = "performance.getEntriesByType('paint')[0]?.startTime"


def measure() -> Iterator[Sample]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield from (row.absent("there is no Playwright") for row in (PAINTED, USABLE))
        return
    with Instance() as instance, sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        program = next((path for name in NAMES if (path := shutil.which(name))), own)
        if not Path(program).exists():
            yield from (row.absent("there is no Chromium") for row in (PAINTED, USABLE))
            return
        pair = Sparring(instance.address, 0)
        token = pair.tokens[pair.seat]
        where = "http://{}:{}".format(*instance.address)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])
        opened = [_opened(browser, where, f"/games/{pair.game}", token) for _ in range(OPENINGS)]
        blank = statistics.median(_blank(browser, where) for _ in range(OPENINGS))
        browser.close()
    painted, usable = (statistics.median(came[name] for came in opened) for name in ("board", "desk"))
    beside = f"{painted / blank:.1f} times a page with an icon alone, {blank:.0f} ms; {opened[0]['asked']:.0f} requests"
    yield PAINTED.got(painted, beside)
    yield USABLE.got(usable, beside)


def _opened(browser: Any, where: str, path: str, token: str) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.request.post(f"{where}/v1/session", headers={"Authorization": f"Bearer {token}"})
    context.add_init_script(WATCH)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(where + path)
    page.locator("ow-desk .menu .action").first.wait_for()
    while not all((came := page.evaluate("came")).get(name) for name in ("board", "desk")):
        page.wait_for_timeout(20)
    came["asked"] = page.evaluate("performance.getEntriesByType('resource').length + 1")
    context.close()
    return dict(came)


def _blank(browser: Any, where: str) -> float:
    """Milliseconds to paint an image of the service, which the browser shows as a page."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{where}/icon.svg")
    while not (came := page.evaluate(BLANK)):
        page.wait_for_timeout(20)
    context.close()
    return float(came)
