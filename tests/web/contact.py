"""Screenshots of every page at two widths, light and dark, and all on one sheet (`make screenshots`).

``python -m tests.web.contact NAME…`` takes only the named pages, such as ``home`` or ``replay``.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from service.api_reference.api import TRIED
from tests.driver import Player, Remote
from tests.web.browsing import ROOT, found_browser, start_session
from tests.workers.test_serve import Instance

WHERE = ROOT / "build" / "web"
WIDTHS, SCHEMES = (360, 1440), ("light", "dark")
SETTLED = 1500
"""Milliseconds after which a page has loaded everything."""
THUMBS = {360: 220, 1440: 560}
"""The width of a picture on the sheet, by its original width."""
TALLEST, GAP = 700, 16


def table(player: Player, kind: str, seats: int, bots: int, **told: object) -> str:
    """A player's game with some bots, started if all seats are taken."""
    game = player.make_game(kind, seats, **told)["id"]
    for _ in range(bots):
        player.seat_bot(game)
    if bots == seats - 1:
        player.start(game)
    return game


def pages(ada: Player, birk: Player) -> Mapping[str, str]:
    """The address of each page by name, with content to show."""
    day = {"mode": "calendar", "day": "PT24H", "at": "18:00", "zone": "Europe/Sofia"}
    battalia = table(ada, "battalia", 3, 2, pace=day, modules=["rammoth", "keeper"])
    fronela = table(ada, "fronela", 4, 3, pace={"mode": "per_question", "hours": 48})
    nim = table(ada, "nim", 2, 1)
    table(birk, "battalia", 4, 1, modules=["stormgates"])
    room = table(ada, "battalia", 4, 1)
    birk.join(room)
    return {
        "home": "/",
        "new": "/new",
        "me": "/me",
        "room": f"/games/{room}",
        "table-battalia": f"/games/{battalia}",
        "table-fronela": f"/games/{fronela}",
        "table-nim": f"/games/{nim}",
        "replay": f"/games/{battalia}/replay",
        "check": "/check",
        "try": TRIED,
    }


def shots(browser: Browser, url: str, ada: Player, addresses: Mapping[str, str]) -> list[Path]:
    """A picture of each page, by name, width and scheme; also the home page as a visitor sees it."""
    made = []
    for width in WIDTHS:
        for scheme in SCHEMES:
            for name, path in addresses.items():
                context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
                if name != "visitor":
                    start_session(context, url, ada)
                page = context.new_page()
                page.goto(url + path)
                page.wait_for_timeout(SETTLED)
                made.append(WHERE / f"{name}-{width}-{scheme}.png")
                page.screenshot(path=made[-1], full_page=True)
                context.close()
    return made


def sheet(pictures: list[Path]) -> None:
    """All pictures on one sheet, a row for each page, tall ones cut off. Pillow comes with matplotlib."""
    rows: dict[str, list[Image.Image]] = {}
    for path in pictures:
        name, width, _ = path.stem.rsplit("-", 2)
        thumb = THUMBS[int(width)]
        with Image.open(path) as picture:
            scaled = picture.convert("RGB").resize((thumb, picture.height * thumb // picture.width))
        rows.setdefault(name, []).append(scaled.crop((0, 0, thumb, min(scaled.height, TALLEST))))
    tall = [max(picture.height for picture in row) + GAP for row in rows.values()]
    wide = max(sum(picture.width + GAP for picture in row) for row in rows.values())
    whole = Image.new("RGB", (wide + GAP, sum(tall) + GAP), "#888888")
    for number, row in enumerate(rows.values()):
        left = GAP
        for picture in row:
            whole.paste(picture, (left, sum(tall[:number]) + GAP))
            left += picture.width + GAP
    whole.save(WHERE / "contact.png")


def main(*names: str) -> None:
    """Start a service, fill it, and take pictures of the named pages, or of all."""
    shutil.rmtree(WHERE, ignore_errors=True)
    WHERE.mkdir(parents=True)
    instance = Instance(Path(tempfile.mkdtemp(prefix="ow-web-")), ORACLEWHEEL_RATE_REQUESTS="0").start()
    site = Remote(instance.url)
    try:
        ada, birk = Player.register(site, "Ada"), Player.register(site, "Birk of Sofia")
        addresses = {"visitor": "/", **pages(ada, birk)}
        addresses = {name: addresses[name] for name in names or addresses}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=found_browser(playwright), args=["--no-sandbox"])
            sheet(shots(browser, instance.url, ada, addresses))
            browser.close()
    finally:
        site.close()
        instance.stop()
        shutil.rmtree(instance.folder, ignore_errors=True)
    print(WHERE / "contact.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
