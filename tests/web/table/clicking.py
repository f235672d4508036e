"""A player that plays any game in the browser by clicking highlighted elements, without knowing the game."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from playwright.sync_api import Page

MADE = "ow-desk [data-key=send]:not([disabled])"


@dataclass
class Clicker:
    """Clicks elements at random."""

    page: Page
    dice: random.Random
    sent: int = 0
    problems: list[str] = field(default_factory=list)

    def standing(self) -> str:
        """``over``, ``idle`` while other players have questions, ``asked``, or ``busy``."""
        return str(
            self.page.evaluate(
                """() => {
                const desk = document.querySelector("ow-desk");
                if (!desk || desk.busy) return "busy";
                if (desk.game.over) return "over";
                return desk.options("asked").length && desk.game.asked.length ? "asked" : "idle";
            }"""
            )
        )

    def turn(self, most: int = 40) -> None:
        """Make one command by clicks and send it."""
        for _ in range(most):
            if self.made() and (self.dice.random() < 0.8 or not self.step()):
                return self.send()
            if not self.made() and not self.step():
                self.page.keyboard.press("Escape")
        raise AssertionError(f"no command came of {most} clicks: {self.page.locator('ow-desk').inner_text()}")

    def made(self) -> bool:
        """Whether there is something to send."""
        return self.page.locator(MADE).count() > 0

    def step(self) -> bool:
        """Click one of the things that can be clicked now."""
        lit = self.page.evaluate(
            """() => {
                const desk = document.querySelector("ow-desk");
                const making = desk.querySelector(".making");
                const own = (query) => [...desk.querySelectorAll(query)].map((node) => `[data-key="${CSS.escape(node.dataset.key)}"]`);
                if (!making) return { own: own(".menu .action"), board: document.querySelectorAll("ow-board [role=button]").length };
                const next = desk.querySelector("fieldset.next");
                const chips = next ? own("fieldset.next button.choice[aria-pressed=false], fieldset.next .playing-card[aria-pressed=false]") : [];
                const cards = next && !chips.length ? own(".hand .playing-card.may[aria-pressed=false]") : [];
                const numbers = next ? own("fieldset.next input") : [];
                return { own: [...chips, ...cards, ...numbers], board: document.querySelectorAll("ow-board .next[role=button]").length };
            }"""
        )
        if lit["board"] and (not lit["own"] or self.dice.random() < 0.5):
            marked = "ow-board .next[role=button]" if self.page.locator(".making").count() else "ow-board [role=button]"
            self.page.locator(marked).nth(self.dice.randrange(lit["board"])).dispatch_event("click", {"bubbles": True})
            return True
        if not lit["own"]:
            return False
        self.press(self.dice.choice(lit["own"]))
        return True

    def press(self, key: str) -> None:
        """Use one control of the desk."""
        control = self.page.locator(f"ow-desk {key}").first
        if control.evaluate("(node) => node.localName") == "input":
            low, high = int(control.get_attribute("min") or 0), int(control.get_attribute("max") or 0)
            control.fill(str(self.dice.randint(low, high)))
            control.press("Tab")
        else:
            control.click()

    def send(self) -> None:
        """Send the command, and wait until it is settled."""
        self.page.locator(MADE).click()
        self.sent += 1
        self.settled()

    def settled(self) -> None:
        """Wait until no command is in progress, and record refusals."""
        for _ in range(600):
            if not self.page.evaluate("document.querySelector('ow-desk').busy"):
                break
            self.page.wait_for_timeout(25)
        failed = self.page.locator("ow-desk .failed")
        if failed.count():
            self.problems.append(failed.first.inner_text())
            failed.get_by_role("button", name="Close").click()

    def play(self, commands: int, seconds: float = 60) -> str:
        """Play until the game is over or `commands` commands are sent; return the state."""
        waited = 0.0
        while self.sent < commands:
            standing = self.standing()
            if standing == "over":
                return standing
            if standing == "asked":
                self.turn()
                waited = 0
            else:
                self.page.wait_for_timeout(50)
                waited += 0.05
                assert waited < seconds, f"nothing comes: {standing}, {self.page.locator('ow-table').inner_text()}"
        return self.standing()
