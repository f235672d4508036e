"""A browser, and what a page did wrong in it: anything that it complains of is a failure of the test that saw it."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Playwright

from tests.driver import Player

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "service" / "web" / "static"
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
REQUIRED = "GATE_BROWSER"
"""The gate sets it to `required`: there a browser that is missing is a failure."""

WATCH = """
globalThis.violations = [];
addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
"""It runs in every page before its own scripts."""


def found_browser(playwright: Playwright) -> str | None:
    """The program of a Chromium: on the PATH, or as `playwright install chromium` puts it there."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def required() -> bool:
    """Whether there must be a browser."""
    return os.environ.get(REQUIRED) == "required"


@dataclass
class Visitor:
    """Somebody with a browser window; `page` is Playwright's."""

    context: BrowserContext
    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    expected: set[int] = field(default_factory=set)
    """Statuses of answers that the test brings about on purpose: the browser's console complains of them too."""
    cut: bool = False
    """Whether the test breaks the line on purpose: the console complains of every connection that was lost."""

    def open(self, path: str = "/") -> Page:
        self.page.goto(self.url + path)
        self.page.locator("main h1").first.wait_for()
        return self.page

    def sign_in(self, player: Player) -> None:
        """Have a player's token in this browser, as if they had signed up in it."""
        self.context.add_init_script(
            "if (location.origin !== 'null' && !localStorage.getItem('ow.session')) localStorage.setItem('ow.session', "
            f"JSON.stringify({{token: {player.token!r}, id: {player.id!r}, name: {player.name!r}}}))"
        )

    def problems(self) -> list[str]:
        """What the page complained of, and what its policy kept from happening."""
        with contextlib.suppress(Exception):  # a page that is closed has told already
            self.complaints += [f"CSP {each}" for each in self.page.evaluate("globalThis.violations ?? []")]
        known = [f"status of {status}" for status in self.expected] + ["net::ERR_"] * self.cut
        return [each for each in self.complaints if not any(words in each for words in known)]


def visitor(context: BrowserContext, url: str) -> Visitor:
    """A window that writes down what is wrong in it."""
    context.add_init_script(WATCH)
    made = Visitor(context, context.new_page(), url)
    made.page.set_default_timeout(60_000)
    made.page.on("pageerror", lambda error: made.complaints.append(f"error {error}"))
    made.page.on(
        "console",
        lambda said: (
            made.complaints.append(f"console {said.text} {said.location['url']}") if said.type == "error" else None
        ),
    )
    return made


def until(page: Page, expression: str, arg: object = None, seconds: float = 60) -> None:
    """Wait until an expression is true in the page: Playwright's own way of it is eval in the page, which its policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression, arg):
        assert time.monotonic() < end, f"it never came to: {expression}"
        page.wait_for_timeout(50)


def violations(page: Page, within: str = "html", **options: object) -> list[str]:
    """What axe finds wrong with the page as it stands, or with a part of it, a line each."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("([within, options]) => axe.run(within, options)", [within, options])["violations"]
    return [
        f"{each['id']}: {each['help']} at {' '.join(node['target'][0] for node in each['nodes'][:4])}" for each in found
    ]
