"""A browser and the errors of its pages: any error in the console fails the test."""

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
"""The gate sets it to `required`, so a missing browser is a failure there."""

WATCH = """
globalThis.violations = [];
addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
"""A script that runs in every page before the page's scripts."""


def found_browser(playwright: Playwright) -> str | None:
    """The path of Chromium: on the PATH, or where `playwright install chromium` puts it."""
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
    """A visitor with a browser window; `page` is Playwright's."""

    context: BrowserContext
    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    expected: set[int] = field(default_factory=set)
    """Error statuses that the test causes on purpose; the browser's console reports them too."""
    cut: bool = False
    """Whether the test breaks the connection on purpose; the console reports every lost connection."""

    def open(self, path: str = "/") -> Page:
        self.page.goto(self.url + path)
        self.page.locator("main h1").first.wait_for()
        return self.page

    def sign_in(self, player: Player) -> None:
        """Start a session of the player in this browser, as if they had signed up in it."""
        start_session(self.context, self.url, player)

    def problems(self) -> list[str]:
        """Errors in the page's console and violations of its policy."""
        with contextlib.suppress(Exception):  # a closed page has reported already
            self.complaints += [f"CSP {each}" for each in self.page.evaluate("globalThis.violations ?? []")]
        known = [f"status of {status}" for status in self.expected] + ["net::ERR_"] * self.cut
        return [each for each in self.complaints if not any(words in each for words in known)]


def start_session(context: BrowserContext, url: str, player: Player) -> None:
    """Exchange a player's token for a session; the context keeps its cookies."""
    answer = context.request.post(f"{url}/v1/session", headers={"Authorization": f"Bearer {player.token}"})
    assert answer.status == 201, answer.text()


def visitor(context: BrowserContext, url: str) -> Visitor:
    """Open a window that records its errors."""
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
    """Wait until an expression is true in the page. Playwright's own method needs eval, which the policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression, arg):
        assert time.monotonic() < end, f"it never came to: {expression}"
        page.wait_for_timeout(50)


def violations(page: Page, within: str = "html", **options: object) -> list[str]:
    """Violations that axe finds in the page or a part of it, one per line."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("([within, options]) => axe.run(within, options)", [within, options])["violations"]
    return [
        f"{each['id']}: {each['help']} at {' '.join(node['target'][0] for node in each['nodes'][:4])}" for each in found
    ]
